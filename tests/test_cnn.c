/* The convolution: its reference against finite differences in double, the products against the reference,
 * and the same bits for any number of threads. */
#define NI_REFERENCE_DOUBLE
#include "encoders/cnn_reference.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "encoders/cnn.h"
#include "slopes.h"

enum { D = 5, C = 4, LONGEST = 11, SEQUENCES = 7 };
static const uint32_t lengths[SEQUENCES] = { 1, 0, 450, 2, 3, 9, 1 };

typedef struct world {
    ni_ref_cnn n;
    double W[NI_CNN_WIDEST * D * C], b[C], X[LONGEST * D], H[LONGEST * C], dH[LONGEST * C];
    double dX[LONGEST * D], dW[NI_CNN_WIDEST * D * C], db[C];
    uint32_t length;
} world;

static world *world_create(uint32_t width, bool same, bool activated, bool bias, uint32_t length)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(7, NI_STREAM_GRAPH, width, length);
    assert_non_null(w);
    draw_numbers(w->W, (uint64_t)width * D * C, 0.4, &rng);
    draw_numbers(w->b, C, 0.4, &rng);
    draw_numbers(w->X, (uint64_t)length * D, 0.4, &rng);
    draw_numbers(w->dH, (uint64_t)length * C, 0.4, &rng);
    w->n = (ni_ref_cnn){ width, D, C, same, activated, w->W, bias ? w->b : NULL };
    w->length = length;
    return w;
}

/* L = sum of dH x H, so that dL/dH is dH. */
static double loss_of(void *of)
{
    world *w = of;
    double sum = 0;
    uint32_t windows = ni_ref_cnn_forward(&w->n, w->X, w->length, w->H);
    for (uint32_t i = 0; i < windows * C; i++) sum += w->dH[i] * w->H[i];
    return sum;
}

static void gradients_of_the_reference_are_slopes(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= NI_CNN_WIDEST; width++)
        for (int kind = 0; kind < 8; kind++)
            for (uint32_t length = 1; length < LONGEST; length += 3) {
                bool bias = kind & 4;
                world *w = world_create(width, kind & 1, kind & 2, bias, length);
                loss_of(w);
                ni_ref_cnn_backward(&w->n, w->X, length, w->H, w->dH, w->dX, w->dW, bias ? w->db : NULL);
                expect_slopes(loss_of, w, w->X, (uint64_t)length * D, w->dX, 1e-6);
                expect_slopes(loss_of, w, w->W, (uint64_t)width * D * C, w->dW, 1e-6);
                if (bias) expect_slopes(loss_of, w, w->b, C, w->db, 1e-6);
                free(w);
            }
}

/* ---- the products ---- */

typedef struct packed {
    ni_packed p;
    uint64_t first[SEQUENCES];
    float *W, *b, *X, *H, *dH, *dX, *dW, *db; /* of d and c as below */
} packed;

static packed *run(ni_cnn n, bool bias, uint32_t threads)
{
    packed *k = calloc(1, sizeof *k);
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, n.width, 0);
    ni_threads *pool;
    assert_non_null(k);
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    uint64_t rows = ni_cnn_lay_out(&n, lengths, SEQUENCES, k->first), size = (uint64_t)n.width * n.d * n.c;
    k->p = (ni_packed){ SEQUENCES, k->first, lengths, rows };
    n.W = k->W = floats_of(size, 0.2, &rng);
    k->b = floats_of(n.c, 0.2, &rng);
    n.b = bias ? k->b : NULL;
    k->X = floats_of(rows * n.d, 0.2, &rng);
    ni_packed_clear(&k->p, n.d, k->X);
    k->H = floats_of(rows * n.c, 0.2, NULL);
    k->dH = floats_of(rows * n.c, 0.2, &rng);
    k->dX = floats_of(rows * n.d, 0.2, NULL);
    k->dW = floats_of(size, 0.2, NULL);
    k->db = floats_of(n.c, 0.2, NULL);
    ni_cnn_forward(&n, &k->p, k->X, k->H, pool);
    ni_cnn_backward(&n, &k->p, k->X, k->H, k->dH, k->dX, k->dW, bias ? k->db : NULL, pool);
    ni_threads_free(pool);
    return k;
}

static void packed_free(packed *k)
{
    float *all[] = { k->W, k->b, k->X, k->H, k->dH, k->dX, k->dW, k->db };
    for (int i = 0; i < 8; i++) free(all[i]);
    free(k);
}

static double *doubles(const float *x, uint64_t count)
{
    double *out = calloc(count + 1, sizeof *out);
    assert_non_null(out);
    for (uint64_t i = 0; i < count; i++) out[i] = (double)x[i];
    return out;
}

static void expect_close(const float *ours, const double *theirs, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) assert_true(fabs((double)ours[i] - theirs[i]) < 1e-4);
}

