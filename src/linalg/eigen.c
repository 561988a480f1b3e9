/* Thick-restart block Lanczos, as eigen.h describes it. V, X, Y and the small matrices belong to the call
 * and are freed on return. Products of tall matrices are tasks over fixed chunks of rows, summed in the
 * order of the chunks; Rayleigh-Ritz and the operator run on the calling thread. */
#include "linalg/eigen.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { CHUNKS_MOST = 64, CHUNK_LEAST = 256 }; /* rows are dealt out in chunks, whatever the threads */
enum { SLAB = 128 };                          /* rows that are transformed at a time               */
enum { ROUNDS_MOST = 8 };                     /* of orthonormalisation; two are usual              */
enum { DRAWS = 16 };                          /* first epoch of NI_STREAM_SPECTRAL that is ours    */

#define NOT_SYMMETRIC                                                                                      \
    "a matrix whose eigenvectors are wanted is not symmetric, or its products are too inexact"

static const double FLOOR = 1e-12;       /* residuals over the largest eigenvalue that are rounding      */
static const double ORTHONORMAL = 1e-12; /* entries of |X'X - I|                                       */
static const double DEPENDENT = 1e-14;   /* eigenvalues of a Gram matrix below this are rounding       */

typedef struct lanczos {
    ni_eigen p; /* with all choices made */
    ni_threads *threads;
    uint32_t chunk;     /* rows */
    uint32_t size;      /* vectors in the basis                                                */
    uint32_t width;     /* columns of X and Y                                                  */
    uint32_t next_test; /* size from which on Rayleigh-Ritz is worth it                        */
    uint64_t draws;     /* random columns so far                                               */
    bool checks;        /* an answer needs a check, see eigen.h                                */
    double checked;     /* the sum of the k values that are being checked; -infinity: none yet */
    double *V;          /* n x basis                                                           */
    double *X, *Y;      /* n x block: the next block, orthonormal, V'X = 0; A X - V V'A X       */
    double *H;          /* basis x basis: V'A V, lower triangle                                */
    double *small;      /* basis x basis: a copy of H to be destroyed                          */
    double *vector;     /* basis x basis: row j has the coefficients of Ritz vector j          */
    double *value;      /* basis: Ritz values, descending                                      */
    double *work;       /* 5 basis                                                             */
    double *C;          /* basis x block: V'Y                                                  */
    double *R2;         /* block x block: R'R                                                  */
    double *gram, *fix; /* block x block: X'X; what makes X orthonormal                        */
    double *part;       /* chunks x basis x block: sums over a chunk                           */
    double *slab;       /* threads x SLAB x basis                                              */
} lanczos;

/* ---- choices ---- */

static uint32_t least_of(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The basis has room to grow by a few blocks. One of half of all vectors would cost more than all of them:
 * then it is n, and A becomes a dense matrix. */
static void choose(ni_eigen *p)
{
    p->block = least_of(p->block ? p->block : 8, p->n);
    uint64_t basis = p->basis, least = p->k + 4 * (uint64_t)p->block + 16;
    if (!basis) basis = 3 * (uint64_t)p->k + 2 * p->block + 64;
    if (!p->basis && p->n <= 2 * basis) basis = p->n;
    p->basis = least_of(basis < least ? least : basis, p->n);
    if (!(p->tolerance > 0)) p->tolerance = 1e-8;
    if (!p->passes) p->passes = 1000;
}

static bool all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Squares must stay in the range of a double, or residuals would be 0 that are none. */
static neap_status check_range(const double *C, size_t count, neap_error *err)
{
    double most = 0;
    bool finite = all_finite(C, count);
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(C[i]));
    if (finite && (most == 0 || (most > 1e-100 && most < 1e100))) return NEAP_OK;
    return ni_fail(err, NEAP_E_NUMERIC,
                   "a matrix whose eigenvectors are wanted is not finite or out of range");
}

/* ---- a dense matrix ---- */

/* a (n x n) = A I, a few columns at a time. */
static void write_down(const ni_eigen *p, double *a, double *X, double *Y)
{
    size_t n = p->n;
    for (size_t first = 0; first < n; first += p->block) {
        uint32_t columns = least_of(p->block, n - first);
        memset(X, 0, n * columns * sizeof *X);
        for (size_t j = 0; j < columns; j++) X[(first + j) * columns + j] = 1;
        p->apply(p->user, X, columns, Y);
        for (size_t i = 0; i < n; i++) memcpy(a + i * n + first, Y + i * columns, columns * sizeof *a);
    }
}

