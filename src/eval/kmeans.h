/* kmeans.h - k-means: clusters of vectors that minimise the sum of squared distances to their means.
 *
 * Greedy k-means++ (Arthur and Vassilvitskii 2007) initialises: the next centre is the best of 2 + ln k
 * points drawn with probability proportional to their squared distance from the centres so far. Lloyd's
 * iterations follow until no point changes its cluster, the centres have nearly stopped, or
 * NI_KMEANS_ROUNDS. Of NI_KMEANS_STARTS runs, that with the smallest sum is kept, as scikit-learn does.
 *
 * Cost: 2 n k d flops per iteration, as matrix products over tiles of 256 points (points.h), and about
 * (2 + ln k) times that of one iteration to initialise. Tasks are tiles, and clusters for the means. */
#ifndef NI_KMEANS_H
#define NI_KMEANS_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

enum { NI_KMEANS_STARTS = 10, NI_KMEANS_ROUNDS = 300 };

/* x: n x d. cluster: n, filled with numbers below k; the caller's. A cluster that loses all its points
 * takes the point that is farthest from its own centre, so every number below k occurs, unless there are
 * fewer than k different vectors. Memory: a copy of the vectors and about 16 bytes per vector. NEAP_E_ARG
 * unless 1 <= k <= n and d >= 1; NEAP_E_NUMERIC if a vector is not finite. The same vectors, k and seed
 * give the same clusters for any number of threads. */
neap_status ni_kmeans(const float *x, uint32_t n, uint32_t d, uint32_t k, uint64_t seed,
                      ni_threads *threads, uint32_t *cluster, neap_error *err);

#endif
