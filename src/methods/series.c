/* Sums over walks of every length, katz and ppr: y = M e_u + M^2 e_u + ... for many sources u, where M is
 * the adjacency matrix times a number, or its rows' means times a number.
 *
 * By Horner's rule, y <- M (e_u + y), so two vectors are enough; a term costs one pass over the links.
 * All terms are positive: nothing cancels, and a small score is as exact as a large one, in floats. The
 * number of terms is fixed, so that a score depends neither on the other pairs of a call nor on the
 * threads. O(terms x links) per source, 2 n floats per source and thread. */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "methods/by_source.h"
#include "support/status.h"

typedef struct series {
    uint32_t terms; /* even                                               */
    double share;   /* factor of a walk per step                          */
    bool mean;      /* M = share D^-1 A, D the degrees; false: M = share A */
    /* The score of (source, target), y being the entry of the target. */
    double (*finish)(const ni_links *links, uint32_t source, uint32_t target, double y);
} series;

/* Eight sources at once: the links are read once for all of them, and eight floats are half a cache
 * line. Lanes are independent, so a source has the same bits alone and among seven others. */
enum { LANES = 8, RUN = 64, ROWS_PER_TASK = 2048 };

/* sum = the rows of y of node[0 .. count-1], added up. y is nodes x lanes. */
static inline void add_rows(const float *y, uint32_t lanes, const uint32_t *node, uint64_t count,
                            float *sum)
{
    float now[LANES] = { 0 };
    for (uint64_t i = 0; i < count; i++)
        for (uint32_t q = 0; q < lanes; q++) now[q] += y[(size_t)node[i] * lanes + q];
    for (uint32_t q = 0; q < lanes; q++) sum[q] = now[q];
}

/* The same for the many links of a hub, as sums of runs of 64, which keeps the rounding error small. */
static inline void add_runs(const float *y, uint32_t lanes, const uint32_t *node, uint64_t count,
                            float *sum)
{
    double total[LANES] = { 0 };
    for (uint64_t i = 0; i < count; i += RUN) {
        add_rows(y, lanes, node + i, count - i < RUN ? count - i : RUN, sum);
        for (uint32_t q = 0; q < lanes; q++) total[q] += sum[q];
    }
    for (uint32_t q = 0; q < lanes; q++) sum[q] = (float)total[q];
}

/* next = M y for the rows from .. to-1; y and next are nodes x lanes. Always called with a constant number
 * of lanes, so that the loops over them unroll. */
static inline void step(const ni_links *links, const series *s, uint32_t lanes, uint32_t from, uint32_t to,
                        const float *restrict y, float *restrict next)
{
    for (uint32_t v = from; v < to; v++) {
        float sum[LANES];
        uint64_t degree = ni_degree(links, v);
        float scale = (float)(s->mean && degree ? s->share / (double)degree : s->share);
        const uint32_t *node = links->node + links->offset[v];
        if (degree <= RUN) add_rows(y, lanes, node, degree, sum);
        else add_runs(y, lanes, node, degree, sum);
        for (uint32_t q = 0; q < lanes; q++) next[(size_t)v * lanes + q] = sum[q] * scale;
    }
}

/* ---- many sources: eight a thread ---- */

static void add_ones(float *y, const uint32_t *source, uint32_t count)
{
    for (uint32_t q = 0; q < count; q++) y[(size_t)source[q] * LANES + q] += 1;
}

/* The scratch is two vectors; an even number of steps ends in the first. */
static void sum_up(const ni_links *links, const void *rule, const uint32_t *source, uint32_t count,
                   void *scratch)
{
    const series *s = rule;
    size_t n = links->nodes;
    float *y = scratch, *other = y + n * LANES;
    memset(y, 0, n * LANES * sizeof *y);
    for (uint32_t l = 0; l < s->terms; l++) {
        add_ones(y, source, count);
        step(links, s, LANES, 0, links->nodes, y, other);
        float *swap = y;
        y = other;
        other = swap;
    }
}

