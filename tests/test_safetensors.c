#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

#include "faults.h"
#include "io/tensors.h"
#include "scratch.h"
#include "tamper.h"

static const float vectors[6] = { 1, -2, 0.5F, 3, 4, 5 };
static const uint64_t offsets[4] = { 0, 2, 4, 7 };
static const char names[7] = "a\0b\0cc";

/* A file of vectors: three tensors of three widths, added narrow first. */
static void fill_small(ni_tensors *t)
{
    ni_tensors_put(t, "neap.kind", "vectors");
    ni_tensors_add(t, "names.bytes", NI_U8, 1, (uint64_t[]){ 7 }, names);
    ni_tensors_add(t, "vectors", NI_F32, 2, (uint64_t[]){ 3, 2 }, vectors);
    ni_tensors_add(t, "names.offsets", NI_U64, 1, (uint64_t[]){ 4 }, offsets);
}

static neap_status write_small(void *user, neap_error *err)
{
    (void)user;
    ni_tensors t = { 0 };
    fill_small(&t);
    neap_status rc = ni_tensors_write(&t, "file", err);
    ni_tensors_release(&t);
    return rc;
}

static neap_status read_small(void *user, neap_error *err)
{
    (void)user;
    ni_tensors t;
    neap_status rc = ni_tensors_read("file", NULL, &t, err);
    if (rc == NEAP_OK) ni_tensors_release(&t);
    return rc;
}

static neap_status parse(const void *bytes, size_t size, neap_error *err)
{
    ni_tensors t;
    neap_status rc = ni_tensors_parse(bytes, size, &t, err);
    if (rc == NEAP_OK) ni_tensors_release(&t);
    return rc;
}

/* The file, through memory. */
static neap_status parse_small(void *user, neap_error *err)
{
    (void)user;
    size_t size;
    char *bytes = scratch_bytes("file", &size);
    neap_status rc = parse(bytes, size, err);
    free(bytes);
    return rc;
}

static neap_status need(const ni_tensors *t, const char *name, ni_type type, uint64_t rows,
                        uint64_t columns, const void **data)
{
    return ni_tensors_need(t, name, type, columns ? 2 : 1, (uint64_t[]){ rows, columns }, data, NULL);
}

static void expect_small(const ni_tensors *t)
{
    const void *data;
    assert_int_equal(t->count, 3);
    assert_int_equal(t->facts, 1);
    assert_int_equal(t->format, 3);
    assert_true(ni_tensors_are(t, "vectors"));
    assert_false(ni_tensors_are(t, "model"));
    assert_null(ni_tensors_fact(t, "method"));
    assert_null(ni_tensors_find(t, "E"));
    assert_int_equal(need(t, "vectors", NI_F32, 3, 2, &data), NEAP_OK);
    assert_memory_equal(data, vectors, sizeof vectors);
    assert_int_equal(need(t, "names.offsets", NI_U64, 4, 0, &data), NEAP_OK);
    assert_memory_equal(data, offsets, sizeof offsets);
    assert_int_equal(need(t, "names.bytes", NI_U8, 7, 0, &data), NEAP_OK);
    assert_memory_equal(data, names, sizeof names);
}

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    ni_tensors t;
    const void *data;
    neap_error err = { 0 };
    assert_int_equal(write_small(NULL, &err), NEAP_OK);
    assert_int_equal(ni_tensors_read("file", NULL, &t, &err), NEAP_OK);
    expect_small(&t);
    assert_int_equal(need(&t, "vectors", NI_F32, 2, 3, &data), NEAP_E_FORMAT);
    assert_null(data);
    assert_int_equal(need(&t, "vectors", NI_U32, 3, 2, &data), NEAP_E_FORMAT);
    assert_int_equal(need(&t, "names.bytes", NI_U8, 7, 1, &data), NEAP_E_FORMAT);
    assert_int_equal(need(&t, "E", NI_F32, 3, 2, &data), NEAP_E_FORMAT);
    ni_tensors_release(&t);
}

