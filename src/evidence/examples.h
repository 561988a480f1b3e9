/* examples.h - links and non-links from which curves are learned, and their loss.
 *
 * A group is one link, first, and its non-links: some drawn evenly, some among the likely ones. The loss of
 * a group with scores s, its link at 0, is
 *
 *     L = sum over i of weight_i log(1 + exp(-s_0) or exp(s_i))       is it a link?
 *       - ln(stands_0 exp(s_0) / sum over i of stands_i exp(s_i))     which one is it?
 *
 * weight 0 leaves an example out of the first sum, stands 0 out of the second. `stands` is the number of
 * nodes that an example was drawn from: a sample of likely non-links then counts no more than they do. */
#ifndef NI_EXAMPLES_H
#define NI_EXAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

typedef struct ni_examples {
    uint32_t groups, size; /* examples in a group, at most NI_GROUP_MOST */
    uint32_t evidence;
    const float *value;  /* evidence x (groups x size); NaN: missing */
    const bool *plain;   /* evidence: its line reads the value itself, not the logarithm */
    const float *weight; /* groups x size */
    const float *stands; /* groups x size */
} ni_examples;

enum { NI_GROUP_MOST = 64, NI_GROUPS_PER_TASK = 64 };

static inline size_t ni_examples_count(const ni_examples *e)
{
    return (size_t)e->groups * e->size;
}

/* The loss of a group. gradient: dL/ds. curvature: second derivatives d2L/ds_i2. share: what the softmax
 * gives each example; may be NULL. */
double ni_group_loss(const ni_examples *e, uint32_t group, const double *score, double *gradient,
                     double *curvature, double *share);

/* The loss alone. */
double ni_group_value(const ni_examples *e, uint32_t group, const double *score);

/* The derivatives alone, from exponentials of floats: a round of boosting needs no more digits. slope: size
 * x 2, first and second derivative of each example. */
void ni_group_slopes(const ni_examples *e, uint32_t group, const double *score, double *slope);

#endif
