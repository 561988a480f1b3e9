/* reference.h - the paper, one pair at a time: the oracle of the engine, and what `explain` runs.
 *
 * A side is a sequence of rows, wherever they come from, after dropout; its gradient is returned as dX.
 * ni_real is float, or double: see loss.h. */
#ifndef NI_REFERENCE_H
#define NI_REFERENCE_H

#include "attention/loss.h"
#include "neap.h"

#ifdef NI_REFERENCE_DOUBLE
#define ni_ref_rows ni_ref_rows_double
#define ni_ref_align ni_ref_align_double
#define ni_ref_attend ni_ref_attend_double
#define ni_ref_pair ni_ref_pair_double
#define ni_ref_loss ni_ref_loss_double
#define ni_ref_room ni_ref_room_double
#endif

typedef struct ni_ref_model {
    uint32_t dim;       /* d                                         */
    uint32_t neighbors; /* S: what padding fills up to               */
    uint32_t pooling;   /* NI_POOL_MAX or NI_POOL_MEAN               */
    uint32_t padding;   /* NI_PAD_NONE, NI_PAD_ZERO or NI_PAD_VECTOR */
    uint32_t alignment; /* NI_ALIGN_TANH or NI_ALIGN_SCALED          */
    uint32_t attention; /* NI_ATTEND_ALIGNED or NI_ATTEND_UNIFORM    */
    const ni_real *P;   /* d x d, or NULL: the identity, which does not learn */
    uint32_t score;     /* NI_SCORE_DOT or NI_SCORE_COSINE           */
    uint32_t terms;     /* linear terms of a score                   */
    const ni_real *b;   /* terms: their weights                      */
    uint32_t objective; /* NI_OBJECTIVE_...                          */
    ni_real margin;
} ni_ref_model;

/* The rows of one side: those of its `size` neighbours, and behind them the padding vector where there is
 * one (ni_ref_rows in all). */
typedef struct ni_ref_sequence {
    const ni_real *X; /* rows x d                                                      */
    uint32_t size;    /* at most S                                                     */
    ni_real *dX;      /* rows x d: ni_ref_loss adds its gradient; unused in ni_ref_pair */
} ni_ref_sequence;

/* What attention made of one side. z, w and pick have `size` entries, r has d. */
typedef struct ni_ref_side {
    ni_real *z;     /* pooled alignment of each neighbour: see squash.h; 0 in uniform attention    */
    ni_real *w;     /* softmax(z): the attention, sums to 1                                        */
    uint32_t *pick; /* max: the position it selected on the other side; `size` there: the padding vector;
                       NEAP_NONE: a zero vector, or none                                             */
    ni_real *r;     /* the representation: sum_i w_i x_i                                           */
} ni_ref_side;

/* Rows of a side with so many neighbours. */
uint32_t ni_ref_rows(const ni_ref_model *m, uint32_t size);

/* Rows first .. end - 1 of M = X P Y' (rows(s) x rows(t)). xP: work space, d numbers. */
void ni_ref_align(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t, uint64_t first,
                  uint64_t end, ni_real *M, ni_real *xP);

/* What attention makes of both sides of M; returns the score without linear terms. */
ni_real ni_ref_attend(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t,
                      const ni_real *M, ni_ref_side *side_s, ni_ref_side *side_t);

/* Both. All results are written to the caller's arrays. */
ni_real ni_ref_pair(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t, ni_real *M,
                    ni_ref_side *side_s, ni_ref_side *side_t);

/* The loss of an item: a source, a target and K negatives, rows[0] .. rows[1 + K]. r_s comes from the pair
 * (s, t). features: (1 + K) x terms, of the pairs (s, t), (s, n_1), ... The gradient is added to each dX,
 * to dP (d x d) and db (terms). Work space: ni_ref_room numbers, (2 + K) (S + 1) picks. */
ni_real ni_ref_loss(const ni_ref_model *m, const ni_ref_sequence *rows, uint32_t negatives,
                    const ni_real *features, ni_real *dP, ni_real *db, ni_real *work, uint32_t *picks);
uint64_t ni_ref_room(const ni_ref_model *m, uint32_t negatives);

#endif
