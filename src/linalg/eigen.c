#include "linalg/eigen.h"

#include <arpack/arpack.h>
#include <pthread.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { RESTARTS = 3000 };

/* Places of ARPACK's arrays iparam and ipntr, from 0, and what it asks for. */
enum { SHIFTS = 0, MOST_RESTARTS = 2, MODE = 6, PARAMETERS = 11 };
enum { IN = 0, OUT = 1, POINTERS = 11 };
enum { MULTIPLY = 1, AGAIN = -1, TOO_SLOW = 1 };

static pthread_mutex_t arpack = PTHREAD_MUTEX_INITIALIZER;

typedef struct lanczos {
    int n, k, width; /* width: vectors of the basis               */
    double *start;   /* n: the start vector, then the residual    */
    double *basis;   /* width x n                                 */
    double *work;    /* 3 x n: vectors that ARPACK wants multiplied */
    double *small;   /* width x (width + 8)                       */
    double *value;   /* k                                         */
    int *chosen;     /* width; ARPACK wants it, and we do not     */
    int parameter[PARAMETERS], pointer[POINTERS];
} lanczos;

/* As SciPy does: twice as many vectors as are wanted, at least 20. */
static int basis_width(uint32_t n, uint32_t k)
{
    uint32_t width = k < n / 2 ? 2 * k + 1 : n;
    return (int)(width < 20 ? (n < 20 ? n : 20) : width);
}

static neap_status set_up(lanczos *z, uint32_t n, uint32_t k, double *start, neap_error *err)
{
    *z = (lanczos){ .n = (int)n, .k = (int)k, .width = basis_width(n, k), .start = start };
    size_t width = (size_t)z->width;
    z->parameter[SHIFTS] = 1;
    z->parameter[MOST_RESTARTS] = RESTARTS;
    z->parameter[MODE] = 1;
    z->basis = ni_array(width, n * sizeof *z->basis);
    z->work = ni_zeros(3, n * sizeof *z->work);
    z->small = ni_zeros(width, (width + 8) * sizeof *z->small);
    z->value = ni_array(k, sizeof *z->value);
    z->chosen = ni_zeros(width, sizeof *z->chosen);
    bool all = z->basis && z->work && z->small && z->value && z->chosen;
    return all ? NEAP_OK : ni_fail_memory(err, "eigenvectors");
}

static void tear_down(lanczos *z)
{
    ni_free(z->basis);
    ni_free(z->work);
    ni_free(z->small);
    ni_free(z->value);
    ni_free(z->chosen);
}

/* Does what ARPACK asks for until it asks no more; its verdict. */
static int iterate(lanczos *z, ni_operator apply, void *user)
{
    int asks = 0, verdict = 1, small = z->width * (z->width + 8); /* verdict 1: start is given */
    do {
        dsaupd_c(&asks, "I", z->n, "LA", z->k, NI_EIGEN_TOLERANCE, z->start, z->width, z->basis, z->n,
                 z->parameter, z->pointer, z->work, z->small, small, &verdict);
        if (asks == MULTIPLY || asks == AGAIN)
            apply(user, z->work + z->pointer[IN] - 1, z->work + z->pointer[OUT] - 1);
    } while (asks == MULTIPLY || asks == AGAIN);
    return verdict;
}

/* ARPACK leaves the eigenvectors in the first k vectors of the basis, the smallest eigenvalue first. */
static int extract(lanczos *z, double *vectors)
{
    int verdict = 0, small = z->width * (z->width + 8);
    dseupd_c(1, "A", z->chosen, z->value, z->basis, z->n, 0, "I", z->n, "LA", z->k, NI_EIGEN_TOLERANCE,
             z->start, z->width, z->basis, z->n, z->parameter, z->pointer, z->work, z->small, small,
             &verdict);
    for (int j = 0; j < z->k && verdict == 0; j++)
        memcpy(vectors + (size_t)j * (size_t)z->n, z->basis + (size_t)(z->k - 1 - j) * (size_t)z->n,
               (size_t)z->n * sizeof *vectors);
    return verdict;
}

neap_status ni_eigen_largest(ni_operator apply, void *user, uint32_t n, uint32_t k, double *start,
                             double *vectors, neap_error *err)
{
    lanczos z;
    int verdict = 0;
    neap_status rc = set_up(&z, n, k, start, err);
    if (rc != NEAP_OK) goto done;
    ni_blas_start();
    pthread_mutex_lock(&arpack);
    verdict = iterate(&z, apply, user);
    if (verdict == 0) verdict = extract(&z, vectors);
    pthread_mutex_unlock(&arpack);
    if (verdict == TOO_SLOW)
        rc = ni_fail(err, NEAP_E_NUMERIC, "%u eigenvectors of %u rows have not converged in %d restarts", k,
                     n, RESTARTS);
    else if (verdict != 0) rc = ni_fail(err, NEAP_E_NUMERIC, "ARPACK gave up with its code %d", verdict);
done:
    tear_down(&z);
    return rc;
}
