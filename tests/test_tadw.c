/* TADW: alternating least squares against the objective written down, and new nodes with a text. (The
 * program's vectors against NumPy: tests/cli/tadw_oracle.sh.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "settings.h"

#include "base/rng.h"
#include "methods/ridge.h"

/* ---- the objective ---- */

enum { N = 14, F = 5, K = 3 };

/* M is anything; the rows of T are orthogonal, of lengths that differ. */
typedef struct world {
    double M[N][N], T[F][N], FM[N][F]; /* FM = M T' */
    double gram[F * F], b[F];
    ni_threads *threads;
    ni_ridge ridge;
    float H[K * F];
} world;

static double drawn(uint64_t item)
{
    ni_rng rng = ni_rng_at(7, NI_STREAM_GRAPH, 0, item);
    return ni_normal(&rng);
}

static void make_orthogonal(double T[F][N])
{
    for (int i = 0; i < F; i++)
        for (int k = 0; k < i; k++) {
            double dot = 0, square = 0;
            for (int u = 0; u < N; u++) dot += T[i][u] * T[k][u], square += T[k][u] * T[k][u];
            for (int u = 0; u < N; u++) T[i][u] -= dot / square * T[k][u];
        }
}

static void make_world(world *w, double lambda, uint32_t threads)
{
    *w = (world){ 0 };
    for (int i = 0; i < N * N; i++) w->M[i / N][i % N] = drawn((uint64_t)i);
    for (int i = 0; i < F * N; i++) w->T[i / N][i % N] = (1 + i / N) * drawn(1000 + (uint64_t)i) / 3;
    for (int i = 0; i < K * F; i++) w->H[i] = (float)drawn(2000 + (uint64_t)i);
    make_orthogonal(w->T);
    for (int j = 0; j < F; j++)
        for (int u = 0; u < N; u++) {
            w->b[j] += w->T[j][u] * w->T[j][u];
            for (int v = 0; v < N; v++) w->FM[u][j] += w->M[u][v] * w->T[j][v];
        }
    for (int i = 0; i < F * F; i++)
        for (int u = 0; u < N; u++) w->gram[i] += w->FM[u][i / F] * w->FM[u][i % F];
    assert_int_equal(ni_threads_create(threads, &w->threads, NULL), NEAP_OK);
    assert_int_equal(ni_ridge_create(K, F, lambda, w->gram, w->b, w->threads, &w->ridge, NULL), NEAP_OK);
}

static void close_world(world *w)
{
    ni_ridge_free(&w->ridge);
    ni_threads_free(w->threads);
}

/* W' = F Z'. */
static void find_W(const world *w, double W[K][N])
{
    for (int k = 0; k < K; k++)
        for (int u = 0; u < N; u++) {
            W[k][u] = 0;
            for (int j = 0; j < F; j++) W[k][u] += w->ridge.Z[k * F + j] * w->FM[u][j];
        }
}

/* |M - W'H T|^2 + lambda/2 (|W|^2 + |H|^2) */
static double objective(const world *w, double W[K][N], const double *H)
{
    double sum = 0, squares = 0;
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            double fit = 0;
            for (int k = 0; k < K; k++)
                for (int j = 0; j < F; j++) fit += W[k][u] * H[k * F + j] * w->T[j][v];
            sum += (w->M[u][v] - fit) * (w->M[u][v] - fit);
        }
    for (int i = 0; i < K * N; i++) squares += W[i / N][i % N] * W[i / N][i % N];
    for (int i = 0; i < K * F; i++) squares += H[i] * H[i];
    return sum + w->ridge.lambda / 2 * squares;
}

/* What of |M|^2 no text reaches. */
static double unreachable(const world *w)
{
    double sum = 0;
    for (int i = 0; i < N * N; i++) sum += w->M[i / N][i % N] * w->M[i / N][i % N];
    for (int j = 0; j < F; j++) sum -= w->gram[j * F + j] / w->b[j];
    return sum;
}

/* Each half-step ends where the objective has no slope: W against the H it was solved for, H against that
 * W. The slope at a point beside it is the measure. */
static void half_steps_end_where_finite_differences_vanish(void **state)
{
    static const double tiny = 1e-5;
    world w;
    double W[K][N], before[K * F], loss;
    (void)state;
    make_world(&w, 0.3, 2);
    for (int i = 0; i < K * F; i++) before[i] = (double)w.H[i];
    assert_int_equal(ni_ridge_step(&w.ridge, w.H, &loss, NULL), NEAP_OK);
    find_W(&w, W);
    double scale = objective(&w, W, before);
    for (int i = 0; i < K * N; i++) {
        double *x = &W[i / N][i % N], old = *x;
        *x = old + tiny;
        double up = objective(&w, W, before);
        *x = old - tiny;
        double down = objective(&w, W, before);
        *x = old;
        assert_true(fabs(up - down) / (2 * tiny) < 1e-6 * scale);
    }
    for (int i = 0; i < K * F; i++) {
        double old = w.ridge.H[i];
        w.ridge.H[i] = old + tiny;
        double up = objective(&w, W, w.ridge.H);
        w.ridge.H[i] = old - tiny;
        double down = objective(&w, W, w.ridge.H);
        w.ridge.H[i] = old;
        assert_true(fabs(up - down) / (2 * tiny) < 1e-6 * scale);
    }
    close_world(&w);
}

