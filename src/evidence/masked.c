/* See masked.h. */
#include "evidence/masked.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

neap_status ni_masked_create(ni_masked *m, const ni_globals *g, neap_error *err)
{
    *m = (ni_masked){ .globals = g };
    m->own = (ni_globals){ .view = g->view, .groups = g->groups };
    m->node = ni_copy(g->node, g->view->links.nodes, NI_NODE_VALUES * sizeof *m->node);
    m->own.node = m->node;
    neap_status rc = m->node ? ni_near_create(&m->own, &m->near, err) : ni_fail_memory(err, "evidence");
    if (rc != NEAP_OK) ni_masked_free(m);
    return rc;
}

void ni_masked_free(ni_masked *m)
{
    ni_near_free(&m->near);
    ni_view_free(&m->view);
    ni_free(m->node);
    *m = (ni_masked){ 0 };
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

neap_status ni_masked_measure(ni_masked *m, const ni_walks *walks, uint32_t lane, uint32_t t,
                              const ni_gone *gone, float *value, neap_error *err)
{
    float anew[NI_KINDS] = { 0 };
    uint32_t s = walks->source[lane];
    neap_status rc = ni_view_less(m->globals->view, gone, &m->view, err);
    if (rc != NEAP_OK) return rc;
    m->own.view = &m->view;
    ni_node_degrees(&m->view, s, row_of(m, s));
    ni_node_degrees(&m->view, t, row_of(m, t));
    ni_near_to(&m->near, s);
    ni_measure(walks, lane, &m->near, t, anew);
    for (ni_kind k = 0; k < NI_KINDS; k++)
        if (is_anew(k)) value[k] = anew[k];
    ni_near_to(&m->near, NEAP_NONE);
    restore(m, s);
    restore(m, t);
    ni_view_free(&m->view);
    return NEAP_OK;
}
