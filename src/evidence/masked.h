/* masked.h - evidence about a pair as if some links were not there: its own, if it has one, and one more to
 * see what that was worth.
 *
 * Degrees, shared neighbours, paths and walks are measured anew without these links; spectral, text and
 * global values (PageRank, core, clustering) are held: they are the whole graph's. A pair costs a copy of
 * the links, O(links), and walks of its own, of which many are made at once (ni_walks_without). */
#ifndef NI_MASKED_H
#define NI_MASKED_H

#include "evidence/measure.h"

typedef struct ni_masked {
    const ni_globals *globals; /* of the whole graph                                */
    ni_view view;              /* without the links of the last call                */
    ni_globals own;            /* of that view, as far as it is measured            */
    float *node;               /* NI_NODE_VALUES x nodes: globals->node, corrected  */
    ni_near near;
} ni_masked;

neap_status ni_masked_create(ni_masked *m, const ni_globals *globals, neap_error *err);
void ni_masked_free(ni_masked *m);

/* value (NI_KINDS): those of the whole graph; what is measured anew is replaced. walks: of the source,
 * without the links that are gone. */
neap_status ni_masked_measure(ni_masked *m, const ni_walks *walks, uint32_t lane, uint32_t target,
                              const ni_gone *gone, float *value, neap_error *err);

#endif
