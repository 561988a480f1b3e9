/* cluster.h - clusters of vectors: k-means, and spectral clustering, which ends by rotation or by k-means.
 */
#ifndef NI_CLUSTER_H
#define NI_CLUSTER_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

/* ---- k-means ----
 *
 * Clusters of vectors that minimise the sum of squared distances to their means.
 *
 * Greedy k-means++ (Arthur and Vassilvitskii 2007) initialises: the next centre is the best of 2 + ln k
 * points drawn with probability proportional to their squared distance from the centres so far. Lloyd's
 * iterations follow until no point changes its cluster, the centres have nearly stopped, or
 * NI_KMEANS_ROUNDS. Of NI_KMEANS_STARTS runs, that with the smallest sum is kept, as scikit-learn does.
 *
 * Cost: 2 n k d flops per iteration, as matrix products over tiles of 256 points (points.h), and about
 * (2 + ln k) times that of one iteration to initialise. Tasks are tiles, and clusters for the means. */
enum { NI_KMEANS_STARTS = 10, NI_KMEANS_ROUNDS = 300 };

/* x: n x d. cluster: n, filled with numbers below k; the caller's. A cluster that loses all its points
 * takes the point that is farthest from its own centre, so every number below k occurs, unless there are
 * fewer than k different vectors. Memory: a copy of the vectors and about 16 bytes per vector. NEAP_E_ARG
 * unless 1 <= k <= n and d >= 1; NEAP_E_NUMERIC if a vector is not finite. The same vectors, k and seed
 * give the same clusters for any number of threads. */
neap_status ni_kmeans(const float *x, uint32_t n, uint32_t d, uint32_t k, uint64_t seed,
                      ni_threads *threads, uint32_t *cluster, neap_error *err);

/* ---- discretisation ----
 *
 * From eigenvectors to clusters by rotation (Yu and Shi, Multiclass spectral clustering,
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
enum { NI_DISCRETISE_ROUNDS = 20 };

/* x: n x k, row i is point i; is overwritten. first: the point that the first axis starts from, below n.
 * cluster: n, filled with numbers below k, not all of which need occur. */
neap_status ni_discretise(double *x, uint32_t n, uint32_t k, uint32_t first, uint32_t *cluster,
                          neap_error *err);

/* ---- spectral clustering ----
 *
 * Spectral clustering of vectors, as scikit-learn's SpectralClustering does it.
 *
 *   W_ij = exp(-gamma |x_i - x_j|^2), W_ii = 0      affinity
 *   A    = D^-1/2 W D^-1/2, D = row sums of W       I - A is the symmetric normalised Laplacian
 *   the k largest eigenvectors of A (the k smallest of the Laplacian), each divided by sqrt(D)
 *   clusters from the n rows of these k columns, by rotation (above) or by k-means
 *
 * Cost: n^2 d flops and 2 n^2 exponentials for A, n^2 doubles; then 20 to 60 products of A with 8 vectors
 * (2 n^2 flops each) where the kernel is wide, or a Cholesky factor (n^3 / 3) and about as many solutions
 * where it is narrow. Threads share the rows of A; the last step, by rotation, is single-threaded.
 *
 * Why gamma is chosen from the data: with a fixed one, vectors of twice the length are another problem.
 * Where all distances are far below 1 / sqrt(gamma) all affinities are near 1, where they are far above
 * all are near 0, and two methods would be compared by the length of their vectors. NI_SPECTRAL_WIDTH /
 * median squared distance of a sample of pairs makes the result independent of scale. A wide kernel is
 * meant: the typical pair has an affinity of 0.9, since narrow ones cut off outliers one by one instead
 * of finding clusters. The factor was chosen on graphs with known classes. NMI for factors 0.01, 0.03,
 * 0.1, 0.25, 1:
 *     GAP vectors of e-mail       0.69  0.68  0.69  0.67  0.65
 *     spectral vectors of e-mail  0.69  0.70  0.68  0.68  0.65
 *     spectral vectors of Cora    0.38  0.34  0.32  0.18  0.02
 * A kernel that wide is nearly linear: more clusters than the vectors have entries need a larger gamma.
 * gamma = 1 is scikit-learn's default, and what the paper's authors used. */
#define NI_SPECTRAL_WIDTH 0.1
enum { NI_SPECTRAL_MOST = 20000 }; /* vectors: n x n doubles are 3.2 GB then */

typedef enum ni_assign { NI_ASSIGN_DISCRETISE, NI_ASSIGN_KMEANS } ni_assign;

typedef struct ni_spectral_options {
    uint32_t k;       /* clusters                           */
    double gamma;     /* positive; 0: chosen from the data  */
    ni_assign assign; /* from eigenvectors to clusters      */
    uint64_t seed;
    double used; /* result: the gamma that was used; not set if k = n */
} ni_spectral_options;

/* x: n x d. cluster: n, filled with numbers below k, not all of which need occur.
 * NEAP_E_ARG unless 1 <= k <= n, d >= 1 and gamma is 0 or positive; NEAP_E_LIMIT beyond NI_SPECTRAL_MOST;
 * NEAP_E_NUMERIC if a vector is not finite or the eigenvectors do not converge. Memory: n^2 doubles, freed
 * on return. The same input gives the same clusters for any number of threads. */
neap_status ni_spectral(const float *x, uint32_t n, uint32_t d, ni_spectral_options *o, ni_threads *threads,
                        uint32_t *cluster, neap_error *err);

/* The first part alone, for k < n. row: n x k, filled with the eigenvectors as columns, those of the
 * smallest eigenvalues of the Laplacian first, divided by sqrt(D), up to a common factor and the sign of a
 * column. */
neap_status ni_spectral_embed(const float *x, uint32_t n, uint32_t d, ni_spectral_options *o,
                              ni_threads *threads, double *row, neap_error *err);

#endif
