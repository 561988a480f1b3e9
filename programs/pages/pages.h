/* pages.h - HTML pages and SVG pictures for the program, the Python module and a server. They see neap.h
 * and src/support, nothing else of the library, and are made in memory first.
 *
 * A page is one file without scripts that loads nothing: its policy forbids both, so that a name which
 * slipped through unescaped could still do nothing. It is light or dark as the reader's
 * system is, and light on paper.                                                                     */
#ifndef NI_PAGES_H
#define NI_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"
#include "support/status.h"
#include "support/text.h"

/* ---- a page in memory (page.c) ---- */

/* All 0 is an empty page. A failed allocation is remembered: later calls do nothing, and ni_page_save
 * returns the error. A caller that takes the bytes without saving checks `failed` first. */
typedef struct ni_page {
    char *bytes; /* ended by a NUL; NULL: nothing was written */
    size_t length, room;
    bool failed;
} ni_page;

void ni_page_write(ni_page *page, const void *bytes, size_t count);
void ni_page_text(ni_page *page, const char *text);
void ni_page_print(ni_page *page, const char *format, ...) NI_PRINTF(2, 3);
ni_sink ni_page_sink(ni_page *page);

/* Replaces a file by the page, whole or not at all, and frees the page in any case. "-" is standard
 * output. */
neap_status ni_page_save(ni_page *page, const char *path, neap_error *err);
void ni_page_free(ni_page *page);

/* ---- parts of every page (style.c, html.c) ---- */

/* Everything up to and including <main>, and from </main> on. `title` is plain text. `more` are rules of
 * style for this page alone, NULL behind the last; NULL: none. */
void ni_html_begin(ni_page *out, const char *title, const char *const *more);
void ni_html_end(ni_page *out);

/* Text with &, <, >, ", ' made harmless; each control character (C0, DEL, C1), direction override and byte
 * that is not UTF-8 becomes U+FFFD. */
void ni_html_text(ni_page *out, const char *text);

/* A number with so many digits behind the point, for attributes ("-0.5"). */
void ni_html_fixed(ni_page *out, double value, int decimals);

/* The same for people: a true minus sign. */
void ni_html_number(ni_page *out, double value, int decimals);

/* A count for people: 5,346. */
void ni_html_whole(ni_page *out, uint64_t value);

/* Decimals that show at least three digits of a number as large as `most`: 2 .. 9; none for zero. */
int ni_html_decimals(double most);

/* A name fit to be shown: at most `cells` columns of a fixed-width font (wide letters take two), cut with
 * an ellipsis, each control character, direction override and byte that is not UTF-8 as U+FFFD. Returns the
 * columns used; *changed: the label is not the full name. */
enum { NI_LABEL_MOST = 64, NI_LABEL_BYTES = 4 * NI_LABEL_MOST + 4 };
int ni_html_label(const char *name, int cells, char label[NI_LABEL_BYTES], bool *changed);

/* A name as an element of running text: isolated from the direction of what surrounds it. */
void ni_html_name(ni_page *out, const char *name, int cells);

/* Values in [-1, 1] are coloured by the classes c0 .. c40; c20 is 0. */
enum { NI_SHADES = 41 };
int ni_html_shade(double value);

/* ---- axes (axis.c): from values to positions in a picture, and the ticks of a scale ---- */

enum { NI_TICKS = 16 };

typedef struct ni_axis {
    double low, high; /* values at the two ends; low > high: nothing covered yet */
    bool log;         /* values must be above 0                                  */
    double from, to;  /* the positions of low and high                           */
    double tick[NI_TICKS];
    size_t ticks;
} ni_axis;

ni_axis ni_axis_create(bool log);

/* Widens the axis to hold a value; what no axis can hold (NaN, infinite, not above 0 if log) is ignored. */
void ni_axis_cover(ni_axis *axis, double value);

/* Whether a value can be drawn on it. */
bool ni_axis_holds(const ni_axis *axis, double value);

/* Sets round ticks, about `wanted` of them. A linear axis is widened to end at ticks, but not beyond
 * `most`; a logarithmic one gets a little air. */
void ni_axis_round(ni_axis *axis, int wanted, double most);

/* The position of a value; what lies outside is put at the nearer end. */
double ni_axis_at(const ni_axis *axis, double value);

