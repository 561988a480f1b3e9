#include "io/safetensors.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "io/crc32c.h"
#include "io/output.h"
#include "support/text.h"

/* Tensors go from memory to the file and back as they stand. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is little-endian");

enum { ALIGN = 64, LENGTH_BYTES = 8, CRC_DIGITS = 8 };

static const char format_version[] = "1";
static const char header_crc_key[] = "\"crc32c.header\":\"";

static const struct type {
    const char *name;
    uint32_t width;
} types[] = {
    [NI_F32] = { "F32", 4 }, [NI_U8] = { "U8", 1 }, [NI_U32] = { "U32", 4 }, [NI_U64] = { "U64", 8 }
};

static const struct tensor_rule {
    const char *name;
    ni_type type;
    uint32_t rank;
    const char *kinds;
} tensor_rules[] = {
#define TENSOR(name, type, rank, kinds) { name, type, rank, kinds },
#define FACT(key, kinds)
#include "io/format.def"
#undef TENSOR
#undef FACT
};

static const struct fact_rule {
    const char *key, *kinds;
} fact_rules[] = {
#define TENSOR(name, type, rank, kinds)
#define FACT(key, kinds) { key, kinds },
#include "io/format.def"
#undef TENSOR
#undef FACT
    { "option.", "mc" }, /* and what follows it */
};

static const char *const kinds[] = { "model", "checkpoint", "graph", "vectors" };

const char *ni_type_name(ni_type type)
{
    return types[type].name;
}

static uint64_t tensor_length(const ni_tensor *tensor)
{
    return tensor->rank == 2 ? tensor->shape[0] * tensor->shape[1] : tensor->shape[0];
}

static uint64_t tensor_bytes(const ni_tensor *tensor)
{
    return tensor_length(tensor) * types[tensor->type].width;
}

void ni_tensors_add(ni_tensors *t, const char *name, ni_type type, uint64_t rows, uint64_t columns,
                    const void *data)
{
    assert(t->count < NI_TENSORS && strlen(name) < sizeof t->tensor->name);
    ni_tensor *tensor = &t->tensor[t->count++];
    *tensor =
        (ni_tensor){ .type = type, .rank = columns ? 2 : 1, .shape = { rows, columns }, .data = data };
    memcpy(tensor->name, name, strlen(name) + 1);
}

void ni_tensors_say(ni_tensors *t, const char *key, const char *value)
{
    uint32_t i = 0;
    while (i < t->facts && strcmp(t->fact[i].key, key)) i++;
    assert(i < NI_FACTS && strlen(key) < sizeof t->fact->key && strlen(value) < sizeof t->fact->value);
    memcpy(t->fact[i].key, key, strlen(key) + 1);
    memcpy(t->fact[i].value, value, strlen(value) + 1);
    if (i == t->facts) t->facts++;
}

const ni_tensor *ni_tensors_find(const ni_tensors *t, const char *name)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (!strcmp(t->tensor[i].name, name)) return &t->tensor[i];
    return NULL;
}

const char *ni_tensors_fact(const ni_tensors *t, const char *key)
{
    for (uint32_t i = 0; i < t->facts; i++)
        if (!strcmp(t->fact[i].key, key)) return t->fact[i].value;
    return NULL;
}

bool ni_tensors_are(const ni_tensors *t, const char *kind)
{
    const char *said = ni_tensors_fact(t, "neap.kind");
    return said && !strcmp(said, kind);
}

neap_status ni_tensors_need(const ni_tensors *t, const char *name, ni_type type, uint64_t rows,
                            uint64_t columns, const void **data, neap_error *err)
{
    const ni_tensor *tensor = ni_tensors_find(t, name);
    *data = NULL;
    if (!tensor) return ni_fail(err, NEAP_E_FORMAT, "tensor %s is missing", name);
    if (tensor->type != type || tensor->rank != (columns ? 2u : 1u) || tensor->shape[0] != rows ||
        tensor->shape[1] != columns)
        return ni_fail(err, NEAP_E_FORMAT, "tensor %s is not %s [%llu, %llu]", name, types[type].name,
                       (unsigned long long)rows, (unsigned long long)columns);
    size_t length = (size_t)tensor_length(tensor);
    size_t finite = type == NI_F32 ? ni_finite_until(tensor->data, length) : length;
    if (finite < length) return ni_fail(err, NEAP_E_FORMAT, "tensor %s[%zu] is not finite", name, finite);
    *data = tensor->data;
    return NEAP_OK;
}

