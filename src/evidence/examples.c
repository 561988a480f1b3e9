/* The two losses of a group; see examples.h. */
#include "evidence/examples.h"

#include <math.h>

#include "linalg/kernels.h"

/* Adds up stands x exp(score - most) into share, and returns ln of the whole sum of stands x exp(score). */
static double sum_up(const float *stands, const double *score, uint32_t size, double *share)
{
    double most = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < size; i++)
        if (stands[i] > 0 && score[i] > most) most = score[i];
    for (uint32_t i = 0; i < size; i++) {
        share[i] = stands[i] > 0 ? (double)stands[i] * exp(score[i] - most) : 0;
        sum += share[i];
    }
    for (uint32_t i = 0; i < size; i++) share[i] /= sum;
    return most + log(sum);
}

double ni_group_loss(const ni_examples *e, uint32_t group, const double *score, double *gradient,
                     double *curvature, double *share)
{
    const float *weight = e->weight + (size_t)group * e->size,
                *stands = e->stands + (size_t)group * e->size;
    double room[NI_GROUP_MOST], *p = share ? share : room, loss = 0;
    bool ranked = stands[0] > 0;
    if (ranked) loss = sum_up(stands, score, e->size, p) - score[0] - log((double)stands[0]);
    for (uint32_t i = 0; i < e->size; i++) {
        double link = i == 0, w = (double)weight[i], chance = 1 / (1 + exp(-score[i]));
        if (!ranked) p[i] = 0;
        gradient[i] = w * (chance - link) + (ranked ? p[i] - link : 0);
        curvature[i] = w * chance * (1 - chance) + p[i] * (1 - p[i]);
        if (w > 0) loss += w * ni_surprise(i ? -score[i] : score[i]);
    }
    return loss;
}

double ni_group_value(const ni_examples *e, uint32_t group, const double *score)
{
    const float *weight = e->weight + (size_t)group * e->size,
                *stands = e->stands + (size_t)group * e->size;
    double share[NI_GROUP_MOST], loss = 0;
    if (stands[0] > 0) loss = sum_up(stands, score, e->size, share) - score[0] - log((double)stands[0]);
    for (uint32_t i = 0; i < e->size; i++)
        if (weight[i] > 0) loss += (double)weight[i] * ni_surprise(i ? -score[i] : score[i]);
    return loss;
}

/* x within what the kernel of exp takes. */
static void clamp(float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) x[i] = x[i] > -80 ? x[i] : -80;
    for (uint32_t i = 0; i < n; i++) x[i] = x[i] < 80 ? x[i] : 80;
}

/* What the softmax gives each example, and the derivatives that follow: loops are apart so that they are
 * vectors. */
static void rank_slopes(const float *stands, const double *score, uint32_t size, float *g, float *h)
{
    float x[NI_GROUP_MOST], sum = 0;
    double most = score[0];
    for (uint32_t i = 1; i < size; i++) {
        double counted = stands[i] > 0 ? score[i] : most;
        most = counted > most ? counted : most;
    }
    for (uint32_t i = 0; i < size; i++) x[i] = (float)(score[i] - most);
    clamp(x, size);
    ni_kernels_get()->exp(x, size, x);
    for (uint32_t i = 0; i < size; i++) x[i] *= stands[i];
    for (uint32_t i = 0; i < size; i++) sum += x[i];
    float scale = stands[0] > 0 && sum > 0 ? 1 / sum : 0;
    for (uint32_t i = 0; i < size; i++) g[i] = x[i] * scale;
    for (uint32_t i = 0; i < size; i++) h[i] = g[i] * (1 - g[i]);
    if (scale > 0) g[0] -= 1;
}

void ni_group_slopes(const ni_examples *e, uint32_t group, const double *score, double *slope)
{
    const float *weight = e->weight + (size_t)group * e->size;
    float g[NI_GROUP_MOST], h[NI_GROUP_MOST], x[NI_GROUP_MOST];
    uint32_t weighed = 0;
    rank_slopes(e->stands + (size_t)group * e->size, score, e->size, g, h);
    for (uint32_t i = 0; i < e->size; i++)
        if (weight[i] > 0) x[weighed++] = (float)-score[i];
    clamp(x, weighed);
    ni_kernels_get()->exp(x, weighed, x);
    for (uint32_t i = 0, k = 0; k < weighed; i++) {
        if (!(weight[i] > 0)) continue;
        float chance = 1 / (1 + x[k++]);
        g[i] += weight[i] * (chance - (i == 0));
        h[i] += weight[i] * chance * (1 - chance);
    }
    for (uint32_t i = 0; i < e->size; i++) {
        slope[2 * i] = (double)g[i];
        slope[2 * i + 1] = (double)h[i];
    }
}
