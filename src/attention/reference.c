/* Graph Neighborhood Attentive Pooling, as the paper has it: scalar, one pair at a time.
 *
 * A pair (s, t) with neighbourhoods of a and b nodes. X (a x d) and Y (b x d) are their rows.
 *     M   = X P Y'                       (a x b)   alignment of every neighbour with every other
 *     z_i = tanh(max_j M_ij)             (a)       each neighbour of s selects its best partner
 *     w   = softmax(z)                   (a)       attention over the neighbours of s
 *     r_s = X' w                         (d)       s in the context of t; r_t likewise by columns
 * and beside the paper: M / sqrt(d) for the tanh (scaled, squash.h), z = 0 (uniform attention). Scores and
 * losses are in loss.c. docs/math.md derives the gradients. A pair costs a d^2 + a b d; all memory is the
 * caller's. */
#include "attention/reference.h"

#include <stdbool.h>
#include <string.h>
#include <tgmath.h> /* of the type of ni_real */

#include "attention/options.h"
#include "attention/squash.h"

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

/* out (d) = x P, or x P' with `transposed`; without a P, x. */
static void times_P(const ni_ref_model *m, const ni_real *x, bool transposed, ni_real *out)
{
    uint32_t d = m->dim;
    memset(out, 0, d * sizeof *out);
    if (!m->P) add(1, x, out, d);
    for (uint32_t k = 0; m->P && k < d; k++) {
        if (transposed) out[k] = dot(x, m->P + (uint64_t)k * d, d);
        else add(x[k], m->P + (uint64_t)k * d, out, d);
    }
}

uint32_t ni_ref_rows(const ni_ref_model *m, uint32_t size)
{
    return size + (m->padding == NI_PAD_VECTOR && size < m->neighbors);
}

/* ---- align: M = X P Y' (a x b) ---- */

void ni_ref_align(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t, uint64_t first,
                  uint64_t end, ni_real *M, ni_real *xP)
{
    uint64_t d = m->dim, b = ni_ref_rows(m, t->size);
    for (uint64_t i = first; i < end; i++) {
        times_P(m, s->X + i * d, false, xP);
        for (uint64_t j = 0; j < b; j++) M[i * b + j] = dot(xP, t->X + j * d, m->dim);
    }
}

/* ---- pool: one neighbour's alignments with the `size` neighbours of the other side become one number ----
 */

/* How often entry j of the other side counts: the padding vector stands for all missing neighbours. */
static ni_real multiplicity(const ni_ref_model *m, uint32_t size, uint32_t j)
{
    return j < size ? 1 : (ni_real)(m->neighbors - size);
}

/* The divisor of the mean: zero vectors count although their tanh is 0. */
static ni_real divisor(const ni_ref_model *m, uint32_t size)
{
    uint32_t n = m->padding == NI_PAD_NONE ? size : m->neighbors;
    return n ? (ni_real)n : 1;
}

static ni_real squash(const ni_ref_model *m, ni_real x)
{
    return m->alignment == NI_ALIGN_TANH ? tanh(x) : ni_squash_scaled(ni_align_scale(m->dim), x);
}

static ni_real slope(const ni_ref_model *m, ni_real z)
{
    return ni_squash_slope(m->alignment, ni_align_scale(m->dim), z);
}

/* line: the alignments, `step` apart (1 along a row of M, b along a column). */
static ni_real pool(const ni_ref_model *m, const ni_real *line, uint32_t step, uint32_t size,
                    uint32_t *pick)
{
    uint32_t n = ni_ref_rows(m, size);
    *pick = NEAP_NONE;
    if (m->attention == NI_ATTEND_UNIFORM) return 0;
    if (m->pooling == NI_POOL_MEAN) {
        ni_real sum = 0;
        for (uint32_t j = 0; j < n; j++)
            sum += multiplicity(m, size, j) * squash(m, line[(uint64_t)j * step]);
        return sum / divisor(m, size);
    }
    ni_real best = 0;
    for (uint32_t j = 0; j < n; j++)
        if (*pick == NEAP_NONE || line[(uint64_t)j * step] > best)
            best = line[(uint64_t)j * step], *pick = j;
    if (m->padding == NI_PAD_ZERO && size < m->neighbors && best < 0) best = 0, *pick = NEAP_NONE;
    return squash(m, best);
}

/* ---- attend: w = softmax(z), r = X' w ---- */

