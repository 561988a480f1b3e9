/* layout.h - which columns of an edge list hold source, target and weight, and whether its first line is a
 * header that says so. The same for edges to train on and for pairs to score.
 *
 * Words of a header, in any case, with or without `id` or `node` behind them (source_id, FromNodeId):
 *   source -> target, destination      from -> to      src -> dst, dest
 *   head, tail      in the order in which they stand: graph theory and knowledge graphs disagree
 *   node1 -> node2, u -> v      may well be names, so they count only with --header yes or beside `weight`
 *   weight, weights, value, strength, count, wt, w      the weight; the first of this list, if several
 * A line that has such a pair in any two columns, and no number in its first two, is a header. Several
 * pairs are refused. A header without a pair that is known leaves source and target in columns 1 and 2. A
 * weight is what a header calls so; without a header, or where it has no third word, it is column 3.    */
#ifndef NI_LAYOUT_H
#define NI_LAYOUT_H

#include "graph/lines.h"

/* MAYBE: two words that are no numbers, which the names below may show to be a header. */
typedef enum ni_header { NI_NO_HEADER, NI_MAYBE_HEADER, NI_IS_HEADER } ni_header;

typedef struct ni_layout {
    ni_columns columns;
    unsigned source, target; /* columns, from 1                  */
    unsigned weight;         /* 0: there is none                 */
    bool ordered;            /* source and target are 1 and 2    */
} ni_layout;

/* From the options and the first line with data. */
neap_status ni_layout_choose(ni_layout *layout, const neap_options *options, const ni_lines *lines,
                             char *line, ni_header *header, neap_error *err);

/* Whether two names alone on a line are taken for a header by their words. */
bool ni_layout_is_header(const ni_field *first, const ni_field *second);

/* Source and target of a line. *rest: where ni_layout_weight has to look. */
neap_status ni_layout_names(const ni_layout *layout, const ni_lines *lines, char *line, ni_field *source,
                            ni_field *target, char **rest, neap_error *err);

/* The field of the weight; field->at is NULL if it is missing or broken. */
void ni_layout_weight(const ni_layout *layout, char *rest, ni_field *field);

#endif
