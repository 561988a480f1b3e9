/* Evidence about pairs against the slow, obvious definition on dense matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "evidence/eigenpairs.h"
#include "evidence/examples.h"
#include "evidence/masked.h"
#include "evidence/measure.h"

enum { MOST = 40 };

/* A small graph, dense: a node without links, a hub, loops, links in both directions. */
typedef struct world {
    uint32_t n;
    bool undirected;
    double edge[MOST][MOST]; /* weight of s -> t, or 0 */
    neap_graph *graph;
    ni_links links;
    ni_view view;
    float node[NI_NODE_VALUES * MOST];
    ni_globals globals;
    ni_threads *threads;
} world;

static bool is_gone(const neap_pair *gone, uint32_t count, uint32_t s, uint32_t t)
{
    for (uint32_t i = 0; i < count; i++)
        if ((s == gone[i].source && t == gone[i].target) || (t == gone[i].source && s == gone[i].target))
            return true;
    return false;
}

/* The same without the links between the ends of `gone`. */
static world *make_without(uint32_t n, bool undirected, bool weighted, uint64_t seed, const neap_pair *gone,
                           uint32_t gone_count)
{
    world *w = calloc(1, sizeof *w);
    neap_edge edge[MOST * MOST];
    uint64_t count = 0;
    w->n = n;
    w->undirected = undirected;
    for (uint32_t s = 0; s + 1 < n; s++) /* the last node has no link */
        for (uint32_t t = undirected ? s : 0; t + 1 < n; t++) {
            ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, s, t);
            double chance = s == 1 || t == 1 ? 0.8 : s == t ? 0.2 : 0.12;
            if (ni_uniform(&rng) >= chance || (s != t && is_gone(gone, gone_count, s, t))) continue;
            float weight = weighted ? 1 + (float)ni_below(&rng, 3) : 1;
            edge[count++] = (neap_edge){ s, t, weight };
            w->edge[s][t] = (double)weight;
            if (undirected) w->edge[t][s] = (double)weight;
        }
    assert_int_equal(neap_graph_create(n, NULL, edge, count, weighted, undirected, &w->graph, NULL),
                     NEAP_OK);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
    assert_int_equal(ni_view_create(w->graph, &w->links, &w->view, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(2, &w->threads, NULL), NEAP_OK);
    assert_int_equal(ni_node_values(&w->view, w->threads, w->node, NULL), NEAP_OK);
    w->globals = (ni_globals){ .view = &w->view, .groups = ~0u, .node = w->node };
    assert_int_equal(ni_globals_finish(&w->globals, w->threads, NULL), NEAP_OK);
    return w;
}

static world *make(uint32_t n, bool undirected, bool weighted, uint64_t seed)
{
    return make_without(n, undirected, weighted, seed, NULL, 0);
}

static void end(world *w)
{
    ni_globals_free(&w->globals);
    ni_view_free(&w->view);
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    ni_threads_free(w->threads);
    free(w);
}

/* ---- definitions ---- */

static bool leads(const world *w, uint32_t s, uint32_t t)
{
    return s != t && w->edge[s][t] > 0;
}

static bool linked(const world *w, uint32_t s, uint32_t t)
{
    return leads(w, s, t) || leads(w, t, s);
}

/* The weight of a link: both directions together. */
static double weight(const world *w, uint32_t s, uint32_t t)
{
    if (s == t) return 0;
    return w->undirected           ? w->edge[s][t]
           : !w->view.links.weight ? linked(w, s, t)
                                   : w->edge[s][t] + w->edge[t][s];
}

static double degree(const world *w, uint32_t u)
{
    double k = 0;
    for (uint32_t v = 0; v < w->n; v++) k += linked(w, u, v);
    return k;
}

static double strength(const world *w, uint32_t u)
{
    double k = 0;
    for (uint32_t v = 0; v < w->n; v++) k += weight(w, u, v);
    return k;
}

/* out (n x n) = a b */
static void times(uint32_t n, double a[MOST][MOST], double b[MOST][MOST], double out[MOST][MOST])
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            out[i][j] = 0;
            for (uint32_t k = 0; k < n; k++) out[i][j] += a[i][k] * b[k][j];
        }
}

