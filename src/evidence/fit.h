/* fit.h - curves from examples: the line of each first, then steps on what remains.
 *
 * 1. Scale. The offset of a logarithm is the first percentile of the positive values; mean and deviation
 * are those of all examples. Edges are quantiles where links weigh as much as all non-links together.
 * 2. Lines (lines.c). All slopes and the start at once, by Newton's method on the loss plus
 *    ridge/2 |slope|^2.
 * 3. Steps (steps.c). Boosted stumps: in each round the cut of one curve into a left and a right part that
 *    gains most, G^2 / (H + lambda) summed over both parts, moves both by `rate` times their best shift.
 * 4. Slope and start (calibrate.c). A fifth of the groups is held, curves are fitted to the others, and the
 *    loss of the fifth tells the number of rounds (`rounds_least` to `rounds_most`). The scores of links
 *    and even non-links in it, one to one, give the logistic regression that makes the score a log-odds.
 * With few groups each fifth is held once. Then curves are fitted to all groups, and multiplied by that
 * slope.
 *
 * Same bits for any number of threads: sums are those of fixed ranges, added in their order. */
#ifndef NI_FIT_H
#define NI_FIT_H

#include "evidence/additive.h"
#include "evidence/examples.h"

typedef struct ni_fit_rule {
    double ridge;
    double rate, lambda;
    uint32_t rounds_least, rounds_most, patience;
    uint32_t leaf; /* examples on either side of a cut, at least */
    uint64_t seed; /* which groups are held                      */
} ni_fit_rule;

typedef struct ni_fit_report {
    uint32_t rounds;     /* of steps                                                                */
    double slope, start; /* log-odds = start + slope x sum of curves, as measured on what was held  */
} ni_fit_report;

/* The arrays of out are there, and filled. mean: curves; the means of the curves over all links and even
 * non-links, one to one. */
neap_status ni_fit(const ni_examples *e, const ni_fit_rule *rule, ni_threads *threads, ni_additive *out,
                   float *mean, ni_fit_report *report, neap_error *err);

/* Bytes of a fit. */
uint64_t ni_fit_bytes(const ni_examples *e, uint32_t threads);

/* A fit to some of the groups. */
typedef struct ni_fit_part {
    const ni_examples *e;
    const ni_fit_rule *rule;
    const float *z;     /* count x evidence: what lines read          */
    const uint8_t *bin; /* evidence x count: where steps are          */
    const bool *held;   /* groups that are left out; NULL: none       */
    uint32_t rounds;    /* of steps: the best by the loss of what is held; given where nothing is */
    double *score;      /* count: of the curves after these rounds    */
} ni_fit_part;

static inline bool ni_fit_holds(const ni_fit_part *p, uint32_t group)
{
    return p->held && p->held[group];
}

/* ---- lines.c ---- */

/* Slopes and start of the curves of out, whose scales are known. */
neap_status ni_fit_lines(const ni_fit_part *part, ni_threads *threads, ni_additive *out, neap_error *err);

/* ---- steps.c ---- */

/* Steps of the curves of out. part->score: that of the lines. */
neap_status ni_fit_steps(ni_fit_part *part, ni_threads *threads, ni_additive *out, neap_error *err);

/* ---- calibrate.c ---- */

/* Logistic regression of links and even non-links on their score: *start + *slope x score, both kinds of
 * equal weight. held: only these groups; NULL: all. */
void ni_calibrate(const ni_examples *e, const double *score, const bool *held, double *start,
                  double *slope);

#endif
