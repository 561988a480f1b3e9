#include <math.h>
#include <unistd.h>

#include "train/pace.h"

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* Edges a second, from a real run of about a second; NaN if even that would not fit. */
static neap_status measure_rate(const neap_graph *graph, const neap_options *options, uint64_t bytes,
                                double *rate, neap_error *err)
{
    ni_pace pace;
    neap_options one = *options;
    uint64_t limit = options->memory ? options->memory : physical_memory();
    *rate = NAN;
    if (limit && bytes > limit) return NEAP_OK;
    one.epochs = 1;
    neap_status rc = ni_pace_measure(graph, &one, NULL, 1.0, &pace, err);
    if (rc == NEAP_OK) *rate = (double)pace.edges / pace.seconds;
    return rc;
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
