/* targets.h - the nodes that links are suggested to, where that is not all nodes.
 *
 * The nodes are on two sides. A list of targets is side 1, for every source; in a bipartite graph the
 * targets of a source are the nodes of the other side. A pair (u, v) is compared with negatives (u, w), w
 * on the side of v: so a target is compared with targets. What is no target is compared with its like: the
 * other order of an undirected link, nodes that meet in a walk. */
#ifndef NI_TARGETS_H
#define NI_TARGETS_H

#include "graph/links.h"

typedef struct ni_targets {
    uint32_t nodes;
    uint8_t *side;    /* nodes: 0 or 1; NULL: all nodes are targets                   */
    bool opposite;    /* those of a source are on the other side, not on side 1       */
    uint32_t *member; /* nodes: those of side 0, then those of side 1, each ascending */
    uint32_t *place;  /* nodes: where a node is in the list of its side, from 0       */
    uint32_t start[3];
} ni_targets;

/* From what a caller gives, which may be NULL: all nodes. NEAP_E_ARG for numbers that are no nodes or
 * sides, NEAP_E_MISMATCH if an edge of the graph joins two nodes of one side. */
neap_status ni_targets_read(const neap_targets *given, const neap_graph *graph, ni_targets *t,
                            neap_error *err);

/* From the sides of all nodes, 0 or 1, which are copied. */
neap_status ni_targets_create(const uint8_t *side, uint32_t nodes, bool opposite, ni_targets *t,
                              neap_error *err);
void ni_targets_free(ni_targets *t);

/* Whether every edge between nodes below `nodes` joins the two sides. */
bool ni_sides_fit(const neap_graph *graph, const uint8_t *side, uint32_t nodes);

/* There is a rule at all; t may be NULL in these. */
static inline bool ni_targets_limit(const ni_targets *t)
{
    return t && t->side;
}

static inline bool ni_is_target(const ni_targets *t, uint32_t source, uint32_t node)
{
    return !ni_targets_limit(t) || t->side[node] == (t->opposite ? 1 - t->side[source] : 1);
}

/* What a caller would give to have these; of some, not of all nodes. */
neap_targets ni_targets_view(const ni_targets *t);

/* "all", "list", "opposite", then NULL; and which of them. */
extern const char *const ni_target_words[];
const char *ni_targets_word(const ni_targets *t);

/* Nodes of a side, ascending; how many. */
static inline const uint32_t *ni_side_nodes(const ni_targets *t, uint8_t side)
{
    return t->member + t->start[side];
}

static inline uint32_t ni_side_count(const ni_targets *t, uint8_t side)
{
    return t->start[side + 1] - t->start[side];
}

static inline uint64_t ni_targets_bytes(const ni_targets *t)
{
    return ni_targets_limit(t) ? 9 * (uint64_t)t->nodes : 0;
}

/* A node on the side of v that u is not linked with, nor u itself: uniform. NEAP_NONE if there is none. */
uint32_t ni_stranger_like(const ni_links *links, const ni_targets *t, uint32_t u, uint32_t v, ni_rng *rng);

/* Whether there is one on this side; without targets the side does not count. */
bool ni_has_stranger(const ni_links *links, const ni_targets *t, uint32_t u, uint8_t side);

#endif
