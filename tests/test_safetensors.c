#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "faults.h"
#include "io/safetensors.h"
#include "scratch.h"
#include "tamper.h"

static const float vectors[6] = { 1, -2, 0.5F, 3, 4, 5 };
static const uint64_t offsets[4] = { 0, 2, 4, 7 };
static const char names[7] = "a\0b\0cc";

/* A file of vectors: three tensors of three widths, added narrow first. */
static neap_status write_small(void *user, neap_error *err)
{
    (void)user;
    ni_tensors t = { .count = 0 };
    ni_tensors_say(&t, "neap.kind", "vectors");
    ni_tensors_add(&t, "names.bytes", NI_U8, 7, 0, names);
    ni_tensors_add(&t, "vectors", NI_F32, 3, 2, vectors);
    ni_tensors_add(&t, "names.offsets", NI_U64, 4, 0, offsets);
    return ni_tensors_write(&t, "file", err);
}

static neap_status read_small(void *user, neap_error *err)
{
    (void)user;
    ni_tensors t;
    neap_status rc = ni_tensors_read("file", &t, err);
    if (rc == NEAP_OK) ni_tensors_release(&t);
    return rc;
}

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    ni_tensors t;
    const void *data;
    neap_error err = { 0 };
    assert_int_equal(write_small(NULL, &err), NEAP_OK);
    assert_int_equal(ni_tensors_read("file", &t, &err), NEAP_OK);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.facts, 1);
    assert_true(ni_tensors_are(&t, "vectors"));
    assert_false(ni_tensors_are(&t, "model"));
    assert_null(ni_tensors_fact(&t, "method"));
    assert_null(ni_tensors_find(&t, "E"));
    assert_int_equal(ni_tensors_need(&t, "vectors", NI_F32, 3, 2, &data, &err), NEAP_OK);
    assert_memory_equal(data, vectors, sizeof vectors);
    assert_int_equal(ni_tensors_need(&t, "names.offsets", NI_U64, 4, 0, &data, &err), NEAP_OK);
    assert_memory_equal(data, offsets, sizeof offsets);
    assert_int_equal(ni_tensors_need(&t, "names.bytes", NI_U8, 7, 0, &data, &err), NEAP_OK);
    assert_memory_equal(data, names, sizeof names);
    assert_int_equal(ni_tensors_need(&t, "vectors", NI_F32, 2, 3, &data, &err), NEAP_E_FORMAT);
    assert_null(data);
    assert_int_equal(ni_tensors_need(&t, "vectors", NI_U32, 3, 2, &data, &err), NEAP_E_FORMAT);
    assert_int_equal(ni_tensors_need(&t, "names.bytes", NI_U8, 7, 1, &data, &err), NEAP_E_FORMAT);
    assert_int_equal(ni_tensors_need(&t, "E", NI_F32, 3, 2, &data, &err), NEAP_E_FORMAT);
    ni_tensors_release(&t);
}

static void data_is_aligned_and_widest_first(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    char *bytes = scratch_bytes("file", &size);
    uint64_t length;
    memcpy(&length, bytes, 8);
    assert_int_equal((8 + length) % 64, 0);
    assert_int_equal(size, 8 + length + 32 + 24 + 7);
    assert_memory_equal(bytes + 8 + length, offsets, 32);
    assert_memory_equal(bytes + 8 + length + 32, vectors, 24);
    assert_memory_equal(bytes + 8 + length + 56, names, 7);
    assert_non_null(
        strstr(bytes + 8, "\"neap.format\":\"1\",\"neap.kind\":\"vectors\",\"crc32c.names.offsets\":"));
    free(bytes);
}

static void a_key_said_again_is_replaced(void **state)
{
    (void)state;
    ni_tensors t = { .count = 0 };
    ni_tensors_say(&t, "neap.kind", "model");
    ni_tensors_say(&t, "rows", "3");
    ni_tensors_say(&t, "neap.kind", "checkpoint");
    assert_int_equal(t.facts, 2);
    assert_true(ni_tensors_are(&t, "checkpoint"));
}

