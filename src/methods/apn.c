/* Attentive pooling networks on the texts of two nodes (dos Santos, Tan, Xiang and Zhou 2016): the model
 * that gap simplifies. Words have vectors, an encoder reads each text, and the encoded words of the two
 * texts attend to each other; the score is a cosine. Everything but the options is the engine of gap with
 * words for neighbours (attention/family.h). */
#include "attention/trainer.h"
#include "support/status.h"

typedef struct apn_options {
    ni_attention_options attention; /* first: see ni_recipe */
    ni_text_options text;
} apn_options;

static const ni_option_part parts[] = {
    { &ni_learning_set, offsetof(apn_options, attention.learning), NULL },
    { &ni_attention_set, offsetof(apn_options, attention),
      "pooling,matrix,dropout,optimizer,objective,margin" },
    { &ni_sampling_set, offsetof(apn_options, attention.sampling), NULL },
    { &ni_encoder_set, offsetof(apn_options, attention.encoding), NULL },
    { &ni_encoding_set, offsetof(apn_options, attention.encoding), NULL },
    { &ni_text_set, offsetof(apn_options, text), NULL },
    { 0 },
};

/* `paper` and `authors` have the values of a public implementation for question answering: no code was
 * released with the paper. Its optimiser is SGD, ours is Adam. Options that apn does not have are here
 * where their defaults would matter. */
static const ni_default defaults[] = {
    { "dim", { "100", "100", "100" } },
    { "epochs", { "20", "20", "20" } },
    { "lr", { "0.001", "0.001", "0.001" } },
    { "negatives", { "5", "50", "50" } },
    { "pooling", { "max", "max", "max" } },
    { "dropout", { "0.5", "0", "0" } },
    { "objective", { "hardest", "hardest", "hardest" } },
    { "margin", { "0.5", "0.5", "0.5" } },
    { "batch", { "64", "20", "20" } },
    { "kernel", { "3", "3", "3" } },
    { "filters", { "0", "400", "400" } },
    { "activation", { "tanh", "linear", "linear" } },
    { "text-length", { "100", "100", "100" } },
    { "negative-sampling", { "uniform", "uniform", "uniform" } },
    { "fresh-negatives", { "yes", "yes", "yes" } },
    { "reject-links", { "yes", "yes", "yes" } },
    { "shuffle", { "yes", "yes", "yes" } },
    { "padding", { "none", "none", "none" } },
    { "dropout-per", { "node", "node", "node" } },
    { "dropout-at-inference", { "no", "no", "no" } },
    { 0 },
};

static const ni_recipe recipe = { .sides = NI_SIDES_WORDS, .encoded = true, .score = NI_SCORE_COSINE };

static const ni_text_options *text_rule(const ni_settings *settings)
{
    return &((const apn_options *)settings->own)->text;
}

static neap_status check(const ni_settings *settings, neap_error *err)
{
    const ni_attention_options *o = settings->own;
    if (o->encoding.encoder == NI_ENCODER_LSTM && ni_encoding_dim(settings) % 2)
        return ni_fail(err, NEAP_E_ARG,
                       "an LSTM reads from both ends, half of a vector from each: --filters (or --dim) "
                       "must be even");
    return NEAP_OK;
}

const ni_method ni_method_apn = {
    .info = { .size = sizeof(neap_method_info),
              .name = "apn",
              .summary = "attentive pooling network: the words of both nodes' texts attend to each other",
              .details =
                  "Every word has a vector. A convolution or an LSTM reads the text of each node; each\n"
                  "encoded word takes its best alignment with the other text, and the softmax of these\n"
                  "weighs them into the vector that the node has in this pair. The score is the cosine\n"
                  "of the two, trained with a margin over the best-scored of --negatives non-links. A\n"
                  "node without text scores 0. One epoch is one pass over the edges.\n"
                  "dos Santos, Tan, Xiang and Zhou, Attentive Pooling Networks, 2016.",
              .context = 1,
              .vectors = 1,
              .explains = 1,
              .text = 1,
              .new_text = 1 },
    .options = { sizeof(apn_options), parts, defaults },
    .family = &recipe,
    .dim = ni_encoding_dim,
    .check = check,
    .text = text_rule,
    .own = sizeof(ni_gap),
    .declare = ni_gap_declare,
    .train = ni_gap_train,
    .bytes = ni_gap_bytes,
    .open = ni_pooling_open,
    .close = ni_pooling_close,
    NI_ATTENTION_ANSWERS,
};
