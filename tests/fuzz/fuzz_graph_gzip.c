/* Edge lists that gzip has packed. A text of any size may unpack from little, so memory has no bound here.
 */
#include <stdlib.h>
#include <zlib.h>

#include "harness.h"

enum { MOST = 2048, TEXT = 1 << 14, GZIP = 15 + 16 };

static void one(const uint8_t *data, size_t size)
{
    if (size <= MOST) fuzz_text_graph("auto", data, size, 0);
}

/* Text in the place of the packed bytes; 0 if they are none. */
static size_t unpack(const uint8_t *data, size_t size, uint8_t text[TEXT])
{
    z_stream z = {
        .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = text, .avail_out = TEXT
    };
    if (inflateInit2(&z, GZIP) != Z_OK) return 0;
    int rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return rc == Z_STREAM_END ? z.total_out : 0;
}

static size_t pack(uint8_t *text, size_t size, uint8_t *data, size_t room)
{
    z_stream z = { .next_in = text, .avail_in = (uInt)size, .next_out = data, .avail_out = (uInt)room };
    if (deflateInit2(&z, 1, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    int rc = deflate(&z, Z_FINISH);
    deflateEnd(&z);
    return rc == Z_STREAM_END ? z.total_out : 0;
}

/* Every other time the text changes and is packed again: random bytes rarely have the checksum of gzip. */
static size_t mutate(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static uint8_t text[TEXT], packed[MOST];
    size_t length = seed % 2 ? unpack(data, size, text) : 0, n = 0;
    if (length) n = pack(text, LLVMFuzzerMutate(text, length, TEXT), packed, MOST);
    if (!n || n > room) return LLVMFuzzerMutate(data, size, room);
    memcpy(data, packed, n);
    return n;
}

const fuzz_target fuzz = { .one = one, .mutate = mutate };
