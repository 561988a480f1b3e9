/* Both sets of kernels: the AVX2 ones give the bits of the scalar ones, and those do what they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "linalg/blas.h"

enum { MOST = 260 };

static void fill(float *x, size_t n, uint64_t item)
{
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, item);
    for (size_t i = 0; i < n; i++) x[i] = (float)ni_normal(&rng);
}

/* The widest there are; without AVX2 the definitions are still held to. */
static const ni_kernels *wide(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &ni_kernels_avx2;
#endif
    return &ni_kernels_scalar;
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

static void a_bond_has_the_same_bits_and_uses_what_was(void **state)
{
    const ni_kernels *a = &ni_kernels_scalar, *b = wide();
    float x[MOST], y[MOST], x2[MOST], y2[MOST];
    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        fill(x, n, 2 * n);
        fill(y, n, 2 * n + 1);
        memcpy(x2, x, n * sizeof *x);
        memcpy(y2, y, n * sizeof *y);
        float was = n ? x[n - 1] : 0, other = n ? y[n - 1] : 0;
        a->bond(0.37F, x, y, n);
        b->bond(0.37F, x2, y2, n);
        assert_memory_equal(x, x2, n * sizeof *x);
        assert_memory_equal(y, y2, n * sizeof *y);
        if (n) assert_true(x[n - 1] == fmaf(0.37F, other, was) && y[n - 1] == fmaf(0.37F, was, other));
        a->bond(0.37F, x, x, n); /* a row may be bound to itself */
        b->bond(0.37F, x2, x2, n);
        assert_memory_equal(x, x2, n * sizeof *x);
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

static void combining_rows_has_the_same_bits_and_adds_up(void **state)
{
    enum { ROWS = 9, TERMS = 21 };
    static float B[ROWS * MOST];
    const ni_kernels *wider = wide();
    float u[MOST], v[MOST];
    ni_term term[TERMS];
    (void)state;
    for (size_t n = 1; n < MOST; n++) {
        ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, n);
        uint32_t count = (uint32_t)n % TERMS;
        fill(B, ROWS * n, n);
        for (uint32_t i = 0; i < count; i++)
            term[i] = (ni_term){ (uint32_t)ni_below(&rng, ROWS), (float)ni_uniform(&rng) };
        ni_kernels_scalar.spmm_row(term, count, B, n, u);
        wider->spmm_row(term, count, B, n, v);
        assert_memory_equal(u, v, n * sizeof *u);
        double last = 0;
        for (uint32_t i = 0; i < count; i++)
            last += (double)term[i].weight * (double)B[term[i].row * n + n - 1];
        assert_true(fabs(last - (double)u[n - 1]) < 1e-5);
    }
}

/* Rows of one or two cache lines, with weights and without, and with rows behind that are fetched ahead. */
static void narrow_rows_add_up_to_the_same_bits(void **state)
{
    enum { ROWS = 60, TERMS = 50 };
    static float B[ROWS * 2 * NI_NARROW];
    float weight[TERMS], u[2 * NI_NARROW], v[2 * NI_NARROW];
    uint32_t row[TERMS];
    (void)state;
    fill(B, ROWS * 2 * NI_NARROW, 3);
    fill(weight, TERMS, 4);
    for (uint32_t i = 0; i < TERMS; i++) row[i] = (i * 37 + 11) % ROWS;
    for (size_t lanes = NI_NARROW; lanes <= 2 * NI_NARROW; lanes += NI_NARROW)
        for (size_t count = 0; count <= TERMS; count++)
            for (int weighted = 0; weighted < 2; weighted++) {
                const float *w = weighted ? weight : NULL;
                double last = 0;
                ni_kernels_scalar.sum_rows(row, w, count, TERMS - count, B, lanes, u);
                wide()->sum_rows(row, w, count, TERMS - count, B, lanes, v);
                assert_memory_equal(u, v, lanes * sizeof *u);
                for (size_t i = 0; i < count; i++)
                    last += (w ? (double)w[i] : 1) * (double)B[row[i] * lanes + lanes - 1];
                assert_true(fabs(last - (double)u[lanes - 1]) < 1e-4);
            }
}

/* Several sides of some rows: gather_sum is spmm_row for each, scatter_sum adds to every row by each side.
 */
static void sides_of_the_same_rows_are_gathered_and_scattered_as_if_alone(void **state)
{
    enum { ROWS = 11, SIDES = 6 };
    static float B[ROWS * MOST], G[SIDES * MOST], u[ROWS * MOST], v[ROWS * MOST], sums[4 * MOST];
    const uint32_t row[ROWS] = { 3, 10, 0, 7, 1, 9, 4, 2, 8, 6, 5 };
    const ni_kernels *sets[] = { &ni_kernels_scalar, wide() };
    const float *weight[SIDES], *g[SIDES];
    float w[SIDES * ROWS], *out[NI_STRIP_ROWS];
    ni_term term[ROWS];
    (void)state;
    for (size_t turn = 0; turn < 4 * MOST; turn++) {
        size_t n = turn % (MOST - 1) + 1;
        ni_rng shape = ni_rng_at(turn, NI_STREAM_GRAPH, 0, 0);
        uint32_t sides = (uint32_t)ni_below(&shape, SIDES) + 1, rows = (uint32_t)ni_below(&shape, ROWS + 1);
        fill(B, ROWS * n, n);
        fill(G, SIDES * n, MOST + n);
        fill(w, SIDES * ROWS, 2 * MOST + n);
        for (uint32_t k = 0; k < sides; k++) weight[k] = w + k * ROWS, g[k] = G + k * n;
        for (uint32_t k = 0; k < NI_STRIP_ROWS; k++) out[k] = sums + k * n;
        memcpy(u, B, ROWS * n * sizeof *u);
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t k = 0; k < sides; k++)
                ni_kernels_scalar.axpy(weight[k][i], g[k], u + row[i] * n, n);
        for (int set = 0; set < 2; set++) {
            memcpy(v, B, ROWS * n * sizeof *v);
            sets[set]->scatter_sum(weight, g, sides, row, rows, n, v);
            assert_memory_equal(u, v, ROWS * n * sizeof *u);
            uint32_t some = sides < NI_STRIP_ROWS ? sides : NI_STRIP_ROWS;
            sets[set]->gather_sum(weight, some, row, rows, B, n, out);
            for (uint32_t k = 0; k < some; k++) {
                for (uint32_t i = 0; i < rows; i++) term[i] = (ni_term){ row[i], weight[k][i] };
                ni_kernels_scalar.spmm_row(term, rows, B, n, v);
                assert_memory_equal(v, out[k], n * sizeof *v);
            }
        }
    }
}

