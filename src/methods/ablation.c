/* The paper's ablations with an encoder (section 4.4): gap with the attentive pooling network that it
 * simplifies, a convolution over the neighbours in some order. No code of them was released; what the paper
 * leaves open is told in docs/methods.md. */
#include "attention/trainer.h"

static const ni_option ablation_options[] = {
    NI_OPTION(ni_attention_options, U32, permutations, "permutations", "", 0, "training", "N", "5", "5",
              "5", 1, 1000, 1,
              "passes over the edges in an epoch, each with new random orders of the neighbours"),
};
static const ni_option_set ablation_set = NI_OPTION_SET(ablation_options);

#define COMMON_PARTS                                                                                       \
    { &ni_learning_set, offsetof(ni_attention_options, learning), NULL }, { &ni_attention_set, 0, NULL },  \
        { &ni_sampling_set, offsetof(ni_attention_options, sampling), NULL },                              \
    {                                                                                                      \
        &ni_encoding_set, offsetof(ni_attention_options, encoding), NULL                                   \
    }

static const ni_option_part gapcn_parts[] = { COMMON_PARTS, { 0 } };
static const ni_option_part gapapn_parts[] = { COMMON_PARTS, { &ablation_set, 0, NULL }, { 0 } };

#define ENGINE                                                                                             \
    .dim = ni_encoding_dim, .hood = ni_gap_hood, .own = sizeof(ni_gap), .declare = ni_gap_declare,         \
    .train = ni_gap_train, .bytes = ni_gap_bytes, .open = ni_pooling_open, .close = ni_pooling_close,      \
    NI_ATTENTION_ANSWERS

/* ---- gapcn ---- */

static const ni_recipe gapcn_recipe = { .sides = NI_SIDES_COMMON, .encoded = true };

static const ni_default gapcn_defaults[] = {
    { "pooling", { "max", "max", "max" } },
    { "dropout", { "0.5", "0.95", "0.95" } },
    { 0 },
};

const ni_method ni_method_gapcn = {
    .info = { .size = sizeof(neap_method_info),
              .name = "gapcn",
              .summary = "gap with a convolution over neighbours, ordered by common neighbours",
              .details = "As gap, but the neighbours of a node are put in the order of the common\n"
                         "neighbours that they have with it, most first, and a convolution of --kernel\n"
                         "rows encodes them before they attend: the attentive pooling network on\n"
                         "neighbourhoods. With --kernel 1 the order does not matter. An ablation of the\n"
                         "paper. One epoch is one pass over the edges.\n"
                         "Kefato and Girdzijauskas, Graph Neighborhood Attentive Pooling, 2020.",
              .context = 1,
              .vectors = 1,
              .explains = 1 },
    .options = { sizeof(ni_attention_options), gapcn_parts, gapcn_defaults },
    .family = &gapcn_recipe,
    ENGINE,
};

/* ---- gapapn ---- */

static const ni_recipe gapapn_recipe = { .sides = NI_SIDES_SHUFFLED, .encoded = true };

static const ni_default gapapn_defaults[] = {
    { "pooling", { "max", "max", "max" } },
    { "dropout", { "0.5", "0.95", "0.95" } },
    { "kernel", { "3", "3", "3" } },
    { 0 },
};

const ni_method ni_method_gapapn = {
    .info = { .size = sizeof(neap_method_info),
              .name = "gapapn",
              .summary = "gap with a convolution over neighbours in random orders",
              .details = "As gapcn, but in training the neighbours of a node come in random orders: an\n"
                         "epoch has --permutations passes over the edges, and each draws an order for\n"
                         "every occurrence of a node. A query reads them in the order of their numbers.\n"
                         "An ablation of the paper.\n"
                         "Kefato and Girdzijauskas, Graph Neighborhood Attentive Pooling, 2020.",
              .context = 1,
              .vectors = 1,
              .explains = 1 },
    .options = { sizeof(ni_attention_options), gapapn_parts, gapapn_defaults },
    .family = &gapapn_recipe,
    ENGINE,
};
