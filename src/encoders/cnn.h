/* cnn.h - a convolution over packed sequences, with its gradients.
 *
 *     z_i = b + sum_{j < width} x_{i - before + j} W_j,    h_i = tanh(z_i) or z_i
 *
 * x: d numbers, W_j: d x c, h: c numbers. One window per row; x is zero outside the sequence. before =
 * (width - 1) / 2, rounded down: an even width reads one row more behind than before.
 *
 * The matrices are laid out with zero rows around the sequences (ni_cnn_lay_out), so that window j of all
 * rows is one matrix product, whatever sequences it crosses: 2 rows width d c flops forward, twice as many
 * backward. Windows that cross sequences are computed and not read; their gradient is zero. Every number
 * has one owner and a fixed order of its sum. All memory is the caller's. */
#ifndef NI_CNN_H
#define NI_CNN_H

#include <stdbool.h>

#include "base/threads.h"
#include "encoders/packed.h"

enum { NI_CNN_WIDEST = 9 };

typedef struct ni_cnn {
    uint32_t width, d, c; /* width: 1 .. NI_CNN_WIDEST */
    bool tanh;            /* else linear               */
    const float *W;       /* width x d x c             */
    const float *b;       /* c, or NULL                */
} ni_cnn;

static inline uint32_t ni_cnn_before(const ni_cnn *n)
{
    return (n->width - 1) / 2;
}

/* The rows of X, H and their gradients for so many sequences of `length` rows in all: width - 1 rows at
 * both ends, and half a window behind each sequence. */
static inline uint64_t ni_cnn_rows(const ni_cnn *n, uint32_t sequences, uint64_t length)
{
    return 2 * ((uint64_t)n->width - 1) + length + (uint64_t)sequences * (n->width / 2);
}

/* Where sequences of these lengths begin, into first (count). Returns ni_cnn_rows of them. */
uint64_t ni_cnn_lay_out(const ni_cnn *n, const uint32_t *length, uint32_t count, uint64_t *first);

/* H (rows x c) from X (rows x d), whose rows outside sequences are zero. Rows of H outside
 * sequences are anything. */
void ni_cnn_forward(const ni_cnn *n, const ni_packed *p, const float *X, float *H, ni_threads *threads);

/* The same where rows of X repeat: row i of a sequence is row slot[first + i] of D (distinct x d), which is
 * multiplied once, whatever sequences it occurs in: 2 distinct width d c flops, and a sum of width rows for
 * each window. slot: rows. T: distinct x width x c, work space. Other rows of H stay as they are. */
void ni_cnn_forward_shared(const ni_cnn *n, const ni_packed *p, const uint32_t *slot, const float *D,
                           uint32_t distinct, float *T, float *H, ni_threads *threads);

/* From dL/dH; dH becomes dL/dZ, zero outside sequences. dX (rows x d; NULL: not
 * needed) is written between the ends of the matrix, dW (width x d x c) and db (c; NULL: there is none)
 * all. */
void ni_cnn_backward(const ni_cnn *n, const ni_packed *p, const float *X, const float *H, float *dH,
                     float *dX, float *dW, float *db, ni_threads *threads);

#endif
