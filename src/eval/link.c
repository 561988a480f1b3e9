#include "eval/link.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "base/text.h"
#include "eval/leak.h"
#include "eval/rivals.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* ---- scorers ---- */

static neap_status score_by_model(void *self, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    return neap_model_score(self, pairs, count, scores, err);
}

/* The product of two rows. */
typedef struct vector_scorer {
    const float *vectors; /* n x dim                                                     */
    uint32_t dim;
    const float *scale; /* NULL, or a factor for each row: 1 / length makes it the cosine */
} vector_scorer;

/* The slow way, for vectors so long or short that their product is no ordinary float. */
static float cosine_of(const float *a, const float *b, uint32_t dim)
{
    double both = 0, left = 0, right = 0;
    for (uint32_t k = 0; k < dim; k++) {
        both += (double)a[k] * b[k];
        left += (double)a[k] * a[k];
        right += (double)b[k] * b[k];
    }
    return left > 0 && right > 0 ? (float)(both / sqrt(left) / sqrt(right)) : 0;
}

static neap_status score_by_vectors(void *self, const neap_pair *pairs, size_t count, float *scores,
                                    neap_error *err)
{
    const vector_scorer *v = self;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        uint64_t s = pairs[i].source, t = pairs[i].target;
        const float *a = v->vectors + s * v->dim, *b = v->vectors + t * v->dim;
        scores[i] = ni_kernels_get()->dot(a, b, v->dim);
        if (v->scale) scores[i] *= v->scale[s] * v->scale[t];
        if (v->scale && !isfinite(scores[i])) scores[i] = cosine_of(a, b, v->dim);
    }
    return NEAP_OK;
}

/* ---- a block of test pairs at a time ---- */

/* So many pairs are scored in one call: enough for methods that work source by source to gain from it. */
enum { BLOCK = 1 << 16 };

/* Each test pair of a block has a row of pairs: its own negative (clean), then its rivals. */
typedef struct sheet {
    const ni_trial *trial;
    const ni_scorer *scorer;
    ni_rivals rivals;
    uint32_t width, own; /* of a row; 1 with an own negative */
    size_t first, end;   /* test pairs of the block          */
    neap_pair *pair;
    float *score;
    uint32_t *node;
} sheet;

static neap_status sheet_open(const ni_trial *t, const ni_scorer *scorer, sheet *s, neap_error *err)
{
    *s = (sheet){ .trial = t, .scorer = scorer, .own = t->protocol == NI_CLEAN };
    s->width = s->own + ni_trial_rivals(t);
    s->pair = ni_array(BLOCK, sizeof *s->pair);
    s->score = ni_array(BLOCK, sizeof *s->score);
    s->node = ni_array(BLOCK, sizeof *s->node);
    if (!s->pair || !s->score || !s->node) return ni_fail_memory(err, "the scores");
    return ni_rivals_open(t, &s->rivals, err);
}

static void sheet_close(sheet *s)
{
    ni_rivals_close(&s->rivals);
    ni_free(s->pair);
    ni_free(s->score);
    ni_free(s->node);
}

/* Test pairs stand by source. A block ends where a source does, unless one source is more than a block. */
static size_t block_end(const ni_trial *t, size_t first, size_t most)
{
    size_t end = t->count - first < most ? t->count : first + most, cut = end;
    if (end == t->count) return end;
    while (cut > first && t->positive[cut].source == t->positive[cut - 1].source) cut--;
    return cut > first ? cut : end;
}

/* Scores the rows of the next block; false behind the last one. */
static bool sheet_next(sheet *s, neap_status *rc, neap_error *err)
{
    const ni_trial *t = s->trial;
    uint32_t rivals = s->width - s->own;
    s->first = s->end;
    if (*rc != NEAP_OK || s->first == t->count) return false;
    s->end = block_end(t, s->first, BLOCK / s->width);
    size_t rows = s->end - s->first;
    *rc = ni_rivals_next(&s->rivals, rows, s->node, err);
    for (size_t i = 0; i < rows && *rc == NEAP_OK; i++) {
        neap_pair *row = s->pair + i * s->width;
        if (s->own) row[0] = t->negative[s->first + i];
        for (uint32_t k = 0; k < rivals; k++)
            row[s->own + k] = (neap_pair){ t->positive[s->first + i].source, s->node[i * rivals + k] };
    }
    if (*rc == NEAP_OK) *rc = s->scorer->score(s->scorer->self, s->pair, rows * s->width, s->score, err);
    return *rc == NEAP_OK;
}

