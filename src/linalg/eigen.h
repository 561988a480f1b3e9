/* eigen.h - the eigenvectors of the largest eigenvalues of a symmetric matrix that is known only by what it
 * does to a vector: ARPACK (Lehoucq, Sorensen, Yang 1998). */
#ifndef NI_EIGEN_H
#define NI_EIGEN_H

#include <stdint.h>

#include "neap.h"

/* out = A in, both of length n. */
typedef void (*ni_operator)(void *user, const double *in, double *out);

/* vectors: k x n, one eigenvector a row, that of the largest eigenvalue first; 1 <= k < n. start: n, not 0,
 * is overwritten.
 *
 * ARPACK keeps its state in static variables of Fortran, so calls wait for each other. It is asked for
 * residuals below NI_EIGEN_TOLERANCE times the eigenvalue; NEAP_E_NUMERIC if they do not come. */
#define NI_EIGEN_TOLERANCE 1e-8
neap_status ni_eigen_largest(ni_operator apply, void *user, uint32_t n, uint32_t k, double *start,
                             double *vectors, neap_error *err);

#endif
