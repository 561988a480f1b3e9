/* The state of a training between steps. A checkpoint holds position, learned tensors, moments, state and
 * the best epoch, and draws are functions of coordinates: so a resumed run continues with the same bytes.
 */
#include "model/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "data/features.h"
#include "model/method.h"
#include "support/status.h"

/* After a stop a change of the tensors has so many seconds to be finished: more than any step takes that
 * has usual options. */
static const double grace = 5;

/* ---- before the first step ---- */

void ni_run_prepares(ni_run *run)
{
    ni_threads_watch(run->threads, run->hooks, "prepare");
}

neap_status ni_run_prepare(ni_run *run, const ni_job *job, const ni_learning *o, neap_error *err)
{
    const neap_features *features = job->method->info.features ? job->data->features : NULL;
    *run = (ni_run){ .o = o, .hooks = job->hooks, .err = err };
    neap_status rc = ni_threads_create(job->settings->common.threads, &run->threads, err);
    if (rc != NEAP_OK) return rc;
    ni_run_prepares(run);
    rc = ni_model_create(job, &run->model, err);
    if (rc != NEAP_OK) return rc;
    run->graph = run->model->graph;
    run->links = &run->model->links;
    run->state.features = features ? ni_features_hash(features) : 0;
    return ni_threads_check(run->threads, err);
}

neap_status ni_run_hold_out(ni_run *run, const neap_data *data, neap_error *err)
{
    const neap_model *m = run->model;
    ni_validation given = { data->valid_positives, data->valid_negatives, data->valid_count };
    if (!ni_learning_validates(run->o)) return NEAP_OK;
    neap_status rc =
        ni_split_hold_out(m->graph, &m->links, &m->targets, run->o->valid, m->settings->common.seed,
                          given.positives ? &given : NULL, &run->split, &run->split_links, err);
    if (rc != NEAP_OK) return rc;
    run->graph = run->split->train;
    run->links = &run->split_links;
    return ni_threads_check(run->threads, err);
}

/* The list owns no array. */
static void forget_state(ni_run *run)
{
    ni_state *s = &run->state;
    for (size_t i = 0; i < s->list.count; i++) {
        s->list.item[i].data = NULL;
        if (s->best) ni_free(s->best[i]);
    }
    ni_free(s->best);
    ni_declaration_free(&s->list);
    *s = (ni_state){ .features = s->features };
    ni_free(run->positive);
    run->positive = run->negative = NULL;
}

neap_status ni_run_declare(ni_run *run, neap_error *err)
{
    neap_model *m = run->model;
    ni_declaration *d = &run->state.list;
    forget_state(run);
    m->method->declare(m, d);
    ni_declare_moments(d);
    d->positions = run->positions > d->positions ? run->positions : d->positions;
    if (d->failed) return ni_fail_memory(err, "training");
    for (size_t i = 0; i < d->count; i++) {
        const ni_declared *own = ni_declared_find(&m->tensors->list, d->item[i].name);
        d->item[i].data = own ? own->data : NULL;
    }
    return NEAP_OK;
}

void ni_run_state(ni_run *run, const char *name, void *data)
{
    ni_declared *t = ni_declared_find(&run->state.list, name);
    if (t) t->data = data;
}

void ni_run_moments(ni_run *run, const ni_optimizer *optimizer)
{
    char name[128];
    for (uint32_t i = 0; i < optimizer->count; i++) {
        const ni_parameter *p = &optimizer->parameter[i];
        snprintf(name, sizeof name, "adam.%s.m", p->name);
        ni_run_state(run, name, p->m);
        snprintf(name, sizeof name, "adam.%s.v", p->name);
        ni_run_state(run, name, p->v);
        snprintf(name, sizeof name, "adagrad.%s", p->name);
        ni_run_state(run, name, p->sum);
    }
}

static uint64_t steps_of(const ni_run *run)
{
    return (run->positions + run->per_step - 1) / run->per_step;
}

