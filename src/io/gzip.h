/* gzip.h - zlib on our memory, and the packing of a block. */
#ifndef NI_GZIP_H
#define NI_GZIP_H

#include <stddef.h>

/* zalloc and zfree of a z_stream. */
void *ni_zlib_allocate(void *unused, unsigned count, unsigned width);
void ni_zlib_release(void *unused, void *block);

/* One gzip member of less than 2 GiB, without time and name, so that the same bytes give the same; in a new
 * block, NULL without memory. */
unsigned char *ni_gzip_pack(const void *bytes, size_t count, size_t *packed);

#endif
