/* skipgram.h - trains vectors from pairs that occur together: windows of walks
 * (deepwalk, node2vec, walklets), edges (line), ends of walks (verse).
 *
 * A step takes some positions of an epoch (sources.h). Tasks make the pairs of a slice of them each; the
 * pairs are sorted by block (the grid below), in the order of the tasks, and the blocks are trained. So a
 * step is the same for any number of threads, and no walk is ever kept beyond it. */
#ifndef NI_SKIPGRAM_H
#define NI_SKIPGRAM_H

#include "base/threads.h"
#include "linalg/kernels.h"
#include "neap.h"
#include "walks/sources.h"
#include "walks/walker.h"

/* ---- one update ----
 *
 * One update of a skip-gram model: some inputs against some outputs.
 *
 * With x_p the inputs and y_q the outputs they share (negatives, or the inner nodes of a tree), and each
 * input's own output y'_p (its positive):
 *     loss = - sum_p [ log s(x_p.y'_p - b) + sum_q log s(+-(x_p.y_q - c)) ],   s(z) = 1 / (1 + e^-z)
 * All gradients are taken at the old values, then x, y and y' make one step each. (A row that
 * comes more than once, as an input's own output does in the windows of a walk, makes its steps one after
 * the other.) Sharing outputs turns what is most of the work into small matrix products. */
enum { NI_GROUP_INPUTS = 16, NI_GROUP_OUTPUTS = 64, NI_GROUP_SCRATCH = 2 * NI_GROUP_OUTPUTS };

typedef struct ni_group {
    const ni_kernels *k;
    float *in, *out; /* tables of rows of `dim`; may be the same                     */
    size_t dim;
    float rate;
    float bias, shared_bias; /* b and c                                                  */
    uint32_t inputs, outputs;
    uint32_t input[NI_GROUP_INPUTS];    /* rows of in                                    */
    uint32_t positive[NI_GROUP_INPUTS]; /* rows of out; unused without positives         */
    uint32_t output[NI_GROUP_OUTPUTS];  /* rows of out that all inputs share             */
    uint8_t label[NI_GROUP_OUTPUTS];    /* 1: it belongs to the inputs; 0: it does not   */
    bool positives;
    float *scratch; /* NI_GROUP_SCRATCH x dim */
} ni_group;

/* Makes the step. Returns the loss before it, or 0 if `loss` is false. */
double ni_group_step(ni_group *g, bool loss);

/* ---- the tree ----
 *
 * Hierarchical softmax: a Huffman tree over the nodes, so that frequent ones have short paths. A node is
 * predicted by the turns of the path from the root to it; each inner node has a vector and predicts one
 * turn. */
typedef struct ni_tree {
    uint32_t leaves;
    uint32_t *parent; /* 2 leaves - 1: of leaves, then of inner nodes; the root has NEAP_NONE. Inner node i
                         is number leaves + i                                                     */
    uint8_t *turn;    /* 2 leaves - 1: whether it is the second child of its parent               */
    uint32_t depth;   /* of the deepest leaf                                                      */
} ni_tree;

/* NEAP_E_LIMIT if a path has more than `most` turns, which takes frequencies that grow without bound. */
neap_status ni_tree_create(const uint64_t *count, uint32_t leaves, uint32_t most, ni_tree *t,
                           neap_error *err);
void ni_tree_free(ni_tree *t);

/* The inner nodes on the path from a leaf to the root, and the turn taken at each; returns how many. */
static inline uint32_t ni_tree_path(const ni_tree *t, uint32_t leaf, uint32_t *inner, uint8_t *turn)
{
    uint32_t n = 0;
    for (uint32_t at = leaf; t->parent[at] != NEAP_NONE; at = t->parent[at], n++) {
        inner[n] = t->parent[at] - t->leaves;
        turn[n] = t->turn[at];
    }
    return n;
}

