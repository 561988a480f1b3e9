/* The k best of all targets: a heap of k, O(n log k) behind the scores. Where the method has bounds
 * least[t] <= score <= most[t], only targets whose upper bound reaches the k-th largest lower bound are
 * scored; the answer is the same. The list belongs to the caller, the scores to the call. */
#include <math.h>
#include <stdlib.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "model/best.h"
#include "model/method.h"
#include "support/status.h"

/* A list of the best that is being made. */
typedef struct list {
    neap_query *query;
    const neap_rank_spec *spec;
    const ni_targets *targets;
    uint32_t source;
    ni_ranked *best; /* spec->k entries, a heap */
    size_t count;
} list;

static bool allowed(const list *l, uint32_t t)
{
    if (!ni_is_target(l->targets, l->source, t)) return false;
    if (l->spec->without_self && t == l->source) return false;
    return l->spec->with_known || (t != l->source && !ni_linked(&l->query->model->links, l->source, t));
}

static void offer_all(list *l, const float *scores)
{
    uint32_t nodes = l->query->model->graph->nodes;
    for (uint32_t t = 0; t < nodes; t++) {
        if (l->count == l->spec->k && scores[t] < l->best[0].score) continue; /* most end here */
        if (allowed(l, t)) ni_best_offer(l->best, &l->count, l->spec->k, (ni_ranked){ t, scores[t] });
    }
}

static void offer_some(list *l, const uint32_t *node, const float *scores, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ni_best_offer(l->best, &l->count, l->spec->k, (ni_ranked){ node[i], scores[i] });
}

/* ---- all targets ---- */

static neap_status score_pairs(neap_query *query, uint32_t source, const uint32_t *target, size_t count,
                               float *scores, neap_error *err)
{
    neap_pair *pairs = ni_array(count, sizeof *pairs);
    if (!pairs) return ni_fail_memory(err, "ranking");
    for (size_t i = 0; i < count; i++) pairs[i] = (neap_pair){ source, target ? target[i] : (uint32_t)i };
    neap_status rc = query->model->method->score(query, pairs, count, scores, err);
    ni_free(pairs);
    return rc;
}

/* Cosines of the source with some nodes, or with all. */
static neap_status score_cosines(list *l, const uint32_t *target, size_t count, float *scores,
                                 neap_error *err)
{
    neap_query *q = l->query;
    size_t d = q->model->dim;
    neap_status rc = ni_query_directions(q, err);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        scores[i] =
            ni_kernels_get()->dot(q->vectors + l->source * d, q->vectors + (target ? target[i] : i) * d, d);
    return rc;
}

neap_status ni_rank_score_all(neap_query *query, uint32_t source, float *scores, neap_error *err)
{
    const neap_model *m = query->model;
    if (m->method->score_all) return m->method->score_all(query, source, scores, err);
    return score_pairs(query, source, NULL, m->graph->nodes, scores, err);
}

/* Known links are ranked by the scores that they have as pairs. */
static neap_status mask_links(const list *l, float *scores, neap_error *err)
{
    const neap_model *m = l->query->model;
    const uint32_t *row = m->links.node + m->links.offset[l->source];
    size_t count = (size_t)ni_degree(&m->links, l->source);
    if (!m->method->masks_links || !l->spec->with_known) return NEAP_OK;
    float *masked = ni_array(count, sizeof *masked);
    neap_status rc = masked ? score_pairs(l->query, l->source, row, count, masked, err)
                            : ni_fail_memory(err, "ranking all nodes");
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) scores[row[i]] = masked[i];
    ni_free(masked);
    return rc;
}

static neap_status rank_all(list *l, float *scores, neap_error *err)
{
    size_t n = l->query->model->graph->nodes;
    neap_status rc;
    if (l->spec->by == NEAP_BY_COSINE) rc = score_cosines(l, NULL, n, scores, err);
    else {
        rc = ni_rank_score_all(l->query, l->source, scores, err);
        if (rc == NEAP_OK) rc = mask_links(l, scores, err);
    }
    if (rc == NEAP_OK) rc = ni_check_scores(scores, n, err);
    if (rc == NEAP_OK) offer_all(l, scores);
    return rc;
}

