#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "eval_common.h"
#include "given.h"
#include "link_page.h"
#include "link_table.h"
#include "progress.h"
#include "support/clock.h"
#include "support/path.h"
#include "targets.h"

typedef struct own {
    const char *methods, *protocol, *ratios, *negatives, *folder, *split, *pairs, *vectors, *similarity,
        *progress, *targets;
    bool allow_missing, untrained, ablate;
    uint64_t seeds;
    attributes_own attributes;
} own;

/* What is compared unless --methods says otherwise; without and with texts or features. */
static const char usual[] = "evidence,gap,pa,popularity,cn,aa,ra,katz,l3,walk3,ppr";
static const char usual_with_text[] = "evidence,gap,pa,popularity,cn,aa,ra,katz,l3,walk3,ppr,text";

static const arg_option options[] = {
    { "methods", 0, "NAME,...", NULL, ARG_TEXT, offsetof(own, methods), 0, 0, false,
      "methods to compare; `neap methods` lists all; none: --vectors, or splits, alone; unless given: "
      "evidence, gap, pa, popularity, cn, aa, ra, katz, l3, walk3 and ppr, with --text or --features also "
      "text" },
    { "untrained", 0, "", "yes", ARG_SWITCH, offsetof(own, untrained), 0, 0, false,
      "also evaluate each trained method at 0 epochs" },
    { "ablate", 0, "", NULL, ARG_SWITCH, offsetof(own, ablate), 0, 0, false,
      "also evaluate evidence without each group of --evidence that the graph has" },
    { "protocol", 0, "clean|paper|paper-clean", "clean", ARG_TEXT, offsetof(own, protocol), 0, 0, false,
      "how links are split and scored" },
    { "ratios", 0, "PERCENT,...", "15,55,95", ARG_TEXT, offsetof(own, ratios), 0, 0, false,
      "shares of the pairs to train on" },
    { "seeds", 0, "N", "3", ARG_WHOLE, offsetof(own, seeds), 1, 1000, false,
      "splits per cell, from --seed on; the table has their mean and deviation" },
    { "test-negatives", 0, "uniform|degree|two-hop", "uniform", ARG_TEXT, offsetof(own, negatives), 0, 0,
      false, "clean: what test links are compared with: any non-link, popular ones, or near ones" },
    TARGETS_OPTION(own, targets),
    ATTRIBUTE_OPTIONS(own, attributes),
    { "output", 'o', "DIR", NULL, ARG_TEXT, offsetof(own, folder), 0, 0, false,
      "keep the splits, each in a folder of its own, results.json and report.html here" },
    { "split", 0, "DIR", NULL, ARG_TEXT, offsetof(own, split), 0, 0, false,
      "evaluate on this split, or on all in folders of DIR, with their protocol, ratios and seeds" },
    { "pairs", 0, "DIR", NULL, ARG_TEXT, offsetof(own, pairs), 0, 0, false,
      "in place of GRAPH: a split of others, train.txt, test_pos.txt and test_neg.txt (or another ending) "
      "in "
      "DIR, or all in folders of DIR" },
    { "vectors", 0, "FILE", NULL, ARG_TEXT, offsetof(own, vectors), 0, 0, false,
      "also evaluate these vectors: word2vec text, .npy or .safetensors with names in .names.txt beside "
      "it" },
    { "similarity", 0, "dot|cosine", "dot", ARG_TEXT, offsetof(own, similarity), 0, 0, false,
      "how --vectors score a pair" },
    { "allow-missing", 0, "", NULL, ARG_SWITCH, offsetof(own, allow_missing), 0, 0, false,
      "a node that --vectors lacks gets a zero vector" },
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(own, progress), 0, 0, false,
      "show the progress of the run" },
    { 0 },
};

typedef struct run {
    const args *a;
    const own *o;
    neap_graph *graph;     /* with --pairs: the training graph of the split in hand */
    given given;           /* that split */
    neap_vectors *vectors; /* of --vectors, or NULL */
    target_set targets;
    attributes known;
    name_list methods;
    link_table table;
    size_t done; /* cells of one split each */
    progress bar;
} run;

