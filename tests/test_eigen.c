/* The eigensolver: known spectra, equal eigenvalues, narrow places, hostile operators, and the small dense
 * one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "faults.h"
#include "linalg/eigen.h"

static ni_threads *pool_of(uint32_t threads)
{
    ni_threads *pool;
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    return pool;
}

/* A matrix as the solver sees it, and what it was asked for. */
typedef struct matrix {
    uint32_t n;
    double scale;
    const double *a; /* n x n, for `dense`                 */
    uint32_t size;   /* nodes of a clique, for `cliques`   */
    uint32_t products, vectors;
} matrix;

static void count(matrix *m, uint32_t columns)
{
    m->products++;
    m->vectors += columns;
}

static void dense(void *user, const double *X, uint32_t columns, double *Y)
{
    matrix *m = user;
    count(m, columns);
    for (size_t i = 0; i < m->n; i++)
        for (size_t c = 0; c < columns; c++) {
            double sum = 0;
            for (size_t j = 0; j < m->n; j++) sum += m->a[i * m->n + j] * X[j * columns + c];
            Y[i * columns + c] = sum;
        }
}

/* The adjacency of a path. */
static void path(void *user, const double *X, uint32_t columns, double *Y)
{
    matrix *m = user;
    size_t w = columns, last = m->n - 1;
    count(m, columns);
    for (size_t i = 0; i < m->n; i++)
        for (size_t c = 0; c < w; c++)
            Y[i * w + c] = (i ? X[(i - 1) * w + c] : 0) + (i < last ? X[(i + 1) * w + c] : 0);
}

/* The adjacency of cliques of `size` nodes each. */
static void cliques(void *user, const double *X, uint32_t columns, double *Y)
{
    matrix *m = user;
    count(m, columns);
    for (size_t first = 0; first < m->n; first += m->size)
        for (size_t c = 0; c < columns; c++) {
            double sum = 0;
            for (size_t i = first; i < first + m->size; i++) sum += X[i * columns + c];
            for (size_t i = first; i < first + m->size; i++) Y[i * columns + c] = sum - X[i * columns + c];
        }
}

/* scale I */
static void multiple(void *user, const double *X, uint32_t columns, double *Y)
{
    matrix *m = user;
    count(m, columns);
    for (size_t i = 0; i < (size_t)m->n * columns; i++) Y[i] = m->scale * X[i];
}

/* Orthonormal vectors, each of them solving its equation. */
static void expect_eigenvectors(ni_operator apply, matrix *m, uint32_t k, const double *value,
                                const double *vector)
{
    double *Y = malloc((size_t)m->n * k * sizeof *Y);
    apply(m, vector, k, Y);
    for (size_t j = 0; j < k; j++) {
        double rest = 0;
        for (size_t i = 0; i < m->n; i++) rest += pow(Y[i * k + j] - value[j] * vector[i * k + j], 2);
        assert_true(sqrt(rest) <= 1e-7 * fmax(fabs(value[0]), fabs(value[k - 1])));
        assert_true(j == 0 || value[j] <= value[j - 1]);
        for (size_t c = 0; c <= j; c++) {
            double dot = 0;
            for (size_t i = 0; i < m->n; i++) dot += vector[i * k + j] * vector[i * k + c];
            assert_true(fabs(dot - (c == j)) < 1e-10);
        }
    }
    free(Y);
}

/* Solves, checks what can be checked of any answer, and gives the values. */
static neap_status solve_within(uint32_t basis, ni_operator apply, matrix *m, uint32_t k, uint32_t block,
                                double *value)
{
    ni_eigen problem = {
        .apply = apply, .user = m, .n = m->n, .k = k, .block = block, .basis = basis, .seed = 5
    };
    double *vector = malloc((size_t)m->n * k * sizeof *vector);
    ni_threads *pool = pool_of(2);
    neap_error err = { 0 };
    neap_status rc = ni_eigen_largest(&problem, pool, value, vector, &err);
    if (rc == NEAP_OK) expect_eigenvectors(apply, m, k, value, vector);
    else assert_true(err.code == rc && err.text[0]);
    ni_threads_free(pool);
    free(vector);
    return rc;
}

static neap_status solve(ni_operator apply, matrix *m, uint32_t k, uint32_t block, double *value)
{
    return solve_within(0, apply, m, k, block, value);
}

/* ---- known spectra ---- */

