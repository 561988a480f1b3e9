#include <string.h>

#include "attention/engine.h"
#include "attention/queries.h"
#include "attention/score.h"
#include "base/status.h"
#include "base/sys.h"
#include "linalg/kernels.h"

neap_status ni_model_engine(const neap_model *m, ni_engine **out, neap_error *err)
{
    ni_engine_inputs in = { &m->options, &m->hood, m->E, m->P, m->pad, m->dim, m->threads };
    return ni_engine_create(&in, out, err);
}

/* ---- the mean over a node's training contexts ---- */

typedef struct averaging {
    const neap_model *model;
    ni_engine *engine;
    float *sum;      /* n x d           */
    uint32_t *count; /* n               */
    neap_pair pair[NI_FORWARD_MOST];
    uint32_t pairs;
    uint64_t chunk;
} averaging;

/* Adds the vectors of the collected pairs to both of their nodes, in the order of the pairs. */
static neap_status flush(averaging *a, neap_error *err)
{
    const float *r;
    uint64_t d = a->model->dim;
    if (a->pairs == 0) return NEAP_OK;
    neap_status rc = ni_engine_forward(a->engine, a->pair, a->pairs, a->model->options.dropout_at_inference,
                                       UINT64_MAX - a->chunk, NULL, &r, err);
    for (uint32_t i = 0; i < a->pairs && rc == NEAP_OK; i++) {
        uint64_t s = a->pair[i].source, t = a->pair[i].target;
        ni_kernels_get()->axpy(1, r + 2 * i * d, a->sum + s * d, d);
        ni_kernels_get()->axpy(1, r + (2 * i + 1) * d, a->sum + t * d, d);
        a->count[s]++;
        a->count[t]++;
    }
    a->pairs = 0;
    a->chunk++;
    return rc;
}

static neap_status add_pair(averaging *a, uint32_t s, uint32_t t, neap_error *err)
{
    a->pair[a->pairs++] = (neap_pair){ s, t };
    return a->pairs < NI_FORWARD_MOST ? NEAP_OK : flush(a, err);
}

static neap_status add_edges(averaging *a, neap_error *err)
{
    const neap_graph *g = a->model->graph;
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            rc = add_pair(a, u, g->target[e], err);
            if (rc == NEAP_OK && g->undirected) rc = add_pair(a, g->target[e], u, err);
            if (rc != NEAP_OK) return rc;
        }
    return flush(a, err);
}

neap_status ni_gap_vectors(const neap_model *m, float *vectors, neap_error *err)
{
    uint64_t d = m->dim, n = m->graph->nodes;
    averaging a = { .model = m, .sum = vectors, .count = ni_zeros(n, sizeof *a.count) };
    memset(vectors, 0, n * d * sizeof *vectors);
    neap_status rc = a.count ? ni_model_engine(m, &a.engine, err) : ni_fail_memory(err, "the vectors");
    if (rc == NEAP_OK) rc = add_edges(&a, err);
    for (uint64_t u = 0; u < n && rc == NEAP_OK; u++)
        for (uint64_t k = 0; a.count[u] && k < d; k++) vectors[u * d + k] /= (float)a.count[u];
    ni_engine_free(a.engine);
    ni_free(a.count);
    return rc;
}

/* ---- all nodes in one context ---- */

/* Vectors of nodes first .. first+count-1 paired with the context, as sources or as targets. */
static neap_status context_chunk(ni_engine *e, const neap_model *m, uint32_t context, uint32_t first,
                                 uint32_t count, bool as_target, float weight, float *vectors,
                                 neap_error *err)
{
    neap_pair pair[NI_FORWARD_MOST];
    const float *r;
    uint64_t d = m->dim;
    for (uint32_t i = 0; i < count; i++)
        pair[i] = as_target ? (neap_pair){ context, first + i } : (neap_pair){ first + i, context };
    neap_status rc = ni_engine_forward(e, pair, count, false, 0, NULL, &r, err);
    for (uint64_t i = 0; i < count && rc == NEAP_OK; i++)
        ni_kernels_get()->axpy(weight, r + (2 * i + as_target) * d, vectors + (first + i) * d, d);
    return rc;
}

neap_status ni_gap_context_vectors(const neap_model *m, uint32_t context, float *vectors, neap_error *err)
{
    ni_engine *e;
    uint32_t n = m->graph->nodes;
    bool both = m->graph->undirected;
    memset(vectors, 0, (uint64_t)n * m->dim * sizeof *vectors);
    neap_status rc = ni_model_engine(m, &e, err);
    for (uint32_t first = 0; first < n && rc == NEAP_OK; first += NI_FORWARD_MOST) {
        uint32_t count = n - first < NI_FORWARD_MOST ? n - first : NI_FORWARD_MOST;
        rc = context_chunk(e, m, context, first, count, false, both ? 0.5F : 1, vectors, err);
        if (rc == NEAP_OK && both)
            rc = context_chunk(e, m, context, first, count, true, 0.5F, vectors, err);
    }
    ni_engine_free(e);
    return rc;
}