static void only_the_closed_set_is_written(void **state)
{
    (void)state;
    struct {
        const char *kind, *key, *value, *tensor;
        ni_type type;
        uint64_t columns;
    } bad[] = {
        { "poem", "rows", "1", "E", NI_F32, 1 },
        { "graph", "rows", "1", "graph.offsets", NI_U64, 0 },
        { "model", "rows", "\x1b[2J", "E", NI_F32, 1 },
        { "model", "rows", "\"", "E", NI_F32, 1 },
        { "model", "option", "1", "E", NI_F32, 1 },
        { "model", "step", "1", "E", NI_F32, 1 },
        { "model", "rows", "1", "best.E", NI_F32, 1 },
        { "model", "rows", "1", "E", NI_U32, 1 },
        { "model", "rows", "1", "E", NI_F32, 0 },
        { "model", "rows", "1", "F", NI_F32, 1 },
        { "graph", "option.dim", "1", "graph.offsets", NI_U64, 0 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ni_tensors t = { .count = 0 };
        ni_tensors_say(&t, "neap.kind", bad[i].kind);
        ni_tensors_say(&t, bad[i].key, bad[i].value);
        ni_tensors_add(&t, bad[i].tensor, bad[i].type, 1, bad[i].columns, offsets);
        assert_int_equal(ni_tensors_write(&t, "bad", NULL), NEAP_E_FORMAT);
    }
    assert_int_equal(scratch_count(""), 0);
}

/* Each change of the header, with its checksum repaired, is noticed; memory stays in proportion. */
static void a_header_that_lies_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } lies[] = {
        { "\"neap.format\":\"1\"", "\"neap.format\":\"2\"" },
        { "\"neap.format\":\"1\",", "" },
        { "\"neap.format\":\"1\"", "\"neap.format\":1" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"model\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"poem\"" },
        { "\"neap.kind\":\"vectors\",", "" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":[\"vectors\"]" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"neap.kind\":\"vectors\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"host\":\"x\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"rows\":\"3\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"epochs\":null" },
        { "__metadata__", "__metadata" },
        { "\"crc32c.vectors\":", "\"crc32c.vector\":" },
        { "\"crc32c.vectors\":", "\"crc32c.more\":\"00000000\",\"crc32c.vectors\":" },
        { "\"crc32c.header\":\"", "\"crc32c.header\" :\"" },
        { "\"crc32c.header\":\"", "\"x\":\"\",\"crc32c.header\":\"" },
        { "\"vectors\":{", "\"E\":{" },
        { "\"vectors\":{", "\"names.offsets\":{" },
        { "\"vectors\":{", "\"a-name-that-no-tensor-of-ours-could-have\":{" },
        { "\"vectors\":{", "\"vectors\":{\"more\":1," },
        { "\"vectors\":{", "\"more\":{},\"vectors\":{" },
        { "\"vectors\":{", "\"more\":7,\"vectors\":{" },
        { "\"dtype\":\"F32\"", "\"dtype\":\"U32\"" },
        { "\"dtype\":\"F32\"", "\"dtype\":\"F16\"" },
        { "\"dtype\":\"F32\"", "\"dtype\":32" },
        { "\"dtype\":\"F32\",", "" },
        { "\"dtype\":\"F32\",\"shape\":[3,2]", "\"dtype\":\"U64\",\"shape\":[3,1]" },
        { "[3,2]", "[6]" },
        { "[3,2]", "[6,0]" },
        { "[3,2]", "[3,2,1]" },
        { "[3,2]", "[]" },
        { "[3,2]", "[3.0,2]" },
        { "[3,2]", "[-3,-2]" },
        { "[3,2]", "[true,6]" },
        { "[3,2]", "[2,2]" },
        { "[3,2]", "[4,2]" },
        { "[3,2]", "[4611686018427387904,4]" },
        { "[3,2]", "[9223372036854775807,9223372036854775807]" },
        { "[3,2]", "[99999999999999999999,2]" },
        { "[3,2],\"data_offsets\":[32,56]", "[3,2],\"data_offsets\":[28,52]" },
        { "[3,2],\"data_offsets\":[32,56]", "[3,2],\"data_offsets\":[36,60]" },
        { "[3,2],\"data_offsets\":[32,56]", "[3,2],\"data_offsets\":[32,60]" },
        { "[3,2],\"data_offsets\":[32,56]", "[3,2],\"data_offsets\":[56,32]" },
        { "[7],\"data_offsets\":[56,63]", "[6],\"data_offsets\":[56,62]" },
        { "[7],\"data_offsets\":[56,63]", "[8],\"data_offsets\":[56,64]" },
        { "[7],\"data_offsets\":[56,63]}", "[7],\"data_offsets\":[56,63]},\"history\":{}" },
        { "{\"__metadata__\"", "[{\"__metadata__\"" },
        { "]}}", "]}}}" },
        { "]}}", "]}}x" },
        { "]}}", "]}" },
        { "\"vectors\":{", "\"\\u0000\":{" },
    };
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    size_t size;
    char *good = scratch_bytes("file", &size);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        neap_error err = { 0 };
        scratch_put("file", good, size);
        tamper_header("file", lies[i].from, lies[i].to);
        faults_peak();
        neap_status rc = read_small(NULL, &err);
        if (rc != NEAP_E_FORMAT) print_error("not refused: %s -> %s\n", lies[i].from, lies[i].to);
        assert_int_equal(rc, NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, "file"));
        assert_true(faults_peak() <= size + 131072);
    }
    free(good);
}

