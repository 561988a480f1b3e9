/* walking.h - what deepwalk, node2vec, walklets and splitter share: a skip-gram model of the windows of
 * walks. */
#ifndef NI_WALKING_H
#define NI_WALKING_H

#include "model/method.h"
#include "walks/learner.h"

/* Options that all three read. */
#define NI_WALKING_OPTIONS                                                                                 \
    "dim,epochs,lr,decay,negatives,valid,patience,walks,walk-length,window,along,sample"

/* One window after the other (scales false), or a layer for each distance up to the window. */
neap_status ni_walking_train(const neap_graph *graph, const neap_options *options, bool scales,
                             const neap_hooks *hooks, neap_model **out, neap_error *err);

/* Bytes of a run, by part. */
neap_status ni_walking_bytes(const neap_graph *graph, const neap_options *options, bool scales,
                             neap_estimate_result *r, neap_error *err);

/* The tables of a checkpoint. */
void ni_walking_state(const neap_model *model, ni_tables *tables);

/* The same one by one, for a method that has more to do between them: a model without vectors; its training
 * on l->links, from the start or a checkpoint; the memory and the tables of that. instead may be NULL. */
neap_status ni_walking_start(const neap_graph *graph, const neap_options *options, bool scales,
                             const neap_hooks *hooks, ni_learner *l, neap_error *err);
neap_status ni_walking_learn(ni_learner *l, bool scales, const neap_hooks *hooks, neap_error *err);
void ni_walking_count(const ni_learner *l, bool scales, const neap_graph *given, neap_estimate_result *r);
void ni_walking_tables(const neap_model *model, const ni_stand_in *instead, ni_tables *tables);

#endif
