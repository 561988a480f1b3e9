/* engine.h - a batch of pairs at once: what reference.c defines, fast and on several threads.
 *
 *     rows of the batch -> X (dropout) -> Q = X P -> pool every pair -> loss -> G -> dX, dP
 *
 * There are R rows, and the first S of them occur in sequences of sources: only these are multiplied by P,
 * and Q is S x d. Every alignment of every pair is an entry of Q X' (S x R). Where that is cheaper
 * than the tiles of all pairs, one large product makes the table and pooling gathers from it; otherwise
 * each pair makes its own tile. The gradient of all alignments is one sparse S x R matrix G, since a
 * maximum has one nonzero:   dX = W g + G' Q + (G X) P',   dP = X' (G X),   where products with P and
 * sums over P have S rows.                                                                               */
#ifndef NI_ENGINE_H
#define NI_ENGINE_H

#include "attention/loss.h"
#include "attention/options.h"
#include "attention/rows.h"
#include "base/sys.h"
#include "base/threads.h"

/* STAGE(id, name, help): in the order of a step. */
#define NI_STAGE_LIST(STAGE)                                                                               \
    STAGE(DRAW, "draw", "pairs and non-links")                                                             \
    STAGE(COLLECT, "collect", "the distinct rows of all neighbourhoods")                                   \
    STAGE(EMBED, "embed", "rows with dropout, times P")                                                    \
    STAGE(TABLE, "table", "all alignments of the batch as one matrix product")                             \
    STAGE(POOL, "pool", "alignments of each pair, maxima, attention")                                      \
    STAGE(LOSS, "loss", "loss and its gradient down to the alignments")                                    \
    STAGE(INDEX, "index", "nonzeros of the gradient sorted and merged")                                    \
    STAGE(PULL, "pull", "gradient of every row")                                                           \
    STAGE(MATRIX, "matrix", "gradient of P")                                                               \
    STAGE(OPTIMIZE, "optimize", "the optimiser's step")

typedef enum ni_stage {
#define STAGE(id, name, about) NI_STAGE_##id,
    NI_STAGE_LIST(STAGE)
#undef STAGE
        NI_STAGES
} ni_stage;

/* Stages follow each other, each on all threads: the clock between them accounts for all of a step. */
typedef struct ni_stages {
    double since; /* when the current stage began */
    double seconds[NI_STAGES];
} ni_stages;

static inline void ni_stage_begin(ni_stages *s)
{
    s->since = ni_seconds();
}

/* Ends the current stage and begins the next. */
static inline void ni_stage_end(ni_stages *s, ni_stage stage)
{
    double now = ni_seconds();
    s->seconds[stage] += now - s->since;
    s->since = now;
}

typedef struct ni_engine ni_engine;

/* What the engine reads; all of it stays the caller's, and numbers may change between calls. */
typedef struct ni_engine_inputs {
    const ni_attention_options *options;
    uint64_t seed; /* of the dropout masks */
    const ni_rows *rows;
    uint32_t keys;    /* sides with keys below it share their sequences */
    const float *P;   /* dim x dim, or NULL   */
    const float *pad; /* dim, or NULL         */
    uint32_t dim;
    ni_threads *threads;
    uint32_t score; /* NI_SCORE_... of loss.h */
    uint32_t terms; /* linear terms of a score: how many, and their weights */
    const float *b;
} ni_engine_inputs;

/* What a call works on. */
typedef struct ni_items {
    const ni_side *sides; /* count x (2 + negatives): each a source, a target and K negatives */
    uint32_t count, negatives;
    const float *features; /* count x (1 + negatives) x terms: of each pair (source, other side) */
} ni_items;

/* Gradients of the mean loss, besides those that the rows take; they live until the engine's next call. */
typedef struct ni_engine_gradients {
    const float *P; /* dim x dim */
    const float *b; /* terms     */
} ni_engine_gradients;

/* O(ids + keys) once, so that a call costs its items. */
neap_status ni_engine_create(const ni_engine_inputs *in, ni_engine **out, neap_error *err);
void ni_engine_free(ni_engine *e);

/* One forward and backward pass. The loss is the mean over items. step: seeds the dropout masks. */
neap_status ni_engine_step(ni_engine *e, const ni_items *items, uint64_t step,
                           ni_engine_gradients *gradients, double *loss, neap_error *err);

/* Forward only, for items without negatives. scores: count, or NULL. vectors receives a view of count x
 * 2 x dim floats, r_s and r_t of each pair, until the engine's next call; may be NULL. dropped: with the
 * dropout masks of `step`. */
neap_status ni_engine_forward(ni_engine *e, const ni_items *items, bool dropped, uint64_t step,
                              float *scores, const float **vectors, neap_error *err);

/* The rows of one side without dropout, and behind them the padding vector where the side is padded with
 * one, into X (side->count + 1 rows). */
neap_status ni_engine_read(ni_engine *e, const ni_side *side, float *X, neap_error *err);

/* Where the time of all steps so far went; the trainer adds what it does between them. */
ni_stages *ni_engine_stages(ni_engine *e);

/* How the last call aligned its pairs, for tests and benches. */
bool ni_engine_used_table(const ni_engine *e);

/* Forces how pairs are aligned (0 by cost, 1 table, 2 pairwise), for tests and benches. */
void ni_engine_force(ni_engine *e, int alignment);

/* Forces the order of attention (0 by cost, 1 by sequences, 2 by items), for tests. */
void ni_engine_force_order(ni_engine *e, int order);

/* Bytes the engine would hold for these items, without computing them; for estimates. */
neap_status ni_engine_measure(ni_engine *e, const ni_items *items, uint64_t *bytes, neap_error *err);

#endif
