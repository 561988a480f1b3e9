/* walker.h - random walks over a graph, made when they are needed and never kept.
 *
 * First order: the next node is a neighbour, in proportion to the weight of the link. Second order
 * (node2vec, Grover and Leskovec 2016): having come to v from t, a neighbour x of v counts 1/p times its
 * weight if it is t, once if it is linked with t, and 1/q times otherwise. It is drawn by rejection, so
 * that memory stays linear in the edges: no table for pairs of edges. */
#ifndef NI_WALKER_H
#define NI_WALKER_H

#include "base/rng.h"
#include "graph/links.h"
#include "neap.h"

/* draws in proportion to weights, in constant time (Walker 1977; built by Vose 1991): a column is
 * drawn evenly, then it is either the column's own item or the one that shares it. */
typedef struct ni_alias {
    float share;    /* of the column's own item      */
    uint32_t other; /* the item that has the rest    */
} ni_alias;

/* Fills a table of n columns for weights that are not negative, of which one is positive; uses them up.
 * scratch: n. */
void ni_alias_fill(ni_alias *table, double *weight, uint32_t n, uint32_t *scratch);

static inline uint32_t ni_alias_draw(const ni_alias *table, uint32_t n, ni_rng *rng)
{
    uint64_t bits = ni_next(rng);
    uint32_t column = (uint32_t)((bits >> 32) * n >> 32);
    float coin = (float)(bits & 0xffffff) * 0x1p-24F;
    return coin < table[column].share ? column : table[column].other;
}

typedef struct ni_walker {
    uint32_t nodes;
    const uint64_t *offset; /* nodes + 1: where the links of a node begin    */
    const uint32_t *node;   /* the target of each link, ascending            */
    const float *weight;    /* NULL: all alike                               */
    ni_alias *alias;        /* one table per node, or NULL                   */
    bool symmetric;         /* every link has its reverse                    */
    bool second;            /* p and q count                                 */
    double back, out;       /* 1/p and 1/q                                   */
    double most, least;     /* of these and 1; `back` may be set apart:      */
    double excess;          /* how much it is above `most`                   */
} ni_walker;

/* Walks over links in either direction, or with `along` over edges in theirs (an undirected graph has
 * none). All of links and graph must outlive the walker. */
neap_status ni_walker_create(const neap_graph *graph, const ni_links *links, bool along, double p, double q,
                             ni_walker *w, neap_error *err);
void ni_walker_free(ni_walker *w);

/* A walk of at most `length` nodes, the first being `start`; it ends early at a node without links.
 * Returns its length. */
uint32_t ni_walk(const ni_walker *w, uint32_t start, uint32_t length, ni_rng *rng, uint32_t *walk);

enum { NI_ABREAST = 32 };

/* The same for several walks at once, each with its own draws: while one waits for memory, the others go
 * on. walk: count x length; lengths: count. */
void ni_walk_many(const ni_walker *w, const uint32_t *start, uint32_t count, uint32_t length, ni_rng *rng,
                  uint32_t *walk, uint32_t *lengths);

#endif
