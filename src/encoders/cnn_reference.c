/* A convolution as cnn.h has it: scalar, one sequence at a time, O(length width d c), no memory. */
#include "encoders/cnn_reference.h"

#include <string.h>
#include <tgmath.h> /* of the type of ni_real */

static uint32_t windows_of(const ni_ref_cnn *n, uint32_t length)
{
    if (n->same) return length;
    return length < n->width ? 0 : length - n->width + 1;
}

/* The row that entry j of window i reads; false: it lies outside. */
static bool row_of(const ni_ref_cnn *n, uint32_t length, uint32_t i, uint32_t j, uint64_t *row)
{
    uint64_t before = n->same ? (n->width - 1) / 2 : 0, at = (uint64_t)i + j;
    *row = at - before;
    return at >= before && *row < length;
}

uint32_t ni_ref_cnn_forward(const ni_ref_cnn *n, const ni_real *X, uint32_t length, ni_real *H)
{
    uint64_t d = n->d, c = n->c, row;
    uint32_t windows = windows_of(n, length);
    for (uint32_t i = 0; i < windows; i++) {
        ni_real *h = H + i * c;
        for (uint64_t q = 0; q < c; q++) h[q] = n->b ? n->b[q] : 0;
        for (uint32_t j = 0; j < n->width; j++)
            for (uint64_t p = 0; p < d && row_of(n, length, i, j, &row); p++)
                for (uint64_t q = 0; q < c; q++) h[q] += X[row * d + p] * n->W[(j * d + p) * c + q];
        for (uint64_t q = 0; q < c && n->tanh; q++) h[q] = tanh(h[q]);
    }
    return windows;
}

/* dz = dh (1 - h^2);   dx_row += dz W_j',   dW_j += x_row' dz,   db += dz */
void ni_ref_cnn_backward(const ni_ref_cnn *n, const ni_real *X, uint32_t length, const ni_real *H,
                         const ni_real *dH, ni_real *dX, ni_real *dW, ni_real *db)
{
    uint64_t d = n->d, c = n->c, row;
    for (uint32_t i = 0; i < windows_of(n, length); i++)
        for (uint64_t q = 0; q < c; q++) {
            ni_real h = H[i * c + q], dz = dH[i * c + q] * (n->tanh ? 1 - h * h : 1);
            if (db) db[q] += dz;
            for (uint32_t j = 0; j < n->width; j++)
                for (uint64_t p = 0; p < d && row_of(n, length, i, j, &row); p++) {
                    dX[row * d + p] += dz * n->W[(j * d + p) * c + q];
                    dW[(j * d + p) * c + q] += dz * X[row * d + p];
                }
        }
}
