/* engine.h - a batch of pairs at once: what reference.c defines, fast and on several threads.
 *
 *     rows of the batch -> X (dropout) -> Q = X P -> pool every pair -> loss -> G -> row gradients
 *
 * There are R rows, and the first S of them occur in neighbourhoods of sources: only these are multiplied
 * by P, and Q is S x d. Every alignment of every pair is an entry of Q X' (S x R). Where that is cheaper
 * than the cells of all pairs, one large product makes the table and pooling gathers from it; otherwise
 * each pair makes its own tile. The gradient of all alignments is one sparse S x R matrix G, since a
 * maximum sends it to one cell:   dX = W g + G' Q + (G X) P',   dP = X' (G X),   where products with P and
 * sums over P have S rows.                                                                               */
#ifndef NI_ENGINE_H
#define NI_ENGINE_H

#include "attention/stages.h"
#include "base/options.h"
#include "base/threads.h"
#include "graph/hood.h"

typedef struct ni_engine ni_engine;

/* What the engine reads; all of it stays the caller's and may change between calls. */
typedef struct ni_engine_inputs {
    const neap_options *options;
    const ni_hood *hood;
    const float *E;   /* rows x dim           */
    const float *P;   /* dim x dim, or NULL   */
    const float *pad; /* dim, or NULL         */
    uint32_t dim;
    ni_threads *threads;
} ni_engine_inputs;

/* Gradient of the mean loss; lives until the engine's next call. */
typedef struct ni_gradient {
    uint32_t rows;
    const uint32_t *node; /* rows: distinct nodes, or NEAP_NONE: skip */
    const float *dE;      /* rows x dim                               */
    const float *dP;      /* dim x dim                                */
} ni_gradient;

neap_status ni_engine_create(const ni_engine_inputs *in, ni_engine **out, neap_error *err);
void ni_engine_free(ni_engine *e);

/* One step forth and back. nodes: items x (2 + K), each a source, a target and K negatives. The loss is
 * the mean over items and negatives. step: chooses the dropout masks. */
neap_status ni_engine_step(ni_engine *e, const uint32_t *nodes, uint32_t items, uint32_t negatives,
                           uint64_t step, ni_gradient *gradient, double *loss, neap_error *err);

/* Pairs that ni_engine_forward takes at once; more are done in chunks, which bounds the memory. */
enum { NI_FORWARD_MOST = 512 };

/* Only forth. scores: count, or NULL. vectors receives a view of count x 2 x dim floats, r_s and r_t of
 * each pair, until the engine's next call; may be NULL. dropped: with the dropout masks of `step`. */
neap_status ni_engine_forward(ni_engine *e, const neap_pair *pairs, uint32_t count, bool dropped,
                              uint64_t step, float *scores, const float **vectors, neap_error *err);

/* Where the time of all steps so far went; the trainer adds what it does between them. */
ni_stages *ni_engine_stages(ni_engine *e);

/* How the last call aligned its pairs, for tests and benches. */
bool ni_engine_used_table(const ni_engine *e);

/* Forces a way (0 by cost, 1 table, 2 pairwise), for tests and benches. */
void ni_engine_force(ni_engine *e, int way);

/* Forces the order of attention (0 by cost, 1 by neighbourhoods, 2 by items), for tests. */
void ni_engine_force_order(ni_engine *e, int order);

/* Bytes the engine would hold for this batch, without computing it; for estimates. */
neap_status ni_engine_measure(ni_engine *e, const uint32_t *nodes, uint32_t items, uint32_t negatives,
                              uint64_t *bytes, neap_error *err);

#endif
