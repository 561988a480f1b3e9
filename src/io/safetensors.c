/* The container: a length, a JSON header with checksums, the tensors. Writing makes the header in memory
 * and streams the arrays; reading checks length, header CRC, offsets and every tensor's CRC before anything
 * is given out. O(bytes); one thread. */
#include "io/tensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "io/crc32c.h"
#include "io/output.h"
#include "support/status.h"
#include "support/text.h"

/* Tensors go from memory to the file and back as they stand. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is little-endian");

enum { ALIGN = 64, LENGTH_BYTES = 8, CRC_DIGITS = 8 };

/* The version that is written; all from 1 on are read. */
enum { FORMAT = 3 };

static const char header_crc_key[] = "\"crc32c.header\":\"";
static const char *const kinds[] = { "model", "checkpoint", "graph", "vectors" };

static uint64_t bytes_of(const ni_tensor *tensor)
{
    uint64_t bytes = 0;
    ni_tensor_bytes(tensor->type, tensor->rank, tensor->shape, &bytes);
    return bytes;
}

/* ---- what both directions demand ---- */

/* Printable ASCII that needs no escape in JSON and none on a terminal; some. */
static bool is_plain(const char *text)
{
    if (!*text) return false;
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e || *text == '"' || *text == '\\') return false;
    return true;
}

/* The checksum of a tensor "header" would be called as that of the header. */
static bool is_tensor_name(const char *text)
{
    return is_plain(text) && strcmp(text, "header") != 0 && strcmp(text, "__metadata__") != 0;
}

/* Checksums and the format version, which the reader and the writer handle themselves. */
static bool is_own_fact(const char *key)
{
    return !strncmp(key, "crc32c.", 7) || !strcmp(key, "neap.format");
}

/* A list may be empty, but rows have columns. */
static bool is_shape(size_t rank, const uint64_t *shape)
{
    for (size_t i = 1; i < rank; i++)
        if (!shape[i]) return false;
    return rank >= 1 && rank <= NI_RANK_MOST;
}

/* Valid UTF-8 without control characters. */
static bool is_text_value(const char *text)
{
    while (*text) {
        size_t n = ni_utf8_length(text);
        bool control = (unsigned char)*text < 0x20 || *text == 0x7f ||
                       (n == 2 && !memcmp(text, "\xc2", 1) && (unsigned char)text[1] < 0xa0);
        if (n == 0 || control) return false;
        text += n;
    }
    return true;
}

static neap_status check_facts(const ni_tensors *t, neap_error *err)
{
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && !ni_tensors_are(t, kinds[kind])) kind++;
    const char *said = ni_tensors_fact(t, "neap.kind");
    if (kind == sizeof kinds / sizeof *kinds && said)
        return ni_fail(
            err, NEAP_E_FORMAT,
            "neap.kind is '%.40s', not model, checkpoint, graph or vectors; was the file made by a "
            "newer version?",
            said);
    if (!said) return ni_fail(err, NEAP_E_FORMAT, "neap.kind is missing");
    for (size_t i = 0; i < t->facts; i++)
        if (!is_plain(t->fact[i].key) || is_own_fact(t->fact[i].key) || !is_text_value(t->fact[i].value))
            return ni_fail(err, NEAP_E_FORMAT, "metadata number %zu is not plain text", i + 1);
    return NEAP_OK;
}

/* ---- writing ---- */

/* The text of a header as it grows. */
typedef struct text {
    char *bytes;
    size_t used, room;
    bool failed;
} text;

static void put(text *to, const char *bytes, size_t count)
{
    if (to->failed || !ni_grow(&to->bytes, &to->room, to->used + count, 1)) {
        to->failed = true;
        return;
    }
    memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static void put_text(text *to, const char *bytes)
{
    put(to, bytes, strlen(bytes));
}

/* "text", with its quotes; all that has to be escaped in a value without control characters. */
static void put_string(text *to, const char *value)
{
    put_text(to, "\"");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') put_text(to, "\\");
        put(to, value, 1);
    }
    put_text(to, "\"");
}

NI_PRINTF(2, 3) static void print(text *to, const char *format, ...)
{
    char words[64];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    put_text(to, words);
}

