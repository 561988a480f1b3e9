/* report.html: one page without scripts, with everything that a reader needs to judge the numbers. */
#include <math.h>
#include <string.h>

#include "paper/report.h"

typedef struct page {
    ni_page *out;
    const ni_study *study;
} page;

/* "link-cora-paper": where a sheet stands on the page. */
static void write_id(ni_page *out, const ni_sheet *s)
{
    ni_html_text(out, s->table->name);
    ni_page_text(out, *s->protocol ? "-" : "");
    ni_html_text(out, s->protocol);
}

/* ---- summary ---- */

/* Cells of one kind, and how many of them have a property. */
typedef struct tally {
    uint64_t have, of;
} tally;

static void write_tally(const page *p, tally t)
{
    ni_html_whole(p->out, t.have);
    ni_page_text(p->out, " of ");
    ni_html_whole(p->out, t.of);
}

/* The untrained row is the one that reads neighbourhoods as the authors' program does: with the node
 * itself. */
static bool is_gap(const ni_sheet *s, size_t row, bool untrained)
{
    const ni_condition *p = &s->row[row];
    return p->method && !strcmp(p->method, "gap") && p->untrained == untrained && p->self == untrained &&
           !p->uniform;
}

/* A table on several graphs repeats cells of the tables on one. */
static bool is_counted(const ni_sheet *s)
{
    for (size_t j = 1; j < s->table->columns; j++)
        if (s->table->column[j].graph != s->table->column[0].graph) return false;
    return s->table->rows == 0;
}

/* In how many cells of the paper's own protocol GAP, trained or not, reaches what the paper printed. The
 * untrained row has no published number of its own: it is compared with that of the trained one. */
static tally reached(const ni_study *study, bool untrained)
{
    tally t = { 0, 0 };
    for (size_t k = 0; k < study->sheets; k++) {
        const ni_sheet *s = &study->sheet[k];
        for (size_t i = 0; i < s->rows && ni_sheet_is_leaky(s) && is_counted(s); i++)
            for (size_t r = 0; r < s->rows && is_gap(s, i, false); r++)
                for (size_t j = 0; j < s->table->columns && is_gap(s, r, untrained); j++) {
                    const ni_entry *e = ni_sheet_entry(s, r, j);
                    double paper = ni_sheet_entry(s, i, j)->paper[0];
                    if (!ni_entry_has(e, 0) || !isfinite(paper)) continue;
                    t.of++;
                    t.have += ni_shown(s, e->mean[0]) >= paper;
                }
    }
    return t;
}

/* In how many columns of clean link prediction GAP is the best of those that were run, and in how many
 * of these it is tied; by so many seeds a cell. */
static tally leads(const ni_study *study, uint64_t *tied, uint32_t seeds[2])
{
    tally t = { 0, 0 };
    *tied = 0;
    seeds[0] = UINT32_MAX, seeds[1] = 0;
    for (size_t k = 0; k < study->sheets; k++) {
        const ni_sheet *s = &study->sheet[k];
        if (strcmp(s->protocol, "clean") || s->table->aim != NI_AIM_LINK || !is_counted(s)) continue;
        for (size_t i = 0; i < s->rows; i++)
            for (size_t j = 0; j < s->table->columns && is_gap(s, i, false); j++) {
                const ni_entry *e = ni_sheet_entry(s, i, j);
                if (!ni_entry_has(e, 0) || !ni_sheet_has_column(s, j)) continue;
                if (e->seeds < seeds[0]) seeds[0] = e->seeds;
                if (e->seeds > seeds[1]) seeds[1] = e->seeds;
                ni_standing standing = ni_standing_of(s, i, j, 0);
                t.of++;
                t.have += standing != NI_BEHIND;
                *tied += standing == NI_TIED;
            }
    }
    return t;
}

static void write_reached(const page *p)
{
    tally trained = reached(p->study, false), untrained = reached(p->study, true);
    if (!trained.of) return;
    ni_page_text(p->out, " In the paper\u2019s own, leaky protocol GAP reaches the published number in ");
    write_tally(p, trained);
    ni_page_text(p->out, " cells");
    if (untrained.of) {
        ni_page_text(
            p->out,
            "; a model without any training, which reads neighbourhoods as the authors\u2019 program does, "
            "already does so in ");
        write_tally(p, untrained);
    }
    ni_page_text(p->out, ".");
}

static void write_leads(const page *p)
{
    uint64_t tied;
    uint32_t seeds[2];
    tally t = leads(p->study, &tied, seeds);
    if (!t.of) return;
    ni_page_text(p->out, " In the clean protocol GAP is the best of the methods run in ");
    write_tally(p, t);
    ni_page_text(p->out, " cells of link prediction");
    if (tied) ni_page_print(p->out, ", %llu of them tied", (unsigned long long)tied);
    if (seeds[1] == 1) ni_page_text(p->out, ", by a single seed.");
    else if (seeds[0] == seeds[1]) ni_page_print(p->out, ", by the printed mean of %u seeds.", seeds[1]);
    else ni_page_print(p->out, ", by the printed mean of %u to %u seeds.", seeds[0], seeds[1]);
}

