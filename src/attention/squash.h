/* squash.h - from an alignment x to what is pooled and goes through the softmax.
 *
 *     tanh      tanh(x): nobody gets more than e^2 times the attention of another, and where x is large
 *               there is hardly a gradient
 *     scaled    x / sqrt(d), at most 30 from 0, so that neither e^z nor a sum of 65,536 of them overflows:
 *               attention may be as sharp as it likes
 *
 * kind: NI_ALIGN_... of options.h. Numbers are those of the reference, float or double; the engine and
 * ranking squash arrays with their kernels. */
#ifndef NI_SQUASH_H
#define NI_SQUASH_H

#include <math.h>

#include "attention/options.h"
#include "base/real.h"

#define NI_SQUASHED_MOST 30

/* 1 / sqrt(d): the slope of a scaled alignment. */
static inline ni_real ni_align_scale(uint32_t dim)
{
    return (ni_real)(1 / sqrt((double)dim));
}

/* NaN stays NaN. */
static inline ni_real ni_squash_scaled(ni_real scale, ni_real x)
{
    ni_real z = x * scale;
    return z > NI_SQUASHED_MOST ? NI_SQUASHED_MOST : z < -NI_SQUASHED_MOST ? -NI_SQUASHED_MOST : z;
}

/* dz/dx from z. */
static inline ni_real ni_squash_slope(uint32_t kind, ni_real scale, ni_real z)
{
    if (kind == NI_ALIGN_TANH) return 1 - z * z;
    return z > -NI_SQUASHED_MOST && z < NI_SQUASHED_MOST ? scale : 0;
}

#ifndef NI_REFERENCE_DOUBLE
/* z (n) from x (n), by the kernels; they may be one array. */
void ni_squash(uint32_t kind, uint32_t dim, const float *x, uint64_t n, float *z);
#endif

#endif
