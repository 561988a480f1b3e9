#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "model/score.h"

/* ---- making a trainer ---- */

/* The pairs of the caller, or drawn ones. */
static neap_status choose_validation(ni_trainer *t, const neap_validation *valid, neap_error *err)
{
    const neap_model *m = t->model;
    if (valid) return ni_split_take(m->graph, valid, &t->split, err);
    return ni_split_create(m->graph, &m->links, t->options->valid, t->options->seed, NI_STREAM_VALID,
                           &t->split, err);
}

/* own_hood: training reads the neighbourhoods of the training pairs alone, as it should. */
static neap_status hold_out_validation(ni_trainer *t, const neap_validation *valid, bool own_hood,
                                       neap_error *err)
{
    neap_status rc = choose_validation(t, valid, err);
    if (rc == NEAP_OK) rc = ni_links_create(t->split->train, &t->split_links, err);
    if (rc == NEAP_OK && own_hood)
        rc = ni_hood_create(t->split->train, &t->split_links, t->options, &t->split_hood, err);
    if (rc == NEAP_OK && !(t->scores = ni_array(2 * t->split->count, sizeof *t->scores)))
        rc = ni_fail_memory(err, "the validation scores");
    return rc;
}

neap_status ni_trainer_prepare(const neap_graph *graph, const neap_options *options,
                               const neap_hooks *hooks, ni_trainer *t, neap_error *err)
{
    const neap_graph *around = hooks ? hooks->around : NULL;
    *t = (ni_trainer){ .run = { .last_loss = NAN, .last_auc = NAN, .best_auc = NAN, .best_loss = NAN } };
    neap_status rc = ni_model_create(graph, options, &t->model, err);
    if (rc != NEAP_OK) return rc;
    neap_model *m = t->model;
    t->options = &m->options;
    if (around) rc = ni_model_read_around(m, around, err);
    if (rc != NEAP_OK) return rc;
    /* What is wrong with the whole graph should be said of it, not of the part that is trained on. */
    rc = ni_sampler_create(t->options, m->graph, &m->links, &t->sampler, err);
    if (rc == NEAP_OK && options->valid > 0 && options->epochs > 0) {
        ni_sampler_free(&t->sampler);
        rc = hold_out_validation(t, hooks ? hooks->valid : NULL, !around, err);
        if (rc == NEAP_OK)
            rc = ni_sampler_create(t->options, t->split->train, &t->split_links, &t->sampler, err);
    }
    return rc == NEAP_OK ? ni_feed_create(&t->sampler, m->pool, &t->feed, err) : rc;
}

static neap_status make_engine(ni_trainer *t, neap_error *err)
{
    const neap_model *m = t->model;
    ni_engine_inputs in = { t->options, t->split_hood.offset ? &t->split_hood : &m->hood,
                            m->E,       m->P,
                            m->pad,     t->options->dim,
                            m->pool };
    return ni_engine_create(&in, &t->engine, err);
}

static neap_status make_tables(ni_trainer *t, neap_error *err)
{
    neap_model *m = t->model;
    neap_status rc = ni_model_init_tables(m, err);
    if (rc == NEAP_OK) rc = ni_optimizer_create(t->options, m->rows, m->dim, &t->optimizer, err);
    if (rc != NEAP_OK || !t->split) return rc;
    t->run.best_E = ni_array((uint64_t)m->rows * m->dim, sizeof(float));
    t->run.best_P = ni_array((uint64_t)m->dim * m->dim, sizeof(float));
    if (!t->run.best_E || !t->run.best_P)
        return ni_fail_memory(err, "the best epoch; --valid 0 needs less");
    memcpy(t->run.best_E, m->E, (uint64_t)m->rows * m->dim * sizeof(float));
    memcpy(t->run.best_P, m->P, (uint64_t)m->dim * m->dim * sizeof(float));
    return NEAP_OK;
}

void ni_trainer_free(ni_trainer *t)
{
    ni_engine_free(t->engine);
    ni_sampler_free(&t->sampler);
    ni_optimizer_free(&t->optimizer);
    ni_hood_free(&t->split_hood);
    ni_links_free(&t->split_links);
    neap_split_free(t->split);
    ni_free(t->run.best_E);
    ni_free(t->run.best_P);
    ni_feed_free(&t->feed);
    ni_free(t->scores);
    neap_model_free(t->model);
    *t = (ni_trainer){ 0 };
}

/* ---- memory ---- */