static neap_status make_room(ni_run *run, neap_error *err)
{
    ni_state *s = &run->state;
    if (!run->split) return NEAP_OK;
    run->positive = ni_array(2 * run->split->count, sizeof *run->positive);
    s->best = ni_zeros(s->list.count, sizeof *s->best);
    if (!run->positive || !s->best) return ni_fail_memory(err, "the validation scores");
    run->negative = run->positive + run->split->count;
    for (size_t i = 0; i < s->list.count; i++) {
        const ni_declared *t = &s->list.item[i];
        if (t->role == NI_LEARNED && !(s->best[i] = ni_copy(t->data, (size_t)ni_declared_bytes(t), 1)))
            return ni_fail_memory(err, "the best epoch; --valid 0 needs less");
    }
    return NEAP_OK;
}

static neap_status resume(ni_run *run, neap_error *err)
{
    const neap_hooks *hooks = run->hooks;
    char text[256];
    bool found = false;
    if (!hooks || !hooks->resume || !hooks->checkpoint) return NEAP_OK;
    neap_status rc = ni_checkpoint_read(run->model, &run->state, &run->at, hooks->checkpoint, &found, err);
    run->kept = found;
    if (rc != NEAP_OK) return rc;
    if (run->at.batch >=
        steps_of(run) + (run->split != NULL)) /* the last of an epoch may not be judged yet */
        return ni_fail(err, NEAP_E_FORMAT, "%s stands at an impossible position: the epoch has fewer steps",
                       hooks->checkpoint);
    if (found)
        snprintf(text, sizeof text, "going on from %s: %llu of %u epochs are done", hooks->checkpoint,
                 (unsigned long long)run->at.epoch, run->o->epochs);
    else snprintf(text, sizeof text, "there is no checkpoint %s: starting afresh", hooks->checkpoint);
    ni_note(hooks, text);
    return NEAP_OK;
}

neap_status ni_run_begin(ni_run *run, neap_error *err)
{
    run->at = (ni_position){ .last_loss = NAN, .last_auc = NAN, .best_auc = NAN, .best_loss = NAN };
    run->took = run->epoch_end = run->asked = run->kept = run->enough = run->ended = false;
    run->items = 0;
    neap_status rc = ni_threads_check(run->threads, err);
    if (rc == NEAP_OK) rc = make_room(run, err);
    if (rc == NEAP_OK) rc = resume(run, err);
    run->start = run->last_checkpoint = ni_seconds();
    return rc;
}

/* ---- between steps ---- */

double ni_run_done(const ni_run *run)
{
    double positions = (double)run->positions, all = (double)run->o->epochs * positions;
    double done = (double)run->at.epoch * positions + (double)run->at.batch * (double)run->per_step;
    return done < all ? done / all : 1;
}

double ni_run_rate(const ni_run *run, double least)
{
    double left = 1 - ni_run_done(run);
    return run->o->decay == NI_DECAY_LINEAR ? run->o->lr * (left > least ? left : least) : run->o->lr;
}

static bool finished(const ni_run *run)
{
    const ni_position *at = &run->at;
    if (at->epoch >= run->o->epochs) return true;
    return run->split && at->best_epoch && at->batch == 0 && at->epoch >= at->best_epoch + run->o->patience;
}

/* Tells the caller where the run stands, `share` of the step under way included. */
static bool asks_to_stop(ni_run *run, double share)
{
    const ni_position *at = &run->at;
    if (!run->hooks || !run->hooks->progress) return false;
    double seconds = ni_seconds() - run->start;
    uint64_t epoch = run->epoch_end ? at->epoch - 1 : at->epoch, first = at->batch * run->per_step;
    uint64_t here = first < run->positions ? run->positions - first : 0;
    uint64_t part = (uint64_t)(share * (double)(here < run->per_step ? here : run->per_step));
    uint64_t done = run->epoch_end ? run->positions : first + part;
    neap_progress now = { .size = sizeof now,
                          .stage = "train",
                          .epoch = (uint32_t)epoch + 1,
                          .epochs = run->o->epochs,
                          .total = run->positions,
                          .epoch_end = run->epoch_end,
                          .seconds = seconds };
    now.done = done < now.total ? done : now.total;
    now.loss = run->epoch_end ? at->last_loss : at->items ? at->loss_sum / (double)at->items : NAN;
    now.valid_auc = at->last_auc;
    now.rate = seconds > 0 ? (double)(run->items + part) / seconds : 0;
    double left = ((double)now.epochs - (double)epoch) * (double)run->positions - (double)now.done;
    now.left = now.rate > 0 ? left / now.rate : NAN;
    int answer = run->hooks->progress(&now, run->hooks->user);
    run->enough = answer ? answer == NEAP_ENOUGH : run->enough;
    return answer != 0;
}

