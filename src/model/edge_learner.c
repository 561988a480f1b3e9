/* The loop around methods that learn from edges and drawn non-edges; see edge_learner.h. A step costs its
 * items and what the method's pass does with them; nothing here grows with the graph. */
#include "model/edge_learner.h"

#include <math.h>
#include <stdio.h>

#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"

/* ---- before the first step ---- */

static neap_status make_sampler(ni_edge_learner *l, neap_error *err)
{
    const ni_run *run = &l->run;
    const neap_graph *g = run->graph;
    ni_sampler_free(&l->sampler);
    l->view = (neap_graph){ .nodes = g->nodes,
                            .edges = g->edges,
                            .offset = g->offset,
                            .target = g->target,
                            .weight = g->weight,
                            .undirected = g->undirected || l->o.both_orders };
    return ni_sampler_create(l->o.sampling, l->o.negatives, run->model->settings->common.seed, &l->view,
                             run->links, &run->model->targets, run->threads, &l->sampler, err);
}

/* Training reads the neighbourhoods of the training pairs alone, unless data->around is given. */
static neap_status make_hood(ni_edge_learner *l, const ni_job *job, neap_error *err)
{
    const ni_run *run = &l->run;
    l->hood = &run->model->hood;
    if (!run->split || !job->method->hood || job->data->around) return NEAP_OK;
    ni_hood_rule rule = job->method->hood(job->settings);
    l->hood = &l->split_hood;
    return ni_hood_create(run->graph, run->links, &rule, &l->split_hood, err);
}

/* The sampler is first made on the whole graph, so that its errors refer to the graph that was given. */
static neap_status prepare(ni_edge_learner *l, const ni_edge_rules *rules, const ni_job *job,
                           neap_error *err)
{
    *l = (ni_edge_learner){ .rules = rules, .o = rules->options(job->settings) };
    neap_status rc = ni_run_prepare(&l->run, job, l->o.learning, err);
    if (rc == NEAP_OK && !(l->own = ni_zeros(1, rules->own))) rc = ni_fail_memory(err, "training");
    if (rc == NEAP_OK) rc = make_sampler(l, err);
    if (rc == NEAP_OK) rc = ni_run_hold_out(&l->run, job->data, err);
    if (rc == NEAP_OK) rc = make_hood(l, job, err);
    return rc == NEAP_OK && l->run.split ? make_sampler(l, err) : rc;
}

static void release(ni_edge_learner *l)
{
    if (l->own && l->rules->release) l->rules->release(l);
    ni_free(l->own);
    ni_sampler_free(&l->sampler);
    ni_optimizer_free(&l->optimizer);
    ni_hood_free(&l->split_hood);
}

static neap_status make_optimizer(ni_edge_learner *l, neap_error *err)
{
    ni_parameter list[NI_EDGE_PARAMETERS];
    const neap_model *m = l->run.model;
    if (ni_optimizer_create(l->o.optimizer, list, l->rules->parameters(m, list), &l->optimizer))
        return NEAP_OK;
    return ni_fail_memory(err, ni_method_has_option(m->method, "optimizer")
                                   ? "the optimiser; --optimizer adagrad needs less"
                                   : "the optimiser; a smaller --dim needs less");
}

static uint64_t steps_of_pass(const ni_edge_learner *l)
{
    return (l->sampler.positions + l->o.sampling->batch - 1) / l->o.sampling->batch;
}

static void note_left_out(const ni_edge_learner *l)
{
    char text[160];
    if (!l->sampler.left_out) return;
    snprintf(text, sizeof text,
             "%llu source%s linked with every other node and left out: there is no non-link "
             "to compare with",
             (unsigned long long)l->sampler.left_out, l->sampler.left_out == 1 ? " is" : "s are");
    ni_note(l->run.hooks, text);
}

neap_status ni_edges_begin(ni_edge_learner *l, const ni_edge_rules *rules, const ni_job *job,
                           neap_error *err)
{
    ni_run *run = &l->run;
    neap_status rc = prepare(l, rules, job, err);
    if (rc == NEAP_OK) rc = rules->tensors(run->model, err);
    if (rc == NEAP_OK) rc = make_optimizer(l, err);
    if (rc == NEAP_OK && rules->create) rc = rules->create(l, err);
    if (rc != NEAP_OK) return rc;
    run->per_step = l->o.sampling->batch;
    run->positions = l->sampler.positions;
    if (l->o.passes > 1) run->positions = l->o.passes * steps_of_pass(l) * run->per_step;
    rc = ni_run_declare(run, err);
    if (rc != NEAP_OK) return rc;
    ni_run_moments(run, &l->optimizer);
    note_left_out(l);
    return ni_run_begin(run, err);
}

/* ---- steps ---- */

static neap_status draw(ni_edge_learner *l, uint64_t epoch, uint64_t step, uint32_t *items, uint32_t *more,
                        neap_error *err)
{
    uint64_t steps = steps_of_pass(l), passes = l->o.passes ? l->o.passes : 1;
    uint32_t batch = l->o.sampling->batch;
    *more = 0;
    *items = ni_sampler_fill(&l->sampler, epoch * passes + step / steps, step % steps * batch, batch);
    return l->rules->draw ? l->rules->draw(l, *items, more, err) : NEAP_OK;
}

