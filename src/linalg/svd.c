/* Randomised subspace iteration, as svd.h describes it. Everything belongs to the call; inner products and
 * eigenvectors of small matrices are doubles, all else is float. */
#include "linalg/svd.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/eigen.h"
#include "linalg/tall.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 64 };
enum { ITERATIONS = 10, MORE = 64 };  /* vectors besides the k: at least so many, or a quarter of k */
static const double DEPENDENT = 1e-7; /* eigenvalues of X'X below this are rounding, |x| = 1       */
static const double ROUNDING = 1e-3;  /* singular values below this part of the largest, likewise  */

typedef struct svd {
    const ni_sparse *there, *back; /* B, which has as many rows as the larger side, and B' */
    bool right;                    /* B is A, and Q holds right vectors                    */
    uint32_t small, l;             /* rows of B'; vectors                                  */
    uint64_t seed;
    ni_threads *threads;
    float *Q, *Z;   /* small x l                                                  */
    float *Y;       /* rows of B x l                                              */
    double *gram;   /* l x l, destroyed                                           */
    double *vector; /* l x l: rows are eigenvectors of gram                       */
    double *eigen;  /* 4 l: eigenvalues, work space                               */
    double *length; /* l                                                          */
    float *C;       /* l x l: combines columns                                    */
} svd;

/* ---- products ---- */

typedef struct product {
    const ni_sparse *A;
    const float *B;
    float *out;
    uint32_t d;
} product;

static void product_task(void *arg, uint32_t task, uint32_t thread)
{
    const product *p = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    (void)thread;
    ni_sparse_spmm(p->A, first, ni_task_end(first, ROWS_PER_TASK, p->A->rows), p->B, p->d, p->out);
}

void ni_sparse_product(const ni_sparse *A, const float *B, uint32_t d, float *out, ni_threads *threads)
{
    ni_threads_run(threads, ni_tasks(A->rows, ROWS_PER_TASK), product_task, &(product){ A, B, out, d });
}

/* ---- memory ---- */

static uint32_t vectors_of(uint64_t small, uint32_t k)
{
    uint64_t l = (uint64_t)k + (k / 4 > MORE ? k / 4 : MORE);
    return (uint32_t)(l < small ? l : small);
}

static neap_status set_up(svd *s, neap_error *err)
{
    size_t l = s->l, row = l * sizeof(float);
    s->Q = ni_array(s->small, row);
    s->Z = ni_array(s->small, row);
    s->Y = ni_array(s->there->rows, row);
    s->gram = ni_array(l, l * sizeof *s->gram);
    s->vector = ni_array(l, l * sizeof *s->vector);
    s->eigen = ni_array(l, 4 * sizeof *s->eigen);
    s->length = ni_array(l, sizeof *s->length);
    s->C = ni_array(l, row);
    bool all = s->Q && s->Z && s->Y && s->gram && s->vector && s->eigen && s->length && s->C;
    return all ? NEAP_OK : ni_fail_memory(err, "singular vectors");
}

static void tear_down(svd *s)
{
    void *arrays[] = { s->Q, s->Z, s->Y, s->gram, s->vector, s->eigen, s->length, s->C };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
}

uint64_t ni_svd_bytes(uint64_t rows, uint64_t columns, uint64_t nonzeros, uint32_t k)
{
    uint64_t small = rows < columns ? rows : columns, l = vectors_of(small, k);
    uint64_t transpose = columns * (1 + NI_SPARSE_CHUNKS) * sizeof(uint32_t) + nonzeros * sizeof(ni_term);
    return transpose + (rows + columns + small + l) * l * sizeof(float) + 2 * l * l * sizeof(double) +
           ni_tall_bytes(rows > columns ? rows : columns, (uint32_t)l);
}

/* ---- orthonormal vectors ---- */

static void draw_task(void *arg, uint32_t task, uint32_t thread)
{
    const svd *s = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, s->small);
    (void)thread;
    for (uint64_t i = first; i < end; i++) {
        ni_rng rng = ni_rng_at(s->seed, NI_STREAM_SVD, 0, i);
        for (uint32_t j = 0; j < s->l; j++) s->Z[i * s->l + j] = (float)(2 * ni_uniform(&rng) - 1);
    }
}