/* A stop is an error, unless what was learned is enough. */
static neap_status say_stopped(ni_run *run, uint64_t epoch)
{
    run->ended = run->enough;
    if (run->ended) return NEAP_OK;
    return ni_fail(run->err, NEAP_E_STOPPED, "stopped in epoch %llu", (unsigned long long)epoch);
}

/* What is left after numbers that are not finite. */
static const char *what_is_kept(const ni_run *run)
{
    return run->kept ? "; the last good checkpoint is kept" : "";
}

static neap_status save_checkpoint(ni_run *run)
{
    run->last_checkpoint = ni_seconds();
    if (!run->hooks || !run->hooks->checkpoint) return NEAP_OK;
    neap_status rc =
        ni_checkpoint_write(run->model, &run->state, &run->at, run->hooks->checkpoint, run->err);
    if (rc == NEAP_E_NUMERIC)
        ni_fail(run->err, rc, "a vector is not finite any more%s. A smaller --lr usually helps",
                what_is_kept(run));
    run->kept |= rc == NEAP_OK;
    return rc;
}

/* What the threads ask while a step is computed. */
static int on_look(const neap_progress *now, void *user)
{
    return asks_to_stop(user, now->total ? (double)now->done / (double)now->total : 0);
}

/* Progress of the step that was made, and a checkpoint where one is due. */
static neap_status report(ni_run *run)
{
    double every = run->hooks && run->hooks->checkpoint_seconds > 0 ? run->hooks->checkpoint_seconds : 60;
    bool stop = asks_to_stop(run, 0) || run->asked;
    uint64_t epoch = run->at.epoch + !run->epoch_end; /* of the step, from 1 */
    neap_status rc = NEAP_OK;
    if (run->epoch_end || stop || ni_seconds() - run->last_checkpoint >= every) rc = save_checkpoint(run);
    run->took = run->epoch_end = false;
    return rc == NEAP_OK && stop ? say_stopped(run, epoch) : rc;
}

/* The tensors are those of the step before: a checkpoint keeps it. */
static neap_status stop_here(ni_run *run)
{
    neap_status rc = save_checkpoint(run);
    return rc == NEAP_OK ? say_stopped(run, run->at.epoch + 1) : rc;
}

bool ni_run_next(ni_run *run)
{
    run->judging = run->split && run->at.batch == steps_of(run);
    if (run->failed == NEAP_OK && run->took && !run->judging) run->failed = report(run);
    if (run->failed == NEAP_OK && run->asked && !run->ended) run->failed = stop_here(run);
    if (run->failed != NEAP_OK || run->ended || finished(run)) return false;
    run->looking = (neap_hooks){ .size = sizeof run->looking, .progress = on_look, .user = run };
    ni_threads_watch(run->threads, run->hooks && run->hooks->progress ? &run->looking : NULL, "train");
    return true;
}

bool ni_run_may_step(ni_run *run)
{
    if (ni_threads_check(run->threads, NULL) != NEAP_OK) {
        run->failed = stop_here(run);
        return false;
    }
    ni_threads_grace(run->threads, grace);
    return true;
}

static neap_status say_lost(const ni_run *run, uint64_t epoch)
{
    return ni_fail(run->err, NEAP_E_STOPPED,
                   "stopped in epoch %llu, in the middle of a long step; what was learned since the last "
                   "checkpoint is lost",
                   (unsigned long long)epoch);
}

static neap_status say_diverged(const ni_run *run, uint64_t epoch)
{
    return ni_fail(run->err, NEAP_E_NUMERIC,
                   "the loss is not finite any more in epoch %llu%s. A smaller --lr usually helps",
                   (unsigned long long)epoch, what_is_kept(run));
}

