/* method.h - a system: its options, its tensors, its training, and its queries. One file for a family of
 * them, one line each in methods/methods.def; methods are independent of each other. What a method does not
 * have is NULL. */
#ifndef NI_METHOD_H
#define NI_METHOD_H

#include <unistd.h>

#include "model/best.h"
#include "model/model.h"

/* See neap_query in neap.h. */
struct neap_query {
    neap_model *model; /* shared */
    ni_threads *threads;
    void *own;               /* the method's, made by `open`                            */
    neap_hooks heard;        /* the caller's, copied                                    */
    const neap_hooks *hooks; /* heard, or NULL                                          */
    float *vectors;          /* nodes x dim, of length 1, after the first cosine        */
    double prior;            /* share of links that probabilities assume                */
    long process;            /* in which it may be used                                 */
};

typedef struct ni_method {
    neap_method_info info;
    ni_option_layout options; /* its struct is ni_settings.own */

    /* What its family of methods reads; see there. NULL: nothing. */
    const void *family;

    /* The length of vectors, where that is not the option `dim`. */
    uint32_t (*dim)(const ni_settings *settings);

    /* What the ranges of single options do not exclude: NEAP_E_ARG. NULL: nothing. */
    neap_status (*check)(const ni_settings *settings, neap_error *err);

    /* Which neighbours the model reads for each node; NULL: it reads none. */
    ni_hood_rule (*hood)(const ni_settings *settings);

    /* Which words of the nodes' texts the model reads; NULL: it reads none. Training without text fails,
     * but for a method that reads features (info.features) and has some: then m->texts has no words. */
    const ni_text_options *(*text)(const ni_settings *settings);

    /* The model's tensors, into neap_model.own, a struct of `own` bytes. NULL: none. */
    size_t own;
    void (*declare)(neap_model *model, ni_declaration *d);

    /* Called once the tensors are filled: checks their contents and derives what follows from them,
     * which `release` frees. Both may be NULL. */
    neap_status (*derive)(neap_model *model, neap_error *err);
    void (*release)(neap_model *model);

    neap_status (*train)(const ni_job *job, neap_model **out, neap_error *err);

    /* Bytes of a run, by part, but for the program's own; NULL: little more than the graph. */
    neap_status (*bytes)(const ni_job *job, neap_estimate_result *result, neap_error *err);

    /* What a query keeps between calls, in query->own; NULL: nothing. */
    neap_status (*open)(neap_query *query, neap_error *err);
    void (*close)(neap_query *query);

    /* count scores; nodes are in range. */
    neap_status (*score)(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err);

    /* The scores of (source, t) for all nodes t; NULL: score is called with all of them. */
    neap_status (*score_all)(neap_query *query, uint32_t source, float *scores, neap_error *err);
    bool masks_links; /* score takes a link as if it were not there, which score_all does not */

    /* Optional, both or none, for ranking. score_bounds: least[t] <= score <= most[t] for
     * all nodes t, in less time than score_all, and their scores are finite; or *bounded is false, and
     * least and most are anything. score_some: the scores of some targets, the same bits as score_all. */
    neap_status (*score_bounds)(neap_query *query, uint32_t source, float *least, float *most,
                                bool *bounded, neap_error *err);
    neap_status (*score_some)(neap_query *query, uint32_t source, const uint32_t *targets, size_t count,
                              float *scores, neap_error *err);

    /* One vector for each node; and, optional, those of some nodes, where that takes less time. */
    neap_status (*vectors)(neap_query *query, float *vectors, neap_error *err);
    neap_status (*some_vectors)(neap_query *query, const uint32_t *nodes, size_t count, float *vectors,
                                neap_error *err);

    /* The vectors of all nodes when paired with one; of both nodes of pairs. */
    neap_status (*context_vectors)(neap_query *query, uint32_t context, float *vectors, neap_error *err);
    neap_status (*pair_vectors)(neap_query *query, const neap_pair *pairs, size_t count, float *sources,
                                float *targets, neap_error *err);

    neap_status (*explain)(neap_query *query, uint32_t source, uint32_t target, neap_explanation **out,
                           neap_error *err);
} ni_method;

/* ---- methods/registry.c ---- */

/* NULL behind the last. */
const ni_method *ni_method_at(size_t i);

/* The method of that name; NULL, with the nearest name in the error, if there is none. */
const ni_method *ni_method_find(const char *name, neap_error *err);

/* ---- options.c ---- */

/* Reads all options for the method that they name. */
neap_status ni_settings_read(const neap_options *options, const ni_method **method, ni_settings **out,
                             neap_error *err);

/* The declaration of an option by name or alias; NULL if there is none in any method. */
const ni_option *ni_option_find(const char *name);

/* Whether the method has an option of that name besides the common ones. */
bool ni_method_has_option(const ni_method *method, const char *name);

/* ---- estimate.c ---- */

/* NEAP_E_LIMIT if a run would need more than the option `memory` allows. */
neap_status ni_job_check_memory(const ni_job *job, neap_error *err);

/* A training of a few seconds, to measure its rate. */
typedef struct ni_pace {
    uint64_t items; /* trained on: edges, or nodes of walks */
    double seconds; /* which the items took                 */
    double left;    /* expected until the end, or NaN       */

    const neap_hooks *theirs;
    double limit;
    bool interrupted; /* by the caller's progress */
} ni_pace;

/* Hooks that end a training once `seconds` have passed. Of the caller's, which may be NULL, the progress
 * counts. */
neap_hooks ni_pace_hooks(ni_pace *pace, const neap_hooks *theirs, double seconds);

/* What such a training ended with: NEAP_OK also if it was ended by the clock, NEAP_E_STOPPED if the
 * caller's progress requested a stop. */
neap_status ni_pace_end(const ni_pace *pace, neap_status rc);

/* ---- train.c ---- */

/* What the structs of a caller become; a job points here. */
typedef struct ni_job_room {
    neap_data data;
    neap_hooks hooks;
} ni_job_room;

/* A job from what a caller gives; hooks may be NULL. To be freed in any case. */
neap_status ni_job_read(const neap_data *data, const neap_options *options, const neap_hooks *hooks,
                        ni_job_room *room, ni_job *job, neap_error *err);
void ni_job_free(ni_job *job);

/* `train` of a method that learns nothing: the model is its graph. */
neap_status ni_train_nothing(const ni_job *job, neap_model **out, neap_error *err);

/* A remark for the user. */
void ni_note(const neap_hooks *hooks, const char *text);

/* ---- query.c ---- */

/* Finite tables can have products that are not: those are refused. */
neap_status ni_check_scores(const float *scores, size_t count, neap_error *err);

/* neap_query_score into an array. */
neap_status ni_query_score(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                           neap_error *err);

/* The vectors of all nodes, made as long as 1, in query->vectors; once. */
neap_status ni_query_directions(neap_query *query, neap_error *err);

/* The scores of (source, t) for all nodes t. */
neap_status ni_query_score_all(neap_query *query, uint32_t source, float *scores, neap_error *err);

/* The same within a query that has begun, unchecked. rank.c */
neap_status ni_rank_score_all(neap_query *query, uint32_t source, float *scores, neap_error *err);

/* The k best targets; see neap_query_rank. rank.c */
neap_status ni_rank_best(neap_query *query, const neap_rank_spec *spec, const ni_targets *targets,
                         uint32_t source, ni_ranked *best, size_t *count, neap_error *err);

#endif
