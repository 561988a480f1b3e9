/* CANE in the plain form: scalar, O(L^2 h + L h^2) per pair, memory is the caller's. */
#include "methods/cane_reference.h"

#include <string.h>
#include <tgmath.h> /* of the type of ni_real */

/* One text: X (L x h), H (L-1 x h), and its gradients. */
typedef struct encoded {
    ni_real *X, *H, *dX, *dH;
    uint64_t windows; /* that are read */
} encoded;

/* One pair of texts: F (L-1 x L-1); of both texts the attention (L-1), t and dL/dt (h). */
typedef struct match {
    encoded *s[2];
    ni_real *F, *weight[2], *t[2], *dt[2];
} match;

static ni_ref_cnn convolution(const ni_ref_cane *m)
{
    return (ni_ref_cnn){ .width = 2, .d = m->h, .c = m->h, .tanh = true, .W = m->C };
}

static ni_real *take(ni_real **work, uint64_t count)
{
    ni_real *at = *work;
    memset(at, 0, count * sizeof *at);
    *work += count;
    return at;
}

enum { TEXTS = 3, MATCHES = 2 };

uint64_t ni_ref_cane_room(const ni_ref_cane *m)
{
    uint64_t h = m->h, L = m->length;
    return TEXTS * 4 * L * h + MATCHES * (L * L + 2 * L + 4 * h) + h + L + 2 * TEXTS * h +
           L * L; /* the last: dL/dF of a pair */
}

/* ---- forward ---- */

static encoded encode(const ni_ref_cane *m, const ni_ref_cane_node *n, ni_real **work)
{
    ni_ref_cnn cnn = convolution(m);
    uint64_t h = m->h, numbers = m->length * h;
    encoded s = { take(work, numbers), take(work, numbers), take(work, numbers), take(work, numbers),
                  n->windows };
    for (uint32_t i = 0; i < m->length; i++)
        memcpy(s.X + i * h, m->words + n->word[i] * h, h * sizeof *s.X);
    ni_ref_cnn_forward(&cnn, s.X, m->length, s.H);
    return s;
}

/* F_ij = tanh(h_i R h_j') */
static void align(const ni_ref_cane *m, const match *p, ni_real *hR)
{
    uint64_t h = m->h, other = p->s[1]->windows;
    for (uint64_t i = 0; i < p->s[0]->windows; i++) {
        memset(hR, 0, h * sizeof *hR);
        for (uint64_t k = 0; k < h; k++)
            for (uint64_t q = 0; q < h; q++) hR[q] += p->s[0]->H[i * h + k] * m->R[k * h + q];
        for (uint64_t j = 0; j < other; j++) {
            ni_real sum = 0;
            for (uint64_t q = 0; q < h; q++) sum += hR[q] * p->s[1]->H[j * h + q];
            p->F[i * other + j] = tanh(sum);
        }
    }
}

/* Entry (i of a side, j of the other) of a matrix of windows. */
static ni_real *entry(const match *p, ni_real *F, uint32_t side, uint64_t i, uint64_t j)
{
    return F + (side ? j * p->s[1]->windows + i : i * p->s[1]->windows + j);
}

/* weight = softmax of the means of F over the other side,  t = sum_i weight_i h_i */
static void attend(const ni_ref_cane *m, const match *p, uint32_t k)
{
    uint64_t h = m->h, windows = p->s[k]->windows, other = p->s[!k]->windows;
    ni_real *w = p->weight[k], sum = 0;
    for (uint64_t i = 0; i < windows; i++) {
        ni_real mean = 0;
        for (uint64_t j = 0; j < other; j++) mean += *entry(p, p->F, k, i, j);
        w[i] = exp(mean / (ni_real)other);
        sum += w[i];
    }
    for (uint64_t i = 0; i < windows; i++) {
        w[i] /= sum;
        for (uint64_t q = 0; q < h; q++) p->t[k][q] += w[i] * p->s[k]->H[i * h + q];
    }
}

