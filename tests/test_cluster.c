/* k-means and spectral clustering: known answers, degenerate input, and the parts they are made of. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "eval/cluster.h"
#include "faults.h"
#include "linalg/blas.h"

/* All ways to make clusters. */
typedef enum way { KMEANS, DISCRETISE, SPECTRAL, WAYS } way;

static neap_status run(way how, const float *x, uint32_t n, uint32_t d, uint32_t k, double gamma,
                       ni_threads *pool, uint32_t *cluster, neap_error *err)
{
    ni_spectral_options o = { .k = k, .gamma = gamma, .seed = 3 };
    if (how == KMEANS) return ni_kmeans(x, n, d, k, 3, pool, cluster, err);
    o.assign = how == DISCRETISE ? NI_ASSIGN_DISCRETISE : NI_ASSIGN_KMEANS;
    return ni_spectral(x, n, d, &o, pool, cluster, err);
}

static ni_threads *pool_of(uint32_t threads)
{
    ni_threads *pool;
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    return pool;
}

static float *noise(uint32_t n, uint32_t d, uint64_t seed)
{
    float *x = malloc((size_t)n * d * sizeof *x);
    for (uint32_t i = 0; i < n; i++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, i);
        for (uint32_t j = 0; j < d; j++) x[(size_t)i * d + j] = (float)ni_normal(&rng);
    }
    return x;
}

/* Vector i lies around the corner of blob i % k: `far` from the origin along coordinate i % k; k <= d. */
static float *blobs(uint32_t n, uint32_t d, uint32_t k, double far)
{
    float *x = noise(n, d, 1);
    for (uint32_t i = 0; i < n; i++) x[(size_t)i * d + i % k] += (float)far;
    return x;
}

/* Two vectors share a cluster if and only if they share a blob. */
static void expect_blobs(const uint32_t *cluster, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < n; i++) {
        assert_true(cluster[i] < k);
        assert_int_equal(cluster[i], cluster[i % k]);
        for (uint32_t j = 0; j < k && i < k; j++) assert_true(i == j || cluster[i] != cluster[j]);
    }
}

static void separate_blobs_are_found(void **state)
{
    enum { MOST = 600 };
    uint32_t cluster[MOST];
    ni_threads *pool = pool_of(2);
    (void)state;
    for (int how = 0; how < WAYS; how++)
        for (uint32_t k = 2; k <= 6; k += 2) {
            uint32_t n = 100 * k, d = k == 2 ? 2 : 9;
            float *x = blobs(n, d, k, 40);
            assert_int_equal(run(how, x, n, d, k, 0, pool, cluster, NULL), NEAP_OK);
            expect_blobs(cluster, n, k);
            free(x);
        }
    ni_threads_free(pool);
}

/* Affinity 0 between blobs: as many eigenvalues 1 as blobs, more than a block of the eigensolver sees. */
static void blobs_without_any_link_are_found(void **state)
{
    enum { N = 400, K = 20 };
    uint32_t cluster[N];
    float *x = blobs(N, K, K, 3e4);
    ni_threads *pool = pool_of(2);
    (void)state;
    for (int how = DISCRETISE; how < WAYS; how++) {
        assert_int_equal(run(how, x, N, K, K, 0.1, pool, cluster, NULL), NEAP_OK);
        expect_blobs(cluster, N, K);
    }
    free(x);
    ni_threads_free(pool);
}

/* A ring around a ring: no two means tell them apart, but neighbours do. */
static void spectral_clustering_follows_neighbours(void **state)
{
    enum { N = 300 };
    float x[N * 2];
    uint32_t cluster[N], inside = 0;
    ni_threads *pool = pool_of(1);
    (void)state;
    for (int i = 0; i < N; i++) {
        x[2 * i] = (float)((1 + 2 * (i % 2)) * cos(0.05 * i));
        x[2 * i + 1] = (float)((1 + 2 * (i % 2)) * sin(0.05 * i));
    }
    for (int how = DISCRETISE; how < WAYS; how++) {
        assert_int_equal(run(how, x, N, 2, 2, 10, pool, cluster, NULL), NEAP_OK);
        expect_blobs(cluster, N, 2);
    }
    assert_int_equal(run(KMEANS, x, N, 2, 2, 0, pool, cluster, NULL), NEAP_OK);
    for (int i = 0; i < N; i += 2) inside += cluster[i];
    assert_true(inside > 20 && inside < 130);
    ni_threads_free(pool);
}

/* Most pairs are alike, so that products with A are tried first; but the eigenvalues of the chain crowd
 * below 1, and it takes the inverse to find its eigenvectors. */
