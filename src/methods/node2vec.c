#include "methods/dot.h"
#include "methods/walking.h"

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    neap_options negatives = *options;
    negatives.loss = NI_LOSS_NEGATIVES;
    return ni_walking_train(graph, &negatives, false, hooks, out, err);
}

static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    return ni_walking_bytes(graph, options, false, r, err);
}

static const ni_default defaults[] = {
    { "epochs", { "5", "1", "1" } }, /* paper: see docs/evaluation.md */
    { "lr", { "0.025", "0.025", "0.025" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "loss", { "ns", "ns", "ns" } },
    { "dim", { "128", "200", "128" } },
    { "walks", { "10", "5", "10" } },
    { "window", { "10", "4", "10" } },
    { 0 },
};

const ni_method ni_method_node2vec = {
    .info = { "node2vec", "deepwalk with walks that can be kept near (--q) or from turning back (--p)",
              "At v, having come from t, a walk goes on to x in proportion to the weight of the link, "
              "times 1/p if x is t,\n1 if x is linked with t, 1/q otherwise. The rest is as in deepwalk "
              "with negative sampling. Memory stays linear\nin the edges. One epoch is --walks walks "
              "from every node, made anew.\nThe defaults are for clusters and classes; links were "
              "predicted better, on the mean of\nthree graphs but not on each, with --epochs 1 --window 2 "
              "--walks 5.\nGrover and Leskovec, node2vec: Scalable Feature Learning for Networks, 2016.",
              0, 1, NI_WALKING_OPTIONS ",p,q" },
    .defaults = defaults,
    .tables = "E",
    .train = train,
    .bytes = bytes,
    .state = ni_walking_state,
    .score = ni_dot_score,
    .score_all = ni_dot_score_all,
    .vectors = ni_dot_vectors,
};