/* Every entry of a strip is the dot product of two rows, to the bit, whatever the shape. */
static void aligning_is_a_dot_product_for_every_pair(void **state)
{
    enum { ROWS = 7, COLUMNS = 20 };
    static float A[ROWS * MOST], B[ROWS * MOST];
    const ni_kernels *sets[] = { &ni_kernels_scalar, wide() };
    const size_t lengths[] = { 1, 7, 8, 37, 128, 200, 259 };
    float strip[NI_STRIP_ROWS * (COLUMNS + NI_LANES)];
    uint32_t a_row[NI_STRIP_ROWS], b_row[COLUMNS];
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (uint32_t a = 1; a <= NI_STRIP_ROWS; a++)
            for (uint32_t b = 0; b <= COLUMNS; b++) {
                size_t n = lengths[l];
                ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, a, b);
                fill(A, ROWS * n, a);
                fill(B, ROWS * n, 100 + b);
                for (uint32_t i = 0; i < a; i++) a_row[i] = (uint32_t)ni_below(&rng, ROWS);
                for (uint32_t j = 0; j < b; j++) b_row[j] = (uint32_t)ni_below(&rng, ROWS);
                for (int k = 0; k < 2; k++) {
                    sets[k]->align(A, a_row, a, B, b_row, b, n, strip);
                    for (uint32_t i = 0; i < a; i++)
                        for (uint32_t j = 0; j < b; j++) {
                            float x = ni_kernels_scalar.dot(A + a_row[i] * n, B + b_row[j] * n, n);
                            assert_memory_equal(&x, &strip[i * ni_whole_lanes(b) + j], sizeof x);
                        }
                }
            }
}

