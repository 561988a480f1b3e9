/* The symmetric closure of a graph: its transpose by a counting sort, then each row is the merge of the two
 * sorted rows of a node. O(nodes + edges), two passes over the rows: one to count, one to write. */
#include "graph/links.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "support/status.h"

/* The transpose: for each node its sources, ascending because sources are visited in order. */
typedef struct incoming {
    uint64_t *offset;
    uint32_t *source;
    float *weight;
} incoming;

static void incoming_free(incoming *in)
{
    ni_free(in->offset);
    ni_free(in->source);
    ni_free(in->weight);
}

static bool incoming_create(const neap_graph *g, incoming *in)
{
    *in = (incoming){ ni_zeros((size_t)g->nodes + 1, sizeof *in->offset),
                      ni_array(g->edges, sizeof *in->source),
                      g->weight ? ni_array(g->edges, sizeof *in->weight) : NULL };
    if (!in->offset || !in->source || (g->weight && !in->weight)) return false;
    for (uint64_t e = 0; e < g->edges; e++) in->offset[g->target[e] + 1]++;
    for (uint32_t u = 0; u < g->nodes; u++) in->offset[u + 1] += in->offset[u];
    /* Filling moves each start to the next row's start; shifting by one undoes it. */
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint64_t at = in->offset[g->target[e]]++;
            in->source[at] = u;
            if (in->weight) in->weight[at] = g->weight[e];
        }
    memmove(in->offset + 1, in->offset, (size_t)g->nodes * sizeof *in->offset);
    in->offset[0] = 0;
    return true;
}

/* Merges the two sorted rows of u, without u itself; writes if node is not NULL; returns the length. */
static uint64_t merge_row(const neap_graph *g, const incoming *in, uint32_t u, uint32_t *node,
                          float *weight)
{
    uint64_t a = g->offset[u], a_end = g->offset[u + 1], b = in->offset[u], b_end = in->offset[u + 1];
    uint64_t n = 0;
    while (a < a_end || b < b_end) {
        bool from_a = b == b_end || (a < a_end && g->target[a] <= in->source[b]);
        bool from_b = a == a_end || (b < b_end && in->source[b] <= g->target[a]);
        uint32_t v = from_a ? g->target[a] : in->source[b];
        if (v != u) {
            if (node) node[n] = v;
            if (weight) weight[n] = (from_a ? g->weight[a] : 0) + (from_b ? in->weight[b] : 0);
            n++;
        }
        a += from_a;
        b += from_b;
    }
    return n;
}

neap_status ni_links_create(const neap_graph *g, ni_links *links, neap_error *err)
{
    incoming in = { 0 };
    *links =
        (ni_links){ .nodes = g->nodes, .offset = ni_zeros((size_t)g->nodes + 1, sizeof *links->offset) };
    bool ok = links->offset && incoming_create(g, &in);
    if (ok) {
        for (uint32_t u = 0; u < g->nodes; u++)
            links->offset[u + 1] = links->offset[u] + merge_row(g, &in, u, NULL, NULL);
        links->node = ni_array(links->offset[g->nodes], sizeof *links->node);
        if (g->weight) links->weight = ni_array(links->offset[g->nodes], sizeof *links->weight);
        ok = links->node && (!g->weight || links->weight);
    }
    for (uint32_t u = 0; ok && u < g->nodes; u++)
        merge_row(g, &in, u, links->node + links->offset[u],
                  links->weight ? links->weight + links->offset[u] : NULL);
    incoming_free(&in);
    bool finite = true;
    for (uint64_t i = 0; ok && links->weight && i < links->offset[g->nodes]; i++)
        finite = finite && isfinite(links->weight[i]);
    if (ok && finite) return NEAP_OK;
    ni_links_free(links);
    if (ok)
        return ni_fail(err, NEAP_E_FORMAT,
                       "the weights of an edge and of the one that leads back add up to more than %g: "
                       "divide all weights by something",
                       (double)FLT_MAX);
    return ni_fail_memory(err, "the links of the nodes");
}

void ni_links_free(ni_links *links)
{
    ni_free(links->offset);
    ni_free(links->node);
    ni_free(links->weight);
    *links = (ni_links){ 0 };
}

/* The first position in the row of u whose node is at least v. */
static uint64_t lower_bound(const ni_links *links, uint32_t u, uint32_t v)
{
    uint64_t low = links->offset[u], high = links->offset[u + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (links->node[middle] < v) low = middle + 1;
        else high = middle;
    }
    return low;
}

neap_status ni_links_need_some(const ni_links *links, neap_error *err)
{
    if (links->offset[links->nodes] > 0) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "the graph has no edge between two nodes: nothing to learn from");
}

double ni_arcs_strength(const ni_arcs *arcs, uint64_t u)
{
    double sum = 0;
    for (uint64_t i = arcs->offset[u]; i < arcs->offset[u + 1]; i++)
        sum += arcs->weight ? (double)arcs->weight[i] : 1;
    return sum;
}

void ni_arcs_mean(const ni_arcs *arcs, uint64_t u, const float *X, uint32_t d, float *out)
{
    const ni_kernels *k = ni_kernels_get();
    double sum = ni_arcs_strength(arcs, u);
    memset(out, 0, d * sizeof *out);
    for (uint64_t i = arcs->offset[u]; i < arcs->offset[u + 1]; i++) {
        double share = (arcs->weight ? (double)arcs->weight[i] : 1) / sum;
        k->axpy((float)share, X + (uint64_t)arcs->node[i] * d, out, d);
    }
}

bool ni_linked(const ni_links *links, uint32_t u, uint32_t v)
{
    uint64_t at = lower_bound(links, u, v);
    return at < links->offset[u + 1] && links->node[at] == v;
}

uint32_t ni_count_shared(const ni_links *links, uint32_t u, uint32_t v)
{
    uint32_t shared = 0;
    for (uint64_t i = links->offset[u]; i < links->offset[u + 1]; i++)
        shared += ni_linked(links, v, links->node[i]);
    return shared;
}

/* The nodes that are not in the row of u are numbered 0, 1, ...; u itself is one of them and is stepped
 * over. In a sorted row, row[p] - p such nodes stand before row[p], which a bisection can search. */
uint32_t ni_stranger(const ni_links *links, uint32_t u, ni_rng *rng)
{
    uint64_t degree = ni_degree(links, u);
    if (degree + 1 >= links->nodes) return NEAP_NONE;
    const uint32_t *row = links->node + links->offset[u];
    uint64_t rank = ni_below(rng, links->nodes - 1 - degree);
    uint64_t own = u - (lower_bound(links, u, u) - links->offset[u]);
    if (rank >= own) rank++;
    uint64_t low = 0, high = degree;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (row[middle] - middle > rank) high = middle;
        else low = middle + 1;
    }
    return (uint32_t)(rank + low);
}
