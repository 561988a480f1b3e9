/* results.md: the tables for people who read text. The paper's numbers have rows of their own, below ours.
 */
#include <math.h>
#include <string.h>

#include "paper/report.h"

/* A character that means something in Markdown or HTML, made harmless; NULL if it means nothing. */
static const char *harmless(char c)
{
    static const char *const marks[] = { "<&lt;", ">&gt;", "&&amp;", "\\\\\\", "`\\`", "*\\*",
                                         "_\\_",  "[\\[",  "]\\]",   "|\\|",   "#\\#", "~\\~" };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (*marks[i] == c) return marks[i] + 1;
    return NULL;
}

/* On one line: control characters and stray bytes become U+FFFD. */
static void put_text(ni_page *out, const char *text)
{
    char label[NI_LABEL_BYTES];
    bool changed;
    while (*text) {
        char one[5] = { 0 };
        size_t length = ni_utf8_length(text);
        memcpy(one, text, length ? length : 1);
        ni_html_label(one, 2, label, &changed);
        ni_page_text(out, harmless(*text) ? harmless(*text) : label);
        text += length ? length : 1;
    }
}

static void put_label(ni_page *out, const ni_condition *row)
{
    char label[NI_ROW_LABEL];
    ni_row_label(row, label);
    put_text(out, label);
}

/* ---- cells ---- */

/* "**97.9** ±0.1" */
static void put_ours(ni_page *out, const ni_sheet *s, size_t row, size_t column, size_t value)
{
    const ni_entry *e = ni_sheet_entry(s, row, column);
    if (!ni_entry_has(e, value)) {
        ni_page_text(out, e->seeds ? "n/a" : e->late ? "took too long" : "not run");
        return;
    }
    const char *mark = ni_is_best(s, row, column, value) ? "**" : "";
    int decimals = ni_shown_decimals(s, e->mean[value]);
    ni_page_text(out, mark);
    ni_html_number(out, ni_shown(s, e->mean[value]), decimals);
    ni_page_print(out, "%s%s", mark, e->cut ? "\u2020" : "");
    if (e->seeds > 1) {
        ni_page_text(out, " \u00b1");
        ni_html_number(out, ni_shown(s, e->std[value]), decimals);
    }
    if (e->seeds < ni_entry_seeds(s, e))
        ni_page_print(out, " (%u of %u seeds)", e->seeds, ni_entry_seeds(s, e));
}

/* "[95.8] +2.1" */
static void put_theirs(ni_page *out, const ni_sheet *s, size_t row, size_t column, size_t value)
{
    const ni_entry *e = ni_sheet_entry(s, row, column);
    if (!isfinite(ni_entry_paper(e, value))) return;
    ni_page_text(out, "[");
    ni_html_number(out, ni_entry_paper(e, value), ni_paper_decimals(s, value));
    ni_page_text(out, "]");
    if (!ni_entry_has(e, value)) return;
    double difference = ni_difference(s, e, value);
    ni_page_text(out, difference > 0 ? " +" : " ");
    ni_html_number(out, difference, 1);
}

/* ---- tables ---- */

static void put_head(ni_page *out, const ni_sheet *s)
{
    ni_page_text(out, "| ");
    put_text(out, s->table->down);
    for (size_t j = 0; j < s->table->columns; j++) {
        if (!ni_sheet_has_column(s, j)) continue;
        ni_page_text(out, " | ");
        put_text(out, s->table->column[j].label);
    }
    ni_page_text(out, " |\n|:--|");
    for (size_t j = ni_sheet_columns(s); j; j--) ni_page_text(out, "--:|");
    ni_page_text(out, "\n");
}

static void put_our_row(ni_page *out, const ni_sheet *s, size_t row, size_t value)
{
    ni_page_text(out, "| ");
    put_label(out, &s->row[row]);
    if (ni_row_sees_test(s, row)) ni_page_text(out, " (sees test links)");
    for (size_t j = 0; j < s->table->columns; j++) {
        if (!ni_sheet_has_column(s, j)) continue;
        ni_page_text(out, " | ");
        put_ours(out, s, row, j, value);
    }
    ni_page_text(out, " |\n");
}