/* Every number of a product is one sum in the order of k, to the bit, whatever the tiles; OpenBLAS has an
 * order of its own. Nothing beyond the product's own columns is touched. */
static void a_matrix_product_adds_up_in_order(void **state)
{
    enum { SIDE = 300, DEPTH = 300, BEYOND = 3 };
    static float A[SIDE * DEPTH], B[SIDE * DEPTH], C[SIDE * (SIDE + BEYOND)], D[SIDE * (SIDE + BEYOND)];
    const ni_kernels *sets[] = { &ni_kernels_scalar, wide() };
    const size_t sizes[] = { 1, 5, 6, 7, 16, 17, 40, 300 }, depths[] = { 0, 1, 7, 8, 200, 256, 257, 300 };
    enum { SIZES = sizeof sizes / sizeof *sizes, CASES = SIZES * SIZES * SIZES };
    (void)state;
    ni_blas_begin();
    fill(A, SIDE * DEPTH, 1);
    fill(B, SIDE * DEPTH, 2);
    for (size_t c = 0; c < 8 * CASES; c++) {
        bool a_transposed = c & 1, b_transposed = c & 2, add = c & 4;
        size_t m = sizes[c / 8 % SIZES], n = sizes[c / 8 / SIZES % SIZES],
               k = depths[c / 8 / SIZES / SIZES];
        size_t ldc = n + BEYOND;
        ni_factor a = { A, a_transposed ? SIDE : DEPTH, a_transposed },
                  b = { B, b_transposed ? DEPTH : SIDE, b_transposed };
        for (int set = 0; set < 2; set++) {
            fill(C, m * ldc, 3);
            memcpy(D, C, m * ldc * sizeof *C);
            sets[set]->gemm(&a, &b, m, n, k, add, C, ldc);
            for (size_t i = 0; i < m; i++)
                for (size_t j = 0; j < n; j++) {
                    float sum = add ? D[i * ldc + j] : 0;
                    for (size_t p = 0; p < k; p++)
                        sum = fmaf(A[a_transposed ? p * SIDE + i : i * DEPTH + p],
                                   B[b_transposed ? j * DEPTH + p : p * SIDE + j], sum);
                    if (sets[set]->gemm == ni_blas_gemm) assert_true(fabsf(sum - C[i * ldc + j]) < 1e-4F);
                    else assert_memory_equal(&sum, &C[i * ldc + j], sizeof sum);
                    D[i * ldc + j] = C[i * ldc + j];
                }
            assert_memory_equal(C, D, m * ldc * sizeof *C);
        }
    }
    ni_blas_end();
}

/* A tile and what pooling it strip by strip gave. */
typedef struct pooled {
    float row[48], col[48];
    uint32_t row_arg[48], col_arg[48];
} pooled;

static void pool_tile(const ni_kernels *k, const float *tile, uint32_t rows, uint32_t cols, bool with_rows,
                      pooled *p)
{
    ni_maxima col = { p->col, p->col_arg };
    memset(p, 0, sizeof *p);
    for (uint32_t j = 0; j < 48; j++) p->col[j] = -INFINITY;
    for (uint32_t i = 0; i < rows; i += NI_STRIP_ROWS) {
        ni_maxima row = { p->row + i, p->row_arg + i };
        uint32_t a = rows - i < NI_STRIP_ROWS ? rows - i : NI_STRIP_ROWS;
        k->pool(tile + i * ni_whole_lanes(cols), a, cols, i, with_rows ? &row : NULL, &col);
    }
}