static void a_path_has_its_cosines(void **state)
{
    enum { N = 300, K = 5 };
    double value[K];
    matrix m = { .n = N };
    (void)state;
    for (uint32_t block = 1; block <= 8; block *= 2) {
        assert_int_equal(solve(path, &m, K, block, value), NEAP_OK);
        for (int j = 0; j < K; j++) assert_true(fabs(value[j] - 2 * cos(M_PI * (j + 1) / (N + 1))) < 1e-9);
    }
}

static void a_complete_graph_has_two_eigenvalues(void **state)
{
    enum { N = 600, K = 30 };
    double value[K];
    matrix m = { .n = N, .size = N };
    (void)state;
    assert_int_equal(solve(cliques, &m, K, 0, value), NEAP_OK);
    assert_true(fabs(value[0] - (N - 1)) < 1e-9);
    for (int j = 1; j < K; j++) assert_true(fabs(value[j] + 1) < 1e-9);
}

/* 100 components: eigenvalue 19 a hundred times, then -1. Blocks are far smaller than that. */
static void every_copy_of_an_eigenvalue_is_found(void **state)
{
    enum { N = 2000, PARTS = 100, K = 110 };
    double value[K];
    matrix m = { .n = N, .size = N / PARTS };
    (void)state;
    for (uint32_t block = 1; block <= 64; block *= 4) {
        assert_int_equal(solve(cliques, &m, K, block, value), NEAP_OK);
        for (int j = 0; j < K; j++) assert_true(fabs(value[j] - (j < PARTS ? 19 : -1)) < 1e-8);
    }
}

/* Q diag(value) Q', Q a product of reflections in random directions. */
static double *planted(uint32_t n, const double *value)
{
    double *a = calloc((size_t)n * n, sizeof *a), *u = malloc(n * sizeof *u), *p = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) a[i * n + i] = value[i];
    for (uint64_t turn = 0; turn < 8; turn++) {
        ni_rng rng = ni_rng_at(11, NI_STREAM_GRAPH, 0, turn);
        double square = 0, along = 0;
        for (size_t i = 0; i < n; i++) u[i] = ni_normal(&rng), square += u[i] * u[i];
        for (size_t i = 0; i < n; i++) {
            p[i] = 0;
            for (size_t j = 0; j < n; j++) p[i] += 2 * a[i * n + j] * u[j] / square;
            along += p[i] * u[i] / square;
        }
        for (size_t i = 0; i < n; i++) p[i] -= along * u[i];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++)
                a[i * n + j] = a[j * n + i] = a[i * n + j] - u[i] * p[j] - p[i] * u[j];
    }
    free(u);
    free(p);
    return a;
}

static void a_planted_spectrum_is_found(void **state)
{
    enum { N = 500, K = 30 };
    double planned[N], value[K];
    (void)state;
    for (int i = 0; i < N; i++) planned[i] = i < 20 ? 2 : i < 23 ? 1 + 1e-6 * i : cos(i);
    double *a = planted(N, planned);
    matrix m = { .n = N, .a = a };
    for (uint32_t block = 2; block <= 32; block *= 4) {
        assert_int_equal(solve(dense, &m, K, block, value), NEAP_OK);
        for (int j = 0; j < 20; j++) assert_true(fabs(value[j] - 2) < 1e-9);
        for (int j = 20; j < 23; j++) assert_true(fabs(value[j] - (1 + 1e-6 * (42 - j))) < 1e-9);
        assert_true(value[23] < 1 + 1e-9 && value[23] > 0.99);
    }
    free(a);
}

/* Random, of rank 2 at most, or diagonal with equal entries. */
static void fill(double *a, uint32_t n, uint32_t kind)
{
    ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, kind, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] = kind == 0   ? ni_normal(&rng)
                                          : kind == 1 ? (double)(i % 2 * (j % 2)) + (i + j == 0)
                                                      : (double)(i == j && i % 3);
}

/* The small solver says the same. */
static void expect_values(const double *a, uint32_t n, uint32_t k, uint32_t block, uint32_t basis)
{
    double *copy = malloc((size_t)n * n * sizeof *copy), *own = malloc((size_t)n * n * sizeof *own),
           *all = malloc(n * sizeof *all), *work = malloc(3 * n * sizeof *work),
           *value = malloc(k * sizeof *value);
    matrix m = { .n = n, .a = a };
    memcpy(copy, a, (size_t)n * n * sizeof *copy);
    assert_int_equal(ni_symmetric_eigen(copy, n, n, all, own, work, NULL), NEAP_OK);
    assert_int_equal(solve_within(basis, dense, &m, k, block, value), NEAP_OK);
    for (uint32_t j = 0; j < k; j++) assert_true(fabs(value[j] - all[j]) < 1e-9);
    free(copy);
    free(own);
    free(all);
    free(work);
    free(value);
}

