/* FastRP: what its formula says, on graphs small enough to write the matrices down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "settings.h"

#include "base/rng.h"

/* 5 is a sink and 6 stands alone. */
enum { NODES = 7, SINK = 5, LONE = 6, DIM = 11 };
static const neap_edge edges[] = { { 0, 1, 1 }, { 0, 2, 3 }, { 1, 0, 2 }, { 1, 4, 4 }, { 2, 0, 2 },
                                   { 2, 3, 1 }, { 3, 4, 2 }, { 4, 3, 1 }, { 4, 5, 2 } };
enum { EDGES = sizeof edges / sizeof *edges };

static neap_model *train(uint32_t nodes, const neap_edge *edge, uint64_t count, int weighted,
                         const neap_options *o)
{
    neap_graph *g;
    assert_int_equal(neap_graph_create(nodes, NULL, edge, count, weighted, 0, &g, NULL), NEAP_OK);
    neap_model *m = train_on(g, o, NULL);
    neap_graph_free(g);
    return m;
}

/* ---- the formula ---- */

typedef double matrix[NODES][NODES];

static void adjacency(bool weighted, bool along, matrix A)
{
    memset(A, 0, sizeof(matrix));
    for (int i = 0; i < EDGES; i++) {
        const neap_edge *e = &edges[i];
        A[e->source][e->target] += (double)e->weight;
        if (!along) A[e->target][e->source] += (double)e->weight;
    }
    for (int i = 0; i < NODES * NODES && !weighted; i++)
        A[i / NODES][i % NODES] = A[i / NODES][i % NODES] > 0;
}

static double row_sum(const double *row)
{
    double sum = 0;
    for (int i = 0; i < NODES; i++) sum += row[i];
    return sum;
}

/* D^beta R, its entries drawn as the method draws them. */
static void start(uint64_t seed, double beta, bool weighted, double N[NODES][DIM])
{
    matrix both;
    adjacency(weighted, false, both);
    for (uint32_t u = 0; u < NODES; u++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_TABLE, 0, u);
        for (int i = 0; i < DIM; i++) {
            uint64_t side = ni_below(&rng, 6);
            N[u][i] = side > 1 ? 0 : (side ? -1 : 1) * sqrt(3) * pow(row_sum(both[u]), beta);
        }
    }
}

/* One hop further; rows of length 1 times the weight are added to E. */
static void hop(matrix A, double weight, double N[NODES][DIM], double E[NODES][DIM])
{
    double next[NODES][DIM] = { 0 };
    for (int u = 0; u < NODES; u++) {
        double squares = 0;
        for (int v = 0; v < NODES; v++)
            for (int i = 0; i < DIM && A[u][v] > 0; i++) next[u][i] += A[u][v] / row_sum(A[u]) * N[v][i];
        for (int i = 0; i < DIM; i++) squares += next[u][i] * next[u][i];
        for (int i = 0; i < DIM && squares > 0; i++) E[u][i] += weight * next[u][i] / sqrt(squares);
    }
    memcpy(N, next, sizeof next);
}

static void vectors_are_what_the_formula_says(void **state)
{
    static const double weight[] = { 0.5, 2, 0, 1 };
    static const char *const betas[] = { "0", "-0.6" };
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        bool weighted = kind & 1, along = kind & 2;
        neap_options *o = options_of("neap", "method", "fastrp", "dim", "11", "hop-weights", "0.5,2,0,1",
                                     "beta", betas[kind >> 2], "along", along ? "yes" : "no", NULL);
        double N[NODES][DIM], E[NODES][DIM] = { 0 };
        matrix A;
        neap_model *m = train(NODES, edges, EDGES, weighted, o);
        const float *found = tensor_of(m, "E");
        adjacency(weighted, along, A);
        start(m->settings->common.seed, atof(betas[kind >> 2]), weighted, N);
        for (int k = 0; k < 4; k++) hop(A, weight[k], N, E);
        for (int i = 0; i < NODES * DIM; i++)
            assert_float_equal((double)found[i], E[i / DIM][i % DIM], 1e-5);
        neap_model_free(m);
        neap_options_free(o);
    }
}

/* 1 hears the sink 0 very much, and next to nothing of 2: one over what is left after a hop is no float. */
static void a_faint_voice_is_heard_in_full(void **state)
{
    static const neap_edge faint[] = { { 1, 0, 1e30f }, { 1, 2, 1e-10f }, { 2, 3, 1 }, { 3, 2, 1 } };
    neap_options *o = options_of("neap", "method", "fastrp", "dim", "11", "along", "yes", NULL);
    neap_model *m = train(4, faint, 4, 1, o);
    const float *E = tensor_of(m, "E");
    (void)state;
    for (int i = 0; i < 4 * DIM; i++) assert_true(isfinite(E[i]));
    neap_model_free(m);
    neap_options_free(o);
}

