/* reference_batch.c - prints a small batch as JSON, with the loss and gradients that reference.c gives it:
 * what tests/torch_oracle.py holds the PyTorch implementation to. Neighbourhoods have 0 to S nodes, so that
 * zero vectors of padding take part. */
#include <stdio.h>
#include <stdlib.h>

#include "attention/reference.h"
#include "base/options.h"
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

static ni_ref_hood hood_of(uint32_t u)
{
    return (ni_ref_hood){ near[u], size[u], NULL, NULL };
}

int main(void)
{
    const ni_ref_model m = { D, S, NI_POOL_MAX, NI_PAD_ZERO, 1, E, P, 0 };
    float *work = calloc(ni_ref_room(&m), sizeof *work);
    uint32_t picks[3 * (S + 1)];
    double loss = 0;
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, 0);
    if (!work) return 1;
    make_hoods();
    fill(E, N * D, 0);
    fill(P, D * D, 1);
    printf("{\"dim\": %d, \"margin\": 1, \"items\": [", D);
    for (int i = 0; i < ITEMS; i++) {
        uint32_t s = (uint32_t)ni_below(&rng, N), t = (uint32_t)ni_below(&rng, N);
        uint32_t n = (uint32_t)ni_below(&rng, N);
        ni_ref_hood side[] = { hood_of(s), hood_of(t), hood_of(n) };
        loss += (double)ni_ref_loss(&m, &side[0], &side[1], &side[2], dE, dP, work, picks) / ITEMS;
        printf("%s[%u, %u, %u]", i ? ", " : "", s, t, n);
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