static double look_up(const ni_links *links, const void *rule, uint32_t source, uint32_t lane,
                      uint32_t target, const void *scratch)
{
    const series *s = rule;
    const float *y = scratch;
    return s->finish(links, source, target, y[(size_t)target * LANES + lane]);
}

static neap_status score_some(neap_query *q, const series *s, const neap_pair *pairs, size_t count,
                              float *scores, neap_error *err)
{
    static const ni_by_source by = { LANES, 2 * LANES * sizeof(float), sum_up, look_up, NULL };
    return ni_by_source_score(q, &by, s, pairs, count, scores, err);
}

/* ---- one source: the rows are shared among the threads ---- */

typedef struct alone {
    const ni_links *links;
    const series *s;
    const float *y;
    float *next;
} alone;

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const alone *a = arg;
    uint32_t from = task * ROWS_PER_TASK, left = a->links->nodes - from;
    (void)thread;
    step(a->links, a->s, 1, from, from + (left < ROWS_PER_TASK ? left : ROWS_PER_TASK), a->y, a->next);
}

static neap_status score_series(neap_query *q, const series *s, uint32_t source, float *scores,
                                neap_error *err)
{
    uint32_t n = q->model->links.nodes, tasks = n / ROWS_PER_TASK + (n % ROWS_PER_TASK != 0);
    float *other = ni_array(n, sizeof *other), *y = scores;
    if (!other) return ni_fail_memory(err, "the scores of all nodes");
    memset(y, 0, n * sizeof *y);
    for (uint32_t l = 0; l < s->terms; l++) {
        float *next = y == scores ? other : scores;
        y[source] += 1;
        ni_threads_run(q->threads, tasks, rows_task, &(alone){ &q->model->links, s, y, next });
        y = next;
    }
    for (uint32_t t = 0; t < n; t++) scores[t] = (float)s->finish(&q->model->links, source, t, scores[t]);
    ni_free(other);
    return NEAP_OK;
}

/* ---- katz ----
 *
 * Katz: the entry of sum over l >= 1 of (beta A)^l, beta = 0.5 / lambda_max: walks of every length, each
 * step worth beta. The terms shrink by half, at last, so forty leave less than a float can hold. */
enum { TERMS = 40, STEPS_MOST = 5000 };

typedef struct power {
    const ni_links *links;
    const double *x;
    double *next;
} power;

static void power_task(void *arg, uint32_t task, uint32_t thread)
{
    const power *p = arg;
    const ni_links *links = p->links;
    uint32_t from = task * ROWS_PER_TASK, left = links->nodes - from;
    (void)thread;
    for (uint32_t v = from; v < from + (left < ROWS_PER_TASK ? left : ROWS_PER_TASK); v++) {
        double sum = 0;
        for (uint64_t i = links->offset[v]; i < links->offset[v + 1]; i++) sum += p->x[links->node[i]];
        p->next[v] = sum;
    }
}

/* x = next / |next|; returns |next|. */
static double normalise(const double *next, double *x, uint32_t n)
{
    double squares = 0;
    for (uint32_t v = 0; v < n; v++) squares += next[v] * next[v];
    double length = sqrt(squares), share = length > 0 ? 1 / length : 0;
    for (uint32_t v = 0; v < n; v++) x[v] = next[v] * share;
    return length;
}

/* Power iteration from the vector of ones, which is not orthogonal to the leading vector of any
 * component. |A x| for a unit x rises towards lambda_max, also where -lambda_max is an eigenvalue as well
 * (a bipartite graph). A gain below 1e-11 leaves an error below 1e-7, unless another eigenvalue is closer
 * than 1e-4. */
