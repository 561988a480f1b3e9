/* degrees.h - the linear terms that degrees add to a score.
 *
 * Of a pair (s, t) in an undirected graph
 *     f = (1, ln(1 + k_s), ln(1 + k_t)),
 * in a directed one, whose out- and indegrees say different things,
 *     f = (1, ln(1 + out_s), ln(1 + in_s), ln(1 + out_t), ln(1 + in_t)),
 * and a learned weight for each (ni_linear_terms of loss.h). Loops do not count, nor do arcs of nodes that
 * came after training: like neighbourhoods, degrees stay what the weights were learned with. */
#ifndef NI_DEGREES_H
#define NI_DEGREES_H

#include "graph/graph.h"

typedef struct ni_degrees {
    const neap_graph *graph; /* must outlive it                       */
    uint32_t each;           /* degrees of a node: one, or out and in */
    uint32_t *count;         /* nodes x each                          */
} ni_degrees;

enum { NI_DEGREE_TERMS_MOST = 5 };

/* rows: nodes that were in training. O(nodes + edges). */
neap_status ni_degrees_create(const neap_graph *graph, uint32_t rows, ni_degrees *d, neap_error *err);
void ni_degrees_free(ni_degrees *d);

/* How many terms a pair of such a graph has. */
uint32_t ni_degree_terms(const neap_graph *graph);

/* A node of a pair, and who is left out when its links are counted: NEAP_NONE, nobody. */
typedef struct ni_end {
    uint32_t node, without;
} ni_end;

/* The terms of a pair. O(log k) where somebody is left out. */
void ni_degrees_features(const ni_degrees *d, ni_end source, ni_end target,
                         float features[NI_DEGREE_TERMS_MOST]);

uint64_t ni_degrees_bytes(const ni_degrees *d);

#endif
