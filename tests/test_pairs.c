#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "faults.h"
#include "graph/graph.h"
#include "scratch.h"

static neap_graph *graph_of(const char *const *names, uint32_t count)
{
    neap_graph *g;
    neap_error err = { 0 };
    neap_edge edge = { 0, 1, 1 };
    if (neap_graph_create(count, names, &edge, 1, 0, 0, &g, &err)) fail_msg("%s", err.text);
    return g;
}

static neap_graph *people(void)
{
    static const char *const names[] = { "ann", "bob", "cid", "New York", "say \"yes\"" };
    return graph_of(names, 5);
}

static neap_pair_reader *open_with(const char *path, const char *header, const neap_graph *graph)
{
    neap_options *o;
    neap_pair_reader *reader;
    neap_error err = { 0 };
    assert_int_equal(neap_options_create(NULL, &o, &err), NEAP_OK);
    assert_int_equal(neap_options_set(o, "header", header, &err), NEAP_OK);
    if (neap_pair_reader_open(path, o, graph, &reader, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    return reader;
}

/* Reads a whole file, `room` pairs at a time, as "0>1 1>2 ?x>y": the last an unknown one. */
static void describe(const char *header, const neap_graph *graph, size_t room, char *text, size_t size)
{
    neap_pair pairs[8];
    size_t count = 0, used = 0;
    neap_status rc = NEAP_OK;
    neap_error err = { 0 };
    neap_pair_reader *reader = open_with("pairs", header, graph);
    *text = 0;
    do {
        rc = neap_pair_reader_next(reader, pairs, room, &count, &err);
        for (size_t i = 0; i < count; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%u>%u", used ? " " : "", pairs[i].source,
                                     pairs[i].target);
        if (rc == NEAP_OK) continue;
        const char *source, *target;
        if (rc != NEAP_E_UNKNOWN) fail_msg("%s", err.text);
        neap_pair_reader_unknown(reader, &source, &target);
        used += (size_t)snprintf(text + used, size - used, "%s?%s>%s", used ? " " : "", source, target);
    } while (rc != NEAP_OK || count == room);
    neap_pair_reader_close(reader);
}

static void reads(const char *bytes, const char *header, const neap_graph *graph, const char *expected)
{
    char text[400];
    scratch_put("pairs", bytes, strlen(bytes));
    for (size_t room = 1; room <= 8; room++) {
        describe(header, graph, room, text, sizeof text);
        assert_string_equal(text, expected);
    }
}

static void pairs_are_written_as_edges_are(void **state)
{
    (void)state;
    neap_graph *g = people();
    reads("", "auto", g, "");
    reads("# nothing\n\n", "auto", g, "");
    reads("ann bob\nbob cid\n", "auto", g, "0>1 1>2");
    reads("ann,bob\r\n\r\n# c\r\nbob,New York", "auto", g, "0>1 1>3");
    reads("\xef\xbb\xbf\"New York\" \"say \"\"yes\"\"\"\n", "auto", g, "3>4");
    reads("ann\tbob\t0.25\nbob\tcid\tnan\n", "auto", g, "0>1 1>2");
    reads("ann|bob\n", "auto", g, "0>1");
    gzFile file = gzopen("pairs", "wb");
    assert_int_equal(gzwrite(file, "ann bob\n", 8), 8);
    assert_int_equal(gzclose(file), Z_OK);
    char text[40];
    describe("auto", g, 3, text, sizeof text);
    assert_string_equal(text, "0>1");
    neap_graph_free(g);
}

static void a_header_of_pairs_chooses_columns_too(void **state)
{
    (void)state;
    static const char *const numbers[] = { "1", "2", "3" };
    neap_graph *g = people(), *n = graph_of(numbers, 3);
    reads("id,target,source\n7,ann,bob\n", "auto", g, "1>0");
    reads("from to\nann bob\n", "auto", g, "0>1");
    reads("x y\nann bob\n", "yes", g, "0>1");
    reads("x y\nann bob\n", "auto", g, "?x>y 0>1"); /* may be a pair */
    reads("ann bob\n", "yes", g, "");
    reads("id1,id2\n1,2\n", "auto", n, "0>1"); /* cannot be one */
    reads("id1,id2\n1,2\n", "no", n, "?id1>id2 0>1");
    reads("3 1\n", "auto", n, "2>0");
    neap_graph_free(g);
    neap_graph_free(n);
}

static void an_unknown_name_is_told_and_passed(void **state)
{
    (void)state;
    neap_graph *g = people();
    reads("ann bob\nann who\n\"a \"\"b\" bob\nbob cid\nx y\n", "auto", g,
          "0>1 ?ann>who ?a \"b>bob 1>2 ?x>y");
    scratch_put("pairs", "# c\nann bob\nann bobb\nbob cid\n", 29);
    neap_pair pairs[8];
    size_t count;
    neap_error err = { 0 };
    neap_pair_reader *reader = open_with("pairs", "auto", g);
    assert_int_equal(neap_pair_reader_next(reader, pairs, 8, &count, &err), NEAP_E_UNKNOWN);
    assert_int_equal(count, 1);
    assert_int_equal(err.where, 3);
    assert_string_equal(err.text, "pairs:3:5: there is no node 'bobb'; did you mean 'bob'?");
    assert_int_equal(neap_pair_reader_next(reader, pairs, 8, &count, NULL), NEAP_OK);
    assert_int_equal(count, 1);
    assert_int_equal(pairs[0].source, 1);
    neap_pair_reader_close(reader);
    scratch_put("pairs", "follower followee\nann bob\n", 26);
    reader = open_with("pairs", "auto", g);
    assert_int_equal(neap_pair_reader_next(reader, pairs, 8, &count, &err), NEAP_E_UNKNOWN);
    assert_non_null(strstr(err.text, "if this line is a header: --header yes"));
    neap_pair_reader_close(reader);
    neap_graph_free(g);
}

static void what_is_no_pair_ends_the_reading_for_good(void **state)
{
    (void)state;
    neap_graph *g = people();
    scratch_put("pairs", "ann bob\nlonely\nbob cid\n", 23);
    neap_pair pairs[8];
    size_t count;
    neap_error err = { 0 };
    neap_pair_reader *reader = open_with("pairs", "auto", g);
    assert_int_equal(neap_pair_reader_next(reader, pairs, 8, &count, NULL), NEAP_E_FORMAT);
    assert_int_equal(count, 1);
    for (int i = 0; i < 2; i++) {
        err = (neap_error){ 0 };
        assert_int_equal(neap_pair_reader_next(reader, pairs, 8, &count, &err), NEAP_E_FORMAT);
        assert_int_equal(count, 0);
        assert_int_equal(err.where, 2);
        assert_non_null(strstr(err.text, "pairs:2:1: only 1 column; two names"));
    }
    neap_pair_reader_close(reader);
    neap_options *o;
    assert_int_equal(neap_options_create(NULL, &o, &err), NEAP_OK);
    assert_int_equal(neap_pair_reader_open("absent", o, g, &reader, &err), NEAP_E_READ);
    assert_null(reader);
    neap_options_free(o);
    neap_graph_free(g);
}

static void memory_does_not_grow_with_the_file(void **state)
{
    (void)state;
    enum { LINES = 1000000 };
    neap_graph *g = people();
    gzFile file = gzopen("pairs", "wb1");
    for (int i = 0; i < LINES; i++) gzputs(file, "ann bob\n");
    assert_int_equal(gzclose(file), Z_OK);
    size_t before = atomic_load(&faults.bytes), count, sum = 0;
    faults_peak();
    neap_pair pairs[64];
    neap_pair_reader *reader = open_with("pairs", "auto", g);
    do {
        assert_int_equal(neap_pair_reader_next(reader, pairs, 64, &count, NULL), NEAP_OK);
        sum += count;
    } while (count);
    neap_pair_reader_close(reader);
    assert_int_equal(sum, LINES);
    assert_true(faults_peak() - before < 4 << 20);
    neap_graph_free(g);
}

typedef struct scene {
    neap_graph *graph;
    neap_options *options;
} scene;

static neap_status read_all(void *user, neap_error *err)
{
    const scene *s = user;
    neap_pair pairs[2];
    size_t count = 0;
    neap_pair_reader *reader;
    neap_status rc = neap_pair_reader_open("pairs", s->options, s->graph, &reader, err);
    if (rc != NEAP_OK) return rc;
    do rc = neap_pair_reader_next(reader, pairs, 2, &count, err);
    while (rc == NEAP_OK && count);
    neap_pair_reader_close(reader);
    return rc;
}

static void is_reading(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    if (rc != NEAP_E_READ || err->sys != EIO) fail_msg("%d: %s", rc, err->text);
}

static void every_failing_call_is_an_ordinary_error(void **state)
{
    (void)state;
    neap_error err = { 0 };
    scene s = { people(), NULL };
    assert_int_equal(neap_options_create(NULL, &s.options, &err), NEAP_OK);
    scratch_put("pairs", "ann bob\nbob cid\n\"New York\" ann\n", 31);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, read_all, faults_expect_memory, &s) >= 4);
    assert_int_equal(faults_each(FAULTS_OPEN, EIO, false, read_all, is_reading, &s), 1);
    assert_true(faults_each(FAULTS_READ, EIO, false, read_all, is_reading, &s) >= 2);
    neap_options_free(s.options);
    neap_graph_free(s.graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_enter, scratch_leave)

int main(void)
{
    faults_install();
    const struct CMUnitTest tests[] = {
        TEST(pairs_are_written_as_edges_are),     TEST(a_header_of_pairs_chooses_columns_too),
        TEST(an_unknown_name_is_told_and_passed), TEST(what_is_no_pair_ends_the_reading_for_good),
        TEST(memory_does_not_grow_with_the_file), TEST(every_failing_call_is_an_ordinary_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
