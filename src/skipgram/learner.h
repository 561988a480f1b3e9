/* learner.h - what the methods with a skip-gram model share: a model under way, its tables, and the run. A
 * method brings the pairs. */
#ifndef NI_LEARNER_H
#define NI_LEARNER_H

#include "skipgram/skipgram.h"
#include "train/loop.h"

typedef struct ni_learner {
    neap_model *model;
    neap_split *split;       /* or NULL                                                        */
    ni_links split_links;    /* of split->train                                                */
    const neap_graph *graph; /* what is trained on: the model's, or without the validation pairs */
    const ni_links *links;   /* of graph                                                       */

    uint32_t layers;         /* of the vectors: each is layers x (dim / layers) numbers        */
    bool one_table;          /* inputs and outputs are the same vectors                        */
    bool negatives, tree;    /* which losses                                                   */
    float bias, shared_bias; /* see group.h                                                    */

    ni_grid grid, alone; /* of negatives; of the tree                   */
    ni_tree huffman;
    float *outputs, *inner; /* rows x dim                                  */
    ni_skipgram by_negatives, by_tree;
    ni_course course;
} ni_learner;

/* A model with its start values, uniform within +-1/2d, and the pairs kept back for validation. */
neap_status ni_learner_start(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                             ni_learner *l, neap_error *err);

/* Trains. weight: how often a node should be a negative, before the power; the tree's frequencies. */
neap_status ni_learner_run(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                           const neap_hooks *hooks, neap_error *err);

/* Hands the model over, if rc is NEAP_OK, and frees the rest; returns rc. */
neap_status ni_learner_end(ni_learner *l, neap_status rc, neap_model **out);

/* The tables of a run. */
void ni_learner_tables(const ni_learner *l, ni_tables *tables);

#endif
