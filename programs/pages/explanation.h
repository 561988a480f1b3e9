/* explanation.h - what the two pages that explain a pair have in common: by neighbours or words
 * (explanation.c), and by evidence (evidence.c). */
#ifndef PAGES_EXPLANATION_H
#define PAGES_EXPLANATION_H

#include "pages/pages.h"

/* Everything up to the heading "Why A and B?"; `more` as in ni_html_begin. */
void ni_explanation_begin_page(ni_page *out, const neap_explanation *e, const neap_graph *graph,
                               const char *const *more);

/* Whether the pair is a link of the graph, as a sentence. */
const char *ni_link_words(const neap_explanation *e);

/* Whether the graph, in either direction, has the link. */
bool ni_is_link(const neap_graph *graph, uint32_t u, uint32_t v);

/* A cell with the number `to` - `from` and a bar between the two on a scale from low to high. In every row
 * of a table the bars have one zero, which is the variable --zero of ni_html_zero. */
typedef struct ni_bar_scale {
    double low, high; /* low <= 0 <= high */
    int decimals;
} ni_bar_scale;
void ni_html_bar(ni_page *out, const ni_bar_scale *scale, double from, double to);
void ni_html_zero(ni_page *out, const ni_bar_scale *scale);

/* A number with its sign: "+1.234". */
void ni_html_added(ni_page *out, double value, int decimals);

/* The explanation is of another graph. */
neap_status ni_fail_other_graph(neap_error *err);

/* The curve of a kind of evidence, as an image in the line, and the rules of style that it needs; nothing
 * where it has no edge. (curve.c) */
extern const char ni_curve_style[];
void ni_curve_write(ni_page *out, const neap_evidence *evidence, uint32_t kind);

/* The page of a score that is a sum of evidence. */
neap_status ni_evidence_write(ni_page *out, const neap_explanation *e, const neap_graph *graph,
                              neap_error *err);

#endif
