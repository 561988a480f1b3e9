/* additive.h - the log-odds of a link as a sum of one curve per evidence.
 *
 *     log-odds(s, t) = start + sum over evidence j of f_j(x_j)
 *     f_j(x) = slope_j (g_j(x) - mean_j) / deviation_j + step_j[bin of x]
 *
 * g_j is ln(x + offset_j), or x itself where that is asked for (a cosine may be negative). A step function
 * over at most 63 bins of equal weight bends the line; a value that is not finite is missing, has a bin of
 * its own, and no line. Everything that a score is made of can therefore be drawn, and adds up. */
#ifndef NI_ADDITIVE_H
#define NI_ADDITIVE_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "neap.h"

enum {
    NI_CURVE_EDGES = 62,                 /* between bins; a curve with fewer has FLT_MAX behind the last */
    NI_CURVE_STEPS = NI_CURVE_EDGES + 2, /* bin 0: missing; bin b: edge[b - 2] < x <= edge[b - 1] */
};

/* Columns of the `line` of a curve. */
enum { NI_LINE_OFFSET, NI_LINE_MEAN, NI_LINE_DEVIATION, NI_LINE_SLOPE, NI_LINE };

/* The arrays belong to whoever made them: tensors of a model, or a test. */
typedef struct ni_additive {
    uint32_t curves;
    float *line; /* curves x NI_LINE; offset below 0: no logarithm */
    float *edge; /* curves x NI_CURVE_EDGES, ascending          */
    float *step; /* curves x NI_CURVE_STEPS                     */
    double start;
} ni_additive;

/* NEAP_E_FORMAT unless edges ascend, deviations are positive, and all numbers are finite but the padding
 * of edges and the offsets of curves without logarithm. */
neap_status ni_additive_check(const ni_additive *a, neap_error *err);

/* The bin of x: 0 if it is not finite, else 1 + the number of edges below x. */
static inline uint32_t ni_curve_bin(const float *edge, float x)
{
    uint32_t at = 0;
    if (!isfinite(x)) return 0;
    for (uint32_t half = 32; half; half /= 2)
        if (at + half <= NI_CURVE_EDGES && edge[at + half - 1] < x) at += half;
    return 1 + at;
}

/* What the line reads: (g(x) - mean) / deviation; 0 where x is missing. */
static inline float ni_curve_scaled(const float *line, float x)
{
    if (!isfinite(x)) return 0;
    float g = line[NI_LINE_OFFSET] < 0 ? x : logf(fmaxf(x, 0) + line[NI_LINE_OFFSET]);
    return (g - line[NI_LINE_MEAN]) / line[NI_LINE_DEVIATION];
}

/* f_j(x). */
static inline float ni_curve_at(const ni_additive *a, uint32_t j, float x)
{
    const float *line = a->line + (size_t)j * NI_LINE;
    return line[NI_LINE_SLOPE] * ni_curve_scaled(line, x) +
           a->step[(size_t)j * NI_CURVE_STEPS + ni_curve_bin(a->edge + (size_t)j * NI_CURVE_EDGES, x)];
}

/* Where a curve bends, for a picture of it: at each edge the value on it, f_j there, and the same just
 * behind it; between them it is a line or nearly so. Into x and y (NI_CURVE_POINTS); returns how many. */
enum { NI_CURVE_POINTS = 2 * NI_CURVE_EDGES };
uint32_t ni_curve_points(const ni_additive *a, uint32_t j, float *x, float *y);

#endif
