/* OpenBLAS on one thread per call: its number of threads is process-wide, so it is set to one by the
 * first of several users and restored by the last, under a lock. */
#include "linalg/blas.h"

#include <pthread.h>

/* How many are between begin and end, and how many threads OpenBLAS had before the first of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t inside;
static int hosts_threads;

void ni_blas_begin(void)
{
    pthread_mutex_lock(&lock);
    if (inside++ == 0) {
        hosts_threads = openblas_get_num_threads();
        if (hosts_threads != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

/* A number that the host has set meanwhile stays. */
void ni_blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (--inside == 0 && hosts_threads != 1 && openblas_get_num_threads() == 1)
        openblas_set_num_threads(hosts_threads);
    pthread_mutex_unlock(&lock);
}

static CBLAS_TRANSPOSE transposition(const ni_factor *f)
{
    return f->transposed ? CblasTrans : CblasNoTrans;
}

void ni_blas_gemm(const ni_factor *A, const ni_factor *B, size_t m, size_t n, size_t k, bool add, float *C,
                  size_t ldc)
{
    cblas_sgemm(CblasRowMajor, transposition(A), transposition(B), (blasint)m, (blasint)n, (blasint)k, 1,
                A->at, (blasint)A->stride, B->at, (blasint)B->stride, add ? 1 : 0, C, (blasint)ldc);
}
