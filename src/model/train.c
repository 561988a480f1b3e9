/* Training, from what a user gives to a model. */
#include <math.h>
#include <stdio.h>

#include "base/sized.h"
#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"

void ni_note(const neap_hooks *hooks, const char *text)
{
    if (hooks && hooks->note) hooks->note(text, hooks->user);
}

/* A note for each option that was set and that the method does not have. */
static void note_unused(const ni_method *method, const neap_options *options, const neap_hooks *hooks)
{
    char text[160];
    for (size_t i = 0; i < options->count; i++) {
        const ni_given *g = &options->given[i];
        const ni_option *o = ni_option_find(g->name);
        if (g->suggested || !o->info.saved || ni_option_is_common(o) ||
            ni_method_has_option(method, g->name))
            continue;
        snprintf(text, sizeof text, "--%s has no meaning for %s and changes nothing", g->name,
                 method->info.name);
        ni_note(hooks, text);
    }
}

/* The graph decides: it may be undirected although the option is not set. */
static neap_status read_settings(const neap_options *options, const neap_graph *graph,
                                 const ni_method **method, ni_settings **out, neap_error *err)
{
    neap_options *with;
    ni_common common;
    *out = NULL;
    neap_status rc = ni_common_read(options, &common, err);
    if (rc != NEAP_OK) return rc;
    if (common.undirected && !graph->undirected)
        return ni_fail(err, NEAP_E_MISMATCH,
                       "the option undirected is set, but the graph was made with directed edges");
    rc = neap_options_copy(options, &with, err);
    if (rc != NEAP_OK) return rc;
    if (graph->undirected) rc = ni_options_give(with, "undirected", "yes", false, err);
    if (rc == NEAP_OK) rc = ni_settings_read(with, method, out, err);
    neap_options_free(with);
    return rc;
}

neap_status ni_job_read(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                        ni_job_room *room, ni_job *job, neap_error *err)
{
    ni_settings *settings = NULL;
    *job = (ni_job){ .data = &room->data };
    if (!data || !options) return ni_fail(err, NEAP_E_ARG, "training needs data and options");
    neap_status rc = ni_sized_in(&room->data, sizeof room->data, data, "neap_data", err);
    if (rc == NEAP_OK && hooks)
        rc = ni_sized_in(&room->hooks, sizeof room->hooks, hooks, "neap_hooks", err);
    if (rc == NEAP_OK && !room->data.graph) rc = ni_fail(err, NEAP_E_ARG, "neap_data has no graph");
    if (rc == NEAP_OK) rc = read_settings(options, room->data.graph, &job->method, &settings, err);
    job->settings = settings;
    job->hooks = hooks ? &room->hooks : NULL;
    return rc;
}

void ni_job_free(ni_job *job)
{
    ni_settings_free(job->settings);
    *job = (ni_job){ 0 };
}

neap_status neap_train(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                       neap_model **out, neap_error *err)
{
    ni_job_room room;
    ni_job job;
    *out = NULL;
    neap_status rc = ni_job_read(data, options, hooks, &room, &job, err);
    if (rc == NEAP_OK && job.method->info.vectors) note_unused(job.method, options, job.hooks);
    if (rc == NEAP_OK) rc = ni_job_check_memory(&job, err);
    if (rc == NEAP_OK) rc = job.method->train(&job, out, err);
    ni_job_free(&job);
    return rc;
}

/* ---- for a measurement ---- */

/* Progress of the second run has its own stage name. */
static int on_second(const neap_progress *now, void *user)
{
    const neap_hooks *hooks = user;
    neap_progress named = *now;
    named.stage = "train-all";
    return hooks->progress(&named, hooks->user);
}

static void on_note(const char *text, void *user)
{
    ni_note(user, text);
}

/* Once more, on all pairs, for the best number of epochs of the first run. */
static neap_status train_again(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                               uint32_t epochs, neap_model **out, neap_error *err)
{
    char text[16];
    neap_options *all;
    neap_hooks second = { .size = sizeof second,
                          .progress = hooks->progress ? on_second : NULL,
                          .note = on_note,
                          .user = (void *)hooks };
    snprintf(text, sizeof text, "%u", epochs);
    neap_status rc = neap_options_copy(options, &all, err);
    if (rc == NEAP_OK) rc = neap_options_set(all, "epochs", text, err);
    if (rc == NEAP_OK) rc = neap_options_set(all, "valid", "0", err);
    if (rc == NEAP_OK) rc = neap_train(data, all, &second, out, err);
    neap_options_free(all);
    return rc;
}

neap_status neap_train_fully(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                             neap_model **out, neap_error *err)
{
    neap_hooks first = NEAP_SIZED(neap_hooks);
    *out = NULL;
    neap_status rc = hooks ? ni_sized_in(&first, sizeof first, hooks, "neap_hooks", err) : NEAP_OK;
    first.checkpoint = NULL;
    if (rc == NEAP_OK) rc = neap_train(data, options, &first, out, err);
    if (rc != NEAP_OK || isnan((*out)->valid_auc)) return rc;
    uint32_t epochs = (*out)->epochs;
    neap_model_free(*out);
    *out = NULL;
    return train_again(data, options, &first, epochs, out, err);
}

neap_status ni_train_nothing(const ni_job *job, neap_model **out, neap_error *err)
{
    return ni_model_create(job, out, err);
}
