/* method.h - a system: how it is trained, and what can be asked of it. One file each, one line in
 * registry.c; methods do not know each other. A question a method has no answer to is NULL. */
#ifndef NI_METHOD_H
#define NI_METHOD_H

#include "model/checkpoint.h"
#include "model/model.h"

typedef struct ni_method {
    neap_method_info info;
    const ni_default *defaults; /* where they differ from those of gap; NULL: nowhere      */
    const char *tables;         /* tensors that its model file must have: "E,P"; NULL: none */

    neap_status (*train)(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err);

    /* Bytes of a run, by part, but for the program's own; NULL: little more than the graph. */
    neap_status (*bytes)(const neap_graph *graph, const neap_options *options, neap_estimate_result *result,
                         neap_error *err);

    /* The tables of its checkpoints, by name and shape; NULL: it makes none. */
    void (*state)(const neap_model *model, ni_tables *tables);

    /* count scores; nodes are in range. */
    neap_status (*score)(const neap_model *model, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err);

    /* The scores of (source, t) for all nodes t; NULL: score is called with all of them. */
    neap_status (*score_all)(const neap_model *model, uint32_t source, float *scores, neap_error *err);

    /* Optional, both or none, for who needs only the best. score_bounds: least[t] <= score <= most[t] for
     * all nodes t, in less time than score_all, and their scores are finite; or *bounded is false, and
     * least and most are anything. score_some: the scores of some targets, the same bits as score_all. */
    neap_status (*score_bounds)(const neap_model *model, uint32_t source, float *least, float *most,
                                bool *bounded, neap_error *err);
    neap_status (*score_some)(const neap_model *model, uint32_t source, const uint32_t *targets,
                              size_t count, float *scores, neap_error *err);

    neap_status (*vectors)(const neap_model *model, float *vectors, neap_error *err);
    neap_status (*context_vectors)(const neap_model *model, uint32_t context, float *vectors,
                                   neap_error *err);
    neap_status (*explain)(const neap_model *model, uint32_t source, uint32_t target,
                           neap_explanation **out, neap_error *err);
} ni_method;

extern const ni_method ni_method_gap, ni_method_goat, ni_method_pa, ni_method_cn, ni_method_aa,
    ni_method_ra, ni_method_katz, ni_method_l3, ni_method_walk3, ni_method_ppr, ni_method_deepwalk,
    ni_method_node2vec, ni_method_splitter, ni_method_walklets, ni_method_attentivewalk, ni_method_fastrp,
    ni_method_verse, ni_method_line;

/* The method that the options name; NULL, with the nearest name in the error, if there is none. */
const ni_method *ni_method_find(const neap_options *options, neap_error *err);

/* NEAP_E_LIMIT if a run would need more than the option `memory` allows. estimate.c */
neap_status ni_method_check_memory(const ni_method *method, const neap_graph *graph,
                                   const neap_options *options, neap_error *err);

/* `train` of a method that learns nothing: the model is its graph. */
neap_status ni_method_train_nothing(const neap_graph *graph, const neap_options *options,
                                    const neap_hooks *hooks, neap_model **out, neap_error *err);

/* Finite tables can have products that are not: those are refused. */
neap_status ni_method_check_scores(const float *scores, size_t count, neap_error *err);

/* best.c: see neap_model_rank. */
neap_status ni_method_rank(const ni_method *method, const neap_model *model, uint32_t source, size_t k,
                           bool with_known, neap_ranked *best, size_t *count, neap_error *err);

/* The method of a model from a file is known and finds its tables there; a model that is not complete, in a
 * checkpoint, may still lack those of a later part of its training. */
neap_status ni_method_check(const neap_model *model, bool complete, neap_error *err);

/* The same of a checkpoint, and that it has what it needs to go on. */
struct ni_tensors;
neap_status ni_method_check_state(const struct ni_tensors *t, const neap_model *model, neap_error *err);

#endif
