/* UTF-8 and %XX escapes of names, byte by byte: O(length), no memory. */
#include <stdio.h>

#include "support/text.h"

const char ni_utf8_unknown[] = "\xef\xbf\xbd";

size_t ni_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] == 0) return 0;
    if (s[0] < 0x80) return 1;
    size_t n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0; /* overlong, surrogate */
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0; /* overlong, > 10ffff  */
    return n;
}

void ni_escape(ni_sink out, const char *name, bool blanks)
{
    while (*name) {
        size_t n = ni_utf8_length(name);
        unsigned char c = (unsigned char)*name;
        if (n == 0 || c < 0x20 || c == 0x7f || c == '%' || (c == ' ' && blanks)) {
            char code[4];
            snprintf(code, sizeof code, "%%%02X", c);
            out.write(out.to, code, 3);
            n = 1;
        } else {
            out.write(out.to, name, n);
        }
        name += n;
    }
}

/* 0 .. 15, or -1. */
static int hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of an escape %XX, or 0 if it is none. */
static int escaped(const char *at, size_t left)
{
    if (left < 3 || at[0] != '%' || hex(at[1]) < 0 || hex(at[2]) < 0) return 0;
    return hex(at[1]) * 16 + hex(at[2]);
}

size_t ni_unescape(const char *name, size_t length, char *plain)
{
    size_t n = 0;
    for (size_t i = 0; i < length; n++) {
        int byte = escaped(name + i, length - i);
        plain[n] = byte ? (char)byte : name[i];
        i += byte ? 3 : 1;
    }
    return n;
}
