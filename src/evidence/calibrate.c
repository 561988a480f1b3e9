/* Platt's scaling: logistic regression on one number, by Newton's method. A slope of 1 and a start of 0
 * count as much as two examples would, so that with few of them the scores stay as they are. Scores that
 * say nothing, or the wrong thing, get the least slope: they keep their order, and all probabilities are
 * near one half. */
#include <math.h>

#include "evidence/fit.h"
#include "linalg/kernels.h"

enum { STEPS = 50, HALVINGS = 40 };
static const double PRIOR = 2, SLOPE_LEAST = 0.05;

typedef struct problem {
    const ni_examples *e;
    const double *score;
    const bool *held;
} problem;

typedef struct sums {
    double loss, g[2], h[3]; /* gradient; second derivatives: start, start and slope, slope */
} sums;

static void add_example(sums *s, double a, double b, double x, bool link, double weight)
{
    double z = a + b * x, p = 1 / (1 + exp(-z)), r = weight * (p - link), d = weight * p * (1 - p);
    s->loss += weight * ni_surprise(link ? z : -z);
    s->g[0] += r;
    s->g[1] += r * x;
    s->h[0] += d;
    s->h[1] += d * x;
    s->h[2] += d * x * x;
}

static sums evaluate(const problem *p, double a, double b)
{
    const ni_examples *e = p->e;
    sums s = { PRIOR / 2 * (a * a + (b - 1) * (b - 1)),
               { PRIOR * a, PRIOR * (b - 1) },
               { PRIOR, 0, PRIOR } };
    for (uint32_t g = 0; g < e->groups; g++) {
        const float *weight = e->weight + (size_t)g * e->size;
        for (uint32_t i = 0; i < e->size && (!p->held || p->held[g]); i++)
            if (weight[i] > 0)
                add_example(&s, a, b, p->score[(size_t)g * e->size + i], i == 0,
                            (double)(weight[i] / weight[0]));
    }
    return s;
}

/* Takes the step, or as much of it as lowers the loss; slope: of the loss along it. False: nothing does. */
static bool take_step(const problem *p, double da, double db, double slope, double *a, double *b, sums *s)
{
    double factor = 1;
    for (uint32_t h = 0; h < HALVINGS; h++, factor /= 2) {
        sums next = evaluate(p, *a + factor * da, *b + factor * db);
        if (!(next.loss <= s->loss + 1e-4 * factor * slope)) continue;
        *a += factor * da;
        *b += factor * db;
        *s = next;
        return true;
    }
    return false;
}

/* The loss is convex. With a fixed slope only the start moves. */
static void descend(const problem *p, bool fixed, double *a, double *b)
{
    sums s = evaluate(p, *a, *b);
    for (uint32_t step = 0; step < STEPS; step++) {
        double det = s.h[0] * s.h[2] - s.h[1] * s.h[1];
        double da = fixed ? -s.g[0] / s.h[0] : -(s.h[2] * s.g[0] - s.h[1] * s.g[1]) / det;
        double db = fixed ? 0 : -(s.h[0] * s.g[1] - s.h[1] * s.g[0]) / det;
        double slope = s.g[0] * da + s.g[1] * db;
        if (!(slope < -1e-12 * fabs(s.loss)) || !take_step(p, da, db, slope, a, b, &s)) return;
    }
}

void ni_calibrate(const ni_examples *e, const double *score, const bool *held, double *start, double *slope)
{
    problem p = { e, score, held };
    *start = 0;
    *slope = 1;
    descend(&p, false, start, slope);
    if (*slope >= SLOPE_LEAST) return;
    *start = 0;
    *slope = SLOPE_LEAST;
    descend(&p, true, start, slope);
}
