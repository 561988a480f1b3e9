/* A graph as tensors and back. Reading checks every invariant of the struct, in O(nodes + edges), before
 * the graph is used. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "io/tensors.h"
#include "support/status.h"

void ni_graph_to_tensors(const neap_graph *graph, ni_tensors *t)
{
    uint64_t offsets = (uint64_t)graph->nodes + 1;
    ni_tensors_add(t, "graph.offsets", NI_U64, 1, &offsets, graph->offset);
    ni_tensors_add(t, "graph.targets", NI_U32, 1, &graph->edges, graph->target);
    if (graph->weight) ni_tensors_add(t, "graph.weights", NI_F32, 1, &graph->edges, graph->weight);
    ni_tensors_add(t, "names.offsets", NI_U64, 1, &offsets, graph->names.offset);
    ni_tensors_add(t, "names.bytes", NI_U8, 1, &graph->names.offset[graph->nodes], graph->names.bytes);
    ni_tensors_put(t, "undirected", graph->undirected ? "yes" : "no");
}

void ni_graph_to_file(const neap_graph *graph, ni_tensors *t)
{
    ni_tensors_put(t, "neap.kind", "graph");
    ni_graph_to_tensors(graph, t);
}

static neap_status broken(neap_error *err, const char *tensor, uint64_t where, const char *why)
{
    return ni_fail_at(err, NEAP_E_FORMAT, where, "the graph in the file is damaged: %s[%llu] %s", tensor,
                      (unsigned long long)where, why);
}

/* Offsets start at 0, never fall, and end at the number of items. */
static neap_status check_offsets(const char *tensor, const uint64_t *offset, uint64_t rows, uint64_t items,
                                 neap_error *err)
{
    if (offset[0] != 0) return broken(err, tensor, 0, "is not 0");
    for (uint64_t i = 0; i < rows; i++)
        if (offset[i + 1] < offset[i]) return broken(err, tensor, i + 1, "is less than the one before it");
    return offset[rows] == items ? NEAP_OK : broken(err, tensor, rows, "is not the number of items");
}

static neap_status check_row(const neap_graph *g, uint32_t u, neap_error *err)
{
    for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
        if (g->target[i] >= g->nodes) return broken(err, "graph.targets", i, "is no node");
        if (i > g->offset[u] && g->target[i] <= g->target[i - 1])
            return broken(err, "graph.targets", i, "is out of order");
        if (g->undirected && g->target[i] < u)
            return broken(err, "graph.targets", i, "stands at the larger node of an undirected pair");
        if (g->weight && (!(g->weight[i] > 0) || !isfinite(g->weight[i])))
            return broken(err, "graph.weights", i, "is not positive and finite");
    }
    return NEAP_OK;
}

/* Every name has a letter, ends with its only NUL, and occurs once. */
static neap_status check_names(ni_names *names, neap_error *err)
{
    for (uint32_t i = 0; i < names->count; i++) {
        uint64_t size = names->offset[i + 1] - names->offset[i];
        if (size < 2 || size > UINT32_MAX)
            return broken(err, "names.offsets", i, "gives a name of no possible length");
        if (memchr(ni_name(names, i), 0, (size_t)size) != ni_name(names, i) + size - 1)
            return broken(err, "names.bytes", names->offset[i],
                          "starts a name that does not end with its only NUL");
    }
    uint32_t twin;
    if (!ni_names_index(names, &twin)) return ni_fail_memory(err, "node names");
    return twin == names->count ? NEAP_OK
                                : broken(err, "names.offsets", twin, "gives a name for the second time");
}

static neap_status check_graph(neap_graph *g, uint64_t name_bytes, neap_error *err)
{
    neap_status rc = check_offsets("graph.offsets", g->offset, g->nodes, g->edges, err);
    for (uint32_t u = 0; u < g->nodes && rc == NEAP_OK; u++) rc = check_row(g, u, err);
    if (rc == NEAP_OK) rc = check_offsets("names.offsets", g->names.offset, g->nodes, name_bytes, err);
    return rc == NEAP_OK ? check_names(&g->names, err) : rc;
}

/* What the file gives, not yet checked beyond types and shapes. */
typedef struct views {
    uint64_t nodes, edges, name_bytes;
    const void *offset, *target, *weight, *name_offset, *bytes;
    bool undirected;
} views;

