/* Lines and fields of text files: a buffer of whole lines that is filled from a stream, quotes, comments
 * and delimiters. Fields are views into the buffer; nothing is copied. */
#include "graph/lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/sys.h"
#include "io/stream.h"
#include "support/text.h"

enum { BLOCK = 1 << 21, SPARE = 1 }; /* spare: a last line may need its \n */

neap_status ni_lines_init(ni_lines *lines, ni_stream_in *in, size_t most, neap_error *err)
{
    *lines = (ni_lines){ .in = in, .most = most, .room = BLOCK, .plain = true };
    lines->bytes = ni_array(BLOCK + SPARE, 1);
    return lines->bytes ? NEAP_OK : ni_fail_memory(err, "reading lines");
}

void ni_lines_free(ni_lines *lines)
{
    ni_free(lines->bytes);
    lines->bytes = NULL;
}

neap_status ni_lines_fail(const ni_lines *lines, neap_status code, const char *at, neap_error *err,
                          const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ni_fail_at(err, code, lines->number, "%.200s:%llu:%zu: %s", ni_stream_label(lines->in),
                      (unsigned long long)lines->number, (size_t)(at - lines->line) + 1, text);
}

static neap_status check_start(ni_lines *lines, neap_error *err)
{
    const char *b = lines->bytes, *label = ni_stream_label(lines->in);
    const ni_foreign *foreign = ni_foreign_find(b, lines->to);
    if (foreign)
        return ni_fail(err, NEAP_E_FORMAT, "%.200s: this is %s, not text; %s", label, foreign->what,
                       foreign->mends);
    if (lines->to >= 3 && !memcmp(b, "\xef\xbb\xbf", 3)) lines->from = lines->whole = 3;
    if (lines->to >= 2 && (!memcmp(b, "\xff\xfe", 2) || !memcmp(b, "\xfe\xff", 2)))
        return ni_fail_at(err, NEAP_E_FORMAT, 1,
                          "%.200s:1:1: this is UTF-16; `iconv -f UTF-16 -t UTF-8` mends it", label);
    return NEAP_OK;
}

/* Moves the unfinished line to the front of the block; the block grows only if that line fills it. */
static bool make_room(ni_lines *lines)
{
    memmove(lines->bytes, lines->bytes + lines->from, lines->to - lines->from);
    lines->to -= lines->from;
    lines->whole -= lines->from;
    lines->from = 0;
    if (lines->to < lines->room) return true;
    char *grown = ni_resize(lines->bytes, lines->room * 2 + SPARE, 1);
    if (!grown) return false;
    lines->bytes = grown;
    lines->room *= 2;
    return true;
}

static neap_status too_long(ni_lines *lines, neap_error *err)
{
    lines->number++;
    lines->line = lines->bytes + lines->from;
    return ni_lines_fail(lines, NEAP_E_LIMIT, lines->line, err,
                         "a line of more than %zu bytes; is this a text file with one %s a line?",
                         lines->most, lines->most == NI_LINE_SHORT ? "edge" : "node");
}

/* Looks for the last line end among the bytes that have just come, and for odd bytes among all. */
static void survey(ni_lines *lines, size_t start)
{
    const char *end = lines->bytes + lines->to;
    while (end > lines->bytes + start && end[-1] != '\n') end--;
    if (end > lines->bytes + start) lines->whole = (size_t)(end - lines->bytes);
    lines->plain = !memchr(lines->bytes, 0, lines->to) && !memchr(lines->bytes, '\r', lines->to);
}

neap_status ni_lines_fill(ni_lines *lines, neap_error *err)
{
    bool first = lines->number == 0 && lines->to == 0;
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && lines->from == lines->whole && !lines->ended) {
        if (lines->to - lines->from > lines->most) return too_long(lines, err);
        if (!make_room(lines)) return ni_fail_memory(err, "a long line");
        size_t got, start = lines->to;
        rc = ni_stream_read(lines->in, lines->bytes + start, lines->room - start, &got, err);
        lines->to += got;
        lines->ended = lines->to < lines->room;
        if (rc == NEAP_OK && first) rc = check_start(lines, err);
        first = false;
        if (lines->ended && lines->to > lines->from && lines->bytes[lines->to - 1] != '\n')
            lines->bytes[lines->to++] = '\n';
        survey(lines, start > lines->from ? start : lines->from);
    }
    return rc;
}

