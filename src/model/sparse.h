/* sparse.h - a sparse matrix by rows, made from entries in any order on several threads.
 *
 * A stable counting sort: the entries are cut into a fixed number of chunks, each chunk counts its rows,
 * a running sum over rows and chunks gives every entry its place, and each chunk writes its entries there.
 * So the entries of a row keep their order, whatever the number of threads.                          */
#ifndef NI_SPARSE_H
#define NI_SPARSE_H

#include "base/pool.h"
#include "kernels/kernels.h"

enum { NI_SPARSE_CHUNKS = 8 };

typedef struct ni_sparse {
    uint64_t rows, entries;
    const uint32_t *row; /* entries; NEAP_NONE: left out                     */
    const uint32_t *col; /* entries, or NULL: each has a column of its own   */
    const float *value;  /* entries, or NULL: all are 1                      */
    uint32_t *start;     /* rows + 1                                         */
    uint32_t *place;     /* chunks x rows                                    */
    ni_term *term;       /* entries: (column, value), those of row r from start[r] on */
} ni_sparse;

/* Fills start and term of `count` matrices. */
void ni_sparse_sort(ni_sparse *matrix, uint32_t count, ni_pool *pool);

/* Rows first .. end-1 of the matrix times B (columns x d), into the same rows of out (rows x d). */
void ni_sparse_times(const ni_sparse *matrix, uint64_t first, uint64_t end, const float *B, uint64_t d,
                     float *out);

#endif
