/* lines.h - a text file line by line, and a line column by column.
 *
 * What holds for every text format is decided here, once:
 *   - A line ends with \n or \r\n; the last one may end with the file.
 *   - A UTF-8 byte order mark at the start is skipped; a UTF-16 one is refused, and so are a NUL byte
 *     and a carriage return inside a line. What io/stream.h recognises is refused by its name.
 *   - A line has at most `most` bytes; memory is the block and that much, whatever the file holds.
 *   - Errors have FILE:LINE:COLUMN, what is wrong, and a remedy. Columns are bytes from 1.  */
#ifndef NI_LINES_H
#define NI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "graph/names.h"
#include "io/stream.h"
#include "support/status.h"

enum { NI_LINE_SHORT = 1 << 20, NI_LINE_LONG = 1 << 30 }; /* limits: of an edge; of a list of neighbours */

typedef struct ni_lines {
    ni_stream_in *in;
    char *bytes;
    size_t room, from, to, whole; /* from .. whole: whole lines; whole .. to: the start of one more */
    size_t most;
    bool ended, plain; /* plain: neither NUL nor \r among the bytes */
    char *line;        /* the last one given out */
    uint64_t number;   /* its number, from 1     */
} ni_lines;

neap_status ni_lines_init(ni_lines *lines, ni_stream_in *in, size_t most, neap_error *err);
void ni_lines_free(ni_lines *lines);

/* The next line, NULL at the end. line[length] is '\n'. It stays until the next call; its bytes are the
 * caller's to change. */
neap_status ni_lines_next(ni_lines *lines, char **line, size_t *length, neap_error *err);

/* Neither blank nor a comment: # or % as the very first byte. */
bool ni_line_is_data(const char *line, size_t length);

/* The next line with data. */
neap_status ni_lines_next_data(ni_lines *lines, char **line, size_t *length, neap_error *err);

/* Whole lines, as many as there are: lines->from .. lines->whole, nothing at the end of the file. */
neap_status ni_lines_fill(ni_lines *lines, neap_error *err);

/* Fails with "FILE:LINE:COLUMN: " before the text; `at` points into the current line. */
neap_status ni_lines_fail(const ni_lines *lines, neap_status code, const char *at, neap_error *err,
                          const char *format, ...) NI_PRINTF(5, 6);

/* How a line is split into fields. ' ' as delimiter means runs of blanks and tabs. With any other one,
 * blanks around a field do not belong to it. A field that begins with a quote is quoted as in RFC 4180
 * ("a, b" and "say ""yes""") and may not go over the end of a line. What follows the closing quote must be
 * a delimiter: otherwise the field is refused between commas and semicolons, and taken as it stands, quotes
 * and all, between others ("Weird Al" Yankovic, between tabs). */
typedef enum ni_quotes { NI_QUOTES_NONE, NI_QUOTES_LENIENT, NI_QUOTES_STRICT } ni_quotes;

typedef struct ni_columns {
    char delimiter;
    ni_quotes quotes;
    bool stop[256]; /* bytes at which an unquoted field ends */
} ni_columns;

typedef struct ni_field {
    char *at;
    size_t length;
    bool doubled; /* has quotes written twice, which ni_field_undouble makes one */
} ni_field;

/* For numbers between blanks: no quotes. */
ni_columns ni_columns_blanks(void);

/* From the option `delimiter`; if that is auto, from a line: tab, comma, semicolon or pipe, the first of
 * these that occurs in it outside quotes, else blanks. */
neap_status ni_columns_choose(ni_columns *columns, const ni_common *options, const char *line,
                              neap_error *err);

/* Takes the next field off *rest, which becomes NULL behind the last one; false if there is none left. A
 * broken quote leaves field->at NULL and *rest at the trouble. */
bool ni_field_next(const ni_columns *columns, char **rest, ni_field *field);

/* The next field as a name: there, not empty, not too long. `column` is for the message; with 0 the field
 * may be absent or empty, and its length is 0 then. */
neap_status ni_field_name(const ni_lines *lines, const ni_columns *columns, char **rest, unsigned column,
                          ni_field *field, neap_error *err);

/* What stands between two positions of a line, without the blanks around it. */
ni_field ni_field_between(char *from, char *to);

/* Skips a field, if there is one; only a broken quote is an error. */
neap_status ni_field_skip(const ni_lines *lines, const ni_columns *columns, char **rest, neap_error *err);

/* The same as ni_field_name, but only for a plain field: not empty, not too long, without blanks and
 * quotes. false: nothing was taken, and ni_field_name has to be called. */