static match meet(const ni_ref_cane *m, encoded *a, encoded *b, ni_real *hR, ni_real **work)
{
    uint64_t h = m->h, L = m->length;
    match p = { { a, b }, .F = take(work, L * L) };
    for (uint32_t k = 0; k < 2; k++) {
        p.weight[k] = take(work, L);
        p.t[k] = take(work, h);
        p.dt[k] = take(work, h);
    }
    align(m, &p, hR);
    for (uint32_t k = 0; k < 2; k++) attend(m, &p, k);
    return p;
}

void ni_ref_cane_pair(const ni_ref_cane *m, const ni_ref_cane_node *pair, ni_real *t, ni_real *work)
{
    ni_real *hR = take(&work, m->h);
    encoded a = encode(m, &pair[0], &work), b = encode(m, &pair[1], &work);
    match p = meet(m, &a, &b, hR, &work);
    for (uint32_t k = 0; k < 2; k++) memcpy(t + (uint64_t)k * m->h, p.t[k], m->h * sizeof *t);
}

/* ---- backward ---- */

/* Of one side, from dt: dh_i += w_i dt, and dL/dF through the softmax of the means. dw: work space. */
static void unattend(const ni_ref_cane *m, const match *p, uint32_t k, ni_real *dw, ni_real *dF)
{
    uint64_t h = m->h, windows = p->s[k]->windows, other = p->s[!k]->windows;
    ni_real mean = 0;
    for (uint64_t i = 0; i < windows; i++) {
        dw[i] = 0;
        for (uint64_t q = 0; q < h; q++) {
            dw[i] += p->dt[k][q] * p->s[k]->H[i * h + q];
            p->s[k]->dH[i * h + q] += p->weight[k][i] * p->dt[k][q];
        }
        mean += p->weight[k][i] * dw[i];
    }
    for (uint64_t i = 0; i < windows; i++)
        for (uint64_t j = 0; j < other; j++)
            *entry(p, dF, k, i, j) += p->weight[k][i] * (dw[i] - mean) / (ni_real)other;
}

/* G = H_a R H_b', dG = dF (1 - F^2):  dH_a += dG H_b R',  dH_b += dG' H_a R,  dR += H_a' dG H_b */
static void unalign(const ni_ref_cane *m, const match *p, const ni_real *dF, ni_real *dR)
{
    uint64_t h = m->h, other = p->s[1]->windows;
    for (uint64_t i = 0; i < p->s[0]->windows; i++)
        for (uint64_t j = 0; j < other; j++) {
            ni_real f = p->F[i * other + j], dg = dF[i * other + j] * (1 - f * f);
            for (uint64_t x = 0; x < h; x++)
                for (uint64_t y = 0; y < h; y++) {
                    ni_real ha = p->s[0]->H[i * h + x], hb = p->s[1]->H[j * h + y];
                    p->s[0]->dH[i * h + x] += dg * m->R[x * h + y] * hb;
                    p->s[1]->dH[j * h + y] += dg * m->R[x * h + y] * ha;
                    dR[x * h + y] += dg * ha * hb;
                }
        }
}

static void unmeet(const ni_ref_cane *m, const match *p, ni_real *dF, ni_real *dw, ni_real *dR)
{
    memset(dF, 0, p->s[0]->windows * p->s[1]->windows * sizeof *dF);
    for (uint32_t k = 0; k < 2; k++) unattend(m, p, k, dw, dF);
    unalign(m, p, dF, dR);
}

static void unencode(const ni_ref_cane *m, const ni_ref_cane_node *n, const encoded *s,
                     const ni_ref_cane_gradients *g)
{
    ni_ref_cnn cnn = convolution(m);
    uint64_t h = m->h;
    ni_ref_cnn_backward(&cnn, s->X, m->length, s->H, s->dH, s->dX, g->C, NULL);
    for (uint32_t i = 0; i < m->length; i++)
        for (uint64_t q = 0; q < h; q++) g->words[n->word[i] * h + q] += s->dX[i * h + q];
}

/* ---- the loss ---- */

