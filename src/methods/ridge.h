/* ridge.h - M = W'H T with a ridge on both factors, by alternating least squares in the space of T:
 *
 *     min |M - W'H T|^2 + lambda/2 (|W|^2 + |H|^2)        W: k x n, H: k x f, T: f x n
 *
 * With F = M T' (n x f) and TT' = diag(b) everything that an alternation needs of n nodes is K = F'F (f x
 * f):
 *
 *     W-step  Z = (H diag(b) H' + lambda/2 I)^-1 H,  W' = F Z'                                  Z: k x f
 *     H-step  WW' = Z K Z' = U diag(a) U',  W M T' = Z K,
 *             H = U [(U' Z K)_ij / (a_i b_j + lambda/2)]
 *
 * so that an alternation takes O(k f^2 + k^3) flops, whatever n is, in double. The loss is the objective
 * without |M (I - P)|^2, P the projection on the rows of T, which no W and H change. Threads: a row of a
 * product has one task. */
#ifndef NI_RIDGE_H
#define NI_RIDGE_H

#include "base/threads.h"

typedef struct ni_ridge {
    uint32_t k, f;
    double lambda;
    const double *K, *b; /* f x f, f: the caller's */
    ni_threads *threads;
    double *memory;
    double *Z, *ZK, *H, *turned; /* k x f                                            */
    double *small, *vector;      /* k x k: a Gram matrix; rows are its eigenvectors  */
    double *gram;                /* k x k: WW'                                       */
    double *value;               /* 4 k                                              */
} ni_ridge;

/* f <= 2^16, k <= 2^16. To be freed in any case. */
neap_status ni_ridge_create(uint32_t k, uint32_t f, double lambda, const double *K, const double *b,
                            ni_threads *threads, ni_ridge *out, neap_error *err);
void ni_ridge_free(ni_ridge *ridge);
uint64_t ni_ridge_bytes(uint32_t k, uint32_t f);

/* One alternation from H (k x f): the new one in ridge->H, Z of its W-step in ridge->Z, and the loss. */
neap_status ni_ridge_step(ni_ridge *ridge, const float *H, double *loss, neap_error *err);

#endif
