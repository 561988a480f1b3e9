/* Collects the sequences of a step and numbers their distinct rows from 0, by two arrays over all ids and
 * keys that are reset by what a batch touched: O(rows + positions) per batch, not O(ids). Then a counting
 * sort of the sides by sequence. Sequential; the batch owns its arrays, which only grow. */
#include "attention/batch.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

neap_status ni_batch_init(ni_batch *b, ni_row_identity identity, uint32_t ids, uint32_t keys,
                          uint32_t pad_below, neap_error *err)
{
    *b = (ni_batch){ .identity = identity, .ids = ids, .keys = keys, .pad_below = pad_below };
    b->row_of = ni_array(ids, sizeof *b->row_of);
    b->sequence_of = ni_array(keys, sizeof *b->sequence_of);
    if (!b->row_of || !b->sequence_of) return ni_fail_memory(err, "a batch");
    memset(b->row_of, 0xff, ids * sizeof *b->row_of); /* NEAP_NONE */
    memset(b->sequence_of, 0xff, keys * sizeof *b->sequence_of);
    return NEAP_OK;
}

void ni_batch_free(ni_batch *b)
{
    ni_free(b->id);
    ni_free(b->sequence);
    ni_free(b->row);
    ni_free(b->side);
    ni_free(b->position);
    ni_free(b->by_sequence);
    ni_free(b->first_of);
    ni_free(b->row_of);
    ni_free(b->sequence_of);
    *b = (ni_batch){ 0 };
}

uint64_t ni_batch_bytes(const ni_batch *b)
{
    return b->id_room * sizeof *b->id + b->sequence_room * sizeof *b->sequence +
           b->row_room * sizeof *b->row + b->side_room * sizeof *b->side +
           b->position_room * sizeof *b->position + b->by_sequence_room * sizeof *b->by_sequence +
           b->first_of_room * sizeof *b->first_of + (uint64_t)b->ids * sizeof *b->row_of +
           (uint64_t)b->keys * sizeof *b->sequence_of;
}

static bool is_shared(const ni_batch *b, const ni_side *side)
{
    return side->key < b->keys && b->identity != NI_ROW_BY_OCCURRENCE;
}

/* Resets the entries of row_of and sequence_of that this batch has set. */
static void forget(ni_batch *b, const ni_side *sides)
{
    for (uint32_t r = 0; b->identity == NI_ROW_BY_ID && r < b->rows; r++)
        if (b->id[r] != NEAP_NONE) b->row_of[b->id[r]] = NEAP_NONE;
    for (uint64_t i = 0; i < (uint64_t)b->items * b->width; i++)
        if (is_shared(b, &sides[i])) b->sequence_of[sides[i].key] = NEAP_NONE;
}

static bool new_row(ni_batch *b, uint32_t id, uint32_t *row)
{
    if (!ni_grow(&b->id, &b->id_room, (size_t)b->rows + 1, sizeof *b->id)) return false;
    *row = b->rows;
    b->id[b->rows++] = id;
    return true;
}

/* The row of an id, or of padding (NEAP_NONE); *padding is that row where sequences share it. */
static bool row_of(ni_batch *b, uint32_t id, uint32_t *padding, uint32_t *row)
{
    bool is_new =
        b->identity == NI_ROW_BY_OCCURRENCE || (b->identity == NI_ROW_BY_POSITION && id != NEAP_NONE);
    if (is_new) return new_row(b, id, row);
    uint32_t *known = id == NEAP_NONE ? padding : &b->row_of[id];
    if (*known == NEAP_NONE && !new_row(b, id, known)) return false;
    *row = *known;
    return true;
}

static bool new_sequence(ni_batch *b, const ni_side *side, uint32_t *padding)
{
    uint32_t size = side->count, rows = size + (size < b->pad_below);
    b->too_large = b->row_count + rows > INT32_MAX; /* the matrix library counts with int */
    if (b->too_large ||
        !ni_grow(&b->sequence, &b->sequence_room, (size_t)b->sequences + 1, sizeof *b->sequence) ||
        !ni_grow(&b->row, &b->row_room, b->row_count + rows, sizeof *b->row))
        return false;
    for (uint32_t i = 0; i < rows; i++)
        if (!row_of(b, i < size ? side->ids[i] : NEAP_NONE, padding, &b->row[b->row_count + i]))
            return false;
    b->sequence[b->sequences++] = (ni_sequence){ b->row_count, size, rows };
    b->row_count += rows;
    if (rows > b->widest) b->widest = rows;
    return true;
}

