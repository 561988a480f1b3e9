/* Ranges of nodes and the tournament of their blocks: in each round every range is paired with one
 * other, so that the blocks of a round share no row (the circle method of round-robin tournaments).
 * O(nodes) once; a step pays nothing but the order of its blocks. The grid owns its arrays and is read-only
 * while threads use it. */
#include "walks/skipgram.h"

#include <math.h>

#include "base/sys.h"
#include "support/status.h"

/* A range must be large enough that its weights are distributed as those of the whole graph, and there
 * should be several per thread. */
static uint32_t choose_ranges(uint32_t nodes)
{
    enum { NODES_PER_RANGE = 64 };
    uint32_t ranges = NI_RANGES_MOST;
    while (ranges > 1 && nodes / ranges < NODES_PER_RANGE) ranges /= 2;
    return ranges;
}

/* Nodes of each side, and the ranges that they are dealt into, from `first` on. */
typedef struct sides {
    uint32_t nodes[2], ranges[2], first[2];
} sides;

/* Ranges in proportion to nodes, at least one for a side that has some. */
static sides share_ranges(ni_grid *g, const uint8_t *side)
{
    sides s = { .nodes = { g->nodes, 0 }, .ranges = { g->ranges, 0 } };
    for (uint32_t u = 0; u < g->nodes && side; u++) s.nodes[1] += side[u];
    s.nodes[0] -= s.nodes[1];
    if (!s.nodes[1]) return s;
    if (s.nodes[0] && g->ranges == 1) g->ranges = 2;
    uint32_t ranges = (uint32_t)((double)g->ranges * s.nodes[0] / g->nodes + 0.5);
    if (ranges == 0 && s.nodes[0]) ranges = 1;
    if (ranges == g->ranges) ranges--;
    s.ranges[0] = s.first[1] = ranges;
    s.ranges[1] = g->ranges - ranges;
    return s;
}

static void deal(ni_grid *g, const uint8_t *side, uint64_t seed)
{
    uint32_t met[2] = { 0 };
    sides s = share_ranges(g, side);
    for (uint32_t u = 0; u < g->nodes; u++) {
        uint8_t k = side ? side[u] : 0;
        uint64_t rank = ni_permute(seed, NI_STREAM_RANGE, k, s.nodes[k], met[k]++);
        g->range[u] = (uint8_t)(s.first[k] + rank * s.ranges[k] / s.nodes[k]);
        g->start[g->range[u] + 1]++;
    }
    for (uint32_t i = 0; i < g->ranges; i++)
        g->shift[i] = (float)log((double)s.nodes[s.ranges[1] && i >= s.first[1]] / g->nodes);
    for (uint32_t i = 0; i < g->ranges; i++) g->start[i + 1] += g->start[i];
    uint32_t next[NI_RANGES_MOST];
    for (uint32_t i = 0; i < g->ranges; i++) next[i] = g->start[i];
    for (uint32_t u = 0; u < g->nodes; u++) g->member[next[g->range[u]]++] = u;
}

static bool weigh(ni_grid *g, const uint64_t *weight, double power)
{
    double *share = ni_array(g->nodes, sizeof *share);
    uint32_t *scratch = ni_array(g->nodes, sizeof *scratch);
    bool ok = share && scratch;
    for (uint32_t i = 0; i < g->nodes && ok; i++) share[i] = pow((double)weight[g->member[i]], power);
    for (uint32_t i = 0; i < g->ranges && ok; i++)
        ni_alias_fill(g->alias + g->start[i], share + g->start[i], g->start[i + 1] - g->start[i], scratch);
    ni_free(share);
    ni_free(scratch);
    return ok;
}

neap_status ni_grid_create(uint32_t nodes, uint32_t layers, uint32_t ranges, const uint8_t *side,
                           const uint64_t *weight, double power, uint64_t seed, ni_grid *g, neap_error *err)
{
    *g = (ni_grid){ .nodes = nodes,
                    .layers = layers,
                    .ranges = ranges ? ranges : choose_ranges(nodes),
                    .range = ni_array(nodes, sizeof *g->range),
                    .member = ni_array(nodes, sizeof *g->member),
                    .alias = ni_array(nodes, sizeof *g->alias) };
    bool ok = g->range && g->member && g->alias;
    g->input = g->range;
    if (ok) deal(g, side, seed);
    if (ok && weigh(g, weight, power)) return NEAP_OK;
    ni_grid_free(g);
    return ni_fail_memory(err, "the order of training");
}

neap_status ni_grid_deal_inputs(ni_grid *g, uint32_t inputs, uint64_t seed, neap_error *err)
{
    enum { DEAL = 2 }; /* 0 and 1 are sides */
    uint8_t *range = ni_array(inputs, sizeof *range);
    if (!range) return ni_fail_memory(err, "the order of training");
    for (uint32_t u = 0; u < inputs; u++)
        range[u] = (uint8_t)(ni_permute(seed, NI_STREAM_RANGE, DEAL, inputs, u) * g->ranges / inputs);
    g->input = range;
    return NEAP_OK;
}

void ni_grid_free(ni_grid *g)
{
    if (g->input != g->range) ni_free(g->input);
    ni_free(g->range);
    ni_free(g->member);
    ni_free(g->alias);
    *g = (ni_grid){ 0 };
}

/* ---- the tournament ---- */

typedef struct matches {
    const ni_grid *grid;
    void (*run)(void *arg, uint32_t block, uint32_t thread);
    void *arg;
    uint32_t round;
} matches;

static uint32_t block_at(const ni_grid *g, uint32_t layer, uint32_t i, uint32_t j)
{
    return (layer * g->ranges + i) * g->ranges + j;
}

/* In round r of the circle method the last range is paired with r, and r + k with r - k (modulo ranges -
 * 1). */
static void match_task(void *arg, uint32_t task, uint32_t thread)
{
    const matches *m = arg;
    const ni_grid *g = m->grid;
    uint32_t half = g->ranges / 2, k = task % half, layer = task / half, n = g->ranges - 1;
    uint32_t i = k ? (m->round + k) % n : n, j = (m->round + n - k) % n;
    m->run(m->arg, block_at(g, layer, i, j), thread);
    m->run(m->arg, block_at(g, layer, j, i), thread);
}

static void alone_task(void *arg, uint32_t task, uint32_t thread)
{
    const matches *m = arg;
    uint32_t i = task % m->grid->ranges, layer = task / m->grid->ranges;
    m->run(m->arg, block_at(m->grid, layer, i, i), thread);
}

void ni_grid_run(const ni_grid *g, ni_threads *threads,
                 void (*run)(void *arg, uint32_t block, uint32_t thread), void *arg)
{
    matches m = { g, run, arg, 0 };
    for (; m.round + 1 < g->ranges; m.round++)
        ni_threads_run(threads, g->layers * (g->ranges / 2), match_task, &m);
    ni_threads_run(threads, g->layers * g->ranges, alone_task, &m);
}
