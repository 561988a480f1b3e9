/* Points centred and scaled by a power of two, and tiles of squared distances by matrix products; see
 * points.h. O(n d) once, O(rows m d) per tile. */
#include "eval/points.h"

#include <math.h>

#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

float ni_squared_norm(const float *x, uint32_t d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d; i++) sum += (double)x[i] * x[i];
    return (float)sum;
}

double ni_squared_distance(const float *x, const float *y, uint32_t d)
{
    double sum = 0;
    for (uint32_t i = 0; i < d; i++) sum += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
    return sum;
}

/* mean: d. Whether every number is finite; *bad is the first vector with one that is not. */
static bool find_mean(const float *x, uint32_t n, uint32_t d, double *mean, uint32_t *bad)
{
    for (*bad = 0; *bad < n; ++*bad)
        for (uint32_t i = 0; i < d; i++) {
            float value = x[(size_t)*bad * d + i];
            if (!isfinite(value)) return false;
            mean[i] += value;
        }
    for (uint32_t i = 0; i < d; i++) mean[i] /= n;
    return true;
}

/* The power of two at or above the largest entry; 1 if all are 0. */
static double find_scale(const float *x, uint32_t n, uint32_t d, const double *mean)
{
    double most = 0;
    int exponent = 0;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t i = 0; i < d; i++) most = fmax(most, fabs(x[(size_t)u * d + i] - mean[i]));
    if (most > 0) (void)frexp(most, &exponent);
    return ldexp(1, exponent);
}

neap_status ni_points_init(ni_points *p, const float *x, uint32_t n, uint32_t d, neap_error *err)
{
    neap_status rc = NEAP_OK;
    uint64_t cells;
    uint32_t bad;
    double *mean = ni_zeros(d, sizeof *mean);
    *p = (ni_points){ .n = n, .d = d };
    p->x = ni_mul(n, d, &cells) ? ni_array(cells, sizeof *p->x) : NULL;
    p->norm = ni_array(n, sizeof *p->norm);
    if (!mean || !p->x || !p->norm) rc = ni_fail_memory(err, "vectors");
    else if (!find_mean(x, n, d, mean, &bad))
        rc = ni_fail(err, NEAP_E_NUMERIC, "vector %u (from 0) has an entry that is no finite number", bad);
    if (rc != NEAP_OK) goto done;
    p->scale = find_scale(x, n, d, mean);
    for (uint32_t u = 0; u < n; u++) {
        float *to = p->x + (size_t)u * d;
        for (uint32_t i = 0; i < d; i++) to[i] = (float)((x[(size_t)u * d + i] - mean[i]) / p->scale);
        p->norm[u] = ni_squared_norm(to, d);
    }
done:
    ni_free(mean);
    if (rc != NEAP_OK) ni_points_free(p);
    return rc;
}

void ni_points_free(ni_points *p)
{
    ni_free(p->x);
    ni_free(p->norm);
    *p = (ni_points){ 0 };
}

void ni_points_distances(const ni_points *p, uint32_t first, uint32_t rows, const float *y,
                         const float *norm, uint32_t m, float *tile)
{
    ni_gemm(0, 1, rows, m, p->d, p->x + (size_t)first * p->d, p->d, y, p->d, 0, tile, m);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < m; j++) {
            float *cell = &tile[(size_t)i * m + j], distance = p->norm[first + i] + norm[j] - 2 * *cell;
            *cell = distance > 0 ? distance : 0;
        }
}
