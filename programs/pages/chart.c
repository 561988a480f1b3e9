/* From left to right: the scale of the values, the plot, the names of the lines. Sizes are in CSS pixels,
 * and y grows downwards, as in SVG. */
#include <math.h>
#include <string.h>

#include "pages/pages.h"

enum {
    LABEL = 26,  /* columns of text the name of a line may take          */
    SWATCH = 22, /* a piece of the line before its name                   */
    LEADER = 14, /* between the plot and the names                        */
    INSET = 12   /* between the edges of the plot and what is drawn in it */
};

/* A size of the picture; letters shrink and grow with it, so that it is drawn for several. */
typedef struct format {
    const char *name;
    int width, height, letter;
} format;

static const format wide = { "wide", 760, 400, 12 }, narrow = { "narrow", 344, 360, 11 },
                    small_one = { "small", 344, 290, 11 };

typedef struct drawing {
    ni_page *out;
    const ni_chart *c;
    const char *size; /* class of the picture, and part of its ids */
    size_t lines;
    ni_axis x, y;
    double width, height, letter, left, right, top, bottom;
} drawing;

/* ---- layout ---- */

static bool is_drawn(const drawing *d, const ni_chart_point *p)
{
    return ni_axis_holds(&d->x, p->x) && ni_axis_holds(&d->y, p->y);
}

static double lower(const ni_chart_point *p)
{
    return p->y >= 0 ? fmax(0, p->y - p->spread) : p->y - p->spread;
}

static double upper(const drawing *d, const ni_chart_point *p)
{
    return fmin(p->y + p->spread, fmax(p->y, d->c->most));
}

static void measure_axes(drawing *d)
{
    d->x = ni_axis_create(d->c->x_log);
    d->y = ni_axis_create(d->c->y_log);
    for (size_t i = 0; i < d->c->ticks; i++) ni_axis_cover(&d->x, d->c->tick[i]);
    for (size_t i = 0; i < d->lines; i++)
        for (size_t k = 0; k < d->c->line[i].points; k++) {
            const ni_chart_point *p = &d->c->line[i].point[k];
            if (!isfinite(p->y)) continue;
            ni_axis_cover(&d->x, p->x);
            ni_axis_cover(&d->y, p->y);
            ni_axis_cover(&d->y, lower(p));
            ni_axis_cover(&d->y, upper(d, p));
        }
    double lack = d->c->span - (d->y.high - d->y.low);
    if (lack > 0 && isfinite(lack)) {
        double up = fmin(lack / 2, fmax(0, d->c->most - d->y.high));
        d->y.high += up, d->y.low -= lack - up;
    }
    ni_axis_round(&d->y, 5, d->c->most);
    if (!d->c->ticks) ni_axis_round(&d->x, 5, INFINITY);
}

/* The width of a name in a proportional font is a guess, on the safe side. */
static double label_width(const drawing *d)
{
    int most = 0;
    for (size_t i = 0; i < d->lines; i++) {
        char label[NI_LABEL_BYTES];
        bool changed;
        int cells = ni_html_label(d->c->line[i].label, LABEL, label, &changed);
        if (cells > most) most = cells;
    }
    return LEADER + SWATCH + 4 + most * d->letter * 0.56;
}

static drawing lay_out(ni_page *out, const ni_chart *c, const format *f)
{
    drawing d = { .out = out, .c = c, .size = f->name, .letter = f->letter };
    d.lines = c->lines < NI_CHART_LINES ? c->lines : NI_CHART_LINES;
    d.width = f->width, d.height = f->height;
    measure_axes(&d);
    d.left = 3.4 * d.letter, d.right = d.width - label_width(&d);
    d.top = 30, d.bottom = d.height - 46;
    d.x.from = d.left + INSET, d.x.to = d.right - INSET;
    d.y.from = d.bottom, d.y.to = d.top;
    return d;
}

static double x_of(const drawing *d, const ni_chart_point *p)
{
    return ni_axis_at(&d->x, p->x);
}

static double y_of(const drawing *d, double y)
{
    return ni_axis_at(&d->y, y);
}

/* ---- pieces ---- */

static void put(const drawing *d, const char *before, double x, double y)
{
    ni_page_text(d->out, before);
    ni_html_fixed(d->out, x, 1);
    ni_page_text(d->out, " ");
    ni_html_fixed(d->out, y, 1);
}

