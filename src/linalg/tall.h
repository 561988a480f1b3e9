/* tall.h - products of tall matrices: many rows, few columns, floats, row-major.
 *
 * X'X is summed over fixed ranges of rows, in slabs whose products are floats and whose sums are doubles,
 * and the ranges are added in their order: the bits do not depend on the number of threads. Between
 * matrices of n x l and n x k a product takes 2 n l k flops. Arrays are the caller's. */
#ifndef NI_TALL_H
#define NI_TALL_H

#include "base/threads.h"

/* out (l x l) = X'X, X: n x l. NEAP_E_MEM, NEAP_E_STOPPED. */
neap_status ni_tall_gram(const float *X, uint64_t n, uint32_t l, ni_threads *threads, double *out,
                         neap_error *err);

/* out (l x k) = X'Y, X: n x l, Y: n x k. */
neap_status ni_tall_cross(const float *X, uint32_t l, const float *Y, uint32_t k, uint64_t n,
                          ni_threads *threads, double *out, neap_error *err);

/* out (n x k) = X C', X: n x l, C: k x l; rows of out begin `stride` numbers apart. */
void ni_tall_transform(const float *X, uint64_t n, uint32_t l, const float *C, uint32_t k, float *out,
                       size_t stride, ni_threads *threads);

/* X = X C' in place, C: k x l, k <= l: rows then begin k numbers apart. */
neap_status ni_tall_turn(float *X, uint64_t n, uint32_t l, const float *C, uint32_t k, ni_threads *threads,
                         neap_error *err);

/* Bytes that ni_tall_gram takes besides. */
uint64_t ni_tall_bytes(uint64_t n, uint32_t l);

#endif