/* Memory holds the same bytes as a file, and what does not fit is not begun. */
static void memory_is_as_good_as_a_file(void **state)
{
    (void)state;
    ni_tensors t = { 0 }, back;
    size_t size, need_ = 0;
    neap_error err = { 0 };
    assert_int_equal(write_small(NULL, &err), NEAP_OK);
    char *file = scratch_bytes("file", &size), *bytes = malloc(size + 1);
    fill_small(&t);
    assert_int_equal(ni_tensors_store(&t, NULL, 0, &need_, &err), NEAP_E_LIMIT);
    assert_int_equal(need_, size);
    memset(bytes, 77, size + 1);
    assert_int_equal(ni_tensors_store(&t, bytes, size - 1, &need_, &err), NEAP_E_LIMIT);
    assert_int_equal(need_, size);
    for (size_t i = 0; i <= size; i++) assert_int_equal(bytes[i], 77);
    assert_int_equal(ni_tensors_store(&t, bytes, size, &need_, &err), NEAP_OK);
    assert_int_equal(need_, size);
    assert_memory_equal(bytes, file, size);
    assert_int_equal(bytes[size], 77);
    ni_tensors_release(&t);
    assert_int_equal(ni_tensors_parse(bytes, size, &back, &err), NEAP_OK);
    memset(bytes, 0, size); /* it was copied */
    expect_small(&back);
    ni_tensors_release(&back);
    scratch_put("memory", file, size); /* nothing is nothing, not a file of that name */
    assert_int_equal(parse(NULL, 0, &err), NEAP_E_FORMAT);
    assert_int_equal(parse("", 0, &err), NEAP_E_FORMAT);
    free(file);
    free(bytes);
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
        strstr(bytes + 8, "\"neap.format\":\"3\",\"neap.kind\":\"vectors\",\"crc32c.names.offsets\":"));
    free(bytes);
}

static void a_key_said_again_is_replaced(void **state)
{
    (void)state;
    ni_tensors t = { 0 };
    ni_tensors_put(&t, "neap.kind", "model");
    ni_tensors_put(&t, "rows", "3");
    ni_tensors_put(&t, "neap.kind", "checkpoint");
    assert_int_equal(t.facts, 2);
    assert_true(ni_tensors_are(&t, "checkpoint"));
    ni_tensors_release(&t);
}

/* Writes, reads and gives the tensors to look at. */
static void there_and_back(ni_tensors *t, ni_tensors *back)
{
    neap_error err = { 0 };
    neap_status rc = ni_tensors_write(t, "file", &err);
    if (rc != NEAP_OK) print_error("%s\n", err.text);
    assert_int_equal(rc, NEAP_OK);
    ni_tensors_release(t);
    assert_int_equal(parse_small(NULL, &err), NEAP_OK);
    assert_int_equal(ni_tensors_read("file", NULL, back, &err), NEAP_OK);
}

static void shapes_have_one_to_four_numbers(void **state)
{
    (void)state;
    ni_tensors t = { 0 }, back;
    float numbers[120];
    uint64_t shape[4] = { 2, 3, 4, 5 };
    const uint64_t none[4] = { 0, 3, 4, 5 };
    const char *const name[4] = { "one", "two", "three", "four" };
    size_t length[4] = { 2, 6, 24, 120 };
    for (int i = 0; i < 120; i++) numbers[i] = (float)i;
    ni_tensors_put(&t, "neap.kind", "vectors");
    for (uint32_t rank = 1; rank <= 4; rank++)
        ni_tensors_add(&t, name[rank - 1], NI_F32, rank, shape, numbers);
    ni_tensors_add(&t, "empty", NI_U8, 4, none, NULL);
    there_and_back(&t, &back);
    for (uint32_t rank = 1; rank <= 4; rank++) {
        const void *data;
        assert_int_equal(ni_tensors_need(&back, name[rank - 1], NI_F32, rank, shape, &data, NULL), NEAP_OK);
        assert_memory_equal(data, numbers, length[rank - 1] * sizeof *numbers);
        assert_int_equal(ni_tensors_need(&back, name[rank - 1], NI_F32, 5 - rank, shape, &data, NULL),
                         NEAP_E_FORMAT);
        shape[rank - 1]++;
        assert_int_equal(ni_tensors_need(&back, name[rank - 1], NI_F32, rank, shape, &data, NULL),
                         NEAP_E_FORMAT);
        shape[rank - 1]--;
    }
    assert_int_equal(ni_tensors_find(&back, "empty")->shape[3], 5);
    ni_tensors_release(&back);
    const char *const lies[][2] = { { "[2,3,4,5]", "[2,3,4,5,1]" },
                                    { "[2,3,4,5]", "[2,3,4,6]" },
                                    { "[2,3,4,5]", "[2,3,4]" },
                                    { "[0,3,4,5]", "[0,3,0,5]" },
                                    { "[0,3,4,5]", "[0,-3,4,5]" },
                                    { "[0,3,4,5]", "[3,4,5,1]" },
                                    { "[2,3,4]", "[2,4611686018427387904,4611686018427387904]" } };
    size_t size;
    char *good = scratch_bytes("file", &size);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        scratch_put("file", good, size);
        tamper_header("file", lies[i][0], lies[i][1]);
        if (read_small(NULL, NULL) == NEAP_OK) print_error("not refused: %s\n", lies[i][1]);
        assert_int_equal(read_small(NULL, NULL), NEAP_E_FORMAT);
    }
    scratch_put("file", good, size);
    tamper_header("file", "[2,3,4,5]", "[2,3,5,4]"); /* as many: what is meant is the caller's business */
    assert_int_equal(read_small(NULL, NULL), NEAP_OK);
    free(good);
}