static void begin_text(const drawing *d, const char *class, double x, double y)
{
    ni_page_print(d->out, "<text class=\"%s\" x=\"", class);
    ni_html_fixed(d->out, x, 1);
    ni_page_text(d->out, "\" y=\"");
    ni_html_fixed(d->out, y, 1);
    ni_page_text(d->out, "\">");
}

static void write_label(const drawing *d, const char *name)
{
    char label[NI_LABEL_BYTES];
    bool changed;
    ni_html_label(name, LABEL, label, &changed);
    ni_html_text(d->out, label);
}

static void write_text(const drawing *d, const char *class, double x, double y, const char *text)
{
    begin_text(d, class, x, y);
    ni_html_text(d->out, text);
    ni_page_text(d->out, "</text>\n");
}

/* "97.9 % ± 0.1" */
static void write_value(const drawing *d, const ni_chart_point *p)
{
    ni_html_number(d->out, p->y, d->c->decimals);
    ni_html_text(d->out, d->c->unit);
    if (!(p->spread > 0)) return;
    ni_page_text(d->out, " \u00b1 ");
    ni_html_number(d->out, p->spread, d->c->decimals);
}

/* ---- axes ---- */

static void write_scale(const drawing *d)
{
    for (size_t i = 0; i < d->y.ticks; i++) {
        double y = y_of(d, d->y.tick[i]);
        char text[NI_TICK_BYTES];
        ni_tick_format(d->y.tick[i], text);
        put(d, "<path class=\"grid\" d=\"M", d->left, y);
        put(d, "L", d->right, y);
        ni_page_text(d->out, "\"/>\n");
        write_text(d, "tick end", d->left - 6, y + 4, text);
    }
    write_text(d, "name", 0, 14, d->c->up);
}

/* A number that would touch the one before it is left out; its mark is not. */
static void write_base(const drawing *d)
{
    const double *tick = d->c->ticks ? d->c->tick : d->x.tick;
    size_t ticks = d->c->ticks ? d->c->ticks : d->x.ticks;
    double free = -INFINITY;
    put(d, "<path class=\"base\" d=\"M", d->left, d->bottom);
    put(d, "L", d->right, d->bottom);
    for (size_t i = 0; i < ticks; i++) {
        put(d, "M", ni_axis_at(&d->x, tick[i]), d->bottom);
        ni_page_text(d->out, "v4");
    }
    ni_page_text(d->out, "\"/>\n");
    for (size_t i = 0; i < ticks; i++) {
        char text[NI_TICK_BYTES];
        ni_tick_format(tick[i], text);
        double x = ni_axis_at(&d->x, tick[i]), half = (double)strlen(text) * d->letter * 0.3;
        if (x - half < free) continue;
        write_text(d, "tick middle", x, d->bottom + 18, text);
        free = x + half + 4;
    }
    write_text(d, "name middle", (d->left + d->right) / 2, d->height - 6, d->c->across);
}

/* ---- lines ---- */

/* Relative to the middle of the mark. */
static const char *const shapes[] = { "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", "m-3-3h6v6h-6z",
                                      "m0-4.2l4 7.2h-8z", "m0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z" };

static const char *shape_of(const ni_chart_line *line)
{
    return line->kind == NI_LINE_PLAIN ? shapes[line->style % 4] : shapes[0];
}

static void write_class(const drawing *d, const ni_chart_line *line)
{
    static const char *const kinds[] = { "plain", "strong", "twin", "quoted" };
    ni_page_print(d->out, "line %s", kinds[line->kind]);
    if (line->kind != NI_LINE_PLAIN) return;
    unsigned style = line->style % NI_LINE_STYLES;
    ni_page_print(d->out, " k%u d%u", style % 8, (style + style / 8) % 3);
}

/* The points from `from` up to the returned position are next to each other and all drawn. */
static size_t stretch_end(const drawing *d, const ni_chart_line *line, size_t from)
{
    while (from < line->points && is_drawn(d, &line->point[from])) from++;
    return from;
}

/* Along the upper edges of the deviations, and back along the lower ones. */
static void write_band(const drawing *d, const ni_chart_line *line)
{
    ni_page_text(d->out, "<path class=\"band\" d=\"");
    for (size_t i = 0; i < line->points; i++) {
        size_t end = stretch_end(d, line, i);
        for (size_t k = i; k < end; k++)
            put(d, k == i ? "M" : "L", x_of(d, &line->point[k]), y_of(d, upper(d, &line->point[k])));
        for (size_t k = end; k-- > i;)
            put(d, "L", x_of(d, &line->point[k]), y_of(d, lower(&line->point[k])));
        if (end > i) ni_page_text(d->out, "Z"), i = end;
    }
    ni_page_text(d->out, "\"/>\n");
}

