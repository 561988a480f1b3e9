/* VERSE: the ends of its walks are personalised PageRank. (That it trains, resumes and fails as it should
 * is in test_methods.c.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "world.h"

#include "walks/sources.h"

/* 4 is a sink along edges, 5 stands alone. */
enum { NODES = 6, LONE = 5 };
static const neap_edge edges[] = { { 0, 1, 1 },    { 0, 2, 3 }, { 1, 0, 2 },
                                   { 2, 3, 0.5f }, { 3, 0, 1 }, { 3, 4, 4 } };
enum { EDGES = sizeof edges / sizeof *edges };

static void ways_of(bool weighted, bool along, double way[NODES][NODES])
{
    memset(way, 0, NODES * sizeof *way);
    for (int i = 0; i < EDGES; i++) {
        way[edges[i].source][edges[i].target] += (double)edges[i].weight;
        if (!along) way[edges[i].target][edges[i].source] += (double)edges[i].weight;
    }
    for (int i = 0; i < NODES * NODES && !weighted; i++)
        way[i / NODES][i % NODES] = way[i / NODES][i % NODES] > 0;
}

/* Where a walk stops that stops with probability c before each step, and wherever there is no way on. */
static void stops_of(double way[NODES][NODES], uint32_t start, double c, double stop[NODES])
{
    double now[NODES] = { 0 };
    memset(stop, 0, NODES * sizeof *stop);
    now[start] = 1;
    for (int step = 0; step < 3000; step++) {
        double next[NODES] = { 0 };
        for (int u = 0; u < NODES; u++) {
            double out = 0;
            for (int v = 0; v < NODES; v++) out += way[u][v];
            stop[u] += now[u] * (out > 0 ? c : 1);
            for (int v = 0; v < NODES && out > 0; v++) next[v] += now[u] * (1 - c) * way[u][v] / out;
        }
        memcpy(now, next, sizeof now);
    }
}

static void ends_of_walks_are_personalised_pagerank(void **state)
{
    static const double restarts[] = { 0.15, 0.5, 0.02 };
    (void)state;
    for (int kind = 0; kind < 12; kind++) {
        bool weighted = kind & 1, along = kind & 2;
        double way[NODES][NODES], stop[NODES];
        static ni_couple pair[NODES * NI_END_SAMPLES];
        static uint32_t scratch[1 << 16];
        uint64_t count[NODES][NODES] = { 0 };
        neap_graph *g;
        ni_links links;
        ni_walker walker;
        assert_int_equal(neap_graph_create(NODES, NULL, edges, EDGES, weighted, 0, &g, NULL), NEAP_OK);
        assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
        assert_int_equal(ni_walker_create(g, &links, along, 1, 1, &walker, NULL), NEAP_OK);
        ni_walk_ends ends = { &walker, restarts[kind >> 2], 1 };
        ni_source s = ni_ends_source(&ends);
        assert_true(s.scratch <= sizeof scratch && s.positions == NODES * NI_END_SAMPLES);
        for (uint64_t epoch = 0; epoch < 40; epoch++) {
            assert_int_equal(ni_source_make(&s, epoch, 0, (uint32_t)s.positions, scratch, pair),
                             s.positions);
            for (uint64_t i = 0; i < s.positions; i++) count[pair[i].in][pair[i].out]++;
        }
        ways_of(weighted, along, way);
        for (uint32_t u = 0; u < NODES; u++) {
            stops_of(way, u, ends.restart, stop);
            for (int v = 0; v < NODES; v++) stop[v] = stop[v] > 1e-12 ? stop[v] : 0;
            assert_chances(count[u], stop, NODES);
        }
        ni_walker_free(&walker);
        ni_links_free(&links);
        neap_graph_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ends_of_walks_are_personalised_pagerank) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
