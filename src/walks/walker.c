/* Random walks. A first-order step costs O(1): one draw among n links, or from an alias table where they
 * are weighted (O(links) of memory, made once). A second-order step is drawn by rejection: one or two draws
 * and a search in the row of the node before, O(log degree) each. A walker is read-only and serves any
 * number of threads; each walk has draws of its own. */
#include "walks/walker.h"

#include "base/sys.h"
#include "support/status.h"

/* ---- making one ---- */

static uint64_t degree(const ni_walker *w, uint32_t u)
{
    return w->offset[u + 1] - w->offset[u];
}

static bool make_aliases(ni_walker *w)
{
    uint64_t most = 0;
    for (uint32_t u = 0; u < w->nodes; u++) most = degree(w, u) > most ? degree(w, u) : most;
    double *weight = ni_array(most, sizeof *weight);
    uint32_t *scratch = ni_array(most, sizeof *scratch);
    w->alias = ni_array(w->offset[w->nodes], sizeof *w->alias);
    bool ok = weight && scratch && w->alias;
    for (uint32_t u = 0; u < w->nodes && ok; u++) {
        for (uint64_t i = 0; i < degree(w, u); i++) weight[i] = (double)w->weight[w->offset[u] + i];
        ni_alias_fill(w->alias + w->offset[u], weight, (uint32_t)degree(w, u), scratch);
    }
    ni_free(weight);
    ni_free(scratch);
    return ok;
}

/* Rejection sampling: accept with probability bias / largest bias. Where only the return step has a larger
 * bias than the others, and all n links weigh the same, its excess is drawn separately, which rejects
 * fewer. */
static void choose_bounds(ni_walker *w)
{
    double most = w->out > 1 ? w->out : 1, least = w->out < 1 ? w->out : 1;
    bool apart = w->symmetric && !w->weight;
    w->most = apart || w->back < most ? most : w->back;
    w->least = w->back < least ? w->back : least;
    w->excess = w->back > w->most ? w->back - w->most : 0;
}

neap_status ni_walker_create(const neap_graph *graph, const ni_links *links, bool along, double p, double q,
                             ni_walker *w, neap_error *err)
{
    ni_arcs arcs = ni_arcs_of(graph, links, along);
    *w = (ni_walker){ .nodes = links->nodes,
                      .offset = arcs.offset,
                      .node = arcs.node,
                      .weight = arcs.weight,
                      .symmetric = arcs.symmetric,
                      .second = p != 1 || q != 1,
                      .back = 1 / p,
                      .out = 1 / q };
    choose_bounds(w);
    if (!w->weight || make_aliases(w)) return NEAP_OK;
    ni_walker_free(w);
    return ni_fail_memory(err, "the weights of walks");
}

void ni_walker_free(ni_walker *w)
{
    ni_free(w->alias);
    *w = (ni_walker){ 0 };
}

/* ---- steps ---- */

/* The index of a link of u, drawn by weight; u has at least one. */
static uint64_t draw_arc(const ni_walker *w, uint32_t u, ni_rng *rng)
{
    uint32_t n = (uint32_t)degree(w, u);
    if (w->alias) return w->offset[u] + ni_alias_draw(w->alias + w->offset[u], n, rng);
    return w->offset[u] + ((ni_next(rng) >> 32) * n >> 32);
}

/* Whether u links to v, by bisection in the row of u, which a walk has just left in the cache; where links
 * are symmetric and that row is long, in the shorter row of v. */
static bool has_link(const ni_walker *w, uint32_t u, uint32_t v)
{
    enum { LONG = 256 };
    bool reverse = w->symmetric && degree(w, u) > LONG && degree(w, v) < degree(w, u);
    uint32_t from = reverse ? v : u, to = reverse ? u : v;
    const uint32_t *row = w->node + w->offset[from];
    uint64_t left = degree(w, from);
    while (left > 1) { /* without a branch to mispredict */
        uint64_t half = left / 2;
        row += row[half] <= to ? half : 0;
        left -= half;
    }
    return left && *row == to;
}

