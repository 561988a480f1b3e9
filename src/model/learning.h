/* learning.h - the options of methods that learn vectors by steps: a set that they include. */
#ifndef NI_LEARNING_H
#define NI_LEARNING_H

#include "base/options.h"

enum { NI_DECAY_NONE, NI_DECAY_LINEAR };

typedef struct ni_learning {
    uint32_t dim;
    uint32_t epochs;
    double lr;
    uint32_t decay; /* NI_DECAY_... */
    uint32_t negatives;
    double valid;
    uint32_t patience;
} ni_learning;

extern const ni_option_set ni_learning_set;

/* Some pairs are kept back to find the best epoch. */
static inline bool ni_learning_validates(const ni_learning *o)
{
    return o->valid > 0 && o->epochs > 0;
}

#endif
