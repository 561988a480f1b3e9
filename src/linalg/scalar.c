/* The reference kernels: what kernels.h specifies, loop by loop, in the order that AVX2 must keep. */
#include <math.h>
#include <string.h>

#include "linalg/blas.h"

/* ---- rows ---- */

static float sum_lanes(const float sum[NI_LANES])
{
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static float dot(const float *x, const float *y, size_t n)
{
    float sum[NI_LANES] = { 0 }; /* eight lanes: the order is the specification */
    for (size_t i = 0; i < n; i++) sum[i % NI_LANES] = fmaf(x[i], y[i], sum[i % NI_LANES]);
    return sum_lanes(sum);
}

static void axpy(float a, const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

static void bond(float a, float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float was = x[i];
        x[i] = fmaf(a, y[i], was);
        y[i] = fmaf(a, was, y[i]);
    }
}

static void spmm_row(const ni_term *term, size_t count, const float *B, size_t n, float *out)
{
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < count; i++) axpy(term[i].weight, B + term[i].row * n, out, n);
}

static void sum_rows(const uint32_t *row, const float *weight, size_t count, size_t more, const float *B,
                     size_t lanes, float *out)
{
    (void)more;
    memset(out, 0, lanes * sizeof *out);
    for (size_t i = 0; i < count; i++)
        for (size_t q = 0; q < lanes; q++)
            out[q] =
                weight ? fmaf(weight[i], B[row[i] * lanes + q], out[q]) : out[q] + B[row[i] * lanes + q];
}

static void gather_sum(const float *const *weight, uint32_t sides, const uint32_t *row, uint32_t rows,
                       const float *B, size_t n, float *const *out)
{
    for (uint32_t k = 0; k < sides; k++) {
        memset(out[k], 0, n * sizeof **out);
        for (uint32_t i = 0; i < rows; i++) axpy(weight[k][i], B + row[i] * n, out[k], n);
    }
}

static void scatter_sum(const float *const *weight, const float *const *x, uint32_t sides,
                        const uint32_t *row, uint32_t rows, size_t n, float *out)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < sides; k++) axpy(weight[k][i], x[k], out + row[i] * n, n);
}

/* ---- tiles ---- */

static void align(const float *A, const uint32_t *a_row, uint32_t a, const float *B, const uint32_t *b_row,
                  uint32_t b, size_t n, float *strip)
{
    for (uint32_t i = 0; i < a; i++)
        for (uint32_t j = 0; j < b; j++)
            strip[i * ni_whole_lanes(b) + j] = dot(A + a_row[i] * n, B + b_row[j] * n, n);
}

static void pool(const float *strip, uint32_t a, uint32_t b, uint32_t first, const ni_maxima *row,
                 const ni_maxima *col)
{
    for (uint32_t i = 0; i < a; i++, strip += ni_whole_lanes(b)) {
        float best = -INFINITY;
        uint32_t at = 0;
        for (uint32_t j = 0; j < b; j++) {
            if (strip[j] > best) best = strip[j], at = j;
            if (strip[j] > col->max[j]) col->max[j] = strip[j], col->arg[j] = first + i;
        }
        if (row) row->max[i] = best, row->arg[i] = at;
    }
}

static void gather_max(const float *B, size_t stride, const uint32_t *row, size_t count, size_t maxima,
                       size_t lanes, float *out)
{
    for (size_t k = 0; k < lanes; k++) out[k] = k < maxima ? -INFINITY : 0;
    for (size_t i = 0; i < count; i++) {
        const float *x = B + row[i] * stride;
        for (size_t k = 0; k < maxima; k++) out[k] = x[k] > out[k] ? x[k] : out[k];
        for (size_t k = maxima; k < lanes; k++) out[k] += x[k];
    }
}

static float quantise(const float *x, size_t n, float least, int8_t *out)
{
    float most = least;
    for (size_t i = 0; i < n; i++) most = isnan(most) || fabsf(x[i]) <= most ? most : fabsf(x[i]);
    if (!isfinite(most)) return most;
    for (size_t i = 0; i < n; i++) out[i] = (int8_t)nearbyintf(x[i] * (127 / most));
    return most;
}