static void there_may_be_hundreds_of_tensors_and_facts(void **state)
{
    (void)state;
    enum { N = 700 };
    static uint32_t numbers[N];
    ni_tensors t = { 0 }, back;
    char name[32], value[32];
    ni_tensors_put(&t, "neap.kind", "graph");
    for (uint32_t i = 0; i < N; i++) {
        numbers[i] = i * i;
        snprintf(name, sizeof name, "part %u of many", i);
        snprintf(value, sizeof value, "%u", i);
        ni_tensors_put(&t, name, value);
        ni_tensors_add(&t, name, i % 3 ? NI_U32 : NI_U8, 1, (uint64_t[]){ 1 }, &numbers[i]);
    }
    there_and_back(&t, &back);
    assert_int_equal(back.count, N);
    assert_int_equal(back.facts, N + 1);
    for (uint32_t i = 0; i < N; i++) {
        const void *data;
        snprintf(name, sizeof name, "part %u of many", i);
        snprintf(value, sizeof value, "%u", i);
        assert_string_equal(ni_tensors_fact(&back, name), value);
        assert_int_equal(need(&back, name, i % 3 ? NI_U32 : NI_U8, 1, 0, &data), NEAP_OK);
        assert_memory_equal(data, &numbers[i], i % 3 ? 4 : 1);
    }
    assert_int_equal(neap_file_check("file", NULL, NULL, NULL), NEAP_E_FORMAT); /* but not in a graph */
    ni_tensors_release(&back);
}

static void values_are_any_text_without_control_characters(void **state)
{
    (void)state;
    static const char *const good[] = { "",
                                        "\"",
                                        "\\",
                                        "\\\\\"\\u0041\\n\"",
                                        "ends with \\",
                                        "\",\"crc32c.header\":\"00000000",
                                        "\"crc32c.header\":\"",
                                        "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
                                        "\xc2\xa0\xef\xbf\xbd\xf4\x8f\xbf\xbf",
                                        "/</script>" };
    static const char *const bad[] = { "\x1b[2J",  "\n",           "\t",       "\x7f",
                                       "\xc2\x9b", "\xff",         "a\x80",    "\xc0\xaf",
                                       "\xe2\x82", "\xed\xa0\x80", "\xc3\x28", "\xf4\x90\x80\x80",
                                       "\x01\x02" };
    enum { GOOD = sizeof good / sizeof *good };
    ni_tensors t = { 0 }, back;
    char key[16];
    ni_tensors_put(&t, "neap.kind", "graph");
    for (int i = 0; i < GOOD; i++) {
        snprintf(key, sizeof key, "key %d", i);
        ni_tensors_put(&t, key, good[i]);
    }
    there_and_back(&t, &back);
    for (int i = 0; i < GOOD; i++) {
        snprintf(key, sizeof key, "key %d", i);
        assert_string_equal(ni_tensors_fact(&back, key), good[i]);
    }
    ni_tensors_release(&back);
    tamper_header("file", "/</script>", "\\/\\u003c\\/script>\\u00e9"); /* any spelling of JSON's */
    assert_int_equal(ni_tensors_read("file", NULL, &back, NULL), NEAP_OK);
    assert_string_equal(ni_tensors_fact(&back, "key 9"), "/</script>\xc3\xa9");
    ni_tensors_release(&back);
    size_t size;
    char *bytes = scratch_bytes("file", &size);
    static const char *const hidden[] = { "\\u0000", "\\u001b", "\\u007f", "\\u009b",
                                          "\\n",     "\\ud800", "\\x" };
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        scratch_put("file", bytes, size);
        tamper_header("file", "ends with", hidden[i]);
        if (read_small(NULL, NULL) == NEAP_OK) print_error("not refused: %s\n", hidden[i]);
        assert_int_equal(read_small(NULL, NULL), NEAP_E_FORMAT);
    }
    free(bytes);
    unlink("file");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ni_tensors_put(&t, "neap.kind", "graph");
        ni_tensors_put(&t, "key", bad[i]);
        assert_int_equal(ni_tensors_write(&t, "file", NULL), NEAP_E_FORMAT);
        ni_tensors_release(&t);
    }
    assert_int_equal(scratch_count(""), 0);
}

