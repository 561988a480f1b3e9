/* blas.h - dense algebra, row-major: products of floats by the kernels of this CPU (ni_gemm), all else by
 * OpenBLAS.
 *
 * Neap has threads of its own, so each call of OpenBLAS must stay on its thread. The number of OpenBLAS's
 * threads belongs to the whole process, hence to the host: OpenBLAS is called between ni_blas_begin and
 * ni_blas_end only. The first to begin sets the number to one, the last to end restores it. Pairs nest, and
 * several threads may have one open at once. A pair takes 30 ns or more: it stands around a round of tasks
 * or an algorithm, never around a single product. The progress of the host, called between tasks, sees one.
 */
#ifndef NI_BLAS_H
#define NI_BLAS_H

#include <cblas.h>

#include "base/threads.h"
#include "linalg/kernels.h"

void ni_blas_begin(void);
void ni_blas_end(void);

/* ni_kernels.gemm by OpenBLAS. */
ni_product ni_blas_gemm;

/* C (m x n) = A (m x k) B (k x n), or with `add` C += A B; a_transposed: A is given as k x m; b_transposed:
 * B as n x k. Between ni_gemm_begin and ni_gemm_end, or in a task of ni_gemm_run. */
static inline void ni_gemm(bool a_transposed, bool b_transposed, size_t m, size_t n, size_t k,
                           const float *A, size_t lda, const float *B, size_t ldb, bool add, float *C,
                           size_t ldc)
{
    ni_factor left = { A, lda, a_transposed }, right = { B, ldb, b_transposed };
    ni_kernels_get()->gemm(&left, &right, m, n, k, add, C, ldc);
}

/* ni_blas_begin and ni_blas_end where ni_gemm is OpenBLAS's, else nothing. */
static inline void ni_gemm_begin(void)
{
    if (ni_kernels_get()->gemm == ni_blas_gemm) ni_blas_begin();
}

static inline void ni_gemm_end(void)
{
    if (ni_kernels_get()->gemm == ni_blas_gemm) ni_blas_end();
}

/* ni_threads_run for tasks that call ni_gemm. */
static inline void ni_gemm_run(ni_threads *threads, uint32_t tasks, ni_task task, void *arg)
{
    ni_gemm_begin();
    ni_threads_run(threads, tasks, task, arg);
    ni_gemm_end();
}

/* ---- Cholesky (cholesky.c) ----
 *
 * A = L L' for a symmetric positive definite matrix, and solving with it, in double: the right-looking
 * tiled algorithm (Buttari, Langou, Kurzak and Dongarra 2009) on tiles of 256 x 256. Factor a tile of the
 * diagonal, solve for the tiles below it, subtract their products from what is right of them; the last two
 * are rounds of tasks, one per tile. n^3 / 3 flops to factor, 2 n^2 per vector to solve. Every tile has one
 * owner at a time, and tiles do not depend on the threads: neither do the bits. OpenBLAS works on a tile.
 */

/* a: n x n, of which the lower triangle is read and becomes L; the upper one is scratch. NEAP_E_NUMERIC if
 * a is not positive definite, NEAP_E_STOPPED if the threads are to stop; then a is
 * spoilt. */
neap_status ni_cholesky(double *a, uint32_t n, ni_threads *threads, neap_error *err);

/* X = (L L')^-1 X, X: n x columns. */
void ni_cholesky_solve(const double *l, uint32_t n, double *X, uint32_t columns, ni_threads *threads);

#endif
