/* hood.h - the neighbourhood a model reads for each node: at most S of its links, in ascending order.
 *
 * Of a node with more than S links a sample without replacement is kept, evenly or by weight, drawn once
 * from (seed, node, neighbour). With `self` the node itself is one of the S. A node without links has an
 * empty neighbourhood, hence the zero vector.                                                            */
#ifndef NI_HOOD_H
#define NI_HOOD_H

#include <stdint.h>

#include "graph/links.h"

typedef struct ni_hood {
    uint32_t nodes;
    uint64_t *offset; /* nodes + 1     */
    uint32_t *node;   /* offset[nodes] */
    bool capped;      /* some node had more than S links */
} ni_hood;

/* self_loops: a node with an edge to itself is its own neighbour even where self is false. */
neap_status ni_hood_create(const neap_graph *graph, const ni_links *links, const neap_options *options,
                           ni_hood *hood, neap_error *err);
void ni_hood_free(ni_hood *hood);

static inline uint64_t ni_hood_bytes(const ni_hood *hood)
{
    return 8 * ((uint64_t)hood->nodes + 1) + 4 * hood->offset[hood->nodes];
}

static inline uint32_t ni_hood_size(const ni_hood *hood, uint32_t u)
{
    return (uint32_t)(hood->offset[u + 1] - hood->offset[u]);
}

#endif
