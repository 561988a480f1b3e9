/* dropout.h - which entries of a row are kept in a step: a function of (seed, step, item). */
#ifndef NI_DROPOUT_H
#define NI_DROPOUT_H

#include "base/options.h"

/* A draw has 16 bits, and an entry is dropped if its draw is below this; 0: nothing is. */
uint16_t ni_dropout_limit(const neap_options *options);

/* What kept entries are multiplied by, so that the mean stays. */
float ni_dropout_scale(const neap_options *options);

/* `dim` bits, set where the entry is kept. */
void ni_dropout_mask(const neap_options *options, uint64_t step, uint64_t item, uint64_t *mask);

static inline uint64_t ni_mask_words(uint32_t dim)
{
    return ((uint64_t)dim + 63) / 64;
}

#endif