/* In both directions. */
static void names_that_are_not_plain_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *json;
        bool fact; /* of facts as well as of tensors */
    } bad[] = { { "", "", true },
                { "a\"b", "a\\\"b", true },
                { "a\\b", "a\\\\b", true },
                { "a\nb", "a\\nb", true },
                { "\x1b[2J", "\\u001b[2J", true },
                { "\x7f", "\x7f", true },
                { "caf\xc3\xa9", "caf\xc3\xa9", true },
                { "caf\xc3\xa9", "caf\\u00e9", true },
                { "header", "header", false },
                { "__metadata__", "__metadata__", false } };
    char from[64], to[64];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (int fact = 0; fact < 2; fact++) {
            if (fact && !bad[i].fact) continue;
            ni_tensors t = { 0 };
            neap_error err = { 0 };
            ni_tensors_put(&t, "neap.kind", "vectors");
            if (fact) ni_tensors_put(&t, bad[i].name, "1");
            else ni_tensors_add(&t, bad[i].name, NI_F32, 2, (uint64_t[]){ 3, 2 }, vectors);
            assert_int_equal(ni_tensors_write(&t, "bad", &err), NEAP_E_FORMAT);
            assert_true(strlen(err.text) > 10);
            ni_tensors_release(&t);
            assert_int_equal(write_small(NULL, NULL), NEAP_OK);
            snprintf(from, sizeof from, fact ? "\"neap.kind\":\"vectors\"" : "\"vectors\":{");
            snprintf(to, sizeof to, fact ? "\"neap.kind\":\"vectors\",\"%s\":\"\"" : "\"%s\":{",
                     bad[i].json);
            tamper_header("file", from, to);
            if (!fact) { /* so that only the name is wrong */
                snprintf(to, sizeof to, "\"crc32c.%s\":", bad[i].json);
                if (bad[i].fact) tamper_header("file", "\"crc32c.vectors\":", to);
            }
            neap_status rc = read_small(NULL, NULL);
            if (rc == NEAP_OK) print_error("not refused: %s\n", to);
            assert_int_equal(rc, NEAP_E_FORMAT);
        }
    }
    static const char *const own[] = { "neap.format", "crc32c.header", "crc32c.E", "crc32c." };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) { /* which the writer itself says */
        ni_tensors t = { 0 };
        ni_tensors_put(&t, "neap.kind", "vectors");
        ni_tensors_put(&t, own[i], "1");
        assert_int_equal(ni_tensors_write(&t, "bad", NULL), NEAP_E_FORMAT);
        ni_tensors_release(&t);
    }
    assert_int_equal(scratch_count("bad"), 0);
}

