/* Scores test pairs with their negatives in blocks of 2^16 pairs and computes the metrics on the way
 * (metrics.h): O(pairs x candidates) scores, 24 bytes per test pair. Scoring uses the threads of the
 * query, the rest runs on the calling thread. */
#include "eval/link.h"

#include <math.h>
#include <string.h>

#include "attention/attention.h"
#include "base/sized.h"
#include "base/sys.h"
#include "eval/calibration.h"
#include "eval/metrics.h"
#include "eval/trial.h"
#include "linalg/kernels.h"
#include "model/method.h"
#include "support/status.h"
#include "support/text.h"

/* ---- scorers ---- */

static neap_status score_by_model(void *self, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    return ni_query_score(self, pairs, count, scores, err);
}

static neap_status score_all_by_model(void *self, uint32_t source, float *scores, neap_error *err)
{
    return ni_query_score_all(self, source, scores, err);
}

/* The dot product, or the cosine, of two vectors. */
typedef struct vector_scorer {
    const float *vectors; /* n x dim                                                     */
    uint32_t dim;
    const float *scale; /* NULL, or a factor for each row: 1 / length makes it the cosine */
} vector_scorer;

/* In double, for vectors so long or short that the product in float overflows. */
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

/* A block is scored in pieces, so that progress is reported often enough. The last bits of a model's score
 * may depend on the NI_FORWARD_MOST pairs that are computed together, so a piece is a multiple of that. */
enum { BLOCK = 1 << 16, PIECE = 32 * NI_FORWARD_MOST };

/* Each test pair of a block has a row of pairs: itself, if the scorer works by source (otherwise all test
 * pairs are scored before); its own negative (clean); its candidates. */
typedef struct sheet {
    const ni_trial *trial;
    const ni_scorer *scorer;
    const neap_hooks *hooks;
    double start;              /* in seconds                               */
    uint64_t done;             /* pairs scored                             */
    float *positive;           /* the score of each test pair              */
    uint32_t width, lead, own; /* of a row; 1 with itself, 1 with an own negative */
    size_t first, end;         /* test pairs of the block                  */
    ni_candidates candidates;
    neap_pair *pair;
    float *score;
    uint32_t *node;
} sheet;

static neap_status sheet_open(sheet *s, const ni_trial *t, const ni_scorer *scorer, const neap_hooks *hooks,
                              neap_error *err)
{
    *s = (sheet){ .trial = t, .scorer = scorer, .hooks = hooks, .start = ni_seconds() };
    s->lead = scorer->by_source;
    s->own = t->protocol == NI_CLEAN;
    s->width = s->lead + s->own + ni_trial_candidates(t);
    s->positive = ni_array(t->count, sizeof *s->positive);
    s->pair = ni_array(BLOCK, sizeof *s->pair);
    s->score = ni_array(BLOCK, sizeof *s->score);
    s->node = ni_array(BLOCK, sizeof *s->node);
    if (!s->positive || !s->pair || !s->score || !s->node) return ni_fail_memory(err, "the scores");
    return ni_candidates_open(t, &s->candidates, err);
}

static void sheet_close(sheet *s)
{
    ni_candidates_close(&s->candidates);
    ni_free(s->positive);
    ni_free(s->pair);
    ni_free(s->score);
    ni_free(s->node);
}

/* The end of at most `most` pairs from `first` on, which are sorted by source: where a source ends, unless
 * one source has more than that. */
static size_t end_of_source(const neap_pair *pair, size_t count, size_t first, size_t most)
{
    size_t end = count - first < most ? count : first + most, cut = end;
    if (end == count) return end;
    while (cut > first && pair[cut].source == pair[cut - 1].source) cut--;
    return cut > first ? cut : end;
}