/* dL/dH is what run began with, drawn after X. */
static void compare(ni_cnn n, bool bias)
{
    packed *k = run(n, bias, 2);
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, n.width, 0);
    uint64_t d = n.d, c = n.c, size = n.width * d * c;
    free(floats_of(size, 0.2, &rng)), free(floats_of(c, 0.2, &rng)),
        free(floats_of(k->p.rows * d, 0.2, &rng));
    float *given = floats_of(k->p.rows * c, 0.2, &rng);
    double *W = doubles(k->W, size), *b = doubles(k->b, c);
    double *dW = calloc(size, sizeof *dW), *db = calloc(c, sizeof *db);
    ni_ref_cnn ref = { n.width, n.d, n.c, true, n.tanh, W, bias ? b : NULL };
    for (uint32_t s = 0; s < SEQUENCES; s++) {
        uint32_t length = lengths[s];
        double *X = doubles(k->X + k->first[s] * d, length * d);
        double *dH = doubles(given + k->first[s] * c, length * c);
        double *H = calloc(length * c + 1, sizeof *H), *dX = calloc(length * d + 1, sizeof *dX);
        assert_int_equal(ni_ref_cnn_forward(&ref, X, length, H), length);
        ni_ref_cnn_backward(&ref, X, length, H, dH, dX, dW, bias ? db : NULL);
        expect_close(k->H + k->first[s] * c, H, length * c);
        expect_close(k->dX + k->first[s] * d, dX, length * d);
        free(X), free(dH), free(H), free(dX);
    }
    expect_close(k->dW, dW, size);
    if (bias) expect_close(k->db, db, c);
    free(given), free(W), free(b), free(dW), free(db);
    packed_free(k);
}

static void products_over_all_sequences_are_the_reference_of_each(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= NI_CNN_WIDEST; width++)
        for (int kind = 0; kind < 4; kind++)
            compare((ni_cnn){ .width = width, .d = 20, .c = 11, .tanh = kind & 1 }, kind & 2);
}

/* Rows of seven kinds, in an order that has nothing to do with sequences. */
static void rows_that_repeat_are_multiplied_once_and_give_the_same(void **state)
{
    enum { KINDS = 7, WIDE = 20, OUT = 11 };
    (void)state;
    for (uint32_t width = 1; width <= NI_CNN_WIDEST; width++)
        for (int kind = 0; kind < 4; kind++) {
            ni_cnn n = { .width = width, .d = WIDE, .c = OUT, .tanh = kind & 1 };
            ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, width, 0);
            uint64_t first[SEQUENCES], rows = ni_cnn_lay_out(&n, lengths, SEQUENCES, first);
            ni_packed p = { SEQUENCES, first, lengths, rows };
            float *W = floats_of((uint64_t)width * WIDE * OUT, 0.2, &rng), *b = floats_of(OUT, 0.2, &rng);
            float *rows_of = floats_of((uint64_t)KINDS * WIDE, 0.2, &rng),
                  *X = floats_of(rows * WIDE, 0.2, NULL);
            float *plain = floats_of(rows * OUT, 0.2, NULL), *shared = floats_of(rows * OUT, 0.2, NULL);
            float *T = floats_of((uint64_t)KINDS * width * OUT, 0.2, NULL);
            uint32_t *slot = calloc(rows, sizeof *slot);
            ni_threads *pool;
            assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
            n.W = W, n.b = kind & 2 ? b : NULL;
            for (uint64_t i = 0; i < rows; i++) {
                slot[i] = (uint32_t)ni_below(&rng, KINDS);
                memcpy(X + i * WIDE, rows_of + slot[i] * WIDE, WIDE * sizeof *X);
            }
            ni_packed_clear(&p, WIDE, X);
            ni_cnn_forward(&n, &p, X, plain, pool);
            ni_cnn_forward_shared(&n, &p, slot, rows_of, KINDS, T, shared, pool);
            for (uint32_t s = 0; s < SEQUENCES; s++)
                for (uint64_t i = 0; i < (uint64_t)lengths[s] * OUT; i++)
                    assert_true(fabsf(plain[first[s] * OUT + i] - shared[first[s] * OUT + i]) < 1e-5F);
            ni_threads_free(pool);
            free(W), free(b), free(rows_of), free(X), free(plain), free(shared), free(T), free(slot);
        }
}

static void bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 4; width += 3) {
        ni_cnn n = { .width = width, .d = 130, .c = 70, .tanh = true };
        packed *one = run(n, true, 1);
        for (uint32_t threads = 2; threads <= 4; threads += 2) {
            packed *many = run(n, true, threads);
            uint64_t first = one->first[0],
                     rows = one->first[SEQUENCES - 1] + lengths[SEQUENCES - 1] - first;
            assert_memory_equal(one->H + first * n.c, many->H + first * n.c, rows * n.c * sizeof(float));
            assert_memory_equal(one->dX + first * n.d, many->dX + first * n.d, rows * n.d * sizeof(float));
            assert_memory_equal(one->dW, many->dW, (uint64_t)width * n.d * n.c * sizeof(float));
            assert_memory_equal(one->db, many->db, n.c * sizeof(float));
            packed_free(many);
        }
        packed_free(one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_the_reference_are_slopes),
        cmocka_unit_test(products_over_all_sequences_are_the_reference_of_each),
        cmocka_unit_test(rows_that_repeat_are_multiplied_once_and_give_the_same),
        cmocka_unit_test(bits_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
