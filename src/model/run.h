/* run.h - training as an iterator: epochs of steps, with validation, checkpoints and progress, the same
 * around every method that learns. The method drives it:
 *
 *     rc = ni_run_prepare(&run, job, learning, err);                 the model
 *     if (rc == NEAP_OK) rc = ni_run_hold_out(&run, job->data, err); the pairs held back
 *     ... make tensors and whatever steps need ...
 *     if (rc == NEAP_OK) rc = ni_run_begin(&run, err);               or goes on from a checkpoint
 *     while (rc == NEAP_OK && ni_run_next(&run)) {
 *         if (run.judging) {
 *             rc = ... score run.split's pairs ...; rc = ni_run_judge(&run, rc, err);
 *         } else {
 *             ... the gradient of the positions from run.at.batch x run.per_step on ...
 *             if (!ni_run_may_step(&run)) continue;
 *             ... change the tensors ...
 *             ni_run_took(&run, items, loss);
 *         }
 *     }
 *     return ni_run_end(&run, rc, out);
 *
 * A failure in between is returned by ni_run_end.
 *
 * A stop is looked for ten times a second, between the tasks of the threads. Up to ni_run_may_step nothing
 * has changed, so that a step that is stopped there was not made. A change of the tensors is not undone: it
 * is finished after a stop, unless that takes too long; then the last checkpoint is what there is. */
#ifndef NI_RUN_H
#define NI_RUN_H

#include "data/split.h"
#include "model/learning.h"
#include "model/model.h"
#include "model/optimizer.h"

/* ---- what a checkpoint holds besides the model: the position, the state, the best epoch ---- */

/* Where a run stands. Random draws are functions of coordinates, so that this and the tensors are all there
 * is. */
typedef struct ni_position {
    uint64_t epoch;      /* complete epochs                                              */
    uint64_t batch;      /* steps done in the current epoch                              */
    uint64_t items;      /* edges, or tokens of walks, trained on in it                  */
    uint64_t updates;    /* of the optimiser, since the start                            */
    double loss_sum;     /* the losses of the items                                      */
    double last_loss;    /* mean of the last complete epoch, or NaN                      */
    double last_auc;     /* its validation AUC, or NaN                                   */
    uint64_t best_epoch; /* complete epochs when the validation AUC was best; 0: not yet */
    double best_auc, best_loss;
} ni_position;

/* What steps change, and a copy of what the best epoch had. */
typedef struct ni_state {
    ni_declaration list; /* learned tensors and state; its data are the model's, the optimiser's, ... */
    float **best;        /* list.count: copies of learned tensors; NULL without validation            */
    uint64_t features;   /* names the features that are learned from (ni_features_hash); 0: none      */
} ni_state;

neap_status ni_checkpoint_write(const neap_model *model, const ni_state *state, const ni_position *position,
                                const char *path, neap_error *err);

/* Fills state and position, which are of a run with this model. NEAP_E_MISMATCH if the checkpoint is of
 * another; *found is false if there is no such file. */
neap_status ni_checkpoint_read(const neap_model *model, const ni_state *state, ni_position *position,
                               const char *path, bool *found, neap_error *err);

/* Whether there is such a file that holds this tensor: which part of a run it is from. */
neap_status ni_checkpoint_holds(const char *path, const char *tensor, bool *holds, neap_error *err);

/* What a checkpoint holds besides its model is complete, and nothing else: `tensors`, ended by NULL, are
 * those of the model. */
neap_status ni_checkpoint_check(const ni_tensors *t, const neap_model *model, const char *const *tensors,
                                neap_error *err);

