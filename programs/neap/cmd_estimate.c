#include <math.h>
#include <string.h>

#include "common.h"
#include "json.h"

static void print_json(const neap_estimate_result *e)
{
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_whole(&j, "bytes", e->bytes);
    json_whole(&j, "bytes_graph", e->bytes_graph);
    json_whole(&j, "bytes_tables", e->bytes_tables);
    json_whole(&j, "bytes_optimizer", e->bytes_optimizer);
    json_whole(&j, "bytes_batch", e->bytes_batch);
    json_real(&j, "seconds_epoch", e->seconds_epoch);
    json_real(&j, "seconds", e->seconds);
    json_close(&j, '}');
}

static void print_memory(const char *what, uint64_t bytes)
{
    char text[SHORT];
    printf("  %-22s%12s\n", what, human_bytes(bytes, text));
}

static void print_time(const char *what, double seconds)
{
    char text[SHORT];
    printf("  %-22s%12s\n", what, isnan(seconds) ? "not measured" : human_seconds(seconds, text));
}

/* A number of the options, as they stand. */
static uint64_t option_of(const args *a, const char *name)
{
    char text[SHORT] = "0";
    uint64_t value = 0;
    if (!neap_options_get(a->options, name, text, sizeof text, NULL)) parse_whole(text, &value);
    return value;
}

static bool has_epochs(const args *a)
{
    char name[SHORT] = "";
    const neap_method_info *m = NULL;
    if (!neap_options_get(a->options, "method", name, sizeof name, NULL)) m = find_method(name);
    return m && list_has(m->options, ',', "epochs", strlen("epochs"));
}

/* Why there is no time: what does not fit is not tried. */
static void print_reason(const args *a, const neap_estimate_result *e)
{
    char limit[SHORT];
    uint64_t memory = option_of(a, "memory");
    if (!has_epochs(a)) puts("  (the method has no epochs: it learns nothing, or all at once)");
    else if (!option_of(a, "epochs")) puts("  (--epochs 0 trains nothing)");
    else if (memory && e->bytes > memory)
        printf("  (the run needs more than --memory allows, %s)\n", human_bytes(memory, limit));
    else puts("  (the run needs more than this machine's memory)");
}

static void print_table(const args *a, const neap_estimate_result *e)
{
    puts("memory");
    print_memory("graph", e->bytes_graph);
    print_memory("vectors", e->bytes_tables);
    print_memory("optimiser", e->bytes_optimizer);
    print_memory("one step", e->bytes_batch);
    print_memory("peak of the run", e->bytes);
    puts("time");
    print_time("an epoch", e->seconds_epoch);
    print_time("all epochs", e->seconds);
    if (isnan(e->seconds_epoch)) print_reason(a, e);
}

static neap_status run(const args *a, neap_error *err)
{
    neap_graph *graph = NULL;
    neap_estimate_result e;
    neap_status rc = read_graph(a, a->operands[0], &graph, err);
    if (rc == NEAP_OK) rc = neap_estimate(graph, a->options, &e, err);
    if (rc == NEAP_OK && a->json) print_json(&e);
    else if (rc == NEAP_OK) print_table(a, &e);
    neap_graph_free(graph);
    return rc;
}

const command cmd_estimate = {
    .name = "estimate",
    .operands = "GRAPH",
    .summary = "say what memory and time a training run will need",
    .details = "Takes the options of `neap train`. Memory is computed; time is measured on a few "
               "steps, if the run fits into --memory and this machine, and early stopping may end a run "
               "sooner.\n",
    .examples = "neap estimate friends.txt\nneap estimate friends.txt --preset paper --dim 400\n",
    .least = 1,
    .most = 1,
    .library = "model,training,walks,reading,running",
    .run = run,
};