/* ---- the closed set ---- */

static bool allows(const char *letters, const char *kind)
{
    return strchr(letters, kind[0]) != NULL;
}

static const struct tensor_rule *tensor_rule(const char *name, const char *kind)
{
    for (size_t i = 0; i < sizeof tensor_rules / sizeof *tensor_rules; i++)
        if (!strcmp(tensor_rules[i].name, name) && allows(tensor_rules[i].kinds, kind))
            return &tensor_rules[i];
    return NULL;
}

static bool fact_allowed(const char *key, const char *kind)
{
    for (size_t i = 0; i < sizeof fact_rules / sizeof *fact_rules; i++) {
        size_t n = strlen(fact_rules[i].key);
        bool family = fact_rules[i].key[n - 1] == '.';
        if (!strncmp(key, fact_rules[i].key, n) && !key[n] == !family)
            return allows(fact_rules[i].kinds, kind);
    }
    return false;
}

/* Printable ASCII that needs no escape in JSON and none on a terminal. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e || *text == '"' || *text == '\\') return false;
    return true;
}

static neap_status check_kind(const ni_tensors *t, neap_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ni_tensors_are(t, kinds[i])) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "neap.kind is not model, checkpoint, graph or vectors");
}

static neap_status check_facts(const ni_tensors *t, neap_error *err)
{
    const char *kind = ni_tensors_fact(t, "neap.kind");
    for (uint32_t i = 0; i < t->facts; i++) {
        const ni_fact *f = &t->fact[i];
        if (!is_plain(f->key) || !is_plain(f->value))
            return ni_fail(err, NEAP_E_FORMAT, "metadata number %u is not plain ASCII", i + 1);
        if (!fact_allowed(f->key, kind))
            return ni_fail(err, NEAP_E_FORMAT, "a %s holds no '%s'; was it made by a newer version?", kind,
                           f->key);
    }
    return NEAP_OK;
}

static neap_status check_tensor(const ni_tensor *tensor, const char *kind, neap_error *err)
{
    const struct tensor_rule *rule = tensor_rule(tensor->name, kind);
    if (!rule) return ni_fail(err, NEAP_E_FORMAT, "a %s holds no tensor '%s'", kind, tensor->name);
    if (tensor->type != rule->type || tensor->rank != rule->rank)
        return ni_fail(err, NEAP_E_FORMAT, "tensor %s must be %s of rank %u", rule->name,
                       types[rule->type].name, rule->rank);
    return NEAP_OK;
}

/* ---- writing ---- */

/* Header text; 32 tensors and 96 facts of bounded length cannot fill NI_HEADER_MOST. */
typedef struct text {
    char *bytes;
    size_t used;
} text;

NI_PRINTF(2, 3) static void print(text *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to->bytes + to->used, NI_HEADER_MOST - to->used, format, args);
    va_end(args);
    assert(n >= 0 && (size_t)n < NI_HEADER_MOST - to->used);
    to->used += (size_t)n;
}

/* Wide elements first: each tensor then starts at a multiple of its element's width. */
static void file_order(const ni_tensors *t, const ni_tensor *order[NI_TENSORS])
{
    uint32_t n = 0;
    for (uint32_t width = 8; width; width /= 2)
        for (uint32_t i = 0; i < t->count; i++)
            if (types[t->tensor[i].type].width == width) order[n++] = &t->tensor[i];
}