static void write_bars(const drawing *d, const ni_chart_line *line)
{
    ni_page_text(d->out, "<path class=\"spread\" d=\"");
    for (size_t i = 0; i < line->points; i++) {
        const ni_chart_point *p = &line->point[i];
        if (!is_drawn(d, p) || !(p->spread > 0)) continue;
        put(d, "M", x_of(d, p), y_of(d, lower(p)));
        put(d, "L", x_of(d, p), y_of(d, upper(d, p)));
    }
    ni_page_text(d->out, "\"/>\n");
}

static bool has_spread(const ni_chart_line *line)
{
    for (size_t i = 0; i < line->points; i++)
        if (line->point[i].spread > 0) return true;
    return false;
}

static void write_path(const drawing *d, const ni_chart_line *line)
{
    ni_page_text(d->out, "<path class=\"stroke\" d=\"");
    for (size_t i = 0; i < line->points; i++) {
        const ni_chart_point *p = &line->point[i];
        bool goes_on = i > 0 && is_drawn(d, p - 1);
        if (is_drawn(d, p)) put(d, goes_on ? "L" : "M", x_of(d, p), y_of(d, p->y));
    }
    ni_page_text(d->out, "\"/>\n");
}

/* Leads the eye over the breaks of a line, too faint to be taken for a part of it. */
static void write_bridges(const drawing *d, const ni_chart_line *line)
{
    const ni_chart_point *last = NULL;
    for (const ni_chart_point *p = line->point; p < line->point + line->points; p++) {
        if (!is_drawn(d, p)) continue;
        if (last && last + 1 < p) {
            put(d, "<path class=\"bridge\" d=\"M", x_of(d, last), y_of(d, last->y));
            put(d, "L", x_of(d, p), y_of(d, p->y));
            ni_page_text(d->out, "\"/>\n");
        }
        last = p;
    }
}

static void write_title(const drawing *d, const ni_chart_line *line, const ni_chart_point *p)
{
    ni_page_text(d->out, "<title>");
    write_label(d, line->label);
    ni_page_text(d->out, ", ");
    ni_html_text(d->out, p->name);
    ni_page_text(d->out, ": ");
    write_value(d, p);
    ni_page_text(d->out, "</title>");
}

static void write_marks(const drawing *d, const ni_chart_line *line)
{
    for (size_t i = 0; i < line->points; i++) {
        const ni_chart_point *p = &line->point[i];
        if (!is_drawn(d, p)) continue;
        put(d, "<path class=\"mark\" d=\"M", x_of(d, p), y_of(d, p->y));
        ni_page_print(d->out, "%s\">", shape_of(line));
        write_title(d, line, p);
        ni_page_text(d->out, "</path>\n");
        if (line->scattered) write_text(d, "tick middle", x_of(d, p), y_of(d, p->y) - 9, p->name);
    }
}

static void write_line(const drawing *d, const ni_chart_line *line)
{
    ni_page_text(d->out, "<g class=\"");
    write_class(d, line);
    ni_page_text(d->out, "\">\n");
    if (has_spread(line) && line->kind == NI_LINE_STRONG && !line->scattered) write_band(d, line);
    else if (has_spread(line)) write_bars(d, line);
    if (!line->scattered) {
        write_bridges(d, line);
        write_path(d, line);
    }
    write_marks(d, line);
    ni_page_text(d->out, "</g>\n");
}

/* ---- names at the ends of the lines ---- */

typedef struct ends {
    size_t line[NI_CHART_LINES], count;
    double at[NI_CHART_LINES]; /* where the line ends, later: where its name stands */
} ends;

/* The last point that is drawn; NULL if there is none. */
static const ni_chart_point *last_of(const drawing *d, const ni_chart_line *line)
{
    for (size_t i = line->points; i-- > 0;)
        if (is_drawn(d, &line->point[i])) return &line->point[i];
    return NULL;
}

/* From the top to the bottom. */
static ends find_ends(const drawing *d)
{
    ends e = { .count = 0 };
    for (size_t i = 0; i < d->lines; i++) {
        const ni_chart_point *last = last_of(d, &d->c->line[i]);
        if (!last) continue;
        double y = y_of(d, last->y);
        size_t k = e.count++;
        for (; k && e.at[k - 1] > y; k--) e.at[k] = e.at[k - 1], e.line[k] = e.line[k - 1];
        e.at[k] = y, e.line[k] = i;
    }
    return e;
}

