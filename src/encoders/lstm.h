/* lstm.h - a bi-directional LSTM over packed sequences, with its gradients (Hochreiter and Schmidhuber
 * 1997, with the forget gate of Gers, Schmidhuber and Cummins 2000; Schuster and Paliwal 1997).
 *
 *     [i f o g]_t = x_t W + h_p U + b,      i, f, o by s(z) = 1 / (1 + e^-z), g by tanh
 *     c_t = f c_p + i g,    h_t = o tanh(c_t)
 *
 * p is t - 1 for the direction from the front, t + 1 for the one from behind; h_p and c_p are zero before a
 * sequence's first row. x: d numbers; the states of both directions lie side by side in a row of H, 2h
 * numbers. There is one bias: where others add two, it is their sum.
 *
 * The matrices are laid out with a zero row before, between and behind the sequences (ni_lstm_lay_out), so
 * that "the row before" of all rows is one matrix from another row on: x W for all rows, dX, dW and dU are
 * single products. The recurrence runs over groups of sequences of about the same length, a task per group
 * and direction; back-propagation goes through all steps. 16 h (d + h) flops a row forward, twice as many
 * backward. Every number has one owner and a fixed order of its sum. All memory is the caller's. */
#ifndef NI_LSTM_H
#define NI_LSTM_H

#include <stdbool.h>

#include "base/carve.h"
#include "base/threads.h"
#include "encoders/packed.h"

typedef struct ni_lstm {
    uint32_t d, h;  /* of a row of X; of a state */
    const float *W; /* d x 8h: [i f o g] of the direction from the front, then of the other */
    const float *U; /* 2h x 4h: h rows of the one, h of the other */
    const float *b; /* 8h */
} ni_lstm;

/* What a forward leaves for its backward. */
typedef struct ni_lstm_memory {
    float *Z;        /* rows x 8h: gates; after a backward dL/dz */
    float *C;        /* rows x 2h: c_t                           */
    uint64_t *order; /* sequences, longest first                 */
    float *scratch;  /* of every thread                          */
} ni_lstm_memory;

/* The rows of X, H and their gradients for so many sequences of `length` rows in all. */
static inline uint64_t ni_lstm_rows(uint32_t sequences, uint64_t length)
{
    return 1 + length + sequences;
}

/* Where sequences of these lengths begin, into first (count). Returns ni_lstm_rows of them. */
uint64_t ni_lstm_lay_out(const uint32_t *length, uint32_t count, uint64_t *first);

/* Memory for so many rows and sequences, for any call with that number of threads. */
ni_lstm_memory ni_lstm_carve(const ni_lstm *n, uint64_t rows, uint32_t sequences, uint32_t threads,
                             ni_carver *c);

/* H (rows x 2h) from X (rows x d), whose rows outside sequences are zero; those of H become zero. After a
 * stop (ni_threads_left_out) it is anything. */
void ni_lstm_forward(const ni_lstm *n, const ni_packed *p, const float *X, float *H, ni_lstm_memory *m,
                     ni_threads *threads);

/* The same where rows of X repeat: row i of a sequence is row slot[first + i] of D (distinct x d), which is
 * multiplied by W once, whatever sequences it occurs in. slot: rows. T: distinct x 8h, work space. Unless
 * `keep`, nothing is left for a backward, and Z and C are not touched. */
void ni_lstm_forward_shared(const ni_lstm *n, const ni_packed *p, const uint32_t *slot, const float *D,
                            uint32_t distinct, bool keep, float *T, float *H, ni_lstm_memory *m,
                            ni_threads *threads);

/* From dL/dH (rows x 2h), of which rows outside sequences are not read, and what the forward of the same X
 * and H left: dX (rows x d; NULL: not needed; anything outside sequences), dW (d x 8h), dU (2h x 4h) and db
 * (8h). */
void ni_lstm_backward(const ni_lstm *n, const ni_packed *p, const float *X, const float *H, const float *dH,
                      ni_lstm_memory *m, float *dX, float *dW, float *dU, float *db, ni_threads *threads);

#endif
