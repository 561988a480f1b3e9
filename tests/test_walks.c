/* Random walks and draws by weight: exactly the chances that their definitions give. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"

#include "base/sys.h"
#include "walks/skipgram.h"
#include "walks/walker.h"

/* ---- a small town ---- */

enum { NODES = 7, LONE = 6, DRAWS = 100000 };

/* 0 -> 3 and 2 -> 0 have no way back, 1 <-> 2 has two weights, 5 is a sink, 6 stands alone. */
static const neap_edge edges[] = { { 0, 1, 1 }, { 0, 2, 3 }, { 0, 3, 0.5f }, { 1, 0, 2 }, { 1, 2, 1 },
                                   { 1, 4, 4 }, { 2, 0, 2 }, { 2, 1, 3 },    { 2, 3, 1 }, { 3, 4, 2 },
                                   { 3, 1, 1 }, { 4, 3, 1 }, { 4, 0, 0.5f }, { 4, 5, 2 } };
enum { EDGES = sizeof edges / sizeof *edges };

typedef struct town {
    neap_graph *graph;
    ni_links links;
    ni_walker walker;
    double way[NODES][NODES]; /* the weight of a step from one node to another, straight from the list */
} town;

static void build(town *t, bool weighted, bool undirected, bool along, double p, double q)
{
    memset(t, 0, sizeof *t);
    assert_int_equal(neap_graph_create(NODES, NULL, edges, EDGES, weighted, undirected, &t->graph, NULL),
                     NEAP_OK);
    assert_int_equal(ni_links_create(t->graph, &t->links, NULL), NEAP_OK);
    assert_int_equal(ni_walker_create(t->graph, &t->links, along, p, q, &t->walker, NULL), NEAP_OK);
    for (uint32_t i = 0; i < EDGES; i++) {
        const neap_edge *e = &edges[i];
        t->way[e->source][e->target] += (double)e->weight;
        if (!along || undirected) t->way[e->target][e->source] += (double)e->weight;
    }
    for (uint32_t i = 0; i < NODES * NODES && !weighted; i++)
        t->way[i / NODES][i % NODES] = t->way[i / NODES][i % NODES] > 0;
}

static void tear_down(town *t)
{
    ni_walker_free(&t->walker);
    ni_links_free(&t->links);
    neap_graph_free(t->graph);
}

static double sum_of(const double *x)
{
    double sum = 0;
    for (int i = 0; i < NODES; i++) sum += x[i];
    return sum;
}

/* ---- alias tables ---- */

static void expect_alias(const double *weight, uint32_t n, uint64_t seed)
{
    ni_alias table[64];
    double used[64];
    uint32_t scratch[64];
    uint64_t count[64] = { 0 };
    ni_rng rng = ni_rng_at(seed, NI_STREAM_WALK, 0, 0);
    memcpy(used, weight, n * sizeof *used);
    ni_alias_fill(table, used, n, scratch);
    for (int i = 0; i < DRAWS; i++) count[ni_alias_draw(table, n, &rng)]++;
    assert_chances(count, weight, n);
}

static void alias_draws_have_the_chances_of_their_weights(void **state)
{
    double steep[40], even[] = { 2, 2, 2 }, one[] = { 0.1 }, holes[] = { 0, 3, 0, 1, 0 };
    (void)state;
    for (int i = 0; i < 40; i++) steep[i] = pow(1 + i, 1.5);
    expect_alias(steep, 40, 1);
    expect_alias(even, 3, 2);
    expect_alias(one, 1, 3);
    expect_alias(holes, 5, 4);
}

/* ---- steps ---- */

static void expect_first_steps(const town *t)
{
    for (uint32_t u = 0; u < NODES; u++) {
        uint64_t count[NODES] = { 0 };
        uint32_t walk[2];
        for (uint32_t i = 0; i < DRAWS / NODES && sum_of(t->way[u]) > 0; i++) {
            ni_rng rng = ni_rng_at(5, NI_STREAM_WALK, u, i);
            assert_int_equal(ni_walk(&t->walker, u, 2, &rng, walk), 2);
            count[walk[1]]++;
        }
        assert_chances(count, t->way[u], NODES);
    }
}

static void a_first_step_goes_by_the_weights_of_links(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        town t;
        build(&t, kind & 1, kind & 2, kind & 4, 1, 1);
        expect_first_steps(&t);
        tear_down(&t);
    }
}

