/* points.h - vectors as points in space, and their squared distances.
 *
 * |x - y|^2 = |x|^2 + |y|^2 - 2 x.y for whole tiles at once, by a matrix product of 2 d flops per pair.
 * That loses digits where the points lie far from the origin, so they are moved to their mean, which
 * changes no distance, and divided by a power of two, which changes no digit and keeps every product in the
 * range of a float. ni_points owns that copy, n x d floats; a tile is the caller's, computed on the calling
 * thread. */
#ifndef NI_POINTS_H
#define NI_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "neap.h"

typedef struct ni_points {
    uint32_t n, d;
    float *x;     /* n x d: (vector - mean) / scale */
    float *norm;  /* n: squared norms               */
    double scale; /* a power of two                 */
} ni_points;

/* NEAP_E_NUMERIC if a vector is not finite. */
neap_status ni_points_init(ni_points *points, const float *x, uint32_t n, uint32_t d, neap_error *err);
void ni_points_free(ni_points *points);

/* Squared distances between `rows` points from `first` on and m other points y (m x d) with squared norms
 * `norm`: tile (rows x m), clamped at 0. In a task of ni_gemm_run. */
void ni_points_distances(const ni_points *points, uint32_t first, uint32_t rows, const float *y,
                         const float *norm, uint32_t m, float *tile);

/* |x - y|^2 of two vectors, summed in double without cancellation. */
double ni_squared_distance(const float *x, const float *y, uint32_t d);

/* |x|^2, summed in double. */
float ni_squared_norm(const float *x, uint32_t d);

/* x.y in double, in eight lanes and then in a fixed tree, so that a compiler may use vectors without
 * changing a bit. */
static inline double ni_dot_mixed(const float *x, const double *y, size_t n)
{
    double sum[8] = { 0 };
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += (double)x[i + k] * y[i + k];
    for (; i < n; i++) sum[i & 7] += (double)x[i] * y[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

#endif
