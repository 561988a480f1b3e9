/* Nodes that were not in training: from their links and texts follow the values that training would have
 * measured.
 *
 *     degrees      as for all
 *     PageRank     one step from its neighbours'
 *     core         the largest h such that h neighbours have a core of h
 *     clustering   as for all
 *     eigenvectors v(u) = sum over x of W(u, x) v(x) / lambda (Nystroem)
 *     vectors      for other tools: the mean of its neighbours', as long as all are
 *     text         the words of the model, its singular vectors, the nearest of all texts
 *
 * O(nodes) copies once per query; per new node its neighbours' links. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/vectors.h"
#include "linalg/kernels.h"
#include "methods/evidence.h"
#include "support/status.h"

typedef struct widener {
    const neap_model *model;
    const ni_globals *from;
    const ni_view *view;
    ni_widened *w;
    uint8_t *mark; /* nodes: neighbour of the node at hand */
    float *core;   /* the most links of a new node: cores of its neighbours */
} widener;

static neap_status no_memory(neap_error *err)
{
    return ni_fail_memory(err, "the values of new nodes");
}

/* ---- links ---- */

static int descending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static float core_of(const widener *x, uint32_t u)
{
    const ni_links *l = &x->view->links;
    uint32_t count = 0, h = 0;
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++)
        if (l->node[i] < x->model->rows)
            x->core[count++] = x->w->node[(size_t)l->node[i] * NI_NODE_VALUES + NI_NODE_CORE];
    qsort(x->core, count, sizeof *x->core, descending);
    while (h < count && x->core[h] >= (float)(h + 1)) h++;
    return (float)h;
}

static float clustering_of(const widener *x, uint32_t u)
{
    const ni_links *l = &x->view->links;
    uint64_t links = 0;
    double k = (double)ni_degree(l, u);
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++) x->mark[l->node[i]] = 1;
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++)
        for (uint64_t j = l->offset[l->node[i]]; j < l->offset[l->node[i] + 1]; j++)
            links += x->mark[l->node[j]];
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++) x->mark[l->node[i]] = 0;
    return k > 1 ? (float)((double)links / (k * (k - 1))) : 0; /* each was counted from both ends */
}

static float pagerank_of(const widener *x, uint32_t u)
{
    const ni_view *v = x->view;
    double sum = 0;
    for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++) {
        uint32_t y = v->links.node[i];
        if (y < x->model->rows)
            sum += (double)(ni_view_weight(v, i) *
                            x->w->node[(size_t)y * NI_NODE_VALUES + NI_NODE_PAGERANK] / v->strength[y]);
    }
    return (float)(0.15 + 0.85 * sum);
}

static void fill_vector(const widener *x, uint32_t u)
{
    const ni_view *v = x->view;
    uint32_t d = x->from->dim;
    float *row = x->w->vector + (size_t)u * d;
    memset(row, 0, d * sizeof *row);
    for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++) {
        uint32_t y = v->links.node[i];
        if (y < x->model->rows)
            ni_kernels_get()->axpy(ni_view_weight(v, i) / sqrtf(v->strength[u] * v->strength[y]),
                                   x->from->vector + (size_t)y * d, row, d);
    }
    for (uint32_t i = 0; i < d; i++)
        row[i] = fabsf(x->from->value[i]) > 1e-6f ? row[i] / x->from->value[i] : 0;
}

static void fill_outside(const widener *x, uint32_t u)
{
    const ni_view *v = x->view;
    uint32_t d = x->from->dim;
    float *row = x->w->outside + (size_t)u * d;
    memset(row, 0, d * sizeof *row);
    for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++)
        if (v->links.node[i] < x->model->rows)
            ni_kernels_get()->axpy(ni_view_weight(v, i), x->w->outside + (size_t)v->links.node[i] * d, row,
                                   d);
    ni_vector_scale(row, d);
}

static neap_status widen_links(widener *x, neap_error *err)
{
    const neap_model *m = x->model;
    const ni_links *l = &x->view->links;
    size_t n = m->graph->nodes, d = x->from->dim;
    const float *outside = ((const ni_evidence *)m->own)->outside;
    uint64_t most = 1;
    for (uint32_t u = m->rows; u < n; u++) most = ni_degree(l, u) > most ? ni_degree(l, u) : most;
    x->w->node = ni_array(n, NI_NODE_VALUES * sizeof *x->w->node);
    if (x->from->vector) x->w->vector = ni_array(n, d * sizeof *x->w->vector);
    if (outside) x->w->outside = ni_array(n, d * sizeof *x->w->outside);
    x->mark = ni_zeros(n, sizeof *x->mark);
    x->core = ni_array(most, sizeof *x->core);
    bool all = x->w->node && (x->w->vector || !x->from->vector) && (x->w->outside || !outside);
    if (!all || !x->mark || !x->core) return no_memory(err);
    memcpy(x->w->node, x->from->node, (size_t)m->rows * NI_NODE_VALUES * sizeof *x->w->node);
    if (x->w->vector) memcpy(x->w->vector, x->from->vector, (size_t)m->rows * d * sizeof *x->w->vector);
    if (outside) memcpy(x->w->outside, outside, (size_t)m->rows * d * sizeof *outside);
    for (uint32_t u = m->rows; u < n; u++) {
        float *row = x->w->node + (size_t)u * NI_NODE_VALUES;
        ni_node_degrees(x->view, u, row);
        row[NI_NODE_PAGERANK] = pagerank_of(x, u);
        row[NI_NODE_CORE] = core_of(x, u);
        row[NI_NODE_CLUSTERING] = clustering_of(x, u);
        if (x->w->vector) fill_vector(x, u);
        if (outside) fill_outside(x, u);
    }
    return NEAP_OK;
}