/* Any n, any k, any block. */
static void few_rows_are_enough(void **state)
{
    enum { MOST = 8 };
    double a[MOST * MOST];
    (void)state;
    for (uint32_t kind = 0; kind < 3; kind++)
        for (uint32_t n = 1; n <= MOST; n++) {
            fill(a, n, kind);
            for (uint32_t k = 1; k <= n; k++)
                for (uint32_t block = 0; block <= n + 1; block++) expect_values(a, n, k, block, 0);
        }
}

/* The smallest basis there is, which restarts after every few blocks. */
static void a_small_basis_is_enough(void **state)
{
    enum { N = 60 };
    double a[N * N];
    (void)state;
    for (uint32_t kind = 0; kind < 3; kind++) {
        fill(a, N, kind);
        for (uint32_t k = 1; k <= 20; k += 9)
            for (uint32_t block = 1; block <= 5; block++) expect_values(a, N, k, block, 1);
    }
}

static void multiples_of_the_identity_have_any_vectors(void **state)
{
    enum { N = 1000, K = 20 };
    static const double scale[] = { 0, 1, -3, 1e-60, 1e60 };
    double value[K];
    (void)state;
    for (int s = 0; s < 5; s++) {
        matrix m = { .n = N, .scale = scale[s] };
        assert_int_equal(solve(multiple, &m, K, 0, value), NEAP_OK);
        for (int j = 0; j < K; j++) assert_true(fabs(value[j] - scale[s]) <= 1e-9 * fabs(scale[s]));
    }
}

/* ---- promises ---- */

static void bits_depend_on_the_seed_only(void **state)
{
    enum { N = 3000, K = 12, CELLS = N * K };
    double value[K], first[K], *vector = malloc(CELLS * sizeof *vector),
                               *same = malloc(CELLS * sizeof *same);
    matrix m = { .n = N, .size = 3 };
    ni_eigen problem = { .apply = cliques, .user = &m, .n = N, .k = K, .block = 5, .seed = 5 };
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ni_threads *pool = pool_of(threads);
        double *to = threads == 1 ? same : vector;
        assert_int_equal(ni_eigen_largest(&problem, pool, threads == 1 ? first : value, to, NULL), NEAP_OK);
        if (threads > 1) assert_memory_equal(vector, same, CELLS * sizeof *vector);
        if (threads > 1) assert_memory_equal(value, first, sizeof value);
        ni_threads_free(pool);
    }
    ni_threads *pool = pool_of(1);
    problem.seed = 6;
    assert_int_equal(ni_eigen_largest(&problem, pool, value, vector, NULL), NEAP_OK);
    assert_true(memcmp(vector, same, CELLS * sizeof *vector) != 0);
    ni_threads_free(pool);
    free(vector);
    free(same);
}

static void a_start_helps(void **state)
{
    enum { N = 200, K = 6 };
    double planned[N], value[K], vector[K * N], best[K * N];
    (void)state;
    for (int i = 0; i < N; i++) planned[i] = i < K ? 8 - i : cos(i);
    double *a = planted(N, planned);
    matrix m = { .n = N, .a = a }, again = m;
    ni_eigen problem = { .apply = dense, .user = &m, .n = N, .k = K };
    ni_threads *pool = pool_of(1);
    assert_int_equal(ni_eigen_largest(&problem, pool, value, best, NULL), NEAP_OK);
    problem.user = &again;
    problem.start = best;
    problem.starts = K;
    assert_int_equal(ni_eigen_largest(&problem, pool, value, vector, NULL), NEAP_OK);
    for (int j = 0; j < K; j++) assert_true(fabs(value[j] - planned[j]) < 1e-9);
    problem.start = NULL;
    problem.block = K - 1; /* as careful as with a start, but without one */
    problem.user = &m;
    m.vectors = 0;
    assert_int_equal(ni_eigen_largest(&problem, pool, value, vector, NULL), NEAP_OK);
    assert_true(again.vectors < m.vectors);
    ni_threads_free(pool);
    free(a);
}

