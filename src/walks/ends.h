/* ends.h - the pairs of a skip-gram model from ends of walks: a node, and where a walk from it ends that
 * stops with probability `restart` before each step, as personalised PageRank has it (verse). A place is a
 * walk; an epoch has NI_END_SAMPLES from every node. */
#ifndef NI_ENDS_H
#define NI_ENDS_H

#include "walks/skipgram.h"
#include "walks/walker.h"

enum { NI_END_SAMPLES = 100 };

typedef struct ni_ends {
    const ni_walker *walker;
    double restart; /* at least 0.01 */
    uint64_t seed;
} ni_ends;

ni_source ni_ends_source(const ni_ends *e);

#endif