static void end_epoch(ni_run *run)
{
    ni_position *at = &run->at;
    run->epoch_end = true;
    at->last_loss = at->items ? at->loss_sum / (double)at->items : 0;
    at->epoch++;
    at->batch = at->items = 0;
    at->loss_sum = 0;
}

void ni_run_took(ni_run *run, uint64_t items, double loss)
{
    ni_position *at = &run->at;
    if (ni_threads_left_out(run->threads)) run->failed = say_lost(run, at->epoch + 1);
    else if (!isfinite(loss)) run->failed = say_diverged(run, at->epoch + 1);
    if (run->failed != NEAP_OK) return;
    run->asked = ni_threads_check(run->threads, NULL) != NEAP_OK;
    run->took = true;
    at->batch++;
    at->items += items;
    at->loss_sum += loss;
    run->items += items;
    if (!run->split && at->batch == steps_of(run)) end_epoch(run);
}

/* Of equals the later one is kept: it has seen more. */
neap_status ni_run_judge(ni_run *run, neap_status rc, neap_error *err)
{
    ni_position *at = &run->at;
    const ni_state *s = &run->state;
    size_t n = run->split->count;
    if (ni_threads_check(run->threads, NULL) != NEAP_OK) return stop_here(run);
    if (rc != NEAP_OK) return rc;
    run->took = true;
    end_epoch(run);
    rc = neap_auc(run->positive, n, run->negative, n, &at->last_auc, err);
    if (rc != NEAP_OK || (at->best_epoch && at->last_auc < at->best_auc)) return rc;
    at->best_epoch = at->epoch;
    at->best_auc = at->last_auc;
    at->best_loss = at->last_loss;
    for (size_t i = 0; i < s->list.count; i++)
        if (s->best[i])
            memcpy(s->best[i], s->list.item[i].data, (size_t)ni_declared_bytes(&s->list.item[i]));
    return NEAP_OK;
}

/* ---- after the last step ---- */

neap_status ni_run_conclude(ni_run *run, neap_status rc)
{
    neap_model *m = run->model;
    const ni_state *s = &run->state;
    bool judged = run->split && run->at.best_epoch;
    if (run->threads) ni_threads_watch(run->threads, NULL, NULL);
    if (rc == NEAP_OK) rc = run->failed;
    if (rc == NEAP_OK) {
        m->epochs = (uint32_t)(judged ? run->at.best_epoch : run->at.epoch);
        m->loss = judged ? run->at.best_loss : run->at.last_loss;
        m->valid_auc = judged ? run->at.best_auc : NAN;
    }
    for (size_t i = 0; i < s->list.count && s->best && judged && rc == NEAP_OK; i++)
        if (s->best[i])
            memcpy(s->list.item[i].data, s->best[i], (size_t)ni_declared_bytes(&s->list.item[i]));
    forget_state(run);
    return rc;
}

neap_status ni_run_end(ni_run *run, neap_status rc, neap_model **out)
{
    rc = ni_run_conclude(run, rc);
    if (rc == NEAP_OK) {
        *out = run->model;
        run->model = NULL;
    }
    ni_run_free(run);
    return rc;
}

void ni_run_free(ni_run *run)
{
    forget_state(run);
    ni_links_free(&run->split_links);
    neap_split_free(run->split);
    neap_model_free(run->model);
    ni_threads_free(run->threads);
    *run = (ni_run){ 0 };
}

void ni_run_bytes(const ni_run *run, const neap_graph *given, neap_estimate_result *r)
{
    neap_model *m = run->model;
    ni_declaration d = { 0 };
    m->method->declare(m, &d);
    uint64_t learned = ni_declaration_bytes(&d, NI_LEARNED), state = ni_declaration_bytes(&d, NI_STATE);
    ni_declare_moments(&d);
    r->bytes_graph += ni_model_graph_bytes(m, given);
    if (run->split) r->bytes_graph += ni_split_bytes(run->split, &run->split_links);
    r->bytes_tables += ni_declaration_bytes(&d, NI_FIXED) + learned * (run->split ? 2 : 1) + state;
    r->bytes_optimizer += ni_declaration_bytes(&d, NI_STATE) - state;
    ni_declaration_free(&d);
}
