#include "walks/walker.h"

#include "base/status.h"
#include "base/sys.h"

/* ---- making one ---- */

static uint64_t ways(const ni_walker *w, uint32_t u)
{
    return w->offset[u + 1] - w->offset[u];
}

static bool make_aliases(ni_walker *w)
{
    uint64_t most = 0;
    for (uint32_t u = 0; u < w->nodes; u++) most = ways(w, u) > most ? ways(w, u) : most;
    double *weight = ni_array(most, sizeof *weight);
    uint32_t *scratch = ni_array(most, sizeof *scratch);
    w->alias = ni_array(w->offset[w->nodes], sizeof *w->alias);
    bool ok = weight && scratch && w->alias;
    for (uint32_t u = 0; u < w->nodes && ok; u++) {
        for (uint64_t i = 0; i < ways(w, u); i++) weight[i] = (double)w->weight[w->offset[u] + i];
        ni_alias_fill(w->alias + w->offset[u], weight, (uint32_t)ways(w, u), scratch);
    }
    ni_free(weight);
    ni_free(scratch);
    return ok;
}

/* The chance to accept a way is over that of the most welcome. If only going back is above the others, and
 * the way back is one of n that weigh the same, then what is above them is set apart as a part of a way
 * beside the n: so fewer are drawn in vain. */
static void weigh_steps(ni_walker *w)
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
    ni_ways ways_out = ni_ways_of(graph, links, along);
    *w = (ni_walker){ .nodes = links->nodes,
                      .offset = ways_out.offset,
                      .node = ways_out.node,
                      .weight = ways_out.weight,
                      .symmetric = ways_out.symmetric,
                      .second = p != 1 || q != 1,
                      .back = 1 / p,
                      .out = 1 / q };
    weigh_steps(w);
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

/* Which of the ways out of u, which has some. */
static uint64_t draw_way(const ni_walker *w, uint32_t u, ni_rng *rng)
{
    uint32_t n = (uint32_t)ways(w, u);
    if (w->alias) return w->offset[u] + ni_alias_draw(w->alias + w->offset[u], n, rng);
    return w->offset[u] + ((ni_next(rng) >> 32) * n >> 32);
}

/* There is a way from u to v. A walk has just been at u, so that a short row of u is at hand, and v's is
 * not; where ways go both ways, instead of a long one that of the node with fewer is looked at. */
static bool leads(const ni_walker *w, uint32_t u, uint32_t v)
{
    enum { LONG = 256 };
    bool turn = w->symmetric && ways(w, u) > LONG && ways(w, v) < ways(w, u);
    uint32_t from = turn ? v : u, to = turn ? u : v;
    const uint32_t *row = w->node + w->offset[from];
    uint64_t left = ways(w, from);
    while (left > 1) { /* without a branch that would have to be guessed */
        uint64_t half = left / 2;
        row += row[half] <= to ? half : 0;
        left -= half;
    }
    return left && *row == to;
}

/* How welcome x is after t: 1/p, 1 or 1/q. */
static double welcome(const ni_walker *w, uint32_t t, uint32_t x)
{
    return x == t ? w->back : leads(w, t, x) ? 1 : w->out;
}

static double weight_of(const ni_walker *w, uint32_t t, uint64_t way)
{
    return welcome(w, t, w->node[way]) * (w->weight ? (double)w->weight[way] : 1);
}

/* The node after t and v by looking at all ways out of v. */
static uint32_t settle_slowly(const ni_walker *w, uint32_t t, uint32_t v, ni_rng *rng)
{
    uint64_t way = w->offset[v], last = w->offset[v + 1] - 1;
    double left = 0;
    for (uint64_t i = way; i <= last; i++) left += weight_of(w, t, i);
    left *= ni_uniform(rng);
    while (way < last && (left -= weight_of(w, t, way)) >= 0) way++;
    return w->node[way];
}

/* Accepts a way that was drawn by weight in proportion to 1/p, 1 or 1/q, or draws again. A coin below the
 * least of the three needs no look at t, and one in the excess goes back. Where all ways are unwelcome, as
 * the one of a leaf may be, that would take for ever. */
static uint32_t settle_second(const ni_walker *w, uint32_t t, uint32_t v, uint64_t way, ni_rng *rng)
{
    enum { PATIENCE = 64 };
    double n = (double)ways(w, v);
    for (int tries = 0; tries < PATIENCE; tries++, way = draw_way(w, v, rng)) {
        uint32_t x = w->node[way];
        double coin = ni_uniform(rng) * (n * w->most + w->excess) - w->excess;
        if (coin < 0) return t;
        coin /= n;
        if (coin < w->least) return x;
        if (coin < welcome(w, t, x)) return x;
    }
    return settle_slowly(w, t, v, rng);
}

uint32_t ni_walk(const ni_walker *w, uint32_t start, uint32_t length, ni_rng *rng, uint32_t *walk)
{
    uint32_t n = 1;
    walk[0] = start;
    for (; n < length && ways(w, walk[n - 1]); n++) {
        uint64_t way = draw_way(w, walk[n - 1], rng);
        walk[n] = w->second && n > 1 ? settle_second(w, walk[n - 2], walk[n - 1], way, rng) : w->node[way];
    }
    return n;
}

/* Each step of each walk asks for the memory of its next: first where a node's ways are, then the way
 * itself. */
static void walk_abreast(const ni_walker *w, uint32_t count, uint32_t length, ni_rng *rng, uint32_t *walk,
                         uint32_t *lengths)
{
    uint64_t way[NI_ABREAST];
    for (uint32_t n = 1; n < length; n++) {
        for (uint32_t i = 0; i < count; i++) {
            way[i] = UINT64_MAX;
            if (lengths[i] < n || !ways(w, walk[i * length + n - 1])) continue;
            way[i] = draw_way(w, walk[i * length + n - 1], &rng[i]);
            __builtin_prefetch(w->node + way[i]);
        }
        for (uint32_t i = 0; i < count; i++) {
            if (way[i] == UINT64_MAX) continue;
            uint32_t *here = walk + i * length + n - 1;
            uint32_t next =
                w->second && n > 1 ? settle_second(w, here[-1], here[0], way[i], &rng[i]) : w->node[way[i]];
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
