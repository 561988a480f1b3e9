/* results.json: every number with all its digits, for programs. Fields as in `neap eval link --json` and
 * `neap eval cluster --json`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "io/output.h"
#include "paper/report.h"
#include "support/text.h"

typedef struct json {
    ni_output *out;
    bool comma; /* something stands before the next item */
    unsigned depth;
} json;

/* ---- items ---- */

/* The comma, a line of its own for the outer levels (a result is one line), and the key. */
static void begin(json *j, const char *key)
{
    if (j->comma) ni_output_text(j->out, ",");
    if (j->depth && j->depth <= 4) ni_output_print(j->out, "\n%*s", (int)(2 * j->depth), "");
    else if (j->comma) ni_output_text(j->out, " ");
    j->comma = true;
    if (!key) return;
    ni_output_json(j->out, key);
    ni_output_text(j->out, ": ");
}

static void open_item(json *j, const char *key, const char *bracket)
{
    begin(j, key);
    ni_output_text(j->out, bracket);
    j->depth++;
    j->comma = false;
}

static void close_item(json *j, const char *bracket)
{
    j->depth--;
    if (j->comma && j->depth < 4) ni_output_print(j->out, "\n%*s", (int)(2 * j->depth), "");
    ni_output_text(j->out, bracket);
    j->comma = true;
}

static void put_text(json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) ni_output_json(j->out, text);
    else ni_output_text(j->out, "null");
}

static void put_whole(json *j, const char *key, uint64_t value)
{
    begin(j, key);
    ni_output_print(j->out, "%llu", (unsigned long long)value);
}

/* Read back, it is the same number; NaN is null. Whole numbers look whole: 50, not 5e+01. */
static void put_real(json *j, const char *key, double value)
{
    char text[32] = "null";
    begin(j, key);
    if (fabs(value) < 1e15 && value == floor(value)) snprintf(text, sizeof text, "%lld", (long long)value);
    else if (isfinite(value)) ni_format_double(value, text);
    ni_output_text(j->out, text);
}

static void put_switch(json *j, const char *key, bool value)
{
    begin(j, key);
    ni_output_text(j->out, value ? "true" : "false");
}

/* ---- results ---- */

static void put_moments(json *j, const char *key, const ni_entry *e, size_t value)
{
    open_item(j, key, "{");
    put_real(j, "mean", e->seeds ? e->mean[value] : NAN);
    put_real(j, "std", e->seeds > 1 ? e->std[value] : NAN);
    close_item(j, "}");
}

/* Where `neap eval` has a mean and a deviation, so has this; the rest are means. hits1, hits10 and hits50
 * stand together, as "hits": {"1": ..., "10": ..., "50": ...}. */
static void put_values(json *j, const ni_aim_info *info, const ni_entry *e)
{
    static const char together[] = "hits";
    bool open = false;
    for (size_t v = 0; v < NI_VALUES && info->value[v]; v++) {
        const char *name = info->value[v];
        bool part = !strncmp(name, together, strlen(together));
        if (part && !open) open_item(j, together, "{");
        if (!part && open) close_item(j, "}");
        open = part;
        if (part) name += strlen(together);
        if (v < info->moments) put_moments(j, name, e, v);
        else put_real(j, name, e->seeds ? e->mean[v] : NAN);
    }
    if (open) close_item(j, "}");
}

/* Tenths of a per cent as a fraction: 958 / 1000 is the number nearest to 0.958, and 95.8 / 100 may not be.
 */
static double fraction_of(double percent)
{
    return round(10 * percent) / 1000;
}

/* What the paper printed, as a fraction like ours. */
static void put_paper(json *j, const ni_aim_info *info, const ni_entry *e)
{
    bool any = false;
    for (size_t v = 0; v < info->shown; v++) any |= isfinite(e->paper[v]);
    if (!any) {
        put_text(j, "paper", NULL);
        return;
    }
    open_item(j, "paper", "{");
    for (size_t v = 0; v < info->shown; v++) put_real(j, info->value[v], fraction_of(e->paper[v]));
    close_item(j, "}");
}

