/* cane_pairs.h - CANE: the texts of two nodes attend to each other; all pairs of a batch at once.
 *
 * Tu, Liu, Liu and Sun, CANE: Context-Aware Network Embedding for Relation Modeling, 2017. A text of n
 * words is padded to L words. H (L-1 x h): h_i = tanh(x_i C_0 + x_{i+1} C_1), x the vectors of words. For a
 * pair (a, b), all without a mask:
 *
 *     F = tanh(H_a R H_b')     t_a = H_a' softmax(row means of F)     t_b = H_b' softmax(column means of F)
 *
 * All windows that lie wholly in the padding have the same h: one of them is kept, with the number of them
 * as its weight in means and softmaxes. So a text of n words has min(L - 1, n + 1) windows, whatever L is,
 * and every number is that of the padded form. Or no such window is read: min(L - 1, n), of which the last
 * has a word of padding; of an empty text one, which is padding.
 *
 * Texts are encoded once for all pairs that they are in. Memory, which grows to that of the largest batch,
 * is the batch's own: 4 bytes for each pair of windows that meet, 8 h (backward 16 h) bytes for each window
 * of a distinct node. Tasks are pairs, nodes, and words, which add what was left to them in a fixed order:
 * every sum has one owner. */
#ifndef NI_CANE_PAIRS_H
#define NI_CANE_PAIRS_H

#include "base/threads.h"
#include "model/optimizer.h"
#include "model/texts.h"

/* What pairs are read with. */
typedef struct ni_cane_weights {
    uint32_t h;            /* length of a vector of words or nodes                              */
    uint32_t length;       /* L, at least 2                                                     */
    bool padded;           /* padding is read, too                                              */
    uint32_t nodes;        /* whose texts there are                                             */
    const ni_texts *texts; /* V words                                                           */
    const float *E;        /* rows x h: vectors of nodes, read by the loss                      */
    const float *words;    /* (V+1) x h, the last for padding                                   */
    const float *C;        /* 2 x h x h: the convolution                                        */
    const float *R;        /* h x h                                                             */
} ni_cane_weights;

/* Weights of the terms of the loss: text with text, node with node, text with node. */
typedef struct ni_cane_rho {
    double text, node, cross;
} ni_cane_rho;

typedef struct ni_cane_batch ni_cane_batch;

neap_status ni_cane_batch_create(const ni_cane_weights *weights, ni_threads *threads, ni_cane_batch **out,
                                 neap_error *err);
void ni_cane_batch_free(ni_cane_batch *batch);

/* How many of the pairs may be read at once so that at most `cells` pairs of windows meet; at least one. */
size_t ni_cane_fitting(const ni_cane_batch *batch, const neap_pair *pairs, size_t count, uint64_t cells);

/* Forward: the vectors t of both texts of each pair. ni_cane_text: of pair i, side 0 or 1; h numbers, lent
 * until the next call. */
neap_status ni_cane_read(ni_cane_batch *batch, const neap_pair *pairs, size_t count, neap_error *err);
const float *ni_cane_text(const ni_cane_batch *batch, size_t pair, uint32_t side);

/* The attention of the windows of that side: weights that sum to 1, of `*windows` windows; if padding is
 * read, the last is that of all windows in the padding together. */
const float *ni_cane_attention(const ni_cane_batch *batch, size_t pair, uint32_t side, uint32_t *windows);

/* The encoded windows of that side, *windows x h; the alignments tanh(H_a R H_b') of a pair, windows of its
 * first text x windows of its second; the weights it was created with. */
const float *ni_cane_windows(const ni_cane_batch *batch, size_t pair, uint32_t side, uint32_t *windows);
const float *ni_cane_alignment(const ni_cane_batch *batch, size_t pair);
const ni_cane_weights *ni_cane_weights_of(const ni_cane_batch *batch);

/* Gradients of a step, lent until the next call. */
typedef struct ni_cane_gradients {
    ni_gradient E, words, C, R;
    double loss; /* sum over the items */
} ni_cane_gradients;

/* The loss of items (a, b, z), a link and a non-link of a, and its gradients. l(x) = log(s(x) + 0.001):
 *
 *     - rho.text  (l(t_a t_b) + l(-t_a t_z))  - rho.node  (l(n_a n_b) + l(-n_a n_z))
 *     - rho.cross (l(t_b n_a) + l(-t_z n_a))  - rho.cross (l(n_b t_a) + l(-n_b t_z))
 *
 * n_u: E_u, made as long as 1 if it is longer. t_a is that of the pair (a, b). Nodes are rows of E. After a
 * stop the gradients are anything. */
neap_status ni_cane_step(ni_cane_batch *batch, const ni_cane_rho *rho, const uint32_t *items,
                         uint32_t count, ni_cane_gradients *gradients, neap_error *err);

/* Bytes that a step on these items needs, and that reading pairs does; the weights need no arrays. */
neap_status ni_cane_measure(ni_cane_batch *batch, const uint32_t *items, uint32_t count, uint64_t *bytes,
                            neap_error *err);
neap_status ni_cane_measure_read(ni_cane_batch *batch, const neap_pair *pairs, size_t count,
                                 uint64_t *bytes, neap_error *err);

/* out (h) = x, made as long as 1 if it is longer. */
void ni_cane_clip(const float *x, uint32_t h, float *out);

#endif