static void print_metadata(text *to, const ni_tensors *t, const ni_tensor *const *order)
{
    print(to, "\"__metadata__\":{\"neap.format\":\"%s\"", format_version);
    for (uint32_t i = 0; i < t->facts; i++) print(to, ",\"%s\":\"%s\"", t->fact[i].key, t->fact[i].value);
    for (uint32_t i = 0; i < t->count; i++)
        print(to, ",\"crc32c.%s\":\"%08x\"", order[i]->name,
              ni_crc32c(0, order[i]->data, (size_t)tensor_bytes(order[i])));
    print(to, ",%s00000000\"}", header_crc_key);
}

static void print_tensor(text *to, const ni_tensor *tensor, uint64_t *offset)
{
    uint64_t end = *offset + tensor_bytes(tensor);
    print(to, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%llu", tensor->name, types[tensor->type].name,
          (unsigned long long)tensor->shape[0]);
    if (tensor->rank == 2) print(to, ",%llu", (unsigned long long)tensor->shape[1]);
    print(to, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)*offset, (unsigned long long)end);
    *offset = end;
}

/* The whole header in `bytes`; returns its length, which with the length field before it is a multiple
 * of 64. */
static size_t make_header(const ni_tensors *t, const ni_tensor *const *order, char *bytes)
{
    text to = { bytes, 0 };
    uint64_t offset = 0;
    print(&to, "{");
    print_metadata(&to, t, order);
    char *digits = bytes + to.used - CRC_DIGITS - 2;
    for (uint32_t i = 0; i < t->count; i++) print_tensor(&to, order[i], &offset);
    print(&to, "}");
    while ((LENGTH_BYTES + to.used) % ALIGN) print(&to, " ");
    char crc[CRC_DIGITS + 1];
    snprintf(crc, sizeof crc, "%08x", ni_crc32c(0, bytes, to.used));
    memcpy(digits, crc, CRC_DIGITS);
    return to.used;
}

static neap_status check_writable(const ni_tensors *t, neap_error *err)
{
    neap_status rc = check_kind(t, err);
    if (rc == NEAP_OK) rc = check_facts(t, err);
    for (uint32_t i = 0; i < t->count && rc == NEAP_OK; i++)
        rc = check_tensor(&t->tensor[i], ni_tensors_fact(t, "neap.kind"), err);
    return rc;
}

neap_status ni_tensors_write(const ni_tensors *t, const char *path, neap_error *err)
{
    const ni_tensor *order[NI_TENSORS];
    ni_output *out = NULL;
    neap_status rc = check_writable(t, err);
    if (rc != NEAP_OK) return rc;
    char *header = ni_array(NI_HEADER_MOST, 1);
    if (!header) return ni_fail_memory(err, "the header of a file");
    file_order(t, order);
    size_t length = make_header(t, order, header);
    rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) goto done;
    uint64_t stored = length;
    ni_output_write(out, &stored, LENGTH_BYTES);
    ni_output_write(out, header, length);
    for (uint32_t i = 0; i < t->count; i++)
        ni_output_write(out, order[i]->data, (size_t)tensor_bytes(order[i]));
    rc = ni_output_commit(out, err);
done:
    ni_free(header);
    return rc;
}

/* ---- reading ---- */

typedef struct file {
    const char *path;
    int fd;
    uint64_t size;   /* of the whole file        */
    uint64_t length; /* of the header            */
    char *header;
    json_t *root, *metadata; /* metadata: a part of root */
} file;

NI_PRINTF(4, 5)
static neap_status damaged(const file *f, neap_error *err, uint64_t where, const char *format, ...)
{
    char words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return ni_fail_at(err, NEAP_E_FORMAT, where, "%s: %s", f->path, words);
}

neap_status ni_name_file(const char *path, neap_status rc, neap_error *err)
{
    char words[sizeof err->text];
    if (rc != NEAP_E_FORMAT || !err) return rc;
    memcpy(words, err->text, sizeof words);
    return ni_fail_at(err, rc, err->where, "%s: %s", path, words);
}

