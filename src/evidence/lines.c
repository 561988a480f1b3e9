/* Slopes and start of all curves by Newton's method.
 *
 * With z_i the scaled values of example i and a 1 behind them, b the slopes and the start, and s = Z b,
 *
 *     gradient = Z'r + ridge b
 *     Hessian  = sum of d_i z_i z_i' - sum over groups of m m' + ridge I,  m = sum of p_i z_i
 *
 * where r and d are derivatives of the loss by s, and p is what a group's softmax gives. The loss is
 * convex, and the ridge holds slopes that would grow for ever; the start has none. A step that gains
 * nothing is halved. O(count x curves^2) per step; a sum per range of groups, added in their order. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/fit.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { GROUPS_PER_TASK = 256, STEPS_MOST = 50, HALVINGS = 30 };

/* Sums of a range of groups; n = curves + 1, and rows are as long as `stride`, whole pairs. */
typedef struct sums {
    double loss;
    double *gradient; /* n     */
    double *hessian;  /* n x stride, lower triangle */
} sums;

typedef struct newton {
    const ni_fit_part *part;
    const ni_examples *e;
    const double *b; /* n              */
    uint32_t n, stride;
    sums *sums;
} newton;

/* row: z_i and 1. */
static void read_row(const newton *f, size_t i, double *row)
{
    const float *z = f->part->z + i * (f->n - 1);
    for (uint32_t j = 0; j + 1 < f->n; j++) row[j] = (double)z[j];
    row[f->n - 1] = 1;
    if (f->stride > f->n) row[f->n] = 0;
}

/* Two numbers that the compiler multiplies and adds at once. */
typedef double two __attribute__((vector_size(16), may_alias));

/* a += factor x x': the lower triangle, in whole pairs. */
static void add_square(const newton *f, double *a, const double *x, double factor)
{
    const two *pair = (const two *)x;
    for (uint32_t i = 0; i < f->n; i++) {
        two *row = (two *)(a + (size_t)i * f->stride), scaled = { factor * x[i], factor * x[i] };
        for (uint32_t j = 0; j <= i / 2; j++) row[j] += scaled * pair[j];
    }
}

/* rows: size x n; mean: n. */
static void add_group(const newton *f, uint32_t group, double *rows, double *mean, sums *s)
{
    double score[NI_GROUP_MOST] = { 0 }, r[NI_GROUP_MOST], d[NI_GROUP_MOST], p[NI_GROUP_MOST];
    uint32_t n = f->n, size = f->e->size;
    for (uint32_t i = 0; i < size; i++) {
        double *row = rows + (size_t)i * f->stride;
        read_row(f, (size_t)group * size + i, row);
        for (uint32_t j = 0; j < n; j++) score[i] += row[j] * f->b[j];
    }
    s->loss += ni_group_loss(f->e, group, score, r, d, p);
    memset(mean, 0, f->stride * sizeof *mean);
    for (uint32_t i = 0; i < size; i++) {
        const double *row = rows + (size_t)i * f->stride;
        for (uint32_t j = 0; j < n; j++) {
            s->gradient[j] += r[i] * row[j];
            mean[j] += p[i] * row[j];
        }
        add_square(f, s->hessian, row, d[i] + p[i] * p[i]); /* d has p - p^2, which m m' takes care of */
    }
    add_square(f, s->hessian, mean, -1);
}

static void groups_task(void *arg, uint32_t task, uint32_t thread)
{
    newton *f = arg;
    sums *s = &f->sums[task];
    size_t square = (size_t)f->n * f->stride;
    double *rows = s->hessian + square, *mean = rows + (size_t)f->e->size * f->stride;
    uint64_t first = (uint64_t)task * GROUPS_PER_TASK,
             end = ni_task_end(first, GROUPS_PER_TASK, f->e->groups);
    (void)thread;
    s->loss = 0;
    memset(s->gradient, 0, f->n * sizeof *s->gradient);
    memset(s->hessian, 0, square * sizeof *s->hessian);
    for (uint64_t g = first; g < end; g++)
        if (!ni_fit_holds(f->part, (uint32_t)g)) add_group(f, (uint32_t)g, rows, mean, s);
}

