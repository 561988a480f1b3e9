/* Vectors from files, our own and other tools': what is read, what is counted, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <zlib.h>

#include "faults.h"
#include "scratch.h"

/* Names with all that is hard about them: a blank, a percent, what looks like an escape, bytes that are no
 * UTF-8. */
static const char *const names[4] = { "a b", "50%", "%41", "\xc3\xa9\n\xff<" };
static const float vectors[8] = { 1, -0.25F, 0.1F, 3e-9F, 16777216, -2, 5, 6 };

static neap_graph *graph, *plain; /* plain: nodes a, b, c */

static int enter(void **state)
{
    static const neap_edge edges[2] = { { 0, 1, 1 }, { 1, 2, 1 } };
    static const char *const letters[3] = { "a", "b", "c" };
    if (neap_graph_create(4, names, edges, 2, 0, 0, &graph, NULL) != NEAP_OK) return -1;
    if (neap_graph_create(3, letters, edges, 2, 0, 0, &plain, NULL) != NEAP_OK) return -1;
    return scratch_enter(state);
}

static int leave(void **state)
{
    neap_graph_free(graph);
    neap_graph_free(plain);
    return scratch_leave(state);
}

/* ---- words for what is expected ---- */

static neap_vectors *load(const char *path, const neap_graph *g, int allow_missing)
{
    neap_vectors *v;
    neap_error err = { 0 };
    if (neap_vectors_load(path, g, allow_missing, &v, &err) != NEAP_OK) fail_msg("%s", err.text);
    assert_int_equal(v->nodes, neap_graph_nodes(g));
    return v;
}

static void expect_values(const char *path, const float *expected, uint32_t dim)
{
    neap_vectors *v = load(path, plain, 0);
    assert_int_equal(v->dim, dim);
    assert_int_equal(v->missing, 0);
    assert_memory_equal(v->values, expected, 3 * dim * sizeof *expected);
    neap_vectors_free(v);
}

static void refuse(const char *path, neap_status code, uint64_t where, const char *words)
{
    neap_vectors *v = (void *)1;
    neap_error err = { 0 };
    assert_int_equal(neap_vectors_load(path, plain, 0, &v, &err), code);
    assert_null(v);
    assert_int_equal(err.where, where);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
    assert_non_null(strstr(err.text, path));
}

static void put(const char *path, const char *text)
{
    scratch_put(path, text, strlen(text));
}

static void refuse_text(const char *text, neap_status code, uint64_t line, const char *words)
{
    put("v.txt", text);
    refuse("v.txt", code, line, words);
}

/* ---- what embed writes ---- */

static void what_was_saved_is_read_back_to_the_last_bit(void **state)
{
    (void)state;
    const char *const paths[] = { "x.txt", "x.vec", "x.npy", "x.safetensors" };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(neap_vectors_save(paths[i], graph, vectors, 4, 2, NULL), NEAP_OK);
        neap_vectors *v = load(paths[i], graph, 0);
        assert_int_equal(v->dim, 2);
        assert_int_equal(v->missing + v->strangers + v->by_order, 0);
        assert_memory_equal(v->values, vectors, sizeof vectors);
        neap_vectors_free(v);
    }
}

/* ---- word2vec text ---- */

static void text_is_read_with_and_without_a_header_in_any_order(void **state)
{
    (void)state;
    const float expected[6] = { 1, 2, 3, 4, 5, 6 };
    put("v.txt", "3 2\na 1 2\nb 3 4\nc 5 6\n");
    expect_values("v.txt", expected, 2);
    put("v.txt", "c 5 6\na 1 2\nb 3 4");
    expect_values("v.txt", expected, 2);
    put("v.txt", "3\t2\r\nb\t3\t4 \r\n\r\nc  5.0  6e0 \r\n a 1 +2\r\n");
    expect_values("v.txt", expected, 2);
}

static void compressed_text_is_read(void **state)
{
    static const char text[] = "2 1\nb 3\na 1\n";
    (void)state;
    gzFile file = gzopen("v.gz", "wb");
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    neap_vectors *v = load("v.gz", plain, 1);
    assert_int_equal(v->missing, 1);
    assert_true(v->values[0] == 1 && v->values[1] == 3 && v->values[2] == 0);
    neap_vectors_free(v);
}

