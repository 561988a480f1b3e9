/* sampler.h - which edges and non-edges make up a step: a pure function of (seed, epoch, position).
 *
 * An epoch has as many positions as there are edges (twice as many in an undirected graph: both orders). An
 * unweighted graph fills them with a permutation of the edges; in a weighted one each position draws an
 * edge by weight, so that heavy edges come more often. The items of a step are drawn on all threads and put
 * in the order of their sources: items with one source share its neighbourhood, and side by side they find
 * its rows in the cache. The order within a step changes no gradient but for the order of its sums. */
#ifndef NI_SAMPLER_H
#define NI_SAMPLER_H

#include "base/options.h"
#include "base/threads.h"
#include "graph/negatives.h"

/* Besides the rules of ni_negatives: in proportion to floor(1 + degree^0.75). */
enum { NI_BY_DEGREE_75 = NI_TWO_HOP + 1 };

/* A part of the options of methods that train on edges and drawn non-edges. */
typedef struct ni_sampling {
    uint32_t batch;
    uint32_t negative_sampling; /* ni_negatives, or NI_BY_DEGREE_75 */
    bool fresh_negatives, reject_links, shuffle;
} ni_sampling;

extern const ni_option_set ni_sampling_set;

typedef struct ni_sampler {
    const ni_sampling *options;
    uint32_t negatives; /* K: non-links of an item                                     */
    uint64_t seed;
    const neap_graph *graph;
    const ni_links *links;
    const ni_targets *targets; /* or NULL                                              */
    ni_threads *threads;
    uint64_t positions; /* per epoch                                                   */
    uint64_t left_out;  /* sources linked with every node: they have no negative       */
    double *edge_sum;   /* weighted: running sum of the weights, or NULL               */
    double *degree_sum; /* NI_BY_DEGREE_75: running sum of floor(1 + degree^0.75), or NULL; with targets
                           in the order of targets->member, each side from 0               */
    uint8_t *closed;    /* targets: nodes: bit s: linked with all of side s; NULL without  */

    uint64_t most;   /* nodes of the largest step: batch x (2 + K)                           */
    uint32_t *nodes; /* most: the items of the last step, in the order of sources            */
    uint32_t *drawn; /* most: in the order of positions                                      */
    uint32_t *items; /* tasks: how many items of a task there are                            */
    uint64_t *key;   /* batch: source, then index in `drawn`                                 */
    uint64_t epoch, first;
    uint32_t count;
} ni_sampler;

/* For steps of at most options->batch positions; targets may be NULL. NEAP_E_FORMAT if no edge can be
 * trained on. */
neap_status ni_sampler_create(const ni_sampling *options, uint32_t negatives, uint64_t seed,
                              const neap_graph *graph, const ni_links *links, const ni_targets *targets,
                              ni_threads *threads, ni_sampler *s, neap_error *err);
void ni_sampler_free(ni_sampler *s);

/* Bytes of the running sums, and of the arrays of a step. */
uint64_t ni_sampler_bytes(const ni_sampling *options, const neap_graph *graph);
uint64_t ni_sampler_step_bytes(const ni_sampler *s);

/* The items of positions first .. first+count-1 of an epoch (from 0), as far as there are: each a source, a
 * target and K negatives, into s->nodes. Returns how many, since sources without a negative are left out;
 * after a stop 0. */
uint32_t ni_sampler_fill(ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count);

/* The same on one thread, in the order of positions, into nodes (count x (2 + K)). */
uint32_t ni_sampler_draw(const ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count,
                         uint32_t *nodes);

#endif
