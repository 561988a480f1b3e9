/* Queries: the functions of neap.h, which check their arguments and call the model's method. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "linalg/kernels.h"
#include "model/method.h"
#include "support/status.h"
#include "support/text.h"

/* ---- making one ---- */

/* What was computed after a stop counts for nothing, nor does a failure, which may be due to tasks that
 * were not run. */
static neap_status end(neap_query *q, neap_status rc, neap_error *err)
{
    neap_status stopped = ni_threads_check(q->threads, err);
    return stopped == NEAP_OK ? rc : stopped;
}

neap_status neap_query_create(const neap_model *model, const neap_query_spec *spec, neap_query **out,
                              neap_error *err)
{
    neap_query_spec given = { 0 };
    *out = NULL;
    if (!model) return ni_fail(err, NEAP_E_ARG, "a query needs a model");
    neap_status rc = spec ? ni_sized_in(&given, sizeof given, spec, "neap_query_spec", err) : NEAP_OK;
    if (rc == NEAP_OK && given.prior != 0 && !(given.prior > 0 && given.prior < 1))
        rc = ni_fail(err, NEAP_E_ARG, "a share of links is above 0 and below 1, not %g", given.prior);
    if (rc != NEAP_OK) return rc;
    neap_query *q = ni_zeros(1, sizeof *q);
    if (!q) return ni_fail_memory(err, "a query");
    q->model = ni_model_share(model);
    q->process = (long)getpid();
    q->hooks = given.hooks;
    q->prior = given.prior == 0 ? 0.5 : given.prior;
    rc = ni_hooks_in(&q->heard, &q->hooks, err);
    if (rc == NEAP_OK) rc = ni_threads_create(given.threads, &q->threads, err);
    if (rc == NEAP_OK) ni_threads_watch(q->threads, q->hooks, "prepare");
    if (rc == NEAP_OK && model->method->open) rc = end(q, model->method->open(q, err), err);
    if (rc == NEAP_OK) *out = q;
    else neap_query_free(q);
    return rc;
}

/* In a child of the process that made it, the threads are not there: they are left alone. */
void neap_query_free(neap_query *q)
{
    if (!q) return;
    if (q->own && q->model->method->close) q->model->method->close(q);
    if (q->process == (long)getpid()) ni_threads_free(q->threads);
    ni_free(q->vectors);
    neap_model_free(q->model);
    ni_free(q);
}

/* Every call begins here, and ends with `end`. */
static neap_status begin(neap_query *q, const char *stage, neap_error *err)
{
    if (!q) return ni_fail(err, NEAP_E_ARG, "no query was given");
    if (q->process != (long)getpid())
        return ni_fail(err, NEAP_E_ARG, "this query was made before fork(): make another in this process");
    ni_threads_watch(q->threads, q->hooks, stage);
    return NEAP_OK;
}

static neap_status check_node(const neap_model *m, uint32_t node, neap_error *err)
{
    if (node < m->graph->nodes) return NEAP_OK;
    return ni_fail(err, NEAP_E_UNKNOWN, "there is no node number %u; the model has %u nodes", node,
                   m->graph->nodes);
}

static neap_status check_nodes(const neap_model *m, const uint32_t *nodes, size_t count, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) rc = check_node(m, nodes[i], err);
    return rc;
}

static neap_status check_pairs(const neap_model *m, const neap_pair *pairs, size_t count, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) {
        rc = check_node(m, pairs[i].source, err);
        if (rc == NEAP_OK) rc = check_node(m, pairs[i].target, err);
    }
    return rc;
}

static neap_status no_answer(const neap_model *m, const char *what, neap_error *err)
{
    return ni_fail(err, NEAP_E_ARG, "method %s has no %s", m->method->info.name, what);
}

neap_status ni_check_scores(const float *scores, size_t count, neap_error *err)
{
    if (ni_finite_until(scores, count) == count) return NEAP_OK;
    return ni_fail(err, NEAP_E_NUMERIC, "a score is not finite: the vectors of this model are too large");
}