static void attend(const ni_ref_model *m, const ni_ref_sequence *own, ni_ref_side *side)
{
    ni_real sum = 0;
    memset(side->r, 0, m->dim * sizeof *side->r);
    for (uint32_t i = 0; i < own->size; i++)
        sum += side->w[i] = exp(side->z[i]); /* |z| <= 30: no overflow */
    for (uint32_t i = 0; i < own->size; i++) {
        side->w[i] /= sum;
        add(side->w[i], own->X + (uint64_t)i * m->dim, side->r, m->dim);
    }
}

static void attend_rows(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t,
                        const ni_real *M, ni_ref_side *side)
{
    uint32_t b = ni_ref_rows(m, t->size);
    for (uint32_t i = 0; i < s->size; i++)
        side->z[i] = pool(m, M + (uint64_t)i * b, 1, t->size, &side->pick[i]);
    attend(m, s, side);
}

static void attend_columns(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t,
                           const ni_real *M, ni_ref_side *side)
{
    uint32_t b = ni_ref_rows(m, t->size);
    for (uint32_t j = 0; j < t->size; j++) side->z[j] = pool(m, M + j, b, s->size, &side->pick[j]);
    attend(m, t, side);
}

/* ---- predict ---- */

static ni_score score_of(const ni_ref_model *m, const ni_real *x, const ni_real *y)
{
    return ni_score_of(m->score, dot(x, y, m->dim), dot(x, x, m->dim), dot(y, y, m->dim));
}

ni_real ni_ref_pair(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t, ni_real *M,
                    ni_ref_side *side_s, ni_ref_side *side_t)
{
    ni_ref_align(m, s, t, 0, ni_ref_rows(m, s->size), M, side_s->r);
    return ni_ref_attend(m, s, t, M, side_s, side_t);
}

ni_real ni_ref_attend(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t,
                      const ni_real *M, ni_ref_side *side_s, ni_ref_side *side_t)
{
    attend_rows(m, s, t, M, side_s);
    attend_columns(m, s, t, M, side_t);
    return score_of(m, side_s->r, side_t->r).value;
}

/* ---- backward ---- */

/* Through the score of x = r_s and y = r_t, for g = dL/dscore. */
static void back_score(const ni_ref_model *m, ni_real g, const ni_real *x, const ni_real *y, ni_real *dx,
                       ni_real *dy)
{
    ni_score s = score_of(m, x, y);
    add(g * s.cross, y, dx, m->dim);
    add(g * s.own_x, x, dx, m->dim);
    add(g * s.cross, x, dy, m->dim);
    add(g * s.own_y, y, dy, m->dim);
}

/* Through r = X' w and w = softmax(z), for g = dL/dr (d):
 *     dX_i += w_i g,   dw_i = x_i . g,   dz_i = w_i (dw_i - sum_k w_k dw_k).                       */
static void back_attend(const ni_ref_model *m, const ni_ref_sequence *own, const ni_ref_side *side,
                        const ni_real *g, ni_real *dz)
{
    uint64_t d = m->dim;
    ni_real mean = 0;
    for (uint32_t i = 0; i < own->size; i++) {
        add(side->w[i], g, own->dX + i * d, m->dim);
        dz[i] = dot(own->X + i * d, g, m->dim);
        mean += side->w[i] * dz[i];
    }
    for (uint32_t i = 0; i < own->size; i++) dz[i] = side->w[i] * (dz[i] - mean);
}

/* Through the pooling of one neighbour: its dz goes to the entry that won, or to all of them. */
static void back_pool(const ni_ref_model *m, const ni_real *line, uint32_t step, uint32_t size, ni_real z,
                      uint32_t pick, ni_real dz, ni_real *G)
{
    if (m->attention == NI_ATTEND_UNIFORM) return;
    if (m->pooling == NI_POOL_MAX) {
        if (pick != NEAP_NONE) G[(uint64_t)pick * step] += dz * slope(m, z);
        return;
    }
    for (uint32_t j = 0; j < ni_ref_rows(m, size); j++) {
        ni_real y = squash(m, line[(uint64_t)j * step]);
        G[(uint64_t)j * step] += dz * multiplicity(m, size, j) / divisor(m, size) * slope(m, y);
    }
}

/* Through M = X P Y', for G = dL/dM (a x b):  dX += G Y P',  dY += G' X P,  dP += X' G Y. */
static void back_align(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t,
                       const ni_real *G, ni_real *dP, ni_real *vectors)
{
    uint64_t d = m->dim, a = ni_ref_rows(m, s->size), b = ni_ref_rows(m, t->size);
    ni_real *xP = vectors, *yP = vectors + d;
    for (uint64_t i = 0; i < a; i++) {
        times_P(m, s->X + i * d, false, xP);
        for (uint64_t j = 0; j < b; j++) {
            ni_real g = G[i * b + j];
            if (g == 0) continue;
            times_P(m, t->X + j * d, true, yP);
            add(g, yP, s->dX + i * d, m->dim);
            add(g, xP, t->dX + j * d, m->dim);
            for (uint64_t k = 0; m->P && k < d; k++)
                add(g * s->X[i * d + k], t->X + j * d, dP + k * d, m->dim);
        }
    }
}

