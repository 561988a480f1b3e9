/* sample.h - vectors of nodes, some of which have a class: the input of clustering and classification. */
#ifndef NI_SAMPLE_H
#define NI_SAMPLE_H

#include "data/labels.h"

typedef struct ni_sample {
    const float *x; /* n x d */
    uint32_t n, d;
    const uint32_t *label; /* n: below classes, or NEAP_NONE */
    uint32_t classes;
} ni_sample;

static inline ni_sample ni_sample_of(const ni_labels *labels, const float *x, uint32_t d)
{
    return (ni_sample){ x, labels->nodes, d, labels->of, labels->classes.count };
}

#endif
