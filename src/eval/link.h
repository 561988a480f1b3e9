/* link.h - link prediction: how well the test pairs of a trial are told from their negatives. */
#ifndef NI_LINK_H
#define NI_LINK_H

#include "eval/trial.h"

enum { NI_HITS = 3 }; /* K = 1, 10, 50 */

/* Whatever gives a pair a score. */
typedef struct ni_scorer {
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
    void *self;
} ni_scorer;

/* Measures a scorer; fills everything but epochs and sees_test. 16 bytes a test pair, and a few megabytes:
 * the negatives come and go in blocks. */
neap_status ni_link_measure(const ni_trial *trial, const ni_scorer *scorer, neap_link_result *result,
                            neap_error *err);

#endif
