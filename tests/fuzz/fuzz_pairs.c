/* Pairs to be scored, a few at a time; lines with unknown names are passed over, as `neap score` may. */
#include "harness.h"

static neap_graph *graph;
static neap_query *query;
static neap_options *options;

static void prepare(void)
{
    neap_model *m;
    neap_query_spec spec = { .size = sizeof spec, .threads = 1 };
    neap_data data = { .size = sizeof data, .graph = graph = fuzz_graph(0, 0) };
    options = fuzz_options("cn");
    assert_int_equal(neap_train(&data, options, NULL, &m, NULL), NEAP_OK);
    assert_int_equal(neap_query_create(m, &spec, &query, NULL), NEAP_OK);
    neap_model_free(m);
}

static void score(const neap_pair *pairs, size_t count)
{
    neap_scores *scores;
    assert_int_equal(neap_query_score(query, pairs, count, &scores, NULL), NEAP_OK);
    assert_int_equal(scores->count, count);
    neap_scores_free(scores);
}

static void read_all(neap_pair_reader *r, size_t size)
{
    neap_pair pairs[4];
    size_t count = 0, lines = 0;
    neap_status rc;
    const char *source, *target;
    do {
        neap_error err = { 0 };
        rc = neap_pair_reader_next(r, pairs, 4, &count, &err);
        assert_true(count <= 4 && lines++ <= size + 1); /* each call takes a line at least */
        score(pairs, count);
        fuzz_took(rc, &err, rc == NEAP_OK ? r : NULL);
        if (rc != NEAP_E_UNKNOWN) continue;
        neap_pair_reader_unknown(r, &source, &target);
        assert_true(strlen(source) + strlen(target) <= size);
    } while (rc == NEAP_E_UNKNOWN || (rc == NEAP_OK && count == 4));
}

static void one(const uint8_t *data, size_t size)
{
    static const char path[] = FUZZ_FOLDER "pairs";
    neap_pair_reader *r;
    neap_error err = { 0 };
    fuzz_file(path, data, size);
    fuzz_bound(4 << 20, 1, size);
    neap_status rc = neap_pair_reader_open(path, options, graph, &r, &err);
    if (fuzz_took(rc, &err, r)) {
        fuzz_unbound();
        read_all(r, size);
        neap_pair_reader_close(r);
    }
    fuzz_unbound();
}

const fuzz_target fuzz = { .prepare = prepare, .one = one };
