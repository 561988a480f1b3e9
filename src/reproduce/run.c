/* Runs what a study lacks. Graphs are read once; the methods of a column are measured on one split. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "io/folder.h"
#include "reproduce/lab.h"
#include "reproduce/study.h"

enum { PACES = 64 };

/* How fast cells of one kind went, to tell the time left. */
typedef struct pace {
    const char *method;
    bool untrained, clean;
    ni_aim aim;
    double seconds, work;
} pace;

/* A cell, its place in the study, and what came out. */
typedef struct job {
    ni_cell cell;
    ni_sheet *sheet;
    size_t row, column;
    bool done;
    ni_outcome outcome;
} job;

typedef struct run {
    const neap_reproduction *what;
    const neap_hooks *hooks;
    ni_study study;
    char cells[PATH_MAX];
    job *job;
    size_t jobs, room, done;
    ni_lab lab;
    pace pace[PACES];
    size_t paces;
    double start;
} run;

/* ---- jobs ---- */

/* Rows vary fastest, so that all methods of a column share its split. */
static neap_status list_jobs(run *r, neap_error *err)
{
    for (size_t k = 0; k < r->study.sheets; k++) {
        ni_sheet *s = &r->study.sheet[k];
        for (size_t column = 0; column < s->table->columns; column++)
            for (uint32_t i = 0; i < r->what->seeds; i++)
                for (size_t row = 0; row < s->rows; row++) {
                    job j = { .sheet = s, .row = row, .column = column };
                    if (!ni_study_cell(r->what, s, row, column, i, &j.cell)) continue;
                    if (!ni_grow(&r->job, &r->room, r->jobs + 1, sizeof *r->job))
                        return ni_fail_memory(err, "the list of cells");
                    r->job[r->jobs++] = j;
                }
    }
    return NEAP_OK;
}

static neap_status look_up(run *r, job *j, neap_error *err)
{
    neap_status rc = ni_cell_load(r->cells, &j->cell, &j->outcome, &j->done, err);
    r->done += j->done;
    return rc;
}

/* Files are read now, so that a missing one is said before hours of work. What is on disk, made from the
 * same graph, is done. */
static neap_status look_around(run *r, neap_error *err)
{
    neap_status rc = list_jobs(r, err);
    for (size_t i = 0; i < r->jobs && rc == NEAP_OK; i++) {
        ni_cell *c = &r->job[i].cell;
        const ni_specimen *x = NULL;
        if (!r->what->report_only && !c->place.graph->generator.kind)
            rc = ni_lab_find(&r->lab, c->place.graph, &x, err);
        if (x) c->graph_hash = x->hash;
        if (rc == NEAP_OK) rc = look_up(r, &r->job[i], err);
    }
    return rc;
}

/* ---- time left ---- */

/* Roughly what a cell costs: what is not trained on is scored, which is quicker. */
static double work_of(const run *r, const ni_cell *c)
{
    const ni_source *source = c->place.graph;
    double edges = (double)source->generator.edges;
    for (size_t i = 0; i < r->lab.specimens; i++)
        if (r->lab.specimen[i].source == source) edges = (double)neap_graph_edges(r->lab.specimen[i].graph);
    return edges * (0.2 + c->place.ratio);
}

