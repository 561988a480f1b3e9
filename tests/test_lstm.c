/* The LSTM: its reference against finite differences in double, the products against the reference, the
 * same bits for any number of threads. tests/recurrent_oracle.py holds it to NumPy and PyTorch. */
#define NI_REFERENCE_DOUBLE
#include "encoders/lstm_reference.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sys.h"
#include "encoders/lstm.h"
#include "linalg/kernels.h"
#include "slopes.h"

enum { D = 4, S = 3, LONGEST = 6 }; /* S: of a state */

typedef struct world {
    ni_ref_lstm n;
    double W[D * 8 * S], U[2 * S * 4 * S], b[8 * S], X[LONGEST * D];
    double H[LONGEST * 2 * S], Z[LONGEST * 8 * S], C[LONGEST * 2 * S], dH[LONGEST * 2 * S];
    double dX[LONGEST * D], dW[D * 8 * S], dU[2 * S * 4 * S], db[8 * S];
    uint32_t length;
} world;

static world *world_create(uint32_t length)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(7, NI_STREAM_GRAPH, 1, length);
    assert_non_null(w);
    draw_numbers(w->W, sizeof w->W / sizeof *w->W, 0.6, &rng);
    draw_numbers(w->U, sizeof w->U / sizeof *w->U, 0.6, &rng);
    draw_numbers(w->b, 8 * S, 0.6, &rng);
    draw_numbers(w->X, (uint64_t)length * D, 0.6, &rng);
    draw_numbers(w->dH, (uint64_t)length * 2 * S, 0.6, &rng);
    w->n = (ni_ref_lstm){ D, S, w->W, w->U, w->b };
    w->length = length;
    return w;
}

/* L = sum of dH x H, so that dL/dH is dH. */
static double loss_of(void *of)
{
    world *w = of;
    double sum = 0;
    ni_ref_lstm_forward(&w->n, w->X, w->length, w->H, w->Z, w->C);
    for (uint32_t i = 0; i < w->length * 2 * S; i++) sum += w->dH[i] * w->H[i];
    return sum;
}

static void gradients_of_the_reference_are_slopes(void **state)
{
    (void)state;
    for (uint32_t length = 1; length <= LONGEST; length++) {
        world *w = world_create(length);
        double dH[LONGEST * 2 * S];
        loss_of(w);
        memcpy(dH, w->dH, sizeof dH);
        ni_ref_lstm_backward(&w->n, w->X, length, w->H, w->Z, w->C, dH, w->dX, w->dW, w->dU, w->db);
        expect_slopes(loss_of, w, w->X, (uint64_t)length * D, w->dX, 1e-6);
        expect_slopes(loss_of, w, w->W, sizeof w->W / sizeof *w->W, w->dW, 1e-6);
        expect_slopes(loss_of, w, w->U, sizeof w->U / sizeof *w->U, w->dU, 1e-6);
        expect_slopes(loss_of, w, w->b, 8 * S, w->db, 1e-6);
        free(w);
    }
}

/* ---- the products ---- */

enum { SEQUENCES = 101 }; /* three groups */

typedef struct packed {
    ni_packed p;
    ni_lstm n;
    uint64_t first[SEQUENCES];
    uint32_t length[SEQUENCES];
    float *W, *U, *b, *X, *H, *dH, *dX, *dW, *dU, *db;
    void *block;
} packed;

