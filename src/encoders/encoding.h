/* encoding.h - which encoder stands between a table of vectors and what reads its rows: a set of options
 * that methods include. */
#ifndef NI_ENCODING_H
#define NI_ENCODING_H

#include "base/options.h"

enum { NI_ENCODER_CNN, NI_ENCODER_LSTM };
enum { NI_ACTIVATION_TANH, NI_ACTIVATION_LINEAR };

typedef struct ni_encoding {
    uint32_t encoder;    /* NI_ENCODER_...                       */
    uint32_t kernel;     /* width of the convolution             */
    uint32_t filters;    /* length of an encoded row; 0: dim     */
    uint32_t activation; /* NI_ACTIVATION_...                    */
} ni_encoding;

/* Which encoder, and the shape of it. */
extern const ni_option_set ni_encoder_set;
extern const ni_option_set ni_encoding_set;

#endif
