#include "attention/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attention/score.h"
#include "base/status.h"
#include "base/sys.h"

/* ---- making a trainer ---- */

/* own_hood: training reads the neighbourhoods of the training pairs alone, as it should. */
static neap_status hold_out_validation(ni_trainer *t, const neap_validation *valid, bool own_hood,
                                       neap_error *err)
{
    const neap_model *m = t->model;
    neap_status rc =
        ni_split_hold_out(m->graph, &m->links, t->options, valid, &t->split, &t->split_links, err);
    if (rc == NEAP_OK && own_hood)
        rc = ni_hood_create(t->split->train, &t->split_links, t->options, &t->split_hood, err);
    return rc;
}

neap_status ni_trainer_prepare(const neap_graph *graph, const neap_options *options,
                               const neap_hooks *hooks, ni_trainer *t, neap_error *err)
{
    const neap_graph *around = hooks ? hooks->around : NULL;
    *t = (ni_trainer){ 0 };
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
    return rc == NEAP_OK ? ni_feed_create(&t->sampler, m->threads, &t->feed, err) : rc;
}

static neap_status make_engine(ni_trainer *t, neap_error *err)
{
    const neap_model *m = t->model;
    ni_engine_inputs in = { t->options, t->split_hood.offset ? &t->split_hood : &m->hood,
                            m->E,       m->P,
                            m->pad,     t->options->dim,
                            m->threads };
    return ni_engine_create(&in, &t->engine, err);
}

static neap_status make_tables(ni_trainer *t, neap_error *err)
{
    neap_model *m = t->model;
    neap_status rc = ni_model_init_tables(m, err);
    return rc == NEAP_OK ? ni_optimizer_create(t->options, m->rows, m->dim, &t->optimizer, err) : rc;
}

void ni_trainer_free(ni_trainer *t)
{
    ni_engine_free(t->engine);
    ni_sampler_free(&t->sampler);
    ni_optimizer_free(&t->optimizer);
    ni_hood_free(&t->split_hood);
    ni_links_free(&t->split_links);
    neap_split_free(t->split);
    ni_feed_free(&t->feed);
    neap_model_free(t->model);
    *t = (ni_trainer){ 0 };
}

/* ---- memory ---- */

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

static neap_status trainer_bytes(ni_trainer *t, const neap_graph *graph, neap_estimate_result *r,
                                 neap_error *err)
{
    const neap_model *m = t->model;
    uint64_t table =
        4 * ((uint64_t)m->rows * t->options->dim + (uint64_t)t->options->dim * t->options->dim);
    r->bytes_graph = ni_model_graph_bytes(m, graph) + ni_sampler_bytes(t->options, m->graph);
    if (t->split)
        r->bytes_graph += ni_split_bytes(t->split, &t->split_links) +
                          (t->split_hood.offset ? ni_hood_bytes(&t->split_hood) : 0);
    r->bytes_tables = table * (t->split ? 2 : 1);
    r->bytes_optimizer = ni_optimizer_bytes(t->options, m->rows, t->options->dim);
    return measure_batches(t, &r->bytes_batch, err);
}

neap_status ni_train_bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                           neap_error *err)
{
    ni_trainer t;
    neap_status rc = ni_trainer_prepare(graph, options, NULL, &t, err);
    if (rc == NEAP_OK) rc = trainer_bytes(&t, graph, r, err);
    ni_trainer_free(&t);
    return rc;
}

/* ---- a step ---- */

static neap_status step(void *self, ni_run *run, uint64_t *items, double *loss, neap_error *err)
{
    ni_trainer *t = self;
    ni_gradient gradient;
    uint32_t size = t->options->batch;
    ni_stages *stages = ni_engine_stages(t->engine);
    ni_stage_begin(stages);
    uint32_t count = ni_feed_fill(&t->feed, run->epoch, run->batch * size, size);
    ni_stage_end(stages, NI_STAGE_DRAW);
    if (count == 0) return NEAP_OK;
    t->optimizer.steps = run->updates;
    neap_status rc = ni_engine_step(t->engine, t->feed.nodes, count, t->options->negatives, run->updates,
                                    &gradient, loss, err);
    if (rc != NEAP_OK) return rc;
    if (isfinite(*loss))
        ni_optimizer_step(&t->optimizer, &gradient, ni_course_rate(&t->course, 0), t->model->E, t->model->P,
                          t->model->threads);
    ni_stage_end(stages, NI_STAGE_OPTIMIZE);
    run->updates = t->optimizer.steps;
    *items = count;
    *loss *= count;
    return NEAP_OK;
}

static neap_status score(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err)
{
    ni_trainer *t = self;
    return ni_score_pairs(t->engine, pairs, count, t->model->graph->undirected, scores, err);
}

/* ---- from start to end ---- */

static void say_left_out(const ni_trainer *t, const neap_hooks *hooks)
{
    char text[160];
    if (!t->sampler.left_out) return;
    snprintf(text, sizeof text,
             "%llu source%s linked with every other node and left out: there is no non-link "
             "to compare with",
             (unsigned long long)t->sampler.left_out, t->sampler.left_out == 1 ? " is" : "s are");
    ni_note(hooks, text);
}

static void list_tables(const neap_model *m, const ni_optimizer *o, ni_tables *tables)
{
    uint64_t n = m->rows, d = m->options.dim;
    *tables = (ni_tables){ .places = 2 * m->graph->edges }; /* both orders */
    ni_tables_add(tables, "E", m->E, n, d, true);
    if (m->options.matrix) ni_tables_add(tables, "P", m->P, d, d, true);
    if (m->options.optimizer == NI_ADAGRAD) {
        ni_tables_add(tables, "adagrad.E", o->E_sum, n, 0, false);
        if (m->options.matrix) ni_tables_add(tables, "adagrad.P", o->P_sum, d, 0, false);
        return;
    }
    ni_tables_add(tables, "adam.E.m", o->E_m, n, d, false);
    ni_tables_add(tables, "adam.E.v", o->E_v, n, d, false);
    if (!m->options.matrix) return;
    ni_tables_add(tables, "adam.P.m", o->P_m, d, d, false);
    ni_tables_add(tables, "adam.P.v", o->P_v, d, d, false);
}

void ni_train_state(const neap_model *m, ni_tables *tables)
{
    list_tables(m, &(ni_optimizer){ 0 }, tables);
}

static neap_status run_course(ni_trainer *t, const neap_hooks *hooks, neap_error *err)
{
    t->course = (ni_course){ .model = t->model,
                             .split = t->split,
                             .places = t->sampler.places,
                             .per_step = t->options->batch,
                             .step = step,
                             .score = score,
                             .self = t };
    list_tables(t->model, &t->optimizer, &t->course.tables);
    say_left_out(t, hooks);
    return ni_course_run(&t->course, hooks, err);
}

neap_status ni_train_timed(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                           ni_stages *stages, neap_model **out, neap_error *err)
{
    ni_trainer t;
    *out = NULL;
    *stages = (ni_stages){ 0 };
    neap_status rc = ni_trainer_prepare(graph, options, hooks, &t, err);
    if (rc == NEAP_OK) rc = make_tables(&t, err);
    if (rc == NEAP_OK) rc = make_engine(&t, err);
    if (rc == NEAP_OK) {
        rc = run_course(&t, hooks, err);
        *stages = *ni_engine_stages(t.engine);
    }
    if (rc == NEAP_OK) {
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
