#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval_common.h"
#include "interrupt.h"
#include "json.h"
#include "lists.h"
#include "moments.h"
#include "progress.h"
#include "splits.h"

typedef struct own {
    const char *methods, *protocol, *ratios, *negatives, *folder, *split, *vectors, *similarity, *progress;
    bool allow_missing;
    uint64_t seeds;
} own;

static const arg_option options[] = {
    { "methods", 0, "NAME,...", "gap,pa,cn,aa,ra,katz,l3,walk3,ppr", ARG_TEXT, offsetof(own, methods), 0, 0,
      false, "what to compare; `neap methods` lists all; none: --vectors alone" },
    { "protocol", 0, "clean|paper|paper-clean", "clean", ARG_TEXT, offsetof(own, protocol), 0, 0, false,
      "how links are split and scored" },
    { "ratios", 0, "PERCENT,...", "15,55,95", ARG_TEXT, offsetof(own, ratios), 0, 0, false,
      "shares of the pairs to train on" },
    { "seeds", 0, "N", "3", ARG_WHOLE, offsetof(own, seeds), 1, 1000, false,
      "splits per cell, from --seed on; the table has their mean and deviation" },
    { "test-negatives", 0, "uniform|degree|two-hop", "uniform", ARG_TEXT, offsetof(own, negatives), 0, 0,
      false, "clean: what test links are compared with: any non-link, popular ones, or near ones" },
    { "output", 'o', "DIR", NULL, ARG_TEXT, offsetof(own, folder), 0, 0, false,
      "keep the splits, each in a folder of its own, and results.json here" },
    { "split", 0, "DIR", NULL, ARG_TEXT, offsetof(own, split), 0, 0, false,
      "measure on this split, or on all in folders of DIR; they say protocol, ratios and seeds" },
    { "vectors", 0, "FILE", NULL, ARG_TEXT, offsetof(own, vectors), 0, 0, false,
      "also measure these: word2vec text, or .npy with names in .names.txt beside it" },
    { "similarity", 0, "dot|cosine", "dot", ARG_TEXT, offsetof(own, similarity), 0, 0, false,
      "how --vectors score a pair" },
    { "allow-missing", 0, "", NULL, ARG_SWITCH, offsetof(own, allow_missing), 0, 0, false,
      "a node that --vectors lacks gets a zero vector" },
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(own, progress), 0, 0, false,
      "show how far the run is" },
    { 0 },
};

/* ---- one cell: a method at a ratio, over the splits ---- */

typedef struct cell {
    moments auc, auc_no_loops, ap, mrr, hits[3], pool_hits[3], pairs, skipped, loops, ties, training,
        seconds;
    bool sees_test;
} cell;

typedef struct run {
    const args *a;
    const own *o;
    neap_graph *graph;
    neap_vectors *vectors; /* of --vectors, or NULL */
    list methods;
    splits splits;
    cell *cells; /* rows x ratios: the vectors first, then the methods */
    uint64_t seeds;
    progress bar;
} run;

static size_t rows_of(const run *r)
{
    return (r->vectors != NULL) + r->methods.count;
}

static bool is_vectors(const run *r, size_t row)
{
    return r->vectors && row == 0;
}

static const char *row_name(const run *r, size_t row)
{
    return is_vectors(r, row) ? last_part(r->o->vectors) : r->methods.item[row - (r->vectors != NULL)];
}

static cell *cell_at(const run *r, size_t row, size_t column)
{
    return &r->cells[row * r->splits.ratios + column];
}

static bool is_leaky(const run *r)
{
    return !strcmp(r->splits.protocol, "paper");
}

static void add_result(cell *c, const neap_link_result *x, double training)
{
    moments_add(&c->auc, x->auc);
    moments_add(&c->auc_no_loops, x->auc_no_loops);
    moments_add(&c->ap, x->ap);
    moments_add(&c->mrr, x->mrr);
    for (int i = 0; i < 3; i++)
        moments_add(&c->hits[i], x->hits[i]), moments_add(&c->pool_hits[i], x->pool_hits[i]);
    moments_add(&c->pairs, (double)x->pairs);
    moments_add(&c->skipped, (double)x->skipped);
    moments_add(&c->loops, (double)x->loops);
    moments_add(&c->ties, (double)x->ties);
    moments_add(&c->training, training);
    moments_add(&c->seconds, training + x->seconds);
    c->sees_test |= x->sees_test;
}

/* ---- running ---- */

static int on_progress(const neap_progress *now, void *user)
{
    run *r = user;
    if (!now->epoch_end) progress_show(&r->bar, now);
    return interrupt_seen();
}

