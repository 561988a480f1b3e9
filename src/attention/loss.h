/* loss.h - the score of a pair, and the loss of one positive and K negative scores, with their derivatives.
 *
 * All of it takes and gives plain numbers; vectors stay with the caller. So the engine, with the products
 * of its kernels, and the reference, in float or double, run the same lines. ni_real is float; compiled
 * with NI_REFERENCE_DOUBLE it is double, for checks by finite differences. O(K) each, no memory, any
 * thread. */
#ifndef NI_LOSS_H
#define NI_LOSS_H

#include <stdint.h>

#include "base/real.h"

#ifdef NI_REFERENCE_DOUBLE
#define ni_score_of ni_score_of_double
#define ni_linear_terms ni_linear_terms_double
#define ni_loss ni_loss_double
#endif

enum { NI_SCORE_DOT, NI_SCORE_COSINE };

/* The score of vectors x and y, and its derivatives
 *     ds/dx = cross y + own_x x,      ds/dy = cross x + own_y y. */
typedef struct ni_score {
    ni_real value, cross, own_x, own_y;
} ni_score;

/* From x.y, x.x and y.y; the last two do not matter to NI_SCORE_DOT.
 *     dot       s = x.y
 *     cosine    s = x.y / (|x| |y|); 0, with no derivative, where x or y is zero                       */
ni_score ni_score_of(uint32_t kind, ni_real xy, ni_real xx, ni_real yy);

/* What linear terms add to a score: sum_j b_j f_j over `terms` features f of the pair. ds/db = f. */
ni_real ni_linear_terms(const ni_real *b, const ni_real *f, uint32_t terms);

/* The loss L of a positive score p and the scores n (k) of its negatives, by an NI_OBJECTIVE_... of
 * options.h. Writes dL/dp and dL/dn (k), returns L. With s(x) = 1 / (1 + e^-x):
 *     margin      L = 1/k sum_i max(0, margin - p + n_i)
 *     hardest     L = max(0, margin - p + max_i n_i); of equal negatives the first counts
 *     logistic    L = -log s(p) - 1/k sum_i log s(-n_i)
 *     softmax     L = -log(e^p / (e^p + sum_i e^n_i))
 * At a corner the derivative is 0. NaN propagates to L, so that the caller notices. */
ni_real ni_loss(uint32_t objective, ni_real margin, ni_real p, const ni_real *n, uint32_t k, ni_real *dp,
                ni_real *dn);

#endif