static neap_status check_odd(ni_lines *lines, size_t *length, neap_error *err)
{
    char *line = lines->line;
    if (*length && line[*length - 1] == '\r')
        line[--*length] = ' '; /* a line read again is still one line */
    const char *odd = memchr(line, 0, *length);
    if (odd)
        return ni_lines_fail(
            lines, NEAP_E_FORMAT, odd, err,
            "a NUL byte; this is no text file, or a damaged one (`tr -d '\\000'` removes them)");
    odd = memchr(line, '\r', *length);
    if (odd)
        return ni_lines_fail(
            lines, NEAP_E_FORMAT, odd, err,
            "a carriage return inside a line; lines end with \\n or \\r\\n (`tr '\\r' '\\n'` mends it)");
    return NEAP_OK;
}

neap_status ni_lines_next(ni_lines *lines, char **line, size_t *length, neap_error *err)
{
    *line = NULL;
    neap_status rc = lines->from == lines->whole ? ni_lines_fill(lines, err) : NEAP_OK;
    if (rc != NEAP_OK || lines->from == lines->whole) return rc;
    char *start = lines->bytes + lines->from, *end = memchr(start, '\n', lines->whole - lines->from);
    *length = (size_t)(end - start);
    if (*length > lines->most) return too_long(lines, err);
    lines->line = start;
    lines->number++;
    lines->from += *length + 1;
    if (!lines->plain) rc = check_odd(lines, length, err);
    if (rc == NEAP_OK) *line = start;
    return rc;
}

bool ni_line_is_data(const char *line, size_t length)
{
    if (*line == '#' || *line == '%') return false;
    return (*line != ' ' && *line != '\t' && *line != '\n') || strspn(line, " \t") < length;
}

neap_status ni_lines_next_data(ni_lines *lines, char **line, size_t *length, neap_error *err)
{
    neap_status rc;
    do {
        rc = ni_lines_next(lines, line, length, err);
        if (rc != NEAP_OK || !*line) return rc;
    } while (!ni_line_is_data(*line, *length));
    return NEAP_OK;
}

static void set_delimiter(ni_columns *columns, char delimiter)
{
    memset(columns, 0, sizeof *columns);
    columns->delimiter = delimiter;
    columns->quotes = delimiter == ',' || delimiter == ';' ? NI_QUOTES_STRICT : NI_QUOTES_LENIENT;
    columns->stop['\n'] = true;
    columns->stop[(unsigned char)delimiter] = true;
    if (delimiter == ' ') columns->stop['\t'] = true;
}

ni_columns ni_columns_blanks(void)
{
    ni_columns columns;
    set_delimiter(&columns, ' ');
    columns.quotes = NI_QUOTES_NONE;
    return columns;
}

/* The quote that ends what begins with the one at `at`, or NULL; *doubled: there are doubled ones before.
 */
static const char *closing_quote(const char *at, bool *doubled)
{
    *doubled = false;
    for (at++; *at != '\n'; at++) {
        if (*at != '"') continue;
        if (at[1] != '"') return at;
        *doubled = true;
        at++;
    }
    return NULL;
}

/* Where the part of a line ends that shows the delimiter: before attributes in braces, as NetworkX writes
 * them behind two names, else at the end of the line. */
static const char *telling_end(const char *line)
{
    static const char separators[] = " \t,;|";
    const char *end = strchr(line, '\n'), *last = end, *first = line + strcspn(line, " \t,;|\n");
    while (last > line && strchr(" \t\r", last[-1])) last--;
    if (last == line || last[-1] != '}') return end;
    first += strspn(first, separators);
    for (const char *at = first + 1; at < last; at++)
        if (*at == '{' && strchr(separators, at[-1]) && strchr("}'\"", at[1])) return at;
    return end;
}

/* Whether a delimiter occurs in a line outside quotes, before `stop`. A quote counts at the start of the
 * line; behind a blank, since blanks may be what really separates, it counts if another one ends a word. */
