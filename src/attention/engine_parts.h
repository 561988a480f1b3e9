/* engine_parts.h - what the parts of the engine share: engine.c (forth), gradient.c (back) and
 * engine_memory.c (what they work on).                                                              */
#ifndef NI_ENGINE_PARTS_H
#define NI_ENGINE_PARTS_H

#include "attention/batch.h"
#include "attention/dropout.h"
#include "attention/engine.h"
#include "linalg/kernels.h"
#include "linalg/sparse.h"

/* The sizes of one call. Everything the engine needs is carved from one block of memory (engine_memory.c),
 * so that a step allocates at most once and an estimate can ask the same function. */
typedef struct ni_shape {
    uint64_t items, sides; /* sides = items x (2 + K)                                      */
    uint64_t rows;         /* R                                                            */
    uint64_t source_rows;  /* S                                                            */
    uint64_t elements;     /* neighbours of all sides                                      */
    uint64_t entries;      /* cells of G that may be non-zero                              */
    uint64_t nodes;        /* rows of the gradient, if they differ from R: per occurrence  */
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
    int way, order; /* see ni_engine_force, ni_engine_force_order */
    uint32_t threads;
    uint32_t widest; /* rows of the largest neighbourhood */
    uint32_t negatives;
    bool dropped;
    uint64_t step;

    void *block; /* all arrays below lie in it */
    size_t block_bytes;

    uint64_t *mask; /* R x words: dropout bits                        */
    float *X;       /* R x d: rows of E after dropout                 */
    float *Q;       /* S x d: X P                                     */
    float *M;       /* S x R: Q X', if there is a table               */
    float *r, *g;   /* sides x d: representations, and dL/dr          */
    uint8_t *live;  /* sides: g is not zero                           */
    double *loss;   /* items                                          */
    float *z, *w;   /* elements: pooled alignment, attention. On the way back z of a live side becomes
                     * dL/dz, and with maxima what is before the tanh  */
    uint32_t *pick; /* elements: row selected on the other side       */

    /* entries: cells of G. A row of NEAP_NONE: nothing here, since the side is not live or padding won. */
    uint32_t *cell_row, *cell_col;
    float *cell_value;
    uint64_t *entry;                      /* sides: where a pair's entries begin (mean pooling)      */
    ni_sparse W;                          /* R x sides, unless grouped                      */
    ni_sparse G, turned;                  /* S x R, and G'                                  */
    uint32_t *element_row, *element_side; /* elements: cells of W, whose values are w */
    uint32_t *known;                      /* threads x R: see ni_sparse_merge               */
    float *H;                             /* S x d: G X                                     */
    float *Wg;                            /* R x d, one stripe of columns behind the other  */
    float *dX;                            /* R x d                                          */
    float *dP;                            /* d x d                                          */
    uint32_t *owner;                      /* R: row of the gradient (per occurrence)        */
    uint32_t *grad_node;                  /* nodes                                          */
    float *dE;                            /* nodes x d                                      */
    ni_sparse by_owner;                   /* nodes x R: ones                                 */

    ni_scratch *scratch; /* threads */
    void *scratch_block;
};

enum { NI_ITEMS_PER_TASK = 4, NI_ROWS_PER_TASK = 128, NI_SIDES_PER_TASK = 16 };

/* Fills scratch->strip with the alignments of the next rows of s, from `first` on, with all rows of t;
 * returns how many rows of s that were. gradient.c needs it again for mean pooling. */
uint32_t ni_engine_strip(const ni_engine *e, const ni_local *s, const ni_local *t, uint32_t first,
                         ni_scratch *scratch);

/* The mean's divisor and the weight of a padding row; see reference.c. */
float ni_engine_divisor(const ni_engine *e, const ni_local *other);
float ni_engine_multiplicity(const ni_engine *e, const ni_local *other, uint32_t j);

/* Everything behind the forward pass. */
void ni_engine_backward(ni_engine *e, ni_gradient *gradient, double *loss);

/* Makes the work space of the threads. */
neap_status ni_engine_make_scratch(ni_engine *e, neap_error *err);

/* Sets shape and arrays for the batch that has been collected. */
neap_status ni_engine_prepare(ni_engine *e, bool backward, neap_error *err);

#endif
