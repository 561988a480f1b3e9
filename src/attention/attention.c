/* Scores of pairs, and vectors: forward passes of the engine in chunks of NI_FORWARD_MOST pairs, so that
 * memory does not grow with their number. A mean over contexts is summed in the order of the edges. */
#include "attention/attention.h"

#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "support/status.h"

uint32_t ni_attention_terms(const ni_attention *a)
{
    return a->degrees ? ni_degree_terms(a->degrees->graph) : 0;
}

neap_status ni_attention_create(ni_attention *a, neap_error *err)
{
    ni_engine_inputs in = { .options = a->options,
                            .seed = a->seed,
                            .rows = a->rows,
                            .keys = a->hood->nodes * (a->opposite ? 2 : 1),
                            .P = a->P,
                            .pad = a->pad,
                            .dim = a->dim,
                            .threads = a->threads,
                            .score = a->score,
                            .terms = ni_attention_terms(a),
                            .b = a->b };
    a->all[0] = a->all[1] = NULL;
    a->positions = (ni_hood){ 0 };
    return ni_engine_create(&in, &a->engine, err);
}

void ni_attention_free(ni_attention *a)
{
    ni_engine_free(a->engine);
    ni_free(a->positions.node);
    *a = (ni_attention){ 0 };
}

static void features_of(const ni_attention *a, uint32_t source, uint32_t target, float *features)
{
    ni_end s = { source, NEAP_NONE }, t = { target, NEAP_NONE };
    ni_degrees_features(a->degrees, s, t, features);
}

/* At most NI_FORWARD_MOST pairs; reversed: their targets are the sources. See ni_engine_forward. */
static neap_status forward(ni_attention *a, const neap_pair *pairs, uint32_t count, bool reversed,
                           bool dropped, uint64_t step, float *scores, const float **vectors,
                           neap_error *err)
{
    ni_side sides[2 * NI_FORWARD_MOST];
    float features[NI_FORWARD_MOST * NI_DEGREE_TERMS_MOST];
    uint32_t terms = ni_attention_terms(a);
    neap_status rc = ni_threads_check(a->threads, err); /* between chunks, which are not all tasks */
    if (rc != NEAP_OK) return rc;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = reversed ? pairs[i].target : pairs[i].source;
        uint32_t t = reversed ? pairs[i].source : pairs[i].target;
        sides[2 * i] = ni_attention_side(a, s, false);
        sides[2 * i + 1] = ni_attention_side(a, t, true);
        if (terms) features_of(a, s, t, features + (uint64_t)i * terms);
    }
    ni_items items = { .sides = sides, .count = count, .features = features };
    return ni_engine_forward(a->engine, &items, dropped, step, scores, vectors, err);
}

/* ---- scores ---- */

static neap_status score_chunk(ni_attention *a, const neap_pair *pairs, uint32_t count, float *scores,
                               neap_error *err)
{
    float back[NI_FORWARD_MOST];
    neap_status rc = forward(a, pairs, count, false, false, 0, scores, NULL, err);
    if (rc != NEAP_OK || !a->both_orders) return rc;
    rc = forward(a, pairs, count, true, false, 0, back, NULL, err);
    for (uint32_t i = 0; i < count && rc == NEAP_OK; i++) scores[i] = (scores[i] + back[i]) / 2;
    return rc;
}

static float linear_one_way(const ni_attention *a, uint32_t source, uint32_t target)
{
    float features[NI_DEGREE_TERMS_MOST];
    features_of(a, source, target, features);
    return ni_linear_terms(a->b, features, ni_attention_terms(a));
}

float ni_attention_linear(const ni_attention *a, uint32_t source, uint32_t target)
{
    if (!a->degrees) return 0;
    float forth = linear_one_way(a, source, target);
    return a->both_orders ? (forth + linear_one_way(a, target, source)) / 2 : forth;
}

neap_status ni_attention_score(ni_attention *a, const neap_pair *pairs, size_t count, float *scores,
                               neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < count && rc == NEAP_OK; i += NI_FORWARD_MOST) {
        uint32_t n = (uint32_t)(count - i < NI_FORWARD_MOST ? count - i : NI_FORWARD_MOST);
        rc = score_chunk(a, pairs + i, n, scores + i, err);
    }
    return rc;
}

/* ---- the mean over a node's edges ---- */

typedef struct averaging {
    ni_attention *a;
    float *sum;      /* n x d           */
    uint32_t *count; /* n               */
    neap_pair pair[NI_FORWARD_MOST];
    uint32_t pairs;
    uint64_t chunk;
} averaging;

/* Adds the vectors of the collected pairs to both of their nodes, in the order of the pairs. */
static neap_status flush(averaging *v, neap_error *err)
{
    const float *r;
    uint64_t d = v->a->dim;
    if (v->pairs == 0) return NEAP_OK;
    neap_status rc = forward(v->a, v->pair, v->pairs, false, v->a->options->dropout_at_inference,
                             UINT64_MAX - v->chunk, NULL, &r, err);
    for (uint32_t i = 0; i < v->pairs && rc == NEAP_OK; i++) {
        uint64_t s = v->pair[i].source, t = v->pair[i].target;
        ni_kernels_get()->axpy(1, r + 2 * i * d, v->sum + s * d, d);
        ni_kernels_get()->axpy(1, r + (2 * i + 1) * d, v->sum + t * d, d);
        v->count[s]++;
        v->count[t]++;
    }
    v->pairs = 0;
    v->chunk++;
    return rc;
}

