#include "eval/link.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "kernels/kernels.h"
#include "methods/method.h"
#include "metrics/metrics.h"

/* ---- training ---- */

neap_status ni_link_train(const ni_trial *t, const neap_options *options, const neap_hooks *hooks,
                          neap_model **out, neap_error *err)
{
    neap_options once = *options;
    neap_hooks with = hooks ? *hooks : (neap_hooks){ 0 };
    with.around = t->protocol == NI_PAPER ? t->whole : NULL;
    with.checkpoint = NULL;
    neap_status rc = neap_train(t->train, &once, &with, out, err);
    bool stopped_early = rc == NEAP_OK && !isnan(neap_model_training(*out).valid_auc);
    if (!stopped_early) return rc;
    once.epochs = neap_model_training(*out).epochs;
    once.valid = 0;
    neap_model_free(*out);
    return neap_train(t->train, &once, &with, out, err);
}

/* ---- scorers ---- */

neap_status ni_score_vectors(void *self, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    const ni_vector_scorer *v = self;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        uint64_t s = v->row_of ? v->row_of[pairs[i].source] : pairs[i].source;
        uint64_t t = v->row_of ? v->row_of[pairs[i].target] : pairs[i].target;
        bool none = s == NEAP_NONE || t == NEAP_NONE;
        scores[i] =
            none ? 0 : ni_kernels_get()->dot(v->vectors + s * v->dim, v->vectors + t * v->dim, v->dim);
    }
    return NEAP_OK;
}

typedef struct model_scorer {
    const neap_model *model;
    float *vectors; /* NULL: the model scores the pair itself */
    ni_vector_scorer by_vectors;
} model_scorer;

static neap_status score_by_model(void *self, const neap_pair *pairs, size_t count, float *scores,
                                  neap_error *err)
{
    model_scorer *s = self;
    if (s->vectors) return ni_score_vectors(&s->by_vectors, pairs, count, scores, err);
    return neap_model_score(s->model, pairs, count, scores, err);
}

neap_status ni_model_scorer(const neap_model *m, ni_protocol protocol, ni_scorer *scorer, neap_error *err)
{
    model_scorer *s = ni_zeros(1, sizeof *s);
    if (!s) return ni_fail_memory(err, "a scorer");
    *s = (model_scorer){ .model = m };
    *scorer = (ni_scorer){ score_by_model, s };
    if (protocol == NI_CLEAN || !m->E) return NEAP_OK;
    s->vectors = ni_array((uint64_t)m->graph->nodes * m->dim, sizeof *s->vectors);
    neap_status rc =
        s->vectors ? neap_model_vectors(m, s->vectors, err) : ni_fail_memory(err, "the vectors");
    s->by_vectors = (ni_vector_scorer){ s->vectors, NULL, m->dim };
    if (rc != NEAP_OK) ni_model_scorer_free(scorer);
    return rc;
}

void ni_model_scorer_free(ni_scorer *scorer)
{
    model_scorer *s = scorer->self;
    if (s) ni_free(s->vectors);
    ni_free(s);
    *scorer = (ni_scorer){ 0 };
}

/* ---- clean ---- */

static neap_status measure_pool(const ni_trial *t, const float *positive, const float *negative,
                                neap_link_result *r, neap_error *err)
{
    static const uint32_t K[NI_HITS] = { 1, 10, 50 };
    ni_gaps *gaps;
    neap_status rc = ni_gaps_create(positive, t->count, &gaps, err);
    if (rc == NEAP_OK) rc = ni_gaps_add(gaps, negative, t->count, err);
    if (rc == NEAP_OK) {
        r->auc = ni_gaps_auc(gaps);
        r->ap = ni_gaps_ap(gaps);
        for (int i = 0; i < NI_HITS; i++) r->pool_hits[i] = ni_gaps_hits(gaps, K[i]);
        for (size_t i = 0; i < t->count; i++) r->ties += positive[i] == negative[i];
    }
    ni_gaps_free(gaps);
    return rc;
}

static neap_status measure_ranks(const ni_trial *t, const ni_scorer *s, const float *positive,
                                 neap_link_result *r, neap_error *err)
{
    static const double K[NI_HITS] = { 1, 10, 50 };
    neap_pair pair[NI_RANK_NEGATIVES];
    float score[NI_RANK_NEGATIVES];
    double rank, reciprocal = 0, hits[NI_HITS] = { 0 };
    for (size_t i = 0; i < t->count; i++) {
        for (uint32_t k = 0; k < NI_RANK_NEGATIVES; k++)
            pair[k] = (neap_pair){ t->positive[i].source, ni_trial_rank_negative(t, i, k) };
        neap_status rc = s->score(s->self, pair, NI_RANK_NEGATIVES, score, err);
        if (rc == NEAP_OK) rc = ni_own_rank(positive[i], score, NI_RANK_NEGATIVES, &rank, err);
        if (rc != NEAP_OK) return rc;
        reciprocal += 1 / rank;
        for (int h = 0; h < NI_HITS; h++) hits[h] += rank <= K[h];
    }
    r->mrr = reciprocal / (double)t->count;
    for (int h = 0; h < NI_HITS; h++) r->hits[h] = hits[h] / (double)t->count;
    return NEAP_OK;
}