/* Reports progress; NEAP_E_STOPPED if the callback requests it. */
static neap_status report_progress(const sheet *s, neap_error *err)
{
    if (!s->hooks || !s->hooks->progress) return NEAP_OK;
    double seconds = ni_seconds() - s->start;
    uint64_t each = 1 + s->own + ni_trial_candidates(s->trial), all = each * s->trial->count;
    uint64_t ranked = ni_is_papers(s->trial) ? 0 : ni_ranked_count(s->trial);
    all += ranked * s->trial->whole->nodes;
    neap_progress now = { .size = sizeof now,
                          .stage = "score",
                          .done = s->done / each,
                          .total = s->trial->count + ranked,
                          .loss = NAN,
                          .valid_auc = NAN,
                          .seconds = seconds };
    now.rate = seconds > 0 ? (double)now.done / seconds : 0;
    now.left = s->done ? seconds * (double)(all - s->done) / (double)s->done : NAN;
    if (!s->hooks->progress(&now, s->hooks->user)) return NEAP_OK;
    return ni_fail(err, NEAP_E_STOPPED, "stopped after %llu of %llu test pairs",
                   (unsigned long long)now.done, (unsigned long long)s->trial->count);
}

static neap_status score(sheet *s, const neap_pair *pair, size_t count, float *scores, neap_error *err)
{
    const ni_scorer *by = s->scorer;
    neap_status rc = NEAP_OK;
    for (size_t first = 0, end; first < count && rc == NEAP_OK; first = end) {
        end = count - first < PIECE ? count : first + PIECE;
        if (by->by_source) end = end_of_source(pair, count, first, PIECE);
        rc = report_progress(s, err);
        if (rc == NEAP_OK) rc = by->score(by->self, pair + first, end - first, scores + first, err);
        s->done += end - first;
    }
    return rc == NEAP_OK ? ni_scores_check(scores, count, err) : rc;
}

static neap_status fill_rows(sheet *s, neap_error *err)
{
    const ni_trial *t = s->trial;
    uint32_t before = s->lead + s->own, candidates = s->width - before;
    neap_status rc = ni_candidates_next(&s->candidates, s->end - s->first, s->node, err);
    for (size_t i = s->first; i < s->end && rc == NEAP_OK; i++) {
        neap_pair *row = s->pair + (i - s->first) * s->width;
        const uint32_t *node = s->node + (i - s->first) * candidates;
        if (s->lead) row[0] = t->positive[i];
        if (s->own) row[s->lead] = t->negative[i];
        for (uint32_t k = 0; k < candidates; k++)
            row[before + k] = (neap_pair){ t->positive[i].source, node[k] };
    }
    return rc;
}

/* Scores the rows of the next block; false behind the last one. */
static bool sheet_next(sheet *s, neap_status *rc, neap_error *err)
{
    const ni_trial *t = s->trial;
    s->first = s->end;
    if (*rc != NEAP_OK || s->first == t->count) return false;
    s->end = end_of_source(t->positive, t->count, s->first, BLOCK / s->width);
    size_t rows = s->end - s->first;
    *rc = fill_rows(s, err);
    if (*rc == NEAP_OK) *rc = score(s, s->pair, rows * s->width, s->score, err);
    for (size_t i = 0; i < rows && s->lead; i++) s->positive[s->first + i] = s->score[i * s->width];
    return *rc == NEAP_OK;
}

/* The scores of the negatives of test pair i of the block. */
static const float *candidates_of(const sheet *s, size_t i)
{
    return s->score + (i - s->first) * s->width + s->lead;
}

/* ---- clean, and given ---- */

/* The rank of a test pair among its candidates, and what follows from it. */
static neap_status take_row(float positive, const float *candidate, neap_link_result *r, neap_error *err)
{
    static const double K[NI_HITS] = { 1, 10, 50 };
    double rank;
    neap_status rc = ni_own_rank(positive, candidate, NI_RANK_NEGATIVES, &rank, err);
    if (rc != NEAP_OK) return rc;
    r->mrr += 1 / rank;
    for (int h = 0; h < NI_HITS; h++) r->hits[h] += rank <= K[h];
    return NEAP_OK;
}

/* Both nodes have training links. */
static bool is_seen(const ni_trial *t, neap_pair p)
{
    return ni_degree(&t->seen, p.source) && ni_degree(&t->seen, p.target);
}

/* They share a neighbour in training. */
static bool is_near(const ni_trial *t, neap_pair p)
{
    return ni_count_shared(&t->seen, p.source, p.target) > 0;
}

