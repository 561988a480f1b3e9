/* discretise.h - from eigenvectors to clusters by rotation (Yu and Shi, Multiclass spectral clustering,
 * 2003).
 *
 * Eigenvectors are known up to a rotation only. The rows of X (n x k) are normalised; then the rotation R
 * (k x k, orthogonal) and the assignment Z (n x k, one 1 per row) that minimise |X R - Z| are optimised in
 * turns:
 *
 *     given R, point i belongs to the largest entry of row i of X R
 *     given Z, R = V U' where Z'X = U S V' (orthogonal Procrustes)
 *
 * trace S never decreases; it ends where that converges or after NI_DISCRETISE_ROUNDS, as in scikit-learn.
 * 2 n k^2 flops per round and an SVD of k x k by LAPACK; n (k + 1) doubles of memory; one thread. */
#ifndef NI_DISCRETISE_H
#define NI_DISCRETISE_H

#include <stdint.h>

#include "neap.h"

enum { NI_DISCRETISE_ROUNDS = 20 };

/* x: n x k, row i is point i; is overwritten. first: the point that the first axis starts from, below n.
 * cluster: n, filled with numbers below k, not all of which need occur. */
neap_status ni_discretise(double *x, uint32_t n, uint32_t k, uint32_t first, uint32_t *cluster,
                          neap_error *err);

#endif
