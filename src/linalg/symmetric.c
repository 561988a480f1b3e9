/* Eigenpairs of a small symmetric matrix (eigen.h): A = Q T Q' with T tridiagonal, T = S diag(value) S',
 * and the eigenvectors are the columns of Q S. They are kept as rows, so that a rotation of the QL method
 * mixes two rows in memory. Inner products are summed in eight lanes and then in a fixed tree, so that a
 * compiler may use vectors without changing a bit. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/eigen.h"
#include "support/status.h"

enum { TURNS_MANY = 30, TURNS_MOST = 60 }; /* QL steps for one eigenvalue; two are usual */

static double dot(const double *x, const double *y, size_t n)
{
    double sum[8] = { 0 };
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++) sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++) sum[i & 7] += x[i] * y[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* out += a x */
static void add(double a, const double *restrict x, double *restrict out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] += a * x[i];
}

/* (x, y) = (c x + s y, c y - s x) */
static void rotate(double c, double s, double *restrict x, double *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double u = x[i], v = y[i];
        x[i] = c * u + s * v;
        y[i] = c * v - s * u;
    }
}

/* ---- to a tridiagonal matrix ---- */

/* u (l): a row left of the diagonal; becomes the vector of the reflection I - u u' / h that leaves only its
 * last entry, which is returned. *h = 0: there is nothing to do. */
static double reflect_row(double *u, size_t l, double *h)
{
    double most = 0;
    *h = 0;
    for (size_t j = 0; j + 1 < l; j++) most = fmax(most, fabs(u[j]));
    if (most == 0) return u[l - 1];
    most = fmax(most, fabs(u[l - 1]));
    for (size_t j = 0; j < l; j++) u[j] /= most;
    double square = dot(u, u, l), last = u[l - 1], to = last > 0 ? -sqrt(square) : sqrt(square);
    *h = square - last * to;
    u[l - 1] = last - to;
    return most * to;
}

/* The leading l x l part: A = (I - u u'/h) A (I - u u'/h) = A - u q' - q u', where p = A u / h and
 * q = p - (u'p / 2 h) u. Only the lower triangle is there. */
static void reflect_matrix(double *a, size_t n, const double *u, size_t l, double h, double *p)
{
    memset(p, 0, l * sizeof *p);
    for (size_t j = 0; j < l; j++) {
        p[j] += dot(a + j * n, u, j + 1);
        add(u[j], a + j * n, p, j);
    }
    for (size_t j = 0; j < l; j++) p[j] /= h;
    add(-dot(u, p, l) / (2 * h), u, p, l);
    for (size_t j = 0; j < l; j++) {
        add(-u[j], p, a + j * n, j + 1);
        add(-p[j], u, a + j * n, j + 1);
    }
}

/* diagonal: n. below: n, entry i is T_i,i-1. h: n. Row i of a keeps the vector of its reflection. */
static void make_tridiagonal(double *a, size_t n, double *diagonal, double *below, double *h, double *p)
{
    for (size_t i = n - 1; i >= 1; i--) {
        double *u = a + i * n;
        diagonal[i] = u[i];
        below[i] = reflect_row(u, i, &h[i]);
        if (h[i] > 0) reflect_matrix(a, n, u, i, h[i], p);
    }
    diagonal[0] = a[0];
    below[0] = 0;
}

/* Rows of vector, eigenvectors of T, become those of A. */
static void undo_reflections(const double *a, size_t n, const double *h, uint32_t count, double *vector)
{
    for (uint32_t j = 0; j < count; j++)
        for (size_t i = 1; i < n; i++) {
            const double *u = a + i * n;
            if (h[i] > 0) add(-dot(vector + j * n, u, i) / h[i], u, vector + j * n, i);
        }
}

/* ---- QL ---- */

/* Where the tridiagonal matrix that begins at `first` falls apart; `least` counts as nothing. */
static size_t find_split(const double *diagonal, const double *above, size_t first, size_t n, double least)
{
    size_t m = first;
    for (; m + 1 < n; m++) {
        double around = fabs(diagonal[m]) + fabs(diagonal[m + 1]);
        if (fabs(above[m]) <= fmax(DBL_EPSILON * around, least)) break;
    }
    return m;
}