static bool has_outside(const char *line, const char *stop, char mark)
{
    const char *start = line + strspn(line, " \t");
    bool doubled;
    for (const char *at = line; at < stop; at++) {
        if (*at == mark) return true;
        if (*at != '"' || (at != start && (mark == '\t' || at[-1] != ' '))) continue;
        const char *end = closing_quote(at, &doubled);
        if (end && (at == start || end[1] == mark || strchr(" \t\n", end[1]))) at = end;
    }
    return false;
}

static char detect(const char *line)
{
    const char *stop = telling_end(line);
    for (const char *mark = "\t,;|"; *mark; mark++)
        if (has_outside(line, stop, *mark)) return *mark;
    return ' ';
}

neap_status ni_columns_choose(ni_columns *columns, const ni_common *options, const char *line,
                              neap_error *err)
{
    static const struct {
        const char *word;
        char delimiter;
    } words[] = { { "tab", '\t' },  { "\\t", '\t' },      { "space", ' ' },
                  { "comma", ',' }, { "semicolon", ';' }, { "pipe", '|' } };
    const char *asked = options->delimiter;
    if (!strcmp(asked, "auto")) return set_delimiter(columns, detect(line)), NEAP_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(asked, words[i].word)) return set_delimiter(columns, words[i].delimiter), NEAP_OK;
    if (strlen(asked) != 1 || strchr("\"\r\n", *asked))
        return ni_fail(
            err, NEAP_E_ARG,
            "delimiter is auto, tab, space, comma, semicolon, pipe or one character that is no quote, "
            "not '%s'",
            asked);
    return set_delimiter(columns, *asked), NEAP_OK;
}

static bool is_blank(const ni_columns *columns, char c)
{
    return (c == ' ' || c == '\t') && (columns->delimiter == ' ' || c != columns->delimiter);
}

/* The quoted field that starts at `at`, without its quotes; where it ended, or NULL. */
static char *find_quote(char *at, ni_field *field)
{
    const char *end = closing_quote(at, &field->doubled);
    if (!end) return NULL;
    field->at = at + 1;
    field->length = (size_t)(end - field->at);
    return field->at + field->length + 1;
}

void ni_field_undouble(ni_field *field)
{
    if (!field->doubled) return;
    size_t to = 0;
    for (size_t i = 0; i < field->length; i++) {
        field->at[to++] = field->at[i];
        if (field->at[i] == '"') i++;
    }
    field->length = to;
    field->doubled = false;
}

/* Where a quoted field ended; NULL if what follows the closing quote, or its absence, makes it none. Of
 * blanks as delimiters the first one ends it, others are skipped. */
static char *take_quoted(const ni_columns *columns, char *at, ni_field *field)
{
    char *end = find_quote(at, field);
    while (end && is_blank(columns, *end) && !columns->stop[(unsigned char)*end]) end++;
    return end && columns->stop[(unsigned char)*end] ? end : NULL;
}

static char *take_bare(const ni_columns *columns, char *at, ni_field *field)
{
    char *end = at;
    while (!columns->stop[(unsigned char)*end]) end++;
    *field = (ni_field){ at, (size_t)(end - at), false };
    while (field->length && is_blank(columns, at[field->length - 1])) field->length--;
    return end;
}

bool ni_field_next(const ni_columns *columns, char **rest, ni_field *field)
{
    char *at = *rest, *end = NULL;
    if (!at) return false;
    field->doubled = false;
    while (is_blank(columns, *at)) at++;
    if (columns->delimiter == ' ' && *at == '\n') return *rest = NULL, false;
    bool quoted = *at == '"' && columns->quotes != NI_QUOTES_NONE;
    if (quoted) end = take_quoted(columns, at, field);
    if (!end && quoted && (columns->quotes == NI_QUOTES_STRICT || !find_quote(at, field)))
        return field->at = NULL, *rest = at, true;
    if (!end) end = take_bare(columns, at, field);
    *rest = *end == '\n' ? NULL : end + 1;
    return true;
}

/* The delimiter for people. */
static const char *delimiter_words(const ni_columns *columns, char text[8])
{
    if (columns->delimiter == ' ') return "a blank";
    if (columns->delimiter == '\t') return "a tab";
    snprintf(text, 8, "'%c'", columns->delimiter);
    return text;
}

