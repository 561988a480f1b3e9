/* eigen.h - the largest eigenpairs of a symmetric matrix that is given by its products with blocks of
 * vectors.
 *
 * Thick-restart block Lanczos (Wu and Simon 2000; blocks as in Golub and Underwood 1977) with full
 * reorthogonalisation. An orthonormal basis V (n x m) grows by a block X (n x b) in each pass:
 *
 *     Y = A X                                 the operator, b vectors at once
 *     V = (V, X), H = V'A V                   Rayleigh-Ritz: eigenpairs (t, y) of the small matrix H
 *     Y - V V'Y = X_next R                    the next block; the residual of V y is |R y_last|
 *
 * A full basis is cut down to its best Ritz vectors, and X goes on. Full reorthogonalisation keeps spurious
 * copies of eigenvectors away.
 *
 * Equal eigenvalues: a Krylov space of blocks of b vectors has at most b copies of an eigenvector. With
 * b < k, or with a start block of the caller's, a converged answer is therefore checked: the k vectors
 * stay, a random block orthogonal to them continues until the next eigenvector is known to half of the
 * digits, and if one of the k had to give way, the new k are checked in turn. Copies are then missed with
 * negligible probability.
 *
 * Why this method: vectors multiplied until all residuals were below 1e-8, k = 100, on the normalised
 * adjacency of Cora (74 components: eigenvalue 1 has 74 copies), and of a preferential-attachment graph
 * of 5,000 nodes:
 *     ARPACK                        796, wrong      1,238      (misses copies silently)
 *     this, blocks of 8             4,236           2,444
 *     this, blocks of 16            4,196           3,204
 *     Chebyshev-filtered subspaces  10,650          21,150
 *     LOBPCG                        5,009           7,798
 * ARPACK reads A once for each vector, this once for each block.
 *
 * Where the basis would have to hold half of all n vectors, A is multiplied with the identity instead, and
 * the dense matrix solved at once.
 *
 * Precision: blocks and basis are double, since clusters may lie as close as rounding allows. A basis of
 * floats would change the products in eigen.c and the limits at its head, while H stays double.
 *
 * Cost: a pass takes one product with A and about 8 n m b flops; Rayleigh-Ritz about 10 m^3, whenever the
 * basis has grown by an eighth. Memory: n (m + 2 b) doubles, freed on return.
 *
 * Threads: sums over rows are those of fixed chunks in a fixed order, so the bits do not depend on the
 * number of threads. The operator is called on the calling thread and may use the same ni_threads. OpenBLAS
 * is the operator's to use (blas.h). Calls do
 * not share anything. */
#ifndef NI_EIGEN_H
#define NI_EIGEN_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

/* Y = A X, both n x columns, row by row; columns <= block. A must be symmetric and the same in each call.
 */
typedef void (*ni_operator)(void *user, const double *X, uint32_t columns, double *Y);

typedef struct ni_eigen {
    ni_operator apply;
    void *user;
    uint32_t n, k;    /* rows; eigenpairs wanted, 1 to n                         */
    uint32_t block;   /* vectors in a product; 0: 8, a cache line of doubles      */
    uint32_t basis;   /* most vectors in memory, at least k + 4 blocks + 16; 0: 3 k + 2 blocks + 64, or n */
    double tolerance; /* of residuals, relative to the eigenvalue; 0: 1e-8       */
    uint32_t passes;  /* at most so many products; 0: 1000                       */
    const double *start; /* n x starts: where to begin, or NULL; starts <= block    */
    uint32_t starts;
    uint64_t seed; /* the rest of the first block is random (NI_STREAM_SPECTRAL, epochs from 16 on) */
} ni_eigen;

/* value: k, the largest (algebraic) eigenvalues, descending. vector: n x k, its columns are the orthonormal
 * eigenvectors. Both are the caller's.
 *
 * Every residual |A v - t v| is below tolerance |t|, or below 1e-12 of the largest |t|, and is looked at
 * once more in the end with products of its own. NEAP_E_ARG unless 1 <= k <= n; NEAP_E_NUMERIC if that is
 * not reached in `passes`, if a product is not finite, or if A turns out not to be symmetric. */
neap_status ni_eigen_largest(const ni_eigen *problem, ni_threads *threads, double *value, double *vector,
                             neap_error *err);

/* The same for a small dense matrix: all eigenvalues, and the eigenvectors of the first `count`.
 *
 * Householder's reduction to a tridiagonal matrix and the implicit QL method (Bowdler, Martin, Reinsch and
 * Wilkinson 1968), about 10 n^3 flops, one thread: 1 ms for n = 100, 70 ms for 400, 0.25 s for 600, which
 * is what LAPACK's dsyev takes. a: n x n, of which the lower triangle is read; is overwritten. value: n,
 * descending. vector: n x n, of which the first `count` rows become eigenvectors of length 1. work: 3 n.
 * NEAP_E_NUMERIC if a is not finite. */
neap_status ni_symmetric_eigen(double *a, uint32_t n, uint32_t count, double *value, double *vector,
                               double *work, neap_error *err);

#endif
