/* read_vectors.h - neap_vectors_load from a stream that is open already. */
#ifndef NI_DATA_READ_VECTORS_H
#define NI_DATA_READ_VECTORS_H

#include <stdbool.h>

#include "io/stream.h"

/* Nothing has been read of `in` yet. The path says what the file is and where the names of its rows are; a
 * safetensors file is read from there. */
neap_status ni_vectors_read(ni_stream_in *in, const char *path, const neap_graph *graph, bool allow_missing,
                            neap_vectors **out, neap_error *err);

#endif
