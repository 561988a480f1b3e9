/* persona_scores.h - queries of a model that has several vectors per node, one for each of its personas.
 *
 * Two personas are as similar as the cosine of their vectors. A pair of nodes has the score of its most
 * similar personas, or the mean over all pairs of personas (option persona-score). */
#ifndef NI_PERSONA_SCORES_H
#define NI_PERSONA_SCORES_H

#include "graph/persona.h"
#include "model/method.h"
#include "walks/walking.h"

enum { NI_PERSONAS_MAX, NI_PERSONAS_AVERAGE };

typedef struct ni_splitter_options {
    ni_walk_options walk;
    uint32_t personas; /* NI_CIRCLES_...  */
    double lambda;
    uint32_t persona_score; /* NI_PERSONAS_... */
} ni_splitter_options;

/* neap_model.own: the tensors, and what follows from them. */
typedef struct ni_splitter {
    float *E;         /* rows x dim: the vectors of the nodes before they were split */
    uint32_t *owners; /* personas: the node of each                                  */
    float *vectors;   /* personas x dim                                              */

    bool split;           /* there are personas                                      */
    ni_personas personas; /* of the first `rows` nodes                               */
    float *scale;         /* personas: 1 over the length of each, 0 for length 0     */
} ni_splitter;

/* Fills `scale` from the vectors as they are now. */
void ni_personas_measure(const neap_model *model);

neap_status ni_personas_score(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                              neap_error *err);

/* The mean of a node's vectors. A node without personas, added by an extension, has the mean of its
 * neighbours', which is also its one persona. */
neap_status ni_personas_vectors(neap_query *query, float *vectors, neap_error *err);

/* Of each node the persona that is most similar to one of the context; of equals the first. */
neap_status ni_personas_context_vectors(neap_query *query, uint32_t context, float *vectors,
                                        neap_error *err);

/* The same of the two nodes of each pair. */
neap_status ni_personas_pair_vectors(neap_query *query, const neap_pair *pairs, size_t count,
                                     float *sources, float *targets, neap_error *err);

/* Pulls from .. to - 1 of the personas towards the vectors of their nodes, each by `step` (the rate times
 * lambda) along its gradient. splitter.c */
void ni_personas_pull(const neap_model *model, uint64_t from, uint64_t to, double step,
                      ni_threads *threads);

/* The personas of one node, lent by the model. */
typedef struct ni_node_vectors {
    const float *vector, *scale; /* count x dim, and 1 / their lengths */
    uint32_t count;
    float own; /* the scale of the one vector of a node that has no personas; see ni_personas_vectors */
} ni_node_vectors;

/* room: dim, for such a node's vector; otherwise it may be NULL. */
void ni_vectors_of_node(const neap_model *model, uint32_t u, float *room, ni_node_vectors *personas);

float ni_node_cosine(const ni_node_vectors *a, uint32_t i, const ni_node_vectors *b, uint32_t j,
                     size_t dim);

/* The largest cosine of two, and which two; of equals the first. */
float ni_nearest_personas(const ni_node_vectors *a, const ni_node_vectors *b, size_t dim, uint32_t *of_a,
                          uint32_t *of_b);

/* persona_explain.c: see neap_query_explain. A neighbour has the alignment of the persona whose circle
 * it is in. */
neap_status ni_personas_explain(neap_query *query, uint32_t source, uint32_t target, neap_explanation **out,
                                neap_error *err);

#endif
