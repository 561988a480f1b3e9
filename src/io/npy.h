/* npy.h - tables of numbers as NumPy files (.npy): the header of version 1 to write, versions 1 to 3 to
 * read.
 *
 * Memory grows with the bytes that are there, not with what the header claims.                      */
#ifndef NI_NPY_H
#define NI_NPY_H

#include <stdbool.h>
#include <stdint.h>

#include "io/stream.h"

typedef struct ni_npy {
    uint64_t rows, columns;
    float *values; /* rows x columns, row by row, whatever the order in the file */
} ni_npy;

/* The header of rows x columns numbers of a type, "<f4" or "<u4", whose bytes follow; columns = 0: an array
 * of one dimension. It is padded so that they are 64-aligned. */
enum { NI_NPY_HEADER = 128 };
void ni_npy_header(const char *type, uint64_t rows, uint32_t columns, char header[NI_NPY_HEADER]);

/* The bytes begin as such a file does. */
bool ni_npy_is(const void *bytes, size_t count);

/* Reads all of the stream: an array of two dimensions, neither of them 0, of float32 or float64 in either
 * byte order and either order of its entries. NEAP_E_FORMAT, with a byte offset where there is one, for
 * anything else, and for a number that is not finite as a float. */
neap_status ni_npy_read(ni_stream_in *in, ni_npy *out, neap_error *err);
void ni_npy_free(ni_npy *npy);

/* A file of rows x columns uint32, a piece at a time. Opens it and reads its header, which must be that of
 * ni_npy_header("<u4", rows, columns); the caller closes the stream. On failure *in is NULL. */
neap_status ni_npy_open_u32(const char *path, uint64_t rows, uint32_t columns, ni_stream_in **in,
                            neap_error *err);

/* The next `count` numbers, each below `limit`; NEAP_E_FORMAT if there are fewer, or if one is too large.
 */
neap_status ni_npy_next_u32(ni_stream_in *in, uint32_t limit, size_t count, uint32_t *number,
                            neap_error *err);

#endif
