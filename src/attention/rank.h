/* rank.h - what the ways to score one source against many targets share (rank.c, rank_bounds.c,
 * rank_some.c). The source's a neighbours X meet rows of a table by products; a row is done the same way,
 * to the bit, whichever asks.                                                                        */
#ifndef NI_RANK_H
#define NI_RANK_H

#include "linalg/kernels.h"
#include "model/model.h"

/* Rows that are multiplied at once, but for the last of a table. How a product is rounded depends on how
 * many those are, and may depend on a row's place among them. */
enum { NI_RANK_ROWS = 256 };

/* Rows can be multiplied at all: pooling by maxima, no padding vectors. */
bool ni_rank_by_products(const neap_model *model);

/* A target or source with so many neighbours also sees zero vectors, hence alignments of zero. */
bool ni_zero_padded(const neap_model *model, uint32_t size);

/* right (d x 2a) = [P' X' | X'], or [P X' | X'] where the source is the target of each pair (turned). */
void ni_rank_right(const neap_model *model, const uint32_t *X, uint64_t a, bool turned, float *right);

static inline float ni_largest(const float *x, uint64_t n, float most)
{
    for (uint64_t i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

/* From the largest alignments of rows, v: exp(tanh(.)) of each, its attention. */
void ni_rank_attention(const neap_model *model, uint32_t a, float *v, uint64_t count);

/* The scores of the source against targets whose neighbours are rows of E, an own table or the model's. */
neap_status ni_rank_targets(const neap_model *model, uint32_t source, const float *E, uint32_t rows,
                            const ni_hood *targets, float *scores, neap_error *err);

#endif
