/* An LSTM as lstm.h has it: scalar, one sequence and one direction at a time, O(length h (d + h)), no
 * memory but one state. */
#include "encoders/lstm_reference.h"

#include <stdbool.h>
#include <tgmath.h> /* of the type of ni_real */

/* One direction: column `side` of H and C, `gates` of Z, W and b; U from its row `side` on. */
typedef struct direction {
    const ni_ref_lstm *n;
    uint64_t d, h, side, gates;
    uint32_t length;
    bool behind;
} direction;

static direction direction_of(const ni_ref_lstm *n, uint32_t length, bool behind)
{
    uint64_t h = n->h;
    return (direction){ n, n->d, h, behind ? h : 0, behind ? 4 * h : 0, length, behind };
}

static uint64_t row_at(const direction *e, uint32_t t)
{
    return e->behind ? e->length - 1 - t : t;
}

static ni_real sigmoid(ni_real z)
{
    return 1 / (1 + exp(-z));
}

/* ---- forward ---- */

/* z_j of the row of step t. */
static ni_real sum_gate(const direction *e, const ni_real *X, const ni_real *H, uint32_t t, uint64_t j)
{
    uint64_t row = row_at(e, t), z = 8 * e->h;
    ni_real sum = e->n->b[e->gates + j];
    for (uint64_t i = 0; i < e->d; i++) sum += X[row * e->d + i] * e->n->W[i * z + e->gates + j];
    for (uint64_t i = 0; i < e->h && t > 0; i++)
        sum += H[row_at(e, t - 1) * 2 * e->h + e->side + i] * e->n->U[(e->side + i) * 4 * e->h + j];
    return sum;
}

static void forward(const direction *e, const ni_real *X, ni_real *H, ni_real *Z, ni_real *C)
{
    uint64_t h = e->h;
    for (uint32_t t = 0; t < e->length; t++) {
        uint64_t row = row_at(e, t), state = row * 2 * h + e->side;
        ni_real *z = Z + row * 8 * h + e->gates;
        for (uint64_t j = 0; j < 4 * h; j++) {
            ni_real sum = sum_gate(e, X, H, t, j);
            z[j] = j < 3 * h ? sigmoid(sum) : tanh(sum);
        }
        for (uint64_t k = 0; k < h; k++) {
            ni_real before = t > 0 ? C[row_at(e, t - 1) * 2 * h + e->side + k] : 0;
            C[state + k] = z[h + k] * before + z[k] * z[3 * h + k];
            H[state + k] = z[2 * h + k] * tanh(C[state + k]);
        }
    }
}

void ni_ref_lstm_forward(const ni_ref_lstm *n, const ni_real *X, uint32_t length, ni_real *H, ni_real *Z,
                         ni_real *C)
{
    for (int behind = 0; behind < 2; behind++) {
        direction e = direction_of(n, length, behind);
        forward(&e, X, H, Z, C);
    }
}

/* ---- backward ---- */

typedef struct gradients {
    ni_real *dH, *dX, *dW, *dU, *db;
} gradients;

/* dz of gate j at step t: to the weights, the row and the state before. */
static void spread_gate(const direction *e, const ni_real *X, const ni_real *H, uint32_t t, uint64_t j,
                        ni_real dz, const gradients *to)
{
    uint64_t row = row_at(e, t), z = 8 * e->h;
    to->db[e->gates + j] += dz;
    for (uint64_t i = 0; i < e->d; i++) {
        to->dW[i * z + e->gates + j] += X[row * e->d + i] * dz;
        to->dX[row * e->d + i] += e->n->W[i * z + e->gates + j] * dz;
    }
    for (uint64_t i = 0; i < e->h && t > 0; i++) {
        uint64_t before = row_at(e, t - 1) * 2 * e->h + e->side + i, at = (e->side + i) * 4 * e->h + j;
        to->dU[at] += H[before] * dz;
        to->dH[before] += e->n->U[at] * dz;
    }
}

/* One number of the state at step t; returns dL/dc of the step before from dL/dc of this one. */
static ni_real spread_state(const direction *e, const ni_real *X, const ni_real *H, const ni_real *Z,
                            const ni_real *C, uint32_t t, uint64_t k, ni_real dc, const gradients *to)
{
    uint64_t h = e->h, row = row_at(e, t), state = row * 2 * h + e->side + k;
    const ni_real *z = Z + row * 8 * h + e->gates;
    ni_real i = z[k], f = z[h + k], o = z[2 * h + k], g = z[3 * h + k], bent = tanh(C[state]);
    ni_real before = t > 0 ? C[row_at(e, t - 1) * 2 * h + e->side + k] : 0, dh = to->dH[state];
    dc += dh * o * (1 - bent * bent);
    spread_gate(e, X, H, t, k, dc * g * i * (1 - i), to);
    spread_gate(e, X, H, t, h + k, dc * before * f * (1 - f), to);
    spread_gate(e, X, H, t, 2 * h + k, dh * bent * o * (1 - o), to);
    spread_gate(e, X, H, t, 3 * h + k, dc * i * (1 - g * g), to);
    return dc * f;
}

/* Once a step is done, its dH holds dL/dc of the step before it. */
static void backward(const direction *e, const ni_real *X, const ni_real *H, const ni_real *Z,
                     const ni_real *C, const gradients *to)
{
    uint64_t h = e->h;
    for (uint32_t t = e->length; t-- > 0;)
        for (uint64_t k = 0; k < h; k++) {
            ni_real dc = t + 1 < e->length ? to->dH[row_at(e, t + 1) * 2 * h + e->side + k] : 0;
            dc = spread_state(e, X, H, Z, C, t, k, dc, to);
            to->dH[row_at(e, t) * 2 * h + e->side + k] = dc;
        }
}

void ni_ref_lstm_backward(const ni_ref_lstm *n, const ni_real *X, uint32_t length, const ni_real *H,
                          const ni_real *Z, const ni_real *C, ni_real *dH, ni_real *dX, ni_real *dW,
                          ni_real *dU, ni_real *db)
{
    gradients to = { dH, dX, dW, dU, db };
    for (int behind = 0; behind < 2; behind++) {
        direction e = direction_of(n, length, behind);
        backward(&e, X, H, Z, C, &to);
    }
}