static void a_clump_and_a_chain_are_found(void **state)
{
    enum { N = 700, CLUMP = 500 };
    float x[N] = { 0 };
    uint32_t cluster[N];
    neap_error err = { 0 };
    ni_threads *pool = pool_of(2);
    (void)state;
    for (int i = CLUMP; i < N; i++) x[i] = (float)(i - CLUMP + 100);
    for (int how = DISCRETISE; how < WAYS; how++) {
        assert_int_equal(run(how, x, N, 1, 2, 1, pool, cluster, &err), NEAP_OK);
        assert_int_equal(err.code, NEAP_OK);
        for (int i = 0; i < N; i++) assert_int_equal(cluster[i] == cluster[0], i < CLUMP);
    }
    ni_threads_free(pool);
}

/* Lloyd's fixed point, checked with plain sums: no vector is nearer to the mean of another cluster. */
static void every_vector_is_nearest_to_the_mean_of_its_cluster(void **state)
{
    enum { N = 500, D = 4, K = 7 };
    float *x = noise(N, D, 9);
    uint32_t cluster[N];
    double mean[K][D] = { { 0 } }, size[K] = { 0 };
    ni_threads *pool = pool_of(2);
    (void)state;
    assert_int_equal(run(KMEANS, x, N, D, K, 0, pool, cluster, NULL), NEAP_OK);
    for (int i = 0; i < N; i++) {
        size[cluster[i]]++;
        for (int j = 0; j < D; j++) mean[cluster[i]][j] += x[i * D + j];
    }
    int worse = 0;
    for (int i = 0; i < N; i++) {
        double own = 0, least = INFINITY;
        for (uint32_t c = 0; c < K; c++) {
            double apart = 0;
            for (int j = 0; j < D; j++) apart += pow(x[i * D + j] - mean[c][j] / size[c], 2);
            if (c == cluster[i]) own = apart;
            least = fmin(least, apart);
        }
        worse += own > least + 0.02;
    }
    assert_int_equal(worse, 0);
    free(x);
    ni_threads_free(pool);
}

static void clusters_do_not_depend_on_threads(void **state)
{
    enum { N = 700, D = 6, K = 9 };
    float *x = noise(N, D, 4);
    uint32_t first[N], cluster[N];
    (void)state;
    for (int how = 0; how < WAYS; how++)
        for (uint32_t threads = 1; threads <= 4; threads++) {
            ni_threads *pool = pool_of(threads);
            assert_int_equal(run(how, x, N, D, K, 0, pool, threads == 1 ? first : cluster, NULL), NEAP_OK);
            if (threads > 1) assert_memory_equal(first, cluster, sizeof first);
            ni_threads_free(pool);
        }
    free(x);
}

static void clusters_do_not_depend_on_place_and_scale(void **state)
{
    enum { N = 300, D = 6, K = 6 };
    static const double scale[] = { 0x1p-100, 1e-3, 1, 0x1p110 };
    uint32_t cluster[N];
    ni_threads *pool = pool_of(1);
    (void)state;
    for (int how = 0; how < WAYS; how++)
        for (int s = 0; s < 4; s++) {
            float *x = blobs(N, D, K, 40);
            for (int i = 0; i < N * D; i++) x[i] = (float)(scale[s] * (x[i] + 1e5));
            assert_int_equal(run(how, x, N, D, K, 0, pool, cluster, NULL), NEAP_OK);
            expect_blobs(cluster, N, K);
            free(x);
        }
    ni_threads_free(pool);
}

/* D^-1 W u = (1 - lambda) u: the columns are eigenvectors of the random walk on the affinities, from the
 * constant one on, and of no other matrix. */
static void the_embedding_solves_the_equation_it_should(void **state)
{
    enum { N = 50, D = 3, K = 5 };
    float *x = noise(N, D, 11);
    double row[N * K], w[N][N], before = 1 + 1e-9;
    ni_spectral_options o = { .k = K, .gamma = 0.7 };
    ni_threads *pool = pool_of(1);
    (void)state;
    assert_int_equal(ni_spectral_embed(x, N, D, &o, pool, row, NULL), NEAP_OK);
    for (int i = 0; i < N; i++) {
        double degree = 0;
        for (int j = 0; j < N; j++) {
            double apart = 0;
            for (int c = 0; c < D; c++) apart += pow((double)x[i * D + c] - x[j * D + c], 2);
            degree += w[i][j] = i == j ? 0 : exp(-0.7 * apart);
        }
        for (int j = 0; j < N; j++) w[i][j] /= degree;
    }
    for (int c = 0; c < K; c++) {
        double length = 0, along = 0, rest = 0, next[N] = { 0 };
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) next[i] += w[i][j] * row[j * K + c];
            length += row[i * K + c] * row[i * K + c];
            along += row[i * K + c] * next[i];
        }
        double value = along / length;
        for (int i = 0; i < N; i++) rest += pow(next[i] - value * row[i * K + c], 2);
        assert_true(sqrt(rest / length) < 1e-5);
        assert_true(value <= before && (c || fabs(value - 1) < 1e-6));
        before = value;
    }
    free(x);
    ni_threads_free(pool);
}