static neap_status check_symmetry(const double *a, size_t n, double tolerance, neap_error *err)
{
    double most = 0, apart = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            most = fmax(most, fabs(a[i * n + j]));
            apart = fmax(apart, fabs(a[i * n + j] - a[j * n + i]));
        }
    return apart <= tolerance * most ? NEAP_OK : ni_fail(err, NEAP_E_NUMERIC, NOT_SYMMETRIC);
}

static neap_status solve_dense(const ni_eigen *p, double *value, double *vector, neap_error *err)
{
    size_t n = p->n, one = sizeof(double);
    double *a = ni_array(n, n * one), *all = ni_array(n, n * one), *X = ni_array(n, p->block * one),
           *Y = ni_array(n, p->block * one), *work = ni_array(n, 4 * one);
    neap_status rc = a && all && X && Y && work ? NEAP_OK : ni_fail_memory(err, "eigenvectors");
    if (rc != NEAP_OK) goto done;
    write_down(p, a, X, Y);
    rc = check_range(a, n * n, err);
    if (rc == NEAP_OK) rc = check_symmetry(a, n, p->tolerance, err);
    if (rc == NEAP_OK) rc = ni_symmetric_eigen(a, p->n, p->k, work, all, work + n, err);
    if (rc != NEAP_OK) goto done;
    memcpy(value, work, p->k * one);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p->k; j++) vector[i * p->k + j] = all[j * n + i];
done:
    ni_free(a);
    ni_free(all);
    ni_free(X);
    ni_free(Y);
    ni_free(work);
    return rc;
}

/* ---- memory ---- */

static neap_status set_up(lanczos *z, neap_error *err)
{
    size_t n = z->p.n, m = z->p.basis, b = z->p.block, one = sizeof(double);
    z->chunk = ni_tasks(n, CHUNKS_MOST) < CHUNK_LEAST ? CHUNK_LEAST : ni_tasks(n, CHUNKS_MOST);
    z->V = ni_array(n, m * one);
    z->X = ni_array(n, b * one);
    z->Y = ni_array(n, b * one);
    z->H = ni_zeros(m, m * one);
    z->small = ni_array(m, m * one);
    z->vector = ni_array(m, m * one);
    z->value = ni_array(m, one);
    z->work = ni_array(m, 5 * one);
    z->C = ni_array(m, b * one);
    z->R2 = ni_array(b, b * one);
    z->gram = ni_array(b, b * one);
    z->fix = ni_array(b, b * one);
    z->part = ni_array(ni_tasks(n, z->chunk), m * b * one);
    z->slab = ni_array(ni_threads_count(z->threads), SLAB * m * one);
    bool all = z->V && z->X && z->Y && z->H && z->small && z->vector && z->value && z->work && z->C &&
               z->R2 && z->gram && z->fix && z->part && z->slab;
    return all ? NEAP_OK : ni_fail_memory(err, "eigenvectors");
}

static void tear_down(lanczos *z)
{
    void *arrays[] = { z->V,    z->X, z->Y,  z->H,    z->small, z->vector, z->value,
                       z->work, z->C, z->R2, z->gram, z->fix,   z->part,   z->slab };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
}

/* ---- products of tall matrices: n rows, few columns ---- */

typedef struct tall {
    double *at;
    uint32_t columns;
    size_t stride;
} tall;

static tall basis_of(const lanczos *z)
{
    return (tall){ z->V, z->size, z->p.basis };
}

static tall block_of(const lanczos *z, double *X)
{
    return (tall){ X, z->width, z->width };
}

typedef struct product {
    lanczos *z;
    tall A, B, out;
    const double *C;
} product;

static size_t chunk_end(const lanczos *z, uint32_t chunk)
{
    return ni_task_end((uint64_t)chunk * z->chunk, z->chunk, z->p.n);
}

static void inner_task(void *arg, uint32_t chunk, uint32_t thread)
{
    const product *p = arg;
    size_t first = (size_t)chunk * p->z->chunk, cells = (size_t)p->A.columns * p->B.columns;
    (void)thread;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (blasint)p->A.columns, (blasint)p->B.columns,
                (blasint)(chunk_end(p->z, chunk) - first), 1, p->A.at + first * p->A.stride,
                (blasint)p->A.stride, p->B.at + first * p->B.stride, (blasint)p->B.stride, 0,
                p->z->part + chunk * cells, (blasint)p->B.columns);
}

/* out (columns of A x columns of B) = A'B: the sums over the chunks, added in their order. */
static void inner(lanczos *z, tall A, tall B, double *out)
{
    size_t cells = (size_t)A.columns * B.columns;
    uint32_t chunks = ni_tasks(z->p.n, z->chunk);
    ni_threads_run(z->threads, chunks, inner_task, &(product){ .z = z, .A = A, .B = B });
    memcpy(out, z->part, cells * sizeof *out);
    for (uint32_t c = 1; c < chunks; c++)
        for (size_t i = 0; i < cells; i++) out[i] += z->part[c * cells + i];
}

