/* Filter, orthonormalise, Rayleigh-Ritz; see eigenpairs.h. X is nodes x l, l whole panels. */
#include "evidence/eigenpairs.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "evidence/spread.h"
#include "linalg/eigen.h"
#include "linalg/tall.h"
#include "support/status.h"

enum { LANES = NI_SPREAD_LANES, MORE = 16, DEGREE = 6, ROUNDS = 2, ROWS_PER_TASK = 1024 };
static const double DEPENDENT = 1e-7; /* eigenvalues of X'X below this are rounding, |x| = 1 */

typedef struct spectral {
    const ni_view *view;
    ni_threads *threads;
    uint32_t n, l; /* nodes; columns of X */
    uint64_t seed;
    float cut;       /* c */
    float *X;        /* n x l */
    float *panel[2]; /* n x LANES: two consecutive polynomials of one panel, as D^-1/2 x */
    uint32_t column; /* of X, the first of the panel */
    double *gram;    /* l x l */
    double *vector;  /* l x l: rows are eigenvectors of gram */
    double *work;    /* 4 l */
    double *length;  /* l */
    float *C;        /* l x l: combines columns */
} spectral;

uint32_t ni_eigenpairs_of(uint32_t nodes, uint32_t d)
{
    uint32_t most = nodes > 80 ? nodes - 40 : nodes / 2;
    return d < most ? d : most ? most : 1;
}

static uint32_t columns_of(uint32_t d)
{
    return (d + MORE + LANES - 1) / LANES * LANES;
}

uint64_t ni_eigenpairs_bytes(uint32_t nodes, uint32_t d)
{
    uint64_t found = ni_eigenpairs_of(nodes, d), l = columns_of((uint32_t)found),
             more = found < d ? l : l - d;
    return (uint64_t)nodes * (more + 2 * LANES) * sizeof(float) +
           l * l * (2 * sizeof(double) + sizeof(float)) + ni_tall_bytes(nodes, (uint32_t)l);
}

/* ---- panels ---- */

typedef void (*rows_function)(const spectral *s, uint32_t first, uint32_t end);
typedef struct over_rows {
    const spectral *s;
    rows_function f;
} over_rows;

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const over_rows *o = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    (void)thread;
    o->f(o->s, (uint32_t)first, (uint32_t)ni_task_end(first, ROWS_PER_TASK, o->s->n));
}

static void by_rows(const spectral *s, rows_function f)
{
    ni_threads_run(s->threads, ni_tasks(s->n, ROWS_PER_TASK), rows_task, &(over_rows){ s, f });
}

static void draw_rows(const spectral *s, uint32_t first, uint32_t end)
{
    for (uint32_t u = first; u < end; u++) {
        ni_rng rng = ni_rng_at(s->seed, NI_STREAM_EIGEN, 0, u);
        float *row = s->X + (size_t)u * s->l;
        bool linked = ni_degree(&s->view->links, u) > 0;
        for (uint32_t j = 0; j < s->l; j++) row[j] = linked ? (float)(2 * ni_uniform(&rng) - 1) : 0;
    }
}

/* panel[0] = D^-1/2 X of the panel's columns. */
static void take_rows(const spectral *s, uint32_t first, uint32_t end)
{
    for (uint32_t u = first; u < end; u++) {
        float scale = s->view->strength[u] > 0 ? 1 / sqrtf(s->view->strength[u]) : 0;
        const float *row = s->X + (size_t)u * s->l + s->column;
        for (uint32_t q = 0; q < LANES; q++) s->panel[0][(size_t)u * LANES + q] = scale * row[q];
    }
}

/* Back: panel[0], which becomes D^1/2 panel[0], is those columns of X. */
static void scale_rows(const spectral *s, uint32_t first, uint32_t end)
{
    for (uint32_t u = first; u < end; u++) {
        float scale = sqrtf(s->view->strength[u]);
        for (uint32_t q = 0; q < LANES; q++) s->panel[0][(size_t)u * LANES + q] *= scale;
    }
}

