/* sparse.h - a sparse matrix by rows (CSR), made from coordinates (COO) in any order on several threads.
 *
 * A stable counting sort: the nonzeros are cut into a fixed number of chunks, each chunk counts its rows,
 * a prefix sum over rows and chunks gives the position where each chunk writes its nonzeros of each row. So
 * the nonzeros of a row keep their order for any number of threads. O(nonzeros + chunks x rows); arrays are
 * the caller's. */
#ifndef NI_SPARSE_H
#define NI_SPARSE_H

#include "base/carve.h"
#include "base/threads.h"
#include "linalg/kernels.h"

enum { NI_SPARSE_CHUNKS = 8 };

typedef struct ni_sparse {
    uint64_t rows, nonzeros;
    const uint32_t *row; /* nonzeros; NEAP_NONE: left out                   */
    const uint32_t *col; /* nonzeros, or NULL: each has a column of its own */
    const float *value;  /* nonzeros, or NULL: all are 1                    */
    uint32_t *start;     /* rows                                            */
    uint32_t *next;      /* chunks x rows: where a chunk writes next        */
    uint32_t *end;       /* rows: the last part of next                     */
    ni_term *term;       /* nonzeros: (column, value), those of row r at start[r] .. end[r] - 1 */
} ni_sparse;

/* A matrix without nonzeros yet, with start, next and term from a block. */
static inline ni_sparse ni_sparse_carve(ni_carver *c, uint64_t rows, uint64_t nonzeros)
{
    ni_sparse m = { .rows = rows, .nonzeros = nonzeros };
    m.start = ni_carve(c, rows, sizeof *m.start);
    m.next = ni_carve(c, NI_SPARSE_CHUNKS * rows, sizeof *m.next);
    m.term = ni_carve(c, nonzeros, sizeof *m.term);
    return m;
}

/* Fills start, end and term. */
void ni_sparse_sort(ni_sparse *matrix, ni_threads *threads);

/* Adds up nonzeros of one row and column, in their order, at the position of the first. known: work space
 * of threads x columns. */
void ni_sparse_merge(ni_sparse *matrix, uint64_t columns, uint32_t *known, ni_threads *threads);

/* Fills start, end and term of the transpose; the nonzeros of a row are in ascending order. */
void ni_sparse_transpose(const ni_sparse *matrix, ni_sparse *transposed, ni_threads *threads);

/* Rows first .. end-1 of the matrix times B (columns x d), into the same rows of out (rows x d). */
void ni_sparse_spmm(const ni_sparse *matrix, uint64_t first, uint64_t end, const float *B, uint64_t d,
                    float *out);

#endif