/* Names are free in the container; each kind has a closed set of them. */
static void only_the_closed_set_is_read(void **state)
{
    (void)state;
    struct {
        const char *kind, *key, *value, *tensor;
        ni_type type;
        uint64_t columns;
        bool written;
    } bad[] = {
        { "poem", "rows", "1", "E", NI_F32, 1, false },
        { "model", "rows", "\x1b[2J", "E", NI_F32, 1, false },
        { "graph", "rows", "1", "graph.offsets", NI_U64, 0, true },
        { "vectors", "rows", "1", "vectors", NI_F32, 1, true },
        { "vectors", "neap.kind", "vectors", "E", NI_F32, 1, true },
        { "model", "option", "1", "E", NI_F32, 1, true },
        { "model", "step", "1", "E", NI_F32, 1, true },
        { "model", "rows", "1", "best.E", NI_F32, 1, true },
        { "model", "rows", "1", "E", NI_U32, 1, true },
        { "model", "rows", "1", "E", NI_F32, 0, true },
        { "model", "rows", "1", "F", NI_F32, 1, true },
        { "graph", "option.dim", "1", "graph.offsets", NI_U64, 0, true },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ni_tensors t = { 0 };
        ni_tensors_put(&t, "neap.kind", bad[i].kind);
        ni_tensors_put(&t, bad[i].key, bad[i].value);
        ni_tensors_add(&t, bad[i].tensor, bad[i].type, bad[i].columns ? 2 : 1, (uint64_t[]){ 1, 1 },
                       offsets);
        assert_int_equal(ni_tensors_write(&t, "bad", NULL), bad[i].written ? NEAP_OK : NEAP_E_FORMAT);
        ni_tensors_release(&t);
        assert_int_equal(scratch_count(""), bad[i].written);
        if (!bad[i].written) continue;
        assert_int_equal(neap_file_check("bad", NULL, NULL, NULL), NEAP_E_FORMAT);
        unlink("bad");
    }
}

typedef struct lie {
    const char *from, *to;
} lie;

/* Each change of the header, with its checksum repaired, is noticed; memory stays in proportion. readable:
 * as a container, but what it claims to be has other names and shapes. */
static void expect_lies(const lie *lies, size_t count, bool readable)
{
    size_t size;
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    char *good = scratch_bytes("file", &size);
    for (size_t i = 0; i < count; i++) {
        neap_error err = { 0 };
        scratch_put("file", good, size);
        tamper_header("file", lies[i].from, lies[i].to);
        faults_peak();
        neap_status rc = neap_file_check("file", NULL, NULL, &err), read = read_small(NULL, NULL);
        if (rc != NEAP_E_FORMAT || (read == NEAP_OK) != readable)
            print_error("not refused, or too early: %s -> %s\n", lies[i].from, lies[i].to);
        assert_int_equal(rc, NEAP_E_FORMAT);
        assert_int_equal(read, readable ? NEAP_OK : NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, "file"));
        assert_true(faults_peak() <= size + 131072);
        assert_int_equal(parse_small(NULL, NULL), read);
    }
    free(good);
}

