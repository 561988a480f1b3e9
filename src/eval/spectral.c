/* Spectral clustering: affinities in tiles, eigenvectors by block Lanczos on A or on an inverse
 * (Cholesky), then rotation or k-means; see cluster.h for equations, cost and the choice of gamma. The n
 * x n matrix belongs to the call; tiles and rows are tasks, each written by one. */
#include "eval/cluster.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "eval/points.h"
#include "linalg/blas.h"
#include "linalg/eigen.h"
#include "support/status.h"

enum { TILE = 256 };          /* points in one matrix product        */
enum { BLOCK = 16 };          /* rows in one task of other work      */
enum { ROWS = 64 };           /* rows of A in one task of a product  */
enum { SAMPLE_MOST = 10000 }; /* pairs that decide about the width   */
enum { PASSES_DIRECT = 40 };  /* plus k: products with blocks that A itself is tried with */

/* What a draw is for: the epoch of its stream. */
enum { DRAWS_PAIRS = 0, DRAWS_AXIS = 2 };

/* (SHIFT I - A)^-1 has the eigenvectors of A; its largest eigenvalues belong to the largest of A, and lie
 * far apart even where those crowd below 1. scikit-learn's shift is 2 in this notation, which spreads
 * them less and takes many times as long where clusters are hardly linked. */
static const double SHIFT = 1 + 1e-4;

typedef struct spectral {
    ni_points points;
    ni_threads *threads;
    uint64_t seed;
    double gamma;       /* for the scaled points                                     */
    double *a;          /* n x n: squared distances, then A, maybe the factor of SHIFT I - A */
    double *log_degree; /* n: log D_i, since D_i itself may be too small for a double */
    float *tile;        /* threads x TILE x TILE                                     */
    double *vector;     /* n x k: eigenvectors                                       */
    double *value;      /* k                                                         */
} spectral;

static neap_status set_up(spectral *s, uint32_t k, neap_error *err)
{
    size_t n = s->points.n, threads = ni_threads_count(s->threads);
    s->a = ni_array(n, n * sizeof *s->a);
    s->log_degree = ni_array(n, sizeof *s->log_degree);
    s->tile = ni_array(threads, TILE * TILE * sizeof *s->tile);
    s->vector = ni_array(n, k * sizeof *s->vector);
    s->value = ni_array(k, sizeof *s->value);
    bool all = s->a && s->log_degree && s->tile && s->vector && s->value;
    return all ? NEAP_OK : ni_fail_memory(err, "spectral clustering; k-means needs far less");
}

static void tear_down(spectral *s)
{
    ni_points_free(&s->points);
    ni_free(s->a);
    ni_free(s->log_degree);
    ni_free(s->tile);
    ni_free(s->vector);
    ni_free(s->value);
}

/* ---- the width ---- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NI_SPECTRAL_WIDTH / median of the squared distances of a sample of pairs, equal vectors left aside. If
 * there are only such, no width makes a difference. */
static neap_status choose_gamma(const ni_points *p, uint64_t seed, double *gamma, neap_error *err)
{
    size_t found = 0;
    double *distance = ni_array(SAMPLE_MOST, sizeof *distance);
    if (!distance) return ni_fail_memory(err, "a sample of distances");
    for (uint32_t i = 0; i < SAMPLE_MOST; i++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_SPECTRAL, DRAWS_PAIRS, i);
        size_t u = ni_below(&rng, p->n), v = ni_below(&rng, p->n);
        distance[found] = ni_squared_distance(p->x + u * p->d, p->x + v * p->d, p->d);
        found += distance[found] > 0;
    }
    qsort(distance, found, sizeof *distance, ascending);
    *gamma = found ? NI_SPECTRAL_WIDTH / distance[found / 2] : 1;
    ni_free(distance);
    return NEAP_OK;
}

/* ---- the matrix ---- */

/* Task t computes the t-th tile on or right of the diagonal and its mirror image, so that the matrix is
 * symmetric to the last bit. The diagonal is infinite, since W_ii = 0. */
static void measure_tile(void *arg, uint32_t task, uint32_t thread)
{
    spectral *s = arg;
    const ni_points *p = &s->points;
    uint32_t n = p->n, tiles = (n - 1) / TILE + 1, down = 0;
    for (; task >= tiles - down; down++) task -= tiles - down;
    uint32_t top = down * TILE, left = (down + task) * TILE, rows = n - top < TILE ? n - top : TILE,
             columns = n - left < TILE ? n - left : TILE;
    float *tile = s->tile + (size_t)thread * TILE * TILE;
    ni_points_distances(p, top, rows, p->x + (size_t)left * p->d, p->norm + left, columns, tile);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            size_t u = top + i, v = left + j;
            if (u < v) s->a[u * n + v] = s->a[v * n + u] = tile[i * columns + j];
            if (u == v) s->a[u * n + v] = INFINITY;
        }
}

