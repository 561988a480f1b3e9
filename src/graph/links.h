/* links.h - links: edges in either direction, as a symmetric CSR without loops, rows sorted. Derived
 * from a graph; the base of neighbourhoods, of the check for negatives, and of degrees. */
#ifndef NI_LINKS_H
#define NI_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/threads.h"
#include "graph/graph.h"

typedef struct ni_links {
    uint32_t nodes;
    uint64_t *offset; /* nodes + 1                                       */
    uint32_t *node;   /* offset[nodes], each row sorted and without twins */
    float *weight;    /* sum of both directions; NULL if unweighted      */
} ni_links;

neap_status ni_links_create(const neap_graph *graph, ni_links *links, neap_error *err);
void ni_links_free(ni_links *links);

static inline uint64_t ni_degree(const ni_links *links, uint32_t u)
{
    return links->offset[u + 1] - links->offset[u];
}

static inline uint64_t ni_links_bytes(const ni_links *links)
{
    return 8 * ((uint64_t)links->nodes + 1) + links->offset[links->nodes] * (links->weight ? 8 : 4);
}

/* NEAP_E_FORMAT if there is no link at all. */
neap_status ni_links_need_some(const ni_links *links, neap_error *err);

/* The arcs out of each node, as a CSR: its links in either direction, or with `along` the edges of a
 * directed graph from source to target. Views of one of them. */
typedef struct ni_arcs {
    const uint64_t *offset;
    const uint32_t *node;
    const float *weight; /* NULL: all alike                        */
    bool symmetric;      /* every arc has its reverse              */
} ni_arcs;

static inline ni_arcs ni_arcs_of(const neap_graph *graph, const ni_links *links, bool along)
{
    if (along && !graph->undirected) return (ni_arcs){ graph->offset, graph->target, graph->weight, false };
    return (ni_arcs){ links->offset, links->node, links->weight, true };
}

/* The sum of the weights of all arcs out of u. */
double ni_arcs_strength(const ni_arcs *arcs, uint64_t u);

/* Row u of P X, P the transition matrix of a random walk: the weighted mean of the rows (d) of X that its
 * arcs lead to; zero if there are none. */
void ni_arcs_mean(const ni_arcs *arcs, uint64_t u, const float *X, uint32_t d, float *out);

/* u and v are linked. */
bool ni_linked(const ni_links *links, uint32_t u, uint32_t v);

/* How many neighbours they share. */
uint32_t ni_count_shared(const ni_links *links, uint32_t u, uint32_t v);

/* A node that u is not linked with, nor u itself: uniform, in one draw. NEAP_NONE if there is none. */
uint32_t ni_stranger(const ni_links *links, uint32_t u, ni_rng *rng);

/* The side of each node of a bipartite graph, such that every edge joins side 0 and side 1; isolated nodes
 * have none. In each component the edges mostly lead from side 0 to side 1; where they have no direction,
 * or lead either way as often, its smallest node is on side 0, which in an edge list is the source of its
 * first edge. *bipartite is false, and `side` (nodes long) means nothing, if there is no such colouring (an
 * odd cycle, a self-loop) or no edge. O(nodes + links). */
enum { NI_SIDE_NONE = 2 };
neap_status ni_graph_sides(const neap_graph *graph, const ni_links *links, uint8_t *side, bool *bipartite,
                           neap_error *err);

/* ---- neighbourhoods ----
 *
 * The neighbourhood a model reads for each node: at most S of its links, in ascending order.
 *
 * Of a node with more than S links a sample without replacement is kept, evenly or by weight, drawn once
 * from (seed, node, neighbour). With `self` the node itself is one of the S. A node without links has an
 * empty neighbourhood, hence the zero vector.                                                            */
typedef struct ni_hood {
    uint32_t nodes;
    uint64_t *offset; /* nodes + 1     */
    uint32_t *node;   /* offset[nodes] */
    bool capped;      /* some node had more than S links */
} ni_hood;

/* Which neighbours are read. */
typedef struct ni_hood_rule {
    uint32_t neighbors; /* S, at most                                                                  */
    bool self;          /* a node with links is among its own neighbours                               */
    bool self_loops;    /* a node with an edge to itself is its own neighbour even where self is false */
    uint64_t seed;      /* of the samples                                                              */
} ni_hood_rule;

neap_status ni_hood_create(const neap_graph *graph, const ni_links *links, const ni_hood_rule *rule,
                           ni_hood *hood, neap_error *err);
void ni_hood_free(ni_hood *hood);

/* The same neighbourhoods, each in the order of common neighbours: those that have most of them with the
 * node first, of equal ones the smallest. Only common neighbours below `rows` count. */
neap_status ni_hood_order(const ni_hood *hood, const ni_links *links, uint32_t rows, ni_threads *threads,
                          ni_hood *out, neap_error *err);

static inline uint64_t ni_hood_bytes(const ni_hood *hood)
{
    return 8 * ((uint64_t)hood->nodes + 1) + 4 * hood->offset[hood->nodes];
}

static inline uint32_t ni_hood_size(const ni_hood *hood, uint32_t u)
{
    return (uint32_t)(hood->offset[u + 1] - hood->offset[u]);
}

#endif
