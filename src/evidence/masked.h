/* masked.h - evidence about a pair as if some links were not there: its own, if it has one, and one more to
 * see what that was worth.
 *
 * Degrees, shared neighbours, paths and walks are measured anew in a view without these links; spectral,
 * text and global values (PageRank, core, clustering) are held: they are the whole graph's. Each pair costs
 * a copy of the links and the walks of a source, O(links). */
#ifndef NI_MASKED_H
#define NI_MASKED_H

#include "evidence/measure.h"

typedef struct ni_masked {
    const ni_globals *globals; /* of the whole graph                                */
    ni_view view;              /* without the links of the last call                */
    ni_globals own;            /* of that view, as far as it is measured            */
    float *node;               /* NI_NODE_VALUES x nodes: globals->node, corrected  */
    bool *held;                /* of the links of the whole graph                   */
    ni_walks walks;
    ni_near near;
    ni_threads *threads;
} ni_masked;

neap_status ni_masked_create(ni_masked *m, const ni_globals *globals, ni_threads *threads, neap_error *err);
void ni_masked_free(ni_masked *m);

/* value (NI_KINDS): those of the whole graph; what is measured anew is replaced. gone: links, in either
 * order; pairs that are not linked do not count. */
neap_status ni_masked_measure(ni_masked *m, uint32_t source, uint32_t target, const neap_pair *gone,
                              uint32_t count, float *value, neap_error *err);

#endif
