/* Evidence: many kinds of evidence about a pair, each measured as if the pair's own link were not there,
 * weighed by an additive model of one curve per evidence. The score is the log-odds of a link.
 *
 * Training: links are drawn and measured in graphs without them (evidence/draw.h), curves are fitted
 * (evidence/fit.h), and node values and eigenvectors of the whole graph are kept for queries. Cost: see
 * there; beside these nothing grows with the graph. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/draw.h"
#include "evidence/fit.h"
#include "evidence/scorer.h"
#include "evidence/eigenpairs.h"
#include "linalg/kernels.h"
#include "model/learning.h"
#include "model/method.h"
#include "support/status.h"

typedef struct evidence_options {
    ni_learning learning; /* of which the dimension counts */
    const char *evidence;
    uint32_t examples;
    double fold;
    double ridge, lambda;
} evidence_options;

static const ni_option own_options[] = {
    NI_OPTION(evidence_options, TEXT, evidence, "evidence", "", 0, "model", "LIST", "all", "all", "all", 0, 0, 1,
              "kinds of evidence: degrees, shared, paths, walks, spectral, or all (evidence)"),
    NI_OPTION(evidence_options, U32, examples, "examples", "", 0, "training", "N", "6000", "6000", "6000", 1,
              1000000, 1, "links that curves are learned from, at most (evidence)"),
    NI_OPTION(evidence_options, REAL, fold, "fold", "", 0, "training", "SHARE", "0.1", "0.1", "0.1", 0.001, 0.5,
              1, "share of the links that are left out at once, to be learned from, at most (evidence)"),
    NI_OPTION(evidence_options, REAL, ridge, "curve-ridge", "", 0, "training", "X", "60", "60", "60", 0, 1e9, 1,
              "penalty on the lines of the curves (evidence)"),
    NI_OPTION(evidence_options, REAL, lambda, "curve-lambda", "", 0, "training", "X", "20", "20", "20", 0, 1e9,
              1, "penalty on the steps of the curves (evidence)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(evidence_options, learning), "dim" },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dim", { "128", "128", "128" } },
    { 0 },
};

static const evidence_options *options_of(const ni_settings *s)
{
    return s->own;
}

static neap_status check(const ni_settings *s, neap_error *err)
{
    uint32_t groups;
    return ni_groups_read(options_of(s)->evidence, &groups, err);
}

static uint32_t groups_of(const neap_model *m)
{
    uint32_t groups = 0;
    ni_groups_read(options_of(m->settings)->evidence, &groups, NULL);
    return groups;
}

/* ---- the model ---- */

typedef struct evidence_model {
    float *node;   /* NI_NODE_VALUES x rows */
    float *value;  /* dim: eigenvalues      */
    float *vector; /* rows x dim            */
    uint32_t *kind; /* curves               */
    float *line, *edge, *step, *start;
    float *mean; /* curves: of each curve over its examples */
} evidence_model;

static bool is_spectral(const neap_model *m)
{
    return groups_of(m) >> NI_GROUP_SPECTRAL & 1;
}

static uint32_t dim_of(const ni_settings *s)
{
    return options_of(s)->learning.dim;
}

static void declare(neap_model *m, ni_declaration *d)
{
    evidence_model *own = m->own;
    uint32_t kind[NI_KINDS];
    uint64_t curves = ni_kinds_choose(groups_of(m), !m->graph->undirected, kind);
    uint32_t dim = ni_eigenpairs_of(m->rows, m->dim);
    ni_declare_matrix(d, "node", NI_FIXED, NI_NODE_VALUES, m->rows, &own->node);
    if (is_spectral(m)) {
        ni_declare_list(d, "eigen.values", NI_FIXED, NI_F32, dim, &own->value);
        ni_declare_matrix(d, "eigen.vectors", NI_FIXED, m->rows, dim, &own->vector);
    }
    ni_declare_list(d, "curve.kinds", NI_FIXED, NI_U32, curves, &own->kind);
    ni_declare_matrix(d, "curve.lines", NI_FIXED, curves, NI_LINE, &own->line);
    ni_declare_matrix(d, "curve.edges", NI_FIXED, curves, NI_CURVE_EDGES, &own->edge);
    ni_declare_matrix(d, "curve.steps", NI_FIXED, curves, NI_CURVE_STEPS, &own->step);
    ni_declare_list(d, "curve.means", NI_FIXED, NI_F32, curves, &own->mean);
    ni_declare_list(d, "start", NI_FIXED, NI_F32, 1, &own->start);
}

static ni_additive curves_of(const neap_model *m)
{
    const evidence_model *own = m->own;
    uint32_t kind[NI_KINDS];
    return (ni_additive){ .curves = ni_kinds_choose(groups_of(m), !m->graph->undirected, kind),
                          .line = own->line,
                          .edge = own->edge,
                          .step = own->step,
                          .start = *own->start };
}

/* ---- training ---- */

typedef struct trainer {
    neap_model *model;
    const evidence_options *o;
    const neap_hooks *hooks; /* or NULL */
    ni_threads *threads;
    ni_view view;
    ni_draw draw;
} trainer;

/* What was learned from, and how sure it was. */
static void tell(const trainer *t, const ni_fit_report *r)
{
    char text[160];
    snprintf(text, sizeof text,
             "%u links learned from in %u part%s, %u steps; log-odds = %.3f + %.3f x what was fitted",
             t->draw.groups, t->draw.folds, t->draw.folds == 1 ? "" : "s", r->rounds, r->start, r->slope);
    ni_note(t->hooks, text);
}

