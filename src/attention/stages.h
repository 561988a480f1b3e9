/* stages.h - where the time of a training step goes.
 *
 * A step runs its stages one after the other, each on all threads, so the wall clock between two stages is
 * the whole story. flops: multiplications and additions of the stage as it was done; row work counts two
 * for each entry of each row that is added or multiplied.                                            */
#ifndef NI_STAGES_H
#define NI_STAGES_H

#include "base/sys.h"

/* STAGE(name, help): in the order of a step. */
#define NI_STAGE_LIST(STAGE)                                                                               \
    STAGE(DRAW, "draw", "pairs and non-links")                                                             \
    STAGE(COLLECT, "collect", "the distinct nodes of all neighbourhoods")                                  \
    STAGE(EMBED, "embed", "rows with dropout, times P")                                                    \
    STAGE(TABLE, "table", "all alignments of the batch as one matrix product")                             \
    STAGE(POOL, "pool", "alignments of each pair, maxima, attention")                                      \
    STAGE(LOSS, "loss", "hinge loss and its way back to the alignments")                                   \
    STAGE(INDEX, "index", "gradient entries sorted and merged")                                            \
    STAGE(PULL, "pull", "gradient of every row")                                                           \
    STAGE(MATRIX, "matrix", "gradient of P")                                                               \
    STAGE(OPTIMIZE, "optimize", "the optimiser's step")

typedef enum ni_stage {
#define STAGE(id, name, about) NI_STAGE_##id,
    NI_STAGE_LIST(STAGE)
#undef STAGE
        NI_STAGES
} ni_stage;

typedef struct ni_stages {
    double since; /* when the stage under way began */
    double seconds[NI_STAGES], flops[NI_STAGES];
    uint64_t batches, table_batches;
    double entries;  /* alignments, summed over the pairs: a x b each                              */
    double cheapest; /* flops if every batch had taken the cheaper of table and pairwise alignment, and
                        every entry of G had been added by itself: what merging saves counts here   */
} ni_stages;

static inline void ni_stage_begin(ni_stages *s)
{
    s->since = ni_seconds();
}

/* Ends the stage under way and begins the next. */
static inline void ni_stage_end(ni_stages *s, ni_stage stage)
{
    double now = ni_seconds();
    s->seconds[stage] += now - s->since;
    s->since = now;
}

#endif
