/* Edges in any order become a CSR: a radix sort of (source, target) in digits of 11 bits, then repeats are
 * merged and their weights added. O(edges) for each digit that differs, one second array of the same size.
 * The builder owns names and edges until it is finished; one thread. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "support/status.h"

void ni_builder_init(ni_builder *b)
{
    memset(b, 0, sizeof *b);
    ni_names_init(&b->names);
}

void ni_builder_free(ni_builder *b)
{
    ni_names_free(&b->names);
    ni_free(b->pair);
    ni_free(b->weight);
    memset(b, 0, sizeof *b);
}

static uint64_t pair_of(uint32_t source, uint32_t target)
{
    return (uint64_t)source << 32 | target;
}

/* Weights as far as there are pairs; those that were not worth an array are 1. */
static bool make_weights(ni_builder *b)
{
    bool first = !b->weight;
    if (!ni_grow(&b->weight, &b->weight_room, b->pair_room, sizeof *b->weight)) return false;
    for (size_t i = 0; first && i < b->count; i++) b->weight[i] = 1;
    return true;
}

bool ni_builder_add(ni_builder *b, uint32_t source, uint32_t target, float weight)
{
    if (b->count == b->pair_room && !ni_grow(&b->pair, &b->pair_room, b->count + 16, sizeof *b->pair))
        return false;
    bool weights = b->weight || weight != 1;
    if (weights && b->weight_room < b->pair_room && !make_weights(b)) return false;
    if (weights) b->weight[b->count] = weight;
    b->pair[b->count++] = pair_of(source, target);
    return true;
}

/* Smaller node first, which makes both orders of a pair repeats of each other. */
static void order_ends(ni_builder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        uint32_t source = (uint32_t)(b->pair[i] >> 32), target = (uint32_t)b->pair[i];
        if (source > target) b->pair[i] = pair_of(target, source);
    }
}

/* One pass of a radix sort: moves pairs, and weights if there are some, into the order of one digit, else
 * the order in which they were. */
enum { DIGIT = 11, DIGITS = 1 << DIGIT };

static void sort_pass(const ni_builder *from, ni_builder *to, unsigned shift)
{
    size_t start[DIGITS] = { 0 }, sum = 0;
    for (size_t i = 0; i < from->count; i++) start[from->pair[i] >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t size = start[d];
        start[d] = sum;
        sum += size;
    }
    for (size_t i = 0; i < from->count; i++) {
        size_t at = start[from->pair[i] >> shift & (DIGITS - 1)]++;
        to->pair[at] = from->pair[i];
        if (from->weight) to->weight[at] = from->weight[i];
    }
}

static bool is_sorted(const ni_builder *b)
{
    for (size_t i = 1; i < b->count; i++)
        if (b->pair[i] < b->pair[i - 1]) return false;
    return true;
}

static void swap_edges(ni_builder *a, ni_builder *b)
{
    uint64_t *pair = a->pair;
    float *weight = a->weight;
    a->pair = b->pair;
    a->weight = b->weight;
    b->pair = pair;
    b->weight = weight;
}

/* By (source, target), repeats in the order of the input; linear, whatever the edges are. */
static neap_status sort_edges(ni_builder *b, neap_error *err)
{
    if (is_sorted(b)) return NEAP_OK;
    ni_builder other = { .pair = ni_array(b->count, sizeof *other.pair) };
    if (b->weight) other.weight = ni_array(b->count, sizeof *other.weight);
    neap_status rc =
        other.pair && (other.weight || !b->weight) ? NEAP_OK : ni_fail_memory(err, "sorting edges");
    for (unsigned end = 0; end < 64 && rc == NEAP_OK; end += 32) /* of target, then of source */
        for (unsigned shift = 0; shift < 32 && (b->names.count - 1) >> shift; shift += DIGIT) {
            sort_pass(b, &other, end + shift);
            swap_edges(b, &other);
        }
    ni_free(other.pair);
    ni_free(other.weight);
    return rc;
}

/* Makes one edge of each run of equal ones; false if the weights of one add up to infinity. */
static bool merge_repeats(ni_builder *b)
{
    size_t to = 0;
    bool finite = true;
    for (size_t i = 0; i < b->count; to++) {
        uint64_t pair = b->pair[i];
        double weight = 0;
        for (; i < b->count && b->pair[i] == pair; i++)
            if (b->weight) weight += (double)b->weight[i];
        b->pair[to] = pair;
        if (!b->weight) continue;
        b->weight[to] = (float)weight;
        finite = finite && isfinite(b->weight[to]);
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
        g->offset[(b->pair[i] >> 32) + 1]++;
        g->target[i] = (uint32_t)b->pair[i];
    }
    if (g->weight && b->count) memcpy(g->weight, b->weight, b->count * sizeof *g->weight);
    for (uint32_t u = 0; u < g->nodes; u++) g->offset[u + 1] += g->offset[u];
    return NEAP_OK;
}

/* The weights are there if, and only if, they count. */
static bool finish_weights(ni_builder *b)
{
    if (b->weighted) return b->weight || make_weights(b);
    ni_free(b->weight);
    b->weight = NULL;
    b->weight_room = 0;
    return true;
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
    if (!finish_weights(b)) return ni_fail_memory(err, "weights");
    if (b->undirected) order_ends(b);
    neap_status rc = sort_edges(b, err);
    if (rc == NEAP_OK && !merge_repeats(b))
        rc = ni_fail(err, NEAP_E_FORMAT,
                     "the weights of an edge that occurs several times add up to infinity");
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