static uint32_t block_end(const spectral *s, uint32_t block)
{
    uint32_t end = (block + 1) * BLOCK;
    return end < s->points.n ? end : s->points.n;
}

/* log D_i = log sum_j exp(-gamma a_ij), as a log-sum-exp. */
static void sum_rows(void *arg, uint32_t block, uint32_t thread)
{
    spectral *s = arg;
    (void)thread;
    for (uint32_t i = block * BLOCK; i < block_end(s, block); i++) {
        const double *row = s->a + (size_t)i * s->points.n;
        double nearest = INFINITY, sum = 0;
        for (uint32_t j = 0; j < s->points.n; j++) nearest = fmin(nearest, row[j]);
        for (uint32_t j = 0; j < s->points.n; j++) sum += exp(-s->gamma * (row[j] - nearest));
        s->log_degree[i] = log(sum) - s->gamma * nearest;
    }
}

/* a_ij = exp(-gamma a_ij) / sqrt(D_i D_j), which is never above 1; 0 on the diagonal. */
static void normalise_rows(void *arg, uint32_t block, uint32_t thread)
{
    spectral *s = arg;
    (void)thread;
    for (uint32_t i = block * BLOCK; i < block_end(s, block); i++) {
        double *row = s->a + (size_t)i * s->points.n;
        for (uint32_t j = 0; j < s->points.n; j++) {
            double power = -s->gamma * row[j] - (s->log_degree[i] + s->log_degree[j]) / 2;
            row[j] = exp(power < 0 ? power : 0);
        }
        row[i] = 0;
    }
}

static void make_matrix(spectral *s)
{
    uint32_t tiles = (s->points.n - 1) / TILE + 1, blocks = (s->points.n - 1) / BLOCK + 1;
    ni_gemm_run(s->threads, tiles * (tiles + 1) / 2, measure_tile, s);
    ni_threads_run(s->threads, blocks, sum_rows, s);
    ni_threads_run(s->threads, blocks, normalise_rows, s);
}

/* ---- eigenvectors ---- */

typedef struct multiplying {
    const spectral *s;
    const double *X;
    double *Y;
    blasint columns;
} multiplying;

/* Called by the eigensolver, between its ni_blas_begin and ni_blas_end. */
static void multiply_rows(void *arg, uint32_t task, uint32_t thread)
{
    const multiplying *m = arg;
    size_t n = m->s->points.n, first = (size_t)task * ROWS, rows = ni_task_end(first, ROWS, n) - first;
    (void)thread;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, m->columns, (blasint)n, 1,
                m->s->a + first * n, (blasint)n, m->X, m->columns, 0, m->Y + first * (size_t)m->columns,
                m->columns);
}

static void multiply(void *user, const double *X, uint32_t columns, double *Y)
{
    const spectral *s = user;
    ni_threads_run(s->threads, ni_tasks(s->points.n, ROWS), multiply_rows,
                   &(multiplying){ s, X, Y, (blasint)columns });
}

static void multiply_inverse(void *user, const double *X, uint32_t columns, double *Y)
{
    const spectral *s = user;
    memcpy(Y, X, (size_t)s->points.n * columns * sizeof *Y);
    ni_cholesky_solve(s->a, s->points.n, Y, columns, s->threads);
}

/* a becomes the Cholesky factor of SHIFT I - A. */
static neap_status invert(spectral *s, neap_error *err)
{
    size_t n = s->points.n;
    for (size_t i = 0; i < n * n; i++) s->a[i] = -s->a[i];
    for (size_t i = 0; i < n; i++) s->a[i * n + i] = SHIFT;
    return ni_cholesky(s->a, s->points.n, s->threads, err);
}

/* The mean affinity of two points is more than a half. */
static bool is_wide(const spectral *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->points.n; i++) sum += exp(s->log_degree[i]);
    return sum > 0.5 * s->points.n * s->points.n;
}

/* With a wide kernel A is close to a matrix of low rank, and products with A itself, 2 n^2 flops per
 * vector, find its eigenvectors in 20 to 30 blocks. With a narrow one, eigenvalues crowd below 1, and that
 * may take hundreds: then, or if it did, n^3 / 3 flops make the factor of an inverse, which takes about as
 * many. */
static neap_status find_vectors(spectral *s, uint32_t k, neap_error *err)
{
    ni_eigen problem = { .user = s, .n = s->points.n, .k = k, .seed = s->seed };
    neap_status rc = NEAP_E_NUMERIC;
    if (is_wide(s)) {
        problem.apply = multiply;
        problem.passes = PASSES_DIRECT + k;
        rc = ni_eigen_largest(&problem, s->threads, s->value, s->vector, err);
    }
    if (rc != NEAP_E_NUMERIC) return rc;
    if (err) *err = (neap_error){ 0 };
    problem.apply = multiply_inverse;
    problem.passes = 0;
    rc = invert(s, err);
    return rc == NEAP_OK ? ni_eigen_largest(&problem, s->threads, s->value, s->vector, err) : rc;
}

