/* report.html beside results.json: AUC, AUC of pairs with both ends seen, MRR, and a reliability diagram of
 * each method that has a probability. */
#include "link_page.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "pages/pages.h"
#include "support/path.h"

static const char page_style[] =
    "table.results{width:auto;table-layout:auto}"
    "table.results th,table.results td{padding-right:1.6rem;white-space:nowrap}"
    "table.results thead th{font-size:.85rem}"
    "table.results td{font-variant-numeric:tabular-nums}"
    ".results strong{font-weight:700}"
    "figure.one{max-width:46rem;margin:1.2rem 0}";

typedef struct page {
    ni_page *out;
    const link_table *t;
    const char *graph;
} page;

/* ---- tables ---- */

/* What a table shows: a field of the cells, in per cent. */
typedef struct shown {
    const char *title, *words;
    size_t at; /* of the moments in a link_cell */
    bool optional;
} shown;

static const shown tables[] = {
    { "AUC",
      "How often a held-out link scores above a non-link; 50 % is a coin. The highest of a column is bold.",
      offsetof(link_cell, auc), false },
    { "AUC of pairs with both ends seen",
      "The same over pairs whose two nodes both have links in training: without those that one can tell by "
      "a "
      "node that has none.",
      offsetof(link_cell, auc_seen), true },
    { "AUC of pairs with a shared neighbour",
      "Two-hop non-links have a shared neighbour with the source; these links have one, too.",
      offsetof(link_cell, auc_shared), true },
    { "MRR",
      "Mean of one over the rank of a held-out link among all nodes that its source has no link with.",
      offsetof(link_cell, mrr_all), true },
};

static const moments *value_of(const page *p, const shown *s, size_t row, size_t column)
{
    return (const moments *)((const char *)link_cell_at(p->t, row, column) + s->at);
}

static bool has_values(const page *p, const shown *s)
{
    for (size_t i = 0; i < p->t->rows; i++)
        for (size_t j = 0; j < p->t->splits.ratios; j++)
            if (isfinite(value_of(p, s, i, j)->mean)) return true;
    return false;
}

static double best_of(const page *p, const shown *s, size_t column)
{
    double best = -INFINITY;
    for (size_t i = 0; i < p->t->rows; i++) best = fmax(best, value_of(p, s, i, column)->mean);
    return best;
}

/* "84.7 ± 0.4" */
static void write_moments(ni_page *out, const moments *m, double scale, int decimals)
{
    if (!isfinite(m->mean)) {
        ni_page_text(out, "\u2013");
        return;
    }
    ni_html_number(out, scale * m->mean, decimals);
    if (m->count < 2) return;
    ni_page_text(out, " \u00b1\u00a0");
    ni_html_number(out, scale * moments_std(m), decimals);
}

