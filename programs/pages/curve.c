/* The curve of a kind of evidence as a small picture, with the pair's place on it. */
#include <math.h>

#include "pages/explanation.h"

enum { WIDE = 132, HIGH = 36, AIR = 4, DECIMALS = 3 };

const char ni_curve_style[] =
    "svg .zero{stroke:var(--line)}"
    "svg .shape{fill:none;stroke:var(--muted);stroke-width:1.5;stroke-linejoin:round}"
    "svg .here{stroke:var(--paper);stroke-width:1.5}svg .here.up{fill:var(--plus)}"
    "svg .here.down{fill:var(--minus)}";

/* Bins of a curve are equally wide here, however wide they are in values. */
typedef struct picture {
    const float *x, *y; /* at each edge, on it and just behind it                  */
    uint32_t edges;
    double low, high, wide; /* of contributions; width of a bin                    */
    uint32_t bin;           /* of the pair's value; NEAP_NONE: it is missing       */
    float value;
    double contribution;
} picture;

static uint32_t bin_of(const picture *c)
{
    uint32_t bin = 0;
    if (!isfinite(c->value)) return NEAP_NONE;
    while (bin < c->edges && c->x[2 * bin] < c->value) bin++;
    return bin;
}

static picture picture_of(const neap_evidence *v, uint32_t kind)
{
    picture c = { .x = v->curve_value + v->curve[kind], .y = v->curve_contribution + v->curve[kind] };
    c.edges = (v->curve[kind + 1] - v->curve[kind]) / 2;
    c.value = v->value[kind], c.contribution = v->contribution[kind];
    c.low = fmin(0, c.contribution), c.high = fmax(0, c.contribution);
    for (uint32_t k = 0; k < 2 * c.edges; k++) {
        c.low = fmin(c.low, (double)c.y[k]);
        c.high = fmax(c.high, (double)c.y[k]);
    }
    c.wide = (double)WIDE / (c.edges + 1);
    c.bin = bin_of(&c);
    return c;
}

static double height_of(const picture *c, double y)
{
    return c->high > c->low ? AIR + (HIGH - 2 * AIR) * (c->high - y) / (c->high - c->low) : HIGH / 2.0;
}

/* Where the pair's value lies: within its bin in proportion, in the first and the last bin in their middle.
 */
static double place_of(const picture *c)
{
    if (c->bin == 0 || c->bin == c->edges) return (c->bin + 0.5) * c->wide;
    double low = (double)c->x[2 * c->bin - 2], range = (double)c->x[2 * c->bin] - low;
    return (c->bin + (range > 0 ? ((double)c->value - low) / range : 0.5)) * c->wide;
}

static void put_point(ni_page *out, const char *command, double x, double y)
{
    ni_page_text(out, command);
    ni_html_fixed(out, x, 1);
    ni_page_text(out, " ");
    ni_html_fixed(out, y, 1);
}

/* The first and the last bin have no other end: there the line begins at its edge's height, or at the pair.
 */
static void write_shape(ni_page *out, const picture *c)
{
    uint32_t points = 2 * c->edges;
    bool first = c->bin == 0, last = c->bin == c->edges;
    ni_page_text(out, "<path class=\"shape\" d=\"");
    put_point(out, "M", first ? place_of(c) : 0, height_of(c, first ? c->contribution : (double)c->y[0]));
    for (uint32_t k = 0; k < points; k++)
        put_point(out, "L", (k / 2 + 1) * c->wide, height_of(c, (double)c->y[k]));
    put_point(out, "L", last ? place_of(c) : WIDE,
              height_of(c, last ? c->contribution : (double)c->y[points - 1]));
    ni_page_text(out, "\"/>");
}

static void write_here(ni_page *out, const picture *c)
{
    if (c->bin == NEAP_NONE) return;
    ni_page_print(out, "<circle class=\"here %s\" r=\"4\" cx=\"", c->contribution < 0 ? "down" : "up");
    ni_html_fixed(out, place_of(c), 1);
    ni_page_text(out, "\" cy=\"");
    ni_html_fixed(out, height_of(c, c->contribution), 1);
    ni_page_text(out, "\"/>");
}

/* What it shows, for those who cannot see it. */
static void write_label(ni_page *out, const picture *c, const char *name)
{
    ni_page_text(out, "<svg role=\"img\" aria-label=\"the curve of ");
    ni_html_text(out, name);
    ni_page_text(out, ": from ");
    ni_html_added(out, c->low, DECIMALS);
    ni_page_text(out, " to ");
    ni_html_added(out, c->high, DECIMALS);
    ni_page_text(out, "\"");
}

void ni_curve_write(ni_page *out, const neap_evidence *v, uint32_t kind)
{
    picture c = picture_of(v, kind);
    if (!c.edges) return;
    write_label(out, &c, v->name[kind]);
    ni_page_print(out, " width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">", WIDE, HIGH, WIDE, HIGH);
    put_point(out, "<path class=\"zero\" d=\"M", 0, height_of(&c, 0));
    ni_page_print(out, "h%d\"/>", WIDE);
    write_shape(out, &c);
    write_here(out, &c);
    ni_page_text(out, "</svg>");
}
