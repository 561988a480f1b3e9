/* What a run will need: memory by the method's own count, time by a run of a second. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/status.h"
#include "model/method.h"
#include "model/pace.h"
#include "support/text.h"

/* Code, libraries and the buffers of the matrix library. */
static const uint64_t program_bytes = 24u << 20;

static neap_status count_bytes(const ni_method *method, const neap_graph *graph,
                               const neap_options *options, neap_estimate_result *r, neap_error *err)
{
    *r = (neap_estimate_result){ .seconds = NAN, .seconds_epoch = NAN };
    neap_status rc = method->bytes ? method->bytes(graph, options, r, err) : NEAP_OK;
    if (!method->bytes) r->bytes_graph = 2 * ni_graph_bytes(graph); /* and its links */
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

/* What needs less, of the options that the method reads; nothing if it reads none of them. */
static const char *advice(const ni_method *method, char text[128])
{
    static const char *const ways[][2] = { { "dim", "a smaller --dim" },
                                           { "batch", "a smaller --batch" },
                                           { "optimizer", "--optimizer adagrad" },
                                           { "valid", "--valid 0" } };
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ni_word_in(method->info.options, ',', ways[i][0]) >= 0)
            used +=
                (size_t)snprintf(text + used, 128 - used, "%s%s", used ? ", or " : "; use ", ways[i][1]);
    return text;
}

neap_status ni_method_check_memory(const ni_method *method, const neap_graph *graph,
                                   const neap_options *options, neap_error *err)
{
    neap_estimate_result r;
    char needs[32], limit[32], less[128];
    if (options->memory == 0) return NEAP_OK;
    neap_status rc = count_bytes(method, graph, options, &r, err);
    if (rc != NEAP_OK || r.bytes <= options->memory) return rc;
    return ni_fail(err, NEAP_E_LIMIT, "this run needs about %s, the limit is %s%s",
                   bytes_in_words(r.bytes, needs), bytes_in_words(options->memory, limit),
                   advice(method, less));
}

/* ---- time ---- */

static uint64_t physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

/* From a real run of about a second, if it would fit. */
static neap_status measure_time(const ni_method *method, const neap_graph *graph,
                                const neap_options *options, neap_estimate_result *r, neap_error *err)
{
    ni_pace pace;
    neap_model *model = NULL;
    neap_options one = *options;
    uint64_t limit = options->memory ? options->memory : physical_memory();
    if (options->epochs == 0 || (limit && r->bytes > limit)) return NEAP_OK;
    neap_hooks timed = ni_pace_hooks(&pace, NULL, 1);
    one.epochs = 1;
    neap_status rc = ni_pace_end(&pace, method->train(graph, &one, &timed, &model, err));
    neap_model_free(model);
    if (rc != NEAP_OK || pace.items == 0) return rc;
    r->seconds_epoch = pace.seconds + pace.left;
    r->seconds = r->seconds_epoch * options->epochs;
    return NEAP_OK;
}

neap_status neap_estimate(const neap_graph *graph, const neap_options *options,
                          neap_estimate_result *result, neap_error *err)
{
    neap_options settled = *options;
    const ni_method *method = ni_method_find(options, err);
    neap_estimate_result r;
    if (!method) return NEAP_E_ARG;
    ni_options_settle(&settled, method->defaults);
    neap_status rc = count_bytes(method, graph, &settled, &r, err);
    if (rc == NEAP_OK) rc = measure_time(method, graph, &settled, &r, err);
    if (rc == NEAP_OK) *result = r;
    return rc;
}
