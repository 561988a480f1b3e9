/* stream.h - bytes from a file, whatever compressed them. */
#ifndef NI_STREAM_H
#define NI_STREAM_H

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

/* The first bytes of the file as they stand there, at most *count = 16; only before anything is read. */
const void *ni_stream_peek(const ni_stream_in *in, size_t *count);

/* "none", "gzip" or "zstd". */
const char *ni_stream_compression(const ni_stream_in *in);

/* The path as given, "standard input" for "-": for messages. */
const char *ni_stream_label(const ni_stream_in *in);

#endif
