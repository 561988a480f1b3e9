/* carve.h - many arrays from one block: one function lays them out, and without a block it only counts, so
 * that an estimate calls the same function. Each array begins on its own cache line. */
#ifndef NI_CARVE_H
#define NI_CARVE_H

#include "base/sys.h"

typedef struct ni_carver {
    char *block; /* begins on a cache line, or NULL: nothing is carved */
    size_t used;
} ni_carver;

static inline void *ni_carve(ni_carver *c, uint64_t count, size_t width)
{
    void *here = c->block ? c->block + c->used : NULL;
    c->used += (count * width + NI_CACHE_LINE - 1) / NI_CACHE_LINE * NI_CACHE_LINE;
    return here;
}

/* A block that only grows, and forgets what was in it when it does. */
typedef struct ni_block {
    void *memory;
    size_t bytes;
} ni_block;

/* Room for so many bytes; false: no memory, and there is no room at all any more. Later batches of a run
 * are somewhat larger and smaller: an eighth is added, because the kernel clears every page that it hands
 * out, and a block that is made again is cleared again. What is never needed is never touched. */
static inline bool ni_block_grow(ni_block *b, size_t bytes)
{
    if (bytes <= b->bytes && b->memory) return true;
    ni_free(b->memory);
    b->bytes = 0;
    b->memory = ni_array(bytes + bytes / 8 + NI_CACHE_LINE, 1);
    if (b->memory) b->bytes = bytes + bytes / 8;
    return b->memory;
}

#endif
