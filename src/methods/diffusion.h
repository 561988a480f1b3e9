/* diffusion.h - DMTE (Zhang, Li, Song, Duan, Huang, Wan and Carin 2018): text that spreads over links, the
 * loss of a batch, and its gradient.
 *
 * A node has words, and a structure vector N_u of h numbers. With M the vectors of words (w numbers each),
 * P the row-normalised symmetric adjacency of the training graph without loops, and hops = 1, 0.3, 0.1:
 *
 *   c = tanh(mean of the words' vectors)                       nodes x w
 *   t = [c, 0.3 P c, 0.1 P^2 c] W                              W: 3 w x h
 *   n~ = N + 0.3 P N + 0.1 P^2 N
 *   loss of (a, b, z) = -sum over four pairs (x_a, y) of rho [l(x_a . y_b) + l(-x_a . y_z)]
 *       (t, t) rho 0.7;  (n~, N) rho 1;  (n~, t) rho 0.1;  (t, N) rho 0.1;  l(x) = log(s(x) + 0.001)
 *
 * With `batch`, as in the released program, text spreads only among the nodes of a step: t and n~ of a node
 * in one of the three places of an item read its neighbours that stand in the same place of another, each
 * once, by P and by P squared number by number. Such a vector depends on the step; a node's is the mean
 * over those of an epoch.
 *
 * Otherwise P^2 is the true square over the whole graph. A step computes c only for nodes within two links
 * of its items, P c within one, and t for their nodes alone; the numbers are those of all nodes. The
 * transposed products gather, too, since links are symmetric: every sum has one owner, and the bits do not
 * depend on the threads. A step costs O(words of the texts it reaches x w + items x w h). Memory: 3 w + h
 * numbers per node, one w per word for the gradient. It owns all its arrays; links, texts and threads are
 * lent. */
#ifndef NI_DIFFUSION_H
#define NI_DIFFUSION_H

#include "base/threads.h"
#include "graph/links.h"
#include "linalg/kernels.h"
#include "model/texts.h"

enum { NI_DIFFUSION_HOPS = 3, NI_DIFFUSION_TERMS = 8 };

/* How much nodes 0, 1 and 2 links away count: 1, 0.3, 0.1. */
extern const float ni_diffusion_hops[NI_DIFFUSION_HOPS];

/* What is learned. */
typedef struct ni_diffusion_parameters {
    const float *M; /* words x width          */
    const float *W; /* hops x width, half     */
    const float *N; /* nodes x half           */
} ni_diffusion_parameters;

typedef struct ni_diffusion_shape {
    uint32_t nodes, words, width, half; /* n, V, w, h                                              */
    uint32_t most;                      /* nodes of the largest step, 3 per item                   */
    uint32_t padded;                    /* 0: means over the words there are; else over so many    */
    bool batch;                         /* text spreads among the nodes of a step alone            */
} ni_diffusion_shape;

typedef struct ni_diffusion {
    ni_diffusion_shape shape;
    ni_threads *threads;
    const ni_links *links;
    ni_diffusion_parameters p;

    ni_term *out;   /* links: (v, P_uv) of each link of u                                   */
    float *back;    /* links: P_vu                                                          */
    uint64_t *text; /* nodes + 1: where the distinct words of a node begin                  */
    ni_term *word;  /* (word, share of the mean)                                            */
    uint64_t *use;  /* words + 1: where the texts of a word begin                           */
    ni_term *in;    /* (node, share)                                                        */
    ni_term *some;  /* threads x nodes: the texts of a word that the step reaches           */

    uint8_t *reach;     /* nodes: 3: of the items, 2: linked with one, 1: two links away, 0: not reached */
    uint32_t places;    /* whose rows differ: 3 with `batch`, else 1                              */
    uint32_t *local;    /* nodes x places: the row of a node of the items, or NEAP_NONE           */
    uint32_t rows;      /* of the step                                                            */
    uint32_t *row_node; /* most: the node of a row                                             */
    uint8_t *row_place; /* most: its place in items                                            */
    uint32_t *times;    /* nodes: with `batch`, vectors that were added up                     */
    uint32_t *list, count[3]; /* nodes: those of the items, then those with reach 2, then 1; their ends */
    float *c, *x, *G;         /* nodes x width: c; P c, then its gradient; the gradient of the means    */
    float *y;                 /* nodes x half: P N, then its gradient                                   */
    float *X, *dX;            /* most x 3 width: [c, 0.3 P c, 0.1 P^2 c]                                */
    float *T, *dT, *S, *dS;   /* most x half: t, n~                                                     */
    float *dB;                /* most x half: gradient of N but for that through n~                     */
    float *slope;             /* items x 8: derivatives of the loss by products of vectors              */
    double *losses;           /* items                                                                  */
    uint32_t *seat, *seats;   /* most + 1; most: places of each row among the nodes of the items        */
    const uint32_t *items;    /* of the step                                                            */
    float *vectors;           /* where those of all nodes go                                            */
    float *dM, *dW, *dN;      /* the gradient                                                           */
} ni_diffusion;

/* p points to tables that steps may change. */
neap_status ni_diffusion_create(const ni_diffusion_shape *shape, const ni_links *links,
                                const ni_texts *texts, const ni_diffusion_parameters *p,
                                ni_threads *threads, ni_diffusion *d, neap_error *err);
void ni_diffusion_free(ni_diffusion *d);

/* Bytes it will hold. */
uint64_t ni_diffusion_bytes(const ni_diffusion_shape *shape, const ni_links *links, const ni_texts *texts,
                            uint32_t threads);

/* The sum of the losses of items (a, b, z), and its gradient in dM, dW, dN; after a stop anything. */
double ni_diffusion_pass(ni_diffusion *d, const uint32_t *items, uint32_t count);

/* [t ; N] of all nodes: nodes x 2 half. With `batch` t = c W_0, as if each were alone in a step. */
void ni_diffusion_vectors(ni_diffusion *d, float *vectors);

/* With `batch`: the means of t over all items of some steps, in place of the first half of the vectors of
 * those nodes that are sources or targets there. The gradient's memory has the sums. */
void ni_diffusion_average_begin(ni_diffusion *d);
void ni_diffusion_average_add(ni_diffusion *d, const uint32_t *items, uint32_t count);
void ni_diffusion_average_end(const ni_diffusion *d, float *vectors);

/* ---- diffusion_batch.c: the parts of a pass that `batch` has in place of others ---- */

static inline uint32_t ni_diffusion_row(const ni_diffusion *d, uint64_t node, uint32_t place)
{
    return d->local[node * d->places + (d->places > 1 ? place : 0)];
}

/* X and S of a row; the gradient of a node's mean, but for tanh, and of its N. */
void ni_diffusion_batch_row(const ni_diffusion *d, uint64_t row);
void ni_diffusion_batch_mean_back(const ni_diffusion *d, uint64_t node, float *G);
void ni_diffusion_batch_node_back(const ni_diffusion *d, uint64_t node, float *dN);

#endif
