/* chart.h - line charts as SVG: hand-made, without scripts, with their names at the ends of the lines.
 *
 * A chart is drawn twice, for wide and for narrow windows, and the style sheet shows one of the two:
 * letters then have their size on a telephone as on a desk. Nothing is interpolated: where a value is
 * missing, the line is broken, and a few faint dots lead the eye to its next point.                  */
#ifndef NI_CHART_H
#define NI_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "io/output.h"

typedef struct ni_chart_point {
    double x, y;      /* y NaN: there is none                     */
    double spread;    /* deviation to both sides; 0: none is drawn */
    const char *name; /* of the place on the x axis: "15 %"       */
} ni_chart_point;

typedef enum ni_line_kind {
    NI_LINE_PLAIN,
    NI_LINE_STRONG, /* the one that the chart is about  */
    NI_LINE_TWIN,   /* the same in another state: its colour, but thin and broken */
    NI_LINE_QUOTED  /* somebody else's numbers: thin, dotted, without marks       */
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
void ni_chart_write(ni_output *out, const ni_chart *chart, bool small);

#endif
