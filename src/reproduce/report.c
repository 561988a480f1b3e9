#include "reproduce/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
          "The honest one, and what neap does unless it is told otherwise. Unordered pairs are split, "
          "so that the reverse of a test link is never in training; nothing of the test is seen in "
          "training; every test pair is scored. The paper has no numbers for it.",
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
        { "auc", "AUC" }, { "nmi", "NMI" }, { "ami", "AMI" }, { "seconds_epoch", "seconds an epoch" }
    };
    const char *name = ni_aim_info_of(s->table->aim)->value[value];
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i][0], name)) return titles[i][1];
    return name;
}

void ni_row_label(const ni_place *row, char label[NI_ROW_LABEL])
{
    snprintf(label, NI_ROW_LABEL, "%s%s%s", row->label, row->untrained ? ", untrained" : "",
             row->self ? ", node itself read" : "");
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

bool ni_is_best(const ni_sheet *s, size_t row, size_t column, size_t value)
{
    bool along_row = s->table->columns && s->table->column[0].neighbors;
    size_t count = along_row ? s->table->columns : s->rows, rivals = 0;
    const ni_entry *mine = ni_sheet_entry(s, row, column);
    if (!ni_entry_has(mine, value)) return false;
    double here = ni_shown(s, mine->mean[value]);
    for (size_t i = 0; i < count; i++) {
        const ni_entry *e = along_row ? ni_sheet_entry(s, row, i) : ni_sheet_entry(s, i, column);
        if (e == mine || !ni_entry_has(e, value)) continue;
        double there = ni_shown(s, e->mean[value]);
        if (s->table->aim == NI_AIM_TIME ? there < here : there > here) return false;
        rivals++;
    }
    return rivals > 0;
}

/* ---- settings ---- */

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