static neap_status add_pair(averaging *v, uint32_t s, uint32_t t, neap_error *err)
{
    v->pair[v->pairs++] = (neap_pair){ s, t };
    return v->pairs < NI_FORWARD_MOST ? NEAP_OK : flush(v, err);
}

static neap_status add_edges(averaging *v, const neap_graph *g, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            rc = add_pair(v, u, g->target[e], err);
            if (rc == NEAP_OK && v->a->both_orders) rc = add_pair(v, g->target[e], u, err);
            if (rc != NEAP_OK) return rc;
        }
    return flush(v, err);
}

/* A node that reads something without having an edge, such as its own text, is read in the context of
 * itself. */
static neap_status add_lonely(averaging *v, neap_error *err)
{
    const ni_hood *h = v->a->hood;
    neap_status rc = NEAP_OK;
    for (uint32_t u = 0; u < h->nodes && rc == NEAP_OK; u++)
        if (!v->count[u] && h->offset[u] < h->offset[u + 1]) rc = add_pair(v, u, u, err);
    return rc == NEAP_OK ? flush(v, err) : rc;
}

neap_status ni_attention_vectors(ni_attention *a, const neap_graph *graph, float *vectors, neap_error *err)
{
    uint64_t d = a->dim, n = a->hood->nodes;
    averaging v = { .a = a, .sum = vectors, .count = ni_zeros(n, sizeof *v.count) };
    memset(vectors, 0, n * d * sizeof *vectors);
    neap_status rc = v.count ? add_edges(&v, graph, err) : ni_fail_memory(err, "the vectors");
    if (rc == NEAP_OK) rc = add_lonely(&v, err);
    for (uint64_t u = 0; u < n && rc == NEAP_OK; u++)
        for (uint64_t k = 0; v.count[u] && k < d; k++) vectors[u * d + k] /= (float)v.count[u];
    ni_free(v.count);
    return rc;
}

/* ---- all nodes in one context ---- */

/* Adds `weight` of the vectors of nodes first .. first+count-1 paired with the context, as sources or as
 * targets. */
static neap_status context_chunk(ni_attention *a, uint32_t context, uint32_t first, uint32_t count,
                                 bool as_target, float weight, float *vectors, neap_error *err)
{
    neap_pair pair[NI_FORWARD_MOST];
    const float *r;
    uint64_t d = a->dim;
    for (uint32_t i = 0; i < count; i++) pair[i] = (neap_pair){ first + i, context };
    neap_status rc = forward(a, pair, count, as_target, false, 0, NULL, &r, err);
    for (uint64_t i = 0; i < count && rc == NEAP_OK; i++)
        ni_kernels_get()->axpy(weight, r + (2 * i + as_target) * d, vectors + (first + i) * d, d);
    return rc;
}

neap_status ni_attention_context_vectors(ni_attention *a, uint32_t context, float *vectors, neap_error *err)
{
    uint32_t n = a->hood->nodes;
    neap_status rc = NEAP_OK;
    memset(vectors, 0, (uint64_t)n * a->dim * sizeof *vectors);
    for (uint32_t first = 0; first < n && rc == NEAP_OK; first += NI_FORWARD_MOST) {
        uint32_t count = n - first < NI_FORWARD_MOST ? n - first : NI_FORWARD_MOST;
        rc = context_chunk(a, context, first, count, false, a->both_orders ? 0.5F : 1, vectors, err);
        if (rc == NEAP_OK && a->both_orders)
            rc = context_chunk(a, context, first, count, true, 0.5F, vectors, err);
    }
    return rc;
}

/* ---- the vectors of pairs ---- */

/* Adds `weight` of the vectors of a chunk of pairs; reversed: as pairs (target, source). */
static neap_status pair_chunk(ni_attention *a, const neap_pair *pairs, uint32_t count, bool reversed,
                              float weight, float *sources, float *targets, neap_error *err)
{
    const float *r;
    uint64_t d = a->dim;
    neap_status rc = forward(a, pairs, count, reversed, false, 0, NULL, &r, err);
    for (uint64_t i = 0; i < count && rc == NEAP_OK; i++) {
        ni_kernels_get()->axpy(weight, r + (2 * i + reversed) * d, sources + i * d, d);
        ni_kernels_get()->axpy(weight, r + (2 * i + !reversed) * d, targets + i * d, d);
    }
    return rc;
}

neap_status ni_attention_pair_vectors(ni_attention *a, const neap_pair *pairs, size_t count, float *sources,
                                      float *targets, neap_error *err)
{
    uint64_t d = a->dim;
    float weight = a->both_orders ? 0.5F : 1;
    neap_status rc = NEAP_OK;
    memset(sources, 0, count * d * sizeof *sources);
    memset(targets, 0, count * d * sizeof *targets);
    for (size_t i = 0; i < count && rc == NEAP_OK; i += NI_FORWARD_MOST) {
        uint32_t n = (uint32_t)(count - i < NI_FORWARD_MOST ? count - i : NI_FORWARD_MOST);
        rc = pair_chunk(a, pairs + i, n, false, weight, sources + i * d, targets + i * d, err);
        if (rc == NEAP_OK && a->both_orders)
            rc = pair_chunk(a, pairs + i, n, true, weight, sources + i * d, targets + i * d, err);
    }
    return rc;
}