static uint64_t graph_bytes(const neap_graph *g)
{
    return 8 * ((uint64_t)g->nodes + 1) * 2 + g->edges * (g->weight ? 8 : 4) + g->names.offset[g->nodes];
}

static uint64_t links_bytes(const ni_links *l)
{
    return 8 * ((uint64_t)l->nodes + 1) + l->offset[l->nodes] * (l->weight ? 8 : 4);
}

static uint64_t hood_bytes(const ni_hood *h)
{
    return 8 * ((uint64_t)h->nodes + 1) + 4 * h->offset[h->nodes];
}

/* The largest of a few batches, and a little more for those not looked at. */
static neap_status measure_batches(ni_trainer *t, uint64_t *bytes, neap_error *err)
{
    enum { LOOKS = 8 };
    uint32_t size = t->options->batch;
    uint64_t batches = (t->sampler.places + size - 1) / size, most = 0;
    neap_status rc = make_engine(t, err);
    for (uint64_t i = 0; i < LOOKS && i < batches && rc == NEAP_OK; i++) {
        uint32_t items = ni_feed_fill(&t->feed, 0, i * (batches / LOOKS + 1) % batches * size, size);
        uint64_t here = 0;
        if (items)
            rc = ni_engine_measure(t->engine, t->feed.nodes, items, t->options->negatives, &here, err);
        if (here > most) most = here;
    }
    ni_engine_free(t->engine);
    t->engine = NULL;
    *bytes = most + most / 10 + t->feed.bytes;
    return rc;
}

neap_status ni_trainer_bytes(ni_trainer *t, const neap_graph *graph, neap_estimate_result *r,
                             neap_error *err)
{
    const neap_model *m = t->model;
    uint64_t program = 24u << 20; /* code, libraries and the buffers of the matrix library */
    uint64_t table =
        4 * ((uint64_t)m->rows * t->options->dim + (uint64_t)t->options->dim * t->options->dim);
    r->bytes_graph = graph_bytes(graph) + (m->graph == graph ? 0 : graph_bytes(m->graph)) +
                     links_bytes(&m->links) + hood_bytes(&m->hood) + ni_sampler_bytes(t->options, m->graph);
    if (t->split)
        r->bytes_graph += graph_bytes(t->split->train) + links_bytes(&t->split_links) +
                          (t->split_hood.offset ? hood_bytes(&t->split_hood) : 0) +
                          t->split->count * (2 * sizeof(neap_pair) + 2 * sizeof(float));
    r->bytes_tables = table * (t->split ? 2 : 1);
    r->bytes_optimizer = ni_optimizer_bytes(t->options, m->rows, t->options->dim);
    neap_status rc = measure_batches(t, &r->bytes_batch, err);
    r->bytes = program + r->bytes_graph + r->bytes_tables + r->bytes_optimizer + r->bytes_batch;
    return rc;
}

/* In MiB, or in the largest unit of which there is at least one. */
static const char *bytes_in_words(uint64_t bytes, char text[32])
{
    static const char *const units[] = { "bytes", "KiB", "MiB" };
    unsigned unit = 0;
    while (unit < 2 && bytes >> 10 * (unit + 1)) unit++;
    snprintf(text, 32, "%llu %s", (unsigned long long)(bytes >> 10 * unit), units[unit]);
    return text;
}

static neap_status check_memory(ni_trainer *t, const neap_graph *graph, neap_error *err)
{
    neap_estimate_result r = { 0 };
    char needs[32], limit[32];
    if (t->options->memory == 0) return NEAP_OK;
    neap_status rc = ni_trainer_bytes(t, graph, &r, err);
    if (rc != NEAP_OK || r.bytes <= t->options->memory) return rc;
    return ni_fail(err, NEAP_E_LIMIT,
                   "this run needs about %s, the limit is %s; a smaller --dim or --batch, "
                   "--optimizer adagrad or --valid 0 needs less",
                   bytes_in_words(r.bytes, needs), bytes_in_words(t->options->memory, limit));
}

/* ---- one run ---- */

typedef struct clock_state {
    double start, last_checkpoint;
    uint64_t items; /* trained on since the start */
} clock_state;

static void note(const neap_hooks *hooks, const char *text)
{
    if (hooks && hooks->note) hooks->note(text, hooks->user);
}

static double rate_now(const ni_trainer *t)
{
    double done =
        (double)t->run.epoch * (double)t->sampler.places + (double)t->run.batch * (double)t->options->batch;
    double all = (double)t->options->epochs * (double)t->sampler.places;
    double left = done < all ? 1 - done / all : 0;
    return t->options->decay == NI_DECAY_LINEAR ? t->options->lr * left : t->options->lr;
}

