#include <math.h>

#include "kernels/kernels.h"

enum { LANES = 8 };

static float dot(const float *x, const float *y, size_t n)
{
    float sum[LANES] = { 0 }; /* eight lanes: the order is the specification */
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) sum[k] = fmaf(x[i + k], y[i + k], sum[k]);
    for (size_t k = 0; i < n; i++, k++) sum[k] = fmaf(x[i], y[i], sum[k]);
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static void axpy(float a, const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

static void pool_max(const float *tile, uint32_t a, uint32_t b, float *row_max, uint32_t *row_arg,
                     float *col_max, uint32_t *col_arg)
{
    for (uint32_t j = 0; j < b; j++) col_max[j] = tile[j], col_arg[j] = 0;
    for (uint32_t i = 0; i < a; i++, tile += b) {
        row_max[i] = tile[0];
        row_arg[i] = 0;
        for (uint32_t j = 0; j < b; j++) {
            if (tile[j] > row_max[i]) row_max[i] = tile[j], row_arg[i] = j;
            if (tile[j] > col_max[j]) col_max[j] = tile[j], col_arg[j] = i;
        }
    }
}

static void masked(const float *x, const uint64_t *mask, float scale, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = mask[i / 64] >> (i % 64) & 1 ? x[i] * scale : 0;
}

static void adam(const ni_adam_step *s, const float *g, float *x, float *m, float *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        m[i] = fmaf(s->beta1, m[i], (1 - s->beta1) * g[i]);
        v[i] = fmaf(s->beta2, v[i], (1 - s->beta2) * g[i] * g[i]);
        x[i] -= s->rate * m[i] / fmaf(sqrtf(v[i]), s->root_scale, s->epsilon);
    }
}

const ni_kernels ni_kernels_scalar = {
    "scalar", "instruction set scalar, matrix products by OpenBLAS", dot, axpy, pool_max, masked, adam
};
