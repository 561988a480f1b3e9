/* A step of training: the sampler draws items, their neighbourhoods become sides, the engine makes the
 * gradients of E and P, the optimiser moves them. The loop around the steps is model/run.h. The trainer
 * owns all of it but the finished model. */
#include "attention/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"

/* ---- options ---- */

static const ni_option attention_options[] = {
    NI_OPTION(ni_attention_options, U32, neighbors, "neighbors", "neighbours,nbr-size,num-nbrs", 's',
              "model", "N", "100", "100", "100", 1, 65536, 1,
              "neighbours read per node (S in the paper); of a node with more, a random sample is kept"),
    NI_OPTION(ni_attention_options, SWITCH, self, "self", "", 0, "model", "", "no", "no", "yes", 0, 1, 1,
              "count a node among its own neighbours"),
    NI_OPTION(ni_attention_options, CHOICE, pooling, "pooling", "", 0, "model", "max|mean", "max", "max",
              "mean", 0, 0, 1,
              "the pooled alignment of a neighbour: the largest with the other side, or the mean"),
    NI_OPTION(ni_attention_options, SWITCH, matrix, "matrix", "", 0, "model", "", "yes", "yes", "yes", 0, 1,
              1,
              "align two neighbours x, y by x P y with a trained matrix P; otherwise by their product x y"),
    NI_OPTION(ni_attention_options, CHOICE, padding, "padding", "", 0, "model", "none|zero|vector", "none",
              "zero", "vector", 0, 0, 1,
              "what fills a neighbourhood smaller than --neighbors: nothing, zero vectors, or one fixed "
              "random vector"),
    NI_OPTION(ni_attention_options, REAL, dropout, "dropout", "", 0, "model", "X", "0.5", "0.5", "0.5", 0,
              0.99, 1, "share of the vectors' entries zeroed in each step"),
    NI_OPTION(ni_attention_options, CHOICE, dropout_per, "dropout-per", "", 0, "model", "node|occurrence",
              "node", "node", "occurrence", 0, 0, 1,
              "one dropout mask per node and step, or one for each occurrence of a node"),
    NI_OPTION(ni_attention_options, SWITCH, dropout_at_inference, "dropout-at-inference", "", 0, "model",
              "", "no", "no", "yes", 0, 1, 1,
              "leave dropout on when averaged vectors are made, as the authors' code does"),
    NI_OPTION(
        ni_attention_options, CHOICE, optimizer, "optimizer", "optimiser", 0, "training",
        "adam|lazy-adam|adagrad", "lazy-adam", "adam", "adam", 0, 0, 1,
        "Adam on every row each step, Adam on the rows a step touched, or Adagrad with one number per row"),
    NI_OPTION(
        ni_attention_options, CHOICE, objective, "objective", "", 0, "training",
        "margin|logistic|hardest|softmax", "margin", "margin", "margin", 0, 0, 1,
        "margin: hinge loss on score differences; logistic: log-sigmoid loss on each score; hardest: hinge "
        "loss on the best-scored non-link; softmax: cross-entropy of the link among its non-links"),
    NI_OPTION(ni_attention_options, REAL, margin, "margin", "", 0, "training", "X", "1", "1", "0.5", 0,
              1000, 1, "by how much a link should outscore a non-link (objectives margin and hardest)"),
};

const ni_option_set ni_attention_set = NI_OPTION_SET(attention_options);

ni_hood_rule ni_gap_hood(const ni_settings *settings)
{
    const ni_attention_options *o = settings->own;
    return (ni_hood_rule){ o->neighbors, o->self, settings->common.self_loops, settings->common.seed };
}

/* ---- tensors ---- */

static ni_moments moments_of(uint32_t optimizer)
{
    return optimizer == NI_ADAGRAD ? NI_MOMENTS_ADAGRAD : NI_MOMENTS_ADAM;
}

void ni_gap_declare(neap_model *m, ni_declaration *d)
{
    ni_gap *own = m->own;
    const ni_attention_options *o = m->settings->own;
    ni_declare_matrix(d, "E", NI_LEARNED, m->rows, m->dim, &own->E);
    if (o->matrix) ni_declare_matrix(d, "P", NI_LEARNED, m->dim, m->dim, &own->P);
    if (o->padding == NI_PAD_VECTOR) ni_declare_list(d, "pad", NI_FIXED, NI_F32, m->dim, &own->pad);
    d->moments = moments_of(o->optimizer);
    d->positions = 2 * m->graph->edges; /* both orders */
}

/* E and the padding vector are uniform within +-sqrt(6 / (n + 1 + d)), n nodes and the padding (Glorot and
 * Bengio 2010), P is normal with deviation sqrt(1/d). */
static neap_status make_tensors(neap_model *m, neap_error *err)
{
    const ni_gap *own = m->own;
    uint64_t d = m->dim;
    double bound = sqrt(6.0 / ((double)m->rows + 1 + (double)d));
    neap_status rc = ni_model_allocate(m, err);
    if (rc != NEAP_OK) return rc;
    ni_model_draw_rows(m, bound, own->E);
    if (own->pad) ni_model_draw_row(m, NEAP_NONE, bound, own->pad);
    for (uint64_t i = 0; own->P && i < d; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_MATRIX, 0, i);
        for (uint64_t k = 0; k < d; k++)
            own->P[i * d + k] = (float)(ni_normal(&rng) * sqrt(1.0 / (double)d));
    }
    return NEAP_OK;
}

