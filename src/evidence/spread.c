/* The inner loop of walks and eigenvectors; see spread.h. */
#include "evidence/spread.h"

#include <math.h>

#include "linalg/kernels.h"

enum { ROWS_PER_TASK = 256 };

/* ---- all rows ---- */

typedef struct spread {
    const ni_view *view;
    uint32_t lanes;
    float alpha, beta;
    const float *y;
    float *next;
} spread;

/* The sum of y over the links of v, by weight. */
static float sum_one(const ni_links *l, uint32_t v, const float *y)
{
    float sum = 0;
    if (!l->weight)
        for (uint64_t i = l->offset[v]; i < l->offset[v + 1]; i++) sum += y[l->node[i]];
    else
        for (uint64_t i = l->offset[v]; i < l->offset[v + 1]; i++)
            sum = fmaf(l->weight[i], y[l->node[i]], sum);
    return sum;
}

/* The same of all lanes, into sum (lanes). */
static void sum_lanes(const spread *s, const ni_kernels *kernels, uint32_t v, float *sum)
{
    const ni_links *l = &s->view->links;
    uint64_t first = l->offset[v], end = l->offset[v + 1];
    kernels->sum_rows(l->node + first, l->weight ? l->weight + first : NULL, end - first,
                      l->offset[l->nodes] - end, s->y, s->lanes, sum);
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const spread *s = arg;
    const ni_kernels *kernels = ni_kernels_get();
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, s->view->links.nodes);
    (void)thread;
    for (uint32_t v = (uint32_t)first; v < end; v++) {
        float sum[NI_SPREAD_MOST], *next = s->next + (size_t)v * s->lanes;
        float strength = s->view->strength[v], scale = strength > 0 ? s->alpha / strength : 0;
        if (s->lanes == 1) sum[0] = sum_one(&s->view->links, v, s->y);
        else sum_lanes(s, kernels, v, sum);
        if (s->beta == 0)
            for (uint32_t q = 0; q < s->lanes; q++) next[q] = scale * sum[q];
        else
            for (uint32_t q = 0; q < s->lanes; q++) next[q] = scale * sum[q] + s->beta * next[q];
    }
}

void ni_spread(const ni_view *view, uint32_t lanes, float alpha, const float *y, float beta, float *next,
               ni_threads *threads)
{
    ni_threads_run(threads, ni_tasks(view->links.nodes, ROWS_PER_TASK), rows_task,
                   &(spread){ view, lanes, alpha, beta, y, next });
}

/* ---- few rows ---- */

/* The number of the lowest bit of a word that is not 0, which is taken away. */
static uint32_t take_lowest(uint64_t *word)
{
    uint32_t bit = (uint32_t)__builtin_ctzll(*word);
    *word &= *word - 1;
    return bit;
}

static void push_from(const ni_links *l, uint32_t x, float y, uint32_t lanes, float *next, uint64_t *to)
{
    for (uint64_t i = l->offset[x]; i < l->offset[x + 1]; i++) {
        uint32_t v = l->node[i];
        float *at = next + (size_t)v * lanes;
        *at = l->weight ? fmaf(l->weight[i], y, *at) : *at + y;
        to[v / 64] |= (uint64_t)1 << v % 64;
    }
}

uint64_t ni_push(const ni_view *view, uint32_t lanes, uint32_t lane, const float *y, const uint64_t *from,
                 float *next, uint64_t *to)
{
    const ni_links *l = &view->links;
    uint64_t links = 0;
    for (size_t w = 0; w < ni_set_words(l->nodes); w++)
        for (uint64_t word = from[w]; word;) {
            uint32_t x = (uint32_t)(w * 64) + take_lowest(&word);
            push_from(l, x, y[(size_t)x * lanes + lane], lanes, next + lane, to);
        }
    for (size_t w = 0; w < ni_set_words(l->nodes); w++)
        for (uint64_t word = to[w]; word;) {
            uint32_t v = (uint32_t)(w * 64) + take_lowest(&word);
            next[(size_t)v * lanes + lane] *= 1 / view->strength[v];
            links += ni_degree(l, v);
        }
    return links;
}