/* Chances of (v, x) in walks (t, v, x), by the definition of node2vec. */
static void second_chances(const town *w, uint32_t t, double p, double q, double *chance)
{
    for (uint32_t v = 0; v < NODES; v++) {
        double to[NODES];
        for (uint32_t x = 0; x < NODES; x++)
            to[x] = w->way[v][x] * (x == t ? 1 / p : w->way[t][x] > 0 ? 1 : 1 / q);
        double here = sum_of(to) > 0 ? w->way[t][v] / sum_of(w->way[t]) / sum_of(to) : 0;
        for (uint32_t x = 0; x < NODES; x++) chance[v * NODES + x] = here * to[x];
    }
}

static void expect_second_steps(const town *w, double p, double q)
{
    for (uint32_t t = 0; t < LONE; t++) {
        uint64_t count[NODES * NODES] = { 0 };
        double chance[NODES * NODES];
        uint32_t walk[3];
        if (sum_of(w->way[t]) == 0) continue;
        for (uint32_t i = 0; i < DRAWS / 4; i++) {
            ni_rng rng = ni_rng_at(6, NI_STREAM_WALK, t, i);
            if (ni_walk(&w->walker, t, 3, &rng, walk) == 3) count[walk[1] * NODES + walk[2]]++;
        }
        second_chances(w, t, p, q, chance);
        assert_chances(count, chance, NODES * NODES);
    }
}

static void a_second_step_knows_where_it_came_from(void **state)
{
    static const double pq[][2] = { { 1, 1 }, { 0.25, 4 }, { 4, 0.25 }, { 3, 2 }, { 0.5, 0.7 } };
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < sizeof pq / sizeof *pq; i++) {
            town t;
            build(&t, kind & 1, false, kind & 2, pq[i][0], pq[i][1]);
            expect_second_steps(&t, pq[i][0], pq[i][1]);
            tear_down(&t);
        }
}

/* In a tree no way is linked with where a walk came from: with p = q all are as unwelcome, and the leaf's
 * only one is taken all the same. */
static void where_all_ways_are_unwelcome_one_is_taken(void **state)
{
    static const neap_edge tree[] = { { 0, 1, 1 }, { 1, 2, 3 }, { 1, 3, 4 } };
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        const double share[] = { 1, 0, weighted ? 3 : 1, weighted ? 4 : 1 };
        uint64_t count[4] = { 0 };
        uint32_t walk[4];
        town t = { 0 };
        assert_int_equal(neap_graph_create(4, NULL, tree, 3, weighted, 1, &t.graph, NULL), NEAP_OK);
        assert_int_equal(ni_links_create(t.graph, &t.links, NULL), NEAP_OK);
        assert_int_equal(ni_walker_create(t.graph, &t.links, false, 1e6, 1e6, &t.walker, NULL), NEAP_OK);
        for (uint32_t i = 0; i < DRAWS; i++) {
            ni_rng rng = ni_rng_at(7, NI_STREAM_WALK, 0, i);
            assert_int_equal(ni_walk(&t.walker, 0, 4, &rng, walk), 4);
            assert_int_equal(walk[3], 1);
            count[walk[2]]++;
        }
        assert_chances(count, share, 4);
        tear_down(&t);
    }
}

static void weights_that_add_up_to_no_number_are_refused(void **state)
{
    static const neap_edge heavy[] = { { 0, 1, 3e38f }, { 1, 0, 3e38f } };
    neap_graph *g;
    ni_links links;
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(neap_graph_create(2, NULL, heavy, 2, 1, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "weights"));
    neap_graph_free(g);
}

/* ---- whole walks ---- */

static void walks_follow_directions_and_end_at_sinks(void **state)
{
    town t;
    uint32_t walk[50], ended = 0;
    (void)state;
    for (int second = 0; second < 2; second++) {
        build(&t, true, false, true, second ? 0.5 : 1, 1);
        for (uint32_t i = 0; i < 500; i++) {
            ni_rng rng = ni_rng_at(7, NI_STREAM_WALK, 0, i);
            uint32_t length = ni_walk(&t.walker, i % LONE, 50, &rng, walk);
            for (uint32_t k = 1; k < length; k++) assert_true(t.way[walk[k - 1]][walk[k]] > 0);
            assert_true(length == 50 || walk[length - 1] == 5);
            ended += length < 50;
        }
        tear_down(&t);
    }
    assert_true(ended > 100);
}

