#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/rng.h"
#include "faults.h"
#include "graph/graph.h"
#include "graph/links.h"
#include "io/tensors.h"
#include "scratch.h"

enum { NODES = 40 };

static neap_graph *build(uint32_t nodes, const neap_edge *edges, uint64_t count, int weighted,
                         int undirected)
{
    neap_graph *g;
    neap_error err = { 0 };
    if (neap_graph_create(nodes, NULL, edges, count, weighted, undirected, &g, &err))
        fail_msg("%s", err.text);
    return g;
}

static uint64_t random_edges(uint64_t seed, neap_edge *edges)
{
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    uint64_t count = 1 + ni_below(&rng, 600);
    uint32_t nodes = (uint32_t)(1 + ni_below(&rng, NODES));
    for (uint64_t i = 0; i < count; i++)
        edges[i] = (neap_edge){ (uint32_t)ni_below(&rng, nodes), (uint32_t)ni_below(&rng, nodes),
                                (float)(1 + ni_below(&rng, 9)) };
    return count;
}

static void the_builder_agrees_with_a_matrix(void **state)
{
    (void)state;
    neap_edge edges[600];
    for (uint64_t seed = 0; seed < 200; seed++) {
        float sum[NODES][NODES] = { { 0 } };
        int undirected = seed % 2, weighted = seed / 2 % 2;
        uint64_t count = random_edges(seed, edges), distinct = 0, loops = 0;
        neap_graph *g = build(NODES, edges, count, weighted, undirected);
        for (uint64_t i = 0; i < count; i++) {
            uint32_t s = edges[i].source, t = edges[i].target;
            sum[undirected && s > t ? t : s][undirected && s > t ? s : t] += edges[i].weight;
        }
        for (uint32_t u = 0; u < NODES; u++) {
            const uint32_t *target;
            const float *weight;
            uint64_t degree = neap_graph_edges_of(g, u, &target, &weight), k = 0;
            assert_int_equal(weight != NULL, weighted);
            for (uint32_t v = 0; v < NODES; v++) {
                bool there = undirected ? sum[u][v] + sum[v][u] > 0 : sum[u][v] > 0;
                assert_int_equal(ni_graph_has(g, u, v), there);
                if (!(sum[u][v] > 0)) continue;
                assert_true(k < degree && target[k] == v);
                if (weighted) assert_true(weight[k] == sum[u][v]);
                assert_int_equal(ni_graph_source(g, g->offset[u] + k), u);
                loops += u == v;
                distinct++;
                k++;
            }
            assert_int_equal(k, degree);
        }
        assert_int_equal(neap_graph_edges(g), distinct);
        assert_int_equal(g->report.edges_read, count);
        assert_int_equal(g->report.repeats, count - distinct);
        assert_int_equal(g->report.self_loops, loops);
        neap_graph_free(g);
    }
}

static void large_node_numbers_sort_by_all_their_digits(void **state)
{
    (void)state;
    enum { MANY = 5000000 };
    neap_edge edges[1000];
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 0);
    for (int i = 0; i < 1000; i++)
        edges[i] = (neap_edge){ (uint32_t)ni_below(&rng, MANY), (uint32_t)ni_below(&rng, MANY), 1 };
    ni_builder b;
    neap_graph *g;
    ni_builder_init(&b);
    b.names.count = MANY; /* the names themselves play no part in sorting */
    for (int i = 0; i < 1000; i++) assert_true(ni_builder_add(&b, edges[i].source, edges[i].target, 1));
    assert_int_equal(ni_builder_finish(&b, &g, NULL), NEAP_OK);
    for (int i = 0; i < 1000; i++) assert_true(ni_graph_has(g, edges[i].source, edges[i].target));
    for (uint64_t i = 0; i < g->edges; i++) {
        uint32_t u = ni_graph_source(g, i);
        assert_true(i == g->offset[u] || g->target[i] > g->target[i - 1]);
    }
    assert_int_equal(g->edges, 1000);
    neap_graph_free(g);
}

