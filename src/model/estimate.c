/* What a run will need: memory by the method's own count, time by a run of one second. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/sized.h"
#include "data/features.h"
#include "data/text.h"
#include "model/method.h"
#include "support/status.h"
#include "support/text.h"

/* Code, libraries and the buffers of the matrix library. */
static const uint64_t program_bytes = 24u << 20;

/* Texts and features as they were given: the caller holds them, and the model has what it reads of them. */
static uint64_t attribute_bytes(const neap_data *data)
{
    return (data->text ? ni_text_bytes(data->text) : 0) +
           (data->features ? ni_features_bytes(data->features) : 0);
}

static neap_status count_bytes(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    *r = (neap_estimate_result){ .seconds = NAN, .seconds_epoch = NAN };
    neap_status rc = job->method->bytes ? job->method->bytes(job, r, err) : NEAP_OK;
    if (!job->method->bytes) r->bytes_graph = 2 * ni_graph_bytes(job->data->graph); /* and its links */
    r->bytes_graph += attribute_bytes(job->data);
    r->bytes = program_bytes + r->bytes_graph + r->bytes_tables + r->bytes_optimizer + r->bytes_batch;
    return rc;
}

/* ---- the limit ---- */

/* In MiB, or in the largest unit of which there is at least one. */
static const char *bytes_in_words(uint64_t bytes, char text[32])
{
    static const char *const units[] = { "bytes", "KiB", "MiB" };
    unsigned unit = 0;
    while (unit < 2 && bytes >> 10 * (unit + 1)) unit++;
    snprintf(text, 32, "%llu %s", (unsigned long long)(bytes >> 10 * unit), units[unit]);
    return text;
}

/* What needs less, of the options that the method has; nothing if it has none of them. */
static const char *advice(const ni_method *method, char text[128])
{
    static const char *const remedies[][2] = { { "dim", "a smaller --dim" },
                                               { "batch", "a smaller --batch" },
                                               { "optimizer", "--optimizer adagrad" },
                                               { "valid", "--valid 0" } };
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++)
        if (ni_method_has_option(method, remedies[i][0]))
            used += (size_t)snprintf(text + used, 128 - used, "%s%s", used ? ", or " : "; use ",
                                     remedies[i][1]);
    return text;
}

neap_status ni_job_check_memory(const ni_job *job, neap_error *err)
{
    neap_estimate_result r;
    char needs[32], limit[32], less[128];
    uint64_t most = job->settings->common.memory;
    if (most == 0) return NEAP_OK;
    neap_status rc = count_bytes(job, &r, err);
    if (rc != NEAP_OK || r.bytes <= most) return rc;
    return ni_fail(err, NEAP_E_LIMIT, "this run needs about %s, the limit is %s%s",
                   bytes_in_words(r.bytes, needs), bytes_in_words(most, limit), advice(job->method, less));
}

/* ---- a run of a few seconds ---- */

/* A run that has nothing to show yet is given more time. */
static int look(const neap_progress *now, void *user)
{
    enum { PATIENCE = 10 };
    ni_pace *p = user;
    p->seconds = now->seconds;
    p->items = (uint64_t)(now->rate * now->seconds + 0.5);
    p->left = now->left;
    p->interrupted = p->theirs && p->theirs->progress && p->theirs->progress(now, p->theirs->user);
    return p->interrupted || now->seconds >= (p->items ? 1 : PATIENCE) * p->limit;
}

neap_hooks ni_pace_hooks(ni_pace *pace, const neap_hooks *theirs, double seconds)
{
    *pace = (ni_pace){ .theirs = theirs, .limit = seconds };
    return (neap_hooks){ .size = sizeof(neap_hooks), .progress = look, .user = pace };
}

neap_status ni_pace_end(const ni_pace *pace, neap_status rc)
{
    return rc == NEAP_E_STOPPED && !pace->interrupted ? NEAP_OK : rc;
}

/* ---- time ---- */

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* From a real run of about a second, if it would fit. */
static neap_status measure_time(const ni_job *job, neap_estimate_result *r, neap_error *err)
{
    ni_pace pace;
    neap_model *model = NULL;
    uint64_t limit = job->settings->common.memory ? job->settings->common.memory : physical_memory();
    const uint32_t *epochs = ni_settings_find(job->settings, "epochs");
    if (!epochs || *epochs == 0 || (limit && r->bytes > limit)) return NEAP_OK;
    neap_hooks timed = ni_pace_hooks(&pace, NULL, 1);
    ni_job run = *job;
    run.hooks = &timed;
    neap_status rc = ni_pace_end(&pace, job->method->train(&run, &model, err));
    neap_model_free(model);
    if (rc != NEAP_OK || pace.items == 0) return rc;
    r->seconds = pace.seconds + pace.left;
    r->seconds_epoch = r->seconds / *epochs;
    return NEAP_OK;
}

neap_status neap_estimate(const neap_data *data, const neap_options *options, neap_estimate_result *result,
                          neap_error *err)
{
    ni_job_room room;
    ni_job job;
    neap_estimate_result r;
    neap_status rc = ni_job_read(data, options, NULL, &room, &job, err);
    if (rc == NEAP_OK) rc = ni_sized_look(result, "neap_estimate_result", err);
    if (rc == NEAP_OK) rc = count_bytes(&job, &r, err);
    if (rc == NEAP_OK) rc = measure_time(&job, &r, err);
    if (rc == NEAP_OK) rc = ni_sized_out(&r, sizeof r, result, "neap_estimate_result", err);
    ni_job_free(&job);
    return rc;
}
