/* mlp.h - a network with one hidden layer over the neighbours of nodes, with its gradients: what gapmlp has
 * in place of gap's attention (Kefato and Girdzijauskas 2020, section 4.4; its shape is ours).
 *
 * Node u has neighbours N_1 .. N_n, n <= S, in the order of the neighbourhood; x_i is row N_i of E after
 * dropout.
 *     flat    h = relu(b1 + sum_i x_i W1_i): one block of W1, d x h, for each position; what is missing up
 * to S is a zero vector mean    h = 1/n sum_i relu(b1 + x_i W1): one block for all, so that no order
 * matters; n = 0: h = 0 r = h W2 + b2
 *
 * Nodes are put in the order of n, most first: then those that have an i-th neighbour are the first, and
 * position i of all of them is one matrix product. `mean` encodes each distinct neighbour once and sums by
 * sparse products. 2 n d h flops a node forward, 4 n d h backward. Every number has one owner and a fixed
 * order of its sum. It owns its arrays, which only grow; one thread calls it, which works on all. */
#ifndef NI_MLP_H
#define NI_MLP_H

#include "attention/options.h"
#include "base/carve.h"
#include "graph/graph.h"
#include "linalg/sparse.h"
#include "model/optimizer.h"

enum { NI_MLP_FLAT, NI_MLP_MEAN };

typedef struct ni_mlp {
    const float *E;       /* ids x d                              */
    const float *W1, *b1; /* (flat: S) d x hidden; hidden         */
    const float *W2, *b2; /* hidden x out; out                    */
    const ni_hood *hood;
    uint32_t ids, d, hidden, out, form;  /* form: NI_MLP_... */
    const ni_attention_options *options; /* dropout */
    uint64_t seed;
    ni_threads *threads;

    /* After a forward: r of the i-th node is row at[i] of V. */
    uint32_t *at; /* count       */
    float *V;     /* count x out */

    /* After a backward, until the next call. */
    ni_gradient dE, dW1;
    float *db1, *dW2, *db2;

    ni_block block; /* all arrays above and below lie in it */
    uint32_t count;
    uint64_t reads;    /* neighbours of all nodes                                                    */
    uint32_t distinct; /* of them                                                                    */
    uint32_t deepest;  /* neighbours of the first node                                               */
    bool dropped;
    uint64_t step;
    uint64_t *order;   /* count: index of the node; most neighbours first                            */
    uint32_t *node;    /* count: in that order                                                       */
    uint64_t *first;   /* deepest + 1: where the reads of a position begin; flat                     */
    uint64_t *begin;   /* count + 1: where the reads of a node begin; mean                           */
    uint32_t *owner;   /* reads: row of X                                                            */
    uint32_t *from;    /* reads: node, in that order; mean                                           */
    float *share;      /* reads: 1 / n; mean                                                         */
    ni_term *term;     /* reads: (owner, share); mean                                                */
    uint32_t *id;      /* distinct: the row of E                                                     */
    uint64_t *mask;    /* distinct x words                                                           */
    float *X, *dX;     /* distinct x d: after dropout; dX becomes dE                                 */
    float *G, *dG;     /* reads x d, by position; flat                                               */
    float *A, *dA;     /* distinct x hidden: relu of each neighbour; mean                            */
    float *H, *dH;     /* count x hidden                                                             */
    float *dW1_values; /* rows x hidden                                                              */
    uint32_t *W1_row;  /* rows: those of W1 that took part                                           */
    ni_sparse by_owner;
    uint32_t *row_of; /* ids: NEAP_NONE between calls */
} ni_mlp;

/* The fields up to `threads` are set. */
neap_status ni_mlp_create(ni_mlp *n, neap_error *err);
void ni_mlp_free(ni_mlp *n);

/* r of `count` nodes; step: masks of dropout are drawn by it; NI_MLP_WHOLE: no dropout, and no backward
 * may follow. */
#define NI_MLP_WHOLE UINT64_MAX
neap_status ni_mlp_forward(ni_mlp *n, const uint32_t *nodes, uint32_t count, uint64_t step,
                           neap_error *err);

/* From dL/dV. */
void ni_mlp_backward(ni_mlp *n, const float *dV);

/* Bytes of arrays for both directions with these nodes, and of what does not depend on them. */
uint64_t ni_mlp_bytes(ni_mlp *n, const uint32_t *nodes, uint32_t count);
uint64_t ni_mlp_fixed_bytes(const ni_mlp *n);

#endif
