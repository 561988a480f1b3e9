/* rank.h - what rank.c and rank_bounds.c share. Products of a row have the same bits in both. */
#ifndef NI_RANK_H
#define NI_RANK_H

#include "attention/attention.h"
#include "linalg/kernels.h"

/* Rows that are multiplied at once, but for the last of a table. How a product is rounded depends on how
 * many those are, and may depend on a row's position among them. */
enum { NI_RANK_ROWS = 256 };

/* *by_products: the scores follow from products of a->all, which are lent now. It takes pooling by maxima,
 * no padding vectors, and rows that are a table, or as many positions as there is room for. */
neap_status ni_rank_lend(ni_attention *a, bool *by_products, neap_error *err);

/* A sequence of that size is padded with zero vectors, hence the other side sees alignments of zero. */
bool ni_zero_padded(const ni_attention *a, uint32_t size);

/* right (d x 2n) = [P' X' | X'], or [P X' | X'] where the source is the target of each pair (reversed). X:
 * the rows of n ids. In uniform attention the left half is zero: all alignments are alike. */
void ni_rank_right(const ni_attention *a, const uint32_t *ids, uint64_t n, bool reversed, float *right);

static inline float ni_largest(const float *x, uint64_t n, float most)
{
    for (uint64_t i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

/* From the largest alignments v of rows with the source's `size` neighbours: exp(tanh(.)) of each. */
void ni_rank_attention(const ni_attention *a, uint32_t size, float *v, uint64_t count);

#endif
