/* The two sides of a bipartite graph: breadth-first from the smallest node of each component, a side per
 * layer in turn. O(nodes + links). */
#include <string.h>

#include "base/sys.h"
#include "graph/links.h"
#include "support/status.h"

typedef struct painter {
    const neap_graph *graph;
    const ni_links *links;
    uint8_t *side;
    uint32_t *queue; /* nodes: those of one component */
} painter;

/* Paints the neighbours of u; false if one is on the side of u already. */
static bool paint_neighbours(const painter *p, uint32_t u, uint32_t *end)
{
    for (uint64_t i = p->links->offset[u]; i < p->links->offset[u + 1]; i++) {
        uint32_t v = p->links->node[i];
        if (p->side[v] == p->side[u]) return false;
        if (p->side[v] != NI_SIDE_NONE) continue;
        p->side[v] = !p->side[u];
        p->queue[(*end)++] = v;
    }
    return true;
}

/* Paints the component of `start`; false if it has an odd cycle. Where more of its edges lead from side 1
 * to side 0 than back, the sides change places. */
static bool paint_component(const painter *p, uint32_t start)
{
    uint32_t end = 1;
    int64_t forward = 0; /* edges from side 0 to side 1, less those back */
    p->queue[0] = start;
    p->side[start] = 0;
    for (uint32_t at = 0; at < end; at++) {
        uint32_t u = p->queue[at];
        int64_t out = (int64_t)(p->graph->offset[u + 1] - p->graph->offset[u]);
        forward += p->side[u] ? -out : out;
        if (!paint_neighbours(p, u, &end)) return false;
    }
    if (forward < 0 && !p->graph->undirected)
        for (uint32_t at = 0; at < end; at++) p->side[p->queue[at]] ^= 1;
    return true;
}

neap_status ni_graph_sides(const neap_graph *graph, const ni_links *links, uint8_t *side, bool *bipartite,
                           neap_error *err)
{
    painter p = { graph, links, side, ni_array(graph->nodes, sizeof *p.queue) };
    *bipartite = false;
    if (!p.queue) return ni_fail_memory(err, "the sides of a graph");
    bool ok = links->offset[links->nodes] > 0;
    memset(side, NI_SIDE_NONE, graph->nodes);
    for (uint32_t u = 0; u < graph->nodes && ok; u++) ok = !ni_graph_has(graph, u, u);
    for (uint32_t u = 0; u < graph->nodes && ok; u++)
        if (side[u] == NI_SIDE_NONE && ni_degree(links, u) > 0) ok = paint_component(&p, u);
    *bipartite = ok;
    ni_free(p.queue);
    return NEAP_OK;
}
