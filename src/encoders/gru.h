/* gru.h - a GRU over packed sequences, from the front to the end, with its gradients (Cho et al. 2014, in
 * the form where the reset gate follows the product, as in cuDNN and PyTorch).
 *
 *     r = s(x W_r + h_p U_r + b_r),    u = s(x W_u + h_p U_u + b_u),    s(z) = 1 / (1 + e^-z)
 *     g = tanh(x W_g + b_g + r (h_p U_g)),    h = (1 - u) g + u h_p
 *
 * h_p is the state of the row before, zero before a sequence's first row. x: d numbers, h: h numbers. Rows
 * are laid out as those of lstm.h: a zero row before, between and behind the sequences. 6 h (d + h) flops a
 * row forward, twice as many backward; back-propagation goes through all steps. Every number has one owner
 * and a fixed order of its sum. All memory is the caller's. */
#ifndef NI_GRU_H
#define NI_GRU_H

#include "base/carve.h"
#include "base/threads.h"
#include "encoders/packed.h"

typedef struct ni_gru {
    uint32_t d, h;
    const float *W; /* d x 3h: [r u g] */
    const float *U; /* h x 3h          */
    const float *b; /* 3h              */
} ni_gru;

/* What a forward leaves for its backward. */
typedef struct ni_gru_memory {
    float *Z;        /* rows x 3h: gates; after a backward dL/dz             */
    float *Q;        /* rows x h: h_p U_g; after a backward dL/d(h_p U_g)    */
    uint64_t *order; /* sequences, longest first                             */
    float *scratch;  /* of every thread                                      */
} ni_gru_memory;

static inline uint64_t ni_gru_rows(uint32_t sequences, uint64_t length)
{
    return 1 + length + sequences;
}

/* Where sequences of these lengths begin, into first (count). Returns ni_gru_rows of them. */
uint64_t ni_gru_lay_out(const uint32_t *length, uint32_t count, uint64_t *first);

/* Memory for so many rows and sequences, for any call with that number of threads. */
ni_gru_memory ni_gru_carve(const ni_gru *n, uint64_t rows, uint32_t sequences, uint32_t threads,
                           ni_carver *c);

/* H (rows x h) from X (rows x d), whose rows outside sequences are zero; those of H become zero. After a
 * stop (ni_threads_left_out) it is anything. */
void ni_gru_forward(const ni_gru *n, const ni_packed *p, const float *X, float *H, ni_gru_memory *m,
                    ni_threads *threads);

/* From dL/dH (rows x h), of which rows outside sequences are not read, and what the forward of the same X
 * and H left: dX (rows x d; NULL: not needed), dW (d x 3h), dU (h x 3h) and db (3h). */
void ni_gru_backward(const ni_gru *n, const ni_packed *p, const float *X, const float *H, const float *dH,
                     ni_gru_memory *m, float *dX, float *dW, float *dU, float *db, ni_threads *threads);

#endif
