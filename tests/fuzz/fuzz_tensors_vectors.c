/* Exported vectors in our own format: `neap check` reads them. As vectors of another tool they are refused.
 */
#include "harness.h"

static neap_graph *graph;

static void prepare(void)
{
    graph = fuzz_graph(0, 0);
}

static void look(const char *key, const char *value, void *user)
{
    *(size_t *)user += strlen(key) + strlen(value);
}

static void one(const uint8_t *data, size_t size)
{
    static const char path[] = FUZZ_FOLDER "vectors.safetensors";
    neap_vectors *v;
    neap_error err = { 0 };
    size_t seen = 0;
    fuzz_file(path, data, size);
    fuzz_bound(8 << 10, 4, size);
    neap_status rc = neap_file_check(path, look, &seen, &err);
    fuzz_unbound();
    fuzz_took(rc, &err, rc == NEAP_OK ? &seen : NULL);
    rc = neap_vectors_load(path, graph, 1, &v, &err);
    if (fuzz_took(rc, &err, v)) neap_vectors_free(v);
}

const fuzz_target fuzz = { .prepare = prepare, .one = one, .mutate = fuzz_mutate_tensors };
