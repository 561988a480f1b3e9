/* recurrent_batch.c - prints a small batch of sequences as JSON, with what src/encoders/lstm.c makes of it
 * forward and backward: what tests/recurrent_oracle.py compares with NumPy and PyTorch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "encoders/lstm.h"

enum { D = 7, S = 5, SEQUENCES = 6, ROWS = 1 + SEQUENCES + 30 };
static const uint32_t length[SEQUENCES] = { 4, 1, 0, 12, 3, 10 };

static float X[ROWS * D], H[ROWS * 2 * S], dH[ROWS * 2 * S], dX[ROWS * D];
static float W[D * 8 * S], U[2 * S * 4 * S], b[8 * S], dW[D * 8 * S], dU[2 * S * 4 * S], db[8 * S];

static void fill(float *x, uint32_t count, uint64_t item)
{
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, item);
    for (uint32_t i = 0; i < count; i++) x[i] = (float)ni_normal(&rng) * 0.5F;
}

static void print_numbers(const char *name, const float *x, size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) printf("%s%.9g", i ? ", " : "", (double)x[i]);
    printf("]");
}

#define PRINT(x) print_numbers(#x, x, sizeof(x) / sizeof *(x))

static void print_all(const uint64_t *first)
{
    printf("{\"d\": %d, \"h\": %d, \"sequences\": [", D, S);
    for (uint32_t s = 0; s < SEQUENCES; s++)
        printf("%s[%u, %u]", s ? ", " : "", (unsigned)first[s], length[s]);
    printf("]");
    PRINT(X), PRINT(W), PRINT(U), PRINT(b), PRINT(H), PRINT(dH), PRINT(dX), PRINT(dW), PRINT(dU), PRINT(db);
    printf("}\n");
}

int main(void)
{
    uint64_t first[SEQUENCES];
    ni_lstm n = { D, S, W, U, b };
    ni_packed p = { SEQUENCES, first, length, ni_lstm_lay_out(length, SEQUENCES, first) };
    ni_threads *threads;
    ni_carver c = { 0 };
    fill(X, p.rows * D, 0), fill(dH, p.rows * 2 * S, 1);
    fill(W, D * 8 * S, 2), fill(U, 2 * S * 4 * S, 3), fill(b, 8 * S, 4);
    ni_packed_clear(&p, NULL, D, X);
    ni_lstm_carve(&n, p.rows, SEQUENCES, 1, &c);
    c = (ni_carver){ malloc(c.used), 0 };
    if (!c.block || ni_threads_create(1, &threads, NULL) != NEAP_OK) return 1;
    ni_lstm_memory m = ni_lstm_carve(&n, p.rows, SEQUENCES, 1, &c);
    ni_lstm_forward(&n, &p, X, H, &m, threads);
    ni_lstm_backward(&n, &p, X, H, dH, &m, dX, dW, dU, db, threads);
    print_all(first);
    ni_threads_free(threads);
    free(c.block);
    return 0;
}
