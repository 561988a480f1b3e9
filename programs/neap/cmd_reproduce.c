#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "eval_common.h"
#include "paper/cells.h"
#include "paper/reproduce.h"
#include "progress.h"
#include "support/json.h"
#include "support/path.h"

typedef struct own {
    const char *data, *text, *features, *folder, *methods, *protocols, *ratios, *progress;
    uint64_t seeds;
    double hours, cell_time;
    bool by_line, report_only, dry_run;
} own;

static const arg_option options[] = {
    { "data", 0, "DIR", NULL, ARG_TEXT, offsetof(own, data), 0, 0, false,
      "folder of the paper's graphs: cora/graph.txt, cora/text.txt, zhihu/graph.txt, email/graph.txt and "
      "email/labels.txt; needed unless --report-only" },
    { "text", 0, "FILE", NULL, ARG_TEXT, offsetof(own, text), 0, 0, false,
      "texts of Cora's nodes, in place of cora/text.txt: lines of a node, a tab and its text" },
    { "text-by-line", 0, "", NULL, ARG_SWITCH, offsetof(own, by_line), 0, 0, false,
      "line i of --text, from 0, is the text of the node named i, as in cora/text.txt" },
    { "features", 0, "FILE", NULL, ARG_TEXT, offsetof(own, features), 0, 0, false,
      "features of Cora's nodes, beside their texts, for systems that read them" },
    { "output", 'o', "DIR", NULL, ARG_TEXT, offsetof(own, folder), 0, 0, true,
      "folder of the results; what it holds already is not run again" },
    { "methods", 0, "NAME,...", NULL, ARG_TEXT, offsetof(own, methods), 0, 0, false,
      "only these; otherwise all of `neap methods`" },
    { "protocols", 0, "NAME,...", NULL, ARG_TEXT, offsetof(own, protocols), 0, 0, false,
      "only these of paper, paper-clean and clean" },
    { "ratios", 0, "PERCENT,...", NULL, ARG_TEXT, offsetof(own, ratios), 0, 0, false,
      "not the plan: these shares of the training edges" },
    { "seeds", 0, "N", "3", ARG_WHOLE, offsetof(own, seeds), 1, 1000, false,
      "not the plan: so many runs per cell, from --seed on; the tables have their mean and deviation" },
    { "cell-time", 0, "SECONDS", "600", ARG_REAL, offsetof(own, cell_time), 0, 1e9, false,
      "end the training of a cell in time to be measured within this; 0: no limit" },
    { "hours", 0, "X", "0", ARG_REAL, offsetof(own, hours), 0, 1e6, false,
      "begin no further cell after this time; 0: no limit" },
    { "dry-run", 0, "", NULL, ARG_SWITCH, offsetof(own, dry_run), 0, 0, false,
      "run nothing; tell how many cells are missing and how long they will take" },
    { "report-only", 0, "", NULL, ARG_SWITCH, offsetof(own, report_only), 0, 0, false,
      "run nothing; write the reports from what the output folder holds for these settings" },
    { "progress", 0, "auto|always|never", "auto", ARG_TEXT, offsetof(own, progress), 0, 0, false,
      "show the progress of each training" },
    { 0 },
};

enum { NAME = 256 };

typedef struct run {
    const args *a;
    progress bar;
    name_list methods, protocols, ratios;
    const char *method[LIST_MOST + 1], *protocol[LIST_MOST + 1];
    double share[LIST_MOST];
    neap_options *paper, *clean;
    const char **given;
    double seconds, guessed; /* of the parts of a dry run */
    uint64_t missing;
    ni_json json;
    ni_reproduced result;
} run;

/* ---- what to run ---- */

/* An option that is not given is an empty list. */
static neap_status read_names(const char *option, const char *text, name_list *l, const char **names,
                              neap_error *err)
{
    neap_status rc = text ? read_list(option, text, l, err) : NEAP_OK;
    for (size_t i = 0; i < l->count; i++) names[i] = l->item[i];
    return rc;
}

