/* AttentiveWalk (Watch Your Step): vectors from the loss over all pairs of nodes (attentive.h), by Adam,
 * with a learned attention for each distance. */
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "methods/attentive.h"
#include "methods/dot.h"
#include "model/optimizer.h"
#include "model/run.h"
#include "support/status.h"
#include "support/text.h"

static const ni_option own_options[] = {
    NI_OPTION(
        ni_attentive_options, CHOICE, starts, "starts", "", 0, "walks", "even|degree", "even", "degree",
        "degree", 0, 0, 1,
        "even: as many walks from every node; degree: in proportion to the degree, with the constants of "
        "the authors' program, where walks far outweigh non-links (attentivewalk)"),
    NI_OPTION(ni_attentive_options, CHOICE, pair_score, "pair-score", "", 0, "walks", "left-right|concat",
              "left-right", "concat", "left-right", 0, 0, 1,
              "a pair scores the left half of one vector times the right half of the other, or the product "
              "of the whole vectors (attentivewalk)"),
};
static const ni_option_set own_set = NI_OPTION_SET(own_options);

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(ni_attentive_options, walk.learning),
      "dim,epochs,lr,decay,valid,patience" },
    { &ni_walk_set, offsetof(ni_attentive_options, walk), "walks,window,along" },
    { &own_set, 0, NULL },
    { 0 },
};

static const ni_default defaults[] = {
    { "epochs", { "80", "20", "100" } },
    { "lr", { "0.03", "0.03", "0.01" } },
    { "valid", { "0", "0", "0" } },
    { "dim", { "128", "200", "128" } },
    { "walks", { "80", "80", "80" } },
    { "window", { "5", "5", "5" } },
    { 0 },
};

static neap_status check(const ni_settings *s, neap_error *err)
{
    const ni_attentive_options *o = s->own;
    if (o->walk.learning.dim % 2 == 0) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG,
                   "--dim %u is odd; a vector of attentivewalk has two halves of one length",
                   o->walk.learning.dim);
}

/* ---- tensors ---- */

typedef struct attentivewalk {
    ni_dot dot;       /* E: rows x dim                                               */
    float *attention; /* window: q, the logits of the distances' weights            */
} attentivewalk;

static void declare(neap_model *m, ni_declaration *d)
{
    attentivewalk *own = m->own;
    const ni_attentive_options *o = m->settings->own;
    ni_dot_declare(m, d);
    ni_declare_list(d, "attention", NI_LEARNED, NI_F32, o->walk.window, &own->attention);
    d->moments = NI_MOMENTS_ADAM;
    d->positions = m->rows;
}

/* The vectors uniform within +-0.1, all distances alike: as in the authors' program. */
static neap_status make_tensors(neap_model *m, neap_error *err)
{
    const attentivewalk *own = m->own;
    const ni_attentive_options *o = m->settings->own;
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    ni_model_draw_rows(m, 0.1, own->dot.E);
    for (uint32_t k = 0; k < o->walk.window; k++) own->attention[k] = 1;
    return NEAP_OK;
}

/* ---- scores ---- */

/* L_x . R_y, in an undirected graph the mean of that and L_y . R_x; or x . y. */
static float score_of(const neap_model *m, const float *x, const float *y)
{
    const ni_kernels *k = ni_kernels_get();
    const ni_attentive_options *o = m->settings->own;
    uint32_t h = m->dim / 2;
    if (o->pair_score == NI_CONCAT) return k->dot(x, y, m->dim);
    float there = k->dot(x, y + h, h);
    return m->graph->undirected ? 0.5F * (there + k->dot(y, x + h, h)) : there;
}

static neap_status score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    return ni_dot_score_by(q->model, score_of, pairs, count, scores, err);
}

static neap_status score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return ni_dot_score_all_by(q->model, score_of, source, scores, err);
}

/* ---- training ---- */

typedef struct trainer {
    ni_run run;
    ni_attentive dense;
    float *dE, *dq; /* gradients: rows x dim, window */
    ni_optimizer optimizer;
} trainer;