/* ---- ablation ---- */

static neap_data data_of(const run *r)
{
    return (neap_data){ .size = sizeof(neap_data),
                        .graph = r->graph,
                        .text = r->known.text,
                        .features = r->known.features,
                        .targets = r->table.splits.targets };
}

/* The next group of evidence that the graph has and --evidence names, from the i-th on; NULL: none. */
static const char *next_group(const run *r, size_t *i)
{
    const char *list = args_value(r->a, "evidence"), *group;
    neap_data data = data_of(r);
    while ((group = neap_evidence_group(&data, (*i)++)))
        if (!list || ni_list_has(list, ',', "all") || ni_list_has(list, ',', group)) return group;
    return NULL;
}

/* "degrees,shared,paths": all but one; "" if there is no other. */
enum { REST = 256 };
static const char *groups_without(const run *r, const char *without, char rest[REST])
{
    size_t used = 0, i = 0;
    *rest = 0;
    for (const char *group; (group = next_group(r, &i)) && used < REST;)
        if (strcmp(group, without))
            used += (size_t)snprintf(rest + used, REST - used, "%s%s", used ? "," : "", group);
    return rest;
}

/* A row below evidence for each of its groups. */
static neap_status add_ablation(run *r, neap_error *err)
{
    link_table *t = &r->table;
    size_t rows = t->rows, i = 0;
    char rest[REST];
    for (const char *group; (group = next_group(r, &i));)
        if (*groups_without(r, group, rest))
            t->row[t->rows++] = (link_row){ .method = "evidence", .without = group };
    if (t->rows > rows) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "--ablate leaves nothing of one group of evidence");
}

/* ---- what is read ---- */

static neap_status take_vectors(run *r, neap_error *err)
{
    if (!r->o->vectors) return NEAP_OK;
    neap_status rc = read_vectors(r->a, r->o->vectors, r->graph, r->o->allow_missing, &r->vectors, err);
    if (rc == NEAP_OK)
        say(r->a,
            "  unknown which links they were trained on; for a fair comparison make vectors from "
            "train.%s",
            r->o->pairs ? "txt" : "tsv");
    return rc;
}

/* What is known of the nodes beside their links. */
static neap_status take_attributes(run *r, neap_error *err)
{
    neap_status rc = attributes_read(r->a, &r->o->attributes, r->graph, &r->known, err);
    return rc == NEAP_OK ? take_vectors(r, err) : rc;
}

static void drop(run *r)
{
    neap_vectors_free(r->vectors);
    attributes_free(&r->known);
    given_free(&r->given);
    neap_graph_free(r->graph);
    r->vectors = NULL;
    r->graph = NULL;
}

/* Each split of others has a graph of its own. */
static neap_status take_given(run *r, size_t i, neap_error *err)
{
    drop(r);
    neap_status rc = given_read(r->a, r->table.splits.item[i].folder, &r->given, err);
    r->graph = r->given.train;
    r->given.train = NULL;
    return rc == NEAP_OK ? take_attributes(r, err) : rc;
}

/* ---- running ---- */

static int on_progress(const neap_progress *now, void *user)
{
    run *r = user;
    if (!now->epoch_end) progress_show(&r->bar, now);
    return 0;
}

static neap_status train(const run *r, const neap_trial *trial, const link_row *row, uint64_t seed,
                         const neap_hooks *hooks, neap_model **model, neap_error *err)
{
    neap_options *set = NULL;
    char rest[REST];
    neap_status rc = options_for(r->a, row->method, seed, &set, err);
    if (rc == NEAP_OK && row->without)
        rc = neap_options_set(set, "evidence", groups_without(r, row->without, rest), err);
    if (rc == NEAP_OK && row->untrained) rc = neap_options_set(set, "epochs", "0", err);
    if (rc == NEAP_OK && row->untrained) rc = neap_options_set(set, "valid", "0", err);
    if (rc == NEAP_OK) rc = neap_trial_train(trial, set, hooks, model, err);
    neap_options_free(set);
    return rc;
}