static void strangers_are_counted_and_passed_over(void **state)
{
    const float expected[3] = { 1, 2, 3 };
    (void)state;
    put("v.txt", "6 1\n</s> 9\nc 3\nzoe 8\na 1\nb 2\nyan 7\n");
    expect_values("v.txt", expected, 1);
    neap_vectors *v = load("v.txt", plain, 0);
    assert_int_equal(v->strangers, 3);
    neap_vectors_free(v);
}

static void a_node_without_a_vector_is_named_unless_that_is_allowed(void **state)
{
    (void)state;
    refuse_text("1 2\nb 3 4\n", NEAP_E_UNKNOWN, 0, "no vector for node 'a'; 2 of 3");
    neap_vectors *v = load("v.txt", plain, 1);
    const float expected[6] = { 0, 0, 3, 4, 0, 0 };
    assert_int_equal(v->missing, 2);
    assert_memory_equal(v->values, expected, sizeof expected);
    neap_vectors_free(v);
}

static void bad_text_is_refused_with_its_line(void **state)
{
    (void)state;
    refuse_text("", NEAP_E_FORMAT, 0, "no vector in this file");
    refuse_text("3 2\n", NEAP_E_FORMAT, 1, "no vector in this file");
    refuse_text("a\nb\n", NEAP_E_FORMAT, 1, "length 0");
    refuse_text("3 0\na\n", NEAP_E_FORMAT, 1, "length 0");
    refuse_text("0 3\n", NEAP_E_FORMAT, 1, "promises no vectors");
    refuse_text("3 99999999999\na 1\n", NEAP_E_FORMAT, 1, "length 99999999999");
    refuse_text("3 2\na 1 2\nb 3\nc 5 6\n", NEAP_E_FORMAT, 3, "1 numbers behind the name instead of 2");
    refuse_text("3 2\na 1 2 3\n", NEAP_E_FORMAT, 2, "3 numbers");
    refuse_text("a 1 2\nb 3 4 5\n", NEAP_E_FORMAT, 2, "3 numbers");
    refuse_text("3 2\na 1 two\n", NEAP_E_FORMAT, 2, "'two' is no finite number");
    refuse_text("3 2\na 1 nan\n", NEAP_E_FORMAT, 2, "'nan' is no finite number");
    refuse_text("3 2\na 1 -inf\n", NEAP_E_FORMAT, 2, "'-inf'");
    refuse_text("3 2\na 1 1e39\n", NEAP_E_FORMAT, 2, "'1e39'");
    refuse_text("3 2\nzoe 1 nan\n", NEAP_E_FORMAT, 2, "'nan'");
    refuse_text("3 2\na 1 2\nb 3 4\na 1 2\n", NEAP_E_FORMAT, 4, "a second vector for node 'a'");
    refuse_text("3 2\na 1 2\nb 3 4\n", NEAP_E_FORMAT, 3, "2 of the 3 vectors");
    refuse_text("1 2\na 1 2\nb 3 4\n", NEAP_E_FORMAT, 3, "more than the 1");
    scratch_put("v.txt", "3 2\na 1\0 2\n", 11);
    refuse("v.txt", NEAP_E_FORMAT, 2, "NUL");
    refuse("nowhere", NEAP_E_READ, 0, "nowhere");
}

/* A header is not believed: its numbers cost nothing until the rows are there. */
static void a_header_that_promises_much_costs_nothing(void **state)
{
    (void)state;
    put("v.txt", "4000000000 65536\na 1 2\n");
    faults_peak();
    refuse("v.txt", NEAP_E_FORMAT, 2, "2 numbers");
    assert_true(faults_peak() < 8 << 20);
}

/* ---- NumPy ---- */

/* A .npy file of this version with this header and these bytes behind it. */
static void put_npy(const char *path, char version, const char *header, const void *data, size_t size)
{
    unsigned char bytes[4096] = "\x93NUMPY";
    size_t length = strlen(header), at = version == 1 ? 10 : 12;
    bytes[6] = (unsigned char)version;
    bytes[8] = (unsigned char)length;
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + at, header, length);
    if (size) memcpy(bytes + at + length, data, size);
    scratch_put(path, bytes, at + length + size);
}