static void put_their_row(ni_page *out, const ni_sheet *s, size_t row, size_t value)
{
    ni_page_text(out, "| *");
    put_label(out, &s->row[row]);
    ni_page_text(out, ", published");
    if (!ni_row_was_run(s, row)) {
        char words[NI_ABSENCE_WORDS];
        ni_absence_words(s, ni_row_absence(s, row), words);
        ni_page_print(out, "; %c%s", words[0] - 'A' + 'a', words + 1);
    }
    ni_page_text(out, "*");
    for (size_t j = 0; j < s->table->columns; j++) {
        if (!ni_sheet_has_column(s, j)) continue;
        ni_page_text(out, " | ");
        put_theirs(out, s, row, j, value);
    }
    ni_page_text(out, " |\n");
}

static void put_clustered_row(ni_page *out, const ni_sheet *s, size_t row)
{
    char words[NI_CLUSTERED];
    ni_page_text(out, "| *");
    put_label(out, &s->row[row]);
    ni_page_text(out, ", clustered*");
    for (size_t j = 0; j < s->table->columns; j++) {
        if (!ni_sheet_has_column(s, j)) continue;
        ni_page_text(out, " | ");
        if (ni_entry_clustered(ni_sheet_entry(s, row, j), words)) ni_page_text(out, words);
    }
    ni_page_text(out, " |\n");
}

static void put_table(ni_page *out, const ni_study *study, const ni_sheet *s, size_t value)
{
    bool percent = ni_aim_info_of(s->table->aim)->percent;
    bool clusters = s->table->aim == NI_AIM_CLUSTER && value == 0;
    char remarks[NI_REMARKS];
    ni_page_print(out, "**%s%s**, columns: ", ni_value_title(s, value), percent ? " in per cent" : "");
    put_text(out, s->table->across);
    ni_page_text(out, "\n\n");
    put_head(out, s);
    for (size_t i = 0; i < s->rows; i++) {
        if (ni_row_was_run(s, i)) put_our_row(out, s, i, value);
        if (ni_row_is_published(s, i, value)) put_their_row(out, s, i, value);
        if (ni_row_was_run(s, i) && clusters) put_clustered_row(out, s, i);
    }
    ni_sheet_remarks(study, s, value, remarks);
    ni_page_print(out, "\n%s%s", remarks, *remarks ? "\n\n" : "");
}

/* Rows of which there is nothing at all to show. */
static void put_missing_rows(ni_page *out, const ni_sheet *s, ni_absence absence)
{
    bool any = false;
    char words[NI_ABSENCE_WORDS];
    ni_absence_words(s, absence, words);
    for (size_t i = 0; i < s->rows; i++) {
        if (ni_row_was_run(s, i) || ni_row_is_published(s, i, 0)) continue;
        if (ni_row_absence(s, i) != absence) continue;
        ni_page_print(out, "%s%s", any ? "; " : words, any ? "" : ": ");
        put_label(out, &s->row[i]);
        any = true;
    }
    if (any) ni_page_text(out, ".\n\n");
}

static void put_sheet(ni_page *out, const ni_study *study, const ni_sheet *s)
{
    bool run = ni_sheet_was_run(s);
    char words[NI_NOT_PAPERS];
    if (*s->protocol) {
        ni_page_text(out, run ? "### Protocol " : "Protocol ");
        put_text(out, s->protocol);
        ni_page_text(out, ni_sheet_is_leaky(s) ? " (leaky)" : "");
        ni_page_text(out, run ? "\n\n" : ": ");
    }
    if (!run) {
        ni_page_text(out, "not run.\n\n");
        return;
    }
    ni_sheet_write_seeds(out, s);
    ni_page_text(out, s->seeds ? "\n\n" : "");
    if (ni_sheet_is_leaky(s))
        ni_page_print(out, "%s In bold is the best among those that see the same.\n\n", ni_leak_words);
    ni_sheet_not_papers(study, s, words);
    if (*words) ni_page_print(out, "%s\n\n", words);
    for (size_t i = 0; ni_sheet_value(s, i) < NI_VALUES; i++)
        put_table(out, study, s, ni_sheet_value(s, i));
    for (int absence = 0; absence < NI_ABSENCES; absence++) put_missing_rows(out, s, (ni_absence)absence);
}

/* ---- the whole ---- */