/* The same of rows of vectors: a mean of finite vectors can be too large. */
static neap_status check_vectors(const neap_query *q, const float *vectors, size_t rows, neap_error *err)
{
    size_t numbers = rows * q->model->dim;
    if (ni_finite_until(vectors, numbers) == numbers) return NEAP_OK;
    return ni_fail(err, NEAP_E_NUMERIC, "a vector is not finite: the numbers of this model are too large");
}

/* ---- scores ---- */

/* p = 1 / (1 + e^-(log-odds + ln(prior / (1 - prior)))): another base rate shifts the log-odds. */
static void fill_probabilities(const neap_query *q, const float *score, size_t count, float *probability)
{
    double shift = log(q->prior / (1 - q->prior));
    for (size_t i = 0; i < count; i++) probability[i] = (float)(1 / (1 + exp(-((double)score[i] + shift))));
}

neap_status ni_query_score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                           neap_error *err)
{
    neap_status rc = begin(q, "score", err);
    if (rc == NEAP_OK) rc = check_pairs(q->model, pairs, count, err);
    if (rc == NEAP_OK) rc = end(q, q->model->method->score(q, pairs, count, scores, err), err);
    return rc == NEAP_OK ? ni_check_scores(scores, count, err) : rc;
}

neap_status ni_query_score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    neap_status rc = begin(q, "score", err);
    if (rc == NEAP_OK) rc = check_nodes(q->model, &source, 1, err);
    if (rc == NEAP_OK) rc = end(q, ni_rank_score_all(q, source, scores, err), err);
    return rc == NEAP_OK ? ni_check_scores(scores, q->model->graph->nodes, err) : rc;
}

neap_status neap_query_score(neap_query *q, const neap_pair *pairs, size_t count, neap_scores **out,
                             neap_error *err)
{
    *out = NULL;
    neap_scores *result = ni_zeros(1, sizeof *result);
    float *scores = ni_array(count, 2 * sizeof *scores); /* and their probabilities */
    neap_status rc =
        result && scores ? ni_query_score(q, pairs, count, scores, err) : ni_fail_memory(err, "scores");
    if (rc == NEAP_OK) {
        bool sure = q->model->method->info.probability;
        if (sure) fill_probabilities(q, scores, count, scores + count);
        *result = (neap_scores){ sizeof *result, count, scores, sure ? scores + count : NULL };
        *out = result;
        return rc;
    }
    ni_free(scores);
    ni_free(result);
    return rc;
}

void neap_scores_free(neap_scores *scores)
{
    if (!scores) return;
    ni_free((void *)scores->score);
    ni_free(scores);
}

/* ---- ranking ---- */

static neap_status check_spec(const neap_model *m, const neap_rank_spec *spec, neap_error *err)
{
    if (spec->k == 0) return ni_fail(err, NEAP_E_ARG, "k must be at least 1");
    if (!spec->sources && spec->source_count) return ni_fail(err, NEAP_E_ARG, "no sources were given");
    if (spec->by != NEAP_BY_SCORE && spec->by != NEAP_BY_COSINE)
        return ni_fail(err, NEAP_E_ARG, "there is no order %d to rank by", spec->by);
    if (spec->by == NEAP_BY_COSINE && !m->method->vectors) return no_answer(m, "vectors", err);
    neap_status rc = check_nodes(m, spec->sources, spec->source_count, err);
    if (rc != NEAP_OK || !spec->candidates) return rc;
    return check_nodes(m, spec->candidates, spec->candidate_count, err);
}

/* The columns of a ranking, while it grows. */
typedef struct columns {
    neap_ranking *ranking;
    size_t *start;
    uint32_t *node;
    float *score, *probability;
    size_t node_room, score_room;
} columns;

static neap_status columns_create(columns *c, size_t sources, neap_error *err)
{
    *c = (columns){ .ranking = ni_zeros(1, sizeof *c->ranking) };
    c->start = ni_zeros(sources + 1, sizeof *c->start);
    c->node = ni_array(c->node_room = 1, sizeof *c->node);
    c->score = ni_array(c->score_room = 1, sizeof *c->score);
    return c->ranking && c->start && c->node && c->score ? NEAP_OK : ni_fail_memory(err, "a ranking");
}

