/* attentive.h - AttentiveWalk (Watch Your Step): the loss over all pairs of nodes, and its gradient.
 *
 * A node i has a left vector L_i and a right vector R_i, h numbers each, side by side in a row of E.
 * g_ij = L_i . R_j;  T: transition matrix;  Q = softmax(q);  A_ij = 1 where there is a step from i to j.
 *
 *   loss = -1/n sum_ij [ c_i sum_k Q_k (T^k)_ij log s(g_ij) + b (1 - A_ij) log s(-g_ij) ]
 *          + n b (0.1 mean(q^2) + 1e-6 (mean(L^2) + mean(R^2)))
 *
 * With `starts` even, c_i = walks and b = 1: as many walks from every node (Abu-El-Haija, Perozzi,
 * Al-Rfou and Alemi 2018). With degree, c_i = walks deg_i and b = 1/n: the loss of their program, which
 * is a mean over all pairs and has these constants; even is n times such a mean, so that gradients stay
 * well above Adam's epsilon. Of a weighted graph deg_i is the sum of the weights over their mean, so that
 * their unit does not matter.
 *
 * Never n x n: NI_ATTENTIVE_LANES sources at a time, a block, are compared with all n nodes. A wave of
 * blocks runs in parallel; then its gradient of the right vectors is added, one task per range of nodes,
 * its blocks in their order. So the result does not depend on the threads. Memory: 4 KiB per node for a
 * wave and 1 KiB per node and thread. */
#ifndef NI_ATTENTIVE_H
#define NI_ATTENTIVE_H

#include "base/threads.h"
#include "graph/links.h"
#include "linalg/kernels.h"
#include "walks/walking.h"

enum { NI_ATTENTIVE_LANES = 64, NI_ATTENTIVE_WAVE = 16 };

enum { NI_STARTS_EVEN, NI_STARTS_DEGREE };
enum { NI_LEFT_RIGHT, NI_CONCAT };

typedef struct ni_attentive_options {
    ni_walk_options walk;
    uint32_t starts;     /* NI_STARTS_... */
    uint32_t pair_score; /* NI_LEFT_RIGHT or NI_CONCAT */
} ni_attentive_options;

typedef struct ni_attentive {
    uint32_t nodes, half, powers;
    ni_threads *threads;
    const uint64_t *offset; /* nodes + 1: where the arcs out of a node begin             */
    const uint32_t *node;   /* the target of each, ascending                             */
    float *chance;          /* T_ij of each                                              */
    uint64_t *start;        /* nodes + 1: where the arcs into a node begin               */
    ni_term *into;          /* the source of each, and its T_ij                          */
    float *count;           /* nodes: c_i / n                                            */
    float other;            /* b / n                                                     */
    float *wave;            /* blocks of a wave: nodes x lanes each                      */
    float *scratch;         /* threads: four of nodes x lanes each                       */
    double *sums;           /* blocks of a wave: one for each power, one for the others  */
} ni_attentive;

/* Steps go over links in either direction, or with `along` over the edges of a directed graph in theirs,
 * loops included. The graph and the links must outlive it. */
neap_status ni_attentive_create(const neap_graph *graph, const ni_links *links,
                                const ni_attentive_options *options, ni_threads *threads, ni_attentive *a,
                                neap_error *err);
void ni_attentive_free(ni_attentive *a);

/* Bytes it will hold. */
uint64_t ni_attentive_bytes(uint64_t nodes, uint64_t arcs, uint64_t threads, uint64_t powers);

/* The loss at E (nodes x 2h) and q, and its gradients. */
double ni_attentive_pass(const ni_attentive *a, const float *E, const float *q, float *dE, float *dq);

/* Q = softmax(q). */
void ni_attentive_shares(const float *q, uint32_t powers, double *Q);

#endif
