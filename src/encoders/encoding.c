/* The options of encoders. */
#include "encoders/encoding.h"

static const ni_option encoder_options[] = {
    NI_OPTION(ni_encoding, CHOICE, encoder, "encoder", "", 0, "model", "cnn|lstm", "cnn", "cnn", "cnn", 0,
              0, 1, "what reads a text before its words attend: a convolution, or an LSTM from both ends"),
};

const ni_option_set ni_encoder_set = NI_OPTION_SET(encoder_options);

static const ni_option encoding_options[] = {
    NI_OPTION(ni_encoding, U32, kernel, "kernel", "kernel-size,width", 0, "model", "N", "1", "1", "1", 1, 9,
              1, "rows that a window of the convolution spans"),
    NI_OPTION(
        ni_encoding, U32, filters, "filters", "", 0, "model", "N", "0", "0", "0", 0, 65536, 1,
        "filters of the convolution, or numbers of an LSTM's states of both directions, hence the length "
        "of every vector; 0: as many as --dim"),
    NI_OPTION(ni_encoding, CHOICE, activation, "activation", "", 0, "model", "tanh|linear", "tanh", "tanh",
              "tanh", 0, 0, 1, "what follows the convolution"),
};

const ni_option_set ni_encoding_set = NI_OPTION_SET(encoding_options);