static void the_chosen_width_goes_with_the_square_of_the_scale(void **state)
{
    enum { N = 100, D = 5 };
    float *x = noise(N, D, 8);
    uint32_t cluster[N];
    ni_spectral_options one = { .k = 3 }, two = { .k = 3 }, fixed = { .k = 3, .gamma = 1 };
    ni_threads *pool = pool_of(1);
    (void)state;
    assert_int_equal(ni_spectral(x, N, D, &one, pool, cluster, NULL), NEAP_OK);
    assert_int_equal(ni_spectral(x, N, D, &fixed, pool, cluster, NULL), NEAP_OK);
    for (int i = 0; i < N * D; i++) x[i] *= 8;
    assert_int_equal(ni_spectral(x, N, D, &two, pool, cluster, NULL), NEAP_OK);
    assert_true(fabs(one.used / two.used - 64) < 1e-6);
    /* The squared distance of two normal vectors has the mean 2 D; the median is a little less. */
    assert_true(one.used > NI_SPECTRAL_WIDTH / (2 * D) && one.used < NI_SPECTRAL_WIDTH / D);
    assert_true(fixed.used == 1);
    free(x);
    ni_threads_free(pool);
}

static void one_cluster_and_one_for_each_vector(void **state)
{
    enum { N = 30 };
    float *x = noise(N, 2, 2);
    uint32_t cluster[N];
    ni_threads *pool = pool_of(2);
    (void)state;
    for (int how = 0; how < WAYS; how++) {
        assert_int_equal(run(how, x, N, 2, 1, 0, pool, cluster, NULL), NEAP_OK);
        for (int i = 0; i < N; i++) assert_int_equal(cluster[i], 0);
        assert_int_equal(run(how, x, N, 2, N, 0, pool, cluster, NULL), NEAP_OK);
        expect_blobs(cluster, N, N);
        assert_int_equal(run(how, x, 1, 2, 1, 0, pool, cluster, NULL), NEAP_OK);
        assert_int_equal(cluster[0], 0);
    }
    for (uint32_t k = 2; k < N; k++) /* few rows, nearly all vectors */
        for (int how = 0; how < WAYS; how++) {
            neap_error err = { 0 };
            if (run(how, x, k + 1, 2, k, 0, pool, cluster, &err)) fail_msg("%u: %s", k, err.text);
            for (uint32_t i = 0; i <= k; i++) assert_true(cluster[i] < k);
        }
    free(x);
    ni_threads_free(pool);
}

/* Nearly as many clusters as vectors, of which a few are far away: there the starts do leave some empty. */
static void k_means_leaves_no_cluster_empty(void **state)
{
    enum { N = 33, K = 31 };
    uint32_t cluster[N];
    ni_threads *pool = pool_of(2);
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        float *x = noise(N, 1, seed);
        uint32_t size[K] = { 0 };
        for (int i = 0; i < N; i += 8) x[i] *= 2000;
        assert_int_equal(run(KMEANS, x, N, 1, K, 0, pool, cluster, NULL), NEAP_OK);
        for (int i = 0; i < N; i++) size[cluster[i]]++;
        for (int c = 0; c < K; c++) assert_true(size[c] > 0);
        free(x);
    }
    ni_threads_free(pool);
}

/* Isolated nodes often have equal vectors: splitting them would be inventing a difference. */
static void k_means_never_splits_equal_vectors(void **state)
{
    enum { N = 90, D = 3 };
    float x[N * D] = { 0 };
    uint32_t cluster[N];
    ni_threads *pool = pool_of(2);
    (void)state;
    assert_int_equal(run(KMEANS, x, N, D, 5, 0, pool, cluster, NULL), NEAP_OK);
    for (int i = 0; i < N; i++) assert_int_equal(cluster[i], cluster[0]);
    for (int i = 0; i < N; i++) x[i * D + i % 3] = 0.1f;
    assert_int_equal(run(KMEANS, x, N, D, 10, 0, pool, cluster, NULL), NEAP_OK);
    for (int i = 3; i < N; i++) assert_int_equal(cluster[i], cluster[i - 3]);
    assert_true(cluster[0] != cluster[1] && cluster[1] != cluster[2] && cluster[0] != cluster[2]);
    ni_threads_free(pool);
}

