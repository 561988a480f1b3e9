/* What all three reports share: protocols in words, rounding, the best of a column. */
#include "paper/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/text.h"

/* ---- protocols ---- */

const char ni_leak_words[] =
    "Leaky: GAP reads the neighbourhoods of the whole graph, test links included; methods that have no "
    "neighbourhoods see training links only.";

const ni_protocol_info *ni_protocol_at(size_t i)
{
    static const ni_protocol_info protocols[] = {
        { "paper",
          "As published, to reproduce the paper\u2019s numbers. Directed edges are split, neighbourhoods "
          "are those of the whole graph with the test links in them, and test pairs with a node that "
          "has no training edge are skipped. What the leak is worth is the difference to paper-clean.",
          true },
        { "paper-clean",
          "The paper\u2019s split, skipping and measure, but neighbourhoods of training edges only: the "
          "leak is gone, and the numbers can still be held against those of the paper.",
          false },
        { "clean",
          "The default of neap. Unordered pairs are split, so that the reverse of a test link is never in "
          "training; nothing of the test is seen in training; every test pair is scored. The paper has no "
          "numbers for it.",
          false },
    };
    return i < sizeof protocols / sizeof *protocols ? &protocols[i] : NULL;
}

bool ni_sheet_is_leaky(const ni_sheet *s)
{
    const ni_protocol_info *p;
    for (size_t i = 0; (p = ni_protocol_at(i)); i++)
        if (!strcmp(p->name, s->protocol)) return p->leaky;
    return false;
}

bool ni_row_sees_test(const ni_sheet *s, size_t row)
{
    return ni_sheet_is_leaky(s) && neap_method_has_option(s->row[row].method, "neighbors");
}

/* ---- not the paper's settings ---- */

/* Lists like "a", "a and b", "a, b and c". */
static void add_item(char *list, size_t room, const char *item, size_t i, size_t count)
{
    size_t used = strlen(list);
    snprintf(list + used, room - used, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", item);
}

/* Whole numbers look whole: 50, not 5e+01. */
static void format_setting(double value, char text[32])
{
    if (value == floor(value) && fabs(value) < 1e15) snprintf(text, 32, "%.0f", value);
    else ni_format_double(value, text);
}

static double of_preset_paper(const char *name)
{
    double value = NAN;
    for (size_t i = 0; i < neap_option_count(); i++) {
        const neap_option_info *o = neap_option_at(i);
        if (!strcmp(o->name, name)) ni_parse_double(o->presets[1], strlen(o->presets[1]), &value);
    }
    return value;
}

typedef struct change {
    char ours[48], theirs[32];
} change;

static size_t find_changes(const neap_options *o, change found[3])
{
    static const struct {
        const char *name, *before, *behind;
    } looked_at[] = { { "lr", "lr ", "" }, { "epochs", "", " epochs" }, { "batch", "batch ", "" } };
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        char text[32];
        double ours = ni_option_number(o, looked_at[i].name), theirs = of_preset_paper(looked_at[i].name);
        if (ours == theirs) continue;
        format_setting(ours, text);
        format_setting(theirs, found[count].theirs);
        snprintf(found[count].ours, sizeof found->ours, "%s%s%s", looked_at[i].before, text,
                 looked_at[i].behind);
        count++;
    }
    return count;
}

/* Whether a system of the sheet was run with a line of settings.def; and whether, without those lines, one
 * of the paper's was run whose preset was made to reach its numbers (docs/evaluation.md). */
static void look_at_others(const ni_study *study, const ni_sheet *s, bool *chosen, bool *fitted)
{
    *chosen = *fitted = false;
    for (size_t i = 0; i < s->rows; i++) {
        const neap_method_info *m = neap_method_find(s->row[i].method);
        if (!ni_row_was_run(s, i) || !m) continue;
        *chosen |= !study->plain && ni_tuned_find(m->name, s->protocol);
        *fitted |= study->plain && strncmp(m->name, "gap", 3) && !m->text && ni_row_is_published(s, i, 0);
    }
}

static void add_sentence(char *words, size_t room, const char *sentence)
{
    size_t used = strlen(words);
    snprintf(words + used, room - used, "%s%s", used ? " " : "", sentence);
}