/* node2vec's bias for stepping t -> v -> x: 1/p if x is t, 1 if x is linked with t, else 1/q. */
static double step_bias(const ni_walker *w, uint32_t t, uint32_t x)
{
    return x == t ? w->back : has_link(w, t, x) ? 1 : w->out;
}

static double weight_of(const ni_walker *w, uint32_t t, uint64_t arc)
{
    return step_bias(w, t, w->node[arc]) * (w->weight ? (double)w->weight[arc] : 1);
}

/* The node after t and v by inversion of the cumulated weights of all links of v: O(degree log degree). */
static uint32_t step_exactly(const ni_walker *w, uint32_t t, uint32_t v, ni_rng *rng)
{
    uint64_t arc = w->offset[v], last = w->offset[v + 1] - 1;
    double left = 0;
    for (uint64_t i = arc; i <= last; i++) left += weight_of(w, t, i);
    left *= ni_uniform(rng);
    while (arc < last && (left -= weight_of(w, t, arc)) >= 0) arc++;
    return w->node[arc];
}

/* The node after t and v by rejection, from a link that was drawn by weight. A coin below the smallest bias
 * accepts without a search; one in the excess returns to t. Where all biases are small, as at a leaf,
 * rejection would not end: after some tries the step is made exactly. */
static uint32_t step_by_rejection(const ni_walker *w, uint32_t t, uint32_t v, uint64_t arc, ni_rng *rng)
{
    enum { PATIENCE = 64 };
    double n = (double)degree(w, v);
    for (int tries = 0; tries < PATIENCE; tries++, arc = draw_arc(w, v, rng)) {
        uint32_t x = w->node[arc];
        double coin = ni_uniform(rng) * (n * w->most + w->excess) - w->excess;
        if (coin < 0) return t;
        coin /= n;
        if (coin < w->least) return x;
        if (coin < step_bias(w, t, x)) return x;
    }
    return step_exactly(w, t, v, rng);
}

uint32_t ni_walk(const ni_walker *w, uint32_t start, uint32_t length, ni_rng *rng, uint32_t *walk)
{
    uint32_t n = 1;
    walk[0] = start;
    for (; n < length && degree(w, walk[n - 1]); n++) {
        uint64_t arc = draw_arc(w, walk[n - 1], rng);
        walk[n] =
            w->second && n > 1 ? step_by_rejection(w, walk[n - 2], walk[n - 1], arc, rng) : w->node[arc];
    }
    return n;
}

/* Many walks in lockstep hide the latency of memory: each prefetches the offsets of its next node, then its
 * link. */
static void walk_abreast(const ni_walker *w, uint32_t count, uint32_t length, ni_rng *rng, uint32_t *walk,
                         uint32_t *lengths)
{
    uint64_t arc[NI_ABREAST];
    for (uint32_t n = 1; n < length; n++) {
        for (uint32_t i = 0; i < count; i++) {
            arc[i] = UINT64_MAX;
            if (lengths[i] < n || !degree(w, walk[i * length + n - 1])) continue;
            arc[i] = draw_arc(w, walk[i * length + n - 1], &rng[i]);
            __builtin_prefetch(w->node + arc[i]);
        }
        for (uint32_t i = 0; i < count; i++) {
            if (arc[i] == UINT64_MAX) continue;
            uint32_t *here = walk + i * length + n - 1;
            uint32_t next = w->second && n > 1 ? step_by_rejection(w, here[-1], here[0], arc[i], &rng[i])
                                               : w->node[arc[i]];
            here[1] = next;
            lengths[i] = n + 1;
            __builtin_prefetch(w->offset + next);
        }
    }
}

void ni_walk_many(const ni_walker *w, const uint32_t *start, uint32_t count, uint32_t length, ni_rng *rng,
                  uint32_t *walk, uint32_t *lengths)
{
    for (uint32_t first = 0; first < count; first += NI_ABREAST) {
        uint32_t some = count - first < NI_ABREAST ? count - first : NI_ABREAST;
        for (uint32_t i = first; i < first + some; i++) {
            lengths[i] = 1;
            walk[i * length] = start[i];
        }
        walk_abreast(w, some, length, rng + first, walk + first * length, lengths + first);
    }
}
