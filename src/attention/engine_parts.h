/* engine_parts.h - what the parts of the engine share: engine.c (forward), gradient.c (backward) and
 * engine_memory.c (arrays). */
#ifndef NI_ENGINE_PARTS_H
#define NI_ENGINE_PARTS_H

#include "attention/batch.h"
#include "attention/engine.h"
#include "attention/squash.h"
#include "base/carve.h"
#include "linalg/kernels.h"
#include "linalg/sparse.h"

/* The sizes of one call. Everything the engine needs is carved from one block of memory
 * (engine_memory.c), so that a step allocates at most once and an estimate calls the same function. */
typedef struct ni_shape {
    uint64_t items, sides; /* sides = items x (2 + K)                                      */
    uint64_t rows;         /* R                                                            */
    uint64_t source_rows;  /* S                                                            */
    uint64_t positions;    /* neighbours of all sides                                      */
    uint64_t nonzeros;     /* of G, at most                                                */
    uint64_t ids;          /* rows of the gradient, if they differ from R: per occurrence  */
    bool table, backward;
    bool grouped; /* attention goes by neighbourhoods, not by items */
} ni_shape;

/* Work space of one thread. */
typedef struct ni_scratch {
    float *strip;                 /* alignments of a pair, NI_STRIP_ROWS rows at a time */
    ni_maxima row;                /* of the source, up to whole lanes                   */
    ni_maxima col[NI_STRIP_ROWS]; /* of as many other sides                             */
} ni_scratch;

struct ni_engine {
    ni_engine_inputs in;
    const ni_kernels *k;
    ni_batch batch;
    ni_shape shape;
    ni_stages stages;
    int alignment, order; /* see ni_engine_force, ni_engine_force_order */
    uint32_t threads;

    /* of the call */
    uint32_t negatives;
    const float *features;
    bool dropped;
    uint64_t step;
    ni_rows_view view; /* the rows that were lent */

    ni_block block; /* all arrays below lie in it */

    uint64_t *mask;        /* R x words: dropout bits                                                 */
    float *X;              /* R x d: rows after dropout                                               */
    float *Q;              /* S x d: X P                                                              */
    float *M;              /* S x R: Q X', if there is a table                                        */
    float *r, *g;          /* sides x d: representations, and dL/dr                                   */
    float *score, *dscore; /* sides: the score of each with its source, and dL/dscore; none at sources */
    float *db;             /* (items + 1) x terms: dL/db of each item, and of all                     */
    double *loss;          /* items                                                                   */
    uint8_t *live;         /* sides: g is not zero                                                    */
    float *z, *w;   /* positions: pooled alignment, attention. In the backward pass z of a live side becomes
                     * dL/dz, and with maxima what is before squashing                         */
    uint32_t *pick; /* positions: row selected on the other side                               */

    /* Sparse matrices, by coordinates first. A row of NEAP_NONE: no nonzero, since the side is not live or
     * padding won. */
    uint32_t *G_row, *G_col; /* nonzeros */
    float *G_value;
    uint64_t *G_first;         /* sides: where a pair's nonzeros begin (mean pooling)   */
    ni_sparse G, G_transposed; /* S x R, R x S                                          */
    uint32_t *W_row, *W_col;   /* positions; the values are w                           */
    ni_sparse W;               /* R x sides, unless grouped                             */
    uint32_t *known;           /* threads x R: see ni_sparse_merge                      */
    float *H;                  /* S x d: G X                                            */
    float *Wg;                 /* R x d, one stripe of columns behind the other         */
    float *dX;                 /* R x d                                                 */
    float *dP;                 /* d x d                                                 */

    /* Rows that are occurrences of ids. */
    uint32_t *owner;    /* R: row of the gradient, or NEAP_NONE for padding */
    uint32_t *owner_id; /* ids: that of each such row                       */
    float *dE;          /* ids x d                                          */
    ni_sparse by_owner; /* ids x R: ones                                    */

    ni_scratch *scratch; /* threads */
    void *scratch_block;
    uint32_t widest; /* rows that it has room for */
};

/* A draw has 16 bits, and a number of a row is dropped if its draw is below this; 0: nothing is. */
uint16_t ni_dropout_limit(const ni_attention_options *options);

/* What kept numbers are multiplied by, so that the mean stays. */
float ni_dropout_scale(const ni_attention_options *options);

/* `dim` bits, set where a number is kept: a function of (seed, step, item). */
void ni_dropout_mask(const ni_attention_options *options, uint32_t dim, uint64_t seed, uint64_t step,
                     uint64_t item, uint64_t *mask);

static inline uint64_t ni_mask_words(uint32_t dim)
{
    return ((uint64_t)dim + 63) / 64;
}

enum { NI_ITEMS_PER_TASK = 4, NI_ROWS_PER_TASK = 128, NI_SIDES_PER_TASK = 16 };

/* Within a task, which a pair of hubs can make long: it has made `done` products of two rows and goes on to
 * make `more`. False: a stop was asked for, and what the task leaves undone does not count. It is looked
 * for once in a few milliseconds, in a small neighbourhood never. */
static inline bool ni_engine_goes_on(const ni_engine *e, uint32_t thread, uint64_t done, uint64_t more)
{
    enum { MANY = 1 << 16 };
    return done / MANY == (done + more) / MANY || ni_threads_go_on(e->in.threads, thread);
}

/* Fills scratch->strip with the alignments of the next rows of s, from `first` on, with all rows of t;
 * returns how many rows of s that were. gradient.c needs it again for mean pooling. */
uint32_t ni_engine_strip(const ni_engine *e, const ni_sequence *s, const ni_sequence *t, uint32_t first,
                         ni_scratch *scratch);

/* Pooling by means: every alignment has a gradient. By maxima only those that were selected have one, in
 * uniform attention none. */
static inline bool ni_engine_averages(const ni_engine *e)
{
    return e->in.options->pooling == NI_POOL_MEAN && ni_aligns(e->in.options);
}

/* The mean's divisor and the weight of a padding row; see reference.c. */
float ni_engine_divisor(const ni_engine *e, const ni_sequence *other);
float ni_engine_multiplicity(const ni_engine *e, const ni_sequence *other, uint32_t j);

/* The score of a side with its source. */
ni_score ni_engine_score(const ni_engine *e, uint64_t source, uint64_t side);

/* terms: the features of that pair. */
static inline const float *ni_engine_features(const ni_engine *e, uint64_t side)
{
    return e->features + (side - side / e->batch.width - 1) * e->in.terms;
}

/* Everything behind the forward pass. */
neap_status ni_engine_backward(ni_engine *e, ni_engine_gradients *gradients, double *loss, neap_error *err);

/* Rows of one id become one before the provider takes their gradient. */
static inline bool ni_engine_merges(const ni_engine *e)
{
    return e->batch.identity == NI_ROW_BY_OCCURRENCE && e->in.rows->identity == NI_ROW_BY_ID;
}

/* Sets shape, arrays and scratch memory for the batch that has been collected. */
neap_status ni_engine_prepare(ni_engine *e, bool backward, neap_error *err);

#endif