static double iterate(const neap_query *q, double *x, double *next)
{
    const ni_links *links = &q->model->links;
    uint32_t n = links->nodes, tasks = n / ROWS_PER_TASK + (n % ROWS_PER_TASK != 0);
    double lambda = 0, before = -1;
    for (uint32_t v = 0; v < n; v++) x[v] = 1 / sqrt(n);
    for (int i = 0; i < STEPS_MOST && lambda - before > 1e-11 * lambda; i++) {
        before = lambda;
        ni_threads_run(q->threads, tasks, power_task, &(power){ links, x, next });
        lambda = normalise(next, x, n);
    }
    return lambda;
}

static double as_it_is(const ni_links *links, uint32_t source, uint32_t target, double y)
{
    (void)links, (void)source, (void)target;
    return y;
}

/* The eigenvalue is computed once per query. */
static neap_status katz_open(neap_query *q, neap_error *err)
{
    uint32_t n = q->model->links.nodes;
    double *x = ni_array(n, sizeof *x), *next = ni_array(n, sizeof *next);
    series *s = ni_zeros(1, sizeof *s);
    q->own = s;
    bool ok = x && next && s;
    double lambda = ok ? iterate(q, x, next) : 0;
    if (ok) *s = (series){ TERMS, lambda > 0 ? 0.5 / lambda : 0, false, as_it_is };
    ni_free(x);
    ni_free(next);
    return ok ? NEAP_OK : ni_fail_memory(err, "the largest eigenvalue");
}

static void katz_close(neap_query *q)
{
    ni_free(q->own);
}

static neap_status katz_score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                              neap_error *err)
{
    return score_some(q, q->own, pairs, count, scores, err);
}

static neap_status katz_score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return score_series(q, q->own, source, scores, err);
}

const ni_method ni_method_katz = {
    .info = { .size = sizeof(neap_method_info),
              .name = "katz",
              .summary = "Katz: walks of every length, a longer one worth less",
              .details =
                  "The entry of the sum over l >= 1 of (beta A)^l, A the adjacency matrix and\n"
                  "beta = 0.5 / its largest eigenvalue, half of the largest value for which the sum\n"
                  "exists. Direction and weights of the edges do not count.\n"
                  "Katz, A new status index derived from sociometric analysis, 1953." },
    .train = ni_train_nothing,
    .open = katz_open,
    .close = katz_close,
    .score = katz_score,
    .score_all = katz_score_all,
};

/* ---- ppr ----
 *
 * Personalised PageRank in both directions: pi_u(v) + pi_v(u), where pi_u is the stationary distribution
 * of a walk that restarts at u with probability 0.15 before each step. A node without links
 * has pi_u = e_u.
 *     pi_v(u) = 0.15 sum over l >= 0 of 0.85^l P^l[v, u],     P = D^-1 A
 * Since D P^l is symmetric, k_u pi_u(v) = k_v pi_v(u): the series of u alone gives both directions, for
 * all targets at once. What 100 terms leave out is below 1e-7. */
#define RESTART 0.15

/* y: the sum over l >= 1; l = 0 adds to (u, u) only. */
static double both_ways(const ni_links *links, uint32_t source, uint32_t target, double y)
{
    double k_u = (double)ni_degree(links, source), k_v = (double)ni_degree(links, target);
    if (source == target) return k_u > 0 ? 2 * RESTART * (1 + y) : 2;
    return k_u > 0 ? RESTART * y * (1 + k_v / k_u) : 0;
}

static const series pagerank = { 100, 1 - RESTART, true, both_ways };

static neap_status ppr_score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    return score_some(q, &pagerank, pairs, count, scores, err);
}

static neap_status ppr_score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return score_series(q, &pagerank, source, scores, err);
}

const ni_method ni_method_ppr = {
    .info = { .size = sizeof(neap_method_info),
              .name = "ppr",
              .summary = "personalised PageRank: where random walks from one meet the other",
              .details =
                  "The probability that a random walk from u, which restarts at u with probability\n"
                  "0.15 before each step, is at v, plus the same from v to u. Direction and weights\n"
                  "of the edges do not count.\n"
                  "Page and others, The PageRank citation ranking, 1999." },
    .train = ni_train_nothing,
    .score = ppr_score,
    .score_all = ppr_score_all,
};
