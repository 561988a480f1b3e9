/* trainer.h - training of attentive pooling: the loop over batches. */
#ifndef NI_TRAINER_H
#define NI_TRAINER_H

#include "attention/family.h"
#include "attention/options.h"
#include "base/threads.h"
#include "model/edge_learner.h"

neap_status ni_gap_train(const ni_job *job, neap_model **out, neap_error *err);
neap_status ni_gap_bytes(const ni_job *job, neap_estimate_result *result, neap_error *err);

/* Flops of the steps of a run: multiplications and additions, two for each number of a row that is added or
 * multiplied. bench.c */
typedef struct ni_work {
    double flops[NI_STAGES];
    uint64_t batches, table_batches;
    double alignments; /* summed over the pairs: a x b each                                            */
    double cheapest;   /* flops if every batch had taken the cheaper of table and pairwise alignment, and
                          every nonzero of G had been added by itself: what merging saves counts here */
} ni_work;

/* Adds the work of the engine's last step. */
void ni_work_add(ni_work *work, const ni_engine *engine);

/* ni_gap_train, and where the time went and for what work, also of a run that was stopped. */
neap_status ni_gap_train_timed(const ni_job *job, ni_stages *stages, ni_work *work, neap_model **out,
                               neap_error *err);

#endif
