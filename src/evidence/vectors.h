/* vectors.h - a vector for each node, for classes, clusters and other tools.
 *
 * Nodes are alike whose walks reach the same nodes more often than chance. With landmarks l_1 .. l_m, all
 * nodes of a small graph or some drawn evenly,
 *
 *     F(u, j) = ln max(1, ppr(l_j, u) / chance),   chance = strength(u) / sum of all strengths
 *     F V = U S,   V: the d leading right singular vectors of F
 *
 * and the vector of u is row u of U S, its length set to NI_VECTOR_LENGTH. ppr: walks from l_j of up to
 * eight steps that end with probability 0.15 at each. A matrix like F is what skip-gram on walks factors
 * (Levy and Goldberg 2014, Qiu et al. 2018). The closeness of pairs that evidence measures (eigenpairs.h)
 * predicts links better, these vectors tell classes better.
 *
 * O(8 links m + nodes m^2 + 10 m^3) time, nodes (m + 48) floats. Same bits for any number of threads. */
#ifndef NI_VECTORS_H
#define NI_VECTORS_H

#include "evidence/view.h"

/* Larger graphs have none: there they would take longer than all the rest of training. */
enum { NI_VECTOR_NODES = 100000 };

/* Of the length depends how strongly a classifier with a fixed penalty is held back: of length 1, it is
 * too strongly. */
#define NI_VECTOR_LENGTH 3.0

/* vector: nodes x d, zeros for nodes without links; where the graph has fewer than d directions, the last
 * columns are 0. */
neap_status ni_evidence_vectors(const ni_view *view, uint32_t d, uint64_t seed, ni_threads *threads,
                                float *vector, neap_error *err);

/* A row of this length; of length 0 it stays. */
void ni_vector_scale(float *row, uint32_t d);

/* Bytes beside the result. */
uint64_t ni_evidence_vectors_bytes(uint32_t nodes);

#endif
