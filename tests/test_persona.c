/* Circles and the persona graph: exactly what their definitions give on graphs that can be checked by eye,
 * and on any graph as many links, of the same weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"

#include "graph/persona.h"

/* ---- a graph and what was made of it ---- */

typedef struct town {
    neap_graph *graph;
    ni_links links, between; /* of nodes, of personas */
    ni_personas personas;
} town;

static const uint32_t ways[] = { NI_CIRCLES_LABELS, NI_CIRCLES_COMPONENTS };

static void split(town *t, uint32_t way, uint64_t seed, uint32_t threads)
{
    ni_threads *pool;
    neap_error err = { 0 };
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(t->graph, &t->links, NULL), NEAP_OK);
    if (ni_personas_create(&t->links, way, seed, pool, &t->personas, &t->between, &err))
        fail_msg("%s", err.text);
    ni_threads_free(pool);
}

/* edges: "0 1 1 2", unweighted and undirected. */
static town build(uint32_t nodes, const char *edges, uint32_t way)
{
    neap_edge list[256];
    uint64_t count = 0;
    int read;
    town t = { 0 };
    for (; sscanf(edges, "%u %u%n", &list[count].source, &list[count].target, &read) == 2; edges += read)
        list[count++].weight = 1;
    assert_int_equal(neap_graph_create(nodes, NULL, list, count, 0, 1, &t.graph, NULL), NEAP_OK);
    split(&t, way, 1, 2);
    return t;
}

static void tear_down(town *t)
{
    ni_personas_free(&t->personas);
    ni_links_free(&t->between);
    ni_links_free(&t->links);
    neap_graph_free(t->graph);
}

/* All of it as text: "0: 1 2 | 3; 1: 0" says that node 0 has a persona with 1 and 2 and one with 3. */
static void assert_circles(const town *t, const char *expected)
{
    const ni_personas *p = &t->personas;
    char text[1000] = "", *end = text;
    for (uint32_t u = 0; u < p->nodes; u++) {
        end += sprintf(end, "%s%u:", u ? "; " : "", u);
        for (uint32_t i = p->offset[u]; i < p->offset[u + 1]; i++) {
            if (i > p->offset[u]) end += sprintf(end, " |");
            for (uint64_t k = t->between.offset[i]; k < t->between.offset[i + 1]; k++)
                end += sprintf(end, " %u", p->owner[t->between.node[k]]);
        }
    }
    assert_string_equal(text, expected);
}

static void assert_both_ways(uint32_t nodes, const char *edges, const char *expected)
{
    for (int i = 0; i < 2; i++) {
        town t = build(nodes, edges, ways[i]);
        assert_circles(&t, expected);
        tear_down(&t);
    }
}

/* ---- by eye ---- */

static void two_triangles_that_share_a_node_give_it_two_personas(void **state)
{
    (void)state;
    assert_both_ways(5, "0 1 0 2 1 2 0 3 0 4 3 4", "0: 1 2 | 3 4; 1: 0 2; 2: 0 1; 3: 0 4; 4: 0 3");
}

static void the_hub_of_a_star_has_a_persona_for_each_leaf(void **state)
{
    (void)state;
    assert_both_ways(4, "0 1 0 2 0 3", "0: 1 | 2 | 3; 1: 0; 2: 0; 3: 0");
}

static void a_clique_is_one_circle_for_all(void **state)
{
    (void)state;
    assert_both_ways(5, "0 1 0 2 0 3 0 4 1 2 1 3 1 4 2 3 2 4 3 4",
                     "0: 1 2 3 4; 1: 0 2 3 4; 2: 0 1 3 4; 3: 0 1 2 4; 4: 0 1 2 3");
}

static void components_and_lonely_nodes_stay_apart(void **state)
{
    (void)state;
    assert_both_ways(7, "0 2 2 4 0 4 5 6", "0: 2 4; 1:; 2: 0 4; 3:; 4: 0 2; 5: 6; 6: 5");
    assert_both_ways(2, "", "0:; 1:");
}

static void loops_and_repeats_do_not_count(void **state)
{
    (void)state;
    assert_both_ways(4, "0 0 0 1 1 0 0 1 1 1 0 2 1 2 0 3 3 3", "0: 1 2 | 3; 1: 0 2; 2: 0 1; 3: 0");
}

/* Circle numbers follow the first members, and the persona that a link leads to is the one that knows it.
 */
