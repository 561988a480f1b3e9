/* Sides of nodes, and negatives on one of them. A negative is drawn from the list of its side and drawn
 * again while it is linked; where nearly all of a side are, the others are numbered instead: by bisection
 * where all links of the source lead to that side (bipartite graphs), else by a walk over the list. */
#include "graph/targets.h"

#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "support/status.h"

/* ---- making and freeing ---- */

neap_status ni_targets_create(const uint8_t *side, uint32_t nodes, bool opposite, ni_targets *t,
                              neap_error *err)
{
    *t = (ni_targets){ .nodes = nodes,
                       .opposite = opposite,
                       .side = ni_copy(side, nodes, 1),
                       .member = ni_array(nodes, sizeof *t->member),
                       .place = ni_array(nodes, sizeof *t->place) };
    if (!t->side || !t->member || !t->place) {
        ni_targets_free(t);
        return ni_fail_memory(err, "the targets");
    }
    uint32_t count[2] = { 0 };
    for (uint32_t u = 0; u < nodes; u++) t->place[u] = count[side[u]]++;
    t->start[1] = count[0];
    t->start[2] = nodes;
    for (uint32_t u = 0; u < nodes; u++) t->member[t->start[side[u]] + t->place[u]] = u;
    return NEAP_OK;
}

void ni_targets_free(ni_targets *t)
{
    ni_free(t->side);
    ni_free(t->member);
    ni_free(t->place);
    *t = (ni_targets){ 0 };
}

const char *const ni_target_words[] = { "all", "list", "opposite", NULL };

const char *ni_targets_word(const ni_targets *t)
{
    return ni_target_words[!ni_targets_limit(t) ? 0 : 1 + t->opposite];
}

neap_targets ni_targets_view(const ni_targets *t)
{
    neap_targets view = NEAP_SIZED(neap_targets);
    if (!ni_targets_limit(t)) return view;
    if (t->opposite) view.side = t->side;
    else view.nodes = ni_side_nodes(t, 1), view.count = ni_side_count(t, 1);
    return view;
}

/* ---- from a caller ---- */

bool ni_sides_fit(const neap_graph *g, const uint8_t *side, uint32_t nodes)
{
    for (uint32_t u = 0; u < nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->target[e] < nodes && side[u] == side[g->target[e]]) return false;
    return true;
}

static neap_status mark_nodes(const neap_targets *given, uint32_t nodes, uint8_t *side, neap_error *err)
{
    memset(side, 0, nodes);
    if (!given->count) return ni_fail(err, NEAP_E_ARG, "a list of targets names at least one");
    for (size_t i = 0; i < given->count; i++) {
        if (given->nodes[i] >= nodes)
            return ni_fail(err, NEAP_E_ARG, "there is no node number %u to be a target", given->nodes[i]);
        side[given->nodes[i]] = 1;
    }
    return NEAP_OK;
}

static neap_status take_sides(const neap_targets *given, const neap_graph *g, uint8_t *side,
                              neap_error *err)
{
    for (uint32_t u = 0; u < g->nodes; u++)
        if (given->side[u] > 1) return ni_fail(err, NEAP_E_ARG, "the side of a node is 0 or 1");
    memcpy(side, given->side, g->nodes);
    if (ni_sides_fit(g, side, g->nodes)) return NEAP_OK;
    return ni_fail(err, NEAP_E_MISMATCH, "an edge joins two nodes of one side: these are not the graph's");
}

neap_status ni_targets_read(const neap_targets *given, const neap_graph *g, ni_targets *t, neap_error *err)
{
    neap_targets mine = { 0 };
    *t = (ni_targets){ 0 };
    neap_status rc = given ? ni_sized_in(&mine, sizeof mine, given, "neap_targets", err) : NEAP_OK;
    if (rc != NEAP_OK || (!mine.nodes && !mine.side)) return rc;
    if (mine.nodes && mine.side) return ni_fail(err, NEAP_E_ARG, "targets are nodes or sides, not both");
    uint8_t *side = ni_array(g->nodes, 1);
    if (!side) return ni_fail_memory(err, "the targets");
    rc = mine.nodes ? mark_nodes(&mine, g->nodes, side, err) : take_sides(&mine, g, side, err);
    if (rc == NEAP_OK) rc = ni_targets_create(side, g->nodes, mine.side != NULL, t, err);
    ni_free(side);
    return rc;
}