/* The eigenvectors of X'X once its columns have length 1; a column of zeros stays one. */
static neap_status solve_gram(svd *s, const float *X, neap_error *err)
{
    uint32_t l = s->l;
    neap_status rc = ni_tall_gram(X, s->small, l, s->threads, s->gram, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < l; i++) {
        double square = s->gram[i * l + i];
        s->length[i] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (size_t i = 0; i < l; i++)
        for (size_t j = 0; j < l; j++) s->gram[i * l + j] *= s->length[i] * s->length[j];
    return ni_symmetric_eigen(s->gram, l, l, s->eigen, s->vector, s->eigen + l, err);
}

/* Q = Z C' with orthonormal columns. Z'Z = U S U' for columns of length 1: row i of C is u_i / sqrt(s_i). A
 * direction below the precision of Z'Z stays short, and is resolved in the next round. */
static neap_status orthonormalise(svd *s, neap_error *err)
{
    uint32_t l = s->l;
    neap_status rc = solve_gram(s, s->Z, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < l; i++)
        for (size_t j = 0; j < l; j++)
            s->C[i * l + j] =
                (float)(s->vector[i * l + j] * s->length[j] / sqrt(fmax(s->eigen[i], DEPENDENT)));
    ni_tall_transform(s->Z, s->small, l, s->C, l, s->Q, l, s->threads);
    return ni_threads_check(s->threads, err);
}

/* Once more: after the first round the columns are nearly orthogonal and graded, so that those of small
 * singular values, which were below the precision of a sum of all, are resolved as well. */
static neap_status orthonormalise_again(svd *s, neap_error *err)
{
    float *first = s->Q;
    s->Q = s->Z;
    s->Z = first;
    return orthonormalise(s, err);
}

static neap_status iterate(svd *s, neap_error *err)
{
    ni_threads_run(s->threads, ni_tasks(s->small, ROWS_PER_TASK), draw_task, s);
    neap_status rc = orthonormalise(s, err);
    for (uint32_t i = 0; i < ITERATIONS && rc == NEAP_OK; i++) {
        ni_sparse_product(s->there, s->Q, s->l, s->Y, s->threads);
        ni_sparse_product(s->back, s->Y, s->l, s->Z, s->threads);
        rc = orthonormalise(s, err);
        if (rc == NEAP_OK) rc = orthonormalise_again(s, err);
    }
    return rc;
}

/* ---- the answer ---- */

/* Rayleigh-Ritz: the values, and C (k x l), whose rows combine the columns of Q, or of Y, to right singular
 * vectors. */
static neap_status solve(svd *s, uint32_t k, double *value, neap_error *err)
{
    uint32_t l = s->l, found = k < l ? k : l;
    ni_sparse_product(s->there, s->Q, l, s->Y, s->threads);
    neap_status rc = ni_tall_gram(s->Y, s->there->rows, l, s->threads, s->gram, err);
    if (rc == NEAP_OK) rc = ni_symmetric_eigen(s->gram, l, found, s->eigen, s->vector, s->eigen + l, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t i = 0; i < k; i++) {
        value[i] = i < found && s->eigen[i] > 0 ? sqrt(s->eigen[i]) : 0;
        if (value[i] < ROUNDING * value[0]) value[i] = 0;
    }
    for (size_t i = 0; i < found; i++)
        for (size_t j = 0; j < l; j++) {
            double x = s->vector[i * l + j];
            s->C[i * l + j] = value[i] > 0 ? (float)(s->right ? x : x / value[i]) : 0;
        }
    return NEAP_OK;
}

/* The largest entry of each column becomes positive. most: columns. */
static void choose_signs(float *V, uint64_t n, uint32_t columns, size_t stride, double *most)
{
    for (uint32_t j = 0; j < columns; j++) most[j] = 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < columns; j++)
            if (fabs((double)V[i * stride + j]) > fabs(most[j])) most[j] = (double)V[i * stride + j];
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < columns; j++)
            if (most[j] < 0) V[i * stride + j] = -V[i * stride + j];
}

static neap_status finish(svd *s, uint32_t columns, uint32_t k, double *value, float *V, neap_error *err)
{
    uint32_t found = k < s->l ? k : s->l;
    neap_status rc = solve(s, k, value, err);
    if (rc != NEAP_OK) return rc;
    if (found < k) memset(V, 0, (size_t)columns * k * sizeof *V);
    ni_tall_transform(s->right ? s->Q : s->Y, columns, s->l, s->C, found, V, k, s->threads);
    rc = ni_threads_check(s->threads, err);
    if (rc == NEAP_OK) choose_signs(V, columns, found, k, s->length);
    return rc;
}

neap_status ni_svd(const ni_sparse *A, uint32_t columns, uint32_t k, uint64_t seed, ni_threads *threads,
                   double *value, float *V, neap_error *err)
{
    ni_sparse transposed = { .rows = columns, .nonzeros = A->nonzeros };
    bool right = columns <= A->rows;
    uint32_t small = right ? columns : (uint32_t)A->rows;
    svd s = { .there = right ? A : &transposed,
              .back = right ? &transposed : A,
              .right = right,
              .small = small,
              .l = vectors_of(small, k),
              .seed = seed,
              .threads = threads };
    transposed.start = ni_array(columns, sizeof *transposed.start);
    transposed.next = ni_array(columns, NI_SPARSE_CHUNKS * sizeof *transposed.next);
    transposed.term = ni_array(A->nonzeros, sizeof *transposed.term);
    neap_status rc = transposed.start && transposed.next && transposed.term
                         ? set_up(&s, err)
                         : ni_fail_memory(err, "the transpose of a sparse matrix");
    if (rc == NEAP_OK) {
        ni_sparse_transpose(A, &transposed, threads);
        rc = ni_threads_check(threads, err);
    }
    if (rc == NEAP_OK) rc = iterate(&s, err);
    if (rc == NEAP_OK) rc = finish(&s, columns, k, value, V, err);
    tear_down(&s);
    ni_free(transposed.start);
    ni_free(transposed.next);
    ni_free(transposed.term);
    return rc;
}
