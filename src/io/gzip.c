#include "io/gzip.h"

#include <limits.h>
#include <stdbool.h>
#include <zlib.h>

#include "base/sys.h"

void *ni_zlib_allocate(void *unused, unsigned count, unsigned width)
{
    (void)unused;
    return ni_array(count, width);
}

void ni_zlib_release(void *unused, void *block)
{
    (void)unused;
    ni_free(block);
}

unsigned char *ni_gzip_pack(const void *bytes, size_t count, size_t *packed)
{
    z_stream z = { .zalloc = ni_zlib_allocate, .zfree = ni_zlib_release };
    if (count > INT_MAX || deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t room = deflateBound(&z, (uLong)count);
    unsigned char *out = ni_array(room, 1);
    z.next_in = (unsigned char *)bytes; /* zlib only reads it */
    z.avail_in = (uInt)count;
    z.next_out = out;
    z.avail_out = (uInt)room;
    bool ok = out && deflate(&z, Z_FINISH) == Z_STREAM_END;
    *packed = z.total_out;
    deflateEnd(&z);
    if (!ok) ni_free(out);
    return ok ? out : NULL;
}
