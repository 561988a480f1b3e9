/* faces.h - answers of a model that has several vectors a node, one for each of its personas.
 *
 * Two personas are as similar as the cosine of their vectors. A pair of nodes has the score of its most
 * similar personas, or the mean over all pairs of personas, as the option persona-score says. */
#ifndef NI_FACES_H
#define NI_FACES_H

#include "model/model.h"

neap_status ni_faces_score(const neap_model *model, const neap_pair *pairs, size_t count, float *scores,
                           neap_error *err);

/* The mean of a node's vectors. A node without personas, which an extension brought, has the mean of its
 * neighbours'; that is its one persona, too. */
neap_status ni_faces_vectors(const neap_model *model, float *vectors, neap_error *err);

/* Of each node the persona that is most similar to one of the context; of equals the first. */
neap_status ni_faces_context_vectors(const neap_model *model, uint32_t context, float *vectors,
                                     neap_error *err);

#endif
