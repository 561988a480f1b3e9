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
#include "evidence/eigenpairs.h"
#include "evidence/fit.h"
#include "evidence/scorer.h"
#include "evidence/vectors.h"
#include "linalg/kernels.h"
#include "methods/evidence.h"
#include "methods/evidence_explain.h"
#include "model/content.h"
#include "model/learning.h"
#include "model/method.h"
#include "support/status.h"

enum { TERMS_MOST = 1 << 28 }; /* columns of words and features */

static const ni_option own_options[] = {
    NI_OPTION(ni_evidence_options, TEXT, evidence, "evidence", "", 0, "model", "LIST", "all", "all", "all",
              0, 0, 1,
              "kinds of evidence: degrees, shared, paths, walks, spectral, text, or all (evidence)"),
    NI_OPTION(ni_evidence_options, U32, examples, "examples", "", 0, "training", "N", "6000", "6000",
              "6000", 1, 1000000, 1, "links that curves are learned from, at most (evidence)"),
    NI_OPTION(ni_evidence_options, CHOICE, negatives, "negative-sampling", "", 0, "training",
              "uniform|degree|two-hop", "uniform", "uniform", "uniform", 0, 0, 1, NI_NEGATIVE_HELP),
    NI_OPTION(ni_evidence_options, REAL, fold, "fold", "", 0, "training", "SHARE", "0.1", "0.1", "0.1",
              0.001, 0.5, 1,
              "share of the links that are left out at once, to be learned from, at most (evidence)"),
    NI_OPTION(ni_evidence_options, REAL, ridge, "curve-ridge", "", 0, "training", "X", "60", "60", "60", 0,
              1e9, 1, "penalty on the lines of the curves (evidence)"),
    NI_OPTION(ni_evidence_options, REAL, lambda, "curve-lambda", "", 0, "training", "X", "20", "20", "20",
              0, 1e9, 1, "penalty on the steps of the curves (evidence)"),
    NI_OPTION(ni_evidence_options, U32, steps, "curve-steps", "", 0, "training", "N", "200", "200", "200",
              0, 100000, 1, "steps that bend the curves, at least; more while they help (evidence)"),
    NI_OPTION(ni_evidence_options, U32, text_dim, "text-dim", "", 0, "text", "N", "200", "200", "200", 1,
              65536, 1, "singular vectors of the texts (evidence, tadw)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(ni_evidence_options, learning), "dim" },
    { &own_set, 0, NULL },
    { &ni_text_set, offsetof(ni_evidence_options, text), NULL },
    { &ni_tfidf_set, offsetof(ni_evidence_options, tfidf), NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "dim", { "128", "128", "128" } },
    { "tf", { "log", "log", "log" } },
    { 0 },
};

static const ni_evidence_options *options_of(const ni_settings *s)
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

static const ni_text_options *text_of(const ni_settings *s)
{
    return &options_of(s)->text;
}

/* ---- the model ---- */

/* Texts or features of its nodes are known. */
static bool is_known(const neap_model *m)
{
    return ((const ni_evidence *)m->own)->terms > 0;
}

static uint32_t kinds_of(const neap_model *m, uint32_t kind[NI_KINDS])
{
    return ni_kinds_choose(groups_of(m), !m->graph->undirected, is_known(m), kind);
}

static ni_additive curves_of(const neap_model *m)
{
    const ni_evidence *own = m->own;
    uint32_t kind[NI_KINDS];
    return (ni_additive){ .curves = kinds_of(m, kind),
                          .line = own->line,
                          .edge = own->edge,
                          .step = own->step,
                          .start = *own->start };
}

static uint32_t dim_of(const ni_settings *s)
{
    uint32_t groups = 0;
    ni_groups_read(options_of(s)->evidence, &groups, NULL);
    return groups >> NI_GROUP_SPECTRAL & 1 ? options_of(s)->learning.dim : 0;
}

static void declare_texts(neap_model *m, ni_declaration *d)
{
    ni_evidence *own = m->own;
    uint32_t dim = options_of(m->settings)->text_dim;
    ni_declare_matrix(d, "text.vectors", NI_FIXED, m->rows, dim, &own->text);
    if (m->texts.words.count)
        ni_declare_matrix(d, "text.basis", NI_FIXED, m->texts.words.count, dim, &own->basis);
    ni_declare_list(d, "terms.offsets", NI_FIXED, NI_U32, (uint64_t)m->rows + 1, &own->offset);
    ni_declare_list(d, "terms.columns", NI_FIXED, NI_U32, own->terms, &own->column);
    ni_declare_list(d, "terms.weights", NI_FIXED, NI_F32, own->terms, &own->weight);
    ni_declare(d, "near", NI_FIXED, NI_U32, 2, (uint64_t[]){ m->rows, NI_NEAR_MOST }, &own->near);
    ni_declare_matrix(d, "near.cosines", NI_FIXED, m->rows, NI_NEAR_MOST, &own->cosine);
}

static void declare(neap_model *m, ni_declaration *d)
{
    ni_evidence *own = m->own;
    uint32_t kind[NI_KINDS];
    own->terms = ni_declared_length(d, "terms.columns", own->terms);
    uint64_t curves = kinds_of(m, kind);
    ni_declare_matrix(d, "node", NI_FIXED, m->rows, NI_NODE_VALUES, &own->node);
    if (m->dim) {
        ni_declare_list(d, "eigen.values", NI_FIXED, NI_F32, m->dim, &own->value);
        ni_declare_matrix(d, "eigen.vectors", NI_FIXED, m->rows, m->dim, own->late ? NULL : &own->vector);
    }
    if (m->dim && m->rows <= NI_VECTOR_NODES)
        ni_declare_matrix(d, "vectors", NI_FIXED, m->rows, m->dim, &own->outside);
    ni_declare_list(d, "curve.kinds", NI_FIXED, NI_U32, curves, &own->kind);
    ni_declare_matrix(d, "curve.lines", NI_FIXED, curves, NI_LINE, &own->line);
    ni_declare_matrix(d, "curve.edges", NI_FIXED, curves, NI_CURVE_EDGES, &own->edge);
    ni_declare_matrix(d, "curve.steps", NI_FIXED, curves, NI_CURVE_STEPS, &own->step);
    ni_declare_list(d, "curve.means", NI_FIXED, NI_F32, curves, &own->mean);
    ni_declare_list(d, "start", NI_FIXED, NI_F32, 1, &own->start);
    if (is_known(m)) declare_texts(m, d);
}

/* The attributes as a view of the tensors; terms need an array of their own. */
static neap_status join_terms(neap_model *m, neap_error *err)
{
    ni_evidence *own = m->own;
    ni_attributes *a = &own->attributes;
    *a = (ni_attributes){ .dim = options_of(m->settings)->text_dim,
                          .vector = own->text,
                          .near = own->near,
                          .cosine = own->cosine };
    a->terms = (ni_sparse){ .rows = m->rows, .nonzeros = own->terms };
    a->terms.start = ni_array(m->rows, sizeof *a->terms.start);
    a->terms.end = ni_array(m->rows, sizeof *a->terms.end);
    a->terms.term = ni_array(own->terms, sizeof *a->terms.term);
    if (!a->terms.start || !a->terms.end || !a->terms.term)
        return ni_fail_memory(err, "the words of the nodes");
    for (uint32_t u = 0; u < m->rows; u++) {
        a->terms.start[u] = own->offset[u];
        a->terms.end[u] = own->offset[u + 1];
    }
    for (uint64_t i = 0; i < own->terms; i++) {
        a->terms.term[i] = (ni_term){ own->column[i], own->weight[i] };
        a->columns = own->column[i] >= a->columns ? own->column[i] + 1 : a->columns;
    }
    return NEAP_OK;
}

/* What a file may hold. */
static neap_status check_terms(const neap_model *m, neap_error *err)
{
    const ni_evidence *own = m->own;
    bool ok = own->offset[0] == 0 && own->offset[m->rows] == own->terms;
    for (uint32_t u = 0; ok && u < m->rows; u++) ok = own->offset[u] <= own->offset[u + 1];
    for (uint64_t i = 0; ok && i < own->terms; i++) ok = own->column[i] < TERMS_MOST;
    for (uint64_t i = 0; ok && i < (uint64_t)m->rows * NI_NEAR_MOST; i++) ok = own->near[i] < m->rows;
    return ok ? NEAP_OK : ni_fail(err, NEAP_E_FORMAT, "the words of the nodes are out of order");
}

static neap_status derive(neap_model *m, neap_error *err)
{
    const ni_evidence *own = m->own;
    ni_additive curves = curves_of(m);
    uint32_t kind[NI_KINDS];
    neap_status rc = ni_additive_check(&curves, err);
    if (rc == NEAP_OK && memcmp(kind, own->kind, kinds_of(m, kind) * sizeof *kind))
        rc = ni_fail(err, NEAP_E_FORMAT, "the curves are of other evidence than the model's options say");
    if (rc == NEAP_OK && is_known(m)) rc = check_terms(m, err);
    return rc == NEAP_OK && is_known(m) ? join_terms(m, err) : rc;
}

static void release(neap_model *m)
{
    ni_tfidf_free(&((ni_evidence *)m->own)->attributes.terms);
}

/* ---- training ---- */

typedef struct trainer {
    neap_model *model;
    const ni_evidence_options *o;
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

static ni_draw_rule rule_of(const neap_model *m)
{
    const ni_evidence_options *o = options_of(m->settings);
    const ni_evidence *own = m->own;
    return (ni_draw_rule){ .positives = o->examples,
                           .fold = o->fold,
                           .negatives = (ni_negatives)o->negatives,
                           .groups = groups_of(m),
                           .dim = o->learning.dim,
                           .attributes = is_known(m) ? &own->attributes : NULL,
                           .seed = m->settings->common.seed };
}

static neap_status learn_curves(trainer *t, neap_error *err)
{
    const ni_evidence *own = t->model->own;
    ni_draw_rule rule = rule_of(t->model);
    ni_fit_rule fit = { .ridge = t->o->ridge,
                        .rate = 0.15,
                        .lambda = t->o->lambda,
                        .rounds_least = t->o->steps,
                        .rounds_most = t->o->steps + 2000,
                        .patience = 20,
                        .leaf = 20,
                        .seed = rule.seed };
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

/* ---- texts and features ---- */

/* C, with rows of length 1. */
static neap_status make_content(trainer *t, const neap_features *features, ni_sparse *c, neap_error *err)
{
    neap_status rc = ni_content_create(&t->model->texts, features, &t->o->tfidf, t->threads, c, err);
    for (uint64_t r = 0; rc == NEAP_OK && r < c->rows; r++) {
        double square = 0;
        for (uint32_t i = c->start[r]; i < c->end[r]; i++)
            square += (double)c->term[i].weight * (double)c->term[i].weight;
        for (uint32_t i = c->start[r]; square > 0 && i < c->end[r]; i++)
            c->term[i].weight = (float)((double)c->term[i].weight / sqrt(square));
    }
    return rc;
}

static void keep_terms(const trainer *t, const ni_sparse *c)
{
    const ni_evidence *own = t->model->own;
    uint32_t at = 0;
    for (uint32_t u = 0; u < t->model->rows; u++) {
        own->offset[u] = at;
        for (uint32_t i = c->start[u]; i < c->end[u]; i++, at++) {
            own->column[at] = c->term[i].row;
            own->weight[at] = c->term[i].weight;
        }
    }
    own->offset[t->model->rows] = at;
}

static neap_status find_vectors(trainer *t, const ni_sparse *c, uint32_t columns, neap_error *err)
{
    const neap_model *m = t->model;
    const ni_evidence *own = m->own;
    uint32_t d = t->o->text_dim;
    double *value = ni_array(d, sizeof *value);
    float *V = ni_array((uint64_t)columns * d, sizeof *V);
    neap_status rc =
        value && V ? ni_tfidf_basis(c, columns, d, m->settings->common.seed, t->threads, value, V, err)
                   : ni_fail_memory(err, "singular vectors; a smaller --text-dim needs less");
    if (rc == NEAP_OK) {
        if (own->basis) memcpy(own->basis, V, (uint64_t)m->texts.words.count * d * sizeof *V);
        ni_sparse_product(c, V, d, own->text, t->threads);
        for (uint64_t u = 0; u < m->rows; u++) ni_make_unit(own->text + u * d, d);
        rc = ni_threads_check(t->threads, err);
    }
    ni_free(value);
    ni_free(V);
    return rc;
}

static neap_status find_texts(trainer *t, const ni_sparse *c, uint32_t columns, neap_error *err)
{
    ni_evidence *own = t->model->own;
    bool bounded = false;
    keep_terms(t, c);
    neap_status rc = find_vectors(t, c, columns, err);
    if (rc == NEAP_OK)
        rc = ni_attributes_near(c, columns, 0, t->threads, own->near, own->cosine, &bounded, err);
    if (bounded)
        ni_note(t->hooks,
                "the nearest texts of some nodes were searched by their rarest words alone, for time");
    return rc == NEAP_OK ? join_terms(t->model, err) : rc;
}

/* The model's tensors but eigenvectors, those of texts and features filled. */
static neap_status make_tensors(trainer *t, const neap_features *features, neap_error *err)
{
    ni_evidence *own = t->model->own;
    ni_sparse c = { 0 };
    bool known = (t->model->texts.words.count || features) && groups_of(t->model) >> NI_GROUP_TEXT & 1;
    neap_status rc = known ? make_content(t, features, &c, err) : NEAP_OK;
    for (uint64_t r = 0; rc == NEAP_OK && r < c.rows; r++) own->terms += c.end[r] - c.start[r];
    own->late = true;
    if (rc == NEAP_OK) rc = ni_model_allocate(t->model, err);
    own->late = false;
    if (rc == NEAP_OK && own->terms)
        rc = find_texts(t, &c, ni_content_columns(&t->model->texts, features), err);
    ni_tfidf_free(&c);
    return rc;
}

/* A graph that lacked one link in a hundred has the eigenvectors of the whole graph, as good as they are
 * needed: of a large graph they are found once. */
static bool has_eigenpairs(const trainer *t)
{
    return t->draw.eigenvector && t->draw.folds == 1 && t->draw.groups <= ni_view_arcs(&t->view) / 200;
}

static neap_status find_eigenpairs(trainer *t, float **vector, neap_error *err)
{
    const ni_evidence *own = t->model->own;
    if (has_eigenpairs(t)) {
        memcpy(own->value, t->draw.eigenvalue, t->model->dim * sizeof *own->value);
        *vector = t->draw.eigenvector;
        t->draw.eigenvector = NULL;
        return NEAP_OK;
    }
    ni_draw_drop_eigenpairs(&t->draw);
    return ni_eigenpairs(&t->view, t->model->dim, t->model->settings->common.seed, t->threads, own->value,
                         vector, err);
}

/* They become a tensor of the model. */
static neap_status take_eigenpairs(trainer *t, neap_error *err)
{
    ni_evidence *own = t->model->own;
    ni_declared *tensor = ni_declared_find(&t->model->tensors->list, "eigen.vectors");
    float *vector = NULL;
    neap_status rc = tensor ? find_eigenpairs(t, &vector, err) : NEAP_OK;
    if (!vector) return rc;
    tensor->slot = &own->vector;
    ni_declared_set(tensor, vector);
    return NEAP_OK;
}

/* Of the whole graph, for queries. */
static neap_status survey(trainer *t, neap_error *err)
{
    const ni_evidence *own = t->model->own;
    uint32_t d = t->model->dim;
    uint64_t seed = t->model->settings->common.seed;
    neap_status rc = ni_node_values(&t->view, t->threads, own->node, err);
    if (rc == NEAP_OK) rc = take_eigenpairs(t, err);
    return rc == NEAP_OK && own->outside
               ? ni_evidence_vectors(&t->view, d, seed, t->threads, own->outside, err)
               : rc;
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    trainer t = { .o = job->settings->own, .hooks = job->hooks };
    neap_status rc = ni_threads_create(job->settings->common.threads, &t.threads, err);
    if (rc == NEAP_OK) rc = ni_model_create(job, &t.model, err);
    if (rc == NEAP_OK) {
        ni_threads_watch(t.threads, job->hooks, "prepare"); /* there are no steps to go on from yet */
        rc = ni_links_need_some(&t.model->links, err);
    }
    if (rc == NEAP_OK) rc = make_tensors(&t, job->data->features, err);
    if (rc == NEAP_OK) rc = ni_view_create(t.model->graph, &t.model->links, &t.view, err);
    if (rc == NEAP_OK) rc = learn_curves(&t, err);
    if (rc == NEAP_OK) rc = survey(&t, err);
    ni_draw_free(&t.draw);
    ni_view_free(&t.view);
    ni_threads_free(t.threads);
    if (rc == NEAP_OK) *out = t.model;
    else neap_model_free(t.model);
    return rc;
}

/* ---- what training takes ---- */

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Of texts and features, while singular vectors and the nearest are found. */
static uint64_t texts_bytes(const neap_model *m, const neap_features *features)
{
    const ni_evidence *own = m->own;
    uint64_t columns = ni_content_columns(&m->texts, features), threads = m->settings->common.threads;
    uint64_t near = own->terms * sizeof(ni_term) + (threads ? threads : 2) * m->rows * 12 + columns * 8;
    return ni_content_bytes(&m->texts, features, options_of(m->settings)->text_dim) +
           most_of(columns * options_of(m->settings)->text_dim * sizeof(float), near);
}

static void count_parts(trainer *t, const neap_features *features, neap_estimate_result *r)
{
    ni_examples e = ni_draw_examples(&t->draw);
    ni_declaration d = { 0 };
    declare(t->model, &d);
    r->bytes_tables = ni_declaration_bytes(&d, NI_FIXED);
    ni_declaration_free(&d);
    if (is_known(t->model)) r->bytes_tables += ((ni_evidence *)t->model->own)->terms * sizeof(ni_term);
    r->bytes_graph += ni_view_bytes(&t->view) - ni_links_bytes(&t->model->links);
    r->bytes_batch = ni_draw_bytes(&t->draw) +
                     most_of(ni_draw_fold_bytes(&t->draw), ni_fit_bytes(&e, ni_threads_count(t->threads)));
    if (is_known(t->model)) r->bytes_batch = most_of(r->bytes_batch, texts_bytes(t->model, features));
    if (t->model->dim && t->model->rows <= NI_VECTOR_NODES)
        r->bytes_batch = most_of(r->bytes_batch, ni_evidence_vectors_bytes(t->model->rows));
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const neap_features *features = job->data->features;
    trainer t = { .o = job->settings->own };
    neap_status rc = ni_threads_create(job->settings->common.threads, &t.threads, err);
    if (rc == NEAP_OK) rc = ni_model_create(job, &t.model, err);
    if (rc == NEAP_OK) rc = ni_links_need_some(&t.model->links, err);
    if (rc == NEAP_OK) rc = ni_view_create(t.model->graph, &t.model->links, &t.view, err);
    if (rc == NEAP_OK) {
        ni_evidence *own = t.model->own;
        bool known = groups_of(t.model) >> NI_GROUP_TEXT & 1;
        if (known && t.model->texts.words.count) own->terms = t.model->texts.offset[t.model->rows];
        if (known && features) own->terms += features->offset[features->nodes];
        own->attributes = (ni_attributes){ .dim = t.o->text_dim,
                                           .columns = ni_content_columns(&t.model->texts, features) };
        r->bytes_graph = ni_model_graph_bytes(t.model, job->data->graph);
        ni_draw_rule rule = rule_of(t.model);
        rc = ni_draw_create(&t.draw, &t.view, &t.model->targets, &rule, t.threads, err);
        if (rc == NEAP_OK) count_parts(&t, features, r);
    }
    ni_draw_free(&t.draw);
    ni_view_free(&t.view);
    ni_threads_free(t.threads);
    neap_model_free(t.model);
    return rc;
}

/* ---- queries ---- */

typedef struct answers {
    ni_view view;
    ni_widened widened; /* in an extended model */
    ni_globals globals;
    ni_additive curves;
    ni_scorer scorer;
} answers;

static neap_status open_query(neap_query *q, neap_error *err)
{
    const neap_model *m = q->model;
    const ni_evidence *own = m->own;
    answers *a = ni_zeros(1, sizeof *a);
    if (!a) return ni_fail_memory(err, "a query");
    q->own = a;
    neap_status rc = ni_view_create(m->graph, &m->links, &a->view, err);
    if (rc != NEAP_OK) return rc;
    a->globals = (ni_globals){ .view = &a->view,
                               .groups = groups_of(m),
                               .dim = own->vector ? m->dim : 0,
                               .node = own->node,
                               .value = own->value,
                               .vector = own->vector,
                               .attributes = is_known(m) ? &own->attributes : NULL };
    if (m->graph->nodes > m->rows) rc = ni_evidence_widen(m, &a->globals, q->threads, &a->widened, err);
    if (rc == NEAP_OK) rc = ni_globals_finish(&a->globals, q->threads, err);
    a->curves = curves_of(m);
    return rc == NEAP_OK ? ni_scorer_create(&a->scorer, &a->globals, &a->curves, own->kind, q->threads, err)
                         : rc;
}

static void close_query(neap_query *q)
{
    answers *a = q->own;
    ni_scorer_free(&a->scorer);
    ni_globals_free(&a->globals);
    ni_widened_free(&a->widened);
    ni_view_free(&a->view);
    ni_free(a);
}

static neap_status score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    return ni_scorer_pairs(&((answers *)q->own)->scorer, pairs, count, scores, err);
}

static neap_status score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return ni_scorer_all(&((answers *)q->own)->scorer, source, scores, err);
}

static neap_status explain(neap_query *q, uint32_t source, uint32_t target, neap_explanation **out,
                           neap_error *err)
{
    const ni_evidence *own = q->model->own;
    return ni_evidence_explain(q, &((answers *)q->own)->scorer, own->mean, source, target, out, err);
}

neap_status ni_evidence_without(neap_query *q, neap_pair pair, const neap_pair *links, uint32_t count,
                                double *score, neap_error *err)
{
    return ni_scorer_without(&((answers *)q->own)->scorer, pair, links, count, score, err);
}

/* Those of vectors.h; in a graph too large for them a node's row of eigenvectors, each by the root of its
 * eigenvalue's size, which are of the same kind. */
static neap_status vectors(neap_query *q, float *vectors, neap_error *err)
{
    const answers *a = q->own;
    const ni_globals *g = &a->globals;
    const float *outside =
        a->widened.outside ? a->widened.outside : ((ni_evidence *)q->model->own)->outside;
    size_t nodes = q->model->graph->nodes, d = g->dim;
    (void)err;
    if (outside) {
        memcpy(vectors, outside, nodes * d * sizeof *vectors);
        return NEAP_OK;
    }
    for (size_t i = 0; i < nodes * d; i++) vectors[i] = sqrtf(fabsf(g->value[i % d])) * g->vector[i];
    for (size_t u = 0; u < nodes; u++) ni_vector_scale(vectors + u * d, g->dim);
    return NEAP_OK;
}

const ni_method ni_method_evidence = {
    .info = { .size = sizeof(neap_method_info),
              .name = "evidence",
              .summary = "many kinds of evidence about a pair, weighed by one learned curve each",
              .details =
                  "Degrees, shared neighbours, paths, walks and closeness in the leading eigenvectors\n"
                  "are measured as if the pair's own link were not there; a curve for each is\n"
                  "learned from --examples links and 30 non-links of each. The score is the\n"
                  "log-odds of a link.",
              .vectors = 1,
              .explains = 1,
              .text = 2,
              .new_text = 1,
              .features = 1,
              .probability = 1 },
    .options = { sizeof(ni_evidence_options), parts, defaults },
    .dim = dim_of,
    .check = check,
    .text = text_of,
    .own = sizeof(ni_evidence),
    .declare = declare,
    .derive = derive,
    .release = release,
    .train = train,
    .bytes = bytes,
    .open = open_query,
    .close = close_query,
    .score = score,
    .score_all = score_all,
    .masks_links = true,
    .vectors = vectors,
    .explain = explain,
};
