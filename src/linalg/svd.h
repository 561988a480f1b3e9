/* svd.h - the leading singular triplets of a sparse matrix A (rows x columns).
 *
 * Randomised subspace iteration (Halko, Martinsson and Tropp 2011) on the smaller of the two sides: l
 * random vectors Q, l = k and some more, become orthonormal after each product with B'B, B = A or A',
 *
 *     Y = B Q,  Z = B'Y,  Q = orthonormal basis of Z        (SVQB: Stathopoulos and Wu 2002)
 *
 * and in the end Y'Y = R diag(s^2) R' (Rayleigh-Ritz) gives the singular values s and the vectors Q R of
 * the one side, Y R / s of the other. The error of value i falls by (s_l / s_i)^4 with each of the few
 * iterations: what matters in text is known to many digits, the last of the k values to a few per cent.
 * eigen.h finds all of them to the last digit in about ten times the time.
 *
 * Precision: products are floats, their inner products are summed in double, so that leading values have
 * relative errors of about 1e-6; a value below 1/1000 of the largest is taken for rounding.
 *
 * Cost: an iteration takes 4 l nonzeros + 6 l^2 min(rows, columns) flops. Memory: the transpose, and l
 * floats for each row and, twice, for each column, or the other way round: linear in both. Threads: every
 * row of a product has one task; the bits do not depend on the number of threads. */
#ifndef NI_SVD_H
#define NI_SVD_H

#include "linalg/sparse.h"

/* The k largest singular values, descending, and their right vectors: V is columns x k; the left ones are
 * A V / s. Where there are fewer than k that are not rounding, the rest and their vectors are 0. Signs: of
 * each vector the entry that is largest in absolute value is positive. A needs start, end and term. */
neap_status ni_svd(const ni_sparse *A, uint32_t columns, uint32_t k, uint64_t seed, ni_threads *threads,
                   double *value, float *V, neap_error *err);

/* Memory of ni_svd at its peak. */
uint64_t ni_svd_bytes(uint64_t rows, uint64_t columns, uint64_t nonzeros, uint32_t k);

/* out (rows x d) = A B, B: columns x d. */
void ni_sparse_product(const ni_sparse *A, const float *B, uint32_t d, float *out, ni_threads *threads);

#endif