static neap_status train_batch(ni_trainer *t, clock_state *clock, neap_error *err)
{
    ni_run *run = &t->run;
    ni_gradient gradient;
    double loss = 0;
    uint32_t size = t->options->batch;
    ni_stages *stages = ni_engine_stages(t->engine);
    ni_stage_begin(stages);
    uint32_t items = ni_feed_fill(&t->feed, run->epoch, run->batch * size, size);
    ni_stage_end(stages, NI_STAGE_DRAW);
    if (items) {
        neap_status rc = ni_engine_step(t->engine, t->feed.nodes, items, t->options->negatives,
                                        t->optimizer.steps, &gradient, &loss, err);
        if (rc != NEAP_OK) return rc;
        if (!isfinite(loss))
            return ni_fail(err, NEAP_E_NUMERIC,
                           "the loss is not finite any more in epoch %llu; the last good "
                           "checkpoint is kept. A smaller --lr usually helps",
                           (unsigned long long)run->epoch + 1);
        ni_optimizer_step(&t->optimizer, &gradient, rate_now(t), t->model->E, t->model->P, t->model->pool);
        ni_stage_end(stages, NI_STAGE_OPTIMIZE);
    }
    run->batch++;
    run->items += items;
    run->loss_sum += loss * items;
    clock->items += items;
    return NEAP_OK;
}

static neap_status validate(ni_trainer *t, neap_error *err)
{
    const neap_split *s = t->split;
    bool both = t->model->graph->undirected;
    float *positive = t->scores, *negative = t->scores + s->count;
    neap_status rc = ni_score_pairs(t->engine, s->positive, s->count, both, positive, err);
    if (rc == NEAP_OK) rc = ni_score_pairs(t->engine, s->negative, s->count, both, negative, err);
    if (rc == NEAP_OK) rc = neap_auc(positive, s->count, negative, s->count, &t->run.last_auc, err);
    return rc;
}

/* Of equals the later one is kept: it has seen more. */
static void keep_best(ni_trainer *t)
{
    ni_run *run = &t->run;
    const neap_model *m = t->model;
    if (run->best_epoch && run->last_auc < run->best_auc) return;
    run->best_epoch = run->epoch;
    run->best_auc = run->last_auc;
    run->best_loss = run->last_loss;
    memcpy(run->best_E, m->E, (uint64_t)m->rows * m->dim * sizeof(float));
    memcpy(run->best_P, m->P, (uint64_t)m->dim * m->dim * sizeof(float));
}

static neap_status end_epoch(ni_trainer *t, neap_error *err)
{
    ni_run *run = &t->run;
    run->last_loss = run->items ? run->loss_sum / (double)run->items : 0;
    run->epoch++;
    run->batch = run->items = 0;
    run->loss_sum = 0;
    if (!t->split) return NEAP_OK;
    neap_status rc = validate(t, err);
    if (rc == NEAP_OK) keep_best(t);
    return rc;
}

static bool finished(const ni_trainer *t)
{
    const ni_run *run = &t->run;
    if (run->epoch >= t->options->epochs) return true;
    return t->split && run->best_epoch && run->batch == 0 &&
           run->epoch >= run->best_epoch + t->options->patience;
}

static bool asks_to_stop(const ni_trainer *t, const neap_hooks *hooks, const clock_state *clock,
                         bool epoch_end)
{
    const ni_run *run = &t->run;
    if (!hooks || !hooks->progress) return false;
    double seconds = ni_seconds() - clock->start, places = (double)t->sampler.places;
    uint64_t epoch = epoch_end ? run->epoch - 1 : run->epoch;
    uint64_t done = epoch_end ? t->sampler.places : run->batch * t->options->batch;
    neap_progress now = { .stage = "train",
                          .epoch = (uint32_t)epoch + 1,
                          .epochs = t->options->epochs,
                          .total = t->sampler.places,
                          .epoch_end = epoch_end,
                          .seconds = seconds };
    now.done = done < now.total ? done : now.total;
    now.loss = epoch_end ? run->last_loss : run->items ? run->loss_sum / (double)run->items : NAN;
    now.valid_auc = run->last_auc;
    now.rate = seconds > 0 ? (double)clock->items / seconds : 0;
    double left = ((double)t->options->epochs - (double)epoch) * places - (double)now.done;
    now.left = now.rate > 0 ? left / now.rate : NAN;
    return hooks->progress(&now, hooks->user) != 0;
}

