/* lstm_reference.h - the LSTM of lstm.h, one sequence at a time: its specification.
 *
 * ni_real is float, or double: see base/real.h. */
#ifndef NI_LSTM_REFERENCE_H
#define NI_LSTM_REFERENCE_H

#include <stdint.h>

#include "base/real.h"

#ifdef NI_REFERENCE_DOUBLE
#define ni_ref_lstm_forward ni_ref_lstm_forward_double
#define ni_ref_lstm_backward ni_ref_lstm_backward_double
#endif

typedef struct ni_ref_lstm {
    uint32_t d, h;
    const ni_real *W; /* d x 8h  */
    const ni_real *U; /* 2h x 4h */
    const ni_real *b; /* 8h      */
} ni_ref_lstm;

/* X (length x d) to H (length x 2h); the gates into Z (length x 8h), c_t into C (length x 2h). */
void ni_ref_lstm_forward(const ni_ref_lstm *n, const ni_real *X, uint32_t length, ni_real *H, ni_real *Z,
                         ni_real *C);

/* From dL/dH (length x 2h), which is spoilt, and what the forward left: adds to dX (length x d), dW
 * (d x 8h), dU (2h x 4h) and db (8h). */
void ni_ref_lstm_backward(const ni_ref_lstm *n, const ni_real *X, uint32_t length, const ni_real *H,
                          const ni_real *Z, const ni_real *C, ni_real *dH, ni_real *dX, ni_real *dW,
                          ni_real *dU, ni_real *db);

#endif