static pace *pace_of(run *r, const ni_cell *c)
{
    bool clean = !strcmp(c->protocol, "clean");
    for (size_t i = 0; i < r->paces; i++) {
        pace *p = &r->pace[i];
        if (!strcmp(p->method, c->place.method) && p->untrained == c->place.untrained &&
            p->clean == clean && p->aim == c->aim)
            return p;
    }
    if (r->paces == PACES) return &r->pace[PACES - 1];
    pace *p = &r->pace[r->paces++];
    *p = (pace){ c->place.method, c->place.untrained, clean, c->aim, 0, 0 };
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

static void report(run *r, const job *j, double value)
{
    if (!r->what->cell) return;
    const ni_cell *c = &j->cell;
    neap_cell_progress now = { .table = j->sheet->table->name,
                               .protocol = c->protocol,
                               .method = c->place.method,
                               .untrained = c->place.untrained,
                               .ratio = c->place.ratio,
                               .seed = c->seed,
                               .done = r->done,
                               .total = r->jobs,
                               .seconds = ni_seconds() - r->start,
                               .value = value };
    for (size_t i = 0; i < r->jobs; i++)
        if (!r->job[i].done) now.left += expected(r, &r->job[i].cell);
    r->what->cell(&now, r->what->user);
}

static neap_status run_cell(run *r, const ni_cell *c, ni_outcome *o, neap_error *err)
{
    double start = ni_seconds();
    neap_status rc = ni_lab_measure(&r->lab, c, r->hooks, o, err);
    if (rc == NEAP_OK) rc = ni_cell_save(r->cells, c, o, err);
    if (rc == NEAP_OK) {
        pace *p = pace_of(r, c);
        p->seconds += ni_seconds() - start;
        p->work += work_of(r, c);
    }
    return rc;
}

/* Another table may have asked for the same cell in the meantime. */
static neap_status run_jobs(run *r, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < r->jobs && rc == NEAP_OK; i++) {
        job *j = &r->job[i];
        if (!j->done) rc = look_up(r, j, err);
        if (rc != NEAP_OK || j->done) continue;
        report(r, j, NAN);
        rc = run_cell(r, &j->cell, &j->outcome, err);
        if (rc != NEAP_OK) continue;
        j->done = true;
        r->done++;
        report(r, j, j->outcome.value[0]);
    }
    return rc;
}

/* ---- from start to end ---- */

static neap_status write_reports(run *r, neap_error *err)
{
    static const struct {
        const char *name;
        neap_status (*write)(const ni_study *, const char *, neap_error *);
    } reports[] = { { "results.json", ni_report_json },
                    { "results.md", ni_report_markdown },
                    { "report.html", ni_report_html } };
    char path[PATH_MAX];
    neap_status rc = NEAP_OK;
    r->study.cells = r->jobs;
    r->study.missing = r->jobs - r->done;
    for (size_t i = 0; i < r->jobs; i++) {
        const job *j = &r->job[i];
        if (j->done) ni_study_add(j->sheet, j->row, j->column, &j->outcome);
    }
    ni_study_finish(&r->study);
    for (size_t i = 0; i < sizeof reports / sizeof *reports && rc == NEAP_OK; i++) {
        rc = ni_path_join(r->what->folder, reports[i].name, path, err);
        if (rc == NEAP_OK) rc = reports[i].write(&r->study, path, err);
    }
    return rc;
}

static void release(run *r)
{
    ni_lab_free(&r->lab);
    ni_free(r->job);
    ni_study_free(&r->study);
    ni_free(r);
}

/* What was measured before a stop or a failure is worth a report too; the first trouble is the one told. */
neap_status neap_reproduce(const neap_reproduction *what, const neap_hooks *hooks, neap_error *err)
{
    run *r = ni_zeros(1, sizeof *r);
    if (!r) return ni_fail_memory(err, "a study");
    r->what = what;
    r->hooks = hooks;
    r->start = ni_seconds();
    r->lab = (ni_lab){ .data = what->data, .reading = what->paper };
    neap_status rc = ni_study_create(what, &r->study, err);
    if (rc == NEAP_OK) rc = ni_path_join(what->folder, "cells", r->cells, err);
    if (rc == NEAP_OK) rc = ni_folder_make(what->folder, err);
    if (rc == NEAP_OK) rc = ni_folder_make(r->cells, err);
    if (rc == NEAP_OK) rc = look_around(r, err);
    if (rc == NEAP_OK) {
        if (!what->report_only) rc = run_jobs(r, err);
        neap_status written = write_reports(r, rc == NEAP_OK ? err : NULL);
        if (rc == NEAP_OK) rc = written;
    }
    release(r);
    return rc;
}
