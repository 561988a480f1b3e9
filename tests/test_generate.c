#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/links.h"

static neap_graph *generate(neap_generator what)
{
    neap_graph *g;
    neap_error err = { 0 };
    what.size = sizeof what;
    if (neap_graph_generate(&what, &g, &err)) fail_msg("%s", err.text);
    neap_graph_report report = NEAP_SIZED(neap_graph_report);
    assert_int_equal(neap_graph_report_of(g, &report, NULL), NEAP_OK);
    assert_string_equal(report.format, "generated");
    return g;
}

static uint64_t hash_of(neap_generator what)
{
    neap_graph *g = generate(what);
    uint64_t hash = neap_graph_hash(g);
    neap_graph_free(g);
    return hash;
}

static void the_seed_alone_decides(void **state)
{
    (void)state;
    neap_generator all[] = {
        { .kind = "er", .nodes = 500, .edges = 3000, .seed = 1 },
        { .kind = "ba", .nodes = 500, .links = 3, .seed = 1 },
        { .kind = "sbm", .nodes = 500, .blocks = 4, .p_in = 0.1, .p_out = 0.01, .seed = 1 }
    };
    for (int i = 0; i < 3; i++) {
        uint64_t first = hash_of(all[i]);
        assert_true(hash_of(all[i]) == first);
        all[i].seed = 2;
        assert_true(hash_of(all[i]) != first);
    }
}

/* These bytes are a promise: the same seed gives the same graph in every version. */
static const uint64_t ER_HASH = UINT64_C(0x77622e03c4d4bd6e), BA_HASH = UINT64_C(0x57566ca5033c541b);

static void the_graphs_of_seed_one_stay_what_they_are(void **state)
{
    (void)state;
    assert_true(hash_of((neap_generator){ .kind = "er", .nodes = 50, .edges = 200, .seed = 1 }) == ER_HASH);
    assert_true(hash_of((neap_generator){ .kind = "ba", .nodes = 50, .links = 3, .seed = 1 }) == BA_HASH);
}

static void er_has_the_edges_asked_for_and_no_loop(void **state)
{
    (void)state;
    neap_graph *g = generate((neap_generator){ .kind = "er", .nodes = 1000, .edges = 200000, .seed = 3 });
    assert_int_equal(g->edges, 200000);
    assert_int_equal(g->report.repeats, 0);
    assert_int_equal(g->report.self_loops, 0);
    assert_false(g->undirected);
    /* Out-degrees are binomial: mean 200, deviation 12.6; none of a thousand is six deviations away. */
    double square = 0;
    for (uint32_t u = 0; u < 1000; u++) {
        double d = (double)(g->offset[u + 1] - g->offset[u]) - 200;
        assert_true(fabs(d) < 80);
        square += d * d / 1000;
    }
    assert_true(square > 120 && square < 205);
    neap_graph_free(g);
    g = generate((neap_generator){ .kind = "er", .nodes = 20, .edges = 380, .seed = 3 }); /* complete */
    assert_int_equal(g->edges, 380);
    neap_graph_free(g);
}

static void ba_is_exact_and_has_hubs(void **state)
{
    (void)state;
    neap_graph *g = generate((neap_generator){ .kind = "ba", .nodes = 20000, .links = 5, .seed = 1 });
    neap_graph_facts f = NEAP_SIZED(neap_graph_facts);
    assert_int_equal(g->edges, (20000 - 5) * 5);
    assert_int_equal(g->report.repeats, 0);
    assert_int_equal(g->report.self_loops, 0);
    assert_int_equal(neap_graph_facts_of(g, &f, NULL), NEAP_OK);
    assert_int_equal(f.components, 1);
    /* The largest degree grows as links * sqrt(nodes) = 707; without preference it would stay near 40. */
    assert_true(f.max_degree > 250 && f.max_degree < 3000);
    neap_graph_free(g);
}

static void sbm_keeps_to_its_blocks(void **state)
{
    (void)state;
    uint64_t inside = 0, between = 0;
    neap_graph *g = generate((neap_generator){
        .kind = "sbm", .nodes = 1000, .blocks = 4, .p_in = 0.1, .p_out = 0.01, .seed = 5 });
    for (uint64_t i = 0; i < g->edges; i++) {
        uint32_t u = ni_graph_source(g, i), v = g->target[i];
        assert_true(u < v);
        inside += u / 250 == v / 250;
        between += u / 250 != v / 250;
    }
    assert_int_equal(g->report.repeats, 0);
    /* 124,500 pairs inside, 375,000 between: means 12,450 and 3,750, deviations 106 and 61. */
    assert_true(inside > 11900 && inside < 13000);
    assert_true(between > 3440 && between < 4060);
    neap_graph_free(g);
    g = generate(
        (neap_generator){ .kind = "sbm", .nodes = 10, .blocks = 3, .p_in = 1, .p_out = 0, .seed = 1 });
    assert_int_equal(g->edges, 3 + 3 + 6); /* blocks of 3, 3 and 4 nodes, complete */
    neap_graph_free(g);
    g = generate(
        (neap_generator){ .kind = "sbm", .nodes = 10, .blocks = 10, .p_in = 0, .p_out = 1, .seed = 1 });
    assert_int_equal(g->edges, 45);
    neap_graph_free(g);
}

/* Time goes with the edges, not with the square of the nodes: this would take hours otherwise. */
static void sparse_graphs_of_many_nodes_are_quick(void **state)
{
    (void)state;
    neap_graph *g = generate((neap_generator){
        .kind = "sbm", .nodes = 200000, .blocks = 50000, .p_in = 0.5, .p_out = 1e-6, .seed = 1 });
    assert_true(g->edges > 150000 && g->edges < 190000);
    neap_graph_free(g);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    neap_generator bad[] = { { .kind = "grid", .nodes = 5 },
                             { .kind = "er", .nodes = 1, .edges = 1 },
                             { .kind = "er", .nodes = 5, .edges = 21 },
                             { .kind = "er", .nodes = 5, .edges = 0 },
                             { .kind = "ba", .nodes = 5, .links = 5 },
                             { .kind = "ba", .nodes = 5, .links = 0 },
                             { .kind = "sbm", .nodes = 5, .blocks = 6, .p_in = 1 },
                             { .kind = "sbm", .nodes = 5, .blocks = 0, .p_in = 1 },
                             { .kind = "sbm", .nodes = 5, .blocks = 1, .p_in = 1.5 },
                             { .kind = "sbm", .nodes = 5, .blocks = 1, .p_in = NAN },
                             { .kind = "sbm", .nodes = 5, .blocks = 1 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        neap_graph *g;
        neap_error err = { 0 };
        bad[i].size = sizeof *bad;
        assert_int_equal(neap_graph_generate(&bad[i], &g, &err), NEAP_E_ARG);
        assert_null(g);
        assert_true(strlen(err.text) > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seed_alone_decides),
        cmocka_unit_test(the_graphs_of_seed_one_stay_what_they_are),
        cmocka_unit_test(er_has_the_edges_asked_for_and_no_loop),
        cmocka_unit_test(ba_is_exact_and_has_hubs),
        cmocka_unit_test(sbm_keeps_to_its_blocks),
        cmocka_unit_test(sparse_graphs_of_many_nodes_are_quick),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