static void without_directions_nothing_but_isolation_ends_a_walk(void **state)
{
    town t;
    uint32_t walk[50];
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        build(&t, false, kind & 1, kind & 1, kind & 2 ? 2 : 1, 1);
        for (uint32_t u = 0; u < NODES; u++) {
            ni_rng rng = ni_rng_at(8, NI_STREAM_WALK, 0, u);
            assert_int_equal(ni_walk(&t.walker, u, 50, &rng, walk), u == LONE ? 1 : 50);
            assert_int_equal(walk[0], u);
        }
        tear_down(&t);
    }
}

static void walks_abreast_are_the_walks_one_by_one(void **state)
{
    enum { WALKS = 2 * NI_ABREAST + 5, LENGTH = 12 };
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        town t;
        ni_rng rng[WALKS];
        uint32_t start[WALKS], walk[WALKS * LENGTH], lengths[WALKS], alone[LENGTH];
        build(&t, kind & 1, false, kind & 2, kind & 4 ? 3 : 1, kind & 4 ? 0.5 : 1);
        for (uint32_t i = 0; i < WALKS; i++) {
            start[i] = i % NODES;
            rng[i] = ni_rng_at(9, NI_STREAM_WALK, 1, i);
        }
        ni_walk_many(&t.walker, start, WALKS, LENGTH, rng, walk, lengths);
        for (uint32_t i = 0; i < WALKS; i++) {
            ni_rng own = ni_rng_at(9, NI_STREAM_WALK, 1, i);
            assert_int_equal(ni_walk(&t.walker, start[i], LENGTH, &own, alone), lengths[i]);
            assert_memory_equal(alone, walk + i * LENGTH, lengths[i] * sizeof *alone);
            assert_int_equal(own.state, rng[i].state);
        }
        tear_down(&t);
    }
}

/* ---- negatives ---- */

/* weight^(3/4) within the range of the block's outputs, in the layer of the block, and nothing else. */
static void negatives_of_a_block_have_the_power_of_their_weights(void **state)
{
    enum { N = 60, LAYERS = 3, RANGES = 4 };
    uint64_t weight[N];
    ni_grid g;
    (void)state;
    for (uint32_t u = 0; u < N; u++) weight[u] = 1 + (uint64_t)u * u;
    assert_int_equal(ni_grid_create(N, LAYERS, RANGES, NULL, weight, 0.75, 1, &g, NULL), NEAP_OK);
    for (uint32_t block = 0; block < ni_grid_blocks(&g); block += 5) {
        uint64_t count[N] = { 0 };
        double chance[N];
        ni_rng rng = ni_rng_at(1, NI_STREAM_SKIPGRAM, 0, block);
        for (uint32_t u = 0; u < N; u++)
            chance[u] = g.range[u] == block % RANGES ? pow((double)weight[u], 0.75) : 0;
        for (int i = 0; i < DRAWS / 4; i++) {
            uint32_t row = ni_grid_negative(&g, block, &rng);
            assert_int_equal(row % LAYERS, block / RANGES / RANGES);
            count[row / LAYERS]++;
        }
        assert_chances(count, chance, N);
    }
    ni_grid_free(&g);
}

static void the_power_0_draws_all_nodes_alike(void **state)
{
    uint64_t weight[10] = { 0, 1, 100, 7, 0, 0, 3, 1, 1, 9 }, count[10] = { 0 };
    double even[10];
    ni_grid g;
    ni_rng rng = ni_rng_at(2, NI_STREAM_SKIPGRAM, 0, 0);
    (void)state;
    for (int u = 0; u < 10; u++) even[u] = 1;
    assert_int_equal(ni_grid_create(10, 1, 1, NULL, weight, 0, 1, &g, NULL), NEAP_OK);
    for (int i = 0; i < DRAWS; i++) count[ni_grid_negative(&g, 0, &rng)]++;
    assert_chances(count, even, 10);
    ni_grid_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alias_draws_have_the_chances_of_their_weights),
        cmocka_unit_test(a_first_step_goes_by_the_weights_of_links),
        cmocka_unit_test(a_second_step_knows_where_it_came_from),
        cmocka_unit_test(where_all_ways_are_unwelcome_one_is_taken),
        cmocka_unit_test(weights_that_add_up_to_no_number_are_refused),
        cmocka_unit_test(walks_follow_directions_and_end_at_sinks),
        cmocka_unit_test(without_directions_nothing_but_isolation_ends_a_walk),
        cmocka_unit_test(walks_abreast_are_the_walks_one_by_one),
        cmocka_unit_test(negatives_of_a_block_have_the_power_of_their_weights),
        cmocka_unit_test(the_power_0_draws_all_nodes_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
