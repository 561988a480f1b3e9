/* From a sheet to its charts: one for each value and each graph that its columns name. Only what was run is
 * drawn. The published row of GAP stands beside ours in the paper's own protocol, and nowhere else. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper/report.h"

enum { MOST = 12, TEXT = 256 }; /* lines of ours in one chart; more cannot be distinguished */

/* A chart with room for what it points at. */
typedef struct plot {
    ni_chart chart;
    ni_chart_line line[NI_CHART_LINES];
    ni_chart_point point[NI_CHART_LINES][NI_COLUMNS];
    char label[NI_CHART_LINES][NI_ROW_LABEL];
    double tick[NI_COLUMNS];
    char id[TEXT], title[TEXT], across[TEXT], up[TEXT];
} plot;

/* Part of a sheet: a value, and columns next to each other. */
typedef struct panel {
    const ni_sheet *s;
    size_t value, first, count;
} panel;

/* ---- lines ---- */

static bool compares_methods(const ni_sheet *s)
{
    return s->table->rows == 0 || !s->table->row[0].graph;
}

static bool is_gap(const ni_condition *row)
{
    return row->method && !strcmp(row->method, "gap");
}

static ni_line_kind kind_of(const ni_sheet *s, const ni_condition *row)
{
    if (!compares_methods(s) || !is_gap(row) || row->uniform) return NI_LINE_PLAIN;
    return row->untrained ? NI_LINE_TWIN : NI_LINE_STRONG;
}

/* A method looks the same in every chart; its untrained twin, and a variant, has its colour and other
 * dashes.
 */
static unsigned style_of(const ni_sheet *s, size_t row)
{
    const ni_condition *p = &s->row[row];
    const char *method = p->method;
    bool dashed = p->untrained || p->kernel > 1 || p->uniform;
    if (!compares_methods(s) || !method) return (unsigned)row;
    for (size_t i = 1; i < neap_method_count(); i++)
        if (!strcmp(neap_method_at(i)->name, method)) return (unsigned)i - 1 + (dashed ? 8 : 0);
    return (unsigned)row;
}

static ni_chart_point point_of(const ni_sheet *s, size_t row, size_t column, size_t value)
{
    const ni_entry *e = ni_sheet_entry(s, row, column);
    const ni_condition *c = &s->table->column[column];
    bool has = ni_entry_has(e, value);
    return (ni_chart_point){ .x = c->neighbors ? c->neighbors : 100 * c->ratio,
                             .y = has ? 100 * e->mean[value] : NAN,
                             .spread = has && e->seeds > 1 ? 100 * e->std[value] : 0,
                             .name = c->label };
}

static ni_chart_line *add_line(plot *p, const char *label, ni_line_kind kind, unsigned style)
{
    size_t i = p->chart.lines++;
    snprintf(p->label[i], sizeof p->label[i], "%s", label);
    p->line[i] =
        (ni_chart_line){ .label = p->label[i], .kind = kind, .style = style, .point = p->point[i] };
    return &p->line[i];
}

static void add_row(plot *p, const panel *at, size_t row, const char *label, ni_line_kind kind,
                    unsigned style)
{
    ni_chart_line *line = add_line(p, label, kind, style);
    ni_chart_point *point = p->point[line - p->line];
    for (size_t j = 0; j < at->count; j++) point[j] = point_of(at->s, row, at->first + j, at->value);
    line->points = at->count;
}

/* ---- which rows ---- */

/* The rank of a row: GAP before all, then by the mean of what was run, which may be below 0 (AMI, ARI); NaN
 * if nothing was. */
static double rank_of(const panel *at, size_t row)
{
    double sum = 0, count = 0;
    for (size_t j = at->first; j < at->first + at->count; j++) {
        const ni_entry *e = ni_sheet_entry(at->s, row, j);
        if (ni_entry_has(e, at->value)) sum += e->mean[at->value], count++;
    }
    if (count == 0) return NAN;
    return sum / count + (kind_of(at->s, &at->s->row[row]) != NI_LINE_PLAIN ? 1e9 : 0);
}

/* The MOST rows with the highest rank, best first; *run counts all that were run. */
static size_t choose_rows(const panel *at, size_t chosen[MOST], size_t *run)
{
    double rank[MOST];
    size_t used = 0;
    *run = 0;
    for (size_t i = 0; i < at->s->rows; i++) {
        double mine = rank_of(at, i);
        if (isnan(mine)) continue;
        ++*run;
        size_t k = used < MOST ? used++ : MOST;
        for (; k && rank[k - 1] < mine; k--)
            if (k < MOST) rank[k] = rank[k - 1], chosen[k] = chosen[k - 1];
        if (k < MOST) rank[k] = mine, chosen[k] = i;
    }
    return used;
}

