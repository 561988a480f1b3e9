/* by_source.h - scores of pairs, source by source: what depends on the source alone is computed once for
 * all its pairs. Sources run in parallel, each in scratch memory of its thread, and write only the scores
 * of their own pairs: the number of threads cannot change a bit. */
#ifndef NI_BY_SOURCE_H
#define NI_BY_SOURCE_H

#include "model/method.h"

typedef struct ni_by_source {
    uint32_t lanes; /* sources taken together by one call of spread      */
    size_t width;   /* bytes of scratch for each node, all lanes together */

    /* Fills the scratch for the targets of source[0 .. count-1]; before, it holds zeros, or what clear
     * left there. */
    void (*spread)(const ni_links *links, const void *rule, const uint32_t *source, uint32_t count,
                   void *scratch);

    /* The score of (source, target); the source was number `lane` in spread. */
    double (*score)(const ni_links *links, const void *rule, uint32_t source, uint32_t lane,
                    uint32_t target, const void *scratch);

    /* After the last target; NULL: spread does not need zeros. */
    void (*clear)(const ni_links *links, const uint32_t *source, uint32_t count, void *scratch);
} ni_by_source;

/* Scores of all pairs. `rule` is passed to spread and score. */
neap_status ni_by_source_score(neap_query *query, const ni_by_source *by, const void *rule,
                               const neap_pair *pairs, size_t count, float *scores, neap_error *err);

#endif