static neap_status read_lists(run *r, const own *o, neap_error *err)
{
    neap_status rc = read_names("methods", o->methods, &r->methods, r->method, err);
    if (rc == NEAP_OK) rc = check_methods(&r->methods, err);
    if (rc == NEAP_OK) rc = read_names("protocols", o->protocols, &r->protocols, r->protocol, err);
    if (rc == NEAP_OK && o->ratios) rc = read_list("ratios", o->ratios, &r->ratios, err);
    if (rc == NEAP_OK) rc = read_shares("ratios", &r->ratios, 99.999, r->share, err);
    for (size_t i = 0; i < r->ratios.count; i++) r->share[i] /= 100;
    return rc;
}

static neap_status set_options(run *r, neap_error *err)
{
    bool given = args_given(r->a, "preset");
    neap_status rc = args_options_with(r->a, given ? r->a->preset : "paper", &r->paper, err);
    return rc == NEAP_OK ? args_options_with(r->a, given ? r->a->preset : "neap", &r->clean, err) : rc;
}

/* The options of methods that the user has set. */
static neap_status list_given(run *r, neap_error *err)
{
    size_t n = 0;
    r->given = calloc(neap_option_count() + 1, sizeof *r->given);
    if (!r->given) return ni_fail_memory(err, "the options");
    for (size_t i = 0; i < neap_option_count(); i++)
        if (args_given(r->a, neap_option_at(i)->name)) r->given[n++] = neap_option_at(i)->name;
    return NEAP_OK;
}

/* ---- progress ---- */

static int on_training(const neap_progress *now, void *user)
{
    run *r = user;
    if (!now->epoch_end) progress_show(&r->bar, now);
    return interrupt_seen();
}

/* "sensitivity-link, paper, cora, gap untrained at 55 %, S = 25, seed 1" */
static void name_cell(const ni_cell_progress *now, char words[NAME])
{
    char ratio[40] = "", size[24] = "", kernel[32] = "";
    const char *protocol = now->protocol, *graph = now->graph ? now->graph : "";
    if (now->ratio > 0) snprintf(ratio, sizeof ratio, " at %g %%", 100 * now->ratio);
    if (now->neighbors) snprintf(size, sizeof size, ", S = %u", now->neighbors);
    if (now->kernel) snprintf(kernel, sizeof kernel, " with kernel %u", now->kernel);
    const char *form = now->uniform ? ", attention uniform," : kernel;
    snprintf(words, NAME, "%s%s%s%s%s, %s%s%s%s%s%s, seed %llu", now->table, *protocol ? ", " : "",
             protocol, *graph ? ", " : "", graph, now->method, form, now->untrained ? " untrained" : "",
             now->self ? " with self" : "", ratio, size, (unsigned long long)now->seed);
}

/* "12 of 243: link-cora, paper, gap at 55 %, seed 1: 0.9762; 12 min left" */
static void on_cell(const ni_cell_progress *now, void *user)
{
    run *r = user;
    char name[NAME], left[SHORT], words[64] = "", value[64] = "took too long";
    progress_clear(&r->bar);
    if (!now->after) return;
    if (isfinite(now->left) && now->done < now->total)
        snprintf(words, sizeof words, "; %s left", ni_format_seconds(now->left, left));
    name_cell(now, name);
    if (!now->late)
        snprintf(value, sizeof value, "%.4f%s%s%s", now->value, *now->unit ? " " : "", now->unit,
                 now->cut ? ", cut short" : "");
    say(r->a, "%llu of %llu: %s: %s%s", (unsigned long long)now->done, (unsigned long long)now->total, name,
        value, words);
}

/* ---- a dry run ---- */

static void put_words(double seconds, char words[SHORT])
{
    if (isfinite(seconds)) ni_format_seconds(seconds, words);
    else snprintf(words, SHORT, "unknown");
}

static void json_part(ni_json *j, const ni_forecast_part *p)
{
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "title", p->title);
    ni_json_whole(j, "asked", p->asked);
    ni_json_whole(j, "missing", p->missing);
    ni_json_real(j, "seconds", p->seconds);
    ni_json_real(j, "guessed", p->guessed);
    ni_json_close(j, '}');
}

