/* optimizer.h - turns a gradient into a step: Adam on all rows, Adam on touched rows, row-wise Adagrad. */
#ifndef NI_OPTIMIZER_H
#define NI_OPTIMIZER_H

#include "attention/engine.h"
#include "base/options.h"
#include "base/threads.h"
#include "linalg/kernels.h"

typedef struct ni_optimizer {
    const neap_options *options;
    uint32_t rows, dim;
    uint64_t steps;       /* steps made so far                                              */
    float *E_m, *E_v;     /* Adam: rows x dim each                                          */
    float *P_m, *P_v;     /* Adam: dim x dim each                                           */
    float *E_sum, *P_sum; /* Adagrad: one number a row: rows, dim                           */
    uint32_t *row_of;     /* Adam on all rows: where a row's gradient is in a step, or none */
} ni_optimizer;

neap_status ni_optimizer_create(const neap_options *options, uint32_t rows, uint32_t dim, ni_optimizer *o,
                                neap_error *err);
void ni_optimizer_free(ni_optimizer *o);

/* Bytes it will hold. */
uint64_t ni_optimizer_bytes(const neap_options *options, uint64_t rows, uint64_t dim);

/* What Adam needs to know for its step number `steps`, counted from 1. */
ni_adam_step ni_adam_at(double lr, uint64_t steps);

/* One step with rate `lr` on E (rows x dim) and P (dim x dim, or NULL). */
void ni_optimizer_step(ni_optimizer *o, const ni_gradient *g, double lr, float *E, float *P,
                       ni_threads *threads);

#endif
