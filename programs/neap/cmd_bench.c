#include <string.h>

#include "common.h"
#include "progress.h"

typedef struct own {
    double seconds;
    const char *progress;
} own;

static const arg_option options[] = {
    { "seconds", 0, "X", "5", ARG_REAL, offsetof(own, seconds), 0.001, 1e6, false,
      "how long to train for the measurement" },
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(own, progress), 0, 0, false,
      "show the progress of the measurement, if it takes longer than two seconds" },
    { 0 },
};

/* What is measured, as it stands on the screen meanwhile. */
typedef struct run {
    const args *a;
    const own *o;
    const neap_graph *graph;
    progress bar;
    char what[64];
    double seconds, drawn; /* to measure for; when the live line was drawn last */
} run;

/* ---- measuring ---- */

static int on_progress(const neap_progress *now, void *user)
{
    run *r = user;
    char words[160], rate[SHORT];
    if (r->bar.live && now->seconds - r->drawn >= 0.1) {
        r->drawn = now->seconds;
        snprintf(words, sizeof words, "%s: %.0f of %.0f s, %s edges/s", r->what, now->seconds, r->seconds,
                 ni_format_count((uint64_t)now->rate, rate));
        progress_words(&r->bar, words);
    }
    return interrupt_seen();
}

static neap_status measure(run *r, const neap_options *set, double seconds, neap_bench_result *result,
                           neap_error *err)
{
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = r };
    neap_data data = { .size = sizeof data, .graph = r->graph };
    char words[128];
    r->seconds = seconds;
    r->drawn = 0;
    snprintf(words, sizeof words, "%s for %.3g seconds", r->what, seconds);
    if (seconds > 2) progress_words(&r->bar, words);
    else r->bar.shown = false;
    neap_status rc = neap_bench(&data, set, &hooks, seconds, result, err);
    progress_clear(&r->bar);
    return rc == NEAP_E_STOPPED ? ni_fail(err, rc, "interrupted while %s", r->what) : rc;
}

static uint64_t batch_of(const neap_options *set)
{
    char text[SHORT] = "0";
    uint64_t batch = 0;
    if (!neap_options_get(set, "batch", text, sizeof text, NULL)) ni_parse_u64(text, strlen(text), &batch);
    return batch;
}

/* Is a step of four times the edges faster? It shares more neighbours and makes larger products. An epoch
 * must still have a few steps. */
static neap_status try_larger(run *r, neap_bench_result *larger, uint64_t *batch, neap_error *err)
{
    neap_options *set = NULL;
    char text[SHORT];
    *batch = 4 * batch_of(r->a->options);
    if (*batch * 4 > neap_graph_edges(r->graph)) return NEAP_OK;
    snprintf(text, sizeof text, "%llu", (unsigned long long)*batch);
    snprintf(r->what, sizeof r->what, "trying --batch %s", text);
    neap_status rc = args_options(r->a, &set, err);
    if (rc == NEAP_OK &&
        neap_options_set(set, "batch", text, NULL) == NEAP_OK) /* else it is as large as can be */
        rc = measure(r, set, r->o->seconds / 2, larger, err);
    neap_options_free(set);
    return rc;
}

/* ---- printing ---- */

static void print_json(const run *r, const neap_bench_result *b)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_whole(&j, "nodes", neap_graph_nodes(r->graph));
    ni_json_whole(&j, "graph_edges", neap_graph_edges(r->graph));
    ni_json_whole(&j, "threads", b->threads);
    ni_json_whole(&j, "batch", batch_of(r->a->options));
    ni_json_whole(&j, "edges", b->edges);
    ni_json_real(&j, "seconds", b->seconds);
    ni_json_real(&j, "edges_per_second", b->edges_per_second);
    ni_json_whole(&j, "batches", b->batches);
    ni_json_whole(&j, "table_batches", b->table_batches);
    ni_json_real(&j, "entries", b->entries);
    ni_json_real(&j, "flops", b->flops);
    ni_json_real(&j, "peak", b->peak);
    ni_json_real(&j, "share_of_peak", b->share_of_peak);
    ni_json_open(&j, "stages", '[');
    for (uint32_t i = 0; i < b->stage_count; i++) {
        ni_json_open(&j, NULL, '{');
        ni_json_text(&j, "name", b->stages[i].name);
        ni_json_text(&j, "about", b->stages[i].about);
        ni_json_real(&j, "seconds", b->stages[i].seconds);
        ni_json_real(&j, "flops", b->stages[i].flops);
        ni_json_close(&j, '}');
    }
    ni_json_close(&j, ']');
    ni_json_close(&j, '}');
}

