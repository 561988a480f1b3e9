/* Adjacency lists: a node and those it has edges to, one node a line. Names, delimiters and comments are
 * those of edge lists; a node alone on its line has no edge; empty fields are skipped. */
#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "support/status.h"

static neap_status intern(const ni_lines *lines, ni_names *names, ni_field *field, uint32_t *number,
                          neap_error *err)
{
    ni_field_undouble(field);
    if (ni_names_intern(names, field->at, field->length, number)) return NEAP_OK;
    if (names->count < NI_NAMES_MOST) return ni_fail_memory(err, "node names");
    return ni_lines_fail(lines, NEAP_E_LIMIT, field->at, err, "more than %d different names",
                         NI_NAMES_MOST);
}

static neap_status read_row(const ni_lines *lines, const ni_columns *columns, char *rest, ni_builder *b,
                            neap_error *err)
{
    ni_field field;
    uint32_t source, target;
    neap_status rc = ni_field_name(lines, columns, &rest, 1, &field, err);
    if (rc == NEAP_OK) rc = intern(lines, &b->names, &field, &source, err);
    while (rc == NEAP_OK && rest) {
        rc = ni_field_name(lines, columns, &rest, 0, &field, err);
        if (rc != NEAP_OK || field.length == 0) continue;
        rc = intern(lines, &b->names, &field, &target, err);
        if (rc == NEAP_OK && !ni_builder_add(b, source, target, 1)) rc = ni_fail_memory(err, "edges");
    }
    return rc;
}

neap_status ni_read_adjacency(ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err)
{
    ni_lines lines;
    ni_columns columns = { 0 };
    char *line;
    size_t length;
    neap_status rc = ni_lines_init(&lines, in, NI_LINE_LONG, err);
    if (rc == NEAP_OK) rc = ni_lines_next_data(&lines, &line, &length, err);
    if (rc == NEAP_OK && line) rc = ni_columns_choose(&columns, options, line, err);
    while (rc == NEAP_OK && line) {
        rc = read_row(&lines, &columns, line, b, err);
        if (rc == NEAP_OK) rc = ni_lines_next_data(&lines, &line, &length, err);
    }
    b->report.delimiter = columns.delimiter;
    b->report.lines = lines.number;
    ni_lines_free(&lines);
    return rc;
}
