/* Runs what is requested and missing, part by part, and reports everything that the folder then holds.
 * Graphs are read once; the methods of a column are measured on one split. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper/forecast.h"
#include "paper/report.h"
#include "support/clock.h"
#include "support/order.h"
#include "support/path.h"

enum { OTHER_SEEDS = 1000 }; /* seeds not asked for that are looked for, the lowest */

/* A requested cell. */
typedef struct job {
    ni_cell cell;
    const ni_table *table;
    int part;
    size_t order; /* within the part */
    bool done;
} job;

/* What the cells of a graph were made from; 0: no cell has told yet. */
typedef struct origin {
    const ni_paper_graph *graph;
    uint64_t hash, text_hash;
    uint64_t features_hash; /* 0: none, once a cell has told */
    bool features_told;
} origin;

typedef struct run {
    const ni_reproduction *what;
    const neap_hooks *hooks;
    ni_study study;
    char cells[PATH_MAX];
    job *job;
    size_t jobs, done, ran;
    bool budget; /* is spent */
    ni_runner runner;
    ni_forecast forecast;
    double start;
    origin origin[NI_DATASETS];
    size_t origins;
} run;

/* ---- jobs ---- */

static double limit_of(const ni_reproduction *what)
{
    return what->cell_time > 0 ? what->cell_time : INFINITY;
}

/* The requested cells of a column, into r->job if there is room yet; counts them in any case. */
static void list_column(run *r, const ni_sheet *s, size_t column, uint64_t seed)
{
    for (size_t row = 0; row < s->rows; row++) {
        job j = { .table = s->table, .order = r->jobs };
        if (!ni_sheet_cell(s, row, column, seed, &j.cell)) continue;
        j.cell.limit = limit_of(r->what);
        j.part = ni_study_part_of(r->what, s, &j.cell);
        if (j.part < 0) continue;
        if (r->job) r->job[r->jobs] = j;
        r->jobs++;
    }
}

/* Rows vary fastest, so that all methods of a column share its split. */
static void list_jobs(run *r, const uint64_t *seed, size_t seeds)
{
    r->jobs = 0;
    for (size_t k = 0; k < r->study.sheets; k++)
        for (size_t column = 0; column < r->study.sheet[k].table->columns; column++)
            for (size_t i = 0; i < seeds; i++) list_column(r, &r->study.sheet[k], column, seed[i]);
}

static int by_part(const void *a, const void *b)
{
    const job *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static neap_status make_jobs(run *r, neap_error *err)
{
    uint64_t *seed;
    size_t seeds = ni_study_asked_seeds(r->what, &seed, err);
    if (!seed) return NEAP_E_MEM;
    list_jobs(r, seed, seeds);
    r->job = calloc(r->jobs + 1, sizeof *r->job);
    if (r->job) list_jobs(r, seed, seeds);
    if (r->job) qsort(r->job, r->jobs, sizeof *r->job, by_part);
    free(seed);
    return r->job ? NEAP_OK : ni_fail_memory(err, "the list of cells");
}

/* The options of a cell, for the caller to free, and their text. */
static neap_status settings_of(const run *r, const ni_cell *c, neap_options **options,
                               char text[NI_CELL_SETTINGS], neap_error *err)
{
    neap_status rc = ni_study_options(r->what, c, options, err);
    return rc == NEAP_OK ? ni_cell_settings(*options, text, err) : rc;
}

static neap_status load(const run *r, const ni_cell *c, ni_outcome *o, bool *found, neap_error *err)
{
    char settings[NI_CELL_SETTINGS];
    neap_options *options;
    neap_status rc = settings_of(r, c, &options, settings, err);
    if (rc == NEAP_OK) rc = ni_cell_load(r->cells, c, settings, o, found, err);
    neap_options_free(options);
    return rc;
}

static neap_status look_up(run *r, job *j, neap_error *err)
{
    ni_outcome o;
    neap_status rc = load(r, &j->cell, &o, &j->done, err);
    r->done += j->done;
    if (rc == NEAP_OK && j->done)
        rc = ni_forecast_note(&r->forecast, &j->cell, isfinite(o.total) ? o.total : o.seconds, false, err);
    return rc;
}

/* Files are read now, so that a missing one is reported before hours of work. What is on disk, made from
 * the same graph, is done. */
static neap_status look_around(run *r, neap_error *err)
{
    neap_status rc = make_jobs(r, err);
    for (size_t i = 0; i < r->jobs && rc == NEAP_OK; i++) {
        ni_cell *c = &r->job[i].cell;
        const ni_dataset *x;
        if (!c->condition.graph->generator.kind)
            rc = ni_runner_find(&r->runner, c->condition.graph, c->reads_text, &x, err);
        ni_runner_hash(&r->runner, c);
        if (rc == NEAP_OK) rc = look_up(r, &r->job[i], err);
    }
    return rc;
}

/* ---- time left ---- */

static double expected(const run *r, const job *j, bool *guess)
{
    double seconds = ni_forecast_of(&r->forecast, &j->cell, guess);
    return seconds > j->cell.limit ? j->cell.limit : seconds;
}

/* What the other cells do not tell, a few batches may. */
static neap_status try_batches(run *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < r->jobs && rc == NEAP_OK; i++) {
        const ni_cell *c = &r->job[i].cell;
        neap_options *options;
        if (r->job[i].done || ni_forecast_has(&r->forecast, c)) continue;
        rc = ni_study_options(r->what, c, &options, err);
        if (rc == NEAP_OK) rc = ni_forecast_try(&r->forecast, &r->runner, c, options, err);
        neap_options_free(options);
    }
    return rc;
}

