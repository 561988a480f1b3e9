/* learner.h - what the methods with a skip-gram model share: a model under way, its tables, and the run. A
 * method brings the pairs. */
#ifndef NI_LEARNER_H
#define NI_LEARNER_H

#include "model/loop.h"
#include "walks/skipgram.h"

/* What is trained instead of the nodes, where a method makes something of them. The nodes' vectors then
 * stay as they are. */
typedef struct ni_stand_in {
    const char *name; /* of the table in a file                 */
    uint32_t rows;
    float *vectors; /* rows x dim, with their start values    */
    void *self;

    /* After a step, which was on so many places from `first` on, counted since the start of training. */
    void (*after)(void *self, uint64_t first, uint64_t places, double rate);

    /* Scores of pairs of nodes. */
    neap_status (*score)(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err);
} ni_stand_in;

typedef struct ni_learner {
    neap_model *model;
    neap_split *split;          /* or NULL                                                        */
    ni_links split_links;       /* of split->train                                                */
    const neap_graph *graph;    /* what is trained on: the model's, or without the validation pairs */
    const ni_links *links;      /* of graph, or between what is trained instead of nodes          */
    const ni_stand_in *instead; /* NULL: the nodes are trained                                 */

    uint32_t layers;         /* of the vectors: each is layers x (dim / layers) numbers        */
    uint32_t tied;           /* layers whose inputs and outputs are the same vectors, the first ones */
    bool unit;               /* a layer of a vector is a direction: scored so, of length 1 in the end */
    bool negatives, tree;    /* which losses                                                   */
    float bias, shared_bias; /* see group.h                                                    */

    ni_grid grid, alone; /* of negatives; of the tree                   */
    ni_tree huffman;
    float *outputs, *inner; /* rows x dim                                  */
    ni_skipgram by_negatives, by_tree;
    ni_course course;
} ni_learner;

/* A model without vectors yet, and the pairs kept back for validation. */
neap_status ni_learner_start(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                             ni_learner *l, neap_error *err);

/* Trains, from the vectors that the model has, or else from random ones, uniform within +-1/2d. weight: how
 * often a node should be a negative, before the power; the tree's frequencies. */
neap_status ni_learner_run(ni_learner *l, const ni_source *source, const uint64_t *weight, double power,
                           const neap_hooks *hooks, neap_error *err);

/* Frees what a run made, so that another can follow with the same model. */
void ni_learner_rest(ni_learner *l);

/* Hands the model over, if rc is NEAP_OK, and frees the rest; returns rc. */
neap_status ni_learner_end(ni_learner *l, neap_status rc, neap_model **out);

/* Frees everything, the model too; returns rc. */
neap_status ni_learner_drop(ni_learner *l, neap_status rc);

/* Bytes of such a run, by part; the graph as the user gave it. */
void ni_learner_bytes(const ni_learner *l, const ni_source *source, const neap_graph *given,
                      neap_estimate_result *r);

/* The tables of a run. */
void ni_learner_tables(const ni_learner *l, ni_tables *tables);

#endif
