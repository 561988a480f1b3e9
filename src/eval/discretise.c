/* Clusters from eigenvectors by alternating rotation (SVD) and assignment; see cluster.h. O(n k^2 + k^3)
 * per round, one thread; x is the caller's and is overwritten, the rest is freed on return. */
#include "eval/cluster.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

/* LAPACK, which is inside OpenBLAS; Debian's has no header for it. A = U S V', all column-major.
 * gfortran's ABI has the lengths of the two words behind the last argument. */
void dgesvd_(const char *jobu, const char *jobvt, const blasint *m, const blasint *n, double *a,
             const blasint *lda, double *s, double *u, const blasint *ldu, double *vt, const blasint *ldvt,
             double *work, const blasint *lwork, blasint *info, size_t jobu_length, size_t jobvt_length);

typedef struct rotor {
    uint32_t n, k;
    double *x;            /* n x k: rows of length 1          */
    double *rotated;      /* n x k: X R                       */
    double *rotation;     /* k x k: R                         */
    double *sum, *u, *vt; /* k x k: Z'X = U S V'              */
    double *s, *work;     /* k, room: singular values         */
    blasint room;
    double *overlap; /* n */
} rotor;

/* The workspace that LAPACK recommends, at least the smallest legal one, 5 k. */
static blasint svd_room(uint32_t k)
{
    blasint size = (blasint)k, query = -1, info = 0;
    double none = 0, room = 0;
    dgesvd_("A", "A", &size, &size, &none, &size, &none, &none, &size, &none, &size, &room, &query, &info,
            1, 1);
    return info == 0 && room > 5.0 * k && room < INT32_MAX ? (blasint)room : 5 * size;
}

static neap_status set_up(rotor *r, double *x, uint32_t n, uint32_t k, neap_error *err)
{
    *r = (rotor){ .n = n, .k = k, .x = x, .room = svd_room(k) };
    size_t width = k * sizeof(double);
    r->rotated = ni_array(n, width);
    r->rotation = ni_array(k, width);
    r->sum = ni_array(k, width);
    r->u = ni_array(k, width);
    r->vt = ni_array(k, width);
    r->s = ni_array(1, width);
    r->work = ni_array((size_t)r->room, sizeof *r->work);
    r->overlap = ni_zeros(n, sizeof *r->overlap);
    bool all = r->rotated && r->rotation && r->sum && r->u && r->vt && r->s && r->work && r->overlap;
    return all ? NEAP_OK : ni_fail_memory(err, "the rotation of eigenvectors");
}

static void tear_down(rotor *r)
{
    ni_free(r->rotated);
    ni_free(r->rotation);
    ni_free(r->sum);
    ni_free(r->u);
    ni_free(r->vt);
    ni_free(r->s);
    ni_free(r->work);
    ni_free(r->overlap);
}

/* Columns of equal length whose first entry is not positive, then rows of length 1. A row of zeros stays.
 */
static void normalise(rotor *r)
{
    for (uint32_t j = 0; j < r->k; j++) {
        double sum = 0, *column = r->x + j;
        for (size_t i = 0; i < r->n; i++) sum += column[i * r->k] * column[i * r->k];
        double factor = sum > 0 ? (*column > 0 ? -1 : 1) / sqrt(sum) : 0;
        for (size_t i = 0; i < r->n; i++) column[i * r->k] *= factor;
    }
    for (size_t i = 0; i < r->n; i++) {
        double sum = 0, *row = r->x + i * r->k;
        for (uint32_t j = 0; j < r->k; j++) sum += row[j] * row[j];
        for (uint32_t j = 0; j < r->k && sum > 0; j++) row[j] /= sqrt(sum);
    }
}

/* The first axis is a point, each further one the point with the smallest sum of |x.axis| over the axes
 * before it. */
static void start_rotation(rotor *r, uint32_t first)
{
    uint32_t next = first;
    for (uint32_t j = 0;; j++) {
        const double *axis = r->x + (size_t)next * r->k;
        for (uint32_t c = 0; c < r->k; c++) r->rotation[(size_t)c * r->k + j] = axis[c];
        if (j + 1 == r->k) return;
        next = 0;
        for (uint32_t i = 0; i < r->n; i++) {
            r->overlap[i] += fabs(cblas_ddot((blasint)r->k, r->x + (size_t)i * r->k, 1, axis, 1));
            if (r->overlap[i] < r->overlap[next]) next = i;
        }
    }
}

static void multiply(const double *a, int a_transposed, const double *b, int b_transposed, uint32_t rows,
                     uint32_t k, double *out)
{
    cblas_dgemm(CblasRowMajor, a_transposed ? CblasTrans : CblasNoTrans,
                b_transposed ? CblasTrans : CblasNoTrans, (blasint)rows, (blasint)k, (blasint)k, 1, a,
                (blasint)k, b, (blasint)k, 0, out, (blasint)k);
}

/* The largest entry of each row of X R, the first of equals, and the sums Z'X over the new clusters. */
static void assign(rotor *r, uint32_t *cluster)
{
    uint32_t k = r->k;
    multiply(r->x, 0, r->rotation, 0, r->n, k, r->rotated);
    memset(r->sum, 0, (size_t)k * k * sizeof *r->sum);
    for (uint32_t i = 0; i < r->n; i++) {
        const double *row = r->rotated + (size_t)i * k;
        uint32_t most = 0;
        for (uint32_t j = 1; j < k; j++)
            if (row[j] > row[most]) most = j;
        cluster[i] = most;
        for (uint32_t j = 0; j < k; j++) r->sum[(size_t)most * k + j] += r->x[(size_t)i * k + j];
    }
}

/* The best rotation for these clusters. LAPACK reads our rows as columns: it sees (Z'X)' = V S U', and what
 * it leaves is, by rows, V' in u and U in vt. Hence R = V U' = u' vt'. */
static neap_status rotate(rotor *r, double *fit, neap_error *err)
{
    blasint k = (blasint)r->k, info = 0;
    dgesvd_("A", "A", &k, &k, r->sum, &k, r->s, r->u, &k, r->vt, &k, r->work, &r->room, &info, 1, 1);
    if (info) return ni_fail(err, NEAP_E_NUMERIC, "the rotation of the eigenvectors has not converged");
    *fit = 0;
    for (uint32_t j = 0; j < r->k; j++) *fit += r->s[j];
    multiply(r->u, 1, r->vt, 1, r->k, r->k, r->rotation);
    return NEAP_OK;
}

neap_status ni_discretise(double *x, uint32_t n, uint32_t k, uint32_t first, uint32_t *cluster,
                          neap_error *err)
{
    rotor r;
    double fit = 0, last = 0;
    ni_blas_begin();
    neap_status rc = set_up(&r, x, n, k, err);
    if (rc != NEAP_OK) goto done;
    normalise(&r);
    start_rotation(&r, first);
    for (int round = 0; round <= NI_DISCRETISE_ROUNDS; round++) {
        assign(&r, cluster);
        rc = rotate(&r, &fit, err);
        if (rc != NEAP_OK || 2 * fabs(fit - last) < DBL_EPSILON) break;
        last = fit;
    }
done:
    ni_blas_end();
    tear_down(&r);
    return rc;
}
