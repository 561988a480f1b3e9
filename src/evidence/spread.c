/* The inner loop of walks and eigenvectors; see spread.h. */
#include "evidence/spread.h"

enum { ROWS_PER_TASK = 1024, AHEAD = 16 };

typedef struct spread {
    const ni_view *view;
    uint32_t lanes;
    float alpha, beta;
    const float *y;
    float *next;
} spread;

/* sum (lanes) = the rows of y that the links of v lead to, by weight. `lanes` is a constant where this is
 * called, so that its loops unroll; rows lie anywhere, and are fetched ahead. */
static inline void add_rows(const ni_links *l, uint32_t v, uint32_t lanes, const float *y, float *sum)
{
    uint64_t first = l->offset[v], end = l->offset[v + 1];
    for (uint32_t q = 0; q < lanes; q++) sum[q] = 0;
    for (uint64_t i = first; i < end; i++) {
        const float *row = y + (size_t)l->node[i] * lanes;
        float w = l->weight ? l->weight[i] : 1;
        if (i + AHEAD < end) __builtin_prefetch(y + (size_t)l->node[i + AHEAD] * lanes);
        for (uint32_t q = 0; q < lanes; q++) sum[q] += w * row[q];
    }
}

static inline void spread_rows(const spread *s, uint32_t lanes, uint32_t first, uint32_t end)
{
    for (uint32_t v = first; v < end; v++) {
        float sum[NI_SPREAD_LANES], *next = s->next + (size_t)v * lanes;
        float strength = s->view->strength[v], scale = strength > 0 ? s->alpha / strength : 0;
        add_rows(&s->view->links, v, lanes, s->y, sum);
        if (s->beta == 0)
            for (uint32_t q = 0; q < lanes; q++) next[q] = scale * sum[q];
        else
            for (uint32_t q = 0; q < lanes; q++) next[q] = scale * sum[q] + s->beta * next[q];
    }
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const spread *s = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    uint32_t end = (uint32_t)ni_task_end(first, ROWS_PER_TASK, s->view->links.nodes);
    (void)thread;
    if (s->lanes == 1) spread_rows(s, 1, (uint32_t)first, end);
    else spread_rows(s, NI_SPREAD_LANES, (uint32_t)first, end);
}

void ni_spread(const ni_view *view, uint32_t lanes, float alpha, const float *y, float beta, float *next,
               ni_threads *threads)
{
    ni_threads_run(threads, ni_tasks(view->links.nodes, ROWS_PER_TASK), rows_task,
                   &(spread){ view, lanes, alpha, beta, y, next });
}
