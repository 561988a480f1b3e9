/* cholesky.h - a symmetric positive definite matrix as L L', tile by tile, and what can be solved with it.
 */
#ifndef NI_CHOLESKY_H
#define NI_CHOLESKY_H

#include <stdint.h>

#include "base/threads.h"
#include "neap.h"

/* a: n x n, of which the lower triangle is read and becomes L; what is above is scratch. Every tile has one
 * owner at a time, so the bits do not depend on the threads. NEAP_E_NUMERIC if a is not positive definite,
 * NEAP_E_STOPPED if the threads are to stop.
 */
neap_status ni_cholesky(double *a, uint32_t n, ni_threads *threads, neap_error *err);

/* x = (L L')^-1 x. One thread. */
void ni_cholesky_solve(const double *l, uint32_t n, double *x);

#endif
