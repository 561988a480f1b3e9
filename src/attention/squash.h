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
#include "linalg/kernels.h"

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

/* z (n) from x (n); they may be one array. */
static inline void ni_squash(const ni_kernels *k, uint32_t kind, uint32_t dim, const float *x, uint64_t n,
                             float *z)
{
    ni_real scale = ni_align_scale(dim);
    if (kind == NI_ALIGN_TANH) k->tanh(x, n, z);
    for (uint64_t i = 0; kind == NI_ALIGN_SCALED && i < n; i++) z[i] = (float)ni_squash_scaled(scale, x[i]);
}

#endif
