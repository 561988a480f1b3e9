/* A GRU as gru.h has it: scalar, one sequence at a time, O(length h (d + h)), no memory. */
#include "encoders/gru_reference.h"

#include <tgmath.h> /* of the type of ni_real */

static ni_real sigmoid(ni_real z)
{
    return 1 / (1 + exp(-z));
}

/* ---- forward ---- */

/* b_j + x_t W_j */
static ni_real from_row(const ni_ref_gru *n, const ni_real *X, uint32_t t, uint64_t j)
{
    ni_real sum = n->b[j];
    for (uint64_t i = 0; i < n->d; i++) sum += X[t * (uint64_t)n->d + i] * n->W[i * 3 * n->h + j];
    return sum;
}

/* h_p U_j */
static ni_real from_state(const ni_ref_gru *n, const ni_real *H, uint32_t t, uint64_t j)
{
    ni_real sum = 0;
    for (uint64_t i = 0; i < n->h && t > 0; i++)
        sum += H[(t - 1) * (uint64_t)n->h + i] * n->U[i * 3 * n->h + j];
    return sum;
}

void ni_ref_gru_forward(const ni_ref_gru *n, const ni_real *X, uint32_t length, ni_real *H, ni_real *Z,
                        ni_real *Q)
{
    uint64_t h = n->h;
    for (uint32_t t = 0; t < length; t++) {
        ni_real *z = Z + t * 3 * h;
        for (uint64_t j = 0; j < 2 * h; j++) z[j] = sigmoid(from_row(n, X, t, j) + from_state(n, H, t, j));
        for (uint64_t k = 0; k < h; k++) {
            Q[t * h + k] = from_state(n, H, t, 2 * h + k);
            z[2 * h + k] = tanh(from_row(n, X, t, 2 * h + k) + z[k] * Q[t * h + k]);
            H[t * h + k] = (1 - z[h + k]) * z[2 * h + k] + (t > 0 ? z[h + k] * H[(t - 1) * h + k] : 0);
        }
    }
}

/* ---- backward ---- */

typedef struct gradients {
    ni_real *dH, *dX, *dW, *dU, *db;
} gradients;

/* dz of b_j + x_t W_j, ds of h_p U_j. */
static void spread(const ni_ref_gru *n, const ni_real *X, const ni_real *H, uint32_t t, uint64_t j,
                   ni_real dz, ni_real ds, const gradients *to)
{
    uint64_t d = n->d, h = n->h;
    to->db[j] += dz;
    for (uint64_t i = 0; i < d; i++) {
        to->dW[i * 3 * h + j] += X[t * d + i] * dz;
        to->dX[t * d + i] += n->W[i * 3 * h + j] * dz;
    }
    for (uint64_t i = 0; i < h && t > 0; i++) {
        to->dU[i * 3 * h + j] += H[(t - 1) * h + i] * ds;
        to->dH[(t - 1) * h + i] += n->U[i * 3 * h + j] * ds;
    }
}

void ni_ref_gru_backward(const ni_ref_gru *n, const ni_real *X, uint32_t length, const ni_real *H,
                         const ni_real *Z, const ni_real *Q, ni_real *dH, ni_real *dX, ni_real *dW,
                         ni_real *dU, ni_real *db)
{
    uint64_t h = n->h;
    gradients to = { dH, dX, dW, dU, db };
    for (uint32_t t = length; t-- > 0;)
        for (uint64_t k = 0; k < h; k++) {
            const ni_real *z = Z + t * 3 * h;
            ni_real r = z[k], u = z[h + k], g = z[2 * h + k], dh = dH[t * h + k];
            ni_real dg = dh * (1 - u) * (1 - g * g), dr = dg * Q[t * h + k] * r * (1 - r);
            ni_real du = dh * ((t > 0 ? H[(t - 1) * h + k] : 0) - g) * u * (1 - u);
            spread(n, X, H, t, k, dr, dr, &to);
            spread(n, X, H, t, h + k, du, du, &to);
            spread(n, X, H, t, 2 * h + k, dg, dg * r, &to);
            if (t > 0) dH[(t - 1) * h + k] += dh * u;
        }
}
