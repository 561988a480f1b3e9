/* LINE: the pairs it draws, the step it makes, and what is left of its vectors. */
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

#include "base/sys.h"
#include "walks/skipgram.h"

/* ---- pairs ---- */

/* A loop, an edge with a way back, and an isolated node. */
enum { TOWN = 6 };
static const neap_edge edges[] = { { 0, 1, 1 }, { 0, 2, 3 },    { 1, 0, 2 },
                                   { 1, 1, 9 }, { 2, 3, 0.5f }, { 3, 4, 4 } };
enum { EDGES = sizeof edges / sizeof *edges };

/* Chances of the pairs of an order: edges by weight, in both orders where directions do not count. */
static void chances_of(bool weighted, bool both_ways, double chance[TOWN * TOWN])
{
    memset(chance, 0, TOWN * TOWN * sizeof *chance);
    for (int i = 0; i < EDGES; i++) {
        const neap_edge *e = &edges[i];
        double w = weighted ? (double)e->weight : 1;
        if (e->source == e->target) continue;
        chance[e->source * TOWN + e->target] += both_ways ? w / 2 : w;
        if (both_ways) chance[e->target * TOWN + e->source] += w / 2;
    }
}

static void expect_pairs(const ni_edges *e, bool weighted)
{
    ni_source s = ni_edges_source(e);
    uint64_t count[2][TOWN * TOWN] = { 0 }, made = 0;
    uint32_t layers = s.couples;
    double chance[TOWN * TOWN];
    ni_couple pair[2 * 512];
    assert_int_equal(s.positions, EDGES * NI_EDGE_SAMPLES);
    for (uint64_t epoch = 0; epoch < 100; epoch++) {
        made = ni_source_make(&s, epoch, 0, 512, NULL, pair);
        for (uint64_t i = 0; i < made; i++) {
            uint32_t layer = pair[i].in % layers;
            assert_int_equal(pair[i].out % layers, layer);
            count[layer][pair[i].in / layers * TOWN + pair[i].out / layers]++;
        }
    }
    for (uint32_t layer = 0; layer < layers; layer++) {
        bool second = !e->first || layer;
        chances_of(weighted, !second || !e->along, chance);
        assert_chances(count[layer], chance, TOWN * TOWN);
    }
}

static void pairs_are_edges_by_weight_and_only_order_2_has_a_direction(void **state)
{
    (void)state;
    for (int kind = 0; kind < 12; kind++) {
        bool weighted = kind & 1, along = kind & 2;
        int order = kind >> 2; /* 1, 2, both */
        neap_graph *g;
        assert_int_equal(neap_graph_create(TOWN, NULL, edges, EDGES, weighted, 0, &g, NULL), NEAP_OK);
        ni_edges e = { .graph = g, .first = order != 1, .second = order != 0, .along = along, .seed = 1 };
        assert_int_equal(ni_edges_create(&e, NULL), NEAP_OK);
        expect_pairs(&e, weighted);
        ni_edges_free(&e);
        neap_graph_free(g);
    }
}

static void degrees_are_the_weights_of_edges_in_and_out(void **state)
{
    static const double weighted[] = { 6, 3, 3.5, 4.5, 4, 0 }, plain[] = { 3, 2, 2, 2, 1, 0 };
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const double *due = kind ? weighted : plain;
        uint64_t *degrees;
        neap_graph *g;
        assert_int_equal(neap_graph_create(TOWN, NULL, edges, EDGES, kind, 0, &g, NULL), NEAP_OK);
        ni_edges e = { .graph = g, .first = true };
        assert_int_equal(ni_edges_create(&e, NULL), NEAP_OK);
        assert_int_equal(ni_edges_degrees(&e, &degrees, NULL), NEAP_OK);
        for (int u = 0; u < TOWN; u++)
            assert_float_equal((double)degrees[u] / 0x1p40, due[u] / due[0], 1e-11);
        ni_free(degrees);
        ni_edges_free(&e);
        neap_graph_free(g);
    }
}

