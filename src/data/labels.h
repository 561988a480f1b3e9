/* labels.h - the classes of nodes, from a file.
 *
 * A line is `node<TAB>class`; as in an edge list, the first data line decides between tab, comma,
 * semicolon, pipe and blanks, # and % start a comment, and gzip and zstd are recognised. By line, line i
 * (from 0) is the class of the node *named* i, every line counts, there are no comments, and an empty line
 * is no label. A node has one class: a second line with the same class is skipped, one with another is an
 * error.            */
#ifndef NI_LABELS_H
#define NI_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/names.h"
#include "neap.h"

struct neap_labels {
    uint32_t nodes;
    uint32_t *of;       /* nodes: the class of a node, or NEAP_NONE                 */
    ni_names classes;   /* numbered in the order of their first node in the file    */
    uint32_t *count;    /* nodes of each class, at least 1                          */
    uint32_t labelled;  /* nodes that have a class                                  */
    uint64_t strangers; /* lines about a node that the graph does not have; a header is one of them */
};
typedef struct neap_labels ni_labels;

/* NEAP_E_FORMAT with the line in err->where if a line is bad, if no line is about a node of the graph, and
 * if all labelled nodes are of one class or each is of its own. */
neap_status ni_labels_read(const char *path, const neap_graph *graph, bool by_line, ni_labels *out,
                           neap_error *err);
void ni_labels_free(ni_labels *labels);

/* Vectors of nodes, some of which have a class: the input of clustering and classification. */
typedef struct ni_sample {
    const float *x; /* n x d */
    uint32_t n, d;
    const uint32_t *label; /* n: below classes, or NEAP_NONE */
    uint32_t classes;
} ni_sample;

static inline ni_sample ni_sample_of(const ni_labels *labels, const float *x, uint32_t d)
{
    return (ni_sample){ x, labels->nodes, d, labels->of, labels->classes.count };
}

#endif
