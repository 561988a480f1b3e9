/* METIS: a first line `n m [fmt]`, then line i lists the neighbours of node i, each followed by a weight
 * if fmt is 1. Lines that start with % are comments; a blank line is a node without neighbours. The nodes
 * are named "1" .. "n". Every edge stands in the lists of both its ends; it is taken from the smaller
 * one's, and sums of hashes over both halves of the lists must be equal. */
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "support/status.h"
#include "support/text.h"

typedef struct metis {
    ni_lines lines;
    ni_columns columns;
    uint64_t nodes, edges;
    bool weights;         /* the lists have some */
    uint64_t forth, back; /* sums over edges seen from the smaller and from the larger end */
    uint64_t forths, backs;
} metis;

static neap_status next_line(metis *m, char **line, neap_error *err)
{
    size_t length;
    neap_status rc;
    do rc = ni_lines_next(&m->lines, line, &length, err);
    while (rc == NEAP_OK && *line && **line == '%');
    return rc;
}

static bool take_number(const metis *m, char **rest, uint64_t *number)
{
    ni_field field;
    return ni_field_next(&m->columns, rest, &field) && ni_parse_u64(field.at, field.length, number);
}

static neap_status read_kind(metis *m, char *rest, neap_error *err)
{
    ni_field field;
    uint64_t kind = 0;
    if (!ni_field_next(&m->columns, &rest, &field)) return NEAP_OK;
    if (field.length > 3 || !ni_parse_u64(field.at, field.length, &kind) || kind > 1)
        return ni_lines_fail(
            &m->lines, NEAP_E_FORMAT, field.at, err,
            "fmt must be 0 or 1 (weights of edges); weights and sizes of nodes are not understood");
    m->weights = kind == 1;
    return NEAP_OK;
}

static neap_status read_head(metis *m, neap_error *err)
{
    char *rest;
    neap_status rc;
    do rc = next_line(m, &rest, err);
    while (rc == NEAP_OK && rest && *rest == '\n');
    if (rc != NEAP_OK) return rc;
    if (!rest || !take_number(m, &rest, &m->nodes) || !take_number(m, &rest, &m->edges))
        return ni_fail_at(err, NEAP_E_FORMAT, m->lines.number,
                          "%.200s:%llu:1: a METIS file begins with the numbers of nodes "
                          "and edges; is this another format (--format)?",
                          ni_stream_label(m->lines.in), (unsigned long long)m->lines.number);
    if (m->nodes > NI_NAMES_MOST)
        return ni_lines_fail(&m->lines, NEAP_E_LIMIT, m->lines.line, err, "at most %d nodes",
                             NI_NAMES_MOST);
    return read_kind(m, rest, err);
}

static neap_status read_weight(const metis *m, char **rest, float *weight, neap_error *err)
{
    ni_field field;
    *weight = 1;
    if (!m->weights) return NEAP_OK;
    if (!ni_field_next(&m->columns, rest, &field))
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, m->lines.line, err,
                             "the last neighbour has no weight, but fmt promises one for each");
    return ni_field_weight(&m->lines, &field, weight, err);
}

static neap_status add(metis *m, uint64_t node, uint64_t other, float weight, ni_builder *b,
                       neap_error *err)
{
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    uint64_t small = node < other ? node : other, large = node < other ? other : node;
    uint64_t hash = ni_mix(ni_mix(small << 32 | large) + bits);
    if (node > other) {
        m->back += hash;
        m->backs++;
        return NEAP_OK;
    }
    m->forth += hash;
    m->forths++;
    if (!b->weighted) weight = 1;
    return ni_builder_add(b, (uint32_t)node, (uint32_t)other, weight) ? NEAP_OK
                                                                      : ni_fail_memory(err, "edges");
}

static neap_status read_list(metis *m, uint64_t node, char *rest, ni_builder *b, neap_error *err)
{
    ni_field field;
    uint64_t other;
    float weight;
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && ni_field_next(&m->columns, &rest, &field)) {
        if (!ni_parse_u64(field.at, field.length, &other) || other < 1 || other > m->nodes)
            return ni_lines_fail(&m->lines, NEAP_E_FORMAT, field.at, err,
                                 "a neighbour is a number between 1 and %llu",
                                 (unsigned long long)m->nodes);
        if (other - 1 == node)
            return ni_lines_fail(&m->lines, NEAP_E_FORMAT, field.at, err,
                                 "node %llu is its own neighbour, which METIS forbids",
                                 (unsigned long long)other);
        rc = read_weight(m, &rest, &weight, err);
        if (rc == NEAP_OK) rc = add(m, node, other - 1, weight, b, err);
    }
    return rc;
}

static neap_status read_lists(metis *m, ni_builder *b, neap_error *err)
{
    for (uint64_t node = 0; node < m->nodes; node++) {
        char *line;
        neap_status rc = next_line(m, &line, err);
        if (rc == NEAP_OK && !line)
            rc = ni_fail_at(err, NEAP_E_FORMAT, m->lines.number,
                            "%.200s: %llu nodes were announced, but only %llu lines came; "
                            "is the file cut off?",
                            ni_stream_label(m->lines.in), (unsigned long long)m->nodes,
                            (unsigned long long)node);
        if (rc == NEAP_OK) rc = read_list(m, node, line, b, err);
        if (rc == NEAP_OK && !ni_names_number(&b->names, (uint32_t)node + 1, 1))
            rc = ni_fail_memory(err, "node names");
        if (rc != NEAP_OK) return rc;
    }
    return NEAP_OK;
}

static neap_status check_end(metis *m, neap_error *err)
{
    char *line;
    neap_status rc = next_line(m, &line, err);
    while (rc == NEAP_OK && line && line[strspn(line, " \t")] == '\n') rc = next_line(m, &line, err);
    if (rc != NEAP_OK) return rc;
    if (line)
        return ni_lines_fail(&m->lines, NEAP_E_FORMAT, line, err,
                             "more lines than the %llu nodes that were announced",
                             (unsigned long long)m->nodes);
    const char *label = ni_stream_label(m->lines.in);
    if (m->forths != m->backs || m->forth != m->back)
        return ni_fail(
            err, NEAP_E_FORMAT,
            "%.200s: an edge must stand, with the same weight, in the lists of both its ends, but "
            "some edge does not",
            label);
    if (m->forths != m->edges)
        return ni_fail(err, NEAP_E_FORMAT, "%.200s: %llu edges were announced, but %llu are listed", label,
                       (unsigned long long)m->edges, (unsigned long long)m->forths);
    return NEAP_OK;
}

neap_status ni_read_metis(ni_stream_in *in, const ni_common *options, ni_builder *b, neap_error *err)
{
    metis m = { .columns = ni_columns_blanks() };
    neap_status rc = ni_lines_init(&m.lines, in, NI_LINE_LONG, err);
    if (rc == NEAP_OK) rc = read_head(&m, err);
    b->undirected = true;
    b->weighted = m.weights && options->weights == NI_WEIGHTS_AUTO;
    if (rc == NEAP_OK) rc = read_lists(&m, b, err);
    if (rc == NEAP_OK) rc = check_end(&m, err);
    b->report.lines = m.lines.number;
    ni_lines_free(&m.lines);
    return rc;
}