/* "45 of 45 missing, 12 min, all of it guessed: text systems on Cora, ..." */
static void on_part(const ni_forecast_part *p, void *user)
{
    run *r = user;
    char time[SHORT], guessed[SHORT], asked[SHORT], missing[SHORT];
    r->seconds += p->seconds;
    r->guessed += p->guessed;
    r->missing += p->missing;
    put_words(p->seconds, time);
    put_words(p->guessed, guessed);
    if (r->a->json) json_part(&r->json, p);
    else if (!p->missing)
        printf("%6s of %-6s missing%32s  %s\n", "0", ni_format_count(p->asked, asked), "", p->title);
    else
        printf("%6s of %-6s missing%12s, guessed %10s  %s\n", ni_format_count(p->missing, missing),
               ni_format_count(p->asked, asked), time, guessed, p->title);
}

static void begin_forecast(run *r)
{
    r->json = json_to(stdout);
    if (!r->a->json) return;
    ni_json_open(&r->json, NULL, '{');
    ni_json_open(&r->json, "parts", '[');
}

static void end_forecast(run *r)
{
    char time[SHORT], guessed[SHORT], asked[SHORT], missing[SHORT];
    put_words(r->seconds, time);
    put_words(r->guessed, guessed);
    if (r->a->json) {
        ni_json_close(&r->json, ']');
        ni_json_whole(&r->json, "asked", r->result.asked);
        ni_json_whole(&r->json, "missing", r->missing);
        ni_json_real(&r->json, "seconds", r->seconds);
        ni_json_real(&r->json, "guessed", r->guessed);
        ni_json_close(&r->json, '}');
        return;
    }
    printf("%s of %s cells are missing: about %s, %s of it guessed\n", ni_format_count(r->missing, missing),
           ni_format_count(r->result.asked, asked), time, guessed);
}

static void say_result(const run *r, bool report_only)
{
    const ni_reproduced *n = &r->result;
    char asked[SHORT], done[SHORT], shown[SHORT];
    ni_format_count(n->asked, asked);
    if (!n->ran && !report_only) say(r->a, "nothing to run: all %s cells are there", asked);
    if (n->budget) say(r->a, "the time is over; the same command goes on from here");
    say(r->a, "%s of %s asked for were run; the report has %s measurement%s",
        ni_format_count(n->done, done), asked, ni_format_count(n->shown, shown), plural(n->shown));
}

/* ---- the command ---- */

static neap_status reproduce(run *r, const own *o, neap_error *err)
{
    if (!o->data && !o->report_only) return ni_fail(err, NEAP_E_ARG, "--data DIR is needed");
    if (o->by_line && !o->text) return ni_fail(err, NEAP_E_ARG, "--text-by-line goes with --text");
    neap_hooks hooks = { .size = sizeof hooks, .progress = on_training, .user = r };
    uint64_t first = 0;
    neap_status rc = read_whole_option(r->a, "seed", &first, err);
    if (rc == NEAP_OK && o->dry_run && o->report_only)
        rc = ni_fail(err, NEAP_E_ARG, "--dry-run and --report-only exclude each other");
    if (rc != NEAP_OK) return rc;
    ni_reproduction what = {
        .data = o->data,
        .files = { o->text, o->by_line, o->features },
        .folder = o->folder,
        .tables = r->a->operand_count ? (const char *const *)r->a->operands : NULL,
        .methods = r->methods.count ? r->method : NULL,
        .protocols = r->protocols.count ? r->protocol : NULL,
        .ratios = r->share,
        .ratio_count = r->ratios.count,
        .first_seed = first,
        .seeds = (uint32_t)o->seeds,
        .paper = r->paper,
        .clean = r->clean,
        .plan = !o->ratios && !args_given(r->a, "seeds") && !args_given(r->a, "seed"),
        .own_neighbors = args_given(r->a, "neighbors"),
        .own_dropout = args_given(r->a, "dropout"),
        .given = r->given,
        .plain = args_given(r->a, "preset"),
        .cell_time = o->cell_time,
        .budget = 3600 * o->hours,
        .report_only = o->report_only,
        .dry_run = o->dry_run,
        .forecast = on_part,
        .result = &r->result,
        .cell = on_cell,
        .user = r,
    };
    interrupt_watch();
    progress_start(&r->bar, o->progress, r->a->quiet);
    if (o->dry_run) begin_forecast(r);
    rc = ni_reproduce(&what, &hooks, err);
    progress_clear(&r->bar);
    if (rc == NEAP_OK && o->dry_run) end_forecast(r);
    else if (rc == NEAP_OK) say_result(r, o->report_only);
    if (rc == NEAP_E_STOPPED)
        rc = ni_fail(err, NEAP_E_STOPPED,
                     "interrupted; the finished cells are in %s, and the same command goes on from there",
                     o->folder);
    return rc;
}