/* Wide elements first: each tensor then starts at a multiple of its element's width. */
static void file_order(const ni_tensors *t, const ni_tensor **order)
{
    size_t n = 0;
    for (size_t width = 8; width; width /= 2)
        for (size_t i = 0; i < t->count; i++)
            if (ni_type_width(t->tensor[i].type) == width) order[n++] = &t->tensor[i];
}

static void put_metadata(text *to, const ni_tensors *t, const ni_tensor *const *order)
{
    print(to, "\"__metadata__\":{\"neap.format\":\"%d\"", FORMAT);
    for (size_t i = 0; i < t->facts; i++) {
        put_text(to, ",");
        put_string(to, t->fact[i].key);
        put_text(to, ":");
        put_string(to, t->fact[i].value);
    }
    for (size_t i = 0; i < t->count; i++) {
        put_text(to, ",\"crc32c.");
        put_text(to, order[i]->name);
        print(to, "\":\"%08x\"", ni_crc32c(0, order[i]->data, (size_t)bytes_of(order[i])));
    }
    put_text(to, ",");
    put_text(to, header_crc_key);
    put_text(to, "00000000\"}");
}

static void put_tensor(text *to, const ni_tensor *tensor, uint64_t *offset)
{
    uint64_t end = *offset + bytes_of(tensor);
    put_text(to, ",\"");
    put_text(to, tensor->name);
    print(to, "\":{\"dtype\":\"%s\",\"shape\":[", ni_type_name(tensor->type));
    for (uint32_t i = 0; i < tensor->rank; i++)
        print(to, "%s%llu", i ? "," : "", (unsigned long long)tensor->shape[i]);
    print(to, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)*offset, (unsigned long long)end);
    *offset = end;
}

/* The whole header; its length with the length field before it is a multiple of 64. */
static void make_header(const ni_tensors *t, const ni_tensor *const *order, text *to)
{
    uint64_t offset = 0;
    put_text(to, "{");
    put_metadata(to, t, order);
    size_t digits = to->used - CRC_DIGITS - 2;
    for (size_t i = 0; i < t->count; i++) put_tensor(to, order[i], &offset);
    put_text(to, "}");
    while (!to->failed && (LENGTH_BYTES + to->used) % ALIGN) put_text(to, " ");
    if (to->failed) return;
    char crc[CRC_DIGITS + 1];
    snprintf(crc, sizeof crc, "%08x", ni_crc32c(0, to->bytes, to->used));
    memcpy(to->bytes + digits, crc, CRC_DIGITS);
}

/* What a file consists of: the length of its header, the header, and the tensors in their order. */
typedef struct parts {
    text header;
    const ni_tensor **order;
    size_t count;
} parts;

static void parts_free(parts *p)
{
    ni_free(p->header.bytes);
    ni_free(p->order);
}

static neap_status parts_make(const ni_tensors *t, parts *p, neap_error *err)
{
    *p = (parts){ .count = t->count };
    neap_status rc = t->failed ? ni_fail_memory(err, "the header of a file") : check_facts(t, err);
    for (size_t i = 0; i < t->count && rc == NEAP_OK; i++)
        if (!is_tensor_name(t->tensor[i].name) || !is_shape(t->tensor[i].rank, t->tensor[i].shape))
            rc = ni_fail(err, NEAP_E_FORMAT, "tensor %zu has a name or a shape that none can have", i + 1);
    if (rc != NEAP_OK) return rc;
    p->order = ni_array(t->count, sizeof *p->order);
    if (!p->order) return ni_fail_memory(err, "the header of a file");
    file_order(t, p->order);
    make_header(t, p->order, &p->header);
    if (p->header.failed) return ni_fail_memory(err, "the header of a file");
    if (p->header.used > NI_HEADER_MOST)
        return ni_fail(err, NEAP_E_LIMIT, "the header of the file would have more than %d bytes",
                       NI_HEADER_MOST);
    return NEAP_OK;
}

static void parts_write(const parts *p, void (*write)(void *to, const void *bytes, size_t count), void *to)
{
    uint64_t length = p->header.used;
    write(to, &length, LENGTH_BYTES);
    write(to, p->header.bytes, p->header.used);
    for (size_t i = 0; i < p->count; i++) write(to, p->order[i]->data, (size_t)bytes_of(p->order[i]));
}

static void write_output(void *to, const void *bytes, size_t count)
{
    ni_output_write(to, bytes, count);
}