/* ---- texts ---- */

/* The terms of training and, behind them, those of new texts with rows of length 1. */
static neap_status join_terms(const widener *x, const ni_sparse *fresh, neap_error *err)
{
    const ni_sparse *old = &x->from->attributes->terms;
    ni_sparse *all = &x->w->attributes.terms;
    uint32_t rows = x->model->rows, n = x->model->graph->nodes, at = (uint32_t)old->nonzeros;
    *all = (ni_sparse){ .rows = n, .nonzeros = old->nonzeros + fresh->nonzeros };
    if (all->nonzeros > UINT32_MAX) return ni_fail(err, NEAP_E_LIMIT, "the texts have too many words");
    all->start = ni_array(n, sizeof *all->start);
    all->end = ni_array(n, sizeof *all->end);
    all->term = ni_array(all->nonzeros, sizeof *all->term);
    if (!all->start || !all->end || !all->term) return no_memory(err);
    memcpy(all->start, old->start, rows * sizeof *all->start);
    memcpy(all->end, old->end, rows * sizeof *all->end);
    memcpy(all->term, old->term, old->nonzeros * sizeof *all->term);
    for (uint32_t u = rows; u < n; u++) {
        double square = 0;
        all->start[u] = at;
        for (uint32_t i = fresh->start[u - rows]; i < fresh->end[u - rows]; i++)
            square += (double)fresh->term[i].weight * (double)fresh->term[i].weight;
        for (uint32_t i = fresh->start[u - rows]; i < fresh->end[u - rows] && square > 0; i++)
            all->term[at++] =
                (ni_term){ fresh->term[i].row, (float)((double)fresh->term[i].weight / sqrt(square)) };
        all->end[u] = at;
    }
    return NEAP_OK;
}

/* x V of each new text. */
static neap_status fill_texts(const widener *x, neap_error *err)
{
    const ni_attributes *from = x->from->attributes;
    const ni_evidence *own = x->model->own;
    ni_attributes *a = &x->w->attributes;
    size_t n = x->model->graph->nodes, rows = x->model->rows, d = from->dim;
    x->w->text = ni_zeros(n, d * sizeof *x->w->text);
    x->w->near = ni_zeros(n, NI_NEAR_MOST * sizeof *x->w->near);
    x->w->cosine = ni_zeros(n, NI_NEAR_MOST * sizeof *x->w->cosine);
    if (!x->w->text || !x->w->near || !x->w->cosine) return no_memory(err);
    memcpy(x->w->text, from->vector, rows * d * sizeof *x->w->text);
    memcpy(x->w->near, from->near, rows * NI_NEAR_MOST * sizeof *x->w->near);
    memcpy(x->w->cosine, from->cosine, rows * NI_NEAR_MOST * sizeof *x->w->cosine);
    for (size_t u = rows; u < n; u++) {
        for (uint32_t i = a->terms.start[u]; i < a->terms.end[u]; i++)
            ni_kernels_get()->axpy(a->terms.term[i].weight, own->basis + a->terms.term[i].row * d,
                                   x->w->text + u * d, d);
        ni_make_unit(x->w->text + u * d, d);
    }
    return NEAP_OK;
}

static neap_status widen_texts(const widener *x, ni_threads *threads, neap_error *err)
{
    const neap_model *m = x->model;
    const ni_evidence_options *o = m->settings->own;
    const ni_attributes *from = x->from->attributes;
    uint32_t n = m->graph->nodes, words = m->texts.words.count;
    bool bounded;
    ni_sparse fresh;
    neap_status rc = ni_tfidf_create(&m->texts, m->rows, n, m->rows, &o->tfidf, threads, &fresh, err);
    if (rc != NEAP_OK) return rc;
    rc = join_terms(x, &fresh, err);
    ni_tfidf_free(&fresh);
    if (rc == NEAP_OK) rc = fill_texts(x, err);
    if (rc != NEAP_OK) return rc;
    ni_attributes *a = &x->w->attributes;
    a->columns = from->columns > words ? from->columns : words;
    a->dim = from->dim;
    a->vector = x->w->text;
    a->near = x->w->near;
    a->cosine = x->w->cosine;
    return ni_attributes_near(&a->terms, a->columns, m->rows, threads, x->w->near, x->w->cosine, &bounded,
                              err);
}

neap_status ni_evidence_widen(const neap_model *m, ni_globals *g, ni_threads *threads, ni_widened *w,
                              neap_error *err)
{
    *w = (ni_widened){ 0 };
    widener x = { .model = m, .from = g, .view = g->view, .w = w };
    neap_status rc = widen_links(&x, err);
    if (rc == NEAP_OK && g->attributes) rc = widen_texts(&x, threads, err);
    ni_free(x.mark);
    ni_free(x.core);
    if (rc != NEAP_OK) return rc;
    g->node = w->node;
    g->vector = w->vector;
    if (g->attributes) g->attributes = &w->attributes;
    return NEAP_OK;
}

void ni_widened_free(ni_widened *w)
{
    ni_free(w->node);
    ni_free(w->vector);
    ni_free(w->outside);
    ni_free(w->text);
    ni_free(w->near);
    ni_free(w->cosine);
    ni_tfidf_free(&w->attributes.terms);
    *w = (ni_widened){ 0 };
}