/* Row i: entry i of each eigenvector / sqrt(D_i), up to a factor that is common to all. */
static void make_rows(const spectral *s, uint32_t k, double *row)
{
    uint32_t n = s->points.n;
    double least = INFINITY;
    for (uint32_t i = 0; i < n; i++) least = fmin(least, s->log_degree[i]);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < k; j++)
            row[(size_t)i * k + j] = s->vector[(size_t)i * k + j] * exp((least - s->log_degree[i]) / 2);
}

static neap_status check(uint32_t n, uint32_t d, const ni_spectral_options *o, neap_error *err)
{
    if (n > NI_SPECTRAL_MOST)
        return ni_fail(
            err, NEAP_E_LIMIT,
            "spectral clustering holds a number for each pair of vectors, which is too much for %u "
            "(limit %d); k-means has no such limit",
            n, NI_SPECTRAL_MOST);
    if (o->k < 1 || o->k > n || d < 1)
        return ni_fail(err, NEAP_E_ARG,
                       "spectral clustering makes 1 to %u clusters of %u vectors of length %u, not %u", n,
                       n, d, o->k);
    if (!(o->gamma >= 0) || isinf(o->gamma))
        return ni_fail(err, NEAP_E_ARG, "gamma is a positive number, or 0 to have it chosen, not %g",
                       o->gamma);
    return NEAP_OK;
}

/* The width in the scale of the points and in that of the caller. */
static neap_status set_gamma(spectral *s, ni_spectral_options *o, neap_error *err)
{
    double unit = s->points.scale * s->points.scale;
    neap_status rc = NEAP_OK;
    s->gamma = o->gamma * unit;
    if (o->gamma == 0) rc = choose_gamma(&s->points, o->seed, &s->gamma, err);
    if (rc == NEAP_OK) o->used = s->gamma / unit;
    return rc;
}

neap_status ni_spectral_embed(const float *x, uint32_t n, uint32_t d, ni_spectral_options *o,
                              ni_threads *threads, double *row, neap_error *err)
{
    spectral s = { .threads = threads, .seed = o->seed };
    neap_status rc = check(n, d, o, err);
    if (rc == NEAP_OK) rc = ni_points_init(&s.points, x, n, d, err);
    if (rc == NEAP_OK) rc = set_gamma(&s, o, err);
    if (rc == NEAP_OK) rc = set_up(&s, o->k, err);
    if (rc == NEAP_OK) make_matrix(&s);
    if (rc == NEAP_OK) rc = ni_threads_check(s.threads, err);
    if (rc == NEAP_OK) rc = find_vectors(&s, o->k, err);
    if (rc == NEAP_OK) make_rows(&s, o->k, row);
    tear_down(&s);
    return rc;
}

/* ---- clusters ---- */

static neap_status assign_by_kmeans(const double *row, uint32_t n, const ni_spectral_options *o,
                                    ni_threads *threads, uint32_t *cluster, neap_error *err)
{
    size_t cells = (size_t)n * o->k;
    float *x = ni_array(cells, sizeof *x);
    if (!x) return ni_fail_memory(err, "spectral clustering");
    for (size_t i = 0; i < cells; i++) x[i] = (float)row[i];
    neap_status rc = ni_kmeans(x, n, o->k, o->k, o->seed, threads, cluster, err);
    ni_free(x);
    return rc;
}

static neap_status assign(double *row, uint32_t n, const ni_spectral_options *o, ni_threads *threads,
                          uint32_t *cluster, neap_error *err)
{
    if (o->assign == NI_ASSIGN_KMEANS) return assign_by_kmeans(row, n, o, threads, cluster, err);
    ni_rng rng = ni_rng_at(o->seed, NI_STREAM_SPECTRAL, DRAWS_AXIS, 0);
    return ni_discretise(row, n, o->k, (uint32_t)ni_below(&rng, n), cluster, err);
}

/* k = n: each vector is a cluster. */
static void assign_each(uint32_t *cluster, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) cluster[i] = i;
}

neap_status ni_spectral(const float *x, uint32_t n, uint32_t d, ni_spectral_options *o, ni_threads *threads,
                        uint32_t *cluster, neap_error *err)
{
    neap_status rc = check(n, d, o, err);
    if (rc != NEAP_OK) return rc;
    if (o->k == n) return assign_each(cluster, n), NEAP_OK;
    double *row = ni_array(n, o->k * sizeof *row);
    if (!row) return ni_fail_memory(err, "spectral clustering");
    rc = ni_spectral_embed(x, n, d, o, threads, row, err);
    if (rc == NEAP_OK) rc = assign(row, n, o, threads, cluster, err);
    ni_free(row);
    return rc;
}