/* ---- clean ---- */

/* The row of one test pair: its negative joins the pool, its rivals give it a rank. */
static neap_status take_row(float positive, const float *row, ni_gaps *pool, neap_link_result *r,
                            neap_error *err)
{
    static const double K[NI_HITS] = { 1, 10, 50 };
    double rank;
    neap_status rc = ni_gaps_add(pool, row, 1, err);
    if (rc == NEAP_OK) rc = ni_own_rank(positive, row + 1, NI_RANK_NEGATIVES, &rank, err);
    if (rc != NEAP_OK) return rc;
    r->ties += positive == row[0];
    r->mrr += 1 / rank;
    for (int h = 0; h < NI_HITS; h++) r->hits[h] += rank <= K[h];
    return NEAP_OK;
}

static void conclude_clean(const ni_gaps *pool, size_t count, neap_link_result *r)
{
    static const uint32_t K[NI_HITS] = { 1, 10, 50 };
    r->auc = ni_gaps_auc(pool);
    r->ap = ni_gaps_ap(pool);
    r->mrr /= (double)count;
    for (int h = 0; h < NI_HITS; h++) {
        r->hits[h] /= (double)count;
        r->pool_hits[h] = ni_gaps_hits(pool, K[h]);
    }
}

static neap_status measure_clean(sheet *s, const float *positive, neap_link_result *r, neap_error *err)
{
    ni_gaps *pool;
    neap_status rc = ni_gaps_create(positive, s->trial->count, &pool, err);
    r->mrr = 0;
    for (int h = 0; h < NI_HITS; h++) r->hits[h] = 0;
    while (sheet_next(s, &rc, err))
        for (size_t i = s->first; i < s->end && rc == NEAP_OK; i++)
            rc = take_row(positive[i], s->score + (i - s->first) * s->width, pool, r, err);
    if (rc == NEAP_OK) conclude_clean(pool, s->trial->count, r);
    ni_gaps_free(pool);
    return rc;
}

/* ---- paper ---- */

/* The share of test edges that outscore one random pair each; ten passes. */
static neap_status measure_passes(sheet *s, const float *positive, neap_link_result *r, neap_error *err)
{
    const ni_trial *t = s->trial;
    double wins[NI_PASSES] = { 0 }, loop_wins = 0, sum = 0, squares = 0, count = (double)t->count;
    neap_status rc = ni_scores_check(positive, t->count, err);
    while (sheet_next(s, &rc, err)) {
        rc = ni_scores_check(s->score, (s->end - s->first) * s->width, err);
        for (size_t i = s->first; i < s->end; i++)
            for (uint32_t pass = 0; pass < NI_PASSES; pass++) {
                float negative = s->score[(i - s->first) * NI_PASSES + pass];
                double win = positive[i] > negative ? 1 : positive[i] == negative ? 0.5 : 0;
                wins[pass] += win;
                if (t->positive[i].source == t->positive[i].target) loop_wins += win;
                r->ties += pass == 0 && win == 0.5;
            }
    }
    for (uint32_t pass = 0; pass < NI_PASSES; pass++) {
        double auc = wins[pass] / count;
        sum += auc;
        squares += auc * auc;
    }
    r->auc = sum / NI_PASSES;
    r->auc_std = sqrt(fmax(0, squares / NI_PASSES - r->auc * r->auc));
    r->auc_no_loops =
        t->loops < t->count ? (sum * count - loop_wins) / NI_PASSES / (double)(t->count - t->loops) : NAN;
    return rc;
}

neap_status ni_link_measure(const ni_trial *t, const ni_scorer *scorer, neap_link_result *result,
                            neap_error *err)
{
    neap_link_result r = { .pairs = t->count,
                           .skipped = t->held_out - t->count,
                           .loops = t->loops,
                           .auc_std = NAN,
                           .auc_no_loops = NAN,
                           .ap = NAN,
                           .mrr = NAN,
                           .hits = { NAN, NAN, NAN },
                           .pool_hits = { NAN, NAN, NAN } };
    sheet s;
    double start = ni_seconds();
    neap_status rc = sheet_open(t, scorer, &s, err);
    float *positive = ni_array(t->count, sizeof *positive);
    if (rc == NEAP_OK && !positive) rc = ni_fail_memory(err, "the scores");
    if (rc == NEAP_OK) rc = scorer->score(scorer->self, t->positive, t->count, positive, err);
    if (rc == NEAP_OK)
        rc = t->protocol == NI_CLEAN ? measure_clean(&s, positive, &r, err)
                                     : measure_passes(&s, positive, &r, err);
    r.seconds = ni_seconds() - start;
    if (rc == NEAP_OK) *result = r;
    ni_free(positive);
    sheet_close(&s);
    return rc;
}

