/* metrics.h - how good scores, rankings, clusterings and classifications are.
 *
 * Every tie rule is written here and tested against an independent implementation
 * (tests/metrics_oracle.py). A score may be infinite; a score that is not a number is NEAP_E_NUMERIC,
 * since comparisons with NaN are false in either direction. Results are written on success only.
 */
#ifndef NI_METRICS_H
#define NI_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "neap.h"

/* ---- positives against one pool of negatives ---- */

/* The positives are sorted, and negatives are counted into the gaps between them: 12 bytes per
 * positive, for any number of negatives. They may come in chunks of any size and in any
 * order: the result is the same to the last bit. Counts are whole numbers of 64 and 128 bits, so 10^12
 * negatives are as exact as ten. One thread at a time. */
typedef struct ni_gaps ni_gaps;

/* Copies the positives; NEAP_E_ARG if there are none. */
neap_status ni_gaps_create(const float *positives, size_t n, ni_gaps **out, neap_error *err);

/* The same without a copy: the positives, a block of ni_array, belong to the gaps from now on, also after a
 * failure. */
neap_status ni_gaps_adopt(float *positives, size_t n, ni_gaps **out, neap_error *err);
void ni_gaps_free(ni_gaps *gaps);

/* All of the chunk is counted, or on failure nothing of it. */
neap_status ni_gaps_add(ni_gaps *gaps, const float *negatives, size_t m, neap_error *err);

/* Probability that a positive outscores a negative; ties count half. NaN without negatives. */
double ni_gaps_auc(const ni_gaps *gaps);

/* Average precision as scikit-learn defines it: the sum over distinct scores of (step in recall) x
 * (precision), where all that tie at a score are found together. */
double ni_gaps_ap(const ni_gaps *gaps);

/* OGB's Hits@K: share of the positives strictly above the K-th best negative (ties lose); 1 if there are
 * fewer than K negatives. K from 1 to NI_HITS_MOST, else NaN. */
enum { NI_HITS_MOST = 100 };
double ni_gaps_hits(const ni_gaps *gaps, uint32_t K);

/* ---- a positive against its own negatives ---- */

/* OGB's rank, the mean of the optimistic and the pessimistic one: 1 + (#above + #not below) / 2. MRR is the
 * mean of 1 / rank, Hits@K the share of rank <= K. */
neap_status ni_own_rank(float positive, const float *negatives, size_t m, double *rank, neap_error *err);

/* NEAP_E_NUMERIC if one of the scores is not a number. */
neap_status ni_scores_check(const float *scores, size_t n, neap_error *err);

/* ---- two labelings of n items ---- */

/* Labels are any numbers below n, n below 2^32 (renumber first). Time and memory are linear in n; the
 * adjusted mutual information takes at most 2n pairs of distinct cluster sizes more. The same partition
 * under other numbers gives exactly 1, be it one cluster, all singletons, or nothing at all; one cluster
 * against several gives 0. */

/* Mutual information over the arithmetic mean of the entropies: 0 to 1. */
neap_status ni_nmi(const uint32_t *a, const uint32_t *b, size_t n, double *nmi, neap_error *err);

/* Both less their expectation under random labelings (Vinh, Epps, Bailey 2010): 0 on average for
 * independent ones. */
neap_status ni_ami(const uint32_t *a, const uint32_t *b, size_t n, double *ami, neap_error *err);

/* Rand index adjusted for chance (Hubert, Arabie 1985): -0.5 to 1. */
neap_status ni_ari(const uint32_t *a, const uint32_t *b, size_t n, double *ari, neap_error *err);

/* ---- a classification ---- */

/* F1 of n predictions, all labels below `classes`. Micro: over all predictions together, which with one
 * label each is their accuracy. Macro: mean of F1 = 2 TP / (2 TP + FP + FN) over the classes; one that
 * neither occurs nor is predicted is left out, as scikit-learn does. */
neap_status ni_f1(const uint32_t *truth, const uint32_t *predicted, size_t n, uint32_t classes,
                  double *micro, double *macro, neap_error *err);

#endif
