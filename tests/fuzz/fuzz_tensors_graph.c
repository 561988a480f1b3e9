/* Graphs in our own format, from memory and from a file. */
#include "harness.h"

static void one(const uint8_t *data, size_t size)
{
    static const char path[] = FUZZ_FOLDER "graph.safetensors";
    neap_graph *g;
    neap_error err = { 0 };
    fuzz_bound(8 << 10, 4, size);
    neap_status rc = neap_graph_from_memory(data, size, &g, &err);
    fuzz_unbound();
    fuzz_file(path, data, size);
    neap_status checked = neap_file_check(path, NULL, NULL, &err);
    if (!fuzz_took(rc, &err, g)) return;
    assert_int_equal(checked, NEAP_OK);
    fuzz_use_graph(g);
    neap_graph_free(g);
}

const fuzz_target fuzz = { .one = one, .mutate = fuzz_mutate_tensors };