/* O_NONBLOCK: opening a pipe must not wait for a writer. */
static neap_status open_regular(file *f, neap_error *err)
{
    struct stat st;
    f->fd = ni_system.open(f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (f->fd < 0) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot open %s", f->path);
    if (ni_system.fstat(f->fd, &st)) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", f->path);
    if (!S_ISREG(st.st_mode)) return ni_fail(err, NEAP_E_READ, "%s is not a regular file", f->path);
    f->size = (uint64_t)st.st_size;
    return NEAP_OK;
}

static neap_status read_bytes(const file *f, void *bytes, uint64_t count, neap_error *err)
{
    char *at = bytes;
    while (count) {
        size_t ask = count < (1u << 30) ? (size_t)count : 1u << 30;
        ssize_t n = ni_system.read(f->fd, at, ask);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", f->path);
        if (n == 0) return ni_fail(err, NEAP_E_READ, "%s became shorter while it was read", f->path);
        at += n;
        count -= (uint64_t)n;
    }
    return NEAP_OK;
}

/* No byte that text does not have. The length field of a true file has some: its upper bytes are 0. */
static bool is_text(const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((unsigned char)bytes[i] < 0x20 && !memchr("\t\n\r", bytes[i], 3)) return false;
    return count > 0;
}

/* The length field, against the size of the file and our own limit. */
static neap_status read_length(file *f, neap_error *err)
{
    char start[LENGTH_BYTES];
    size_t count = f->size < LENGTH_BYTES ? (size_t)f->size : LENGTH_BYTES;
    neap_status rc = read_bytes(f, start, count, err);
    if (rc != NEAP_OK) return rc;
    if (is_text(start, count))
        return damaged(f, err, 0,
                       "this is no model but text, it seems; `neap train` makes models of graphs");
    if (f->size < ALIGN) return damaged(f, err, 0, "too short to be a neap file");
    memcpy(&f->length, start, LENGTH_BYTES);
    if (f->length > NI_HEADER_MOST || (LENGTH_BYTES + f->length) % ALIGN ||
        LENGTH_BYTES + f->length > f->size)
        return damaged(f, err, 0, "not a neap file, or damaged: its header cannot be %llu bytes long",
                       (unsigned long long)f->length);
    return NEAP_OK;
}

static uint32_t count_text(const char *bytes, size_t length, const char *what, const char **first)
{
    uint32_t n = 0;
    size_t size = strlen(what);
    *first = NULL;
    for (size_t i = 0; i + size <= length; i++)
        if (bytes[i] == what[0] && !memcmp(bytes + i, what, size) && n++ == 0) *first = bytes + i;
    return n;
}

/* The CRC of the header counts its own eight digits as 0. They are found by their key in the bytes, since
 * nothing is parsed before the checksum holds; hence the key must stand there once. */
static neap_status check_header_crc(file *f, neap_error *err)
{
    const char *key, *end = f->header + f->length;
    if (count_text(f->header, (size_t)f->length, header_crc_key, &key) != 1)
        return damaged(f, err, LENGTH_BYTES,
                       "not a neap file, or damaged: there is not one header checksum");
    const char *digits = key + sizeof header_crc_key - 1;
    if (end - digits < CRC_DIGITS) return damaged(f, err, LENGTH_BYTES, "damaged header");
    const char zeros[CRC_DIGITS + 1] = "00000000";
    uint32_t crc = ni_crc32c(0, f->header, (size_t)(digits - f->header));
    crc = ni_crc32c(crc, zeros, CRC_DIGITS);
    crc = ni_crc32c(crc, digits + CRC_DIGITS, (size_t)(end - digits - CRC_DIGITS));
    char expected[CRC_DIGITS + 1];
    snprintf(expected, sizeof expected, "%08x", crc);
    if (memcmp(expected, digits, CRC_DIGITS))
        return damaged(f, err, LENGTH_BYTES, "damaged: the checksum of the header does not match");
    return NEAP_OK;
}

static neap_status parse_header(file *f, neap_error *err)
{
    json_error_t why;
    f->root = json_loadb(f->header, (size_t)f->length, JSON_REJECT_DUPLICATES, &why);
    if (!f->root && (!why.text[0] || json_error_code(&why) == json_error_out_of_memory))
        return ni_fail_memory(err, "the header of a file");
    if (!f->root) return damaged(f, err, LENGTH_BYTES, "bad JSON in the header: %s", why.text);
    f->metadata = json_object_get(f->root, "__metadata__");
    if (!json_is_object(f->metadata))
        return damaged(f, err, LENGTH_BYTES, "the header has no __metadata__");
    return NEAP_OK;
}

/* Facts into the table; checksums and the format version are looked up where they are needed. */
static neap_status take_fact(const file *f, ni_tensors *t, const char *key, const json_t *value,
                             neap_error *err)
{
    const char *words = json_string_value(value);
    if (!words) return damaged(f, err, LENGTH_BYTES, "metadata '%.40s' is not a string", key);
    if (!strncmp(key, "crc32c.", 7) || !strcmp(key, "neap.format")) return NEAP_OK;
    if (t->facts == NI_FACTS || strlen(key) >= sizeof t->fact->key ||
        strlen(words) >= sizeof t->fact->value)
        return ni_fail(err, NEAP_E_LIMIT, "%s: too much metadata at '%.40s'", f->path, key);
    ni_tensors_say(t, key, words);
    return NEAP_OK;
}

static neap_status take_metadata(const file *f, ni_tensors *t, neap_error *err)
{
    const char *version = json_string_value(json_object_get(f->metadata, "neap.format"));
    if (!version) return damaged(f, err, LENGTH_BYTES, "a safetensors file, but none of neap's");
    if (strcmp(version, format_version))
        return damaged(f, err, LENGTH_BYTES, "format version '%.20s'; this program reads version %s",
                       version, format_version);
    const char *key;
    json_t *value;
    json_object_foreach(f->metadata, key, value)
    {
        neap_status rc = take_fact(f, t, key, value, err);
        if (rc != NEAP_OK) return rc;
    }
    neap_status rc = check_kind(t, err);
    if (rc == NEAP_OK) rc = check_facts(t, err);
    return ni_name_file(f->path, rc, err);
}

/* A JSON array of n whole numbers, none negative. */
static bool take_numbers(const json_t *array, size_t n, uint64_t *numbers)
{
    if (!json_is_array(array) || json_array_size(array) != n) return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(array, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0) return false;
        numbers[i] = (uint64_t)json_integer_value(number);
    }
    return true;
}

