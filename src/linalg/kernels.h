/* kernels.h - the inner loops: reference kernels in plain C (scalar.c), and kernels for AVX2 (avx2*.c).
 *
 * The scalar kernel is the specification, including the order of addition: eight partial sums, fused
 * multiply-add, a fixed tree at the end. The AVX2 kernel keeps that order and gives the same bits, except
 * for the sign of a maximum that is zero, and for matrix products (see gemm). NEAP_ISA=scalar in the
 * environment selects the scalar kernels.
 *
 * Kernels allocate nothing, keep no state, and run on the calling thread; all memory is the caller's.
 * Matrices are row-major. */
#ifndef NI_KERNELS_H
#define NI_KERNELS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"
#include "neap.h"

/* Constants of one step of Adam (Kingma and Ba 2015, with both bias corrections folded in). */
typedef struct ni_adam_step {
    float beta1, beta2;
    float rate;       /* lr / (1 - beta1^t)          */
    float root_scale; /* 1 / sqrt(1 - beta2^t)       */
    float epsilon;
} ni_adam_step;

/* A nonzero of a sparse row: which row of the dense factor, and its weight. */
typedef struct ni_term {
    uint32_t row;
    float weight;
} ni_term;

/* A factor of a matrix product: its rows, or with `transposed` its columns, begin `stride` numbers apart.
 */
typedef struct ni_factor {
    const float *at;
    size_t stride;
    bool transposed;
} ni_factor;

/* Maxima and their positions, the first of equals. */
typedef struct ni_maxima {
    float *max;
    uint32_t *arg;
} ni_maxima;

/* Prefetches a row of n numbers: rows of large matrices lie anywhere in memory. */
static inline void ni_prefetch(const float *row, size_t n)
{
    for (size_t i = 0; i < n; i += NI_CACHE_LINE / sizeof *row) __builtin_prefetch(row + i);
}

/* A tile of alignments is computed and pooled by strips of four rows, so that it stays in the cache. */
enum { NI_STRIP_ROWS = 4, NI_LANES = 8 };

/* Numbers of a cache line. */
enum { NI_NARROW = 16 };

/* n rounded up to whole vectors of NI_LANES: the length of a line of a strip. */
static inline size_t ni_whole_lanes(size_t numbers)
{
    return (numbers + NI_LANES - 1) / NI_LANES * NI_LANES;
}

/* |x|, summed in double. */
static inline double ni_length(const float *x, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
    return sqrt(squares);
}

/* x / |x|; a zero vector stays zero. */
static inline void ni_make_unit(float *x, size_t n)
{
    double length = ni_length(x, n);
    for (size_t i = 0; i < n && length > 0; i++) x[i] = (float)((double)x[i] / length);
}

/* Logistic loss of a score z of label 1: -log s(z), s(z) = 1 / (1 + e^-z). */
static inline double ni_surprise(double z)
{
    return (z > 0 ? 0 : -z) + log1p(exp(-fabs(z)));
}

/* A quantised row is `half` bytes A, `half` bytes B, and its scales; half is a multiple of 4. It may be
 * read up to NI_BYTES beyond its end. */
typedef struct ni_int8_scale {
    float v, q;
} ni_int8_scale;

enum { NI_BYTES = 32 };

/* Quantised rows reduced by columns: the maxima of A, the sums of q B, of v and of q. A and qB have `half`
 * entries, with room up to whole NI_BYTES. */
typedef struct ni_int8_sums {
    int8_t *A;
    float *qB;
    ni_int8_scale sum;
} ni_int8_sums;

/* See ni_kernels.gemm. */
typedef void ni_product(const ni_factor *A, const ni_factor *B, size_t m, size_t n, size_t k, bool add,
                        float *C, size_t ldc);

