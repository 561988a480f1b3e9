/* batch.h - the rows that a step works on: the distinct rows of all its sequences, and where each occurs.
 *
 * An item is a source, a target and K negatives. Each of these is a side: a sequence of ids, such as the
 * neighbours of a node or the words of a text, in any order, and with anything left out. Sides of one key
 * share a sequence. What follows works on rows, which are numbered from 0 in every batch. Rows of sources
 * come first, since only they are multiplied by P; rows that are occurrences stay in the order of the
 * items, which their masks are drawn by, and then all count as rows of sources. */
#ifndef NI_BATCH_H
#define NI_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/links.h"

typedef struct ni_side {
    const uint32_t *ids; /* count: the caller's, until the call returns                                   */
    uint32_t count;
    uint32_t key; /* sides of one key have the same ids; NI_OWN_KEY, or any beyond the batch's keys:
                     a sequence that is not shared */
} ni_side;

#define NI_OWN_KEY UINT32_MAX

/* The neighbourhood of a node, with the node as its key. */
static inline ni_side ni_hood_side(const ni_hood *hood, uint32_t node)
{
    return (ni_side){ hood->node + hood->offset[node], ni_hood_size(hood, node), node };
}

/* What is one row. */
typedef enum ni_row_identity {
    NI_ROW_BY_ID,        /* an id, wherever it occurs: rows of a table                                    */
    NI_ROW_BY_POSITION,  /* a position of a sequence: an encoder mixes the rows of a sequence             */
    NI_ROW_BY_OCCURRENCE /* a position of a side, also where sides have one key: a mask for each          */
} ni_row_identity;

/* row[first] .. row[first + rows - 1]; the first `size` of them stand for the ids, one more is the padding
 * vector where there is one. */
typedef struct ni_sequence {
    uint64_t first;
    uint32_t size, rows;
} ni_sequence;

typedef struct ni_batch {
    ni_row_identity identity;
    uint32_t ids, keys; /* how many there may be */
    uint32_t pad_below; /* sequences shorter than this have a padding row; 0: none do */

    uint32_t items, width; /* width: sides per item, 2 + K */
    uint32_t rows;
    uint32_t source_rows; /* the first of them: those that occur in sequences of sources */
    uint32_t *id;         /* rows: the id of a row, or NEAP_NONE for padding             */
    ni_sequence *sequence;
    uint32_t sequences;
    uint32_t widest;       /* rows of the longest sequence                             */
    uint32_t *row;         /* what ni_sequence points into                             */
    uint32_t *side;        /* items x width: the sequence of a side, into sequence[]   */
    uint64_t *position;    /* items x width + 1: where a side's positions begin in flat arrays */
    uint32_t *by_sequence; /* items x width: the sides in the order of their sequences */
    uint32_t *first_of;    /* sequences + 1: where those of a sequence begin in by_sequence    */
    uint64_t alignments;   /* sum of a x b over the pairs (source, any other side)     */

    size_t id_room, sequence_room, row_room, side_room, position_room, by_sequence_room, first_of_room;
    uint64_t row_count;
    bool too_large;
    uint32_t *row_of;      /* ids: row of an id in this batch, or NEAP_NONE       */
    uint32_t *sequence_of; /* keys: sequence of a key in this batch, or NEAP_NONE */
} ni_batch;

/* ids, keys: the numbers of possible ones. O(ids + keys), once. */
neap_status ni_batch_init(ni_batch *b, ni_row_identity identity, uint32_t ids, uint32_t keys,
                          uint32_t pad_below, neap_error *err);
void ni_batch_free(ni_batch *b);

/* sides: items x width. O(rows and positions of the batch). */
neap_status ni_batch_collect(ni_batch *b, const ni_side *sides, uint32_t items, uint32_t width,
                             neap_error *err);

/* Bytes it holds now. */
uint64_t ni_batch_bytes(const ni_batch *b);

/* How many sides from by_sequence[at] on share a sequence; those before `end` count, up to `most`. */
uint32_t ni_batch_alike(const ni_batch *b, uint64_t at, uint64_t end, uint32_t most);

static inline const ni_sequence *ni_batch_side(const ni_batch *b, uint64_t side)
{
    return &b->sequence[b->side[side]];
}

#endif
