#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "interrupt.h"
#include "json.h"
#include "lists.h"
#include "progress.h"

typedef struct own {
    const char *methods, *protocol, *ratios, *negatives, *progress;
    uint64_t seeds;
} own;

static const arg_option options[] = {
    { "methods", 0, "NAME,...", "gap,pa,cn,aa,ra,katz,l3,walk3,ppr", ARG_TEXT, offsetof(own, methods), 0, 0,
      false, "what to compare; `neap methods` lists all" },
    { "protocol", 0, "clean|paper|paper-clean", "clean", ARG_TEXT, offsetof(own, protocol), 0, 0, false,
      "how links are split and scored" },
    { "ratios", 0, "PERCENT,...", "15,55,95", ARG_TEXT, offsetof(own, ratios), 0, 0, false,
      "shares of the pairs to train on" },
    { "seeds", 0, "N", "3", ARG_WHOLE, offsetof(own, seeds), 1, 1000, false,
      "splits per cell, from --seed on; the table has their mean and deviation" },
    { "test-negatives", 0, "uniform|degree|two-hop", "uniform", ARG_TEXT, offsetof(own, negatives), 0, 0,
      false, "clean: what test links are compared with: any non-link, popular ones, or near ones" },
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(own, progress), 0, 0, false,
      "show how far the run is" },
    { 0 },
};

/* ---- one cell: a method at a ratio, over the seeds ---- */

typedef struct moments {
    double mean, std;
} moments;

typedef struct cell {
    moments auc;
    double ap, mrr, hits[3], pool_hits[3], seconds;
    uint64_t pairs, skipped;
} cell;

typedef struct run {
    const args *a;
    const own *o;
    neap_graph *graph;
    list methods, ratios;
    double share[LIST_MOST]; /* of the ratios, in per cent */
    cell *cells;        /* methods x ratios */
    progress bar;
} run;

static int on_progress(const neap_progress *now, void *user)
{
    run *r = user;
    if (!now->epoch_end) progress_show(&r->bar, now);
    return interrupt_seen();
}

/* Adds one seed's result; sums become means in finish_cell. */
static void add_result(cell *c, const neap_link_result *x)
{
    c->auc.mean += x->auc;
    c->auc.std += x->auc * x->auc;
    c->ap += x->ap;
    c->mrr += x->mrr;
    for (int i = 0; i < 3; i++) c->hits[i] += x->hits[i], c->pool_hits[i] += x->pool_hits[i];
    c->seconds += x->seconds;
    c->pairs = x->pairs;
    c->skipped = x->skipped;
}

static void finish_cell(cell *c, double n)
{
    double *sums[] = { &c->auc.mean, &c->ap,           &c->mrr,          &c->hits[0],      &c->hits[1],
                       &c->hits[2],  &c->pool_hits[0], &c->pool_hits[1], &c->pool_hits[2], &c->seconds };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) *sums[i] /= n;
    double variance = n > 1 ? (c->auc.std - n * c->auc.mean * c->auc.mean) / (n - 1) : 0;
    c->auc.std = sqrt(fmax(0, variance));
}

static neap_status run_cell(run *r, const char *method, double ratio, cell *c, neap_error *err)
{
    char seed[SHORT];
    uint64_t first = 0;
    neap_options *set = NULL;
    neap_hooks hooks = { .progress = on_progress, .user = r };
    neap_status rc = args_options(r->a, &set, err);
    if (rc == NEAP_OK) rc = neap_options_set(set, "method", method, err);
    if (rc == NEAP_OK) rc = neap_options_get(set, "seed", seed, sizeof seed, err);
    if (rc == NEAP_OK && !parse_whole(seed, &first)) rc = fail(err, NEAP_E_ARG, "the seed is not a number");
    for (uint64_t i = 0; i < r->o->seeds && rc == NEAP_OK; i++) {
        neap_link_spec spec = { r->o->protocol, r->o->negatives, ratio / 100, first + i };
        neap_link_result result;
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)spec.seed);
        rc = neap_options_set(set, "seed", seed, err);
        if (rc == NEAP_OK) rc = neap_eval_link(r->graph, set, &spec, &hooks, &result, err);
        if (rc == NEAP_OK) add_result(c, &result);
    }
    neap_options_free(set);
    if (rc == NEAP_OK) finish_cell(c, (double)r->o->seeds);
    return rc;
}

static neap_status run_cells(run *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    interrupt_watch();
    progress_start(&r->bar, r->o->progress, r->a->quiet);
    for (size_t j = 0; j < r->ratios.count; j++)
        for (size_t i = 0; i < r->methods.count && rc == NEAP_OK; i++) {
            cell *c = &r->cells[i * r->ratios.count + j];
            rc = run_cell(r, r->methods.item[i], r->share[j], c, err);
            progress_clear(&r->bar);
            if (rc == NEAP_OK)
                say(r->a, "%s at %s %%: AUC %.4f", r->methods.item[i], r->ratios.item[j], c->auc.mean);
        }
    return rc;
}

/* ---- tables ---- */