/* One implicit step with Wilkinson's shift on rows first .. last of T; above: entry i is T_i,i+1. */
static void step(double *d, double *above, size_t first, size_t last, double *vector, size_t n)
{
    double g = (d[first + 1] - d[first]) / (2 * above[first]), r = hypot(g, 1), s = 1, c = 1, p = 0;
    g = d[last] - d[first] + above[first] / (g + copysign(r, g));
    for (size_t i = last; i-- > first;) {
        double f = s * above[i], b = c * above[i];
        above[i + 1] = r = hypot(f, g);
        if (r == 0) { /* it has fallen apart */
            d[i + 1] -= p;
            above[last] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(c, s, vector + (i + 1) * n, vector + i * n, n);
    }
    d[first] -= p;
    above[first] = g;
    above[last] = 0;
}

/* The rounding error of a tridiagonal matrix of this size. */
static double noise_of(const double *diagonal, const double *above, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(diagonal[i]) + fabs(above[i]));
    return DBL_EPSILON * most;
}

/* Where eigenvalues are 0, a part of T is nothing but rounding errors. It need not fall apart by its own
 * measure, but after many steps it may by that of the whole. */
static bool diagonalise(double *diagonal, double *above, size_t n, double *vector)
{
    double noise = noise_of(diagonal, above, n);
    for (size_t first = 0; first < n; first++) {
        size_t last = find_split(diagonal, above, first, n, DBL_MIN);
        for (int turn = 0; last != first; turn++) {
            if (turn == TURNS_MOST) return false;
            step(diagonal, above, first, last, vector, n);
            last = find_split(diagonal, above, first, n, turn < TURNS_MANY ? DBL_MIN : noise);
        }
    }
    return true;
}

/* ---- all of it ---- */

/* A power of two that brings the largest entry near 1, so that no square leaves the range of a double. */
static bool find_scale(const double *a, size_t n, int *exponent)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            if (!isfinite(a[i * n + j])) return false;
            most = fmax(most, fabs(a[i * n + j]));
        }
    *exponent = 0;
    if (most > 0) (void)frexp(most, exponent);
    return true;
}

static void sort_descending(double *value, double *vector, size_t n, double *row)
{
    for (size_t i = 0; i < n; i++) {
        size_t most = i;
        for (size_t j = i + 1; j < n; j++)
            if (value[j] > value[most]) most = j;
        if (most == i) continue;
        double first = value[i];
        value[i] = value[most];
        value[most] = first;
        memcpy(row, vector + i * n, n * sizeof *row);
        memcpy(vector + i * n, vector + most * n, n * sizeof *row);
        memcpy(vector + most * n, row, n * sizeof *row);
    }
}

neap_status ni_symmetric_eigen(double *a, uint32_t n, uint32_t count, double *value, double *vector,
                               double *work, neap_error *err)
{
    double *beside = work, *h = work + n, *row = work + 2 * (size_t)n;
    int exponent;
    if (!find_scale(a, n, &exponent)) return ni_fail(err, NEAP_E_NUMERIC, "a matrix is not finite");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) a[i * n + j] = ldexp(a[i * n + j], -exponent);
    make_tridiagonal(a, n, value, beside, h, row);
    memmove(beside, beside + 1, (n - 1) * sizeof *beside);
    beside[n - 1] = 0;
    memset(vector, 0, (size_t)n * n * sizeof *vector);
    for (size_t i = 0; i < n; i++) vector[i * n + i] = 1;
    if (!diagonalise(value, beside, n, vector))
        return ni_fail(err, NEAP_E_NUMERIC, "the eigenvalues of a matrix of %u rows have not converged", n);
    sort_descending(value, vector, n, row);
    undo_reflections(a, n, h, count, vector);
    for (size_t i = 0; i < n; i++) value[i] = ldexp(value[i], exponent);
    return NEAP_OK;
}
