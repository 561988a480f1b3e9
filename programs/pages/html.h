/* html.h - the parts that every page of ours shares: head and style, numbers, names, colours.
 *
 * A page is one file without scripts that asks nothing of anybody: its policy forbids both, so that a
 * name which slipped through unescaped could still do nothing. It is light or dark as the reader's
 * system is, and light on paper.                                                                     */
#ifndef NI_HTML_H
#define NI_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/output.h"

/* Everything up to and including <main>, and from </main> on. `title` is plain text. `more` are rules of
 * style for this page alone, NULL behind the last; NULL: none. */
void ni_html_begin(ni_output *out, const char *title, const char *const *more);
void ni_html_end(ni_output *out);

/* A number with so many digits behind the point, rounded, in any locale; false if it is too large for that
 * or not finite. */
enum { NI_FIXED_BYTES = 48 };
bool ni_html_format(double value, int decimals, char text[NI_FIXED_BYTES]);

/* The same for attributes ("-0.5"). */
void ni_html_fixed(ni_output *out, double value, int decimals);

/* The same for people: a true minus sign. */
void ni_html_number(ni_output *out, double value, int decimals);

/* A count for people: 5,346. */
void ni_html_whole(ni_output *out, uint64_t value);

/* Decimals that show at least three digits of a number as large as `most`: 2 .. 9; none for zero. */
int ni_html_decimals(double most);

/* A name fit to be shown: at most `cells` columns of a fixed-width font (wide letters take two), cut with
 * an ellipsis, each control character, direction override and byte that is not UTF-8 as U+FFFD. Returns
 * the columns used; *changed tells whether the full name deserves a title. */
enum { NI_LABEL_MOST = 64, NI_LABEL_BYTES = 4 * NI_LABEL_MOST + 4 };
int ni_html_label(const char *name, int cells, char label[NI_LABEL_BYTES], bool *changed);

/* A name as an element of running text: isolated from the direction of what surrounds it. */
void ni_html_name(ni_output *out, const char *name, int cells);

/* Values in [-1, 1] are coloured by the classes c0 .. c40; c20 is 0. */
enum { NI_SHADES = 41 };
int ni_html_shade(double value);

#endif
