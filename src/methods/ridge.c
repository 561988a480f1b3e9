/* Alternating least squares with small matrices; see ridge.h. All arrays are of one block. */
#include "methods/ridge.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/eigen.h"
#include "support/status.h"

static const double NOTHING = 1e-12; /* of the largest number: a sum that would be 0 but for rounding */

static uint64_t numbers_of(uint64_t k, uint64_t f)
{
    return 4 * k * f + 3 * k * k + 4 * k;
}

uint64_t ni_ridge_bytes(uint32_t k, uint32_t f)
{
    return numbers_of(k, f) * sizeof(double);
}

neap_status ni_ridge_create(uint32_t k, uint32_t f, double lambda, const double *K, const double *b,
                            ni_threads *threads, ni_ridge *out, neap_error *err)
{
    size_t wide = (size_t)k * f, square = (size_t)k * k;
    *out = (ni_ridge){ .k = k, .f = f, .lambda = lambda, .K = K, .b = b, .threads = threads };
    double *at = out->memory = ni_array(numbers_of(k, f), sizeof *at);
    if (!at) return ni_fail_memory(err, "the factors; a smaller --dim or --text-dim needs less");
    out->Z = at;
    out->ZK = out->Z + wide;
    out->H = out->ZK + wide;
    out->turned = out->H + wide;
    out->small = out->turned + wide;
    out->vector = out->small + square;
    out->gram = out->vector + square;
    out->value = out->gram + square;
    return NEAP_OK;
}

void ni_ridge_free(ni_ridge *r)
{
    ni_free(r->memory);
    *r = (ni_ridge){ 0 };
}

/* ---- products ---- */

typedef struct product {
    const double *A, *B, *scale;
    double *out;
    size_t inner, columns;
    bool transposed;
} product;

static void product_task(void *arg, uint32_t row, uint32_t thread)
{
    const product *p = arg;
    double *out = p->out + row * p->columns;
    (void)thread;
    memset(out, 0, p->columns * sizeof *out);
    for (size_t i = 0; i < p->inner; i++) {
        double a = p->transposed ? p->A[i * p->inner + row] : p->A[row * p->inner + i];
        for (size_t j = 0; j < p->columns; j++) out[j] += a * p->B[i * p->columns + j];
    }
}

/* out (rows x columns) = A B; with `transposed`, A'B, A square. */
static void multiply(const ni_ridge *r, bool transposed, const double *A, const double *B, uint32_t rows,
                     uint32_t inner, uint32_t columns, double *out)
{
    product p = {
        .A = A, .B = B, .out = out, .inner = inner, .columns = columns, .transposed = transposed
    };
    ni_threads_run(r->threads, rows, product_task, &p);
}

static void inner_task(void *arg, uint32_t row, uint32_t thread)
{
    const product *p = arg;
    (void)thread;
    for (size_t j = 0; j < p->columns; j++) {
        const double *a = p->A + row * p->inner, *b = p->B + j * p->inner;
        double sum = 0;
        for (size_t i = 0; i < p->inner; i++) sum += p->scale ? a[i] * b[i] * p->scale[i] : a[i] * b[i];
        p->out[row * p->columns + j] = sum;
    }
}

/* out (k x k) = A B', or A diag(scale) B'; A and B are k x f. */
static void inner(const ni_ridge *r, const double *A, const double *B, const double *scale, double *out)
{
    product p = { .A = A, .B = B, .scale = scale, .out = out, .inner = r->f, .columns = r->k };
    ni_threads_run(r->threads, r->k, inner_task, &p);
}

/* ---- an alternation ---- */

/* x / d, or 0 where d is 0 but for rounding: without a ridge there is nothing to divide. */
static double quotient(double x, double d, double most)
{
    return d > NOTHING * most ? x / d : 0;
}

/* The eigenvectors of a symmetric k x k matrix, which is kept, and A' = U'A in r->turned. */
static neap_status turn(ni_ridge *r, const double *gram, const double *A, neap_error *err)
{
    if (gram != r->small) memcpy(r->small, gram, (size_t)r->k * r->k * sizeof *r->small);
    neap_status rc = ni_symmetric_eigen(r->small, r->k, r->k, r->value, r->vector, r->value + r->k, err);
    if (rc == NEAP_OK) multiply(r, false, r->vector, A, r->k, r->k, r->f, r->turned);
    return rc;
}

static neap_status solve_Z(ni_ridge *r, neap_error *err)
{
    size_t f = r->f;
    double ridge = r->lambda / 2;
    inner(r, r->H, r->H, r->b, r->small);
    neap_status rc = turn(r, r->small, r->H, err);
    if (rc != NEAP_OK) return rc;
    double most = fmax(r->value[0], 0) + ridge;
    for (size_t i = 0; i < r->k; i++)
        for (size_t j = 0; j < f; j++)
            r->turned[i * f + j] = quotient(r->turned[i * f + j], fmax(r->value[i], 0) + ridge, most);
    multiply(r, true, r->vector, r->turned, r->k, r->k, r->f, r->Z);
    return NEAP_OK;
}

static neap_status solve_H(ni_ridge *r, neap_error *err)
{
    size_t f = r->f;
    double ridge = r->lambda / 2, largest = 0;
    multiply(r, false, r->Z, r->K, r->k, r->f, r->f, r->ZK);
    inner(r, r->ZK, r->Z, NULL, r->gram);
    neap_status rc = turn(r, r->gram, r->ZK, err);
    if (rc != NEAP_OK) return rc;
    for (size_t j = 0; j < f; j++) largest = fmax(largest, r->b[j]);
    double most = fmax(r->value[0], 0) * largest + ridge;
    for (size_t i = 0; i < r->k; i++)
        for (size_t j = 0; j < f; j++)
            r->turned[i * f + j] =
                quotient(r->turned[i * f + j], fmax(r->value[i], 0) * r->b[j] + ridge, most);
    multiply(r, true, r->vector, r->turned, r->k, r->k, r->f, r->H);
    return NEAP_OK;
}

/* |M P|^2 - 2 W M T' . H + |W'H T|^2 + lambda/2 (|W|^2 + |H|^2), |M P|^2 = tr(K diag(b)^-1) */
static double loss_of(ni_ridge *r)
{
    size_t f = r->f, k = r->k;
    double sum = 0, largest = 0;
    for (size_t j = 0; j < f; j++) largest = fmax(largest, r->b[j]);
    for (size_t j = 0; j < f; j++) sum += quotient(r->K[j * f + j], r->b[j], largest);
    for (size_t i = 0; i < k * f; i++) sum += (r->lambda / 2 * r->H[i] - 2 * r->ZK[i]) * r->H[i];
    inner(r, r->H, r->H, r->b, r->small);
    for (size_t i = 0; i < k * k; i++) sum += r->small[i] * r->gram[i];
    for (size_t i = 0; i < k; i++) sum += r->lambda / 2 * r->gram[i * k + i];
    return fmax(sum, 0);
}

neap_status ni_ridge_step(ni_ridge *r, const float *H, double *loss, neap_error *err)
{
    for (size_t i = 0; i < (size_t)r->k * r->f; i++) r->H[i] = (double)H[i];
    neap_status rc = solve_Z(r, err);
    if (rc == NEAP_OK) rc = solve_H(r, err);
    if (rc == NEAP_OK) *loss = loss_of(r);
    return rc;
}
