/* From the tables to sheets, from sheets to cells, and from cells back to means and deviations (Welford's
 * running form). A cell is cheap to make, so that all of them, thousands per seed, can be enumerated; its
 * options are made when it is looked up. */
#include "paper/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper/plan.h"
#include "support/status.h"
#include "support/text.h"

enum { SEEDS_MOST = 1000 }; /* all cells are listed before the first one is run */

static const char *const protocols[] = { "paper", "paper-clean", "clean", NULL };

/* ---- what to run ---- */

/* A list that is not given holds everything. */
static bool holds(const char *const *list, const char *name)
{
    if (!list) return true;
    for (size_t i = 0; list[i]; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

static bool is_method(const char *name)
{
    return neap_method_find(name) != NULL;
}

static bool is_table(const char *name)
{
    for (size_t i = 0; i < ni_table_count(); i++)
        if (!strcmp(ni_table_at(i)->name, name)) return true;
    return false;
}

static bool is_protocol(const char *name)
{
    return holds(protocols, name);
}

static neap_status check_names(const char *const *list, bool (*is)(const char *), const char *what,
                               const char *choices, neap_error *err)
{
    for (size_t i = 0; list && list[i]; i++)
        if (!is(list[i]))
            return ni_fail(err, NEAP_E_ARG, "there is no %s '%.40s'; %s", what, list[i], choices);
    return NEAP_OK;
}

static neap_status check_request(const ni_reproduction *r, neap_error *err)
{
    neap_status rc = check_names(r->tables, is_table, "table", "`neap help reproduce` lists them", err);
    if (rc == NEAP_OK) rc = check_names(r->methods, is_method, "method", "`neap methods` lists them", err);
    if (rc == NEAP_OK)
        rc = check_names(r->protocols, is_protocol, "protocol", "there are paper, paper-clean and clean",
                         err);
    if (rc == NEAP_OK && !r->plan && (r->seeds < 1 || r->seeds > SEEDS_MOST))
        rc = ni_fail(err, NEAP_E_ARG, "there may be 1 to %d seeds, not %u", SEEDS_MOST, r->seeds);
    return rc;
}

/* ---- sheets ---- */

static bool takes_part(const ni_table *t, const neap_method_info *m)
{
    return t->aim == NI_AIM_LINK || m->vectors;
}

static bool is_published(const ni_table *t, const char *method)
{
    const char *name;
    for (size_t i = 0; (name = ni_published_method(t, i)); i++)
        if (!strcmp(name, method)) return true;
    return false;
}

/* Texts are generated where only the time counts. */
static bool has_text(const ni_table *t, const ni_paper_graph *graph)
{
    return t->aim == NI_AIM_TIME || !graph || !graph->no_text;
}

/* A method that reads text is in a table without texts only if the paper has numbers for it there. The
 * paper's systems read text or they do not: one that reads it where there is some is not among them. */
static bool is_listed(const ni_table *t, const neap_method_info *m)
{
    if (!takes_part(t, m) || ni_is_variant(m->name) || m->text == 2) return false;
    return !m->text || has_text(t, t->column[0].graph) || is_published(t, m->name);
}

/* First what this version has, gap with its untrained twin; then what only the paper has. Variants of gap
 * have a table of their own. In the paper's protocols gap is shown untrained as the authors' program reads
 * neighbourhoods, too. */
static size_t list_methods(const ni_table *t, const char *protocol, ni_condition *row)
{
    bool theirs = strcmp(protocol, "clean") && t->aim == NI_AIM_LINK;
    const char *name;
    size_t n = 0;
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *m = neap_method_at(i);
        bool gap = !strcmp(m->name, "gap");
        if (!is_listed(t, m)) continue;
        row[n++] = (ni_condition){ .label = m->name, .method = m->name };
        if (gap && t->aim != NI_AIM_TIME)
            row[n++] = (ni_condition){ .label = m->name, .method = m->name, .untrained = true };
        if (gap && theirs)
            row[n++] =
                (ni_condition){ .label = m->name, .method = m->name, .untrained = true, .self = true };
    }
    for (size_t i = 0; (name = ni_published_method(t, i)); i++)
        if (!is_method(name)) row[n++] = (ni_condition){ .label = name, .method = name };
    return n;
}

/* The paper's numbers belong beside its own split and metric, not beside others. */
static void place_published(ni_sheet *s)
{
    const ni_table *t = s->table;
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < t->columns; j++)
            for (size_t v = 0; v < NI_SHOWN; v++) {
                bool theirs = strcmp(s->protocol, "clean") && !s->row[i].untrained;
                s->entry[i * t->columns + j].paper[v] =
                    theirs ? ni_published(t, s->row[i].label, v, j) : NAN;
            }
}

