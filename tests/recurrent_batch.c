/* recurrent_batch.c - prints a small batch of sequences as JSON, with what src/encoders/lstm.c and gru.c
 * make of it forward and backward: what tests/recurrent_oracle.py compares with NumPy and PyTorch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "encoders/gru.h"
#include "encoders/lstm.h"

enum { D = 7, S = 5, SEQUENCES = 6, ROWS = 1 + SEQUENCES + 30 };
static const uint32_t length[SEQUENCES] = { 4, 1, 0, 12, 3, 10 };

/* Room for the LSTM; the GRU has one direction and one gate less. */
static float X[ROWS * D], H[ROWS * 2 * S], dH[ROWS * 2 * S], dX[ROWS * D];
static float W[D * 8 * S], U[2 * S * 4 * S], b[8 * S], dW[D * 8 * S], dU[2 * S * 4 * S], db[8 * S];

static void fill(float *x, uint64_t count, uint64_t item)
{
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, item);
    for (uint64_t i = 0; i < count; i++) x[i] = (float)ni_normal(&rng) * 0.5F;
}

static void fill_all(const ni_packed *p, uint64_t states, uint64_t w, uint64_t u, uint64_t bias)
{
    fill(X, p->rows * D, 0), fill(dH, p->rows * states, 1);
    fill(W, w, 2), fill(U, u, 3), fill(b, bias, 4);
    ni_packed_clear(p, D, X);
}

static void print_numbers(const char *name, const float *x, uint64_t count)
{
    printf(", \"%s\": [", name);
    for (uint64_t i = 0; i < count; i++) printf("%s%.9g", i ? ", " : "", (double)x[i]);
    printf("]");
}

/* states: numbers in a row of H; w, u, bias: numbers of W, U and b. */
static void print_all(const char *net, const ni_packed *p, uint64_t states, uint64_t w, uint64_t u,
                      uint64_t bias)
{
    printf("\"%s\": {\"d\": %d, \"h\": %d, \"sequences\": [", net, D, S);
    for (uint32_t s = 0; s < SEQUENCES; s++)
        printf("%s[%u, %u]", s ? ", " : "", (unsigned)p->first[s], length[s]);
    printf("]");
    print_numbers("X", X, p->rows * D), print_numbers("dX", dX, p->rows * D);
    print_numbers("H", H, p->rows * states), print_numbers("dH", dH, p->rows * states);
    print_numbers("W", W, w), print_numbers("dW", dW, w);
    print_numbers("U", U, u), print_numbers("dU", dU, u);
    print_numbers("b", b, bias), print_numbers("db", db, bias);
    printf("}");
}

static bool run_lstm(const ni_packed *p, ni_threads *threads)
{
    ni_lstm n = { D, S, W, U, b };
    ni_carver c = { 0 };
    ni_lstm_carve(&n, p->rows, SEQUENCES, 1, &c);
    c = (ni_carver){ malloc(c.used), 0 };
    if (!c.block) return false;
    ni_lstm_memory m = ni_lstm_carve(&n, p->rows, SEQUENCES, 1, &c);
    fill_all(p, 2 * S, D * 8 * S, 2 * S * 4 * S, 8 * S);
    ni_lstm_forward(&n, p, X, H, &m, threads);
    ni_lstm_backward(&n, p, X, H, dH, &m, dX, dW, dU, db, threads);
    print_all("lstm", p, 2 * S, D * 8 * S, 2 * S * 4 * S, 8 * S);
    free(c.block);
    return true;
}

static bool run_gru(const ni_packed *p, ni_threads *threads)
{
    ni_gru n = { D, S, W, U, b };
    ni_carver c = { 0 };
    ni_gru_carve(&n, p->rows, SEQUENCES, 1, &c);
    c = (ni_carver){ malloc(c.used), 0 };
    if (!c.block) return false;
    ni_gru_memory m = ni_gru_carve(&n, p->rows, SEQUENCES, 1, &c);
    fill_all(p, S, D * 3 * S, S * 3 * S, 3 * S);
    ni_gru_forward(&n, p, X, H, &m, threads);
    ni_gru_backward(&n, p, X, H, dH, &m, dX, dW, dU, db, threads);
    print_all("gru", p, S, D * 3 * S, S * 3 * S, 3 * S);
    free(c.block);
    return true;
}

int main(void)
{
    uint64_t first[SEQUENCES];
    ni_packed p = { SEQUENCES, first, length, ni_lstm_lay_out(length, SEQUENCES, first) };
    ni_threads *threads;
    if (ni_threads_create(1, &threads, NULL) != NEAP_OK) return 1;
    printf("{");
    bool done = run_lstm(&p, threads);
    printf(", ");
    done = done && run_gru(&p, threads);
    printf("}\n");
    ni_threads_free(threads);
    return done ? 0 : 1;
}
