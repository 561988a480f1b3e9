/* edge_learner.h - training on edges and drawn non-edges, the same around every method that learns so.
 *
 * Such a method gives rules: what it learns, the gradient of a batch of items, the scores of pairs. The
 * learner keeps pairs back, draws the items, steps the optimiser, judges epochs, writes checkpoints (run.h)
 * and estimates memory:
 *
 *     const ni_method ni_method_NAME = { ..., .family = &rules, .train = ni_edges_train,
 *                                        .bytes = ni_edges_bytes, ... };
 *
 * It owns sampler, optimiser and run; what a method needs besides is its own struct, in l->own. Called by
 * one thread; passes run on all. */
#ifndef NI_EDGE_LEARNER_H
#define NI_EDGE_LEARNER_H

#include "model/run.h"
#include "model/sampler.h"

/* Of the method's options, what the learner reads. */
typedef struct ni_edge_options {
    const ni_learning *learning;
    const ni_sampling *sampling;
    uint32_t optimizer; /* NI_ADAM, NI_LAZY_ADAM, NI_ADAGRAD                                     */
    uint32_t negatives; /* of an item                                                            */
    uint32_t passes;    /* over the edges in an epoch; 0: one                                    */
    bool both_orders;   /* every edge comes in both orders, in a directed graph, too             */
} ni_edge_options;

typedef struct ni_edge_learner {
    const struct ni_edge_rules *rules;
    ni_edge_options o;
    void *own; /* the method's: rules->own bytes, zero at first                         */
    ni_run run;
    neap_graph view;     /* the edges of run.graph, in both orders where they are wanted           */
    ni_hood split_hood;  /* of the pairs that are trained on, where they are read            */
    const ni_hood *hood; /* what training reads: split_hood, or that of the model                  */
    ni_sampler sampler;  /* its last items are those of the step                               */
    ni_optimizer optimizer;
    double drawing, optimising; /* seconds so far */
} ni_edge_learner;

enum { NI_EDGE_PARAMETERS = 8 };

typedef struct ni_edge_rules {
    size_t own;
    ni_edge_options (*options)(const ni_settings *settings);

    /* Allocates the model's tensors and draws their start values. */
    neap_status (*tensors)(neap_model *model, neap_error *err);

    /* What is learned, at most NI_EDGE_PARAMETERS, into list; returns how many. Their values may be NULL
     * still. */
    uint32_t (*parameters)(const neap_model *model, ni_parameter *list);

    /* Fills l->own for steps; for `measure` without tensors. `release` is called in any case. Both may be
     * NULL. */
    neap_status (*create)(ni_edge_learner *l, neap_error *err);
    void (*release)(ni_edge_learner *l);

    /* What a step reads besides its items, by sampler.epoch and sampler.first; *more: how many, 0 before.
     * A step with neither is passed over. NULL: nothing. */
    neap_status (*draw)(ni_edge_learner *l, uint32_t items, uint32_t *more, neap_error *err);

    /* The sum of the items' losses, and for every parameter of l->optimizer its gradient. After a stop
     * they are anything. */
    neap_status (*pass)(ni_edge_learner *l, uint32_t items, double *loss, neap_error *err);

    /* Validation: scores of pairs at the parameters as they are. refresh comes before the first of an
     * epoch, and may be NULL. */
    neap_status (*refresh)(ni_edge_learner *l, neap_error *err);
    neap_status (*score)(ni_edge_learner *l, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err);

    /* Makes what follows from the parameters of the best epoch. NULL: nothing. */
    neap_status (*finish)(ni_edge_learner *l, neap_error *err);

    /* Bytes that a step on the drawn items holds: the largest of a few, and a margin, go into
     * result->bytes_batch. Then `bytes` changes the result by the rest of l->own. Both may be NULL. */
    neap_status (*measure)(ni_edge_learner *l, uint32_t items, uint64_t *bytes, neap_error *err);
    neap_status (*bytes)(ni_edge_learner *l, neap_estimate_result *result, neap_error *err);
} ni_edge_rules;

/* ni_method.train and .bytes of a method whose .family is its ni_edge_rules. */
neap_status ni_edges_train(const ni_job *job, neap_model **out, neap_error *err);
neap_status ni_edges_bytes(const ni_job *job, neap_estimate_result *result, neap_error *err);

/* ---- their parts, for a method with a family of its own ---- */

neap_status ni_edges_train_by(const ni_edge_rules *rules, const ni_job *job, neap_model **out,
                              neap_error *err);
neap_status ni_edges_bytes_by(const ni_edge_rules *rules, const ni_job *job, neap_estimate_result *result,
                              neap_error *err);

/* All up to the first step; the steps; the end, which frees everything but the model and hands that over if
 * all went well. The end comes in any case. */
neap_status ni_edges_begin(ni_edge_learner *l, const ni_edge_rules *rules, const ni_job *job,
                           neap_error *err);
neap_status ni_edges_learn(ni_edge_learner *l, neap_error *err);
neap_status ni_edges_end(ni_edge_learner *l, neap_status rc, neap_model **out, neap_error *err);

#endif
