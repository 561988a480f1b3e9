/* NumPy arrays: the header is a Python literal, read by a small strict parser; data are little-endian
 * rows. O(bytes); values belong to the caller; one thread. */
#include "io/npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"
#include "support/text.h"

enum { HEADER_MOST = 1 << 16, CHUNK = 1 << 14 };
static const char magic[] = "\x93NUMPY";

void ni_npy_header(const char *type, uint64_t rows, uint32_t columns, char header[NI_NPY_HEADER])
{
    enum { BEFORE = 10 }; /* magic, version 1.0, the length of what follows, 118 */
    char shape[24] = "";
    if (columns) snprintf(shape, sizeof shape, " %u", columns);
    memset(header, ' ', NI_NPY_HEADER);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", BEFORE);
    int n = snprintf(header + BEFORE, NI_NPY_HEADER - BEFORE,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,%s), }", type,
                     (unsigned long long)rows, shape);
    header[BEFORE + n] = ' ';
    header[NI_NPY_HEADER - 1] = '\n';
}

typedef struct layout {
    unsigned width; /* bytes of a number */
    bool big;       /* the first byte is the highest */
    bool columns;   /* column by column ("Fortran order") */
    uint64_t shape[2];
} layout;

bool ni_npy_is(const void *bytes, size_t count)
{
    return count >= 6 && !memcmp(bytes, magic, 6);
}

static neap_status damaged(const ni_stream_in *in, neap_error *err, const char *what)
{
    return ni_fail(err, NEAP_E_FORMAT, "%.200s: %s", ni_stream_label(in), what);
}

/* ---- the header: a Python dict of three entries, in any order ---- */

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\n");
}

static bool take(const char **at, const char *text)
{
    skip_blanks(at);
    size_t length = strlen(text);
    if (strncmp(*at, text, length)) return false;
    *at += length;
    return true;
}

/* A quoted text without escapes, of less than `room` bytes. */
static bool take_quoted(const char **at, char *text, size_t room)
{
    skip_blanks(at);
    char quote[2] = { **at, 0 };
    if (*quote != '\'' && *quote != '"') return false;
    size_t length = strcspn(++*at, quote);
    if (length >= room || (*at)[length] != *quote) return false;
    memcpy(text, *at, length);
    text[length] = 0;
    *at += length + 1;
    return true;
}

static bool take_number(const char **at, uint64_t *number)
{
    skip_blanks(at);
    size_t length = strspn(*at, "0123456789");
    bool ok = ni_parse_u64(*at, length, number);
    *at += length;
    return ok;
}

/* "<f4", ">f8" and so on. */
static bool take_type(const char **at, layout *l)
{
    char type[8] = "";
    if (!take_quoted(at, type, sizeof type)) return false;
    if (strcmp(type + 1, "f4") && strcmp(type + 1, "f8")) return false;
    l->width = (unsigned)(type[2] - '0');
    l->big = type[0] == '>';
    return type[0] == '<' || type[0] == '>';
}

static bool take_order(const char **at, layout *l)
{
    l->columns = take(at, "True");
    return l->columns || take(at, "False");
}

static bool take_shape(const char **at, layout *l)
{
    if (!take(at, "(") || !take_number(at, &l->shape[0]) || !take(at, ",")) return false;
    if (!take_number(at, &l->shape[1])) return false;
    take(at, ",");
    return take(at, ")") && l->shape[0] && l->shape[1];
}