static neap_status train(run *r, const neap_trial *trial, const char *method, uint64_t seed,
                         neap_model **model, neap_error *err)
{
    neap_options *set = NULL;
    neap_hooks hooks = { .progress = on_progress, .user = r };
    neap_status rc = options_for(r->a, method, seed, &set, err);
    if (rc == NEAP_OK) rc = neap_trial_train(trial, set, &hooks, model, err);
    neap_options_free(set);
    progress_clear(&r->bar);
    return rc;
}

static neap_status run_row(run *r, const neap_trial *trial, const split_item *item, size_t row,
                           neap_error *err)
{
    neap_link_result result;
    neap_model *model = NULL;
    neap_status rc = NEAP_OK;
    double start = seconds_now(), training = 0;
    if (interrupt_seen()) return fail(err, NEAP_E_STOPPED, "interrupted");
    if (is_vectors(r, row))
        rc = neap_trial_measure_vectors(trial, r->vectors->values, r->vectors->dim,
                                        !strcmp(r->o->similarity, "cosine"), &result, err);
    else {
        rc = train(r, trial, row_name(r, row), item->seed, &model, err);
        training = seconds_now() - start;
        if (rc == NEAP_OK) rc = neap_trial_measure(trial, model, &result, err);
    }
    neap_model_free(model);
    if (rc != NEAP_OK) return rc;
    add_result(cell_at(r, row, item->column), &result, training);
    say(r->a, "%s at %.10g %%, seed %llu: AUC %.4f", row_name(r, row), r->splits.ratio[item->column],
        (unsigned long long)item->seed, result.auc);
    return NEAP_OK;
}

static neap_status run_splits(run *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    interrupt_watch();
    progress_start(&r->bar, r->o->progress, r->a->quiet);
    for (size_t i = 0; i < r->splits.count && rc == NEAP_OK; i++) {
        neap_trial *trial = NULL;
        rc = splits_make(&r->splits, i, r->graph, &trial, err);
        for (size_t row = 0; row < rows_of(r) && rc == NEAP_OK; row++)
            rc = run_row(r, trial, &r->splits.item[i], row, err);
        neap_trial_free(trial);
    }
    progress_clear(&r->bar);
    return rc == NEAP_E_STOPPED ? fail(err, rc, "interrupted; the table is not complete") : rc;
}

/* ---- what could be seen ---- */

static const char *sees(const run *r, size_t row, size_t column)
{
    if (is_vectors(r, row)) return "unknown";
    return cell_at(r, row, column)->sees_test ? "test links" : "training links";
}

static const char *sees_in_words(const run *r)
{
    if (!r->methods.count) return "which links the vectors have seen is not known";
    return is_leaky(r) ? "leaky: gap reads the neighbourhoods of the whole graph, test links included"
                       : "methods saw training links only, which was checked for each of them";
}

/* ---- tables ---- */

static void print_counts(const run *r)
{
    const neap_graph_report *g = neap_graph_report_view(r->graph);
    bool clean = !strcmp(r->splits.protocol, "clean");
    char loops[SHORT], repeats[SHORT];
    printf("%s self-loop%s %s, %s repeated edge%s merged\n", with_commas(g->self_loops, loops),
           plural(g->self_loops), clean ? "dropped" : "kept", with_commas(g->repeats, repeats),
           plural(g->repeats));
    for (size_t j = 0; j < r->splits.ratios; j++) {
        const cell *c = cell_at(r, 0, j);
        printf("%.10g %%: %.10g test pairs scored, %.10g skipped", r->splits.ratio[j], c->pairs.mean,
               c->skipped.mean);
        if (!clean) printf(", %.10g of the scored are self-loops", c->loops.mean);
        putchar('\n');
    }
}

static void print_rows(const run *r, size_t which)
{
    printf("%-14s", "method");
    for (size_t j = 0; j < r->splits.ratios; j++) printf("%13.10g %%  ", r->splits.ratio[j]);
    puts("sees");
    for (size_t i = 0; i < rows_of(r); i++) {
        print_name(stdout, row_name(r, i), 14);
        for (size_t j = 0; j < r->splits.ratios; j++) {
            const cell *c = cell_at(r, i, j);
            const moments *m = which ? &c->auc_no_loops : &c->auc;
            printf("%8.4f +-%.4f", m->mean, moments_std(m));
        }
        printf("  %s\n", sees(r, i, 0));
    }
}

