/* A sparse matrix from entries in any order: what stands in it, in which order, and its products. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "model/sparse.h"

enum { ROWS = 13, COLS = 17, MOST = 500, D = 9 };

typedef struct world {
    uint32_t row[MOST], col[MOST], start[ROWS + 1], place[NI_SPARSE_CHUNKS * ROWS];
    float value[MOST];
    ni_term term[MOST];
    ni_sparse matrix;
} world;

static void fill(world *w, uint32_t entries)
{
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, entries);
    for (uint32_t i = 0; i < entries; i++) {
        w->row[i] =
            ni_below(&rng, 5) ? (uint32_t)ni_below(&rng, ROWS - 1) : NEAP_NONE; /* the last stays empty */
        w->col[i] = (uint32_t)ni_below(&rng, COLS);
        w->value[i] = (float)ni_normal(&rng);
    }
    w->matrix = (ni_sparse){ .rows = ROWS,
                             .entries = entries,
                             .row = w->row,
                             .col = w->col,
                             .value = w->value,
                             .start = w->start,
                             .place = w->place,
                             .term = w->term };
}

static ni_pool *pool_of(uint32_t threads)
{
    ni_pool *pool;
    assert_int_equal(ni_pool_create(threads, &pool, NULL), NEAP_OK);
    return pool;
}

static void entries_of_a_row_keep_their_order_for_any_number_of_threads(void **state)
{
    static world w;
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ni_pool *pool = pool_of(threads);
        for (uint32_t entries = 0; entries < MOST; entries += entries < 20 ? 1 : 97) {
            fill(&w, entries);
            ni_sparse_sort(&w.matrix, 1, pool);
            uint32_t at = 0;
            for (uint32_t r = 0; r < ROWS; r++) {
                assert_int_equal(w.start[r], at);
                for (uint32_t i = 0; i < entries; i++)
                    if (w.row[i] == r) {
                        assert_int_equal(w.term[at].row, w.col[i]);
                        assert_true(w.term[at++].weight == w.value[i]);
                    }
            }
            assert_int_equal(w.start[ROWS], at);
        }
        ni_pool_free(pool);
    }
}

static void several_matrices_are_sorted_at_once_and_columns_may_be_left_out(void **state)
{
    static world w[2];
    ni_pool *pool = pool_of(2);
    (void)state;
    fill(&w[0], 60);
    fill(&w[1], 200);
    w[1].matrix.col = NULL;
    w[1].matrix.value = NULL;
    ni_sparse both[] = { w[0].matrix, w[1].matrix };
    ni_sparse_sort(both, 2, pool);
    for (uint32_t r = 0, at = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < 200; i++)
            if (w[1].row[i] == r) {
                assert_int_equal(w[1].term[at].row, i);
                assert_true(w[1].term[at++].weight == 1);
            }
    assert_true(w[0].start[ROWS] > 0);
    ni_pool_free(pool);
}

static void products_agree_with_the_definition(void **state)
{
    static world w;
    float B[COLS * D], out[ROWS * D];
    double dense[ROWS * COLS] = { 0 };
    ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, 0);
    ni_pool *pool = pool_of(2);
    (void)state;
    fill(&w, 300);
    for (int i = 0; i < COLS * D; i++) B[i] = (float)ni_normal(&rng);
    for (uint32_t i = 0; i < 300; i++)
        if (w.row[i] != NEAP_NONE) dense[w.row[i] * COLS + w.col[i]] += (double)w.value[i];
    ni_sparse_sort(&w.matrix, 1, pool);
    ni_sparse_times(&w.matrix, 0, ROWS, B, D, out);
    for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < D; k++) {
            double sum = 0;
            for (int c = 0; c < COLS; c++) sum += dense[r * COLS + c] * (double)B[c * D + k];
            assert_true(fabs(sum - (double)out[r * D + k]) < 1e-4);
        }
    ni_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_a_row_keep_their_order_for_any_number_of_threads),
        cmocka_unit_test(several_matrices_are_sorted_at_once_and_columns_may_be_left_out),
        cmocka_unit_test(products_agree_with_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
