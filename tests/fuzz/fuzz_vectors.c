/* Vectors of other tools: word2vec text, NumPy arrays with or without names beside them, and what only
 * other tools read. The input may hold the names of a NumPy file behind a line `@@ v.names.txt`. */
#include "harness.h"

static neap_graph *graph;

static void prepare(void)
{
    graph = fuzz_graph(0, 0);
}

static void load(const char *path, int allow_missing, size_t size)
{
    neap_vectors *v;
    neap_error err = { 0 };
    fuzz_bound(4 << 20, 64, size);
    neap_status rc = neap_vectors_load(path, graph, allow_missing, &v, &err);
    fuzz_unbound();
    if (!fuzz_took(rc, &err, v)) return;
    assert_true(v->nodes == neap_graph_nodes(graph) && v->dim > 0 && v->missing < v->nodes);
    for (size_t i = 0; i < (size_t)v->nodes * v->dim; i++) assert_true(v->values[i] - v->values[i] == 0);
    assert_int_equal(neap_vectors_save(FUZZ_FOLDER "w.txt", graph, v->values, v->nodes, v->dim, &err),
                     NEAP_OK);
    neap_vectors_free(v);
}

static void one(const uint8_t *data, size_t size)
{
    static const char *const paths[] = { FUZZ_FOLDER "v.vec", FUZZ_FOLDER "v.npy", FUZZ_FOLDER "v.bin" };
    const char *path = paths[size ? (data[0] == 0x93 ? 1 : data[size - 1] == 0 ? 2 : 0) : 0];
    fuzz_files(path, data, size);
    load(path, 0, size);
    load(path, 1, size);
}

const fuzz_target fuzz = { .prepare = prepare, .one = one };