static void print_table(const run *r)
{
    bool clean = !strcmp(r->splits.protocol, "clean"), loops = false;
    printf("AUC, protocol %s%s", r->splits.protocol, is_leaky(r) ? " (leaky)" : "");
    if (clean) printf(", %s negatives", r->splits.negatives);
    printf(", %llu seed%s\n%s\n", (unsigned long long)r->seeds, plural(r->seeds), sees_in_words(r));
    print_counts(r);
    print_rows(r, 0);
    for (size_t j = 0; j < r->splits.ratios; j++) loops |= cell_at(r, 0, j)->loops.mean > 0;
    if (!loops) return;
    puts("\nAUC without the self-loops among the test pairs");
    print_rows(r, 1);
}

static void json_hits(json *j, const char *key, const moments hits[3])
{
    json_open(j, key, '{');
    json_real(j, "1", hits[0].mean);
    json_real(j, "10", hits[1].mean);
    json_real(j, "50", hits[2].mean);
    json_close(j, '}');
}

static void json_cell(json *j, const run *r, size_t row, size_t column)
{
    const cell *c = cell_at(r, row, column);
    json_open(j, NULL, '{');
    json_text(j, "method", row_name(r, row));
    json_text(j, "protocol", r->splits.protocol);
    json_real(j, "ratio", r->splits.ratio[column]);
    json_text(j, "negatives", r->splits.negatives);
    json_text(j, "sees", sees(r, row, column));
    json_moments(j, "auc", &c->auc);
    json_real(j, "auc_no_loops", c->auc_no_loops.mean);
    json_real(j, "ap", c->ap.mean);
    json_real(j, "mrr", c->mrr.mean);
    json_hits(j, "hits", c->hits);
    json_hits(j, "pool_hits", c->pool_hits);
    json_real(j, "pairs", c->pairs.mean);
    json_real(j, "skipped", c->skipped.mean);
    json_real(j, "loops", c->loops.mean);
    json_real(j, "ties", c->ties.mean);
    json_whole(j, "splits", c->auc.count);
    json_real(j, "seconds", c->seconds.mean);
    json_real(j, "seconds_training", c->training.mean);
    json_close(j, '}');
}

static uint64_t all_ties(const run *r)
{
    double ties = 0;
    for (size_t i = 0; i < rows_of(r) * r->splits.ratios; i++)
        ties += r->cells[i].ties.mean * (double)r->cells[i].ties.count;
    return (uint64_t)llround(ties);
}

static void json_two(json *j, const char *key, const char *first, uint64_t a, const char *second,
                     uint64_t b)
{
    json_open(j, key, '{');
    json_whole(j, first, a);
    json_whole(j, second, b);
    json_close(j, '}');
}

