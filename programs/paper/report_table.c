/* A sheet as an HTML table: ours in the first line of a cell, the paper's number in brackets in the second.
 * Methods of the paper that were not run, or are not in this version, stand below a heading of their own.
 */
#include <math.h>

#include "paper/report.h"

typedef struct page {
    ni_page *out;
    const ni_study *study;
    const ni_sheet *s;
    size_t value;
} page;

/* ---- cells ---- */

/* The deviation, and how many of the seeds there are, in small letters. */
static void write_deviation(const page *p, const ni_entry *e, int decimals)
{
    uint32_t asked = ni_entry_seeds(p->s, e);
    if (asked < 2 && e->seeds < 2) return;
    ni_page_print(p->out, "<small class=\"dev\" title=\"%u of %u seeds\">", e->seeds, asked);
    if (e->seeds > 1) {
        ni_page_text(p->out, "\u00b1");
        ni_html_number(p->out, ni_shown(p->s, e->std[p->value]), decimals);
    }
    if (e->seeds < asked) ni_page_print(p->out, "%sn=%u", e->seeds > 1 ? " " : "", e->seeds);
    ni_page_text(p->out, "</small>");
}

static void write_ours(const page *p, size_t row, size_t column)
{
    const ni_entry *e = ni_sheet_entry(p->s, row, column);
    if (!ni_entry_has(e, p->value)) {
        ni_page_print(p->out, "<span class=\"none\">%s</span>",
                      e->seeds  ? "n/a"
                      : e->late ? "took too long"
                                : "not run");
        return;
    }
    const char *element = ni_is_best(p->s, row, column, p->value) ? "strong" : "span";
    int decimals = ni_shown_decimals(p->s, e->mean[p->value]);
    ni_page_print(p->out, "<%s>", element);
    ni_html_number(p->out, ni_shown(p->s, e->mean[p->value]), decimals);
    ni_page_print(p->out, "</%s>%s", element, e->cut ? "\u2020" : "");
    write_deviation(p, e, decimals);
}

static void write_theirs(const page *p, const ni_entry *e)
{
    if (!isfinite(ni_entry_paper(e, p->value))) return;
    ni_page_text(p->out, "<span class=\"theirs\">[");
    ni_html_number(p->out, ni_entry_paper(e, p->value), ni_paper_decimals(p->s, p->value));
    ni_page_text(p->out, "]");
    if (ni_entry_has(e, p->value)) {
        double difference = ni_difference(p->s, e, p->value);
        ni_page_print(p->out, " <span class=\"%s\">%s", difference < 0 ? "less" : "more",
                      difference > 0 ? "+" : "");
        ni_html_number(p->out, difference, 1);
        ni_page_text(p->out, "</span>");
    }
    ni_page_text(p->out, "</span>");
}

/* What was clustered, below the first score of a clustering. */
static void write_clustered(const page *p, const ni_entry *e)
{
    char words[NI_CLUSTERED];
    if (p->s->table->aim == NI_AIM_CLUSTER && p->value == 0 && ni_entry_clustered(e, words))
        ni_page_print(p->out, "<span class=\"detail\">%s</span>", words);
}

/* ---- rows ---- */

static void write_row_head(const page *p, size_t row)
{
    char label[NI_ROW_LABEL], shown[NI_LABEL_BYTES];
    bool changed;
    ni_row_label(&p->s->row[row], label);
    ni_html_label(label, NI_LABEL_MOST, shown, &changed);
    ni_page_text(p->out, "<tr><th scope=\"row\" class=\"stub\">");
    ni_html_text(p->out, shown);
    if (ni_row_sees_test(p->s, row) && ni_row_was_run(p->s, row))
        ni_page_text(p->out, "<span class=\"sees\">sees test links</span>");
    ni_page_text(p->out, "</th>");
}

static void write_row(const page *p, size_t row)
{
    bool run = ni_row_was_run(p->s, row);
    write_row_head(p, row);
    for (size_t j = 0; j < p->s->table->columns; j++) {
        if (!ni_sheet_has_column(p->s, j)) continue;
        ni_page_text(p->out, "<td>");
        if (run) write_ours(p, row, j);
        write_theirs(p, ni_sheet_entry(p->s, row, j));
        write_clustered(p, ni_sheet_entry(p->s, row, j));
        ni_page_text(p->out, "</td>");
    }
    ni_page_text(p->out, "</tr>\n");
}

