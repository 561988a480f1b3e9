#include "attention/queries.h"
#include "attention/trainer.h"
#include "model/method.h"

const ni_method ni_method_gap = {
    .info = { "gap",
              "graph neighbourhood attentive pooling: the neighbours of both nodes attend to each other",
              "Each pair of neighbours is aligned; each neighbour selects its best partner on the other "
              "side, and\n"
              "the softmax of these alignments weighs the neighbours' vectors into the node's. Trained "
              "with a\n"
              "margin between links and non-links. One epoch is one pass over the edges.\n"
              "Kefato and Girdzijauskas, Graph Neighborhood Attentive Pooling, 2020.",
              1, 1, NI_TRAIN_OPTIONS },
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