static void the_loss_is_the_objective_but_for_a_constant_and_never_grows(void **state)
{
    world w;
    double W[K][N], loss, last = INFINITY;
    (void)state;
    make_world(&w, 0.3, 1);
    for (int epoch = 0; epoch < 6; epoch++) {
        assert_int_equal(ni_ridge_step(&w.ridge, w.H, &loss, NULL), NEAP_OK);
        find_W(&w, W);
        double whole = objective(&w, W, w.ridge.H);
        assert_true(fabs(loss + unreachable(&w) - whole) < 1e-8 * whole);
        assert_true(loss <= last + 1e-6);
        last = loss;
        for (int i = 0; i < K * F; i++) w.H[i] = (float)w.ridge.H[i];
    }
    close_world(&w);
}

/* Without a ridge, and with a text that nobody has, there is nothing to divide by. */
static void without_a_ridge_what_is_singular_stays_finite(void **state)
{
    world w;
    double loss;
    (void)state;
    make_world(&w, 0, 1);
    memset(w.H, 0, sizeof w.H);
    w.b[2] = 0;
    for (int i = 0; i < F; i++) w.gram[2 * F + i] = w.gram[i * F + 2] = 0;
    for (int epoch = 0; epoch < 3; epoch++) {
        assert_int_equal(ni_ridge_step(&w.ridge, w.H, &loss, NULL), NEAP_OK);
        for (int i = 0; i < K * F; i++) {
            assert_true(isfinite(w.ridge.H[i]) && isfinite(w.ridge.Z[i]));
            w.H[i] = epoch ? (float)w.ridge.H[i] : (float)drawn((uint64_t)i);
        }
        assert_true(isfinite(loss));
    }
    close_world(&w);
}

static void threads_do_not_change_a_bit(void **state)
{
    double first[K * F], loss[2];
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        world w;
        make_world(&w, 0.2, threads);
        assert_int_equal(ni_ridge_step(&w.ridge, w.H, &loss[threads > 1], NULL), NEAP_OK);
        if (threads == 1) memcpy(first, w.ridge.H, sizeof first);
        assert_memory_equal(first, w.ridge.H, sizeof first);
        assert_true(loss[0] == loss[threads > 1]);
        close_world(&w);
    }
}

/* ---- new nodes ---- */

enum { NODES = 6, DIM = 4 };
static const neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 1 } };
static const char *const texts[] = { "red fox",      "red hen runs", "blue whale",
                                     "blue sky fox", "sky hen",      "whale runs red" };

static neap_model *train(neap_options *o)
{
    neap_graph *g;
    neap_text *t;
    neap_model *m;
    neap_error err = { 0 };
    assert_int_equal(neap_graph_create(NODES, NULL, edges, 5, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, texts, &t, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = t };
    if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    neap_text_free(t);
    neap_graph_free(g);
    return m;
}

/* A new node with the text of node 2 and the one neighbour 3 has half of the one's vector and half of the
 * other's; a node without text has all of its neighbour's. */
static void expect_new_nodes(const char *scale, const char *halves)
{
    const char *const names[] = { "3", "new", "mute" };
    const char *const given[] = { "", "whale blue unheard", "" };
    const neap_edge links[] = { { 1, 0, 1 }, { 2, 0, 1 } };
    neap_model *m = train(options_of("neap", "method", "tadw", "min-count", "1", "dim", "4", "text-dim",
                                     "4", "text-scale", scale, "halves", halves, NULL)),
               *more;
    neap_graph *g;
    neap_text *t;
    float x[(NODES + 2) * DIM];
    uint32_t fresh, mute;
    assert_int_equal(neap_graph_create(3, names, links, 2, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, given, &t, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = t };
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    assert_int_equal(neap_model_vectors(more, x, NULL), NEAP_OK);
    assert_int_equal(neap_graph_find(neap_model_graph(more), "new", &fresh, NULL), NEAP_OK);
    assert_int_equal(neap_graph_find(neap_model_graph(more), "mute", &mute, NULL), NEAP_OK);
    for (uint32_t i = 0; i < DIM; i++) {
        assert_true(fabsf(x[fresh * DIM + i] - x[(i < DIM / 2 ? 3 : 2) * DIM + i]) < 1e-5F);
        assert_true(fabsf(x[mute * DIM + i] - x[3 * DIM + i]) < 1e-6F);
    }
    neap_model_free(more);
    neap_text_free(t);
    neap_graph_free(g);
    neap_model_free(m);
}

static void a_new_node_has_its_text_and_its_neighbours(void **state)
{
    (void)state;
    expect_new_nodes("columns", "plain");
    expect_new_nodes("rows", "plain");
    expect_new_nodes("none", "unit");
}

static neap_status ridge_scenario(void *user, neap_error *err)
{
    const world *w = user;
    ni_ridge r;
    double loss;
    neap_status rc = ni_ridge_create(K, F, 0.2, w->gram, w->b, w->threads, &r, err);
    if (rc == NEAP_OK) rc = ni_ridge_step(&r, w->H, &loss, err);
    ni_ridge_free(&r);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    world w;
    (void)state;
    make_world(&w, 0.2, 1);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, ridge_scenario, faults_expect_memory, &w) >= 1);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_steps_end_where_finite_differences_vanish),
        cmocka_unit_test(the_loss_is_the_objective_but_for_a_constant_and_never_grows),
        cmocka_unit_test(without_a_ridge_what_is_singular_stays_finite),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_new_node_has_its_text_and_its_neighbours),
        cmocka_unit_test(every_allocation_may_fail),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
