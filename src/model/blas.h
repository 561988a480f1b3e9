/* blas.h - matrix products: OpenBLAS, one thread a call, row-major. */
#ifndef NI_BLAS_H
#define NI_BLAS_H

#include <cblas.h>
#include <stdint.h>

/* Once before the first product: keeps OpenBLAS to the calling thread and lets it make its buffers, so
 * that nothing is allocated in the middle of a run. */
void ni_blas_start(void);

/* C (m x n) = A (m x k) B (k x n) + beta C; a_turned: A is given as k x m; b_turned: B as n x k. */
static inline void ni_gemm(int a_turned, int b_turned, uint64_t m, uint64_t n, uint64_t k, const float *A,
                           uint64_t lda, const float *B, uint64_t ldb, float beta, float *C, uint64_t ldc)
{
    cblas_sgemm(CblasRowMajor, a_turned ? CblasTrans : CblasNoTrans, b_turned ? CblasTrans : CblasNoTrans,
                (blasint)m, (blasint)n, (blasint)k, 1, A, (blasint)lda, B, (blasint)ldb, beta, C,
                (blasint)ldc);
}

#endif