static neap_status columns_add(columns *c, size_t source, const ni_ranked *best, size_t count,
                               neap_error *err)
{
    size_t first = c->start[source];
    if (!ni_grow(&c->node, &c->node_room, first + count, sizeof *c->node) ||
        !ni_grow(&c->score, &c->score_room, first + count, sizeof *c->score))
        return ni_fail_memory(err, "a ranking");
    for (size_t i = 0; i < count; i++)
        c->node[first + i] = best[i].node, c->score[first + i] = best[i].score;
    c->start[source + 1] = first + count;
    return NEAP_OK;
}

/* Scores that are log-odds have probabilities. */
static neap_status columns_judge(columns *c, const neap_query *q, const neap_rank_spec *spec,
                                 neap_error *err)
{
    size_t count = c->start[spec->source_count];
    if (!q->model->method->info.probability || spec->by != NEAP_BY_SCORE) return NEAP_OK;
    c->probability = ni_array(count, sizeof *c->probability);
    if (!c->probability) return ni_fail_memory(err, "a ranking");
    fill_probabilities(q, c->score, count, c->probability);
    return NEAP_OK;
}

/* Hands the columns over to the ranking. */
static neap_ranking *columns_finish(columns *c, size_t sources)
{
    *c->ranking = (neap_ranking){ .size = sizeof *c->ranking,
                                  .sources = sources,
                                  .start = c->start,
                                  .count = c->start[sources],
                                  .node = c->node,
                                  .score = c->score,
                                  .probability = c->probability };
    return c->ranking;
}

static void columns_free(columns *c)
{
    ni_free(c->ranking);
    ni_free(c->start);
    ni_free(c->node);
    ni_free(c->score);
    ni_free(c->probability);
}

void neap_ranking_free(neap_ranking *ranking)
{
    if (!ranking) return;
    ni_free((void *)ranking->start);
    ni_free((void *)ranking->node);
    ni_free((void *)ranking->score);
    ni_free((void *)ranking->probability);
    ni_free(ranking);
}

static neap_status rank_sources(neap_query *q, const neap_rank_spec *spec, const ni_targets *targets,
                                columns *c, neap_error *err)
{
    size_t nodes = spec->candidates ? spec->candidate_count : q->model->graph->nodes;
    neap_rank_spec within = *spec;
    within.k = spec->k < nodes ? spec->k : nodes ? nodes : 1;
    ni_ranked *best = ni_array(within.k, sizeof *best);
    neap_status rc = best ? columns_create(c, spec->source_count, err) : ni_fail_memory(err, "a ranking");
    for (size_t i = 0; i < spec->source_count && rc == NEAP_OK; i++) {
        size_t count = 0;
        ni_threads_progress(q->threads, i, spec->source_count);
        rc = end(q, ni_rank_best(q, &within, targets, spec->sources[i], best, &count, err), err);
        if (rc == NEAP_OK) rc = columns_add(c, i, best, count, err);
    }
    ni_free(best);
    return rc;
}

/* Those that are given, else by score the model's own; candidates speak for themselves. */
static neap_status choose_targets(const neap_query *q, const neap_rank_spec *spec, ni_targets *given,
                                  const ni_targets **targets, neap_error *err)
{
    bool own = !spec->targets && !spec->candidates && spec->by == NEAP_BY_SCORE;
    *targets = own ? &q->model->targets : given;
    return ni_targets_read(spec->targets, q->model->graph, given, err);
}

