/* sparse.h - a sparse matrix by rows, made from entries in any order on several threads.
 *
 * A stable counting sort: the entries are cut into a fixed number of chunks, each chunk counts its rows,
 * a running sum over rows and chunks gives every entry its place, and each chunk writes its entries there.
 * So the entries of a row keep their order, whatever the number of threads.                          */
#ifndef NI_SPARSE_H
#define NI_SPARSE_H

#include "base/threads.h"
#include "linalg/kernels.h"

enum { NI_SPARSE_CHUNKS = 8 };

typedef struct ni_sparse {
    uint64_t rows, entries;
    const uint32_t *row; /* entries; NEAP_NONE: left out                     */
    const uint32_t *col; /* entries, or NULL: each has a column of its own   */
    const float *value;  /* entries, or NULL: all are 1                      */
    uint32_t *start;     /* rows                                             */
    uint32_t *place;     /* chunks x rows                                    */
    uint32_t *end;       /* rows: the last part of place                     */
    ni_term *term;       /* entries: (column, value), those of row r at start[r] .. end[r] - 1 */
} ni_sparse;

/* Fills start, end and term. */
void ni_sparse_sort(ni_sparse *matrix, ni_threads *threads);

/* Entries of a row that have a column in common become one, in the place of the first; they are added in
 * their order. known: work space of threads x columns. */
void ni_sparse_merge(ni_sparse *matrix, uint64_t columns, uint32_t *known, ni_threads *threads);

/* Fills start, end and term of a matrix whose rows are the columns of another; the entries of a row are in
 * ascending order. */
void ni_sparse_turn(const ni_sparse *matrix, ni_sparse *turned, ni_threads *threads);

/* Rows first .. end-1 of the matrix times B (columns x d), into the same rows of out (rows x d). */
void ni_sparse_times(const ni_sparse *matrix, uint64_t first, uint64_t end, const float *B, uint64_t d,
                     float *out);

#endif