/* Few distinct values, so that ties are everywhere: the first of equals must win. */
static void pooling_picks_the_first_of_equals(void **state)
{
    const ni_kernels *b = wide();
    static float tile[40 * 48];
    pooled p, q;
    (void)state;
    for (uint32_t rows = 1; rows <= 40; rows += 3)
        for (uint32_t cols = 0; cols <= 40; cols++) {
            ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, rows, cols);
            uint64_t line = ni_whole_lanes(cols);
            for (uint32_t i = 0; i < rows * line; i++) /* what stands behind a line must not count */
                tile[i] = i % line < cols ? (float)ni_below(&rng, 5) - 2 : 9;
            pool_tile(&ni_kernels_scalar, tile, rows, cols, true, &p);
            pool_tile(b, tile, rows, cols, true, &q);
            assert_memory_equal(&p, &q, sizeof p);
            pool_tile(b, tile, rows, cols, false, &q);
            assert_memory_equal(p.col_arg, q.col_arg, sizeof p.col_arg);
            assert_true(q.row[0] == 0);
            for (uint32_t i = 0; i < rows; i++)
                for (uint32_t j = 0; j < cols; j++) {
                    float x = tile[i * line + j];
                    assert_true(x <= p.row[i] && (x < p.row[i] || j >= p.row_arg[i]));
                    assert_true(x <= p.col[j] && (x < p.col[j] || i >= p.col_arg[j]));
                }
        }
}

/* A diverged run must be seen as such: pooling leaves the least number, which the engine knows, and a place
 * that is there; functions pass it on. */
static void not_a_number_is_never_the_best_and_passed_on(void **state)
{
    const ni_kernels *sets[] = { &ni_kernels_scalar, wide() };
    float tile[16], x[11], y[11];
    pooled p;
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 16; i++) tile[i] = NAN;
        pool_tile(sets[k], tile, 2, 8, true, &p);
        assert_true(p.row_arg[0] == 0 && p.col_arg[7] == 0 && isinf(p.row[1]));
        for (int i = 0; i < 11; i++) x[i] = i == 9 ? NAN : 0.3F;
        sets[k]->tanh(x, 11, y);
        assert_true(isnan(y[9]) && !isnan(y[8]) && !isnan(y[10]));
        assert_true(isnan(sets[k]->exp(x, 11, y)) && isnan(y[9]) && !isnan(y[10]));
        sets[k]->logistic_step(x, 11, 0, 1, 1);
        assert_true(isnan(x[9]) && !isnan(x[8]) && !isnan(x[10]));
    }
}

static void tanh_and_exp_are_exact_to_single_precision(void **state)
{
    enum { STEPS = 4000 };
    static float x[STEPS], u[STEPS], v[STEPS];
    const ni_kernels *b = wide();
    (void)state;
    for (int i = 0; i < STEPS; i++) x[i] = (float)(i - STEPS / 2) * 0.01F;
    ni_kernels_scalar.tanh(x, STEPS, u);
    b->tanh(x, STEPS, v);
    assert_memory_equal(u, v, sizeof u);
    for (int i = 0; i < STEPS; i++) assert_true(fabs(tanh((double)x[i]) - (double)u[i]) < 2e-7);
    for (size_t n = 1; n < STEPS; n += n < 40 ? 1 : 500) {
        double sum = 0;
        float p = ni_kernels_scalar.exp(x, n, u), q = b->exp(x, n, v);
        assert_memory_equal(u, v, n * sizeof *u);
        assert_memory_equal(&p, &q, sizeof p);
        for (size_t i = 0; i < n; i++) {
            double e = exp((double)x[i]);
            assert_true(fabs(e - (double)u[i]) < 2e-7 * e);
            sum += e;
        }
        assert_true(fabs(sum - (double)p) < 1e-5 * sum);
    }
}

