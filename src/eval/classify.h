/* classify.h - how well a simple classifier does on vectors: what people expect of embeddings.
 *
 * A share of the labelled nodes trains a one-vs-rest logistic regression (logistic.h), the others are
 * predicted. The vectors go in as they are; since C = 1 is fixed, longer vectors are penalised less. */
#ifndef NI_CLASSIFY_H
#define NI_CLASSIFY_H

#include <stdint.h>

#include "base/pool.h"
#include "neap.h"

/* The labelled nodes in two lists, each ascending. */
typedef struct ni_class_split {
    uint32_t *train, *test;
    uint32_t trains, tests;
} ni_class_split;

/* label: n, a class or NEAP_NONE. share: part of the labelled nodes that trains, in (0, 1), rounded to
 * whole nodes; NEAP_E_ARG if it leaves none to train or none to test. Drawn without regard to classes. */
neap_status ni_class_split_create(const uint32_t *label, uint32_t n, double share, uint64_t seed,
                                  ni_class_split *split, neap_error *err);
void ni_class_split_free(ni_class_split *split);

/* x: n x d. label: n, below classes or NEAP_NONE. micro, macro: F1 over the test nodes (metrics.h).
 * NEAP_E_NUMERIC if a labelled vector is not finite. The same input gives the same bits for any pool. */
neap_status ni_classify(const float *x, uint32_t n, uint32_t d, const uint32_t *label, uint32_t classes,
                        double share, uint64_t seed, ni_pool *pool, double *micro, double *macro,
                        neap_error *err);

#endif
