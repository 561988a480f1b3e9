#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "faults.h"
#include "io/tensors.h"
#include "scratch.h"

static const float vectors[6] = { 1, -0.25F, 0.1F, 3e-9F, 16777216, -2 };
static const char *const names[3] = { "a b", "50%", "\xc3\xa9\n\xff<" };
static const neap_edge edges[2] = { { 0, 1, 1 }, { 1, 2, 1 } };

static neap_graph *graph;

static int enter(void **state)
{
    if (neap_graph_create(3, names, edges, 2, 0, 0, &graph, NULL) != NEAP_OK) return -1;
    return scratch_enter(state);
}

static int leave(void **state)
{
    neap_graph_free(graph);
    return scratch_leave(state);
}

static neap_status save(const char *path, neap_error *err)
{
    return neap_vectors_save(path, graph, vectors, 3, 2, err);
}

static void expect_text(const char *path, const char *text)
{
    scratch_expect(path, text, strlen(text));
}

/* Names as the word2vec formats hold them, and as a line of their own. */
#define NAME_0 "a%20b"
#define NAME_1 "50%25"
#define NAME_2 "\xc3\xa9%0A%FF<"
#define NAME_LINES "a b\n50%25\n\xc3\xa9%0A%FF<\n"

static void word2vec_text(void **state)
{
    (void)state;
    const char expected[] = "3 2\n" NAME_0 " 1 -0.25\n" NAME_1 " 0.1 3e-09\n" NAME_2 " 16777216 -2\n";
    assert_int_equal(save("x.txt", NULL), NEAP_OK);
    expect_text("x.txt", expected);
    assert_int_equal(save("x.vec", NULL), NEAP_OK);
    expect_text("x.vec", expected);
    assert_int_equal(scratch_count(""), 2);
}

static void word2vec_binary(void **state)
{
    (void)state;
    char expected[128];
    size_t n = 0;
    const char *escaped[3] = { "3 2\n" NAME_0 " ", "\n" NAME_1 " ", "\n" NAME_2 " " };
    for (int i = 0; i < 3; i++) {
        memcpy(expected + n, escaped[i], strlen(escaped[i]));
        n += strlen(escaped[i]);
        memcpy(expected + n, vectors + 2 * i, 8);
        n += 8;
    }
    expected[n++] = '\n';
    assert_int_equal(save("x.bin", NULL), NEAP_OK);
    scratch_expect("x.bin", expected, n);
    assert_int_equal(scratch_count(""), 1);
}

