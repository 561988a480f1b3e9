/* Features of nodes: lines, Matrix Market, tables. With what is read a model is made and asked. The input
 * may hold the names of rows behind a line `@@ f.names.txt` or `@@ f.mtx.names.txt`. */
#include "data/features.h"
#include "harness.h"

static neap_graph *graph;

static void prepare(void)
{
    graph = fuzz_graph(0, 0);
}

/* Rows ascend, and what they hold are finite numbers other than 0. */
static void look(const neap_features *f)
{
    neap_features_facts facts = NEAP_SIZED(neap_features_facts);
    assert_int_equal(neap_features_facts_of(f, &facts, NULL), NEAP_OK);
    assert_true(facts.with_features && facts.with_features <= facts.nodes);
    assert_true(facts.values == f->offset[f->nodes] && facts.features == f->names.count);
    for (uint32_t u = 0; u < f->nodes; u++)
        for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++) {
            assert_true(f->feature[i] < facts.features);
            assert_true(i == f->offset[u] || f->feature[i] > f->feature[i - 1]);
            assert_true(f->value[i] - f->value[i] == 0 && f->value[i] != 0);
        }
}

/* Numbers may be too large for their products: then training says so. */
static void use(const neap_features *f)
{
    neap_model *m;
    neap_error err = { 0 };
    neap_options *o = fuzz_options("text");
    neap_data data = { .size = sizeof data, .graph = graph, .features = f };
    neap_status rc = neap_train(&data, o, NULL, &m, &err);
    neap_options_free(o);
    assert_true(rc == NEAP_OK || rc == NEAP_E_NUMERIC);
    if (rc != NEAP_OK) return;
    fuzz_use_model(m);
    neap_model_free(m);
}

static void one(const uint8_t *data, size_t size)
{
    char path[] = FUZZ_FOLDER "f.txt";
    neap_features *f;
    neap_error err = { 0 };
    uint8_t first = size ? data[0] : 0, last = size ? data[size - 1] : 0;
    strcpy(strchr(path, '.'), first == 0x93  ? ".npy"
                              : first == '%' ? ".mtx"
                              : last == '.'  ? ".vec"
                                             : ".txt");
    fuzz_files(path, data, size);
    fuzz_bound(8 << 20, 256, size);
    neap_status rc = neap_features_load(path, graph, NULL, &f, &err);
    fuzz_unbound();
    if (!fuzz_took(rc, &err, f)) return;
    look(f);
    use(f);
    neap_features_free(f);
}

const fuzz_target fuzz = { .prepare = prepare, .one = one };
