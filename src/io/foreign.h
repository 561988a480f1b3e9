/* foreign.h - what a file is that is no text, told by its first bytes, so that a refusal can help. */
#ifndef NI_FOREIGN_H
#define NI_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "io/stream.h"

enum { NI_FOREIGN_BYTES = 512 }; /* so many of the first bytes are enough */

typedef struct ni_foreign {
    const char *what;  /* "xz data"                                              */
    const char *mends; /* what to do about it; FILE stands for the name of the file */
} ni_foreign;

/* NULL if the bytes are none of the kinds that are known here. */
const ni_foreign *ni_foreign_find(const void *bytes, size_t count);

/* The bytes begin as a safetensors file does: the length of a header, then JSON. */
bool ni_foreign_is_tensors(const void *bytes, size_t count);

/* NEAP_E_FORMAT if the stream begins as one of these; `wanted` says what is read instead. */
neap_status ni_foreign_refuse(const ni_stream_in *in, const char *wanted, neap_error *err);

#endif
