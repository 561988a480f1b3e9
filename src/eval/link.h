/* link.h - link prediction: how well the test pairs of a trial are told from their negatives. */
#ifndef NI_LINK_H
#define NI_LINK_H

#include "eval/trial.h"

enum { NI_HITS = 3 }; /* K = 1, 10, 50 */

/* Whatever gives a pair a score. */
typedef struct ni_scorer {
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
    void *self;
    bool by_source; /* it works source by source: sources cost, not pairs, and are best kept together; a
                       score never depends on what else is scored */
} ni_scorer;

/* Measures a scorer; fills everything but epochs and sees_test. Each test pair is scored together with what
 * it is compared with, so that a source is worked out once. 16 bytes a test pair: of its negatives one
 * score is kept, the others come and go in blocks. hooks may be NULL; its progress is called between
 * blocks. */
neap_status ni_link_measure(const ni_trial *trial, const ni_scorer *scorer, const neap_hooks *hooks,
                            neap_link_result *result, neap_error *err);

#endif