typedef struct ni_run {
    neap_model *model;       /* what is being made                                                    */
    const ni_learning *o;    /* of its options                                                        */
    const neap_hooks *hooks; /* or NULL                                                               */
    neap_error *err;         /* the caller's                                                          */
    ni_threads *threads;
    neap_split *split;       /* whose pairs give the AUC of each epoch; NULL: no validation           */
    ni_links split_links;    /* of split->train                                                       */
    const neap_graph *graph; /* what is trained on: the model's, or without the pairs held back       */
    const ni_links *links;   /* of graph                                                              */

    uint64_t positions; /* of an epoch: edges, or tokens of walks; set before ni_run_begin             */
    uint64_t per_step;  /* positions that a step takes; likewise                                       */
    ni_state state;     /* what steps change                                                           */
    ni_position at;
    float *positive, *negative; /* scores of the split's pairs, to be filled for ni_run_judge         */

    double start, last_checkpoint; /* seconds                                             */
    uint64_t items;                /* trained on since the start                          */
    bool judging;                  /* the steps of the epoch are made, its AUC is missing */
    bool took, epoch_end;          /* there is something to report; an epoch ended        */
    bool asked;                    /* to stop, while the step was made                    */
    bool enough, ended;            /* that stop was NEAP_ENOUGH; and the steps are over   */
    bool kept;                     /* a checkpoint of this run is on disk                 */
    neap_hooks looking;            /* how the threads look for a stop                     */
    neap_status failed;
} ni_run;

/* The threads, and the model without tensors. From here on rounds look for a stop, stage "prepare". */
neap_status ni_run_prepare(ni_run *run, const ni_job *job, const ni_learning *o, neap_error *err);

/* With validation, keeps pairs back. A method checks the whole graph before, so that its errors refer to
 * the graph that was given, not to the part that is trained on. */
neap_status ni_run_hold_out(ni_run *run, const neap_data *data, neap_error *err);

/* Lists what steps change: what the method declares, which has been allocated, and the moments of its
 * optimiser, which the caller points to their arrays (ni_run_state) before ni_run_begin. */
neap_status ni_run_declare(ni_run *run, neap_error *err);

/* The array of a tensor that is not the model's: "adam.E.m", "outputs". */
void ni_run_state(ni_run *run, const char *name, void *data);

/* The moments of an optimiser's parameters. */
void ni_run_moments(ni_run *run, const ni_optimizer *optimizer);

/* Allocates the copy of the best epoch; with hooks->resume, continues from the checkpoint. */
neap_status ni_run_begin(ni_run *run, neap_error *err);

/* Rounds look for a stop again, stage "prepare": for another series of steps with the same model. */
void ni_run_prepares(ni_run *run);

/* Progress and checkpoint of the step that was made, if one was; then whether there is another to make, or
 * with run->judging an epoch to be judged. */
bool ni_run_next(ni_run *run);

/* Whether the tensors may be changed. False: a stop was asked for, and the step is not made. */
bool ni_run_may_step(ni_run *run);

/* A step was made on so many items with this sum of losses. */
void ni_run_took(ni_run *run, uint64_t items, double loss);

/* The AUC of the scores in run->positive and run->negative; keeps the epoch if it is the best so far. rc:
 * what filling them ended with; returned unless it is NEAP_OK or due to a stop. */
neap_status ni_run_judge(ni_run *run, neap_status rc, neap_error *err);

/* The share of the run that is done, from 0 to 1, and the step size there: lr, or with linear decay lr
 * max(1 - done, least). */
double ni_run_done(const ni_run *run);
double ni_run_rate(const ni_run *run, double least);

/* Ends the steps: the tensors are those of the best epoch, or without validation of the last, and the
 * model has its epochs, loss and AUC. Another series of steps may follow with the same model. Rounds do not
 * look for a stop any more. */
neap_status ni_run_conclude(ni_run *run, neap_status rc);

/* Concludes, hands the model over if all went well, and frees the rest. */
neap_status ni_run_end(ni_run *run, neap_status rc, neap_model **out);

/* Frees everything, the model too. */
void ni_run_free(ni_run *run);

/* Memory of graphs, of tensors with their best copies, and of the optimiser. ni_run_prepare has been
 * called, the model's tensors need not be there. */
void ni_run_bytes(const ni_run *run, const neap_graph *given, neap_estimate_result *r);

#endif