static void a_logistic_step_is_what_the_label_lacks(void **state)
{
    enum { STEPS = 1001 };
    static float u[STEPS], v[STEPS];
    const ni_kernels *b = wide();
    const float bias = 0.5F, rate = 0.25F;
    (void)state;
    for (size_t n = 1; n <= STEPS; n += n < 40 ? 1 : 31)
        for (int label = 0; label < 2; label++) {
            for (size_t i = 0; i < n; i++) u[i] = v[i] = ((float)i - STEPS / 2) * 0.1F;
            ni_kernels_scalar.logistic_step(u, n, bias, (float)label, rate);
            b->logistic_step(v, n, bias, (float)label, rate);
            assert_memory_equal(u, v, n * sizeof *u);
            for (size_t i = 0; i < n; i++) {
                double z = ((double)i - STEPS / 2) * 0.1 - (double)bias;
                assert_true(fabs((double)u[i] - (double)rate * (label - 1 / (1 + exp(-z)))) < 1e-7);
            }
        }
}

static void gathered_rows_are_reduced_to_maxima_and_sums(void **state)
{
    enum { ROWS = 11, STRIDE = 56 };
    const ni_kernels *b = wide();
    float B[ROWS * STRIDE], u[STRIDE], v[STRIDE];
    uint32_t row[ROWS];
    (void)state;
    fill(B, ROWS * STRIDE, 3);
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i * 3 % ROWS;
    for (size_t count = 1; count <= ROWS; count++)
        for (size_t maxima = 0; maxima <= STRIDE; maxima += NI_LANES)
            for (size_t lanes = maxima; lanes <= STRIDE; lanes += NI_LANES) {
                ni_kernels_scalar.gather_max(B, STRIDE, row, count, maxima, lanes, u);
                b->gather_max(B, STRIDE, row, count, maxima, lanes, v);
                assert_memory_equal(u, v, lanes * sizeof *u);
                for (size_t k = 0; k < lanes; k++) {
                    double sum = 0, most = -INFINITY;
                    for (size_t i = 0; i < count; i++) {
                        double x = (double)B[row[i] * STRIDE + k];
                        sum += x, most = fmax(most, x);
                    }
                    assert_true(fabs((double)u[k] - (k < maxima ? most : sum)) < 1e-5);
                }
            }
}

static void quantised_numbers_are_within_half_a_step(void **state)
{
    const ni_kernels *b = wide();
    float x[MOST];
    int8_t u[MOST], v[MOST];
    (void)state;
    for (size_t n = 1; n < MOST; n++) {
        fill(x, n, n);
        for (float least = 1e-30F; least < 1e4F; least *= 1e17F) {
            float r = ni_kernels_scalar.quantise(x, n, least, u);
            assert_true(r == b->quantise(x, n, least, v) && r >= least);
            assert_memory_equal(u, v, n);
            for (size_t i = 0; i < n; i++) assert_true(fabsf(x[i] - u[i] * r / 127) <= r / 253);
        }
        const float wrong[] = { NAN, -NAN, INFINITY, -INFINITY };
        for (int i = 0; i < 4; i++) {
            x[n * 5 % 7 % n] = wrong[i];
            assert_false(isfinite(ni_kernels_scalar.quantise(x, n, 1, u)));
            assert_false(isfinite(b->quantise(x, n, 1, v)));
        }
    }
}

