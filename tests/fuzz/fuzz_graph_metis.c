/* METIS: numbers of nodes and edges, then a line of neighbours for each node. */
#include "harness.h"

static void one(const uint8_t *data, size_t size)
{
    fuzz_text_graph("metis", data, size, 64);
}

const fuzz_target fuzz = { .one = one };