/* power[j] = W^j, W = D^-1/2 A D^-1/2. */
static void powers(const world *w, double power[NI_WALK_STEPS + 1][MOST][MOST])
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t j = 0; j < w->n; j++) {
            double both = strength(w, i) * strength(w, j);
            power[1][i][j] = both > 0 ? weight(w, i, j) / sqrt(both) : 0;
        }
    for (uint32_t k = 2; k <= NI_WALK_STEPS; k++) times(w->n, power[k - 1], power[1], power[k]);
}

/* Walks from s: where they are, on the way of eight steps, that restart with probability 0.15. */
static double pagerank(const world *w, double power[NI_WALK_STEPS + 1][MOST][MOST], uint32_t s, uint32_t t)
{
    double sum = 0, share = 1;
    for (uint32_t j = 1; j <= NI_WALK_STEPS; j++) {
        share *= 0.85;
        sum += strength(w, s) > 0 ? share * power[j][s][t] * sqrt(strength(w, t) / strength(w, s)) : 0;
    }
    return 0.15 * sum;
}

static void close_to(double slow, float fast, const char *what, uint32_t s, uint32_t t)
{
    if (fabs(slow - (double)fast) > 2e-5 * (1 + fabs(slow)))
        fail_msg("%s of %u, %u: %.9g, not %.9g", what, s, t, (double)fast, slow);
}

static void check_shared(const world *w, uint32_t s, uint32_t t, const float *value)
{
    double cn = 0, aa = 0, ra = 0, way[4] = { 0 }, mixed = 0, all = 0, paths = 0;
    for (uint32_t x = 0; x < w->n; x++) {
        double k = degree(w, x);
        bool both = linked(w, s, x) && linked(w, x, t);
        cn += both;
        aa += both ? 1 / log(fmax(2, k)) : 0;
        ra += both ? 1 / k : 0;
        all += linked(w, s, x) || linked(w, x, t);
        way[0] += leads(w, s, x) && leads(w, x, t);
        way[1] += leads(w, s, x) && leads(w, t, x);
        way[2] += leads(w, x, s) && leads(w, x, t);
        way[3] += leads(w, x, s) && leads(w, t, x);
        for (uint32_t y = 0; y < w->n; y++) {
            paths += linked(w, s, x) && linked(w, x, y) && linked(w, y, t);
            if (!w->undirected && leads(w, s, x) && leads(w, y, x) && leads(w, y, t))
                mixed += 1 / ((double)w->view.in[x] * (double)w->view.out[y]);
        }
    }
    close_to(cn, value[NI_KIND_CN], "cn", s, t);
    close_to(aa, value[NI_KIND_AA], "aa", s, t);
    close_to(ra, value[NI_KIND_RA], "ra", s, t);
    close_to(all > 0 ? cn / all : 0, value[NI_KIND_JACCARD], "jaccard", s, t);
    close_to(paths, value[NI_KIND_A3], "a3", s, t);
    for (int i = 0; i < 4 && !w->undirected; i++) close_to(way[i], value[NI_KIND_OUT_OUT + i], "way", s, t);
    if (!w->undirected) close_to(mixed, value[NI_KIND_OUT_IN_OUT], "s>x<y>t", s, t);
}

static void check_walks(const world *w, double power[NI_WALK_STEPS + 1][MOST][MOST], uint32_t s, uint32_t t,
                        const float *value)
{
    static const ni_kind kinds[] = { NI_KIND_W2, NI_KIND_W3, NI_KIND_W4, NI_KIND_W5,
                                     NI_KIND_W6, NI_KIND_W7, NI_KIND_W8 };
    double to = pagerank(w, power, s, t), back = pagerank(w, power, t, s);
    for (int i = 0; i < 7; i++) close_to(power[i + 2][s][t], value[kinds[i]], "walks", s, t);
    close_to(power[3][s][t] * sqrt(strength(w, s) * strength(w, t)), value[NI_KIND_L3], "l3", s, t);
    close_to(w->undirected ? to + back : to, value[NI_KIND_PPR], "ppr", s, t);
    if (strength(w, t) > 0) close_to(to / strength(w, t), value[NI_KIND_PPR_EVEN], "ppr/k", s, t);
    close_to(back, value[NI_KIND_PPR_BACK], "ppr back", s, t);
}

