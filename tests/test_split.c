/* Links, neighbourhoods, held-out pairs, AUC: their invariants on random graphs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "data/split.h"
#include "graph/links.h"

enum { N = 40 };

/* A random graph with loops, reciprocal edges, a hub (node 0) and an isolated node (the last). */
static neap_graph *random_graph(uint64_t seed, uint32_t edges, int weighted, int undirected)
{
    neap_edge *edge = calloc(edges, sizeof *edge);
    neap_graph *g;
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    for (uint32_t i = 0; i < edges; i++)
        edge[i] = (neap_edge){ i % 4 ? (uint32_t)ni_below(&rng, N - 1) : 0, (uint32_t)ni_below(&rng, N - 1),
                               (float)(0.1 + ni_uniform(&rng)) };
    assert_int_equal(neap_graph_create(N, NULL, edge, edges, weighted, undirected, &g, NULL), NEAP_OK);
    free(edge);
    return g;
}

static bool adjacent(const neap_graph *g, uint32_t u, uint32_t v)
{
    return ni_graph_has(g, u, v) || ni_graph_has(g, v, u);
}

static void links_are_all_neighbours_in_either_direction(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        neap_graph *g = random_graph(seed, 120, seed % 2, seed % 3 == 0);
        ni_links links;
        assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
        for (uint32_t u = 0; u < N; u++) {
            uint64_t degree = 0;
            for (uint32_t v = 0; v < N; v++) {
                bool expected = u != v && adjacent(g, u, v);
                assert_int_equal(ni_linked(&links, u, v), expected);
                degree += expected;
            }
            assert_true(ni_degree(&links, u) == degree);
            for (uint64_t i = links.offset[u] + 1; i < links.offset[u + 1]; i++)
                assert_true(links.node[i - 1] < links.node[i]);
        }
        ni_links_free(&links);
        neap_graph_free(g);
    }
}

