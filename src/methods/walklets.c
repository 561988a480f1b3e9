#include "methods/dot.h"
#include "methods/walking.h"

static neap_status train(const neap_graph *graph, const neap_options *options, const neap_hooks *hooks,
                         neap_model **out, neap_error *err)
{
    neap_options scales = *options;
    scales.loss = NI_LOSS_NEGATIVES;
    scales.p = scales.q = 1;
    return ni_walking_train(graph, &scales, true, hooks, out, err);
}

static neap_status bytes(const neap_graph *graph, const neap_options *options, neap_estimate_result *r,
                         neap_error *err)
{
    return ni_walking_bytes(graph, options, true, r, err);
}

static const ni_default defaults[] = {
    { "epochs", { "5", "2", "5" } }, /* paper: see docs/evaluation.md */
    { "lr", { "0.025", "0.025", "0.025" } },
    { "decay", { "linear", "linear", "linear" } },
    { "negatives", { "5", "5", "5" } },
    { "valid", { "0", "0", "0" } },
    { "loss", { "ns", "ns", "ns" } },
    { "dim", { "128", "200", "80" } },
    { "window", { "4", "5", "5" } },
    { "walks", { "5", "5", "5" } },
    { 0 },
};

const ni_method ni_method_walklets = {
    .info = { "walklets", "a vector of several scales: nodes one step apart, two steps apart, and so on",
              "Of each walk the pairs exactly k steps apart train part k of the vectors, for k = 1 .. "
              "--window; a vector\nis the parts side by side, so that --dim must be a multiple of "
              "--window. One epoch is --walks walks from\nevery node, made anew. The defaults are for "
              "classes; links were predicted better, on the mean of\nthree graphs, with --epochs 2.\n"
              "Perozzi, Kulkarni, Chen and Skiena, Don't Walk, Skip!, 2017.",
              0, 1, NI_WALKING_OPTIONS },
    .defaults = defaults,
    .tables = "E",
    .train = train,
    .bytes = bytes,
    .state = ni_walking_state,
    .score = ni_dot_score,
    .score_all = ni_dot_score_all,
    .vectors = ni_dot_vectors,
};
