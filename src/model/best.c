/* The k best of all targets. A method that can say between which numbers scores lie is asked for that
 * first, and then only for the scores that may be among the best; the answer is the same. */
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "base/sys.h"
#include "model/method.h"

static neap_status score_all(const ni_method *method, const neap_model *m, uint32_t source, float *scores,
                             neap_error *err)
{
    uint32_t n = m->graph->nodes;
    if (method->score_all) return method->score_all(m, source, scores, err);
    neap_pair *pairs = ni_array(n, sizeof *pairs);
    if (!pairs) return ni_fail_memory(err, "ranking all nodes");
    for (uint32_t t = 0; t < n; t++) pairs[t] = (neap_pair){ source, t };
    neap_status rc = method->score(m, pairs, n, scores, err);
    ni_free(pairs);
    return rc;
}

static bool better(neap_ranked a, neap_ranked b)
{
    return a.score > b.score || (a.score == b.score && a.node < b.node);
}

/* best[] is a heap with its worst on top, at most k long: what comes in must beat that. */
static void sift_down(neap_ranked *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && better(heap[child], heap[child + 1])) child++;
        if (!better(heap[at], heap[child])) return;
        neap_ranked moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static void offer(neap_ranked *heap, size_t *count, size_t k, neap_ranked candidate)
{
    if (*count == k) {
        if (!better(candidate, heap[0])) return;
        heap[0] = candidate;
        sift_down(heap, k, 0);
        return;
    }
    size_t at = (*count)++;
    for (; at > 0 && better(heap[(at - 1) / 2], candidate); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = candidate;
}

static int best_first(const void *a, const void *b)
{
    return better(*(const neap_ranked *)a, *(const neap_ranked *)b) ? -1 : 1;
}

/* A list of the best that is being made. */
typedef struct list {
    const ni_method *method;
    const neap_model *model;
    uint32_t source;
    bool with_known;
    neap_ranked *best; /* k places, a heap */
    size_t k, count;
} list;

static bool allowed(const list *l, uint32_t t)
{
    return l->with_known || (t != l->source && !ni_linked(&l->model->links, l->source, t));
}

static void offer_all(list *l, const float *scores)
{
    for (uint32_t t = 0; t < l->model->graph->nodes; t++) {
        if (l->count == l->k && scores[t] < l->best[0].score) continue; /* most end here */
        if (allowed(l, t)) offer(l->best, &l->count, l->k, (neap_ranked){ t, scores[t] });
    }
}

static neap_status rank_all(list *l, float *scores, neap_error *err)
{
    neap_status rc = score_all(l->method, l->model, l->source, scores, err);
    if (rc == NEAP_OK) rc = ni_method_check_scores(scores, l->model->graph->nodes, err);
    if (rc == NEAP_OK) offer_all(l, scores);
    return rc;
}

/* Whoever can reach the k-th largest of the lower bounds. Their scores replace these. */
static neap_status rank_promising(list *l, float *least, const float *most, uint32_t *node, neap_error *err)
{
    size_t count = 0;
    offer_all(l, least);
    float enough = l->count == l->k ? l->best[0].score : -INFINITY;
    for (uint32_t t = 0; t < l->model->graph->nodes; t++)
        if (most[t] >= enough && allowed(l, t)) node[count++] = t;
    neap_status rc = l->method->score_some(l->model, l->source, node, count, least, err);
    l->count = 0;
    if (rc == NEAP_OK) rc = ni_method_check_scores(least, count, err);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        offer(l->best, &l->count, l->k, (neap_ranked){ node[i], least[i] });
    return rc;
}

/* Of a long list most scores are needed anyway. */
static neap_status rank_by_bounds(list *l, float *least, bool *done, neap_error *err)
{
    uint32_t n = l->model->graph->nodes;
    *done = false;
    if (!l->method->score_bounds || l->k > n / 16) return NEAP_OK;
    float *most = ni_array(n, sizeof *most);
    uint32_t *node = ni_array(n, sizeof *node);
    neap_status rc = most && node ? l->method->score_bounds(l->model, l->source, least, most, done, err)
                                  : ni_fail_memory(err, "ranking all nodes");
    if (rc == NEAP_OK && *done) rc = rank_promising(l, least, most, node, err);
    ni_free(most);
    ni_free(node);
    return rc;
}

neap_status ni_method_rank(const ni_method *method, const neap_model *m, uint32_t source, size_t k,
                           bool with_known, neap_ranked *best, size_t *count, neap_error *err)
{
    list l = { method, m, source, with_known, best, k, 0 };
    float *scores = ni_array(m->graph->nodes, sizeof *scores);
    if (!scores) return ni_fail_memory(err, "ranking all nodes");
    bool done;
    neap_status rc = rank_by_bounds(&l, scores, &done, err);
    if (rc == NEAP_OK && !done) rc = rank_all(&l, scores, err);
    qsort(best, l.count, sizeof *best, best_first);
    if (rc == NEAP_OK) *count = l.count;
    ni_free(scores);
    return rc;
}
