/* checksums.h - the checksums of a file of ours, made right again after its bytes were changed. The header
 * is read as text: what is damaged in it stays so, and nothing beyond `length` is looked at. */
#ifndef NEAP_TESTS_CHECKSUMS_H
#define NEAP_TESTS_CHECKSUMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "io/crc32c.h"

/* Where `text` first stands in the bytes from `at` to `end`, or NULL. */
static inline char *checksums_find(char *at, const char *end, const char *text)
{
    size_t size = strlen(text);
    for (; (at = memchr(at, text[0], (size_t)(end - at))) && (size_t)(end - at) >= size; at++)
        if (!memcmp(at, text, size)) return at;
    return NULL;
}

static inline void checksums_put(char *digits, const char *end, uint32_t crc)
{
    char text[9];
    snprintf(text, sizeof text, "%08x", crc);
    if (end - digits >= 8) memcpy(digits, text, 8);
}

/* That of the header, padding included, its own digits taken as zeros; where it has one. */
static inline void checksums_header(char *header, size_t length)
{
    static const char key[] = "\"crc32c.header\":\"";
    char *at = checksums_find(header, header + length, key), *end = header + length;
    if (!at || end - at < (ptrdiff_t)(sizeof key - 1 + 8)) return;
    memset(at + sizeof key - 1, '0', 8);
    checksums_put(at + sizeof key - 1, end, ni_crc32c(0, header, length));
}

/* The number at *at, which moves behind it; 0 if there is none. */
static inline uint64_t checksums_number(const char **at, const char *end)
{
    uint64_t number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) number = number * 10 + (uint64_t)(**at - '0');
    return number;
}

/* The bytes of a tensor, counted from the end of the header; 0 if there is no such tensor in `size` bytes.
 */
static inline int checksums_range(char *header, size_t length, const char *tensor, size_t size,
                                  uint64_t range[2])
{
    static const char offsets[] = "\"data_offsets\":[";
    const char *end = header + length;
    char key[80];
    if ((size_t)snprintf(key, sizeof key, "\"%s\":{", tensor) >= sizeof key) return 0;
    char *entry = checksums_find(header, end, key);
    const char *at = entry ? checksums_find(entry, end, offsets) : NULL;
    if (!at) return 0;
    at += sizeof offsets - 1;
    range[0] = checksums_number(&at, end);
    at += at < end;
    range[1] = checksums_number(&at, end);
    return range[0] <= range[1] && range[1] <= size;
}

/* That of each tensor that has one. */
static inline void checksums_tensors(char *header, size_t length, const char *data, size_t size)
{
    static const char key[] = "\"crc32c.";
    const char *end = header + length;
    for (char *at = header; (at = checksums_find(at, end, key));) {
        char name[64], *quote;
        uint64_t range[2];
        at += sizeof key - 1;
        quote = memchr(at, '"', (size_t)(end - at));
        if (!quote || (size_t)(quote - at) >= sizeof name) continue;
        memcpy(name, at, (size_t)(quote - at));
        name[quote - at] = 0;
        if (end - quote >= 3 && !memcmp(quote, "\":\"", 3) &&
            checksums_range(header, length, name, size, range))
            checksums_put(quote + 3, end, ni_crc32c(0, data + range[0], (size_t)(range[1] - range[0])));
    }
}

/* All of a whole file. */
static inline void checksums_repair(char *bytes, size_t size)
{
    uint64_t length = 0;
    if (size < 8) return;
    for (int i = 0; i < 8; i++) length |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    if (length > size - 8) return;
    checksums_tensors(bytes + 8, (size_t)length, bytes + 8 + length, size - 8 - (size_t)length);
    checksums_header(bytes + 8, (size_t)length);
}

#endif
