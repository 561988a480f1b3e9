#include "attention/dropout.h"

#include "base/rng.h"
#include "linalg/kernels.h"

uint16_t ni_dropout_limit(const neap_options *o)
{
    return (uint16_t)(o->dropout * 65536 + 0.5);
}

float ni_dropout_scale(const neap_options *o)
{
    return (float)(65536.0 / (65536.0 - ni_dropout_limit(o)));
}

void ni_dropout_mask(const neap_options *o, uint64_t step, uint64_t item, uint64_t *mask)
{
    const ni_kernels *k = ni_kernels_get();
    ni_rng rng = ni_rng_at(o->seed, NI_STREAM_DROPOUT, step, item);
    for (uint64_t i = 0; i < ni_mask_words(o->dim); i++) {
        uint16_t draw[64];
        for (unsigned four = 0; four < 64; four += 4) {
            uint64_t bits = ni_next(&rng);
            for (unsigned n = 0; n < 4; n++) draw[four + n] = (uint16_t)(bits >> 16 * n);
        }
        mask[i] = k->decide(draw, ni_dropout_limit(o));
    }
}
