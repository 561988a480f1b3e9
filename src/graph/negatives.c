/* Negatives by rejection; see negatives.h. */
#include "graph/negatives.h"

enum { TRIES = 1000 };

const char *const ni_negative_words[] = { "uniform", "degree", "two-hop", NULL };

static bool may_stand(const ni_negative_rule *r, neap_pair p, uint32_t w)
{
    if (w == p.source || w == p.target) return false;
    if (ni_targets_limit(r->targets) && r->targets->side[w] != r->targets->side[p.target]) return false;
    return r->links_too || !ni_linked(r->known, p.source, w);
}

static uint32_t uniformly(const ni_negative_rule *r, neap_pair p, ni_rng *rng)
{
    return ni_stranger_like(r->known, r->targets, p.source, p.target, rng);
}

/* In proportion to its links: the end of a random one. */
static uint32_t by_degree(const ni_negative_rule *r, neap_pair p, ni_rng *rng)
{
    uint64_t ends = r->seen->offset[r->seen->nodes];
    for (int tries = 0; ends && tries < TRIES; tries++) {
        uint32_t w = r->seen->node[ni_below(rng, ends)];
        if (may_stand(r, p, w)) return w;
    }
    return uniformly(r, p, rng);
}

/* The end of a walk from u. */
static uint32_t walk(const ni_links *l, uint32_t u, int steps, ni_rng *rng)
{
    for (; steps > 0; steps--) u = l->node[l->offset[u] + ni_below(rng, ni_degree(l, u))];
    return u;
}

/* A neighbour of a neighbour of the source; where there are targets, which may all be on the other side of
 * a bipartite graph, also one step further. The walk favours nodes with many paths to the source. */
static uint32_t two_hop(const ni_negative_rule *r, neap_pair p, ni_rng *rng)
{
    const ni_targets *t = ni_targets_limit(r->targets) ? r->targets : NULL;
    for (int tries = 0; ni_degree(r->seen, p.source) && tries < TRIES; tries++) {
        int steps = !t ? 2 : t->opposite ? 3 : 2 + tries % 2;
        uint32_t w = walk(r->seen, p.source, steps, rng);
        if (may_stand(r, p, w)) return w;
    }
    return uniformly(r, p, rng);
}

uint32_t ni_draw_negative(const ni_negative_rule *r, neap_pair p, ni_rng *rng)
{
    if (r->kind == NI_BY_DEGREE) return by_degree(r, p, rng);
    return r->kind == NI_TWO_HOP ? two_hop(r, p, rng) : uniformly(r, p, rng);
}