/* AUC over those test pairs and those negatives that are `such`; NaN where there is none of either. */
static neap_status measure_such(const sheet *s, const float *negative,
                                bool (*such)(const ni_trial *, neap_pair), double *auc, neap_error *err)
{
    const ni_trial *t = s->trial;
    size_t above = 0, below = 0;
    float *positives = ni_array(t->count, sizeof *positives),
          *negatives = ni_array(t->negatives, sizeof *negatives);
    neap_status rc = positives && negatives ? NEAP_OK : ni_fail_memory(err, "the scores");
    for (size_t i = 0; i < t->count && rc == NEAP_OK; i++)
        if (such(t, t->positive[i])) positives[above++] = s->positive[i];
    for (size_t i = 0; i < t->negatives && rc == NEAP_OK; i++)
        if (such(t, t->negative[i])) negatives[below++] = negative[i];
    if (rc == NEAP_OK && above && below) rc = neap_auc(positives, above, negatives, below, auc, err);
    ni_free(positives);
    ni_free(negatives);
    return rc;
}

/* What needs the scores of single pairs, before conclude_clean sorts them. */
static neap_status measure_parts(const sheet *s, const float *negative, neap_link_result *r,
                                 neap_error *err)
{
    const ni_trial *t = s->trial;
    neap_status rc = measure_such(s, negative, is_seen, &r->auc_seen, err);
    if (rc == NEAP_OK && t->kind == NI_TWO_HOP)
        rc = measure_such(s, negative, is_near, &r->auc_shared, err);
    if (rc == NEAP_OK && s->scorer->log_odds)
        rc = ni_calibration(s->positive, negative, t->count, t->seed, r, err);
    return rc;
}

/* All positives against the pool of all negatives. */
static neap_status conclude_clean(sheet *s, const float *negative, neap_link_result *r, neap_error *err)
{
    static const uint32_t K[NI_HITS] = { 1, 10, 50 };
    size_t count = s->trial->count;
    ni_gaps *pool;
    neap_status rc = ni_gaps_adopt(s->positive, count, &pool, err);
    s->positive = NULL;
    if (rc == NEAP_OK) rc = ni_gaps_add(pool, negative, s->trial->negatives, err);
    if (rc == NEAP_OK) {
        r->auc = ni_gaps_auc(pool);
        r->ap = ni_gaps_ap(pool);
        r->mrr /= (double)count;
        for (int h = 0; h < NI_HITS; h++) {
            r->hits[h] /= (double)count;
            r->pool_hits[h] = ni_gaps_hits(pool, K[h]);
        }
    }
    ni_gaps_free(pool);
    return rc;
}

static neap_status measure_clean(sheet *s, neap_link_result *r, neap_error *err)
{
    const ni_trial *t = s->trial;
    float *negative = ni_array(t->negatives, sizeof *negative);
    neap_status rc = negative ? NEAP_OK : ni_fail_memory(err, "the scores");
    r->mrr = 0;
    for (int h = 0; h < NI_HITS; h++) r->hits[h] = 0;
    if (rc == NEAP_OK && !s->own) rc = score(s, t->negative, t->negatives, negative, err);
    while (sheet_next(s, &rc, err))
        for (size_t i = s->first; i < s->end && rc == NEAP_OK; i++) {
            const float *row = candidates_of(s, i);
            if (s->own) negative[i] = row[0];
            if (s->own) r->ties += s->positive[i] == row[0];
            rc = take_row(s->positive[i], row + s->own, r, err);
        }
    if (rc == NEAP_OK) rc = measure_parts(s, negative, r, err);
    if (rc == NEAP_OK) rc = conclude_clean(s, negative, r, err);
    ni_free(negative);
    return rc == NEAP_OK ? ni_link_rank_all(s->trial, s->scorer, s->hooks, s->start, r, err) : rc;
}

/* ---- paper ---- */

/* The share of test edges that outscore one random pair each; ten passes. */
typedef struct passes {
    double wins[NI_PASSES], loop_wins;
} passes;

static void take_passes(const sheet *s, size_t i, passes *p, neap_link_result *r)
{
    neap_pair pair = s->trial->positive[i];
    const float *negative = candidates_of(s, i);
    for (uint32_t pass = 0; pass < NI_PASSES; pass++) {
        double win = s->positive[i] > negative[pass] ? 1 : s->positive[i] == negative[pass] ? 0.5 : 0;
        p->wins[pass] += win;
        if (pair.source == pair.target) p->loop_wins += win;
        r->ties += pass == 0 && win == 0.5;
    }
}