/* The targets with most[t] >= the k-th largest of least; their scores replace these. */
static neap_status rank_promising(list *l, float *least, const float *most, uint32_t *node, neap_error *err)
{
    size_t count = 0;
    offer_all(l, least);
    float enough = l->count == l->spec->k ? l->best[0].score : -INFINITY;
    for (uint32_t t = 0; t < l->query->model->graph->nodes; t++)
        if (most[t] >= enough && allowed(l, t)) node[count++] = t;
    neap_status rc = l->query->model->method->score_some(l->query, l->source, node, count, least, err);
    l->count = 0;
    if (rc == NEAP_OK) rc = ni_check_scores(least, count, err);
    if (rc == NEAP_OK) offer_some(l, node, least, count);
    return rc;
}

/* Of a long list most scores are needed anyway. */
static neap_status rank_by_bounds(list *l, float *least, bool *done, neap_error *err)
{
    const neap_model *m = l->query->model;
    uint32_t n = m->graph->nodes;
    *done = false;
    if (!m->method->score_bounds || l->spec->by != NEAP_BY_SCORE || l->spec->k > n / 16) return NEAP_OK;
    float *most = ni_array(n, sizeof *most);
    uint32_t *node = ni_array(n, sizeof *node);
    neap_status rc = most && node ? m->method->score_bounds(l->query, l->source, least, most, done, err)
                                  : ni_fail_memory(err, "ranking all nodes");
    if (rc == NEAP_OK && *done) rc = rank_promising(l, least, most, node, err);
    ni_free(most);
    ni_free(node);
    return rc;
}

/* ---- given candidates ---- */

/* score_some, where the method has it, gives the same bits as score_all. */
static neap_status score_some(list *l, const uint32_t *node, size_t count, float *scores, neap_error *err)
{
    const ni_method *method = l->query->model->method;
    if (l->spec->by == NEAP_BY_COSINE) return score_cosines(l, node, count, scores, err);
    if (method->score_some) return method->score_some(l->query, l->source, node, count, scores, err);
    return score_pairs(l->query, l->source, node, count, scores, err);
}

static neap_status rank_candidates(list *l, neap_error *err)
{
    size_t count = 0, n = l->spec->candidate_count;
    uint32_t *node = ni_array(n, sizeof *node);
    float *scores = ni_array(n, sizeof *scores);
    neap_status rc = node && scores ? NEAP_OK : ni_fail_memory(err, "ranking");
    for (size_t i = 0; i < n && rc == NEAP_OK; i++)
        if (allowed(l, l->spec->candidates[i])) node[count++] = l->spec->candidates[i];
    if (rc == NEAP_OK && count) rc = score_some(l, node, count, scores, err);
    if (rc == NEAP_OK) rc = ni_check_scores(scores, count, err);
    if (rc == NEAP_OK) offer_some(l, node, scores, count);
    ni_free(node);
    ni_free(scores);
    return rc;
}

neap_status ni_rank_best(neap_query *query, const neap_rank_spec *spec, const ni_targets *targets,
                         uint32_t source, ni_ranked *best, size_t *count, neap_error *err)
{
    list l = { query, spec, targets, source, best, 0 };
    bool done = spec->candidates != NULL;
    neap_status rc = done ? rank_candidates(&l, err) : NEAP_OK;
    if (!done) {
        float *scores = ni_array(query->model->graph->nodes, sizeof *scores);
        rc = scores ? rank_by_bounds(&l, scores, &done, err) : ni_fail_memory(err, "ranking all nodes");
        if (rc == NEAP_OK && !done) rc = rank_all(&l, scores, err);
        ni_free(scores);
    }
    ni_best_sort(best, l.count);
    *count = rc == NEAP_OK ? l.count : 0;
    return rc;
}
