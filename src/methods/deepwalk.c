#include "methods/dot.h"
#include "methods/walking.h"

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    neap_options first_order = *options;
    first_order.p = first_order.q = 1;
    return ni_walking_train(graph, &first_order, false, hooks, out, err);
}

static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    return ni_walking_bytes(graph, options, false, r, err);
}

static const ni_default defaults[] = {
    { "epochs", { "5", "1", "5" } }, /* paper: see docs/evaluation.md */
    { "lr", { "0.025", "0.025", "0.025" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "walk-length", { "40", "40", "40" } },
    { "dim", { "128", "200", "64" } },
    { "window", { "10", "3", "5" } },
    { 0 },
};

const ni_method ni_method_deepwalk = {
    .info = { "deepwalk", "nodes that meet in random walks have similar vectors",
              "Random walks are sentences, nodes are words: a skip-gram model learns a vector a node so "
              "that nodes within\na window of a walk have a large product. One epoch is --walks walks "
              "from every node, made anew.\nThe defaults are for clusters and classes; links were "
              "predicted better, on the mean of\nthree graphs, with --epochs 1 --window 2.\nPerozzi, "
              "Al-Rfou and Skiena, DeepWalk: Online Learning of Social Representations, 2014.",
              0, 1, NI_WALKING_OPTIONS ",loss" },
    .defaults = defaults,
    .tables = "E",
    .train = train,
    .bytes = bytes,
    .state = ni_walking_state,
    .score = ni_dot_score,
    .score_all = ni_dot_score_all,
    .vectors = ni_dot_vectors,
};
