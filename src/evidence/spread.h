/* spread.h - one step of random walks, for several vectors at once: next = alpha D^-1 A y + beta next.
 *
 * Row v of D^-1 A y is the mean of the rows of y over the links of v, by weight; zero if there are none.
 * Walks from a source and the eigenvectors of a graph are both made of this product. It reads the links
 * once for all lanes, and LANES floats are a cache line. Rows are dealt out to the threads; each is one sum
 * in the order of the links, so that the bits do not depend on the threads. O(links x lanes). */
#ifndef NI_SPREAD_H
#define NI_SPREAD_H

#include "evidence/view.h"

enum { NI_SPREAD_LANES = 16 };

/* y and next: nodes x lanes; lanes is 1 or NI_SPREAD_LANES. With beta 0 next is not read. */
void ni_spread(const ni_view *view, uint32_t lanes, float alpha, const float *y, float beta, float *next,
               ni_threads *threads);

#endif
