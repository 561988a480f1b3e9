/* rivals.h - the nodes that test pairs are compared with (ni_trial_rivals each), in the order of the pairs
 * and a few pairs at a time, so that they never are in memory all at once: drawn, or from a file. */
#ifndef NI_RIVALS_H
#define NI_RIVALS_H

#include "eval/trial.h"
#include "io/stream.h"

/* A file of node numbers for NumPy: rows x columns uint32, row i for pair i. columns = 0: one number a row.
 * Opens one, and reads its header (npy.h), which must be that of so many rows and columns. */
neap_status ni_numbers_open(const char *path, uint64_t rows, uint32_t columns, ni_stream_in **in,
                            neap_error *err);

/* The next numbers, each below `nodes`; NEAP_E_FORMAT if there are fewer, or if one is too large. */
neap_status ni_numbers_next(ni_stream_in *in, uint32_t nodes, size_t count, uint32_t *number,
                            neap_error *err);

typedef struct ni_rival_file {
    char *path;
    uint32_t crc; /* CRC32C of the whole file */
} ni_rival_file;
neap_status ni_rival_file_create(const char *path, uint32_t crc, ni_rival_file **out, neap_error *err);
void ni_rival_file_free(ni_rival_file *file);

typedef struct ni_rivals {
    const ni_trial *trial;
    size_t next;      /* the test pair whose rivals come next      */
    ni_stream_in *in; /* NULL: they are drawn                      */
    uint32_t crc;     /* of what was read so far                   */
} ni_rivals;

neap_status ni_rivals_open(const ni_trial *trial, ni_rivals *r, neap_error *err);

/* The rivals of the next `count` test pairs: count x ni_trial_rivals. With the last ones it fails if the
 * file is not what it was when the trial was loaded. */
neap_status ni_rivals_next(ni_rivals *r, size_t count, uint32_t *node, neap_error *err);
void ni_rivals_close(ni_rivals *r);

#endif
