/* link.h - link prediction: how well a score separates the test pairs of a trial from their negatives.
 *
 * clean: AUC and average precision over all test pairs and one negative each; MRR and Hits@K of each test
 * pair among NI_RANK_NEGATIVES candidates. paper: AUC as the share of test edges that outscore one random
 * pair each, mean and deviation over NI_PASSES. docs/evaluation.md has the protocols, metrics.h the
 * definitions. */
#ifndef NI_LINK_H
#define NI_LINK_H

#include "eval/trial.h"

enum { NI_HITS = 3 }; /* K = 1, 10, 50 */

/* A function that scores pairs. */
typedef struct ni_scorer {
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
    void *self;
    bool by_source; /* the cost is per source, not per pair: pairs of a source should come together; a score
                       never depends on what else is scored */
} ni_scorer;

/* Measures a scorer; fills everything but epochs and sees_test. Each test pair is scored together with its
 * negatives, so that a source is computed once. Memory: 16 bytes per test pair, since only one negative
 * score of each is kept, and blocks of fixed size. hooks may be NULL; its progress is called between
 * blocks. */
neap_status ni_link_measure(const ni_trial *trial, const ni_scorer *scorer, const neap_hooks *hooks,
                            neap_link_result *result, neap_error *err);

#endif