static void optimise(ni_edge_learner *l)
{
    l->optimizer.steps = l->run.at.updates;
    ni_optimizer_step(&l->optimizer, ni_run_rate(&l->run, 0), l->run.threads);
    l->run.at.updates = l->optimizer.steps;
}

static neap_status step(ni_edge_learner *l, neap_error *err)
{
    ni_run *run = &l->run;
    uint32_t items, more;
    double loss = 0, start = ni_seconds();
    neap_status rc = draw(l, run->at.epoch, run->at.batch, &items, &more, err);
    bool any = items || more;
    l->drawing += ni_seconds() - start;
    if (rc == NEAP_OK && any) rc = l->rules->pass(l, items, &loss, err);
    if (!ni_run_may_step(run)) return NEAP_OK; /* stopped: ni_run_next ends it */
    if (rc != NEAP_OK) return rc;
    start = ni_seconds();
    if (any && isfinite(loss)) optimise(l);
    l->optimising += ni_seconds() - start;
    ni_run_took(run, items, loss);
    return NEAP_OK;
}

static neap_status judge(ni_edge_learner *l, neap_error *err)
{
    ni_run *run = &l->run;
    const neap_split *split = run->split;
    neap_status rc = l->rules->refresh ? l->rules->refresh(l, err) : NEAP_OK;
    if (rc == NEAP_OK) rc = l->rules->score(l, split->positive, split->count, run->positive, err);
    if (rc == NEAP_OK) rc = l->rules->score(l, split->negative, split->count, run->negative, err);
    return ni_run_judge(run, rc, err);
}

neap_status ni_edges_learn(ni_edge_learner *l, neap_error *err)
{
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && ni_run_next(&l->run)) rc = l->run.judging ? judge(l, err) : step(l, err);
    return rc;
}

neap_status ni_edges_end(ni_edge_learner *l, neap_status rc, neap_model **out, neap_error *err)
{
    rc = ni_run_conclude(&l->run, rc);
    if (rc == NEAP_OK && l->rules->finish) rc = l->rules->finish(l, err);
    release(l);
    return ni_run_end(&l->run, rc, out);
}

neap_status ni_edges_train_by(const ni_edge_rules *rules, const ni_job *job, neap_model **out,
                              neap_error *err)
{
    ni_edge_learner l;
    neap_status rc = ni_edges_begin(&l, rules, job, err);
    if (rc == NEAP_OK) rc = ni_edges_learn(&l, err);
    return ni_edges_end(&l, rc, out, err);
}

neap_status ni_edges_train(const ni_job *job, neap_model **out, neap_error *err)
{
    return ni_edges_train_by(job->method->family, job, out, err);
}

/* ---- memory ---- */

/* The largest of a few batches, and a margin for the others. */
static neap_status measure(ni_edge_learner *l, uint64_t *bytes, neap_error *err)
{
    enum { LOOKS = 8 };
    uint64_t batches = steps_of_pass(l), most = 0;
    neap_status rc = l->rules->create ? l->rules->create(l, err) : NEAP_OK;
    for (uint64_t i = 0; i < LOOKS && i < batches && rc == NEAP_OK; i++) {
        uint32_t items, more;
        uint64_t here = 0;
        rc = draw(l, 0, i * (batches / LOOKS + 1) % batches, &items, &more, err);
        if (rc == NEAP_OK && (items || more)) rc = l->rules->measure(l, items, &here, err);
        if (here > most) most = here;
    }
    *bytes = most + most / 10;
    return rc == NEAP_OK ? ni_threads_check(l->run.threads, err) : rc;
}

static neap_status estimate(ni_edge_learner *l, const neap_graph *given, neap_estimate_result *r,
                            neap_error *err)
{
    ni_parameter list[NI_EDGE_PARAMETERS];
    const ni_edge_rules *rules = l->rules;
    ni_run_bytes(&l->run, given, r);
    r->bytes_graph += ni_sampler_bytes(l->o.sampling, l->run.model->graph);
    if (l->split_hood.offset) r->bytes_graph += ni_hood_bytes(&l->split_hood);
    r->bytes_optimizer = ni_optimizer_bytes(l->o.optimizer, list, rules->parameters(l->run.model, list));
    neap_status rc = rules->measure ? measure(l, &r->bytes_batch, err) : NEAP_OK;
    if (rc == NEAP_OK && rules->bytes) rc = rules->bytes(l, r, err);
    r->bytes_batch += ni_sampler_step_bytes(&l->sampler);
    return rc;
}

neap_status ni_edges_bytes_by(const ni_edge_rules *rules, const ni_job *job, neap_estimate_result *result,
                              neap_error *err)
{
    ni_edge_learner l;
    neap_status rc = prepare(&l, rules, job, err);
    if (rc == NEAP_OK) rc = estimate(&l, job->data->graph, result, err);
    release(&l);
    ni_run_free(&l.run);
    return rc;
}

neap_status ni_edges_bytes(const ni_job *job, neap_estimate_result *result, neap_error *err)
{
    return ni_edges_bytes_by(job->method->family, job, result, err);
}
