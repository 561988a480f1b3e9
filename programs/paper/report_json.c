/* results.json: every number with all its digits, for programs. Fields as in `neap eval link --json` and
 * `neap eval cluster --json`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper/report.h"
#include "support/json.h"

/* ---- results ---- */

static void put_moments(ni_json *j, const char *key, const ni_entry *e, size_t value)
{
    ni_json_open(j, key, '{');
    ni_json_real(j, "mean", e->seeds ? e->mean[value] : NAN);
    ni_json_real(j, "std", e->seeds > 1 ? e->std[value] : NAN);
    ni_json_close(j, '}');
}

/* The length of a name without the digits at its end; 0 if there are none. */
static size_t group_of(const char *name)
{
    size_t length = strcspn(name, "0123456789");
    return name[length] ? length : 0;
}

/* Where `neap eval` has a mean and a deviation, so has this; the rest are means. hits1, hits10 and hits50
 * stand together, as "hits": {"1": ..., "10": ..., "50": ...}. */
static void put_values(ni_json *j, const ni_aim_info *info, const ni_entry *e)
{
    char open[32] = "";
    for (size_t v = 0; v < NI_VALUES && info->value[v]; v++) {
        const char *name = info->value[v];
        size_t part = group_of(name);
        if (*open && (part != strlen(open) || strncmp(open, name, part))) ni_json_close(j, '}'), *open = 0;
        if (part && !*open) {
            snprintf(open, sizeof open, "%.*s", (int)part, name);
            ni_json_open(j, open, '{');
        }
        if (v < info->moments) put_moments(j, name + part, e, v);
        else ni_json_real(j, name + part, e->seeds ? e->mean[v] : NAN);
    }
    if (*open) ni_json_close(j, '}');
}

/* Tenths of a per cent as a fraction: 958 / 1000 is the number nearest to 0.958, and 95.8 / 100 may not be.
 */
static double fraction_of(double percent)
{
    return round(10 * percent) / 1000;
}

/* What the paper printed, as a fraction like ours. */
static void put_paper(ni_json *j, const ni_aim_info *info, const ni_entry *e)
{
    bool any = false;
    for (size_t v = 0; v < info->shown; v++) any |= isfinite(e->paper[v]);
    if (!any) {
        ni_json_text(j, "paper", NULL);
        return;
    }
    ni_json_open(j, "paper", '{');
    for (size_t v = 0; v < info->shown; v++) ni_json_real(j, info->value[v], fraction_of(e->paper[v]));
    ni_json_close(j, '}');
}

static void put_result(ni_json *j, const ni_sheet *s, size_t row, size_t column)
{
    const ni_aim_info *info = ni_aim_info_of(s->table->aim);
    const ni_entry *e = ni_sheet_entry(s, row, column);
    ni_condition condition = ni_condition_join(&s->row[row], &s->table->column[column]);
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "method", condition.method);
    ni_json_switch(j, "untrained", condition.untrained);
    if (condition.self) ni_json_switch(j, "self", condition.self);
    if (condition.uniform) ni_json_switch(j, "uniform", condition.uniform);
    ni_json_text(j, "protocol", *s->protocol ? s->protocol : NULL);
    ni_json_text(j, "graph", condition.graph ? condition.graph->name : NULL);
    ni_json_real(j, "ratio", round(1e6 * condition.ratio) / 1e4); /* in per cent */
    if (condition.neighbors) ni_json_whole(j, "neighbors", condition.neighbors);
    else ni_json_text(j, "neighbors", NULL); /* as in the settings */
    if (condition.kernel) ni_json_whole(j, "kernel", condition.kernel);
    ni_json_text(j, "state", e->seeds ? "run" : e->late ? "took too long" : "not run");
    ni_json_whole(j, "seeds", e->seeds);
    if (e->cut) ni_json_whole(j, "cut", e->cut);
    if (e->late) ni_json_whole(j, "late", e->late);
    if (e->unranked) ni_json_whole(j, "unranked", e->unranked);
    put_values(j, info, e);
    ni_json_real(j, "seconds", e->seeds ? e->seconds : NAN);
    put_paper(j, info, e);
    ni_json_close(j, '}');
}

