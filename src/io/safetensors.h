/* safetensors.h - the container of models, checkpoints, graphs and vectors (docs/format.md).
 *
 * Reading takes a file apart, checks its length, the CRC of its header, its kind, the types, shapes and
 * running offsets of its tensors and the CRC of each, and only then gives anything out. Any names are
 * accepted, as many as the header has room for; the caller checks what they mean. */
#ifndef NI_SAFETENSORS_H
#define NI_SAFETENSORS_H

#include "io/tensors.h"

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

/* The same from memory, which is copied. */
neap_status ni_tensors_parse(const void *bytes, size_t count, ni_tensors *t, neap_error *err);

/* A regular file that begins and is as long as one of ours could be. */
bool ni_tensors_look(const char *path);

/* Puts the path before the text of a NEAP_E_FORMAT from the contents of a file; returns rc. */
neap_status ni_name_file(const char *path, neap_status rc, neap_error *err);

#endif
