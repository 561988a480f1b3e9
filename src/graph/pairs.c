/* Pairs of names to score: the columns, quotes, comments and headers of edge lists (lines.h). */
#include <string.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "support/status.h"

struct neap_pair_reader {
    const neap_graph *graph;
    ni_stream_in *in;
    ni_lines lines;
    ni_layout layout;
    char *line;     /* read ahead: the first one, if it is no header           */
    uint64_t wordy; /* number of a first line that might be a header, 0: is not */
    ni_field source, target;
    neap_error failed; /* code 0 as long as nothing has */
};

/* Takes a line apart; each name then ends with a NUL, for which there is room where its field ended. */
static neap_status cut(neap_pair_reader *r, char *line, neap_error *err)
{
    char *rest;
    neap_status rc = ni_layout_names(&r->layout, &r->lines, line, &r->source, &r->target, &rest, err);
    if (rc != NEAP_OK) return rc;
    ni_field *const fields[] = { &r->source, &r->target };
    for (int i = 0; i < 2; i++) {
        ni_field_undouble(fields[i]);
        fields[i]->at[fields[i]->length] = 0;
    }
    return NEAP_OK;
}

static bool is_node(const neap_pair_reader *r, const ni_field *name)
{
    uint32_t node;
    return ni_names_find(&r->graph->names, name->at, name->length, &node);
}

static neap_status unknown(const neap_pair_reader *r, const ni_field *name, neap_error *err)
{
    neap_error why = { 0 };
    uint32_t node;
    if (!err) return NEAP_E_UNKNOWN;
    neap_graph_find(r->graph, name->at, &node, &why);
    bool maybe = r->lines.number == r->wordy && !is_node(r, &r->source) && !is_node(r, &r->target);
    return ni_lines_fail(&r->lines, NEAP_E_UNKNOWN, name->at, err, "%s%s", why.text,
                         maybe ? "; if this line is a header: --header yes" : "");
}

static neap_status find(const neap_pair_reader *r, const ni_field *name, uint32_t *node, neap_error *err)
{
    return ni_names_find(&r->graph->names, name->at, name->length, node) ? NEAP_OK : unknown(r, name, err);
}

/* What may be a header is one if it holds no number while the names of all nodes are numbers. */
static bool is_numbers(const neap_graph *graph)
{
    for (uint32_t u = 0; u < graph->nodes; u++) {
        ni_field name = { graph->names.bytes + graph->names.offset[u], ni_name_length(&graph->names, u),
                          false };
        if (!ni_field_is_number(&name)) return false;
    }
    return true;
}

static neap_status read_start(neap_pair_reader *r, const ni_common *options, neap_error *err)
{
    size_t length;
    ni_header is;
    neap_status rc = ni_lines_next_data(&r->lines, &r->line, &length, err);
    if (rc != NEAP_OK || !r->line) return rc;
    rc = ni_layout_choose(&r->layout, options, &r->lines, r->line, &is, err);
    if (is == NI_MAYBE_HEADER) r->wordy = r->lines.number;
    if (is == NI_IS_HEADER || (r->wordy && is_numbers(r->graph))) r->line = NULL;
    return rc;
}

neap_status neap_pair_reader_open(const char *path, const neap_options *options, const neap_graph *graph,
                                  neap_pair_reader **out, neap_error *err)
{
    *out = NULL;
    if (!path || !options || !graph)
        return ni_fail(err, NEAP_E_ARG, "neap_pair_reader_open needs a path, options and a graph");
    neap_pair_reader *r = ni_zeros(1, sizeof *r);
    if (!r) return ni_fail_memory(err, "reading pairs");
    r->graph = graph;
    ni_common common;
    neap_status rc = ni_common_read(options, &common, err);
    if (rc == NEAP_OK) rc = ni_stream_open(path, &r->in, err);
    if (rc == NEAP_OK) rc = ni_lines_init(&r->lines, r->in, NI_LINE_SHORT, err);
    if (rc == NEAP_OK) rc = read_start(r, &common, err);
    if (rc == NEAP_OK) *out = r;
    else neap_pair_reader_close(r);
    return rc;
}

void neap_pair_reader_close(neap_pair_reader *reader)
{
    if (!reader) return;
    ni_lines_free(&reader->lines);
    ni_stream_close(reader->in);
    ni_free(reader);
}

/* The next line taken apart; *more is false at the end. */
static neap_status next_line(neap_pair_reader *r, bool *more, neap_error *err)
{
    char *line = r->line;
    size_t length;
    neap_status rc = NEAP_OK;
    r->line = NULL;
    if (!line) rc = ni_lines_next_data(&r->lines, &line, &length, err);
    *more = rc == NEAP_OK && line;
    return *more ? cut(r, line, err) : rc;
}

neap_status neap_pair_reader_next(neap_pair_reader *reader, neap_pair *pairs, size_t room, size_t *count,
                                  neap_error *err)
{
    *count = 0;
    bool more = true;
    neap_status failed = (neap_status)reader->failed.code;
    while (failed == NEAP_OK && *count < room) {
        failed = next_line(reader, &more, &reader->failed);
        if (failed != NEAP_OK || !more) break;
        neap_pair *pair = &pairs[*count];
        neap_status rc = find(reader, &reader->source, &pair->source, err);
        if (rc == NEAP_OK) rc = find(reader, &reader->target, &pair->target, err);
        if (rc != NEAP_OK) return rc;
        ++*count;
    }
    if (failed != NEAP_OK && err) *err = reader->failed;
    return failed;
}

uint64_t ni_pair_reader_line(const neap_pair_reader *reader)
{
    return reader->lines.number;
}

void neap_pair_reader_unknown(const neap_pair_reader *reader, const char **source, const char **target)
{
    *source = reader->source.at;
    *target = reader->target.at;
}
