/* series.h - sums over walks of every length: y = M e_u + M^2 e_u + ... for many sources u, where M is the
 * adjacency matrix times a number, or its rows' means times a number. The ground of katz and ppr.
 *
 * By Horner's rule, y <- M (e_u + y), so two vectors are enough. All terms are positive: nothing cancels,
 * and a small score is as exact as a large one, in floats. The number of terms is fixed, so that a score
 * depends neither on the pairs asked for with it nor on the threads. */
#ifndef NI_SERIES_H
#define NI_SERIES_H

#include "model/model.h"

typedef struct ni_series {
    uint32_t terms; /* even                                               */
    double share;   /* what is left of a walk's worth after each step     */
    bool mean;      /* M = share D^-1 A, D the degrees; false: M = share A */
    /* The score of (source, target), y being the entry of the target. */
    double (*finish)(const ni_links *links, uint32_t source, uint32_t target, double y);
} ni_series;

neap_status ni_series_score(const neap_model *model, const ni_series *series, const neap_pair *pairs,
                            size_t count, float *scores, neap_error *err);

/* One source, all targets. */
neap_status ni_series_score_all(const neap_model *model, const ni_series *series, uint32_t source,
                                float *scores, neap_error *err);

#endif