/* A thread leads from the end of the line to its name, where the line reaches the end of the plot. */
static void write_name(const drawing *d, const ni_chart_line *line, double end, double y)
{
    double x = d->right + LEADER;
    ni_page_text(d->out, "<g class=\"");
    write_class(d, line);
    ni_page_text(d->out, "\">\n");
    if (x_of(d, last_of(d, line)) > d->x.to - 0.5 && !line->scattered) {
        put(d, "<path class=\"thread\" d=\"M", d->x.to + 5, end);
        put(d, "L", x - 1, y);
        ni_page_text(d->out, "\"/>\n");
    }
    if (!line->scattered) {
        put(d, "<path class=\"stroke\" d=\"M", x, y);
        ni_page_print(d->out, "h%d\"/>\n", SWATCH - 4);
    }
    if (line->kind != NI_LINE_QUOTED) {
        put(d, "<path class=\"mark\" d=\"M", x + SWATCH / 2 - 2, y);
        ni_page_print(d->out, "%s\"/>\n", shape_of(line));
    }
    begin_text(d, "end-name", x + SWATCH, y + 4);
    write_label(d, line->label);
    ni_page_text(d->out, "</text>\n</g>\n");
}

static void write_names(const drawing *d)
{
    ends e = find_ends(d);
    double end[NI_CHART_LINES];
    memcpy(end, e.at, sizeof end);
    ni_positions_spread(e.at, e.count, d->letter + 3, d->top, d->bottom);
    for (size_t i = 0; i < e.count; i++) write_name(d, &d->c->line[e.line[i]], end[i], e.at[i]);
}

/* ---- all of it ---- */

/* "gap 97.9 % (15 %) to 98.3 % (95 %)" for those who cannot see the lines. */
static void write_words(const drawing *d, const ni_chart_line *line)
{
    const ni_chart_point *first = line->point, *last = last_of(d, line);
    if (!last) return;
    while (!is_drawn(d, first)) first++;
    ni_page_text(d->out, " ");
    write_label(d, line->label);
    ni_page_text(d->out, ": ");
    write_value(d, first);
    ni_page_text(d->out, " at ");
    ni_html_text(d->out, first->name);
    if (last > first) {
        ni_page_text(d->out, ", ");
        write_value(d, last);
        ni_page_text(d->out, " at ");
        ni_html_text(d->out, last->name);
    }
    ni_page_text(d->out, ".");
}

static void write_id(const drawing *d, const char *part)
{
    ni_html_text(d->out, d->c->id);
    ni_page_print(d->out, "-%s-%s", d->size, part);
}

static void begin_svg(const drawing *d)
{
    ni_page_print(d->out, "<svg role=\"img\" class=\"%s\" aria-labelledby=\"", d->size);
    write_id(d, "title");
    ni_page_text(d->out, " ");
    write_id(d, "words");
    ni_page_print(d->out, "\" viewBox=\"0 0 %d %d\">\n<title id=\"", (int)d->width, (int)d->height);
    write_id(d, "title");
    ni_page_text(d->out, "\">");
    ni_html_text(d->out, d->c->title);
    ni_page_text(d->out, "</title>\n<desc id=\"");
    write_id(d, "words");
    ni_page_text(d->out, "\">");
    ni_html_text(d->out, d->c->up);
    ni_page_text(d->out, " against ");
    ni_html_text(d->out, d->c->across);
    ni_page_text(d->out, ".");
    for (size_t i = 0; i < d->lines; i++) write_words(d, &d->c->line[i]);
    ni_page_text(d->out, "</desc>\n");
}

/* What the chart is about lies on top. */
static void write_drawing(ni_page *out, const ni_chart *c, const format *f)
{
    static const ni_line_kind order[] = { NI_LINE_QUOTED, NI_LINE_PLAIN, NI_LINE_TWIN, NI_LINE_STRONG };
    drawing d = lay_out(out, c, f);
    begin_svg(&d);
    write_scale(&d);
    write_base(&d);
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < d.lines; i++)
            if (c->line[i].kind == order[k]) write_line(&d, &c->line[i]);
    write_names(&d);
    ni_page_text(out, "</svg>\n");
}

void ni_chart_write(ni_page *out, const ni_chart *c, bool small)
{
    ni_page_text(out, "<div class=\"chart\">\n");
    if (small) write_drawing(out, c, &small_one);
    else {
        write_drawing(out, c, &wide);
        write_drawing(out, c, &narrow);
    }
    ni_page_text(out, "</div>\n");
}