static neap_status measure(run *r, const neap_trial *trial, const link_row *row, uint64_t seed,
                           neap_link_result *result, double *training, neap_error *err)
{
    neap_model *model = NULL;
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_progress, .user = r };
    double start = ni_seconds();
    *training = 0;
    if (row->given)
        return neap_trial_measure_vectors(trial, r->vectors->values, r->vectors->dim,
                                          !strcmp(r->o->similarity, "cosine"), &hooks, result, err);
    neap_status rc = train(r, trial, row, seed, &hooks, &model, err);
    *training = ni_seconds() - start;
    if (rc == NEAP_OK) rc = neap_trial_measure(trial, model, &hooks, result, err);
    neap_model_free(model);
    return rc;
}

/* "3 of 12: gap at 55 %, seed 1: AUC 0.8812; about 2 min 10 s left" */
static neap_status run_row(run *r, const neap_trial *trial, const split_item *item, size_t row,
                           neap_error *err)
{
    link_table *t = &r->table;
    neap_link_result result = NEAP_SIZED(neap_link_result);
    double training;
    char words[LINK_WORDS], left[LEFT_WORDS], auc[SHORT];
    progress_name(&r->bar, link_words(t, row, item, words));
    neap_status rc = measure(r, trial, &t->row[row], item->seed, &result, &training, err);
    progress_clear(&r->bar);
    if (rc != NEAP_OK) return rc;
    link_cell_add(link_cell_at(t, row, item->column), &result, training);
    say(r->a, "%zu of %zu: %s: AUC %s%s", ++r->done, t->rows * t->splits.count, words,
        human_metric(result.auc, auc), words_left(link_seconds_left(t), left));
    return NEAP_OK;
}

/* Ctrl-C waits for files only: a run can be repeated from its seeds. */
static void allow_interrupt(const run *r)
{
    char kept[256] = "";
    size_t count = r->table.splits.kept;
    if (count)
        snprintf(kept, sizeof kept, "%zu split%s %s kept in %.150s", count, plural(count),
                 count == 1 ? "is" : "are", r->o->folder);
    end_if_interrupted(&r->bar, kept);
}

static neap_status make_trial(run *r, size_t i, neap_trial **out, neap_error *err)
{
    splits *s = &r->table.splits;
    neap_status rc = s->given && i ? take_given(r, i, err) : NEAP_OK;
    neap_data data = data_of(r);
    neap_given_pairs pairs = { sizeof pairs,
                               r->given.positives,
                               r->given.negatives,
                               r->given.positive_count,
                               r->given.negative_count,
                               s->valid,
                               s->item[i].seed };
    if (rc == NEAP_OK)
        rc = s->given ? neap_trial_from_pairs(&data, &pairs, out, err) : splits_make(s, i, &data, out, err);
    if (rc == NEAP_OK && i == 0) rc = neap_trial_facts_of(*out, &r->table.facts, err);
    if (rc == NEAP_OK && i == 0 && s->given) s->ratio[0] = round(1000 * r->table.facts.ratio) / 10;
    return rc;
}

static neap_status run_splits(run *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    splits *s = &r->table.splits;
    for (size_t i = 0; i < s->count && rc == NEAP_OK; i++) {
        neap_trial *trial = NULL;
        rc = make_trial(r, i, &trial, err);
        allow_interrupt(r);
        for (size_t row = 0; row < r->table.rows && rc == NEAP_OK; row++)
            rc = run_row(r, trial, &s->item[i], row, err);
        neap_trial_free(trial);
    }
    interrupt_ends(NULL);
    return rc;
}

/* ---- what to run ---- */

