/* classify.h - node classification: F1 of a linear classifier on the vectors of nodes.
 *
 * A share of the labelled nodes trains a one-vs-rest logistic regression (logistic.h), the others are
 * predicted. The vectors go in as they are; since C = 1 is fixed, longer vectors are penalised less. */
#ifndef NI_CLASSIFY_H
#define NI_CLASSIFY_H

#include <stdint.h>

#include "base/threads.h"
#include "eval/sample.h"

/* The labelled nodes in two lists, each ascending. */
typedef struct ni_class_split {
    uint32_t *train, *test;
    uint32_t trains, tests;
} ni_class_split;

/* share: part of the labelled nodes that trains, in (0, 1), rounded to whole nodes; NEAP_E_ARG if it leaves
 * none to train or none to test. Drawn without regard to classes. */
neap_status ni_class_split_create(const ni_sample *s, double share, uint64_t seed, ni_class_split *split,
                                  neap_error *err);
void ni_class_split_free(ni_class_split *split);

/* neap_classify with threads instead of spec->threads. NEAP_E_NUMERIC if a labelled vector is not finite.
 * The same input gives the same bits for any number of threads. */
neap_status ni_classify(const ni_sample *s, const neap_classify_spec *spec, ni_threads *threads,
                        uint32_t *predicted, neap_classify_result *result, neap_error *err);

#endif
