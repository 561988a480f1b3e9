/* order.h - for qsort and bsearch. */
#ifndef NI_ORDER_H
#define NI_ORDER_H

#include <stdint.h>

static inline int ni_ascending_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#endif