/* The row of GAP as the paper printed it. */
static void add_published(plot *p, const panel *at)
{
    for (size_t i = 0; i < at->s->rows; i++) {
        if (kind_of(at->s, &at->s->row[i]) != NI_LINE_STRONG || !ni_row_is_published(at->s, i, at->value))
            continue;
        add_row(p, at, i, "GAP, published", NI_LINE_QUOTED, 0);
        ni_chart_point *point = p->point[p->chart.lines - 1];
        for (size_t j = 0; j < at->count; j++) {
            point[j].y = ni_sheet_entry(at->s, i, at->first + j)->paper[at->value];
            point[j].spread = 0;
        }
        return;
    }
}

/* ---- charts of scores ---- */

static void set_titles(plot *p, const panel *at)
{
    const ni_sheet *s = at->s;
    const ni_condition *c = &s->table->column[at->first];
    snprintf(p->id, sizeof p->id, "%s-%s-%zu-%zu", s->table->name, s->protocol, at->value, at->first);
    snprintf(p->title, sizeof p->title, "%s, protocol %s%s", s->table->title, s->protocol,
             ni_sheet_is_leaky(s) ? " (leaky)" : "");
    if (c->neighbors) snprintf(p->across, sizeof p->across, "%s, logarithmic", s->table->across);
    else snprintf(p->across, sizeof p->across, "training edges (%%)");
    snprintf(p->up, sizeof p->up, "%s (%%)", ni_value_title(s, at->value));
    p->chart = (ni_chart){ .id = p->id, .title = p->title, .across = p->across, .up = p->up };
    p->chart.unit = " %", p->chart.decimals = 1, p->chart.most = 100, p->chart.span = 10;
    p->chart.x_log = c->neighbors != 0;
    p->chart.line = p->line, p->chart.tick = p->tick, p->chart.ticks = at->count;
    for (size_t j = 0; j < at->count; j++) {
        ni_condition condition = ni_condition_join(&s->row[0], &s->table->column[at->first + j]);
        p->tick[j] = c->neighbors ? condition.neighbors : 100 * condition.ratio;
    }
}

/* Returns how many rows that were run are not drawn. */
static size_t plot_panel(plot *p, const panel *at)
{
    size_t chosen[MOST], run, count = choose_rows(at, chosen, &run);
    set_titles(p, at);
    for (size_t i = 0; i < count; i++) {
        const ni_condition *row = &at->s->row[chosen[i]];
        char label[NI_ROW_LABEL];
        ni_row_label(row, label);
        add_row(p, at, chosen[i], label, kind_of(at->s, row), style_of(at->s, chosen[i]));
    }
    if (ni_sheet_is_leaky(at->s)) add_published(p, at);
    return run - count;
}

/* One row with several values: the values are the lines. */
static void plot_values(plot *p, const ni_sheet *s, size_t row)
{
    panel at = { s, 0, 0, s->table->columns };
    set_titles(p, &at);
    snprintf(p->up, sizeof p->up, "score (%%)");
    for (; at.value < ni_aim_info_of(s->table->aim)->shown; at.value++)
        add_row(p, &at, row, ni_value_title(s, at.value), NI_LINE_PLAIN, (unsigned)at.value);
}

/* ---- the chart of times ---- */

static const char *family_of(const ni_paper_graph *graph)
{
    if (!graph || !graph->generator.kind) return "real graphs";
    if (!strcmp(graph->generator.kind, "er")) return "Erd\u0151s\u2013R\u00e9nyi";
    return strcmp(graph->generator.kind, "ba") ? graph->generator.kind : "Barab\u00e1si\u2013Albert";
}

/* Seconds against edges, in the order of the edges. */
static void insert_time(ni_chart_point *point, size_t *points, const ni_entry *e, const char *name)
{
    size_t k = (*points)++;
    for (; k && point[k - 1].x > e->mean[1]; k--) point[k] = point[k - 1];
    point[k] = (ni_chart_point){ .x = e->mean[1], .y = e->mean[0], .name = name };
    if (e->seeds > 1) point[k].spread = e->std[0];
}

/* "gap, Erdős–Rényi"; of a method alone in the chart only the family. */
static void label_family(const ni_sheet *s, size_t row, const char *family, char label[NI_ROW_LABEL])
{
    size_t run = 0;
    for (size_t i = 0; i < s->rows; i++) run += ni_row_was_run(s, i);
    if (run > 1) snprintf(label, NI_ROW_LABEL, "%.40s, %s", s->row[row].label, family);
    else snprintf(label, NI_ROW_LABEL, "%s", family);
}

/* Graphs of one generator are a line; those from the world are points with names. */
static void add_family(plot *p, const ni_sheet *s, size_t row, const char *family, unsigned style)
{
    ni_chart_line *line = NULL;
    char label[NI_ROW_LABEL];
    label_family(s, row, family, label);
    for (size_t j = 0; j < s->table->columns && p->chart.lines <= MOST; j++) {
        const ni_entry *e = ni_sheet_entry(s, row, j);
        const ni_paper_graph *graph = s->table->column[j].graph;
        if (!ni_entry_has(e, 0) || !ni_entry_has(e, 1) || strcmp(family_of(graph), family)) continue;
        if (!line) line = add_line(p, label, NI_LINE_PLAIN, style);
        line->scattered = !graph || !graph->generator.kind;
        insert_time(p->point[line - p->line], &line->points, e, s->table->column[j].label);
    }
}