/* The same three tensors, narrow first: all checksums hold, but the wide ones are not aligned. */
static void a_tensor_that_is_not_aligned_is_refused(void **state)
{
    (void)state;
    char data[63], header[1024];
    memcpy(data, names, 7);
    memcpy(data + 7, offsets, 32);
    memcpy(data + 39, vectors, 24);
    snprintf(
        header, sizeof header,
        "{\"__metadata__\":{\"neap.format\":\"1\",\"neap.kind\":\"vectors\",\"crc32c.names.bytes\":\"%"
        "08x\","
        "\"crc32c.names.offsets\":\"%08x\",\"crc32c.vectors\":\"%08x\",\"crc32c.header\":\"00000000\"},"
        "\"names.bytes\":{\"dtype\":\"U8\",\"shape\":[7],\"data_offsets\":[0,7]},"
        "\"names.offsets\":{\"dtype\":\"U64\",\"shape\":[4],\"data_offsets\":[7,39]},"
        "\"vectors\":{\"dtype\":\"F32\",\"shape\":[3,2],\"data_offsets\":[39,63]}}",
        ni_crc32c(0, names, 7), ni_crc32c(0, offsets, 32), ni_crc32c(0, vectors, 24));
    tamper_write("file", header, data, sizeof data);
    neap_error err = { 0 };
    assert_int_equal(read_small(NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "names.offsets"));
}

static void a_bomb_of_brackets_is_refused(void **state)
{
    (void)state;
    char *header = malloc(65000);
    strcpy(header, "{\"__metadata__\":{\"crc32c.header\":\"00000000\"},\"x\":");
    size_t start = strlen(header);
    memset(header + start, '[', 64000 - start);
    header[64000] = 0;
    tamper_write("file", header, "", 0);
    assert_int_equal(read_small(NULL, NULL), NEAP_E_FORMAT);
    strcpy(header + start, "[");
    for (size_t i = start + 1; i + 3 < 64000; i += 3) memcpy(header + i, "[],", 3);
    strcpy(header + start + 1 + (64000 - start) / 3 * 3 - 3, "0]}");
    tamper_write("file", header, "", 0);
    assert_int_equal(read_small(NULL, NULL), NEAP_E_FORMAT);
    free(header);
}

static void too_much_metadata_is_above_the_limit(void **state)
{
    (void)state;
    char text[200];
    snprintf(text, sizeof text, "\"loss\":\"%0*d\",\"neap.kind\"", 100, 1);
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    tamper_header("file", "\"neap.kind\"", text);
    assert_int_equal(read_small(NULL, NULL), NEAP_E_LIMIT);
}

static void other_files_are_not_ours(void **state)
{
    (void)state;
    neap_error err = { 0 };
    assert_int_equal(read_small(NULL, &err), NEAP_E_READ);
    assert_int_equal(err.sys, ENOENT);
    assert_false(ni_tensors_look("file"));
    scratch_put("file", "", 0);
    assert_int_equal(read_small(NULL, &err), NEAP_E_FORMAT);
    char text[256];
    memset(text, '7', sizeof text);
    scratch_put("file", text, sizeof text);
    assert_int_equal(read_small(NULL, &err), NEAP_E_FORMAT);
    assert_false(ni_tensors_look("file"));
    memset(text, 0, sizeof text);
    text[0] = 56;
    scratch_put("file", text, sizeof text);
    assert_int_equal(read_small(NULL, &err), NEAP_E_FORMAT);
    assert_false(ni_tensors_look("file"));
    unlink("file");
    assert_int_equal(mkfifo("file", 0600), 0);
    assert_int_equal(read_small(NULL, &err), NEAP_E_READ); /* and does not wait for a writer */
    unlink("file");
    assert_int_equal(mkdir("file", 0700), 0);
    assert_int_equal(read_small(NULL, &err), NEAP_E_READ);
    assert_int_equal(rmdir("file"), 0);
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    assert_true(ni_tensors_look("file"));
}

