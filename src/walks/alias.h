/* alias.h - draws in proportion to weights, in constant time (Walker 1977; built by Vose 1991): a column is
 * drawn evenly, then it is either the column's own item or the one that shares it. */
#ifndef NI_ALIAS_H
#define NI_ALIAS_H

#include "base/rng.h"
#include "neap.h"

typedef struct ni_alias {
    float share;    /* of the column that is its own */
    uint32_t other; /* whose the rest is             */
} ni_alias;

/* Fills a table of n columns for weights that are not negative, of which one is positive; uses them up.
 * scratch: n. */
void ni_alias_fill(ni_alias *table, double *weight, uint32_t n, uint32_t *scratch);

static inline uint32_t ni_alias_draw(const ni_alias *table, uint32_t n, ni_rng *rng)
{
    uint64_t bits = ni_next(rng);
    uint32_t column = (uint32_t)((bits >> 32) * n >> 32);
    float coin = (float)(bits & 0xffffff) * 0x1p-24F;
    return coin < table[column].share ? column : table[column].other;
}

#endif
