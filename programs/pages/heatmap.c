/* From left to right: names of the rows, cells, bars of the rows' weights. From top to bottom: names of the
 * columns (slanted), cells, bars of the columns' weights. Sizes are in CSS pixels. */
#include <math.h>

#include "pages/pages.h"

enum {
    LABEL = 24,    /* columns of text a name may take          */
    BARS = 70,     /* length of the longest bar                */
    GAP = 6,       /* between cells and names, cells and bars  */
    HEADING = 112, /* room for the two names in the corner     */
    TEXT_WIDTH = 7 /* of a fixed-width letter at 11 px, rounded up */
};

typedef struct axis {
    const neap_reasons *reasons; /* most attention first       */
    uint32_t shown;              /* the first so many          */
    int label;                   /* length of the longest name */
} axis;

typedef struct picture {
    ni_page *out;
    const neap_explanation *e;
    const neap_graph *graph;
    axis row, column;
    int cell, left, top, width, height; /* side of a cell, position of the first, size of it all */
} picture;

static const char *name_of(const picture *p, const axis *a, uint32_t i)
{
    return ni_reason_name(p->graph, a->reasons, i);
}

static axis measure_axis(const neap_graph *graph, const neap_reasons *r)
{
    axis a = { r, r->count < NI_HEATMAP_MOST ? r->count : NI_HEATMAP_MOST, 0 };
    for (uint32_t i = 0; i < a.shown; i++) {
        char label[NI_LABEL_BYTES];
        bool changed;
        int length = TEXT_WIDTH * ni_html_label(ni_reason_name(graph, r, i), LABEL, label, &changed);
        if (length > a.label) a.label = length;
    }
    return a;
}