static bool take_type(const json_t *value, ni_type *type)
{
    const char *name = json_string_value(value);
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return *type = (ni_type)i, true;
    return false;
}

/* One tensor, which must begin where the one before it ended. */
static neap_status take_tensor(const file *f, ni_tensors *t, const char *name, const json_t *entry,
                               uint64_t *offset, neap_error *err)
{
    uint64_t shape[2] = { 0, 0 }, range[2], bytes, end;
    ni_type type;
    const json_t *dims = json_object_get(entry, "shape");
    size_t rank = json_array_size(dims);
    if (json_object_size(entry) != 3 || !take_type(json_object_get(entry, "dtype"), &type) || rank < 1 ||
        rank > 2 || !take_numbers(dims, rank, shape) ||
        !take_numbers(json_object_get(entry, "data_offsets"), 2, range))
        return damaged(f, err, LENGTH_BYTES, "the entry of tensor '%.40s' makes no sense", name);
    if (!ni_mul(shape[0], rank == 2 ? shape[1] : 1, &bytes) || !ni_mul(bytes, types[type].width, &bytes) ||
        !ni_add(*offset, bytes, &end) || end > f->size)
        return damaged(f, err, LENGTH_BYTES, "tensor '%.40s' does not fit into the file", name);
    if (range[0] != *offset || range[1] != end || *offset % types[type].width)
        return damaged(f, err, LENGTH_BYTES, "tensor '%.40s' is not where it must be", name);
    if (t->count == NI_TENSORS || strlen(name) >= sizeof t->tensor->name)
        return damaged(f, err, LENGTH_BYTES, "there is no tensor '%.40s'", name);
    ni_tensors_add(t, name, type, shape[0], shape[1],
                   NULL); /* no columns: rank 1, which no matrix may have */
    *offset = end;
    neap_status rc = check_tensor(&t->tensor[t->count - 1], ni_tensors_fact(t, "neap.kind"), err);
    return ni_name_file(f->path, rc, err);
}

