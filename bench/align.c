/* align.c - the kernel that aligns two neighbourhoods and pools the alignments, for tiles of several sizes,
 * against sgemm at 2048 x 2048 x 2048, both on one thread. Looks inside the library; run by engine.py.
 *
 *     align SECONDS                                                                                  */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "linalg/kernels.h"

/* A batch of email has about so many rows; the tiles are cut from them as pairs of neighbourhoods are. */
enum { DIM = 200, ROWS = 1005, TILES = 64, WIDEST = 250, SIDE = 2048, TIMES = 3 };

typedef struct world {
    const ni_kernels *k;
    float *Q, *X;    /* ROWS x DIM                       */
    uint32_t *nodes; /* TILES x 2 x WIDEST: rows of Q, X */
    float *strip;    /* NI_STRIP_ROWS x line             */
    ni_maxima row, col;
} world;

static void align_and_pool(const world *w, const uint32_t *s_row, const uint32_t *t_row, uint32_t side,
                           bool pooled)
{
    for (size_t j = 0; j < ni_whole_lanes(side); j++) w->col.max[j] = -INFINITY;
    for (uint32_t first = 0; first < side; first += NI_STRIP_ROWS) {
        uint32_t a = side - first < NI_STRIP_ROWS ? side - first : NI_STRIP_ROWS;
        ni_maxima row = { w->row.max + first, w->row.arg + first };
        w->k->align(w->Q, s_row + first, a, w->X, t_row, side, DIM, w->strip);
        if (pooled) w->k->pool(w->strip, a, side, first, &row, &w->col);
    }
}

/* Flops a second: the best of a few times. Without pooling it is the products alone. */
static double rate_of_tiles(const world *w, uint32_t side, bool pooled, double seconds)
{
    double best = 0;
    for (int time = 0; time < TIMES; time++) {
        double start = ni_seconds(), passed = 0, flops = 0;
        while (passed < seconds / TIMES) {
            for (uint32_t i = 0; i < TILES; i++) {
                const uint32_t *s_row = w->nodes + (size_t)i * 2 * WIDEST;
                align_and_pool(w, s_row, s_row + WIDEST, side, pooled);
            }
            flops += 2.0 * TILES * side * side * DIM;
            passed = ni_seconds() - start;
        }
        if (flops / passed > best) best = flops / passed;
    }
    return best;
}

static double rate_of_sgemm(float *block)
{
    size_t cells = (size_t)SIDE * SIDE;
    ni_factor A = { block, SIDE, false }, B = { block + cells, SIDE, false };
    double best = INFINITY;
    for (int time = 0; time < TIMES; time++) {
        double start = ni_seconds();
        ni_blas_gemm(&A, &B, SIDE, SIDE, SIDE, false, block + 2 * cells, SIDE);
        double passed = ni_seconds() - start;
        if (passed < best) best = passed;
    }
    return 2.0 * SIDE * SIDE * SIDE / best;
}

static float *numbers(size_t count)
{
    float *x = ni_array(count, sizeof *x);
    for (size_t i = 0; x && i < count; i++) x[i] = (float)(i * 7 % 13) / 13 - 0.5F;
    return x;
}

static int make_world(world *w)
{
    size_t line = ni_whole_lanes(WIDEST), picks = (size_t)TILES * 2 * WIDEST;
    ni_rng rng = ni_rng_at(1, NI_STREAM_DROPOUT, 0, 0);
    *w = (world){ .k = ni_kernels_get(),
                  .Q = numbers((size_t)ROWS * DIM),
                  .X = numbers((size_t)ROWS * DIM),
                  .nodes = ni_array(picks, sizeof(uint32_t)),
                  .strip = numbers(NI_STRIP_ROWS * line),
                  .row = { numbers(line), ni_array(line, sizeof(uint32_t)) },
                  .col = { numbers(line), ni_array(line, sizeof(uint32_t)) } };
    if (!w->Q || !w->X || !w->nodes || !w->strip || !w->row.max || !w->row.arg || !w->col.max ||
        !w->col.arg)
        return 0;
    for (size_t i = 0; i < picks; i++) w->nodes[i] = (uint32_t)(ni_next(&rng) % ROWS);
    return 1;
}

int main(int argc, char **argv)
{
    static const uint32_t sides[] = { 8, 16, 32, 64, 100, 128, WIDEST };
    enum { SIDES = sizeof sides / sizeof *sides };
    world w;
    float *block = numbers(3 * (size_t)SIDE * SIDE);
    if (argc != 2) return 2;
    if (!block || !make_world(&w)) return fprintf(stderr, "align: out of memory\n"), 4;
    ni_blas_begin();
    printf("{\"kernels\": \"%s\", \"dim\": %d, \"tiles\": [", w.k->name, DIM);
    for (int i = 0; i < SIDES; i++) { /* sgemm before each, since a machine's speed may change */
        double seconds = strtod(argv[1], NULL), peak = rate_of_sgemm(block);
        double rate = rate_of_tiles(&w, sides[i], true, seconds);
        double alone = rate_of_tiles(&w, sides[i], false, seconds);
        printf("%s{\"side\": %u, \"rate\": %.6g, \"alone\": %.6g, \"sgemm\": %.6g, \"share\": %.4f}",
               i ? ", " : "", sides[i], rate, alone, peak, rate / peak);
    }
    printf("]}\n");
    return 0;
}