/* Lengths 0 to 12, and one of 300. */
static packed *run(uint32_t d, uint32_t h, uint32_t threads)
{
    packed *k = calloc(1, sizeof *k);
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, d, h);
    ni_threads *pool;
    ni_carver c = { 0 };
    assert_non_null(k);
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    for (uint32_t s = 0; s < SEQUENCES; s++) k->length[s] = s == 40 ? 300 : (uint32_t)ni_below(&rng, 13);
    uint64_t rows = ni_lstm_lay_out(k->length, SEQUENCES, k->first);
    k->p = (ni_packed){ SEQUENCES, k->first, k->length, rows };
    k->W = floats_of((uint64_t)d * 8 * h, 0.3, &rng);
    k->U = floats_of((uint64_t)8 * h * h, 0.3, &rng);
    k->b = floats_of(8 * (uint64_t)h, 0.3, &rng);
    k->X = floats_of(rows * d, 0.3, &rng);
    ni_packed_clear(&k->p, d, k->X);
    k->dH = floats_of(rows * 2 * h, 0.3, &rng);
    k->H = floats_of(rows * 2 * h, 0.3, NULL);
    k->dX = floats_of(rows * d, 0.3, NULL);
    k->dW = floats_of((uint64_t)d * 8 * h, 0.3, NULL);
    k->dU = floats_of((uint64_t)8 * h * h, 0.3, NULL);
    k->db = floats_of(8 * (uint64_t)h, 0.3, NULL);
    k->n = (ni_lstm){ d, h, k->W, k->U, k->b };
    ni_lstm_carve(&k->n, rows, SEQUENCES, threads, &c);
    k->block = malloc(c.used);
    assert_non_null(k->block);
    memset(k->block, 0xff, c.used); /* NaN */
    c = (ni_carver){ k->block, 0 };
    ni_lstm_memory m = ni_lstm_carve(&k->n, rows, SEQUENCES, threads, &c);
    ni_lstm_forward(&k->n, &k->p, k->X, k->H, &m, pool);
    ni_lstm_backward(&k->n, &k->p, k->X, k->H, k->dH, &m, k->dX, k->dW, k->dU, k->db, pool);
    ni_threads_free(pool);
    return k;
}

static void packed_free(packed *k)
{
    float *all[] = { k->W, k->U, k->b, k->X, k->H, k->dH, k->dX, k->dW, k->dU, k->db };
    for (int i = 0; i < 10; i++) free(all[i]);
    free(k->block);
    free(k);
}

static double *doubles(const float *x, uint64_t count)
{
    double *out = calloc(count + 1, sizeof *out);
    assert_non_null(out);
    for (uint64_t i = 0; x && i < count; i++) out[i] = (double)x[i];
    return out;
}

static void expect_close(const float *ours, const double *theirs, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        assert_true(fabs((double)ours[i] - theirs[i]) < 1e-4 * (1 + fabs(theirs[i])));
}

/* dW, dU and db are summed over all sequences. */
static void compare_sequence(const packed *k, uint32_t s, const ni_ref_lstm *n, double *dW, double *dU,
                             double *db)
{
    uint64_t d = n->d, h = n->h, first = k->first[s], length = k->length[s];
    double *X = doubles(k->X + first * d, length * d), *dH = doubles(k->dH + first * 2 * h, length * 2 * h);
    double *H = doubles(NULL, length * 2 * h), *Z = doubles(NULL, length * 8 * h);
    double *C = doubles(NULL, length * 2 * h), *dX = doubles(NULL, length * d);
    ni_ref_lstm_forward(n, X, k->length[s], H, Z, C);
    ni_ref_lstm_backward(n, X, k->length[s], H, Z, C, dH, dX, dW, dU, db);
    expect_close(k->H + first * 2 * h, H, length * 2 * h);
    expect_close(k->dX + first * d, dX, length * d);
    free(X), free(dH), free(H), free(Z), free(C), free(dX);
}

static void groups_of_sequences_are_the_reference_of_each(void **state)
{
    (void)state;
    for (uint32_t h = 1; h < 20; h += 6) {
        packed *k = run(17, h, 2);
        uint64_t d = k->n.d, w = d * 8 * h, u = (uint64_t)8 * h * h;
        double *W = doubles(k->W, w), *U = doubles(k->U, u), *b = doubles(k->b, 8 * (uint64_t)h);
        double *dW = doubles(NULL, w), *dU = doubles(NULL, u), *db = doubles(NULL, 8 * (uint64_t)h);
        ni_ref_lstm n = { k->n.d, h, W, U, b };
        for (uint32_t s = 0; s < SEQUENCES; s++) compare_sequence(k, s, &n, dW, dU, db);
        expect_close(k->dW, dW, w);
        expect_close(k->dU, dU, u);
        expect_close(k->db, db, 8 * (uint64_t)h);
        free(W), free(U), free(b), free(dW), free(dU), free(db);
        packed_free(k);
    }
}

