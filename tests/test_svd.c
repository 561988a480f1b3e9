/* Singular vectors of sparse matrices, against the eigenvectors of the dense A'A. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"

#include "base/rng.h"
#include "linalg/eigen.h"
#include "linalg/svd.h"

enum { PLANTED = 6 };

/* A matrix of `rank` planted directions and noise, most of whose entries are 0. */
typedef struct world {
    uint32_t rows, columns;
    double *dense; /* rows x columns */
    ni_sparse A;
    ni_threads *threads;
} world;

static void close_world(world *w)
{
    ni_threads_free(w->threads);
    free(w->dense);
    free(w->A.start);
    free(w->A.end);
    free(w->A.term);
}

static world planted(uint32_t rows, uint32_t columns, uint32_t rank, double noise, uint32_t threads)
{
    world w = { .rows = rows, .columns = columns, .dense = calloc((size_t)rows * columns, sizeof(double)) };
    uint32_t n = 0;
    w.A = (ni_sparse){ .rows = rows,
                       .start = malloc(rows * sizeof(uint32_t)),
                       .end = malloc(rows * sizeof(uint32_t)),
                       .term = malloc((size_t)rows * columns * sizeof(ni_term)) };
    for (uint32_t i = 0; i < rows; i++) {
        w.A.start[i] = n;
        for (uint32_t j = 0; j < columns; j++) {
            ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, i, j);
            double x = noise * ni_normal(&rng);
            for (uint32_t r = 0; r < rank; r++)
                if (i % (r + 2) == 0 && j % (r + 3) == 1) x += 3 / (1.0 + r);
            if (fabs(x) < noise) continue;
            w.dense[(size_t)i * columns + j] = (double)(float)x;
            w.A.term[n++] = (ni_term){ j, (float)x };
        }
        w.A.end[i] = n;
    }
    w.A.nonzeros = n;
    assert_int_equal(ni_threads_create(threads, &w.threads, NULL), NEAP_OK);
    return w;
}

/* All singular values by A'A. */
static double *true_values(const world *w)
{
    size_t n = w->columns;
    double *gram = calloc(n * n, sizeof *gram), *vector = malloc(n * n * sizeof *vector),
           *value = malloc(4 * n * sizeof *value);
    for (size_t r = 0; r < w->rows; r++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) gram[i * n + j] += w->dense[r * n + i] * w->dense[r * n + j];
    assert_int_equal(ni_symmetric_eigen(gram, w->columns, w->columns, value, vector, value + n, NULL),
                     NEAP_OK);
    for (size_t i = 0; i < n; i++) value[i] = sqrt(fmax(value[i], 0));
    free(gram);
    free(vector);
    return value;
}

/* |A V| by columns is the singular values, V'V is the identity. */
static void expect_vectors(const world *w, uint32_t k, const double *value, const float *V)
{
    for (uint32_t a = 0; a < k; a++)
        for (uint32_t b = 0; b <= a; b++) {
            double dot = 0;
            for (size_t j = 0; j < w->columns; j++) dot += (double)V[j * k + a] * (double)V[j * k + b];
            assert_true(fabs(dot - (a == b)) < 1e-4);
        }
    for (uint32_t a = 0; a < k; a++) {
        double square = 0, most = 0;
        for (size_t i = 0; i < w->rows; i++) {
            double x = 0;
            for (size_t j = 0; j < w->columns; j++)
                x += w->dense[i * w->columns + j] * (double)V[j * k + a];
            square += x * x;
        }
        for (size_t j = 0; j < w->columns; j++)
            if (fabs((double)V[j * k + a]) > fabs(most)) most = (double)V[j * k + a];
        assert_true(fabs(sqrt(square) - value[a]) < 1e-4 * value[0]);
        assert_true(most > 0);
    }
}

/* Noise has singular values of nearly one size, which take longer. */
static void expect_svd(uint32_t rows, uint32_t columns, uint32_t k)
{
    world w = planted(rows, columns, PLANTED, 0.1, 2);
    double *value = malloc(k * sizeof *value), *expected = true_values(&w);
    float *V = malloc((size_t)columns * k * sizeof *V);
    assert_int_equal(ni_svd(&w.A, columns, k, 1, w.threads, value, V, NULL), NEAP_OK);
    for (uint32_t i = 0; i < k; i++)
        assert_true(fabs(value[i] - expected[i]) < 1e-3 * expected[i < PLANTED ? i : 0]);
    expect_vectors(&w, k, value, V);
    free(value);
    free(expected);
    free(V);
    close_world(&w);
}

