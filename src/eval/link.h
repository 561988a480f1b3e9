/* link.h - link prediction: train on one side of a trial, measure on the other. */
#ifndef NI_LINK_H
#define NI_LINK_H

#include "eval/trial.h"

enum { NI_HITS = 3 }; /* K = 1, 10, 50 */

/* Whatever gives a pair a score. */
typedef struct ni_scorer {
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
    void *self;
} ni_scorer;

/* Trains the method of the options on the trial's training pairs. Where the options keep a share back for
 * early stopping, that run only finds the number of epochs; the model is then trained once more, on all
 * training pairs, for that many. */
neap_status ni_link_train(const ni_trial *trial, const neap_options *options, const neap_hooks *hooks,
                          neap_model **out, neap_error *err);

/* Measures a scorer; fills everything but seconds and epochs. */
neap_status ni_link_measure(const ni_trial *trial, const ni_scorer *scorer, neap_link_result *result,
                            neap_error *err);

/* The scorer of a model under a protocol: the pair itself in clean; the product of averaged vectors in the
 * paper's protocols, where the method has vectors. Release with ni_model_scorer_free. */
neap_status ni_model_scorer(const neap_model *model, ni_protocol protocol, ni_scorer *scorer,
                            neap_error *err);
void ni_model_scorer_free(ni_scorer *scorer);

/* The product of two rows of n x dim vectors; row_of[node] NEAP_NONE: no vector, score 0. */
typedef struct ni_vector_scorer {
    const float *vectors;
    const uint32_t *row_of; /* NULL: row = node */
    uint32_t dim;
} ni_vector_scorer;
neap_status ni_score_vectors(void *self, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err);

#endif
