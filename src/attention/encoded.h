/* encoded.h - rows of an encoder over a table, as a provider (rows.h): the sequences of a batch are read
 * from the table, encoded at once, and lent; their gradient goes back through the encoder to its weights
 * and to the rows of the table that were read.
 *
 * A window of one row mixes nothing: then rows are by id, each is encoded once per batch, and all of them
 * can be lent for ranking. Otherwise a row is a position of a sequence. Rows of one id are summed in the
 * order of the batch. Where ids occur in a batch twice and more, as words do, each of them is multiplied
 * once. Where most sequences have no gradient, since only the hardest non-link has one, those
 * that do are encoded once more, by themselves, and only they go back; the next batch, which will be like
 * it, then keeps nothing for a way back. The provider owns all but the table and the weights; one thread
 * calls it, which works on all. */
#ifndef NI_ENCODED_H
#define NI_ENCODED_H

#include "attention/rows.h"
#include "base/carve.h"
#include "encoders/encoder.h"
#include "linalg/sparse.h"

typedef struct ni_encoded {
    const float *E; /* ids x d                   */
    uint32_t ids;
    ni_encoder encoder;
    bool by_id;  /* a window is one row, and a row is not wanted for each occurrence */
    bool learns; /* else nothing is taken     */
    ni_threads *threads;

    /* After `take`, until the next call: gradients of the mean loss. */
    ni_gradient dE;
    const float *dW, *dU, *db; /* of the encoder; see encoder.h */

    ni_block block;   /* all arrays below lie in it */
    ni_packed packed; /* the sequences that are encoded */
    uint32_t *chosen; /* packed.count: which of the batch's they are */
    uint64_t *first;  /* of packed             */
    uint32_t *length; /* likewise              */
    uint32_t *at; /* batch rows: the row of X and H; padding, and rows that are not encoded, have none */
    float *X, *H; /* rows x d, rows x c    */
    bool shared;  /* H was made from the distinct rows, and X was not filled */
    uint32_t distinct; /* ids of the batch      */
    uint32_t *slot;    /* rows: which of them a row is */
    float *D, *T;      /* distinct x d: their rows; distinct x ni_encoder_shared: their products */
    bool few_live;     /* of the last batch few sequences had a gradient */
    bool kept;         /* what a backward of all sequences reads, where `shared` */
    ni_encoder_memory memory;
    float *dX, *dH;     /* as X, H                             */
    uint8_t *live;      /* sequences: whether it has a gradient */
    uint32_t *owner;    /* rows: row of sums, or NEAP_NONE      */
    uint32_t *owner_id; /* those rows' ids       */
    float *sums;        /* distinct ids x d: dE  */
    ni_sparse by_owner;

    uint32_t *row_of; /* ids: NEAP_NONE between calls */
    float *all;       /* ids x c, or positions x c, once they were lent */
} ni_encoded;

/* The fields up to `threads` are set. */
neap_status ni_encoded_create(ni_encoded *e, neap_error *err);
void ni_encoded_free(ni_encoded *e);

ni_rows ni_rows_of_encoder(ni_encoded *e);

/* Bytes besides those of a batch. */
uint64_t ni_encoded_bytes(const ni_encoded *e);

#endif
