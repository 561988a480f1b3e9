#include "walks/edges.h"

#include <math.h>

#include "base/status.h"
#include "base/sys.h"

/* ---- edges by weight ---- */

static bool weigh(ni_edges *e)
{
    const neap_graph *g = e->graph;
    if (!g->weight) return true;
    double *weight = ni_array(g->edges, sizeof *weight);
    uint32_t *scratch = ni_array(g->edges, sizeof *scratch);
    e->alias = ni_array(g->edges, sizeof *e->alias);
    bool ok = weight && scratch && e->alias;
    for (uint64_t i = 0; i < g->edges && ok; i++) weight[i] = (double)g->weight[i];
    if (ok) ni_alias_fill(e->alias, weight, (uint32_t)g->edges, scratch);
    ni_free(weight);
    ni_free(scratch);
    return ok;
}

neap_status ni_edges_create(ni_edges *e, neap_error *err)
{
    const neap_graph *g = e->graph;
    if (g->weight && g->edges > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT, "more than %u edges cannot be drawn by weight; --weights ignore",
                       UINT32_MAX);
    e->source = ni_array(g->edges, sizeof *e->source);
    if (!e->source || !weigh(e)) return ni_fail_memory(err, "the edges by weight");
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) e->source[i] = u;
    return NEAP_OK;
}

void ni_edges_free(ni_edges *e)
{
    ni_free(e->source);
    ni_free(e->alias);
    e->source = NULL;
    e->alias = NULL;
}

/* ---- pairs ---- */

static uint64_t draw(const ni_edges *e, ni_rng *rng)
{
    if (e->alias) return ni_alias_draw(e->alias, (uint32_t)e->graph->edges, rng);
    return ni_below(rng, e->graph->edges);
}

static ni_couple couple(uint32_t from, uint32_t to, bool turn, uint32_t layers, uint32_t layer)
{
    uint32_t in = turn ? to : from, out = turn ? from : to;
    return (ni_couple){ in * layers + layer, out * layers + layer };
}

/* A loop gives no pair. */
static uint64_t make(const void *self, uint64_t epoch, uint64_t first, uint32_t count, void *scratch,
                     ni_couple *out)
{
    const ni_edges *e = self;
    uint32_t layers = (uint32_t)e->first + e->second;
    ni_couple *end = out;
    ni_rng rng = ni_rng_at(e->seed, NI_STREAM_EDGE, epoch, first);
    (void)scratch;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t edge = draw(e, &rng);
        uint32_t from = e->source[edge], to = e->graph->target[edge];
        bool turn = ni_next(&rng) >> 63;
        if (from == to) continue;
        if (e->first) *end++ = couple(from, to, turn, layers, 0);
        if (e->second) *end++ = couple(from, to, turn && !e->along, layers, layers - 1);
    }
    return (uint64_t)(end - out);
}

ni_source ni_edges_source(const ni_edges *e)
{
    return (ni_source){ .self = e,
                        .places = e->graph->edges * NI_EDGE_SAMPLES,
                        .per_task = 512,
                        .couples = (uint32_t)e->first + e->second,
                        .make = make };
}

/* ---- degrees ---- */

neap_status ni_edges_degrees(const ni_edges *e, uint64_t **degrees, neap_error *err)
{
    const neap_graph *g = e->graph;
    double *sum = ni_zeros(g->nodes, sizeof *sum), most = 0;
    *degrees = sum ? ni_array(g->nodes, sizeof **degrees) : NULL;
    for (uint64_t i = 0; i < g->edges && *degrees; i++) {
        double w = e->source[i] == g->target[i] ? 0 : g->weight ? (double)g->weight[i] : 1;
        sum[e->source[i]] += w;
        sum[g->target[i]] += w;
    }
    for (uint32_t u = 0; u < g->nodes && *degrees; u++) most = sum[u] > most ? sum[u] : most;
    for (uint32_t u = 0; u < g->nodes && *degrees; u++)
        (*degrees)[u] = (uint64_t)ceil(sum[u] / most * 0x1p40);
    ni_free(sum);
    return *degrees ? NEAP_OK : ni_fail_memory(err, "the degrees");
}
