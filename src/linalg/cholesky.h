/* cholesky.h - A = L L' for a symmetric positive definite matrix, and solving with it, in double.
 *
 * The right-looking tiled algorithm (Buttari, Langou, Kurzak and Dongarra 2009) on tiles of 256 x 256:
 * factor a tile of the diagonal, solve for the tiles below it, subtract their products from what is right
 * of them. The last two are rounds of tasks, one per tile. n^3 / 3 flops to factor, 2 n^2 per vector to
 * solve. Every tile has one owner at a time, and tiles do not depend on the threads: neither do the bits.
 * OpenBLAS works on a tile (blas.h). */
#ifndef NI_CHOLESKY_H
#define NI_CHOLESKY_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

/* a: n x n, of which the lower triangle is read and becomes L; the upper one is scratch. NEAP_E_NUMERIC if
 * a is not positive definite, NEAP_E_STOPPED if the threads are to stop; then a is
 * spoilt. */
neap_status ni_cholesky(double *a, uint32_t n, ni_threads *threads, neap_error *err);

/* X = (L L')^-1 X, X: n x columns. */
void ni_cholesky_solve(const double *l, uint32_t n, double *X, uint32_t columns, ni_threads *threads);

#endif
