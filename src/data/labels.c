/* Classes of nodes from lines `node<TAB>class`, or one class per line. Class names are interned like
 * node names. O(bytes of the file); one thread. */
#include "data/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "io/stream.h"
#include "support/status.h"

typedef struct reader {
    ni_lines lines;
    ni_columns columns;
    const neap_graph *graph;
    ni_labels *labels;
    bool by_line;
} reader;

static int shown(const ni_field *field)
{
    return field->length < 60 ? (int)field->length : 60;
}

/* The class `value` for a node; counts strangers. */
static neap_status set_class(reader *r, const ni_field *node, const ni_field *value, neap_error *err)
{
    ni_labels *labels = r->labels;
    uint32_t u, c;
    if (!ni_names_find(&r->graph->names, node->at, node->length, &u)) {
        labels->strangers++;
        return NEAP_OK;
    }
    if (!ni_names_intern(&labels->classes, value->at, value->length, &c))
        return ni_fail_memory(err, "classes");
    if (labels->of[u] != NEAP_NONE && labels->of[u] != c)
        return ni_lines_fail(&r->lines, NEAP_E_FORMAT, value->at, err,
                             "node '%.*s' is '%.*s' here and '%.60s' before; a node has one class",
                             shown(node), node->at, shown(value), value->at,
                             ni_name(&labels->classes, labels->of[u]));
    labels->labelled += labels->of[u] == NEAP_NONE;
    labels->of[u] = c;
    return NEAP_OK;
}

static neap_status read_pair(reader *r, char *line, neap_error *err)
{
    ni_field node, value, more;
    char *rest = line;
    neap_status rc = ni_field_name(&r->lines, &r->columns, &rest, 1, &node, err);
    if (rc == NEAP_OK) rc = ni_field_name(&r->lines, &r->columns, &rest, 0, &value, err);
    if (rc != NEAP_OK) return rc;
    if (value.length == 0)
        return ni_lines_fail(
            &r->lines, NEAP_E_FORMAT, line, err,
            "no class; a line is a node, a tab and its class (--by-line: line i, from 0, is the "
            "class of the node named i)");
    if (ni_field_next(&r->columns, &rest, &more))
        return ni_lines_fail(&r->lines, NEAP_E_FORMAT, more.at ? more.at : line, err,
                             "more than two columns; a class with %s in it needs a tab before it",
                             r->columns.delimiter == ' ' ? "blanks" : "the delimiter");
    ni_field_undouble(&node);
    ni_field_undouble(&value);
    return set_class(r, &node, &value, err);
}

/* The whole line, blanks around it left aside, is the class of the node named by the line's number. */
static neap_status read_whole(reader *r, char *line, size_t length, neap_error *err)
{
    char name[24];
    ni_field node = { name, 0, false }, value = { line, length, false };
    while (value.length && strchr(" \t", value.at[0])) value.at++, value.length--;
    while (value.length && strchr(" \t", value.at[value.length - 1])) value.length--;
    if (value.length == 0) return NEAP_OK;
    if (value.length > NI_NAME_MOST)
        return ni_lines_fail(&r->lines, NEAP_E_LIMIT, value.at, err,
                             "a class of %zu bytes; at most %d are allowed", value.length, NI_NAME_MOST);
    node.length = (size_t)snprintf(name, sizeof name, "%" PRIu64, r->lines.number - 1);
    return set_class(r, &node, &value, err);
}

/* The delimiter comes from the first line with data, whatever that of the graph is. */
static neap_status read_lines(reader *r, neap_error *err)
{
    static const ni_common detect = { .delimiter = "auto" };
    bool first = true;
    for (;;) {
        char *line;
        size_t length;
        neap_status rc = r->by_line ? ni_lines_next(&r->lines, &line, &length, err)
                                    : ni_lines_next_data(&r->lines, &line, &length, err);
        if (rc != NEAP_OK || !line) return rc;
        if (first && !r->by_line) rc = ni_columns_choose(&r->columns, &detect, line, err);
        first = false;
        if (rc == NEAP_OK) rc = r->by_line ? read_whole(r, line, length, err) : read_pair(r, line, err);
        if (rc != NEAP_OK) return rc;
    }
}

/* As many clusters as nodes would agree with them perfectly. Such classes come from the wrong column, or
 * from lines `node class` that are read by line. */
