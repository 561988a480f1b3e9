/* Runs what is requested and missing, and reports everything that the folder then holds. Graphs are read
 * once; the methods of a column are measured on one split. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "paper/report.h"
#include "paper/runner.h"
#include "support/clock.h"
#include "support/order.h"
#include "support/path.h"

enum { PACES = 64, OTHER_SEEDS = 1000 }; /* seeds not asked for that are looked for, the lowest */

/* How fast cells of one kind were, to estimate the time left. */
typedef struct pace {
    const char *method;
    bool untrained, clean;
    ni_aim aim;
    double seconds, work;
} pace;

/* A requested cell. */
typedef struct job {
    ni_cell cell;
    const ni_table *table;
    bool done;
} job;

typedef struct run {
    const ni_reproduction *what;
    const neap_hooks *hooks;
    ni_study study;
    char cells[PATH_MAX];
    job *job;
    size_t jobs, done, ran;
    ni_runner runner;
    pace pace[PACES];
    size_t paces;
    double start;
} run;

/* ---- jobs ---- */

/* The requested cells, into r->job if there is room yet; counts them in any case. Rows vary fastest, so
 * that all methods of a column share its split. */
static void list_jobs(run *r)
{
    r->jobs = 0;
    for (size_t k = 0; k < r->study.sheets; k++) {
        const ni_sheet *s = &r->study.sheet[k];
        for (size_t column = 0; column < s->table->columns; column++)
            for (uint32_t i = 0; i < r->what->seeds; i++)
                for (size_t row = 0; row < s->rows; row++) {
                    job j = { .table = s->table };
                    if (!ni_sheet_cell(s, row, column, r->what->first_seed + i, &j.cell) ||
                        !ni_study_asks(r->what, s, &j.cell))
                        continue;
                    if (r->job) r->job[r->jobs] = j;
                    r->jobs++;
                }
    }
}

static neap_status make_jobs(run *r, neap_error *err)
{
    list_jobs(r);
    r->job = calloc(r->jobs + 1, sizeof *r->job);
    if (!r->job) return ni_fail_memory(err, "the list of cells");
    list_jobs(r);
    return NEAP_OK;
}

/* The options of a cell, for the caller to free, and their text. */
static neap_status settings_of(const run *r, const ni_cell *c, neap_options **options,
                               char text[NI_CELL_SETTINGS], neap_error *err)
{
    neap_status rc = ni_study_options(r->what, c, options, err);
    return rc == NEAP_OK ? ni_cell_settings(c, *options, text, err) : rc;
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
    ni_outcome outcome;
    neap_status rc = load(r, &j->cell, &outcome, &j->done, err);
    r->done += j->done;
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
            rc = ni_runner_find(&r->runner, c->condition.graph, &x, err);
        c->graph_hash = ni_runner_hash(&r->runner, c->condition.graph);
        if (rc == NEAP_OK) rc = look_up(r, &r->job[i], err);
    }
    return rc;
}

/* ---- time left ---- */

/* Roughly what a cell costs: what is not trained on is scored, which is quicker. */
static double work_of(const run *r, const ni_cell *c)
{
    const ni_paper_graph *source = c->condition.graph;
    double edges = (double)source->generator.edges;
    for (size_t i = 0; i < r->runner.datasets; i++)
        if (r->runner.dataset[i].source == source)
            edges = (double)neap_graph_edges(r->runner.dataset[i].graph);
    return edges * (0.2 + c->condition.ratio);
}

static pace *pace_of(run *r, const ni_cell *c)
{
    bool clean = !strcmp(c->protocol, "clean");
    for (size_t i = 0; i < r->paces; i++) {
        pace *p = &r->pace[i];
        if (!strcmp(p->method, c->condition.method) && p->untrained == c->condition.untrained &&
            p->clean == clean && p->aim == c->aim)
            return p;
    }
    if (r->paces == PACES) return &r->pace[PACES - 1];
    pace *p = &r->pace[r->paces++];
    *p = (pace){ c->condition.method, c->condition.untrained, clean, c->aim, 0, 0 };
    return p;
}