static void a_link_joins_the_personas_whose_circles_hold_its_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        town t = build(6, "0 5 0 1 0 3 1 3 1 4 4 5 1 2", ways[i]);
        assert_circles(&t, "0: 1 3 | 5; 1: 0 3 | 2 | 4; 2: 1; 3: 0 1; 4: 1 | 5; 5: 0 | 4");
        static const uint32_t offsets[] = { 0, 2, 5, 6, 7, 9, 11 };
        static const uint32_t nodes[] = { 2, 6, 9, 0, 6, 5, 7, 3, 0, 2, 4, 10, 1, 8 };
        assert_memory_equal(t.personas.offset, offsets, sizeof offsets);
        assert_int_equal(t.between.offset[11], 14);
        assert_memory_equal(t.between.node, nodes, sizeof nodes);
        tear_down(&t);
    }
}

/* Node 0 knows two cliques of six, 1 .. 6 and 7 .. 12, between which there is the link 1-7. */
static void labels_cut_a_bridge_that_components_keep(void **state)
{
    char edges[1000] = "1 7", *end = edges + 3;
    (void)state;
    for (int u = 1; u <= 12; u++) {
        end += sprintf(end, " 0 %d", u);
        for (int v = u + 1; v <= (u <= 6 ? 6 : 12); v++) end += sprintf(end, " %d %d", u, v);
    }
    town labels = build(13, edges, NI_CIRCLES_LABELS), components = build(13, edges, NI_CIRCLES_COMPONENTS);
    assert_int_equal(ni_personas_of(&labels.personas, 0), 2);
    assert_int_equal(labels.between.offset[1], 6);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(labels.personas.owner[labels.between.node[i]], i + 1);
    assert_int_equal(ni_personas_of(&components.personas, 0), 1);
    tear_down(&labels);
    tear_down(&components);
}

/* ---- by definition ---- */

static neap_graph *random_graph(uint64_t seed)
{
    neap_generator what = { .size = sizeof what, .kind = "ba", .nodes = 300, .links = 4, .seed = seed };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

/* In the slowest way: from a neighbour of u over links to all it reaches without leaving the neighbours. */
static void reach(const ni_links *links, uint32_t u, uint32_t v, uint8_t *seen)
{
    if (seen[v] || !ni_linked(links, u, v)) return;
    seen[v] = 1;
    for (uint64_t k = links->offset[v]; k < links->offset[v + 1]; k++)
        reach(links, u, links->node[k], seen);
}

static uint32_t persona_with(const town *t, uint32_t u, uint32_t v)
{
    for (uint32_t i = t->personas.offset[u]; i < t->personas.offset[u + 1]; i++)
        for (uint64_t k = t->between.offset[i]; k < t->between.offset[i + 1]; k++)
            if (t->personas.owner[t->between.node[k]] == v) return i;
    return NEAP_NONE;
}

static void components_are_who_reaches_whom(void **state)
{
    town t = { .graph = random_graph(1) };
    (void)state;
    split(&t, NI_CIRCLES_COMPONENTS, 1, 2);
    for (uint32_t u = 0; u < t.links.nodes; u++)
        for (uint64_t a = t.links.offset[u]; a < t.links.offset[u + 1]; a++) {
            uint8_t seen[300] = { 0 };
            uint32_t mine = persona_with(&t, u, t.links.node[a]);
            reach(&t.links, u, t.links.node[a], seen);
            for (uint64_t b = t.links.offset[u]; b < t.links.offset[u + 1]; b++)
                assert_int_equal(seen[t.links.node[b]], persona_with(&t, u, t.links.node[b]) == mine);
        }
    tear_down(&t);
}

/* A link of nodes is one link of personas, in both directions and of the same weight. */
static void every_link_is_there_once_with_its_weight(void **state)
{
    neap_edge edge[600];
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 0);
    (void)state;
    for (int i = 0; i < 600; i++)
        edge[i] = (neap_edge){ (uint32_t)ni_below(&rng, 60), (uint32_t)ni_below(&rng, 60), (float)i + 1 };
    for (int w = 0; w < 2; w++) {
        town t = { 0 };
        assert_int_equal(neap_graph_create(60, NULL, edge, 600, 1, 0, &t.graph, NULL), NEAP_OK);
        split(&t, ways[w], 1, 1);
        const ni_personas *p = &t.personas;
        assert_int_equal(t.between.nodes, p->count);
        assert_int_equal(t.between.offset[p->count], t.links.offset[60]);
        for (uint32_t i = 0; i < p->count; i++)
            for (uint64_t k = t.between.offset[i]; k < t.between.offset[i + 1]; k++) {
                uint32_t j = t.between.node[k], u = p->owner[i], v = p->owner[j];
                uint64_t at = t.links.offset[u];
                while (at < t.links.offset[u + 1] && t.links.node[at] != v) at++;
                assert_true(at < t.links.offset[u + 1]);
                assert_true(t.between.weight[k] == t.links.weight[at]);
                assert_true(ni_linked(&t.between, j, i));
                if (k > t.between.offset[i]) assert_true(j > t.between.node[k - 1]);
            }
        tear_down(&t);
    }
}

