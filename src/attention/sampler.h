/* sampler.h - which edges and non-edges make up a step: a pure function of (seed, epoch, place).
 *
 * An epoch has as many places as there are edges (twice as many in an undirected graph: both orders). An
 * unweighted graph fills them with a permutation of the edges; in a weighted one each place draws an edge
 * by weight, so that heavy edges come more often.                                                  */
#ifndef NI_SAMPLER_H
#define NI_SAMPLER_H

#include "base/options.h"
#include "graph/links.h"

typedef struct ni_sampler {
    const neap_options *options;
    const neap_graph *graph;
    const ni_links *links;
    uint64_t places;    /* per epoch                                                   */
    uint64_t left_out;  /* sources linked with every node: they have no negative       */
    double *edge_sum;   /* weighted: running sum of the weights, or NULL               */
    double *degree_sum; /* negatives by degree: running sum of floor(1 + degree^0.75), or NULL    */
} ni_sampler;

/* NEAP_E_FORMAT if no edge can be trained on. */
neap_status ni_sampler_create(const neap_options *options, const neap_graph *graph, const ni_links *links,
                              ni_sampler *s, neap_error *err);
void ni_sampler_free(ni_sampler *s);
uint64_t ni_sampler_bytes(const neap_options *options, const neap_graph *graph);

/* The items of places first .. first+count-1 of an epoch (from 0): each a source, a target and K negatives
 * into nodes (count x (2 + K)); returns how many there are, since sources without a negative are left out.
 */
uint32_t ni_sampler_draw(const ni_sampler *s, uint64_t epoch, uint64_t first, uint32_t count,
                         uint32_t *nodes);

#endif