static neap_status broken_quote(const ni_lines *lines, const ni_columns *columns, const char *at,
                                neap_error *err)
{
    char text[8];
    return ni_lines_fail(lines, NEAP_E_FORMAT, at, err,
                         "a quoted name must end with a quote before %s or the end of its line; a quote "
                         "inside is written twice (`tr -d '\"'` removes all quotes)",
                         delimiter_words(columns, text));
}

static neap_status no_field(const ni_lines *lines, const ni_columns *columns, unsigned column,
                            neap_error *err)
{
    char text[8];
    if (column > 2)
        return ni_lines_fail(lines, NEAP_E_FORMAT, lines->line, err,
                             "no column %u, where the header or --columns says that a name stands", column);
    return ni_lines_fail(lines, NEAP_E_FORMAT, lines->line, err,
                         "only %u column; two names are needed, with %s between them here; --delimiter "
                         "chooses another split",
                         column - 1, delimiter_words(columns, text));
}

neap_status ni_field_name(const ni_lines *lines, const ni_columns *columns, char **rest, unsigned column,
                          ni_field *field, neap_error *err)
{
    char *start = *rest;
    field->length = 0;
    if (!ni_field_next(columns, rest, field))
        return column ? no_field(lines, columns, column, err) : NEAP_OK;
    if (!field->at) return broken_quote(lines, columns, *rest, err);
    if (field->length == 0 && column)
        return ni_lines_fail(lines, NEAP_E_FORMAT, start, err,
                             "the name in column %u is empty; a name has at least one letter", column);
    if (field->length > NI_NAME_MOST)
        return ni_lines_fail(lines, NEAP_E_LIMIT, start, err, "a name of %zu bytes; at most %d are allowed",
                             field->length, NI_NAME_MOST);
    return NEAP_OK;
}

ni_field ni_field_between(char *from, char *to)
{
    while (from < to && *from == ' ') from++;
    while (from < to && to[-1] == ' ') to--;
    return (ni_field){ from, (size_t)(to - from), false };
}

neap_status ni_field_skip(const ni_lines *lines, const ni_columns *columns, char **rest, neap_error *err)
{
    ni_field field;
    if (!ni_field_next(columns, rest, &field) || field.at) return NEAP_OK;
    return broken_quote(lines, columns, *rest, err);
}

static bool is_not_finite(const ni_field *field)
{
    static const char *const words[] = { "nan", "inf", "infinity" };
    size_t sign = field->length && (field->at[0] == '-' || field->at[0] == '+');
    for (size_t i = 0; i < 3; i++)
        if (field->length - sign == strlen(words[i]) &&
            !strncasecmp(field->at + sign, words[i], strlen(words[i])))
            return true;
    return false;
}

bool ni_field_is_number(const ni_field *field)
{
    double value;
    return ni_parse_double(field->at, field->length, &value) || is_not_finite(field);
}

neap_status ni_field_real(const ni_lines *lines, const ni_field *field, float *value, neap_error *err)
{
    double x;
    bool ok = ni_parse_double(field->at, field->length, &x);
    *value = ok ? (float)x : 0;
    if (ok && isfinite(*value)) return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, field->at, err, "'%.*s' is no finite number",
                         field->length < 40 ? (int)field->length : 40, field->at);
}

neap_status ni_field_weight(const ni_lines *lines, const ni_field *field, float *weight, neap_error *err)
{
    double value;
    if (!ni_parse_double(field->at, field->length, &value))
        return ni_lines_fail(lines, NEAP_E_FORMAT, field->at, err,
                             "'%.*s' is no finite number, hence no weight; mend it, or --weights ignore",
                             field->length < 40 ? (int)field->length : 40, field->at);
    *weight = (float)value;
    if (!(*weight > 0) || !isfinite(*weight))
        return ni_lines_fail(
            lines, NEAP_E_FORMAT, field->at, err,
            "the weight %.*s is not a positive number of ordinary size%s; --weights ignore reads the links "
            "without it",
            field->length < 40 ? (int)field->length : 40, field->at,
            value < 0    ? " (a rating, a sign or a result?)"
            : value == 0 ? " (a time or a result?); if it means that there is no link, leave the line out"
                         : "");
    return NEAP_OK;
}
