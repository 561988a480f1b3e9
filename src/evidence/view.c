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

static void finish_row(ni_view *v, uint32_t u)
{
    double sum = 0;
    uint32_t out = 0, in = 0;
    for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++) {
        sum += (double)ni_view_weight(v, i);
        if (v->way) out += (v->way[i] & NI_WAY_OUT) != 0, in += (v->way[i] & NI_WAY_IN) != 0;
    }
    v->strength[u] = (float)sum;
    if (v->way) v->out[u] = out, v->in[u] = in;
}

static neap_status allocate_sums(ni_view *v, neap_error *err)
{
    uint32_t n = v->links.nodes;
    v->strength = ni_array(n, sizeof *v->strength);
    if (v->way) v->out = ni_array(n, sizeof *v->out), v->in = ni_array(n, sizeof *v->in);
    return v->strength && (!v->way || (v->out && v->in)) ? NEAP_OK : no_memory(err);
}

neap_status ni_view_finish(ni_view *v, neap_error *err)
{
    neap_status rc = allocate_sums(v, err);
    for (uint32_t u = 0; rc == NEAP_OK && u < v->links.nodes; u++) finish_row(v, u);
    return rc;
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

/* ---- without a few links ---- */

typedef struct entries {
    uint64_t at[2 * NI_GONE_MOST]; /* ascending */
    uint32_t row[2 * NI_GONE_MOST];
    uint32_t count;
} entries;

/* Keeps the order; an entry that is there already is not added again. */
static void add_entry(entries *e, const ni_view *v, uint32_t u, uint32_t other)
{
    uint64_t entry = ni_view_find(v, u, other);
    uint32_t i = e->count;
    if (entry == v->links.offset[u + 1]) return;
    while (i && e->at[i - 1] > entry) i--;
    if (i && e->at[i - 1] == entry) return;
    for (uint32_t k = e->count++; k > i; k--) e->at[k] = e->at[k - 1], e->row[k] = e->row[k - 1];
    e->at[i] = entry;
    e->row[i] = u;
}

/* An array of one item per arc, without the entries. */
static void copy_arcs(const entries *e, const void *from, size_t width, uint64_t arcs, void *to)
{
    uint64_t first = 0;
    char *at = to;
    for (uint32_t i = 0; from && i <= e->count; i++) {
        uint64_t end = i < e->count ? e->at[i] : arcs;
        memcpy(at, (const char *)from + first * width, (size_t)(end - first) * width);
        at += (end - first) * width;
        first = end + 1;
    }
}

static void copy_less(const ni_view *from, const entries *e, ni_view *v)
{
    const ni_links *l = &from->links;
    size_t n = l->nodes;
    uint64_t arcs = l->offset[n];
    copy_arcs(e, l->node, sizeof *l->node, arcs, v->links.node);
    copy_arcs(e, l->weight, sizeof *l->weight, arcs, v->links.weight);
    copy_arcs(e, from->way, 1, arcs, v->way);
    memcpy(v->links.offset, l->offset, (n + 1) * sizeof *l->offset);
    memcpy(v->strength, from->strength, n * sizeof *v->strength);
    if (v->way) memcpy(v->out, from->out, n * sizeof *v->out);
    if (v->way) memcpy(v->in, from->in, n * sizeof *v->in);
    for (uint32_t i = 0; i < e->count; i++)
        for (size_t u = (size_t)e->row[i] + 1; u <= n; u++) v->links.offset[u]--;
    for (uint32_t i = 0; i < e->count; i++) finish_row(v, e->row[i]);
}

neap_status ni_view_less(const ni_view *view, const ni_gone *gone, ni_view *out, neap_error *err)
{
    entries e = { .count = 0 };
    for (uint32_t i = 0; i < gone->count; i++) {
        add_entry(&e, view, gone->link[i].source, gone->link[i].target);
        add_entry(&e, view, gone->link[i].target, gone->link[i].source);
    }
    neap_status rc = allocate(view, ni_view_arcs(view) - e.count, out, err);
    if (rc == NEAP_OK) rc = allocate_sums(out, err);
    if (rc == NEAP_OK) copy_less(view, &e, out);
    else ni_view_free(out);
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