/* A tick for people: 0.05, 70, 200k, 1.5M. */
enum { NI_TICK_BYTES = 56 };
void ni_tick_format(double value, char text[NI_TICK_BYTES]);

/* Moves ascending positions apart until neighbours keep a distance of `gap`, as little as possible, between
 * low and high; where there is no room for that, at equal distances. More than NI_POSITIONS_MOST stay where
 * they are. */
enum { NI_POSITIONS_MOST = 32 };
void ni_positions_spread(double *position, size_t count, double gap, double low, double high);

/* ---- line charts (chart.c) ---- */

/* SVG, hand-made, without scripts, with names at the ends of the lines. A chart is drawn twice, for wide
 * and for narrow windows, and the style sheet shows one of the two: letters then have their size on a
 * telephone as on a desk. Nothing is interpolated: where a value is missing, the line is broken, and a few
 * faint dots lead the eye to its next point. */
typedef struct ni_chart_point {
    double x, y;      /* y NaN: there is none                     */
    double spread;    /* deviation to both sides; 0: none is drawn */
    const char *name; /* of the position on the x axis: "15 %" */
} ni_chart_point;

typedef enum ni_line_kind {
    NI_LINE_PLAIN,
    NI_LINE_STRONG, /* the one that the chart is about                            */
    NI_LINE_TWIN,   /* the same in another state: its colour, but thin and broken */
    NI_LINE_QUOTED  /* numbers from elsewhere: thin, dotted, without marks        */
} ni_line_kind;

typedef struct ni_chart_line {
    const char *label;
    ni_line_kind kind;
    unsigned style; /* of a plain line: its colour, dashes and marks repeat after NI_LINE_STYLES       */
    bool scattered; /* points that are no line; each has its name beside it */
    const ni_chart_point *point; /* from left to right */
    size_t points;
} ni_chart_line;

enum { NI_LINE_STYLES = 24, NI_CHART_LINES = 16 }; /* at most so many lines are drawn, the first */

typedef struct ni_chart {
    const char *id;          /* no other on the page          */
    const char *title;       /* for those who cannot see it   */
    const char *across, *up; /* the titles of the axes        */
    const char *unit;        /* behind a value: " %", " s"    */
    int decimals;            /* of a value                    */
    bool x_log, y_log;
    double most;        /* no value is larger: 100 for per cent, else INFINITY */
    double span;        /* the scale covers at least so much: noise must not look like a finding */
    const double *tick; /* on the x axis; none: round numbers */
    size_t ticks;
    const ni_chart_line *line;
    size_t lines;
} ni_chart;

/* The rules that charts need, for ni_html_begin. */
extern const char ni_chart_style[];

/* `small`: one of several beside each other, drawn once, as for a narrow window. */
void ni_chart_write(ni_page *out, const ni_chart *chart, bool small);

/* ---- explanations (explanation.c, heatmap.c, evidence.c) ---- */

/* The name of the i-th reason: a neighbour, or a word. */
const char *ni_reason_name(const neap_graph *graph, const neap_reasons *reasons, uint32_t i);

/* The name of a partner, one of the other side's reasons; NULL if it is none of them. */
const char *ni_partner_name(const neap_graph *graph, const neap_reasons *other, uint32_t partner);

/* Whether attention or a part of the score belongs to none of the reasons: to the row "elsewhere". */
bool ni_reasons_lack(const neap_reasons *reasons);

/* What reasons are: "neighbour" or "word". */
const char *ni_reason_noun(const neap_explanation *explanation);

/* What their weights are: "attention" or "weight". */
const char *ni_weight_noun(const neap_explanation *explanation);

/* How a non-link is drawn: what --negative-sampling calls "degree". */
const char *ni_negatives_in_words(const char *kind);

/* Decimals that tell a probability from 0, from 1, and from others like it: at least four. */
int ni_probability_decimals(double probability);

/* The whole page that explains the score of a pair; names are text there, whatever they contain.
 * NEAP_E_MISMATCH if the graph is not that of the model. */
neap_status ni_explanation_write(ni_page *out, const neap_explanation *explanation, const neap_graph *graph,
                                 neap_error *err);

/* The alignment of the two neighbourhoods as a picture with its legend: the first of either list. Neither
 * side is empty, and every node has a name in the graph. */
enum { NI_HEATMAP_MOST = 30 };
void ni_heatmap_write(ni_page *out, const neap_explanation *e, const neap_graph *graph);

#endif
