/* What is one sequence and what is one row of a batch: sides by key, rows by id, by position, by
 * occurrence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "attention/batch.h"

enum { IDS = 50, KEYS = 4, ITEMS = 2, WIDTH = 3 };

static const uint32_t a[] = { 7, 3, 40 }, b[] = { 3, 49 }, c[] = { 40, 7, 3, 3 };

/* Two items: (a, b, a without 3), (b, c, nobody). Keys are 0 for a, 3 for b, 1 for c and for nobody none.
 */
static const uint32_t masked[] = { 7, 40 };
static const ni_side sides[ITEMS * WIDTH] = {
    { a, 3, 0 }, { b, 2, 3 }, { masked, 2, NI_OWN_KEY }, { b, 2, 3 }, { c, 4, 1 }, { NULL, 0, NI_OWN_KEY },
};

static ni_batch batch_of(ni_row_identity identity, uint32_t pad_below)
{
    ni_batch batch;
    assert_int_equal(ni_batch_init(&batch, identity, IDS, KEYS, pad_below, NULL), NEAP_OK);
    for (int times = 0; times < 2; times++) /* the second time nothing is left of the first */
        assert_int_equal(ni_batch_collect(&batch, sides, ITEMS, WIDTH, NULL), NEAP_OK);
    return batch;
}

/* Whatever a row is, a side's rows have the side's ids in its order. */
static void check_ids(const ni_batch *batch)
{
    uint64_t position = 0, alignments = 0;
    for (int i = 0; i < ITEMS * WIDTH; i++) {
        const ni_sequence *s = ni_batch_side(batch, (uint64_t)i);
        assert_int_equal(s->size, sides[i].count);
        assert_true(batch->position[i] == position);
        position += s->size;
        if (i % WIDTH) alignments += (uint64_t)s->rows * ni_batch_side(batch, i < WIDTH ? 0 : WIDTH)->rows;
        for (uint32_t k = 0; k < s->rows; k++) {
            uint32_t row = batch->row[s->first + k];
            assert_true(row < batch->rows);
            assert_int_equal(batch->id[row], k < s->size ? sides[i].ids[k] : NEAP_NONE);
            if (i % WIDTH == 0) assert_true(row < batch->source_rows);
        }
    }
    assert_true(batch->position[ITEMS * WIDTH] == position && batch->alignments == alignments);
}

static void rows_by_id_are_one_for_each_id(void **state)
{
    ni_batch batch = batch_of(NI_ROW_BY_ID, 0);
    (void)state;
    check_ids(&batch);
    assert_int_equal(batch.sequences, 5); /* a, b, a without 3, c, nobody */
    assert_int_equal(batch.side[1], batch.side[3]);
    assert_int_equal(batch.rows, 4); /* 7, 3, 40, 49 */
    assert_int_equal(batch.source_rows, 4);
    assert_int_equal(batch.widest, 4);
    const ni_sequence *s = ni_batch_side(&batch, 4);
    assert_int_equal(batch.row[s->first + 2], batch.row[s->first + 3]); /* 3 comes twice */
    ni_batch_free(&batch);
}

static void rows_by_position_are_one_for_each_position_of_a_sequence(void **state)
{
    ni_batch batch = batch_of(NI_ROW_BY_POSITION, 0);
    (void)state;
    check_ids(&batch);
    assert_int_equal(batch.sequences, 5);
    assert_int_equal(batch.side[1], batch.side[3]);
    assert_int_equal(batch.rows, 3 + 2 + 2 + 4);
    assert_int_equal(batch.source_rows, 3 + 2); /* a and b; b is also a target */
    ni_batch_free(&batch);
}

static void rows_by_occurrence_are_one_for_each_position_of_a_side(void **state)
{
    ni_batch batch = batch_of(NI_ROW_BY_OCCURRENCE, 0);
    (void)state;
    check_ids(&batch);
    assert_int_equal(batch.sequences, ITEMS * WIDTH);
    assert_int_equal(batch.rows, 3 + 2 + 2 + 2 + 4);
    assert_int_equal(batch.source_rows, batch.rows);
    for (uint32_t i = 0; i < batch.rows; i++)
        assert_int_equal(batch.row[i], i); /* in the order of the items */
    ni_batch_free(&batch);
}

static void short_sequences_have_a_row_of_padding(void **state)
{
    static const uint32_t rows[] = { 4 + 1, 11 + 1, 13 + 5 }; /* one for all, or one for each short side */
    (void)state;
    for (int identity = NI_ROW_BY_ID; identity <= NI_ROW_BY_OCCURRENCE; identity++) {
        ni_batch batch = batch_of((ni_row_identity)identity, 4);
        check_ids(&batch);
        assert_int_equal(batch.rows, rows[identity]);
        assert_int_equal(ni_batch_side(&batch, 0)->rows, 4);
        assert_int_equal(ni_batch_side(&batch, 4)->rows, 4); /* long enough */
        ni_batch_free(&batch);
    }
}

static void sides_of_a_sequence_stand_together(void **state)
{
    ni_batch batch = batch_of(NI_ROW_BY_ID, 0);
    uint32_t count = 0;
    (void)state;
    for (uint32_t s = 0; s < batch.sequences; s++)
        for (uint32_t i = batch.first_of[s]; i < batch.first_of[s + 1]; i++, count++) {
            assert_int_equal(batch.side[batch.by_sequence[i]], s);
            assert_int_equal(ni_batch_alike(&batch, i, ITEMS * WIDTH, 9), batch.first_of[s + 1] - i);
        }
    assert_int_equal(count, ITEMS * WIDTH);
    ni_batch_free(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_id_are_one_for_each_id),
        cmocka_unit_test(rows_by_position_are_one_for_each_position_of_a_sequence),
        cmocka_unit_test(rows_by_occurrence_are_one_for_each_position_of_a_side),
        cmocka_unit_test(short_sequences_have_a_row_of_padding),
        cmocka_unit_test(sides_of_a_sequence_stand_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
