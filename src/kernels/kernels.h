/* kernels.h - the inner loops, once for every CPU (scalar.c) and once for AVX2 (avx2.c).
 *
 * The scalar version is the specification, including the order of addition: eight running sums, fused
 * multiply-add, a fixed tree at the end. The AVX2 version keeps that order and gives the same bits.
 * NEAP_ISA=scalar in the environment forces the scalar one.                                        */
#ifndef NI_KERNELS_H
#define NI_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "neap.h"

/* What Adam needs to know in a step (Kingma and Ba 2015, with both bias corrections folded in). */
typedef struct ni_adam_step {
    float beta1, beta2;
    float rate;       /* lr / (1 - beta1^t)          */
    float root_scale; /* 1 / sqrt(1 - beta2^t)       */
    float epsilon;
} ni_adam_step;

typedef struct ni_kernels {
    const char *name;
    const char *about; /* neap_build_info */

    /* sum_i x_i y_i */
    float (*dot)(const float *x, const float *y, size_t n);

    /* y += a x */
    void (*axpy)(float a, const float *x, float *y, size_t n);

    /* Largest entry of each row and column of a tile (a x b), and where: the first of equals wins.
     * b > 0. */
    void (*pool_max)(const float *tile, uint32_t a, uint32_t b, float *row_max, uint32_t *row_arg,
                     float *col_max, uint32_t *col_arg);

    /* out_i = x_i * scale where bit i of mask is set, else 0 */
    void (*masked)(const float *x, const uint64_t *mask, float scale, float *out, size_t n);

    /* m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  x -= rate m / (sqrt(v) root_scale + epsilon) */
    void (*adam)(const ni_adam_step *step, const float *g, float *x, float *m, float *v, size_t n);
} ni_kernels;

extern const ni_kernels ni_kernels_scalar;
#if defined(__x86_64__)
extern const ni_kernels ni_kernels_avx2;
#endif

/* The best for this CPU, or what NEAP_ISA asks for; settled at the first call. */
const ni_kernels *ni_kernels_get(void);

#endif