static bool has_gap(const ni_sheet *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!strcmp(s->row[i].method, "gap") && ni_row_was_run(s, i)) return true;
    return false;
}

/* In clean: the first row of a system that has settings of its own in the paper's protocols alone. */
static bool is_by_preset(const ni_sheet *s, size_t row)
{
    const char *method = s->row[row].method;
    for (size_t i = 0; i < row; i++)
        if (ni_row_was_run(s, i) && !strcmp(s->row[i].method, method)) return false;
    return ni_row_was_run(s, row) && ni_tuned_find(method, "paper") && !ni_tuned_find(method, "clean");
}

static void name_presets(const ni_study *study, const ni_sheet *s, char *words, size_t room)
{
    char names[160] = "", sentence[256];
    size_t count = 0, done = 0;
    if (study->plain || strcmp(s->protocol, "clean")) return;
    for (size_t i = 0; i < s->rows; i++) count += is_by_preset(s, i);
    for (size_t i = 0; i < s->rows; i++)
        if (is_by_preset(s, i)) add_item(names, sizeof names, s->row[i].method, done++, count);
    if (!count) return;
    snprintf(sentence, sizeof sentence,
             "On the preset neap, without settings of their own in this protocol: %s.", names);
    add_sentence(words, room, sentence);
}

void ni_sheet_not_papers(const ni_study *study, const ni_sheet *s, char words[NI_NOT_PAPERS])
{
    change found[3];
    char ours[160] = "", theirs[112] = "";
    bool applies = *s->protocol && strcmp(s->protocol, "clean") && study->settings[0];
    size_t count = applies && has_gap(s) ? find_changes(study->settings[0], found) : 0;
    bool chosen, fitted;
    for (size_t i = 0; i < count; i++) {
        add_item(ours, sizeof ours, found[i].ours, i, count);
        add_item(theirs, sizeof theirs, found[i].theirs, i, count);
    }
    words[0] = 0;
    if (count)
        snprintf(words, NI_NOT_PAPERS, "Not the paper\u2019s settings of gap: %s instead of %s.", ours,
                 theirs);
    look_at_others(study, s, &chosen, &fitted);
    if (chosen)
        add_sentence(
            words, NI_NOT_PAPERS,
            "Settings were chosen on validation pairs of another seed, by at most six tries a system, from "
            "presets that had been shaped before (docs/evaluation.md, \u201cSettings\u201d); the end of "
            "this "
            "report lists them.");
    name_presets(study, s, words, NI_NOT_PAPERS);
    if (applies && fitted)
        add_sentence(
            words, NI_NOT_PAPERS,
            "The settings of the other systems of the paper were chosen by test links of another seed, so "
            "that what was printed is reached: do not compare their rows with each other or with gap.");
}

/* ---- what was run ---- */

const ni_entry *ni_sheet_entry(const ni_sheet *s, size_t row, size_t column)
{
    return &s->entry[row * s->table->columns + column];
}

bool ni_row_was_run(const ni_sheet *s, size_t row)
{
    for (size_t j = 0; j < s->table->columns; j++)
        if (ni_sheet_entry(s, row, j)->seeds || ni_sheet_entry(s, row, j)->late) return true;
    return false;
}

bool ni_sheet_was_run(const ni_sheet *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (ni_row_was_run(s, i)) return true;
    return false;
}

bool ni_row_is_published(const ni_sheet *s, size_t row, size_t value)
{
    for (size_t j = 0; j < s->table->columns; j++)
        if (isfinite(ni_entry_paper(ni_sheet_entry(s, row, j), value))) return true;
    return false;
}

static bool same_method(const ni_sheet *s, size_t i, size_t j)
{
    return s->row[i].method && s->row[j].method && !strcmp(s->row[i].method, s->row[j].method);
}

/* Has several methods, or numbers of the paper. */
static bool compares(const ni_sheet *s, size_t column)
{
    size_t first = s->rows;
    for (size_t i = 0; i < s->rows; i++) {
        const ni_entry *e = ni_sheet_entry(s, i, column);
        if (isfinite(e->paper[0])) return true;
        if (!e->seeds && !e->late) continue;
        if (first < s->rows && !same_method(s, first, i)) return true;
        if (first == s->rows) first = i;
    }
    return false;
}