static void check_all(world *w, uint32_t lanes)
{
    static double power[NI_WALK_STEPS + 1][MOST][MOST];
    ni_walks walks;
    ni_near near;
    powers(w, power);
    assert_int_equal(ni_walks_create(&w->globals, lanes, &walks, NULL), NEAP_OK);
    assert_int_equal(ni_near_create(&w->globals, &near, NULL), NEAP_OK);
    for (uint32_t first = 0; first < w->n; first += lanes) {
        uint32_t source[NI_SPREAD_MOST], count = 0;
        for (; count < lanes && first + count < w->n; count++) source[count] = first + count;
        ni_walks_from(&walks, source, count, w->threads);
        for (uint32_t q = 0; q < count; q++) {
            ni_near_to(&near, source[q]);
            for (uint32_t t = 0; t < w->n; t++) {
                float value[NI_KINDS] = { 0 };
                if (t == source[q]) continue;
                ni_measure(&walks, q, &near, t, value);
                check_shared(w, source[q], t, value);
                check_walks(w, power, source[q], t, value);
            }
        }
    }
    ni_near_free(&near);
    ni_walks_free(&walks);
}

static void every_evidence_is_what_it_says(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            world *w = make(20 + (uint32_t)seed * 5, kind & 1, kind & 2, seed);
            check_all(w, NI_SPREAD_MOST >> (seed % 2));
            check_all(w, 1);
            end(w);
        }
}

/* Two steps of each lane, pushed from its first node on, and all at once. */
static void what_is_pushed_has_the_bits_of_what_is_summed(void **state)
{
    static float y[MOST * NI_SPREAD_MOST], pulled[2][MOST * NI_SPREAD_MOST],
        pushed[2][MOST * NI_SPREAD_MOST];
    static const uint32_t widths[] = { 1, NI_SPREAD_LANES, NI_SPREAD_MOST };
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        world *w = make(35, kind & 1, kind & 2, 5);
        for (int k = 0; k < 3; k++) {
            uint32_t lanes = widths[k];
            memset(y, 0, sizeof y);
            memset(pushed, 0, sizeof pushed);
            for (uint32_t q = 0; q < lanes; q++) y[q * lanes + q] = 1 / (float)(q + 3);
            ni_spread(&w->view, lanes, 1, y, 0, pulled[0], w->threads);
            ni_spread(&w->view, lanes, 1, pulled[0], 0, pulled[1], w->threads);
            for (uint32_t q = 0; q < lanes; q++) {
                uint64_t set[3] = { (uint64_t)1 << q, 0, 0 }, links = 0;
                ni_push(&w->view, lanes, q, y, &set[0], pushed[0], &set[1]);
                uint64_t said = ni_push(&w->view, lanes, q, pushed[0], &set[1], pushed[1], &set[2]);
                for (uint32_t u = 0; u < w->n; u++)
                    if (pulled[1][u * lanes + q] > 0) links += ni_degree(&w->links, u);
                assert_int_equal(said, links);
            }
            assert_memory_equal(pulled, pushed, w->n * lanes * sizeof **pulled);
            assert_memory_equal(pulled[1], pushed[1], w->n * lanes * sizeof **pulled);
        }
        end(w);
    }
}

/* ---- nodes ---- */

/* The largest k such that u is left when nodes of less than k links are taken away, over and over. */
static double core(const world *w, uint32_t u)
{
    for (uint32_t k = w->n; k; k--) {
        bool gone[MOST] = { false };
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t v = 0; v < w->n; v++) {
                uint32_t left = 0;
                for (uint32_t x = 0; x < w->n; x++) left += linked(w, v, x) && !gone[x];
                if (!gone[v] && left < k) gone[v] = changed = true;
            }
        }
        if (!gone[u]) return k;
    }
    return 0;
}