neap_status neap_query_rank(neap_query *q, const neap_rank_spec *spec, neap_ranking **out, neap_error *err)
{
    neap_rank_spec given;
    ni_targets own = { 0 };
    const ni_targets *targets = NULL;
    columns c = { 0 };
    *out = NULL;
    neap_status rc = begin(q, "rank", err);
    if (rc == NEAP_OK) rc = ni_sized_in(&given, sizeof given, spec, "neap_rank_spec", err);
    if (rc == NEAP_OK) rc = check_spec(q->model, &given, err);
    if (rc == NEAP_OK) rc = choose_targets(q, &given, &own, &targets, err);
    if (rc == NEAP_OK) rc = rank_sources(q, &given, targets, &c, err);
    if (rc == NEAP_OK) rc = columns_judge(&c, q, &given, err);
    if (rc == NEAP_OK) *out = columns_finish(&c, given.source_count);
    else columns_free(&c);
    ni_targets_free(&own);
    return rc;
}

/* ---- vectors ---- */

static neap_status all_vectors(neap_query *q, uint32_t context, float *vectors, neap_error *err)
{
    const neap_model *m = q->model;
    if (context == NEAP_NONE)
        return m->method->vectors ? m->method->vectors(q, vectors, err) : no_answer(m, "vectors", err);
    neap_status rc = check_node(m, context, err);
    if (rc != NEAP_OK) return rc;
    return m->method->context_vectors ? m->method->context_vectors(q, context, vectors, err)
                                      : no_answer(m, "vectors that depend on a context", err);
}

neap_status ni_query_directions(neap_query *q, neap_error *err)
{
    uint64_t n = q->model->graph->nodes, d = q->model->dim;
    if (q->vectors) return NEAP_OK;
    float *vectors = ni_array(n * d, sizeof *vectors);
    neap_status rc =
        vectors ? end(q, all_vectors(q, NEAP_NONE, vectors, err), err) : ni_fail_memory(err, "the vectors");
    if (rc == NEAP_OK) rc = check_vectors(q, vectors, n, err);
    for (uint64_t u = 0; u < n && rc == NEAP_OK; u++) {
        float *x = vectors + u * d;
        double length = ni_length(x, d);
        for (uint64_t k = 0; k < d; k++) x[k] = length > 0 ? (float)((double)x[k] / length) : 0;
    }
    if (rc == NEAP_OK) q->vectors = vectors;
    else ni_free(vectors);
    return rc;
}

/* The vectors of some nodes; without some_vectors of the method, picked from those of all. */
static neap_status some_vectors(neap_query *q, const uint32_t *nodes, size_t count, uint32_t context,
                                float *vectors, neap_error *err)
{
    size_t d = q->model->dim;
    const ni_method *method = q->model->method;
    if (context == NEAP_NONE && method->some_vectors)
        return method->some_vectors(q, nodes, count, vectors, err);
    float *all = ni_array((size_t)q->model->graph->nodes * d, sizeof *all);
    neap_status rc = all ? all_vectors(q, context, all, err) : ni_fail_memory(err, "the vectors");
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        memcpy(vectors + i * d, all + nodes[i] * d, d * sizeof *vectors);
    ni_free(all);
    return rc;
}

neap_status neap_query_vectors(neap_query *q, const uint32_t *nodes, size_t count, uint32_t context,
                               float *vectors, neap_error *err)
{
    neap_status rc = begin(q, "vectors", err);
    if (rc == NEAP_OK && nodes) rc = check_nodes(q->model, nodes, count, err);
    if (rc != NEAP_OK) return rc;
    rc = nodes ? some_vectors(q, nodes, count, context, vectors, err)
               : all_vectors(q, context, vectors, err);
    rc = end(q, rc, err);
    return rc == NEAP_OK ? check_vectors(q, vectors, nodes ? count : q->model->graph->nodes, err) : rc;
}