static neap_status forecast(run *r, neap_error *err)
{
    neap_status rc = try_batches(r, err);
    for (size_t k = 0; k < r->study.parts && rc == NEAP_OK; k++) {
        ni_forecast_part p = { .title = r->study.part[k].title };
        for (size_t i = 0; i < r->jobs; i++) {
            bool guess;
            if (r->job[i].part != (int)k) continue;
            p.asked++;
            if (r->job[i].done) continue;
            double seconds = expected(r, &r->job[i], &guess);
            p.missing++;
            p.seconds += seconds;
            p.guessed += guess ? seconds : 0;
        }
        r->study.asked += p.asked;
        r->study.missing += p.missing;
        if (p.asked && r->what->forecast) r->what->forecast(&p, r->what->user);
    }
    return rc;
}

static bool varies_graph(const ni_table *t)
{
    for (size_t i = 1; i < t->columns; i++)
        if (t->column[i].graph != t->column[0].graph) return true;
    for (size_t i = 1; i < t->rows; i++)
        if (t->row[i].graph != t->row[0].graph) return true;
    return false;
}

static void report(run *r, const job *j, const ni_outcome *o)
{
    if (!r->what->cell) return;
    const ni_cell *c = &j->cell;
    bool timed = c->aim == NI_AIM_TIME;
    ni_cell_progress now = { .table = j->table->name,
                             .protocol = c->protocol,
                             .method = c->condition.method,
                             .graph = varies_graph(j->table) ? c->condition.graph->name : NULL,
                             .neighbors = c->condition.neighbors,
                             .kernel = c->condition.kernel,
                             .untrained = c->condition.untrained,
                             .self = c->condition.self,
                             .uniform = c->condition.uniform,
                             .ratio = timed ? 0 : c->condition.ratio,
                             .unit = timed ? "seconds per epoch" : "",
                             .seed = c->seed,
                             .done = r->done,
                             .total = r->jobs,
                             .seconds = ni_seconds() - r->start,
                             .value = o ? o->value[0] : NAN,
                             .after = o != NULL,
                             .cut = o && o->cut,
                             .late = o && o->late };
    for (size_t i = 0; i < r->jobs; i++) {
        bool guess;
        if (!r->job[i].done) now.left += expected(r, &r->job[i], &guess);
    }
    r->what->cell(&now, r->what->user);
}

static neap_status measure(run *r, const ni_cell *c, ni_outcome *o, neap_error *err)
{
    char settings[NI_CELL_SETTINGS];
    neap_options *options;
    neap_status rc = settings_of(r, c, &options, settings, err);
    if (rc == NEAP_OK) rc = ni_runner_measure(&r->runner, c, options, r->hooks, o, err);
    if (rc == NEAP_OK) rc = ni_cell_save(r->cells, c, settings, o, err);
    neap_options_free(options);
    return rc;
}

/* It may have been run for another table in the meantime. */
static neap_status run_jobs(run *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < r->jobs && rc == NEAP_OK; i++) {
        job *j = &r->job[i];
        ni_outcome outcome;
        if (!j->done) rc = look_up(r, j, err);
        if (rc != NEAP_OK || j->done) continue;
        r->budget = r->what->budget > 0 && ni_seconds() - r->start >= r->what->budget;
        if (r->budget) break;
        report(r, j, NULL);
        rc = measure(r, &j->cell, &outcome, err);
        if (rc != NEAP_OK) continue;
        j->done = true;
        r->done++, r->ran++;
        rc = ni_forecast_note(&r->forecast, &j->cell, outcome.total, false, err);
        report(r, j, &outcome);
    }
    return rc;
}

/* ---- what the folder holds ---- */

