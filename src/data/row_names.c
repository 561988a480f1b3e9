/* Names of rows are looked up as they are read: memory is 4 bytes for each name that is there, whatever a
 * table claims. One thread. */
#include "data/row_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "support/path.h"
#include "support/status.h"
#include "support/text.h"

#define TWICE "a second vector for node '%.60s'"

enum { LINE_MOST = 1 << 22, ESCAPED_MOST = 3 * NI_NAME_MOST };

neap_status ni_row_names_init(ni_row_names *names, const neap_graph *graph, neap_error *err)
{
    *names = (ni_row_names){ .graph = graph, .has = ni_zeros(graph->nodes, sizeof *names->has) };
    return names->has ? NEAP_OK : ni_fail_memory(err, "names of rows");
}

void ni_row_names_free(ni_row_names *names)
{
    ni_free(names->has);
}

/* The node of a name as it stands in the file, or NEAP_NONE. A tool without escapes may have written a
 * percent sign as it is. */
static uint32_t find_node(const neap_graph *g, const char *name, size_t length)
{
    char plain[ESCAPED_MOST];
    uint32_t u;
    if (length > sizeof plain) return NEAP_NONE;
    size_t n = ni_unescape(name, length, plain);
    if (ni_names_find(&g->names, plain, n, &u) || ni_names_find(&g->names, name, length, &u)) return u;
    return NEAP_NONE;
}

/* The node has no row yet, or is none. */
static bool take(ni_row_names *names, uint32_t node)
{
    if (node == NEAP_NONE) return names->strangers++, true;
    if (names->has[node]) return false;
    return names->has[node] = true;
}

neap_status ni_row_name(ni_row_names *names, const char *name, size_t length, uint32_t *node,
                        neap_error *err)
{
    if (!ni_names_find(&names->graph->names, name, length, node)) *node = NEAP_NONE;
    if (take(names, *node)) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, TWICE, ni_name(&names->graph->names, *node));
}

neap_status ni_row_take(ni_row_names *names, const ni_lines *lines, const char *name, size_t length,
                        uint32_t *node, neap_error *err)
{
    *node = find_node(names->graph, name, length);
    if (take(names, *node)) return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, name, err, TWICE, ni_name(&names->graph->names, *node));
}

/* Where the names of a table are: X.names.txt of X.npy and X.npy.gz; as neap_graph_save does it,
 * X.mtx.names.txt of X.mtx. */
static neap_status path_beside(const char *table, char path[PATH_MAX], neap_error *err)
{
    static const char *const endings[] = { ".npy", ".safetensors" };
    size_t length = ni_path_unpacked(table);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ni_path_ends(table, length, endings[i])) {
            length -= strlen(endings[i]);
            break;
        }
    int n = snprintf(path, PATH_MAX, "%.*s.names.txt", (int)length, table);
    return n > 0 && n < PATH_MAX ? NEAP_OK : ni_fail(err, NEAP_E_ARG, "the path is too long");
}

/* *in stays NULL if there is no such file. */
static neap_status open_names(const char *path, ni_stream_in **in, neap_error *err)
{
    neap_error why = { 0 };
    neap_status rc = ni_stream_open(path, in, &why);
    if (rc == NEAP_E_READ && why.sys == ENOENT) return NEAP_OK;
    if (rc != NEAP_OK && err) *err = why;
    return rc;
}

static neap_status read_names(ni_row_names *names, ni_stream_in *in, uint64_t rows, uint32_t **node,
                              neap_error *err)
{
    ni_lines lines;
    char *line;
    size_t length, room = 0;
    uint64_t i = 0;
    neap_status rc = ni_lines_init(&lines, in, LINE_MOST, err);
    while (rc == NEAP_OK && (rc = ni_lines_next(&lines, &line, &length, err)) == NEAP_OK && line) {
        if (i < rows && !ni_grow(node, &room, (size_t)i + 1, sizeof **node))
            rc = ni_fail_memory(err, "names of rows");
        if (i < rows && rc == NEAP_OK) rc = ni_row_take(names, &lines, line, length, *node + i, err);
        i++;
    }
    if (rc == NEAP_OK && i != rows)
        rc = ni_fail_at(err, NEAP_E_FORMAT, lines.number, "%.200s: %llu names for %llu rows",
                        ni_stream_label(in), (unsigned long long)i, (unsigned long long)rows);
    ni_lines_free(&lines);
    return rc;
}

static neap_status take_in_order(ni_row_names *names, uint64_t rows, uint32_t **node, neap_error *err)
{
    uint32_t nodes = names->graph->nodes;
    if (rows != nodes) return NEAP_E_MISMATCH;
    *node = ni_array(nodes, sizeof **node);
    if (!*node) return ni_fail_memory(err, "names of rows");
    for (uint32_t u = 0; u < nodes; u++) {
        (*node)[u] = u;
        names->has[u] = true;
    }
    names->by_order = true;
    return NEAP_OK;
}

neap_status ni_row_names_beside(ni_row_names *names, const char *table, uint64_t rows, uint32_t **node,
                                neap_error *err)
{
    char path[PATH_MAX];
    ni_stream_in *in = NULL;
    *node = NULL;
    neap_status rc = path_beside(table, path, err);
    if (rc == NEAP_OK) rc = open_names(path, &in, err);
    if (rc == NEAP_OK)
        rc = in ? read_names(names, in, rows, node, err) : take_in_order(names, rows, node, err);
    if (rc == NEAP_E_MISMATCH)
        rc = ni_fail(err, rc,
                     "%.200s: %llu rows for a graph of %u nodes, and no file of names beside it: write the "
                     "names, one per line, into %.200s",
                     table, (unsigned long long)rows, names->graph->nodes, path);
    ni_stream_close(in);
    if (rc == NEAP_OK) return rc;
    ni_free(*node);
    *node = NULL;
    return rc;
}