static void plot_times(plot *p, const ni_sheet *s)
{
    static const char *const families[] = { "real graphs", "Erd\u0151s\u2013R\u00e9nyi",
                                            "Barab\u00e1si\u2013Albert" };
    snprintf(p->id, sizeof p->id, "%s-chart", s->table->name);
    p->chart = (ni_chart){ .id = p->id, .title = s->table->title, .across = "edges, logarithmic" };
    p->chart.up = "seconds per epoch, logarithmic", p->chart.unit = " s", p->chart.decimals = 3;
    p->chart.x_log = p->chart.y_log = true, p->chart.most = INFINITY, p->chart.line = p->line;
    for (size_t i = 0; i < s->rows; i++)
        for (unsigned f = 0; f < 3; f++) add_family(p, s, i, families[f], 3 * (unsigned)i + f);
}

/* ---- figures ---- */

/* Facts about the cells of a figure, for its caption. */
typedef struct remarks {
    bool spread, missing, few; /* a deviation; a cell of a drawn row not run, or with too few seeds */
} remarks;

static remarks look_at(const ni_sheet *s)
{
    remarks r = { false, false, false };
    for (size_t i = 0; i < s->rows; i++)
        for (size_t j = 0; j < s->table->columns && ni_row_was_run(s, i); j++) {
            const ni_entry *e = ni_sheet_entry(s, i, j);
            r.missing |= e->seeds == 0;
            r.few |= e->seeds > 0 && e->seeds < ni_sheet_seeds(s);
            r.spread |= e->seeds > 1 && e->std[0] > 0;
        }
    return r;
}

static void write_caption(ni_page *out, const ni_sheet *s, size_t left_out)
{
    remarks r = look_at(s);
    uint32_t seeds = ni_sheet_seeds(s);
    ni_page_text(out, "<figcaption>");
    if (ni_sheet_is_leaky(s)) ni_page_text(out, "Leaky protocol. ");
    if (seeds > 1) ni_page_print(out, "Mean of %s%u seeds. ", r.few ? "up to " : "", seeds);
    if (r.spread) ni_page_text(out, "Shading and bars: one standard deviation. ");
    if (r.missing)
        ni_page_text(out, "A line is broken where a cell was not run; faint dots only lead the eye. ");
    if (left_out) ni_page_print(out, "%zu more methods are in the table. ", left_out);
    ni_page_text(out, "</figcaption>\n");
}

/* Columns from `first` on that are on the same graph. */
static size_t same_graph(const ni_table *t, size_t first)
{
    size_t end = first + 1;
    while (end < t->columns && t->column[end].graph == t->column[first].graph) end++;
    return end - first;
}

static bool was_run(const panel *at)
{
    for (size_t i = 0; i < at->s->rows; i++)
        if (!isnan(rank_of(at, i))) return true;
    return false;
}

/* The graph that a chart of a figure is about; the value stands at its axis. */
static void write_graph(ni_page *out, const panel *at)
{
    const ni_paper_graph *graph = at->s->table->column[at->first].graph;
    ni_page_text(out, "<h4>");
    ni_html_text(out, graph ? graph->title : "");
    ni_page_text(out, "</h4>\n");
}

static void write_panels(ni_page *out, const ni_sheet *s)
{
    size_t shown = ni_aim_info_of(s->table->aim)->shown;
    bool graphs = same_graph(s->table, 0) < s->table->columns, several = graphs || shown > 1;
    size_t left_out = 0;
    plot p;
    ni_page_print(out, "<figure>\n<div class=\"%s\">\n", several ? "charts" : "one");
    for (size_t v = 0; v < shown; v++)
        for (size_t first = 0, count; first < s->table->columns; first += count) {
            count = same_graph(s->table, first);
            panel at = { s, v, first, count };
            if (!was_run(&at)) continue;
            left_out = plot_panel(&p, &at);
            ni_page_text(out, "<div>\n");
            if (graphs) write_graph(out, &at);
            ni_chart_write(out, &p.chart, several);
            ni_page_text(out, "</div>\n");
        }
    ni_page_text(out, "</div>\n");
    write_caption(out, s, left_out);
    ni_page_text(out, "</figure>\n");
}

static void write_single(ni_page *out, const ni_sheet *s, const plot *p)
{
    ni_page_text(out, "<figure>\n");
    ni_chart_write(out, &p->chart, false);
    write_caption(out, s, 0);
    ni_page_text(out, "</figure>\n");
}

void ni_sheet_write_charts(ni_page *out, const ni_sheet *s)
{
    plot p;
    if (s->table->aim == NI_AIM_TIME) plot_times(&p, s);
    else if (s->rows == 1 && ni_aim_info_of(s->table->aim)->shown > 1) plot_values(&p, s, 0);
    else {
        write_panels(out, s);
        return;
    }
    write_single(out, s, &p);
}
