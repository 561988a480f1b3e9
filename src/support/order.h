/* order.h - for qsort and bsearch. */
#ifndef NI_ORDER_H
#define NI_ORDER_H

#include <stdint.h>

#include "neap.h"

static inline int ni_ascending_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static inline int ni_ascending_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs, or structs that begin with one: by source, then by target. */
static inline int ni_ascending_pair(const void *a, const void *b)
{
    const neap_pair *x = (const neap_pair *)a, *y = (const neap_pair *)b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

#endif
