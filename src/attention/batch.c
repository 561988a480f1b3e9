#include "attention/batch.h"

#include <string.h>

#include "base/status.h"
#include "base/sys.h"

neap_status ni_batch_init(ni_batch *b, const ni_hood *hood, bool per_occurrence, uint32_t pad_below,
                          neap_error *err)
{
    *b = (ni_batch){ .hood = hood, .per_occurrence = per_occurrence, .pad_below = pad_below };
    b->row_of = ni_array(hood->nodes, sizeof *b->row_of);
    b->local_of = ni_array(hood->nodes, sizeof *b->local_of);
    if (!b->row_of || !b->local_of) return ni_fail_memory(err, "a batch");
    memset(b->row_of, 0xff, hood->nodes * sizeof *b->row_of); /* NEAP_NONE */
    memset(b->local_of, 0xff, hood->nodes * sizeof *b->local_of);
    return NEAP_OK;
}

void ni_batch_free(ni_batch *b)
{
    ni_free(b->node);
    ni_free(b->local);
    ni_free(b->row);
    ni_free(b->side);
    ni_free(b->element);
    ni_free(b->by_local);
    ni_free(b->first_of);
    ni_free(b->row_of);
    ni_free(b->local_of);
    *b = (ni_batch){ 0 };
}

uint64_t ni_batch_bytes(const ni_batch *b)
{
    return b->node_room * sizeof *b->node + b->local_room * sizeof *b->local +
           b->row_room * sizeof *b->row + b->side_room * sizeof *b->side +
           b->element_room * sizeof *b->element + b->by_local_room * sizeof *b->by_local +
           b->first_of_room * sizeof *b->first_of + 2 * (uint64_t)b->hood->nodes * sizeof *b->row_of;
}

/* Leaves row_of and local_of as ni_batch_init made them. */
static void forget(ni_batch *b, const uint32_t *nodes)
{
    if (b->per_occurrence) return;
    for (uint32_t r = 0; r < b->rows; r++)
        if (b->node[r] != NEAP_NONE) b->row_of[b->node[r]] = NEAP_NONE;
    for (uint64_t i = 0; i < (uint64_t)b->items * b->width; i++) b->local_of[nodes[i]] = NEAP_NONE;
}

static bool new_row(ni_batch *b, uint32_t node, uint32_t *row)
{
    if (!ni_grow(&b->node, &b->node_room, (size_t)b->rows + 1, sizeof *b->node)) return false;
    *row = b->rows;
    b->node[b->rows++] = node;
    return true;
}

/* The row of a node; *padding is the row of the padding vector where rows are shared. */
static bool row_of(ni_batch *b, uint32_t node, uint32_t *padding, uint32_t *row)
{
    uint32_t *known = node == NEAP_NONE ? padding : &b->row_of[node];
    if (b->per_occurrence) return new_row(b, node, row);
    if (*known == NEAP_NONE && !new_row(b, node, known)) return false;
    *row = *known;
    return true;
}

/* Adds the neighbourhood of a node, or finds it if it is there already. */
static bool local_of(ni_batch *b, uint32_t node, uint32_t *padding, uint32_t *local)
{
    if (!b->per_occurrence && b->local_of[node] != NEAP_NONE) {
        *local = b->local_of[node];
        return true;
    }
    uint32_t size = ni_hood_size(b->hood, node), rows = size + (size < b->pad_below);
    b->too_large = b->row_count + rows > INT32_MAX; /* what the matrix library counts with */
    if (b->too_large || !ni_grow(&b->local, &b->local_room, (size_t)b->locals + 1, sizeof *b->local) ||
        !ni_grow(&b->row, &b->row_room, b->row_count + rows, sizeof *b->row))
        return false;
    const uint32_t *neighbour = b->hood->node + b->hood->offset[node];
    for (uint32_t i = 0; i < rows; i++)
        if (!row_of(b, i < size ? neighbour[i] : NEAP_NONE, padding, &b->row[b->row_count + i]))
            return false;
    b->local[b->locals] = (ni_local){ b->row_count, size, rows };
    b->row_count += rows;
    *local = b->locals++;
    if (!b->per_occurrence) b->local_of[node] = *local;
    return true;
}

/* Every pair of an item is (source, other side). */
static uint64_t count_cells(const ni_batch *b)
{
    uint64_t cells = 0;
    for (uint64_t i = 0; i < b->items; i++)
        for (uint32_t k = 1; k < b->width; k++)
            cells +=
                (uint64_t)ni_batch_side(b, i * b->width)->rows * ni_batch_side(b, i * b->width + k)->rows;
    return cells;
}

/* A counting sort: sides of one neighbourhood keep their order. */
static bool sort_sides(ni_batch *b)
{
    uint64_t sides = (uint64_t)b->items * b->width;
    size_t counts = (size_t)b->locals + 2;
    if (!ni_grow(&b->by_local, &b->by_local_room, sides, sizeof *b->by_local) ||
        !ni_grow(&b->first_of, &b->first_of_room, counts, sizeof *b->first_of))
        return false;
    uint32_t *next =
        b->first_of + 1; /* when a neighbourhood's last is placed, here begins the one behind */
    memset(b->first_of, 0, counts * sizeof *b->first_of);
    for (uint64_t i = 0; i < sides; i++) next[b->side[i] + 1]++;
    for (uint32_t l = 0; l < b->locals; l++) next[l + 1] += next[l];
    for (uint64_t i = 0; i < sides; i++) b->by_local[next[b->side[i]]++] = (uint32_t)i;
    return true;
}

uint32_t ni_batch_alike(const ni_batch *b, uint64_t at, uint64_t end, uint32_t most)
{
    uint32_t local = b->side[b->by_local[at]], count = 1;
    while (count < most && at + count < end && b->side[b->by_local[at + count]] == local) count++;
    return count;
}

neap_status ni_batch_collect(ni_batch *b, const uint32_t *nodes, uint32_t items, uint32_t width,
                             neap_error *err)
{
    uint64_t sides = (uint64_t)items * width;
    uint32_t padding = NEAP_NONE;
    b->items = items;
    b->width = width;
    b->rows = b->locals = 0;
    b->too_large = false;
    b->row_count = 0;
    bool ok = ni_grow(&b->side, &b->side_room, sides, sizeof *b->side) &&
              ni_grow(&b->element, &b->element_room, sides + 1, sizeof *b->element);
    if (ok) b->element[0] = 0;
    for (uint64_t i = 0; ok && i < sides && !b->per_occurrence; i += width)
        ok = local_of(b, nodes[i], &padding, &b->side[i]);
    b->source_rows = b->rows;
    for (uint64_t i = 0; ok && i < sides; i++) {
        if (i % width || b->per_occurrence) ok = local_of(b, nodes[i], &padding, &b->side[i]);
        if (ok) b->element[i + 1] = b->element[i] + ni_batch_side(b, i)->size;
    }
    if (b->per_occurrence) b->source_rows = b->rows;
    forget(b, nodes);
    if (ok) ok = sort_sides(b);
    if (b->too_large)
        return ni_fail(err, NEAP_E_LIMIT,
                       "a batch of %u edges has too many neighbours; use a smaller --batch", items);
    if (!ok) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    b->pair_cells = count_cells(b);
    return NEAP_OK;
}
