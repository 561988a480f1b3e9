/* OpenBLAS's number of threads is the host's: whatever the library does leaves it as it was. The scalar
 * kernels are used throughout, since their products are OpenBLAS's. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "eval/cluster.h"
#include "linalg/blas.h"
#include "linalg/eigen.h"
#include "world.h"

enum { HOSTS = 2, N = 300, D = 4 };

#define EXPECT_HOSTS assert_int_equal(openblas_get_num_threads(), HOSTS)

static float vectors[N * D];

static neap_graph *some_graph(void)
{
    neap_graph *graph;
    neap_generator what = { .size = sizeof what, .kind = "ba", .nodes = 60, .links = 3, .seed = 1 };
    assert_int_equal(neap_graph_generate(&what, &graph, NULL), NEAP_OK);
    return graph;
}

/* ---- the guard ---- */

static void the_last_to_end_restores(void **state)
{
    (void)state;
    ni_blas_begin();
    assert_int_equal(openblas_get_num_threads(), 1);
    ni_blas_begin();
    ni_blas_end();
    assert_int_equal(openblas_get_num_threads(), 1);
    ni_blas_end();
    EXPECT_HOSTS;
    openblas_set_num_threads(1);
    ni_blas_begin();
    ni_blas_end();
    assert_int_equal(openblas_get_num_threads(), 1);
    openblas_set_num_threads(HOSTS);
}

static void look(void *arg, uint32_t task, uint32_t thread)
{
    int *seen = arg;
    (void)thread;
    seen[task] = openblas_get_num_threads();
}

static void a_round_of_products_has_one_thread_each(void **state)
{
    int seen[8];
    ni_threads *pool;
    (void)state;
    assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
    ni_gemm_run(pool, 8, look, seen);
    for (int i = 0; i < 8; i++) assert_int_equal(seen[i], 1);
    EXPECT_HOSTS;
    ni_threads_free(pool);
}

/* The host may be quicker than we are. */
static void a_number_set_meanwhile_stays(void **state)
{
    (void)state;
    ni_blas_begin();
    openblas_set_num_threads(3);
    ni_blas_end();
    assert_int_equal(openblas_get_num_threads(), 3);
    openblas_set_num_threads(HOSTS);
}

/* ---- training and queries ---- */

static int see_the_hosts_number(const neap_progress *now, void *user)
{
    (void)now;
    ++*(int *)user;
    return openblas_get_num_threads() != HOSTS;
}

static void training_and_queries_leave_it_alone(void **state)
{
    static const char *const methods[] = { "gap", "attentivewalk" };
    neap_graph *graph = some_graph();
    (void)state;
    for (int i = 0; i < 2; i++) {
        neap_options *o = options_of("neap", "method", methods[i], "dim", "8", "epochs", "2", NULL);
        neap_pair pair[2] = { { 0, 1 }, { 2, 3 } };
        float score[60];
        neap_data data = { .size = sizeof data, .graph = graph };
        neap_ranking *best;
        neap_model *model;
        int calls = 0;
        neap_hooks hooks = { .size = sizeof hooks, .progress = see_the_hosts_number, .user = &calls };
        assert_int_equal(neap_train(&data, o, &hooks, &model, NULL), NEAP_OK);
        assert_true(calls > 0);
        EXPECT_HOSTS;
        assert_int_equal(neap_model_score(model, pair, 2, score, NULL), NEAP_OK);
        EXPECT_HOSTS;
        assert_int_equal(neap_model_rank(model, 1, 5, 0, &best, NULL), NEAP_OK);
        EXPECT_HOSTS;
        neap_ranking_free(best);
        neap_model_free(model);
        neap_options_free(o);
    }
    neap_graph_free(graph);
}

/* ---- clusters ---- */

static neap_status cluster(ni_threads *pool)
{
    uint32_t found[N];
    neap_status rc = ni_kmeans(vectors, N, D, 3, 1, pool, found, NULL);
    for (int assign = NI_ASSIGN_DISCRETISE; assign <= NI_ASSIGN_KMEANS; assign++)
        for (int gamma = 0; gamma < 9 && rc == NEAP_OK; gamma += 8) { /* by products, and by a factor */
            ni_spectral_options o = { .k = 3, .gamma = gamma, .assign = (ni_assign)assign, .seed = 1 };
            rc = ni_spectral(vectors, N, D, &o, pool, found, NULL);
        }
    return rc;
}

static void clustering_leaves_it_alone(void **state)
{
    ni_threads *pool;
    (void)state;
    assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
    assert_int_equal(cluster(pool), NEAP_OK);
    EXPECT_HOSTS;
    ni_threads_free(pool);
}

static void *caller(void *arg)
{
    neap_status *rc = arg;
    ni_threads *pool = NULL;
    *rc = ni_threads_create(1, &pool, NULL);
    for (int i = 0; i < 3 && *rc == NEAP_OK; i++) *rc = cluster(pool);
    ni_threads_free(pool);
    return NULL;
}

static void several_callers_leave_it_alone(void **state)
{
    enum { CALLERS = 4 };
    pthread_t thread[CALLERS];
    neap_status rc[CALLERS];
    (void)state;
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&thread[i], NULL, caller, &rc[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(rc[i], NEAP_OK);
    }
    EXPECT_HOSTS;
}

/* ---- failures ---- */

static void fail_in_the_end(void *user, const double *X, uint32_t columns, double *Y)
{
    (void)X;
    assert_int_equal(openblas_get_num_threads(), 1);
    for (size_t i = 0; i < (size_t)N * columns; i++) Y[i] = *(double *)user;
}

static void failures_leave_it_alone(void **state)
{
    double none = NAN, value[2], out[2 * N];
    float broken[N * D];
    uint32_t found[N];
    ni_threads *pool;
    ni_spectral_options o = { .k = 3 };
    ni_eigen problem = { .apply = fail_in_the_end, .user = &none, .n = N, .k = 2 };
    (void)state;
    memcpy(broken, vectors, sizeof broken);
    broken[N] = NAN;
    assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
    assert_int_equal(ni_eigen_largest(&problem, pool, value, out, NULL), NEAP_E_NUMERIC);
    EXPECT_HOSTS;
    assert_int_equal(ni_spectral(broken, N, D, &o, pool, found, NULL), NEAP_E_NUMERIC);
    assert_int_equal(ni_kmeans(broken, N, D, 3, 1, pool, found, NULL), NEAP_E_NUMERIC);
    EXPECT_HOSTS;
    ni_threads_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_to_end_restores),
        cmocka_unit_test(a_round_of_products_has_one_thread_each),
        cmocka_unit_test(a_number_set_meanwhile_stays),
        cmocka_unit_test(training_and_queries_leave_it_alone),
        cmocka_unit_test(clustering_leaves_it_alone),
        cmocka_unit_test(several_callers_leave_it_alone),
        cmocka_unit_test(failures_leave_it_alone),
    };
    setenv("NEAP_ISA", "scalar", 1);
    openblas_set_num_threads(HOSTS);
    for (int i = 0; i < N; i++) {
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, (uint64_t)i);
        for (int j = 0; j < D; j++) vectors[i * D + j] = (float)ni_normal(&rng) + 6 * (float)(i % 3 == j);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
