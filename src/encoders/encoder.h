/* encoder.h - a convolution or an LSTM behind one interface: what turns rows of sequences into rows of the
 * same sequences, one for one. */
#ifndef NI_ENCODER_H
#define NI_ENCODER_H

#include "encoders/cnn.h"
#include "encoders/encoding.h"
#include "encoders/lstm.h"

typedef struct ni_encoder {
    uint32_t kind; /* NI_ENCODER_...; that one is set */
    ni_cnn cnn;
    ni_lstm lstm;
} ni_encoder;

/* Its parameters: W (W_rows x W_columns), U (U_rows x U_columns; the convolution has none), b (columns). */
typedef struct ni_encoder_shape {
    uint64_t W_rows, U_rows;
    uint32_t W_columns, U_columns;
} ni_encoder_shape;

/* From rows of d numbers to rows of c, which for an LSTM is even. */
ni_encoder_shape ni_encoder_shape_of(const ni_encoding *encoding, uint32_t d, uint32_t c);
ni_encoder ni_encoder_of(const ni_encoding *encoding, uint32_t d, uint32_t c, const float *W,
                         const float *U, const float *b);

/* Numbers of a row that is read, and of one that is written. */
static inline uint32_t ni_encoder_d(const ni_encoder *e)
{
    return e->kind == NI_ENCODER_LSTM ? e->lstm.d : e->cnn.d;
}

static inline uint32_t ni_encoder_c(const ni_encoder *e)
{
    return e->kind == NI_ENCODER_LSTM ? 2 * e->lstm.h : e->cnn.c;
}

/* Every row is encoded by itself. */
static inline bool ni_encoder_is_by_row(const ni_encoder *e)
{
    return e->kind == NI_ENCODER_CNN && e->cnn.width == 1;
}

/* Rows of the matrices for so many sequences of `length` rows in all; where each begins. */
uint64_t ni_encoder_rows(const ni_encoder *e, uint32_t sequences, uint64_t length);
uint64_t ni_encoder_lay_out(const ni_encoder *e, const uint32_t *length, uint32_t count, uint64_t *first);

/* What a forward leaves for its backward, and the gradients that a backward writes. */
typedef struct ni_encoder_memory {
    ni_lstm_memory lstm;
    float *dW, *dU, *db; /* as W, U and b; none unless it learns */
} ni_encoder_memory;

ni_encoder_memory ni_encoder_carve(const ni_encoder *e, uint64_t rows, uint32_t sequences, uint32_t threads,
                                   bool learns, ni_carver *c);

/* H (rows x c) from X (rows x d), which is zero outside sequences; H is anything there. */
void ni_encoder_forward(const ni_encoder *e, const ni_packed *p, const float *X, float *H,
                        ni_encoder_memory *m, ni_threads *threads);

/* The same from the distinct rows D (distinct x d) of X, each multiplied once; see ni_cnn_forward_shared
 * and ni_lstm_forward_shared. T: distinct x ni_encoder_shared, work space. A backward may follow if `keep`.
 */
static inline uint64_t ni_encoder_shared(const ni_encoder *e)
{
    uint64_t c = ni_encoder_c(e);
    return e->kind == NI_ENCODER_LSTM ? 4 * c : e->cnn.width * c;
}

void ni_encoder_forward_shared(const ni_encoder *e, const ni_packed *p, const uint32_t *slot,
                               const float *D, uint32_t distinct, bool keep, float *T, float *H,
                               ni_encoder_memory *m, ni_threads *threads);

/* From dL/dH, which may be overwritten, to dX (rows x d; anything outside sequences), dW, dU and db. */
void ni_encoder_backward(const ni_encoder *e, const ni_packed *p, const float *X, const float *H, float *dH,
                         ni_encoder_memory *m, float *dX, ni_threads *threads);

#endif
