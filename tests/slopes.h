/* slopes.h - gradients against central differences in double, and random numbers for both (include after
 * cmocka.h). */
#ifndef NEAP_TESTS_SLOPES_H
#define NEAP_TESTS_SLOPES_H

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* Normal numbers of that deviation. */
static inline void draw_numbers(double *x, uint64_t count, double deviation, ni_rng *rng)
{
    for (uint64_t i = 0; i < count; i++) x[i] = ni_normal(rng) * deviation;
}

/* The same in memory of their own, for free; rng NULL: zeros. */
static inline float *floats_of(uint64_t count, double deviation, ni_rng *rng)
{
    float *x = calloc(count, sizeof *x);
    assert_non_null(x);
    for (uint64_t i = 0; rng && i < count; i++) x[i] = (float)(ni_normal(rng) * deviation);
    return x;
}

/* What depends on numbers of a world. */
typedef double (*loss_function)(void *world);

/* Its derivative by one of them. */
static inline double slope_of(loss_function loss, void *world, double *x)
{
    const double step = 1e-5;
    double old = *x;
    *x = old + step;
    double up = loss(world);
    *x = old - step;
    double down = loss(world);
    *x = old;
    return (up - down) / (2 * step);
}

/* No number of the gradient is `most` or more away from its slope. */
static inline void expect_slopes(loss_function loss, void *world, double *x, uint64_t count,
                                 const double *gradient, double most)
{
    for (uint64_t i = 0; i < count; i++)
        assert_true(fabs(slope_of(loss, world, &x[i]) - gradient[i]) < most);
}

#endif
