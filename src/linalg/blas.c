#include "linalg/blas.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static CBLAS_TRANSPOSE way(const ni_factor *f)
{
    return f->turned ? CblasTrans : CblasNoTrans;
}

void ni_blas_gemm(const ni_factor *A, const ni_factor *B, size_t m, size_t n, size_t k, bool add, float *C,
                  size_t ldc)
{
    cblas_sgemm(CblasRowMajor, way(A), way(B), (blasint)m, (blasint)n, (blasint)k, 1, A->at,
                (blasint)A->stride, B->at, (blasint)B->stride, add ? 1 : 0, C, (blasint)ldc);
}

static void start(void)
{
    float one = 1, two = 0;
    ni_factor f = { &one, 1, false };
    openblas_set_num_threads(1);
    ni_blas_gemm(&f, &f, 1, 1, 1, false, &two, 1);
}

void ni_blas_start(void)
{
    pthread_once(&once, start);
}