static void gather_max_int8(const int8_t *rows, size_t stride, const uint32_t *row, size_t count,
                            size_t half, ni_int8_sums *out)
{
    memset(out->A, INT8_MIN, half);
    memset(out->qB, 0, half * sizeof *out->qB);
    out->sum = (ni_int8_scale){ 0, 0 };
    for (size_t i = 0; i < count; i++) {
        const int8_t *A = rows + row[i] * stride, *B = A + half;
        ni_int8_scale one;
        memcpy(&one, B + half, sizeof one);
        for (size_t k = 0; k < half; k++) out->A[k] = A[k] > out->A[k] ? A[k] : out->A[k];
        for (size_t k = 0; k < half; k++) out->qB[k] = fmaf(one.q, B[k], out->qB[k]);
        out->sum.v += one.v, out->sum.q += one.q;
    }
}

/* ---- functions ---- */

/* 2^k e^r = e^x with |r| <= ln(2)/2, for |x| <= 80; NaN propagates. */
static float exp_one(float x)
{
    static const float term[] = NI_EXP_TERMS;
    if (isnan(x)) return x;
    float k = nearbyintf(x * NI_LOG2E);
    float r = fmaf(k, -NI_LN2_LOW, fmaf(k, -NI_LN2_HIGH, x)), p = term[0];
    for (int i = 1; i < NI_EXP_COUNT; i++) p = fmaf(p, r, term[i]);
    return ldexpf(fmaf(p, r * r, r) + 1, (int)k);
}

static float tanh_one(float x)
{
    static const float term[] = NI_TANH_TERMS;
    float size = fabsf(x), square = x * x, p = term[0];
    if (size < NI_TANH_SMALL) {
        for (int i = 1; i < NI_TANH_COUNT; i++) p = fmaf(p, square, term[i]);
        return fmaf(p * square, x, x);
    }
    size = size > NI_TANH_LARGE ? NI_TANH_LARGE : size;
    return copysignf(1 - 2 / (exp_one(2 * size) + 1), x);
}

static void tanh_all(const float *x, size_t n, float *out)
{
    for (size_t i = 0; i < n; i++) out[i] = tanh_one(x[i]);
}

static float exp_all(const float *x, size_t n, float *out)
{
    float sum[NI_LANES] = { 0 };
    for (size_t i = 0; i < n; i++) sum[i % NI_LANES] += out[i] = exp_one(x[i]);
    return sum_lanes(sum);
}

static void logistic_step(float *z, size_t n, float bias, float label, float rate)
{
    const float most = NI_LOGISTIC_LARGE;
    for (size_t i = 0; i < n; i++) {
        float x = bias - z[i];
        z[i] = rate * (label - 1 / (1 + exp_one(x > most ? most : x < -most ? -most : x)));
    }
}

/* ---- entries ---- */

static uint64_t keep_bits(const uint16_t *draw, uint16_t limit)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i++) mask |= (uint64_t)(draw[i] >= limit) << i;
    return mask;
}

static void apply_mask(const float *x, const uint64_t *mask, float scale, float *out, size_t n)
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
    .name = "scalar",
    .about = "instruction set scalar, matrix products by OpenBLAS",
    .dot = dot,
    .axpy = axpy,
    .bond = bond,
    .spmm_row = spmm_row,
    .sum_rows = sum_rows,
    .gather_sum = gather_sum,
    .scatter_sum = scatter_sum,
    .align = align,
    .gemm = ni_blas_gemm,
    .pool = pool,
    .tanh = tanh_all,
    .exp = exp_all,
    .logistic_step = logistic_step,
    .gather_max = gather_max,
    .quantise = quantise,
    .gather_max_int8 = gather_max_int8,
    .keep_bits = keep_bits,
    .apply_mask = apply_mask,
    .adam = adam,
};