static void a_header_that_lies_is_refused(void **state)
{
    (void)state;
    static const lie lies[] = {
        { "\"neap.format\":\"3\"", "\"neap.format\":\"4\"" },
        { "\"neap.format\":\"3\"", "\"neap.format\":\"0\"" },
        { "\"neap.format\":\"3\"", "\"neap.format\":\"\"" },
        { "\"neap.format\":\"3\"", "\"neap.format\":\"02\"" },
        { "\"neap.format\":\"3\"", "\"neap.format\":\"22\"" },
        { "\"neap.format\":\"3\",", "" },
        { "\"neap.format\":\"3\"", "\"neap.format\":2" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"poem\"" },
        { "\"neap.kind\":\"vectors\",", "" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":[\"vectors\"]" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"neap.kind\":\"vectors\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"epochs\":null" },
        { "__metadata__", "__metadata" },
        { "\"crc32c.vectors\":", "\"crc32c.vector\":" },
        { "\"crc32c.vectors\":", "\"crc32c.more\":\"00000000\",\"crc32c.vectors\":" },
        { "\"crc32c.header\":\"", "\"crc32c.header\" :\"" },
        { "\"vectors\":{", "\"E\":{" },
        { "\"vectors\":{", "\"names.offsets\":{" },
        { "\"vectors\":{", "\"a-name-that-no-tensor-of-ours-could-have\":{" },
        { "\"vectors\":{", "\"vectors\":{\"more\":1," },
        { "\"vectors\":{", "\"more\":{},\"vectors\":{" },
        { "\"vectors\":{", "\"more\":7,\"vectors\":{" },
        { "\"dtype\":\"F32\"", "\"dtype\":\"F16\"" },
        { "\"dtype\":\"F32\"", "\"dtype\":32" },
        { "\"dtype\":\"F32\",", "" },
        { "[3,2]", "[6,0]" },
        { "[3,2]", "[3,2,1,1,1]" },
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
    static const lie others[] = {
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"model\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"host\":\"x\"" },
        { "\"neap.kind\":\"vectors\"", "\"neap.kind\":\"vectors\",\"rows\":\"3\"" },
        { "\"crc32c.header\":\"", "\"x\":\"\",\"crc32c.header\":\"" },
        { "\"dtype\":\"F32\"", "\"dtype\":\"U32\"" },
        { "\"dtype\":\"F32\",\"shape\":[3,2]", "\"dtype\":\"U64\",\"shape\":[3,1]" },
        { "[3,2]", "[6]" },
        { "[3,2]", "[3,2,1]" },
    };
    expect_lies(lies, sizeof lies / sizeof *lies, false);
    expect_lies(others, sizeof others / sizeof *others, true);
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
        "{\"__metadata__\":{\"neap.format\":\"3\",\"neap.kind\":\"vectors\",\"crc32c.names.bytes\":\"%"
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

static void a_newer_version_is_refused_with_words(void **state)
{
    (void)state;
    neap_error err = { 0 };
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    tamper_header("file", "\"neap.format\":\"3\"", "\"neap.format\":\"4\"");
    assert_int_equal(read_small(NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "file: "));
    assert_non_null(strstr(err.text, "'4'"));
    assert_non_null(strstr(err.text, "up to 3"));
    ni_tensors t;
    tamper_header("file", "\"neap.format\":\"4\"", "\"neap.format\":\"1\"");
    assert_int_equal(ni_tensors_read("file", NULL, &t, NULL), NEAP_OK);
    assert_int_equal(t.format, 1);
    ni_tensors_release(&t);
    assert_int_equal(neap_file_check("file", NULL, NULL, NULL), NEAP_OK);
}

static void every_cut_and_every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(write_small(NULL, NULL), NEAP_OK);
    char *good = scratch_bytes("file", &size);
    assert_int_equal(parse(good, size, NULL), NEAP_OK);
    for (size_t length = 0; length < size; length++) {
        char *cut = malloc(length + 1); /* exact: who reads behind the end is seen */
        memcpy(cut, good, length);
        cut = realloc(cut, length ? length : 1);
        assert_int_equal(parse(cut, length, NULL), NEAP_E_FORMAT);
        free(cut);
        scratch_put("file", good, length);
        assert_int_equal(read_small(NULL, NULL), NEAP_E_FORMAT);
    }
    char *longer = calloc(size + 64, 1);
    memcpy(longer, good, size);
    for (size_t more = 1; more <= 64; more++)
        assert_int_equal(parse(longer, size + more, NULL), NEAP_E_FORMAT);
    free(longer);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        good[bit / 8] = (char)(good[bit / 8] ^ 1 << bit % 8);
        neap_status rc = parse(good, size, NULL);
        if (rc != NEAP_E_FORMAT) print_error("bit %zu of byte %zu: %d\n", bit % 8, bit / 8, rc);
        assert_int_equal(rc, NEAP_E_FORMAT);
        if (bit % 8 == bit / 8 % 8) { /* one of each byte: files are slower */
            scratch_put("file", good, size);
            assert_int_equal(read_small(NULL, NULL), rc);
        }
        good[bit / 8] = (char)(good[bit / 8] ^ 1 << bit % 8);
    }
    assert_int_equal(parse(good, size, NULL), NEAP_OK);
    free(good);
}

/* ---- large headers ---- */

enum { LARGEST = NI_HEADER_MOST - 8 }; /* whose end is a multiple of 64 */

/* A header as it grows. */
typedef struct header {
    char *text;
    size_t used;
} header;

static header begin_header(void)
{
    header h = { malloc(2 * NI_HEADER_MOST), 0 };
    h.used = (size_t)sprintf(h.text, "{\"__metadata__\":{\"neap.format\":\"3\",\"neap.kind\":\"graph\","
                                     "\"crc32c.header\":\"00000000\"");
    return h;
}