static neap_status measure_passes(sheet *s, neap_link_result *r, neap_error *err)
{
    const ni_trial *t = s->trial;
    passes p = { 0 };
    double sum = 0, squares = 0, count = (double)t->count;
    neap_status rc = NEAP_OK;
    if (!t->count) return rc; /* all test pairs were skipped: there is no share of them */
    while (sheet_next(s, &rc, err))
        for (size_t i = s->first; i < s->end; i++) take_passes(s, i, &p, r);
    for (uint32_t pass = 0; pass < NI_PASSES; pass++) {
        double auc = p.wins[pass] / count;
        sum += auc;
        squares += auc * auc;
    }
    r->auc = sum / NI_PASSES;
    r->auc_std = sqrt(fmax(0, squares / NI_PASSES - r->auc * r->auc));
    r->auc_no_loops =
        t->loops < t->count ? (sum * count - p.loop_wins) / NI_PASSES / (double)(t->count - t->loops) : NAN;
    return rc;
}

neap_status ni_link_measure(const ni_trial *t, const ni_scorer *scorer, const neap_hooks *hooks,
                            neap_link_result *result, neap_error *err)
{
    neap_link_result r = { .pairs = t->count,
                           .skipped = t->held_out - t->count,
                           .loops = t->loops,
                           .auc = NAN,
                           .auc_std = NAN,
                           .auc_no_loops = NAN,
                           .ap = NAN,
                           .mrr = NAN,
                           .hits = { NAN, NAN, NAN },
                           .pool_hits = { NAN, NAN, NAN },
                           .auc_seen = NAN,
                           .mrr_all = NAN,
                           .hits_all = { NAN, NAN, NAN },
                           .auc_shared = NAN,
                           .brier = NAN,
                           .ece = NAN,
                           .ece_own = NAN };
    for (uint32_t b = 0; b < NEAP_BINS; b++) r.bin_predicted[b] = r.bin_observed[b] = NAN;
    sheet s;
    neap_status rc = sheet_open(&s, t, scorer, hooks, err);
    if (rc == NEAP_OK && !s.lead) rc = score(&s, t->positive, t->count, s.positive, err);
    if (rc == NEAP_OK) rc = ni_is_papers(t) ? measure_passes(&s, &r, err) : measure_clean(&s, &r, err);
    r.seconds = ni_seconds() - s.start;
    if (rc == NEAP_OK) *result = r;
    sheet_close(&s);
    return rc;
}

/* ---- in public ---- */

/* The training part of a valid graph can fail to be a valid graph only by being too small. */
static neap_status too_small(const neap_trial *t, const neap_options *options, neap_error *err)
{
    unsigned long long edges = t->train->edges;
    char valid[32] = "0";
    neap_options_get(options, "valid", valid, sizeof valid, NULL);
    bool validates = strcmp(valid, "0") != 0;
    return ni_fail(err, NEAP_E_FORMAT,
                   "training on %.10g %% of the pairs leaves %llu edge%s to learn from: too few%s; take a "
                   "larger ratio%s",
                   100 * t->ratio, edges, edges == 1 ? "" : "s",
                   validates ? " to keep some back for early stopping" : "",
                   validates ? ", or no validation (valid 0)" : "");
}

neap_status neap_trial_train(const neap_trial *t, const neap_options *options, const neap_hooks *hooks,
                             neap_model **out, neap_error *err)
{
    neap_data data = { .size = sizeof data,
                       .graph = t->train,
                       .text = t->text,
                       .features = t->features,
                       .around = t->protocol == NI_PAPER ? t->whole : NULL,
                       .valid_positives = t->valids ? t->valid : NULL,
                       .valid_negatives = t->valid_negative,
                       .valid_count = t->valids };
    neap_targets targets = ni_targets_view(&t->targets);
    if (ni_targets_limit(&t->targets)) data.targets = &targets;
    neap_error why = { 0 };
    neap_status rc = neap_train_fully(&data, options, hooks, out, &why);
    if (rc == NEAP_E_FORMAT && !t->valids) return too_small(t, options, err);
    if (rc != NEAP_OK && err) *err = why;
    return rc;
}

