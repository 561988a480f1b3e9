/* options.h - the options of attentive pooling and of its training: a set that its methods include. */
#ifndef NI_ATTENTION_OPTIONS_H
#define NI_ATTENTION_OPTIONS_H

#include "encoders/encoding.h"
#include "model/learning.h"
#include "model/sampler.h"

enum { NI_POOL_MAX, NI_POOL_MEAN };
enum { NI_PAD_NONE, NI_PAD_ZERO, NI_PAD_VECTOR };
enum { NI_DROP_NODE, NI_DROP_OCCURRENCE };
enum { NI_OBJECTIVE_MARGIN, NI_OBJECTIVE_LOGISTIC, NI_OBJECTIVE_HARDEST, NI_OBJECTIVE_SOFTMAX };
enum { NI_ONE_TABLE, NI_TWO_TABLES };
enum { NI_ALIGN_TANH, NI_ALIGN_SCALED };
enum { NI_ATTEND_ALIGNED, NI_ATTEND_UNIFORM };

typedef struct ni_attention_options {
    ni_learning learning;
    uint32_t neighbors; /* S */
    bool self;
    uint32_t pooling; /* NI_POOL_... */
    bool matrix;
    uint32_t padding; /* NI_PAD_... */
    double dropout;
    uint32_t dropout_per; /* NI_DROP_... */
    bool dropout_at_inference;
    ni_sampling sampling;
    uint32_t optimizer; /* NI_ADAM, NI_LAZY_ADAM, NI_ADAGRAD */
    uint32_t objective; /* NI_OBJECTIVE_... */
    double margin;
    ni_encoding encoding;  /* of methods that encode their rows                           */
    uint32_t permutations; /* passes over the edges in an epoch; 0: one                   */

    /* Of gap alone; the first of each, or no, is what the paper has. */
    bool mask;
    uint32_t sides; /* NI_ONE_TABLE, NI_TWO_TABLES */
    bool degrees;
    uint32_t alignment; /* NI_ALIGN_... */
    uint32_t attention; /* NI_ATTEND_... */
    double weight_decay;
} ni_attention_options;

/* All but those of ni_learning_set and ni_sampling_set, and those of gap alone. */
extern const ni_option_set ni_attention_set;
extern const ni_option_set ni_gap_set;

/* Neighbours are compared. Otherwise all of a side count alike, and there is neither alignment nor matrix.
 */
static inline bool ni_aligns(const ni_attention_options *o)
{
    return o->attention == NI_ATTEND_ALIGNED;
}

#endif