static void gathered_quantised_rows_are_reduced_to_maxima_and_sums(void **state)
{
    enum { ROWS = 9, STRIDE = 192, HALF_MOST = 88, ROOM = 96 };
    const ni_kernels *b = wide();
    static int8_t rows[ROWS * STRIDE + NI_BYTES];
    int8_t A[2][ROOM];
    float qB[2][ROOM];
    (void)state;
    for (size_t half = 4; half <= HALF_MOST; half += 4) {
        uint32_t row[ROWS];
        for (size_t i = 0; i < sizeof rows; i++) rows[i] = (int8_t)(i * i * 31 % 255 - 127);
        for (uint32_t i = 0; i < ROWS; i++) {
            ni_int8_scale tail = { 0.1F + i, 0.01F * (i + 3) };
            memcpy(rows + i * STRIDE + 2 * half, &tail, sizeof tail);
            row[i] = i * 4 % ROWS;
        }
        for (size_t count = 1; count <= ROWS; count++) {
            ni_int8_sums u = { .A = A[0], .qB = qB[0] }, v = { .A = A[1], .qB = qB[1] };
            ni_kernels_scalar.gather_max_int8(rows, STRIDE, row, count, half, &u);
            b->gather_max_int8(rows, STRIDE, row, count, half, &v);
            assert_memory_equal(u.A, v.A, half);
            assert_memory_equal(u.qB, v.qB, half * sizeof *u.qB);
            assert_memory_equal(&u.sum, &v.sum, sizeof u.sum);
            int most = INT8_MIN;
            double sum = 0;
            for (size_t i = 0; i < count; i++) {
                const int8_t *x = rows + row[i] * STRIDE;
                most = x[half - 1] > most ? x[half - 1] : most;
                sum += 0.01 * (row[i] + 3) * x[2 * half - 1];
            }
            assert_int_equal(u.A[half - 1], most);
            assert_true(fabs((double)u.qB[half - 1] - sum) < 1e-4);
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
        ni_kernels_scalar.apply_mask(x, mask, 2.5F, u, n);
        b->apply_mask(x, mask, 2.5F, v, n);
        assert_memory_equal(u, v, n * sizeof *u);
        for (size_t i = 0; i < n; i++)
            assert_true(u[i] == (mask[i / 64] >> (i % 64) & 1 ? 2.5F * x[i] : 0));
    }
}

static void decisions_are_bits_where_draws_reach_the_limit(void **state)
{
    const uint16_t limits[] = { 0, 1, 32767, 32768, 32769, 65535 };
    uint16_t draw[64];
    (void)state;
    for (uint64_t round = 0; round < 5 * sizeof limits / sizeof *limits; round++) {
        ni_rng rng = ni_rng_at(7, NI_STREAM_GRAPH, 0, round);
        uint16_t limit = limits[round / 5];
        for (int i = 0; i < 64; i++) /* near the limit, on both sides of it */
            draw[i] = (uint16_t)(i % 3 ? limit + i % 5 - 2 : (int)ni_below(&rng, 65536));
        uint64_t bits = ni_kernels_scalar.keep_bits(draw, limit);
        assert_true(bits == wide()->keep_bits(draw, limit));
        for (int i = 0; i < 64; i++) assert_int_equal(bits >> i & 1, draw[i] >= limit);
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
        cmocka_unit_test(a_bond_has_the_same_bits_and_uses_what_was),
        cmocka_unit_test(dot_adds_up),
        cmocka_unit_test(combining_rows_has_the_same_bits_and_adds_up),
        cmocka_unit_test(narrow_rows_add_up_to_the_same_bits),
        cmocka_unit_test(sides_of_the_same_rows_are_gathered_and_scattered_as_if_alone),
        cmocka_unit_test(aligning_is_a_dot_product_for_every_pair),
        cmocka_unit_test(a_matrix_product_adds_up_in_order),
        cmocka_unit_test(pooling_picks_the_first_of_equals),
        cmocka_unit_test(not_a_number_is_never_the_best_and_passed_on),
        cmocka_unit_test(tanh_and_exp_are_exact_to_single_precision),
        cmocka_unit_test(a_logistic_step_is_what_the_label_lacks),
        cmocka_unit_test(gathered_rows_are_reduced_to_maxima_and_sums),
        cmocka_unit_test(quantised_numbers_are_within_half_a_step),
        cmocka_unit_test(gathered_quantised_rows_are_reduced_to_maxima_and_sums),
        cmocka_unit_test(decisions_are_bits_where_draws_reach_the_limit),
        cmocka_unit_test(masks_keep_what_their_bits_say),
        cmocka_unit_test(adam_follows_its_definition_in_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
