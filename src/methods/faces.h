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

/* The personas of a node, lent by the model. */
typedef struct ni_faces {
    const float *vector, *scale; /* count x dim, and 1 / their lengths                   */
    uint32_t count;
    float own; /* the scale of the one face of a node that has no personas; see ni_faces_vectors */
} ni_faces;

/* room: dim, for such a node's vector; otherwise it may be NULL. */
void ni_faces_of(const neap_model *model, uint32_t u, float *room, ni_faces *faces);

float ni_faces_cosine(const ni_faces *a, uint32_t i, const ni_faces *b, uint32_t j, size_t dim);

/* The largest cosine of two, and which two; of equals the first. */
float ni_faces_nearest(const ni_faces *a, const ni_faces *b, size_t dim, uint32_t *of_a, uint32_t *of_b);

/* faces_explain.c: see neap_explain. A neighbour counts as the persona does whose circle it is in. */
neap_status ni_faces_explain(const neap_model *model, uint32_t source, uint32_t target,
                             neap_explanation **out, neap_error *err);

#endif