/* The frame, the head with the ratios, and `first` above the names. */
static void begin_table(const page *p, const char *title, const char *first)
{
    ni_page_text(p->out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    ni_html_text(p->out, title);
    ni_page_text(p->out, "; scrolls sideways\">\n<table class=\"results\">\n<thead>\n<tr><th "
                         "scope=\"col\">");
    ni_page_print(p->out, "%s</th>", first);
    for (size_t j = 0; j < p->t->splits.ratios; j++)
        ni_page_print(p->out, "<th scope=\"col\">%.10g\u00a0%%</th>", p->t->splits.ratio[j]);
    ni_page_text(p->out, "</tr>\n</thead>\n<tbody>\n");
}

static void end_table(const page *p)
{
    ni_page_text(p->out, "</tbody>\n</table>\n</div>\n");
}

static void write_row_name(const page *p, size_t row)
{
    ni_page_text(p->out, "<tr><th scope=\"row\">");
    ni_html_name(p->out, p->t->row[row].method, NI_LABEL_MOST);
    if (p->t->row[row].untrained) ni_page_text(p->out, " <small>untrained</small>");
    ni_page_text(p->out, "</th>");
}

static void write_table(const page *p, const shown *s)
{
    if (s->optional && !has_values(p, s)) return;
    ni_page_print(p->out, "<section>\n<h2>%s</h2>\n<p>%s In per cent.</p>\n", s->title, s->words);
    begin_table(p, s->title, "method");
    for (size_t i = 0; i < p->t->rows; i++) {
        write_row_name(p, i);
        for (size_t j = 0; j < p->t->splits.ratios; j++) {
            const moments *m = value_of(p, s, i, j);
            bool best = p->t->rows > 1 && m->mean == best_of(p, s, j);
            ni_page_text(p->out, best ? "<td><strong>" : "<td>");
            write_moments(p->out, m, 100, 1);
            ni_page_text(p->out, best ? "</strong></td>" : "</td>");
        }
        ni_page_text(p->out, "</tr>\n");
    }
    end_table(p);
    ni_page_text(p->out, "</section>\n");
}

/* ---- reliability diagrams ---- */

enum { LINES = NI_CHART_LINES - 1, NAME = 64 }; /* LINES: ratios in one picture */

typedef struct diagram {
    ni_chart chart;
    ni_chart_line line[NI_CHART_LINES];
    ni_chart_point point[NI_CHART_LINES][NEAP_BINS];
    char name[NI_CHART_LINES][NEAP_BINS][NAME], label[NI_CHART_LINES][NAME], id[NAME], title[2 * NAME];
} diagram;

static void add_ratio(diagram *d, const calibration *c, double ratio)
{
    size_t i = d->chart.lines++;
    ni_chart_line *line = &d->line[i];
    snprintf(d->label[i], NAME, "%.10g %% trained on", ratio);
    *line = (ni_chart_line){ .label = d->label[i], .style = (unsigned)i, .point = d->point[i] };
    for (size_t b = 0; b < NEAP_BINS; b++) {
        double x = 100 * calibration_predicted(c, b);
        if (isnan(x)) continue;
        size_t k = line->points++;
        snprintf(d->name[i][k], NAME, "predicted %.1f %%", x);
        d->point[i][k] = (ni_chart_point){ .x = x, .y = 100 * calibration_observed(c, b) };
        d->point[i][k].name = d->name[i][k];
    }
}

/* What a perfect probability would show. */
static void add_diagonal(diagram *d)
{
    size_t i = d->chart.lines++;
    d->line[i] = (ni_chart_line){
        .label = "as predicted", .kind = NI_LINE_QUOTED, .point = d->point[i], .points = 2
    };
    for (int k = 0; k < 2; k++)
        d->point[i][k] = (ni_chart_point){ .x = 100 * k, .y = 100 * k, .name = k ? "100 %" : "0 %" };
}

static void plot(diagram *d, const page *p, size_t row)
{
    static const double ticks[] = { 0, 20, 40, 60, 80, 100 };
    memset(d, 0, sizeof *d);
    snprintf(d->id, sizeof d->id, "reliability-%zu", row);
    snprintf(d->title, sizeof d->title, "Reliability of %.60s", p->t->row[row].method);
    d->chart = (ni_chart){ .id = d->id,
                           .title = d->title,
                           .across = "predicted probability (%)",
                           .up = "share that are links (%)",
                           .unit = " %",
                           .decimals = 1,
                           .most = 100,
                           .span = 100,
                           .tick = ticks,
                           .ticks = sizeof ticks / sizeof *ticks,
                           .line = d->line };
    for (size_t j = 0; j < p->t->splits.ratios && d->chart.lines < LINES; j++) {
        const calibration *c = &link_cell_at(p->t, row, j)->calibration;
        if (is_calibrated(c)) add_ratio(d, c, p->t->splits.ratio[j]);
    }
    add_diagonal(d);
}

static void write_numbers(const page *p, const char *title, size_t row, size_t at, double scale)
{
    ni_page_print(p->out, "<tr><th scope=\"row\">%s</th>", title);
    for (size_t j = 0; j < p->t->splits.ratios; j++) {
        const calibration *c = &link_cell_at(p->t, row, j)->calibration;
        ni_page_text(p->out, "<td>");
        write_moments(p->out, (const moments *)((const char *)c + at), scale, scale > 1 ? 1 : 3);
        ni_page_text(p->out, "</td>");
    }
    ni_page_text(p->out, "</tr>\n");
}

static void write_reliability(const page *p, size_t row)
{
    diagram d;
    char title[NI_LABEL_BYTES + NAME], label[NI_LABEL_BYTES];
    bool changed;
    ni_html_label(p->t->row[row].method, NI_LABEL_MOST, label, &changed);
    snprintf(title, sizeof title, "Probabilities of %s", label);
    ni_page_text(p->out, "<section>\n<h2>Are the probabilities of ");
    ni_html_name(p->out, p->t->row[row].method, NI_LABEL_MOST);
    ni_page_text(p->out,
                 " right?</h2>\n<p>Each mark is a fifteenth of the test pairs, those of like "
                 "probability: as many links as non-links in all. If it says 80\u00a0%, 80\u00a0% "
                 "should be links, and the mark is on the dotted line.</p>\n<figure class=\"one\">\n");
    plot(&d, p, row);
    ni_chart_write(p->out, &d.chart, false);
    ni_page_print(
        p->out,
        "<figcaption>Against %s non-links, one to one; bins of equal count, those of like rank of "
        "all splits together.</figcaption>\n</figure>\n",
        p->t->splits.negatives);
    begin_table(p, title, "measure");
    write_numbers(p, "mean distance from what came true, in points", row, offsetof(calibration, error),
                  100);
    write_numbers(p, "the same by chance alone, with labels drawn from the probabilities", row,
                  offsetof(calibration, own), 100);
    write_numbers(p, "Brier score (a coin: 0.25)", row, offsetof(calibration, brier), 1);
    end_table(p);
    ni_page_text(p->out, "</section>\n");
}

/* ---- the page ---- */

static void write_fact(ni_page *out, const char *name, uint64_t value)
{
    ni_page_print(out, "<div><dt>%s</dt><dd>", name);
    ni_html_whole(out, value);
    ni_page_text(out, "</dd></div>\n");
}

static void write_head(const page *p)
{
    const link_table *t = p->t;
    ni_page_text(p->out, "<h1>Link prediction on ");
    ni_html_name(p->out, p->graph, NI_LABEL_MOST);
    ni_page_print(p->out,
                  "</h1>\n<p class=\"lede\">Links were held out, each method was trained on the rest "
                  "(the column says how many per cent), and told held-out links from non-links. "
                  "Protocol %s",
                  t->splits.protocol);
    if (!strcmp(t->splits.protocol, "clean")) ni_page_print(p->out, ", %s non-links", t->splits.negatives);
    ni_page_print(p->out, ": %s.</p>\n<dl class=\"facts\">\n", link_sees(t));
    write_fact(p->out, "nodes", t->facts.nodes);
    write_fact(p->out, "links", t->facts.edges);
    write_fact(p->out, t->seeds == 1 ? "split for each column" : "splits for each column", t->seeds);
    ni_page_text(p->out, "</dl>\n");
}

neap_status link_page_save(const link_table *t, const char *graph, const char *folder, neap_error *err)
{
    static const char *const more[] = { ni_chart_style, page_style, NULL };
    char path[PATH_MAX], title[NI_LABEL_BYTES + NAME], label[NI_LABEL_BYTES];
    bool changed;
    ni_page out = { 0 };
    page p = { &out, t, graph };
    neap_status rc = ni_path_join(folder, "report.html", path, err);
    if (rc != NEAP_OK) return rc;
    ni_html_label(graph, NI_LABEL_MOST, label, &changed);
    snprintf(title, sizeof title, "Link prediction on %s", label);
    ni_html_begin(&out, title, more);
    write_head(&p);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) write_table(&p, &tables[i]);
    for (size_t i = 0; i < t->rows; i++)
        if (link_row_calibrated(t, i)) write_reliability(&p, i);
    ni_html_end(&out);
    return ni_page_save(&out, path, err);
}
