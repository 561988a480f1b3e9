/* split.h - held-out pairs by the clean protocol (see neap_split_create). */
#ifndef NI_SPLIT_H
#define NI_SPLIT_H

#include "base/rng.h"
#include "graph/links.h"

struct neap_split {
    neap_graph *train; /* the graph without the held-out pairs */
    neap_pair *positive, *negative;
    size_t count;
    size_t without_negative; /* held-out pairs whose source is linked with every node: left out */
};

/* Pairs of a graph that choose the best epoch, and as many negatives. */
typedef struct ni_validation {
    const neap_pair *positives, *negatives;
    size_t count;
} ni_validation;

/* stream: NI_STREAM_SPLIT for test pairs, NI_STREAM_VALID for validation pairs, so that the two draws of
 * one seed are independent; the clean protocol of test pairs also drops loops from training. `links` are
 * those of the graph. */
neap_status ni_split_create(const neap_graph *graph, const ni_links *links, double share, uint64_t seed,
                            ni_stream stream, neap_split **out, neap_error *err);

/* The same with given pairs; loops stay. NEAP_E_ARG if there are none. */
neap_status ni_split_take(const neap_graph *graph, const ni_validation *pairs, neap_split **out,
                          neap_error *err);

/* Keeps pairs back for validation, `valid` or else a share of the edges drawn by the seed; `rest` are
 * the links of what is left to train on. */
neap_status ni_split_hold_out(const neap_graph *graph, const ni_links *links, double share, uint64_t seed,
                              const ni_validation *valid, neap_split **out, ni_links *rest,
                              neap_error *err);

/* Memory that it takes, the links of its training graph included. */
static inline uint64_t ni_split_bytes(const neap_split *s, const ni_links *links)
{
    return ni_graph_bytes(s->train) + ni_links_bytes(links) +
           s->count * (2 * sizeof(neap_pair) + 2 * sizeof(float));
}

#endif
