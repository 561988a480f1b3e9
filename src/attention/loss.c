/* Scores and losses as functions of plain numbers, with their derivatives; equations in loss.h. Compiled
 * twice: as float for the engine, as double for finite differences. */
#include "attention/loss.h"

#include <tgmath.h> /* of the type of ni_real */

#include "attention/options.h"

/* ---- scores ---- */

/* d/dx of x.y / (|x| |y|) is y / (|x| |y|) - s x / |x|^2. */
static ni_score cosine(ni_real xy, ni_real xx, ni_real yy)
{
    if (xx == 0 || yy == 0) return (ni_score){ 0 };
    ni_real scale = 1 / (sqrt(xx) * sqrt(yy)), value = xy * scale;
    return (ni_score){ value, scale, -value / xx, -value / yy };
}

ni_score ni_score_of(uint32_t kind, ni_real xy, ni_real xx, ni_real yy)
{
    return kind == NI_SCORE_COSINE ? cosine(xy, xx, yy) : (ni_score){ xy, 1, 0, 0 };
}

ni_real ni_linear_terms(const ni_real *b, const ni_real *f, uint32_t terms)
{
    ni_real sum = 0;
    for (uint32_t j = 0; j < terms; j++) sum += b[j] * f[j];
    return sum;
}

/* ---- losses ---- */

/* max(0, margin - p + n) and its derivative by n, which is minus that by p. */
static ni_real hinge(ni_real margin, ni_real p, ni_real n, ni_real *dn)
{
    ni_real miss = margin - p + n;
    *dn = miss <= 0 ? 0 : 1;
    return miss <= 0 ? 0 : miss;
}

static ni_real by_margin(ni_real margin, ni_real p, const ni_real *n, uint32_t k, ni_real *dp, ni_real *dn)
{
    ni_real loss = 0, share = 1 / (ni_real)k;
    *dp = 0;
    for (uint32_t i = 0; i < k; i++) {
        loss += hinge(margin, p, n[i], &dn[i]) * share;
        dn[i] *= share;
        *dp -= dn[i];
    }
    return loss;
}

static ni_real by_hardest(ni_real margin, ni_real p, const ni_real *n, uint32_t k, ni_real *dp, ni_real *dn)
{
    uint32_t hardest = 0;
    for (uint32_t i = 0; i < k; i++) {
        dn[i] = 0;
        if (n[i] > n[hardest] || isnan(n[i])) hardest = i;
    }
    ni_real loss = hinge(margin, p, n[hardest], &dn[hardest]);
    *dp = -dn[hardest];
    return loss;
}

/* e^-|x| cannot overflow; of it are made s(x) = 1 / (1 + e^-x) and -log s(x) = max(-x, 0) + log(1 +
 * e^-|x|). */
static ni_real by_logistic(ni_real p, const ni_real *n, uint32_t k, ni_real *dp, ni_real *dn)
{
    ni_real loss = 0, share = 1 / (ni_real)k, e_p = exp(-fabs(p));
    ni_real of_p = fmax(-p, (ni_real)0) + log1p(e_p);
    *dp = -(p > 0 ? e_p : 1) / (1 + e_p);
    for (uint32_t i = 0; i < k; i++) {
        ni_real e_n = exp(-fabs(n[i]));
        dn[i] = share * ((n[i] > 0 ? 1 : e_n) / (1 + e_n));
        loss += share * (of_p + fmax(n[i], (ni_real)0) + log1p(e_n));
        if (isnan(n[i] + p)) loss = n[i] + p; /* fmax drops a NaN */
    }
    return loss;
}

/* The largest score is subtracted before exp. L = log sum - (p - largest), dn_i = softmax_i. */
static ni_real by_softmax(ni_real p, const ni_real *n, uint32_t k, ni_real *dp, ni_real *dn)
{
    ni_real most = p;
    for (uint32_t i = 0; i < k; i++) most = n[i] > most ? n[i] : most;
    ni_real others = 0, own = exp(p - most);
    for (uint32_t i = 0; i < k; i++) others += dn[i] = exp(n[i] - most);
    for (uint32_t i = 0; i < k; i++) dn[i] /= own + others;
    *dp = -others / (own + others);
    return log(own + others) - (p - most);
}

ni_real ni_loss(uint32_t objective, ni_real margin, ni_real p, const ni_real *n, uint32_t k, ni_real *dp,
                ni_real *dn)
{
    switch (objective) {
    case NI_OBJECTIVE_HARDEST: return by_hardest(margin, p, n, k, dp, dn);
    case NI_OBJECTIVE_LOGISTIC: return by_logistic(p, n, k, dp, dn);
    case NI_OBJECTIVE_SOFTMAX: return by_softmax(p, n, k, dp, dn);
    default: return by_margin(margin, p, n, k, dp, dn);
    }
}
