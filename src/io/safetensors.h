/* safetensors.h - the container of models, checkpoints, graphs and vectors (docs/format.md).
 *
 * Writing: fill a zeroed ni_tensors with views, say its neap.kind, then ni_tensors_write. Reading:
 * ni_tensors_read takes the file apart, checks length, header CRC, names, types, shapes, running offsets
 * and the CRC of every tensor, and only then gives anything out. Both refuse what format.def does not
 * list for the kind. Which tensors must be there, and what is in them, is the caller's business.   */
#ifndef NI_SAFETENSORS_H
#define NI_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"

typedef enum ni_type { NI_F32, NI_U8, NI_U32, NI_U64 } ni_type;

enum { NI_TENSORS = 32, NI_FACTS = 96, NI_HEADER_MOST = 65536 };

typedef struct ni_tensor {
    char name[32];
    ni_type type;
    uint32_t rank; /* 1 or 2 */
    uint64_t shape[2];
    const void *data; /* reading: aligned for its type, owned by the ni_tensors */
} ni_tensor;

typedef struct ni_fact {
    char key[40];
    char value[88];
} ni_fact;

typedef struct ni_tensors {
    ni_tensor tensor[NI_TENSORS];
    uint32_t count;
    ni_fact fact[NI_FACTS]; /* __metadata__ without neap.format and the checksums, which reading and */
    uint32_t facts;         /* writing handle by themselves                                          */
    void *owned;            /* reading: the bytes of all tensors                                     */
} ni_tensors;

/* Both only record; a full table is a programming error and asserts. rank 1 if columns is 0. */
void ni_tensors_add(ni_tensors *t, const char *name, ni_type type, uint64_t rows, uint64_t columns,
                    const void *data);

/* A key said again gets the new value: a checkpoint is a model that says another neap.kind. */
void ni_tensors_say(ni_tensors *t, const char *key, const char *value);

/* The tensors lie in the file by falling width of their elements, so that each is aligned. */
neap_status ni_tensors_write(const ni_tensors *t, const char *path, neap_error *err);

/* A path that is not a regular file is refused (NEAP_E_READ); memory is at most the file's size + 128 KiB.
 */
neap_status ni_tensors_read(const char *path, ni_tensors *t, neap_error *err);
void ni_tensors_release(ni_tensors *t);

/* A regular file that begins and is as long as one of ours could be. */
bool ni_tensors_look(const char *path);

/* NULL if there is none. */
const ni_tensor *ni_tensors_find(const ni_tensors *t, const char *name);
const char *ni_tensors_fact(const ni_tensors *t, const char *key);

/* The file says it is of this kind: "model", "checkpoint", "graph", "vectors". */
bool ni_tensors_are(const ni_tensors *t, const char *kind);

/* Finds a tensor and demands its type and shape, and of floats that they are finite; NEAP_E_FORMAT with
 * words. rank 1 if columns is 0. */
neap_status ni_tensors_need(const ni_tensors *t, const char *name, ni_type type, uint64_t rows,
                            uint64_t columns, const void **data, neap_error *err);

/* Puts the path before the words of a NEAP_E_FORMAT that was found in the contents of a file; returns rc.
 */
neap_status ni_name_file(const char *path, neap_status rc, neap_error *err);

/* "F32". */
const char *ni_type_name(ni_type type);

#endif