static void print_speed(const run *r, const neap_bench_result *b)
{
    char rate[SHORT], edges[SHORT], steps[SHORT];
    printf("%s edges/s: %s edges in %.3g s, %s step%s of %llu, %u thread%s\n",
           ni_format_count((uint64_t)(b->edges_per_second + 0.5), rate), ni_format_count(b->edges, edges),
           b->seconds, ni_format_count(b->batches, steps), plural(b->batches),
           (unsigned long long)batch_of(r->a->options), b->threads, plural(b->threads));
    printf("%.0f %% of peak: %.3g of the %.3g GFLOP/s that a large matrix product reaches here\n",
           100 * b->share_of_peak, b->flops / b->seconds / 1e9, b->peak / 1e9);
}

/* How pairs were aligned. */
static void print_alignment(const neap_bench_result *b)
{
    char entries[SHORT];
    uint64_t pairwise = b->batches - b->table_batches;
    if (b->edges == 0) return;
    printf("%s alignments per edge, ",
           ni_format_count((uint64_t)(b->entries / (double)b->edges + 0.5), entries));
    if (!pairwise) puts("looked up in one table per step");
    else if (!b->table_batches) puts("each pair by itself");
    else
        printf("looked up in one table per step (%.0f %% of the steps) or each pair by itself\n",
               100 * (double)b->table_batches / (double)b->batches);
}

static void print_stages(const neap_bench_result *b)
{
    enum { WIDTH = 16 };
    static const char full[WIDTH + 1] = "################";
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < b->stage_count; i++) {
        sum += b->stages[i].seconds;
        if (b->stages[i].seconds > most) most = b->stages[i].seconds;
    }
    puts("where the time goes");
    for (uint32_t i = 0; i < b->stage_count && sum > 0; i++) {
        const neap_bench_stage *s = &b->stages[i];
        printf("  %-8s %3.0f %%  %-*.*s  %s\n", s->name, 100 * s->seconds / sum, WIDTH,
               (int)(WIDTH * s->seconds / most + 0.5), full, s->about);
    }
}

/* Only what was measured to help, and by more than chance. */
static void print_advice(const neap_bench_result *b, const neap_bench_result *larger, uint64_t batch)
{
    char rate[SHORT];
    double gain = larger->edges_per_second / b->edges_per_second;
    if (!(gain >= 1.1)) return;
    printf(
        "--batch %llu would be %.1f times as fast: %s edges/s. It makes fewer steps per epoch, which may\n"
        "need a larger --lr.\n",
        (unsigned long long)batch, gain, ni_format_count((uint64_t)(larger->edges_per_second + 0.5), rate));
}

/* ---- the command ---- */

static neap_status tell(run *r, const neap_bench_result *b, neap_error *err)
{
    neap_bench_result larger = NEAP_SIZED(neap_bench_result);
    uint64_t batch;
    if (r->a->json) return print_json(r, b), NEAP_OK;
    print_speed(r, b);
    print_alignment(b);
    print_stages(b);
    fflush(stdout);
    neap_status rc = try_larger(r, &larger, &batch, err);
    if (rc == NEAP_OK) print_advice(b, &larger, batch);
    return rc;
}

static neap_status run_bench(const args *a, neap_error *err)
{
    run r = { .a = a, .o = a->own, .what = "training" };
    neap_graph *graph = NULL;
    neap_bench_result b = NEAP_SIZED(neap_bench_result);
    neap_status rc = read_graph(a, a->operands[0], &graph, err);
    r.graph = graph;
    interrupt_watch();
    progress_start(&r.bar, r.o->progress, a->quiet);
    if (rc == NEAP_OK) rc = measure(&r, a->options, r.o->seconds, &b, err);
    if (rc == NEAP_OK) rc = tell(&r, &b, err);
    neap_graph_free(graph);
    return rc;
}

const command cmd_bench = {
    .name = "bench",
    .operands = "GRAPH",
    .summary = "measure how fast training is on a graph, and where the time goes",
    .details =
        "Trains gap for a few seconds with the options of `neap train`, keeps nothing, and prints the "
        "edges per second, what share of this machine's peak that is (the rate of a large matrix "
        "product, measured in the same run), how the time divides among the parts of a step, and "
        "whether a larger --batch would be faster, if it was when tried.\n"
        "Validation and checkpoints are not part of it. With --json nothing but the given settings "
        "is tried.\n",
    .examples = "neap bench friends.txt --seconds 0.2\n"
                "neap bench friends.txt --seconds 0.2 --preset paper --batch 16 -t 1\n"
                "neap bench friends.txt --seconds 0.2 --json\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,reading,running,!method,!epochs,!decay,!test,!valid,!patience",
    .method = "gap",
    .run = run_bench,
};
