/* batch.h - who takes part in a step: the unique nodes of all neighbourhoods, and where each occurs.
 *
 * An item is a source, a target and K negatives; each of these is a side with a neighbourhood. The rows
 * of a batch are the distinct nodes in all of its neighbourhoods (with dropout per occurrence: every
 * occurrence is a row of its own). All that follows works on rows. Those that sources have come first,
 * since only they are multiplied by P; rows that are occurrences stay in the order of the items, which
 * their masks are drawn by, and then all count as rows of sources.                                  */
#ifndef NI_BATCH_H
#define NI_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/hood.h"

/* A neighbourhood in terms of rows: row[first] .. row[first + rows - 1]; the first `size` of them are
 * neighbours, one more is the padding vector where there is one. */
typedef struct ni_local {
    uint64_t first;
    uint32_t size, rows;
} ni_local;

typedef struct ni_batch {
    const ni_hood *hood;
    bool per_occurrence;
    uint32_t pad_below; /* neighbourhoods smaller than this have a padding row; 0: none do */

    uint32_t items, width; /* width: sides an item has, 2 + K */
    uint32_t rows;
    uint32_t source_rows; /* the first of them: those that occur in neighbourhoods of sources */
    uint32_t *node;       /* rows: the node of a row, or NEAP_NONE for padding                */
    ni_local *local;
    uint32_t locals;
    uint32_t *row;       /* what ni_local points into                                  */
    uint32_t *side;      /* items x width: the neighbourhood of a side, into local[]   */
    uint64_t *element;   /* items x width + 1: where a side's neighbours begin in flat arrays */
    uint32_t *by_local;  /* items x width: the sides in the order of their neighbourhoods     */
    uint32_t *first_of;  /* locals + 1: where those of a neighbourhood begin in by_local      */
    uint64_t pair_cells; /* sum of a x b over the pairs (source, any other side)       */

    size_t node_room, local_room, row_room, side_room, element_room, by_local_room, first_of_room;
    uint64_t row_count;
    bool too_large;
    uint32_t *row_of,
        *local_of; /* hood->nodes: row and neighbourhood of a node in this batch, or NEAP_NONE */
} ni_batch;

neap_status ni_batch_init(ni_batch *b, const ni_hood *hood, bool per_occurrence, uint32_t pad_below,
                          neap_error *err);
void ni_batch_free(ni_batch *b);

/* nodes: items x width. */
neap_status ni_batch_collect(ni_batch *b, const uint32_t *nodes, uint32_t items, uint32_t width,
                             neap_error *err);

/* Bytes it holds now. */
uint64_t ni_batch_bytes(const ni_batch *b);

/* How many sides from by_local[at] on share a neighbourhood; those before `end` count, up to `most`. */
uint32_t ni_batch_alike(const ni_batch *b, uint64_t at, uint64_t end, uint32_t most);

static inline const ni_local *ni_batch_side(const ni_batch *b, uint64_t side)
{
    return &b->local[b->side[side]];
}

#endif