/* The grid: how threads share the tables of a skip-gram model without races.
 *
 * The nodes are dealt at random into a fixed number of ranges. A pair belongs to the block (range of its
 * input, range of its output), and what is trained with it, negatives included, lies in these two ranges.
 * So blocks whose ranges differ can run at once, and each runs in the order of its pairs: the result does
 * not depend on the number of threads. Ranges are paired as in a tournament, everyone with everyone.
 *
 * A model may have several layers, each with its own pairs (the scales of walklets): row u x layers + k is
 * node u in layer k. Inputs that are something else than outputs (texts and words) are dealt into the same
 * ranges for themselves. */
enum { NI_RANGES_MOST = 16 };

typedef struct ni_grid {
    uint32_t nodes, layers;
    uint32_t ranges;                    /* 1, or even                                     */
    uint8_t *range;                     /* nodes: which it is in                          */
    uint32_t start[NI_RANGES_MOST + 1]; /* where the members of a range begin             */
    uint8_t *input;                     /* the same, unless inputs have ranges of their own */
    uint32_t *member;                   /* nodes, range by range                          */
    ni_alias *alias;                    /* nodes: of each range, by the weight of members */
    float shift[NI_RANGES_MOST]; /* log of the share of nodes on the side of a range; 0 without sides */
} ni_grid;

/* weight: how often a node should be a negative, before the power 3/4. ranges = 0: as many as suit the
 * number of nodes; 1 is for what cannot be shared. side: nodes, 0 or 1: a range then has nodes of one side,
 * so that a negative is on the side of the outputs it stands against; NULL: they are not told apart. */
neap_status ni_grid_create(uint32_t nodes, uint32_t layers, uint32_t ranges, const uint8_t *side,
                           const uint64_t *weight, double power, uint64_t seed, ni_grid *g,
                           neap_error *err);

/* Deals `inputs` other rows into the ranges of the outputs; the grid has one layer. */
neap_status ni_grid_deal_inputs(ni_grid *g, uint32_t inputs, uint64_t seed, neap_error *err);
void ni_grid_free(ni_grid *g);

static inline uint32_t ni_grid_blocks(const ni_grid *g)
{
    return g->layers * g->ranges * g->ranges;
}

/* The block of a pair of rows of the same layer. */
static inline uint32_t ni_grid_block(const ni_grid *g, uint32_t in, uint32_t out)
{
    uint32_t layer = g->layers == 1 ? 0 : in % g->layers;
    uint32_t i = g->input[g->layers == 1 ? in : in / g->layers];
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

/* Calls run(arg, block, thread) for every block; blocks that share no range run in parallel. */
void ni_grid_run(const ni_grid *g, ni_threads *threads,
                 void (*run)(void *arg, uint32_t block, uint32_t thread), void *arg);

typedef struct ni_skipgram {
    ni_source source;
    const ni_grid *grid;
    const ni_tree *tree; /* hierarchical softmax, in a grid of one range; NULL: negatives */
    ni_threads *threads;
    float *in, *out; /* rows x dim                                                          */
    uint32_t tied;   /* in the first so many layers the outputs are the inputs: `out` is unused */
    uint32_t dim;
    uint32_t negatives;      /* that a group of pairs shares */
    float bias, shared_bias; /* see ni_group                  */
    bool noise;              /* the biases are logs of how often noise brings a row, which a side changes */
    uint64_t seed;

    struct ni_workshop *workshop;
} ni_skipgram;

/* Allocates for steps of at most `positions` positions; the fields above are set. */
neap_status ni_skipgram_create(ni_skipgram *s, uint64_t positions, neap_error *err);
void ni_skipgram_free(ni_skipgram *s);
uint64_t ni_skipgram_bytes(const ni_skipgram *s, uint64_t positions);

/* A step has two parts. First the pairs of the positions from `first` on: as many as ni_skipgram_create
 * allocated for, or as are left in the epoch; no vector is changed. */
void ni_skipgram_make(ni_skipgram *s, uint64_t epoch, uint64_t first);

/* Then the training on these pairs. step: seeds the negatives. Returns the mean loss per pair, measured on
 * some. */
double ni_skipgram_train(ni_skipgram *s, uint64_t step, double rate);

#endif
