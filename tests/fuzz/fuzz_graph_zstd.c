/* Edge lists that zstd has packed. A few bytes can unpack to 128 KiB, so inputs are short. */
#include <zstd.h>

#include "harness.h"

enum { MOST = 512, TEXT = 1 << 14 };

static void one(const uint8_t *data, size_t size)
{
    if (size <= MOST) fuzz_text_graph("auto", data, size, 0);
}

/* Every other time the text changes and is packed again. */
static size_t mutate(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    static uint8_t text[TEXT], packed[MOST];
    size_t length = seed % 2 ? ZSTD_decompress(text, TEXT, data, size) : 0, n = 0;
    if (length && !ZSTD_isError(length))
        n = ZSTD_compress(packed, MOST, text, LLVMFuzzerMutate(text, length, TEXT), 1);
    if (!n || ZSTD_isError(n) || n > room) return LLVMFuzzerMutate(data, size, room);
    memcpy(data, packed, n);
    return n;
}

const fuzz_target fuzz = { .one = one, .mutate = mutate };