typedef struct ni_kernels {
    const char *name;
    const char *about; /* neap_build_info */

    /* sum_i x_i y_i */
    float (*dot)(const float *x, const float *y, size_t n);

    /* y += a x */
    void (*axpy)(float a, const float *x, float *y, size_t n);

    /* (x, y) = (x + a y, y + a x), both from the old values */
    void (*bond)(float a, float *x, float *y, size_t n);

    /* One row of a sparse matrix times B (SpMM): out (n) = sum_i weight_i B[row_i], term after term; B has
     * rows of n numbers. */
    void (*spmm_row)(const ni_term *term, size_t count, const float *B, size_t n, float *out);

    /* Rows of a graph's matrix times a B whose rows are narrow: out (lanes) = sum_i weight_i B[row_i], sum
     * after sum in the order of i. weight NULL: all are 1. lanes: NI_NARROW or twice that. `more` entries
     * of `row` follow that will be asked for next: their rows of B are fetched ahead. */
    void (*sum_rows)(const uint32_t *row, const float *weight, size_t count, size_t more, const float *B,
                     size_t lanes, float *out);

    /* Gathers some rows once for several weighted sums of them: out_k (n) = sum_i weight_k[i] B[row_i] for
     * k < sides <= NI_STRIP_ROWS, each with the bits of spmm_row. */
    void (*gather_sum)(const float *const *weight, uint32_t sides, const uint32_t *row, uint32_t rows,
                       const float *B, size_t n, float *const *out);

    /* The adjoint of gather_sum: out[row_i] (n) += sum_k weight_k[i] x_k, in the order of k, for any number
     * of sides. Rows are distinct. */
    void (*scatter_sum)(const float *const *weight, const float *const *x, uint32_t sides,
                        const uint32_t *row, uint32_t rows, size_t n, float *out);

    /* Gathered dot products: strip_ij = A[a_row_i] . B[b_row_j], each as `dot` sums it; a <= NI_STRIP_ROWS.
     * Lines of the strip are ni_whole_lanes(b) apart. */
    void (*align)(const float *A, const uint32_t *a_row, uint32_t a, const float *B, const uint32_t *b_row,
                  uint32_t b, size_t n, float *strip);

    /* C (m x n) = A (m x k) B (k x n), or with `add` C += A B; rows of C begin ldc apart. The only kernel
     * whose scalar version, which is OpenBLAS's, sums in an order of its own. */
    ni_product *gemm;

    /* Pools a strip (a x b): sets the maxima of its rows (a; row may be NULL), raises those of the columns
     * (ni_whole_lanes(b)). first: the number of the strip's first row in the whole tile. */
    void (*pool)(const float *strip, uint32_t a, uint32_t b, uint32_t first, const ni_maxima *row,
                 const ni_maxima *col);

    /* out_i = tanh(x_i), to 2e-7; out may be x */
    void (*tanh)(const float *x, size_t n, float *out);

    /* out_i = exp(x_i), for |x_i| <= 80; returns their sum; out may be x */
    float (*exp)(const float *x, size_t n, float *out);

    /* z_i = rate (label - s(z_i - bias)), s(z) = 1 / (1 + e^-z): the gradient step of z_i on its logistic
     * loss, label 1 or 0. z_i - bias is clamped to +-30. */
    void (*logistic_step)(float *z, size_t n, float bias, float label, float rate);

    /* Gathers rows of B, which begin `stride` apart, and reduces them by columns: the maximum of each of
     * the first `maxima` columns, the sum of the others up to `lanes`. Both are multiples of NI_LANES. */
    void (*gather_max)(const float *B, size_t stride, const uint32_t *row, size_t count, size_t maxima,
                       size_t lanes, float *out);

    /* out_i = round(127 x_i / r) with r = max(least, max_i |x_i|), least > 0. Returns r; if that is not
     * finite, out is left alone. */
    float (*quantise)(const float *x, size_t n, float least, int8_t *out);

    /* gather_max on quantised rows, which begin `stride` bytes apart (see ni_int8_scale). */
    void (*gather_max_int8)(const int8_t *rows, size_t stride, const uint32_t *row, size_t count,
                            size_t half, ni_int8_sums *out);

    /* Bit i is set where draw i >= limit; 64 draws */
    uint64_t (*keep_bits)(const uint16_t *draw, uint16_t limit);

    /* out_i = x_i * scale where bit i of mask is set, else 0 */
    void (*apply_mask)(const float *x, const uint64_t *mask, float scale, float *out, size_t n);

    /* m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  x -= rate m / (sqrt(v) root_scale + epsilon) */
    void (*adam)(const ni_adam_step *step, const float *g, float *x, float *m, float *v, size_t n);
} ni_kernels;

/* Cephes' coefficients (Moshier): tanh(x) = x + x^3 T(x^2) below 0.625, e^r = 1 + r + r^2 E(r) within
 * ln(2)/2. Both sets of kernels evaluate them from the highest power down. */
#define NI_TANH_TERMS                                                                                      \
    {                                                                                                      \
        -5.70498872745e-3F, 2.06390887954e-2F, -5.37397155531e-2F, 1.33314422036e-1F, -3.33332819422e-1F   \
    }
#define NI_EXP_TERMS                                                                                       \
    {                                                                                                      \
        1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F,          \
            5.0000001201e-1F                                                                               \
    }
enum { NI_TANH_COUNT = 5, NI_EXP_COUNT = 6 };
#define NI_LOG2E 1.44269504F
#define NI_LN2_HIGH 0.693359375F
#define NI_LN2_LOW (-2.12194440e-4F)
#define NI_TANH_SMALL 0.625F
#define NI_TANH_LARGE 9.0F      /* from here on tanh rounds to the float below 1 */
#define NI_LOGISTIC_LARGE 30.0F /* from here on s(z) rounds to 1, or is below 1e-13 */

extern const ni_kernels ni_kernels_scalar;
#if defined(__x86_64__)
extern const ni_kernels ni_kernels_avx2;
#endif

/* The best for this CPU, or those of NEAP_ISA; chosen at the first call. */
const ni_kernels *ni_kernels_get(void);

#endif