/* ---- a trainer ---- */

typedef struct trainer {
    ni_run run;
    const ni_attention_options *o;
    ni_hood split_hood; /* of the training pairs, unless neighbourhoods are read around */
    ni_sampler sampler;
    ni_side *sides; /* of the sampler's nodes */
    ni_row_table table;
    ni_rows rows;           /* of the table                                */
    ni_attention attention; /* on the neighbourhoods of the training pairs */
    ni_optimizer optimizer;
    ni_parameter *P; /* of the optimiser, or NULL */
} trainer;

static uint64_t sides_of_step(const trainer *t)
{
    uint64_t positions = t->sampler.positions, size = t->o->sampling.batch;
    return (size < positions ? size : positions) * (2 + (uint64_t)t->o->learning.negatives);
}

static neap_status make_sampler(trainer *t, const neap_graph *graph, const ni_links *links, neap_error *err)
{
    return ni_sampler_create(&t->o->sampling, t->o->learning.negatives, t->run.model->settings->common.seed,
                             graph, links, &t->run.model->targets, t->run.threads, &t->sampler, err);
}

/* Training reads the neighbourhoods of the training pairs alone, unless data->around is given. The
 * sampler is first made on the whole graph, so that its errors refer to the graph that was given. */
static neap_status prepare(trainer *t, const ni_job *job, neap_error *err)
{
    ni_run *run = &t->run;
    *t = (trainer){ .o = job->settings->own };
    neap_status rc = ni_run_prepare(run, job, &t->o->learning, err);
    if (rc == NEAP_OK) rc = make_sampler(t, run->graph, run->links, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(run, job->data, err);
    if (rc == NEAP_OK && run->split && !job->data->around) {
        ni_hood_rule rule = ni_gap_hood(job->settings);
        rc = ni_hood_create(run->graph, run->links, &rule, &t->split_hood, err);
    }
    if (rc == NEAP_OK && run->split) {
        ni_sampler_free(&t->sampler);
        rc = make_sampler(t, run->graph, run->links, err);
    }
    if (rc != NEAP_OK) return rc;
    t->sides = ni_array(sides_of_step(t), sizeof *t->sides);
    return t->sides ? NEAP_OK : ni_fail_memory(err, "a batch");
}

static void trainer_free(trainer *t)
{
    ni_attention_free(&t->attention);
    ni_sampler_free(&t->sampler);
    ni_free(t->sides);
    ni_optimizer_free(&t->optimizer);
    ni_hood_free(&t->split_hood);
}

/* Without tensors it can only measure its memory. */
static neap_status make_engine(trainer *t, neap_error *err)
{
    const neap_model *m = t->run.model;
    const ni_gap *own = m->own;
    ni_parameter *E = ni_optimizer_find(&t->optimizer, "E");
    t->table = (ni_row_table){ own->E, E ? &E->gradient : NULL };
    t->rows = ni_rows_of_table(&t->table, m->rows);
    t->attention = (ni_attention){ .options = t->o,
                                   .seed = m->settings->common.seed,
                                   .hood = t->split_hood.offset ? &t->split_hood : &m->hood,
                                   .rows = &t->rows,
                                   .P = own->P,
                                   .pad = own->pad,
                                   .dim = m->dim,
                                   .threads = t->run.threads,
                                   .both_orders = m->graph->undirected };
    return ni_attention_create(&t->attention, err);
}

enum { PARAMETERS_MOST = 2 };

/* The learned parameters; returns how many. Their values may be NULL still. */
static uint32_t list_parameters(const neap_model *m, ni_parameter *list)
{
    const ni_gap *own = m->own;
    const ni_attention_options *o = m->settings->own;
    list[0] = (ni_parameter){ "E", own->E, m->rows, m->dim, .by_rows = true, .rate = 1 };
    list[1] = (ni_parameter){ "P", own->P, m->dim, m->dim, .rate = 1 };
    return o->matrix ? 2 : 1;
}

static neap_status make_optimizer(trainer *t, neap_error *err)
{
    ni_parameter list[PARAMETERS_MOST];
    uint32_t count = list_parameters(t->run.model, list);
    if (!ni_optimizer_create(t->o->optimizer, list, count, &t->optimizer))
        return ni_fail_memory(err, "the optimiser; --optimizer adagrad needs less");
    t->P = ni_optimizer_find(&t->optimizer, "P");
    return NEAP_OK;
}

/* ---- items ---- */

/* Those of the positions of an epoch from `first` on, as sides. */
static ni_items draw(trainer *t, uint64_t epoch, uint64_t first)
{
    uint32_t negatives = t->o->learning.negatives;
    uint32_t count = ni_sampler_fill(&t->sampler, epoch, first, t->o->sampling.batch);
    for (uint64_t i = 0; i < (uint64_t)count * (2 + negatives); i++)
        t->sides[i] = ni_hood_side(t->attention.hood, t->sampler.nodes[i]);
    return (ni_items){ .sides = t->sides, .count = count, .negatives = negatives };
}

/* ---- memory ---- */

/* The largest of a few batches, and a margin for the others. */
static neap_status measure_batches(trainer *t, uint64_t *bytes, neap_error *err)
{
    enum { LOOKS = 8 };
    uint32_t size = t->o->sampling.batch;
    uint64_t batches = (t->sampler.positions + size - 1) / size, most = 0;
    neap_status rc = make_engine(t, err);
    for (uint64_t i = 0; i < LOOKS && i < batches && rc == NEAP_OK; i++) {
        ni_items items = draw(t, 0, i * (batches / LOOKS + 1) % batches * size);
        uint64_t here = 0;
        if (items.count) rc = ni_engine_measure(t->attention.engine, &items, &here, err);
        if (here > most) most = here;
    }
    *bytes = most + most / 10 + ni_sampler_step_bytes(&t->sampler) + sides_of_step(t) * sizeof *t->sides;
    return rc == NEAP_OK ? ni_threads_check(t->run.threads, err) : rc;
}

neap_status ni_gap_bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    trainer t;
    ni_parameter list[PARAMETERS_MOST];
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) {
        const neap_model *m = t.run.model;
        ni_run_bytes(&t.run, job->data->graph, r);
        r->bytes_graph += ni_sampler_bytes(&t.o->sampling, m->graph);
        if (t.split_hood.offset) r->bytes_graph += ni_hood_bytes(&t.split_hood);
        r->bytes_optimizer = ni_optimizer_bytes(t.o->optimizer, list, list_parameters(m, list));
        rc = measure_batches(&t, &r->bytes_batch, err);
    }
    trainer_free(&t);
    ni_run_free(&t.run);
    return rc;
}

