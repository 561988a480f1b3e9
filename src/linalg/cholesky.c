#include "linalg/cholesky.h"

#include "linalg/blas.h"
#include "support/status.h"

enum { TILE = 256 };

/* LAPACK, which is inside OpenBLAS; Debian's has no header for it. gfortran wants the length of the word
 * behind the last argument. */
void dpotrf_(const char *uplo, const blasint *n, double *a, const blasint *lda, blasint *info,
             size_t length);

typedef struct cholesky {
    double *a;
    size_t n;
    uint32_t tiles, step; /* step: the tile of the diagonal that has just become L */
} cholesky;

static double *tile_at(const cholesky *c, uint32_t i, uint32_t j)
{
    return c->a + (size_t)i * TILE * c->n + (size_t)j * TILE;
}

static blasint rows_of(const cholesky *c, uint32_t i)
{
    size_t left = c->n - (size_t)i * TILE;
    return (blasint)(left < TILE ? left : TILE);
}

/* The tile of the diagonal. LAPACK reads rows as columns, hence upper for lower. */
static blasint factor(const cholesky *c)
{
    blasint rows = rows_of(c, c->step), stride = (blasint)c->n, info = 0;
    dpotrf_("U", &rows, tile_at(c, c->step, c->step), &stride, &info, 1);
    return info;
}

/* The tiles below it: A_is = A_is L_ss'^-1. */
static void divide(void *arg, uint32_t task, uint32_t thread)
{
    const cholesky *c = arg;
    uint32_t i = c->step + 1 + task;
    (void)thread;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows_of(c, i), TILE, 1,
                tile_at(c, c->step, c->step), (blasint)c->n, tile_at(c, i, c->step), (blasint)c->n);
}

/* What is right of them, on and below the diagonal: A_ij -= A_is A_js'. Tasks count the tiles row by row.
 */
static void subtract(void *arg, uint32_t task, uint32_t thread)
{
    const cholesky *c = arg;
    uint32_t row = 0;
    (void)thread;
    for (; task > row; row++) task -= row + 1;
    uint32_t i = c->step + 1 + row, j = c->step + 1 + task;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows_of(c, i), rows_of(c, j), TILE, -1,
                tile_at(c, i, c->step), (blasint)c->n, tile_at(c, j, c->step), (blasint)c->n, 1,
                tile_at(c, i, j), (blasint)c->n);
}

neap_status ni_cholesky(double *a, uint32_t n, ni_threads *threads, neap_error *err)
{
    cholesky c = { .a = a, .n = n, .tiles = (n - 1) / TILE + 1 };
    ni_blas_start();
    for (; c.step < c.tiles; c.step++) {
        uint32_t below = c.tiles - c.step - 1;
        neap_status rc = ni_threads_check(threads, err); /* after a stop there is no matrix to go on with */
        if (rc != NEAP_OK) return rc;
        if (factor(&c)) return ni_fail(err, NEAP_E_NUMERIC, "a matrix is not positive definite");
        ni_threads_run(threads, below, divide, &c);
        ni_threads_run(threads, below * (below + 1) / 2, subtract, &c);
    }
    return NEAP_OK;
}

void ni_cholesky_solve(const double *l, uint32_t n, double *x)
{
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (blasint)n, l, (blasint)n, x, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (blasint)n, l, (blasint)n, x, 1);
}
