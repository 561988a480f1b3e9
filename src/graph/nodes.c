/* Lists of nodes: a name per line. The whole line is the name; if there is none such, the line without the
 * blanks around it. */
#include <string.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "support/status.h"

typedef struct reader {
    ni_lines lines;
    const neap_graph *graph;
    uint32_t *node;
    size_t count, room;
} reader;

static neap_status unknown(const reader *r, char *name, size_t length, neap_error *err)
{
    neap_error why = { 0 };
    uint32_t node;
    if (!err) return NEAP_E_UNKNOWN;
    name[length] = 0;
    neap_graph_find(r->graph, name, &node, &why);
    return ni_lines_fail(&r->lines, NEAP_E_UNKNOWN, name, err, "%s%s", why.text,
                         strchr(name, '\t') ? "; a line is one name and nothing else" : "");
}

/* A name may look like a comment or begin with a blank: so names are looked up first. */
static neap_status take_line(reader *r, char *line, size_t length, neap_error *err)
{
    uint32_t node;
    bool found = ni_names_find(&r->graph->names, line, length, &node);
    if (!found && !ni_line_is_data(line, length)) return NEAP_OK;
    if (!found) {
        while (length && strchr(" \t", line[length - 1])) length--;
        while (length && strchr(" \t", *line)) line++, length--;
        if (!ni_names_find(&r->graph->names, line, length, &node)) return unknown(r, line, length, err);
    }
    if (!ni_grow(&r->node, &r->room, r->count + 1, sizeof *r->node))
        return ni_fail_memory(err, "a list of nodes");
    r->node[r->count++] = node;
    return NEAP_OK;
}

static neap_status read_all(reader *r, ni_stream_in *in, neap_error *err)
{
    neap_status rc = ni_lines_init(&r->lines, in, NI_LINE_SHORT, err);
    while (rc == NEAP_OK) {
        char *line;
        size_t length;
        rc = ni_lines_next(&r->lines, &line, &length, err);
        if (rc != NEAP_OK || !line) break;
        rc = take_line(r, line, length, err);
    }
    ni_lines_free(&r->lines);
    if (rc == NEAP_OK && !r->count)
        rc = ni_fail(err, NEAP_E_FORMAT, "%.200s names no node; a line is the name of one",
                     ni_stream_label(in));
    return rc;
}

neap_status neap_nodes_load(const char *path, const neap_graph *graph, neap_nodes **out, neap_error *err)
{
    *out = NULL;
    if (!path || !graph) return ni_fail(err, NEAP_E_ARG, "neap_nodes_load needs a path and a graph");
    reader r = { .graph = graph };
    ni_stream_in *in;
    neap_status rc = ni_stream_open(path, &in, err);
    if (rc != NEAP_OK) return rc;
    rc = read_all(&r, in, err);
    ni_stream_close(in);
    neap_nodes *nodes = rc == NEAP_OK ? ni_zeros(1, sizeof *nodes) : NULL;
    if (rc == NEAP_OK && !nodes) rc = ni_fail_memory(err, "a list of nodes");
    if (rc == NEAP_OK) *nodes = (neap_nodes){ sizeof *nodes, r.count, r.node };
    else ni_free(r.node);
    *out = nodes;
    return rc;
}

void neap_nodes_free(neap_nodes *nodes)
{
    if (!nodes) return;
    ni_free((void *)nodes->node);
    ni_free(nodes);
}