static void write_summary(const page *p)
{
    const ni_study *study = p->study;
    ni_page_text(p->out, "<p class=\"lede\">The experiments of <i>Graph Neighborhood Attentive Pooling</i> "
                         "(Kefato and Girdzijauskas, 2020), measured by neap. ");
    write_tally(p, (tally){ study->asked - study->missing, study->asked });
    ni_page_text(p->out, " asked for were run; the report has ");
    ni_html_whole(p->out, study->shown);
    ni_page_text(p->out, " measurements, and shows <i>not run</i> where there is none.");
    write_reached(p);
    write_leads(p);
    ni_page_text(p->out, "</p>\n");
}

static void write_fact(const page *p, const char *what, uint64_t number)
{
    ni_page_print(p->out, "<div><dt>%s</dt><dd>", what);
    ni_html_whole(p->out, number);
    ni_page_text(p->out, "</dd></div>\n");
}

static void write_facts(const page *p)
{
    const ni_study *study = p->study;
    ni_page_text(p->out, "<dl class=\"facts\">\n");
    write_fact(p, "measurements", study->shown);
    ni_page_text(p->out, "<div><dt>seeds</dt><dd>");
    ni_write_seeds(p->out, study->seed, study->seeds);
    ni_page_text(p->out, "</dd></div>\n");
    uint64_t tables = 0;
    bool run;
    for (size_t i = 0; i < study->sheets; i += ni_study_same_table(study, i, &run), tables += run) continue;
    write_fact(p, "tables", tables);
    ni_page_print(p->out, "<div><dt>neap</dt><dd>%s</dd></div>\n</dl>\n", neap_version());
}

/* ---- contents and protocols ---- */

static void write_link(const page *p, const ni_sheet *s, bool any)
{
    ni_page_text(p->out, any ? " \u00b7 " : "<small>");
    if (!ni_sheet_was_run(s)) {
        ni_html_text(p->out, s->protocol);
        ni_page_text(p->out, " (not run)");
        return;
    }
    ni_page_text(p->out, "<a href=\"#");
    write_id(p->out, s);
    ni_page_text(p->out, "\">");
    ni_html_text(p->out, s->protocol);
    ni_page_text(p->out, ni_sheet_is_leaky(s) ? "</a> (leaky)" : "</a>");
}

/* A table, with its protocols; of one that was not run only the title. */
static void write_entry(const page *p, const ni_sheet *s, size_t sheets, bool run)
{
    ni_page_text(p->out, "<li>");
    if (run) {
        ni_page_text(p->out, "<a href=\"#");
        ni_html_text(p->out, s->table->name);
        ni_page_text(p->out, "-table\">");
    }
    ni_html_text(p->out, s->table->title);
    ni_page_text(p->out, run ? "</a>" : " <small>not run</small>");
    for (size_t i = 0; i < sheets && run && *s->protocol; i++) write_link(p, &s[i], i > 0);
    ni_page_text(p->out, run && *s->protocol ? "</small></li>\n" : "</li>\n");
}

static void write_contents(const page *p)
{
    const ni_study *study = p->study;
    ni_page_text(p->out, "<section>\n<h2 class=\"minor\">Contents</h2>\n<ol class=\"contents\">\n");
    for (size_t i = 0, count; i < study->sheets; i += count) {
        bool run;
        count = ni_study_same_table(study, i, &run);
        write_entry(p, &study->sheet[i], count, run);
    }
    ni_page_text(p->out,
                 "<li><a href=\"#settings\">Settings, seeds and marks</a></li>\n</ol>\n</section>\n");
}

/* What was asked for, part by part, in the order in which it is run. */
static void write_parts(const page *p)
{
    const ni_study *study = p->study;
    if (study->parts < 2) return;
    ni_page_text(p->out, "<section>\n<h2 class=\"minor\">What was run, in this order</h2>\n<div "
                         "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Parts of the plan; "
                         "scrolls sideways\">\n<table class=\"settings\">\n<thead>\n<tr><th "
                         "scope=\"col\">part of the plan</th><th scope=\"col\">cells run</th></tr>\n"
                         "</thead>\n<tbody>\n");
    for (size_t i = 0; i < study->parts; i++) {
        const ni_study_part *part = &study->part[i];
        if (!part->asked) continue;
        ni_page_text(p->out, "<tr><th scope=\"row\">");
        ni_html_text(p->out, part->title);
        ni_page_text(p->out, "</th><td>");
        write_tally(p, (tally){ part->asked - part->missing, part->asked });
        ni_page_text(p->out, "</td></tr>\n");
    }
    ni_page_text(p->out, "</tbody>\n</table>\n</div>\n</section>\n");
}

static void write_protocols(const page *p)
{
    const ni_protocol_info *protocol;
    ni_page_text(
        p->out,
        "<section>\n<h2 class=\"minor\">Three protocols, never mixed</h2>\n<dl class=\"protocols\">\n");
    for (size_t i = 0; (protocol = ni_protocol_at(i)); i++) {
        ni_page_print(p->out, "<div><dt>%s%s</dt><dd>", protocol->name,
                      protocol->leaky ? " <span class=\"leaky\">leaky</span>" : "");
        ni_html_text(p->out, protocol->words);
        ni_page_text(p->out, "</dd></div>\n");
    }
    ni_page_text(p->out, "</dl>\n</section>\n");
}