neap_status ni_tensors_write(const ni_tensors *t, const char *path, neap_error *err)
{
    parts p;
    ni_output *out = NULL;
    neap_status rc = parts_make(t, &p, err);
    if (rc == NEAP_OK) rc = ni_output_open(path, &out, err);
    if (rc == NEAP_OK) {
        parts_write(&p, write_output, out);
        rc = ni_output_commit(out, err);
    }
    parts_free(&p);
    return rc;
}

static void write_memory(void *to, const void *bytes, size_t count)
{
    char **at = to;
    if (count) memcpy(*at, bytes, count);
    *at += count;
}

neap_status ni_tensors_store(const ni_tensors *t, void *bytes, size_t room, size_t *need, neap_error *err)
{
    parts p;
    char *at = bytes;
    *need = 0;
    neap_status rc = parts_make(t, &p, err);
    if (rc == NEAP_OK) {
        *need = LENGTH_BYTES + p.header.used;
        for (size_t i = 0; i < t->count; i++) *need += (size_t)bytes_of(&t->tensor[i]);
        if (*need <= room) parts_write(&p, write_memory, &at);
        else rc = ni_fail(err, NEAP_E_LIMIT, "%zu bytes are needed, there is room for %zu", *need, room);
    }
    parts_free(&p);
    return rc;
}

/* ---- reading ---- */

