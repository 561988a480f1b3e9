/* Matrix Market, coordinate format: an entry (i, j) is an edge from node i to node j. The nodes are named
 * "1" .. "n" and all exist, also those without an entry. A symmetric matrix is an
 * undirected graph, each entry one edge of it. Values are weights: positive and finite, or --weights
 * ignore. */
#include "base/sys.h"
#include "graph/graph.h"
#include "graph/mtx.h"
#include "support/status.h"

/* The size line may claim any number of nodes: at most NODES_FREE + NODES_PER_ENTRY per entry are
 * accepted. */
enum { NODES_FREE = 1000000, NODES_PER_ENTRY = 64 };

static neap_status check_square(const ni_mtx *m, neap_error *err)
{
    if (m->rows == m->columns) return NEAP_OK;
    return ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                         "%llu rows but %llu columns; the matrix of a graph is square",
                         (unsigned long long)m->rows, (unsigned long long)m->columns);
}

static neap_status read_entries(ni_mtx *m, ni_builder *b, neap_error *err)
{
    for (;;) {
        uint32_t row, column;
        ni_field value;
        float weight = 1;
        bool more;
        neap_status rc = ni_mtx_next(m, &row, &column, &value, &more, err);
        if (rc != NEAP_OK || !more) return rc;
        if (b->weighted) rc = ni_field_weight(&m->lines, &value, &weight, err);
        if (rc == NEAP_OK && !ni_builder_add(b, row, column, weight)) rc = ni_fail_memory(err, "edges");
        if (rc != NEAP_OK) return rc;
    }
}

static neap_status name_nodes(const ni_mtx *m, ni_builder *b, neap_error *err)
{
    if (m->rows > NODES_FREE && (m->rows - NODES_FREE) / NODES_PER_ENTRY > b->count)
        return ni_fail(err, NEAP_E_LIMIT,
                       "%.200s: %llu nodes for %zu entries; at most %d and %d more an entry are believed, "
                       "the others have no edge and are best left out",
                       ni_stream_label(m->lines.in), (unsigned long long)m->rows, b->count, NODES_FREE,
                       NODES_PER_ENTRY);
    return ni_names_number(&b->names, 1, (uint32_t)m->rows) ? NEAP_OK : ni_fail_memory(err, "node names");
}

neap_status ni_read_mtx(ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err)
{
    ni_mtx m;
    neap_status rc = ni_mtx_begin(&m, in, err);
    if (rc == NEAP_OK) rc = check_square(&m, err);
    b->weighted = m.values && options->weights == NI_WEIGHTS_AUTO;
    if (m.symmetric) b->undirected = true;
    if (rc == NEAP_OK) rc = read_entries(&m, b, err);
    if (rc == NEAP_OK) rc = name_nodes(&m, b, err);
    b->report.lines = m.lines.number;
    ni_mtx_end(&m);
    return rc;
}