static void put_rows(const spectral *s, uint32_t first, uint32_t end)
{
    scale_rows(s, first, end);
    for (uint32_t u = first; u < end; u++)
        memcpy(s->X + (size_t)u * s->l + s->column, s->panel[0] + (size_t)u * LANES, LANES * sizeof *s->X);
}

static void swap_panels(spectral *s, uint32_t i, uint32_t j)
{
    float *swap = s->panel[i];
    s->panel[i] = s->panel[j];
    s->panel[j] = swap;
}

/* T_k+1(x) = 2 x T_k(x) - T_k-1(x), x = W / c. With u = D^-1/2 x, the product D^-1/2 W x is D^-1 A u. */
static void filter_panel(spectral *s)
{
    by_rows(s, take_rows);
    ni_spread(s->view, LANES, 1 / s->cut, s->panel[0], 0, s->panel[1], s->threads);
    for (uint32_t k = 1; k < DEGREE; k++) {
        ni_spread(s->view, LANES, 2 / s->cut, s->panel[1], -1, s->panel[0], s->threads);
        swap_panels(s, 0, 1);
    }
    swap_panels(s, 0, 1);
    by_rows(s, put_rows);
}

/* ---- orthonormal columns ---- */

/* X = X C', row i of C being u_i / sqrt(s_i) for X'X = U S U' with columns of length 1 (SVQB: Stathopoulos
 * and Wu 2002). A direction below the precision of X'X stays short, and is resolved by another round. */
static neap_status orthonormalise(spectral *s, neap_error *err)
{
    size_t l = s->l;
    neap_status rc = ni_tall_gram(s->X, s->n, s->l, s->threads, s->gram, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < l; i++) s->length[i] = s->gram[i * l + i] > 0 ? 1 / sqrt(s->gram[i * l + i]) : 0;
    for (size_t i = 0; i < l * l; i++) s->gram[i] *= s->length[i / l] * s->length[i % l];
    rc = ni_symmetric_eigen(s->gram, s->l, s->l, s->work, s->vector, s->work + l, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < l * l; i++)
        s->C[i] = (float)(s->vector[i] * s->length[i % l] / sqrt(fmax(s->work[i / l], DEPENDENT)));
    return ni_tall_turn(s->X, s->n, s->l, s->C, s->l, s->threads, err);
}

static neap_status iterate(spectral *s, neap_error *err)
{
    neap_status rc = NEAP_OK;
    by_rows(s, draw_rows);
    for (uint32_t round = 0; rc == NEAP_OK && round < ROUNDS; round++) {
        for (s->column = 0; s->column < s->l; s->column += LANES) filter_panel(s);
        rc = orthonormalise(s, err);
        if (rc == NEAP_OK) rc = orthonormalise(s, err);
    }
    return rc;
}

/* ---- Rayleigh-Ritz ---- */

/* gram = X'W X, its columns a panel at a time. part: l x LANES. */
static neap_status project(spectral *s, double *part, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (s->column = 0; rc == NEAP_OK && s->column < s->l; s->column += LANES) {
        by_rows(s, take_rows);
        ni_spread(s->view, LANES, 1, s->panel[0], 0, s->panel[1], s->threads);
        swap_panels(s, 0, 1);
        by_rows(s, scale_rows);
        rc = ni_tall_cross(s->X, s->l, s->panel[0], LANES, s->n, s->threads, part, err);
        for (size_t i = 0; rc == NEAP_OK && i < (size_t)s->l * LANES; i++)
            s->gram[i / LANES * s->l + s->column + i % LANES] = part[i];
    }
    return rc;
}

