/* spread.h - one step of random walks, for several vectors at once: next = alpha D^-1 A y + beta next.
 *
 * Row v of D^-1 A y is the mean of the rows of y over the links of v, by weight; zero if there are none.
 * Walks from a source and the eigenvectors of a graph are both made of this product. It reads the links
 * once for all lanes, and a panel is a cache line. Rows are dealt out to the threads; each is one sum
 * in the order of the links, so that the bits do not depend on the threads. O(links x lanes).
 *
 * Where few numbers of y are not 0, they are pushed instead: along the links of each such node, nodes
 * in ascending order. The sums are the same, term after term, and so are the bits. */
#ifndef NI_SPREAD_H
#define NI_SPREAD_H

#include "evidence/view.h"

enum { NI_SPREAD_LANES = 16, NI_SPREAD_MOST = 2 * NI_SPREAD_LANES };

/* y and next: nodes x lanes; lanes is 1, NI_SPREAD_LANES or NI_SPREAD_MOST. With beta 0 next is not read.
 */
void ni_spread(const ni_view *view, uint32_t lanes, float alpha, const float *y, float beta, float *next,
               ni_threads *threads);

/* Words of a set of nodes: bit u % 64 of word u / 64. */
static inline size_t ni_set_words(uint32_t nodes)
{
    return ((size_t)nodes + 63) / 64;
}

/* next = D^-1 A y in one lane, whose column of next is 0. from: the nodes where y may not be 0; to: those
 * that are reached, empty before. Returns the number of links that these have. O(links of from + nodes /
 * 64). */
uint64_t ni_push(const ni_view *view, uint32_t lanes, uint32_t lane, const float *y, const uint64_t *from,
                 float *next, uint64_t *to);

#endif
