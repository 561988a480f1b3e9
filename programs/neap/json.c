#include "json.h"

#include <math.h>

#include "common.h"

/* Length of the UTF-8 sequence at s (RFC 3629: no overlong form, no surrogate), or 0. */
static int sequence(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < low || s[1] > high) return 0;
    for (int i = 2; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

static void quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = sequence(s);
        if (n == 0) fputs("\\ufffd", to);
        else if (*s < 0x20 || *s == 0x7f) fprintf(to, "\\u%04x", *s);
        else {
            if (*s == '"' || *s == '\\') putc('\\', to);
            fwrite(s, 1, (size_t)n, to);
        }
        s += n ? n : 1;
    }
    putc('"', to);
}

/* The comma, the place on a line of its own (rows of a table share one), and the key. */
static void begin(json *j, const char *key)
{
    if (j->comma) putc(',', j->file);
    if (!j->flat && j->depth && j->depth <= 2) fprintf(j->file, "\n%*s", (int)(2 * j->depth), "");
    else if (j->comma) putc(' ', j->file);
    if (key) {
        quoted(j->file, key);
        fputs(": ", j->file);
    }
    j->comma = true;
}

void json_open(json *j, const char *key, char bracket)
{
    begin(j, key);
    putc(bracket, j->file);
    j->depth++;
    j->comma = false;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->flat && j->comma && j->depth < 2) fprintf(j->file, "\n%*s", (int)(2 * j->depth), "");
    putc(bracket, j->file);
    j->comma = true;
    if (!j->depth) putc('\n', j->file);
}

void json_text(json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) quoted(j->file, text);
    else fputs("null", j->file);
}

void json_whole(json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->file, "%llu", (unsigned long long)value);
}

void json_real(json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value)) fprintf(j->file, "%.10g", value);
    else fputs("null", j->file);
}

void json_float(json *j, const char *key, float value)
{
    char text[SHORT];
    begin(j, key);
    fputs(isfinite(value) ? exact_float(value, text) : "null", j->file);
}

void json_switch(json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->file);
}