static neap_status check_ablation(const run *r, neap_error *err)
{
    neap_options *set = NULL;
    for (size_t i = 0; i < r->methods.count; i++)
        if (!strcmp(r->methods.item[i], "evidence")) {
            neap_status rc = options_for(r->a, "evidence", 1, &set, err);
            neap_options_free(set);
            return rc;
        }
    return ni_fail(err, NEAP_E_ARG, "--ablate leaves out parts of evidence: add it to --methods");
}

static neap_status read_methods(run *r, neap_error *err)
{
    bool known = r->o->attributes.text || r->o->attributes.features;
    const char *methods = r->o->methods ? r->o->methods : known ? usual_with_text : usual;
    bool none = !strcmp(methods, "none");
    if (none && !r->o->vectors && (r->o->split || !r->o->folder))
        return ni_fail(err, NEAP_E_ARG,
                       "--methods none leaves nothing to do without --vectors; with -o DIR it "
                       "makes the splits alone");
    neap_status rc = none ? NEAP_OK : read_list("methods", methods, &r->methods, err);
    if (rc == NEAP_OK) rc = check_methods(&r->methods, err);
    return rc == NEAP_OK && r->o->ablate ? check_ablation(r, err) : rc;
}

/* A trained method has a second row, itself at 0 epochs, unless that is what it is already. */
static bool has_untrained(const run *r, const char *method)
{
    const char *epochs = args_value(r->a, "epochs");
    uint64_t count = 1;
    if (epochs) ni_parse_u64(epochs, strlen(epochs), &count);
    return r->o->untrained && count > 0 && learns(method);
}

static neap_status make_rows(run *r, neap_error *err)
{
    link_table *t = &r->table;
    neap_status rc = NEAP_OK;
    if (r->o->vectors)
        t->row[t->rows++] = (link_row){ .method = ni_path_name(r->o->vectors), .given = true };
    for (size_t i = 0; i < r->methods.count && rc == NEAP_OK; i++) {
        const char *method = r->methods.item[i];
        t->row[t->rows++] = (link_row){ .method = method };
        if (r->o->ablate && !strcmp(method, "evidence")) rc = add_ablation(r, err);
        if (has_untrained(r, method)) t->row[t->rows++] = (link_row){ .method = method, .untrained = true };
    }
    t->cells = calloc(t->rows * t->splits.ratios + 1, sizeof *t->cells);
    return rc == NEAP_OK && !t->cells ? ni_fail(err, NEAP_E_MEM, "out of memory for the table") : rc;
}

/* The share of the validation pairs that every method of a split finds there; 0: the usual one. */
static neap_status read_valid(const run *r, double *valid, neap_error *err)
{
    const char *text = args_value(r->a, "valid");
    *valid = 0;
    if (!text || ni_parse_double(text, strlen(text), valid)) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "--valid is not a number");
}

static neap_status plan_draws(run *r, neap_error *err)
{
    name_list ratios;
    double share[LIST_MOST];
    uint64_t seed;
    splits *s = &r->table.splits;
    s->protocol = r->o->protocol;
    s->negatives = r->o->negatives;
    s->target_kind = !r->o->targets ? "all" : strcmp(r->o->targets, "auto") ? "list" : "opposite";
    if (r->o->targets && !strcmp(r->o->targets, "all")) s->target_kind = "all";
    if (strcmp(s->target_kind, "all") && strcmp(s->protocol, "clean"))
        return ni_fail(err, NEAP_E_ARG,
                       "--targets is for the protocol clean; %s compares with nodes of the test edges, as "
                       "the paper does",
                       s->protocol);
    r->table.seeds = r->o->seeds;
    if (args_given(r->a, "test-negatives") && strcmp(s->protocol, "clean"))
        return ni_fail(err, NEAP_E_ARG,
                       "--test-negatives is for the protocol clean; %s compares with nodes of "
                       "the test edges, as the paper does",
                       s->protocol);
    neap_status rc = read_list("ratios", r->o->ratios, &ratios, err);
    if (rc == NEAP_OK) rc = read_shares("ratios", &ratios, 99.999, share, err);
    if (rc == NEAP_OK) rc = read_whole_option(r->a, "seed", &seed, err);
    if (rc == NEAP_OK) rc = read_valid(r, &s->valid, err);
    if (rc != NEAP_OK) return rc;
    warn_of_small_shares(r->a, "ratios", &ratios, share);
    return splits_draw(s, share, ratios.count, seed, r->o->seeds, r->o->folder, err);
}

