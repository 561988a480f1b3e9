/* tensors.h - named arrays and facts, and the container of models, checkpoints, graphs and vectors.
 *
 * Writing: fill a zeroed ni_tensors with views and facts, then ni_tensors_write or _store;
 * the arrays stay the caller's. Reading fills one that owns its arrays, until they are taken. Either way
 * ni_tensors_release ends it. Any names are possible here: which of them a kind of file may have is checked
 * by its reader (ni_tensors_only). Names and facts are copied. */
#ifndef NI_TENSORS_H
#define NI_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "neap.h"

typedef enum ni_type { NI_F32, NI_U8, NI_U32, NI_U64 } ni_type;

enum { NI_TYPES = 4, NI_RANK_MOST = 4 };

typedef struct ni_tensor {
    char *name;
    ni_type type;
    uint32_t rank; /* 1 .. NI_RANK_MOST */
    uint64_t shape[NI_RANK_MOST];
    const void *data; /* reading: aligned for its type */
    void *block;      /* reading: owned, the same; NULL once it is taken */
} ni_tensor;

typedef struct ni_fact {
    char *key, *value;
} ni_fact;

typedef struct ni_tensors {
    ni_tensor *tensor;
    size_t count, room;
    ni_fact
        *fact; /* __metadata__ without neap.format and the checksums, which reading and writing handle */
    size_t facts, fact_room;
    uint32_t format; /* reading: the version of the file                    */
    void *owned;     /* reading others' files: the bytes of all tensors     */
    bool failed;     /* no memory to record something: writing will fail    */
} ni_tensors;

void ni_tensors_release(ni_tensors *t);

/* Records a view of an array. Without memory it sets t->failed, so that a long list is checked once. */
void ni_tensors_add(ni_tensors *t, const char *name, ni_type type, uint32_t rank, const uint64_t *shape,
                    const void *data);

/* Records a fact; an existing key gets the new value. _new: the key does not exist yet, which is faster.
 */
void ni_tensors_put(ni_tensors *t, const char *key, const char *value);
void ni_tensors_put_new(ni_tensors *t, const char *key, const char *value);
void ni_tensors_put_count(ni_tensors *t, const char *key, uint64_t value);

/* In the fewest digits that read back as the same number; nothing if it is not finite. */
void ni_tensors_put_real(ni_tensors *t, const char *key, double value);

/* NULL if there is none. */
const ni_tensor *ni_tensors_find(const ni_tensors *t, const char *name);
const char *ni_tensors_fact(const ni_tensors *t, const char *key);

/* The file is of this kind: "model", "checkpoint", "graph", "vectors". */
bool ni_tensors_are(const ni_tensors *t, const char *kind);

/* NEAP_E_FORMAT unless the fact is a whole number up to `most`. */
neap_status ni_tensors_count(const ni_tensors *t, const char *key, uint64_t most, uint64_t *value,
                             neap_error *err);

/* A number; NaN if there is no such fact. */
neap_status ni_tensors_real(const ni_tensors *t, const char *key, double *value, neap_error *err);

/* Finds a tensor and demands its type and shape, and of floats that they are finite; else NEAP_E_FORMAT.
 */
neap_status ni_tensors_need(const ni_tensors *t, const char *name, ni_type type, uint32_t rank,
                            const uint64_t *shape, const void **data, neap_error *err);

/* An array that was found, to keep and to free: that of the file itself, of which `t` remains a view, or a
 * copy where it is not alone in a block or was taken before. NULL: no memory. */
void *ni_tensors_take(const ni_tensors *t, const void *data, size_t count, size_t width);

/* The closed set of a kind: NEAP_E_FORMAT if there is a tensor or a fact that is not in these lists, which
 * end with NULL; "option." with its dot stands for all facts that begin so. */
neap_status ni_tensors_only(const ni_tensors *t, const char *const *tensors, const char *const *facts,
                            neap_error *err);

/* "F32", and its bytes. */
const char *ni_type_name(ni_type type);
size_t ni_type_width(ni_type type);

/* Bytes of a tensor; false if they are more than 2^64 - 1. */
bool ni_tensor_bytes(ni_type type, uint32_t rank, const uint64_t *shape, uint64_t *bytes);

/* "F32 1005 x 128" for people. */
void ni_tensor_describe(ni_type type, uint32_t rank, const uint64_t *shape, char text[112]);

/* ---- the container (safetensors.c; docs/format.md) ----
 *
 * Reading takes a file apart, checks its length, the CRC of its header, its kind, the types, shapes and
 * running offsets of its tensors and the CRC of each, and only then gives anything out. Any names are
 * accepted, as many as the header has room for; the caller checks what they mean. */

/* The longest header, which bounds names, facts and their number. */
enum { NI_HEADER_MOST = 1 << 20 };

/* The tensors lie in the file by falling width of their elements, so that each is aligned. The file is
 * replaced whole or not at all. */
neap_status ni_tensors_write(const ni_tensors *t, const char *path, neap_error *err);

/* The same bytes into memory. *need receives how many there are; NEAP_E_LIMIT if that is more than room,
 * and then nothing is written. */
neap_status ni_tensors_store(const ni_tensors *t, void *bytes, size_t room, size_t *need, neap_error *err);

/* A path that is not a regular file is refused (NEAP_E_READ); memory is at most the file's size and some
 * times that of its header. hooks may be NULL; its progress may stop the reading (NEAP_E_STOPPED). */
neap_status ni_tensors_read(const char *path, const neap_hooks *hooks, ni_tensors *t, neap_error *err);

/* Any safetensors file. One that is not ours has no checksums, no facts are taken from it, and only tensors
 * of our types: other ones are left out. */
neap_status ni_tensors_read_any(const char *path, ni_tensors *t, neap_error *err);

/* The same as ni_tensors_read from memory, which is copied. */
neap_status ni_tensors_parse(const void *bytes, size_t count, ni_tensors *t, neap_error *err);

/* A regular file that begins and is as long as one of ours could be. */
bool ni_tensors_look(const char *path);

/* Puts the path before the text of a NEAP_E_FORMAT from the contents of a file; returns rc. */
neap_status ni_name_file(const char *path, neap_status rc, neap_error *err);

#endif
