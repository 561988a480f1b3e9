/* circles.h - the circles of a node: its neighbours, clustered by the links among them.
 *
 * labels       label propagation (Raghavan, Albert and Kumara 2007): every neighbour begins with a label of
 *              its own. They are asked in turn, in an order drawn once for the node; each keeps its label
 * if none is more frequent among those it is linked with, else takes the most frequent, of equals the one
 * drawn. A change adds links within circles, so that it ends; it is stopped after NI_CIRCLES_ROUNDS rounds.
 * components   who is connected through other neighbours
 *
 * Weights do not count. Where u is linked with v, the shorter of their rows is read and the longer
 * searched: all nodes together take O(m^1.5 log m) steps. */
#ifndef NI_CIRCLES_H
#define NI_CIRCLES_H

#include "graph/links.h"

enum { NI_CIRCLES_ROUNDS = 64 };

/* Work space for one node after the other, that of one thread. */
typedef struct ni_circles {
    const ni_links *links;
    uint32_t way; /* NI_CIRCLES_LABELS, ... */
    uint64_t seed;

    uint32_t *bond; /* pairs of linked neighbours, as places in the row of the node */
    size_t bonds, bond_room;
    uint64_t *offset; /* the same as rows: whom each is linked with */
    uint32_t *near;
    uint32_t *votes; /* labels: how often each occurs */
    size_t offset_room, near_room, votes_room;
} ni_circles;

void ni_circles_free(ni_circles *c);

/* The circles of u, numbered in the order of their first members: circle[i] is that of its i-th neighbour.
 * Returns how many there are, or NEAP_NONE if there is no memory. */
uint32_t ni_circles_find(ni_circles *c, uint32_t u, uint32_t *circle);

#endif