neap_status neap_graph_sides(const neap_graph *graph, uint8_t *side, neap_error *err)
{
    ni_links links;
    bool bipartite;
    neap_status rc = ni_links_create(graph, &links, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_graph_sides(graph, &links, side, &bipartite, err);
    ni_links_free(&links);
    if (rc == NEAP_OK && !bipartite)
        rc = ni_fail(err, NEAP_E_MISMATCH,
                     "the graph is not bipartite, so a node has no opposite side; name the targets in a "
                     "file, one per line. If both columns count from 1, a user and an item of one number "
                     "are one node: put a letter before the numbers of one column");
    for (uint32_t u = 0; u < graph->nodes && rc == NEAP_OK; u++)
        if (side[u] == NI_SIDE_NONE) side[u] = 0;
    return rc;
}

/* ---- strangers ---- */

static bool is_stranger(const ni_links *links, uint32_t u, uint32_t w)
{
    return w != u && !ni_linked(links, u, w);
}

/* All links of u lead to the other side. */
static bool leads_across(const ni_targets *t, uint32_t u, uint8_t side)
{
    return t->opposite && t->side[u] != side;
}

/* How many there are: by the shorter of the two lists. */
static uint64_t count_strangers(const ni_links *links, const ni_targets *t, uint32_t u, uint8_t side)
{
    uint64_t degree = ni_degree(links, u), count = ni_side_count(t, side), met = 0;
    if (leads_across(t, u, side)) return count - degree;
    if (count < degree / 16) {
        for (uint64_t i = 0; i < count; i++) met += !is_stranger(links, u, ni_side_nodes(t, side)[i]);
        return count - met;
    }
    for (uint64_t i = links->offset[u]; i < links->offset[u + 1]; i++)
        met += t->side[links->node[i]] == side;
    return count - met - (t->side[u] == side);
}

bool ni_has_stranger(const ni_links *links, const ni_targets *t, uint32_t u, uint8_t side)
{
    if (!ni_targets_limit(t)) return ni_degree(links, u) + 1 < links->nodes;
    if (ni_side_count(t, side) > ni_degree(links, u) + 1) return true;
    return count_strangers(links, t, u, side) > 0;
}

/* Stranger number `rank` of those on the side. In the sorted row of u, place[row[p]] - p of them stand
 * before row[p], which a bisection can search (as in ni_stranger). */
static uint32_t by_bisection(const ni_links *links, const ni_targets *t, uint32_t u, uint8_t side,
                             uint64_t rank)
{
    const uint32_t *row = links->node + links->offset[u];
    uint64_t low = 0, high = ni_degree(links, u);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (t->place[row[middle]] - middle > rank) high = middle;
        else low = middle + 1;
    }
    return ni_side_nodes(t, side)[rank + low];
}

static uint32_t by_walk(const ni_links *links, const ni_targets *t, uint32_t u, uint8_t side, uint64_t rank)
{
    const uint32_t *node = ni_side_nodes(t, side);
    for (;; node++)
        if (is_stranger(links, u, *node) && rank-- == 0) return *node;
}

uint32_t ni_stranger_like(const ni_links *links, const ni_targets *t, uint32_t u, uint32_t v, ni_rng *rng)
{
    enum { TRIES = 100 };
    if (!ni_targets_limit(t)) return ni_stranger(links, u, rng);
    uint8_t side = t->side[v];
    for (int i = 0; i < TRIES && ni_side_count(t, side); i++) {
        uint32_t w = ni_side_nodes(t, side)[ni_below(rng, ni_side_count(t, side))];
        if (is_stranger(links, u, w)) return w;
    }
    uint64_t strangers = count_strangers(links, t, u, side);
    if (!strangers) return NEAP_NONE;
    uint64_t rank = ni_below(rng, strangers);
    return leads_across(t, u, side) ? by_bisection(links, t, u, side, rank)
                                    : by_walk(links, t, u, side, rank);
}
