/* Views are made in one pass over the links: O(nodes + links), on the calling thread. */
#include "evidence/view.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

uint64_t ni_view_find(const ni_view *view, uint32_t u, uint32_t v)
{
    const ni_links *l = &view->links;
    uint64_t low = l->offset[u], end = l->offset[u + 1], high = end;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (l->node[middle] < v) low = middle + 1;
        else high = middle;
    }
    return low < end && l->node[low] == v ? low : end;
}

/* Marks both entries of every edge. Rows ascend and sources come in order, so that the position of a source
 * in the row of a target only moves forward. at: nodes. */
static void mark_ways(const neap_graph *g, const ni_links *l, uint8_t *way, uint64_t *at)
{
    memcpy(at, l->offset, l->nodes * sizeof *at);
    for (uint32_t s = 0; s < g->nodes; s++) {
        uint64_t here = l->offset[s];
        for (uint64_t e = g->offset[s]; e < g->offset[s + 1]; e++) {
            uint32_t t = g->target[e];
            if (t == s) continue;
            while (l->node[here] != t) here++;
            while (l->node[at[t]] != s) at[t]++;
            way[here] |= NI_WAY_OUT;
            way[at[t]] |= NI_WAY_IN;
        }
    }
}

static neap_status no_memory(neap_error *err)
{
    return ni_fail_memory(err, "a view of the graph");
}

neap_status ni_view_finish(ni_view *v, neap_error *err)
{
    uint32_t n = v->links.nodes;
    v->strength = ni_zeros(n, sizeof *v->strength);
    if (v->way) v->out = ni_zeros(n, sizeof *v->out), v->in = ni_zeros(n, sizeof *v->in);
    if (!v->strength || (v->way && (!v->out || !v->in))) return no_memory(err);
    for (uint32_t u = 0; u < n; u++) {
        double sum = 0;
        for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++) {
            sum += (double)ni_view_weight(v, i);
            if (v->way)
                v->out[u] += (v->way[i] & NI_WAY_OUT) != 0, v->in[u] += (v->way[i] & NI_WAY_IN) != 0;
        }
        v->strength[u] = (float)sum;
    }
    return NEAP_OK;
}

neap_status ni_view_create(const neap_graph *graph, const ni_links *links, ni_view *view, neap_error *err)
{
    neap_status rc = NEAP_OK;
    *view = (ni_view){ .links = *links, .borrowed = true };
    if (!graph->undirected) {
        uint64_t *at = ni_array(links->nodes, sizeof *at);
        view->way = ni_zeros(links->offset[links->nodes], 1);
        if (at && view->way) mark_ways(graph, links, view->way, at);
        else rc = no_memory(err);
        ni_free(at);
    }
    if (rc == NEAP_OK) rc = ni_view_finish(view, err);
    if (rc != NEAP_OK) ni_view_free(view);
    return rc;
}

static neap_status allocate(const ni_view *from, uint64_t arcs, ni_view *v, neap_error *err)
{
    ni_links *l = &v->links;
    *v = (ni_view){ .links = { .nodes = from->links.nodes } };
    l->offset = ni_array((uint64_t)l->nodes + 1, sizeof *l->offset);
    l->node = ni_array(arcs, sizeof *l->node);
    if (from->links.weight) l->weight = ni_array(arcs, sizeof *l->weight);
    if (from->way) v->way = ni_array(arcs, 1);
    bool ok = l->offset && l->node && (l->weight || !from->links.weight) && (v->way || !from->way);
    return ok ? NEAP_OK : no_memory(err);
}

neap_status ni_view_without(const ni_view *view, const bool *held, ni_view *out, neap_error *err)
{
    const ni_links *from = &view->links;
    uint64_t arcs = 0, k = 0;
    for (uint64_t i = 0; i < ni_view_arcs(view); i++) arcs += !held[i];
    neap_status rc = allocate(view, arcs, out, err);
    for (uint32_t u = 0; rc == NEAP_OK && u < from->nodes; u++) {
        out->links.offset[u] = k;
        for (uint64_t i = from->offset[u]; i < from->offset[u + 1]; i++) {
            if (held[i]) continue;
            out->links.node[k] = from->node[i];
            if (from->weight) out->links.weight[k] = from->weight[i];
            if (view->way) out->way[k] = view->way[i];
            k++;
        }
    }
    if (rc == NEAP_OK) {
        out->links.offset[from->nodes] = k;
        rc = ni_view_finish(out, err);
    }
    if (rc != NEAP_OK) ni_view_free(out);
    return rc;
}

void ni_view_free(ni_view *view)
{
    if (!view->borrowed) ni_links_free(&view->links);
    ni_free(view->way);
    ni_free(view->strength);
    ni_free(view->out);
    ni_free(view->in);
    *view = (ni_view){ 0 };
}

uint64_t ni_view_bytes(const ni_view *view)
{
    uint64_t n = view->links.nodes, arcs = ni_view_arcs(view);
    return ni_links_bytes(&view->links) + n * sizeof(float) +
           (view->way ? arcs + 2 * n * sizeof(uint32_t) : 0);
}