static ni_real length_of(const ni_real *x, uint64_t h)
{
    ni_real sum = 0;
    for (uint64_t q = 0; q < h; q++) sum += x[q] * x[q];
    return sqrt(sum);
}

/* n = E_u / max(1, |E_u|) */
static void clip(const ni_ref_cane *m, uint32_t u, ni_real *n)
{
    const ni_real *x = m->E + (uint64_t)u * m->h;
    ni_real length = length_of(x, m->h);
    for (uint32_t q = 0; q < m->h; q++) n[q] = length > 1 ? x[q] / length : x[q];
}

/* |E_u| > 1:  dE_u += (dn - n (n dn)) / |E_u|;  else dE_u += dn */
static void unclip(const ni_ref_cane *m, uint32_t u, const ni_real *n, const ni_real *dn, ni_real *dE)
{
    ni_real length = length_of(m->E + (uint64_t)u * m->h, m->h), along = 0;
    for (uint32_t q = 0; q < m->h; q++) along += n[q] * dn[q];
    for (uint32_t q = 0; q < m->h; q++)
        dE[(uint64_t)u * m->h + q] += length > 1 ? (dn[q] - n[q] * along) / length : dn[q];
}

typedef struct ends {
    const ni_real *x;
    ni_real *dx;
} ends;

/* -rho log(s(sign x y) + 0.001), its gradient added to both. */
static ni_real term(ends x, ends y, uint32_t h, ni_real sign, ni_real rho)
{
    ni_real product = 0;
    for (uint32_t q = 0; q < h; q++) product += x.x[q] * y.x[q];
    ni_real s = 1 / (1 + exp(-sign * product)), shifted = s + (ni_real)0.001;
    for (uint32_t q = 0; q < h; q++) {
        x.dx[q] -= rho * sign * s * (1 - s) / shifted * y.x[q];
        y.dx[q] -= rho * sign * s * (1 - s) / shifted * x.x[q];
    }
    return -rho * log(shifted);
}

/* t: of a, b and z; n likewise. */
static ni_real terms(const ni_ref_cane *m, const ends *t, const ends *n)
{
    const ni_real *rho = m->rho;
    return term(t[0], t[1], m->h, 1, rho[0]) + term(t[0], t[2], m->h, -1, rho[0]) +
           term(n[0], n[1], m->h, 1, rho[1]) + term(n[0], n[2], m->h, -1, rho[1]) +
           term(t[1], n[0], m->h, 1, rho[2]) + term(t[2], n[0], m->h, -1, rho[2]) +
           term(n[1], t[0], m->h, 1, rho[2]) + term(n[1], t[2], m->h, -1, rho[2]);
}

ni_real ni_ref_cane_loss(const ni_ref_cane *m, const ni_ref_cane_node *item, const ni_ref_cane_gradients *g,
                         ni_real *work)
{
    uint64_t h = m->h, L = m->length;
    ni_real *hR = take(&work, h), *dw = take(&work, L), *n = take(&work, 2 * TEXTS * h);
    encoded text[TEXTS];
    ends node[TEXTS];
    for (uint32_t k = 0; k < TEXTS; k++) {
        text[k] = encode(m, &item[k], &work);
        clip(m, item[k].node, n + 2 * k * h);
        node[k] = (ends){ n + 2 * k * h, n + (2 * k + 1) * h };
    }
    match link = meet(m, &text[0], &text[1], hR, &work), other = meet(m, &text[0], &text[2], hR, &work);
    const ends t[TEXTS] = { { link.t[0], link.dt[0] },
                            { link.t[1], link.dt[1] },
                            { other.t[1], other.dt[1] } };
    ni_real loss = terms(m, t, node);
    unmeet(m, &link, work, dw, g->R);
    unmeet(m, &other, work, dw, g->R);
    for (uint32_t k = 0; k < TEXTS; k++) {
        unencode(m, &item[k], &text[k], g);
        unclip(m, item[k].node, node[k].x, node[k].dx, g->E);
    }
    return loss;
}
