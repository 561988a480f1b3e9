#include <math.h>

#include "attributes.h"
#include "common.h"

typedef struct own {
    attributes_own attributes;
} own;

static const arg_option options[] = {
    ATTRIBUTE_OPTIONS(own, attributes),
    { 0 },
};

static void print_json(const neap_estimate_result *e)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_whole(&j, "bytes", e->bytes);
    ni_json_whole(&j, "bytes_graph", e->bytes_graph);
    ni_json_whole(&j, "bytes_tables", e->bytes_tables);
    ni_json_whole(&j, "bytes_optimizer", e->bytes_optimizer);
    ni_json_whole(&j, "bytes_batch", e->bytes_batch);
    ni_json_real(&j, "seconds_epoch", e->seconds_epoch);
    ni_json_real(&j, "seconds", e->seconds);
    ni_json_close(&j, '}');
}

static void print_memory(const char *what, uint64_t bytes)
{
    char text[SHORT];
    printf("  %-22s%12s\n", what, human_bytes(bytes, text));
}

static void print_time(const char *what, double seconds)
{
    char text[SHORT];
    printf("  %-22s%12s\n", what, isnan(seconds) ? "not measured" : ni_format_seconds(seconds, text));
}

/* Why there is no time: what does not fit is not tried. */
static void print_reason(const args *a, const neap_estimate_result *e)
{
    char limit[SHORT];
    uint64_t memory = option_number(a, "memory");
    if (!has_epochs(a)) puts("  (the method has no epochs: it is not trained, or in one pass)");
    else if (!option_number(a, "epochs")) puts("  (--epochs 0 trains nothing)");
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
    print_time("one epoch", e->seconds_epoch);
    print_time("all epochs", e->seconds);
    if (isnan(e->seconds_epoch)) print_reason(a, e);
    else if (may_end_early(a))
        printf("  (it ends after %llu epochs without a better validation AUC: --patience)\n",
               (unsigned long long)option_number(a, "patience"));
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    neap_graph *graph = NULL;
    attributes known = { 0 };
    neap_estimate_result e = NEAP_SIZED(neap_estimate_result);
    neap_data data = NEAP_SIZED(neap_data);
    neap_status rc = read_graph(a, a->operands[0], &graph, err);
    if (rc == NEAP_OK) rc = attributes_read(a, &o->attributes, graph, &known, err);
    if (rc == NEAP_OK) attributes_remark(a, &o->attributes);
    data.graph = graph;
    data.text = known.text, data.features = known.features;
    if (rc == NEAP_OK) rc = neap_estimate(&data, a->options, &e, err);
    if (rc == NEAP_OK && a->json) print_json(&e);
    else if (rc == NEAP_OK) print_table(a, &e);
    attributes_free(&known);
    neap_graph_free(graph);
    return rc;
}

const command cmd_estimate = {
    .name = "estimate",
    .operands = "GRAPH",
    .summary = "estimate the memory and time of a training run",
    .details = "Takes the options of `neap train`. Memory is computed; time is measured on a few "
               "steps, if the run fits into --memory and this machine, and early stopping may end a run "
               "sooner.\n",
    .examples = "neap estimate friends.txt\nneap estimate friends.txt --preset paper --dim 400\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,walks,text,reading,running",
    .run = run,
};
