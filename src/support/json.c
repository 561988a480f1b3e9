/* A JSON writer on a sink: O(bytes) and no memory but the depth; see json.h. */
#include "support/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(ni_sink out, const char *text)
{
    out.write(out.to, text, strlen(text));
}

/* What stands for a character of one byte; NULL: itself. */
static const char *escape_of(unsigned char c, char text[8])
{
    if (c == '"' || c == '\\') snprintf(text, 8, "\\%c", c);
    else if (c < 0x20 || c == '<' || c == 0x7f) snprintf(text, 8, "\\u%04x", c);
    else return NULL;
    return text;
}

void ni_json_string(ni_sink out, const char *text)
{
    const char *plain = text; /* what stands from here on needs no escape */
    put(out, "\"");
    while (*text) {
        char room[8];
        size_t n = ni_utf8_length(text);
        const char *escape = n == 0   ? ni_utf8_unknown
                             : n == 1 ? escape_of((unsigned char)*text, room)
                                      : NULL;
        if (escape) {
            out.write(out.to, plain, (size_t)(text - plain));
            put(out, escape);
        }
        text += n ? n : 1;
        if (escape) plain = text;
    }
    out.write(out.to, plain, (size_t)(text - plain));
    put(out, "\"");
}

static void break_line(const ni_json *j)
{
    put(j->out, "\n");
    for (unsigned i = 0; i < j->depth; i++) put(j->out, "  ");
}

/* The comma, a line of its own where the depth has one, and the key. */
static void begin(ni_json *j, const char *key)
{
    if (j->comma) put(j->out, ",");
    if (j->depth && j->depth <= j->lines) break_line(j);
    else if (j->comma) put(j->out, " ");
    j->comma = true;
    if (!key) return;
    ni_json_string(j->out, key);
    put(j->out, ": ");
}

void ni_json_open(ni_json *j, const char *key, char bracket)
{
    begin(j, key);
    j->out.write(j->out.to, &bracket, 1);
    j->depth++;
    j->comma = false;
}

void ni_json_close(ni_json *j, char bracket)
{
    j->depth--;
    if (j->comma && j->depth < j->lines) break_line(j);
    j->out.write(j->out.to, &bracket, 1);
    j->comma = true;
    if (!j->depth) put(j->out, "\n");
}

void ni_json_text(ni_json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) ni_json_string(j->out, text);
    else put(j->out, "null");
}

void ni_json_member(const char *key, const char *text, void *json)
{
    ni_json_text(json, key, text);
}

void ni_json_whole(ni_json *j, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    begin(j, key);
    put(j->out, text);
}

/* Whole numbers look whole: 50, not 5e+01. */
void ni_json_real(ni_json *j, const char *key, double value)
{
    char text[32] = "null";
    bool whole = fabs(value) < 1e15 && value == floor(value);
    if (isfinite(value) && j->digits) ni_format_digits(value, j->digits, text);
    else if (whole) snprintf(text, sizeof text, "%lld", (long long)value);
    else if (isfinite(value)) ni_format_double(value, text);
    begin(j, key);
    put(j->out, text);
}

void ni_json_float(ni_json *j, const char *key, float value)
{
    char text[32] = "null";
    if (isfinite(value)) ni_format_float(value, text);
    begin(j, key);
    put(j->out, text);
}

void ni_json_switch(ni_json *j, const char *key, bool value)
{
    begin(j, key);
    put(j->out, value ? "true" : "false");
}
