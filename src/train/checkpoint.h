/* checkpoint.h - a run that can go on: the model so far, the optimiser, the place in the epoch, the best.
 */
#ifndef NI_CHECKPOINT_H
#define NI_CHECKPOINT_H

#include "model/model.h"
#include "model/optimizer.h"

/* Where a run stands. Random draws are functions of coordinates, so that this, the tables and the
 * optimiser's state are all there is. */
typedef struct ni_run {
    uint64_t epoch;      /* complete epochs                                              */
    uint64_t batch;      /* batches done in the epoch under way                          */
    uint64_t items;      /* edges trained on in it                                       */
    double loss_sum;     /* their losses                                                 */
    double last_loss;    /* mean of the last complete epoch, or NaN                      */
    double last_auc;     /* its validation AUC, or NaN                                   */
    uint64_t best_epoch; /* complete epochs when the validation AUC was best; 0: not yet */
    double best_auc, best_loss;
    float *best_E, *best_P; /* the tables then; NULL without validation                     */
} ni_run;

neap_status ni_checkpoint_write(const neap_model *model, const ni_optimizer *optimizer, const ni_run *run,
                                const char *path, neap_error *err);

/* Fills the model's tables, the optimiser and the run, all made for this graph and these options.
 * NEAP_E_MISMATCH if the checkpoint is of others; *found is false if there is no such file. */
neap_status ni_checkpoint_read(neap_model *model, ni_optimizer *optimizer, ni_run *run, const char *path,
                               bool *found, neap_error *err);

/* What a checkpoint holds besides its model is complete and finite. */
struct ni_tensors;
neap_status ni_checkpoint_check(const struct ni_tensors *t, const neap_model *model, neap_error *err);

#endif