static const struct entry {
    const char *key;
    bool (*read)(const char **at, layout *l);
    const char *needs;
} entries[] = {
    { "descr", take_type,
      "its numbers are not float32 or float64; in Python: numpy.save(path, x.astype('float32'))" },
    { "fortran_order", take_order, "its header does not say in which order its numbers are" },
    { "shape", take_shape, "its shape is not (rows, columns); vectors are the rows of a matrix" },
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static neap_status parse_header(const ni_stream_in *in, const char *text, layout *l, neap_error *err)
{
    static const char broken[] = "the header of this NumPy file is damaged";
    unsigned seen = 0;
    if (!take(&text, "{")) return damaged(in, err, broken);
    while (!take(&text, "}")) {
        char key[24];
        unsigned i = 0;
        if (!take_quoted(&text, key, sizeof key) || !take(&text, ":")) return damaged(in, err, broken);
        while (i < ENTRIES && strcmp(key, entries[i].key)) i++;
        if (i == ENTRIES || (seen & 1u << i)) return damaged(in, err, broken);
        if (!entries[i].read(&text, l)) return damaged(in, err, entries[i].needs);
        seen |= 1u << i;
        if (!take(&text, ",") && *text != '}') return damaged(in, err, broken);
    }
    skip_blanks(&text);
    return *text || seen != (1u << ENTRIES) - 1 ? damaged(in, err, broken) : NEAP_OK;
}

static neap_status read_exactly(ni_stream_in *in, void *bytes, size_t count, neap_error *err)
{
    size_t got;
    neap_status rc = ni_stream_read(in, bytes, count, &got, err);
    if (rc == NEAP_OK && got < count) rc = damaged(in, err, "this NumPy file ends within its header");
    return rc;
}

/* Magic, two bytes of version, the length of the header in 2 bytes (version 1) or 4, the header. */
static neap_status read_header(ni_stream_in *in, layout *l, uint64_t *length, neap_error *err)
{
    unsigned char head[12] = { 0 };
    char *text = NULL;
    neap_status rc = read_exactly(in, head, 8, err);
    if (rc != NEAP_OK) return rc;
    if (!ni_npy_is(head, 8)) return damaged(in, err, "this is no NumPy file, whatever its name says");
    if (head[6] < 1 || head[6] > 3)
        return damaged(in, err, "this version of NumPy's format is not known; there are 1, 2 and 3");
    size_t width = head[6] == 1 ? 2 : 4;
    rc = read_exactly(in, head + 8, width, err);
    size_t count = (size_t)head[8] | (size_t)head[9] << 8 | (size_t)head[10] << 16 | (size_t)head[11] << 24;
    if (rc == NEAP_OK && count > HEADER_MOST)
        rc = damaged(in, err, "the header of this NumPy file is too long to be one of a matrix");
    if (rc == NEAP_OK && !(text = ni_zeros(count + 1, 1))) rc = ni_fail_memory(err, "a NumPy file");
    if (rc == NEAP_OK) rc = read_exactly(in, text, count, err);
    if (rc == NEAP_OK) rc = parse_header(in, text, l, err);
    ni_free(text);
    *length = 8 + width + count;
    return rc;
}

/* ---- the numbers ---- */

static float number_at(const unsigned char *bytes, const layout *l)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < l->width; i++)
        bits |= (uint64_t)bytes[l->big ? l->width - 1 - i : i] << (8 * i);
    if (l->width == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return (float)x;
    }
    uint32_t half = (uint32_t)bits;
    float x;
    memcpy(&x, &half, sizeof x);
    return x;
}

static neap_status check_finite(const ni_stream_in *in, const layout *l, const float *values, size_t count,
                                uint64_t before, uint64_t header, neap_error *err)
{
    size_t i = ni_finite_until(values, count);
    if (i == count) return NEAP_OK;
    uint64_t at = before + i, row = l->columns ? at % l->shape[0] : at / l->shape[1];
    return ni_fail_at(err, NEAP_E_FORMAT, header + at * l->width,
                      "%.200s: row %llu (from 0) has an entry that is no finite number",
                      ni_stream_label(in), (unsigned long long)row);
}

