/* Small worlds, and questions to what was loaded: a parser that accepts what a query cannot bear is found.
 */
#include <stdlib.h>

#include "harness.h"
#include "world.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* ---- worlds ---- */

neap_graph *fuzz_graph(int weighted, int undirected)
{
    static const char *const names[] = { "ann", "bob", "cid", "dee", "eve", "fay",
                                         "gus", "hal", "ivy", "0",   "1",   "2" };
    static const neap_edge edges[] = { { 0, 1, 1 },  { 0, 2, 2 },  { 1, 2, 1 },    { 2, 3, 0.5f },
                                       { 3, 0, 1 },  { 3, 4, 1 },  { 4, 5, 3 },    { 4, 6, 1 },
                                       { 5, 6, 1 },  { 6, 7, 1 },  { 7, 4, 1.5f }, { 8, 0, 1 },
                                       { 8, 1, 1 },  { 9, 7, 1 },  { 9, 5, 1 },    { 10, 6, 1 },
                                       { 10, 9, 1 }, { 11, 8, 1 }, { 11, 2, 1 },   { 1, 8, 2 } };
    neap_graph *g;
    assert_int_equal(
        neap_graph_create(COUNT(names), names, edges, COUNT(edges), weighted, undirected, &g, NULL),
        NEAP_OK);
    return g;
}

neap_options *fuzz_options(const char *method)
{
    static const char *const small[][2] = {
        { "dim", "4" },         { "epochs", "2" }, { "walks", "1" },
        { "walk-length", "4" }, { "window", "2" }, { "neighbors", "3" }
    };
    neap_options *o = options_of("neap", "method", method, "threads", "1", NULL);
    for (size_t i = 0; i < COUNT(small); i++)
        if (neap_method_has_option(method, small[i][0])) set_options(o, small[i][0], small[i][1], NULL);
    return o;
}

/* ---- graphs ---- */

/* To memory and back: the same hash. */
static void store_graph(const neap_graph *g)
{
    neap_graph *again;
    size_t need, room;
    assert_int_equal(neap_graph_to_memory(g, NULL, 0, &need, NULL), NEAP_E_LIMIT);
    void *bytes = malloc(room = need);
    assert_int_equal(neap_graph_to_memory(g, bytes, room, &need, NULL), NEAP_OK);
    assert_int_equal(neap_graph_from_memory(bytes, need, &again, NULL), NEAP_OK);
    assert_true(neap_graph_hash(again) == neap_graph_hash(g));
    neap_graph_free(again);
    free(bytes);
}

void fuzz_use_graph(const neap_graph *g)
{
    neap_graph_facts facts = NEAP_SIZED(neap_graph_facts);
    neap_error err = { 0 };
    uint32_t node = 0, last = neap_graph_nodes(g) - 1;
    assert_int_equal(neap_graph_facts_of(g, &facts, NULL), NEAP_OK);
    assert_true(facts.nodes == neap_graph_nodes(g) && facts.edges == neap_graph_edges(g));
    if (facts.nodes) {
        assert_int_equal(neap_graph_find(g, neap_graph_name(g, last), &node, NULL), NEAP_OK);
        assert_int_equal(node, last);
    }
    if (neap_graph_find(g, "anne", &node, &err)) assert_int_equal(err.code, NEAP_E_UNKNOWN);
    store_graph(g);
}

/* ---- graphs from text ---- */

/* The last byte of a text chooses how it is read: a newline leaves all as it is, every bit that differs
 * changes something. Only edge lists have columns, and only those with a header have words for them. */
static neap_options *reading(const char *format, uint8_t last)
{
    static const char *const changes[][2] = { { "undirected", "yes" },  { "weights", "ignore" },
                                              { "header", "yes" },      { "header", "no" },
                                              { "delimiter", "comma" }, { "delimiter", "space" } };
    static const char *const columns[] = { "auto", "2,1", "3,1,2", "to,from" };
    neap_options *o = options_of("neap", "format", format, "threads", "1", NULL);
    unsigned bits = last ^ '\n';
    for (size_t i = 0; i < COUNT(changes); i++)
        if (bits >> i & 1) set_options(o, changes[i][0], changes[i][1], NULL);
    if (!strcmp(format, "edges")) set_options(o, "columns", columns[bits >> 6], NULL);
    if (bits >> 6 == 3) set_options(o, "header", "yes", NULL);
    return o;
}

/* What can be written in a format is read back as the same graph; edge lists leave lonely nodes out. */
static void write_and_read(const neap_graph *g, const char *format)
{
    static const char path[] = FUZZ_FOLDER "written";
    neap_graph *again;
    neap_error err = { 0 };
    neap_graph_facts a = NEAP_SIZED(neap_graph_facts), b = a;
    neap_status rc = neap_graph_save(g, path, format, &err);
    assert_true(rc == NEAP_OK || rc == NEAP_E_ARG);
    if (rc != NEAP_OK) return;
    neap_options *o = options_of("neap", "format", format, "threads", "1", "undirected",
                                 neap_graph_is_undirected(g) ? "yes" : "no", NULL);
    rc = neap_graph_load(path, o, NULL, &again, &err);
    neap_options_free(o);
    assert_true(fuzz_took(rc, &err, again));
    neap_graph_facts_of(g, &a, NULL);
    neap_graph_facts_of(again, &b, NULL);
    assert_int_equal(b.nodes, a.nodes - (strcmp(format, "edges") ? 0 : a.isolated));
    assert_true(b.edges == a.edges && b.self_loops == a.self_loops && b.reciprocal == a.reciprocal);
    neap_graph_free(again);
}

