/* skipgram.h - trains vectors from pairs that occur together, whoever makes the pairs: windows of walks
 * (deepwalk, node2vec, walklets), edges (line), ends of walks (verse).
 *
 * A step takes some places of an epoch. Several tasks make the pairs of their share of them; the pairs are
 * sorted by block (grid.h), in the order of the tasks, and the blocks are trained. So a step is the same
 * for any number of threads, and no walk is ever kept beyond it. */
#ifndef NI_SKIPGRAM_H
#define NI_SKIPGRAM_H

#include "base/threads.h"
#include "linalg/kernels.h"
#include "walks/grid.h"
#include "walks/tree.h"

/* Rows of the tables that should be near each other. */
typedef struct ni_couple {
    uint32_t in, out;
} ni_couple;

typedef struct ni_source {
    const void *self;
    uint64_t places;   /* of an epoch                                        */
    uint32_t per_task; /* places that are made at once                       */
    uint32_t couples;  /* at most so many a place                            */
    /* Writes the pairs of `count` places from `first` on, a multiple of per_task; returns how many. May use
     * `scratch` bytes of its own thread. */
    uint64_t (*make)(const void *self, uint64_t epoch, uint64_t first, uint32_t count, void *scratch,
                     ni_couple *out);
    size_t scratch;
} ni_source;

typedef struct ni_skipgram {
    ni_source source;
    const ni_grid *grid;
    const ni_tree *tree; /* hierarchical softmax, in a grid of one range; NULL: negatives */
    ni_threads *threads;
    float *in, *out; /* rows x dim                                                          */
    uint32_t tied;   /* in the first so many layers the outputs are the inputs: `out` is unused */
    uint32_t dim;
    uint32_t negatives;      /* that a group of pairs shares */
    float bias, shared_bias; /* see group.h                  */
    uint64_t seed;

    struct ni_workshop *workshop;
} ni_skipgram;

/* Makes room for steps of `places` places; the fields above are set. */
neap_status ni_skipgram_create(ni_skipgram *s, uint64_t places, neap_error *err);
void ni_skipgram_free(ni_skipgram *s);
uint64_t ni_skipgram_bytes(const ni_skipgram *s, uint64_t places);

/* Trains on the places from `first` on, as many as there was room made for or are left in the epoch. step:
 * chooses the negatives. loss: the mean of a pair, measured on some. */
void ni_skipgram_step(ni_skipgram *s, uint64_t epoch, uint64_t first, uint64_t step, double rate,
                      double *loss);

#endif