static void creating_checks_what_it_is_given(void **state)
{
    (void)state;
    neap_graph *g;
    neap_error err = { 0 };
    const char *twins[] = { "a", "b", "a" }, *empty[] = { "a", "" };
    neap_edge outside = { 0, 2, 1 }, bad = { 0, 1, NAN }, zero = { 0, 1, 0 };
    assert_int_equal(neap_graph_create(3, twins, NULL, 0, 0, 0, &g, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "nodes 0 and 2 are both named 'a'"));
    assert_int_equal(neap_graph_create(2, empty, NULL, 0, 0, 0, &g, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_create(2, NULL, &outside, 1, 0, 0, &g, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_create(2, NULL, &bad, 1, 1, 0, &g, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_create(2, NULL, &zero, 1, 1, 0, &g, &err), NEAP_E_ARG);
    assert_null(g);
    assert_int_equal(neap_graph_create(2, NULL, &zero, 1, 0, 0, &g, &err), NEAP_OK);
    neap_graph_free(g);
}

static void a_node_is_found_by_name_or_near_names_are_told(void **state)
{
    (void)state;
    const char *names[] = { "libc6", "libc6-dev", "zlib1g", "bash", "a-much-longer-name" };
    neap_edge edge = { 0, 1, 1 };
    neap_graph *g;
    neap_error err = { 0 };
    uint32_t node;
    assert_int_equal(neap_graph_create(5, names, &edge, 1, 0, 0, &g, &err), NEAP_OK);
    for (uint32_t u = 0; u < 5; u++) {
        assert_int_equal(neap_graph_find(g, names[u], &node, &err), NEAP_OK);
        assert_int_equal(node, u);
        assert_string_equal(neap_graph_name(g, u), names[u]);
    }
    assert_null(neap_graph_name(g, 5));
    assert_int_equal(neap_graph_find(g, "zlib1", &node, &err), NEAP_E_UNKNOWN);
    assert_string_equal(err.text, "there is no node 'zlib1'; did you mean 'zlib1g' or 'libc6'?");
    assert_int_equal(neap_graph_find(g, "quite another", &node, &err), NEAP_E_UNKNOWN);
    assert_string_equal(err.text, "there is no node 'quite another'");
    neap_graph_free(g);
}

/* Numbers and words of all lengths, in an order that makes the small ones move from the hash. */
static void names_keep_their_numbers_while_the_index_grows(void **state)
{
    (void)state;
    ni_names names, copy;
    char text[40];
    uint32_t number, twin;
    ni_names_init(&names);
    for (uint32_t i = 0; i < 30000; i++) {
        uint64_t value = ni_permute(1, NI_STREAM_GRAPH, 0, 30000, i);
        int n = i % 3 == 0   ? sprintf(text, "0%llu", (unsigned long long)value)
                : i % 3 == 1 ? sprintf(text, "%llu", (unsigned long long)value)
                             : sprintf(text, "a rather long prefix %llu", (unsigned long long)value);
        assert_true(ni_names_intern(&names, text, (size_t)n, &number));
        assert_int_equal(number, i);
    }
    assert_true(ni_names_copy(&copy, &names));
    assert_true(ni_names_index(&names, &twin));
    assert_int_equal(twin, 30000);
    for (uint32_t i = 0; i < 30000; i++) {
        assert_true(ni_names_find(&names, ni_name(&copy, i), ni_name_length(&copy, i), &number) &&
                    number == i);
        assert_true(ni_names_find(&copy, ni_name(&names, i), ni_name_length(&names, i), &number) &&
                    number == i);
        assert_true(ni_names_intern(&names, ni_name(&copy, i), ni_name_length(&copy, i), &number) &&
                    number == i);
    }
    assert_false(ni_names_find(&names, "30000", 5, &number));
    assert_false(ni_names_find(&names, "99999999", 8, &number));
    assert_true(ni_names_drop(&names, 7));
    assert_false(ni_names_find(&names, ni_name(&copy, 6), ni_name_length(&copy, 6), &number));
    assert_true(ni_names_find(&names, ni_name(&copy, 7), ni_name_length(&copy, 7), &number) && number == 0);
    ni_names_free(&names);
    ni_names_free(&copy);
}

static bool no_loop(void *user, uint32_t s, uint32_t t)
{
    (void)user;
    return s != t;
}

static void a_copy_is_the_same_and_a_filter_keeps_the_nodes(void **state)
{
    (void)state;
    neap_edge edges[] = { { 0, 1, 1 }, { 1, 1, 2 }, { 2, 0, 3 } };
    neap_graph *g = build(4, edges, 3, 1, 0), *same, *less;
    same = ni_graph_share(g); /* freed in the order that is least convenient */
    assert_int_equal(ni_graph_filter(g, no_loop, NULL, &less, NULL), NEAP_OK);
    assert_int_equal(less->edges, 2);
    assert_int_equal(less->nodes, 4);
    assert_true(less->weight[1] == 3);
    assert_true(neap_graph_hash(less) != neap_graph_hash(g));
    neap_graph_free(less);
    neap_graph_free(g);
    assert_true(same->weight[2] == 3);
    neap_graph_free(same);
}

static void the_hash_sees_every_part(void **state)
{
    (void)state;
    neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 2 } }, other[] = { { 0, 1, 1 }, { 1, 2, 3 } },
              third[] = { { 0, 1, 1 }, { 0, 2, 2 } };
    const char *names[] = { "0", "1", "x" };
    neap_graph *g[6] = { build(3, edges, 2, 1, 0), build(3, other, 2, 1, 0), build(3, edges, 2, 0, 0),
                         build(3, edges, 2, 1, 1), build(3, third, 2, 1, 0), NULL };
    assert_int_equal(neap_graph_create(3, names, edges, 2, 1, 0, &g[5], NULL), NEAP_OK);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < i; k++) assert_true(neap_graph_hash(g[i]) != neap_graph_hash(g[k]));
    for (int i = 0; i < 6; i++) neap_graph_free(g[i]);
}

static void facts_count_what_people_ask_for(void **state)
{
    (void)state;
    neap_graph_facts f = NEAP_SIZED(neap_graph_facts);
    neap_edge edges[] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 2, 1 }, { 3, 3, 1 }, { 4, 5, 1 } };
    neap_graph *g = build(7, edges, 5, 0, 0);
    assert_int_equal(neap_graph_facts_of(g, &f, NULL), NEAP_OK);
    assert_int_equal(f.nodes, 7);
    assert_int_equal(f.edges, 5);
    assert_int_equal(f.self_loops, 1);
    assert_int_equal(f.isolated, 1);
    assert_int_equal(f.components, 4);
    assert_int_equal(f.largest_component, 3);
    assert_int_equal(f.max_degree, 2);
    assert_int_equal(f.hub, 1);
    assert_int_equal(f.pairs, 3);
    assert_int_equal(f.reciprocal, 1);
    assert_true(fabs(f.mean_degree - 6.0 / 7) < 1e-12);
    neap_graph_free(g);
}

/* By trying all colourings of few nodes. */
static bool has_two_colours(const neap_edge *edges, uint64_t count, uint32_t nodes)
{
    for (uint32_t colours = 0; colours < 1u << nodes; colours++) {
        bool ok = true;
        for (uint64_t i = 0; i < count && ok; i++)
            ok = (colours >> edges[i].source & 1) != (colours >> edges[i].target & 1);
        if (ok) return true;
    }
    return false;
}

