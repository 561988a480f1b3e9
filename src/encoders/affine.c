/* Tasks are ranges of rows of Z and dX, of rows of dW, of columns of db. */
#include "encoders/affine.h"

#include <string.h>

#include "linalg/blas.h"

enum { ROWS_PER_TASK = 192, W_ROWS_PER_TASK = 54, COLUMNS_PER_TASK = 64 };

typedef struct work {
    const ni_affine *a;
    const float *dZ;
    float *Z, *dX, *dW, *db;
} work;

static void forward_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t d = w->a->d, z = w->a->z, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, ROWS_PER_TASK, w->a->rows) - first;
    float *Z = w->Z + first * z;
    (void)thread;
    for (uint64_t i = 0; i < rows; i++) memcpy(Z + i * z, w->a->b, z * sizeof *Z);
    ni_gemm(0, 0, rows, z, d, w->a->X + first * d, d, w->a->W, z, 1, Z, z);
}

void ni_affine_forward(const ni_affine *a, float *Z, ni_threads *threads)
{
    work w = { .a = a, .Z = Z };
    ni_gemm_run(threads, ni_tasks(a->rows, ROWS_PER_TASK), forward_task, &w);
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t d = w->a->d, z = w->a->z, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, ROWS_PER_TASK, w->a->rows) - first;
    (void)thread;
    ni_gemm(0, 1, rows, d, z, w->dZ + first * z, z, w->a->W, z, 0, w->dX + first * d, d);
}

static void weights_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t d = w->a->d, z = w->a->z, first = (uint64_t)task * W_ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, W_ROWS_PER_TASK, d) - first;
    (void)thread;
    ni_gemm(1, 0, rows, z, w->a->rows, w->a->X + first, d, w->dZ, z, 0, w->dW + first * z, z);
}

static void bias_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t z = w->a->z, first = (uint64_t)task * COLUMNS_PER_TASK;
    uint64_t columns = ni_task_end(first, COLUMNS_PER_TASK, z) - first;
    (void)thread;
    memset(w->db + first, 0, columns * sizeof *w->db);
    for (uint64_t i = 0; i < w->a->rows; i++)
        ni_kernels_get()->axpy(1, w->dZ + i * z + first, w->db + first, columns);
}

void ni_affine_backward(const ni_affine *a, const float *dZ, float *dX, float *dW, float *db,
                        ni_threads *threads)
{
    work w = { .a = a, .dZ = dZ, .dX = dX, .dW = dW, .db = db };
    if (dX) ni_gemm_run(threads, ni_tasks(a->rows, ROWS_PER_TASK), rows_task, &w);
    ni_gemm_run(threads, ni_tasks(a->d, W_ROWS_PER_TASK), weights_task, &w);
    ni_threads_run(threads, ni_tasks(a->z, COLUMNS_PER_TASK), bias_task, &w);
}
