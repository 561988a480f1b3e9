/* Edge lists in all their dialects. */
#include "harness.h"

static void one(const uint8_t *data, size_t size)
{
    fuzz_text_graph("edges", data, size, 64);
}

const fuzz_target fuzz = { .one = one };