/* Equal vectors make a matrix with two eigenvalues, which exhausts every Krylov space: the eigensolver goes
 * on from random vectors, which depend on the seed and on nothing else. */
static void earlier_calls_leave_no_trace(void **state)
{
    enum { N = 60, D = 2, K = 6 };
    float same[N * D] = { 0 }, *x = noise(N, D, 6);
    uint32_t first[N], again[N], other[N];
    ni_threads *pool = pool_of(1);
    (void)state;
    for (int how = DISCRETISE; how < WAYS; how++) {
        assert_int_equal(run(how, same, N, D, K, 0, pool, first, NULL), NEAP_OK);
        for (int i = 0; i < N; i++) assert_true(first[i] < K);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(run(how, x, N, D, K, 0, pool, other, NULL), NEAP_OK);
            assert_int_equal(run(how, same, N, D, K, 0, pool, again, NULL), NEAP_OK);
            assert_memory_equal(first, again, sizeof first);
        }
    }
    free(x);
    ni_threads_free(pool);
}

typedef struct caller {
    const float *x;
    uint32_t cluster[200];
    neap_status rc;
} caller;

static void *call(void *arg)
{
    caller *c = arg;
    ni_threads *pool;
    c->rc = ni_threads_create(1, &pool, NULL);
    for (int i = 0; i < 5 && c->rc == NEAP_OK; i++)
        c->rc = run(SPECTRAL, c->x, 200, 4, 5, 0, pool, c->cluster, NULL);
    ni_threads_free(pool);
    return NULL;
}

