/* sparse.h - a sparse matrix in CSR form, made from nonzeros in any order, and its product with a dense
 * one.
 *
 * A stable counting sort: the nonzeros are cut into a fixed number of chunks, each chunk counts its rows, a
 * prefix sum over rows and chunks gives every nonzero its position, and each chunk scatters its own. So the
 * nonzeros of a row keep their order for any number of threads. O(rows + nonzeros) for each function; the
 * arrays are the caller's. */
#ifndef NI_SPARSE_H
#define NI_SPARSE_H

#include "base/threads.h"
#include "linalg/kernels.h"

enum { NI_SPARSE_CHUNKS = 8 };

typedef struct ni_sparse {
    uint64_t rows, entries;
    const uint32_t *row; /* of each nonzero; NEAP_NONE: left out             */
    const uint32_t *col; /* of each, or NULL: nonzero i is in column i       */
    const float *value;  /* of each, or NULL: all are 1                      */
    uint32_t *start;     /* rows                                             */
    uint32_t *place;     /* chunks x rows                                    */
    uint32_t *end;       /* rows: the last of the chunks in place            */
    ni_term *term;       /* (column, value) of each, those of row r at start[r] .. end[r] - 1 */
} ni_sparse;

/* Fills start, end and term. */
void ni_sparse_sort(ni_sparse *matrix, ni_threads *threads);

/* Adds up the nonzeros of a row that have a column in common, in their order, into the first of them.
 * known: scratch of threads x columns. */
void ni_sparse_merge(ni_sparse *matrix, uint64_t columns, uint32_t *known, ni_threads *threads);

/* Transposes: fills start, end and term of the other matrix; the nonzeros of its rows are in ascending
 * order. */
void ni_sparse_turn(const ni_sparse *matrix, ni_sparse *transposed, ni_threads *threads);

/* SpMM: rows first .. end-1 of the matrix times B (columns x d), into the same rows of out (rows x d). */
void ni_sparse_times(const ni_sparse *matrix, uint64_t first, uint64_t end, const float *B, uint64_t d,
                     float *out);

#endif
