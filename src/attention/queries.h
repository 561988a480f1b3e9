/* queries.h - what can be asked of a trained GAP model, one file each. */
#ifndef NI_QUERIES_H
#define NI_QUERIES_H

#include "model/model.h"

struct ni_engine;

/* An engine that reads the model. */
neap_status ni_model_engine(const neap_model *model, struct ni_engine **out, neap_error *err);

/* contexts.c: see neap_model_vectors and neap_model_context_vectors. */
neap_status ni_gap_vectors(const neap_model *model, float *vectors, neap_error *err);
neap_status ni_gap_context_vectors(const neap_model *model, uint32_t context, float *vectors,
                                   neap_error *err);

/* score.c: see neap_model_score. */
neap_status ni_gap_score(const neap_model *model, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err);

/* rank.c: the scores of (source, t) for all nodes t, exactly. */
neap_status ni_gap_score_all(const neap_model *model, uint32_t source, float *scores, neap_error *err);

/* rank_bounds.c and rank_some.c: see score_bounds and score_some of methods/method.h. */
neap_status ni_gap_score_bounds(const neap_model *model, uint32_t source, float *least, float *most,
                                bool *bounded, neap_error *err);
neap_status ni_gap_score_some(const neap_model *model, uint32_t source, const uint32_t *targets,
                              size_t count, float *scores, neap_error *err);

/* explain.c: an empty explanation, a and b neighbours, that knows what the pair is in the graph; or NULL.
 */
neap_explanation *ni_explanation_create(const neap_model *model, uint32_t source, uint32_t target,
                                        uint32_t a, uint32_t b);

/* Puts the largest weights first, where by_source and the rows of the alignment are in the order of s, and
 * by_target and the columns in that of t, both ascending. False: no memory. */
bool ni_explanation_sort(neap_explanation *x, const uint32_t *s, const uint32_t *t);

/* See neap_explain. */
neap_status ni_gap_explain(const neap_model *model, uint32_t source, uint32_t target,
                           neap_explanation **out, neap_error *err);

#endif
