/* stream.h - bytes from a file, whatever compressed them. */
#ifndef NI_STREAM_H
#define NI_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "neap.h"

typedef struct ni_stream_in ni_stream_in;

/* Opens a path, or standard input for "-"; gzip (also of several members) and zstd (also of several
 * frames) are recognised by their first bytes. */
neap_status ni_stream_open(const char *path, ni_stream_in **out, neap_error *err);
void ni_stream_close(ni_stream_in *in);

/* Fills the buffer as far as there is input; *got < room only at the end. A damaged or cut compressed
 * stream is NEAP_E_FORMAT, a failing read NEAP_E_READ. */
neap_status ni_stream_read(ni_stream_in *in, void *bytes, size_t room, size_t *got, neap_error *err);

/* Calls hooks->progress with the bytes read so far; reading fails with NEAP_E_STOPPED if it requests a
 * stop. hooks may be NULL and must outlive the stream. */
void ni_stream_watch(ni_stream_in *in, const neap_hooks *hooks);

/* The same look between two reads, for work on what was read that takes long. */
neap_status ni_stream_look(ni_stream_in *in, neap_error *err);

/* The first bytes of the file as they stand there, at most *count = 16; only before anything is read. */
const void *ni_stream_peek(const ni_stream_in *in, size_t *count);

/* "none", "gzip" or "zstd". */
const char *ni_stream_compression(const ni_stream_in *in);

/* The path as given, "standard input" for "-": for messages. */
const char *ni_stream_label(const ni_stream_in *in);

/* ---- what a file looks like ----
 *
 * The kind of a file that is no text, from its first bytes, so that an error can name a remedy. */
enum { NI_FOREIGN_BYTES = 512 }; /* so many of the first bytes are enough */

/* What to do about a file that holds a graph in some other form. */
#define NI_EXPORT_EDGES "export its edges as text, two names per line, for instance as CSV"

typedef struct ni_foreign {
    const char *what;  /* "xz data"                                              */
    const char *mends; /* what to do about it; FILE stands for the name of the file */
} ni_foreign;

/* NULL if the bytes are of none of these kinds. */
const ni_foreign *ni_foreign_find(const void *bytes, size_t count);

/* The bytes begin as a safetensors file does: the length of a header, then JSON. */
bool ni_foreign_is_tensors(const void *bytes, size_t count);

/* NEAP_E_FORMAT if the stream begins as one of these; `wanted`: what is expected, for the text. */
neap_status ni_foreign_refuse(const ni_stream_in *in, const char *wanted, neap_error *err);

#endif