static void sides_are_those_of_a_colouring_by_trial(void **state)
{
    (void)state;
    enum { FEW = 8 };
    unsigned seen[2] = { 0 };
    for (uint64_t seed = 0; seed < 400; seed++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
        neap_edge edges[FEW];
        uint64_t count = 1 + ni_below(&rng, FEW);
        uint8_t side[FEW];
        bool bipartite;
        for (uint64_t i = 0; i < count; i++)
            edges[i] = (neap_edge){ (uint32_t)ni_below(&rng, FEW), (uint32_t)ni_below(&rng, FEW), 1 };
        neap_graph *g = build(FEW, edges, count, 0, seed % 2);
        ni_links links;
        assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
        assert_int_equal(ni_graph_sides(g, &links, side, &bipartite, NULL), NEAP_OK);
        assert_int_equal(bipartite, has_two_colours(edges, count, FEW));
        for (uint64_t i = 0; i < count && bipartite; i++)
            assert_int_equal(side[edges[i].source] + side[edges[i].target], 1);
        for (uint32_t u = 0; u < FEW && bipartite; u++)
            assert_int_equal(side[u] == NI_SIDE_NONE, ni_degree(&links, u) == 0);
        seen[bipartite]++;
        ni_links_free(&links);
        neap_graph_free(g);
    }
    assert_true(seen[0] > 50 && seen[1] > 50);
}

static void edges_lead_from_the_first_side_to_the_second(void **state)
{
    (void)state;
    neap_graph_facts f = NEAP_SIZED(neap_graph_facts);
    /* 0, 1 and 4 are bought, by 2, 3 and 5; 6 is alone. */
    neap_edge edges[] = { { 2, 0, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 5, 4, 1 }, { 0, 3, 1 }, { 6, 6, 1 } };
    uint8_t side[7];
    const uint8_t expected[] = { 1, 1, 0, 0, 1, 0, NI_SIDE_NONE };
    bool bipartite;
    ni_links links;
    neap_graph *g = build(7, edges, 5, 0, 0);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    assert_int_equal(ni_graph_sides(g, &links, side, &bipartite, NULL), NEAP_OK);
    assert_true(bipartite);
    assert_memory_equal(side, expected, sizeof expected);
    assert_int_equal(neap_graph_facts_of(g, &f, NULL), NEAP_OK);
    assert_int_equal(f.sides[0], 3);
    assert_int_equal(f.sides[1], 3);
    ni_links_free(&links);
    neap_graph_free(g);
    g = build(7, edges, 6, 0, 0); /* with a self-loop it is not bipartite */
    assert_int_equal(neap_graph_facts_of(g, &f, NULL), NEAP_OK);
    assert_int_equal(f.sides[0] + f.sides[1], 0);
    neap_graph_free(g);
}

