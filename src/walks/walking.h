/* walking.h - skip-gram models of the windows of random walks: what deepwalk, node2vec, walklets and
 * splitter share, with the options of everything that walks. */
#ifndef NI_WALKING_H
#define NI_WALKING_H

#include "model/learning.h"
#include "walks/learner.h"

enum { NI_LOSS_NEGATIVES, NI_LOSS_TREE, NI_LOSS_BOTH };

typedef struct ni_walk_options {
    ni_learning learning;
    uint32_t walks, walk_length, window;
    bool along;
    double sample;
    uint32_t loss; /* NI_LOSS_... */
    double p, q;
} ni_walk_options;

/* All but those of ni_learning_set. */
extern const ni_option_set ni_walk_set;

/* Trains l->vectors on walks over l->links, one window after the other (scales false), or a layer for each
 * distance up to the window. */
neap_status ni_walking_train(ni_learner *l, const ni_walk_options *o, bool scales, neap_error *err);

typedef struct ni_walking {
    ni_walker walker;
    ni_windows windows;
    ni_source source;
    uint64_t *visits;
    float *kept;
} ni_walking;

/* The walks of a run, for a method that drives it itself. */
neap_status ni_walking_create(ni_walking *w, const ni_learner *l, const ni_walk_options *o, bool scales,
                              neap_error *err);
void ni_walking_free(ni_walking *w);

/* word2vec draws negatives by the power 3/4 of how often they occur (Mikolov and others 2013). */
#define NI_WALKING_POWER 0.75

/* Options that do not go together (NEAP_E_ARG): scales must divide the vectors; see ni_learner_check. */
neap_status ni_walking_check(const ni_walk_options *o, bool scales, neap_error *err);

/* Prepares a learner, with the losses and layers of the options. To be ended or dropped in any case. */
neap_status ni_walking_prepare(ni_learner *l, const ni_job *job, const ni_walk_options *o, bool scales,
                               neap_error *err);

/* State and positions of such a run of `rows` rows, for the method's declaration. */
void ni_walking_declare(ni_declaration *d, const ni_walk_options *o, bool scales, uint64_t rows);

/* Bytes of a run, by part. */
void ni_walking_bytes(const ni_learner *l, const ni_walk_options *o, bool scales, const neap_graph *given,
                      neap_estimate_result *r);

#endif