static void threads_do_not_change_the_personas_and_another_seed_may(void **state)
{
    town one = { .graph = random_graph(2) }, other = { .graph = random_graph(2) };
    (void)state;
    split(&one, NI_CIRCLES_LABELS, 1, 1);
    for (uint32_t threads = 2; threads <= 4; threads += 2) {
        town more = { .graph = random_graph(2) };
        split(&more, NI_CIRCLES_LABELS, 1, threads);
        assert_int_equal(one.personas.count, more.personas.count);
        assert_memory_equal(one.personas.owner, more.personas.owner, 4 * (size_t)one.personas.count);
        assert_memory_equal(one.between.node, more.between.node, 4 * one.between.offset[one.between.nodes]);
        tear_down(&more);
    }
    split(&other, NI_CIRCLES_LABELS, 2, 1);
    assert_int_not_equal(one.personas.count, other.personas.count);
    tear_down(&one);
    tear_down(&other);
}

/* ---- files and memory ---- */

static void owners_from_a_file_are_those_of_all_nodes_in_order(void **state)
{
    static const uint32_t good[] = { 0, 0, 1, 2, 2, 2 }, gap[] = { 0, 0, 2 }, falling[] = { 0, 1, 0, 1, 2 };
    static const uint32_t short_of[] = { 0, 1, 1 }, beyond[] = { 0, 1, 2, 3 }, late[] = { 1, 1, 2 };
    static const uint32_t offsets[] = { 0, 2, 3, 6 };
    ni_personas p;
    (void)state;
    assert_int_equal(ni_personas_take(good, 6, 3, &p, NULL), NEAP_OK);
    assert_memory_equal(p.offset, offsets, sizeof offsets);
    ni_personas_free(&p);
    assert_int_equal(ni_personas_take(gap, 3, 3, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(ni_personas_take(falling, 5, 3, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(ni_personas_take(short_of, 3, 3, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(ni_personas_take(beyond, 4, 3, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(ni_personas_take(late, 3, 3, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(ni_personas_take(good, 2, 3, &p, NULL), NEAP_E_FORMAT);
    assert_int_equal(ni_personas_take(NULL, 0, 3, &p, NULL), NEAP_E_FORMAT);
}

typedef struct scene {
    const ni_links *links;
    ni_threads *pool;
} scene;

static neap_status split_again(void *user, neap_error *err)
{
    const scene *s = user;
    ni_personas p;
    ni_links between;
    neap_status rc = ni_personas_create(s->links, NI_CIRCLES_LABELS, 1, s->pool, &p, &between, err);
    ni_personas_free(&p);
    ni_links_free(&between);
    return rc;
}

static void no_memory_is_an_error_and_leaves_nothing_behind(void **state)
{
    neap_graph *g = random_graph(3);
    ni_links links;
    scene s = { .links = &links };
    (void)state;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        assert_int_equal(ni_threads_create(threads, &s.pool, NULL), NEAP_OK);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, true, split_again, faults_expect_memory, &s) > 8);
        ni_threads_free(s.pool);
    }
    ni_links_free(&links);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_triangles_that_share_a_node_give_it_two_personas),
        cmocka_unit_test(the_hub_of_a_star_has_a_persona_for_each_leaf),
        cmocka_unit_test(a_clique_is_one_circle_for_all),
        cmocka_unit_test(components_and_lonely_nodes_stay_apart),
        cmocka_unit_test(loops_and_repeats_do_not_count),
        cmocka_unit_test(a_link_joins_the_personas_whose_circles_hold_its_ends),
        cmocka_unit_test(labels_cut_a_bridge_that_components_keep),
        cmocka_unit_test(components_are_who_reaches_whom),
        cmocka_unit_test(every_link_is_there_once_with_its_weight),
        cmocka_unit_test(threads_do_not_change_the_personas_and_another_seed_may),
        cmocka_unit_test(owners_from_a_file_are_those_of_all_nodes_in_order),
        cmocka_unit_test(no_memory_is_an_error_and_leaves_nothing_behind),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