/* ---- in public ---- */

neap_status neap_trial_train(const neap_trial *t, const neap_options *options, const neap_hooks *hooks,
                             neap_model **out, neap_error *err)
{
    const neap_validation valid = { t->valid, t->valid_negative, t->valids };
    neap_hooks with = hooks ? *hooks : (neap_hooks){ 0 };
    with.around = t->protocol == NI_PAPER ? t->whole : NULL;
    with.valid = t->valids ? &valid : NULL;
    return neap_train_fully(t->train, options, &with, out, err);
}

static bool same_names(const ni_names *a, const ni_names *b)
{
    return a->count == b->count && (!a->count || (a->offset[a->count] == b->offset[b->count] &&
                                                  !memcmp(a->bytes, b->bytes, a->offset[a->count])));
}

/* What the model knows must be clean, or in the leaky protocol be told. */
static neap_status look_for_leaks(const neap_trial *t, const neap_model *m, int *sees_test, neap_error *err)
{
    neap_error why = { 0 };
    if (!same_names(&t->whole->names, &m->graph->names))
        return ni_fail(err, NEAP_E_MISMATCH, "the nodes of the model are not those of the split");
    neap_status rc = ni_leak_in_model(t, m, NULL, &why);
    *sees_test = rc == NEAP_E_LEAK;
    if (rc == NEAP_E_LEAK && t->protocol == NI_PAPER) return NEAP_OK;
    if (rc != NEAP_OK && err) *err = why;
    return rc;
}

/* The paper's protocols compare averaged vectors, where a method has vectors. */
static neap_status measure_averages(const neap_trial *t, const neap_model *m, neap_link_result *result,
                                    neap_error *err)
{
    float *vectors = ni_array((uint64_t)m->graph->nodes * m->dim, sizeof *vectors);
    vector_scorer by = { .vectors = vectors, .dim = m->dim };
    neap_status rc = vectors ? neap_model_vectors(m, vectors, err) : ni_fail_memory(err, "the vectors");
    if (rc == NEAP_OK) rc = ni_link_measure(t, &(ni_scorer){ score_by_vectors, &by }, result, err);
    ni_free(vectors);
    return rc;
}

neap_status neap_trial_measure(const neap_trial *t, const neap_model *m, neap_link_result *result,
                               neap_error *err)
{
    int sees_test;
    neap_status rc = look_for_leaks(t, m, &sees_test, err);
    if (rc != NEAP_OK) return rc;
    rc = t->protocol != NI_CLEAN && m->E
             ? measure_averages(t, m, result, err)
             : ni_link_measure(t, &(ni_scorer){ score_by_model, (void *)m }, result, err);
    if (rc != NEAP_OK) return rc;
    result->sees_test = sees_test;
    result->epochs = neap_model_training(m).epochs;
    return NEAP_OK;
}

/* 1 / length of each vector, 0 for a zero vector. */
static float *inverse_lengths(const float *vectors, uint32_t n, uint32_t dim)
{
    float *scale = ni_array(n, sizeof *scale);
    for (size_t u = 0; scale && u < n; u++) {
        const float *row = vectors + u * dim;
        double squares = 0;
        for (uint32_t k = 0; k < dim; k++) squares += (double)row[k] * row[k];
        scale[u] = squares > 0 ? (float)(1 / sqrt(squares)) : 0;
    }
    return scale;
}

neap_status neap_trial_measure_vectors(const neap_trial *t, const float *vectors, uint32_t dim, int cosine,
                                       neap_link_result *result, neap_error *err)
{
    uint64_t cells = (uint64_t)t->whole->nodes * dim;
    if (dim == 0 || ni_finite_until(vectors, cells) < cells)
        return ni_fail(err, NEAP_E_ARG, "vectors need at least one number each, and only finite ones");
    float *scale = cosine ? inverse_lengths(vectors, t->whole->nodes, dim) : NULL;
    if (cosine && !scale) return ni_fail_memory(err, "the lengths of the vectors");
    vector_scorer by = { vectors, dim, scale };
    neap_status rc = ni_link_measure(t, &(ni_scorer){ score_by_vectors, &by }, result, err);
    ni_free(scale);
    return rc;
}
