/* See masked.h. */
#include "evidence/masked.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

neap_status ni_masked_create(ni_masked *m, const ni_globals *g, ni_threads *threads, neap_error *err)
{
    uint32_t n = g->view->links.nodes;
    *m = (ni_masked){ .globals = g, .threads = threads };
    m->own = (ni_globals){ .view = &m->view, .groups = g->groups };
    m->node = ni_copy(g->node, n, NI_NODE_VALUES * sizeof *m->node);
    m->held = ni_zeros(ni_view_arcs(g->view), sizeof *m->held);
    if (!m->node || !m->held) return ni_fail_memory(err, "evidence");
    m->own.node = m->node;
    m->view = (ni_view){ .links = g->view->links, .borrowed = true, .way = g->view->way };
    neap_status rc = ni_walks_create(&m->own, 1, &m->walks, err);
    if (rc == NEAP_OK) rc = ni_near_create(&m->own, &m->near, err);
    m->view = (ni_view){ 0 };
    return rc;
}

void ni_masked_free(ni_masked *m)
{
    ni_near_free(&m->near);
    ni_walks_free(&m->walks);
    ni_view_free(&m->view);
    ni_free(m->node);
    ni_free(m->held);
    *m = (ni_masked){ 0 };
}

static void hold(const ni_masked *m, neap_pair link, bool held)
{
    const ni_view *v = m->globals->view;
    uint64_t there = ni_view_find(v, link.source, link.target),
             back = ni_view_find(v, link.target, link.source);
    if (there == v->links.offset[link.source + 1]) return;
    m->held[there] = m->held[back] = held;
}

static float *row_of(const ni_masked *m, uint32_t u)
{
    return m->node + (size_t)u * NI_NODE_VALUES;
}

/* Back to those of the whole graph. */
static void restore(const ni_masked *m, uint32_t u)
{
    memcpy(row_of(m, u), m->globals->node + (size_t)u * NI_NODE_VALUES, NI_NODE_VALUES * sizeof *m->node);
}

static bool is_anew(ni_kind kind)
{
    switch (kind) {
    case NI_KIND_PAGERANK_S:
    case NI_KIND_PAGERANK_T:
    case NI_KIND_CORE_S:
    case NI_KIND_CORE_T:
    case NI_KIND_CLUSTERING_S:
    case NI_KIND_CLUSTERING_T: return false;
    default: break;
    }
    return ni_kind_infos[kind].group != NI_GROUP_SPECTRAL && ni_kind_infos[kind].group != NI_GROUP_TEXT;
}

neap_status ni_masked_measure(ni_masked *m, uint32_t s, uint32_t t, const neap_pair *gone, uint32_t count,
                              float *value, neap_error *err)
{
    float anew[NI_KINDS] = { 0 };
    for (uint32_t i = 0; i < count; i++) hold(m, gone[i], true);
    neap_status rc = ni_view_without(m->globals->view, m->held, &m->view, err);
    for (uint32_t i = 0; i < count; i++) hold(m, gone[i], false);
    if (rc != NEAP_OK) return rc;
    ni_node_degrees(&m->view, s, row_of(m, s));
    ni_node_degrees(&m->view, t, row_of(m, t));
    ni_walks_from(&m->walks, &s, 1, m->threads);
    ni_near_to(&m->near, s);
    ni_measure(&m->walks, 0, &m->near, t, anew);
    for (ni_kind k = 0; k < NI_KINDS; k++)
        if (is_anew(k)) value[k] = anew[k];
    ni_near_to(&m->near, NEAP_NONE);
    restore(m, s);
    restore(m, t);
    ni_view_free(&m->view);
    return ni_threads_check(m->threads, err);
}
