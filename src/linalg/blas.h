/* blas.h - matrix products, one thread a call, row-major. */
#ifndef NI_BLAS_H
#define NI_BLAS_H

#include <cblas.h>

#include "linalg/kernels.h"

/* Once before the first product: keeps OpenBLAS to the calling thread and lets it make its buffers, so
 * that nothing is allocated in the middle of a run. */
void ni_blas_start(void);

/* ni_kernels.gemm by OpenBLAS. */
ni_product ni_blas_gemm;

/* C (m x n) = A (m x k) B (k x n), or with `add` C += A B; a_turned: A is given as k x m; b_turned: B as
 * n x k. */
static inline void ni_gemm(bool a_turned, bool b_turned, size_t m, size_t n, size_t k, const float *A,
                           size_t lda, const float *B, size_t ldb, bool add, float *C, size_t ldc)
{
    ni_factor left = { A, lda, a_turned }, right = { B, ldb, b_turned };
    ni_kernels_get()->gemm(&left, &right, m, n, k, add, C, ldc);
}

#endif