/* ---- training ---- */

static void note_left_out(const trainer *t)
{
    char text[160];
    if (!t->sampler.left_out) return;
    snprintf(text, sizeof text,
             "%llu source%s linked with every other node and left out: there is no non-link "
             "to compare with",
             (unsigned long long)t->sampler.left_out, t->sampler.left_out == 1 ? " is" : "s are");
    ni_note(t->run.hooks, text);
}

static neap_status begin(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    run->positions = t->sampler.positions;
    run->per_step = t->o->sampling.batch;
    neap_status rc = make_tensors(run->model, err);
    if (rc == NEAP_OK) rc = make_optimizer(t, err);
    if (rc == NEAP_OK) rc = make_engine(t, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_moments(run, &t->optimizer);
    note_left_out(t);
    return ni_run_begin(run, err);
}

static void optimise(trainer *t, const ni_engine_gradients *gradients)
{
    if (t->P) t->P->gradient = (ni_gradient){ .values = gradients->P };
    t->optimizer.steps = t->run.at.updates;
    ni_optimizer_step(&t->optimizer, ni_run_rate(&t->run, 0), t->run.threads);
    t->run.at.updates = t->optimizer.steps;
}

static neap_status validate(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    size_t n = run->split->count;
    neap_status rc = ni_attention_score(&t->attention, run->split->positive, n, run->positive, err);
    if (rc == NEAP_OK) rc = ni_attention_score(&t->attention, run->split->negative, n, run->negative, err);
    return ni_run_judge(run, rc, err);
}

neap_status ni_gap_train_timed(const ni_job *job, ni_stages *stages, ni_work *work, neap_model **out,
                               neap_error *err)
{
    trainer t;
    ni_run *run = &t.run;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) rc = begin(&t, err);
    ni_engine *engine = t.attention.engine;
    while (rc == NEAP_OK && ni_run_next(run)) {
        ni_engine_gradients gradients;
        double loss = 0;
        if (run->judging) {
            rc = validate(&t, err);
            continue;
        }
        ni_stage_begin(ni_engine_stages(engine));
        ni_items items = draw(&t, run->at.epoch, run->at.batch * run->per_step);
        ni_stage_end(ni_engine_stages(engine), NI_STAGE_DRAW);
        if (items.count) rc = ni_engine_step(engine, &items, run->at.updates, &gradients, &loss, err);
        if (!ni_run_may_step(run)) rc = NEAP_OK; /* stopped: ni_run_next ends it */
        else if (rc == NEAP_OK) {
            if (items.count && isfinite(loss)) optimise(&t, &gradients);
            ni_stage_end(ni_engine_stages(engine), NI_STAGE_OPTIMIZE);
            if (work && items.count) ni_work_add(work, engine);
            ni_run_took(run, items.count, loss * items.count);
        }
    }
    if (stages && engine) *stages = *ni_engine_stages(engine);
    trainer_free(&t);
    return ni_run_end(run, rc, out);
}

neap_status ni_gap_train(const ni_job *job, neap_model **out, neap_error *err)
{
    return ni_gap_train_timed(job, NULL, NULL, out, err);
}
