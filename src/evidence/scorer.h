/* scorer.h - scores of pairs: their evidence, weighed by curves.
 *
 * Pairs are taken source by source, many sources at a time, since the walks of a source serve all its
 * targets; targets are dealt out to the threads. A pair has the same bits whatever else is asked for, and
 * without directions whichever end is named first; all targets of a source have them to the last digits.
 *
 * A pair that is linked is scored as if it were not (masked.h), many links at a time; but for all targets
 * of a source, where its links are as the graph has them. */
#ifndef NI_SCORER_H
#define NI_SCORER_H

#include "evidence/additive.h"
#include "evidence/masked.h"
#include "evidence/weigh.h"

typedef struct ni_scorer {
    const ni_globals *globals;
    const ni_additive *curves;
    const uint32_t *kind; /* of each curve */
    ni_threads *threads;
    ni_weigher weigher;
    ni_walks panel, alone; /* of many sources, and of one; made when they are needed   */
    ni_near *near;         /* threads                                                  */
    ni_masked masked;      /* for links; made when it is needed                        */
} ni_scorer;

neap_status ni_scorer_create(ni_scorer *s, const ni_globals *globals, const ni_additive *curves,
                             const uint32_t *kind, ni_threads *threads, neap_error *err);
void ni_scorer_free(ni_scorer *s);

neap_status ni_scorer_pairs(ni_scorer *s, const neap_pair *pairs, size_t count, float *score,
                            neap_error *err);

/* The evidence about a pair (NI_KINDS) and its score, without its own link. */
neap_status ni_scorer_measure(ni_scorer *s, neap_pair pair, float *value, double *score, neap_error *err);

/* The score of a pair without its own link and these, at most NI_WITHOUT_MOST. */
enum { NI_WITHOUT_MOST = NI_GONE_MOST - 1 };
neap_status ni_scorer_without(ni_scorer *s, neap_pair pair, const neap_pair *links, uint32_t count,
                              double *score, neap_error *err);

/* (source, t) for all nodes t. */
neap_status ni_scorer_all(ni_scorer *s, uint32_t source, float *score, neap_error *err);

#endif
