/* Adjacency lists: a node and its neighbours in a line. */
#include "harness.h"

static void one(const uint8_t *data, size_t size)
{
    fuzz_text_graph("adjacency", data, size, 64);
}

const fuzz_target fuzz = { .one = one };
