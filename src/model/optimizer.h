/* optimizer.h - turns gradients into a step: Adam on all rows, Adam on touched rows, row-wise Adagrad.
 *
 * What a method learns is a list of parameters, matrices of any shape. A table of rows has gradients of the
 * rows that a step touched, a dense parameter has one of all its numbers. The optimiser owns the moments;
 * values and gradients are lent to it. */
#ifndef NI_OPTIMIZER_H
#define NI_OPTIMIZER_H

#include "base/threads.h"
#include "linalg/kernels.h"

enum { NI_ADAM, NI_LAZY_ADAM, NI_ADAGRAD };

/* Of some rows of a parameter, or of all. */
typedef struct ni_gradient {
    const float *values; /* rows x columns                                                             */
    const uint32_t *row; /* rows: distinct rows of the parameter, or NEAP_NONE: skip; NULL: all in order */
    uint32_t rows;
} ni_gradient;

typedef struct ni_parameter {
    const char *name;
    float *value; /* rows x columns                                                        */
    uint64_t rows;
    uint32_t columns;
    bool by_rows;         /* gradients have a list of rows; otherwise they are dense               */
    double rate;          /* factor of the step size                                               */
    double decay;         /* weight decay apart from the gradient (Loshchilov and Hutter 2019):
                             value -= step size x rate x decay x value, before the step; 0: none */
    ni_gradient gradient; /* of the step to be made, set before ni_optimizer_step           */

    float *m, *v;     /* Adam's moments: rows x columns                                   */
    float *sum;       /* Adagrad's sum of mean squares: rows                              */
    uint32_t *row_of; /* Adam on all rows: where a row's gradient is in a step, or none   */
} ni_parameter;

typedef struct ni_optimizer {
    uint32_t kind; /* NI_ADAM, NI_LAZY_ADAM, NI_ADAGRAD                           */
    uint32_t count;
    ni_parameter *parameter;
    float *zero;    /* as many zeros as the longest row: the gradient of an untouched one */
    uint64_t steps; /* made so far                                                 */
} ni_optimizer;

/* list: count parameters as they are above the gradient. False: no memory. */
bool ni_optimizer_create(uint32_t kind, const ni_parameter *list, uint32_t count, ni_optimizer *o);
void ni_optimizer_free(ni_optimizer *o);

/* The parameter of that name, or NULL. */
ni_parameter *ni_optimizer_find(const ni_optimizer *o, const char *name);

/* Bytes that an optimiser of such parameters holds. */
uint64_t ni_optimizer_bytes(uint32_t kind, const ni_parameter *list, uint32_t count);

/* One step of size `lr` on every parameter, each by its gradient. */
void ni_optimizer_step(ni_optimizer *o, double lr, ni_threads *threads);

#endif
