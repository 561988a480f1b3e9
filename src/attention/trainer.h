/* trainer.h - training GAP: epochs, batches, validation, checkpoints. */
#ifndef NI_TRAINER_H
#define NI_TRAINER_H

#include "attention/engine.h"
#include "attention/feed.h"
#include "attention/optimizer.h"
#include "data/split.h"
#include "model/loop.h"
#include "model/model.h"

typedef struct ni_trainer {
    neap_model *model;           /* what is being made                                      */
    const neap_options *options; /* the model's                                            */
    neap_split *split;           /* training and validation pairs, or NULL                  */
    ni_links split_links;        /* of split->train                                         */
    ni_hood split_hood;          /* of split->train, unless neighbourhoods are read around */
    ni_sampler sampler;
    ni_engine *engine; /* on the neighbourhoods of the training pairs             */
    ni_feed feed;
    ni_optimizer optimizer;
    ni_course course;
} ni_trainer;

/* All but the tables and the optimiser, which are the large part: what an estimate needs. Of the hooks,
 * which may be NULL, only `around` and `valid` count. */
neap_status ni_trainer_prepare(const neap_graph *graph, const neap_options *options,
                               const neap_hooks *hooks, ni_trainer *t, neap_error *err);
void ni_trainer_free(ni_trainer *t);

/* The tables of a checkpoint, by name and shape. */
void ni_train_state(const neap_model *model, ni_tables *tables);

/* Options that training reads, besides those that any method does. */
#define NI_TRAIN_OPTIONS                                                                                   \
    "dim,neighbors,self,pooling,matrix,padding,dropout,dropout-per,dropout-at-inference,epochs,batch,lr,"  \
    "decay,optimizer,objective,margin,negatives,negative-sampling,fresh-negatives,reject-links,shuffle,"   \
    "valid,patience"

/* Bytes of a run, by part, but for the program's own. */
neap_status ni_train_bytes(const neap_graph *graph, const neap_options *options,
                           neap_estimate_result *result, neap_error *err);

neap_status ni_train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                     neap_model **out, neap_error *err);

/* The same, and where the time went, also of a run that was stopped. */
neap_status ni_train_timed(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                           ni_stages *stages, neap_model **out, neap_error *err);

#endif
