/* reference.h - the paper, one pair at a time: the oracle of the engine, and what `explain` runs.
 *
 * ni_real is float; compiled with NI_REFERENCE_DOUBLE it is double, for checks by finite differences. */
#ifndef NI_REFERENCE_H
#define NI_REFERENCE_H

#include <stdint.h>

#include "neap.h"

#ifdef NI_REFERENCE_DOUBLE
typedef double ni_real;
#define ni_ref_rows ni_ref_rows_double
#define ni_ref_pair ni_ref_pair_double
#define ni_ref_loss ni_ref_loss_double
#define ni_ref_room ni_ref_room_double
#else
typedef float ni_real;
#endif

typedef struct ni_ref_model {
    uint32_t dim;       /* d                                         */
    uint32_t neighbors; /* S: what padding fills up to               */
    uint32_t pooling;   /* NI_POOL_MAX or NI_POOL_MEAN               */
    uint32_t padding;   /* NI_PAD_NONE, NI_PAD_ZERO or NI_PAD_VECTOR */
    ni_real margin;
    const ni_real *E;  /* n x d */
    const ni_real *P;  /* d x d, or NULL: the identity, which does not learn */
    uint32_t logistic; /* the loss is -log s(r_s.r_t) - log s(-r_s.r_n)      */
} ni_ref_model;

/* One neighbourhood: which rows of E, and what dropout multiplies them with. */
typedef struct ni_ref_hood {
    const uint32_t *node; /* size                                                    */
    uint32_t size;        /* at most S                                               */
    const ni_real *mask;  /* size x d multipliers, or NULL for all ones              */
    const ni_real *pad;   /* d: the padding vector after dropout; NI_PAD_VECTOR only */
} ni_ref_hood;

/* What attention made of one side. z, w and pick have `size` entries, r has d. */
typedef struct ni_ref_side {
    ni_real *z;     /* pooled alignment of each neighbour, in (-1, 1)                              */
    ni_real *w;     /* softmax(z): the attention, sums to 1                                        */
    uint32_t *pick; /* max: whom it selected on the other side; `size` there: the padding vector;
                       NEAP_NONE: a zero vector, or nobody                                           */
    ni_real *r;     /* the representation: sum_i w_i x_i                                           */
} ni_ref_side;

/* Rows a side has in X and M: its neighbours, and the padding vector where there is one. */
uint32_t ni_ref_rows(const ni_ref_model *m, const ni_ref_hood *hood);

/* Embeds and attends: X (rows(s) x d), Y (rows(t) x d), M = X P Y' (rows(s) x rows(t)), both sides;
 * returns the score r_s . r_t. All results are written to the caller's arrays. */
ni_real ni_ref_pair(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t, ni_real *X,
                    ni_real *Y, ni_real *M, ni_ref_side *side_s, ni_ref_side *side_t);

/* The loss of one edge (s, t) and one non-edge (s, n),
 *     max(0, margin - r_s . r_t + r_s . r_n)        with r_s from the pair (s, t), or the logistic one,
 * and its gradient, added to dE (n x d) and dP (d x d). Work space: ni_ref_room numbers, 3 (S + 1) picks.
 */
ni_real ni_ref_loss(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t, const ni_ref_hood *n,
                    ni_real *dE, ni_real *dP, ni_real *work, uint32_t *picks);
uint64_t ni_ref_room(const ni_ref_model *m);

#endif