static void the_weight_of_a_link_is_the_sum_of_both_directions(void **state)
{
    neap_edge edge[] = { { 0, 1, 2 }, { 1, 0, 3 }, { 1, 2, 5 }, { 2, 2, 7 } };
    neap_graph *g;
    ni_links links;
    (void)state;
    assert_int_equal(neap_graph_create(3, NULL, edge, 4, 1, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    assert_true(links.weight[links.offset[0]] == 5);
    assert_true(links.weight[links.offset[1]] == 5 && links.weight[links.offset[1] + 1] == 5);
    assert_int_equal(ni_degree(&links, 2), 1);
    ni_links_free(&links);
    neap_graph_free(g);
}

static void a_stranger_is_any_unlinked_node_with_equal_chance(void **state)
{
    neap_graph *g = random_graph(3, 100, 0, 0);
    ni_links links;
    (void)state;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    for (uint32_t u = 0; u < 5; u++) {
        uint32_t count[N] = { 0 };
        uint32_t strangers = N - 1 - (uint32_t)ni_degree(&links, u), draws = 400 * strangers;
        double chi2 = 0;
        ni_rng rng = ni_rng_at(1, NI_STREAM_TEST, 0, u);
        for (uint32_t i = 0; i < draws; i++) count[ni_stranger(&links, u, &rng)]++;
        for (uint32_t v = 0; v < N; v++) {
            if (v == u || ni_linked(&links, u, v)) assert_int_equal(count[v], 0);
            else chi2 += (count[v] - 400.0) * (count[v] - 400.0) / 400;
        }
        assert_true(chi2 < strangers + 4 * sqrt(2.0 * strangers));
    }
    ni_links_free(&links);
    neap_graph_free(g);
}

static void who_knows_everybody_has_no_stranger(void **state)
{
    neap_edge edge[] = { { 0, 1, 1 }, { 2, 0, 1 } };
    neap_graph *g;
    ni_links links;
    ni_rng rng = ni_rng_at(1, NI_STREAM_TEST, 0, 0);
    (void)state;
    assert_int_equal(neap_graph_create(3, NULL, edge, 2, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    assert_int_equal(ni_stranger(&links, 0, &rng), NEAP_NONE);
    assert_int_equal(ni_stranger(&links, 1, &rng), 2);
    ni_links_free(&links);
    neap_graph_free(g);
}

/* ---- neighbourhoods ---- */

static void a_neighbourhood_is_a_sorted_sample_of_the_links(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        neap_graph *g = random_graph(seed, 150, seed % 2, 0);
        ni_hood_rule rule = { .neighbors = 6, .self = seed % 3, .seed = 1 };
        ni_links links;
        ni_hood hood;
        assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
        assert_int_equal(ni_hood_create(g, &links, &rule, &hood, NULL), NEAP_OK);
        assert_true(hood.capped);
        for (uint32_t u = 0; u < N; u++) {
            const uint32_t *row = hood.node + hood.offset[u];
            uint64_t all = ni_degree(&links, u) + (rule.self && ni_degree(&links, u));
            bool itself = false;
            assert_true(ni_hood_size(&hood, u) == (all < 6 ? all : 6));
            for (uint32_t i = 0; i < ni_hood_size(&hood, u); i++) {
                assert_true(i == 0 || row[i - 1] < row[i]);
                assert_true(row[i] == u || ni_linked(&links, u, row[i]));
                itself = itself || row[i] == u;
            }
            assert_int_equal(itself, rule.self && ni_degree(&links, u) > 0);
        }
        ni_hood_free(&hood);
        ni_links_free(&links);
        neap_graph_free(g);
    }
}

/* A star whose centre keeps one of three links, heavy and light: over many seeds the shares are the
 * weights'. */
static void heavy_links_are_kept_more_often(void **state)
{
    neap_edge edge[] = { { 0, 1, 1 }, { 0, 2, 2 }, { 0, 3, 5 } };
    double kept[4] = { 0 };
    neap_graph *g;
    ni_links links;
    (void)state;
    assert_int_equal(neap_graph_create(4, NULL, edge, 3, 1, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    ni_hood_rule rule = { .neighbors = 1 };
    for (rule.seed = 0; rule.seed < 8000; rule.seed++) {
        ni_hood hood;
        assert_int_equal(ni_hood_create(g, &links, &rule, &hood, NULL), NEAP_OK);
        kept[hood.node[hood.offset[0]]]++;
        ni_hood_free(&hood);
    }
    assert_true(fabs(kept[1] - 1000) < 120 && fabs(kept[2] - 2000) < 160 && fabs(kept[3] - 5000) < 180);
    ni_links_free(&links);
    neap_graph_free(g);
}

/* What a hub was trained with must still be most of what it reads when a few links are added. */
static void a_sample_changes_little_when_few_links_change(void **state)
{
    neap_edge edge[200];
    ni_hood hood[2];
    uint32_t common = 0;
    ni_hood_rule rule = { .neighbors = 50, .seed = 1 };
    (void)state;
    for (int more = 0; more < 2; more++) {
        neap_graph *g;
        ni_links links;
        for (uint32_t i = 0; i < 200; i++) edge[i] = (neap_edge){ 0, i + 1, 1 };
        assert_int_equal(neap_graph_create(201, NULL, edge, more ? 200 : 180, 0, 0, &g, NULL), NEAP_OK);
        assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
        assert_int_equal(ni_hood_create(g, &links, &rule, &hood[more], NULL), NEAP_OK);
        ni_links_free(&links);
        neap_graph_free(g);
    }
    for (uint32_t i = 0; i < 50; i++)
        for (uint32_t j = 0; j < 50; j++) common += hood[0].node[i] == hood[1].node[j];
    assert_in_range(common, 38, 49);
    ni_hood_free(&hood[0]);
    ni_hood_free(&hood[1]);
}

/* ---- held-out pairs ---- */

static void no_held_out_pair_is_left_in_training_in_either_direction(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        neap_graph *g = random_graph(seed, 140, seed % 2, seed % 3 == 0);
        neap_split *s;
        const neap_pair *positive, *negative;
        assert_int_equal(neap_split_create(g, 0.05 + 0.03 * (double)seed, seed, &s, NULL), NEAP_OK);
        size_t count = neap_split_pairs(s, &positive, &negative);
        const neap_graph *train = neap_split_train(s);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            neap_pair p = positive[i], n = negative[i];
            assert_true(p.source != p.target && adjacent(g, p.source, p.target));
            assert_false(adjacent(train, p.source, p.target));
            if (!g->undirected) assert_true(ni_graph_has(g, p.source, p.target)); /* keeps its direction */
            assert_int_equal(n.source, p.source);
            assert_true(n.target != n.source && !adjacent(g, n.source, n.target));
            for (size_t j = 0; j < i; j++)
                assert_false((positive[j].source == p.source && positive[j].target == p.target) ||
                             (positive[j].source == p.target && positive[j].target == p.source));
        }
        /* Nothing else is lost. */
        uint64_t kept = 0;
        for (uint32_t u = 0; u < N; u++)
            for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
                kept += ni_graph_has(train, u, g->target[e]);
        assert_true(kept == train->edges);
        assert_int_equal(train->nodes, N);
        neap_split_free(s);
        neap_graph_free(g);
    }
}

static void a_share_is_kept_to_the_pair(void **state)
{
    neap_edge edge[100];
    neap_graph *g;
    neap_split *s;
    const neap_pair *p, *n;
    (void)state;
    for (uint32_t i = 0; i < 100; i++) edge[i] = (neap_edge){ i, i + 1, 1 };
    assert_int_equal(neap_graph_create(101, NULL, edge, 100, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_split_create(g, 0.25, 1, &s, NULL), NEAP_OK);
    assert_int_equal(neap_split_pairs(s, &p, &n), 25);
    assert_int_equal(neap_graph_edges(neap_split_train(s)), 75);
    neap_split_free(s);
    assert_int_equal(neap_split_create(g, 1.5, 1, &s, NULL), NEAP_E_ARG);
    assert_null(s);
    neap_graph_free(g);
}

static void one_pair_or_a_complete_graph_cannot_be_split(void **state)
{
    neap_edge one[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 1 } },
              all[6] = { { 0, 1, 1 }, { 0, 2, 1 }, { 1, 2, 1 } };
    neap_graph *g;
    neap_split *s;
    neap_error err;
    (void)state;
    assert_int_equal(neap_graph_create(2, NULL, one, 3, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_split_create(g, 0.5, 1, &s, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "too few"));
    neap_graph_free(g);
    assert_int_equal(neap_graph_create(3, NULL, all, 3, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_split_create(g, 0.5, 1, &s, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "no non-link"));
    neap_graph_free(g);
}

/* ---- AUC ---- */

static void auc_counts_every_pair_and_ties_half(void **state)
{
    float p[] = { 3, 1, 2, 2 }, n[] = { 2, 0, 5 };
    double auc;
    (void)state;
    /* against 2: 3 wins, two ties; against 0: all four; against 5: none. (1 + 2/2 + 4 + 0) / 12 */
    assert_int_equal(neap_auc(p, 4, n, 3, &auc, NULL), NEAP_OK);
    assert_true(fabs(auc - 0.5) < 1e-12);
    assert_int_equal(neap_auc(p, 1, n + 1, 1, &auc, NULL), NEAP_OK);
    assert_true(auc == 1);
    float nan = NAN;
    assert_int_equal(neap_auc(p, 4, &nan, 1, &auc, NULL), NEAP_E_NUMERIC);
    assert_int_equal(neap_auc(p, 0, n, 1, &auc, NULL), NEAP_E_ARG);
}

static void auc_agrees_with_counting_by_hand(void **state)
{
    float p[50], n[70];
    ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, 0, 0);
    double auc, wins = 0;
    (void)state;
    for (int i = 0; i < 50; i++) p[i] = (float)ni_below(&rng, 12);
    for (int j = 0; j < 70; j++) n[j] = (float)ni_below(&rng, 12) - 1;
    for (int i = 0; i < 50; i++)
        for (int j = 0; j < 70; j++) wins += p[i] > n[j] ? 1 : p[i] == n[j] ? 0.5 : 0;
    assert_int_equal(neap_auc(p, 50, n, 70, &auc, NULL), NEAP_OK);
    assert_true(fabs(auc - wins / 3500) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_all_neighbours_in_either_direction),
        cmocka_unit_test(the_weight_of_a_link_is_the_sum_of_both_directions),
        cmocka_unit_test(a_stranger_is_any_unlinked_node_with_equal_chance),
        cmocka_unit_test(who_knows_everybody_has_no_stranger),
        cmocka_unit_test(a_neighbourhood_is_a_sorted_sample_of_the_links),
        cmocka_unit_test(heavy_links_are_kept_more_often),
        cmocka_unit_test(a_sample_changes_little_when_few_links_change),
        cmocka_unit_test(no_held_out_pair_is_left_in_training_in_either_direction),
        cmocka_unit_test(a_share_is_kept_to_the_pair),
        cmocka_unit_test(one_pair_or_a_complete_graph_cannot_be_split),
        cmocka_unit_test(auc_counts_every_pair_and_ties_half),
        cmocka_unit_test(auc_agrees_with_counting_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
