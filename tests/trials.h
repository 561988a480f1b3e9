/* trials.h - graphs and splits for the tests of the evaluation (include after cmocka.h). */
#ifndef NEAP_TESTS_TRIALS_H
#define NEAP_TESTS_TRIALS_H

#include <stdlib.h>

#include "base/rng.h"
#include "eval/trial.h"

enum { MESSY_NODES = 60, MESSY_EDGES = 300 };

/* Loops, reciprocal edges, repeats, a hub, an isolated node. */
static inline neap_graph *messy_graph_of(uint64_t seed, int weighted, int undirected)
{
    neap_edge edge[MESSY_EDGES];
    neap_graph *g;
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    for (uint32_t i = 0; i < MESSY_EDGES; i++)
        edge[i] = (neap_edge){ i % 5 ? (uint32_t)ni_below(&rng, MESSY_NODES - 1) : 0,
                               (uint32_t)ni_below(&rng, MESSY_NODES - 1), 1 + 0.25f * (float)(i % 3) };
    assert_int_equal(
        neap_graph_create(MESSY_NODES, NULL, edge, MESSY_EDGES, weighted, undirected, &g, NULL), NEAP_OK);
    return g;
}

static inline neap_graph *messy_graph(uint64_t seed)
{
    return messy_graph_of(seed, 0, 0);
}

static inline ni_trial *trial_of(const neap_graph *g, ni_protocol protocol, ni_negatives kind, double ratio,
                                 uint64_t seed)
{
    neap_link_spec spec = { sizeof spec, ni_protocols[protocol], ni_negative_words[kind], ratio, seed, 0 };
    ni_trial *t;
    neap_error err = { 0 };
    if (neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = g }, &spec, &t, &err))
        fail_msg("%s", err.text);
    return t;
}

#endif
