/* tamper.h - changes a file of ours and repairs its checksums, so that only the checks behind them can
 * notice (include after cmocka.h and scratch.h). Changes fail the test if there is nothing to change. */
#ifndef NEAP_TESTS_TAMPER_H
#define NEAP_TESTS_TAMPER_H

#include "checksums.h"

/* Writes header and data again, the header padded and with its checksum, where it has one. */
static inline void tamper_write(const char *path, const char *header, const char *data, size_t size)
{
    size_t used = strlen(header), length = (used + 8 + 63) / 64 * 64 - 8;
    char *bytes = malloc(8 + length + size);
    memset(bytes, ' ', 8 + length);
    for (int i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)length >> 8 * i);
    memcpy(bytes + 8, header, used);
    memcpy(bytes + 8 + length, data, size);
    checksums_header(bytes + 8, length);
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
    char *data;
    uint64_t range[2] = { 0 };
    size_t size;
    char *header = tamper_open(path, &data, &size);
    assert_true(checksums_range(header, strlen(header), tensor, size, range));
    assert_true(at + count <= range[1] - range[0]);
    memcpy(data + range[0] + at, bytes, count);
    checksums_tensors(header, strlen(header), data, size);
    tamper_write(path, header, data, size);
    free(header);
    free(data);
}

#endif