/* Adds the sequence of a side, or finds it if it is there already. */
static bool sequence_of(ni_batch *b, const ni_side *side, uint32_t *padding, uint32_t *sequence)
{
    uint32_t *known = is_shared(b, side) ? &b->sequence_of[side->key] : NULL;
    *sequence = known && *known != NEAP_NONE ? *known : b->sequences;
    if (*sequence < b->sequences) return true;
    if (!new_sequence(b, side, padding)) return false;
    if (known) *known = *sequence;
    return true;
}

/* Every pair of an item is (source, other side). */
static uint64_t count_alignments(const ni_batch *b)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < b->items; i++)
        for (uint32_t k = 1; k < b->width; k++)
            sum +=
                (uint64_t)ni_batch_side(b, i * b->width)->rows * ni_batch_side(b, i * b->width + k)->rows;
    return sum;
}

/* A counting sort: sides of one sequence keep their order. */
static bool sort_sides(ni_batch *b)
{
    uint64_t sides = (uint64_t)b->items * b->width;
    size_t counts = (size_t)b->sequences + 2;
    if (!ni_grow(&b->by_sequence, &b->by_sequence_room, sides, sizeof *b->by_sequence) ||
        !ni_grow(&b->first_of, &b->first_of_room, counts, sizeof *b->first_of))
        return false;
    uint32_t *next = b->first_of + 1; /* after its last side, where the sequence behind begins */
    memset(b->first_of, 0, counts * sizeof *b->first_of);
    for (uint64_t i = 0; i < sides; i++) next[b->side[i] + 1]++;
    for (uint32_t l = 0; l < b->sequences; l++) next[l + 1] += next[l];
    for (uint64_t i = 0; i < sides; i++) b->by_sequence[next[b->side[i]]++] = (uint32_t)i;
    return true;
}

uint32_t ni_batch_alike(const ni_batch *b, uint64_t at, uint64_t end, uint32_t most)
{
    uint32_t sequence = b->side[b->by_sequence[at]], count = 1;
    while (count < most && at + count < end && b->side[b->by_sequence[at + count]] == sequence) count++;
    return count;
}

/* Sources first, unless rows are occurrences. */
static bool add_sides(ni_batch *b, const ni_side *sides)
{
    uint64_t count = (uint64_t)b->items * b->width;
    uint32_t padding = NEAP_NONE;
    bool in_order = b->identity == NI_ROW_BY_OCCURRENCE;
    for (uint64_t i = 0; i < count && !in_order; i += b->width)
        if (!sequence_of(b, &sides[i], &padding, &b->side[i])) return false;
    b->source_rows = b->rows;
    for (uint64_t i = 0; i < count; i++)
        if ((i % b->width || in_order) && !sequence_of(b, &sides[i], &padding, &b->side[i])) return false;
    if (in_order) b->source_rows = b->rows;
    b->position[0] = 0;
    for (uint64_t i = 0; i < count; i++) b->position[i + 1] = b->position[i] + ni_batch_side(b, i)->size;
    return true;
}

neap_status ni_batch_collect(ni_batch *b, const ni_side *sides, uint32_t items, uint32_t width,
                             neap_error *err)
{
    uint64_t count = (uint64_t)items * width;
    b->items = items;
    b->width = width;
    b->rows = b->sequences = b->widest = 0;
    b->too_large = false;
    b->row_count = 0;
    bool ok = ni_grow(&b->side, &b->side_room, count, sizeof *b->side) &&
              ni_grow(&b->position, &b->position_room, count + 1, sizeof *b->position) &&
              add_sides(b, sides);
    forget(b, sides);
    if (ok) ok = sort_sides(b);
    if (b->too_large)
        return ni_fail(err, NEAP_E_LIMIT,
                       "a batch of %u edges has too many neighbours; use a smaller --batch", items);
    if (!ok) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    b->alignments = count_alignments(b);
    return NEAP_OK;
}