static neap_status copy_to_stdout(const char *path, neap_error *err)
{
    char bytes[4096];
    size_t got;
    FILE *from = fopen(path, "rb");
    if (!from) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", path);
    while ((got = fread(bytes, 1, sizeof bytes, from))) fwrite(bytes, 1, got, stdout);
    neap_status rc = ferror(from) ? ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", path) : NEAP_OK;
    fclose(from);
    return rc;
}

/* --json prints what results.json holds, as the other commands do. */
static neap_status print_results(const args *a, const char *folder, neap_error *err)
{
    char path[PATH_MAX];
    neap_status rc = ni_path_join(folder, a->json ? "results.json" : "report.html", path, err);
    if (rc == NEAP_OK && a->json) rc = copy_to_stdout(path, err);
    else if (rc == NEAP_OK) puts(path);
    return rc;
}

static neap_status run_reproduce(const args *a, neap_error *err)
{
    const own *o = a->own;
    run r = { .a = a };
    neap_status rc = read_lists(&r, o, err);
    if (rc == NEAP_OK) rc = set_options(&r, err);
    if (rc == NEAP_OK) rc = list_given(&r, err);
    if (rc == NEAP_OK) rc = reproduce(&r, o, err);
    if (rc == NEAP_OK && !o->dry_run) rc = print_results(a, o->folder, err);
    free(r.given);
    neap_options_free(r.paper);
    neap_options_free(r.clean);
    return rc;
}

const command cmd_reproduce = {
    .name = "reproduce",
    .operands = "[TABLE...] --data DIR -o DIR",
    .summary = "run the experiments of the paper, and compare with what it printed",
    .details =
        "Runs the tables and figures of \"Graph Neighborhood Attentive Pooling\" for every method, under "
        "three protocols that are never mixed: paper (as published, leaky), paper-clean (the paper's split "
        "without the leak) and clean. Writes results.json, results.md and report.html.\n"
        "Tables: link-cora, link-zhihu, link-email, cluster-email, ablation, sensitivity-link, "
        "sensitivity-cluster, time. Without names: all of them.\n"
        "Without --ratios, --seeds and --seed it runs the cells of a plan, part by part, those first that "
        "matter most; --dry-run lists the parts. TABLE, --methods and --protocols choose among its cells. "
        "With one of these three options it runs all cells that they name.\n"
        "Every finished cell is kept in the output folder at once; after an interruption the same command "
        "goes on where it stopped. A cell is run again if its graph, its texts or features, an option that "
        "its method "
        "reads or the revision of its method has changed. The reports show everything that the folder "
        "holds "
        "for these settings, whatever part of it was asked for last.\n"
        "In the paper's protocols the preset is paper, with the neighbourhood size and dropout of each "
        "graph as in the paper's table 2; in clean the preset is neap. Systems with settings of their own "
        "are listed in the reports, and how these were chosen; --preset takes the preset and nothing else. "
        "Training options given here apply to all protocols and methods.\n",
    .examples = "neap reproduce link-cora --data graphs -o results --methods gap --ratios 15\n"
                "neap reproduce cluster-email --data graphs -o results --protocols clean\n"
                "neap reproduce link-cora --data graphs -o results --dry-run\n"
                "neap reproduce -o results --report-only\n",
    .least = 0,
    .most = 16,
    .options = options,
    .own_size = sizeof(own),
    .library = "model,training,walks,text,running,!method,!test",
    .method = "gap",
    .run = run_reproduce,
};
