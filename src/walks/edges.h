/* edges.h - the pairs of a skip-gram model from edges drawn by weight (line). A place is a draw; an epoch
 * has NI_EDGE_SAMPLES of them for each edge. */
#ifndef NI_EDGES_H
#define NI_EDGES_H

#include "graph/graph.h"
#include "walks/skipgram.h"

enum { NI_EDGE_SAMPLES = 100 };

typedef struct ni_edges {
    const neap_graph *graph;
    bool first, second; /* orders: a layer for each, with a pair of its own at each place            */
    bool along;         /* the second follows the direction of edges; the first has none             */
    uint64_t seed;
    uint32_t *source; /* edges: where each begins                                                    */
    ni_alias *alias;  /* edges, by weight; NULL: all alike                                           */
} ni_edges;

/* Fills source and alias; the fields above are set. */
neap_status ni_edges_create(ni_edges *e, neap_error *err);
void ni_edges_free(ni_edges *e);

ni_source ni_edges_source(const ni_edges *e);

/* The weights of each node's edges, in and out, as whole numbers up to 2^40. */
neap_status ni_edges_degrees(const ni_edges *e, uint64_t **degrees, neap_error *err);

#endif
