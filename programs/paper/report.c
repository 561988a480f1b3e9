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

/* Run, and with numbers of the paper: their preset was made to reach those (docs/evaluation.md). */
static bool has_other_systems(const ni_sheet *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (strncmp(s->row[i].method, "gap", 3) && ni_row_was_run(s, i) && ni_row_is_published(s, i, 0))
            return true;
    return false;
}

void ni_sheet_not_papers(const ni_study *study, const ni_sheet *s, char words[NI_NOT_PAPERS])
{
    change found[3];
    char ours[160] = "", theirs[112] = "";
    bool applies = *s->protocol && strcmp(s->protocol, "clean") && study->settings[0];
    size_t count = applies ? find_changes(study->settings[0], found) : 0;
    for (size_t i = 0; i < count; i++) {
        add_item(ours, sizeof ours, found[i].ours, i, count);
        add_item(theirs, sizeof theirs, found[i].theirs, i, count);
    }
    words[0] = 0;
    if (count)
        snprintf(words, NI_NOT_PAPERS, "Not the paper\u2019s settings of gap: %s instead of %s%s%s.", ours,
                 theirs, !study->chosen_on_leaky ? "" : "; chosen after looking at results of ",
                 !study->chosen_on_leaky ? ""
                 : ni_sheet_is_leaky(s)  ? "this leaky protocol"
                                         : "the leaky protocol");
    if (applies && has_other_systems(s))
        snprintf(
            words + strlen(words), NI_NOT_PAPERS - strlen(words), "%s%s", count ? " " : "",
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
        if (ni_sheet_entry(s, row, j)->seeds) return true;
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
        if (isfinite(ni_sheet_entry(s, row, j)->paper[value])) return true;
    return false;
}

bool ni_row_is_in_version(const ni_sheet *s, size_t row)
{
    return neap_method_find(s->row[row].method) != NULL;
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

uint32_t ni_sheet_seeds(const ni_study *study, const ni_sheet *s)
{
    return s->table->aim == NI_AIM_TIME ? 1 : study->seeds;
}

/* ---- words and numbers ---- */

const char *ni_value_title(const ni_sheet *s, size_t value)
{
    static const char *const titles[][2] = {
        { "auc", "AUC" }, { "nmi", "NMI" }, { "ami", "AMI" }, { "seconds_epoch", "seconds per epoch" }
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
        double x = s->entry[k].paper[value];
        if (isfinite(x) && x != floor(x)) return 1;
    }
    return 0;
}

double ni_difference(const ni_sheet *s, const ni_entry *e, size_t value)
{
    return round_to(ni_shown(s, e->mean[value]) - e->paper[value], 1);
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

bool ni_setting_matters(const neap_option_info *option)
{
    static const char *const of_a_cell[] = { "method", "seed", "test" };
    for (size_t i = 0; i < sizeof of_a_cell / sizeof *of_a_cell; i++)
        if (!strcmp(option->name, of_a_cell[i])) return false;
    return option->saved;
}

bool ni_setting_is_by_graph(const ni_study *study, const char *option, int which)
{
    if (which != 0) return false;
    return (!strcmp(option, "neighbors") && !study->own_neighbors) ||
           (!strcmp(option, "dropout") && !study->own_dropout);
}
