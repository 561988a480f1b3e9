#include <string.h>

#include "attention/optimizer.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/sys.h"
#include "methods/attentive.h"
#include "methods/dot.h"
#include "model/loop.h"
#include "model/method.h"

typedef struct learner {
    neap_model *model;
    neap_split *split;       /* or NULL                                                          */
    ni_links split_links;    /* of split->train                                                  */
    const neap_graph *graph; /* what is trained on: the model's, or without the validation pairs */
    const ni_links *links;   /* of graph                                                         */
    ni_attentive dense;
    float *dE, *dq;   /* gradients                                   */
    float *E_m, *E_v; /* Adam's moments                              */
    float *q_m, *q_v;
    ni_course course;
} learner;

/* ---- start ---- */

/* The vectors uniform within +-0.1, all distances alike: as in the authors' program. */
static neap_status make_tables(neap_model *m, neap_error *err)
{
    neap_status rc = ni_model_draw_vectors(m, 0.1, err);
    if (rc != NEAP_OK) return rc;
    m->attention = ni_array(m->options.window, sizeof *m->attention);
    if (!m->attention) return ni_fail_memory(err, "the attention");
    for (uint32_t k = 0; k < m->options.window; k++) m->attention[k] = 1;
    return NEAP_OK;
}

static neap_status hold_out(learner *l, const neap_validation *valid, neap_error *err)
{
    const neap_model *m = l->model;
    neap_status rc =
        ni_split_hold_out(m->graph, &m->links, &m->options, valid, &l->split, &l->split_links, err);
    if (rc != NEAP_OK) return rc;
    l->graph = l->split->train;
    l->links = &l->split_links;
    return ni_links_need_some(l->links, err);
}

static neap_status start(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         learner *l, neap_error *err)
{
    *l = (learner){ 0 };
    if (options->dim % 2)
        return ni_fail(err, NEAP_E_ARG,
                       "--dim %u is odd; a vector of attentivewalk has two halves of one length",
                       options->dim);
    neap_status rc = ni_model_create(graph, options, &l->model, err);
    if (rc != NEAP_OK) return rc;
    l->graph = l->model->graph;
    l->links = &l->model->links;
    rc = ni_links_need_some(l->links, err);
    if (rc == NEAP_OK && options->valid > 0 && options->epochs > 0)
        rc = hold_out(l, hooks ? hooks->valid : NULL, err);
    return rc;
}

static neap_status make_memory(learner *l, neap_error *err)
{
    const neap_model *m = l->model;
    size_t cells = (size_t)m->rows * m->dim, powers = m->options.window;
    bool ok = (l->dE = ni_array(cells, sizeof *l->dE)) && (l->dq = ni_array(powers, sizeof *l->dq)) &&
              (l->E_m = ni_zeros(cells, sizeof *l->E_m)) && (l->E_v = ni_zeros(cells, sizeof *l->E_v)) &&
              (l->q_m = ni_zeros(powers, sizeof *l->q_m)) && (l->q_v = ni_zeros(powers, sizeof *l->q_v));
    if (!ok) return ni_fail_memory(err, "the optimiser; a smaller --dim needs less");
    return ni_attentive_create(l->graph, l->links, &m->options, m->threads, &l->dense, err);
}

static void release(learner *l)
{
    ni_attentive_free(&l->dense);
    ni_free(l->dE);
    ni_free(l->dq);
    ni_free(l->E_m);
    ni_free(l->E_v);
    ni_free(l->q_m);
    ni_free(l->q_v);
    ni_links_free(&l->split_links);
    neap_split_free(l->split);
    neap_model_free(l->model);
}

/* ---- scores ---- */

/* L_x . R_y, in an undirected graph the mean of that and L_y . R_x; or x . y. */
static float score_of(const neap_model *m, const float *x, const float *y)
{
    const ni_kernels *k = ni_kernels_get();
    uint32_t h = m->dim / 2;
    if (m->options.pair_score == NI_SCORE_CONCAT) return k->dot(x, y, m->dim);
    float there = k->dot(x, y + h, h);
    return m->graph->undirected ? 0.5F * (there + k->dot(y, x + h, h)) : there;
}

static neap_status make_scratch(const neap_model *m, float **scratch, neap_error *err)
{
    *scratch = ni_array(2 * (size_t)m->dim, sizeof **scratch);
    return *scratch ? NEAP_OK : ni_fail_memory(err, "scores");
}

static neap_status score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    float *scratch;
    neap_status rc = make_scratch(m, &scratch, err);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        scores[i] = score_of(m, ni_dot_vector(m, pairs[i].source, scratch),
                             ni_dot_vector(m, pairs[i].target, scratch + m->dim));
    ni_free(scratch);
    return rc;
}

static neap_status score_all(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    float *scratch;
    neap_status rc = make_scratch(m, &scratch, err);
    if (rc != NEAP_OK) return rc;
    const float *x = ni_dot_vector(m, source, scratch);
    for (uint32_t t = 0; t < m->graph->nodes; t++)
        scores[t] = score_of(m, x, ni_dot_vector(m, t, scratch + m->dim));
    ni_free(scratch);
    return NEAP_OK;
}

static neap_status score_now(void *self, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    return score(((learner *)self)->model, pairs, count, scores, err);
}

