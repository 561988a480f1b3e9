/* The pairs that walks give, where walks are known in advance: along a directed cycle or path there is one
 * way to go. */
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
#include "walks/sources.h"

enum { NODES = 45, LENGTH = 8, ROUNDS = 3, WINDOW = 4 };

typedef struct road {
    neap_graph *graph;
    ni_links links;
    ni_walker walker;
    ni_windows windows;
    ni_source source;
    ni_couple *pair; /* of all positions of an epoch, task by task */
    uint64_t pairs;
    bool closed; /* a cycle; otherwise a path */
} road;

static void build(road *r, bool closed, bool scales, uint32_t window, uint32_t length)
{
    neap_edge edge[NODES];
    for (uint32_t u = 0; u < NODES; u++) edge[u] = (neap_edge){ u, (u + 1) % NODES, 1 };
    *r = (road){ .closed = closed };
    assert_int_equal(
        neap_graph_create(NODES, NULL, edge, closed ? NODES : NODES - 1, 0, 0, &r->graph, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(r->graph, &r->links, NULL), NEAP_OK);
    assert_int_equal(ni_walker_create(r->graph, &r->links, true, 1, 1, &r->walker, NULL), NEAP_OK);
    r->windows = (ni_windows){ .walker = &r->walker,
                               .rounds = ROUNDS,
                               .length = length,
                               .window = window,
                               .scales = scales,
                               .seed = 1 };
    r->source = ni_windows_source(&r->windows);
}

/* All pairs of an epoch, as ni_skipgram_step asks for them. */
static void make_pairs(road *r, uint64_t epoch)
{
    const ni_source *s = &r->source;
    void *scratch = malloc(s->scratch);
    r->pair = malloc(s->positions * s->couples * sizeof *r->pair);
    r->pairs = 0;
    for (uint64_t first = 0; first < s->positions; first += s->per_task) {
        uint64_t end = first + s->per_task < s->positions ? first + s->per_task : s->positions;
        uint64_t made =
            ni_source_make(s, epoch, first, (uint32_t)(end - first), scratch, r->pair + r->pairs);
        assert_true(made <= (end - first) * s->couples);
        r->pairs += made;
    }
    free(scratch);
}

static void tear_down(road *r)
{
    free(r->pair);
    ni_walker_free(&r->walker);
    ni_links_free(&r->links);
    neap_graph_free(r->graph);
}

/* The walk from a node, by hand. */
static uint32_t walk_from(const road *r, uint32_t start, uint32_t *walk)
{
    uint32_t n = 0;
    for (; n < r->windows.length && (r->closed || start + n < NODES); n++) walk[n] = (start + n) % NODES;
    return n;
}

static void scales_have_all_pairs_so_many_steps_apart_in_both_orders(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        static int32_t due[NODES * WINDOW][NODES * WINDOW];
        road r;
        uint32_t walk[LENGTH];
        build(&r, closed, true, WINDOW, LENGTH);
        make_pairs(&r, 2);
        memset(due, 0, sizeof due);
        for (uint32_t start = 0; start < NODES; start++) {
            uint32_t n = walk_from(&r, start, walk);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = i + 1; j < n && j - i <= WINDOW; j++) {
                    uint32_t k = j - i - 1, a = walk[i] * WINDOW + k, b = walk[j] * WINDOW + k;
                    due[a][b] += ROUNDS;
                    due[b][a] += ROUNDS;
                }
        }
        for (uint64_t i = 0; i < r.pairs; i++) due[r.pair[i].in][r.pair[i].out]--;
        for (uint32_t i = 0; i < NODES * WINDOW * NODES * WINDOW; i++)
            assert_int_equal(due[i / (NODES * WINDOW)][i % (NODES * WINDOW)], 0);
        tear_down(&r);
    }
}

/* The pairs of one centre stand together: all of its window, whose reach is drawn from 1 to WINDOW. */
static void a_window_has_all_nodes_within_its_reach_and_every_reach_alike(void **state)
{
    road r;
    uint64_t reaches[WINDOW] = { 0 };
    double even[WINDOW] = { 1, 1, 1, 1 };
    (void)state;
    build(&r, true, false, WINDOW, 40);
    make_pairs(&r, 0);
    const ni_couple *p = r.pair, *end = r.pair + r.pairs;
    for (uint64_t position = 0; position < r.source.positions; position++) {
        uint32_t i = position % 40, before = 0, after = 0, centre = p->out;
        for (; p < end && p->out == centre; p++) {
            uint32_t far = (p->in + NODES - centre) % NODES;
            if (i == 39 && far < NODES / 2) break; /* the next walk begins where this one ends */
            if (far > NODES / 2) assert_int_equal(after, 0), before++;
            else assert_int_equal(far, ++after);
        }
        uint32_t reach = before > after ? before : after;
        assert_in_range(reach, 1, WINDOW);
        assert_int_equal(before, reach < i ? reach : i);
        assert_int_equal(after, reach < 39 - i ? reach : 39 - i);
        if (i >= WINDOW && i < 40 - WINDOW) reaches[reach - 1]++;
    }
    assert_ptr_equal(p, end);
    assert_chances(reaches, even, WINDOW);
    tear_down(&r);
}

