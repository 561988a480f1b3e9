/* clock.h - seconds on a clock that never goes back. */
#ifndef NI_CLOCK_H
#define NI_CLOCK_H

#include <time.h>

static inline double ni_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