static neap_status take_tensors(const file *f, ni_tensors *t, neap_error *err)
{
    const char *name;
    json_t *entry;
    uint64_t offset = 0, checksums = 0;
    json_object_foreach(f->root, name, entry)
    {
        if (entry == f->metadata) continue;
        neap_status rc = take_tensor(f, t, name, entry, &offset, err);
        if (rc != NEAP_OK) return rc;
    }
    if (offset != f->size - LENGTH_BYTES - f->length)
        return damaged(f, err, f->size, "the file is not as long as its header says");
    json_object_foreach(f->metadata, name, entry) checksums += !strncmp(name, "crc32c.", 7);
    if (checksums != (uint64_t)t->count + 1)
        return damaged(f, err, LENGTH_BYTES, "there is not one checksum for each tensor");
    return NEAP_OK;
}

static neap_status check_data(const file *f, ni_tensors *t, neap_error *err)
{
    const char *at = t->owned;
    uint64_t where = LENGTH_BYTES + f->length;
    for (uint32_t i = 0; i < t->count; i++) {
        ni_tensor *tensor = &t->tensor[i];
        char key[48], crc[CRC_DIGITS + 1];
        size_t bytes = (size_t)tensor_bytes(tensor);
        snprintf(key, sizeof key, "crc32c.%s", tensor->name);
        snprintf(crc, sizeof crc, "%08x", ni_crc32c(0, at, bytes));
        const char *said = json_string_value(json_object_get(f->metadata, key));
        if (!said || strcmp(said, crc))
            return damaged(f, err, where, "damaged: the checksum of tensor %s does not match",
                           tensor->name);
        tensor->data = at;
        at += bytes;
        where += bytes;
    }
    return NEAP_OK;
}

static neap_status read_file(file *f, ni_tensors *t, neap_error *err)
{
    neap_status rc = open_regular(f, err);
    if (rc == NEAP_OK) rc = read_length(f, err);
    if (rc != NEAP_OK) return rc;
    f->header = ni_array((size_t)f->length, 1);
    if (!f->header) return ni_fail_memory(err, "the header of a file");
    rc = read_bytes(f, f->header, f->length, err);
    if (rc == NEAP_OK) rc = check_header_crc(f, err);
    if (rc == NEAP_OK) rc = parse_header(f, err);
    if (rc == NEAP_OK) rc = take_metadata(f, t, err);
    if (rc == NEAP_OK) rc = take_tensors(f, t, err);
    if (rc != NEAP_OK) return rc;
    uint64_t bytes = f->size - LENGTH_BYTES - f->length;
    t->owned = ni_array((size_t)bytes, 1);
    if (!t->owned) return ni_fail_memory(err, "the contents of a file");
    rc = read_bytes(f, t->owned, bytes, err);
    return rc == NEAP_OK ? check_data(f, t, err) : rc;
}

neap_status ni_tensors_read(const char *path, ni_tensors *t, neap_error *err)
{
    file f = { .path = path, .fd = -1 };
    memset(t, 0, sizeof *t);
    neap_status rc = read_file(&f, t, err);
    json_decref(f.root);
    ni_free(f.header);
    if (f.fd >= 0) ni_system.close(f.fd);
    if (rc != NEAP_OK) ni_tensors_release(t);
    return rc;
}

void ni_tensors_release(ni_tensors *t)
{
    ni_free(t->owned);
    memset(t, 0, sizeof *t);
}

bool ni_tensors_look(const char *path)
{
    file f = { .path = path, .fd = -1 };
    char first = 0;
    bool ours = open_regular(&f, NULL) == NEAP_OK && read_length(&f, NULL) == NEAP_OK &&
                read_bytes(&f, &first, 1, NULL) == NEAP_OK && first == '{';
    if (f.fd >= 0) ni_system.close(f.fd);
    return ours;
}