bool ni_sheet_has_column(const ni_sheet *s, size_t column)
{
    bool any = false;
    if (compares(s, column)) return true;
    for (size_t j = 0; j < s->table->columns; j++)
        if (compares(s, j)) return false;
    for (size_t i = 0; i < s->rows; i++) {
        const ni_entry *e = ni_sheet_entry(s, i, column);
        any |= e->seeds || e->late;
    }
    return any;
}

size_t ni_sheet_columns(const ni_sheet *s)
{
    size_t count = 0;
    for (size_t j = 0; j < s->table->columns; j++) count += ni_sheet_has_column(s, j);
    return count;
}

double ni_entry_paper(const ni_entry *e, size_t value)
{
    return value < NI_SHOWN ? e->paper[value] : NAN;
}

/* Why the graph of a sheet has no texts; NULL: it has, or the sheet is on several graphs. */
static const char *why_no_text(const ni_sheet *s)
{
    const ni_paper_graph *graph = s->table->columns ? s->table->column[0].graph : NULL;
    return graph && s->table->aim != NI_AIM_TIME ? graph->no_text : NULL;
}

ni_absence ni_row_absence(const ni_sheet *s, size_t row)
{
    const neap_method_info *m = neap_method_find(s->row[row].method);
    if (!m) return NI_NOT_IN_VERSION;
    return m->text && why_no_text(s) ? NI_NO_TEXT : NI_NOT_RUN;
}

void ni_absence_words(const ni_sheet *s, ni_absence absence, char words[NI_ABSENCE_WORDS])
{
    const char *why = why_no_text(s);
    if (absence == NI_NO_TEXT) snprintf(words, NI_ABSENCE_WORDS, "Not run: %s", why ? why : "no text");
    else snprintf(words, NI_ABSENCE_WORDS, absence == NI_NOT_RUN ? "Not run" : "Not in this version");
}

size_t ni_study_same_table(const ni_study *study, size_t sheet, bool *run)
{
    size_t end = sheet;
    *run = false;
    for (; end < study->sheets && study->sheet[end].table == study->sheet[sheet].table; end++)
        *run |= ni_sheet_was_run(&study->sheet[end]);
    return end - sheet;
}

bool ni_entry_has(const ni_entry *e, size_t value)
{
    return e->seeds && isfinite(e->mean[value]);
}

uint32_t ni_sheet_seeds(const ni_sheet *s)
{
    uint32_t most = 0;
    for (size_t k = 0; k < s->rows * s->table->columns; k++) {
        const ni_entry *e = &s->entry[k];
        if (e->seeds && e->asked > most) most = e->asked;
        if (e->seeds > most) most = e->seeds;
    }
    return most;
}

uint32_t ni_entry_seeds(const ni_sheet *s, const ni_entry *e)
{
    return e->asked ? e->asked : ni_sheet_seeds(s);
}

size_t ni_sheet_value(const ni_sheet *s, size_t i)
{
    size_t shown = ni_aim_info_of(s->table->aim)->shown;
    if (i < shown) return i;
    if (i > shown || s->table->aim != NI_AIM_LINK || strcmp(s->protocol, "clean")) return NI_VALUES;
    for (size_t k = 0; k < s->rows * s->table->columns; k++)
        if (ni_entry_has(&s->entry[k], NI_LINK_MRR_ALL)) return NI_LINK_MRR_ALL;
    return NI_VALUES;
}

/* ---- remarks ---- */

/* The row of the plain cosine of texts, or SIZE_MAX. */
static size_t text_row(const ni_sheet *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!strcmp(s->row[i].method, "text")) return i;
    return SIZE_MAX;
}

/* "tadw (15 %, 55 %)": the columns where a row is below another. */
static bool list_below(const ni_sheet *s, size_t row, size_t other, size_t value, char *words, size_t room)
{
    bool any = false;
    for (size_t j = 0; j < s->table->columns; j++) {
        const ni_entry *mine = ni_sheet_entry(s, row, j), *theirs = ni_sheet_entry(s, other, j);
        if (!ni_entry_has(mine, value) || !ni_entry_has(theirs, value) ||
            ni_shown(s, mine->mean[value]) >= ni_shown(s, theirs->mean[value]))
            continue;
        size_t used = strlen(words);
        if (any) snprintf(words + used, room - used, ", %s", s->table->column[j].label);
        else
            snprintf(words + used, room - used, "%s%s (%s", used ? ", " : "", s->row[row].label,
                     s->table->column[j].label);
        any = true;
    }
    if (any) snprintf(words + strlen(words), room - strlen(words), ")");
    return any;
}

