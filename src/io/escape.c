#include "io/escape.h"

void ni_escape(ni_output *out, const char *name, bool blanks)
{
    while (*name) {
        size_t n = ni_utf8_length(name);
        unsigned char c = (unsigned char)*name;
        if (n == 0 || c < 0x20 || c == 0x7f || c == '%' || (c == ' ' && blanks)) {
            ni_output_print(out, "%%%02X", c);
            n = 1;
        } else {
            ni_output_write(out, name, n);
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

/* The byte that an escape stands for, or 0 if it is none. */
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