static void refuse_npy(const char *header, const void *data, size_t size, uint64_t where, const char *words)
{
    put_npy("v.npy", 1, header, data, size);
    refuse("v.npy", NEAP_E_FORMAT, where, words);
}

#define SHAPE_32 "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }\n"

static void numpy_files_of_all_kinds_are_read(void **state)
{
    (void)state;
    const float rows[6] = { 1, 2, 3, 4, 5, 6 }, columns[6] = { 1, 3, 5, 2, 4, 6 };
    const double wide[6] = { 1, 2, 3, 4, 5, 6 };
    unsigned char swapped[24];
    for (size_t i = 0; i < 24; i++) swapped[i] = ((const unsigned char *)rows)[i / 4 * 4 + 3 - i % 4];
    put("v.names.txt", "a\nb\nc\n");
    put_npy("v.npy", 1, SHAPE_32, rows, sizeof rows);
    expect_values("v.npy", rows, 2);
    put_npy("v.npy", 2, "{\"shape\":(3,2),\"fortran_order\":True,\"descr\":\"<f4\"}", columns,
            sizeof columns);
    expect_values("v.npy", rows, 2);
    put_npy("v.npy", 3, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}   \n", wide,
            sizeof wide);
    expect_values("v.npy", rows, 2);
    put_npy("v.npy", 1, "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2,), }", swapped, 24);
    expect_values("v.npy", rows, 2);
}

static void names_beside_numpy_say_which_row_is_whose(void **state)
{
    (void)state;
    const float rows[4] = { 1, 2, 3, 4 }, expected[3] = { 4, 2, 1 };
    put_npy("v.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 1), }", rows, sizeof rows);
    put("v.names.txt", "c\nb\nzoe\na\n");
    expect_values("v.npy", expected, 1);
    put("v.names.txt", "c\nb\nzoe\n");
    refuse("v.names.txt", NEAP_E_FORMAT, 1, "length 0"); /* names are no vectors */
    neap_vectors *v;
    neap_error err = { 0 };
    assert_int_equal(neap_vectors_load("v.npy", plain, 0, &v, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "v.names.txt: 3 names for 4 rows"));
    put("v.names.txt", "c\nb\nc\na\n");
    assert_int_equal(neap_vectors_load("v.npy", plain, 0, &v, &err), NEAP_E_FORMAT);
    assert_int_equal(err.where, 3);
}

static void without_names_the_rows_are_the_nodes_if_their_number_fits(void **state)
{
    (void)state;
    const float rows[6] = { 1, 2, 3, 4, 5, 6 };
    put_npy("v.npy", 1, SHAPE_32, rows, sizeof rows);
    expect_values("v.npy", rows, 2);
    neap_vectors *v = load("v.npy", plain, 0);
    assert_int_equal(v->by_order, 1);
    neap_vectors_free(v);
    neap_error err = { 0 };
    assert_int_equal(neap_vectors_load("v.npy", graph, 1, &v, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "3 rows for a graph of 4 nodes"));
}

static void numpy_is_known_by_its_first_bytes_too(void **state)
{
    (void)state;
    const float rows[6] = { 1, 2, 3, 4, 5, 6 };
    put_npy("vectors", 1, SHAPE_32, rows, sizeof rows);
    expect_values("vectors", rows, 2);
}

