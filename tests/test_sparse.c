/* A sparse matrix from nonzeros in any order: what stands in it, in which order, and its products. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "linalg/sparse.h"

enum { ROWS = 13, COLS = 17, MOST = 500, D = 9 };

typedef struct world {
    uint32_t row[MOST], col[MOST], start[ROWS], next[NI_SPARSE_CHUNKS * ROWS];
    float value[MOST];
    ni_term term[MOST];
    ni_sparse matrix;
} world;

static void fill(world *w, uint32_t nonzeros)
{
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, nonzeros);
    for (uint32_t i = 0; i < nonzeros; i++) {
        w->row[i] =
            ni_below(&rng, 5) ? (uint32_t)ni_below(&rng, ROWS - 1) : NEAP_NONE; /* the last stays empty */
        w->col[i] = (uint32_t)ni_below(&rng, COLS);
        w->value[i] = (float)ni_normal(&rng);
    }
    w->matrix = (ni_sparse){ .rows = ROWS,
                             .nonzeros = nonzeros,
                             .row = w->row,
                             .col = w->col,
                             .value = w->value,
                             .start = w->start,
                             .next = w->next,
                             .term = w->term };
}

static ni_threads *pool_of(uint32_t threads)
{
    ni_threads *pool;
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    return pool;
}

static void entries_of_a_row_keep_their_order_for_any_number_of_threads(void **state)
{
    static world w;
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ni_threads *pool = pool_of(threads);
        for (uint32_t nonzeros = 0; nonzeros < MOST; nonzeros += nonzeros < 20 ? 1 : 97) {
            fill(&w, nonzeros);
            ni_sparse_sort(&w.matrix, pool);
            uint32_t at = 0;
            for (uint32_t r = 0; r < ROWS; r++) {
                assert_int_equal(w.start[r], at);
                for (uint32_t i = 0; i < nonzeros; i++)
                    if (w.row[i] == r) {
                        assert_int_equal(w.term[at].row, w.col[i]);
                        assert_true(w.term[at++].weight == w.value[i]);
                    }
                assert_int_equal(w.matrix.end[r], at);
            }
        }
        ni_threads_free(pool);
    }
}

static void columns_and_values_may_be_left_out(void **state)
{
    static world w;
    ni_threads *pool = pool_of(2);
    (void)state;
    fill(&w, 200);
    w.matrix.col = NULL;
    w.matrix.value = NULL;
    ni_sparse_sort(&w.matrix, pool);
    for (uint32_t r = 0, at = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < 200; i++)
            if (w.row[i] == r) {
                assert_int_equal(w.term[at].row, i);
                assert_true(w.term[at++].weight == 1);
            }
    ni_threads_free(pool);
}

/* The sum of all nonzeros of row r and column c in their order; *first is the number of the first one, or
 * `nonzeros`. */
static float cell(const world *w, uint32_t nonzeros, uint32_t r, uint32_t c, uint32_t *first)
{
    float sum = 0;
    *first = nonzeros;
    for (uint32_t i = 0; i < nonzeros; i++)
        if (w->row[i] == r && w->col[i] == c) {
            sum = *first == nonzeros ? w->value[i] : sum + w->value[i];
            *first = *first == nonzeros ? i : *first;
        }
    return sum;
}

static void merged_cells_are_sums_in_the_order_of_their_first_entries(void **state)
{
    static world w;
    uint32_t known[4 * COLS], at, cells, first, last;
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ni_threads *pool = pool_of(threads);
        for (uint32_t nonzeros = 0; nonzeros < MOST; nonzeros += 61) {
            fill(&w, nonzeros);
            ni_sparse_sort(&w.matrix, pool);
            ni_sparse_merge(&w.matrix, COLS, known, pool);
            for (uint32_t r = 0; r < ROWS; r++) {
                for (at = w.start[r], last = 0; at < w.matrix.end[r]; at++, last = first) {
                    assert_true(w.term[at].weight == cell(&w, nonzeros, r, w.term[at].row, &first));
                    assert_true(first < nonzeros && (at == w.start[r] || first > last));
                }
                for (uint32_t c = cells = 0; c < COLS; c++) {
                    (void)cell(&w, nonzeros, r, c, &first);
                    cells += first < nonzeros;
                }
                assert_int_equal(at - w.start[r], cells);
            }
        }
        ni_threads_free(pool);
    }
}

static void turned_it_has_the_same_cells_in_ascending_order(void **state)
{
    static world w;
    uint32_t known[2 * COLS], start[COLS], next[NI_SPARSE_CHUNKS * COLS], first, found = 0;
    ni_term term[MOST];
    ni_sparse transposed = { .rows = COLS, .start = start, .next = next, .term = term };
    ni_threads *pool = pool_of(2);
    (void)state;
    fill(&w, 300);
    ni_sparse_sort(&w.matrix, pool);
    ni_sparse_merge(&w.matrix, COLS, known, pool);
    ni_sparse_transpose(&w.matrix, &transposed, pool);
    for (uint32_t c = 0; c < COLS; c++)
        for (uint32_t at = start[c]; at < transposed.end[c]; at++, found++) {
            assert_true(at == start[c] || term[at].row > term[at - 1].row);
            assert_true(term[at].weight == cell(&w, 300, term[at].row, c, &first) && first < 300);
        }
    for (uint32_t r = 0; r < ROWS; r++) found -= w.matrix.end[r] - w.start[r];
    assert_int_equal(found, 0);
    ni_threads_free(pool);
}

static void products_agree_with_the_definition(void **state)
{
    static world w;
    float B[COLS * D], out[ROWS * D];
    double dense[ROWS * COLS] = { 0 };
    ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, 0);
    ni_threads *pool = pool_of(2);
    (void)state;
    fill(&w, 300);
    for (int i = 0; i < COLS * D; i++) B[i] = (float)ni_normal(&rng);
    for (uint32_t i = 0; i < 300; i++)
        if (w.row[i] != NEAP_NONE) dense[w.row[i] * COLS + w.col[i]] += (double)w.value[i];
    ni_sparse_sort(&w.matrix, pool);
    ni_sparse_spmm(&w.matrix, 0, ROWS, B, D, out);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < D; k++) {
            double sum = 0;
            for (int c = 0; c < COLS; c++) sum += dense[r * COLS + c] * (double)B[c * D + k];
            assert_true(fabs(sum - (double)out[r * D + k]) < 1e-4);
        }
    ni_threads_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_a_row_keep_their_order_for_any_number_of_threads),
        cmocka_unit_test(columns_and_values_may_be_left_out),
        cmocka_unit_test(merged_cells_are_sums_in_the_order_of_their_first_entries),
        cmocka_unit_test(turned_it_has_the_same_cells_in_ascending_order),
        cmocka_unit_test(products_agree_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