static neap_status learn_curves(trainer *t, neap_error *err)
{
    const evidence_model *own = t->model->own;
    uint64_t seed = t->model->settings->common.seed;
    ni_draw_rule rule = { .positives = t->o->examples,
                          .fold = t->o->fold,
                          .groups = groups_of(t->model),
                          .dim = t->o->learning.dim,
                          .seed = seed };
    ni_fit_rule fit = { .ridge = t->o->ridge,
                        .rate = 0.15,
                        .lambda = t->o->lambda,
                        .rounds_least = 200,
                        .rounds_most = 2000,
                        .patience = 20,
                        .leaf = 20,
                        .seed = seed };
    ni_fit_report report;
    neap_status rc = ni_draw_create(&t->draw, &t->view, &t->model->targets, &rule, t->threads, err);
    for (uint32_t f = 0; rc == NEAP_OK && f < t->draw.folds; f++) rc = ni_draw_fold(&t->draw, f, err);
    if (rc != NEAP_OK) return rc;
    ni_examples e = ni_draw_examples(&t->draw);
    ni_additive curves = curves_of(t->model);
    rc = ni_fit(&e, &fit, t->threads, &curves, own->mean, &report, err);
    *own->start = (float)curves.start;
    memcpy(own->kind, t->draw.kind, t->draw.kinds * sizeof *own->kind);
    if (rc == NEAP_OK) tell(t, &report);
    return rc;
}

/* Of the whole graph, for queries. */
static neap_status survey(trainer *t, neap_error *err)
{
    const evidence_model *own = t->model->own;
    uint32_t dim = ni_eigenpairs_of(t->model->rows, t->o->learning.dim);
    neap_status rc = ni_node_values(&t->view, t->threads, own->node, err);
    if (rc != NEAP_OK || !own->vector) return rc;
    return ni_eigenpairs(&t->view, dim, t->model->settings->common.seed, t->threads, own->value, own->vector, err);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    trainer t = { .o = job->settings->own, .hooks = job->hooks };
    neap_status rc = ni_threads_create(job->settings->common.threads, &t.threads, err);
    if (rc == NEAP_OK) rc = ni_model_create(job, &t.model, err);
    if (rc == NEAP_OK) {
        ni_threads_watch(t.threads, job->hooks, "train");
        rc = ni_links_need_some(&t.model->links, err);
    }
    if (rc == NEAP_OK) rc = ni_model_allocate(t.model, err);
    if (rc == NEAP_OK) rc = ni_view_create(t.model->graph, &t.model->links, &t.view, err);
    if (rc == NEAP_OK) rc = learn_curves(&t, err);
    ni_draw_free(&t.draw);
    if (rc == NEAP_OK) rc = survey(&t, err);
    ni_view_free(&t.view);
    ni_threads_free(t.threads);
    if (rc == NEAP_OK) *out = t.model;
    else neap_model_free(t.model);
    return rc;
}

/* ---- queries ---- */

typedef struct answers {
    ni_view view;
    ni_globals globals;
    ni_additive curves;
    ni_scorer scorer;
} answers;

static neap_status open_query(neap_query *q, neap_error *err)
{
    const neap_model *m = q->model;
    const evidence_model *own = m->own;
    answers *a = ni_zeros(1, sizeof *a);
    if (!a) return ni_fail_memory(err, "a query");
    q->own = a;
    neap_status rc = ni_view_create(m->graph, &m->links, &a->view, err);
    if (rc != NEAP_OK) return rc;
    a->globals = (ni_globals){ .view = &a->view,
                               .groups = groups_of(m),
                               .dim = own->vector ? ni_eigenpairs_of(m->rows, m->dim) : 0,
                               .node = own->node,
                               .value = own->value,
                               .vector = own->vector };
    rc = ni_globals_finish(&a->globals, err);
    a->curves = curves_of(m);
    return rc == NEAP_OK ? ni_scorer_create(&a->scorer, &a->globals, &a->curves, own->kind, q->threads, err)
                         : rc;
}

static void close_query(neap_query *q)
{
    answers *a = q->own;
    ni_scorer_free(&a->scorer);
    ni_globals_free(&a->globals);
    ni_view_free(&a->view);
    ni_free(a);
}

static neap_status score(neap_query *q, const neap_pair *pairs, size_t count, float *scores, neap_error *err)
{
    return ni_scorer_pairs(&((answers *)q->own)->scorer, pairs, count, scores, err);
}

static neap_status score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return ni_scorer_all(&((answers *)q->own)->scorer, source, scores, err);
}

const ni_method ni_method_evidence = {
    .info = { .size = sizeof(neap_method_info),
              .name = "evidence",
              .summary = "many kinds of evidence about a pair, weighed by one learned curve each",
              .details = "Degrees, shared neighbours, paths, walks and closeness in the leading eigenvectors\n"
                         "are measured as if the pair's own link were not there; a curve for each is\n"
                         "learned from --examples links and 30 non-links of each. The score is the\n"
                         "log-odds of a link.",
              .probability = 1 },
    .options = { sizeof(evidence_options), parts, defaults },
    .dim = dim_of,
    .check = check,
    .own = sizeof(evidence_model),
    .declare = declare,
    .train = train,
    .open = open_query,
    .close = close_query,
    .score = score,
    .score_all = score_all,
};