static inline bool ni_field_plain(const ni_columns *columns, char **rest, ni_field *field)
{
    char *at = *rest, *end = at;
    if (!at) return false;
    while ((unsigned char)*end > '"' && !columns->stop[(unsigned char)*end]) end++;
    if (end == at || !columns->stop[(unsigned char)*end] || end - at > NI_NAME_MOST) return false;
    *field = (ni_field){ at, (size_t)(end - at), false };
    *rest = *end == '\n' ? NULL : end + 1;
    return true;
}

void ni_field_undouble(ni_field *field);

/* A field is a decimal number; nan and inf count, so that they can be refused. */
bool ni_field_is_number(const ni_field *field);

/* A field as a number that is finite, also as a float. */
neap_status ni_field_real(const ni_lines *lines, const ni_field *field, float *value, neap_error *err);

/* A field as a weight: finite and positive, also as a float. */
neap_status ni_field_weight(const ni_lines *lines, const ni_field *field, float *weight, neap_error *err);

/* ---- columns of an edge list ----
 *
 * Which column of an edge list has which role, and whether its first line is a header that names them.
 * The same for edges to train on and for pairs to score. The option `columns` takes precedence
 * (roles.c). Without it:
 *
 * Words of a header, in any case, with or without `id` or `node` behind them (source_id, FromNodeId):
 *   source -> target, destination      from -> to      src -> dst, dest      subject -> object
 *   head, tail      in the order in which they stand: graph theory and knowledge graphs disagree
 *   node1 -> node2, u -> v      may well be names, so they count only with --header yes or beside `weight`
 *   weight, weights, value, strength, count, wt, w      the weight; the first of this list, if several
 *   time, timestamp, datetime, date, unixtime, ts      a time, which is left out and reported
 *   relation, relationship, predicate      refused: there are no relations
 * A line that has such a pair in any two columns, and no number in its first two, is a header. Several
 * pairs are refused. A header without such a pair leaves source and target in columns 1 and 2. The weight
 * is the column with such a heading; without a header, or where it has no third word, it is column 3. */
/* MAYBE: two words that are no numbers, which the names below may show to be a header. */
typedef enum ni_header { NI_NO_HEADER, NI_MAYBE_HEADER, NI_IS_HEADER } ni_header;

/* What a column is for; also the order in the option `columns`. */
typedef enum ni_column_role { NI_SOURCE, NI_TARGET, NI_WEIGHT, NI_ROLES } ni_column_role;

typedef struct ni_layout {
    ni_columns columns;
    unsigned column[NI_ROLES]; /* from 1; 0: there is none                                             */
    unsigned time;             /* that the header calls a time; 0: none                                */
    bool ordered;              /* source and target are 1 and 2                                        */
    bool named;                /* by the option or a header: other columns may hold anything. Else 1, 2
                                  and 3 are a guess                                                    */
    bool demanded;             /* the option names a weight, so that every edge must have one          */
} ni_layout;

/* The option `columns` before the names in it are looked up. */
typedef struct ni_roles {
    unsigned count; /* 0: auto */
    struct {
        const char *text;
        size_t length;
        unsigned column; /* 0: the text is a word of the header */
    } role[NI_ROLES];
    bool worded; /* at least one is a word */
} ni_roles;

/* NEAP_E_ARG if it is no such list. */
neap_status ni_roles_read(const ni_common *options, ni_roles *roles, neap_error *err);

/* Looks words up in the first line with data; NEAP_E_FORMAT if it has not exactly one of each. */
neap_status ni_roles_find(ni_roles *roles, const ni_columns *columns, const ni_lines *lines, char *line,
                          neap_error *err);

/* A field as a word: small letters, without what joins words; false if it is longer than NI_WORD. */
enum { NI_WORD = 24 };
bool ni_field_word(const ni_field *field, char word[NI_WORD]);

/* From the options and the first line with data. */
neap_status ni_layout_choose(ni_layout *layout, const ni_common *options, const ni_lines *lines, char *line,
                             ni_header *header, neap_error *err);

/* Whether two names alone on a line are taken for a header by their words. */
bool ni_layout_is_header(const ni_field *first, const ni_field *second);

/* Source and target of a line. *rest: where ni_layout_weight has to look. */
neap_status ni_layout_names(const ni_layout *layout, const ni_lines *lines, char *line, ni_field *source,
                            ni_field *target, char **rest, neap_error *err);

/* The field of the weight; field->at is NULL if it is missing or broken. */
void ni_layout_weight(const ni_layout *layout, char *rest, ni_field *field);

#endif
