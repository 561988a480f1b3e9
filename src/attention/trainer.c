/* A step of training: the sampler draws items, their neighbourhoods become sides, the engine and the
 * provider of rows make the gradients, the optimiser moves the parameters. Tensors, rows and sides are
 * family.h, the loop around the steps is model/run.h. The trainer owns all of it but the finished model. */
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

/* ---- a trainer ---- */

typedef struct trainer {
    ni_run run;
    const ni_attention_options *o;
    ni_hood split_hood; /* of the training pairs, unless neighbourhoods are read around */
    ni_sampler sampler;
    ni_side *sides;     /* of the sampler's nodes                                   */
    uint32_t *arranged; /* their ids, where each has an order of its own            */
    size_t arranged_room;
    ni_pooling pooling; /* on the neighbourhoods of the training pairs              */
    ni_optimizer optimizer;
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
    if (rc == NEAP_OK && run->split && !job->data->around && job->method->hood) {
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
    ni_pooling_free(&t->pooling);
    ni_sampler_free(&t->sampler);
    ni_free(t->sides);
    ni_free(t->arranged);
    ni_optimizer_free(&t->optimizer);
    ni_hood_free(&t->split_hood);
}

/* Without tensors it can only measure its memory. */
static neap_status make_pooling(trainer *t, neap_error *err)
{
    const neap_model *m = t->run.model;
    bool split = t->split_hood.offset;
    return ni_pooling_create(&t->pooling, m, split ? &t->split_hood : &m->hood,
                             split ? t->run.links : &m->links, true, t->run.threads, err);
}

static neap_status make_optimizer(trainer *t, neap_error *err)
{
    ni_parameter list[NI_GAP_PARAMETERS];
    uint32_t count = ni_gap_parameters(t->run.model, list);
    if (ni_optimizer_create(t->o->optimizer, list, count, &t->optimizer)) return NEAP_OK;
    return ni_fail_memory(err, "the optimiser; --optimizer adagrad needs less");
}

/* ---- items ---- */

/* An epoch is one pass over the sampler's positions, or several. */
static uint64_t passes_of(const trainer *t)
{
    return t->o->permutations ? t->o->permutations : 1;
}

static uint64_t steps_of_pass(const trainer *t)
{
    return (t->sampler.positions + t->o->sampling.batch - 1) / t->o->sampling.batch;
}

/* Gives every side an order of its own, drawn by (pass, number of the side in it). */
static neap_status arrange(trainer *t, uint64_t pass, uint64_t first, uint64_t count, neap_error *err)
{
    size_t room = 0, at = 0;
    for (uint64_t i = 0; i < count; i++) room += t->sides[i].count;
    if (!ni_grow(&t->arranged, &t->arranged_room, room, sizeof *t->arranged))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t *ids = t->arranged + at, n = t->sides[i].count;
        ni_rng rng = ni_rng_at(t->run.model->settings->common.seed, NI_STREAM_ARRANGE, pass, first + i);
        for (uint32_t k = 0; k < n; k++) { /* Fisher and Yates, inside out */
            uint32_t other = (uint32_t)ni_below(&rng, k + 1);
            ids[k] = ids[other];
            ids[other] = t->sides[i].ids[k];
        }
        t->sides[i] = (ni_side){ ids, n, NI_OWN_KEY };
        at += n;
    }
    return NEAP_OK;
}

/* Those of a step of an epoch, as sides. Where rows are by id, their order does not matter. */
static neap_status draw(trainer *t, uint64_t epoch, uint64_t step, ni_items *items, neap_error *err)
{
    uint32_t negatives = t->o->learning.negatives, batch = t->o->sampling.batch;
    uint64_t pass = epoch * passes_of(t) + step / steps_of_pass(t), width = 2 + (uint64_t)negatives;
    uint64_t first = step % steps_of_pass(t) * batch;
    bool shuffled =
        ni_recipe_of(t->run.model)->sides == NI_SIDES_SHUFFLED && t->pooling.rows.identity != NI_ROW_BY_ID;
    uint32_t count = ni_sampler_fill(&t->sampler, pass, first, batch);
    for (uint64_t i = 0; i < count * width; i++)
        t->sides[i] = ni_hood_side(t->pooling.attention.hood, t->sampler.nodes[i]);
    *items = (ni_items){ .sides = t->sides, .count = count, .negatives = negatives };
    return shuffled ? arrange(t, pass, first * width, count * width, err) : NEAP_OK;
}