/* ---- the step ---- */

enum { NODES = 40, PART = 6, CELLS = NODES * 2 * PART, NEGATIVES = 5, FROM = 3, TO = 8 };

/* A graph of one edge gives one pair for each order; the first has no direction, so that an epoch is looked
 * for in which it is not turned around. */
static uint64_t unturned(const ni_source *s)
{
    ni_couple pair[2];
    uint64_t epoch = 0;
    do assert_int_equal(ni_source_make(s, epoch++, 0, 1, NULL, pair), 2);
    while (pair[0].in != FROM * 2);
    for (uint32_t k = 0; k < 2; k++) assert_true(pair[k].in == FROM * 2 + k && pair[k].out == TO * 2 + k);
    return epoch - 1;
}

/* The negatives that a step draws for the pair of an order, by their coordinates. */
static bool draw_negatives(const ni_grid *grid, uint64_t step, uint32_t order, uint32_t *negative)
{
    bool apart = true;
    ni_rng rng = ni_rng_at(1, NI_STREAM_SKIPGRAM, step, order);
    for (int i = 0; i < NEGATIVES; i++) {
        negative[i] = ni_grid_negative(grid, order, &rng) / 2;
        apart = apart && negative[i] != FROM && negative[i] != TO;
    }
    return apart;
}

/* -log s(x_i.y_j) - sum_n log s(-x_i.y_n) in one order: x are vectors, y vectors (1) or contexts (2). */
static double loss_of(const double *vector, const double *context, uint32_t order, const uint32_t *negative)
{
    const double *x = vector + (FROM * 2 + order) * PART, *y = order ? context : vector;
    double loss = 0;
    for (int i = -1; i < NEGATIVES; i++) {
        const double *other = y + ((i < 0 ? TO : negative[i]) * 2 + order) * PART;
        double z = 0;
        for (int c = 0; c < PART; c++) z += x[c] * other[c];
        loss += log1p(exp(i < 0 ? -z : z));
    }
    return loss;
}

static void expect_step(float table[2][CELLS], double exact[2][CELLS], uint32_t negative[2][NEGATIVES],
                        double rate)
{
    const double h = 1e-5;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < CELLS; i++) {
            double x = exact[t][i], due = 0;
            for (uint32_t order = 0; order < 2; order++) {
                exact[t][i] = x + h, due -= loss_of(exact[0], exact[1], order, negative[order]);
                exact[t][i] = x - h, due += loss_of(exact[0], exact[1], order, negative[order]);
            }
            exact[t][i] = x;
            assert_float_equal((double)table[t][i] - x, rate * due / (2 * h), 1e-6);
        }
}