static void put_setting(ni_page *out, const ni_study *study, const neap_option_info *option)
{
    ni_page_print(out, "| %s |", option->name);
    for (int i = 0; i < 2; i++) {
        char value[32] = "";
        if (study->settings[i])
            neap_options_get(study->settings[i], option->name, value, sizeof value, NULL);
        ni_page_text(out, " ");
        put_text(out, ni_setting_is_by_graph(study, option->name, i) ? "of the graph" : value);
        ni_page_text(out, " |");
    }
    ni_page_text(out, "\n");
}

static void put_systems(ni_page *out, const ni_study *study)
{
    const ni_system_settings *system;
    for (size_t i = 0; (system = ni_study_system(study, i)); i++) {
        if (i == 0)
            ni_page_text(out,
                         "Systems with settings of their own here, chosen on validation pairs of another "
                         "seed:\n\n| system | protocols | settings |\n|:--|:--|:--|\n");
        ni_page_print(out, "| %s | %s | `%s` |\n", system->method, ni_protocols_words(system->protocols),
                      system->options);
    }
    ni_page_text(out, "\n");
}

/* What was asked for, part by part, in the order in which it is run. */
static void put_parts(ni_page *out, const ni_study *study)
{
    if (study->parts < 2) return;
    ni_page_text(out, "## What was run\n\n| part of the plan, in this order | run | of |\n|:--|--:|--:|\n");
    for (size_t i = 0; i < study->parts; i++) {
        const ni_study_part *p = &study->part[i];
        if (!p->asked) continue;
        ni_page_text(out, "| ");
        put_text(out, p->title);
        ni_page_text(out, " | ");
        ni_html_whole(out, p->asked - p->missing);
        ni_page_text(out, " | ");
        ni_html_whole(out, p->asked);
        ni_page_text(out, " |\n");
    }
    ni_page_text(out, "\n");
}

static void put_settings(ni_page *out, const ni_study *study)
{
    ni_page_print(out, "## Settings\n\n%s%s%s.\n\n", ni_nested_words, study->seeds > 1 ? "; " : "",
                  study->seeds > 1 ? ni_deviation_words : "");
    ni_page_text(out, "Of gap:\n\n| option | paper, paper-clean | clean |\n|:--|:--|:--|\n");
    for (size_t i = 0; i < neap_option_count(); i++)
        if (ni_setting_matters(neap_option_at(i))) put_setting(out, study, neap_option_at(i));
    ni_page_text(out, "\n");
    put_systems(out, study);
}

static void put_summary(ni_page *out, const ni_study *study)
{
    ni_page_print(out, "# The experiments of the paper, run by neap %s\n\n", neap_version());
    ni_html_whole(out, study->asked - study->missing);
    ni_page_text(out, " of ");
    ni_html_whole(out, study->asked);
    ni_page_text(out, " asked for were run; the report has ");
    ni_html_whole(out, study->shown);
    ni_page_text(out, " measurements. Seeds: ");
    ni_write_seeds(out, study->seed, study->seeds);
    ni_page_text(out, ".\n\n");
    if (study->seeds > 1) ni_page_text(out, "The mean over the seeds, \u00b1 their deviation. ");
    ni_page_text(out,
                 "In **bold** the best of what was run. In "
                 "rows called *published*, the number of the paper in brackets, and behind it ours less "
                 "the paper\u2019s.\n\n");
}

/* One table under each protocol; one line if nothing of it was run. */
static void put_sheets(ni_page *out, const ni_study *study, size_t first, size_t count, bool run)
{
    const ni_table *t = study->sheet[first].table;
    ni_page_text(out, "## ");
    put_text(out, t->title);
    ni_page_text(out, run ? "\n\n" : ": not run\n\n");
    if (!run) return;
    put_text(out, t->about);
    ni_page_text(out, "\n\n");
    for (size_t i = first; i < first + count; i++) put_sheet(out, study, &study->sheet[i]);
}

void ni_report_markdown(ni_page *out, const ni_study *study)
{
    put_summary(out, study);
    put_parts(out, study);
    for (size_t i = 0, count; i < study->sheets; i += count) {
        bool run;
        count = ni_study_same_table(study, i, &run);
        put_sheets(out, study, i, count, run);
    }
    put_settings(out, study);
}