static void bad_numpy_files_are_refused(void **state)
{
    (void)state;
    float rows[7] = { 1, 2, 3, 4, 5, 6, 7 };
    put("v.npy", "a 1 2\nb 3 4\n");
    refuse("v.npy", NEAP_E_FORMAT, 0, "no NumPy file");
    put("v.npy", "\x93NUM");
    refuse("v.npy", NEAP_E_FORMAT, 0, "ends within its header");
    put_npy("v.npy", 9, SHAPE_32, rows, 24);
    refuse("v.npy", NEAP_E_FORMAT, 0, "version");
    refuse_npy("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 1), }", rows, 24, 0, "astype");
    refuse_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", rows, 24, 0, "astype");
    refuse_npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }", rows, 24, 0, "astype");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", rows, 24, 0, "rows, columns");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 1), }", rows, 24, 0,
               "rows, columns");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }", rows, 0, 0, "rows, columns");
    refuse_npy("{'descr': '<f4', 'fortran_order': maybe, 'shape': (3, 2), }", rows, 24, 0, "order");
    refuse_npy("{'descr': '<f4', 'shape': (3, 2), }", rows, 24, 0, "damaged");
    refuse_npy("{'descr': '<f4', 'descr': '<f4', 'shape': (3, 2), }", rows, 24, 0, "damaged");
    refuse_npy("{'descr': '<f4' 'shape': (3, 2), }", rows, 24, 0, "damaged");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), } x", rows, 24, 0, "damaged");
    refuse_npy("{'descr': '<f4", rows, 0, 0, "float32");
    refuse_npy("{", rows, 0, 0, "damaged");
    refuse_npy("", rows, 0, 0, "damaged");
    refuse_npy(SHAPE_32, rows, 23, 10 + sizeof SHAPE_32 - 1 + 20, "ends after 5 of 6 numbers");
    refuse_npy(SHAPE_32, rows, 0, 10 + sizeof SHAPE_32 - 1, "ends after 0 of 6 numbers");
    refuse_npy(SHAPE_32, rows, 25, 0, "longer");
    refuse_npy(SHAPE_32, rows, 28, 0, "longer");
    rows[3] = NAN;
    refuse_npy(SHAPE_32, rows, 24, 10 + sizeof SHAPE_32 - 1 + 12, "row 1 (from 0)");
    refuse_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }\n", rows, 24,
               10 + sizeof SHAPE_32 - 2 + 12, "row 0 (from 0)");
}

static void a_shape_that_promises_much_costs_nothing(void **state)
{
    (void)state;
    const float rows[6] = { 0 };
    faults_peak();
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2), }", rows, 24,
               0, "larger than any memory");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616, 2), }", rows, 24,
               0, "rows, columns");
    put_npy("v.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (4000000000, 60000), }", rows,
            24);
    neap_vectors *v;
    assert_int_equal(neap_vectors_load("v.npy", plain, 0, &v, NULL), NEAP_E_FORMAT);
    assert_true(faults_peak() < 1 << 20);
}

/* ---- nothing of ours ---- */

static void a_file_without_a_vector_of_the_graph_is_refused_whatever_is_allowed(void **state)
{
    neap_vectors *v;
    neap_error err = { 0 };
    (void)state;
    put("v.txt", "2 2\nx 1 2\ny 3 4\n");
    assert_int_equal(neap_vectors_load("v.txt", plain, 1, &v, &err), NEAP_E_UNKNOWN);
    assert_non_null(strstr(err.text, "none of its 2 vectors is of a node of the graph"));
    assert_non_null(strstr(err.text, "word2vec text"));
}

static void what_embed_writes_for_others_is_called_so(void **state)
{
    static const char *const paths[] = { "x.bin", "x.tsv", "x.jsonl" };
    neap_vectors *v;
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        neap_error err = { 0 };
        assert_int_equal(neap_vectors_save(paths[i], graph, vectors, 4, 2, NULL), NEAP_OK);
        assert_int_equal(neap_vectors_load(paths[i], graph, 1, &v, &err), NEAP_E_FORMAT);
        if (!strstr(err.text, "word2vec text (.txt, .vec), NumPy") || strstr(err.text, "graph"))
            fail_msg("%s", err.text);
    }
    put("v.tsv", "a\t1\t2\nb\t3\t4\nc\t5\tsix\n");
    refuse("v.tsv", NEAP_E_FORMAT, 3, "'six'");
}

/* ---- safetensors ---- */

/* A file as other programs write it: the header, then 3 x 2 floats. */
static void put_foreign(const char *path, const char *header)
{
    static const float rows[6] = { 5, 6, 1, 2, 3, 4 };
    char bytes[512];
    uint64_t length = strlen(header);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    memcpy(bytes + 8 + length, rows, sizeof rows);
    scratch_put(path, bytes, 8 + length + sizeof rows);
}

#define ENTRY(type, shape, range)                                                                          \
    "{\"x\":{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" range "]}}"