static void a_step_goes_down_the_gradient_of_both_orders(void **state)
{
    static float table[2][CELLS];
    static double exact[2][CELLS];
    uint64_t weight[NODES], step = 0;
    uint32_t negative[2][NEGATIVES];
    double loss;
    ni_grid grid;
    ni_threads *threads;
    neap_edge one = { FROM, TO, 1 };
    neap_graph *g;
    (void)state;
    assert_int_equal(neap_graph_create(NODES, NULL, &one, 1, 0, 0, &g, NULL), NEAP_OK);
    ni_edges edge = { .graph = g, .first = true, .second = true, .along = true, .seed = 1 };
    assert_int_equal(ni_edges_create(&edge, NULL), NEAP_OK);
    ni_source source = ni_edges_source(&edge);
    source.positions = source.per_task = 1;
    for (int i = 0; i < 2 * CELLS; i++)
        exact[i / CELLS][i % CELLS] = table[i / CELLS][i % CELLS] = (float)(i * 37 % 101) / 101 - 0.5f;
    for (int u = 0; u < NODES; u++) weight[u] = (uint64_t)u + 1;
    assert_int_equal(ni_grid_create(NODES, 2, 1, weight, 0.75, 1, &grid, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    while (!draw_negatives(&grid, step, 0, negative[0]) || !draw_negatives(&grid, step, 1, negative[1]))
        step++;
    ni_skipgram s = { .source = source,
                      .grid = &grid,
                      .threads = threads,
                      .in = table[0],
                      .out = table[1],
                      .tied = 1,
                      .dim = PART,
                      .negatives = NEGATIVES,
                      .seed = 1 };
    assert_int_equal(ni_skipgram_create(&s, 1, NULL), NEAP_OK);
    ni_skipgram_step(&s, unturned(&source), 0, step, 0.1, &loss);
    expect_step(table, exact, negative, 0.1);
    ni_skipgram_free(&s);
    ni_threads_free(threads);
    ni_grid_free(&grid);
    ni_edges_free(&edge);
    neap_graph_free(g);
}

/* ---- the vectors ---- */

static neap_model *train(const neap_options *o)
{
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = 60, .blocks = 3, .p_in = 0.35, .p_out = 0.02, .seed = 1
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    neap_model *m = train_on(g, o, NULL);
    neap_graph_free(g);
    return m;
}

/* The length of each half of each vector, in the order of the nodes. */
static void lengths_of_halves(const char *unit, double *length)
{
    neap_options *o = options_of("neap", "method", "line", "dim", "16", "epochs", "2", "unit", unit, NULL);
    neap_model *m = train(o);
    const float *E = tensor_of(m, "E");
    for (uint32_t part = 0; part < m->rows * 2; part++) length[part] = ni_length(E + part * 8, 8);
    neap_model_free(m);
    neap_options_free(o);
}

static void both_orders_are_directions_side_by_side_or_as_they_were_trained(void **state)
{
    double unit[120], trained[120];
    int other = 0;
    (void)state;
    lengths_of_halves("yes", unit);
    lengths_of_halves("no", trained);
    for (int part = 0; part < 120; part++) {
        assert_float_equal(unit[part], 1, 1e-5);
        other += fabs(trained[part] - 1) > 0.01;
    }
    assert_true(other > 100);
}

static void every_order_learns_the_blocks_of_a_graph(void **state)
{
    static const char *const orders[] = { "1", "2", "both" };
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = 60, .blocks = 3, .p_in = 0.4, .p_out = 0.02, .seed = 1
    };
    neap_graph *g;
    neap_split *s;
    (void)state;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    assert_int_equal(neap_split_create(g, 0.2, 1, &s, NULL), NEAP_OK);
    for (int i = 0; i < 3; i++) {
        neap_options *o =
            options_of("neap", "method", "line", "order", orders[i], "dim", "16", "epochs", "2", NULL);
        neap_model *m = train_on(neap_split_train(s), o, NULL);
        double auc = test_auc(s, m);
        if (!(auc > 0.8)) fail_msg("order %s reaches only %f", orders[i], auc);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_split_free(s);
    neap_graph_free(g);
}

static void an_odd_length_cannot_be_halved(void **state)
{
    neap_options *o = options_of("neap", "method", "line", "dim", "15", NULL);
    neap_edge one = { 0, 1, 1 };
    neap_graph *g;
    neap_error err;
    (void)state;
    assert_int_equal(neap_graph_create(2, NULL, &one, 1, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(train_status(g, o, NULL, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "--dim must be even"));
    neap_graph_free(g);
    neap_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_edges_by_weight_and_only_order_2_has_a_direction),
        cmocka_unit_test(degrees_are_the_weights_of_edges_in_and_out),
        cmocka_unit_test(a_step_goes_down_the_gradient_of_both_orders),
        cmocka_unit_test(both_orders_are_directions_side_by_side_or_as_they_were_trained),
        cmocka_unit_test(every_order_learns_the_blocks_of_a_graph),
        cmocka_unit_test(an_odd_length_cannot_be_halved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