/* ---- memory ---- */

/* The largest of a few batches, and a margin for the others. */
static neap_status measure_batches(trainer *t, uint64_t *bytes, neap_error *err)
{
    enum { LOOKS = 8 };
    uint64_t batches = steps_of_pass(t), most = 0;
    neap_status rc = make_pooling(t, err);
    for (uint64_t i = 0; i < LOOKS && i < batches && rc == NEAP_OK; i++) {
        ni_items items;
        uint64_t here = 0;
        rc = draw(t, 0, i * (batches / LOOKS + 1) % batches, &items, err);
        if (rc == NEAP_OK && items.count)
            rc = ni_engine_measure(t->pooling.attention.engine, &items, &here, err);
        if (here > most) most = here;
    }
    *bytes = most + most / 10 + ni_sampler_step_bytes(&t->sampler) + sides_of_step(t) * sizeof *t->sides +
             t->arranged_room * sizeof *t->arranged;
    return rc == NEAP_OK ? ni_threads_check(t->run.threads, err) : rc;
}

neap_status ni_gap_bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    trainer t;
    ni_parameter list[NI_GAP_PARAMETERS];
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) {
        const neap_model *m = t.run.model;
        ni_run_bytes(&t.run, job->data->graph, r);
        r->bytes_graph += ni_sampler_bytes(&t.o->sampling, m->graph);
        if (t.split_hood.offset) r->bytes_graph += ni_hood_bytes(&t.split_hood);
        r->bytes_optimizer = ni_optimizer_bytes(t.o->optimizer, list, ni_gap_parameters(m, list));
        rc = measure_batches(&t, &r->bytes_batch, err);
        r->bytes_graph += ni_pooling_bytes(&t.pooling);
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
    run->per_step = t->o->sampling.batch;
    run->positions = t->sampler.positions;
    if (passes_of(t) > 1) run->positions = passes_of(t) * steps_of_pass(t) * run->per_step;
    neap_status rc = ni_gap_make_tensors(run->model, err);
    if (rc == NEAP_OK) rc = make_optimizer(t, err);
    if (rc == NEAP_OK) rc = make_pooling(t, err);
    if (rc == NEAP_OK) rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_moments(run, &t->optimizer);
    note_left_out(t);
    return ni_run_begin(run, err);
}

static void optimise(trainer *t, const ni_engine_gradients *gradients)
{
    ni_pooling_gradients(&t->pooling, gradients, &t->optimizer);
    t->optimizer.steps = t->run.at.updates;
    ni_optimizer_step(&t->optimizer, ni_run_rate(&t->run, 0), t->run.threads);
    t->run.at.updates = t->optimizer.steps;
}

static neap_status validate(trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    size_t n = run->split->count;
    neap_status rc = ni_attention_score(&t->pooling.attention, run->split->positive, n, run->positive, err);
    if (rc == NEAP_OK)
        rc = ni_attention_score(&t->pooling.attention, run->split->negative, n, run->negative, err);
    return ni_run_judge(run, rc, err);
}

neap_status ni_gap_train_timed(const ni_job *job, ni_stages *stages, ni_work *work, neap_model **out,
                               neap_error *err)
{
    trainer t;
    ni_run *run = &t.run;
    neap_status rc = prepare(&t, job, err);
    if (rc == NEAP_OK) rc = begin(&t, err);
    ni_engine *engine = t.pooling.attention.engine;
    while (rc == NEAP_OK && ni_run_next(run)) {
        ni_engine_gradients gradients;
        double loss = 0;
        if (run->judging) {
            rc = validate(&t, err);
            continue;
        }
        ni_stage_begin(ni_engine_stages(engine));
        ni_items items;
        rc = draw(&t, run->at.epoch, run->at.batch, &items, err);
        ni_stage_end(ni_engine_stages(engine), NI_STAGE_DRAW);
        if (rc == NEAP_OK && items.count)
            rc = ni_engine_step(engine, &items, run->at.updates, &gradients, &loss, err);
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