static bool same_names(const ni_names *a, const ni_names *b)
{
    return a->count == b->count && (!a->count || (a->offset[a->count] == b->offset[b->count] &&
                                                  !memcmp(a->bytes, b->bytes, a->offset[a->count])));
}

/* A model that has seen test pairs is refused; in the leaky protocol it is reported. */
static neap_status check_leaks(const neap_trial *t, const neap_model *m, int *sees_test, neap_error *err)
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

/* The paper's protocols compare averaged vectors; a method without has a score of its own. */
static neap_status measure_averages(const neap_trial *t, neap_query *q, const neap_hooks *hooks,
                                    neap_link_result *result, neap_error *err)
{
    const neap_model *m = q->model;
    float *vectors = ni_array((uint64_t)m->graph->nodes * m->dim, sizeof *vectors);
    vector_scorer by = { .vectors = vectors, .dim = m->dim };
    neap_status rc = vectors ? neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, err)
                             : ni_fail_memory(err, "the vectors");
    if (rc == NEAP_OK)
        rc = ni_link_measure(t, &(ni_scorer){ .score = score_by_vectors, .self = &by }, hooks, result, err);
    ni_free(vectors);
    return rc;
}

/* The scores are log-odds of a link against a non-link that was drawn as the negatives of the trial are;
 * how given ones were drawn is not known. */
static bool has_odds(const ni_trial *t, const neap_model *m)
{
    if (t->protocol == NI_GIVEN) return false;
    const uint32_t *kind = ni_settings_find(m->settings, "negative-sampling");
    return m->method->info.probability && (kind ? *kind : NI_UNIFORM) == (uint32_t)t->kind;
}

/* The vectors of a method that reads neighbourhoods are averages over contexts. */
static neap_status measure(const neap_trial *t, neap_query *q, const neap_hooks *hooks,
                           neap_link_result *result, neap_error *err)
{
    const ni_method *method = q->model->method;
    if (ni_is_papers(t) && method->hood) return measure_averages(t, q, hooks, result, err);
    ni_scorer by = { score_by_model, q, !method->info.vectors, score_all_by_model, has_odds(t, q->model) };
    return ni_link_measure(t, &by, hooks, result, err);
}

neap_status neap_trial_measure(const neap_trial *t, const neap_model *m, const neap_hooks *hooks,
                               neap_link_result *result, neap_error *err)
{
    int sees_test;
    neap_link_result mine;
    neap_hooks heard;
    neap_query *q = NULL;
    neap_status rc = ni_sized_look(result, "neap_link_result", err);
    if (rc == NEAP_OK) rc = check_leaks(t, m, &sees_test, err);
    if (rc == NEAP_OK) rc = ni_hooks_in(&heard, &hooks, err);
    if (rc == NEAP_OK) rc = neap_query_create(m, NULL, &q, err);
    if (rc == NEAP_OK) rc = measure(t, q, hooks, &mine, err);
    neap_query_free(q);
    if (rc != NEAP_OK) return rc;
    mine.sees_test = sees_test;
    mine.epochs = m->epochs;
    return ni_sized_out(&mine, sizeof mine, result, "neap_link_result", err);
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
                                       const neap_hooks *hooks, neap_link_result *result, neap_error *err)
{
    uint64_t cells = (uint64_t)t->whole->nodes * dim;
    if (dim == 0 || ni_finite_until(vectors, cells) < cells)
        return ni_fail(err, NEAP_E_ARG, "vectors need at least one number each, and only finite ones");
    float *scale = cosine ? inverse_lengths(vectors, t->whole->nodes, dim) : NULL;
    if (cosine && !scale) return ni_fail_memory(err, "the lengths of the vectors");
    vector_scorer by = { vectors, dim, scale };
    neap_link_result mine;
    neap_hooks heard;
    neap_status rc = ni_sized_look(result, "neap_link_result", err);
    if (rc == NEAP_OK) rc = ni_hooks_in(&heard, &hooks, err);
    if (rc == NEAP_OK)
        rc = ni_link_measure(t, &(ni_scorer){ .score = score_by_vectors, .self = &by }, hooks, &mine, err);
    ni_free(scale);
    return rc == NEAP_OK ? ni_sized_out(&mine, sizeof mine, result, "neap_link_result", err) : rc;
}