static neap_status make_sheet(const ni_table *t, const char *protocol, ni_sheet *s, neap_error *err)
{
    size_t most = t->rows;
    if (!most) {
        most = 3 * neap_method_count();
        while (ni_published_method(t, most - 3 * neap_method_count())) most++;
    }
    *s = (ni_sheet){ .table = t, .protocol = protocol, .row = calloc(most, sizeof *s->row) };
    if (!s->row) return ni_fail_memory(err, "the tables");
    s->rows = t->rows ? t->rows : list_methods(t, protocol, s->row);
    if (t->rows) memcpy(s->row, t->row, t->rows * sizeof *s->row);
    s->entry = calloc(s->rows * t->columns, sizeof *s->entry);
    if (!s->entry) return ni_fail_memory(err, "the tables");
    place_published(s);
    return NEAP_OK;
}

/* A time has no split, so no protocol. */
static size_t protocols_of(const ni_table *t)
{
    return t->aim == NI_AIM_TIME ? 1 : 3;
}

static neap_status make_sheets(ni_study *study, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < ni_table_count() && rc == NEAP_OK; i++) {
        const ni_table *t = ni_table_at(i);
        for (size_t p = 0; p < protocols_of(t) && rc == NEAP_OK; p++)
            rc = make_sheet(t, t->aim == NI_AIM_TIME ? "" : protocols[p], &study->sheet[study->sheets++],
                            err);
    }
    return rc;
}

void ni_study_free(ni_study *study)
{
    for (size_t i = 0; i < study->sheets; i++) {
        free(study->sheet[i].row);
        free(study->sheet[i].entry);
        free(study->sheet[i].seed);
    }
    for (int i = 0; i < 2; i++) neap_options_free(study->own[i]);
    free(study->sheet);
    free(study->seed);
    free(study->part);
    *study = (ni_study){ 0 };
}

/* ---- cells ---- */

static bool wanted_ratio(const ni_reproduction *r, double ratio)
{
    bool any = r->ratio_count == 0;
    for (size_t i = 0; i < r->ratio_count; i++) any |= fabs(r->ratios[i] - ratio) < 1e-9;
    return any;
}

bool ni_sheet_cell(const ni_sheet *s, size_t row, size_t column, uint64_t seed, ni_cell *cell)
{
    ni_condition condition = ni_condition_join(&s->row[row], &s->table->column[column]);
    const neap_method_info *method = neap_method_find(condition.method);
    if (!method || !takes_part(s->table, method)) return false;
    if (method->text && !has_text(s->table, condition.graph)) return false;
    *cell =
        (ni_cell){ .aim = s->table->aim, .protocol = s->protocol, .condition = condition, .seed = seed };
    cell->reads_text = method->text != 0;
    cell->limit = -1;
    return true;
}

static neap_status set_whole(neap_options *o, const char *name, uint64_t value, neap_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return neap_options_set(o, name, text, err);
}

static neap_status set_real(neap_options *o, const char *name, double value, neap_error *err)
{
    char text[32];
    ni_format_double(value, text);
    return neap_options_set(o, name, text, err);
}

/* In the paper's protocols S and dropout of methods that read neighbourhoods are those of its table 2,
 * unless the user has given others. */