/* It is an eigenvector, and has nothing to do with the best ones. */
static void a_start_never_misleads(void **state)
{
    enum { N = 400 };
    double value[2], *start = malloc(N * sizeof *start), *vector = malloc(2 * N * sizeof *vector);
    matrix m = { .n = N };
    ni_eigen problem = {
        .apply = path, .user = &m, .n = N, .k = 2, .block = 1, .start = start, .starts = 1
    };
    ni_threads *pool = pool_of(1);
    (void)state;
    for (int i = 0; i < N; i++) start[i] = sin(M_PI * 7 * (i + 1) / (N + 1));
    assert_int_equal(ni_eigen_largest(&problem, pool, value, vector, NULL), NEAP_OK);
    for (int j = 0; j < 2; j++) assert_true(fabs(value[j] - 2 * cos(M_PI * (j + 1) / (N + 1))) < 1e-9);
    ni_threads_free(pool);
    free(start);
    free(vector);
}

/* ---- what cannot be done ---- */

enum { MANY = 300 }; /* too many rows for a dense matrix, with few eigenvectors */

static void broken(void *user, const double *X, uint32_t columns, double *Y)
{
    matrix *m = user;
    path(user, X, columns, Y);
    if (m->products > 2) Y[0] = m->scale;
}

static void lopsided(void *user, const double *X, uint32_t columns, double *Y)
{
    matrix *m = user;
    path(user, X, columns, Y);
    for (size_t i = 0; i < (size_t)(m->n / 2) * columns; i++) Y[i] += 0.1 * X[i + m->n / 2 * columns];
}

static neap_status try_it(ni_operator apply, uint32_t n, uint32_t k, double scale, uint32_t passes,
                          neap_error *err)
{
    matrix m = { .n = n, .scale = scale };
    ni_eigen problem = { .apply = apply, .user = &m, .n = n, .k = k, .passes = passes };
    double value[8], vector[8 * MANY];
    ni_threads *pool = pool_of(1);
    neap_status rc = ni_eigen_largest(&problem, pool, value, vector, err);
    ni_threads_free(pool);
    return rc;
}

static void what_cannot_be_done_is_said(void **state)
{
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(try_it(path, 5, 6, 0, 0, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "5 rows"));
    assert_int_equal(try_it(path, 5, 0, 0, 0, &err), NEAP_E_ARG);
    assert_int_equal(try_it(path, 0, 1, 0, 0, &err), NEAP_E_ARG);
    for (uint32_t n = 30; n <= MANY; n *= 10) { /* as a dense matrix, and block by block */
        assert_int_equal(try_it(broken, n, 2, NAN, 0, &err), NEAP_E_NUMERIC);
        assert_non_null(strstr(err.text, "not finite"));
        assert_int_equal(try_it(broken, n, 2, INFINITY, 0, &err), NEAP_E_NUMERIC);
        assert_int_equal(try_it(broken, n, 2, 0.5, 0, &err), NEAP_E_NUMERIC);
        assert_int_equal(try_it(lopsided, n, 2, 0, 0, &err), NEAP_E_NUMERIC);
        assert_non_null(strstr(err.text, n == MANY ? "not converged" : "not symmetric"));
        assert_int_equal(try_it(multiple, n, 2, 1e-200, 0, &err), NEAP_E_NUMERIC);
        assert_int_equal(try_it(multiple, n, 2, 1e200, 0, &err), NEAP_E_NUMERIC);
    }
    assert_int_equal(try_it(path, MANY, 8, 0, 2, &err), NEAP_E_NUMERIC);
    assert_non_null(strstr(err.text, "in 2 passes"));
}

typedef struct scene {
    uint32_t n;
    ni_threads *pool;
} scene;

static neap_status scenario(void *user, neap_error *err)
{
    const scene *s = user;
    matrix m = { .n = s->n, .size = 3 };
    ni_eigen problem = { .apply = cliques, .user = &m, .n = s->n, .k = 3 };
    double value[3], vector[3 * MANY];
    return ni_eigen_largest(&problem, s->pool, value, vector, err);
}

static void no_failure_leaks(void **state)
{
    scene s = { 30, pool_of(2) };
    (void)state;
    for (; s.n <= MANY; s.n *= 10)
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, &s) >= 5);
    ni_threads_free(s.pool);
}

/* ---- the small one ---- */