/* ---- one training item ---- */

/* What the backward pass needs of a side, and of the source's pair with it. */
typedef struct memory {
    ni_ref_side side;
    ni_real *g;     /* dL/dr: d             */
    ni_real *dz;    /* S + 1                */
    ni_real *M, *G; /* (S + 1) x (S + 1)    */
} memory;

static uint64_t room_of_side(const ni_ref_model *m)
{
    uint64_t n = (uint64_t)m->neighbors + 1;
    return 2 * (uint64_t)m->dim + 3 * n + 2 * n * n;
}

static memory memory_of(const ni_ref_model *m, ni_real *work, uint32_t *picks, uint32_t i)
{
    uint64_t n = (uint64_t)m->neighbors + 1, d = m->dim;
    ni_real *r = work + i * room_of_side(m), *g = r + d, *z = g + d, *w = z + n, *dz = w + n, *M = dz + n;
    return (memory){ { z, w, picks + i * n, r }, g, dz, M, M + n * n };
}

uint64_t ni_ref_room(const ni_ref_model *m, uint32_t negatives)
{
    return (2 + (uint64_t)negatives) * room_of_side(m) + 2 * (1 + (uint64_t)negatives) +
           2 * (uint64_t)m->dim;
}

/* Back through the pair of the source with side k, whose dL/dr is complete. */
static void back_pair(const ni_ref_model *m, const ni_ref_sequence *rows, uint32_t k, const memory *s,
                      const memory *t, ni_real *dP, ni_real *vectors)
{
    uint32_t b = ni_ref_rows(m, rows[k].size);
    back_attend(m, &rows[k], &t->side, t->g, t->dz);
    for (uint32_t i = 0; k == 1 && i < rows[0].size; i++)
        back_pool(m, t->M + (uint64_t)i * b, 1, rows[k].size, s->side.z[i], s->side.pick[i], s->dz[i],
                  t->G + (uint64_t)i * b);
    for (uint32_t j = 0; j < rows[k].size; j++)
        back_pool(m, t->M + j, b, rows[0].size, t->side.z[j], t->side.pick[j], t->dz[j], t->G + j);
    back_align(m, &rows[0], &rows[k], t->G, dP, vectors);
}

ni_real ni_ref_loss(const ni_ref_model *m, const ni_ref_sequence *rows, uint32_t negatives,
                    const ni_real *features, ni_real *dP, ni_real *db, ni_real *work, uint32_t *picks)
{
    uint32_t sides = 2 + negatives;
    ni_real *score = work + sides * room_of_side(m), *dscore = score + 1 + negatives;
    ni_real *vectors = dscore + 1 + negatives;
    memory s = memory_of(m, work, picks, 0);
    memset(work, 0, ni_ref_room(m, negatives) * sizeof *work);

    for (uint32_t k = 1; k < sides; k++) {
        memory t = memory_of(m, work, picks, k);
        ni_ref_align(m, &rows[0], &rows[k], 0, ni_ref_rows(m, rows[0].size), t.M, vectors);
        if (k == 1) attend_rows(m, &rows[0], &rows[k], t.M, &s.side);
        attend_columns(m, &rows[0], &rows[k], t.M, &t.side);
        score[k - 1] = score_of(m, s.side.r, t.side.r).value;
        if (m->terms)
            score[k - 1] += ni_linear_terms(m->b, features + (uint64_t)(k - 1) * m->terms, m->terms);
    }
    ni_real loss = ni_loss(m->objective, m->margin, score[0], score + 1, negatives, dscore, dscore + 1);
    for (uint32_t k = 1; k < sides; k++) {
        memory t = memory_of(m, work, picks, k);
        back_score(m, dscore[k - 1], s.side.r, t.side.r, s.g, t.g);
        if (m->terms) add(dscore[k - 1], features + (uint64_t)(k - 1) * m->terms, db, m->terms);
    }
    back_attend(m, &rows[0], &s.side, s.g, s.dz);
    for (uint32_t k = 1; k < sides; k++) {
        memory t = memory_of(m, work, picks, k);
        back_pair(m, rows, k, &s, &t, dP, vectors);
    }
    return loss;
}
