#include <math.h>
#include <unistd.h>

#include "train/trainer.h"

/* Stops a trial run once it has gone on long enough to tell the speed. */
typedef struct trial {
    double seconds, rate;
} trial;

static int enough(const neap_progress *now, void *user)
{
    trial *t = user;
    t->rate = now->rate;
    return now->seconds >= t->seconds || now->epoch_end;
}

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* Edges a second, from a real run of about a second; NaN if even that would not fit. */
static neap_status measure_rate(const neap_graph *graph, const neap_options *options, uint64_t bytes,
                                double *rate, neap_error *err)
{
    trial t = { .seconds = 1.0 };
    neap_hooks hooks = { .progress = enough, .user = &t };
    neap_model *model;
    neap_options one = *options;
    uint64_t limit = options->memory ? options->memory : physical_memory();
    *rate = NAN;
    if (limit && bytes > limit) return NEAP_OK;
    one.epochs = 1;
    neap_status rc = ni_train(graph, &one, &hooks, &model, err);
    neap_model_free(model);
    if (rc != NEAP_OK && rc != NEAP_E_STOPPED) return rc;
    *rate = t.rate;
    return NEAP_OK;
}

neap_status neap_estimate(const neap_graph *graph, const neap_options *options,
                          neap_estimate_result *result, neap_error *err)
{
    ni_trainer t;
    neap_estimate_result r = { .seconds = NAN, .seconds_epoch = NAN };
    double rate;
    neap_status rc = ni_trainer_prepare(graph, options, NULL, &t, err);
    if (rc == NEAP_OK) rc = ni_trainer_bytes(&t, graph, &r, err);
    double places = (double)t.sampler.places;
    ni_trainer_free(&t);
    if (rc == NEAP_OK && options->epochs > 0) rc = measure_rate(graph, options, r.bytes, &rate, err);
    if (rc != NEAP_OK) return rc;
    if (options->epochs > 0 && rate > 0) {
        r.seconds_epoch = places / rate;
        r.seconds = r.seconds_epoch * options->epochs;
    }
    *result = r;
    return NEAP_OK;
}
