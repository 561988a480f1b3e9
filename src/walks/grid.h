/* grid.h - how threads share the tables of a skip-gram model without ever meeting.
 *
 * The nodes are dealt at random into a fixed number of ranges. A pair belongs to the block (range of its
 * input, range of its output), and what is trained with it, negatives included, lies in these two ranges.
 * So blocks whose ranges differ can run at once, and each runs in the order of its pairs: the result does
 * not depend on the number of threads. Ranges are paired as in a tournament, everyone with everyone.
 *
 * A model may have several layers, each with its own pairs (the scales of walklets): row u x layers + k is
 * node u in layer k. */
#ifndef NI_GRID_H
#define NI_GRID_H

#include "base/threads.h"
#include "walks/alias.h"

enum { NI_RANGES_MOST = 16 };

typedef struct ni_grid {
    uint32_t nodes, layers;
    uint32_t ranges;                    /* 1, or even                                     */
    uint8_t *range;                     /* nodes: which it is in                          */
    uint32_t start[NI_RANGES_MOST + 1]; /* where the members of a range begin             */
    uint32_t *member;                   /* nodes, range by range                          */
    ni_alias *alias;                    /* nodes: of each range, by the weight of members */
} ni_grid;

/* weight: how often a node should be a negative, before the power 3/4. ranges = 0: as many as suit the
 * number of nodes; 1 is for what cannot be shared. */
neap_status ni_grid_create(uint32_t nodes, uint32_t layers, uint32_t ranges, const uint64_t *weight,
                           double power, uint64_t seed, ni_grid *g, neap_error *err);
void ni_grid_free(ni_grid *g);

static inline uint32_t ni_grid_blocks(const ni_grid *g)
{
    return g->layers * g->ranges * g->ranges;
}

/* The block of a pair of rows of the same layer. */
static inline uint32_t ni_grid_block(const ni_grid *g, uint32_t in, uint32_t out)
{
    uint32_t layer = g->layers == 1 ? 0 : in % g->layers;
    uint32_t i = g->range[g->layers == 1 ? in : in / g->layers];
    uint32_t j = g->range[g->layers == 1 ? out : out / g->layers];
    return (layer * g->ranges + i) * g->ranges + j;
}

/* A negative for the pairs of a block: a row of its layer and of the range of its outputs. */
static inline uint32_t ni_grid_negative(const ni_grid *g, uint32_t block, ni_rng *rng)
{
    uint32_t range = block % g->ranges, layer = block / g->ranges / g->ranges, first = g->start[range];
    uint32_t drawn = ni_alias_draw(g->alias + first, g->start[range + 1] - first, rng);
    return g->member[first + drawn] * g->layers + layer;
}

/* Calls run(arg, block, thread) for every block, those that do not touch at once. */
void ni_grid_run(const ni_grid *g, ni_threads *threads,
                 void (*run)(void *arg, uint32_t block, uint32_t thread), void *arg);

#endif
