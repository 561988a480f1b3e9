/* cnn_reference.h - the convolution of cnn.h, one sequence at a time: its specification.
 *
 * ni_real is float, or double: see base/real.h. */
#ifndef NI_CNN_REFERENCE_H
#define NI_CNN_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/real.h"

#ifdef NI_REFERENCE_DOUBLE
#define ni_ref_cnn_forward ni_ref_cnn_forward_double
#define ni_ref_cnn_backward ni_ref_cnn_backward_double
#endif

typedef struct ni_ref_cnn {
    uint32_t width, d, c;
    bool same; /* as cnn.h has it; otherwise, as in CANE, before = 0, and only windows inside the sequence:
                  length - width + 1 of them, none if it is shorter than the window */
    bool tanh;
    const ni_real *W; /* width x d x c */
    const ni_real *b; /* c, or NULL    */
} ni_ref_cnn;

/* X (length x d) to H (windows x c); returns how many windows there are. */
uint32_t ni_ref_cnn_forward(const ni_ref_cnn *n, const ni_real *X, uint32_t length, ni_real *H);

/* From dL/dH (windows x c): adds to dX (length x d), dW (width x d x c) and db (c, or NULL). */
void ni_ref_cnn_backward(const ni_ref_cnn *n, const ni_real *X, uint32_t length, const ni_real *H,
                         const ni_real *dH, ni_real *dX, ni_real *dW, ni_real *db);

#endif
