/* mtx.h - a sparse matrix in Matrix Market's coordinate format, entry by entry, from an open stream.
 *
 * Memory is that of a line, whatever the size line claims. */
#ifndef NI_MTX_H
#define NI_MTX_H

#include "graph/lines.h"

typedef struct ni_mtx {
    ni_lines lines;
    ni_columns blanks;
    bool values;    /* entries have a third column                                        */
    bool symmetric; /* (i, j) stands for (j, i), too                                       */
    uint64_t rows, columns, entries, taken;
} ni_mtx;

/* Reads the banner and the size. ni_mtx_end in any case. */
neap_status ni_mtx_begin(ni_mtx *m, ni_stream_in *in, neap_error *err);
void ni_mtx_end(ni_mtx *m);

/* The next entry, numbers from 0, with its value as a field where there are values; *more is false behind
 * the last one. NEAP_E_FORMAT if there are more or fewer than were announced. */
neap_status ni_mtx_next(ni_mtx *m, uint32_t *row, uint32_t *column, ni_field *value, bool *more,
                        neap_error *err);

#endif