static void expect_small(const double *a, uint32_t n, double scale)
{
    double *copy = malloc((size_t)n * n * sizeof *copy), *vector = malloc((size_t)n * n * sizeof *vector),
           *value = malloc(n * sizeof *value), *work = malloc(3 * n * sizeof *work);
    memcpy(copy, a, (size_t)n * n * sizeof *copy);
    for (size_t i = 0; i < n; i++) /* what is above the diagonal is nobody's business */
        for (size_t j = i + 1; j < n; j++) copy[i * n + j] = NAN;
    assert_int_equal(ni_symmetric_eigen(copy, n, n, value, vector, work, NULL), NEAP_OK);
    for (size_t v = 0; v < n; v++) {
        assert_true(v == 0 || value[v] <= value[v - 1]);
        for (size_t i = 0; i < n; i++) {
            double sum = -value[v] / scale * vector[v * n + i];
            for (size_t j = 0; j < n; j++) sum += a[i * n + j] / scale * vector[v * n + j];
            assert_true(fabs(sum) < 1e-13 * (n + 10));
        }
        for (size_t w = 0; w <= v; w++) {
            double sum = -(double)(v == w);
            for (size_t j = 0; j < n; j++) sum += vector[v * n + j] * vector[w * n + j];
            assert_true(fabs(sum) < 1e-14 * (n + 10));
        }
    }
    free(copy);
    free(vector);
    free(value);
    free(work);
}

static void small_matrices_are_solved(void **state)
{
    enum { MOST = 130 };
    static const double scale[] = { 1, 1e-300, 1e300 };
    double *a = malloc(MOST * MOST * sizeof *a);
    (void)state;
    for (int s = 0; s < 3; s++)
        for (uint32_t n = 1; n <= MOST; n += n < 12 ? 1 : 59)
            for (int kind = 0; kind < 4; kind++) {
                ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, n, (uint64_t)kind);
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j <= i; j++) {
                        double x = kind == 0   ? ni_normal(&rng)
                                   : kind == 1 ? 0
                                   : kind == 2 ? 1
                                               : (i == j) * pow(10, -(double)i) + 1e-12 * (i == j + 1);
                        a[i * n + j] = a[j * n + i] = x * scale[s];
                    }
                expect_small(a, n, scale[s]);
            }
    free(a);
}

/* B B' of a sparse B with many equal rows: the zeros among its eigenvalues are rounding errors of each
 * other's size, which took more steps than there are. */
static void matrices_of_low_rank_are_solved(void **state)
{
    enum { ROWS = 500, COLUMNS = 300, KINDS = 150 };
    double(*B)[COLUMNS] = calloc(ROWS, sizeof *B), *a = calloc(ROWS * ROWS, sizeof *a);
    (void)state;
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t c = 0; c < (i % KINDS > KINDS / 2 ? 11 : COLUMNS); c++) {
            ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, i % KINDS, c);
            double x = fabs(ni_normal(&rng));
            if (ni_uniform(&rng) < 0.01) B[i][c] = (double)(float)x * exp(-0.02 * c);
        }
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < ROWS; j++)
            for (uint32_t c = 0; c < COLUMNS; c++) a[i * ROWS + j] += B[i][c] * B[j][c];
    expect_small(a, ROWS, 1);
    free(B);
    free(a);
}

static void small_matrices_that_are_not_finite_are_refused(void **state)
{
    double a[9] = { 1, 0, 0, NAN, 1, 0, 0, 0, 1 }, value[3], vector[9], work[9];
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(ni_symmetric_eigen(a, 3, 3, value, vector, work, &err), NEAP_E_NUMERIC);
    assert_non_null(strstr(err.text, "finite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_its_cosines),
        cmocka_unit_test(a_complete_graph_has_two_eigenvalues),
        cmocka_unit_test(every_copy_of_an_eigenvalue_is_found),
        cmocka_unit_test(a_planted_spectrum_is_found),
        cmocka_unit_test(few_rows_are_enough),
        cmocka_unit_test(a_small_basis_is_enough),
        cmocka_unit_test(multiples_of_the_identity_have_any_vectors),
        cmocka_unit_test(bits_depend_on_the_seed_only),
        cmocka_unit_test(a_start_helps),
        cmocka_unit_test(a_start_never_misleads),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(no_failure_leaks),
        cmocka_unit_test(small_matrices_are_solved),
        cmocka_unit_test(matrices_of_low_rank_are_solved),
        cmocka_unit_test(small_matrices_that_are_not_finite_are_refused),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
