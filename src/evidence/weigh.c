/* See weigh.h. */
#include "evidence/weigh.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

enum { NODES_PER_TASK = 1024 };

/* ---- a curve ---- */

/* The bin of a finite x, as ni_curve_bin has it, without a branch. */
static uint32_t bin_of(const float *edge, float x)
{
    uint32_t at = 0;
    for (uint32_t half = 32; half; half /= 2) at += half * (edge[at + half - 1] < x);
    return 1 + at;
}

static double curve_at(const ni_weigh_curve *c, float x)
{
    if (x == 0) return c->zero;
    if (!isfinite(x)) return (double)c->step[0];
    float g = c->offset < 0 ? x : logf(fmaxf(x, 0) + c->offset);
    return c->slope * (double)g + c->shift + (double)c->step[bin_of(c->edge, x)];
}

static void prepare_curve(const ni_additive *a, uint32_t j, ni_weigh_curve *c)
{
    const float *line = a->line + (size_t)j * NI_LINE, *edge = a->edge + (size_t)j * NI_CURVE_EDGES;
    double mean = (double)line[NI_LINE_MEAN];
    c->offset = line[NI_LINE_OFFSET];
    c->slope = (double)line[NI_LINE_SLOPE] / (double)line[NI_LINE_DEVIATION];
    c->shift = -c->slope * mean;
    for (uint32_t i = 0; i < NI_CURVE_STEPS; i++) c->edge[i] = i < NI_CURVE_EDGES ? edge[i] : FLT_MAX;
    memcpy(c->step, a->step + (size_t)j * NI_CURVE_STEPS, sizeof c->step);
    c->zero = (double)ni_curve_at(a, j, 0);
}

/* ---- node values ---- */

static const ni_weigh_curve *curve_of_end(const ni_weigher *w, uint32_t i, int second)
{
    return &w->curve[w->curves + 2 * i + (uint32_t)second];
}

static void parts_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_weigher *w = arg;
    uint64_t first = (uint64_t)task * NODES_PER_TASK;
    (void)thread;
    for (uint64_t u = first; u < ni_task_end(first, NODES_PER_TASK, w->globals->view->links.nodes); u++) {
        const float *value = w->globals->node + u * NI_NODE_VALUES;
        float *part = w->part + u * w->columns;
        double sum[2] = { 0 };
        for (uint32_t i = 0; i < w->ends; i++)
            for (int side = 0; side < 2; side++) {
                double f = curve_at(curve_of_end(w, i, side), value[w->end[i]]);
                if (w->globals->view->way) sum[side] += f;
                else part[2 * i + (uint32_t)side] = (float)f;
            }
        if (w->globals->view->way) part[0] = (float)sum[0], part[1] = (float)sum[1];
    }
}

/* The smaller of both values has the first curve. */
static double weigh_either_way(const ni_weigher *w, uint32_t s, uint32_t t)
{
    const float *of_s = w->globals->node + (size_t)s * NI_NODE_VALUES,
                *of_t = w->globals->node + (size_t)t * NI_NODE_VALUES;
    const float *part_s = w->part + (size_t)s * w->columns, *part_t = w->part + (size_t)t * w->columns;
    double sum = 0;
    for (uint32_t i = 0; i < w->ends; i++) {
        bool swap = of_s[w->end[i]] > of_t[w->end[i]];
        sum += (double)(swap ? part_t : part_s)[2 * i] + (double)(swap ? part_s : part_t)[2 * i + 1];
    }
    return sum;
}

/* ---- all of them ---- */

/* Sorts curves into those of node values, which have two curves each, and the others. */
static void sort_curves(ni_weigher *w, const ni_additive *a, const uint32_t *kind)
{
    uint32_t of[NI_KINDS];
    for (uint32_t j = 0; j < a->curves; j++) {
        if (ni_kind_infos[kind[j]].group == NI_GROUP_DEGREES) continue;
        w->kind[w->curves] = kind[j];
        of[w->curves++] = j;
    }
    for (uint32_t k = 0; k < w->curves; k++) prepare_curve(a, of[k], &w->curve[k]);
    for (uint32_t i = 0; i < NI_NODE_VALUES; i++) {
        for (uint32_t j = 0; j + 1 < a->curves; j++) {
            if (kind[j] != ni_node_kinds[i].first) continue;
            w->end[w->ends] = ni_node_kinds[i].of;
            prepare_curve(a, j, &w->curve[w->curves + 2 * w->ends]);
            prepare_curve(a, j + 1, &w->curve[w->curves + 2 * w->ends + 1]);
            w->ends++;
        }
    }
}

neap_status ni_weigher_create(ni_weigher *w, const ni_globals *globals, const ni_additive *curves,
                              const uint32_t *kind, ni_threads *threads, neap_error *err)
{
    uint32_t n = globals->view->links.nodes;
    *w = (ni_weigher){ .globals = globals, .start = curves->start };
    w->curve = ni_array(NI_KINDS, sizeof *w->curve);
    neap_status rc = w->curve ? NEAP_OK : ni_fail_memory(err, "a query");
    if (rc == NEAP_OK) {
        sort_curves(w, curves, kind);
        w->columns = globals->view->way ? 2 : 2 * w->ends;
        w->part = ni_array(n, w->columns * sizeof *w->part);
        if (!w->part) rc = ni_fail_memory(err, "a query");
    }
    if (rc == NEAP_OK) {
        ni_threads_run(threads, ni_tasks(n, NODES_PER_TASK), parts_task, w);
        rc = ni_threads_check(threads, err);
    }
    if (rc != NEAP_OK) ni_weigher_free(w);
    return rc;
}

void ni_weigher_free(ni_weigher *w)
{
    ni_free(w->curve);
    ni_free(w->part);
    *w = (ni_weigher){ 0 };
}

double ni_weigh(const ni_weigher *w, uint32_t s, uint32_t t, const float *value)
{
    double sum = w->start;
    if (w->globals->view->way) sum += (double)w->part[(size_t)s * 2] + (double)w->part[(size_t)t * 2 + 1];
    else sum += weigh_either_way(w, s, t);
    for (uint32_t k = 0; k < w->curves; k++) sum += curve_at(&w->curve[k], value[w->kind[k]]);
    return sum;
}
