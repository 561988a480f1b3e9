/* dot.h - queries of a model that has one vector per node and scores a pair by their product. */
#ifndef NI_DOT_H
#define NI_DOT_H

#include <stdatomic.h>

#include "model/method.h"
#include "model/run.h"

/* neap_model.own of such a method begins with this. */
typedef struct ni_dot {
    float *E;              /* rows x dim */
    _Atomic(float *) more; /* (nodes - rows) x dim: of new nodes, made by ni_dot_open; NULL: none yet */
} ni_dot;

/* Declares E. */
void ni_dot_declare(neap_model *model, ni_declaration *d);

/* Scores of pairs, and of one source with all nodes, by a rule for two vectors. NULL: the product. */
typedef float (*ni_dot_rule)(const neap_model *model, const float *x, const float *y);
neap_status ni_dot_score_by(const neap_model *model, ni_dot_rule rule, const neap_pair *pairs, size_t count,
                            float *scores, neap_error *err);
neap_status ni_dot_score_all_by(const neap_model *model, ni_dot_rule rule, uint32_t source, float *scores,
                                neap_error *err);

/* Scores the pairs that a run keeps back, and judges its epoch. */
neap_status ni_dot_judge(ni_run *run, ni_dot_rule rule, neap_error *err);

neap_status ni_dot_score(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err);
neap_status ni_dot_score_all(neap_query *query, uint32_t source, float *scores, neap_error *err);

/* A node without a vector, added by an extension, has the mean of its neighbours', unless the method
 * reads its text. */
neap_status ni_dot_vectors(neap_query *query, float *vectors, neap_error *err);
neap_status ni_dot_some_vectors(neap_query *query, const uint32_t *nodes, size_t count, float *vectors,
                                neap_error *err);

/* The queries of a method that adds nothing to these. */
#define NI_DOT_ANSWERS                                                                                     \
    .score = ni_dot_score, .score_all = ni_dot_score_all, .vectors = ni_dot_vectors,                       \
    .some_vectors = ni_dot_some_vectors

/* The vector of a node: its own, or in scratch (dim) the mean of its neighbours'. */
const float *ni_dot_vector(const neap_model *model, uint32_t node, float *scratch);

/* The mean of its neighbours' vectors. */
void ni_dot_mean(const neap_model *model, uint32_t node, float *mean);

/* `open` of a method that reads the texts of new nodes: the model's first query makes ni_dot.more by
 * `read`, which fills the rows of nodes first .. end-1, zeros before. Not done when a model is loaded: a
 * small file may have many new nodes and long vectors. NEAP_E_NUMERIC if a number is not finite.
 * ni_dot_release is the method's `release`. */
typedef neap_status (*ni_dot_reader)(const neap_model *model, uint32_t first, uint32_t end,
                                     ni_threads *threads, float *rows, neap_error *err);
neap_status ni_dot_open(neap_query *query, ni_dot_reader read, neap_error *err);
void ni_dot_release(neap_model *model);

/* For such a reader: a node without a known word has the mean of its neighbours' vectors. */
void ni_dot_fill_textless(const neap_model *model, uint32_t first, uint32_t end, float *rows);

#endif