/* The same bits; where the products are OpenBLAS's, which chooses another order for each shape, but for
 * rounding. */
static void expect_same(const float *x, const float *y, uint64_t count)
{
    if (ni_kernels_get() != &ni_kernels_scalar) assert_memory_equal(x, y, count * sizeof *x);
    for (uint64_t i = 0; i < count; i++) assert_true(fabsf(x[i] - y[i]) <= 1e-5F * (1 + fabsf(y[i])));
}

/* Of rows that repeat: X is made of few, the first run's. */
static void rows_that_are_multiplied_once_give_the_bits_of_all_rows(void **state)
{
    enum { IDS = 7 };
    packed *k = run(60, 40, 2), *again = run(60, 40, 2);
    uint64_t h = k->n.h, d = k->n.d, rows = k->p.rows;
    ni_threads *pool;
    ni_carver c = { k->block, 0 };
    ni_lstm_memory m = ni_lstm_carve(&k->n, rows, SEQUENCES, 2, &c);
    float *T = floats_of(IDS * 8 * h, 0, NULL), *some = floats_of(IDS * d, 0, NULL);
    uint32_t *slot = calloc(rows, sizeof *slot);
    (void)state;
    assert_non_null(slot);
    assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
    for (uint64_t i = 0; i < IDS; i++)
        memcpy(some + i * d, k->X + (k->first[40] + i) * d, d * sizeof *some);
    for (uint64_t i = 0; i < rows; i++) {
        slot[i] = (uint32_t)(i % IDS);
        memcpy(k->X + i * d, some + slot[i] * d, d * sizeof *some);
    }
    ni_packed_clear(&k->p, d, k->X);
    ni_lstm_forward(&k->n, &k->p, k->X, k->H, &m, pool);
    ni_lstm_backward(&k->n, &k->p, k->X, k->H, k->dH, &m, k->dX, k->dW, k->dU, k->db, pool);
    for (int keep = 0; keep < 2; keep++) {
        memset(again->H, 0xff, rows * 2 * h * sizeof(float));
        memset(m.Z, 0xff, rows * 8 * h * sizeof(float));
        ni_lstm_forward_shared(&k->n, &k->p, slot, some, IDS, keep, T, again->H, &m, pool);
        expect_same(again->H, k->H, rows * 2 * h);
    }
    ni_lstm_backward(&k->n, &k->p, k->X, again->H, k->dH, &m, again->dX, again->dW, again->dU, again->db,
                     pool);
    expect_same(again->dW, k->dW, d * 8 * h);
    expect_same(again->dU, k->dU, 8 * h * h);
    expect_same(again->db, k->db, 8 * h);
    ni_threads_free(pool);
    free(T), free(some), free(slot);
    packed_free(k);
    packed_free(again);
}

static void bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    packed *one = run(60, 40, 1);
    uint64_t h = one->n.h, d = one->n.d, rows = one->p.rows;
    for (uint32_t threads = 2; threads <= 4; threads += 2) {
        packed *many = run(60, 40, threads);
        assert_memory_equal(one->H, many->H, rows * 2 * h * sizeof(float));
        assert_memory_equal(one->dX, many->dX, rows * d * sizeof(float));
        assert_memory_equal(one->dW, many->dW, d * 8 * h * sizeof(float));
        assert_memory_equal(one->dU, many->dU, 8 * h * h * sizeof(float));
        assert_memory_equal(one->db, many->db, 8 * h * sizeof(float));
        packed_free(many);
    }
    packed_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_the_reference_are_slopes),
        cmocka_unit_test(groups_of_sequences_are_the_reference_of_each),
        cmocka_unit_test(rows_that_are_multiplied_once_give_the_bits_of_all_rows),
        cmocka_unit_test(bits_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
