/* products.c - the matrix products of a training step, by our kernel and by OpenBLAS, in turn, on one
 * thread.
 *
 *     products SECONDS
 *
 * The shapes are those of a step on email: d = 200, a task's 128 rows, a thousand rows in all. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sys.h"
#include "linalg/blas.h"

enum { ROWS = 128, ALL = 1000, DIM = 200, STRIPE = 54, ROUNDS = 7 };

typedef struct shape {
    const char *about;
    bool a_transposed, b_transposed;
    size_t m, n, k;
} shape;

static const shape shapes[] = {
    { "X P", false, false, ROWS, DIM, DIM },
    { "Q X'", false, true, ROWS, ALL, DIM },
    { "H P'", false, true, ROWS, DIM, DIM },
    { "X' H", true, false, STRIPE, DIM, ALL },
};

/* Flops a second. Factors have rows of DIM numbers, as in a step. */
static double rate_of(ni_product *product, const shape *s, const float *A, const float *B, float *C,
                      double seconds)
{
    ni_factor left = { A, DIM, s->a_transposed }, right = { B, DIM, s->b_transposed };
    double start = ni_seconds(), passed;
    uint64_t times = 0;
    do {
        product(&left, &right, s->m, s->n, s->k, false, C, s->n);
        times++;
        passed = ni_seconds() - start;
    } while (passed < seconds);
    return 2.0 * (double)(s->m * s->n * s->k * times) / passed;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    size_t cells = (size_t)ALL * DIM;
    float *block = ni_array(3 * cells, sizeof *block);
    if (!block) return 4;
    for (size_t i = 0; i < 3 * cells; i++) block[i] = (float)(i * 7 % 13) / 13 - 0.5F;
    ni_blas_begin();
    printf("{\"core\": \"%s\", \"shapes\": [", openblas_get_corename());
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double ours = 0, theirs = 0, rate;
        for (int round = 0; round < ROUNDS; round++) { /* the best of each: others may want the machine */
            rate = rate_of(ni_kernels_get()->gemm, &shapes[i], block, block + cells, block + 2 * cells,
                           strtod(argv[1], NULL));
            ours = rate > ours ? rate : ours;
            rate = rate_of(ni_blas_gemm, &shapes[i], block, block + cells, block + 2 * cells,
                           strtod(argv[1], NULL));
            theirs = rate > theirs ? rate : theirs;
        }
        printf("%s{\"product\": \"%s\", \"rate\": %.6g, \"openblas\": %.6g, \"ratio\": %.4f}",
               i ? ", " : "", shapes[i].about, ours, theirs, ours / theirs);
    }
    printf("]}\n");
    ni_free(block);
    return 0;
}