static neap_status measure_clean(const ni_trial *t, const ni_scorer *s, float *positive, float *negative,
                                 neap_link_result *r, neap_error *err)
{
    neap_status rc = s->score(s->self, t->positive, t->count, positive, err);
    if (rc == NEAP_OK) rc = s->score(s->self, t->negative, t->count, negative, err);
    if (rc == NEAP_OK) rc = measure_pool(t, positive, negative, r, err);
    return rc == NEAP_OK ? measure_ranks(t, s, positive, r, err) : rc;
}

/* ---- paper ---- */

/* The share of test edges that outscore one random pair each; ten passes. */
static neap_status measure_passes(const ni_trial *t, const ni_scorer *s, float *positive, float *negative,
                                  neap_link_result *r, neap_error *err)
{
    double sum = 0, squares = 0;
    neap_pair *pair = ni_array(t->count, sizeof *pair);
    neap_status rc = pair ? s->score(s->self, t->positive, t->count, positive, err)
                          : ni_fail_memory(err, "the test edges");
    for (uint32_t pass = 0; pass < NI_PASSES && rc == NEAP_OK; pass++) {
        double wins = 0;
        for (size_t i = 0; i < t->count; i++)
            pair[i] = (neap_pair){ t->positive[i].source, ni_trial_pass_negative(t, pass, i) };
        rc = s->score(s->self, pair, t->count, negative, err);
        for (size_t i = 0; i < t->count; i++)
            wins += positive[i] > negative[i] ? 1 : positive[i] == negative[i] ? 0.5 : 0;
        sum += wins / (double)t->count;
        squares += wins / (double)t->count * (wins / (double)t->count);
    }
    r->auc = sum / NI_PASSES;
    r->auc_std = sqrt(fmax(0, squares / NI_PASSES - r->auc * r->auc));
    ni_free(pair);
    return rc;
}

neap_status ni_link_measure(const ni_trial *t, const ni_scorer *s, neap_link_result *result,
                            neap_error *err)
{
    neap_link_result r = { .pairs = t->count,
                           .skipped = t->held_out - t->count,
                           .loops = t->loops,
                           .auc_std = NAN,
                           .ap = NAN,
                           .mrr = NAN,
                           .hits = { NAN, NAN, NAN },
                           .pool_hits = { NAN, NAN, NAN } };
    float *positive = ni_array(t->count, sizeof *positive),
          *negative = ni_array(t->count, sizeof *negative);
    neap_status rc = positive && negative ? NEAP_OK : ni_fail_memory(err, "the scores");
    if (rc == NEAP_OK)
        rc = t->protocol == NI_CLEAN ? measure_clean(t, s, positive, negative, &r, err)
                                     : measure_passes(t, s, positive, negative, &r, err);
    if (rc == NEAP_OK) *result = r;
    ni_free(positive);
    ni_free(negative);
    return rc;
}

/* ---- one cell ---- */

/* Position of a word in a list that ends with NULL, or -1. */
static int find(const char *const *list, const char *word)
{
    for (int i = 0; list[i]; i++)
        if (!strcmp(list[i], word)) return i;
    return -1;
}

static neap_status make_trial(const neap_graph *graph, const neap_link_spec *spec, ni_trial **out,
                              neap_error *err)
{
    static const char *const protocols[] = { "clean", "paper", "paper-clean", NULL };
    static const char *const kinds[] = { "uniform", "degree", "two-hop", NULL };
    int protocol = find(protocols, spec->protocol), kind = find(kinds, spec->negatives);
    if (protocol < 0)
        return ni_fail(err, NEAP_E_ARG, "there is no protocol '%s'; there are clean, paper and paper-clean",
                       spec->protocol);
    if (kind < 0)
        return ni_fail(err, NEAP_E_ARG,
                       "there are no negatives '%s'; there are uniform, degree and two-hop",
                       spec->negatives);
    return ni_trial_create(graph, (ni_protocol)protocol, (ni_negatives)kind, spec->ratio, spec->seed, out,
                           err);
}

neap_status neap_eval_link(const neap_graph *graph, const neap_options *options, const neap_link_spec *spec,
                           const neap_hooks *hooks, neap_link_result *result, neap_error *err)
{
    ni_trial *trial = NULL;
    neap_model *model = NULL;
    ni_scorer scorer = { 0 };
    neap_status rc = make_trial(graph, spec, &trial, err);
    double start = ni_seconds(), seconds = 0;
    if (rc == NEAP_OK) rc = ni_link_train(trial, options, hooks, &model, err);
    if (rc == NEAP_OK) {
        seconds = ni_seconds() - start;
        rc = ni_model_scorer(model, trial->protocol, &scorer, err);
    }
    if (rc == NEAP_OK) rc = ni_link_measure(trial, &scorer, result, err);
    if (rc == NEAP_OK) {
        result->seconds = seconds;
        result->epochs = neap_model_training(model).epochs;
    }
    ni_model_scorer_free(&scorer);
    neap_model_free(model);
    ni_trial_free(trial);
    return rc;
}