static void who_hears_nobody_has_a_zero_vector(void **state)
{
    neap_options *o = options_of("neap", "method", "fastrp", "dim", "11", "along", "yes", NULL);
    neap_model *m = train(NODES, edges, EDGES, 0, o);
    const float *E = tensor_of(m, "E");
    (void)state;
    for (int i = 0; i < DIM; i++) {
        assert_float_equal(E[LONE * DIM + i], 0, 0);
        assert_float_equal(E[SINK * DIM + i], 0, 0);
    }
    neap_model_free(m);
    neap_options_free(o);
}

/* A leaf of a star hears its hub alone, so that hop 1 shows the hub's random vector. */
static void a_third_of_the_projection_is_not_zero_and_both_signs_are_alike(void **state)
{
    enum { LONG = 20000 };
    neap_edge star[] = { { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 1 } };
    neap_options *o = options_of("neap", "method", "fastrp", "dim", "20000", "hop-weights", "1", NULL);
    neap_model *m = train(4, star, 3, 0, o);
    const float *E = tensor_of(m, "E");
    uint64_t count[3] = { 0 };
    (void)state;
    for (int i = 0; i < LONG; i++) {
        float x = E[LONG + i];
        count[x < 0 ? 0 : x > 0 ? 2 : 1]++;
        assert_true(x == 0 || fabs(fabs((double)x) - sqrt(3.0 / LONG)) < 0.1 * sqrt(3.0 / LONG));
    }
    assert_chances(count, (double[]){ 1, 4, 1 }, 3);
    assert_memory_equal(E + LONG, E + 2 * LONG, LONG * sizeof(float));
    neap_model_free(m);
    neap_options_free(o);
}

/* ---- what is refused, and what is said ---- */

static neap_status try_weights(const neap_graph *g, const char *weights, neap_error *err)
{
    neap_options *o = options_of("neap", "method", "fastrp", "hop-weights", weights, NULL);
    neap_status rc = train_status(g, o, NULL, err);
    neap_options_free(o);
    return rc;
}

static void weights_of_hops_that_make_no_sense_are_refused(void **state)
{
    static const char *const bad[] = { "",   "a",   "1,,2", "1,2,", ",1", "0,0",
                                       "-1", "nan", "1e7",  "1 2",  "1;2" };
    neap_edge one = { 0, 1, 1 };
    neap_error err = { 0 };
    neap_graph *g;
    (void)state;
    assert_int_equal(neap_graph_create(2, NULL, &one, 1, 0, 0, &g, NULL), NEAP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(try_weights(g, bad[i], &err), NEAP_E_ARG);
        assert_non_null(strstr(err.text, "--hop-weights takes a number"));
    }
    assert_int_equal(try_weights(g, "1,1,1,1,1,1,1,1,1,1,1,1", &err), NEAP_OK);
    neap_graph_free(g);
}

static void remember(const char *text, void *user)
{
    snprintf(user, 200, "%s", text);
}

static void epochs_have_no_meaning_and_that_is_said(void **state)
{
    neap_edge one = { 0, 1, 1 };
    char text[200] = "";
    neap_hooks hooks = { .size = sizeof hooks, .note = remember, .user = text };
    neap_options *o = options_of("neap", "method", "fastrp", "epochs", "3", NULL);
    neap_graph *g;
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    (void)state;
    assert_int_equal(neap_graph_create(2, NULL, &one, 1, 0, 0, &g, NULL), NEAP_OK);
    neap_model *m = train_on(g, o, &hooks);
    assert_string_equal(text, "--epochs has no meaning for fastrp and changes nothing");
    assert_int_equal(neap_model_facts_of(m, &facts, NULL), NEAP_OK);
    assert_int_equal(facts.epochs, 0);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_what_the_formula_says),
        cmocka_unit_test(who_hears_nobody_has_a_zero_vector),
        cmocka_unit_test(a_faint_voice_is_heard_in_full),
        cmocka_unit_test(a_third_of_the_projection_is_not_zero_and_both_signs_are_alike),
        cmocka_unit_test(weights_of_hops_that_make_no_sense_are_refused),
        cmocka_unit_test(epochs_have_no_meaning_and_that_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
