/* model.h - what training makes and queries read. A model never changes once it is made: extensions are
 * new models that share its tensors, and the last holder frees it. */
#ifndef NI_MODEL_H
#define NI_MODEL_H

#include <stdatomic.h>

#include "base/options.h"
#include "base/threads.h"
#include "graph/graph.h"
#include "graph/targets.h"
#include "model/declare.h"
#include "model/texts.h"

struct ni_method;

/* The tensors of one model or of several. */
typedef struct ni_store {
    ni_declaration list;
    atomic_uint sharers; /* besides the first */
} ni_store;

struct neap_model {
    const struct ni_method *method;
    const ni_settings *settings;
    neap_graph *graph;  /* what was trained on, and extensions                                      */
    ni_links links;     /* of graph                                                                 */
    ni_targets targets; /* that it is trained for                                                  */
    ni_hood hood;       /* of graph, ids below `rows`; empty if the method reads no neighbourhoods  */
    ni_texts texts;     /* of its nodes; empty if the method reads no text                          */
    uint32_t rows;      /* nodes that were in training                                              */
    uint32_t dim;       /* length of the vectors; 0 in a method without                             */
    ni_store *tensors;  /* what the method declared                                                 */
    void *own;          /* the method's struct: where its tensors are, and what it derives of them  */
    uint32_t epochs;    /* epochs after which the weights were kept                                 */
    double loss;        /* mean of that epoch, or NaN                                               */
    double valid_auc;   /* of that epoch, or NaN                                                    */
    atomic_uint sharers;
};

/* What is to be trained, and how. */
typedef struct ni_job {
    const struct ni_method *method;
    const neap_data *data; /* complete: read by ni_sized_in */
    const ni_settings *settings;
    const neap_hooks *hooks; /* likewise, or NULL             */
} ni_job;

/* A model without tensors: the graph (shared, or without its loops), links and neighbourhoods. */
neap_status ni_model_create(const ni_job *job, neap_model **out, neap_error *err);

/* One more holder; each calls neap_model_free. */
neap_model *ni_model_share(const neap_model *model);

/* Calls the method's declare and allocates the tensors that have no data yet; zeros. */
neap_status ni_model_allocate(neap_model *model, neap_error *err);

/* n random numbers, uniform within +-bound: item u is row u of a table. */
void ni_model_draw(const neap_model *model, uint64_t item, uint64_t n, double bound, float *row);

/* The same for a row of the model's vectors: item u is node u. */
void ni_model_draw_row(const neap_model *model, uint64_t item, double bound, float *row);

/* Rows 0 .. rows-1 of such. */
void ni_model_draw_rows(const neap_model *model, double bound, float *rows);

/* Memory of the graph as it was given, of the model's own, its links and neighbourhoods. */
uint64_t ni_model_graph_bytes(const neap_model *model, const neap_graph *given);

/* Links of a node with nodes that were in training. */
uint32_t ni_model_known_links(const neap_model *model, uint32_t node);

/* The length of vectors: what the method says, the option dim, or 0 in a method without. */
uint32_t ni_model_dim(const struct ni_method *method, const ni_settings *settings);

/* The keys of a model's metadata, ended by NULL; see ni_tensors_only. model_file.c */
enum { NI_MODEL_FACTS = 10 };
extern const char *const ni_model_facts[NI_MODEL_FACTS + 1];

/* The tensors and facts of a model; views into it. */
void ni_model_to_tensors(const neap_model *model, ni_tensors *t);

/* The value of an option's fact in today's words: an older file may have had others. value may be NULL. */
const char *ni_option_said(const ni_tensors *t, const char *key, const char *value);

/* What a method did before it had the option of that name: its declaration says so, while the method's own
 * default may say what is better today. Files that lack an option are from before. NULL: it has none. */
const char *ni_option_before(const struct ni_method *method, const char *name);

/* A model from a file that holds one, or from a checkpoint, whose other tensors are checked as well. */
neap_status ni_model_from_tensors(const ni_tensors *t, neap_model **out, neap_error *err);

#endif