static neap_status plan_found(run *r, neap_error *err)
{
    static const char *const theirs[] = {
        "protocol", "ratios", "seeds", "seed", "test-negatives", "targets"
    };
    splits *s = &r->table.splits;
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (args_given(r->a, theirs[i]))
            return ni_fail(
                err, NEAP_E_ARG,
                "the splits of --split determine protocol, ratios, seeds, negatives and targets: leave "
                "--%s out; of several splits, name the folder of the one you want",
                theirs[i]);
    neap_status rc = splits_find(s, r->o->split, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0, same = 0; i < s->count; i++) {
        same = i && s->item[i].column == s->item[i - 1].column ? same + 1 : 1;
        if (same > r->table.seeds) r->table.seeds = same;
    }
    say(r->a, "%s: %zu split%s; protocol %s, with their ratios and seeds", r->o->split, s->count,
        plural(s->count), s->protocol);
    return NEAP_OK;
}

static neap_status plan_given(run *r, neap_error *err)
{
    static const char *const theirs[] = { "protocol",       "ratios",  "seeds",
                                          "test-negatives", "targets", "split" };
    splits *s = &r->table.splits;
    uint64_t seed = 0;
    s->given = true;
    if (r->a->operand_count)
        return ni_fail(err, NEAP_E_ARG, "--pairs stands in place of GRAPH: leave '%.100s' out",
                       r->a->operands[0]);
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        if (args_given(r->a, theirs[i]))
            return ni_fail(err, NEAP_E_ARG,
                           "the files of --pairs say what is trained on and what is tested: leave --%s out",
                           theirs[i]);
    neap_status rc = given_find(s, r->o->pairs, err);
    if (rc == NEAP_OK) rc = read_whole_option(r->a, "seed", &seed, err);
    if (rc == NEAP_OK) rc = read_valid(r, &s->valid, err);
    for (size_t i = 0; i < s->count; i++) s->item[i].seed = seed;
    r->table.seeds = s->count;
    if (rc == NEAP_OK) say(r->a, "%s: %zu split%s of others", r->o->pairs, s->count, plural(s->count));
    return rc;
}

static neap_status plan(run *r, neap_error *err)
{
    if (r->o->pairs) return plan_given(r, err);
    if (!r->a->operand_count)
        return ni_fail(err, NEAP_E_ARG, "a graph is missing, or --pairs DIR; usage: neap eval link GRAPH");
    return r->o->split ? plan_found(r, err) : plan_draws(r, err);
}

static neap_status read_input(run *r, neap_error *err)
{
    if (r->o->pairs) return take_given(r, 0, err);
    neap_status rc = read_graph(r->a, r->a->operands[0], &r->graph, err);
    if (rc == NEAP_OK) rc = targets_read(r->a, r->o->targets, r->graph, &r->targets, err);
    if (strcmp(r->table.splits.target_kind, "all")) r->table.splits.targets = targets_of(&r->targets);
    return rc == NEAP_OK ? take_attributes(r, err) : rc;
}

static neap_status prepare(run *r, neap_error *err)
{
    neap_status rc = check_vectors(r->a, err);
    if (rc == NEAP_OK) rc = read_methods(r, err);
    if (rc == NEAP_OK) rc = plan(r, err);
    if (rc == NEAP_OK && r->o->folder) rc = neap_folder_create(r->o->folder, err);
    if (rc == NEAP_OK) rc = read_input(r, err);
    return rc == NEAP_OK ? make_rows(r, err) : rc;
}