/* ---- steps ---- */

enum { ROWS_PER_TASK = 64 };

typedef struct update {
    const learner *l;
    ni_adam_step adam;
} update;

static void adam_task(void *arg, uint32_t task, uint32_t thread)
{
    const update *u = arg;
    const learner *l = u->l;
    const neap_model *m = l->model;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, m->rows);
    uint64_t at = first * m->dim, numbers = (end - first) * m->dim;
    (void)thread;
    ni_kernels_get()->adam(&u->adam, l->dE + at, m->E + at, l->E_m + at, l->E_v + at, numbers);
}

/* All pairs of nodes, then one step of Adam. */
static neap_status step(void *self, ni_run *run, uint64_t *items, double *loss, neap_error *err)
{
    learner *l = self;
    neap_model *m = l->model;
    const neap_options *o = &m->options;
    (void)err;
    double mean = ni_attentive_pass(&l->dense, m->E, m->attention, l->dE, l->dq);
    update u = { l, ni_adam_at(ni_course_rate(&l->course, 0), ++run->updates) };
    ni_threads_run(m->threads, ni_tasks(m->rows, ROWS_PER_TASK), adam_task, &u);
    ni_kernels_get()->adam(&u.adam, l->dq, m->attention, l->q_m, l->q_v, o->window);
    *items = m->rows;
    *loss = mean * (double)m->rows;
    return NEAP_OK;
}

static void list_tables(const learner *l, ni_tables *tables)
{
    const neap_model *m = l->model;
    uint64_t n = m->rows, d = m->options.dim, powers = m->options.window;
    tables->places = n;
    ni_tables_add(tables, "E", m->E, n, d, true);
    ni_tables_add(tables, "attention", m->attention, powers, 0, true);
    ni_tables_add(tables, "adam.E.m", l->E_m, n, d, false);
    ni_tables_add(tables, "adam.E.v", l->E_v, n, d, false);
    ni_tables_add(tables, "adam.attention.m", l->q_m, powers, 0, false);
    ni_tables_add(tables, "adam.attention.v", l->q_v, powers, 0, false);
}

static void state(const neap_model *m, ni_tables *tables)
{
    list_tables(&(learner){ .model = (neap_model *)m }, tables);
}

static neap_status run_course(learner *l, const neap_hooks *hooks, neap_error *err)
{
    uint64_t rows = l->model->rows;
    l->course = (ni_course){ .model = l->model,
                             .split = l->split,
                             .places = rows,
                             .per_step = rows,
                             .step = step,
                             .score = score_now,
                             .self = l };
    list_tables(l, &l->course.tables);
    return ni_course_run(&l->course, hooks, err);
}

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    learner l;
    neap_status rc = start(graph, options, hooks, &l, err);
    if (rc == NEAP_OK) rc = make_tables(l.model, err);
    if (rc == NEAP_OK) rc = make_memory(&l, err);
    if (rc == NEAP_OK) rc = run_course(&l, hooks, err);
    if (rc == NEAP_OK) {
        *out = l.model;
        l.model = NULL;
    }
    release(&l);
    return rc;
}

static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    learner l;
    neap_status rc = start(graph, options, NULL, &l, err);
    if (rc == NEAP_OK) {
        uint64_t rows = l.model->rows, table = rows * options->dim * sizeof(float);
        r->bytes_graph = ni_model_graph_bytes(l.model, graph);
        if (l.split) r->bytes_graph += ni_split_bytes(l.split, &l.split_links);
        r->bytes_tables = table * (l.split ? 2 : 1);
        r->bytes_optimizer = 3 * table; /* two moments and the gradient */
        r->bytes_batch = ni_attentive_bytes(rows, l.links->offset[rows], ni_threads_count(l.model->threads),
                                            options->window);
    }
    release(&l);
    return rc;
}

static const ni_default defaults[] = {
    { "epochs", { "80", "20", "100" } },
    { "lr", { "0.03", "0.03", "0.01" } },
    { "valid", { "0", "0", "0" } },
    { "dim", { "128", "200", "128" } },
    { "walks", { "80", "80", "80" } },
    { "window", { "5", "5", "5" } },
    { 0 },
};

const ni_method ni_method_attentivewalk = {
    .info = { "attentivewalk", "walks of every length, with learned attention for each distance",
              "Learns how often two nodes would meet if --walks random walks began at each, without "
              "walking: from the chances\nthat 1, 2, ... --window steps lead from one to the other, and "
              "how much each distance should count. A vector has\na left and a right half; a pair scores "
              "left times right (--pair-score). One epoch compares every node with\nevery other and "
              "makes one step of Adam: its time grows with the square of the nodes, its memory does not "
              "(4 KiB a\nnode, and 1 KiB for each thread).\nAbu-El-Haija, Perozzi, Al-Rfou and Alemi, "
              "Watch Your Step, 2018.",
              0, 1, "dim,epochs,lr,decay,valid,patience,walks,window,along,starts,pair-score" },
    .defaults = defaults,
    .tables = "E,attention",
    .train = train,
    .bytes = bytes,
    .state = state,
    .score = score,
    .score_all = score_all,
    .vectors = ni_dot_vectors,
};