static neap_status set_by_graph(const ni_reproduction *r, const ni_condition *p, neap_options *o,
                                neap_error *err)
{
    neap_status rc = NEAP_OK;
    if (!neap_method_has_option(p->method, "neighbors")) return rc;
    if (!r->own_neighbors) rc = set_whole(o, "neighbors", p->graph->neighbors, err);
    if (rc == NEAP_OK && !r->own_dropout) rc = set_real(o, "dropout", p->graph->dropout, err);
    return rc;
}

/* The paper does not name its optimiser. One that steps every row of every table in each batch takes longer
 * than the systems themselves on large graphs. */
static neap_status set_lazy(const ni_reproduction *r, const char *method, neap_options *o, neap_error *err)
{
    bool given = r->given && holds(r->given, "optimizer");
    if (given || !neap_method_has_option(method, "optimizer")) return NEAP_OK;
    return neap_options_set(o, "optimizer", "lazy-adam", err);
}

/* What the condition of a cell says goes before everything else. */
static neap_status set_condition(const ni_cell *c, neap_options *o, neap_error *err)
{
    const ni_condition *p = &c->condition;
    bool timed = c->aim == NI_AIM_TIME;
    neap_status rc = set_whole(o, "seed", c->seed, err);
    if (rc == NEAP_OK && p->neighbors) rc = set_whole(o, "neighbors", p->neighbors, err);
    if (rc == NEAP_OK && p->kernel) rc = set_whole(o, "kernel", p->kernel, err);
    if (rc == NEAP_OK && timed) rc = set_whole(o, "valid", 0, err);
    if (rc == NEAP_OK && (timed || p->untrained)) rc = set_whole(o, "epochs", !p->untrained, err);
    if (rc == NEAP_OK && p->self) rc = neap_options_set(o, "self", "yes", err);
    if (rc == NEAP_OK && p->uniform) rc = neap_options_set(o, "attention", "uniform", err);
    return rc;
}

static neap_status set_options(const ni_reproduction *r, const ni_cell *c, neap_options *o, neap_error *err)
{
    const ni_condition *p = &c->condition;
    neap_status rc = neap_options_set(o, "method", p->method, err);
    if (rc == NEAP_OK) rc = neap_options_check(o, err);
    if (rc == NEAP_OK && strcmp(c->protocol, "clean")) rc = set_by_graph(r, p, o, err);
    if (rc == NEAP_OK && c->aim == NI_AIM_TIME) rc = set_lazy(r, p->method, o, err);
    if (rc == NEAP_OK && !r->plain) rc = ni_tuned_apply(p->method, c->protocol, r->given, o, err);
    return rc == NEAP_OK ? set_condition(c, o, err) : rc;
}

neap_status ni_study_options(const ni_reproduction *r, const ni_cell *c, neap_options **out,
                             neap_error *err)
{
    neap_status rc = neap_options_copy(strcmp(c->protocol, "clean") ? r->paper : r->clean, out, err);
    if (rc == NEAP_OK) rc = set_options(r, c, *out, err);
    if (rc == NEAP_OK) return rc;
    neap_options_free(*out);
    *out = NULL;
    return rc;
}

/* A time is taken once. */
int ni_study_part_of(const ni_reproduction *r, const ni_sheet *s, const ni_cell *c)
{
    bool timed = c->aim == NI_AIM_TIME;
    uint64_t seeds = timed ? 1 : r->seeds;
    if (!holds(r->tables, s->table->name) || !(timed || holds(r->protocols, c->protocol)) ||
        !holds(r->methods, c->condition.method))
        return -1;
    if (r->plan) return ni_plan_part(s->table, c);
    return (timed || wanted_ratio(r, c->condition.ratio)) && c->seed - r->first_seed < seeds ? 0 : -1;
}

size_t ni_study_asked_seeds(const ni_reproduction *r, uint64_t **seed, neap_error *err)
{
    size_t count = r->plan ? NI_PLAN_SEEDS : r->seeds;
    *seed = calloc(count, sizeof **seed);
    if (!*seed) ni_fail_memory(err, "the seeds");
    if (*seed && r->plan) return ni_plan_seeds(*seed);
    for (size_t i = 0; i < count && *seed; i++) (*seed)[i] = r->first_seed + i;
    return *seed ? count : 0;
}