static void remark_on_text(const ni_sheet *s, size_t value, char words[NI_REMARKS])
{
    char below[NI_REMARKS / 2] = "", sentence[NI_REMARKS];
    size_t text = text_row(s);
    for (size_t i = 0; i < s->rows && text != SIZE_MAX; i++) {
        const neap_method_info *m = neap_method_find(s->row[i].method);
        if (i != text && m && m->text) list_below(s, i, text, value, below, sizeof below);
    }
    snprintf(sentence, sizeof sentence,
             "Reads text and is below text, the plain cosine of TF-IDF vectors: %s.", below);
    if (*below) add_sentence(words, NI_REMARKS, sentence);
}

/* "10 minutes": the largest limit that cut a cell of a sheet, as the cells have it; if they do not say,
 * that of this report. */
static void limit_words(const ni_study *study, const ni_sheet *s, char words[48])
{
    double limit = 0;
    for (size_t k = 0; k < s->rows * s->table->columns; k++)
        if (s->entry[k].limit > limit) limit = s->entry[k].limit;
    if (!(limit > 0)) limit = study->cell_time;
    if (limit < 60) snprintf(words, 48, "%.3g second%s", limit, limit == 1 ? "" : "s");
    else snprintf(words, 48, "%.3g minute%s", limit / 60, limit == 60 ? "" : "s");
}

void ni_sheet_remarks(const ni_study *study, const ni_sheet *s, size_t value, char words[NI_REMARKS])
{
    uint32_t cut = 0, late = 0, unranked = 0;
    char sentence[256], limit[48];
    words[0] = 0;
    for (size_t k = 0; k < s->rows * s->table->columns; k++)
        cut += s->entry[k].cut, late += s->entry[k].late, unranked += s->entry[k].unranked;
    limit_words(study, s, limit);
    bool timed = s->table->aim == NI_AIM_TIME;
    snprintf(sentence, sizeof sentence, "\u2020 cut short after at most %s: %s.", limit,
             timed ? "the time of a whole epoch, from a part of one" : "what was learned until then");
    if (cut) add_sentence(words, NI_REMARKS, sentence);
    snprintf(sentence, sizeof sentence, "\u201ctook too long\u201d: no result after %s.", limit);
    if (late) add_sentence(words, NI_REMARKS, sentence);
    snprintf(sentence, sizeof sentence, "\u201cn/a\u201d: no time was left for these ranks within %s.",
             limit);
    if (unranked && value == NI_LINK_MRR_ALL) add_sentence(words, NI_REMARKS, sentence);
    if (s->table->aim == NI_AIM_LINK) remark_on_text(s, value, words);
}

/* ---- words and numbers ---- */

const char *ni_value_title(const ni_sheet *s, size_t value)
{
    static const char *const titles[][2] = {
        { "auc", "AUC" },
        { "nmi", "NMI" },
        { "ami", "AMI" },
        { "seconds_epoch", "seconds per epoch" },
        { "mrr_all", "MRR (all nodes)" },
    };
    const char *name = ni_aim_info_of(s->table->aim)->value[value];
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i][0], name)) return titles[i][1];
    return name;
}

void ni_row_label(const ni_condition *row, char label[NI_ROW_LABEL])
{
    snprintf(label, NI_ROW_LABEL, "%s%s%s", row->label, row->untrained ? ", untrained" : "",
             row->self ? ", with self" : "");
}

bool ni_entry_clustered(const ni_entry *e, char words[NI_CLUSTERED])
{
    double gamma = e->mean[NI_CLUSTER_GAMMA];
    char nodes[NI_FIXED_BYTES], width[NI_FIXED_BYTES];
    if (!ni_entry_has(e, NI_CLUSTER_NODES) || !ni_format_fixed(e->mean[NI_CLUSTER_NODES], 0, nodes) ||
        !ni_format_fixed(gamma, ni_html_decimals(gamma), width))
        return false;
    snprintf(words, NI_CLUSTERED, "%s nodes, \u03b3 %s", nodes, width);
    return true;
}

