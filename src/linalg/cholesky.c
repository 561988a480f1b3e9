/* A = L L' by tiles, right-looking: dpotrf on the diagonal tile, dtrsm on the tiles below it, dgemm on
 * all that remain; see blas.h. Each round of tasks writes distinct tiles. A belongs to the caller,
 * nothing is allocated. */

#include <stdbool.h>

#include "linalg/blas.h"
#include "support/status.h"

enum { TILE = 256 };

/* LAPACK, which is inside OpenBLAS; Debian's has no header for it. gfortran's ABI has the length of the
 * word behind the last argument. */
void dpotrf_(const char *uplo, const blasint *n, double *a, const blasint *lda, blasint *info,
             size_t length);

typedef struct cholesky {
    double *a;
    size_t n;
    uint32_t tiles, step; /* step: the tile of the diagonal that has just become L */
} cholesky;

static cholesky tiles_of(double *a, uint32_t n)
{
    return (cholesky){ .a = a, .n = n, .tiles = (n - 1) / TILE + 1 };
}

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

/* The tiles below it: L_is = A_is L_ss'^-1. */
static void divide(void *arg, uint32_t task, uint32_t thread)
{
    const cholesky *c = arg;
    uint32_t i = c->step + 1 + task;
    (void)thread;
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rows_of(c, i), TILE, 1,
                tile_at(c, c->step, c->step), (blasint)c->n, tile_at(c, i, c->step), (blasint)c->n);
}

/* The tiles right of them, on and below the diagonal: A_ij -= L_is L_js'. Tasks number the tiles row by
 * row. */
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
    cholesky c = tiles_of(a, n);
    neap_status rc = NEAP_OK;
    ni_blas_begin();
    for (; c.step < c.tiles; c.step++) {
        uint32_t below = c.tiles - c.step - 1;
        rc = ni_threads_check(threads, err); /* after a stop there is no matrix to go on with */
        if (rc == NEAP_OK && factor(&c))
            rc = ni_fail(err, NEAP_E_NUMERIC, "a matrix is not positive definite");
        if (rc != NEAP_OK) break;
        ni_threads_run(threads, below, divide, &c);
        ni_threads_run(threads, below * (below + 1) / 2, subtract, &c);
    }
    ni_blas_end();
    return rc;
}

/* ---- solving ---- */

typedef struct solving {
    cholesky l;
    double *x; /* n x columns */
    blasint columns;
    bool back; /* with L', from the last tile up */
} solving;

static double *right_side(const solving *s, uint32_t tile)
{
    return s->x + (size_t)tile * TILE * (size_t)s->columns;
}

/* X_s = L_ss^-1 X_s, or L_ss'^-1 X_s. */
static void solve_tile(const solving *s)
{
    uint32_t at = s->l.step;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, s->back ? CblasTrans : CblasNoTrans, CblasNonUnit,
                rows_of(&s->l, at), s->columns, 1, tile_at(&s->l, at, at), (blasint)s->l.n,
                right_side(s, at), s->columns);
}

/* X_i -= L_is X_s for the tiles below, or L_si' X_s for those above. */
static void substitute(void *arg, uint32_t task, uint32_t thread)
{
    const solving *s = arg;
    uint32_t at = s->l.step, i = s->back ? task : at + 1 + task;
    (void)thread;
    cblas_dgemm(CblasRowMajor, s->back ? CblasTrans : CblasNoTrans, CblasNoTrans, rows_of(&s->l, i),
                s->columns, rows_of(&s->l, at), -1, s->back ? tile_at(&s->l, at, i) : tile_at(&s->l, i, at),
                (blasint)s->l.n, right_side(s, at), s->columns, 1, right_side(s, i), s->columns);
}

void ni_cholesky_solve(const double *l, uint32_t n, double *X, uint32_t columns, ni_threads *threads)
{
    solving s = { .l = tiles_of((double *)l, n), .x = X, .columns = (blasint)columns };
    ni_blas_begin();
    for (uint32_t t = 0; t < s.l.tiles; t++) {
        s.l.step = t;
        solve_tile(&s);
        ni_threads_run(threads, s.l.tiles - t - 1, substitute, &s);
    }
    s.back = true;
    for (uint32_t t = s.l.tiles; t-- > 0;) {
        s.l.step = t;
        solve_tile(&s);
        ni_threads_run(threads, t, substitute, &s);
    }
    ni_blas_end();
}