static void values_of_nodes_are_what_they_say(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        world *w = make(30, undirected, false, 7);
        double rank[MOST], next[MOST];
        for (uint32_t u = 0; u < w->n; u++) rank[u] = 1;
        for (int i = 0; i < 30; i++) {
            for (uint32_t u = 0; u < w->n; u++) {
                next[u] = 0.15;
                for (uint32_t v = 0; v < w->n; v++)
                    next[u] += linked(w, u, v) ? 0.85 * rank[v] / degree(w, v) : 0;
            }
            memcpy(rank, next, sizeof rank);
        }
        for (uint32_t u = 0; u < w->n; u++) {
            double k = degree(w, u), around = 0, triangles = 0, out = 0, in = 0;
            for (uint32_t v = 0; v < w->n; v++) {
                around += linked(w, u, v) ? degree(w, v) / k : 0;
                out += leads(w, u, v), in += leads(w, v, u);
                for (uint32_t x = 0; x < v; x++)
                    triangles += linked(w, u, v) && linked(w, u, x) && linked(w, v, x);
            }
            const float *at = w->node + u * NI_NODE_VALUES;
            close_to(k, at[NI_NODE_DEGREE], "degree", u, u);
            close_to(around, at[NI_NODE_AROUND], "around", u, u);
            close_to(rank[u], at[NI_NODE_PAGERANK], "pagerank", u, u);
            close_to(core(w, u), at[NI_NODE_CORE], "core", u, u);
            close_to(k > 1 ? triangles / (k * (k - 1) / 2) : 0, at[NI_NODE_CLUSTERING], "clustering", u, u);
            close_to(undirected ? 0 : out, at[NI_NODE_OUT], "out", u, u);
            close_to(undirected ? 0 : in, at[NI_NODE_IN], "in", u, u);
        }
        end(w);
    }
}

/* ---- eigenvectors ---- */

/* Sums over eigenpairs of lambda^p v v' are those of W where they are few and leading: a graph of two dense
 * blocks. Here all of them: W^3 itself. */
static void eigenpairs_are_those_of_the_normalised_adjacency(void **state)
{
    (void)state;
    static double power[NI_WALK_STEPS + 1][MOST][MOST];
    world *w = make(30, true, true, 3);
    uint32_t d = 128, found = ni_eigenpairs_of(w->n, d);
    float *value = malloc(d * sizeof *value), *vector;
    powers(w, power);
    assert_int_equal(ni_eigenpairs(&w->view, d, 5, w->threads, value, &vector, NULL), NEAP_OK);
    for (uint32_t i = 0; i < found; i++) {
        double error = 0, length = 0;
        for (uint32_t u = 0; u < w->n; u++) {
            double sum = 0, own = (double)vector[u * d + i];
            for (uint32_t v = 0; v < w->n; v++) sum += power[1][u][v] * (double)vector[v * d + i];
            error += pow(sum - (double)value[i] * own, 2);
            length += own * own;
        }
        assert_true(fabs(length - 1) < 1e-4);
        assert_true(error < 1e-6);
        assert_true(!i || fabsf(value[i]) <= fabsf(value[i - 1]) + 1e-6f);
    }
    assert_true(fabsf(value[0] - 1) < 1e-4f);
    for (uint32_t i = 0; i < d; i++) assert_true(vector[(w->n - 1) * d + i] == 0); /* no links */
    assert_true(value[found] == 0 && vector[found] == 0);
    free(value);
    ni_free(vector);
    end(w);
}

/* ---- without a link ---- */

static void measure_in(world *w, neap_pair p, float *value)
{
    ni_walks walks;
    ni_near near;
    assert_int_equal(ni_walks_create(&w->globals, 1, &walks, NULL), NEAP_OK);
    assert_int_equal(ni_near_create(&w->globals, &near, NULL), NEAP_OK);
    ni_walks_from(&walks, &p.source, 1, w->threads);
    ni_near_to(&near, p.source);
    ni_measure(&walks, 0, &near, p.target, value);
    ni_near_free(&near);
    ni_walks_free(&walks);
}

static bool is_held(ni_kind k)
{
    return (k >= NI_KIND_PAGERANK_S && k <= NI_KIND_CLUSTERING_T) ||
           ni_kind_infos[k].group == NI_GROUP_SPECTRAL || ni_kind_infos[k].group == NI_GROUP_TEXT;
}

