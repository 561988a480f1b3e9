/* persona.h - the persona graph: a node that stands in several circles (below) is split, into one
 * persona for each (Epasto, Lattanzi and Paes Leme 2017).
 *
 * A link (u, v) becomes one between the persona of u whose circle holds v and the persona of v whose circle
 * holds u: there are as many links as before, of the same weights. A node without links has one persona
 * without links. */
#ifndef NI_PERSONA_H
#define NI_PERSONA_H

#include "base/threads.h"
#include "graph/links.h"

/* The circles of a node: its neighbours, clustered by the links among them.
 *
 * labels: label propagation (Raghavan, Albert and Kumara 2007). Every neighbour begins with a label of its
 * own. They are updated in turn, in an order drawn once for the node; each keeps its label if none is more
 * frequent among those it is linked with, else takes the most frequent, ties by a draw. A change adds links
 * within circles, so that it ends; it is stopped after NI_CIRCLES_ROUNDS rounds.
 *
 * components: neighbours that are connected through other neighbours.
 *
 * Weights do not count. Where u is linked with v, the shorter of their rows is read and the longer
 * searched: all nodes together take O(m^1.5 log m) steps. */
enum { NI_CIRCLES_LABELS, NI_CIRCLES_COMPONENTS };
enum { NI_CIRCLES_ROUNDS = 64 };

/* Work space for one node after the other, that of one thread. */
typedef struct ni_circles {
    const ni_links *links;
    uint32_t rule; /* NI_CIRCLES_LABELS, ... */
    uint64_t seed;

    uint32_t *bond; /* pairs of linked neighbours, as positions in the row of the node */
    size_t bonds, bond_room;
    uint64_t *offset; /* the same as a CSR, with near */
    uint32_t *near;
    uint32_t *votes; /* labels: how often each occurs */
    size_t offset_room, near_room, votes_room;
} ni_circles;

void ni_circles_free(ni_circles *c);

/* The circles of u, numbered in the order of their first members: circle[i] is that of its i-th neighbour.
 * Returns how many there are, or NEAP_NONE if there is no memory. */
uint32_t ni_circles_find(ni_circles *c, uint32_t u, uint32_t *circle);

typedef struct ni_personas {
    uint32_t nodes, count;
    uint32_t *offset; /* nodes + 1: the personas of u are offset[u] .. offset[u+1]-1, at least one */
    uint32_t *owner;  /* count: the node of each persona, ascending                                */
} ni_personas;

/* rule: NI_CIRCLES_LABELS, ... The same bits for any number of threads. NEAP_E_LIMIT: too many personas. */
neap_status ni_personas_create(const ni_links *links, uint32_t rule, uint64_t seed, ni_threads *threads,
                               ni_personas *personas, ni_links *persona_links, neap_error *err);

/* From a file: NEAP_E_FORMAT if owners do not ascend or leave out one of the nodes. */
neap_status ni_personas_take(const uint32_t *owner, uint64_t count, uint32_t nodes, ni_personas *personas,
                             neap_error *err);
void ni_personas_free(ni_personas *personas);

static inline uint32_t ni_personas_of(const ni_personas *p, uint32_t u)
{
    return p->offset[u + 1] - p->offset[u];
}

#endif