static neap_status look(const ni_tensors *t, views *v, neap_error *err)
{
    *v = (views){ 0 };
    const ni_tensor *offsets = ni_tensors_find(t, "graph.offsets"),
                    *targets = ni_tensors_find(t, "graph.targets"),
                    *bytes = ni_tensors_find(t, "names.bytes");
    const char *undirected = ni_tensors_fact(t, "undirected");
    if (!offsets || !targets || !bytes || !undirected || offsets->shape[0] == 0)
        return ni_fail(err, NEAP_E_FORMAT, "the file holds no graph");
    v->undirected = !strcmp(undirected, "yes");
    if (!v->undirected && strcmp(undirected, "no"))
        return ni_fail(err, NEAP_E_FORMAT, "the graph in the file is damaged: undirected is '%s'",
                       undirected);
    v->nodes = offsets->shape[0] - 1;
    v->edges = targets->shape[0];
    v->name_bytes = bytes->shape[0];
    if (v->nodes > NI_NAMES_MOST) return ni_fail(err, NEAP_E_LIMIT, "at most %d nodes", NI_NAMES_MOST);
    uint64_t rows = v->nodes + 1;
    neap_status rc = ni_tensors_need(t, "graph.offsets", NI_U64, 1, &rows, &v->offset, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "graph.targets", NI_U32, 1, &v->edges, &v->target, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "names.offsets", NI_U64, 1, &rows, &v->name_offset, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "names.bytes", NI_U8, 1, &v->name_bytes, &v->bytes, err);
    if (rc == NEAP_OK && ni_tensors_find(t, "graph.weights"))
        rc = ni_tensors_need(t, "graph.weights", NI_F32, 1, &v->edges, &v->weight, err);
    return rc;
}

static bool take_views(neap_graph *g, const ni_tensors *t, const views *v)
{
    g->nodes = (uint32_t)v->nodes;
    g->edges = v->edges;
    g->undirected = v->undirected;
    g->offset = ni_tensors_take(t, v->offset, v->nodes + 1, sizeof *g->offset);
    g->target = ni_tensors_take(t, v->target, v->edges, sizeof *g->target);
    g->weight = v->weight ? ni_tensors_take(t, v->weight, v->edges, sizeof *g->weight) : NULL;
    ni_names_init(&g->names);
    g->names.count = g->nodes;
    g->names.offset = ni_tensors_take(t, v->name_offset, v->nodes + 1, sizeof *g->names.offset);
    g->names.bytes = ni_tensors_take(t, v->bytes, v->name_bytes, 1);
    g->names.offset_room = (size_t)v->nodes + 1;
    g->names.bytes_room = (size_t)v->name_bytes;
    return g->offset && g->target && (g->weight || !v->weight) && g->names.offset && g->names.bytes;
}

neap_status ni_graph_from_tensors(const ni_tensors *t, neap_graph **out, neap_error *err)
{
    *out = NULL;
    views v;
    neap_graph *g = NULL;
    neap_status rc = look(t, &v, err);
    if (rc == NEAP_OK && !(g = ni_zeros(1, sizeof *g))) rc = ni_fail_memory(err, "a graph");
    if (rc == NEAP_OK && !take_views(g, t, &v)) rc = ni_fail_memory(err, "a graph");
    if (rc == NEAP_OK) rc = check_graph(g, v.name_bytes, err);
    if (rc == NEAP_OK) rc = ni_graph_count(g, err);
    if (rc == NEAP_OK) *out = g;
    else neap_graph_free(g);
    return rc;
}

neap_status ni_graph_from_file(const ni_tensors *t, neap_graph **out, neap_error *err)
{
    static const char *const tensors[] = { "graph.offsets", "graph.targets", "graph.weights",
                                           "names.offsets", "names.bytes",   NULL };
    static const char *const facts[] = { "neap.kind", "undirected", NULL };
    *out = NULL;
    neap_status rc = ni_tensors_only(t, tensors, facts, err);
    return rc == NEAP_OK ? ni_graph_from_tensors(t, out, err) : rc;
}

neap_status neap_graph_from_memory(const void *bytes, size_t count, neap_graph **out, neap_error *err)
{
    ni_tensors t;
    *out = NULL;
    neap_status rc = ni_tensors_parse(bytes, count, &t, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_tensors_are(&t, "graph")
             ? ni_graph_from_file(&t, out, err)
             : ni_fail(err, NEAP_E_FORMAT, "this is a file of kind '%s', not a graph",
                       ni_tensors_fact(&t, "neap.kind"));
    ni_tensors_release(&t);
    return rc;
}

neap_status neap_graph_to_memory(const neap_graph *graph, void *bytes, size_t room, size_t *need,
                                 neap_error *err)
{
    ni_tensors t = { 0 };
    ni_graph_to_file(graph, &t);
    neap_status rc = ni_tensors_store(&t, bytes, room, need, err);
    ni_tensors_release(&t);
    return rc;
}