/* Few cells are drawn larger, many no smaller than a name is high. */
static int cell_side(uint32_t most)
{
    int side = most ? 600 / (int)most : 0;
    return side < 20 ? 20 : side > 36 ? 36 : side;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void lay_out(picture *p)
{
    int slanted = p->column.label * 71 / 100 + 12; /* cos 45 degrees */
    p->cell = cell_side(p->row.shown > p->column.shown ? p->row.shown : p->column.shown);
    p->left = larger(p->row.label, HEADING) + GAP + 4;
    p->top = larger(slanted, 44) + GAP;
    p->width = p->left + (int)p->column.shown * p->cell + larger(slanted, GAP + BARS + 34);
    p->height = p->top + (int)p->row.shown * p->cell + GAP + BARS + 18;
}

static int row_y(const picture *p, uint32_t i)
{
    return p->top + (int)i * p->cell;
}

static int column_x(const picture *p, uint32_t j)
{
    return p->left + (int)j * p->cell;
}

static void write_label(const picture *p, const char *name, int cells)
{
    char label[NI_LABEL_BYTES];
    bool changed;
    ni_html_label(name, cells, label, &changed);
    ni_html_text(p->out, label);
}

/* The whole name appears when the pointer rests on a cut one. */
static void write_axis_name(const picture *p, const char *name)
{
    char label[NI_LABEL_BYTES];
    bool changed;
    ni_html_label(name, LABEL, label, &changed);
    if (changed) {
        ni_page_text(p->out, "<title>");
        ni_html_text(p->out, name);
        ni_page_text(p->out, "</title>");
    }
    ni_html_text(p->out, label);
    ni_page_text(p->out, "</text>\n");
}

static void write_names(const picture *p)
{
    for (uint32_t i = 0; i < p->row.shown; i++) {
        ni_page_print(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", p->left - GAP,
                      row_y(p, i) + p->cell / 2 + 4);
        write_axis_name(p, name_of(p, &p->row, i));
    }
    for (uint32_t j = 0; j < p->column.shown; j++) {
        ni_page_print(p->out, "<text transform=\"translate(%d %d) rotate(-45)\">",
                      column_x(p, j) + p->cell / 2 + 3, p->top - GAP);
        write_axis_name(p, name_of(p, &p->column, j));
    }
}

/* The two ends of the pair, in the corner between the axes. */
static void write_corner(const picture *p)
{
    int cells = (p->left - GAP) / TEXT_WIDTH - 3;
    ni_page_print(p->out, "<text class=\"muted\" x=\"%d\" y=\"%d\" text-anchor=\"end\">", p->left - GAP,
                  p->top - 26);
    write_label(p, neap_graph_name(p->graph, p->e->target), cells);
    ni_page_print(p->out, " \u2192</text>\n<text class=\"muted\" x=\"%d\" y=\"%d\" text-anchor=\"end\">",
                  p->left - GAP, p->top - 9);
    write_label(p, neap_graph_name(p->graph, p->e->source), cells);
    ni_page_text(p->out, " \u2193</text>\n");
}

static double alignment_at(const picture *p, uint32_t i, uint32_t j)
{
    return p->e->alignment[(size_t)i * p->e->by_target->count + j];
}

static void write_cell(const picture *p, uint32_t i, uint32_t j)
{
    double value = alignment_at(p, i, j);
    ni_page_print(p->out,
                  "<rect class=\"cell c%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"><title>",
                  ni_html_shade(value), column_x(p, j), row_y(p, i), p->cell - 1, p->cell - 1);
    write_label(p, name_of(p, &p->row, i), LABEL);
    ni_page_text(p->out, " \u00d7 ");
    write_label(p, name_of(p, &p->column, j), LABEL);
    ni_page_text(p->out, ": ");
    ni_html_number(p->out, value, 2);
    ni_page_text(p->out, "</title></rect>\n");
}

static void write_mark(const picture *p, const char *shape, int radius, uint32_t i, uint32_t j)
{
    bool strong = fabs(alignment_at(p, i, j)) > 0.75; /* where ink and paper stand out equally well */
    int half = (p->cell - 1) * 5;                     /* of a cell, in tenths */
    ni_page_print(p->out, "<circle class=\"%s %s\" cx=\"%d.%d\" cy=\"%d.%d\" r=\"%d\"/>\n", shape,
                  strong ? "strong" : "weak", column_x(p, j) + half / 10, half % 10,
                  row_y(p, i) + half / 10, half % 10, radius);
}

/* The position of the partner on the other axis; the number shown if it is not among them. */
static uint32_t position_of(const axis *a, uint32_t node)
{
    uint32_t i = 0;
    while (i < a->shown && a->reasons->node[i] != node) i++;
    return i;
}

static void write_marks(const picture *p)
{
    for (uint32_t i = 0; i < p->row.shown; i++) {
        uint32_t j = position_of(&p->column, p->row.reasons->partner[i]);
        if (j < p->column.shown) write_mark(p, "ring", 6, i, j);
    }
    for (uint32_t j = 0; j < p->column.shown; j++) {
        uint32_t i = position_of(&p->row, p->column.reasons->partner[j]);
        if (i < p->row.shown) write_mark(p, "dot", 3, i, j);
    }
}

/* Bars are scaled by the first weight, the largest. */
static double bar_length(const axis *a, double weight)
{
    double most = a->reasons->weight[0];
    if (!(most > 0 && weight > 0)) return 0;
    return weight < most ? BARS * weight / most : BARS;
}

static void write_bar_title(const picture *p, const axis *a, uint32_t i)
{
    ni_page_text(p->out, "<title>");
    write_label(p, name_of(p, a, i), LABEL);
    ni_page_text(p->out, ": ");
    ni_html_number(p->out, 100 * (double)a->reasons->weight[i], 2);
    ni_page_text(p->out, " %</title></rect>\n");
}

static void write_row_bars(const picture *p)
{
    const axis *a = &p->row;
    int x = column_x(p, p->column.shown) + GAP, end = row_y(p, a->shown);
    for (uint32_t i = 0; i < a->shown; i++) {
        ni_page_print(p->out, "<rect class=\"weight\" x=\"%d\" y=\"%d\" height=\"%d\" width=\"", x,
                      row_y(p, i) + 3, p->cell - 7);
        ni_html_fixed(p->out, bar_length(a, a->reasons->weight[i]), 1);
        ni_page_text(p->out, "\">");
        write_bar_title(p, a, i);
    }
    int even = x + (int)(bar_length(a, 1.0 / a->reasons->count) + 0.5);
    ni_page_print(p->out, "<path class=\"even\" d=\"M%d.5 %dV%d\"/>\n", even, p->top, end);
    ni_page_print(p->out, "<text class=\"muted\" x=\"%d\" y=\"%d\" text-anchor=\"end\">", x + BARS + 4,
                  end + 14);
    ni_html_number(p->out, 100 * (double)a->reasons->weight[0], 1);
    ni_page_text(p->out, " %</text>\n");
}

static void write_column_bars(const picture *p)
{
    const axis *a = &p->column;
    int y = row_y(p, p->row.shown) + GAP, end = column_x(p, a->shown);
    for (uint32_t j = 0; j < a->shown; j++) {
        ni_page_print(p->out, "<rect class=\"weight\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"",
                      column_x(p, j) + 3, y, p->cell - 7);
        ni_html_fixed(p->out, bar_length(a, a->reasons->weight[j]), 1);
        ni_page_text(p->out, "\">");
        write_bar_title(p, a, j);
    }
    int even = y + (int)(bar_length(a, 1.0 / a->reasons->count) + 0.5);
    ni_page_print(p->out, "<path class=\"even\" d=\"M%d %d.5H%d\"/>\n", p->left, even, end);
    ni_page_print(p->out, "<text class=\"muted\" x=\"%d\" y=\"%d\" text-anchor=\"end\">", p->left - GAP,
                  y + BARS);
    ni_html_number(p->out, 100 * (double)a->reasons->weight[0], 1);
    ni_page_print(p->out,
                  " %%</text>\n<text class=\"muted\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                  p->left - GAP, y + 10, ni_weight_noun(p->e));
}

static void write_drawing(const picture *p)
{
    ni_page_print(p->out,
                  "<svg role=\"img\" aria-labelledby=\"picture-words\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" style=\"--w:%dpx\">\n",
                  p->width, p->height, p->width, p->height, p->width);
    write_corner(p);
    write_names(p);
    for (uint32_t i = 0; i < p->row.shown; i++)
        for (uint32_t j = 0; j < p->column.shown; j++) write_cell(p, i, j);
    if (p->e->selects) write_marks(p);
    write_row_bars(p);
    write_column_bars(p);
    ni_page_text(p->out, "</svg>\n");
}

static void write_shades(ni_page *out)
{
    enum { STEP = 3 };
    ni_page_print(out, "<span>opposed \u22121 <svg aria-hidden=\"true\" width=\"%d\" height=\"12\">",
                  NI_SHADES * STEP);
    for (int i = 0; i < NI_SHADES; i++)
        ni_page_print(out, "<rect class=\"c%d\" x=\"%d\" width=\"%d\" height=\"12\"/>", i, i * STEP, STEP);
    ni_page_text(out, "</svg> +1 aligned</span>\n");
}

static void write_legend(ni_page *out, const neap_explanation *e)
{
    ni_page_text(out, "<div class=\"legend\">\n");
    write_shades(out);
    if (e->selects)
        ni_page_text(
            out, "<span><svg aria-hidden=\"true\" width=\"14\" height=\"14\"><circle class=\"ring weak\" "
                 "cx=\"7\" cy=\"7\" r=\"6\"/></svg> selected by the row</span>\n"
                 "<span><svg aria-hidden=\"true\" width=\"14\" height=\"14\"><circle class=\"dot weak\" "
                 "cx=\"7\" cy=\"7\" r=\"3\"/></svg> selected by the column</span>\n");
    ni_page_print(out,
                  "<span><svg aria-hidden=\"true\" width=\"14\" height=\"10\"><rect class=\"weight\" "
                  "width=\"14\" height=\"10\"/></svg> %s</span>\n"
                  "<span><svg aria-hidden=\"true\" width=\"5\" height=\"16\"><path class=\"even\" "
                  "d=\"M2.5 0V16\"/></svg> an equal share</span>\n</div>\n",
                  ni_weight_noun(e));
}

/* "Rows: the neighbours of gimp, 30 of 112 shown" */
static void write_extent(const picture *p, const char *what, const axis *a, uint32_t node)
{
    ni_page_print(p->out, "%s: the %ss of ", what, ni_reason_noun(p->e));
    ni_html_name(p->out, neap_graph_name(p->graph, node), 40);
    if (a->shown < a->reasons->count)
        ni_page_print(p->out, ", %u of %u shown", a->shown, a->reasons->count);
    ni_page_text(p->out, ". ");
}

static void write_words(const picture *p)
{
    bool all = p->row.shown == p->row.reasons->count && p->column.shown == p->column.reasons->count;
    ni_page_text(p->out, "<figcaption id=\"picture-words\">");
    write_extent(p, "Rows", &p->row, p->e->source);
    write_extent(p, "Columns", &p->column, p->e->target);
    ni_page_print(p->out, "The most %s comes first, and of equals the largest contribution.",
                  ni_weight_noun(p->e));
    if (!all && p->e->selects)
        ni_page_print(p->out, " A %s whose partner is not shown has no mark.", ni_reason_noun(p->e));
    ni_page_text(p->out, "</figcaption>\n");
}

void ni_heatmap_write(ni_page *out, const neap_explanation *e, const neap_graph *graph)
{
    picture p = { .out = out, .e = e, .graph = graph };
    p.row = measure_axis(graph, e->by_source);
    p.column = measure_axis(graph, e->by_target);
    lay_out(&p);
    ni_page_text(out, "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                      "aria-label=\"Picture of the alignment; scrolls sideways\">\n");
    write_drawing(&p);
    ni_page_text(out, "</div>\n");
    write_legend(out, e);
    write_words(&p);
    ni_page_text(out, "</figure>\n");
}
