/* discretise.h - from eigenvectors to clusters by rotation (Yu and Shi, Multiclass spectral clustering,
 * 2003).
 *
 * Eigenvectors are known only up to a rotation. The points are put on the unit sphere, and the rotation and
 * the assignment of points to axes that fit each other best are searched in turns: given the rotation R,
 * point i belongs to the largest entry of row i of X R; given the assignment Z, R = V U' where Z'X = U S
 * V'. The sum of S can only grow; it ends where it stands still or after NI_DISCRETISE_ROUNDS, as in
 * scikit-learn. */
#ifndef NI_DISCRETISE_H
#define NI_DISCRETISE_H

#include <stdint.h>

#include "neap.h"

enum { NI_DISCRETISE_ROUNDS = 20 };

/* x: n x k, row i is point i; is overwritten. first: the point that the first axis starts from, below n.
 * cluster: n, filled with numbers below k, not all of which need occur. One thread. */
neap_status ni_discretise(double *x, uint32_t n, uint32_t k, uint32_t first, uint32_t *cluster,
                          neap_error *err);

#endif