static neap_graph *load(const char *path, int undirected)
{
    neap_options *o;
    neap_graph *g;
    neap_error err = { 0 };
    assert_int_equal(neap_options_create(NULL, &o, &err), NEAP_OK);
    assert_int_equal(neap_options_set(o, "undirected", undirected ? "yes" : "no", &err), NEAP_OK);
    if (neap_graph_load(path, o, NULL, &g, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    return g;
}

static bool same_edges(const neap_graph *a, const neap_graph *b)
{
    if (a->edges != b->edges || (a->weight != NULL) != (b->weight != NULL)) return false;
    for (uint64_t i = 0; i < a->edges; i++) {
        uint32_t s, t;
        if (neap_graph_find(b, ni_name(&a->names, ni_graph_source(a, i)), &s, NULL) ||
            neap_graph_find(b, ni_name(&a->names, a->target[i]), &t, NULL) || !ni_graph_has(b, s, t))
            return false;
        const uint32_t *target;
        const float *weight;
        uint64_t n = neap_graph_edges_of(b, b->undirected && s > t ? t : s, &target, &weight);
        for (uint64_t k = 0; k < n && weight; k++)
            if (target[k] == (b->undirected && s > t ? s : t) && weight[k] != a->weight[i]) return false;
    }
    return true;
}

static void comes_back(const neap_graph *g, const char *path)
{
    neap_error err = { 0 };
    if (neap_graph_save(g, path, NULL, &err)) fail_msg("%s: %s", path, err.text);
    neap_graph *back = load(path, g->undirected);
    if (!same_edges(g, back)) fail_msg("%s does not come back", path);
    if (strstr(path, ".safetensors")) assert_true(neap_graph_hash(back) == neap_graph_hash(g));
    neap_graph_free(back);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    static const char *const all[] = { "g.txt", "g.tsv", "g.csv", "g.edges", "g.mtx", "g.safetensors" };
    const char *names[] = { "1", "2", "3", "4", "5" }, *words[] = { "a b", "c,d", "e\"f", "7", "8" },
               *heads[] = { "source", "target", "1", "2", "3" }, *ids[] = { "id1", "id2", "1", "2", "3" },
               *odd[] = { "a\tb", "\"c\"", "#d", "\xef\xbb\xbfx", " f " },
               *marks[] = { "To Node", "src_id", "\"", "\"g", "5\"" },
               *almost[] = { "id1", "id2", "nan", "7", "inf" };
    const char *const *sets[] = { names, words, heads, ids, odd, marks, almost };
    neap_edge edges[] = { { 0, 1, 0.1f }, { 2, 1, 3 }, { 3, 4, 1e-7f }, { 4, 3, 5 } };
    for (unsigned kind = 0; kind < 28; kind++) {
        neap_graph *g;
        unsigned set = kind / 4;
        assert_int_equal(neap_graph_create(5, sets[set], edges, 4, kind & 1, kind >> 1 & 1, &g, NULL),
                         NEAP_OK);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (strcmp(all[i], "g.mtx") || set == 0) comes_back(g, all[i]);
        if (!(kind & 1)) comes_back(g, "g.adj");
        if (set == 0 && kind == 2) comes_back(g, "g.metis");
        neap_graph_free(g);
    }
}

/* Names that begin another format, and weights that look like times. */
static void what_looks_like_something_else_comes_back(void **state)
{
    (void)state;
    static const char *const names[][2] = { { "graph", "{" },    { "digraph", "{x" }, { "{}", "x" },
                                            { "[[", "x" },       { "<html>", "x" },   { "*vertices", "3" },
                                            { "@prefix", "x" },  { "<a>", "<b> ." },  { "//", "graph {" },
                                            { "a", "{'b': 1}" }, { "relation", "x" }, { "1", "time" } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            neap_graph *g;
            neap_edge edges[] = { { 0, 1, 1254192988 }, { 1, 0, 1254192988 } };
            assert_int_equal(neap_graph_create(2, names[i], edges, 2, weighted, 0, &g, NULL), NEAP_OK);
            comes_back(g, "g.txt");
            comes_back(g, "g.tsv");
            comes_back(g, "g.csv");
            if (!weighted) comes_back(g, "g.adj");
            neap_graph_free(g);
        }
}

static void what_a_format_cannot_say_is_refused(void **state)
{
    (void)state;
    const char *names[] = { "a", "b", "c\nd" };
    neap_edge edges[] = { { 0, 1, 0.5f }, { 1, 1, 1 } };
    neap_graph *g;
    neap_error err = { 0 };
    assert_int_equal(neap_graph_create(2, names, edges, 2, 1, 0, &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "g.adj", NULL, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_save(g, "g.metis", NULL, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_save(g, "g.txt.gz", NULL, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_save(g, "g", "nonsense", &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_save(g, "-", "mtx", &err), NEAP_E_ARG);
    assert_int_equal(scratch_count(""), 0);
    neap_graph_free(g);
    assert_int_equal(neap_graph_create(3, names, edges, 2, 1, 0, &g, &err), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "h.csv", NULL, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_save(g, "h.tsv", NULL, &err), NEAP_E_ARG);
    assert_int_equal(neap_graph_save(g, "h.mtx", NULL, &err), NEAP_E_ARG);
    assert_int_equal(scratch_count(""), 0);
    comes_back(g, "g.safetensors");
    neap_graph_free(g);
}

static void names_stand_beside_formats_that_have_numbers_only(void **state)
{
    (void)state;
    const char *names[] = { "ann", "b c", "\"d\"" }, *swapped[] = { "2", "1", "3" },
               *plain[] = { "1", "2", "3" };
    neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 } };
    neap_graph *g;
    assert_int_equal(neap_graph_create(3, plain, edges, 2, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "g.mtx", NULL, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "g.metis", NULL, NULL), NEAP_OK);
    assert_int_equal(scratch_count("g"), 2);
    neap_graph_free(g);
    assert_int_equal(neap_graph_create(3, names, edges, 2, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "g.mtx", NULL, NULL), NEAP_OK);
    scratch_expect("g.mtx.names.txt", "ann\nb c\n\"d\"\n", 12);
    assert_int_equal(neap_graph_save(g, "g.graph", NULL, NULL), NEAP_OK);
    scratch_expect("g.graph.names.txt", "ann\nb c\n\"d\"\n", 12);
    neap_graph_free(g);
    assert_int_equal(neap_graph_create(3, swapped, edges, 2, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "h.mtx", NULL, NULL), NEAP_OK);
    scratch_expect("h.mtx.names.txt", "2\n1\n3\n", 6);
    neap_graph_free(g);
    assert_int_equal(neap_graph_create(3, plain, edges, 2, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(neap_graph_save(g, "h.mtx", NULL, NULL), NEAP_OK); /* those of h no longer hold */
    scratch_expect("h.mtx.names.txt", "1\n2\n3\n", 6);
    neap_graph_free(g);
}

/* Whatever call fails, no graph of numbers stands there without its names. */
static neap_status save_numbers(void *user, neap_error *err)
{
    return neap_graph_save(user, "f.mtx", NULL, err);
}

static void look_for_names(void *user)
{
    (void)user;
    if (!access("f.mtx", F_OK)) assert_int_equal(access("f.mtx.names.txt", F_OK), 0);
    unlink("f.mtx");
    unlink("f.mtx.names.txt");
}

static void the_names_are_there_before_the_numbers(void **state)
{
    (void)state;
    neap_edge edge = { 0, 1, 1 };
    neap_graph *g = build(2, &edge, 1, 0, 0);
    assert_true(faults_crash_each(save_numbers, look_for_names, g) >= 10);
    neap_graph_free(g);
}

/* A small graph as tensors that a test may damage. */
typedef struct tensors {
    uint64_t offset[4], name_offset[4];
    uint32_t target[3];
    float weight[3];
    char bytes[7];
} tensors;

static const tensors sound = { { 0, 2, 3, 3 }, { 0, 2, 4, 6 }, { 0, 2, 2 }, { 1, 2, 3 }, "a\0b\0c" };

static neap_status from(const tensors *x, const char *undirected, neap_error *err)
{
    neap_graph *g;
    ni_tensors t = { 0 };
    const uint64_t offsets = 4, edges = 3, bytes = 6;
    ni_tensors_put(&t, "neap.kind", "graph");
    if (undirected) ni_tensors_put(&t, "undirected", undirected);
    ni_tensors_add(&t, "graph.offsets", NI_U64, 1, &offsets, x->offset);
    ni_tensors_add(&t, "graph.targets", NI_U32, 1, &edges, x->target);
    ni_tensors_add(&t, "graph.weights", NI_F32, 1, &edges, x->weight);
    ni_tensors_add(&t, "names.offsets", NI_U64, 1, &offsets, x->name_offset);
    ni_tensors_add(&t, "names.bytes", NI_U8, 1, &bytes, x->bytes);
    neap_status rc = ni_graph_from_tensors(&t, &g, err);
    assert_true((rc == NEAP_OK) == (g != NULL));
    neap_graph_free(g);
    ni_tensors_release(&t);
    return rc;
}

static void damaged(tensors x, const char *undirected, const char *words)
{
    neap_error err = { 0 };
    assert_int_equal(from(&x, undirected, &err), NEAP_E_FORMAT);
    if (!strstr(err.text, words)) fail_msg("'%s' lacks '%s'", err.text, words);
}

static void every_invariant_of_a_graph_file_is_checked(void **state)
{
    (void)state;
    neap_error err = { 0 };
    tensors x = sound;
    assert_int_equal(from(&x, "no", &err), NEAP_OK);
    assert_int_equal(from(&x, "yes", &err), NEAP_OK);
    damaged(x, NULL, "holds no graph");
    damaged(x, "perhaps", "undirected is 'perhaps'");
    x = sound, x.offset[0] = 1, damaged(x, "no", "graph.offsets[0] is not 0");
    x = sound, x.offset[1] = 4, damaged(x, "no", "graph.offsets[2] is less");
    x = sound, x.offset[3] = 4, damaged(x, "no", "graph.offsets[3] is not the number");
    x = sound, x.target[2] = 3, damaged(x, "no", "graph.targets[2] is no node");
    x = sound, x.target[1] = 0, damaged(x, "no", "graph.targets[1] is out of order");
    x = sound, x.target[2] = 0, damaged(x, "yes", "graph.targets[2] stands at the larger node");
    x = sound, x.weight[1] = INFINITY, damaged(x, "no", "graph.weights[1]");
    x = sound, x.weight[1] = -1, damaged(x, "no", "graph.weights[1]");
    x = sound, x.name_offset[1] = 1,
    damaged(x, "no", "names.offsets[0] gives a name of no possible length");
    x = sound, x.name_offset[3] = 5, damaged(x, "no", "names.offsets[3] is not the number");
    x = sound, x.bytes[1] = 'x', damaged(x, "no", "does not end with its only NUL");
    x = sound, x.bytes[4] = 'a', damaged(x, "no", "names.offsets[2] gives a name for the second time");
}

/* ---- arrays of other programs ---- */

/* Four nodes: 0-1, 0-3, 2-0, 2-2, 3-1, by rows. */
static const uint64_t rows[] = { 0, 2, 2, 4, 5 };
static const uint32_t sources[] = { 0, 0, 2, 2, 3 }, targets[] = { 1, 3, 0, 2, 1 };
static const float weights[] = { 1, 2, 0.5f, 4, 8 };
enum { ROW_NODES = 4, ROW_EDGES = 5 };

static neap_graph_arrays by_row(void)
{
    return (neap_graph_arrays){ .size = sizeof(neap_graph_arrays),
                                .nodes = ROW_NODES,
                                .edges = ROW_EDGES,
                                .offset = rows,
                                .target = targets };
}

/* Names with and without a NUL at their end, and some bytes before the first that are nobody's. */
static const char bare_names[] = "ann\xc3\xa4"
                                 "cid dan",
                  ended_names[] = "..ann\0\xc3\xa4\0cid \0dan";
static const uint64_t bare_at[] = { 0, 3, 5, 9, 12 }, ended_at[] = { 2, 6, 9, 14, 18 };
static const char *const name_list[] = { "ann", "\xc3\xa4", "cid ", "dan" };

static neap_graph *from_arrays(const neap_graph_arrays *a)
{
    neap_graph *g;
    neap_error err = { 0 };
    if (neap_graph_from_arrays(a, &g, &err)) fail_msg("%s", err.text);
    return g;
}

/* Every way to say it makes the graph that neap_graph_create makes. */
static void arrays_make_the_same_graph_as_a_list_of_edges(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * 2 * 2 * 3; kind++) {
        int undirected = kind & 1, weighted = kind >> 1 & 1, by_coordinates = kind >> 2 & 1,
            named = kind >> 3;
        neap_graph_arrays a = by_row();
        neap_edge edge[ROW_EDGES];
        neap_graph *wanted, *g;
        uint32_t from[ROW_EDGES], to[ROW_EDGES];
        float weight[ROW_EDGES];
        for (size_t i = 0; i < ROW_EDGES; i++) {
            size_t at = by_coordinates ? ROW_EDGES - 1 - i : i; /* in any order */
            edge[i] = (neap_edge){ sources[at], targets[at], weights[at] };
            from[i] = sources[at], to[i] = targets[at], weight[i] = weights[at];
        }
        a.undirected = undirected;
        a.target = to;
        if (weighted) a.weight = weight;
        if (by_coordinates) a.source = from, a.offset = NULL;
        if (named) a.name_bytes = named == 1 ? bare_names : ended_names;
        if (named) a.name_offset = named == 1 ? bare_at : ended_at;
        g = from_arrays(&a);
        memset(from, 0xff, sizeof from), memset(to, 0xff, sizeof to); /* they were copied */
        assert_int_equal(neap_graph_create(ROW_NODES, named ? name_list : NULL, edge, ROW_EDGES, weighted,
                                           undirected, &wanted, NULL),
                         NEAP_OK);
        assert_true(neap_graph_hash(g) == neap_graph_hash(wanted));
        assert_int_equal(neap_graph_is_undirected(g), undirected);
        assert_memory_equal(g->offset, wanted->offset, (ROW_NODES + 1) * sizeof *g->offset);
        assert_memory_equal(g->target, wanted->target, g->edges * sizeof *g->target);
        assert_int_equal(g->weight != NULL, weighted);
        assert_int_equal(g->report.edges_read, ROW_EDGES);
        for (uint32_t u = 0; u < ROW_NODES; u++)
            assert_string_equal(neap_graph_name(g, u), neap_graph_name(wanted, u));
        neap_graph_free(wanted);
        neap_graph_free(g);
    }
}

/* Edges of arrays are merged as others are. */
static void repeats_in_arrays_are_merged(void **state)
{
    (void)state;
    const uint32_t from[] = { 1, 0, 1 }, to[] = { 0, 1, 0 };
    const float weight[] = { 1, 2, 4 };
    neap_graph_arrays a = { .size = sizeof a,
                            .nodes = 2,
                            .edges = 3,
                            .source = from,
                            .target = to,
                            .weight = weight,
                            .undirected = 1 };
    neap_graph *g = from_arrays(&a);
    assert_true(g->edges == 1 && g->weight[0] == 7 && g->report.repeats == 2);
    neap_graph_free(g);
}

static void arrays_may_be_empty(void **state)
{
    (void)state;
    const uint64_t none[ROW_NODES + 1] = { 0 };
    neap_graph_arrays a = { .size = sizeof a, .nodes = ROW_NODES, .offset = none };
    neap_graph *g = from_arrays(&a);
    assert_true(neap_graph_nodes(g) == ROW_NODES && neap_graph_edges(g) == 0);
    assert_string_equal(neap_graph_name(g, 3), "3");
    neap_graph_free(g);
    a.offset = NULL; /* no edges have no sources */
    g = from_arrays(&a);
    assert_true(neap_graph_nodes(g) == ROW_NODES && neap_graph_edges(g) == 0);
    neap_graph_free(g);
}

static void refuses_arrays(const neap_graph_arrays *a, const char *words)
{
    neap_graph *g = (neap_graph *)&words;
    neap_error err = { 0 };
    long blocks = atomic_load(&faults.blocks);
    assert_int_equal(neap_graph_from_arrays(a, &g, &err), NEAP_E_ARG);
    assert_null(g);
    assert_int_equal(err.code, NEAP_E_ARG);
    if (!strstr(err.text, words)) fail_msg("'%s' lacks '%s'", err.text, words);
    assert_int_equal(atomic_load(&faults.blocks), blocks);
    assert_int_equal(neap_graph_from_arrays(a, &g, NULL), NEAP_E_ARG);
}

static void what_is_wrong_with_the_edges_of_arrays_is_said(void **state)
{
    (void)state;
    neap_graph_arrays a = by_row();
    const uint64_t falls[] = { 0, 3, 2, 4, 5 }, late[] = { 1, 2, 2, 4, 5 }, few[] = { 0, 2, 2, 4, 4 },
                   beyond[] = { 0, 9, 9, 9, 5 };
    const uint32_t outside[] = { 1, 3, 0, 4, 1 };
    const float zero[] = { 1, 2, 0, 4, 8 }, nan[] = { 1, 2, 3, NAN, 8 },
                infinite[] = { 1, INFINITY, 3, 4, 8 };
    a.size = 0, refuses_arrays(&a, "neap_graph_arrays must begin with its size");
    a = by_row(), a.target = NULL, refuses_arrays(&a, "need their targets");
    a = by_row(), a.offset = NULL, refuses_arrays(&a, "need their sources, or the offsets of rows");
    a = by_row(), a.offset = falls, refuses_arrays(&a, "the offsets of rows fall at node 1");
    a = by_row(), a.offset = beyond, refuses_arrays(&a, "the offsets of rows fall at node 0");
    a = by_row(), a.offset = late, refuses_arrays(&a, "must go from 0 to the number of edges");
    a = by_row(), a.offset = few, refuses_arrays(&a, "must go from 0 to the number of edges");
    a = by_row(), a.target = outside, refuses_arrays(&a, "edge 3 goes from 2 to 4, but there are only 4");
    a = by_row(), a.source = outside, refuses_arrays(&a, "edge 3 goes from 4 to 2, but there are only 4");
    a = by_row(), a.weight = zero, refuses_arrays(&a, "the weight of edge 2 is not positive and finite");
    a = by_row(), a.weight = nan, refuses_arrays(&a, "the weight of edge 3 is not positive and finite");
    a = by_row(), a.weight = infinite,
    refuses_arrays(&a, "the weight of edge 1 is not positive and finite");
}

static neap_graph_arrays named(const char *bytes, const uint64_t *offset)
{
    neap_graph_arrays a = by_row();
    a.name_bytes = bytes;
    a.name_offset = offset;
    return a;
}

static void what_is_wrong_with_the_names_of_arrays_is_said(void **state)
{
    (void)state;
    neap_graph_arrays a = named(bare_names, NULL);
    const uint64_t falls[] = { 0, 3, 2, 9, 12 }, empty[] = { 0, 3, 3, 9, 12 },
                   inside[] = { 2, 7, 9, 14, 17 }, lone[] = { 2, 5, 6, 14, 17 };
    refuses_arrays(&a, "names need their offsets");
    a = named(bare_names, falls), refuses_arrays(&a, "the offsets of names fall at node 1");
    a = named(bare_names, empty), refuses_arrays(&a, "node 1 has no name");
    a = named(ended_names, inside), refuses_arrays(&a, "the name of node 0 has a NUL inside");
    a = named(ended_names, lone), refuses_arrays(&a, "node 1 has no name"); /* nothing but its NUL */
    a = named("annbobanndan", (const uint64_t[]){ 0, 3, 6, 9, 12 });
    refuses_arrays(&a, "nodes 0 and 2 are both named 'ann'");
    a = named("ann\0bobannxdan", (const uint64_t[]){ 0, 4, 7, 10, 14 }); /* with and without its NUL */
    refuses_arrays(&a, "nodes 0 and 2 are both named 'ann'");
}

static void what_newer_callers_ask_for_is_refused_and_older_ones_are_served(void **state)
{
    (void)state;
    struct {
        neap_graph_arrays now;
        size_t later;
    } a = { by_row(), 0 };
    a.now.size = sizeof a;
    neap_graph_free(from_arrays(&a.now));
    a.later = 1;
    refuses_arrays(&a.now, "does not have");
    a.now.size = offsetof(neap_graph_arrays, name_bytes); /* what follows is not looked at */
    a.now.name_bytes = "x", a.now.name_offset = NULL, a.now.undirected = 1;
    neap_graph *g = from_arrays(&a.now);
    assert_string_equal(neap_graph_name(g, 1), "1");
    assert_false(neap_graph_is_undirected(g));
    neap_graph_free(g);
}

/* ---- views of the whole ---- */

static void views_of_all_edges_and_names_are_those_of_each_node(void **state)
{
    (void)state;
    neap_edge edges[600];
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t count = random_edges(seed, edges);
        neap_graph *g = build(NODES, edges, count, seed % 2, seed / 2 % 2);
        const uint64_t *offset, *name_at;
        const uint32_t *target;
        const float *weight;
        const char *bytes;
        assert_int_equal(neap_graph_csr(g, &offset, &target, &weight), neap_graph_edges(g));
        assert_int_equal(neap_graph_csr(g, NULL, NULL, NULL), neap_graph_edges(g));
        assert_true(offset[0] == 0 && offset[NODES] == neap_graph_edges(g));
        assert_int_equal(weight != NULL, seed % 2);
        neap_graph_names(g, &bytes, &name_at);
        for (uint32_t u = 0; u < NODES; u++) {
            const uint32_t *own;
            const float *own_weight;
            assert_int_equal(neap_graph_edges_of(g, u, &own, &own_weight), offset[u + 1] - offset[u]);
            assert_ptr_equal(own, target + offset[u]);
            if (weight) assert_ptr_equal(own_weight, weight + offset[u]);
            assert_ptr_equal(neap_graph_name(g, u), bytes + name_at[u]);
            assert_int_equal(strlen(bytes + name_at[u]) + 1, name_at[u + 1] - name_at[u]);
        }
        /* What is given out can be taken in. */
        neap_graph_arrays a = { .size = sizeof a,
                                .nodes = NODES,
                                .edges = neap_graph_edges(g),
                                .offset = offset,
                                .target = target,
                                .weight = weight,
                                .name_bytes = bytes,
                                .name_offset = name_at,
                                .undirected = neap_graph_is_undirected(g) };
        neap_graph *same = from_arrays(&a);
        assert_true(neap_graph_hash(same) == neap_graph_hash(g));
        neap_graph_free(same);
        neap_graph_free(g);
    }
}

/* ---- files in memory ---- */

/* The bytes of a graph in a new block. */
static char *stored(const neap_graph *g, size_t *size)
{
    neap_error err = { 0 };
    assert_int_equal(neap_graph_to_memory(g, NULL, 0, size, &err), NEAP_E_LIMIT);
    assert_true(*size > 0 && err.code == NEAP_E_LIMIT && err.text[0]);
    char *bytes = malloc(*size);
    size_t need = 0;
    assert_int_equal(neap_graph_to_memory(g, bytes, *size, &need, &err), NEAP_OK);
    assert_int_equal(need, *size);
    return bytes;
}

static void a_graph_in_memory_is_the_file_and_comes_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        neap_graph_arrays a = kind >> 2 ? named(ended_names, ended_at) : by_row();
        if (kind & 1) a.weight = weights;
        a.undirected = kind >> 1 & 1;
        neap_graph *g = from_arrays(&a), *back;
        size_t size;
        char *bytes = stored(g, &size), *shifted = malloc(size + 1);
        assert_int_equal(neap_graph_save(g, "g.safetensors", NULL, NULL), NEAP_OK);
        scratch_expect("g.safetensors", bytes, size);
        memcpy(shifted + 1, bytes, size); /* no address is too odd */
        for (int odd = 0; odd < 2; odd++) {
            assert_int_equal(neap_graph_from_memory(odd ? shifted + 1 : bytes, size, &back, NULL), NEAP_OK);
            assert_true(neap_graph_hash(back) == neap_graph_hash(g));
            neap_graph_free(back);
        }
        free(shifted);
        free(bytes);
        neap_graph_free(g);
    }
}

static void too_little_room_says_the_need_and_writes_nothing(void **state)
{
    (void)state;
    neap_graph_arrays a = by_row();
    neap_graph *g = from_arrays(&a);
    size_t size, need = 0;
    char *bytes = stored(g, &size);
    char untouched[64], seen[64];
    neap_error err = { 0 };
    memset(untouched, 7, sizeof untouched);
    memset(seen, 7, sizeof seen);
    assert_int_equal(neap_graph_to_memory(g, seen, sizeof seen, &need, &err), NEAP_E_LIMIT);
    assert_true(need == size && err.text[0]);
    assert_memory_equal(seen, untouched, sizeof seen);
    memset(bytes, 7, size);
    assert_int_equal(neap_graph_to_memory(g, bytes, size - 1, &need, &err), NEAP_E_LIMIT);
    for (size_t i = 0; i < size; i++) assert_int_equal(bytes[i], 7);
    assert_int_equal(need, size);
    free(bytes);
    neap_graph_free(g);
}

/* Every bit that is turned, every cut, and what does not belong behind the end. */
static void damaged_bytes_in_memory_are_refused(void **state)
{
    (void)state;
    neap_graph_arrays a = by_row();
    a.weight = weights;
    neap_graph *g = from_arrays(&a), *back;
    size_t size;
    char *bytes = stored(g, &size), *longer = calloc(1, size + 64);
    neap_error err = { 0 };
    long blocks = atomic_load(&faults.blocks);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (char)(1 << i % 8);
        assert_int_equal(neap_graph_from_memory(bytes, size, &back, &err), NEAP_E_FORMAT);
        assert_true(!back && err.code == NEAP_E_FORMAT && err.text[0]);
        bytes[i] ^= (char)(1 << i % 8);
    }
    for (size_t cut = 0; cut < size; cut++) {
        char *piece = malloc(cut ? cut : 1); /* whoever reads beyond it is caught */
        memcpy(piece, bytes, cut);
        assert_int_equal(neap_graph_from_memory(piece, cut, &back, &err), NEAP_E_FORMAT);
        assert_null(back);
        free(piece);
    }
    memcpy(longer, bytes, size);
    for (size_t more = 1; more <= 64; more += 7)
        assert_int_equal(neap_graph_from_memory(longer, size + more, &back, &err), NEAP_E_FORMAT);
    assert_int_equal(neap_graph_from_memory("1 2\n3 4\n", 8, &back, &err), NEAP_E_FORMAT);
    assert_int_equal(neap_graph_from_memory(NULL, 0, &back, &err), NEAP_E_FORMAT);
    assert_int_equal(atomic_load(&faults.blocks), blocks);
    free(longer);
    free(bytes);
    neap_graph_free(g);
}

/* A file that is sound but no graph. Nor is one read that happens to be called like what messages call it.
 */
static void only_graphs_are_taken_from_memory(void **state)
{
    (void)state;
    neap_graph_arrays a = by_row();
    neap_graph *g = from_arrays(&a), *back;
    float vectors[ROW_NODES] = { 0 };
    size_t size;
    neap_error err = { 0 };
    assert_int_equal(neap_vectors_save("v.safetensors", g, vectors, ROW_NODES, 1, NULL), NEAP_OK);
    char *bytes = scratch_bytes("v.safetensors", &size);
    assert_int_equal(neap_graph_from_memory(bytes, size, &back, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "not a graph"));
    assert_int_equal(neap_graph_save(g, "memory", "safetensors", NULL), NEAP_OK);
    assert_int_equal(neap_graph_from_memory(NULL, 0, &back, &err), NEAP_E_FORMAT);
    assert_null(back);
    free(bytes);
    neap_graph_free(g);
}

/* ---- no memory ---- */

static neap_status create_and_save(void *user, neap_error *err)
{
    (void)user;
    static const char *const paths[] = { "f.tsv", "f.mtx", "f.metis", "f.safetensors" };
    neap_edge edges[] = { { 2, 1, 1 }, { 0, 1, 2 } };
    neap_graph *g, *copy = NULL;
    neap_graph_facts facts = NEAP_SIZED(neap_graph_facts);
    neap_status rc = neap_graph_create(3, NULL, edges, 2, 1, 1, &g, err);
    if (rc == NEAP_OK) rc = ni_graph_filter(g, no_loop, NULL, &copy, err);
    if (rc == NEAP_OK) rc = neap_graph_facts_of(copy, &facts, err);
    for (int i = 0; i < 4 && rc == NEAP_OK; i++) rc = neap_graph_save(copy, paths[i], NULL, err);
    neap_graph_free(g);
    neap_graph_free(copy);
    return rc;
}

static neap_status through_memory(void *user, neap_error *err)
{
    neap_graph_arrays a = named(ended_names, ended_at);
    neap_graph *g = NULL, *back = NULL;
    char bytes[4096];
    size_t need;
    (void)user;
    neap_status rc = neap_graph_from_arrays(&a, &g, err);
    if (rc == NEAP_OK) rc = neap_graph_to_memory(g, bytes, sizeof bytes, &need, err);
    if (rc == NEAP_OK) rc = neap_graph_from_memory(bytes, need, &back, err);
    neap_graph_free(back);
    neap_graph_free(g);
    return rc;
}

static void is_memory(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    if (rc != NEAP_E_MEM) fail_msg("%d: %s", rc, err->text);
}

static void every_failing_allocation_is_an_ordinary_error(void **state)
{
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, create_and_save, is_memory, NULL) > 20);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, through_memory, is_memory, NULL) > 10);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, true, through_memory, is_memory, NULL) > 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_enter, scratch_leave)

