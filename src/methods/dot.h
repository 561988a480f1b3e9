/* dot.h - answers of a model that has one vector a node and scores a pair by their product. */
#ifndef NI_DOT_H
#define NI_DOT_H

#include "model/model.h"

neap_status ni_dot_score(const neap_model *model, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err);
neap_status ni_dot_score_all(const neap_model *model, uint32_t source, float *scores, neap_error *err);

/* A node without a vector of its own, which an extension brought, has the mean of its neighbours'. */
neap_status ni_dot_vectors(const neap_model *model, float *vectors, neap_error *err);

/* The vector of a node: its own, or in scratch (dim) the mean of its neighbours'. */
const float *ni_dot_vector(const neap_model *model, uint32_t node, float *scratch);

#endif
