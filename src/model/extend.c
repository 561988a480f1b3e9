/* New nodes without training: a node's vector is made of its neighbours' vectors, so a node that has known
 * neighbours needs none of its own. */
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "model/model.h"

typedef struct extension {
    const neap_model *model;
    const neap_graph *links;
    uint32_t *number;  /* of each node of links: its number in the model, old or new, or NEAP_NONE */
    const char **name; /* of all nodes */
    neap_edge *edge;
    uint64_t edges;
    neap_extension report;
} extension;

/* Known is what has a vector; a node of an earlier extension has none. */
static bool is_known(const extension *x, uint32_t node)
{
    return x->number[node] < x->model->rows;
}

/* Numbers the known nodes first, then each unknown node that has an edge with a known one. */
static void number_nodes(extension *x)
{
    const neap_graph *g = x->links;
    uint32_t nodes = x->model->graph->nodes;
    for (uint32_t u = 0; u < g->nodes; u++)
        if (neap_graph_find(x->model->graph, ni_name(&g->names, u), &x->number[u], NULL) != NEAP_OK)
            x->number[u] = NEAP_NONE;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            bool one_is_known = is_known(x, u) != is_known(x, v);
            uint32_t newcomer = is_known(x, u) ? v : u;
            if (!one_is_known || x->number[newcomer] != NEAP_NONE) continue;
            x->number[newcomer] = nodes + x->report.added;
            x->name[nodes + x->report.added++] = ni_name(&g->names, newcomer);
        }
    for (uint32_t u = 0; u < g->nodes; u++) x->report.unreachable += x->number[u] == NEAP_NONE;
}

static void add_edge(extension *x, uint32_t s, uint32_t t, const float *weight, uint64_t e)
{
    x->edge[x->edges++] = (neap_edge){ s, t, weight ? weight[e] : 1 };
}

static void collect_edges(extension *x)
{
    const neap_graph *old = x->model->graph, *g = x->links;
    for (uint32_t u = 0; u < old->nodes; u++)
        for (uint64_t e = old->offset[u]; e < old->offset[u + 1]; e++)
            add_edge(x, u, old->target[e], old->weight, e);
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            if (is_known(x, u) != is_known(x, v)) add_edge(x, x->number[u], x->number[v], g->weight, e);
            else x->report.ignored++;
        }
}

/* Old nodes keep the neighbourhoods they were trained with; a new one reads its neighbours that have
 * vectors, which leaves itself out. */
static neap_status extend_hood(const neap_model *m, const neap_graph *graph, const ni_links *links,
                               ni_hood *hood, neap_error *err)
{
    uint32_t old = m->hood.nodes;
    neap_status rc = ni_hood_create(graph, links, &m->options, hood, err);
    if (rc != NEAP_OK) return rc;
    uint64_t kept = m->hood.offset[old], read = hood->offset[old];
    uint64_t room = kept + hood->offset[graph->nodes] - read;
    uint32_t *node = ni_array(room, sizeof *node);
    if (!node) {
        ni_hood_free(hood);
        return ni_fail_memory(err, "the new nodes");
    }
    memcpy(node, m->hood.node, kept * sizeof *node);
    memcpy(hood->offset, m->hood.offset, (uint64_t)old * sizeof *hood->offset);
    for (uint32_t u = old; u < graph->nodes; u++) {
        hood->offset[u] = kept;
        for (; read < hood->offset[u + 1]; read++)
            if (hood->node[read] < m->rows) node[kept++] = hood->node[read];
    }
    hood->offset[graph->nodes] = kept;
    ni_free(hood->node);
    hood->node = node;
    hood->capped |= m->hood.capped;
    return NEAP_OK;
}

static neap_status extend(neap_model *m, extension *x, neap_error *err)
{
    neap_graph *graph = NULL;
    ni_links links = { 0 };
    ni_hood hood = { 0 };
    number_nodes(x);
    collect_edges(x);
    neap_status rc = neap_graph_create(m->graph->nodes + x->report.added, x->name, x->edge, x->edges,
                                       m->graph->weight != NULL, m->graph->undirected, &graph, err);
    if (rc == NEAP_OK) rc = ni_links_create(graph, &links, err);
    if (rc == NEAP_OK) rc = extend_hood(m, graph, &links, &hood, err);
    if (rc != NEAP_OK) {
        neap_graph_free(graph);
        ni_links_free(&links);
        return rc;
    }
    neap_graph_free(m->graph);
    ni_links_free(&m->links);
    ni_hood_free(&m->hood);
    m->graph = graph;
    m->links = links;
    m->hood = hood;
    return NEAP_OK;
}

neap_status neap_model_extend(neap_model *m, const neap_graph *links, neap_extension *report,
                              neap_error *err)
{
    uint64_t nodes = (uint64_t)m->graph->nodes + links->nodes, edges = m->graph->edges + links->edges;
    if (nodes > NI_NAMES_MOST) return ni_fail(err, NEAP_E_LIMIT, "more nodes than a graph may have");
    extension x = { .model = m,
                    .links = links,
                    .number = ni_array(links->nodes, sizeof *x.number),
                    .name = ni_array(nodes, sizeof *x.name),
                    .edge = ni_array(edges, sizeof *x.edge) };
    neap_status rc = x.number && x.name && x.edge ? NEAP_OK : ni_fail_memory(err, "the new nodes");
    if (rc == NEAP_OK) {
        for (uint32_t u = 0; u < m->graph->nodes; u++) x.name[u] = ni_name(&m->graph->names, u);
        rc = extend(m, &x, err);
    }
    if (rc == NEAP_OK && report) *report = x.report;
    ni_free(x.number);
    ni_free(x.name);
    ni_free(x.edge);
    return rc;
}