/* order: l, the eigenvalues by their absolute value. */
static void sort_values(const double *value, uint32_t l, uint32_t *order)
{
    for (uint32_t i = 0; i < l; i++) {
        uint32_t at = i;
        for (; at && fabs(value[order[at - 1]]) < fabs(value[i]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

static neap_status solve(spectral *s, uint32_t found, uint32_t *order, float *value, neap_error *err)
{
    uint32_t l = s->l;
    for (size_t i = 0; i < l; i++) /* rounding makes it slightly unsymmetric */
        for (size_t j = 0; j < i; j++) s->gram[i * l + j] = (s->gram[i * l + j] + s->gram[j * l + i]) / 2;
    neap_status rc = ni_symmetric_eigen(s->gram, l, l, s->work, s->vector, s->work + l, err);
    if (rc != NEAP_OK) return rc;
    sort_values(s->work, l, order);
    for (size_t i = 0; i < found; i++) {
        value[i] = (float)s->work[order[i]];
        for (size_t j = 0; j < l; j++) s->C[i * l + j] = (float)s->vector[(size_t)order[i] * l + j];
    }
    return NEAP_OK;
}

static void panels_free(spectral *s)
{
    for (uint32_t i = 0; i < 2; i++) {
        ni_free(s->panel[i]);
        s->panel[i] = NULL;
    }
}

/* X, whose rows are `found` numbers now, as rows of d. */
static neap_status hand_over(spectral *s, uint32_t found, uint32_t d, float **vector, neap_error *err)
{
    size_t n = s->n;
    if (found == d) {
        float *less = ni_resize(s->X, n, d * sizeof *less);
        if (!less) return ni_fail_memory(err, "eigenvectors");
        *vector = less;
        s->X = NULL;
        return NEAP_OK;
    }
    *vector = ni_zeros(n, d * sizeof **vector);
    for (size_t u = 0; *vector && u < n; u++)
        memcpy(*vector + u * d, s->X + u * found, found * sizeof **vector);
    return *vector ? NEAP_OK : ni_fail_memory(err, "eigenvectors");
}

static neap_status run(spectral *s, uint32_t d, float *value, float **vector, neap_error *err)
{
    uint32_t found = ni_eigenpairs_of(s->n, d);
    double *part = ni_array(s->l, LANES * sizeof *part);
    uint32_t *order = ni_array(s->l, sizeof *order);
    neap_status rc = part && order ? iterate(s, err) : ni_fail_memory(err, "eigenvectors");
    if (rc == NEAP_OK) rc = project(s, part, err);
    if (rc == NEAP_OK) rc = solve(s, found, order, value, err);
    panels_free(s);
    if (rc == NEAP_OK) rc = ni_tall_turn(s->X, s->n, s->l, s->C, found, s->threads, err);
    if (rc == NEAP_OK) rc = hand_over(s, found, d, vector, err);
    ni_free(part);
    ni_free(order);
    return rc;
}

static float cut_of(const ni_view *view)
{
    double mean = (double)ni_view_arcs(view) / fmax(1, (double)view->links.nodes);
    return (float)fmin(0.6, 2 / sqrt(fmax(mean, 1)));
}

neap_status ni_eigenpairs(const ni_view *view, uint32_t d, uint64_t seed, ni_threads *threads, float *value,
                          float **vector, neap_error *err)
{
    spectral s = { .view = view,
                   .threads = threads,
                   .n = view->links.nodes,
                   .l = columns_of(ni_eigenpairs_of(view->links.nodes, d)),
                   .seed = seed };
    size_t l = s.l;
    memset(value, 0, d * sizeof *value);
    *vector = NULL;
    s.cut = cut_of(view);
    s.X = ni_array(s.n, l * sizeof *s.X);
    for (uint32_t i = 0; i < 2; i++) s.panel[i] = ni_array(s.n, LANES * sizeof *s.panel[i]);
    s.gram = ni_array(l, l * sizeof *s.gram);
    s.vector = ni_array(l, l * sizeof *s.vector);
    s.work = ni_array(l, 4 * sizeof *s.work);
    s.length = ni_array(l, sizeof *s.length);
    s.C = ni_array(l, l * sizeof *s.C);
    bool all = s.X && s.panel[0] && s.panel[1] && s.gram && s.vector && s.work && s.length && s.C;
    neap_status rc = all ? run(&s, d, value, vector, err) : ni_fail_memory(err, "eigenvectors");
    panels_free(&s);
    void *arrays[] = { s.X, s.gram, s.vector, s.work, s.length, s.C };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
    return rc;
}
