/* Numbers and names as every page shows them. */
#include <math.h>
#include <string.h>

#include "pages/pages.h"

/* The code point at `at` and its length; a byte that begins no character is U+FFFD alone. */
static size_t decode(const char *at, uint32_t *code)
{
    size_t length = ni_utf8_length(at);
    unsigned char first = (unsigned char)*at;
    *code = length == 0 ? 0xfffd : length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) *code = *code << 6 | ((unsigned char)at[i] & 0x3f);
    return length ? length : 1;
}

/* What has no shape of its own, or changes the direction of what follows. */
static bool is_unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || (c & 0xfffe) == 0xfffe;
}

/* What stands for a character; NULL: itself. */
static const char *escape_of(uint32_t c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    }
    return is_unsafe(c) || c == 0xfffd ? ni_utf8_unknown : NULL;
}

void ni_html_text(ni_page *out, const char *text)
{
    for (size_t n; *text; text += n) {
        uint32_t code;
        n = decode(text, &code);
        const char *escape = escape_of(code);
        if (escape) ni_page_text(out, escape);
        else ni_page_write(out, text, n);
    }
}

void ni_html_fixed(ni_page *out, double value, int decimals)
{
    char text[NI_FIXED_BYTES] = "0";
    if (!ni_format_fixed(value, decimals, text) && isfinite(value)) ni_format_double(value, text);
    ni_page_text(out, text);
}

void ni_html_number(ni_page *out, double value, int decimals)
{
    char text[NI_FIXED_BYTES];
    if (!isfinite(value)) {
        ni_page_text(out, isnan(value) ? "not a number" : value < 0 ? "\u2212\u221e" : "\u221e");
        return;
    }
    if (!ni_format_fixed(value, decimals, text)) ni_format_double(value, text);
    if (*text == '-') ni_page_text(out, "\u2212");
    ni_page_text(out, text + (*text == '-'));
}

void ni_html_whole(ni_page *out, uint64_t value)
{
    char text[32];
    ni_page_text(out, ni_format_count(value, text));
}

int ni_html_decimals(double most)
{
    int decimals = 2;
    if (!(most > 0)) return 0;
    for (double top = 1; decimals < 9 && most < top; top /= 10) decimals++;
    return decimals;
}

/* From Hangul and the far eastern scripts on, letters may be twice as wide; the rest is not worth a table.
 */
static int width_of(uint32_t c)
{
    return c >= 0x1100 && c != 0xfffd ? 2 : 1;
}

int ni_html_label(const char *name, int cells, char label[NI_LABEL_BYTES], bool *changed)
{
    int used = 0, keep = 0;       /* columns so far; columns that leave room for the ellipsis */
    size_t end = 0, keep_end = 0; /* the same in bytes of the label                           */
    *changed = false;
    while (*name) {
        uint32_t code;
        size_t length = decode(name, &code);
        if (used + width_of(code) > cells) {
            memcpy(label + keep_end, "\u2026", sizeof "\u2026");
            *changed = true;
            return keep + 1;
        }
        bool bad = is_unsafe(code) || code == 0xfffd;
        memcpy(label + end, bad ? "\ufffd" : name, bad ? 3 : length);
        end += bad ? 3 : length;
        used += bad ? 1 : width_of(code);
        if (used < cells) keep = used, keep_end = end;
        if (bad) *changed = true;
        name += length;
    }
    label[end] = 0;
    return used;
}

void ni_html_name(ni_page *out, const char *name, int cells)
{
    char label[NI_LABEL_BYTES];
    bool changed;
    ni_html_label(name, cells, label, &changed);
    ni_page_text(out, "<bdi class=\"name\"");
    if (changed) {
        ni_page_text(out, " title=\"");
        ni_html_text(out, name);
        ni_page_text(out, "\"");
    }
    ni_page_text(out, ">");
    ni_html_text(out, label);
    ni_page_text(out, "</bdi>");
}
