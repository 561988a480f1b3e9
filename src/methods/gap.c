/* gap and goat: one engine, other defaults. */
#include "attention/trainer.h"

static const ni_option_part gap_parts[] = {
    { &ni_learning_set, offsetof(ni_attention_options, learning), NULL },
    { &ni_attention_set, 0, NULL },
    { &ni_sampling_set, offsetof(ni_attention_options, sampling), NULL },
    { &ni_gap_set, 0, NULL },
    { 0 },
};

static const ni_option_part goat_parts[] = {
    { &ni_learning_set, offsetof(ni_attention_options, learning), NULL },
    { &ni_attention_set, 0, NULL },
    { &ni_sampling_set, offsetof(ni_attention_options, sampling), NULL },
    { 0 },
};

/* ---- the methods ---- */

static const ni_recipe recipe = { .sides = NI_SIDES_NEIGHBOURS, .score = NI_SCORE_DOT };

/* What both methods have besides their names and defaults. */
#define ENGINE                                                                                             \
    .family = &recipe, .hood = ni_gap_hood, .own = sizeof(ni_gap), .declare = ni_gap_declare,              \
    .train = ni_gap_train, .bytes = ni_gap_bytes, .open = ni_pooling_open, .close = ni_pooling_close,      \
    NI_ATTENTION_ANSWERS

/* In the preset neap what did best on validation pairs: docs/results/tuning-gap.txt. The others are the
 * paper's and the authors'. */
static const ni_default gap_defaults[] = {
    { "mask", { "yes", "no", "no" } },
    { "self", { "yes", "no", "yes" } },
    { "degrees", { "yes", "no", "no" } },
    { "alignment", { "scaled", "tanh", "tanh" } },
    { "objective", { "logistic", "margin", "margin" } },
    { 0 },
};

const ni_method ni_method_gap = {
    .info = { .size = sizeof(neap_method_info),
              .name = "gap",
              .summary = "graph neighbourhood attentive pooling: the neighbours of both nodes attend to "
                         "each other",
              .details =
                  "Every neighbour of one node is aligned with every neighbour of the other. Each\n"
                  "takes its best alignment on the other side, and the softmax of these weighs the\n"
                  "neighbours' vectors into the vector that the node has in this pair. By default it\n"
                  "learns from each edge without it, with degrees, and a score is trained as the\n"
                  "log-odds of a link; --preset paper has what was published: a tanh and a margin.\n"
                  "One epoch is one pass over the edges.\n"
                  "Kefato and Girdzijauskas, Graph Neighborhood Attentive Pooling, 2020.",
              .context = 1,
              .vectors = 1,
              .explains = 1 },
    .options = { sizeof(ni_attention_options), gap_parts, gap_defaults },
    ENGINE,
};

/* The presets of gap, with three differences that are the same in all of them. */
static const ni_default goat_defaults[] = {
    { "matrix", { "no", "no", "no" } },
    { "pooling", { "mean", "mean", "mean" } },
    { "objective", { "logistic", "logistic", "logistic" } },
    { 0 },
};

const ni_method ni_method_goat = {
    .info = { .size = sizeof(neap_method_info),
              .name = "goat",
              .summary =
                  "gap without its matrix: neighbours are compared as they are, and all of them count",
              .details =
                  "As gap, but two neighbours are aligned by the product of their vectors, a\n"
                  "neighbour's alignment is the mean over the other side, and a score is trained as\n"
                  "the log-odds of a link. One epoch is one pass over the edges.\n"
                  "Kefato and Girdzijauskas, Gossip and Attend: Context-Sensitive Graph\n"
                  "Representation Learning, 2020.",
              .context = 1,
              .vectors = 1,
              .explains = 1 },
    .options = { sizeof(ni_attention_options), goat_parts, goat_defaults },
    ENGINE,
};