/* The file ends earlier than fstat says. */
static int optimistic_fstat(int fd, struct stat *st)
{
    int rc = faults.real.fstat(fd, st);
    st->st_size += 10;
    return rc;
}

static void a_file_that_shrinks_while_it_is_read_is_noticed(void **state)
{
    (void)state;
    size_t size;
    neap_error err = { 0 };
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    char *good = scratch_bytes("file", &size);
    scratch_put("file", good, size - 10);
    free(good);
    int (*honest)(int, struct stat *) = ni_system.fstat;
    ni_system.fstat = optimistic_fstat;
    neap_status rc = read_small(NULL, &err);
    ni_system.fstat = honest;
    assert_int_equal(rc, NEAP_E_READ);
}

static void expect_read_error(void *user, neap_status rc, const neap_error *err)
{
    assert_int_equal(rc, NEAP_E_READ);
    assert_int_equal(err->sys, *(int *)user);
}

static void a_failing_disk_is_reported(void **state)
{
    (void)state;
    int sys = EIO;
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    assert_int_equal(faults_each(FAULTS_OPEN, sys, false, read_small, expect_read_error, &sys), 1);
    assert_int_equal(faults_each(FAULTS_FSTAT, sys, false, read_small, expect_read_error, &sys), 1);
    assert_int_equal(faults_each(FAULTS_READ, sys, false, read_small, expect_read_error, &sys), 3);
    for (unsigned k = 1; k <= 3; k++) {
        faults_arm(FAULTS_READ, k, EINTR, false);
        assert_int_equal(read_small(NULL, NULL), NEAP_OK);
    }
    faults_disarm();
}

static void no_memory_is_an_ordinary_error(void **state)
{
    (void)state;
    for (int forever = 0; forever < 2; forever++) {
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, write_small, faults_expect_memory, NULL) >=
                    2);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, read_small, faults_expect_memory, NULL) >=
                    2);
    }
}

/* Jansson does not always say whether it lacked memory or disliked a token. */
static void expect_memory_or_format(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_true(rc == NEAP_E_MEM || rc == NEAP_E_FORMAT);
    assert_int_equal(err->code, rc);
}

static void no_memory_for_the_parser_is_an_ordinary_error(void **state)
{
    (void)state;
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    json_set_alloc_funcs(faults_allocate, faults_release);
    unsigned failed = faults_each(FAULTS_MEMORY, ENOMEM, false, read_small, expect_memory_or_format, NULL);
    json_set_alloc_funcs(malloc, free);
    assert_true(failed > 50);
}

static void reading_takes_little_more_than_the_file(void **state)
{
    (void)state;
    enum { N = 100000 };
    float *zeros = calloc(N, sizeof *zeros);
    ni_tensors t = { .count = 0 };
    ni_tensors_say(&t, "neap.kind", "vectors");
    ni_tensors_add(&t, "vectors", NI_F32, N / 10, 10, zeros);
    assert_int_equal(ni_tensors_write(&t, "file", NULL), NEAP_OK);
    free(zeros);
    faults_peak();
    assert_int_equal(read_small(NULL, NULL), NEAP_OK);
    assert_true(faults_peak() <= N * sizeof *zeros + 131072);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_was_written_is_read_back),
        IN_SCRATCH(data_is_aligned_and_widest_first),
        cmocka_unit_test(a_key_said_again_is_replaced),
        IN_SCRATCH(only_the_closed_set_is_written),
        IN_SCRATCH(a_header_that_lies_is_refused),
        IN_SCRATCH(a_tensor_that_is_not_aligned_is_refused),
        IN_SCRATCH(a_bomb_of_brackets_is_refused),
        IN_SCRATCH(too_much_metadata_is_above_the_limit),
        IN_SCRATCH(other_files_are_not_ours),
        IN_SCRATCH(a_file_that_shrinks_while_it_is_read_is_noticed),
        IN_SCRATCH(a_failing_disk_is_reported),
        IN_SCRATCH(no_memory_is_an_ordinary_error),
        IN_SCRATCH(no_memory_for_the_parser_is_an_ordinary_error),
        IN_SCRATCH(reading_takes_little_more_than_the_file),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