int main(void)
{
    faults_install();
    const struct CMUnitTest tests[] = {
        TEST(the_builder_agrees_with_a_matrix),
        TEST(large_node_numbers_sort_by_all_their_digits),
        TEST(creating_checks_what_it_is_given),
        TEST(a_node_is_found_by_name_or_near_names_are_told),
        TEST(names_keep_their_numbers_while_the_index_grows),
        TEST(a_copy_is_the_same_and_a_filter_keeps_the_nodes),
        TEST(the_hash_sees_every_part),
        TEST(facts_count_what_people_ask_for),
        TEST(sides_are_those_of_a_colouring_by_trial),
        TEST(edges_lead_from_the_first_side_to_the_second),
        TEST(what_is_written_comes_back),
        TEST(what_looks_like_something_else_comes_back),
        TEST(what_a_format_cannot_say_is_refused),
        TEST(names_stand_beside_formats_that_have_numbers_only),
        TEST(the_names_are_there_before_the_numbers),
        TEST(every_invariant_of_a_graph_file_is_checked),
        TEST(arrays_make_the_same_graph_as_a_list_of_edges),
        TEST(repeats_in_arrays_are_merged),
        TEST(arrays_may_be_empty),
        TEST(what_is_wrong_with_the_edges_of_arrays_is_said),
        TEST(what_is_wrong_with_the_names_of_arrays_is_said),
        TEST(what_newer_callers_ask_for_is_refused_and_older_ones_are_served),
        TEST(views_of_all_edges_and_names_are_those_of_each_node),
        TEST(a_graph_in_memory_is_the_file_and_comes_back),
        TEST(too_little_room_says_the_need_and_writes_nothing),
        TEST(damaged_bytes_in_memory_are_refused),
        TEST(only_graphs_are_taken_from_memory),
        TEST(every_failing_allocation_is_an_ordinary_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
