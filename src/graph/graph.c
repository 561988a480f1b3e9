/* Read access to a graph: nodes and names, edges by bisection in sorted rows, its hash. A graph is
 * read-only once it is made and is shared by count. */
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "support/status.h"
#include "support/text.h"

void neap_graph_free(neap_graph *graph)
{
    if (!graph || atomic_fetch_sub(&graph->sharers, 1) > 0) return;
    ni_free(graph->offset);
    ni_free(graph->target);
    ni_free(graph->weight);
    ni_names_free(&graph->names);
    ni_free(graph);
}

uint32_t neap_graph_nodes(const neap_graph *graph)
{
    return graph->nodes;
}

uint64_t neap_graph_edges(const neap_graph *graph)
{
    return graph->edges;
}

int neap_graph_is_undirected(const neap_graph *graph)
{
    return graph->undirected;
}

neap_status neap_graph_report_of(const neap_graph *graph, neap_graph_report *report, neap_error *err)
{
    return ni_sized_out(&graph->report, sizeof graph->report, report, "neap_graph_report", err);
}

uint64_t neap_graph_csr(const neap_graph *graph, const uint64_t **offset, const uint32_t **targets,
                        const float **weights)
{
    if (offset) *offset = graph->offset;
    if (targets) *targets = graph->target;
    if (weights) *weights = graph->weight;
    return graph->edges;
}

void neap_graph_names(const neap_graph *graph, const char **bytes, const uint64_t **offset)
{
    *bytes = graph->names.bytes;
    *offset = graph->names.offset;
}

uint64_t neap_graph_edges_of(const neap_graph *graph, uint32_t node, const uint32_t **targets,
                             const float **weights)
{
    bool known = node < graph->nodes;
    uint64_t from = known ? graph->offset[node] : 0;
    if (targets) *targets = graph->target + from;
    if (weights) *weights = graph->weight ? graph->weight + from : NULL;
    return known ? graph->offset[node + 1] - from : 0;
}

const char *neap_graph_name(const neap_graph *graph, uint32_t node)
{
    return node < graph->nodes ? ni_name(&graph->names, node) : NULL;
}

/* Up to three names that differ from `name` in few letters, nearest first. */
static unsigned nearest(const neap_graph *graph, const char *name, uint32_t near[3])
{
    unsigned far[3], count = 0, most = 4;
    for (uint32_t u = 0; u < graph->nodes; u++) {
        unsigned distance = ni_distance(name, ni_name(&graph->names, u), most);
        if (distance >= most) continue;
        unsigned at = count < 3 ? count++ : 2;
        for (; at > 0 && far[at - 1] > distance; at--) far[at] = far[at - 1], near[at] = near[at - 1];
        far[at] = distance;
        near[at] = u;
        if (count == 3) most = far[2];
    }
    return count;
}

neap_status neap_graph_find(const neap_graph *graph, const char *name, uint32_t *node, neap_error *err)
{
    if (ni_names_find(&graph->names, name, strlen(name), node)) return NEAP_OK;
    if (!err) return NEAP_E_UNKNOWN;
    uint32_t near[3];
    char list[300] = "";
    unsigned count = nearest(graph, name, near);
    for (unsigned i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s'%.80s'",
                 i == 0           ? "; did you mean "
                 : i + 1 == count ? " or "
                                  : ", ",
                 ni_name(&graph->names, near[i]));
    }
    return ni_fail(err, NEAP_E_UNKNOWN, "there is no node '%.100s'%s%s", name, list, count ? "?" : "");
}

uint32_t ni_graph_source(const neap_graph *graph, uint64_t i)
{
    uint32_t low = 0, high = graph->nodes; /* offset[low] <= i < offset[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->offset[middle] <= i) low = middle;
        else high = middle;
    }
    return low;
}

uint64_t ni_graph_find_edge(const neap_graph *graph, uint32_t s, uint32_t t)
{
    uint32_t row = graph->undirected && s > t ? t : s, wanted = graph->undirected && s > t ? s : t;
    uint64_t low = graph->offset[row], high = graph->offset[row + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (graph->target[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return low < graph->offset[row + 1] && graph->target[low] == wanted ? low : graph->edges;
}

bool ni_graph_has(const neap_graph *graph, uint32_t s, uint32_t t)
{
    return ni_graph_find_edge(graph, s, t) < graph->edges;
}

static uint64_t copy_row(const neap_graph *from, uint32_t u,
                         bool (*keep)(void *user, uint32_t s, uint32_t t), void *user, neap_graph *to,
                         uint64_t at)
{
    for (uint64_t i = from->offset[u]; i < from->offset[u + 1]; i++) {
        if (!keep(user, u, from->target[i])) continue;
        to->target[at] = from->target[i];
        if (to->weight) to->weight[at] = from->weight[i];
        at++;
    }
    return at;
}

neap_status ni_graph_filter(const neap_graph *graph, bool (*keep)(void *user, uint32_t s, uint32_t t),
                            void *user, neap_graph **out, neap_error *err)
{
    *out = NULL;
    neap_graph *g = ni_zeros(1, sizeof *g);
    if (!g) return ni_fail_memory(err, "a graph");
    g->nodes = graph->nodes;
    g->undirected = graph->undirected;
    g->report = graph->report;
    g->offset = ni_array((size_t)graph->nodes + 1, sizeof *g->offset);
    g->target = ni_array((size_t)graph->edges, sizeof *g->target);
    g->weight = graph->weight ? ni_array((size_t)graph->edges, sizeof *g->weight) : NULL;
    bool room =
        g->offset && g->target && (g->weight || !graph->weight) && ni_names_copy(&g->names, &graph->names);
    if (!room) return neap_graph_free(g), ni_fail_memory(err, "a graph");
    g->offset[0] = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        g->offset[u + 1] = copy_row(graph, u, keep, user, g, g->offset[u]);
    g->edges = g->offset[g->nodes];
    neap_status rc = ni_graph_count(g, err);
    if (rc == NEAP_OK) *out = g;
    else neap_graph_free(g);
    return rc;
}

neap_graph *ni_graph_share(const neap_graph *graph)
{
    neap_graph *shared = (neap_graph *)graph; /* only the count of its holders changes */
    atomic_fetch_add(&shared->sharers, 1);
    return shared;
}

static uint64_t hash_bytes(uint64_t hash, const char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u; /* FNV-1a */
    return ni_mix(hash);
}

uint64_t neap_graph_hash(const neap_graph *graph)
{
    uint64_t hash =
        ni_mix(((uint64_t)graph->nodes << 2 | (graph->weight != NULL) << 1 | graph->undirected) + 1);
    for (uint32_t u = 0; u < graph->nodes; u++) hash = ni_mix(hash ^ graph->offset[u + 1]);
    for (uint64_t i = 0; i < graph->edges; i++) {
        uint32_t bits = 0;
        if (graph->weight) memcpy(&bits, &graph->weight[i], sizeof bits);
        hash = ni_mix(hash ^ ((uint64_t)bits << 32 | graph->target[i]));
    }
    return graph->nodes ? hash_bytes(hash, graph->names.bytes, graph->names.offset[graph->nodes]) : hash;
}

uint64_t ni_graph_bytes(const neap_graph *g)
{
    return 8 * ((uint64_t)g->nodes + 1) * 2 + g->edges * (g->weight ? 8 : 4) + g->names.offset[g->nodes];
}