/* Closes the braces, writes the file, and expects that it is refused or read, by container and kind, soon,
 * and with memory that the length of a header bounds. */
static void expect_quick(header h, const char *end, neap_status expected, const void *data, size_t size)
{
    strcpy(h.text + h.used, end);
    assert_true(strlen(h.text) <= LARGEST);
    tamper_write("file", h.text, data, size);
    free(h.text);
    neap_error err = { 0 };
    struct timespec from, to;
    json_set_alloc_funcs(faults_allocate, faults_release); /* so that the parser's memory is counted */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    faults_peak();
    neap_status rc = read_small(NULL, &err), parsed = parse_small(NULL, NULL);
    size_t peak = faults_peak();
    assert_int_equal(neap_file_check("file", NULL, NULL, NULL), NEAP_E_FORMAT);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    json_set_alloc_funcs(malloc, free);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (rc != expected || seconds > 3) print_error("%d after %g s: %s\n", rc, seconds, err.text);
    assert_int_equal(rc, expected);
    assert_int_equal(parsed, expected);
    assert_true(peak <= 64u * NI_HEADER_MOST);
    assert_true(seconds < 3); /* of processor time: three readings, perhaps under a sanitizer */
}

static void a_bomb_of_brackets_is_refused(void **state)
{
    (void)state;
    header h = begin_header();
    h.used += (size_t)sprintf(h.text + h.used, "},\"x\":");
    memset(h.text + h.used, '[', LARGEST - h.used);
    h.used = LARGEST;
    expect_quick(h, "", NEAP_E_FORMAT, "", 0);
    h = begin_header();
    h.used += (size_t)sprintf(h.text + h.used, "},\"x\":[");
    for (; h.used < LARGEST - 6; h.used += 3) memcpy(h.text + h.used, "[],", 3);
    expect_quick(h, "0]}", NEAP_E_FORMAT, "", 0);
}

static void a_header_full_of_small_things_is_read_or_refused_at_once(void **state)
{
    (void)state;
    header h = begin_header();
    for (unsigned i = 0; h.used < LARGEST - 20; i++)
        h.used += (size_t)sprintf(h.text + h.used, ",\"%x\":\"\"", i);
    expect_quick(h, "}}", NEAP_OK, "", 0);
    h = begin_header();
    for (unsigned i = 0; h.used < LARGEST - 40; i++)
        h.used += (size_t)sprintf(h.text + h.used, ",\"option.%x\":\"\"", i);
    expect_quick(h, "}}", NEAP_OK, "", 0);
    h = begin_header(); /* checksums without tensors */
    for (unsigned i = 0; h.used < LARGEST - 40; i++)
        h.used += (size_t)sprintf(h.text + h.used, ",\"crc32c.%x\":\"\"", i);
    expect_quick(h, "}}", NEAP_E_FORMAT, "", 0);
    h = begin_header(); /* tensors without checksums */
    h.used += (size_t)sprintf(h.text + h.used, "}");
    for (unsigned i = 0; h.used < LARGEST - 80; i++)
        h.used += (size_t)sprintf(h.text + h.used,
                                  ",\"%x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", i);
    expect_quick(h, "}", NEAP_E_FORMAT, "", 0);
    h = begin_header(); /* tensors with theirs: empty ones */
    const unsigned n = 11000;
    for (unsigned i = 0; i < n; i++)
        h.used += (size_t)sprintf(h.text + h.used, ",\"crc32c.%x\":\"00000000\"", i);
    h.used += (size_t)sprintf(h.text + h.used, "}");
    for (unsigned i = 0; i < n; i++)
        h.used += (size_t)sprintf(h.text + h.used,
                                  ",\"%x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", i);
    expect_quick(h, "}", NEAP_OK, "", 0);
    h = begin_header(); /* one text that is as long as a header can be */
    h.used += (size_t)sprintf(h.text + h.used, ",\"key\":\"");
    memset(h.text + h.used, 'x', LARGEST - h.used);
    h.used = LARGEST - 3;
    expect_quick(h, "\"}}", NEAP_OK, "", 0);
    h = begin_header(); /* a number without end */
    h.used +=
        (size_t)sprintf(h.text + h.used, "},\"x\":{\"dtype\":\"U8\",\"data_offsets\":[0,0],\"shape\":[");
    memset(h.text + h.used, '9', LARGEST - h.used);
    h.used = LARGEST - 3;
    expect_quick(h, "]}}", NEAP_E_FORMAT, "", 0);
    h = begin_header(); /* the mark of the checksum again and again */
    for (; h.used < LARGEST - 40;) h.used += (size_t)sprintf(h.text + h.used, ",\"crc32c.header\":\"0\"");
    expect_quick(h, "}}", NEAP_E_FORMAT, "", 0);
}

