/* Graph Neighborhood Attentive Pooling, as the paper has it: scalar, one pair at a time.
 *
 * A pair (s, t) with neighbourhoods of a and b nodes. X (a x d) and Y (b x d) are their rows of E.
 *     M   = X P Y'                       (a x b)   alignment of every neighbour with every other
 *     z_i = tanh(max_j M_ij)             (a)       each neighbour of s selects its best partner
 *     w   = softmax(z)                   (a)       attention over the neighbours of s
 *     r_s = X' w                         (d)       s in the context of t; r_t likewise by columns
 * docs/math.md derives the gradients.                                                             */
#include "attention/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/options.h"

#ifdef NI_REFERENCE_DOUBLE
#define TANH tanh
#define EXP exp
#define LOG log
#else
#define TANH tanhf
#define EXP expf
#define LOG logf
#endif

static ni_real dot(const ni_real *x, const ni_real *y, uint32_t n)
{
    ni_real sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

/* y += a x */
static void add(ni_real a, const ni_real *x, ni_real *y, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) y[k] += a * x[k];
}

/* out (d) = x P, or x P' with `turned`; without a P, x. */
static void times_P(const ni_ref_model *m, const ni_real *x, bool turned, ni_real *out)
{
    uint32_t d = m->dim;
    memset(out, 0, d * sizeof *out);
    if (!m->P) add(1, x, out, d);
    for (uint32_t k = 0; m->P && k < d; k++) {
        if (turned) out[k] = dot(x, m->P + (uint64_t)k * d, d);
        else add(x[k], m->P + (uint64_t)k * d, out, d);
    }
}

uint32_t ni_ref_rows(const ni_ref_model *m, const ni_ref_hood *hood)
{
    return hood->size + (m->padding == NI_PAD_VECTOR && hood->size < m->neighbors);
}

/* ---- embed: X (rows x d) ---- */

static void embed(const ni_ref_model *m, const ni_ref_hood *hood, ni_real *X)
{
    uint64_t d = m->dim;
    for (uint32_t i = 0; i < hood->size; i++)
        for (uint64_t k = 0; k < d; k++)
            X[i * d + k] = m->E[hood->node[i] * d + k] * (hood->mask ? hood->mask[i * d + k] : 1);
    if (ni_ref_rows(m, hood) > hood->size) memcpy(X + hood->size * d, hood->pad, d * sizeof *X);
}

/* ---- align: M = X P Y' (a x b) ---- */

static void align(const ni_ref_model *m, const ni_real *X, uint32_t a, const ni_real *Y, uint32_t b,
                  ni_real *M, ni_real *xP)
{
    uint64_t d = m->dim;
    for (uint32_t i = 0; i < a; i++) {
        times_P(m, X + i * d, false, xP);
        for (uint32_t j = 0; j < b; j++) M[(uint64_t)i * b + j] = dot(xP, Y + j * d, m->dim);
    }
}

/* ---- pool: one neighbour's alignments with the other side become one number ---- */

/* How often entry j of the other side counts: the padding vector stands for all missing neighbours. */
static ni_real multiplicity(const ni_ref_model *m, const ni_ref_hood *other, uint32_t j)
{
    return j < other->size ? 1 : (ni_real)(m->neighbors - other->size);
}

/* What the mean divides by: zero vectors count although their tanh is 0. */
static ni_real divisor(const ni_ref_model *m, const ni_ref_hood *other)
{
    uint32_t n = m->padding == NI_PAD_NONE ? other->size : m->neighbors;
    return n ? (ni_real)n : 1;
}

/* line: the alignments, `step` apart (1 along a row of M, b along a column). */
static ni_real pool(const ni_ref_model *m, const ni_real *line, uint32_t step, const ni_ref_hood *other,
                    uint32_t *pick)
{
    uint32_t n = ni_ref_rows(m, other);
    *pick = NEAP_NONE;
    if (m->pooling == NI_POOL_MEAN) {
        ni_real sum = 0;
        for (uint32_t j = 0; j < n; j++) sum += multiplicity(m, other, j) * TANH(line[(uint64_t)j * step]);
        return sum / divisor(m, other);
    }
    ni_real best = 0;
    for (uint32_t j = 0; j < n; j++)
        if (*pick == NEAP_NONE || line[(uint64_t)j * step] > best)
            best = line[(uint64_t)j * step], *pick = j;
    if (m->padding == NI_PAD_ZERO && other->size < m->neighbors && best < 0) best = 0, *pick = NEAP_NONE;
    return TANH(best);
}