/* A file, or bytes in memory that are read like one. */
typedef struct file {
    const char *path;
    int fd;
    bool in_memory;
    bool any, foreign;  /* others' files are read, too; this is one */
    const char *memory; /* what has not been read    */
    ni_watch watch;
    uint64_t taken;  /* bytes read so far         */
    uint64_t size;   /* of all of it              */
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

static neap_status read_bytes(file *f, void *bytes, uint64_t count, neap_error *err)
{
    char *at = bytes;
    if (f->in_memory && count) {
        memcpy(at, f->memory, (size_t)count);
        f->memory += count;
    }
    if (f->in_memory) return NEAP_OK;
    while (count) {
        size_t part = count < (1u << 26) ? (size_t)count : 1u << 26;
        if (!ni_watch_look(&f->watch, f->taken, f->size)) return ni_watch_stopped(&f->watch, err);
        ssize_t n = ni_system.read(f->fd, at, part);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", f->path);
        if (n == 0) return ni_fail(err, NEAP_E_READ, "%s became shorter while it was read", f->path);
        at += n;
        count -= (uint64_t)n;
        f->taken += (uint64_t)n;
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
    if (f->size < (f->any ? LENGTH_BYTES : ALIGN)) return damaged(f, err, 0, "too short to be a neap file");
    memcpy(&f->length, start, LENGTH_BYTES);
    if (f->length > NI_HEADER_MOST || (!f->any && (LENGTH_BYTES + f->length) % ALIGN) ||
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
    uint32_t keys = count_text(f->header, (size_t)f->length, header_crc_key, &key);
    f->foreign = f->any && !keys;
    if (f->foreign) return NEAP_OK;
    if (keys != 1)
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
    if (!json_is_object(f->metadata) && !f->foreign)
        return damaged(f, err, LENGTH_BYTES, "the header has no __metadata__");
    return NEAP_OK;
}

/* Facts into the table; checksums and the format version are looked up where they are needed. */
static neap_status take_fact(const file *f, ni_tensors *t, const char *key, const json_t *value,
                             neap_error *err)
{
    const char *words = json_string_value(value);
    if (!words) return damaged(f, err, LENGTH_BYTES, "metadata '%.40s' is not a string", key);
    if (!is_own_fact(key)) ni_tensors_put_new(t, key, words); /* no key stands twice in an object */
    return t->failed ? ni_fail_memory(err, "the header of a file") : NEAP_OK;
}

/* "1" to the version that is written; a larger number is a newer neap's. */
static neap_status take_version(const file *f, ni_tensors *t, neap_error *err)
{
    const char *version = json_string_value(json_object_get(f->metadata, "neap.format"));
    if (!version) return damaged(f, err, LENGTH_BYTES, "a safetensors file, but none of neap's");
    uint64_t number = 0;
    if (!ni_parse_u64(version, strlen(version), &number) || !number || version[0] == '0')
        return damaged(f, err, LENGTH_BYTES, "format version '%.20s' is no version", version);
    if (number > FORMAT)
        return damaged(f, err, LENGTH_BYTES, NI_NEWER ": its format is '%.20s', and neap %s reads up to %d",
                       version, neap_version(), FORMAT);
    t->format = (uint32_t)number;
    return NEAP_OK;
}

static neap_status take_metadata(const file *f, ni_tensors *t, neap_error *err)
{
    const char *key;
    json_t *value;
    neap_status rc = take_version(f, t, err);
    if (rc != NEAP_OK) return rc;
    json_object_foreach(f->metadata, key, value)
    {
        rc = take_fact(f, t, key, value, err);
        if (rc != NEAP_OK) return rc;
    }
    return ni_name_file(f->path, check_facts(t, err), err);
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
    for (int i = 0; name && i < NI_TYPES; i++)
        if (!strcmp(ni_type_name((ni_type)i), name)) return *type = (ni_type)i, true;
    return false;
}

/* One tensor, which must begin where the one before it ended. */
static neap_status take_tensor(const file *f, ni_tensors *t, const char *name, const json_t *entry,
                               uint64_t *offset, neap_error *err)
{
    uint64_t shape[NI_RANK_MOST], range[2], bytes, end;
    ni_type type;
    const json_t *dims = json_object_get(entry, "shape");
    size_t rank = json_array_size(dims);
    if (json_object_size(entry) != 3 || !take_type(json_object_get(entry, "dtype"), &type) || rank < 1 ||
        rank > NI_RANK_MOST || !take_numbers(dims, rank, shape) || !is_shape(rank, shape) ||
        !take_numbers(json_object_get(entry, "data_offsets"), 2, range))
        return damaged(f, err, LENGTH_BYTES, "the entry of tensor '%.40s' makes no sense", name);
    if (!is_tensor_name(name))
        return damaged(f, err, LENGTH_BYTES, "a tensor has a name that none can have");
    if (!ni_tensor_bytes(type, (uint32_t)rank, shape, &bytes) || !ni_add(*offset, bytes, &end) ||
        end > f->size)
        return damaged(f, err, LENGTH_BYTES, "tensor '%.40s' does not fit into the file", name);
    if (range[0] != *offset || range[1] != end || *offset % ni_type_width(type))
        return damaged(f, err, LENGTH_BYTES, "tensor '%.40s' is not where it must be", name);
    ni_tensors_add(t, name, type, (uint32_t)rank, shape, NULL);
    *offset = end;
    return t->failed ? ni_fail_memory(err, "the header of a file") : NEAP_OK;
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
    if (checksums != t->count + 1)
        return damaged(f, err, LENGTH_BYTES, "there is not one checksum for each tensor");
    return NEAP_OK;
}

/* ---- files of other programs ---- */

/* A tensor of one of our types, somewhere behind the header; others are left out. Its data is an offset
 * until the bytes are there. */
static neap_status take_foreign(const file *f, ni_tensors *t, const char *name, const json_t *entry,
                                uint64_t room, uint64_t *offset, neap_error *err)
{
    uint64_t shape[NI_RANK_MOST], range[2], bytes;
    ni_type type;
    const json_t *dims = json_object_get(entry, "shape");
    size_t rank = json_array_size(dims);
    if (!take_type(json_object_get(entry, "dtype"), &type) || rank < 1 || rank > NI_RANK_MOST ||
        !take_numbers(dims, rank, shape) || !is_shape(rank, shape))
        return NEAP_OK;
    if (!take_numbers(json_object_get(entry, "data_offsets"), 2, range) || range[1] > room ||
        range[0] > range[1] || !ni_tensor_bytes(type, (uint32_t)rank, shape, &bytes) ||
        bytes != range[1] - range[0] || range[0] % ni_type_width(type))
        return damaged(f, err, LENGTH_BYTES, "tensor '%.40s' is not where it must be", name);
    offset[t->count] = range[0];
    ni_tensors_add(t, name, type, (uint32_t)rank, shape, NULL);
    return t->failed ? ni_fail_memory(err, "the header of a file") : NEAP_OK;
}

static neap_status read_foreign(file *f, ni_tensors *t, neap_error *err)
{
    const char *name;
    json_t *entry;
    uint64_t room = f->size - LENGTH_BYTES - f->length,
             *offset = ni_array(json_object_size(f->root), sizeof *offset);
    t->owned = ni_array((size_t)room, 1);
    neap_status rc = offset && t->owned ? NEAP_OK : ni_fail_memory(err, "the contents of a file");
    json_object_foreach(f->root, name, entry)
    {
        if (rc == NEAP_OK && entry != f->metadata) rc = take_foreign(f, t, name, entry, room, offset, err);
    }
    if (rc == NEAP_OK) rc = read_bytes(f, t->owned, room, err);
    for (size_t i = 0; i < t->count && rc == NEAP_OK; i++)
        t->tensor[i].data = (const char *)t->owned + offset[i];
    ni_free(offset);
    return rc;
}

/* ---- our own ---- */

/* The checksum that the header has for a tensor; NULL in *stored if it has none. */
static neap_status find_checksum(const file *f, const ni_tensor *tensor, const char **stored,
                                 neap_error *err)
{
    text key = { 0 };
    put_text(&key, "crc32c.");
    put(&key, tensor->name, strlen(tensor->name) + 1);
    neap_status rc = key.failed ? ni_fail_memory(err, "the header of a file") : NEAP_OK;
    *stored = key.failed ? NULL : json_string_value(json_object_get(f->metadata, key.bytes));
    ni_free(key.bytes);
    return rc;
}

/* Each tensor has a block of its own, so that whoever needs it may take it. where: of it in the file. */
static neap_status read_tensor(file *f, ni_tensor *tensor, uint64_t where, neap_error *err)
{
    char crc[CRC_DIGITS + 1];
    const char *stored;
    size_t bytes = (size_t)bytes_of(tensor);
    tensor->data = tensor->block = ni_array(bytes, 1);
    if (!tensor->block) return ni_fail_memory(err, "the contents of a file");
    neap_status rc = read_bytes(f, tensor->block, bytes, err);
    if (rc == NEAP_OK) rc = find_checksum(f, tensor, &stored, err);
    if (rc != NEAP_OK) return rc;
    snprintf(crc, sizeof crc, "%08x", ni_crc32c(0, tensor->block, bytes));
    if (stored && !strcmp(stored, crc)) return NEAP_OK;
    return damaged(f, err, where, "damaged: the checksum of tensor %.40s does not match", tensor->name);
}

static neap_status read_data(file *f, ni_tensors *t, neap_error *err)
{
    uint64_t where = LENGTH_BYTES + f->length;
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < t->count && rc == NEAP_OK; i++) {
        rc = read_tensor(f, &t->tensor[i], where, err);
        where += bytes_of(&t->tensor[i]);
    }
    return rc;
}

static neap_status read_file(file *f, ni_tensors *t, neap_error *err)
{
    neap_status rc = f->in_memory ? NEAP_OK : open_regular(f, err);
    if (rc == NEAP_OK) rc = read_length(f, err);
    if (rc != NEAP_OK) return rc;
    f->header = ni_array((size_t)f->length, 1);
    if (!f->header) return ni_fail_memory(err, "the header of a file");
    rc = read_bytes(f, f->header, f->length, err);
    if (rc == NEAP_OK) rc = check_header_crc(f, err);
    if (rc == NEAP_OK) rc = parse_header(f, err);
    if (rc == NEAP_OK && f->foreign) return read_foreign(f, t, err);
    if (rc == NEAP_OK) rc = take_metadata(f, t, err);
    if (rc == NEAP_OK) rc = take_tensors(f, t, err);
    return rc == NEAP_OK ? read_data(f, t, err) : rc;
}

static neap_status take_apart(file *f, ni_tensors *t, neap_error *err)
{
    *t = (ni_tensors){ 0 };
    neap_status rc = read_file(f, t, err);
    json_decref(f->root);
    ni_free(f->header);
    if (f->fd >= 0) ni_system.close(f->fd);
    if (rc != NEAP_OK) ni_tensors_release(t);
    return rc;
}

neap_status ni_tensors_read(const char *path, const neap_hooks *hooks, ni_tensors *t, neap_error *err)
{
    return take_apart(&(file){ .path = path, .fd = -1, .watch = ni_watch_begin(hooks, "load") }, t, err);
}

neap_status ni_tensors_read_any(const char *path, ni_tensors *t, neap_error *err)
{
    return take_apart(&(file){ .path = path, .fd = -1, .any = true }, t, err);
}

neap_status ni_tensors_parse(const void *bytes, size_t count, ni_tensors *t, neap_error *err)
{
    return take_apart(
        &(file){ .path = "memory", .fd = -1, .in_memory = true, .memory = bytes, .size = count }, t, err);
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
