/* Degrees as terms of a score: counted once, O(nodes + edges); those of a pair are a few logarithms. The
 * counts are its own. */
#include "attention/degrees.h"

#include <math.h>

#include "base/sys.h"
#include "support/status.h"

static uint32_t degrees_of_node(const neap_graph *graph)
{
    return graph->undirected ? 1 : 2;
}

uint32_t ni_degree_terms(const neap_graph *graph)
{
    return 1 + 2 * degrees_of_node(graph);
}

/* An undirected graph has every edge once. */
static void count_arcs(ni_degrees *d, uint32_t rows)
{
    const neap_graph *g = d->graph;
    for (uint64_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint64_t v = g->target[e];
            if (u == v) continue;
            d->count[u * d->each] += v < rows;
            d->count[v * d->each + (d->each - 1)] += u < rows;
        }
}

neap_status ni_degrees_create(const neap_graph *graph, uint32_t rows, ni_degrees *d, neap_error *err)
{
    *d = (ni_degrees){ graph, degrees_of_node(graph), NULL };
    d->count = ni_zeros((uint64_t)graph->nodes * d->each, sizeof *d->count);
    if (!d->count) return ni_fail_memory(err, "the degrees");
    count_arcs(d, rows);
    return NEAP_OK;
}

void ni_degrees_free(ni_degrees *d)
{
    ni_free(d->count);
    *d = (ni_degrees){ 0 };
}

uint64_t ni_degrees_bytes(const ni_degrees *d)
{
    return d->count ? (uint64_t)d->graph->nodes * d->each * sizeof *d->count : 0;
}

static void put_degrees(const ni_degrees *d, ni_end end, float *f)
{
    const uint32_t *count = d->count + (uint64_t)end.node * d->each;
    bool masked = end.without != NEAP_NONE && end.without != end.node;
    uint32_t away = masked && ni_graph_has(d->graph, end.node, end.without);
    f[0] = (float)log1p((double)(count[0] - away));
    if (d->each == 1) return;
    away = masked && ni_graph_has(d->graph, end.without, end.node);
    f[1] = (float)log1p((double)(count[1] - away));
}

void ni_degrees_features(const ni_degrees *d, ni_end source, ni_end target, float f[NI_DEGREE_TERMS_MOST])
{
    f[0] = 1;
    put_degrees(d, source, f + 1);
    put_degrees(d, target, f + 1 + d->each);
}
