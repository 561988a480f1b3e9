#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "graph/graph.h"

void ni_builder_init(ni_builder *b)
{
    memset(b, 0, sizeof *b);
    ni_names_init(&b->names);
}

void ni_builder_free(ni_builder *b)
{
    ni_names_free(&b->names);
    ni_free(b->edge);
    memset(b, 0, sizeof *b);
}

bool ni_builder_add(ni_builder *b, uint32_t source, uint32_t target, float weight)
{
    if (b->count == b->room && !ni_grow(&b->edge, &b->room, b->count + 1 < 16 ? 16 : b->count + 1, sizeof *b->edge))
        return false;
    b->edge[b->count++] = (neap_edge){ source, target, weight };
    return true;
}

/* Smaller node first, which makes both orders of a pair repeats of each other. */
static void order_ends(ni_builder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        neap_edge *e = &b->edge[i];
        if (e->source > e->target) *e = (neap_edge){ e->target, e->source, e->weight };
    }
}

/* One pass of a radix sort: moves the edges from `from` to `to`, ordered by one digit of one end, else in
 * the order in which they were. */
enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static uint32_t digit_of(const neap_edge *e, bool by_source, unsigned shift)
{
    return (by_source ? e->source : e->target) >> shift & (DIGITS - 1);
}

static void sort_pass(const neap_edge *from, neap_edge *to, size_t count, bool by_source, unsigned shift)
{
    size_t start[DIGITS] = { 0 }, sum = 0;
    for (size_t i = 0; i < count; i++) start[digit_of(&from[i], by_source, shift)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t size = start[d];
        start[d] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) to[start[digit_of(&from[i], by_source, shift)]++] = from[i];
}

static bool is_sorted(const ni_builder *b)
{
    for (size_t i = 1; i < b->count; i++) {
        const neap_edge *e = &b->edge[i];
        if (e->source < e[-1].source || (e->source == e[-1].source && e->target < e[-1].target)) return false;
    }
    return true;
}

/* By (source, target), repeats in the order of the input; linear, whatever the edges are. */
static neap_status sort_edges(ni_builder *b, neap_error *err)
{
    if (is_sorted(b)) return NEAP_OK;
    neap_edge *other = ni_array(b->count, sizeof *other);
    if (!other) return ni_fail_memory(err, "sorting edges");
    for (int by_source = 0; by_source < 2; by_source++)
        for (unsigned shift = 0; shift < 32 && (b->names.count - 1) >> shift; shift += DIGIT) {
            sort_pass(b->edge, other, b->count, by_source, shift);
            neap_edge *sorted = other;
            other = b->edge;
            b->edge = sorted;
        }
    ni_free(other);
    b->room = b->count;
    return NEAP_OK;
}

/* Makes one edge of each run of equal ones; false if the weights of one add up to infinity. */
static bool merge_repeats(ni_builder *b)
{
    size_t to = 0;
    bool finite = true;
    for (size_t i = 0; i < b->count; to++) {
        neap_edge e = b->edge[i];
        double weight = (double)e.weight;
        for (i++; i < b->count && b->edge[i].source == e.source && b->edge[i].target == e.target; i++)
            weight += (double)b->edge[i].weight;
        e.weight = (float)weight;
        finite = finite && (!b->weighted || isfinite(e.weight));
        b->edge[to] = e;
    }
    b->count = to;
    return finite;
}

static neap_status fill_rows(neap_graph *g, const ni_builder *b, neap_error *err)
{
    g->offset = ni_zeros((size_t)g->nodes + 1, sizeof *g->offset);
    g->target = ni_array((size_t)g->edges, sizeof *g->target);
    g->weight = b->weighted ? ni_array((size_t)g->edges, sizeof *g->weight) : NULL;
    if (!g->offset || !g->target || (b->weighted && !g->weight)) return ni_fail_memory(err, "a graph");
    for (size_t i = 0; i < b->count; i++) {
        g->offset[b->edge[i].source + 1]++;
        g->target[i] = b->edge[i].target;
        if (g->weight) g->weight[i] = b->edge[i].weight;
    }
    for (uint32_t u = 0; u < g->nodes; u++) g->offset[u + 1] += g->offset[u];
    return NEAP_OK;
}

neap_status ni_graph_count(neap_graph *g, neap_error *err)
{
    uint8_t *linked = ni_zeros(g->nodes, 1);
    if (!linked) return ni_fail_memory(err, "counting nodes");
    g->report.self_loops = g->report.isolated = 0;
    g->report.weighted = g->weight != NULL;
    for (uint32_t u = 0; u < g->nodes; u++) {
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            g->report.self_loops += g->target[i] == u;
            linked[u] = linked[g->target[i]] = 1;
        }
    }
    for (uint32_t u = 0; u < g->nodes; u++) g->report.isolated += !linked[u];
    ni_free(linked);
    return NEAP_OK;
}

static neap_status build(neap_graph *g, ni_builder *b, neap_error *err)
{
    size_t read = b->count;
    if (b->undirected) order_ends(b);
    neap_status rc = sort_edges(b, err);
    if (rc == NEAP_OK && !merge_repeats(b))
        rc = ni_fail(err, NEAP_E_FORMAT, "the weights of an edge that occurs several times add up to infinity");
    if (rc != NEAP_OK) return rc;
    g->nodes = b->names.count;
    g->edges = b->count;
    g->undirected = b->undirected;
    g->report = b->report;
    g->report.edges_read = read;
    g->report.repeats = read - b->count;
    rc = fill_rows(g, b, err);
    return rc == NEAP_OK ? ni_graph_count(g, err) : rc;
}

neap_status ni_builder_finish(ni_builder *b, neap_graph **out, neap_error *err)
{
    *out = NULL;
    neap_graph *g = ni_zeros(1, sizeof *g);
    neap_status rc = g ? build(g, b, err) : ni_fail_memory(err, "a graph");
    if (rc == NEAP_OK) {
        g->names = b->names;
        b->names = (ni_names){ 0 };
        *out = g;
    } else {
        neap_graph_free(g);
    }
    ni_builder_free(b);
    return rc;
}