static void tall_and_wide_matrices_have_the_singular_values_of_their_square(void **state)
{
    (void)state;
    expect_svd(300, 40, 10);
    expect_svd(40, 300, 10);
    expect_svd(200, 180, 8);
    expect_svd(9, 9, 7);
}

/* Three directions, and nothing else. */
static void what_a_matrix_lacks_in_rank_is_zero(void **state)
{
    enum { K = 20, COLUMNS = 50 };
    world w = planted(70, COLUMNS, 3, 0, 1);
    double value[K];
    float V[COLUMNS * K];
    (void)state;
    assert_int_equal(ni_svd(&w.A, COLUMNS, K, 1, w.threads, value, V, NULL), NEAP_OK);
    for (uint32_t i = 0; i < K; i++) {
        assert_true(i < 3 ? value[i] > 0.1 : value[i] == 0);
        for (uint32_t j = 0; j < COLUMNS && i >= 3; j++) assert_true(V[j * K + i] == 0);
    }
    close_world(&w);
}

static void more_vectors_than_there_are_columns_are_zero(void **state)
{
    enum { K = 12, COLUMNS = 5 };
    world w = planted(30, COLUMNS, 4, 0.2, 1);
    double value[K];
    float V[COLUMNS * K];
    (void)state;
    assert_int_equal(ni_svd(&w.A, COLUMNS, K, 1, w.threads, value, V, NULL), NEAP_OK);
    for (uint32_t i = COLUMNS; i < K; i++) {
        assert_true(value[i] == 0);
        for (uint32_t j = 0; j < COLUMNS; j++) assert_true(V[j * K + i] == 0);
    }
    close_world(&w);
}

static void a_matrix_of_zeros_has_no_singular_vectors(void **state)
{
    uint32_t start[4] = { 0 }, end[4] = { 0 };
    ni_term none = { 0 };
    ni_sparse A = { .rows = 4, .start = start, .end = end, .term = &none };
    ni_threads *one;
    double value[2];
    float V[3 * 2];
    (void)state;
    assert_int_equal(ni_threads_create(1, &one, NULL), NEAP_OK);
    assert_int_equal(ni_svd(&A, 3, 2, 1, one, value, V, NULL), NEAP_OK);
    for (int i = 0; i < 6; i++) assert_true(V[i] == 0 && value[i / 3] == 0);
    ni_threads_free(one);
}

static void threads_do_not_change_a_bit(void **state)
{
    enum { K = 10, COLUMNS = 150, ROWS = 2500 };
    static float first[COLUMNS * K], V[COLUMNS * K];
    double value[K];
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        world w = planted(ROWS, COLUMNS, 4, 0.1, threads);
        assert_int_equal(ni_svd(&w.A, COLUMNS, K, 1, w.threads, value, threads == 1 ? first : V, NULL),
                         NEAP_OK);
        if (threads > 1) assert_memory_equal(first, V, sizeof V);
        close_world(&w);
    }
}

static void the_estimate_is_the_peak(void **state)
{
    enum { K = 30, COLUMNS = 300 };
    world w = planted(1500, COLUMNS, 4, 0.1, 2);
    static float V[COLUMNS * K];
    double value[K];
    (void)state;
    faults_peak();
    size_t before = faults_peak();
    assert_int_equal(ni_svd(&w.A, COLUMNS, K, 1, w.threads, value, V, NULL), NEAP_OK);
    double peak = (double)(faults_peak() - before);
    double said = (double)ni_svd_bytes(w.rows, COLUMNS, w.A.nonzeros, K);
    assert_true(peak <= 1.01 * said && said < 1.1 * peak);
    close_world(&w);
}

static neap_status scenario(void *user, neap_error *err)
{
    const world *w = user;
    double value[4];
    float V[20 * 4];
    return ni_svd(&w->A, 20, 4, 1, w->threads, value, V, err);
}

static void every_allocation_may_fail(void **state)
{
    world w = planted(30, 20, 2, 0.1, 1);
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, &w) > 10);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tall_and_wide_matrices_have_the_singular_values_of_their_square),
        cmocka_unit_test(what_a_matrix_lacks_in_rank_is_zero),
        cmocka_unit_test(more_vectors_than_there_are_columns_are_zero),
        cmocka_unit_test(a_matrix_of_zeros_has_no_singular_vectors),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(the_estimate_is_the_peak),
        cmocka_unit_test(every_allocation_may_fail),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
