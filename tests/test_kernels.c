/* Both sets of kernels: the AVX2 ones give the bits of the scalar ones, and those do what they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/kernels.h"

enum { MOST = 260 };

static void fill(float *x, size_t n, uint64_t item)
{
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, item);
    for (size_t i = 0; i < n; i++) x[i] = (float)ni_normal(&rng);
}

static const ni_kernels *wide(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &ni_kernels_avx2;
#endif
    skip();
    return NULL;
}

static void dot_and_axpy_have_the_same_bits(void **state)
{
    const ni_kernels *a = &ni_kernels_scalar, *b = wide();
    float x[MOST], y[MOST], u[MOST], v[MOST];
    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        fill(x, n, 2 * n);
        fill(y, n, 2 * n + 1);
        float p = a->dot(x, y, n), q = b->dot(x, y, n);
        assert_memory_equal(&p, &q, sizeof p);
        memcpy(u, y, n * sizeof *u);
        memcpy(v, y, n * sizeof *v);
        a->axpy(0.37F, x, u, n);
        b->axpy(0.37F, x, v, n);
        assert_memory_equal(u, v, n * sizeof *u);
    }
}

static void dot_adds_up(void **state)
{
    float x[MOST], y[MOST];
    (void)state;
    for (size_t n = 0; n < MOST; n += 7) {
        double sum = 0;
        fill(x, n, n);
        fill(y, n, n + 1000);
        for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
        assert_true(fabs(sum - (double)ni_kernels_scalar.dot(x, y, n)) < 1e-4);
    }
}

/* Few distinct values, so that ties are everywhere: the first of equals must win. */
static void pooling_picks_the_first_of_equals(void **state)
{
    const ni_kernels *b = wide();
    float tile[40 * 40], max[4][40];
    uint32_t arg[4][40];
    (void)state;
    for (uint32_t rows = 1; rows <= 40; rows += 3)
        for (uint32_t cols = 1; cols <= 40; cols++) {
            ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, rows, cols);
            for (uint32_t i = 0; i < rows * cols; i++) tile[i] = (float)ni_below(&rng, 5) - 2;
            ni_kernels_scalar.pool_max(tile, rows, cols, max[0], arg[0], max[1], arg[1]);
            b->pool_max(tile, rows, cols, max[2], arg[2], max[3], arg[3]);
            assert_memory_equal(max[0], max[2], rows * sizeof(float));
            assert_memory_equal(arg[0], arg[2], rows * sizeof(uint32_t));
            assert_memory_equal(max[1], max[3], cols * sizeof(float));
            assert_memory_equal(arg[1], arg[3], cols * sizeof(uint32_t));
            for (uint32_t i = 0; i < rows; i++)
                for (uint32_t j = 0; j < cols; j++) {
                    float x = tile[i * cols + j];
                    assert_true(x <= max[0][i] && (x < max[0][i] || j >= arg[0][i]));
                    assert_true(x <= max[1][j] && (x < max[1][j] || i >= arg[1][j]));
                }
        }
}

static void masks_keep_what_their_bits_say(void **state)
{
    const ni_kernels *b = wide();
    float x[MOST], u[MOST], v[MOST];
    uint64_t mask[MOST / 64 + 1];
    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, n);
        for (size_t i = 0; i < MOST / 64 + 1; i++) mask[i] = ni_next(&rng);
        fill(x, n, n);
        ni_kernels_scalar.masked(x, mask, 2.5F, u, n);
        b->masked(x, mask, 2.5F, v, n);
        assert_memory_equal(u, v, n * sizeof *u);
        for (size_t i = 0; i < n; i++)
            assert_true(u[i] == (mask[i / 64] >> (i % 64) & 1 ? 2.5F * x[i] : 0));
    }
}

static void adam_follows_its_definition_in_both(void **state)
{
    const ni_kernels *b = wide();
    float g[MOST], x[2][MOST], m[2][MOST], v[2][MOST];
    double lr = 0.01, b1 = 0.9, b2 = 0.999;
    (void)state;
    for (int i = 0; i < 2; i++)
        fill(x[i], MOST, 1), memset(m[i], 0, sizeof m[i]), memset(v[i], 0, sizeof v[i]);
    double X = (double)x[0][5], M = 0, V = 0;
    for (int t = 1; t <= 20; t++) {
        ni_adam_step step = { 0.9F, 0.999F, (float)(lr / (1 - pow(b1, t))),
                              (float)(1 / sqrt(1 - pow(b2, t))), 1e-8F };
        fill(g, MOST, 100 + (uint64_t)t);
        ni_kernels_scalar.adam(&step, g, x[0], m[0], v[0], MOST);
        b->adam(&step, g, x[1], m[1], v[1], MOST);
        M = b1 * M + (1 - b1) * (double)g[5];
        V = b2 * V + (1 - b2) * (double)g[5] * (double)g[5];
        X -= lr * (M / (1 - pow(b1, t))) / (sqrt(V / (1 - pow(b2, t))) + 1e-8);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    assert_true(fabs(X - (double)x[0][5]) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_and_axpy_have_the_same_bits),
        cmocka_unit_test(dot_adds_up),
        cmocka_unit_test(pooling_picks_the_first_of_equals),
        cmocka_unit_test(masks_keep_what_their_bits_say),
        cmocka_unit_test(adam_follows_its_definition_in_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
