/* affine.h - Z = b + X W for all rows of X, and its gradients: how recurrences begin.
 *
 * 2 rows d z flops forward, twice as many backward. Every number has one owner and a fixed order of its
 * sum. All memory is the caller's; runs on all threads. */
#ifndef NI_AFFINE_H
#define NI_AFFINE_H

#include "base/threads.h"

typedef struct ni_affine {
    uint64_t rows, d, z;
    const float *X; /* rows x d */
    const float *W; /* d x z    */
    const float *b; /* z        */
} ni_affine;

void ni_affine_forward(const ni_affine *a, float *Z, ni_threads *threads);

/* dX = dZ W' (NULL: not needed), dW = X' dZ, db: the sum of the rows of dZ. */
void ni_affine_backward(const ni_affine *a, const float *dZ, float *dX, float *dW, float *db,
                        ni_threads *threads);

#endif