/* ---- attend: w = softmax(z), r = X' w ---- */

static void attend(const ni_ref_model *m, const ni_ref_hood *hood, const ni_real *X, ni_ref_side *side)
{
    ni_real sum = 0;
    memset(side->r, 0, m->dim * sizeof *side->r);
    for (uint32_t i = 0; i < hood->size; i++)
        sum += side->w[i] = EXP(side->z[i]); /* |z| < 1: no overflow */
    for (uint32_t i = 0; i < hood->size; i++) {
        side->w[i] /= sum;
        add(side->w[i], X + (uint64_t)i * m->dim, side->r, m->dim);
    }
}

static void attend_rows(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t, const ni_real *X,
                        const ni_real *M, ni_ref_side *side)
{
    uint32_t b = ni_ref_rows(m, t);
    for (uint32_t i = 0; i < s->size; i++) side->z[i] = pool(m, M + (uint64_t)i * b, 1, t, &side->pick[i]);
    attend(m, s, X, side);
}

static void attend_columns(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t,
                           const ni_real *Y, const ni_real *M, ni_ref_side *side)
{
    uint32_t b = ni_ref_rows(m, t);
    for (uint32_t j = 0; j < t->size; j++) side->z[j] = pool(m, M + j, b, s, &side->pick[j]);
    attend(m, t, Y, side);
}

ni_real ni_ref_pair(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t, ni_real *X,
                    ni_real *Y, ni_real *M, ni_ref_side *side_s, ni_ref_side *side_t)
{
    embed(m, s, X);
    embed(m, t, Y);
    align(m, X, ni_ref_rows(m, s), Y, ni_ref_rows(m, t), M, side_s->r);
    attend_rows(m, s, t, X, M, side_s);
    attend_columns(m, s, t, Y, M, side_t);
    return dot(side_s->r, side_t->r, m->dim);
}

/* ---- the way back ---- */

/* Through r = X' w and w = softmax(z), for g = dL/dr (d):
 *     dX_i += w_i g,   dw_i = x_i . g,   dz_i = w_i (dw_i - sum_k w_k dw_k).                       */
static void back_attend(const ni_ref_model *m, const ni_ref_hood *hood, const ni_real *X,
                        const ni_ref_side *side, const ni_real *g, ni_real *dX, ni_real *dz)
{
    uint64_t d = m->dim;
    ni_real mean = 0;
    for (uint32_t i = 0; i < hood->size; i++) {
        add(side->w[i], g, dX + i * d, m->dim);
        dz[i] = dot(X + i * d, g, m->dim);
        mean += side->w[i] * dz[i];
    }
    for (uint32_t i = 0; i < hood->size; i++) dz[i] = side->w[i] * (dz[i] - mean);
}

/* Through the pooling of one neighbour: its dz goes to the entry that won, or to all of them. */
static void back_pool(const ni_ref_model *m, const ni_real *line, uint32_t step, const ni_ref_hood *other,
                      ni_real z, uint32_t pick, ni_real dz, ni_real *G)
{
    if (m->pooling == NI_POOL_MAX) {
        if (pick != NEAP_NONE) G[(uint64_t)pick * step] += dz * (1 - z * z);
        return;
    }
    for (uint32_t j = 0; j < ni_ref_rows(m, other); j++) {
        ni_real y = TANH(line[(uint64_t)j * step]);
        G[(uint64_t)j * step] += dz * multiplicity(m, other, j) / divisor(m, other) * (1 - y * y);
    }
}

/* Through M = X P Y', for G = dL/dM (a x b):  dX += G Y P',  dY += G' X P,  dP += X' G Y. */
static void back_align(const ni_ref_model *m, const ni_real *X, uint32_t a, const ni_real *Y, uint32_t b,
                       const ni_real *G, ni_real *dX, ni_real *dY, ni_real *dP, ni_real *work)
{
    uint64_t d = m->dim;
    ni_real *xP = work, *yP = work + d;
    for (uint32_t i = 0; i < a; i++) {
        times_P(m, X + i * d, false, xP);
        for (uint32_t j = 0; j < b; j++) {
            ni_real g = G[(uint64_t)i * b + j];
            if (g == 0) continue;
            times_P(m, Y + j * d, true, yP);
            add(g, yP, dX + i * d, m->dim);
            add(g, xP, dY + j * d, m->dim);
            for (uint64_t k = 0; m->P && k < d; k++) add(g * X[i * d + k], Y + j * d, dP + k * d, m->dim);
        }
    }
}

