/* evidence.h - options and tensors of method evidence, for the files it is made of. */
#ifndef NI_EVIDENCE_H
#define NI_EVIDENCE_H

#include "evidence/measure.h"
#include "model/learning.h"
#include "model/method.h"
#include "model/tfidf.h"

typedef struct ni_evidence_options {
    ni_learning learning; /* of which the dimension counts */
    const char *evidence;
    uint32_t examples;
    uint32_t negatives; /* ni_negatives */
    double fold;
    double ridge, lambda;
    uint32_t steps;
    uint32_t text_dim;
    ni_text_options text;
    ni_tfidf_options tfidf;
} ni_evidence_options;

/* neap_model.own. */
typedef struct ni_evidence {
    float *node;    /* rows x NI_NODE_VALUES */
    float *value;   /* dim: eigenvalues      */
    float *vector;  /* rows x dim            */
    bool late;      /* these are to come: until walks are done there is no room for both */
    float *outside; /* rows x dim: vectors for other tools (vectors.h); NULL: too many nodes */
    uint32_t *kind; /* curves               */
    float *line, *edge, *step, *start;
    float *mean; /* curves: of each curve over its examples */

    /* Of texts and features, where there are any; else NULL. */
    float *text;              /* rows x text_dim: vectors                       */
    float *basis;             /* words x text_dim: reads the text of a new node */
    uint32_t *offset;         /* rows + 1: the terms of a node                  */
    uint32_t *column;         /* of each term                                   */
    float *weight;            /* likewise                                       */
    uint32_t *near;           /* rows x NI_NEAR_MOST                            */
    float *cosine;            /* likewise                                       */
    uint64_t terms;           /* how many                                       */
    ni_attributes attributes; /* views of these, and the terms as a matrix      */
} ni_evidence;

/* What if: the score of a pair without its own link and these, at most NI_WITHOUT_MOST (scorer.h), by a
 * query to a model of evidence. */
neap_status ni_evidence_without(neap_query *query, neap_pair pair, const neap_pair *links, uint32_t count,
                                double *score, neap_error *err);

/* Values of all nodes of an extended model: those of training, and behind them those of new nodes. */
typedef struct ni_widened {
    float *node, *vector, *outside, *text, *cosine;
    uint32_t *near;
    ni_attributes attributes;
} ni_widened;

/* evidence_new.c: makes globals, which are of the nodes in training, those of all nodes of the model, whose
 * view they have. To be freed in any case. */
neap_status ni_evidence_widen(const neap_model *model, ni_globals *globals, ni_threads *threads,
                              ni_widened *w, neap_error *err);
void ni_widened_free(ni_widened *w);

#endif
