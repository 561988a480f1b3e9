/* method.h - a system: how it is trained, and what can be asked of it. One file each, one line in
 * registry.c; methods do not know each other. A question a method has no answer to is NULL. */
#ifndef NI_METHOD_H
#define NI_METHOD_H

#include "model/model.h"

typedef struct ni_method {
    neap_method_info info;

    neap_status (*train)(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err);

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

extern const ni_method ni_method_gap, ni_method_pa, ni_method_cn, ni_method_aa, ni_method_ra,
    ni_method_katz, ni_method_l3, ni_method_walk3, ni_method_ppr;

/* `train` of a method that learns nothing: the model is its graph. */
neap_status ni_method_train_nothing(const neap_graph *graph, const neap_options *options,
                                    const neap_hooks *hooks, neap_model **out, neap_error *err);

/* Finite tables can have products that are not: those are refused. */
neap_status ni_method_check_scores(const float *scores, size_t count, neap_error *err);

/* best.c: see neap_model_rank. */
neap_status ni_method_rank(const ni_method *method, const neap_model *model, uint32_t source, size_t k,
                           bool with_known, neap_ranked *best, size_t *count, neap_error *err);

/* The method of a model from a file is known and finds its tables there. */
neap_status ni_method_check(const neap_model *model, neap_error *err);

#endif
