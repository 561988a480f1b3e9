#include "attention/queries.h"
#include "attention/trainer.h"
#include "model/method.h"

/* The presets of gap, with three differences that are the same in all of them. */
static const ni_default defaults[] = {
    { "matrix", { "no", "no", "no" } },
    { "pooling", { "mean", "mean", "mean" } },
    { "objective", { "logistic", "logistic", "logistic" } },
    { 0 },
};

const ni_method ni_method_goat = {
    .info = { "goat", "gap without its matrix: neighbours are compared as they are, and all of them count",
              "As gap, but two neighbours are aligned by the product of their vectors, a neighbour's "
              "alignment is the mean\nover the other side, and a score is trained as the chance of a link. "
              "One epoch is one pass over the edges.\nKefato and Girdzijauskas, Gossip and Attend: "
              "Context-Sensitive Graph Representation Learning, 2020.",
              1, 1, NI_TRAIN_OPTIONS },
    .defaults = defaults,
    .tables = "E,P,pad",
    .train = ni_train,
    .bytes = ni_train_bytes,
    .state = ni_train_state,
    .score = ni_gap_score,
    .score_all = ni_gap_score_all,
    .score_bounds = ni_gap_score_bounds,
    .score_some = ni_gap_score_some,
    .vectors = ni_gap_vectors,
    .context_vectors = ni_gap_context_vectors,
    .explain = ni_gap_explain,
};
