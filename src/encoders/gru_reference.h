/* gru_reference.h - the GRU of gru.h, one sequence at a time: its specification.
 *
 * ni_real is float, or double: see base/real.h. */
#ifndef NI_GRU_REFERENCE_H
#define NI_GRU_REFERENCE_H

#include <stdint.h>

#include "base/real.h"

#ifdef NI_REFERENCE_DOUBLE
#define ni_ref_gru_forward ni_ref_gru_forward_double
#define ni_ref_gru_backward ni_ref_gru_backward_double
#endif

typedef struct ni_ref_gru {
    uint32_t d, h;
    const ni_real *W; /* d x 3h */
    const ni_real *U; /* h x 3h */
    const ni_real *b; /* 3h     */
} ni_ref_gru;

/* X (length x d) to H (length x h); the gates into Z (length x 3h), h_p U_g into Q (length x h). */
void ni_ref_gru_forward(const ni_ref_gru *n, const ni_real *X, uint32_t length, ni_real *H, ni_real *Z,
                        ni_real *Q);

/* From dL/dH (length x h), which is spoilt, and what the forward left: adds to dX (length x d), dW
 * (d x 3h), dU (h x 3h) and db (3h). */
void ni_ref_gru_backward(const ni_ref_gru *n, const ni_real *X, uint32_t length, const ni_real *H,
                         const ni_real *Z, const ni_real *Q, ni_real *dH, ni_real *dX, ni_real *dW,
                         ni_real *dU, ni_real *db);

#endif
