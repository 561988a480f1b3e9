/* Names of unknown origin on a terminal: none of their bytes may be one of its commands. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

/* The first of the three that is set decides, as in setlocale. */
bool reads_utf8(void)
{
    const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

/* To an 8-bit terminal each byte is a character, also one of UTF-8. */
static bool takes_bytes(FILE *to)
{
    return isatty(fileno(to)) && !reads_utf8();
}

enum { CHARACTER_MOST = 4 };

/* Bytes of the character at `text`; a byte that is not UTF-8 is one by itself. */
static size_t character(const char *text)
{
    size_t n = ni_utf8_length(text);
    return n == 0 ? 1 : n < CHARACTER_MOST ? n : CHARACTER_MOST;
}

/* C0, DEL and C1, by number. */
static bool is_control(unsigned c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Copies the character of n bytes, '?' for a control; returns the bytes written, at most n. `bytes`: each
 * byte counts by itself. Otherwise C1 is U+0080 .. U+009F, or the raw byte where it is not part of UTF-8.
 */
static size_t copy_harmless(const char *from, size_t n, bool bytes, char *to)
{
    unsigned char first = (unsigned char)from[0];
    if (!bytes && n == 2 && first == 0xc2 && is_control((unsigned char)from[1])) return *to = '?', 1;
    for (size_t i = 0; i < n; i++) {
        bool looked_at = bytes || n == 1;
        to[i] = looked_at && is_control((unsigned char)from[i]) ? '?' : from[i];
    }
    return n;
}

void make_harmless(FILE *to, char *text)
{
    bool bytes = takes_bytes(to);
    char *end = text;
    for (size_t n; *text; text += n) {
        n = character(text);
        end += copy_harmless(text, n, bytes, end);
    }
    *end = 0;
}

int name_columns(const char *name)
{
    int columns = 0;
    for (; *name; name += character(name)) columns++;
    return columns;
}

void print_name(FILE *to, const char *name, int columns)
{
    bool cut = name_columns(name) > columns, bytes = takes_bytes(to);
    int used = 0;
    for (size_t n; *name && used < columns - cut; name += n, used++) {
        char shown[CHARACTER_MOST];
        n = character(name);
        fwrite(shown, 1, copy_harmless(name, n, bytes, shown), to);
    }
    if (cut) putc('~', to), used++;
    for (; used < columns; used++) putc(' ', to);
}

void print_cell(const char *name)
{
    if (!isatty(STDOUT_FILENO)) fputs(name, stdout);
    else print_name(stdout, name, name_columns(name));
}