static void put_result(json *j, const ni_sheet *s, size_t row, size_t column)
{
    const ni_aim_info *info = ni_aim_info_of(s->table->aim);
    const ni_entry *e = ni_sheet_entry(s, row, column);
    ni_place place = ni_place_join(&s->row[row], &s->table->column[column]);
    open_item(j, NULL, "{");
    put_text(j, "method", place.method);
    put_switch(j, "untrained", place.untrained);
    if (place.self) put_switch(j, "self", place.self);
    put_text(j, "protocol", *s->protocol ? s->protocol : NULL);
    put_text(j, "graph", place.graph ? place.graph->name : NULL);
    put_real(j, "ratio", round(1e6 * place.ratio) / 1e4); /* in per cent */
    if (place.neighbors) put_whole(j, "neighbors", place.neighbors);
    else put_text(j, "neighbors", NULL); /* as in the settings */
    put_text(j, "state", e->seeds ? "run" : "not run");
    put_whole(j, "seeds", e->seeds);
    put_values(j, info, e);
    put_real(j, "seconds", e->seeds ? e->seconds : NAN);
    put_paper(j, info, e);
    close_item(j, "}");
}

static void put_sheet(json *j, const ni_sheet *s)
{
    open_item(j, NULL, "{");
    put_text(j, "name", s->table->name);
    put_text(j, "title", s->table->title);
    put_text(j, "protocol", *s->protocol ? s->protocol : NULL);
    put_switch(j, "leaky", ni_sheet_is_leaky(s));
    if (ni_sheet_is_leaky(s)) put_text(j, "why", ni_leak_words);
    put_text(j, "task", ni_aim_info_of(s->table->aim)->name);
    put_text(j, "state", ni_sheet_was_run(s) ? "run" : "not run");
    open_item(j, "results", "[");
    for (size_t i = 0; i < s->rows && ni_sheet_was_run(s); i++)
        for (size_t k = 0; k < s->table->columns; k++) put_result(j, s, i, k);
    close_item(j, "]");
    close_item(j, "}");
}

/* ---- the whole ---- */

static void put_setting(const char *name, const char *value, void *user)
{
    put_text(user, name, value);
}

/* A method and a seed belong to a cell, not to the settings; S and dropout may belong to a graph. */
static void put_settings(json *j, const ni_study *study)
{
    static const char *const keys[] = { "paper", "clean" };
    open_item(j, "settings", "{");
    for (int i = 0; i < 2; i++) {
        if (!study->settings[i]) continue;
        open_item(j, keys[i], "{");
        ni_options_saved(study->settings[i], put_setting, j);
        close_item(j, "}");
    }
    put_switch(j, "neighbors_by_graph", !study->own_neighbors);
    put_switch(j, "dropout_by_graph", !study->own_dropout);
    close_item(j, "}");
}

static void put_study(json *j, const ni_study *study)
{
    open_item(j, NULL, "{");
    put_text(j, "neap", neap_version());
    put_whole(j, "seeds", study->seeds);
    open_item(j, "seed_list", "[");
    for (size_t i = 0; i < study->seeds; i++) put_whole(j, NULL, study->seed[i]);
    close_item(j, "]");
    put_whole(j, "asked", study->asked);
    put_whole(j, "missing", study->missing);
    put_whole(j, "measurements", study->shown);
    put_settings(j, study);
    open_item(j, "tables", "[");
    for (size_t i = 0; i < study->sheets; i++) put_sheet(j, &study->sheet[i]);
    close_item(j, "]");
    close_item(j, "}");
    ni_output_text(j->out, "\n");
}

neap_status ni_report_json(const ni_study *study, const char *path, neap_error *err)
{
    json j = { .out = NULL };
    neap_status rc = ni_output_open(path, &j.out, err);
    if (rc != NEAP_OK) return rc;
    put_study(&j, study);
    return ni_output_commit(j.out, err);
}
