/* group.h - one update of a skip-gram model: some inputs against some outputs.
 *
 * With x_p the inputs and y_q the outputs they share (negatives, or the inner nodes of a tree), and each
 * input's own output y'_p (its positive):
 *     loss = - sum_p [ log s(x_p.y'_p - b) + sum_q log s(+-(x_p.y_q - c)) ],   s(z) = 1 / (1 + e^-z)
 * The gradients of all of it are taken at the old values, then x, y and y' make one step each. (A row that
 * comes more than once, as an input's own output does in the windows of a walk, makes its steps one after
 * the other.) Sharing outputs turns what is most of the work into small matrix products. */
#ifndef NI_GROUP_H
#define NI_GROUP_H

#include "linalg/kernels.h"

enum { NI_GROUP_INPUTS = 16, NI_GROUP_OUTPUTS = 64, NI_GROUP_SCRATCH = 2 * NI_GROUP_OUTPUTS };

typedef struct ni_group {
    const ni_kernels *k;
    float *in, *out; /* tables of rows of `dim`; may be the same                     */
    size_t dim;
    float rate;
    float bias, shared_bias; /* b and c                                                  */
    uint32_t inputs, outputs;
    uint32_t input[NI_GROUP_INPUTS];    /* rows of in                                    */
    uint32_t positive[NI_GROUP_INPUTS]; /* rows of out; unused without positives         */
    uint32_t output[NI_GROUP_OUTPUTS];  /* rows of out that all inputs share             */
    uint8_t label[NI_GROUP_OUTPUTS];    /* 1: it belongs to the inputs; 0: it does not   */
    bool positives;
    float *scratch; /* NI_GROUP_SCRATCH x dim */
} ni_group;

/* Makes the step. Returns the loss before it where that is asked for, or 0. */
double ni_group_step(ni_group *g, bool loss);

#endif
