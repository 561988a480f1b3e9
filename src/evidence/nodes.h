/* nodes.h - evidence about a single node, measured in one view. */
#ifndef NI_NODES_H
#define NI_NODES_H

#include "evidence/view.h"

typedef enum ni_node_value {
    NI_NODE_DEGREE,     /* number of links                                                        */
    NI_NODE_AROUND,     /* mean degree of its neighbours                                          */
    NI_NODE_PAGERANK,   /* share of a walk's time that is spent here, times the number of nodes   */
    NI_NODE_CORE,       /* largest k such that it is in a part where all have k links             */
    NI_NODE_CLUSTERING, /* share of the pairs of its neighbours that are linked                   */
    NI_NODE_OUT,        /* links that lead away; 0 in an undirected graph                         */
    NI_NODE_IN,         /* links that lead here; likewise                                         */
    NI_NODE_VALUES
} ni_node_value;

/* Degree, out, in and the mean degree of neighbours of u, into its row of values. */
void ni_node_degrees(const ni_view *view, uint32_t u, float row[NI_NODE_VALUES]);

/* value: nodes x NI_NODE_VALUES. O(nodes + 30 links), and for triangles O(links^1.5) at most. */
neap_status ni_node_values(const ni_view *view, ni_threads *threads, float *value, neap_error *err);

#endif
