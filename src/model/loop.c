#include "model/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"

typedef struct clock_state {
    double start, last_checkpoint;
    uint64_t items; /* trained on since the start */
} clock_state;

void ni_note(const neap_hooks *hooks, const char *text)
{
    if (hooks && hooks->note) hooks->note(text, hooks->user);
}

static uint64_t steps_of(const ni_course *c)
{
    return (c->places + c->per_step - 1) / c->per_step;
}

double ni_course_done(const ni_course *c)
{
    double places = (double)c->places, all = (double)c->model->options.epochs * places;
    double done = (double)c->run.epoch * places + (double)c->run.batch * (double)c->per_step;
    return done < all ? done / all : 1;
}

double ni_course_rate(const ni_course *c, double least)
{
    const neap_options *o = &c->model->options;
    double left = 1 - ni_course_done(c);
    return o->decay == NI_DECAY_LINEAR ? o->lr * (left > least ? left : least) : o->lr;
}

/* ---- the best epoch ---- */

static neap_status make_room(ni_course *c, neap_error *err)
{
    if (!c->split) return NEAP_OK;
    c->scores = ni_array(2 * c->split->count, sizeof *c->scores);
    if (!c->scores) return ni_fail_memory(err, "the validation scores");
    for (uint32_t i = 0; i < c->tables.count; i++) {
        ni_table *t = &c->tables.table[i];
        if (t->result && !(t->best = ni_copy(t->data, ni_table_length(t), sizeof(float))))
            return ni_fail_memory(err, "the best epoch; --valid 0 needs less");
    }
    return NEAP_OK;
}

static void give_back(ni_course *c)
{
    for (uint32_t i = 0; i < c->tables.count; i++) {
        ni_free(c->tables.table[i].best);
        c->tables.table[i].best = NULL;
    }
    ni_free(c->scores);
    c->scores = NULL;
}

static neap_status validate(ni_course *c, neap_error *err)
{
    const neap_split *s = c->split;
    float *positive = c->scores, *negative = c->scores + s->count;
    neap_status rc = c->score(c->self, s->positive, s->count, positive, err);
    if (rc == NEAP_OK) rc = c->score(c->self, s->negative, s->count, negative, err);
    if (rc == NEAP_OK) rc = neap_auc(positive, s->count, negative, s->count, &c->run.last_auc, err);
    return rc;
}

/* Of equals the later one is kept: it has seen more. */
static void keep_best(ni_course *c)
{
    ni_run *run = &c->run;
    if (run->best_epoch && run->last_auc < run->best_auc) return;
    run->best_epoch = run->epoch;
    run->best_auc = run->last_auc;
    run->best_loss = run->last_loss;
    for (uint32_t i = 0; i < c->tables.count; i++) {
        const ni_table *t = &c->tables.table[i];
        if (t->best) memcpy(t->best, t->data, ni_table_length(t) * sizeof(float));
    }
}

/* The model is the best epoch's where there was validation, else the last one's. */
static void conclude(ni_course *c)
{
    neap_model *m = c->model;
    const ni_run *run = &c->run;
    m->epochs = (uint32_t)(c->split ? run->best_epoch : run->epoch);
    m->loss = c->split ? run->best_loss : run->last_loss;
    m->valid_auc = c->split ? run->best_auc : NAN;
    for (uint32_t i = 0; i < c->tables.count; i++) {
        const ni_table *t = &c->tables.table[i];
        if (t->best) memcpy(t->data, t->best, ni_table_length(t) * sizeof(float));
    }
}

/* ---- one run ---- */

static neap_status make_step(ni_course *c, clock_state *clock, neap_error *err)
{
    ni_run *run = &c->run;
    uint64_t items = 0;
    double loss = 0;
    neap_status rc = c->step(c->self, run, &items, &loss, err);
    if (rc != NEAP_OK) return rc;
    if (!isfinite(loss))
        return ni_fail(err, NEAP_E_NUMERIC,
                       "the loss is not finite any more in epoch %llu; the last good "
                       "checkpoint is kept. A smaller --lr usually helps",
                       (unsigned long long)run->epoch + 1);
    run->batch++;
    run->items += items;
    run->loss_sum += loss;
    clock->items += items;
    return NEAP_OK;
}

static neap_status end_epoch(ni_course *c, neap_error *err)
{
    ni_run *run = &c->run;
    run->last_loss = run->items ? run->loss_sum / (double)run->items : 0;
    run->epoch++;
    run->batch = run->items = 0;
    run->loss_sum = 0;
    if (!c->split) return NEAP_OK;
    neap_status rc = validate(c, err);
    if (rc == NEAP_OK) keep_best(c);
    return rc;
}