/* ---- a study ---- */

typedef struct choices {
    char text[160];
    size_t length;
} choices;

/* Adds a word that is not there yet. */
static void add_choice(choices *c, const char *word)
{
    size_t room = sizeof c->text - c->length, size = strlen(word);
    for (const char *at = c->text; (at = strstr(at, word)); at += size)
        if ((at == c->text || at[-1] == ' ') && (!at[size] || at[size] == ',')) return;
    int n = snprintf(c->text + c->length, room, "%s%s", c->length ? ", " : "", word);
    if (n > 0 && (size_t)n < room) c->length += (size_t)n;
}

/* The choices of a sheet, as the user would write them. */
static void list_choices(uint64_t seed, const ni_sheet *s, choices *ratios, choices *methods)
{
    ni_cell c;
    char ratio[32];
    for (size_t row = 0; row < s->rows; row++)
        for (size_t column = 0; column < s->table->columns; column++) {
            if (!ni_sheet_cell(s, row, column, seed, &c)) continue;
            snprintf(ratio, sizeof ratio, "%d", (int)lround(100 * c.condition.ratio));
            add_choice(ratios, ratio);
            add_choice(methods, c.condition.method);
        }
}

static neap_status refuse(const ni_reproduction *r, const ni_study *study, neap_error *err)
{
    choices ratios = { "", 0 }, methods = { "", 0 };
    const ni_sheet *s = study->sheet;
    while (s + 1 < study->sheet + study->sheets && !holds(r->tables, s->table->name)) s++;
    list_choices(r->first_seed, s, &ratios, &methods);
    if (r->plan)
        return ni_fail(
            err, NEAP_E_ARG,
            "nothing to run: the plan has no such cells of %s, whose methods are %s; --ratios or "
            "--seeds ask for any",
            s->table->name, methods.text);
    if (s->table->aim == NI_AIM_TIME)
        return ni_fail(err, NEAP_E_ARG, "nothing to run: the methods of %s are %s", s->table->name,
                       methods.text);
    return ni_fail(err, NEAP_E_ARG, "nothing to run: the ratios of %s are %s, its methods are %s",
                   s->table->name, ratios.text, methods.text);
}

/* Whether any cell of any sheet is asked for with this seed. */
static bool asks_with(const ni_reproduction *r, const ni_study *study, uint64_t seed)
{
    ni_cell c;
    for (size_t i = 0; i < study->sheets; i++) {
        const ni_sheet *s = &study->sheet[i];
        for (size_t k = 0; k < s->rows * s->table->columns; k++)
            if (ni_sheet_cell(s, k / s->table->columns, k % s->table->columns, seed, &c) &&
                ni_study_part_of(r, s, &c) >= 0)
                return true;
    }
    return false;
}

/* Adds the seeds that something is asked for with. */
static neap_status add_asked_seeds(const ni_reproduction *r, ni_study *study, neap_error *err)
{
    uint64_t *seed;
    size_t count = ni_study_asked_seeds(r, &seed, err);
    neap_status rc = seed ? NEAP_OK : NEAP_E_MEM;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        if (asks_with(r, study, seed[i])) rc = ni_study_add_seed(study, seed[i], err);
    free(seed);
    return rc == NEAP_OK && !study->seeds ? refuse(r, study, err) : rc;
}

/* Into an ascending list, each once. */
static neap_status add_seed(uint64_t **list, uint32_t *count, uint64_t seed, neap_error *err)
{
    size_t at = *count;
    while (at && (*list)[at - 1] > seed) at--;
    if (at && (*list)[at - 1] == seed) return NEAP_OK;
    uint64_t *more = realloc(*list, ((size_t)*count + 1) * sizeof *more);
    if (!more) return ni_fail_memory(err, "the seeds");
    memmove(more + at + 1, more + at, (*count - at) * sizeof *more);
    more[at] = seed;
    *list = more;
    ++*count;
    return NEAP_OK;
}