static void visits_are_counted_over_one_walk_from_every_node(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        road r;
        ni_threads *threads;
        uint64_t *visits, due[NODES] = { 0 };
        uint32_t walk[LENGTH];
        build(&r, closed, false, WINDOW, LENGTH);
        assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
        assert_int_equal(ni_windows_visits(&r.windows, threads, &visits, NULL), NEAP_OK);
        for (uint32_t start = 0; start < NODES; start++)
            for (uint32_t n = walk_from(&r, start, walk); n-- > 0;) due[walk[n]]++;
        assert_memory_equal(visits, due, sizeof due);
        ni_free(visits);
        ni_threads_free(threads);
        tear_down(&r);
    }
}

static void thinning_keeps_what_the_formula_says(void **state)
{
    uint64_t visits[] = { 900, 90, 10, 0 };
    float *kept;
    (void)state;
    assert_int_equal(ni_windows_thin(visits, 4, 0.01, &kept, NULL), NEAP_OK);
    assert_float_equal(kept[0], (sqrt(90) + 1) / 90, 1e-6);
    assert_float_equal(kept[1], (sqrt(9) + 1) / 9, 1e-6);
    assert_float_equal(kept[2], 1, 0);
    assert_float_equal(kept[3], 1, 0);
    ni_free(kept);
    assert_int_equal(ni_windows_thin(visits, 4, 0, &kept, NULL), NEAP_OK);
    assert_null(kept);
}

/* With a window of 1, what is left of a walk gives two pairs for each step, so that pairs count visits. */
static void a_thinned_walk_keeps_its_share_and_joins_what_is_left(void **state)
{
    enum { LONG = 400 };
    float kept[NODES];
    double visits = 0, due = 0;
    road r;
    (void)state;
    for (uint32_t u = 0; u < NODES; u++) kept[u] = u % 3 == 0 ? 0 : u % 3 == 1 ? 0.3f : 1;
    build(&r, true, false, 1, LONG);
    r.windows.kept = kept;
    make_pairs(&r, 0);
    visits = (double)r.pairs / 2 + NODES * ROUNDS;
    for (uint32_t u = 0; u < NODES; u++) due += ROUNDS * LONG * (double)kept[u];
    assert_float_equal(visits, due, 5 * sqrt(ROUNDS * LONG * NODES / 3 * 0.3 * 0.7));
    for (uint64_t i = 0; i < r.pairs; i++) {
        uint32_t far = (r.pair[i].out + NODES - r.pair[i].in) % NODES;
        assert_true(kept[r.pair[i].in] > 0 && kept[r.pair[i].out] > 0);
        assert_true(far <= 3 || far >= NODES - 3); /* a node that is always kept lies in every three */
    }
    tear_down(&r);
}

/* Pairs of scale k that are left are still k + 1 steps apart. */
static void a_thinned_walk_keeps_its_scales(void **state)
{
    float kept[NODES];
    road r;
    (void)state;
    for (uint32_t u = 0; u < NODES; u++) kept[u] = u % 3 ? 0.7f : 0;
    build(&r, true, true, WINDOW, LENGTH);
    r.windows.kept = kept;
    make_pairs(&r, 0);
    assert_true(r.pairs > 0);
    for (uint64_t i = 0; i < r.pairs; i++) {
        uint32_t in = r.pair[i].in / WINDOW, out = r.pair[i].out / WINDOW,
                 apart = r.pair[i].in % WINDOW + 1;
        assert_int_equal(r.pair[i].out % WINDOW + 1, apart);
        assert_true((in + apart) % NODES == out || (out + apart) % NODES == in);
        assert_true(kept[in] > 0 && kept[out] > 0);
    }
    tear_down(&r);
}

static void another_epoch_walks_anew(void **state)
{
    road a, b;
    (void)state;
    build(&a, true, false, WINDOW, LENGTH);
    build(&b, true, false, WINDOW, LENGTH);
    make_pairs(&a, 0);
    make_pairs(&b, 1);
    assert_true(a.pairs != b.pairs || memcmp(a.pair, b.pair, a.pairs * sizeof *a.pair));
    tear_down(&a);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_have_all_pairs_so_many_steps_apart_in_both_orders),
        cmocka_unit_test(a_window_has_all_nodes_within_its_reach_and_every_reach_alike),
        cmocka_unit_test(visits_are_counted_over_one_walk_from_every_node),
        cmocka_unit_test(thinning_keeps_what_the_formula_says),
        cmocka_unit_test(a_thinned_walk_keeps_its_share_and_joins_what_is_left),
        cmocka_unit_test(a_thinned_walk_keeps_its_scales),
        cmocka_unit_test(another_epoch_walks_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
