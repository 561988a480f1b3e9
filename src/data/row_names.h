/* row_names.h - which row of a table belongs to which node.
 *
 * A row may have its name in the table, or in the file X.names.txt beside the table X.npy (X.mtx.names.txt
 * beside X.mtx), one name per line. Without that file the rows are the nodes of the graph in their order.
 * %XX in a name is the byte XX, as neap_vectors_save writes it. */
#ifndef NI_ROW_NAMES_H
#define NI_ROW_NAMES_H

#include "graph/graph.h"
#include "graph/lines.h"

typedef struct ni_row_names {
    const neap_graph *graph;
    bool *has;          /* of each node: it has a row  */
    uint64_t strangers; /* rows of nodes that the graph does not have */
    bool by_order;      /* no names were found         */
} ni_row_names;

/* To be freed in any case. */
neap_status ni_row_names_init(ni_row_names *names, const neap_graph *graph, neap_error *err);
void ni_row_names_free(ni_row_names *names);

/* The node of a name as it is, NEAP_NONE for a stranger; NEAP_E_FORMAT if it has a row already. */
neap_status ni_row_name(ni_row_names *names, const char *name, size_t length, uint32_t *node,
                        neap_error *err);

/* The same of a name in a line, with its escapes. */
neap_status ni_row_take(ni_row_names *names, const ni_lines *lines, const char *name, size_t length,
                        uint32_t *node, neap_error *err);

/* The nodes of all `rows` of the table at this path, from the names beside it or by order: *node receives
 * an array for ni_free. NEAP_E_MISMATCH if there are no names and another number of rows than nodes. */
neap_status ni_row_names_beside(ni_row_names *names, const char *table, uint64_t rows, uint32_t **node,
                                neap_error *err);

#endif