neap_status ni_study_add_seed(ni_study *study, uint64_t seed, neap_error *err)
{
    return add_seed(&study->seed, &study->seeds, seed, err);
}

neap_status ni_sheet_add_seed(ni_sheet *s, uint64_t seed, neap_error *err)
{
    return add_seed(&s->seed, &s->seeds, seed, err);
}

/* What the settings of gap are, for the reports. */
static neap_status make_settings(const ni_reproduction *r, ni_study *study, neap_error *err)
{
    static const char *const groups[2] = { "paper", "clean" };
    const neap_options *from[2] = { r->paper, r->clean };
    neap_status rc = NEAP_OK;
    for (int i = 0; i < 2 && rc == NEAP_OK; i++) {
        rc = neap_options_copy(from[i], &study->own[i], err);
        if (rc == NEAP_OK) rc = neap_options_set(study->own[i], "method", "gap", err);
        if (rc == NEAP_OK && !r->plain) rc = ni_tuned_apply("gap", groups[i], r->given, study->own[i], err);
        study->settings[i] = study->own[i];
    }
    return rc;
}

static neap_status make_parts(const ni_reproduction *r, ni_study *study, neap_error *err)
{
    study->parts = r->plan ? ni_plan_parts() : 1;
    study->part = calloc(study->parts, sizeof *study->part);
    if (!study->part) return ni_fail_memory(err, "the parts of the plan");
    for (size_t i = 0; i < study->parts; i++)
        study->part[i].title = r->plan ? ni_plan_title(i) : "asked for";
    return NEAP_OK;
}

neap_status ni_study_create(const ni_reproduction *r, ni_study *study, neap_error *err)
{
    *study = (ni_study){ .own_neighbors = r->own_neighbors,
                         .own_dropout = r->own_dropout,
                         .cell_time = r->cell_time,
                         .plain = r->plain,
                         .sheet = calloc(3 * ni_table_count(), sizeof *study->sheet) };
    neap_status rc = study->sheet ? check_request(r, err) : ni_fail_memory(err, "the tables");
    if (rc == NEAP_OK) rc = make_settings(r, study, err);
    if (rc == NEAP_OK) rc = make_sheets(study, err);
    if (rc == NEAP_OK) rc = make_parts(r, study, err);
    if (rc == NEAP_OK) rc = add_asked_seeds(r, study, err);
    if (rc != NEAP_OK) ni_study_free(study);
    return rc;
}

/* ---- sums, means, deviations ---- */

void ni_study_add(ni_sheet *s, size_t row, size_t column, const ni_outcome *o)
{
    ni_entry *e = &s->entry[row * s->table->columns + column];
    e->late += o->late;
    if ((o->late || o->cut || o->unranked) && o->limit > e->limit) e->limit = o->limit;
    if (o->late) return;
    e->cut += o->cut;
    e->unranked += o->unranked;
    e->seeds++;
    e->seconds += o->seconds;
    for (size_t v = 0; v < NI_VALUES; v++) {
        double from_mean = o->value[v] - e->mean[v]; /* Welford: no cancellation */
        e->mean[v] += from_mean / e->seeds;
        e->std[v] += from_mean * (o->value[v] - e->mean[v]);
    }
}

static void finish(ni_entry *e)
{
    e->seconds = e->seeds ? e->seconds / e->seeds : NAN;
    for (size_t v = 0; v < NI_VALUES; v++) {
        if (!e->seeds) e->mean[v] = e->std[v] = NAN;
        else if (!isnan(e->mean[v])) e->std[v] = e->seeds > 1 ? sqrt(e->std[v] / (e->seeds - 1)) : NAN;
    }
}

void ni_study_finish(ni_study *study)
{
    for (size_t i = 0; i < study->sheets; i++) {
        const ni_sheet *s = &study->sheet[i];
        for (size_t k = 0; k < s->rows * s->table->columns; k++) finish(&s->entry[k]);
    }
}
