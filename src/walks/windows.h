/* windows.h - the pairs of a skip-gram model from random walks: what stands in a window around a node of a
 * walk. An epoch has `rounds` walks from every node; a place is a node of a walk. */
#ifndef NI_WINDOWS_H
#define NI_WINDOWS_H

#include "walks/skipgram.h"
#include "walks/walker.h"

typedef struct ni_windows {
    const ni_walker *walker;
    uint32_t rounds, length, window;
    bool scales;       /* layer k holds the pairs exactly k + 1 steps apart, window layers in all; otherwise
                          each centre draws a window from 1 to `window`, so that near ones come more often */
    const float *kept; /* nodes: share of its visits that count; NULL: all                                */
    uint64_t seed;
} ni_windows;

/* Walks first .. first + count - 1 of an epoch, at most NI_ABREAST, in places of `length` nodes each. rng:
 * as many; where the draws of each walk went on to. */
void ni_windows_walks(const ni_windows *w, uint64_t epoch, uint64_t first, uint32_t count, ni_rng *rng,
                      uint32_t *walk, uint32_t *lengths);

/* Places that it needs for its walks. */
ni_source ni_windows_source(const ni_windows *w);

/* How often each node is visited by one walk from every node. */
neap_status ni_windows_visits(const ni_windows *w, ni_threads *threads, uint64_t **visits, neap_error *err);

/* The share of its visits that a frequent node keeps: (sqrt(f/t) + 1) t/f for a frequency f above t, as
 * word2vec has it. NULL in *kept if t is 0. */
neap_status ni_windows_thin(const uint64_t *visits, uint32_t nodes, double t, float **kept,
                            neap_error *err);

#endif
