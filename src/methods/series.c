#include "methods/series.h"

#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "methods/by_source.h"

/* Eight sources at once: the links are read once for all of them, and eight floats are half a cache line.
 * The lanes never meet, so a source has the same bits alone and among seven others. */
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

/* The same for the many links of a hub, where a float would soon be too large for what is added to it. */
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
static inline void step(const ni_links *links, const ni_series *s, uint32_t lanes, uint32_t from,
                        uint32_t to, const float *restrict y, float *restrict next)
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
    const ni_series *s = rule;
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
    const ni_series *s = rule;
    const float *y = scratch;
    return s->finish(links, source, target, y[(size_t)target * LANES + lane]);
}

neap_status ni_series_score(const neap_model *m, const ni_series *s, const neap_pair *pairs, size_t count,
                            float *scores, neap_error *err)
{
    static const ni_by_source by = { LANES, 2 * LANES * sizeof(float), sum_up, look_up, NULL };
    return ni_by_source_score(m, &by, s, pairs, count, scores, err);
}

/* ---- one source: the rows are shared among the threads ---- */

typedef struct alone {
    const ni_links *links;
    const ni_series *series;
    const float *y;
    float *next;
} alone;

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const alone *a = arg;
    uint32_t from = task * ROWS_PER_TASK, left = a->links->nodes - from;
    (void)thread;
    step(a->links, a->series, 1, from, from + (left < ROWS_PER_TASK ? left : ROWS_PER_TASK), a->y, a->next);
}

neap_status ni_series_score_all(const neap_model *m, const ni_series *s, uint32_t source, float *scores,
                                neap_error *err)
{
    uint32_t n = m->links.nodes, tasks = n / ROWS_PER_TASK + (n % ROWS_PER_TASK != 0);
    float *other = ni_array(n, sizeof *other), *y = scores;
    if (!other) return ni_fail_memory(err, "the scores of all nodes");
    memset(y, 0, n * sizeof *y);
    for (uint32_t l = 0; l < s->terms; l++) {
        float *next = y == scores ? other : scores;
        y[source] += 1;
        ni_threads_run(m->threads, tasks, rows_task, &(alone){ &m->links, s, y, next });
        y = next;
    }
    for (uint32_t t = 0; t < n; t++) scores[t] = (float)s->finish(&m->links, source, t, scores[t]);
    ni_free(other);
    return NEAP_OK;
}
