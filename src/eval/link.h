/* link.h - link prediction: how well a score separates the test pairs of a trial from their negatives.
 *
 * clean: AUC and average precision over all test pairs and one negative each; MRR and Hits@K of each test
 * pair among NI_RANK_NEGATIVES candidates, and of some of them among all nodes. paper: AUC as the share of
 * test edges that outscore one random pair each, mean and deviation over NI_PASSES. docs/evaluation.md has
 * the protocols, metrics.h the definitions. */
#ifndef NI_LINK_H
#define NI_LINK_H

#include "eval/trial.h"

enum { NI_HITS = 3 }; /* K = 1, 10, 50 */

/* Test pairs that are ranked among all nodes: at most so many, and one more than what needs so many scores.
 */
enum { NI_RANKED_MOST = 1000, NI_RANKED_SCORES = 100000000 };

/* A function that scores pairs. */
typedef struct ni_scorer {
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
    void *self;
    bool by_source; /* the cost is per source, not per pair: pairs of a source should come together; a score
                       never depends on what else is scored */

    /* The scores of (source, t) for all nodes t; NULL: score is called. */
    neap_status (*all)(void *self, uint32_t source, float *scores, neap_error *err);

    bool log_odds; /* scores are those of a link against one negative of the trial's kind */
} ni_scorer;

/* Measures a scorer; fills everything but epochs and sees_test. Each test pair is scored together with its
 * negatives, so that a source is computed once. Memory: 24 bytes per test pair, since only one negative
 * score of each is kept, 16 bytes per node, and blocks of fixed size. hooks may be NULL; its progress is
 * called between blocks. */
neap_status ni_link_measure(const ni_trial *trial, const ni_scorer *scorer, const neap_hooks *hooks,
                            neap_link_result *result, neap_error *err);

/* mrr_all, hits_all and ranked of a result in the protocol clean; all_nodes.c. Its progress goes on behind
 * that of the test pairs, which began at `start`. */
neap_status ni_link_rank_all(const ni_trial *trial, const ni_scorer *scorer, const neap_hooks *hooks,
                             double start, neap_link_result *result, neap_error *err);

/* How many test pairs it draws. */
uint64_t ni_ranked_count(const ni_trial *trial);

#endif