static neap_status refuse_singles(const reader *r, neap_error *err)
{
    return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number,
                      "%.200s: each of the %u labelled nodes has a class of its own, such as '%.60s', so "
                      "there is nothing to find; %s",
                      ni_stream_label(r->lines.in), r->labels->labelled, ni_name(&r->labels->classes, 0),
                      r->by_line ? "if its lines are a node and its class, leave out --by-line"
                                 : "a line is a node, a tab and the class it shares with others");
}

static neap_status count_classes(const reader *r, neap_error *err)
{
    ni_labels *labels = r->labels;
    const char *file = ni_stream_label(r->lines.in);
    if (labels->labelled == 0 && labels->strangers == 0)
        return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number, "%.200s: there is no label in this file",
                          file);
    if (labels->labelled == 0)
        return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number,
                          "%.200s: none of its %" PRIu64
                          " labels is of a node of the graph; are the names the "
                          "same? (--by-line: line i, from 0, is the class of the node named i)",
                          file, labels->strangers);
    if (labels->classes.count == 1)
        return ni_fail_at(err, NEAP_E_FORMAT, r->lines.number,
                          "%.200s: all %u labelled nodes are of class '%.60s'; two classes are needed",
                          file, labels->labelled, ni_name(&labels->classes, 0));
    if (labels->classes.count == labels->labelled) return refuse_singles(r, err);
    labels->count = ni_zeros(labels->classes.count, sizeof *labels->count);
    if (!labels->count) return ni_fail_memory(err, "classes");
    for (uint32_t u = 0; u < labels->nodes; u++)
        if (labels->of[u] != NEAP_NONE) labels->count[labels->of[u]]++;
    return NEAP_OK;
}

neap_status ni_labels_read(const char *path, const neap_graph *graph, bool by_line, ni_labels *out,
                           neap_error *err)
{
    ni_stream_in *in = NULL;
    reader r = { .graph = graph, .labels = out, .by_line = by_line };
    *out = (ni_labels){ .nodes = graph->nodes };
    ni_names_init(&out->classes);
    out->of = ni_array(graph->nodes, sizeof *out->of);
    neap_status rc = out->of ? ni_stream_open(path, &in, err) : ni_fail_memory(err, "classes");
    if (rc == NEAP_OK)
        rc = ni_foreign_refuse(in, "classes are read from text: a node, a tab and its class a line", err);
    if (rc == NEAP_OK) rc = ni_lines_init(&r.lines, in, NI_LINE_SHORT, err);
    if (rc != NEAP_OK) goto done;
    for (uint32_t u = 0; u < graph->nodes; u++) out->of[u] = NEAP_NONE;
    rc = read_lines(&r, err);
    if (rc == NEAP_OK) rc = count_classes(&r, err);
done:
    ni_lines_free(&r.lines);
    ni_stream_close(in);
    if (rc != NEAP_OK) ni_labels_free(out);
    return rc;
}

void ni_labels_free(ni_labels *labels)
{
    ni_free(labels->of);
    ni_free(labels->count);
    ni_names_free(&labels->classes);
    *labels = (ni_labels){ 0 };
}

neap_status neap_labels_load(const char *path, const neap_graph *graph, int by_line, neap_labels **out,
                             neap_error *err)
{
    *out = NULL;
    neap_labels *labels = ni_array(1, sizeof *labels);
    if (!labels) return ni_fail_memory(err, "classes");
    neap_status rc = ni_labels_read(path, graph, by_line, labels, err);
    if (rc == NEAP_OK) *out = labels;
    else ni_free(labels);
    return rc;
}

void neap_labels_free(neap_labels *labels)
{
    if (!labels) return;
    ni_labels_free(labels);
    ni_free(labels);
}

neap_status neap_labels_facts_of(const neap_labels *labels, neap_labels_facts *facts, neap_error *err)
{
    neap_labels_facts mine = { .nodes = labels->nodes,
                               .labelled = labels->labelled,
                               .classes = labels->classes.count,
                               .strangers = labels->strangers,
                               .of = labels->of,
                               .count = labels->count };
    return ni_sized_out(&mine, sizeof mine, facts, "neap_labels_facts", err);
}

const char *neap_labels_class(const neap_labels *labels, uint32_t class_number)
{
    return class_number < labels->classes.count ? ni_name(&labels->classes, class_number) : NULL;
}
