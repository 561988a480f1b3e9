/* Matrix Market, coordinate format: an entry (i, j) is an edge from node i to node j. The nodes are named
 * "1" .. "n" and all exist, also those without an entry. A symmetric matrix is an
 * undirected graph, each entry one edge of it. Values are weights: positive and finite, or --weights
 * ignore. */
#include <string.h>
#include <strings.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "support/status.h"
#include "support/text.h"

/* The size line may claim any number of nodes: at most NODES_FREE + NODES_PER_ENTRY per entry are
 * accepted. */
enum { NODES_FREE = 1000000, NODES_PER_ENTRY = 64 };

typedef struct mtx {
    ni_lines lines;
    ni_columns columns;
    bool values; /* entries have a third column */
    bool symmetric;
    uint64_t nodes, entries;
} mtx;

static bool word_is(const ni_field *field, const char *word)
{
    return field->length == strlen(word) && !strncasecmp(field->at, word, field->length);
}

static neap_status read_banner(mtx *m, neap_error *err)
{
    char *rest;
    size_t length;
    ni_field word[5] = { { NULL, 0, false } };
    neap_status rc = ni_lines_next(&m->lines, &rest, &length, err);
    if (rc != NEAP_OK) return rc;
    m->lines.number = 1;
    char *line = rest;
    for (int i = 0; i < 5 && ni_field_next(&m->columns, &rest, &word[i]);) i++;
    if (!line || !word_is(&word[0], "%%MatrixMarket") || !word_is(&word[1], "matrix"))
        return ni_fail_at(err, NEAP_E_FORMAT, 1,
                          "%.200s:1:1: a Matrix Market file begins with '%%%%MatrixMarket "
                          "matrix'; is this another format (--format)?",
                          ni_stream_label(m->lines.in));
    if (!word_is(&word[2], "coordinate"))
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, line, err,
                             "only coordinate matrices are graphs, not arrays");
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
static neap_status read_number(const mtx *m, char **rest, uint64_t least, uint64_t most, uint64_t *number,
                               neap_error *err)
{
    ni_field field;
    char *at = *rest ? *rest : m->lines.line;
    if (ni_field_next(&m->columns, rest, &field) && ni_parse_u64(field.at, field.length, number) &&
        *number >= least && *number <= most)
        return NEAP_OK;
    return ni_lines_fail(&m->lines, NEAP_E_FORMAT, at, err,
                         "here must stand a whole number between %llu and %llu", (unsigned long long)least,
                         (unsigned long long)most);
}

static neap_status read_size(mtx *m, neap_error *err)
{
    char *rest;
    size_t length;
    uint64_t columns = 0;
    neap_status rc = ni_lines_next_data(&m->lines, &rest, &length, err);
    if (rc == NEAP_OK && !rest)
        return ni_fail_at(err, NEAP_E_FORMAT, m->lines.number,
                          "%.200s: the line with the size of the matrix is missing",
                          ni_stream_label(m->lines.in));
    if (rc == NEAP_OK) rc = read_number(m, &rest, 0, NI_NAMES_MOST, &m->nodes, err);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 0, NI_NAMES_MOST, &columns, err);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 0, UINT64_MAX, &m->entries, err);
    if (rc == NEAP_OK && m->nodes != columns)
        rc = ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                           "%llu rows but %llu columns; the matrix of a graph is square",
                           (unsigned long long)m->nodes, (unsigned long long)columns);
    return rc;
}

static neap_status read_entry(mtx *m, char *rest, ni_builder *b, neap_error *err)
{
    uint64_t row = 0, column = 0;
    float weight = 1;
    neap_status rc = NEAP_OK;
    if (b->count == m->entries)
        rc =
            ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                          "more entries than the %llu that were announced", (unsigned long long)m->entries);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 1, m->nodes, &row, err);
    if (rc == NEAP_OK) rc = read_number(m, &rest, 1, m->nodes, &column, err);
    if (rc == NEAP_OK && b->weighted) {
        ni_field field;
        if (!ni_field_next(&m->columns, &rest, &field))
            return ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                                 "the value of the entry is missing");
        rc = ni_field_weight(&m->lines, &field, &weight, err);
    }
    if (rc == NEAP_OK && !ni_builder_add(b, (uint32_t)row - 1, (uint32_t)column - 1, weight))
        rc = ni_fail_memory(err, "edges");
    return rc;
}

static neap_status read_entries(mtx *m, ni_builder *b, neap_error *err)
{
    char *line;
    size_t length;
    neap_status rc = ni_lines_next_data(&m->lines, &line, &length, err);
    while (rc == NEAP_OK && line) {
        rc = read_entry(m, line, b, err);
        if (rc == NEAP_OK) rc = ni_lines_next_data(&m->lines, &line, &length, err);
    }
    if (rc == NEAP_OK && b->count != m->entries)
        rc = ni_fail_at(err, NEAP_E_FORMAT, m->lines.number,
                        "%.200s: %llu entries were announced, but only %zu came; is the "
                        "file cut off?",
                        ni_stream_label(m->lines.in), (unsigned long long)m->entries, b->count);
    return rc;
}

static neap_status name_nodes(const mtx *m, ni_builder *b, neap_error *err)
{
    if (m->nodes > NODES_FREE && (m->nodes - NODES_FREE) / NODES_PER_ENTRY > b->count)
        return ni_fail(err, NEAP_E_LIMIT,
                       "%.200s: %llu nodes for %zu entries; at most %d and %d more an entry are believed, "
                       "the others have no edge and are best left out",
                       ni_stream_label(m->lines.in), (unsigned long long)m->nodes, b->count, NODES_FREE,
                       NODES_PER_ENTRY);
    return ni_names_number(&b->names, 1, (uint32_t)m->nodes) ? NEAP_OK : ni_fail_memory(err, "node names");
}

neap_status ni_read_mtx(ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err)
{
    mtx m = { .columns = ni_columns_blanks() };
    neap_status rc = ni_lines_init(&m.lines, in, NI_LINE_SHORT, err);
    if (rc == NEAP_OK) rc = read_banner(&m, err);
    if (rc == NEAP_OK) rc = read_size(&m, err);
    b->weighted = m.values && options->weights == NI_WEIGHTS_AUTO;
    if (m.symmetric) b->undirected = true;
    if (rc == NEAP_OK) rc = read_entries(&m, b, err);
    if (rc == NEAP_OK) rc = name_nodes(&m, b, err);
    b->report.lines = m.lines.number;
    ni_lines_free(&m.lines);
    return rc;
}