static void print_json(const void *user, FILE *to)
{
    const run *r = user;
    const neap_graph_report *g = neap_graph_report_view(r->graph);
    bool clean = !strcmp(r->splits.protocol, "clean");
    json j = { .file = to };
    json_open(&j, NULL, '{');
    json_text(&j, "task", "link");
    json_text(&j, "protocol", r->splits.protocol);
    json_switch(&j, "leaky", is_leaky(r));
    json_text(&j, "sees", sees_in_words(r));
    json_whole(&j, "nodes", neap_graph_nodes(r->graph));
    json_whole(&j, "edges", neap_graph_edges(r->graph));
    json_two(&j, "self_loops", "dropped", clean ? g->self_loops : 0, "kept", clean ? 0 : g->self_loops);
    json_two(&j, "repeats", "merged", g->repeats, "kept", 0);
    json_whole(&j, "seeds", r->seeds);
    json_whole(&j, "ties", all_ties(r));
    json_open(&j, "results", '[');
    for (size_t i = 0; i < rows_of(r); i++)
        for (size_t k = 0; k < r->splits.ratios; k++) json_cell(&j, r, i, k);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- the command ---- */

static neap_status read_methods(run *r, neap_error *err)
{
    if (!strcmp(r->o->methods, "none") && r->o->vectors) return NEAP_OK;
    neap_status rc = read_list("methods", r->o->methods, &r->methods, err);
    return rc == NEAP_OK ? check_methods(&r->methods, err) : rc;
}

static neap_status read_valid(const run *r, double *valid, neap_error *err)
{
    char text[SHORT];
    neap_status rc = neap_options_get(r->a->options, "valid", text, sizeof text, err);
    if (rc == NEAP_OK && !parse_real(text, valid)) rc = fail(err, NEAP_E_ARG, "--valid is not a number");
    return rc;
}

static neap_status plan_draws(run *r, neap_error *err)
{
    list ratios;
    double share[LIST_MOST];
    uint64_t seed;
    r->splits.protocol = r->o->protocol;
    r->splits.negatives = r->o->negatives;
    r->seeds = r->o->seeds;
    neap_status rc = read_list("ratios", r->o->ratios, &ratios, err);
    if (rc == NEAP_OK) rc = read_shares(&ratios, 99.999, share, err);
    if (rc == NEAP_OK) rc = read_whole_option(r->a, "seed", &seed, err);
    if (rc == NEAP_OK) rc = read_valid(r, &r->splits.valid, err);
    if (rc != NEAP_OK) return rc;
    return splits_draw(&r->splits, share, ratios.count, seed, r->o->seeds, r->o->folder, err);
}

static neap_status plan_found(run *r, neap_error *err)
{
    neap_status rc = splits_find(&r->splits, r->o->split, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0, same = 0; i < r->splits.count; i++) {
        same = i && r->splits.item[i].column == r->splits.item[i - 1].column ? same + 1 : 1;
        if (same > r->seeds) r->seeds = same;
    }
    say(r->a, "%s: %zu split%s; protocol %s, ratios and seeds are theirs", r->o->split, r->splits.count,
        plural(r->splits.count), r->splits.protocol);
    return NEAP_OK;
}

static neap_status take_vectors(run *r, neap_error *err)
{
    if (!r->o->vectors) return NEAP_OK;
    neap_status rc = read_vectors(r->a, r->o->vectors, r->graph, r->o->allow_missing, &r->vectors, err);
    if (rc != NEAP_OK) return rc;
    say(r->a,
        "  which links they have seen is not known; an honest row needs vectors made from train.tsv%s",
        r->splits.count > 1
            ? ",\n  and there are several splits: those of one have seen test links of the others"
            : "");
    return NEAP_OK;
}

static neap_status prepare(run *r, neap_error *err)
{
    neap_status rc = read_methods(r, err);
    if (rc == NEAP_OK) rc = r->o->split ? plan_found(r, err) : plan_draws(r, err);
    if (rc == NEAP_OK) rc = make_folder(r->o->folder, err);
    if (rc == NEAP_OK) rc = read_graph(r->a, r->a->operands[0], &r->graph, err);
    if (rc == NEAP_OK) rc = take_vectors(r, err);
    if (rc != NEAP_OK) return rc;
    r->cells = calloc(rows_of(r) * r->splits.ratios, sizeof *r->cells);
    return r->cells ? NEAP_OK : fail(err, NEAP_E_MEM, "out of memory for the table");
}

static neap_status run_eval(const args *a, neap_error *err)
{
    run r = { .a = a, .o = a->own };
    neap_status rc = prepare(&r, err);
    if (rc == NEAP_OK) rc = run_splits(&r, err);
    if (rc == NEAP_OK && !a->json) print_table(&r);
    if (rc == NEAP_OK) rc = report_json(a, r.o->folder, print_json, &r, err);
    neap_vectors_free(r.vectors);
    neap_graph_free(r.graph);
    splits_free(&r.splits);
    free(r.cells);
    return rc;
}

const command cmd_eval_link = {
    .name = "eval link",
    .operands = "GRAPH",
    .summary = "compare methods on held-out links, in one table",
    .details =
        "Splits the links of a graph, trains each method on one part and measures it on the other: the "
        "same pairs for all methods. Prints the AUC, mean and deviation over the seeds; --json has "
        "average precision, MRR and Hits too.\n"
        "Protocols: clean (nothing of the test is seen in training, every pair is scored), paper (as "
        "published, leaky: to reproduce its numbers), paper-clean (the paper's split without the leak). "
        "In clean and paper-clean every model is checked for leaks; one that is found ends the run with "
        "exit code 5.\n"
        "-o keeps the splits as files that any tool can read, and --split measures on them again, today or "
        "next year. --vectors measures what another tool has learned: make them from the train.tsv of a "
        "split.\n"
        "Every training option of `neap train` applies; a method ignores those it has no use for.\n",
    .examples = "neap eval link friends.txt --ratios 60 --seeds 2\n"
                "neap eval link friends.txt --methods gap,ppr --ratios 50,80 --epochs 5 --json\n"
                "neap eval link friends.txt --ratios 80 --seeds 1 --epochs 5 -o splits\n"
                "neap train splits/clean-uniform-80-seed1/train.tsv -o mine --epochs 5\n"
                "neap embed mine -o mine.vec\n"
                "neap eval link friends.txt --split splits --vectors mine.vec --epochs 5\n",
    .least = 1,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,reading,running",
    .run = run_eval,
};