/* ---- the command ---- */

static void print_json(const void *user, FILE *to)
{
    link_table_json(user, to);
}

/* Without rows there are only splits to keep. */
static neap_status report(const run *r, neap_error *err)
{
    const link_table *t = &r->table;
    char count[SHORT];
    const char *folder = r->o->folder, *results = t->rows ? "results.json and report.html" : "";
    if (t->rows && !r->a->json) link_table_print(t);
    neap_status rc = report_json(r->a, t->rows ? folder : NULL, print_json, t, err);
    if (rc == NEAP_OK && t->rows && folder)
        rc = link_page_save(t, ni_path_name(r->o->pairs ? r->o->pairs : r->a->operands[0]), folder, err);
    if (rc != NEAP_OK || !folder) return rc;
    if (!t->splits.kept) say(r->a, "%s: %s written", folder, results);
    else
        say(r->a, "%s: %s split%s%s%s written", folder, ni_format_count(t->splits.kept, count),
            plural(t->splits.kept), t->rows ? ", " : "", results);
    return rc;
}

static neap_status run_eval(const args *a, neap_error *err)
{
    run r = { .a = a,
              .o = a->own,
              .table = { .facts = NEAP_SIZED(neap_trial_facts), .splits.target_kind = "all" } };
    interrupt_watch();
    progress_start(&r.bar, r.o->progress, a->quiet);
    allow_interrupt(&r);
    neap_status rc = prepare(&r, err);
    if (rc == NEAP_OK) rc = run_splits(&r, err);
    if (rc == NEAP_OK) rc = report(&r, err);
    drop(&r);
    targets_free(&r.targets);
    splits_free(&r.table.splits);
    free(r.table.cells);
    return rc;
}

const command cmd_eval_link = {
    .name = "eval link",
    .operands = "[GRAPH]",
    .summary = "compare methods on held-out links, in one table",
    .details =
        "Splits the links of a graph, trains each method on one part and evaluates it on the other: "
        "the same pairs for all methods. Prints the AUC, mean and deviation over the seeds; --json "
        "has average precision, MRR and Hits too.\n"
        "Protocols: clean (nothing of the test is seen in training, every pair is scored), paper "
        "(as published, leaky: to reproduce its numbers), paper-clean (the paper's split without "
        "the leak). In clean and paper-clean every model is checked for test pairs; a leak ends the "
        "run with exit code 5.\n"
        "With --targets (protocol clean) test links lead to targets and are compared with targets, "
        "and so is training; --targets auto is the opposite side of a bipartite graph.\n"
        "Where a method has a probability, the table tells how right it is: the distance from what came "
        "true, beside what chance alone would show.\n"
        "-o writes the results as a page, too, and keeps the splits as files that any tool can read (with "
        "--methods none it makes nothing "
        "else), and --split evaluates on them again. --vectors evaluates the vectors of another "
        "tool: make them from the train.tsv of a split.\n"
        "With --pairs the table is of a published split: training links, test links and non-links as "
        "files. "
        "Only names are read from the test files before methods are trained.\n"
        "Every training option of `neap train` applies; a method ignores those it does not have.\n",
    .examples = "neap eval link friends.txt --ratios 60 --seeds 2\n"
                "neap eval link friends.txt --methods gap,ppr --ratios 50,80 --epochs 5 --json\n"
                "neap eval link friends.txt --methods evidence --ablate --ratios 60 --seeds 2\n"
                "neap eval link friends.txt --ratios 80 --seeds 1 --epochs 5 -o splits\n"
                "neap train splits/clean-uniform-80-seed1/train.tsv -o mine --epochs 5\n"
                "neap embed mine -o mine.vec\n"
                "neap eval link friends.txt --split splits --vectors mine.vec --epochs 5\n"
                "neap eval link --pairs published --undirected --methods evidence,ra\n",
    .least = 0,
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,walks,text,reading,running,!method,!test",
    .run = run_eval,
};