static void write_quoted_rows(const page *p, ni_absence absence)
{
    bool any = false;
    char words[NI_ABSENCE_WORDS];
    ni_absence_words(p->s, absence, words);
    for (size_t i = 0; i < p->s->rows; i++) {
        if (ni_row_was_run(p->s, i) || !ni_row_is_published(p->s, i, p->value)) continue;
        if (ni_row_absence(p->s, i) != absence) continue;
        if (!any)
            ni_page_print(p->out,
                          "<tbody class=\"quoted-rows\">\n<tr><th scope=\"rowgroup\" colspan=\"%zu\"><span>"
                          "%s, only [the paper\u2019s numbers]</span></th></tr>\n",
                          ni_sheet_columns(p->s) + 1, words);
        any = true;
        write_row(p, i);
    }
    if (any) ni_page_text(p->out, "</tbody>\n");
}

/* ---- the table ---- */

/* How many edges a graph has, where that was measured. */
static void write_edges(const page *p, size_t column)
{
    for (size_t i = 0; i < p->s->rows && p->s->table->aim == NI_AIM_TIME; i++) {
        const ni_entry *e = ni_sheet_entry(p->s, i, column);
        if (!ni_entry_has(e, 1) || !(e->mean[1] >= 0 && e->mean[1] < 1e18)) continue;
        ni_page_text(p->out, "<small>");
        ni_html_whole(p->out, (uint64_t)e->mean[1]);
        ni_page_text(p->out, " edges</small>");
        return;
    }
}

static void write_head(const page *p)
{
    const ni_table *t = p->s->table;
    ni_page_text(p->out, "<thead>\n<tr><th scope=\"col\" class=\"stub\" rowspan=\"2\">");
    ni_html_text(p->out, t->down);
    ni_page_print(p->out, "</th><th scope=\"colgroup\" class=\"across\" colspan=\"%zu\"><span>",
                  ni_sheet_columns(p->s));
    ni_html_text(p->out, t->across);
    ni_page_text(p->out, "</span></th></tr>\n<tr>");
    for (size_t j = 0; j < t->columns; j++) {
        if (!ni_sheet_has_column(p->s, j)) continue;
        ni_page_text(p->out, "<th scope=\"col\">");
        ni_html_text(p->out, t->column[j].label);
        write_edges(p, j);
        ni_page_text(p->out, "</th>");
    }
    ni_page_text(p->out, "</tr>\n</thead>\n");
}

/* "AUC in per cent, protocol paper (leaky)" */
static void write_subject(const page *p)
{
    bool percent = ni_aim_info_of(p->s->table->aim)->percent;
    ni_page_print(p->out, "%s%s", ni_value_title(p->s, p->value), percent ? " in per cent" : "");
    if (*p->s->protocol) {
        ni_page_text(p->out, ", protocol ");
        ni_html_text(p->out, p->s->protocol);
    }
    if (ni_sheet_is_leaky(p->s)) ni_page_text(p->out, " (leaky)");
}

/* Tables of one title differ by their subject, and so must the names of the frames they scroll in. */
static void begin_frame(const page *p)
{
    ni_page_text(p->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: ");
    ni_html_text(p->out, p->s->table->title);
    ni_page_text(p->out, ": ");
    write_subject(p);
    ni_page_text(p->out, "; scrolls sideways\">\n");
}

static void write_remarks(const page *p)
{
    char words[NI_REMARKS];
    ni_sheet_remarks(p->study, p->s, p->value, words);
    if (!*words) return;
    ni_page_text(p->out, "<p class=\"note\">");
    ni_html_text(p->out, words);
    ni_page_text(p->out, "</p>\n");
}

void ni_sheet_write_table(ni_page *out, const ni_study *study, const ni_sheet *s, size_t value)
{
    page p = { out, study, s, value };
    begin_frame(&p);
    ni_page_print(out, "<table class=\"sheet%s\">\n<caption>", ni_sheet_columns(s) > 5 ? " many" : "");
    write_subject(&p);
    ni_page_text(out, "</caption>\n");
    write_head(&p);
    ni_page_text(out, "<tbody>\n");
    for (size_t i = 0; i < s->rows; i++)
        if (ni_row_was_run(s, i)) write_row(&p, i);
    ni_page_text(out, "</tbody>\n");
    for (int absence = 0; absence < NI_ABSENCES; absence++) write_quoted_rows(&p, (ni_absence)absence);
    ni_page_text(out, "</table>\n</div>\n");
    write_remarks(&p);
}