void fuzz_text_graph(const char *format, const uint8_t *data, size_t size, size_t times)
{
    enum { FIXED = 4 << 20 }; /* the buffers of lines and of input */
    static const char path[] = FUZZ_FOLDER "graph";
    neap_graph *g;
    neap_error err = { 0 };
    neap_options *o = reading(format, size ? data[size - 1] : '\n');
    fuzz_file(path, data, size);
    if (times) fuzz_bound(FIXED, times, size);
    neap_status rc = neap_graph_load(path, o, NULL, &g, &err);
    fuzz_unbound();
    neap_options_free(o);
    if (!fuzz_took(rc, &err, g)) return;
    fuzz_use_graph(g);
    write_and_read(g, strcmp(format, "auto") ? format : "edges");
    neap_graph_free(g);
}

/* ---- models ---- */

/* To memory and back gives the same bytes. */
static void store_model(const neap_model *m)
{
    neap_model *again;
    size_t need, room;
    assert_int_equal(neap_model_to_memory(m, NULL, 0, &need, NULL), NEAP_E_LIMIT);
    char *bytes = malloc(2 * (room = need));
    assert_int_equal(neap_model_to_memory(m, bytes, room, &need, NULL), NEAP_OK);
    assert_int_equal(neap_model_from_memory(bytes, need, &again, NULL), NEAP_OK);
    assert_int_equal(neap_model_to_memory(again, bytes + room, room, &need, NULL), NEAP_OK);
    assert_true(need == room && !memcmp(bytes, bytes + room, room));
    neap_model_free(again);
    free(bytes);
}

/* Vectors may be finite, and a sum of their products not: then that is what a question answers. */
static bool answered(neap_status rc, const neap_error *err)
{
    assert_true(rc == NEAP_OK || (rc == NEAP_E_NUMERIC && err->code == rc && err->text[0]));
    return rc == NEAP_OK;
}

static void rank(neap_query *q, uint32_t last, neap_rank_by by)
{
    const uint32_t sources[] = { 0, last };
    neap_ranking *ranking;
    neap_error err = { 0 };
    neap_rank_spec spec = {
        .size = sizeof spec, .sources = sources, .source_count = 2, .k = 3, .by = (int)by
    };
    if (!answered(neap_query_rank(q, &spec, &ranking, &err), &err)) return;
    for (size_t i = 0; i < ranking->count; i++) assert_true(ranking->node[i] <= last);
    neap_ranking_free(ranking);
}

static void ask_vectors(neap_query *q, const neap_model_facts *facts)
{
    neap_error err = { 0 };
    if (!facts->dim || facts->nodes > (1 << 20) / facts->dim) return;
    float *vectors = malloc((size_t)facts->nodes * facts->dim * sizeof *vectors);
    answered(neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, &err), &err);
    free(vectors);
    rank(q, facts->nodes - 1, NEAP_BY_COSINE);
}

static void ask(const neap_model *m, const neap_model_facts *facts)
{
    uint32_t last = facts->nodes - 1;
    const neap_pair pairs[] = { { 0, last }, { last, 0 }, { last / 2, last }, { 0, 0 } };
    neap_query_spec spec = { .size = sizeof spec, .threads = 1 };
    neap_query *q;
    neap_scores *scores;
    neap_explanation *why;
    neap_error err = { 0 };
    assert_int_equal(neap_query_create(m, &spec, &q, NULL), NEAP_OK);
    if (answered(neap_query_score(q, pairs, COUNT(pairs), &scores, &err), &err)) neap_scores_free(scores);
    rank(q, last, NEAP_BY_SCORE);
    ask_vectors(q, facts);
    if (neap_query_explain(q, 0, last, &why, NULL) == NEAP_OK) neap_explanation_free(why);
    neap_query_free(q);
}

/* A newcomer that is linked with node 0; he can be asked for, too. */
static void extend(const neap_model *m)
{
    const char *const names[] = { "a newcomer", neap_graph_name(neap_model_graph(m), 0) };
    const neap_edge link = { 0, 1, 1 };
    neap_graph *links = NULL;
    neap_model *more;
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    if (neap_graph_create(2, names, &link, 1, 0, 0, &links, NULL)) return;
    neap_data data = { .size = sizeof data, .graph = links };
    if (neap_model_extend(m, &data, &more, NULL, NULL) == NEAP_OK) {
        neap_model_facts_of(more, &facts, NULL);
        ask(more, &facts);
        neap_model_free(more);
    }
    neap_graph_free(links);
}

void fuzz_use_model(const neap_model *m)
{
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    assert_int_equal(neap_model_facts_of(m, &facts, NULL), NEAP_OK);
    assert_true(facts.nodes > 0 && facts.rows <= facts.nodes);
    fuzz_use_graph(neap_model_graph(m));
    ask(m, &facts);
    extend(m);
    store_model(m);
}
