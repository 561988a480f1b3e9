/* tamper.h - changes a file of ours and repairs its checksums, so that only the checks behind them can
 * notice (include after cmocka.h and scratch.h). Changes fail the test if there is nothing to change. */
#ifndef NEAP_TESTS_TAMPER_H
#define NEAP_TESTS_TAMPER_H

#include "io/crc32c.h"

/* Writes header and data again, the header padded and with its checksum, where it has one. */
static inline void tamper_write(const char *path, const char *header, const char *data, size_t size)
{
    size_t used = strlen(header), length = (used + 8 + 63) / 64 * 64 - 8;
    char *bytes = malloc(8 + length + size), crc[9];
    memset(bytes, ' ', 8 + length);
    for (int i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, used);
    memcpy(bytes + 8 + length, data, size);
    const char *key = strstr(header, "\"crc32c.header\":\"");
    if (key) {
        char *digits = bytes + 8 + (key - header) + strlen("\"crc32c.header\":\"");
        memset(digits, '0', 8);
        snprintf(crc, sizeof crc, "%08x", ni_crc32c(0, bytes + 8, length));
        memcpy(digits, crc, 8);
    }
    scratch_put(path, bytes, 8 + length + size);
    free(bytes);
}

/* The file in two pieces: the header, ended and without padding, and the data. */
static inline char *tamper_open(const char *path, char **data, size_t *size)
{
    char *bytes = scratch_bytes(path, size);
    uint64_t length;
    memcpy(&length, bytes, 8);
    char *header = malloc(length + 1);
    memcpy(header, bytes + 8, length);
    while (length && header[length - 1] == ' ') length--;
    header[length] = 0;
    memcpy(&length, bytes, 8);
    *size -= 8 + length;
    *data = malloc(*size + 1);
    memcpy(*data, bytes + 8 + length, *size);
    free(bytes);
    return header;
}

/* Puts `to` in the place of the first `from` in the header. */
static inline void tamper_header(const char *path, const char *from, const char *to)
{
    char *data;
    size_t size;
    char *header = tamper_open(path, &data, &size), *at = strstr(header, from);
    assert_non_null(at);
    char *changed = malloc(strlen(header) + strlen(to) + 1);
    sprintf(changed, "%.*s%s%s", (int)(at - header), header, to, at + strlen(from));
    tamper_write(path, changed, data, size);
    free(changed);
    free(header);
    free(data);
}

/* Overwrites bytes of a tensor from byte `at` of it on. */
static inline void tamper_data(const char *path, const char *tensor, size_t at, const void *bytes,
                               size_t count)
{
    char *data, key[64], crc[9];
    size_t size, from, to;
    char *header = tamper_open(path, &data, &size);
    snprintf(key, sizeof key, "\"%s\":{", tensor);
    char *entry = strstr(header, key);
    assert_non_null(entry);
    assert_int_equal(sscanf(strstr(entry, "data_offsets"), "data_offsets\":[%zu,%zu]", &from, &to), 2);
    assert_true(at + count <= to - from);
    memcpy(data + from + at, bytes, count);
    snprintf(key, sizeof key, "\"crc32c.%s\":\"", tensor);
    snprintf(crc, sizeof crc, "%08x", ni_crc32c(0, data + from, to - from));
    memcpy(strstr(header, key) + strlen(key), crc, 8);
    tamper_write(path, header, data, size);
    free(header);
    free(data);
}

#endif
