/* steps.h - sequences that take the steps of a recurrence together: groups of about the same length, so
 * that those that are longer than t are the first of a group, and one product serves them all. */
#ifndef NI_STEPS_H
#define NI_STEPS_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/threads.h"
#include "encoders/packed.h"
#include "support/order.h"

enum { NI_STEPS_GROUP = 48 }; /* sequences; eight tiles of avx2_gemm.c */

/* A zero row before, between and behind sequences of these lengths: where they begin, into first (count);
 * returns the rows. */
static inline uint64_t ni_steps_lay_out(const uint32_t *length, uint32_t count, uint64_t *first)
{
    uint64_t end = 1;
    for (uint32_t s = 0; s < count; s++) {
        first[s] = end;
        end += length[s] + 1;
    }
    return end;
}

/* Longest first, equals in their order. */
static inline void ni_steps_sort(const ni_packed *p, uint64_t *order)
{
    for (uint32_t s = 0; s < p->count; s++) order[s] = (uint64_t)(UINT32_MAX - p->length[s]) << 32 | s;
    if (p->count) qsort(order, p->count, sizeof *order, ni_ascending_u64);
    for (uint32_t s = 0; s < p->count; s++) order[s] &= UINT32_MAX;
}

typedef struct ni_steps {
    const ni_packed *p;
    const uint64_t *sequence; /* count, longest first */
    uint32_t count;
    bool behind; /* steps begin with the last row */
} ni_steps;

/* The group with that number. */
static inline ni_steps ni_steps_of(const ni_packed *p, const uint64_t *order, uint32_t group, bool behind)
{
    uint64_t first = (uint64_t)group * NI_STEPS_GROUP;
    uint32_t count = (uint32_t)(ni_task_end(first, NI_STEPS_GROUP, p->count) - first);
    return (ni_steps){ p, order + first, count, behind };
}

static inline uint32_t ni_steps_length(const ni_steps *g, uint32_t k)
{
    return g->p->length[g->sequence[k]];
}

/* How many of the group have a row at step t; `active` is such a number of another step. */
static inline uint32_t ni_steps_active(const ni_steps *g, uint32_t t, uint32_t active)
{
    while (active < g->count && ni_steps_length(g, active) > t) active++;
    while (active > 0 && ni_steps_length(g, active - 1) <= t) active--;
    return active;
}

/* The row of step t of the k-th sequence, and the row of the step before. */
static inline uint64_t ni_steps_row(const ni_steps *g, uint32_t k, uint32_t t)
{
    uint64_t first = g->p->first[g->sequence[k]];
    return g->behind ? first + ni_steps_length(g, k) - 1 - t : first + t;
}

static inline uint64_t ni_steps_before(const ni_steps *g, uint64_t row)
{
    return g->behind ? row + 1 : row - 1;
}

#endif
