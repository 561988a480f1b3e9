/* Graphs from arrays in memory: a list of edges, or the separate arrays that other programs have. */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "graph/graph.h"
#include "support/status.h"

/* ---- names ---- */

static neap_status add_name(ni_builder *b, uint32_t u, const char *name, size_t length, neap_error *err)
{
    uint32_t number;
    if (!length) return ni_fail(err, NEAP_E_ARG, "node %u has no name", u);
    if (!ni_names_intern(&b->names, name, length, &number)) return ni_fail_memory(err, "node names");
    if (number == u) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "nodes %u and %u are both named '%.*s'", number, u,
                   (int)(length < 100 ? length : 100), name);
}

static neap_status number_names(ni_builder *b, uint32_t nodes, neap_error *err)
{
    return ni_names_number(&b->names, 0, nodes) ? NEAP_OK : ni_fail_memory(err, "node names");
}

static neap_status check_nodes(uint32_t nodes, neap_error *err)
{
    if (nodes <= NI_NAMES_MOST) return NEAP_OK;
    return ni_fail(err, NEAP_E_LIMIT, "at most %d nodes, not %u", NI_NAMES_MOST, nodes);
}

static neap_status add_strings(ni_builder *b, uint32_t nodes, const char *const *names, neap_error *err)
{
    neap_status rc = check_nodes(nodes, err);
    if (rc == NEAP_OK && !names) return number_names(b, nodes, err);
    for (uint32_t u = 0; u < nodes && rc == NEAP_OK; u++)
        rc = add_name(b, u, names[u], names[u] ? strlen(names[u]) : 0, err);
    return rc;
}

/* A NUL at the end of a name is left aside, one inside is an error. */
static neap_status add_bytes(ni_builder *b, const neap_graph_arrays *a, neap_error *err)
{
    neap_status rc = check_nodes(a->nodes, err);
    if (rc == NEAP_OK && !a->name_bytes) return number_names(b, a->nodes, err);
    if (rc == NEAP_OK && !a->name_offset) rc = ni_fail(err, NEAP_E_ARG, "names need their offsets");
    for (uint32_t u = 0; u < a->nodes && rc == NEAP_OK; u++) {
        uint64_t from = a->name_offset[u], to = a->name_offset[u + 1];
        if (to < from) return ni_fail(err, NEAP_E_ARG, "the offsets of names fall at node %u", u);
        size_t length = (size_t)(to - from);
        if (length && !a->name_bytes[to - 1]) length--;
        if (memchr(a->name_bytes + from, 0, length))
            return ni_fail(err, NEAP_E_ARG, "the name of node %u has a NUL inside", u);
        rc = add_name(b, u, a->name_bytes + from, length, err);
    }
    return rc;
}

/* ---- edges ---- */

static neap_status add_edge(ni_builder *b, uint32_t nodes, uint64_t i, neap_edge e, neap_error *err)
{
    if (e.source >= nodes || e.target >= nodes)
        return ni_fail_at(err, NEAP_E_ARG, i, "edge %llu goes from %u to %u, but there are only %u nodes",
                          (unsigned long long)i, e.source, e.target, nodes);
    if (b->weighted && (!(e.weight > 0) || !isfinite(e.weight)))
        return ni_fail_at(err, NEAP_E_ARG, i, "the weight of edge %llu is not positive and finite",
                          (unsigned long long)i);
    return ni_builder_add(b, e.source, e.target, b->weighted ? e.weight : 1) ? NEAP_OK
                                                                             : ni_fail_memory(err, "edges");
}

static neap_status add_coordinates(ni_builder *b, const neap_graph_arrays *a, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (uint64_t i = 0; i < a->edges && rc == NEAP_OK; i++)
        rc = add_edge(b, a->nodes, i,
                      (neap_edge){ a->source[i], a->target[i], a->weight ? a->weight[i] : 1 }, err);
    return rc;
}

static neap_status add_rows(ni_builder *b, const neap_graph_arrays *a, neap_error *err)
{
    neap_status rc = NEAP_OK;
    if (!a->offset && !a->edges) return NEAP_OK;
    if (!a->offset) return ni_fail(err, NEAP_E_ARG, "edges need their sources, or the offsets of rows");
    if (a->offset[0] != 0 || a->offset[a->nodes] != a->edges)
        return ni_fail(err, NEAP_E_ARG, "the offsets of rows must go from 0 to the number of edges");
    for (uint32_t u = 0; u < a->nodes; u++) {
        if (a->offset[u + 1] < a->offset[u] || a->offset[u + 1] > a->edges)
            return ni_fail(err, NEAP_E_ARG, "the offsets of rows fall at node %u", u);
        for (uint64_t i = a->offset[u]; i < a->offset[u + 1] && rc == NEAP_OK; i++)
            rc =
                add_edge(b, a->nodes, i, (neap_edge){ u, a->target[i], a->weight ? a->weight[i] : 1 }, err);
        if (rc != NEAP_OK) return rc;
    }
    return NEAP_OK;
}

/* ---- in public ---- */

neap_status neap_graph_create(uint32_t nodes, const char *const *names, const neap_edge *edges,
                              uint64_t count, int weighted, int undirected, neap_graph **out,
                              neap_error *err)
{
    *out = NULL;
    ni_builder b;
    ni_builder_init(&b);
    b.weighted = weighted != 0;
    b.undirected = undirected != 0;
    neap_status rc = add_strings(&b, nodes, names, err);
    for (uint64_t i = 0; i < count && rc == NEAP_OK; i++) rc = add_edge(&b, nodes, i, edges[i], err);
    if (rc == NEAP_OK) rc = ni_builder_finish(&b, out, err);
    ni_builder_free(&b);
    return rc;
}

neap_status neap_graph_from_arrays(const neap_graph_arrays *arrays, neap_graph **out, neap_error *err)
{
    neap_graph_arrays a;
    *out = NULL;
    neap_status rc = ni_sized_in(&a, sizeof a, arrays, "neap_graph_arrays", err);
    if (rc != NEAP_OK) return rc;
    if (!a.target && a.edges) return ni_fail(err, NEAP_E_ARG, "edges need their targets");
    ni_builder b;
    ni_builder_init(&b);
    b.weighted = a.weight != NULL;
    b.undirected = a.undirected != 0;
    rc = add_bytes(&b, &a, err);
    if (rc == NEAP_OK) rc = a.source ? add_coordinates(&b, &a, err) : add_rows(&b, &a, err);
    if (rc == NEAP_OK) rc = ni_builder_finish(&b, out, err);
    ni_builder_free(&b);
    return rc;
}