static void a_table_of_another_program_is_read_with_names_beside_it_or_in_order(void **state)
{
    static const float rows[6] = { 5, 6, 1, 2, 3, 4 }, named[6] = { 1, 2, 3, 4, 5, 6 };
    (void)state;
    put_foreign("v.safetensors", ENTRY("F32", "3,2", "0,24"));
    expect_values("v.safetensors", rows, 2);
    put("v.names.txt", "c\na\nb\n");
    expect_values("v.safetensors", named, 2);
    put_foreign("v.safetensors", "{\"__metadata__\":{\"format\":\"pt\"},"
                                 "\"half\":{\"dtype\":\"F16\",\"shape\":[0],\"data_offsets\":[0,0]},"
                                 "\"x\":{\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[0,24]}}   ");
    expect_values("v.safetensors", named, 2);
}

static void a_table_that_is_not_there_or_not_alone_is_refused(void **state)
{
    static const struct {
        const char *header, *words;
    } cases[] = {
        { ENTRY("F64", "3,1", "0,24"), "0 tensors of two dimensions and type F32" },
        { ENTRY("F32", "6", "0,24"), "0 tensors of two dimensions" },
        { ENTRY("F32", "3,2", "0,28"), "not where it must be" },
        { ENTRY("F32", "3,2", "4,28"), "not where it must be" },
        { ENTRY("F32", "3,2", "24,0"), "not where it must be" },
        { ENTRY("F32", "4294967296,4294967296", "0,24"), "not where it must be" },
        { ENTRY("F32", "3,1", "2,14"), "not where it must be" },
        { "{\"x\":1}", "0 tensors" },
        { "{\"x\":", "bad JSON" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        neap_vectors *v;
        neap_error err = { 0 };
        put_foreign("v.safetensors", cases[i].header);
        assert_int_equal(neap_vectors_load("v.safetensors", plain, 0, &v, &err), NEAP_E_FORMAT);
        if (!strstr(err.text, cases[i].words)) fail_msg("'%s' is not in: %s", cases[i].words, err.text);
    }
    put_foreign("v.safetensors", ENTRY("F32", "2,3", "0,24"));
    refuse("v.safetensors", NEAP_E_MISMATCH, 0, "2 rows for a graph of 3 nodes");
}

/* ---- failures ---- */

static neap_status scenario(void *user, neap_error *err)
{
    neap_vectors *v;
    neap_status rc = neap_vectors_load(user, graph, 0, &v, err);
    if (rc == NEAP_OK) neap_vectors_free(v);
    return rc;
}

static void no_failure_leaks(void **state)
{
    (void)state;
    char text[] = "x.txt", npy[] = "x.npy", own[] = "x.safetensors", *const paths[] = { text, npy, own };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(neap_vectors_save(paths[i], graph, vectors, 4, 2, NULL), NEAP_OK);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, paths[i]) >=
                    5);
        assert_true(faults_each(FAULTS_READ, EIO, true, scenario, faults_expect_read, paths[i]) >= 1);
    }
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(what_was_saved_is_read_back_to_the_last_bit),
        HERE(text_is_read_with_and_without_a_header_in_any_order),
        HERE(compressed_text_is_read),
        HERE(strangers_are_counted_and_passed_over),
        HERE(a_node_without_a_vector_is_named_unless_that_is_allowed),
        HERE(bad_text_is_refused_with_its_line),
        HERE(a_header_that_promises_much_costs_nothing),
        HERE(numpy_files_of_all_kinds_are_read),
        HERE(names_beside_numpy_say_which_row_is_whose),
        HERE(without_names_the_rows_are_the_nodes_if_their_number_fits),
        HERE(numpy_is_known_by_its_first_bytes_too),
        HERE(bad_numpy_files_are_refused),
        HERE(a_shape_that_promises_much_costs_nothing),
        HERE(a_file_without_a_vector_of_the_graph_is_refused_whatever_is_allowed),
        HERE(what_embed_writes_for_others_is_called_so),
        HERE(a_table_of_another_program_is_read_with_names_beside_it_or_in_order),
        HERE(a_table_that_is_not_there_or_not_alone_is_refused),
        HERE(no_failure_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
