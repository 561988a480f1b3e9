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
 * P^2 is the true square over the whole graph. A step computes c only for nodes within two links of its
 * items, P c within one, and t for their nodes alone; the numbers are those of all nodes. The transposed
 * products gather, too, since links are symmetric: every sum has one owner, and the bits do not depend on
 * the threads. A step costs O(words of the texts it reaches x w + items x w h). Memory: 3 w + h numbers per
 * node, one w per word for the gradient. It owns all its arrays; links, texts and threads are lent. */
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

    uint8_t *reach;  /* nodes: 3: of the items, 2: linked with one, 1: two links away, 0: not reached */
    uint32_t *local; /* nodes: the row of a node of the items                                  */
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
    uint32_t first;           /* of the rows that are made                                              */
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

/* [t ; N] of all nodes: nodes x 2 half. */
void ni_diffusion_vectors(ni_diffusion *d, float *vectors);

#endif