static void put_sheet(ni_json *j, const ni_sheet *s)
{
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "name", s->table->name);
    ni_json_text(j, "title", s->table->title);
    ni_json_text(j, "protocol", *s->protocol ? s->protocol : NULL);
    ni_json_switch(j, "leaky", ni_sheet_is_leaky(s));
    if (ni_sheet_is_leaky(s)) ni_json_text(j, "why", ni_leak_words);
    ni_json_text(j, "task", ni_aim_info_of(s->table->aim)->name);
    ni_json_text(j, "state", ni_sheet_was_run(s) ? "run" : "not run");
    ni_json_open(j, "seed_list", '[');
    for (size_t i = 0; i < s->seeds; i++) ni_json_whole(j, NULL, s->seed[i]);
    ni_json_close(j, ']');
    ni_json_open(j, "results", '[');
    for (size_t i = 0; i < s->rows && ni_sheet_was_run(s); i++)
        for (size_t k = 0; k < s->table->columns; k++) put_result(j, s, i, k);
    ni_json_close(j, ']');
    ni_json_close(j, '}');
}

/* ---- the whole ---- */

/* A method and a seed belong to a cell, not to the settings; S and dropout may belong to a graph. */
static neap_status put_settings(ni_json *j, const ni_study *study)
{
    static const char *const keys[] = { "paper", "clean" };
    neap_status rc = NEAP_OK;
    ni_json_open(j, "settings", '{');
    for (int i = 0; i < 2; i++) {
        if (!study->settings[i] || rc != NEAP_OK) continue;
        ni_json_open(j, keys[i], '{');
        rc = neap_options_saved(study->settings[i], ni_json_member, j, NULL);
        ni_json_close(j, '}');
    }
    ni_json_switch(j, "neighbors_by_graph", !study->own_neighbors);
    ni_json_switch(j, "dropout_by_graph", !study->own_dropout);
    ni_json_close(j, '}');
    return rc;
}

static void put_parts(ni_json *j, const ni_study *study)
{
    ni_json_open(j, "parts", '[');
    for (size_t i = 0; i < study->parts; i++) {
        if (!study->part[i].asked) continue;
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "title", study->part[i].title);
        ni_json_whole(j, "asked", study->part[i].asked);
        ni_json_whole(j, "missing", study->part[i].missing);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

static void put_systems(ni_json *j, const ni_study *study)
{
    const ni_system_settings *system;
    ni_json_open(j, "systems", '[');
    for (size_t i = 0; (system = ni_study_system(study, i)); i++) {
        ni_json_open(j, NULL, '{');
        ni_json_text(j, "method", system->method);
        ni_json_text(j, "protocols", *system->protocols ? system->protocols : NULL);
        ni_json_text(j, "options", system->options);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
}

static neap_status put_study(ni_json *j, const ni_study *study)
{
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "neap", neap_version());
    ni_json_whole(j, "seeds", study->seeds);
    ni_json_open(j, "seed_list", '[');
    for (size_t i = 0; i < study->seeds; i++) ni_json_whole(j, NULL, study->seed[i]);
    ni_json_close(j, ']');
    ni_json_whole(j, "asked", study->asked);
    ni_json_whole(j, "missing", study->missing);
    ni_json_whole(j, "measurements", study->shown);
    ni_json_real(j, "cell_time", study->cell_time > 0 ? study->cell_time : NAN);
    put_parts(j, study);
    neap_status rc = put_settings(j, study);
    put_systems(j, study);
    ni_json_open(j, "tables", '[');
    for (size_t i = 0; i < study->sheets; i++) put_sheet(j, &study->sheet[i]);
    ni_json_close(j, ']');
    ni_json_close(j, '}');
    return rc;
}

void ni_report_json(ni_page *out, const ni_study *study)
{
    ni_json j = { .out = ni_page_sink(out), .lines = 4 };
    if (put_study(&j, study)) out->failed = true;
}