/* All numbers in the order of the file, and nothing behind them. */
static neap_status read_numbers(ni_stream_in *in, const layout *l, uint64_t header, float **values,
                                neap_error *err)
{
    unsigned char bytes[CHUNK];
    uint64_t wanted, bytes_wanted;
    size_t room = 0, count = 0, got = CHUNK;
    neap_status rc = NEAP_OK;
    if (!ni_mul(l->shape[0], l->shape[1], &wanted) || !ni_mul(wanted, l->width, &bytes_wanted))
        return damaged(in, err, "the shape of this array is larger than any memory");
    while (rc == NEAP_OK && got == CHUNK) {
        rc = ni_stream_read(in, bytes, CHUNK, &got, err);
        size_t more = got / l->width;
        if (rc == NEAP_OK && got > (wanted - count) * l->width)
            return damaged(in, err, "this NumPy file is longer than its shape says");
        if (rc == NEAP_OK && !ni_grow(values, &room, count + more, sizeof **values))
            return ni_fail_memory(err, "the numbers of a NumPy file");
        for (size_t i = 0; i < more && rc == NEAP_OK; i++)
            (*values)[count + i] = number_at(bytes + i * l->width, l);
        if (rc == NEAP_OK) rc = check_finite(in, l, *values + count, more, count, header, err);
        count += more;
    }
    if (rc == NEAP_OK && count < wanted)
        rc = ni_fail_at(err, NEAP_E_FORMAT, header + (uint64_t)count * l->width,
                        "%.200s: the file ends after %zu of %llu numbers; is it whole?",
                        ni_stream_label(in), count, (unsigned long long)wanted);
    return rc;
}

/* (columns, rows) -> (rows, columns). */
static neap_status transpose(ni_npy *npy, neap_error *err)
{
    float *transposed = ni_array(npy->rows * npy->columns, sizeof *transposed);
    if (!transposed) return ni_fail_memory(err, "the numbers of a NumPy file");
    for (uint64_t j = 0; j < npy->columns; j++)
        for (uint64_t i = 0; i < npy->rows; i++)
            transposed[i * npy->columns + j] = npy->values[j * npy->rows + i];
    ni_free(npy->values);
    npy->values = transposed;
    return NEAP_OK;
}

neap_status ni_npy_read(ni_stream_in *in, ni_npy *out, neap_error *err)
{
    layout l = { 0 };
    uint64_t header = 0;
    *out = (ni_npy){ 0 };
    neap_status rc = read_header(in, &l, &header, err);
    if (rc == NEAP_OK) rc = read_numbers(in, &l, header, &out->values, err);
    out->rows = l.shape[0];
    out->columns = l.shape[1];
    if (rc == NEAP_OK && l.columns) rc = transpose(out, err);
    if (rc != NEAP_OK) ni_npy_free(out);
    return rc;
}

void ni_npy_free(ni_npy *npy)
{
    ni_free(npy->values);
    *npy = (ni_npy){ 0 };
}

/* ---- whole numbers ---- */

neap_status ni_npy_open_u32(const char *path, uint64_t rows, uint32_t columns, ni_stream_in **in,
                            neap_error *err)
{
    char expected[NI_NPY_HEADER], found[NI_NPY_HEADER];
    ni_npy_header("<u4", rows, columns, expected);
    neap_status rc = ni_stream_open(path, in, err);
    if (rc != NEAP_OK) return rc;
    rc = read_exactly(*in, found, sizeof found, err);
    if (rc == NEAP_OK && memcmp(expected, found, sizeof found))
        rc = ni_fail(err, NEAP_E_FORMAT,
                     "%.200s does not begin as an array of %llu x %u numbers of 32 bits: is it damaged?",
                     path, (unsigned long long)rows, columns ? columns : 1);
    if (rc == NEAP_OK) return rc;
    ni_stream_close(*in);
    *in = NULL;
    return rc;
}

neap_status ni_npy_next_u32(ni_stream_in *in, uint32_t limit, size_t count, uint32_t *number,
                            neap_error *err)
{
    size_t got = 0;
    neap_status rc = ni_stream_read(in, number, count * sizeof *number, &got, err);
    if (rc != NEAP_OK) return rc;
    if (got < count * sizeof *number) return damaged(in, err, "the file ends too early; is it whole?");
    for (size_t i = 0; i < count; i++)
        if (number[i] >= limit)
            return ni_fail(err, NEAP_E_FORMAT, "%.200s has the number %u where all must be below %u",
                           ni_stream_label(in), number[i], limit);
    return NEAP_OK;
}