/* Text of so many bytes in one fact. */
static neap_status write_long(size_t length, neap_error *err)
{
    ni_tensors t = { 0 };
    char *value = malloc(length + 1);
    memset(value, 'x', length);
    value[length] = 0;
    fill_small(&t);
    ni_tensors_put(&t, "long", value);
    neap_status rc = ni_tensors_write(&t, "file", err);
    size_t need_;
    assert_int_equal(ni_tensors_store(&t, NULL, 0, &need_, NULL), NEAP_E_LIMIT);
    assert_int_equal(need_ > 0, rc == NEAP_OK);
    ni_tensors_release(&t);
    free(value);
    return rc;
}

/* Where the value of the fact "long" is about to stand, and all behind it: the length of the header without
 * padding and without the value. */
static size_t rest_of_header(void)
{
    char *data;
    size_t size;
    assert_int_equal(write_long(0, NULL), NEAP_OK);
    char *text = tamper_open("file", &data, &size);
    size_t length = strlen(text);
    free(text);
    free(data);
    return length;
}

static void too_much_metadata_is_above_the_limit(void **state)
{
    (void)state;
    neap_error err = { 0 };
    ni_tensors t;
    size_t size, rest = rest_of_header();
    assert_int_equal(write_long(LARGEST - rest, &err), NEAP_OK);
    char *largest = scratch_bytes("file", &size);
    assert_int_equal(size, 8 + LARGEST + 63);
    free(largest);
    assert_int_equal(ni_tensors_read("file", NULL, &t, &err), NEAP_OK);
    assert_int_equal(strlen(ni_tensors_fact(&t, "long")), LARGEST - rest);
    ni_tensors_release(&t);
    assert_int_equal(parse_small(NULL, NULL), NEAP_OK);
    tamper_header("file", "\"long\":\"", "\"long\":\"y"); /* one more */
    assert_int_equal(read_small(NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "1048632")); /* the next length that ends at a multiple of 64 */
    assert_int_equal(parse_small(NULL, NULL), NEAP_E_FORMAT);
    unlink("file");
    assert_int_equal(write_long(LARGEST - rest + 1, &err), NEAP_E_LIMIT);
    assert_non_null(strstr(err.text, "1048576"));
    assert_int_equal(scratch_count(""), 0);
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
    assert_int_equal(faults_each(FAULTS_READ, sys, false, read_small, expect_read_error, &sys), 5);
    for (unsigned k = 1; k <= 5; k++) { /* length, header, three tensors */
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
    ni_tensors t = { 0 };
    ni_tensors_put(&t, "neap.kind", "vectors");
    ni_tensors_add(&t, "vectors", NI_F32, 2, (uint64_t[]){ N / 10, 10 }, zeros);
    assert_int_equal(ni_tensors_write(&t, "file", NULL), NEAP_OK);
    ni_tensors_release(&t);
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
        IN_SCRATCH(memory_is_as_good_as_a_file),
        IN_SCRATCH(shapes_have_one_to_four_numbers),
        IN_SCRATCH(there_may_be_hundreds_of_tensors_and_facts),
        IN_SCRATCH(values_are_any_text_without_control_characters),
        IN_SCRATCH(names_that_are_not_plain_are_refused),
        IN_SCRATCH(only_the_closed_set_is_read),
        IN_SCRATCH(a_header_that_lies_is_refused),
        IN_SCRATCH(a_tensor_that_is_not_aligned_is_refused),
        IN_SCRATCH(a_newer_version_is_refused_with_words),
        IN_SCRATCH(every_cut_and_every_flipped_bit_is_noticed),
        IN_SCRATCH(a_bomb_of_brackets_is_refused),
        IN_SCRATCH(a_header_full_of_small_things_is_read_or_refused_at_once),
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
