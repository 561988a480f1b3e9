/* eigenpairs.h - the leading eigenpairs of a graph's normalised adjacency W = D^-1/2 A D^-1/2: those whose
 * eigenvalues are largest in absolute value, since a bipartite graph tells as much by the negative ones.
 *
 * Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago and Chelikowsky 2006): random vectors X, d and
 * some more, are multiplied by T_6(W / c), a polynomial that stays below 1 for eigenvalues in [-c, c],
 * where the bulk of a random graph's lies, and grows fast outside; made orthonormal; once more; then
 * Rayleigh-Ritz:
 *
 *     c = min(0.6, 2 / sqrt(mean degree))
 *     twice:  X = T_6(W / c) X;  X = orthonormal basis of X         12 products
 *     X'W X = Z diag(value) Z',  X = X Z                             one more
 *
 * Eigenvectors are as good as 13 products make them: closeness in them is a feature to be weighed, no more
 * digits are worth their time. They start from random numbers and nothing else: vectors that once saw a
 * link do not forget it (a warm start leaked 12.7 points of AUC).
 *
 * Columns are filtered a panel of NI_SPREAD_LANES at a time: O(13 (d + 16) links + 10 nodes (d + 16)^2)
 * time, (d + 16 + 32) floats per node, of which X becomes the result. Inner products are doubles. Same
 * bits for any number of threads. */
#ifndef NI_EIGENPAIRS_H
#define NI_EIGENPAIRS_H

#include "evidence/view.h"

/* How many pairs a graph of so many nodes has when d are wanted: of a small one not all are leading. */
uint32_t ni_eigenpairs_of(uint32_t nodes, uint32_t d);

/* value: d, those of the largest absolute values first; *vector: nodes x d, made here, NULL on failure.
 * Pairs that the graph has not are 0, and so are rows of nodes without links. */
neap_status ni_eigenpairs(const ni_view *view, uint32_t d, uint64_t seed, ni_threads *threads, float *value,
                          float **vector, neap_error *err);

/* Bytes beside the result. */
uint64_t ni_eigenpairs_bytes(uint32_t nodes, uint32_t d);

#endif