/* ---- tables ---- */

static void write_sheet_head(const page *p, const ni_sheet *s)
{
    if (!*s->protocol) return;
    ni_page_text(p->out, "<h3>Protocol ");
    ni_html_text(p->out, s->protocol);
    ni_page_text(p->out, ni_sheet_is_leaky(s) ? " <span class=\"leaky\">leaky</span></h3>\n" : "</h3>\n");
}

/* Rows of which there is nothing at all to show. */
static void write_missing_rows(const page *p, const ni_sheet *s, ni_absence absence)
{
    bool any = false;
    char words[NI_ABSENCE_WORDS];
    ni_absence_words(s, absence, words);
    for (size_t i = 0; i < s->rows; i++) {
        char label[NI_ROW_LABEL];
        if (ni_row_was_run(s, i) || ni_row_is_published(s, i, 0)) continue;
        if (ni_row_absence(s, i) != absence) continue;
        ni_row_label(&s->row[i], label);
        ni_page_text(p->out, any ? "; " : "<p class=\"note\">");
        if (!any) ni_page_print(p->out, "%s: ", words);
        ni_html_text(p->out, label);
        any = true;
    }
    if (any) ni_page_text(p->out, ".</p>\n");
}

static void write_unrun_sheet(const page *p, const ni_sheet *s)
{
    ni_page_text(p->out, "<p class=\"muted\">");
    if (*s->protocol) {
        ni_page_text(p->out, "Protocol ");
        ni_html_text(p->out, s->protocol);
        ni_page_text(p->out, ni_sheet_is_leaky(s) ? " (leaky): " : ": ");
    }
    ni_page_text(p->out, "not run.</p>\n");
}

static void write_not_papers(const page *p, const ni_sheet *s)
{
    char words[NI_NOT_PAPERS];
    ni_sheet_not_papers(p->study, s, words);
    if (!*words) return;
    ni_page_text(p->out, "<p class=\"note\">");
    ni_html_text(p->out, words);
    ni_page_text(p->out, "</p>\n");
}

static void write_seeds(const page *p, const ni_sheet *s)
{
    if (!s->seeds) return;
    ni_page_text(p->out, "<p class=\"note\">");
    ni_sheet_write_seeds(p->out, s);
    ni_page_text(p->out, "</p>\n");
}

static void write_sheet(const page *p, const ni_sheet *s)
{
    ni_page_text(p->out, "<section class=\"protocol\" id=\"");
    write_id(p->out, s);
    ni_page_text(p->out, "\">\n");
    write_sheet_head(p, s);
    if (ni_sheet_is_leaky(s)) ni_page_print(p->out, "<p class=\"why\">%s</p>\n", ni_leak_words);
    write_seeds(p, s);
    write_not_papers(p, s);
    ni_sheet_write_charts(p->out, s);
    for (size_t i = 0; ni_sheet_value(s, i) < NI_VALUES; i++)
        ni_sheet_write_table(p->out, p->study, s, ni_sheet_value(s, i));
    for (int absence = 0; absence < NI_ABSENCES; absence++) write_missing_rows(p, s, (ni_absence)absence);
    ni_page_text(p->out, "</section>\n");
}

static void write_table_head(const page *p, const ni_table *t)
{
    ni_page_text(p->out, "<section class=\"table\" id=\"");
    ni_html_text(p->out, t->name);
    ni_page_text(p->out, "-table\">\n<h2>");
    ni_html_text(p->out, t->title);
    ni_page_text(p->out, "</h2>\n<p>");
    ni_html_text(p->out, t->about);
    ni_page_text(p->out, "</p>\n");
}

/* A table of which nothing was run stands among the contents and nowhere else. */
static void write_tables(const page *p)
{
    const ni_study *study = p->study;
    for (size_t i = 0, count; i < study->sheets; i += count) {
        bool run;
        count = ni_study_same_table(study, i, &run);
        if (!run) continue;
        write_table_head(p, study->sheet[i].table);
        for (size_t k = i; k < i + count; k++)
            if (ni_sheet_was_run(&study->sheet[k])) write_sheet(p, &study->sheet[k]);
            else write_unrun_sheet(p, &study->sheet[k]);
        ni_page_text(p->out, "</section>\n");
    }
}

void ni_report_html(ni_page *out, const ni_study *study)
{
    page p = { out, study };
    ni_html_begin(out, "The experiments of the GAP paper, measured by neap", ni_report_style);
    ni_page_text(out, "<h1>The GAP paper\u2019s experiments, measured</h1>\n");
    write_summary(&p);
    write_facts(&p);
    write_contents(&p);
    write_protocols(&p);
    write_parts(&p);
    write_tables(&p);
    ni_study_write_settings(out, study);
    ni_html_end(out);
}