static neap_status prepare(trainer *t, const ni_job *job, neap_error *err)
{
    const ni_attentive_options *o = job->settings->own;
    *t = (trainer){ 0 };
    neap_status rc = ni_run_prepare(&t->run, job, &o->walk.learning, err);
    if (rc == NEAP_OK) rc = ni_links_need_some(t->run.links, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(&t->run, job->data, err);
    return rc == NEAP_OK ? ni_links_need_some(t->run.links, err) : rc;
}

static neap_status make_memory(trainer *t, neap_error *err)
{
    const neap_model *m = t->run.model;
    const attentivewalk *own = m->own;
    const ni_attentive_options *o = m->settings->own;
    uint32_t powers = o->walk.window;
    ni_parameter list[] = { { "E", own->dot.E, m->rows, m->dim, .rate = 1 },
                            { "attention", own->attention, 1, powers, .rate = 1 } };
    bool ok = (t->dE = ni_array((size_t)m->rows * m->dim, sizeof *t->dE)) &&
              (t->dq = ni_array(powers, sizeof *t->dq)) &&
              ni_optimizer_create(NI_ADAM, list, 2, &t->optimizer);
    if (!ok) return ni_fail_memory(err, "the optimiser; a smaller --dim needs less");
    t->optimizer.parameter[0].gradient.values = t->dE;
    t->optimizer.parameter[1].gradient.values = t->dq;
    return ni_attentive_create(t->run.graph, t->run.links, o, t->run.threads, &t->dense, err);
}

/* n^2 comes as a surprise: whoever begins hours of work hears of it first. */
static void note_time(const trainer *t)
{
    enum { NODES_FEW = 1000, SECONDS_FEW = 10 };
    const ni_run *run = &t->run;
    const neap_model *m = run->model;
    const attentivewalk *own = m->own;
    char nodes[32], time[32], text[160];
    if (!run->hooks || !run->hooks->note || m->rows < NODES_FEW) return;
    double seconds = run->o->epochs * ni_attentive_seconds(&t->dense, own->dot.E, own->attention, t->dE);
    if (seconds < SECONDS_FEW) return;
    snprintf(text, sizeof text,
             "every epoch compares all %s nodes with each other: %u epoch%s will take about %s",
             ni_format_count(m->rows, nodes), run->o->epochs, run->o->epochs == 1 ? "" : "s",
             ni_format_seconds(seconds, time));
    ni_note(run->hooks, text);
}

static neap_status begin(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    run->positions = run->per_step = run->model->rows;
    neap_status rc = make_tensors(run->model, err);
    if (rc == NEAP_OK) rc = make_memory(t, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_moments(run, &t->optimizer);
    note_time(t);
    return ni_run_begin(run, err);
}

/* One step: an epoch. */
static void step(trainer *t)
{
    ni_run *run = &t->run;
    const attentivewalk *own = run->model->own;
    double mean = ni_attentive_pass(&t->dense, own->dot.E, own->attention, t->dE, t->dq);
    if (!ni_run_may_step(run)) return;
    t->optimizer.steps = run->at.updates;
    ni_optimizer_step(&t->optimizer, ni_run_rate(run, 0), run->threads);
    run->at.updates = t->optimizer.steps;
    ni_run_took(run, run->model->rows, mean * run->model->rows);
}

static void trainer_free(trainer *t)
{
    ni_attentive_free(&t->dense);
    ni_free(t->dE);
    ni_free(t->dq);
    ni_optimizer_free(&t->optimizer);
}

static neap_status train(const ni_job *job, neap_model **out, neap_error *err)
{
    trainer t;
    ni_run *run = &t.run;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) rc = begin(&t, err);
    while (rc == NEAP_OK && ni_run_next(run)) {
        if (run->judging) rc = ni_dot_judge(run, score_of, err);
        else step(&t);
    }
    trainer_free(&t);
    return ni_run_end(run, rc, out);
}

static neap_status bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    const ni_attentive_options *o = job->settings->own;
    trainer t;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) {
        uint64_t rows = t.run.model->rows;
        ni_run_bytes(&t.run, job->data->graph, r);
        r->bytes_optimizer += rows * o->walk.learning.dim * sizeof(float); /* the gradient */
        r->bytes_batch = ni_attentive_bytes(rows, t.run.links->offset[rows],
                                            ni_threads_count(t.run.threads), o->walk.window);
    }
    ni_run_free(&t.run);
    return rc;
}

const ni_method ni_method_attentivewalk = {
    .info = { .size = sizeof(neap_method_info),
              .name = "attentivewalk",
              .summary = "walks of every length, with learned attention for each distance",
              .details = "Fits vectors to the number of times that two nodes would meet if --walks random\n"
                         "walks began at each, without walking: from the probabilities that 1, 2, ...\n"
                         "--window steps lead from one to the other, and a learned weight per distance. A\n"
                         "vector has a left and a right half; a pair scores left times right\n"
                         "(--pair-score). One epoch compares every node with every other and makes one\n"
                         "step of Adam: time grows with the square of the nodes, memory does not (4 KiB\n"
                         "per node, and 1 KiB per node and thread).\n"
                         "Abu-El-Haija, Perozzi, Al-Rfou and Alemi, Watch Your Step, 2018.",
              .vectors = 1 },
    .options = { sizeof(ni_attentive_options), parts, defaults },
    .check = check,
    .own = sizeof(attentivewalk),
    .declare = declare,
    .train = train,
    .bytes = bytes,
    .score = score,
    .score_all = score_all,
    .vectors = ni_dot_vectors,
    .some_vectors = ni_dot_some_vectors,
};
