/* family.h - the methods of attentive pooling as one family: what sets them apart, their tensors, and where
 * their rows and sides come from, in training as in queries. */
#ifndef NI_FAMILY_H
#define NI_FAMILY_H

#include "attention/attention.h"
#include "attention/encoded.h"
#include "attention/options.h"
#include "model/edge_learner.h"

/* What the side of a node is. */
enum {
    NI_SIDES_NEIGHBOURS, /* its neighbours, ascending                                                     */
    NI_SIDES_COMMON,     /* by common neighbours with it: ni_hood_order                                   */
    NI_SIDES_SHUFFLED,   /* in training in a random order, another for each occurrence; else ascending    */
    NI_SIDES_WORDS       /* the words of its text, in their order                                         */
};

/* ni_method.family of these methods. Their options begin with an ni_attention_options, their tensors are an
 * ni_gap. */
typedef struct ni_recipe {
    uint32_t sides; /* NI_SIDES_...                                                       */
    bool encoded;   /* rows go through the encoder of ni_attention_options.encoding       */
    uint32_t score; /* NI_SCORE_... of loss.h                                             */
} ni_recipe;

/* neap_model.own. ids: nodes, or words. d: the option dim, c: the length of rows, d unless they are
 * encoded. */
typedef struct ni_gap {
    float *E;       /* ids x d; with two tables first that of sources, then that of targets */
    float *P;       /* c x c; NULL: the identity                               */
    float *pad;     /* c: the fixed vector of padding=vector, or NULL          */
    float *W;       /* of the encoder, or NULL: see ni_encoder_shape           */
    float *U;       /* likewise                                                */
    float *b;       /* likewise                                                */
    float *degrees; /* weights of linear terms, or NULL: see degrees.h         */
} ni_gap;

static inline const ni_recipe *ni_recipe_of(const neap_model *m)
{
    return m->method->family;
}

/* Hooks of such a method (model/method.h). */
void ni_gap_declare(neap_model *model, ni_declaration *d);
ni_hood_rule ni_gap_hood(const ni_settings *settings);
uint32_t ni_encoding_dim(const ni_settings *settings);

/* ni_edge_rules.options of a method whose options begin with an ni_attention_options. */
ni_edge_options ni_attention_learning(const ni_settings *settings);

/* Allocates the tensors and draws their start values. */
neap_status ni_gap_make_tensors(neap_model *model, neap_error *err);

/* The learned parameters, into list; returns how many. Their values may be NULL still. */
enum { NI_GAP_PARAMETERS = 6 };
uint32_t ni_gap_parameters(const neap_model *model, ni_parameter list[NI_GAP_PARAMETERS]);

/* A context, and what it reads. */
typedef struct ni_pooling {
    ni_attention attention; /* first: see NI_ATTENTION_ANSWERS */
    ni_row_table table;
    ni_gradient taken; /* of the table */
    ni_encoded encoded;
    ni_rows rows;
    ni_hood ordered;  /* where the recipe has an order of its own, else empty */
    ni_hood words;    /* where sides are words: the model's texts; nothing here is its own */
    ni_hood opposite; /* with two tables: the neighbourhoods as ids of the second; its nodes are its own */
    ni_degrees degrees; /* where they count */
} ni_pooling;

/* What a context reads: of the model, or of the pairs that are trained on. */
typedef struct ni_surroundings {
    const neap_graph *graph;
    const ni_links *links; /* of graph */
    const ni_hood *hood;
} ni_surroundings;

/* learns: gradients are taken. Without
 * tensors it can only measure its memory. To be freed in any case. */
neap_status ni_pooling_create(ni_pooling *p, const neap_model *m, const ni_surroundings *around,
                              bool learns, ni_threads *threads, neap_error *err);
void ni_pooling_free(ni_pooling *p);

/* Sets the gradients of a step: those that the rows took and those of the engine. */
void ni_pooling_gradients(const ni_pooling *p, const ni_engine_gradients *gradients,
                          ni_optimizer *optimizer);

/* Bytes of what is no batch. */
uint64_t ni_pooling_bytes(const ni_pooling *p);

/* open and close of a method: a query's context. */
neap_status ni_pooling_open(neap_query *query, neap_error *err);
void ni_pooling_close(neap_query *query);

#endif
