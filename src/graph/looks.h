/* looks.h - what a text that is no edge list looks like, so that it is refused by its name and not read as
 * another graph. Nothing here is looked at once the option `columns` says what the columns are; the
 * attributes, third columns and times are not looked at with --weights ignore either.
 *
 *   formats   GraphML, GEXF, HTML, DOT, GML, Pajek, JSON, N-Triples, Turtle, sparse6: by the first line
 *   column 3  if it is no number: attributes in braces (NetworkX), a date, or a relation
 *   times     in column 3 or 4: see below
 *
 * A number is like Unix time if it lies between 1e8 and 4.2e9 (seconds of the years 1973 to 2103), or
 * between as many milli-, micro- or nanoseconds. Column 3 or 4 holds times if its numbers are all of that
 * kind, from the first edge to the end of the first block of lines (2 MiB); one line is enough. Weights
 * that happen to lie there need --columns 1,2,3.
 */
#ifndef NI_LOOKS_H
#define NI_LOOKS_H

#include "graph/lines.h"

/* Refuses a text whose first line with data, `line`, is that of another format: NEAP_E_FORMAT. */
neap_status ni_looks_foreign(const ni_lines *lines, const char *line, neap_error *err);

/* The same of text in memory that ends with \n; NULL: an edge list, for all we know. */
const ni_foreign *ni_looks_like(const char *text, const char *end);

/* Refuses a third column that is no number. `second` is the field before it. */
neap_status ni_looks_third(const ni_lines *lines, const ni_field *second, const ni_field *third,
                           neap_error *err);

/* Refuses times in columns 3 and 4, and a column 3 that rises from 0 as times do. `line`: the first edge,
 * whose third column is a number. */
neap_status ni_looks_time(const ni_lines *lines, const ni_columns *columns, char *line, neap_error *err);

bool ni_looks_like_time(double value);

#endif