static void subtract_task(void *arg, uint32_t chunk, uint32_t thread)
{
    const product *p = arg;
    size_t first = (size_t)chunk * p->z->chunk;
    (void)thread;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)(chunk_end(p->z, chunk) - first),
                (blasint)p->B.columns, (blasint)p->A.columns, -1, p->A.at + first * p->A.stride,
                (blasint)p->A.stride, p->C, (blasint)p->B.columns, 1, p->B.at + first * p->B.stride,
                (blasint)p->B.stride);
}

/* C = V'B, B -= V C. */
static void project(lanczos *z, tall B)
{
    tall V = basis_of(z);
    if (!V.columns) return;
    inner(z, V, B, z->C);
    ni_threads_run(z->threads, ni_tasks(z->p.n, z->chunk), subtract_task,
                   &(product){ .z = z, .A = V, .B = B, .C = z->C });
}

static void transform_task(void *arg, uint32_t chunk, uint32_t thread)
{
    const product *p = arg;
    double *slab = p->z->slab + (size_t)thread * SLAB * p->z->p.basis;
    size_t end = chunk_end(p->z, chunk), columns = p->out.columns;
    for (size_t first = (size_t)chunk * p->z->chunk; first < end; first += SLAB) {
        size_t rows = end - first < SLAB ? end - first : SLAB;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)columns,
                    (blasint)p->A.columns, 1, p->A.at + first * p->A.stride, (blasint)p->A.stride, p->C,
                    (blasint)p->A.columns, 0, slab, (blasint)columns);
        for (size_t i = 0; i < rows; i++)
            memcpy(p->out.at + (first + i) * p->out.stride, slab + i * columns, columns * sizeof *slab);
    }
}

/* out = A C', C: columns of out x columns of A. out may be A. */
static void transform(lanczos *z, tall A, const double *C, tall out)
{
    ni_threads_run(z->threads, ni_tasks(z->p.n, z->chunk), transform_task,
                   &(product){ .z = z, .A = A, .C = C, .out = out });
}

/* The columns of `from` become the first ones of `to`. */
static void copy_columns(const lanczos *z, tall from, tall to)
{
    for (size_t i = 0; i < z->p.n; i++)
        memcpy(to.at + i * to.stride, from.at + i * from.stride, from.columns * sizeof *to.at);
}

/* ---- orthonormal blocks ---- */

static void draw_column(lanczos *z, uint32_t column)
{
    uint64_t epoch = DRAWS + z->draws++;
    for (size_t i = 0; i < z->p.n; i++) {
        ni_rng rng = ni_rng_at(z->p.seed, NI_STREAM_SPECTRAL, epoch, i);
        z->X[i * z->width + column] = 2 * ni_uniform(&rng) - 1;
    }
}

static bool is_identity(const double *a, uint32_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (!(fabs(a[i * n + j] - (i == j)) <= ORTHONORMAL)) return false;
    return true;
}

/* Columns of zeros are drawn anew; whether there were any. */
static bool replace_zeros(lanczos *z)
{
    bool any = false;
    for (uint32_t j = 0; j < z->width; j++)
        if (!(z->gram[(size_t)j * z->width + j] > 0)) draw_column(z, j), any = true;
    return any;
}

/* fix (w x w): its rows combine the columns of X to orthonormal ones (SVQB: Stathopoulos and Wu 2002). With
 * columns scaled to length 1, X'X = U S U', and row i is u_i / sqrt(s_i). A direction below the precision
 * of X'X stays short and is resolved in the next round. */
static neap_status find_fix(lanczos *z, neap_error *err)
{
    uint32_t w = z->width;
    double *length = z->work, *value = length + w;
    for (uint32_t i = 0; i < w; i++) length[i] = sqrt(z->gram[(size_t)i * w + i]);
    for (size_t i = 0; i < w; i++)
        for (size_t j = 0; j < w; j++) z->gram[i * w + j] /= length[i] * length[j];
    neap_status rc = ni_symmetric_eigen(z->gram, w, w, value, z->fix, value + w, err);
    for (size_t i = 0; i < w && rc == NEAP_OK; i++)
        for (size_t j = 0; j < w; j++) z->fix[i * w + j] /= length[j] * sqrt(fmax(value[i], DEPENDENT));
    return rc;
}