/* Ascending, each once; returns how many are left. */
static size_t sort_seeds(uint64_t *seed, size_t count)
{
    size_t kept = 0;
    qsort(seed, count, sizeof *seed, ni_ascending_u64);
    for (size_t i = 0; i < count; i++)
        if (!kept || seed[kept - 1] != seed[i]) seed[kept++] = seed[i];
    return kept;
}

/* The seeds that names of cells end with, and those asked for. */
static uint64_t *list_seeds(const run *r, const ni_cell_index *index, size_t *count, neap_error *err)
{
    uint64_t *asked;
    size_t n = 0, seeds = ni_study_asked_seeds(r->what, &asked, err);
    uint64_t *seed = malloc((index->count + seeds + 1) * sizeof *seed);
    if (!seed) ni_fail_memory(err, "the seeds");
    if (seed && asked) {
        for (size_t i = 0; i < index->count; i++) n += ni_cell_index_seed(index, i, &seed[n]);
        n = sort_seeds(seed, n);
        if (n > OTHER_SEEDS) n = OTHER_SEEDS;
        for (size_t i = 0; i < seeds; i++) seed[n++] = asked[i];
        *count = sort_seeds(seed, n);
    } else {
        free(seed);
        seed = NULL;
    }
    free(asked);
    return seed;
}

/* Reads the graph of a cell that nothing was run of, if it is there: what was made from another one is not
 * shown. */
static neap_status find_hash(run *r, ni_cell *c, neap_error *err)
{
    const ni_dataset *x;
    neap_error why;
    ni_runner_hash(&r->runner, c);
    bool known = c->graph_hash && (c->text_hash || !c->reads_text);
    if (known || !r->what->data || c->condition.graph->generator.kind) return NEAP_OK;
    neap_status rc = ni_runner_find(&r->runner, c->condition.graph, c->reads_text, &x, &why);
    ni_runner_hash(&r->runner, c);
    if (rc == NEAP_OK || rc == NEAP_E_READ) return NEAP_OK;
    return err ? (*err = why, rc) : rc;
}

/* The first to tell decides. */
static bool agrees(uint64_t *known, uint64_t hash)
{
    if (!*known) *known = hash;
    return !hash || *known == hash;
}

/* Of cells that read features; those without any agree with each other. */
static bool features_agree(origin *x, const ni_cell *c, const ni_outcome *o)
{
    const neap_method_info *method = neap_method_find(c->condition.method);
    if (!method || !method->features) return true;
    if (!x->features_told) x->features_hash = o->features_hash;
    x->features_told = true;
    return x->features_hash == o->features_hash;
}

/* Without the files there is no telling which of two graphs of one name is meant. */
static neap_status check_origin(run *r, const ni_cell *c, const ni_outcome *o, neap_error *err)
{
    const ni_paper_graph *graph = c->condition.graph;
    size_t i = 0;
    while (i < r->origins && r->origin[i].graph != graph) i++;
    if (i == NI_DATASETS) return ni_fail(err, NEAP_E_LIMIT, "too many graphs");
    if (i == r->origins) r->origin[r->origins++] = (origin){ .graph = graph };
    bool same = agrees(&r->origin[i].hash, o->graph_hash);
    bool texts = same && (!c->reads_text || agrees(&r->origin[i].text_hash, o->text_hash));
    if (texts && features_agree(&r->origin[i], c, o)) return NEAP_OK;
    if (texts)
        return ni_fail(err, NEAP_E_MISMATCH,
                       "cells of %s in %.200s were made with different features, or some without: --data "
                       "DIR, with --features FILE or without, decides",
                       graph->name, r->what->folder);
    return ni_fail(err, NEAP_E_MISMATCH,
                   "cells of %s in %.200s were made from two different %s: --data DIR with %s/%s decides",
                   graph->name, r->what->folder, same ? "files of texts" : "graphs", graph->name,
                   same ? "text.txt" : "graph.txt");
}

static neap_status gather_cell(run *r, const ni_cell_index *index, ni_sheet *s, size_t row, size_t column,
                               uint64_t seed, neap_error *err)
{
    ni_study *study = &r->study;
    neap_status rc = NEAP_OK;
    bool found = false;
    ni_outcome outcome;
    ni_cell c;
    if (!ni_sheet_cell(s, row, column, seed, &c)) return NEAP_OK;
    bool there = ni_cell_index_has(index, &c);
    if (there) rc = find_hash(r, &c, err);
    if (there && rc == NEAP_OK) rc = load(r, &c, &outcome, &found, err);
    if (found && rc == NEAP_OK) rc = check_origin(r, &c, &outcome, err);
    int part = ni_study_part_of(r->what, s, &c);
    if (part >= 0) {
        study->asked++;
        study->missing += !found;
        study->part[part].asked++;
        study->part[part].missing += !found;
        s->entry[row * s->table->columns + column].asked++;
    }
    study->shown += found;
    if (found) ni_study_add(s, row, column, &outcome);
    if (found && rc == NEAP_OK) rc = ni_sheet_add_seed(s, seed, err);
    return rc;
}

