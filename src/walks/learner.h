/* learner.h - what the methods with a skip-gram model share: the tensors, grids and trees of a run. A
 * method brings the pairs (sources.h) and drives the run:
 *
 *     rc = ni_learner_prepare(&l, job, learning, err);      the model, without tensors
 *     ... ni_model_allocate, start values, l.rows and l.vectors, l.layers, ...
 *     if (rc == NEAP_OK) rc = ni_learner_train(&l, &source, weight, power, err);
 *     return ni_learner_end(&l, rc, out);                                                              */
#ifndef NI_LEARNER_H
#define NI_LEARNER_H

#include "model/run.h"
#include "walks/skipgram.h"

typedef struct ni_learner {
    ni_run run;
    const ni_links *links; /* between the rows that are trained: nodes of run.graph, or personas   */
    uint32_t rows;         /* that are trained; the model's, unless the method sets others         */
    float *vectors;        /* rows x dim, with their start values                                  */
    const uint8_t *side;   /* rows: a negative is on the side of the output it stands against; NULL: any */

    uint32_t layers;         /* of the vectors: each is layers x (dim / layers) numbers                */
    uint32_t tied;           /* layers whose inputs and outputs are the same vectors, the first ones   */
    bool unit;               /* a layer of a vector is a direction: scored so, of length 1 in the end  */
    bool negatives, tree;    /* which losses                                                           */
    float bias, shared_bias; /* see ni_group                                                            */
    bool noise;              /* see ni_skipgram                                                         */

    ni_grid grid, alone; /* of negatives; of the tree */
    ni_tree huffman;
    float *outputs, *inner; /* rows x dim */
    ni_skipgram by_negatives, by_tree;
} ni_learner;

/* A model without tensors, and the pairs kept back for validation. NEAP_E_FORMAT if no two nodes are
 * linked. To be ended or dropped in any case. */
neap_status ni_learner_prepare(ni_learner *l, const ni_job *job, const ni_learning *o, neap_error *err);

/* Options that a skip-gram model cannot take: more negatives than a group has outputs (NEAP_E_ARG). */
neap_status ni_learner_check(const ni_learning *o, neap_error *err);

/* State of a run for a method's declaration: the outputs of negative sampling, the inner nodes of a tree.
 */
void ni_learner_declare(ni_declaration *d, uint64_t rows, uint64_t dim, bool outputs, bool inner);

/* Makes what steps need and begins the run, or goes on from a checkpoint. weight: how often a row should be
 * a negative, before the power; the tree's frequencies. */
neap_status ni_learner_begin(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                             neap_error *err);

/* One step; returns the number of its items, the sum of their losses, and the step size. False: stopped,
 * and the step was not made. */
bool ni_learner_step(ni_learner *l, uint64_t *items, double *loss, double *rate);

/* Begins, steps to the end, validating by products of vectors, and concludes. */
neap_status ni_learner_train(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                             neap_error *err);

/* The AUC of the products of l->vectors, when the run asks for it (run.judging). */
neap_status ni_learner_validate(ni_learner *l, neap_error *err);

/* Positions that a step takes: few enough for 64 steps in a run, so that the step size decays smoothly, and
 * for 2^22 pairs of memory; enough for all threads. */
uint64_t ni_learner_per_step(const ni_source *source, uint64_t epochs);

/* Frees what a run made, so that another can follow with the same model. */
void ni_learner_rest(ni_learner *l);

/* Hands the model over, if rc is NEAP_OK, and frees the rest; returns rc. */
neap_status ni_learner_end(ni_learner *l, neap_status rc, neap_model **out);

/* Frees everything, the model too; returns rc. */
neap_status ni_learner_drop(ni_learner *l, neap_status rc);

/* Bytes of such a run, by part; the graph as the user gave it. */
void ni_learner_bytes(const ni_learner *l, const ni_source *source, const neap_graph *given,
                      neap_estimate_result *r);

#endif
