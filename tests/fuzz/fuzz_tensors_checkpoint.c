/* Checkpoints: `neap check` looks at them, and a run of the same method, options and graph resumes from
 * them. */
#include "harness.h"
#include "io/tensors.h"
#include "texts.h"

static neap_graph *graph;
static neap_text *text;

static void prepare(void)
{
    graph = fuzz_graph(0, 0);
    text = texts_of(graph);
}

/* A checkpoint of other options or of another graph is refused before it costs anything. */
static void resume(const char *path, const char *method)
{
    neap_model *m;
    neap_error err = { 0 };
    neap_data data = { .size = sizeof data, .graph = graph, .text = text };
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = path, .resume = 1 };
    neap_options *o = fuzz_options(method);
    neap_status rc = neap_train(&data, o, &hooks, &m, &err);
    neap_options_free(o);
    if (rc == NEAP_E_NUMERIC) return; /* finite numbers may still be too large to go on from */
    if (!fuzz_took(rc, &err, m)) return;
    fuzz_use_model(m);
    neap_model_free(m);
}

static void one(const uint8_t *data, size_t size)
{
    static const char path[] = FUZZ_FOLDER "checkpoint";
    neap_error err = { 0 };
    ni_tensors t;
    fuzz_file(path, data, size);
    fuzz_bound(8 << 10, 4, size);
    neap_status rc = neap_file_check(path, NULL, NULL, &err);
    fuzz_unbound();
    fuzz_took(rc, &err, rc == NEAP_OK ? path : NULL);
    if (ni_tensors_parse(data, size, &t, NULL)) return;
    const neap_method_info *method = neap_method_find(ni_tensors_fact(&t, "method"));
    ni_tensors_release(&t);
    if (method) resume(path, method->name);
}

const fuzz_target fuzz = { .prepare = prepare, .one = one, .mutate = fuzz_mutate_tensors };
