/* Matrix Market, coordinate format: pattern, real or integer values, general or symmetric. O(bytes); one
 * thread. */
#include "graph/mtx.h"

#include <string.h>
#include <strings.h>

#include "support/status.h"
#include "support/text.h"

static bool word_is(const ni_field *field, const char *word)
{
    return field->length == strlen(word) && !strncasecmp(field->at, word, field->length);
}

static neap_status read_banner(ni_mtx *m, neap_error *err)
{
    char *rest;
    size_t length;
    ni_field word[5] = { { NULL, 0, false } };
    neap_status rc = ni_lines_next(&m->lines, &rest, &length, err);
    if (rc != NEAP_OK) return rc;
    m->lines.number = 1;
    char *line = rest;
    for (int i = 0; i < 5 && ni_field_next(&m->blanks, &rest, &word[i]);) i++;
    if (!line || !word_is(&word[0], "%%MatrixMarket") || !word_is(&word[1], "matrix"))
        return ni_fail_at(err, NEAP_E_FORMAT, 1,
                          "%.200s:1:1: a Matrix Market file begins with '%%%%MatrixMarket "
                          "matrix'; is this another format (--format)?",
                          ni_stream_label(m->lines.in));
    if (!word_is(&word[2], "coordinate"))
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, line, err,
                             "only coordinate matrices are read, not arrays");
    m->values = !word_is(&word[3], "pattern");
    if (m->values && !word_is(&word[3], "real") && !word_is(&word[3], "integer"))
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, line, err,
                             "the values must be pattern, real or integer");
    m->symmetric = word_is(&word[4], "symmetric");
    if (!word_is(&word[4], "general") && !m->symmetric)
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, line, err,
                             "the matrix must be general or symmetric");
    return NEAP_OK;
}

/* The next field as a whole number of at most `most`, at least `least`. */
static neap_status read_number(const ni_mtx *m, char **rest, uint64_t least, uint64_t most,
                               uint64_t *number, neap_error *err)
{
    ni_field field;
    char *at = *rest ? *rest : m->lines.line;
    if (ni_field_next(&m->blanks, rest, &field) && ni_parse_u64(field.at, field.length, number) &&
        *number >= least && *number <= most)
        return NEAP_OK;
    return ni_lines_fail(&m->lines, NEAP_E_FORMAT, at, err,
                         "here must stand a whole number between %llu and %llu", (unsigned long long)least,
                         (unsigned long long)most);
}

static neap_status read_size(ni_mtx *m, neap_error *err)
{
    char *rest;
    size_t length;
    neap_status rc = ni_lines_next_data(&m->lines, &rest, &length, err);
    if (rc == NEAP_OK && !rest)
        return ni_fail_at(err, NEAP_E_FORMAT, m->lines.number,
                          "%.200s: the line with the size of the matrix is missing",
                          ni_stream_label(m->lines.in));
    if (rc == NEAP_OK) rc = read_number(m, &rest, 0, NI_NAMES_MOST, &m->rows, err);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 0, NI_NAMES_MOST, &m->columns, err);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 0, UINT64_MAX, &m->entries, err);
    return rc;
}

neap_status ni_mtx_begin(ni_mtx *m, ni_stream_in *in, neap_error *err)
{
    *m = (ni_mtx){ .blanks = ni_columns_blanks() };
    neap_status rc = ni_lines_init(&m->lines, in, NI_LINE_SHORT, err);
    if (rc == NEAP_OK) rc = read_banner(m, err);
    if (rc == NEAP_OK) rc = read_size(m, err);
    return rc;
}

void ni_mtx_end(ni_mtx *m)
{
    ni_lines_free(&m->lines);
}

/* Behind the last line. */
static neap_status check_end(const ni_mtx *m, neap_error *err)
{
    if (m->taken == m->entries) return NEAP_OK;
    return ni_fail_at(err, NEAP_E_FORMAT, m->lines.number,
                      "%.200s: %llu entries were announced, but only %llu came; is the file cut off?",
                      ni_stream_label(m->lines.in), (unsigned long long)m->entries,
                      (unsigned long long)m->taken);
}

neap_status ni_mtx_next(ni_mtx *m, uint32_t *row, uint32_t *column, ni_field *value, bool *more,
                        neap_error *err)
{
    uint64_t i = 1, j = 1;
    char *rest;
    size_t length;
    neap_status rc = ni_lines_next_data(&m->lines, &rest, &length, err);
    *more = rc == NEAP_OK && rest;
    if (rc != NEAP_OK || !rest) return rc == NEAP_OK ? check_end(m, err) : rc;
    if (m->taken++ == m->entries)
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                             "more entries than the %llu that were announced",
                             (unsigned long long)m->entries);
    rc = read_number(m, &rest, 1, m->rows, &i, err);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 1, m->columns, &j, err);
    if (rc == NEAP_OK && m->values && !ni_field_next(&m->blanks, &rest, value))
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                             "the value of the entry is missing");
    *row = (uint32_t)i - 1, *column = (uint32_t)j - 1;
    return rc;
}