static void print_table(const run *r)
{
    bool leaky = !strcmp(r->o->protocol, "paper");
    printf("AUC, protocol %s%s, %llu seed%s\n", r->o->protocol, leaky ? " (leaky)" : "",
           (unsigned long long)r->o->seeds, plural(r->o->seeds));
    if (leaky) printf("leaky: methods read the neighbourhoods of the whole graph, test links included\n");
    printf("%-12s", "method");
    for (size_t j = 0; j < r->ratios.count; j++) printf("%14s %%", r->ratios.item[j]);
    putchar('\n');
    for (size_t i = 0; i < r->methods.count; i++) {
        printf("%-12s", r->methods.item[i]);
        for (size_t j = 0; j < r->ratios.count; j++) {
            const cell *c = &r->cells[i * r->ratios.count + j];
            printf("  %.4f +-%.4f", c->auc.mean, c->auc.std);
        }
        putchar('\n');
    }
}

static void json_hits(json *j, const char *key, const double hits[3])
{
    json_open(j, key, '{');
    json_real(j, "1", hits[0]);
    json_real(j, "10", hits[1]);
    json_real(j, "50", hits[2]);
    json_close(j, '}');
}

static void json_cell(json *j, const run *r, size_t method, size_t ratio)
{
    const cell *c = &r->cells[method * r->ratios.count + ratio];
    json_open(j, NULL, '{');
    json_text(j, "method", r->methods.item[method]);
    json_text(j, "protocol", r->o->protocol);
    json_real(j, "ratio", r->share[ratio]);
    json_text(j, "negatives", r->o->negatives);
    json_open(j, "auc", '{');
    json_real(j, "mean", c->auc.mean);
    json_real(j, "std", c->auc.std);
    json_close(j, '}');
    json_real(j, "ap", c->ap);
    json_real(j, "mrr", c->mrr);
    json_hits(j, "hits", c->hits);
    json_hits(j, "pool_hits", c->pool_hits);
    json_whole(j, "pairs", c->pairs);
    json_whole(j, "skipped", c->skipped);
    json_real(j, "seconds", c->seconds);
    json_close(j, '}');
}

static void print_json(const run *r)
{
    json j = { .file = stdout };
    json_open(&j, NULL, '{');
    json_text(&j, "task", "link");
    json_text(&j, "protocol", r->o->protocol);
    json_switch(&j, "leaky", !strcmp(r->o->protocol, "paper"));
    json_whole(&j, "nodes", neap_graph_nodes(r->graph));
    json_whole(&j, "edges", neap_graph_edges(r->graph));
    json_whole(&j, "seeds", r->o->seeds);
    json_open(&j, "results", '[');
    for (size_t i = 0; i < r->methods.count; i++)
        for (size_t k = 0; k < r->ratios.count; k++) json_cell(&j, r, i, k);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- the command ---- */

static neap_status prepare(run *r, neap_error *err)
{
    if (strcmp(r->a->operands[0], "link"))
        return fail(err, NEAP_E_ARG, "there is nothing to evaluate as '%s'; there is link",
                    r->a->operands[0]);
    neap_status rc = read_list("methods", r->o->methods, &r->methods, err);
    if (rc == NEAP_OK) rc = read_list("ratios", r->o->ratios, &r->ratios, err);
    if (rc == NEAP_OK) rc = check_methods(&r->methods, err);
    if (rc == NEAP_OK) rc = read_shares(&r->ratios, 99.999, r->share, err);
    if (rc == NEAP_OK) rc = read_graph(r->a, r->a->operands[1], &r->graph, err);
    if (rc != NEAP_OK) return rc;
    r->cells = calloc(r->methods.count * r->ratios.count, sizeof *r->cells);
    return r->cells ? NEAP_OK : fail(err, NEAP_E_MEM, "out of memory for the table");
}

static neap_status run_eval(const args *a, neap_error *err)
{
    run r = { .a = a, .o = a->own };
    neap_status rc = prepare(&r, err);
    if (rc == NEAP_OK) rc = run_cells(&r, err);
    if (rc == NEAP_E_STOPPED) rc = fail(err, NEAP_E_STOPPED, "interrupted; the table is not complete");
    if (rc == NEAP_OK && a->json) print_json(&r);
    else if (rc == NEAP_OK) print_table(&r);
    neap_graph_free(r.graph);
    free(r.cells);
    return rc;
}

const command cmd_eval = {
    .name = "eval",
    .operands = "link GRAPH",
    .summary = "compare methods on held-out links, in one table",
    .details =
        "Splits the links of a graph, trains each method on one part and measures it on the other: the "
        "same pairs for all methods. Prints the AUC, mean and deviation over the seeds; --json has "
        "average precision, MRR and Hits too.\n"
        "Protocols: clean (nothing of the test is seen in training, every pair is scored), paper (as "
        "published, leaky: to reproduce its numbers), paper-clean (the paper's split without the leak).\n"
        "Every training option of `neap train` applies; a method ignores those it has no use for.\n",
    .examples = "neap eval link friends.txt --ratios 60 --seeds 2\n"
                "neap eval link friends.txt --methods gap,ppr --ratios 50,80 --epochs 5 --json\n",
    .least = 2,
    .most = 2,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,reading,running",
    .run = run_eval,
};
