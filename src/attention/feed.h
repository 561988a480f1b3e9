/* feed.h - the items of a step, drawn on all threads and put in the order of their sources.
 *
 * Items with one source share its neighbourhood: side by side they find its rows in the cache. The order
 * within a step changes no gradient but for the order of its sums.                                  */
#ifndef NI_FEED_H
#define NI_FEED_H

#include "attention/sampler.h"
#include "base/threads.h"

typedef struct ni_feed {
    const ni_sampler *sampler;
    ni_threads *threads;
    uint32_t *drawn; /* batch x (2 + K), in the order of places  */
    uint32_t *items; /* tasks: how many items of a task there are */
    uint64_t *key;   /* batch: source, then position in `drawn`  */
    uint32_t *nodes; /* batch x (2 + K), in the order of sources */
    uint64_t epoch, first;
    uint32_t count;
    uint64_t bytes; /* it holds                                  */
} ni_feed;

/* For batches of the sampler's options. */
neap_status ni_feed_create(const ni_sampler *sampler, ni_threads *threads, ni_feed *feed, neap_error *err);
void ni_feed_free(ni_feed *feed);

/* The items of places first .. first+count-1 of an epoch, as far as there are, into feed->nodes; returns
 * how many that is. */
uint32_t ni_feed_fill(ni_feed *feed, uint64_t epoch, uint64_t first, uint32_t count);

#endif