/* Kinds that have not been seen yet go at the mean pace of the others. */
static double expected(run *r, const ni_cell *c)
{
    const pace *p = pace_of(r, c);
    double seconds = p->seconds, work = p->work;
    for (size_t i = 0; i < r->paces && p->work <= 0; i++)
        seconds += r->pace[i].seconds, work += r->pace[i].work;
    return work > 0 ? seconds / work * work_of(r, c) : NAN;
}

static bool varies_graph(const ni_table *t)
{
    for (size_t i = 1; i < t->columns; i++)
        if (t->column[i].graph != t->column[0].graph) return true;
    for (size_t i = 1; i < t->rows; i++)
        if (t->row[i].graph != t->row[0].graph) return true;
    return false;
}

static void report(run *r, const job *j, double value)
{
    if (!r->what->cell) return;
    const ni_cell *c = &j->cell;
    bool timed = c->aim == NI_AIM_TIME;
    ni_cell_progress now = { .table = j->table->name,
                             .protocol = c->protocol,
                             .method = c->condition.method,
                             .graph = varies_graph(j->table) ? c->condition.graph->name : NULL,
                             .neighbors = c->condition.neighbors,
                             .untrained = c->condition.untrained,
                             .self = c->condition.self,
                             .ratio = timed ? 0 : c->condition.ratio,
                             .unit = timed ? "seconds per epoch" : "",
                             .seed = c->seed,
                             .done = r->done,
                             .total = r->jobs,
                             .seconds = ni_seconds() - r->start,
                             .value = value };
    for (size_t i = 0; i < r->jobs; i++)
        if (!r->job[i].done) now.left += expected(r, &r->job[i].cell);
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

static neap_status run_cell(run *r, const ni_cell *c, ni_outcome *o, neap_error *err)
{
    double start = ni_seconds();
    neap_status rc = measure(r, c, o, err);
    if (rc == NEAP_OK) {
        pace *p = pace_of(r, c);
        p->seconds += ni_seconds() - start;
        p->work += work_of(r, c);
    }
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
        report(r, j, NAN);
        rc = run_cell(r, &j->cell, &outcome, err);
        if (rc != NEAP_OK) continue;
        j->done = true;
        r->done++, r->ran++;
        report(r, j, outcome.value[0]);
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
static uint64_t *list_seeds(const run *r, const ni_cell_index *index, size_t *count)
{
    size_t n = 0;
    uint64_t *seed = malloc((index->count + r->what->seeds) * sizeof *seed);
    if (!seed) return NULL;
    for (size_t i = 0; i < index->count; i++) n += ni_cell_index_seed(index, i, &seed[n]);
    n = sort_seeds(seed, n);
    if (n > OTHER_SEEDS) n = OTHER_SEEDS;
    for (uint32_t i = 0; i < r->what->seeds; i++) seed[n++] = r->what->first_seed + i;
    *count = sort_seeds(seed, n);
    return seed;
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
    c.graph_hash = ni_runner_hash(&r->runner, c.condition.graph);
    if (ni_cell_index_has(index, &c)) rc = load(r, &c, &outcome, &found, err);
    bool asked = ni_study_asks(r->what, s, &c);
    study->asked += asked;
    study->missing += asked && !found;
    study->shown += found;
    if (found) ni_study_add(s, row, column, &outcome);
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
                   "none of the cells in %.200s was made by this version with these settings: there is "
                   "nothing to report",
                   r->what->folder);
}

static neap_status gather(run *r, neap_error *err)
{
    ni_cell_index index;
    size_t count = 0;
    neap_status rc = ni_cell_index_read(r->cells, &index, err);
    uint64_t *seed = rc == NEAP_OK ? list_seeds(r, &index, &count) : NULL;
    if (rc == NEAP_OK && !seed) rc = ni_fail_memory(err, "the seeds");
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
                                            .shown = r->study.shown };
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
    rc = neap_folder_create(what->folder, err);
    if (rc == NEAP_OK) rc = neap_folder_create(r->cells, err);
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
    r->runner = (ni_runner){ .data = what->data, .reading = what->paper };
    neap_status rc = prepare(r, err);
    if (rc == NEAP_OK) {
        rc = run_jobs(r, err);
        neap_status written = write_reports(r, rc == NEAP_OK ? err : NULL);
        if (rc == NEAP_OK) rc = written;
    }
    release(r);
    return rc;
}
