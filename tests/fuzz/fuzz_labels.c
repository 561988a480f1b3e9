/* Classes of nodes, both ways of writing them; with what is read, vectors are clustered and classified. */
#include "harness.h"

enum { NODES = 12, DIM = 2 };

static neap_graph *graph;
static float vectors[NODES * DIM];

static void prepare(void)
{
    graph = fuzz_graph(0, 0);
    for (int i = 0; i < NODES * DIM; i++) vectors[i] = (float)(i * i % 7) + (i > NODES ? 10 : 0);
}

static void use(const neap_labels *labels)
{
    neap_labels_facts facts = NEAP_SIZED(neap_labels_facts);
    neap_cluster_spec spec = { .size = sizeof spec, .algorithm = "kmeans", .threads = 1, .seed = 1 };
    neap_cluster_result result = NEAP_SIZED(neap_cluster_result);
    neap_error err = { 0 };
    uint32_t sum = 0;
    assert_int_equal(neap_labels_facts_of(labels, &facts, NULL), NEAP_OK);
    assert_true(facts.nodes == NODES && facts.classes >= 2 && facts.labelled <= NODES);
    for (uint32_t c = 0; c < facts.classes; c++) {
        assert_true(*neap_labels_class(labels, c));
        sum += facts.count[c];
    }
    assert_int_equal(sum, facts.labelled);
    assert_int_equal(neap_cluster(vectors, DIM, labels, &spec, NULL, &result, &err), NEAP_OK);
    assert_true(result.nmi >= -1e-9 && result.nmi <= 1 + 1e-9);
}

static void one(const uint8_t *data, size_t size)
{
    static const char path[] = FUZZ_FOLDER "labels";
    for (int by_line = 0; by_line < 2; by_line++) {
        neap_labels *labels;
        neap_error err = { 0 };
        fuzz_file(path, data, size);
        fuzz_bound(4 << 20, 64, size);
        neap_status rc = neap_labels_load(path, graph, by_line, &labels, &err);
        fuzz_unbound();
        if (!fuzz_took(rc, &err, labels)) continue;
        use(labels);
        neap_labels_free(labels);
    }
}

const fuzz_target fuzz = { .prepare = prepare, .one = one };