/* The rows' gradients go home: dE[node] += mask * dX. Padding is fixed and takes none. */
static void back_embed(const ni_ref_model *m, const ni_ref_hood *hood, const ni_real *dX, ni_real *dE)
{
    uint64_t d = m->dim;
    for (uint32_t i = 0; i < hood->size; i++)
        for (uint64_t k = 0; k < d; k++)
            dE[hood->node[i] * d + k] += dX[i * d + k] * (hood->mask ? hood->mask[i * d + k] : 1);
}

/* ---- one training item ---- */

/* The memory of one neighbourhood in ni_ref_loss. */
typedef struct place {
    ni_real *X, *dX; /* (S + 1) x d            */
    ni_real *g;      /* dL/dr, d               */
    ni_real *dz;     /* S + 1                  */
    ni_ref_side side;
} place;

static ni_real *take(ni_real **at, uint64_t count)
{
    ni_real *here = *at;
    memset(here, 0, count * sizeof *here);
    *at += count;
    return here;
}

static place make_place(const ni_ref_model *m, ni_real **at, uint32_t **picks)
{
    uint64_t n = (uint64_t)m->neighbors + 1, d = m->dim;
    place p = { take(at, n * d), take(at, n * d), take(at, d), take(at, n), { 0 } };
    p.side = (ni_ref_side){ take(at, n), take(at, n), *picks, take(at, d) };
    *picks += n;
    return p;
}

uint64_t ni_ref_room(const ni_ref_model *m)
{
    uint64_t n = (uint64_t)m->neighbors + 1, d = m->dim;
    return 3 * (2 * n * d + 2 * d + 3 * n) + 4 * n * n + 2 * d;
}

ni_real ni_ref_loss(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t, const ni_ref_hood *n,
                    ni_real *dE, ni_real *dP, ni_real *work, uint32_t *picks)
{
    uint32_t a = ni_ref_rows(m, s), b = ni_ref_rows(m, t), c = ni_ref_rows(m, n), d = m->dim;
    uint64_t square = ((uint64_t)m->neighbors + 1) * ((uint64_t)m->neighbors + 1);
    place S = make_place(m, &work, &picks), T = make_place(m, &work, &picks),
          N = make_place(m, &work, &picks);
    ni_real *M = take(&work, square), *G = take(&work, square);     /* of (s, t) */
    ni_real *M_n = take(&work, square), *G_n = take(&work, square); /* of (s, n) */
    ni_real *vectors = take(&work, 2 * (uint64_t)d);

    ni_real positive = ni_ref_pair(m, s, t, S.X, T.X, M, &S.side, &T.side);
    embed(m, n, N.X);
    align(m, S.X, a, N.X, c, M_n, vectors);
    attend_columns(m, s, n, N.X, M_n, &N.side);
    ni_real negative = dot(S.side.r, N.side.r, d), by_link = -1, by_other = 1;
    ni_real loss = m->margin - positive + negative;
    if (m->logistic) {
        by_link = -1 / (1 + EXP(positive));
        by_other = 1 / (1 + EXP(-negative));
        loss = -LOG(1 + by_link) - LOG(1 - by_other);
    } else if (!(loss > 0)) return 0;

    add(by_link, T.side.r, S.g, d);
    add(by_other, N.side.r, S.g, d);
    add(by_link, S.side.r, T.g, d);
    add(by_other, S.side.r, N.g, d);
    back_attend(m, s, S.X, &S.side, S.g, S.dX, S.dz);
    back_attend(m, t, T.X, &T.side, T.g, T.dX, T.dz);
    back_attend(m, n, N.X, &N.side, N.g, N.dX, N.dz);
    for (uint32_t i = 0; i < s->size; i++)
        back_pool(m, M + (uint64_t)i * b, 1, t, S.side.z[i], S.side.pick[i], S.dz[i], G + (uint64_t)i * b);
    for (uint32_t j = 0; j < t->size; j++)
        back_pool(m, M + j, b, s, T.side.z[j], T.side.pick[j], T.dz[j], G + j);
    for (uint32_t j = 0; j < n->size; j++)
        back_pool(m, M_n + j, c, s, N.side.z[j], N.side.pick[j], N.dz[j], G_n + j);
    back_align(m, S.X, a, T.X, b, G, S.dX, T.dX, dP, vectors);
    back_align(m, S.X, a, N.X, c, G_n, S.dX, N.dX, dP, vectors);
    back_embed(m, s, S.dX, dE);
    back_embed(m, t, T.dX, dE);
    back_embed(m, n, N.dX, dE);
    return loss;
}
