#include "common.h"
#include "eval_common.h"

typedef struct own {
    const char *split, *model;
} own;

static const arg_option options[] = {
    { "split", 0, "DIR", NULL, ARG_TEXT, offsetof(own, split), 0, 0, false,
      "check the files of this split, or of all in DIR, and the split for leaks" },
    { "model", 0, "MODEL", NULL, ARG_TEXT, offsetof(own, model), 0, 0, false,
      "with --split: check this model for test pairs" },
    { 0 },
};

/* ---- a file ---- */

static void print_file_json(const char *path, neap_status rc, const neap_error *err)
{
    ni_json j = json_to(stdout);
    ni_json_open(&j, NULL, '{');
    ni_json_text(&j, "file", path);
    ni_json_switch(&j, "ok", rc == NEAP_OK);
    if (rc) ni_json_text(&j, "error", err->text);
    ni_json_close(&j, '}');
}

static neap_status check_file(const args *a, neap_error *err)
{
    neap_status rc = neap_file_check(a->operands[0], NULL, NULL, err);
    if (a->json) print_file_json(a->operands[0], rc, err);
    else if (rc == NEAP_OK) puts("ok");
    return rc;
}

/* ---- a split, and a model of it ---- */

typedef struct finding {
    const char *split, *model;
    neap_trial_facts facts;
    neap_leak_report report;
} finding;

static void print_line(const char *what, uint64_t count)
{
    char text[SHORT];
    printf("  %-56s%14s\n", what, ni_format_count(count, text));
}

static void print_finding(const finding *f)
{
    const neap_leak_report *r = &f->report;
    printf("ok: no leak (protocol %s, %.10g %%, seed %llu)\n", f->facts.protocol, f->facts.ratio * 100,
           (unsigned long long)f->facts.seed);
    print_line(r->reverse ? "test pairs, but for the reverse ones below, in none of:"
                          : "test pairs, in either direction in none of:",
               r->test_pairs);
    print_line("  training edges of the split", f->facts.train);
    print_line("  validation pairs of the split", f->facts.valid);
    if (f->model) {
        print_line("  training edges of the model", r->train_edges);
        print_line("  neighbours that the model reads", r->neighbours);
        print_line("  links that training negatives avoid", r->rejected);
        print_line("  degrees, recounted from the training pairs", r->degrees);
    }
    print_line("test negatives, all as the protocol allows", r->negatives);
    if (r->reverse) print_line("test pairs whose reverse is a training edge, as the", r->reverse);
    if (r->reverse) puts("    protocol has it: reciprocal edges are split one by one");
    if (r->shared_negatives)
        print_line("validation negatives that are test negatives too", r->shared_negatives);
}

/* What was not counted, since the check ended before or there is no model, is null. */
static void json_count(ni_json *j, const char *key, bool counted, uint64_t count)
{
    if (counted) ni_json_whole(j, key, count);
    else ni_json_text(j, key, NULL);
}

static void print_finding_json(ni_json *j, const finding *f, neap_status rc, const neap_error *err)
{
    const neap_leak_report *r = &f->report;
    bool all = rc == NEAP_OK, model = all && f->model;
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "split", f->split);
    ni_json_text(j, "model", f->model);
    ni_json_switch(j, "ok", rc == NEAP_OK);
    ni_json_switch(j, "leak", rc == NEAP_E_LEAK);
    if (rc) ni_json_text(j, "error", err->text);
    ni_json_text(j, "protocol", f->facts.protocol);
    json_count(j, "test_pairs", r->test_pairs, r->test_pairs);
    json_count(j, "train_edges", model, r->train_edges);
    json_count(j, "neighbours", model, r->neighbours);
    json_count(j, "rejected", model, r->rejected);
    json_count(j, "degrees", model, r->degrees);
    json_count(j, "negatives", all, r->negatives);
    json_count(j, "reverse", all, r->reverse);
    json_count(j, "shared_negatives", all, r->shared_negatives);
    ni_json_close(j, '}');
}

static neap_status check_split(finding *f, neap_error *err)
{
    neap_trial *trial = NULL;
    neap_model *model = NULL;
    neap_status rc = neap_trial_load(f->split, NULL, &trial, err);
    f->facts.size = sizeof f->facts;
    f->report.size = sizeof f->report;
    if (rc == NEAP_OK) rc = neap_trial_facts_of(trial, &f->facts, err);
    if (rc == NEAP_OK && f->model) rc = neap_model_load(f->model, NULL, &model, err);
    if (rc == NEAP_OK) rc = neap_trial_check(trial, model, &f->report, err);
    neap_model_free(model);
    neap_trial_free(trial);
    return rc;
}

/* One of several is named. */
static neap_status report(const args *a, ni_json *j, const finding *f, bool several, neap_status rc,
                          neap_error *err)
{
    neap_error why = *err;
    if (a->json) print_finding_json(j, f, rc, err);
    else if (rc == NEAP_OK) {
        if (several) printf("%s\n", f->split);
        print_finding(f);
    }
    return rc != NEAP_OK && several ? ni_fail(err, rc, "%s: %s", f->split, why.text) : rc;
}

/* The first that fails ends it. */
static neap_status check_splits(const args *a, neap_error *err)
{
    const own *o = a->own;
    splits s = { 0 };
    ni_json j = json_to(stdout);
    neap_status rc = splits_find(&s, o->split, err);
    bool several = rc == NEAP_OK && s.count > 1;
    if (several && a->json) ni_json_open(&j, NULL, '{'), ni_json_open(&j, "splits", '[');
    if (rc != NEAP_OK) report(a, &j, &(finding){ .split = o->split, .model = o->model }, false, rc, err);
    for (size_t i = 0; i < s.count && rc == NEAP_OK; i++) {
        finding f = { .split = s.item[i].folder, .model = o->model };
        rc = check_split(&f, err);
        rc = report(a, &j, &f, several, rc, err);
    }
    if (several && a->json) ni_json_close(&j, ']'), ni_json_close(&j, '}');
    splits_free(&s);
    return rc;
}

static neap_status run(const args *a, neap_error *err)
{
    const own *o = a->own;
    if (!a->operand_count && !o->split)
        return ni_fail(err, NEAP_E_ARG, "name a FILE, or --split DIR and --model MODEL");
    if (a->operand_count && (o->split || o->model))
        return ni_fail(err, NEAP_E_ARG, "a model is checked against a split with --split DIR --model %s",
                       a->operands[0]);
    return o->split ? check_splits(a, err) : check_file(a, err);
}

const command cmd_check = {
    .name = "check",
    .operands = "FILE | --split DIR [--model MODEL]",
    .summary = "check every byte of a file of ours, or a model for test pairs",
    .details =
        "FILE is a model, checkpoint or converted graph, which is read in full: sizes, checksums, and "
        "every rule that the program relies on later. Prints \"ok\", or what is wrong and ends with exit "
        "code 3.\n"
        "--split is a folder that `neap eval link -o` wrote, or one that holds several of one protocol. "
        "Checks the files, and that no test pair is, in either direction, among the training edges and "
        "validation pairs, and no link among the negatives. With --model the same is checked of the "
        "model's training edges, neighbourhoods, degrees, and the links that its training negatives avoid. "
        "Prints what was checked, or the first pair that leaks and ends with exit code 5.\n",
    .examples = "neap check friends.safetensors\n"
                "neap check --split splits/clean-uniform-80-seed1 --model mine\n",
    .most = 1,
    .options = options,
    .own_size = sizeof(own),
    .library = "",
    .run = run,
};
