/* reference_batch.c - prints a small batch as JSON, with the loss and gradients that reference.c gives it:
 * what tests/torch_oracle.py holds the PyTorch implementation to. Neighbourhoods have 0 to S nodes, so that
 * zero vectors of padding take part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/options.h"
#include "attention/reference.h"
#include "base/rng.h"

enum { N = 40, D = 12, S = 6, ITEMS = 50 };

static uint32_t near[N][S], size[N];
static float E[N * D], P[D * D], dE[N * D], dP[D * D];

static void make_hoods(void)
{
    for (uint32_t u = 0; u < N; u++) {
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, u);
        size[u] = (uint32_t)ni_below(&rng, S + 1);
        for (uint32_t i = 0; i < size[u]; i++) /* ascending and distinct */
            near[u][i] = i * (N / S) + (uint32_t)ni_below(&rng, N / S);
    }
}

static void fill(float *x, uint32_t count, uint64_t item)
{
    ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, 0, item);
    for (uint32_t i = 0; i < count; i++) x[i] = (float)ni_normal(&rng) * 0.4F;
}

static void print_numbers(const char *name, const float *x, uint32_t count)
{
    printf("\"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) printf("%s%.9g", i ? ", " : "", (double)x[i]);
    printf("], ");
}

static void print_hoods(void)
{
    printf("\"near\": [");
    for (uint32_t u = 0; u < N; u++) {
        printf("%s[", u ? ", " : "");
        for (uint32_t i = 0; i < S; i++) printf("%s%u", i ? ", " : "", i < size[u] ? near[u][i] : N);
        printf("]");
    }
    printf("], ");
}

static void embed(uint32_t u, float *X, float *dX, ni_ref_sequence *rows)
{
    *rows = (ni_ref_sequence){ X, size[u], dX };
    for (uint32_t i = 0; i < size[u]; i++) memcpy(X + i * D, E + near[u][i] * D, D * sizeof *X);
    memset(dX, 0, (size_t)S * D * sizeof *dX);
}

static void back_embed(uint32_t u, const float *dX)
{
    for (uint32_t i = 0; i < size[u] * D; i++) dE[near[u][i / D] * D + i % D] += dX[i];
}

int main(void)
{
    const ni_ref_model m = { .dim = D, .neighbors = S, .padding = NI_PAD_ZERO, .P = P, .margin = 1 };
    float *work = calloc(ni_ref_room(&m, 1), sizeof *work), X[3][S * D], dX[3][S * D];
    uint32_t picks[3 * (S + 1)];
    double loss = 0;
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, 0);
    if (!work) return 1;
    make_hoods();
    fill(E, N * D, 0);
    fill(P, D * D, 1);
    printf("{\"dim\": %d, \"margin\": 1, \"items\": [", D);
    for (int i = 0; i < ITEMS; i++) {
        uint32_t node[3];
        ni_ref_sequence rows[3];
        for (int k = 0; k < 3; k++) {
            node[k] = (uint32_t)ni_below(&rng, N);
            embed(node[k], X[k], dX[k], &rows[k]);
        }
        loss += (double)ni_ref_loss(&m, rows, 1, NULL, dP, NULL, work, picks) / ITEMS;
        for (int k = 0; k < 3; k++) back_embed(node[k], dX[k]);
        printf("%s[%u, %u, %u]", i ? ", " : "", node[0], node[1], node[2]);
    }
    printf("], ");
    print_hoods();
    for (int i = 0; i < N * D; i++) dE[i] /= ITEMS;
    for (int i = 0; i < D * D; i++) dP[i] /= ITEMS;
    print_numbers("E", E, N * D);
    print_numbers("P", P, D * D);
    print_numbers("dE", dE, N * D);
    print_numbers("dP", dP, D * D);
    printf("\"loss\": %.9g}\n", loss);
    free(work);
    return 0;
}