static neap_status save_checkpoint(ni_trainer *t, const neap_hooks *hooks, clock_state *clock,
                                   neap_error *err)
{
    clock->last_checkpoint = ni_seconds();
    if (!hooks || !hooks->checkpoint) return NEAP_OK;
    return ni_checkpoint_write(t->model, &t->optimizer, &t->run, hooks->checkpoint, err);
}

static neap_status run_epochs(ni_trainer *t, const neap_hooks *hooks, neap_error *err)
{
    clock_state clock = { .start = ni_seconds() };
    double every = hooks && hooks->checkpoint_seconds > 0 ? hooks->checkpoint_seconds : 60;
    uint64_t batches = (t->sampler.places + t->options->batch - 1) / t->options->batch;
    clock.last_checkpoint = clock.start;
    while (!finished(t)) {
        neap_status rc = train_batch(t, &clock, err);
        bool epoch_end = rc == NEAP_OK && t->run.batch >= batches;
        if (epoch_end) rc = end_epoch(t, err);
        if (rc != NEAP_OK) return rc;
        bool stop = asks_to_stop(t, hooks, &clock, epoch_end);
        if (epoch_end || stop || ni_seconds() - clock.last_checkpoint >= every)
            rc = save_checkpoint(t, hooks, &clock, err);
        if (rc != NEAP_OK) return rc;
        if (stop)
            return ni_fail(err, NEAP_E_STOPPED, "stopped in epoch %llu",
                           (unsigned long long)t->run.epoch + 1);
    }
    return NEAP_OK;
}

/* ---- from start to end ---- */

static neap_status resume(ni_trainer *t, const neap_hooks *hooks, neap_error *err)
{
    char text[256];
    bool found = false;
    if (!hooks || !hooks->resume || !hooks->checkpoint) return NEAP_OK;
    neap_status rc = ni_checkpoint_read(t->model, &t->optimizer, &t->run, hooks->checkpoint, &found, err);
    if (rc != NEAP_OK) return rc;
    if (found)
        snprintf(text, sizeof text, "going on from %s: %llu of %u epochs are done", hooks->checkpoint,
                 (unsigned long long)t->run.epoch, t->options->epochs);
    else snprintf(text, sizeof text, "there is no checkpoint %s: starting afresh", hooks->checkpoint);
    note(hooks, text);
    return NEAP_OK;
}

static void say_left_out(const ni_trainer *t, const neap_hooks *hooks)
{
    char text[160];
    if (!t->sampler.left_out) return;
    snprintf(text, sizeof text,
             "%llu source%s linked with every other node and left out: there is no non-link "
             "to compare with",
             (unsigned long long)t->sampler.left_out, t->sampler.left_out == 1 ? " is" : "s are");
    note(hooks, text);
}

/* The model is the best epoch's where there was validation, else the last one's. */
static void conclude(ni_trainer *t)
{
    neap_model *m = t->model;
    ni_run *run = &t->run;
    m->epochs = (uint32_t)(t->split ? run->best_epoch : run->epoch);
    m->loss = t->split ? run->best_loss : run->last_loss;
    m->valid_auc = t->split ? run->best_auc : NAN;
    if (!t->split) return;
    memcpy(m->E, run->best_E, (uint64_t)m->rows * m->dim * sizeof(float));
    memcpy(m->P, run->best_P, (uint64_t)m->dim * m->dim * sizeof(float));
}

neap_status ni_train_timed(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                           ni_stages *stages, neap_model **out, neap_error *err)
{
    ni_trainer t;
    *out = NULL;
    *stages = (ni_stages){ 0 };
    neap_status rc = ni_trainer_prepare(graph, options, hooks, &t, err);
    if (rc == NEAP_OK) rc = check_memory(&t, graph, err);
    if (rc == NEAP_OK) rc = make_tables(&t, err);
    if (rc == NEAP_OK) rc = make_engine(&t, err);
    if (rc == NEAP_OK) rc = resume(&t, hooks, err);
    if (rc == NEAP_OK) {
        say_left_out(&t, hooks);
        rc = run_epochs(&t, hooks, err);
        *stages = *ni_engine_stages(t.engine);
    }
    if (rc == NEAP_OK) {
        conclude(&t);
        *out = t.model;
        t.model = NULL;
    }
    ni_trainer_free(&t);
    return rc;
}

neap_status ni_train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                     neap_model **out, neap_error *err)
{
    ni_stages stages;
    return ni_train_timed(graph, options, hooks, &stages, out, err);
}