/* A method without contexts: the nodes' only vectors. */
static neap_status plain_pair_vectors(neap_query *q, const neap_pair *pairs, size_t count, float *sources,
                                      float *targets, neap_error *err)
{
    uint32_t *nodes = ni_array(2 * count, sizeof *nodes);
    float *both = ni_array(2 * count * q->model->dim, sizeof *both);
    neap_status rc = nodes && both ? NEAP_OK : ni_fail_memory(err, "the vectors");
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        nodes[i] = pairs[i].source, nodes[count + i] = pairs[i].target;
    if (rc == NEAP_OK) rc = some_vectors(q, nodes, 2 * count, NEAP_NONE, both, err);
    if (rc == NEAP_OK) {
        size_t numbers = count * q->model->dim;
        memcpy(sources, both, numbers * sizeof *both);
        memcpy(targets, both + numbers, numbers * sizeof *both);
    }
    ni_free(nodes);
    ni_free(both);
    return rc;
}

neap_status neap_query_pair_vectors(neap_query *q, const neap_pair *pairs, size_t count,
                                    float *source_vectors, float *target_vectors, neap_error *err)
{
    neap_status rc = begin(q, "vectors", err);
    if (rc == NEAP_OK) rc = check_pairs(q->model, pairs, count, err);
    if (rc != NEAP_OK || count == 0) return rc;
    const ni_method *method = q->model->method;
    rc = method->pair_vectors ? method->pair_vectors(q, pairs, count, source_vectors, target_vectors, err)
                              : plain_pair_vectors(q, pairs, count, source_vectors, target_vectors, err);
    rc = end(q, rc, err);
    if (rc == NEAP_OK) rc = check_vectors(q, source_vectors, count, err);
    return rc == NEAP_OK ? check_vectors(q, target_vectors, count, err) : rc;
}

/* ---- why ---- */

/* Names the methods that have explanations. */
static neap_status no_explanation(const neap_model *m, neap_error *err)
{
    char names[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < neap_method_count() && used < sizeof names; i++) {
        const neap_method_info *info = neap_method_at(i);
        if (info->explains)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", info->name);
    }
    return ni_fail(err, NEAP_E_ARG, "method %s cannot explain a score; these can: %s", m->method->info.name,
                   names);
}

neap_status neap_query_explain(neap_query *q, uint32_t source, uint32_t target, neap_explanation **out,
                               neap_error *err)
{
    *out = NULL;
    neap_status rc = begin(q, "explain", err);
    if (rc == NEAP_OK) rc = check_node(q->model, source, err);
    if (rc == NEAP_OK) rc = check_node(q->model, target, err);
    if (rc != NEAP_OK) return rc;
    const ni_method *method = q->model->method;
    if (!method->explain) return no_explanation(q->model, err);
    rc = end(q, method->explain(q, source, target, out, err), err);
    if (rc == NEAP_OK) return rc;
    neap_explanation_free(*out);
    *out = NULL;
    return rc;
}

/* ---- one question, one query ---- */

neap_status neap_model_score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    neap_query *q;
    neap_status rc = neap_query_create(m, NULL, &q, err);
    if (rc == NEAP_OK) rc = ni_query_score(q, pairs, count, scores, err);
    neap_query_free(q);
    return rc;
}

neap_status neap_model_rank(const neap_model *m, uint32_t source, size_t k, int with_known,
                            neap_ranking **out, neap_error *err)
{
    neap_query *q;
    neap_rank_spec spec = {
        .size = sizeof spec, .sources = &source, .source_count = 1, .k = k, .with_known = with_known
    };
    *out = NULL;
    neap_status rc = neap_query_create(m, NULL, &q, err);
    if (rc == NEAP_OK) rc = neap_query_rank(q, &spec, out, err);
    neap_query_free(q);
    return rc;
}

neap_status neap_model_vectors(const neap_model *m, float *vectors, neap_error *err)
{
    neap_query *q;
    neap_status rc = neap_query_create(m, NULL, &q, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, err);
    neap_query_free(q);
    return rc;
}

neap_status neap_model_explain(const neap_model *m, uint32_t source, uint32_t target,
                               neap_explanation **out, neap_error *err)
{
    neap_query *q;
    *out = NULL;
    neap_status rc = neap_query_create(m, NULL, &q, err);
    if (rc == NEAP_OK) rc = neap_query_explain(q, source, target, out, err);
    neap_query_free(q);
    return rc;
}
