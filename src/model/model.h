/* model.h - what training makes and queries read. */
#ifndef NI_MODEL_H
#define NI_MODEL_H

#include "base/options.h"
#include "base/threads.h"
#include "graph/graph.h"
#include "graph/hood.h"
#include "graph/links.h"
#include "graph/persona.h"

struct neap_model {
    neap_options options;
    neap_graph *graph;    /* what was trained on, and extensions                     */
    ni_links links;       /* of graph                                                */
    ni_hood hood;         /* of graph; ids below `rows`                              */
    uint32_t rows;        /* nodes that have a vector: those of the training graph   */
    uint32_t dim;         /* 0 in a method without vectors                           */
    float *E;             /* rows x dim                                              */
    float *P;             /* dim x dim; NULL: neighbours are compared as they are    */
    float *pad;           /* dim: the fixed vector of padding=vector, or NULL        */
    float *attention;     /* options.window: how much each distance counts, before the softmax, or NULL */
    ni_personas personas; /* of the first `rows` nodes, where a method splits them */
    float *persona;       /* personas x dim: their vectors, or NULL                  */
    float *persona_scale; /* personas: 1 over the length of each, 0 for length 0  */
    uint32_t epochs;      /* epochs after which the weights were kept                */
    double loss;          /* mean of that epoch, or NaN                              */
    double valid_auc;     /* of that epoch, or NaN                                   */
    ni_threads *threads;  /* for queries; made at load                               */
};

/* An empty model of a graph: options, the graph (shared), links and neighbourhoods; no tables. */
neap_status ni_model_create(const neap_graph *graph, const neap_options *options, neap_model **out,
                            neap_error *err);

/* Reads the neighbourhoods of another graph of the same nodes instead: how published evaluations leak. */
neap_status ni_model_read_around(neap_model *model, const neap_graph *around, neap_error *err);

/* Vectors E of the options' dim, uniform within +-bound. */
neap_status ni_model_draw_vectors(neap_model *model, double bound, neap_error *err);

/* Tables at their start values: E Xavier uniform, P normal with deviation sqrt(1/d). */
neap_status ni_model_init_tables(neap_model *model, neap_error *err);

/* Says how long the vectors of the personas are now. */
void ni_model_measure_personas(neap_model *model);

/* Memory of the graph as it was given, of the model's own, its links and neighbourhoods. */
uint64_t ni_model_graph_bytes(const neap_model *model, const neap_graph *given);

/* The tensors and facts of a model; views into it. model_file.c */
struct ni_tensors;
void ni_model_to_tensors(const neap_model *model, struct ni_tensors *t);
neap_status ni_model_from_tensors(const struct ni_tensors *t, neap_model **out, neap_error *err);

/* Everything but whether its method finds what it needs (ni_method_check). */
neap_status ni_model_load(const char *path, neap_model **out, neap_error *err);

#endif