static void callers_in_several_threads_do_not_disturb_each_other(void **state)
{
    float *x = noise(200, 4, 7);
    uint32_t alone[200];
    caller c[3];
    pthread_t thread[3];
    ni_threads *pool = pool_of(1);
    (void)state;
    assert_int_equal(run(SPECTRAL, x, 200, 4, 5, 0, pool, alone, NULL), NEAP_OK);
    for (int i = 0; i < 3; i++) {
        c[i] = (caller){ .x = x };
        assert_int_equal(pthread_create(&thread[i], NULL, call, &c[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(c[i].rc, NEAP_OK);
        assert_memory_equal(alone, c[i].cluster, sizeof alone);
    }
    free(x);
    ni_threads_free(pool);
}

static void what_cannot_be_done_is_said(void **state)
{
    float x[] = { 0, 1, 2, 3, NAN, 5 };
    uint32_t cluster[6];
    neap_error err = { 0 };
    ni_threads *pool = pool_of(1);
    (void)state;
    for (int how = 0; how < WAYS; how++) {
        assert_int_equal(run(how, x, 2, 2, 3, 0, pool, cluster, &err), NEAP_E_ARG);
        assert_non_null(strstr(err.text, "1 to 2 clusters"));
        assert_int_equal(run(how, x, 2, 2, 0, 0, pool, cluster, &err), NEAP_E_ARG);
        assert_int_equal(run(how, x, 2, 0, 1, 0, pool, cluster, &err), NEAP_E_ARG);
        assert_int_equal(run(how, x, 0, 2, 1, 0, pool, cluster, &err), NEAP_E_ARG);
        assert_int_equal(run(how, x, 3, 2, 2, 0, pool, cluster, &err), NEAP_E_NUMERIC);
        assert_non_null(strstr(err.text, "vector 2 "));
    }
    assert_int_equal(run(DISCRETISE, x, 2, 2, 1, -1, pool, cluster, &err), NEAP_E_ARG);
    assert_int_equal(run(DISCRETISE, x, 2, 2, 1, NAN, pool, cluster, &err), NEAP_E_ARG);
    assert_int_equal(run(DISCRETISE, x, NI_SPECTRAL_MOST + 1, 2, 1, 0, pool, cluster, &err), NEAP_E_LIMIT);
    assert_non_null(strstr(err.text, "k-means"));
    ni_threads_free(pool);
}

typedef struct scene {
    way how;
    const float *x;
    ni_threads *pool;
} scene;

static neap_status scenario(void *user, neap_error *err)
{
    scene *s = user;
    uint32_t cluster[40];
    return run(s->how, s->x, 40, 3, 4, 0, s->pool, cluster, err);
}

static void no_failure_leaks(void **state)
{
    float *x = noise(40, 3, 3);
    scene s = { KMEANS, x, pool_of(2) };
    (void)state;
    for (; s.how < WAYS; s.how++)
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, &s) >= 15);
    free(x);
    ni_threads_free(s.pool);
}

/* ---- the parts ---- */

enum { ORDER = 300 }; /* more than one tile */

static void a_factor_solves(void **state)
{
    float *x = noise(ORDER, ORDER, 12);
    double *a = malloc(sizeof *a * ORDER * ORDER), *copy = malloc(sizeof *copy * ORDER * ORDER);
    double right[ORDER], solved[ORDER], worst = 0;
    ni_threads *pool = pool_of(2);
    (void)state;
    for (int i = 0; i < ORDER; i++)
        for (int j = 0; j < ORDER; j++)
            copy[i * ORDER + j] = a[i * ORDER + j] =
                (double)x[i * ORDER + j] + x[j * ORDER + i] + (i == j ? 3 * ORDER : 0);
    for (int i = 0; i < ORDER; i++) solved[i] = right[i] = i % 7 - 3;
    assert_int_equal(ni_cholesky(a, ORDER, pool, NULL), NEAP_OK);
    ni_cholesky_solve(a, ORDER, solved, 1, pool);
    for (int i = 0; i < ORDER; i++) {
        double sum = -right[i];
        for (int j = 0; j < ORDER; j++) sum += copy[i * ORDER + j] * solved[j];
        worst = fmax(worst, fabs(sum));
    }
    assert_true(worst < 1e-10);
    copy[ORDER * ORDER - 1] = -1;
    assert_int_equal(ni_cholesky(copy, ORDER, pool, NULL), NEAP_E_NUMERIC);
    free(a);
    free(copy);
    free(x);
    ni_threads_free(pool);
}

static int stop_at_once(const neap_progress *now, void *user)
{
    (void)now, (void)user;
    return 1;
}

/* Tiles that were left out must not be factored, nor eigenvectors be looked for in what is no matrix. */
static void a_stopped_factor_says_so(void **state)
{
    double *a = calloc((size_t)ORDER * ORDER, sizeof *a);
    ni_threads *pool = pool_of(2);
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_at_once };
    (void)state;
    for (int i = 0; i < ORDER; i++) a[i * ORDER + i] = 1;
    ni_threads_watch(pool, &hooks, "cluster");
    usleep(150000); /* nobody looks before a tenth of a second has passed */
    assert_int_equal(ni_cholesky(a, ORDER, pool, NULL), NEAP_E_STOPPED);
    free(a);
    ni_threads_free(pool);
}

/* Indicator columns of three clusters, mixed by a rotation, are found again. */
static void discretising_undoes_a_rotation(void **state)
{
    enum { N = 50, K = 3 };
    static const double turn[K][K] = { { 2, -2, 1 }, { 1, 2, 2 }, { -2, -1, 2 } }; /* / 3 */
    double x[N * K];
    uint32_t cluster[N];
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < K; j++) x[i * K + j] = turn[i % K][j] / 3;
    for (uint32_t first = 0; first < N; first += 7) {
        assert_int_equal(ni_discretise(x, N, K, first, cluster, NULL), NEAP_OK);
        expect_blobs(cluster, N, K);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separate_blobs_are_found),
        cmocka_unit_test(blobs_without_any_link_are_found),
        cmocka_unit_test(spectral_clustering_follows_neighbours),
        cmocka_unit_test(a_clump_and_a_chain_are_found),
        cmocka_unit_test(every_vector_is_nearest_to_the_mean_of_its_cluster),
        cmocka_unit_test(clusters_do_not_depend_on_threads),
        cmocka_unit_test(clusters_do_not_depend_on_place_and_scale),
        cmocka_unit_test(the_embedding_solves_the_equation_it_should),
        cmocka_unit_test(the_chosen_width_goes_with_the_square_of_the_scale),
        cmocka_unit_test(one_cluster_and_one_for_each_vector),
        cmocka_unit_test(k_means_leaves_no_cluster_empty),
        cmocka_unit_test(k_means_never_splits_equal_vectors),
        cmocka_unit_test(earlier_calls_leave_no_trace),
        cmocka_unit_test(callers_in_several_threads_do_not_disturb_each_other),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(no_failure_leaks),
        cmocka_unit_test(a_factor_solves),
        cmocka_unit_test(a_stopped_factor_says_so),
        cmocka_unit_test(discretising_undoes_a_rotation),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