/* Every link of a node, alone and with two others, for a pair that it is of, and for one that it is not. */
static void what_is_measured_without_links_is_what_a_graph_without_them_has(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        world *w = make(18, kind & 1, kind & 2, 11);
        ni_masked masked;
        ni_walks walks;
        assert_int_equal(ni_masked_create(&masked, &w->globals, NULL), NEAP_OK);
        assert_int_equal(ni_walks_create(&w->globals, NI_SPREAD_LANES, &walks, NULL), NEAP_OK);
        for (uint32_t x = 0; x < w->n; x++) {
            neap_pair gone[3] = { { 1, x }, { x + 1, 1 }, { 2, x } },
                      pairs[2] = { { 1, x == 2 ? 3 : 2 }, gone[0] };
            uint32_t count = x % 2 ? 1 : 3;
            if (x == 1 || !linked(w, 1, x)) continue;
            world *less = make_without(18, kind & 1, kind & 2, 11, gone, count);
            for (int i = 0; i < 2; i++) {
                float whole[NI_KINDS] = { 0 }, slow[NI_KINDS] = { 0 }, fast[NI_KINDS];
                measure_in(w, pairs[i], whole);
                measure_in(less, pairs[i], slow);
                memcpy(fast, whole, sizeof fast);
                const uint32_t sources[3] = { 3, pairs[i].source, 2 };
                ni_gone gones[3] = { { 0 }, { .count = count }, { 0 } };
                memcpy(gones[1].link, gone, sizeof gone);
                ni_walks_without(&walks, sources, gones, 3, w->threads);
                assert_int_equal(
                    ni_masked_measure(&masked, &walks, 1, pairs[i].target, &gones[1], fast, NULL), NEAP_OK);
                for (ni_kind k = 0; k < NI_KINDS; k++)
                    close_to((double)(is_held(k) ? whole[k] : slow[k]), fast[k], ni_kind_infos[k].name, 1,
                             x);
            }
            end(less);
        }
        ni_walks_free(&walks);
        ni_masked_free(&masked);
        end(w);
    }
}

/* ---- the loss of a group ---- */

typedef struct group {
    ni_examples e;
    float weight[8], stands[8];
    double score[8];
} group;

static group draw_group(uint64_t seed)
{
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    group g = { .e = { .groups = 1, .size = 8 } };
    for (int i = 0; i < 8; i++) {
        g.score[i] = 4 * ni_normal(&rng);
        g.weight[i] = i % 3 ? 0 : (float)(1 + i);
        g.stands[i] = i == 4 ? 0 : (float)(1 + ni_below(&rng, 50));
    }
    return g;
}

static double loss_of(group *g, double *first, double *second)
{
    double a[8], b[8];
    g->e.weight = g->weight;
    g->e.stands = g->stands;
    return ni_group_loss(&g->e, 0, g->score, first ? first : a, second ? second : b, NULL);
}

static void derivatives_of_the_loss_are_its_slopes(void **state)
{
    const double step = 1e-4;
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        group g = draw_group(seed);
        double first[8], second[8], quick[16], up, down, here = loss_of(&g, first, second);
        ni_group_slopes(&g.e, 0, g.score, quick);
        for (int i = 0; i < 8; i++) {
            double old = g.score[i];
            g.score[i] = old + step, up = loss_of(&g, NULL, NULL);
            g.score[i] = old - step, down = loss_of(&g, NULL, NULL);
            g.score[i] = old;
            assert_true(fabs((up - down) / (2 * step) - first[i]) < 1e-5 * (1 + fabs(first[i])));
            assert_true(fabs((up - 2 * here + down) / (step * step) - second[i]) <
                        1e-3 * (1 + fabs(second[i])));
            assert_true(fabs(quick[2 * i] - first[i]) < 1e-5 * (1 + fabs(first[i])));
            assert_true(fabs(quick[2 * i + 1] - second[i]) < 1e-5 * (1 + fabs(second[i])));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_measured_without_links_is_what_a_graph_without_them_has),
        cmocka_unit_test(derivatives_of_the_loss_are_its_slopes),
        cmocka_unit_test(every_evidence_is_what_it_says),
        cmocka_unit_test(what_is_pushed_has_the_bits_of_what_is_summed),
        cmocka_unit_test(values_of_nodes_are_what_they_say),
        cmocka_unit_test(eigenpairs_are_those_of_the_normalised_adjacency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
