/* node_features.h - features for tests: a node has one by its number and one by its first neighbour, so
 * that linked nodes are often alike (include after cmocka.h). */
#ifndef NEAP_TESTS_NODE_FEATURES_H
#define NEAP_TESTS_NODE_FEATURES_H

#include "base/sys.h"
#include "data/features.h"
#include "graph/graph.h"
#include "support/status.h"

enum { FEATURES_BY_NUMBER = 3, FEATURES_BY_NEIGHBOUR = 5 };

static inline void fill_features(const neap_graph *g, neap_features *f)
{
    for (uint32_t u = 0; u < g->nodes; u++) {
        uint64_t first = g->offset[u], at = f->offset[u];
        f->feature[at] = u % FEATURES_BY_NUMBER, f->value[at++] = 1;
        if (first < g->offset[u + 1]) {
            f->feature[at] = FEATURES_BY_NUMBER + g->target[first] % FEATURES_BY_NEIGHBOUR;
            f->value[at++] = 0.5F;
        }
        f->offset[u + 1] = at;
    }
}

static inline neap_status try_features_of(const neap_graph *g, neap_features **out, neap_error *err)
{
    neap_features *f = *out = ni_zeros(1, sizeof *f);
    if (!f) return ni_fail_memory(err, "features");
    f->nodes = g->nodes;
    ni_names_init(&f->names);
    f->offset = ni_zeros((size_t)g->nodes + 1, sizeof *f->offset);
    f->feature = ni_array(2 * (size_t)g->nodes, sizeof *f->feature);
    f->value = ni_array(2 * (size_t)g->nodes, sizeof *f->value);
    if (f->offset && f->feature && f->value &&
        ni_names_number(&f->names, 0, FEATURES_BY_NUMBER + FEATURES_BY_NEIGHBOUR)) {
        fill_features(g, f);
        return NEAP_OK;
    }
    neap_features_free(f);
    *out = NULL;
    return ni_fail_memory(err, "features");
}

/* For neap_features_free. */
static inline neap_features *features_of(const neap_graph *g)
{
    neap_features *out;
    neap_error err = { 0 };
    if (try_features_of(g, &out, &err)) fail_msg("%s", err.text);
    return out;
}

#endif
