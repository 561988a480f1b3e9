/* What libFuzzer would do to bytes, for programs without it: one byte is changed, removed or put in. The
 * same in every run. */
#include "harness.h"

static uint32_t state = 1;

static uint32_t below(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (uint32_t)((uint64_t)(state >> 8) * n >> 24) : 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    size_t at = below(size);
    unsigned kind = below(3);
    if (kind == 0 && size < room) {
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)below(256);
        return size + 1;
    }
    if (kind == 1 && size > 1) {
        memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    }
    if (size) data[at] ^= (uint8_t)(1u << below(8));
    return size;
}