/* X becomes orthonormal and orthogonal to V. projected: the latter is true already, but for rounding. */
static neap_status orthonormalise(lanczos *z, bool projected, neap_error *err)
{
    tall X = block_of(z, z->X);
    neap_status rc = NEAP_OK;
    for (int round = 0; rc == NEAP_OK && round < ROUNDS_MOST; round++) {
        if (!projected) project(z, X);
        inner(z, X, X, z->gram);
        if (!projected && is_identity(z->gram, z->width)) return NEAP_OK;
        projected = false;
        if (replace_zeros(z)) continue;
        rc = find_fix(z, err);
        if (rc == NEAP_OK) transform(z, X, z->fix, X);
    }
    return rc != NEAP_OK ? rc
                         : ni_fail(err, NEAP_E_NUMERIC, "a block of vectors cannot be made orthonormal");
}

/* ---- a pass ---- */

/* X joins the basis: its rows and columns of H, and Y = A X - V H. */
static neap_status grow(lanczos *z, neap_error *err)
{
    size_t old = z->size, w = z->width, m = z->p.basis;
    tall Y = block_of(z, z->Y);
    z->p.apply(z->p.user, z->X, z->width, z->Y);
    copy_columns(z, block_of(z, z->X), (tall){ z->V + old, z->width, m });
    z->size += z->width;
    project(z, Y);
    neap_status rc = check_range(z->C, z->size * w, err);
    if (rc != NEAP_OK) return rc;
    for (size_t j = 0; j < w; j++) {
        double *row = z->H + (old + j) * m;
        for (size_t i = 0; i < old; i++) row[i] = z->C[i * w + j];
        for (size_t i = 0; i <= j; i++)
            row[old + i] = (z->C[(old + i) * w + j] + z->C[(old + j) * w + i]) / 2;
    }
    inner(z, Y, Y, z->R2);
    return NEAP_OK;
}

static bool is_full(const lanczos *z)
{
    return z->size + z->p.block > z->p.basis;
}

/* Ritz vectors that a restart keeps: more make later cycles short, fewer lose information. */
static uint32_t kept(const lanczos *z)
{
    return z->p.k + 2 * (z->p.basis - z->p.block - z->p.k) / 5;
}

/* Rayleigh-Ritz: the eigenpairs of H, as many vectors as may be wanted next. */
static neap_status solve_small(lanczos *z, neap_error *err)
{
    uint32_t m = z->size, vectors = 1 + (is_full(z) ? kept(z) : z->p.k);
    for (size_t i = 0; i < m; i++)
        memcpy(z->small + i * m, z->H + i * z->p.basis, (i + 1) * sizeof *z->small);
    z->next_test = m + m / 8 + 1;
    return ni_symmetric_eigen(z->small, m, least_of(vectors, m), z->value, z->vector, z->work, err);
}

/* |A v - t v| of Ritz pair j: |R y|, y the last entries of its coefficients. */
static double residual(const lanczos *z, uint32_t j)
{
    const double *y = z->vector + (size_t)j * z->size + z->size - z->width;
    double square = 0;
    for (size_t a = 0; a < z->width; a++)
        for (size_t b = 0; b < z->width; b++) square += y[a] * z->R2[a * z->width + b] * y[b];
    return sqrt(fmax(square, 0));
}

static double largest_value(const lanczos *z)
{
    return fmax(fabs(z->value[0]), fabs(z->value[z->size - 1]));
}

static double residual_limit(const lanczos *z, uint32_t j)
{
    return fmax(z->p.tolerance * fabs(z->value[j]), FLOOR * largest_value(z));
}

/* While an answer is checked, the next Ritz pair must have converged, too: to half of the digits, and
 * far enough to separate it from the k-th. Then there is hardly a better one that has not shown yet. */
static bool next_converged(const lanczos *z)
{
    uint32_t k = z->p.k;
    double rough = sqrt(z->p.tolerance), r = residual(z, k);
    if (r > rough * fmax(fabs(z->value[k]), rough * largest_value(z))) return false;
    return r <= fmax(residual_limit(z, k), z->value[k - 1] - z->value[k]);
}

static bool has_converged(const lanczos *z)
{
    for (uint32_t j = 0; j < z->p.k; j++)
        if (residual(z, j) > residual_limit(z, j)) return false;
    return isinf(z->checked) || next_converged(z);
}

/* The basis becomes its first Ritz vectors. */
static void shrink(lanczos *z, uint32_t vectors)
{
    tall V = basis_of(z);
    transform(z, V, z->vector, (tall){ z->V, vectors, V.stride });
    memset(z->H, 0, V.stride * V.stride * sizeof *z->H);
    for (size_t i = 0; i < vectors; i++) z->H[i * V.stride + i] = z->value[i];
    z->size = vectors;
    z->next_test = vectors + vectors / 8 + 1;
}