/* The sums of all groups at b, with the ridge, into the first part. */
static const sums *evaluate(newton *f, const double *b, double ridge, ni_threads *threads)
{
    uint32_t tasks = ni_tasks(f->e->groups, GROUPS_PER_TASK), n = f->n;
    sums *all = &f->sums[0];
    f->b = b;
    ni_threads_run(threads, tasks, groups_task, f);
    for (uint32_t t = 1; t < tasks; t++) {
        all->loss += f->sums[t].loss;
        for (uint32_t j = 0; j < n; j++) all->gradient[j] += f->sums[t].gradient[j];
        for (size_t j = 0; j < (size_t)n * f->stride; j++) all->hessian[j] += f->sums[t].hessian[j];
    }
    for (uint32_t j = 0; j + 1 < n; j++) {
        all->loss += ridge / 2 * b[j] * b[j];
        all->gradient[j] += ridge * b[j];
        all->hessian[(size_t)j * f->stride + j] += ridge;
    }
    return all;
}

/* Newton's step at the sums, into `step`; the Hessian is overwritten. */
static neap_status solve(const newton *f, const sums *s, double *step, ni_threads *threads, neap_error *err)
{
    uint32_t n = f->n;
    for (size_t j = 1; j < n; j++)
        memmove(s->hessian + j * n, s->hessian + j * f->stride, n * sizeof *step);
    s->hessian[(size_t)n * n - 1] += 1e-9; /* of the start, where no logistic loss holds it */
    for (uint32_t j = 0; j < n; j++) step[j] = -s->gradient[j];
    neap_status rc = ni_cholesky(s->hessian, n, threads, err);
    if (rc == NEAP_OK) ni_cholesky_solve(s->hessian, n, step, 1, threads);
    return rc;
}

/* b, step, tried: n each. Ends where a full step would gain less than 1e-12 of the loss. */
static neap_status descend(newton *f, double ridge, double *b, double *step, double *tried,
                           ni_threads *threads, neap_error *err)
{
    const sums *s = evaluate(f, b, ridge, threads);
    for (uint32_t k = 0; k < STEPS_MOST; k++) {
        double loss = s->loss, slope = 0, factor = 1;
        neap_status rc = ni_threads_check(threads, err);
        if (rc == NEAP_OK && !isfinite(loss)) rc = ni_fail(err, NEAP_E_NUMERIC, "the loss is not finite");
        if (rc == NEAP_OK) rc = solve(f, s, step, threads, err);
        if (rc != NEAP_OK) return rc;
        for (uint32_t j = 0; j < f->n; j++) slope += s->gradient[j] * step[j];
        if (-slope <= 1e-12 * fabs(loss)) return NEAP_OK;
        for (uint32_t h = 0; h < HALVINGS; h++, factor /= 2) {
            for (uint32_t j = 0; j < f->n; j++) tried[j] = b[j] + factor * step[j];
            s = evaluate(f, tried, ridge, threads);
            if (s->loss <= loss + 1e-4 * factor * slope) break;
        }
        if (!(s->loss < loss)) return NEAP_OK;
        memcpy(b, tried, f->n * sizeof *b);
    }
    return NEAP_OK;
}

neap_status ni_fit_lines(const ni_fit_part *part, ni_threads *threads, ni_additive *out, neap_error *err)
{
    const ni_examples *e = part->e;
    uint32_t n = e->evidence + 1, stride = n + n % 2, tasks = ni_tasks(e->groups, GROUPS_PER_TASK);
    size_t each = (size_t)stride * (n + e->size + 2); /* gradient, Hessian, rows of a group, their mean */
    double *room = ni_array(tasks, each * sizeof *room), *b = ni_zeros((size_t)3 * n, sizeof *b);
    newton f = { .part = part, .e = e, .n = n, .stride = stride, .sums = ni_array(tasks, sizeof *f.sums) };
    neap_status rc = room && b && f.sums ? NEAP_OK : ni_fail_memory(err, "the fit of the curves");
    for (uint32_t t = 0; rc == NEAP_OK && t < tasks; t++)
        f.sums[t] = (sums){ .gradient = room + t * each, .hessian = room + t * each + stride };
    if (rc == NEAP_OK) rc = descend(&f, part->rule->ridge, b, b + n, b + 2 * n, threads, err);
    for (uint32_t j = 0; rc == NEAP_OK && j < e->evidence; j++)
        out->line[(size_t)j * NI_LINE + NI_LINE_SLOPE] = (float)b[j];
    if (rc == NEAP_OK) out->start = (float)b[n - 1];
    ni_free(room);
    ni_free(b);
    ni_free(f.sums);
    return rc;
}
