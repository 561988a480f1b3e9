/* owners.h - what keeps the personas of a node near it (Epasto and Perozzi, Is a Single Embedding Enough?,
 * 2019). For each persona p, with x_p its vector and y the vector that its owner had before it was split,
 * which stays as it is:
 *     maximise  lambda log s(x_p . y),    s(z) = 1 / (1 + e^-z)
 * One pull is one step uphill:
 *     x_p += rate lambda (1 - s(x_p . y)) y
 * Pulls are numbered, and number j is one of persona j mod personas: all are pulled equally often, and
 * since each changes one row that is its own, threads do not meet. */
#ifndef NI_OWNERS_H
#define NI_OWNERS_H

#include "base/threads.h"

typedef struct ni_owners {
    uint32_t personas;
    const uint32_t *owner; /* personas       */
    float *vector;         /* personas x dim */
    const float *before;   /* nodes x dim    */
    uint32_t dim;
    double lambda;
} ni_owners;

/* Pulls number from .. to - 1. */
void ni_owners_pull(const ni_owners *o, uint64_t from, uint64_t to, double rate, ni_threads *threads);

#endif