static void numpy_with_names_beside_it(void **state)
{
    (void)state;
    char expected[128 + sizeof vectors];
    const char magic[10] = "\x93NUMPY\x01\x00\x76\x00",
               dict[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
    memset(expected, ' ', 128);
    memcpy(expected, magic, 10);
    memcpy(expected + 10, dict, strlen(dict));
    expected[127] = '\n';
    memcpy(expected + 128, vectors, sizeof vectors);
    assert_int_equal(save("x.npy", NULL), NEAP_OK);
    scratch_expect("x.npy", expected, sizeof expected);
    expect_text("x.names.txt", NAME_LINES);
    assert_int_equal(scratch_count(""), 2);
}

static void projector_with_metadata_beside_it(void **state)
{
    (void)state;
    assert_int_equal(save("x.tsv", NULL), NEAP_OK);
    expect_text("x.tsv", "1\t-0.25\n0.1\t3e-09\n16777216\t-2\n");
    expect_text("x.meta.tsv", NAME_LINES);
    assert_int_equal(scratch_count(""), 2);
}

static void a_table_with_a_header(void **state)
{
    (void)state;
    assert_int_equal(save("x.csv", NULL), NEAP_OK);
    expect_text("x.csv", "node,x0,x1\n\"a b\",1,-0.25\n50%,0.1,3e-09\n\"\xc3\xa9\n\xff<\",16777216,-2\n");
    assert_int_equal(scratch_count(""), 1);
}

/* NumPy itself reads it in tests/cli/numpy.sh. */
static void an_archive_has_vectors_and_names(void **state)
{
    (void)state;
    size_t size;
    const uint32_t points[3][4] = { { 'a', ' ', 'b', 0 },
                                    { '5', '0', '%', 0 },
                                    { 0xe9, '\n', 0xdcff, '<' } };
    assert_int_equal(save("x.npz", NULL), NEAP_OK);
    char *bytes = scratch_bytes("x.npz", &size);
    size_t first = 30 + strlen("vectors.npy"),
           second = first + 128 + sizeof vectors + 30 + strlen("names.npy");
    assert_memory_equal(bytes + 30, "vectors.npy\x93NUMPY", first - 30 + 6);
    assert_memory_equal(bytes + first + 128, vectors, sizeof vectors);
    assert_memory_equal(bytes + second - 9, "names.npy\x93NUMPY", 9 + 6);
    assert_non_null(strstr(bytes + second + 10, "'<U4'"));
    assert_memory_equal(bytes + second + 128, points, sizeof points);
    assert_int_equal(scratch_count(""), 1);
    free(bytes);
}

static void json_lines(void **state)
{
    (void)state;
    assert_int_equal(save("x.jsonl", NULL), NEAP_OK);
    expect_text("x.jsonl",
                "{\"node\":\"a b\",\"vector\":[1,-0.25]}\n{\"node\":\"50%\",\"vector\":[0.1,3e-09]}\n"
                "{\"node\":\"\xc3\xa9\\u000a\xef\xbf\xbd\\u003c\",\"vector\":[16777216,-2]}\n");
}

static void safetensors_keep_every_byte_of_a_name(void **state)
{
    (void)state;
    ni_tensors t;
    const void *data;
    const uint64_t offsets[4] = { 0, 4, 8, 14 };
    assert_int_equal(save("x.safetensors", NULL), NEAP_OK);
    assert_int_equal(ni_tensors_read("x.safetensors", NULL, &t, NULL), NEAP_OK);
    assert_true(ni_tensors_are(&t, "vectors"));
    assert_int_equal(ni_tensors_need(&t, "vectors", NI_F32, 2, (uint64_t[]){ 3, 2 }, &data, NULL), NEAP_OK);
    assert_memory_equal(data, vectors, sizeof vectors);
    assert_int_equal(ni_tensors_need(&t, "names.offsets", NI_U64, 1, (uint64_t[]){ 4 }, &data, NULL),
                     NEAP_OK);
    assert_memory_equal(data, offsets, sizeof offsets);
    assert_int_equal(ni_tensors_need(&t, "names.bytes", NI_U8, 1, (uint64_t[]){ 14 }, &data, NULL),
                     NEAP_OK);
    assert_memory_equal(data,
                        "a b\0"
                        "50%\0"
                        "\xc3\xa9\n\xff<",
                        14);
    ni_tensors_release(&t);
    assert_int_equal(neap_file_check("x.safetensors", NULL, NULL, NULL), NEAP_OK);
}

static void an_unknown_ending_lists_the_known_ones(void **state)
{
    (void)state;
    const char *bad[] = { "x", "-", "x.pickle", ".txt", "x.txt.gz", "" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        neap_error err = { 0 };
        assert_int_equal(save(bad[i], &err), NEAP_E_ARG);
        const char *known[] = { ".txt",         ".vec", ".bin", ".npy",  ".npz",
                                ".safetensors", ".csv", ".tsv", ".jsonl" };
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            assert_non_null(strstr(err.text, known[k]));
    }
    assert_int_equal(scratch_count(""), 0);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    float bad[2] = { 1, NAN };
    neap_error err = { 0 };
    assert_int_equal(neap_vectors_save("x.txt", graph, bad, 1, 2, &err), NEAP_E_NUMERIC);
    assert_non_null(strstr(err.text, "a b"));
    assert_int_equal(neap_vectors_save("x.txt", graph, vectors, 4, 1, &err), NEAP_E_ARG);
    assert_int_equal(neap_vectors_save("x.txt", graph, vectors, 3, 0, &err), NEAP_E_ARG);
    assert_int_equal(neap_vectors_save(NULL, graph, vectors, 3, 2, &err), NEAP_E_ARG);
    assert_int_equal(neap_vectors_save("x.txt", NULL, vectors, 3, 2, &err), NEAP_E_ARG);
    assert_int_equal(neap_vectors_save("x.txt", graph, NULL, 3, 2, &err), NEAP_E_ARG);
    assert_int_equal(scratch_count(""), 0);
    assert_int_equal(neap_vectors_save("x.txt", graph, vectors, 1, 2, &err), NEAP_OK);
    expect_text("x.txt", "1 2\n" NAME_0 " 1 -0.25\n");
}

static const char *const paths[] = { "x.txt",         "x.bin", "x.npy", "x.npz",
                                     "x.safetensors", "x.csv", "x.tsv", "x.jsonl" };

static neap_status save_path(void *user, neap_error *err)
{
    return save(user, err);
}

static void expect_full_disk(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_int_equal(rc, NEAP_E_IO);
    assert_int_equal(err->sys, ENOSPC);
    assert_int_equal(scratch_count(".neap"), 0);
}

static void a_full_disk_or_memory_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[32];
        strcpy(path, paths[i]);
        assert_true(faults_each(FAULTS_WRITE, ENOSPC, false, save_path, expect_full_disk, path) >= 1);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, save_path, faults_expect_memory, path) >= 1);
    }
}

/* Old vectors with new names would be a wrong answer. */
static void a_full_disk_leaves_vectors_and_names_as_they_were(void **state)
{
    (void)state;
    for (int nth = 1; nth <= 2; nth++) {
        scratch_put("x.npy", "old", 3);
        scratch_put("x.names.txt", "old", 3);
        faults_arm(FAULTS_WRITE, nth, ENOSPC, false);
        assert_int_equal(save("x.npy", NULL), NEAP_E_IO);
        faults_disarm();
        expect_text("x.npy", "old");
        expect_text("x.names.txt", "old");
        assert_int_equal(scratch_count(""), 2);
    }
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(word2vec_text),
        IN_SCRATCH(word2vec_binary),
        IN_SCRATCH(numpy_with_names_beside_it),
        IN_SCRATCH(projector_with_metadata_beside_it),
        IN_SCRATCH(a_table_with_a_header),
        IN_SCRATCH(an_archive_has_vectors_and_names),
        IN_SCRATCH(json_lines),
        IN_SCRATCH(safetensors_keep_every_byte_of_a_name),
        IN_SCRATCH(an_unknown_ending_lists_the_known_ones),
        IN_SCRATCH(what_makes_no_sense_is_refused),
        IN_SCRATCH(a_full_disk_or_memory_is_reported),
        IN_SCRATCH(a_full_disk_leaves_vectors_and_names_as_they_were),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
