/* Platt's scaling: logistic regression on one number, by Newton's method. A slope of 1 and a start of 0
 * count as much as two examples would, so that with few of them the scores stay as they are. */
#include <math.h>

#include "evidence/fit.h"

enum { STEPS = 30 };
static const double PRIOR = 2;

typedef struct sums {
    double g[2], h[3]; /* gradient; second derivatives: start, start and slope, slope */
} sums;

static void add_example(sums *s, double a, double b, double x, double link, double weight)
{
    double p = 1 / (1 + exp(-(a + b * x))), r = weight * (p - link), d = weight * p * (1 - p);
    s->g[0] += r;
    s->g[1] += r * x;
    s->h[0] += d;
    s->h[1] += d * x;
    s->h[2] += d * x * x;
}

void ni_calibrate(const ni_examples *e, const double *score, const bool *counts, double *start,
                  double *slope)
{
    double a = 0, b = 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        sums s = { { PRIOR * a, PRIOR * (b - 1) }, { PRIOR, 0, PRIOR } };
        for (uint32_t g = 0; g < e->groups; g++) {
            const float *weight = e->weight + (size_t)g * e->size;
            for (uint32_t i = 0; i < e->size && (!counts || counts[g]); i++)
                if (weight[i] > 0)
                    add_example(&s, a, b, score[(size_t)g * e->size + i], i == 0,
                                (double)(weight[i] / weight[0]));
        }
        double det = s.h[0] * s.h[2] - s.h[1] * s.h[1];
        a -= (s.h[2] * s.g[0] - s.h[1] * s.g[1]) / det;
        b -= (s.h[0] * s.g[1] - s.h[1] * s.g[0]) / det;
    }
    *start = isfinite(a) ? a : 0;
    *slope = isfinite(b) && b > 0 ? b : 1;
}
