/* real.h - the number type of what is written down as a specification: float; compiled with
 * NI_REFERENCE_DOUBLE double, for checks by finite differences. */
#ifndef NI_REAL_H
#define NI_REAL_H

#ifdef NI_REFERENCE_DOUBLE
typedef double ni_real;
#else
typedef float ni_real;
#endif

#endif