static neap_status gather_seed(run *r, const ni_cell_index *index, uint64_t seed, neap_error *err)
{
    uint64_t before = r->study.shown;
    neap_status rc = NEAP_OK;
    for (size_t k = 0; k < r->study.sheets; k++) {
        ni_sheet *s = &r->study.sheet[k];
        for (size_t row = 0; row < s->rows; row++)
            for (size_t column = 0; column < s->table->columns && rc == NEAP_OK; column++)
                rc = gather_cell(r, index, s, row, column, seed, err);
    }
    if (rc == NEAP_OK && r->study.shown > before) rc = ni_study_add_seed(&r->study, seed, err);
    return rc;
}

static neap_status nothing_to_report(const run *r, size_t files, neap_error *err)
{
    if (!files)
        return ni_fail(err, NEAP_E_READ, "there are no cells in %.200s: nothing to report has been run yet",
                       r->what->folder);
    return ni_fail(err, NEAP_E_READ,
                   "none of the cells in %.200s was made with these settings: there is nothing to report",
                   r->what->folder);
}

static neap_status gather(run *r, neap_error *err)
{
    ni_cell_index index;
    size_t count = 0;
    neap_status rc = ni_cell_index_read(r->cells, &index, err);
    uint64_t *seed = rc == NEAP_OK ? list_seeds(r, &index, &count, err) : NULL;
    if (rc == NEAP_OK && !seed) rc = NEAP_E_MEM;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) rc = gather_seed(r, &index, seed[i], err);
    ni_study_finish(&r->study);
    if (rc == NEAP_OK && r->what->report_only && !r->study.shown)
        rc = nothing_to_report(r, index.count, err);
    free(seed);
    ni_cell_index_free(&index);
    return rc;
}

/* ---- from start to end ---- */

static neap_status write_reports(run *r, neap_error *err)
{
    static const struct {
        const char *name;
        void (*write)(ni_page *out, const ni_study *study);
    } reports[] = { { "results.json", ni_report_json },
                    { "results.md", ni_report_markdown },
                    { "report.html", ni_report_html } };
    char path[PATH_MAX];
    neap_status rc = gather(r, err);
    for (size_t i = 0; i < sizeof reports / sizeof *reports && rc == NEAP_OK; i++) {
        ni_page page = { 0 };
        rc = ni_path_join(r->what->folder, reports[i].name, path, err);
        if (rc != NEAP_OK) return rc;
        reports[i].write(&page, &r->study);
        rc = ni_page_save(&page, path, err);
    }
    return rc;
}

static void release(run *r)
{
    if (r->what->result)
        *r->what->result = (ni_reproduced){ .asked = r->study.asked,
                                            .done = r->study.asked - r->study.missing,
                                            .ran = r->ran,
                                            .shown = r->study.shown,
                                            .budget = r->budget };
    ni_forecast_free(&r->forecast);
    ni_runner_free(&r->runner);
    free(r->job);
    ni_study_free(&r->study);
    free(r);
}

static neap_status prepare(run *r, neap_error *err)
{
    const ni_reproduction *what = r->what;
    neap_status rc = ni_study_create(what, &r->study, err);
    if (rc == NEAP_OK) rc = ni_path_join(what->folder, "cells", r->cells, err);
    if (rc != NEAP_OK || what->report_only) return rc;
    if (!what->data) return ni_fail(err, NEAP_E_ARG, "running needs a folder of graphs");
    if (!what->dry_run) rc = neap_folder_create(what->folder, err);
    if (rc == NEAP_OK && !what->dry_run) rc = neap_folder_create(r->cells, err);
    return rc == NEAP_OK ? look_around(r, err) : rc;
}

/* What was measured before a stop or a failure is reported, too; the first error is returned. */
neap_status ni_reproduce(const ni_reproduction *what, const neap_hooks *hooks, neap_error *err)
{
    run *r = calloc(1, sizeof *r);
    if (!r) return ni_fail_memory(err, "a study");
    r->what = what;
    r->hooks = hooks;
    r->start = ni_seconds();
    r->runner = (ni_runner){ .data = what->data, .reading = what->paper, .files = what->files };
    r->forecast.runner = &r->runner;
    neap_status rc = prepare(r, err);
    if (rc == NEAP_OK && what->dry_run) rc = forecast(r, err);
    else if (rc == NEAP_OK) {
        rc = run_jobs(r, err);
        neap_status written = write_reports(r, rc == NEAP_OK ? err : NULL);
        if (rc == NEAP_OK) rc = written;
    }
    release(r);
    return rc;
}