static bool finished(const ni_course *c)
{
    const ni_run *run = &c->run;
    const neap_options *o = &c->model->options;
    if (run->epoch >= o->epochs) return true;
    return c->split && run->best_epoch && run->batch == 0 && run->epoch >= run->best_epoch + o->patience;
}

static bool asks_to_stop(const ni_course *c, const neap_hooks *hooks, const clock_state *clock,
                         bool epoch_end)
{
    const ni_run *run = &c->run;
    if (!hooks || !hooks->progress) return false;
    double seconds = ni_seconds() - clock->start;
    uint64_t epoch = epoch_end ? run->epoch - 1 : run->epoch;
    uint64_t done = epoch_end ? c->places : run->batch * c->per_step;
    neap_progress now = { .stage = "train",
                          .epoch = (uint32_t)epoch + 1,
                          .epochs = c->model->options.epochs,
                          .total = c->places,
                          .epoch_end = epoch_end,
                          .seconds = seconds };
    now.done = done < now.total ? done : now.total;
    now.loss = epoch_end ? run->last_loss : run->items ? run->loss_sum / (double)run->items : NAN;
    now.valid_auc = run->last_auc;
    now.rate = seconds > 0 ? (double)clock->items / seconds : 0;
    double left = ((double)now.epochs - (double)epoch) * (double)c->places - (double)now.done;
    now.left = now.rate > 0 ? left / now.rate : NAN;
    return hooks->progress(&now, hooks->user) != 0;
}

static neap_status save_checkpoint(ni_course *c, const neap_hooks *hooks, clock_state *clock,
                                   neap_error *err)
{
    clock->last_checkpoint = ni_seconds();
    if (!hooks || !hooks->checkpoint) return NEAP_OK;
    return ni_checkpoint_write(c->model, &c->tables, &c->run, hooks->checkpoint, err);
}

static neap_status run_epochs(ni_course *c, const neap_hooks *hooks, neap_error *err)
{
    clock_state clock = { .start = ni_seconds() };
    double every = hooks && hooks->checkpoint_seconds > 0 ? hooks->checkpoint_seconds : 60;
    clock.last_checkpoint = clock.start;
    while (!finished(c)) {
        neap_status rc = make_step(c, &clock, err);
        bool epoch_end = rc == NEAP_OK && c->run.batch >= steps_of(c);
        if (epoch_end) rc = end_epoch(c, err);
        if (rc != NEAP_OK) return rc;
        bool stop = asks_to_stop(c, hooks, &clock, epoch_end);
        if (epoch_end || stop || ni_seconds() - clock.last_checkpoint >= every)
            rc = save_checkpoint(c, hooks, &clock, err);
        if (rc != NEAP_OK) return rc;
        if (stop)
            return ni_fail(err, NEAP_E_STOPPED, "stopped in epoch %llu",
                           (unsigned long long)c->run.epoch + 1);
    }
    return NEAP_OK;
}

/* ---- from start to end ---- */

static neap_status resume(ni_course *c, const neap_hooks *hooks, neap_error *err)
{
    char text[256];
    bool found = false;
    if (!hooks || !hooks->resume || !hooks->checkpoint) return NEAP_OK;
    neap_status rc = ni_checkpoint_read(c->model, &c->tables, &c->run, hooks->checkpoint, &found, err);
    if (rc != NEAP_OK) return rc;
    if (c->run.batch >= steps_of(c))
        return ni_fail(err, NEAP_E_FORMAT, "%s stands at an impossible place: the epoch has fewer steps",
                       hooks->checkpoint);
    if (found)
        snprintf(text, sizeof text, "going on from %s: %llu of %u epochs are done", hooks->checkpoint,
                 (unsigned long long)c->run.epoch, c->model->options.epochs);
    else snprintf(text, sizeof text, "there is no checkpoint %s: starting afresh", hooks->checkpoint);
    ni_note(hooks, text);
    return NEAP_OK;
}

neap_status ni_course_run(ni_course *c, const neap_hooks *hooks, neap_error *err)
{
    c->run = (ni_run){ .last_loss = NAN, .last_auc = NAN, .best_auc = NAN, .best_loss = NAN };
    neap_status rc = make_room(c, err);
    if (rc == NEAP_OK) rc = resume(c, hooks, err);
    if (rc == NEAP_OK) rc = run_epochs(c, hooks, err);
    if (rc == NEAP_OK) conclude(c);
    give_back(c);
    return rc;
}
