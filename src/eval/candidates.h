/* candidates.h - the nodes that test pairs are ranked against (ni_trial_candidates each), as a stream in
 * the order of the pairs, drawn or from a file: they are never in memory all at once. */
#ifndef NI_CANDIDATES_H
#define NI_CANDIDATES_H

#include "eval/trial.h"
#include "io/stream.h"

/* Where they are on disk: count x ni_trial_candidates node numbers, uint32 (npy.h), row i for test pair i.
 */
typedef struct ni_candidate_file {
    char *path;
    uint32_t crc; /* CRC32C of the whole file */
} ni_candidate_file;
neap_status ni_candidate_file_create(const char *path, uint32_t crc, ni_candidate_file **out,
                                     neap_error *err);
void ni_candidate_file_free(ni_candidate_file *file);

typedef struct ni_candidates {
    const ni_trial *trial;
    size_t next;      /* the test pair whose candidates come next */
    ni_stream_in *in; /* NULL: they are drawn                     */
    uint32_t crc;     /* of what was read so far                  */
} ni_candidates;

neap_status ni_candidates_open(const ni_trial *trial, ni_candidates *r, neap_error *err);

/* The candidates of the next `count` test pairs: count x ni_trial_candidates. With the last ones it fails
 * if the file is not what it was when the trial was loaded. */
neap_status ni_candidates_next(ni_candidates *r, size_t count, uint32_t *node, neap_error *err);
void ni_candidates_close(ni_candidates *r);

#endif