static double round_to(double x, int decimals)
{
    double one = pow(10, decimals);
    return copysign(floor(fabs(x) * one + 0.5) / one, x);
}

/* Per cent with one decimal, as in the paper; of a time three digits. */
int ni_shown_decimals(const ni_sheet *s, double value)
{
    if (ni_aim_info_of(s->table->aim)->percent) return 1;
    return value < 0.1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
}

double ni_shown(const ni_sheet *s, double value)
{
    double x = ni_aim_info_of(s->table->aim)->percent ? 100 * value : value;
    return round_to(x, ni_shown_decimals(s, value));
}

int ni_paper_decimals(const ni_sheet *s, size_t value)
{
    for (size_t k = 0; k < s->rows * s->table->columns; k++) {
        double x = ni_entry_paper(&s->entry[k], value);
        if (isfinite(x) && x != floor(x)) return 1;
    }
    return 0;
}

double ni_difference(const ni_sheet *s, const ni_entry *e, size_t value)
{
    return round_to(ni_shown(s, e->mean[value]) - ni_entry_paper(e, value), 1);
}

/* ---- the best ---- */

ni_standing ni_standing_of(const ni_sheet *s, size_t row, size_t column, size_t value)
{
    bool along_row = s->table->columns && s->table->column[0].neighbors, tied = false;
    size_t count = along_row ? s->table->columns : s->rows, rivals = 0;
    const ni_entry *mine = ni_sheet_entry(s, row, column);
    if (!ni_entry_has(mine, value)) return NI_BEHIND;
    double here = ni_shown(s, mine->mean[value]);
    for (size_t i = 0; i < count; i++) {
        const ni_entry *e = along_row ? ni_sheet_entry(s, row, i) : ni_sheet_entry(s, i, column);
        if (e == mine || !ni_entry_has(e, value)) continue;
        if (!along_row && ni_row_sees_test(s, i) != ni_row_sees_test(s, row)) continue;
        double there = ni_shown(s, e->mean[value]);
        if (s->table->aim == NI_AIM_TIME ? there < here : there > here) return NI_BEHIND;
        tied |= there == here;
        rivals++;
    }
    return rivals == 0 ? NI_BEHIND : tied ? NI_TIED : NI_AHEAD;
}

bool ni_is_best(const ni_sheet *s, size_t row, size_t column, size_t value)
{
    return ni_standing_of(s, row, column, value) != NI_BEHIND;
}

/* ---- settings ---- */

const char ni_nested_words[] = "Columns are not independent: a seed\u2019s splits are nested over the "
                               "ratios, and test sets of different "
                               "seeds overlap";
const char ni_deviation_words[] = "\u00b1 is the deviation over seeds, not a confidence interval";

static bool was_run_with(const ni_study *study, const ni_system_settings *system)
{
    for (size_t k = 0; k < study->sheets; k++) {
        const ni_sheet *s = &study->sheet[k];
        for (size_t i = 0; i < s->rows; i++)
            if (ni_row_was_run(s, i) && ni_tuned_find(s->row[i].method, s->protocol) == system) return true;
    }
    return false;
}

const ni_system_settings *ni_study_system(const ni_study *study, size_t i)
{
    const ni_system_settings *system = NULL;
    for (size_t k = 0; !study->plain && (system = ni_tuned_at(k)); k++)
        if (was_run_with(study, system) && i-- == 0) break;
    return system;
}

const char *ni_protocols_words(const char *protocols)
{
    return !*protocols ? "all" : !strcmp(protocols, "clean") ? "clean" : "paper, paper-clean";
}

bool ni_setting_matters(const neap_option_info *option)
{
    static const char *const of_a_cell[] = { "method", "seed", "test" };
    for (size_t i = 0; i < sizeof of_a_cell / sizeof *of_a_cell; i++)
        if (!strcmp(option->name, of_a_cell[i])) return false;
    return option->saved && neap_method_has_option("gap", option->name);
}

bool ni_setting_is_by_graph(const ni_study *study, const char *option, int which)
{
    if (which != 0) return false;
    return (!strcmp(option, "neighbors") && !study->own_neighbors) ||
           (!strcmp(option, "dropout") && !study->own_dropout);
}
