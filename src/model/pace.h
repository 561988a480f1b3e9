/* pace.h - a run of a few seconds, to see how fast training goes. */
#ifndef NI_PACE_H
#define NI_PACE_H

#include <stdbool.h>

#include "neap.h"

typedef struct ni_pace {
    uint64_t items; /* trained on: edges, or nodes of walks */
    uint64_t epoch; /* how many make an epoch               */
    double seconds; /* which the items took                 */
    double left;    /* expected until the end, or NaN       */

    const neap_hooks *theirs;
    double limit;
    bool interrupted; /* it was they who asked to stop */
} ni_pace;

/* Hooks that end a training once `seconds` have passed. Of the caller's, which may be NULL, `around`,
 * `valid` and the progress count. */
neap_hooks ni_pace_hooks(ni_pace *pace, const neap_hooks *theirs, double seconds);

/* What such a training ended with: NEAP_OK also if it was ended by the clock, NEAP_E_STOPPED if the
 * caller's progress asked to stop. */
neap_status ni_pace_end(const ni_pace *pace, neap_status rc);

#endif
