/* Facts of a graph: degrees and sides from its links, components by union-find. O(nodes + edges). */
#include "base/sized.h"
#include "base/sys.h"
#include "graph/links.h"
#include "support/status.h"

/* The root of the set of u, with path halving. */
static uint32_t root_of(uint32_t *parent, uint32_t u)
{
    while (parent[u] != u) u = parent[u] = parent[parent[u]];
    return u;
}

/* Union-find, the smaller set below the larger one. */
static neap_status count_components(const neap_graph *g, neap_graph_facts *facts, neap_error *err)
{
    uint32_t *parent = ni_array(g->nodes, sizeof *parent), *size = ni_array(g->nodes, sizeof *size);
    neap_status rc = parent && size ? NEAP_OK : ni_fail_memory(err, "components");
    for (uint32_t u = 0; u < g->nodes && rc == NEAP_OK; u++) parent[u] = u, size[u] = 1;
    facts->components = g->nodes;
    facts->largest_component = g->nodes > 0;
    for (uint32_t u = 0; u < g->nodes && rc == NEAP_OK; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t a = root_of(parent, u), b = root_of(parent, g->target[i]);
            if (a == b) continue;
            uint32_t large = size[a] < size[b] ? b : a, small = size[a] < size[b] ? a : b;
            parent[small] = large;
            size[large] += size[small];
            facts->components--;
            if (size[large] > facts->largest_component) facts->largest_component = size[large];
        }
    ni_free(parent);
    ni_free(size);
    return rc;
}

static void count_degrees(const ni_links *links, neap_graph_facts *facts)
{
    for (uint32_t u = 0; u < links->nodes; u++) {
        uint64_t degree = ni_degree(links, u);
        if (degree <= facts->max_degree) continue;
        facts->max_degree = (uint32_t)degree;
        facts->hub = u;
    }
    facts->pairs = links->offset[links->nodes] / 2;
    if (links->nodes) facts->mean_degree = (double)links->offset[links->nodes] / (double)links->nodes;
}

static neap_status count_sides(const neap_graph *graph, const ni_links *links, neap_graph_facts *facts,
                               neap_error *err)
{
    bool bipartite = false;
    uint8_t *side = ni_array(graph->nodes, sizeof *side);
    neap_status rc = side ? ni_graph_sides(graph, links, side, &bipartite, err)
                          : ni_fail_memory(err, "the sides of a graph");
    for (uint32_t u = 0; u < graph->nodes && bipartite; u++)
        if (side[u] != NI_SIDE_NONE) facts->sides[side[u]]++;
    ni_free(side);
    return rc;
}

neap_status neap_graph_facts_of(const neap_graph *graph, neap_graph_facts *facts, neap_error *err)
{
    neap_graph_facts f = { .nodes = graph->nodes, .edges = graph->edges };
    ni_links links;
    neap_status rc = ni_links_create(graph, &links, err);
    if (rc != NEAP_OK) return rc;
    count_degrees(&links, &f);
    rc = count_sides(graph, &links, &f, err);
    ni_links_free(&links);
    if (rc != NEAP_OK) return rc;
    for (uint32_t u = 0; u < graph->nodes; u++) f.self_loops += ni_graph_has(graph, u, u);
    f.isolated = (uint32_t)graph->report.isolated;
    /* A pair linked in both directions is two edges; an undirected graph lists each pair once. */
    f.reciprocal = graph->undirected ? f.pairs : f.edges - f.self_loops - f.pairs;
    rc = count_components(graph, &f, err);
    return rc == NEAP_OK ? ni_sized_out(&f, sizeof f, facts, "neap_graph_facts", err) : rc;
}
