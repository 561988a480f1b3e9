/* Truncated Newton for one-vs-rest logistic regression; objective and references in classify.h. O(m d)
 * per product with the Hessian; one task per class with scratch of its thread, so that bits do not depend
 * on the threads. */
#include "eval/classify.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/sys.h"
#include "eval/points.h"
#include "linalg/kernels.h"
#include "support/status.h"

enum { STEPS_MOST = 100, CG_MOST = 250, HALVINGS_MOST = 40 };

static const double C = 1;
static const double TOLERANCE = 1e-7; /* |gradient| over that at w = 0 */

/* Scratch of one thread. Vectors of length d + 1 end with the entry of b. */
typedef struct scratch {
    double *z, *dz, *curve; /* m: margins, their change, second derivatives of the loss */
    double *gradient, *step, *residual, *dir, *h; /* d + 1 */
} scratch;

typedef struct fit {
    const float *x;
    const uint32_t *row, *label;
    uint32_t d, m, classes;
    double *weight; /* classes x (d + 1)                 */
    double *memory; /* threads x (3 m + 5 (d + 1))        */
} fit;

static scratch scratch_of(const fit *f, uint32_t thread)
{
    size_t m = f->m, w = (size_t)f->d + 1;
    double *at = f->memory + thread * (3 * m + 5 * w), *tail = at + 3 * m;
    return (scratch){ at, at + m, at + 2 * m, tail, tail + w, tail + 2 * w, tail + 3 * w, tail + 4 * w };
}

static const float *row_of(const fit *f, uint32_t i)
{
    return f->x + (size_t)f->row[i] * f->d;
}

static double sign_of(const fit *f, uint32_t c, uint32_t i)
{
    return f->label[f->row[i]] == c ? 1 : -1;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* out += a (x_i, 1) */
static void add_row(const fit *f, uint32_t i, double a, double *out)
{
    const float *x = row_of(f, i);
    for (uint32_t j = 0; j < f->d; j++) out[j] += a * x[j];
    out[f->d] += a;
}

static double margin(const fit *f, uint32_t i, const double *w)
{
    return ni_dot_mixed(row_of(f, i), w, f->d) + w[f->d];
}

/* The objective at w + share * step, whose margins are z + share * dz. */
static double objective(const fit *f, uint32_t c, const scratch *s, const double *w, double share)
{
    double sum = 0, square = 0;
    for (uint32_t i = 0; i < f->m; i++) sum += ni_surprise(sign_of(f, c, i) * (s->z[i] + share * s->dz[i]));
    for (uint32_t j = 0; j < f->d; j++) square += (w[j] + share * s->step[j]) * (w[j] + share * s->step[j]);
    return square / 2 + C * sum;
}

/* gradient = (w, 0) + C sum_i (p_i - y_i) (x_i, 1), curve_i = C p_i (1 - p_i); returns |gradient|. */
static double differentiate(const fit *f, uint32_t c, const scratch *s, const double *w)
{
    memcpy(s->gradient, w, f->d * sizeof *w);
    s->gradient[f->d] = 0;
    for (uint32_t i = 0; i < f->m; i++) {
        double sign = sign_of(f, c, i), miss = 1 / (1 + exp(sign * s->z[i]));
        s->curve[i] = C * miss * (1 - miss);
        add_row(f, i, -C * sign * miss, s->gradient);
    }
    return sqrt(dot(s->gradient, s->gradient, (size_t)f->d + 1));
}

/* The Hessian times dir: h = (dir_w, 0) + sum_i curve_i (x_i.dir) x_i, in one pass over the rows. */
static void multiply(const fit *f, const scratch *s)
{
    memcpy(s->h, s->dir, f->d * sizeof *s->h);
    s->h[f->d] = 0;
    for (uint32_t i = 0; i < f->m; i++) add_row(f, i, s->curve[i] * margin(f, i, s->dir), s->h);
}

/* Conjugate gradients: H step = -gradient, until the residual is shorter than `least`. */
static void solve(const fit *f, const scratch *s, double least)
{
    size_t w = (size_t)f->d + 1;
    memset(s->step, 0, w * sizeof *s->step);
    for (size_t j = 0; j < w; j++) s->dir[j] = s->residual[j] = -s->gradient[j];
    double length = dot(s->residual, s->residual, w);
    for (int round = 0; round < CG_MOST && length > least * least; round++) {
        multiply(f, s);
        double curvature = dot(s->dir, s->h, w);
        if (!(curvature > 0)) return;
        double share = length / curvature, before = length;
        for (size_t j = 0; j < w; j++) s->step[j] += share * s->dir[j], s->residual[j] -= share * s->h[j];
        length = dot(s->residual, s->residual, w);
        for (size_t j = 0; j < w; j++) s->dir[j] = s->residual[j] + length / before * s->dir[j];
    }
}

/* Backtracking line search (Armijo) along step; false if no step decreases the objective. */
static bool descend(const fit *f, uint32_t c, const scratch *s, double *w)
{
    double share = 1, down = dot(s->gradient, s->step, (size_t)f->d + 1);
    double from = objective(f, c, s, w, 0);
    for (int i = 0; objective(f, c, s, w, share) > from + 1e-4 * share * down; i++, share /= 2)
        if (i == HALVINGS_MOST) return false;
    for (uint32_t j = 0; j <= f->d; j++) w[j] += share * s->step[j];
    for (uint32_t i = 0; i < f->m; i++) s->z[i] += share * s->dz[i];
    return true;
}

/* A class with no row, or with all of them, has its optimum at b = -+infinity. */
static bool is_trivial(const fit *f, uint32_t c, double *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->m; i++) count += f->label[f->row[i]] == c;
    if (count > 0 && count < f->m) return false;
    w[f->d] = count ? INFINITY : -INFINITY;
    return true;
}

static void fit_class(void *arg, uint32_t c, uint32_t thread)
{
    const fit *f = arg;
    scratch s = scratch_of(f, thread);
    double *w = f->weight + c * ((size_t)f->d + 1), first = 0;
    memset(w, 0, ((size_t)f->d + 1) * sizeof *w);
    if (is_trivial(f, c, w)) return;
    memset(s.z, 0, f->m * sizeof *s.z);
    for (int i = 0; i < STEPS_MOST; i++) {
        double length = differentiate(f, c, &s, w);
        if (i == 0) first = length;
        if (!(length > TOLERANCE * first)) return;
        solve(f, &s, fmin(0.1, sqrt(length / first)) * length);
        for (uint32_t j = 0; j < f->m; j++) s.dz[j] = margin(f, j, s.step);
        if (!descend(f, c, &s, w)) return;
    }
}

neap_status ni_logistic_fit(const float *x, uint32_t d, const uint32_t *row, uint32_t m,
                            const uint32_t *label, uint32_t classes, ni_threads *threads, double *weight,
                            neap_error *err)
{
    fit f = { .x = x, .row = row, .label = label, .d = d, .m = m, .classes = classes, .weight = weight };
    f.memory =
        ni_array(ni_threads_count(threads), (3 * (size_t)m + 5 * ((size_t)d + 1)) * sizeof *f.memory);
    if (!f.memory) return ni_fail_memory(err, "logistic regression");
    ni_threads_run(threads, classes, fit_class, &f);
    ni_free(f.memory);
    return ni_threads_check(threads, err);
}

uint32_t ni_logistic_predict(const double *weight, uint32_t classes, const float *x, uint32_t d)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t c = 0; c < classes; c++) {
        const double *w = weight + c * ((size_t)d + 1);
        double value = ni_dot_mixed(x, w, d) + w[d];
        if (value > most) most = value, best = c;
    }
    return best;
}
