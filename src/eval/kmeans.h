/* kmeans.h - k-means: clusters of vectors around their means.
 *
 * Starts are drawn by greedy k-means++ (Arthur and Vassilvitskii 2007): the next centre is the best of a
 * few points drawn with probability proportional to their squared distance from the centres so far. Lloyd's
 * rounds follow until no point changes its cluster, the centres nearly stand still, or NI_KMEANS_ROUNDS.
 * Of NI_KMEANS_STARTS such runs, that with the smallest sum of squared distances is kept.              */
#ifndef NI_KMEANS_H
#define NI_KMEANS_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

enum { NI_KMEANS_STARTS = 10, NI_KMEANS_ROUNDS = 300 };

/* x: n x d. cluster: n, filled with numbers below k; the caller's. A cluster that loses all its points
 * takes the point that is farthest from its own centre, so every number below k occurs, unless there are
 * fewer than k different vectors. Memory: the vectors once more and about 16 bytes a vector. NEAP_E_ARG
 * unless 1 <= k <= n and d >= 1; NEAP_E_NUMERIC if a vector is not finite. The same vectors, k and seed
 * give the same clusters for any number of threads. */
neap_status ni_kmeans(const float *x, uint32_t n, uint32_t d, uint32_t k, uint64_t seed,
                      ni_threads *threads, uint32_t *cluster, neap_error *err);

#endif