static neap_status next_block(lanczos *z, neap_error *err)
{
    if (is_full(z)) shrink(z, kept(z));
    copy_columns(z, block_of(z, z->Y), block_of(z, z->X));
    return orthonormalise(z, true, err);
}

/* The first block, or a random one that looks for what the basis has missed. */
static neap_status fresh_block(lanczos *z, uint32_t starts, neap_error *err)
{
    starts = least_of(starts, z->width);
    for (uint32_t j = starts; j < z->width; j++) draw_column(z, j);
    if (starts) copy_columns(z, (tall){ (double *)z->p.start, starts, z->p.starts }, block_of(z, z->X));
    return orthonormalise(z, false, err);
}

/* Whether a converged answer is final: it need not be checked, or the check has found nothing better. */
static bool is_final(lanczos *z)
{
    double sum = 0, before = z->checked;
    for (uint32_t j = 0; j < z->p.k; j++) sum += z->value[j];
    z->checked = sum;
    return !z->checks || sum - before <= residual_limit(z, z->p.k - 1);
}

static neap_status iterate(lanczos *z, neap_error *err)
{
    neap_status rc = fresh_block(z, z->p.start ? z->p.starts : 0, err);
    for (uint32_t pass = 0; rc == NEAP_OK && pass < z->p.passes; pass++) {
        bool converged = false;
        rc = grow(z, err);
        if (rc == NEAP_OK) rc = ni_threads_check(z->threads, err);
        if (rc == NEAP_OK && (z->size >= z->next_test || is_full(z))) {
            rc = solve_small(z, err);
            converged = rc == NEAP_OK && has_converged(z);
        }
        if (converged && is_final(z)) return NEAP_OK;
        if (converged) shrink(z, z->p.k);
        if (rc == NEAP_OK) rc = converged ? fresh_block(z, 0, err) : next_block(z, err);
    }
    return rc != NEAP_OK
               ? rc
               : ni_fail(err, NEAP_E_NUMERIC, "%u eigenvectors of %u rows have not converged in %u passes",
                         z->p.k, z->p.n, z->p.passes);
}

/* ---- the answer ---- */

/* The residuals once more, from products of their own: they show an operator that is not symmetric. */
static neap_status verify(lanczos *z, const double *vector, neap_error *err)
{
    enum { SLACK = 10 };
    size_t k = z->p.k;
    for (uint32_t first = 0; first < k; first += z->width) {
        z->width = least_of(z->p.block, k - first);
        copy_columns(z, (tall){ (double *)vector + first, z->width, k }, block_of(z, z->X));
        z->p.apply(z->p.user, z->X, z->width, z->Y);
        for (uint32_t j = 0; j < z->width; j++) {
            double square = 0, value = z->value[first + j];
            for (size_t i = j; i < (size_t)z->p.n * z->width; i += z->width)
                square += (z->Y[i] - value * z->X[i]) * (z->Y[i] - value * z->X[i]);
            if (!(sqrt(square) <= SLACK * residual_limit(z, first + j)))
                return ni_fail(err, NEAP_E_NUMERIC, NOT_SYMMETRIC);
        }
    }
    return NEAP_OK;
}

static neap_status solve_by_blocks(const ni_eigen *p, ni_threads *threads, double *value, double *vector,
                                   neap_error *err)
{
    lanczos z = { .p = *p, .threads = threads, .width = p->block, .next_test = p->k, .checked = -INFINITY };
    z.checks = p->block < p->k || p->start;
    neap_status rc = set_up(&z, err);
    if (rc == NEAP_OK) rc = iterate(&z, err);
    if (rc != NEAP_OK) goto done;
    transform(&z, basis_of(&z), z.vector, (tall){ vector, p->k, p->k });
    memcpy(value, z.value, p->k * sizeof *value);
    rc = verify(&z, vector, err);
done:
    tear_down(&z);
    return rc;
}

neap_status ni_eigen_largest(const ni_eigen *problem, ni_threads *threads, double *value, double *vector,
                             neap_error *err)
{
    ni_eigen p = *problem;
    if (p.k < 1 || p.k > p.n)
        return ni_fail(err, NEAP_E_ARG, "a matrix of %u rows has no %u eigenvectors", p.n, p.k);
    choose(&p);
    ni_blas_begin();
    neap_status rc = p.basis == p.n ? solve_dense(&p, value, vector, err)
                                    : solve_by_blocks(&p, threads, value, vector, err);
    ni_blas_end();
    return rc;
}
