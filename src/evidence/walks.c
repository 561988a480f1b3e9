/* Walks from some sources to all nodes; see measure.h.
 *
 * A step either pushes what few nodes have along their links, lane by lane, or sums over all links for all
 * lanes at once; whichever is faster, the bits are the same (spread.h). */
#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "evidence/measure.h"
#include "support/status.h"

static const float RESTART = 0.15f;

uint32_t ni_walks_lanes(uint32_t nodes)
{
    return nodes <= 1 << 19 ? NI_SPREAD_MOST : NI_SPREAD_LANES;
}

neap_status ni_walks_create(const ni_globals *globals, uint32_t lanes, ni_walks *w, neap_error *err)
{
    uint32_t n = globals->view->links.nodes;
    bool ok = true;
    *w = (ni_walks){ .globals = globals, .lanes = lanes };
    for (uint32_t j = 1; j <= NI_WALK_STEPS; j++)
        ok &= (w->z[j] = ni_array(n, lanes * sizeof *w->z[j])) != NULL;
    for (int k = 0; k < 2; k++)
        ok &= (w->set[k] = ni_array(ni_set_words(n), lanes * sizeof *w->set[k])) != NULL;
    if (globals->attributes) {
        for (int k = 0; k < 2; k++)
            ok &= (w->united[k] = ni_array(n, lanes * sizeof *w->united[k])) != NULL;
        ok &= (w->reached = ni_array(n, lanes * sizeof *w->reached)) != NULL;
    }
    if (ok) return NEAP_OK;
    ni_walks_free(w);
    return ni_fail_memory(err, "walks");
}

void ni_walks_free(ni_walks *w)
{
    for (uint32_t j = 1; j <= NI_WALK_STEPS; j++) ni_free(w->z[j]);
    for (int k = 0; k < 2; k++) {
        ni_free(w->set[k]);
        ni_free(w->united[k]);
    }
    ni_free(w->reached);
    *w = (ni_walks){ 0 };
}

uint64_t ni_walks_bytes(uint32_t nodes, uint32_t lanes, bool known)
{
    return (uint64_t)nodes * lanes * (NI_WALK_STEPS + (known ? 3 : 0)) * sizeof(float) +
           2 * ni_set_words(nodes) * lanes * sizeof(uint64_t);
}

/* z_1(t) = weight of the link / (k_s k_t), into z, which is 0. */
static void first_step(const ni_walks *w, const ni_view *v, float *z)
{
    const ni_links *l = &v->links;
    for (uint32_t q = 0; q < w->count; q++) {
        uint32_t s = w->source[q];
        for (uint64_t i = l->offset[s]; i < l->offset[s + 1]; i++)
            z[(size_t)l->node[i] * w->lanes + q] =
                ni_view_weight(v, i) / (v->strength[s] * v->strength[l->node[i]]);
    }
}

typedef struct summing {
    const float *z;
    float share, *sum;
    size_t count;
} summing;

enum { SUMMED = 1 << 14 };

static void sum_task(void *arg, uint32_t task, uint32_t thread)
{
    const summing *s = arg;
    size_t first = (size_t)task * SUMMED, end = (size_t)ni_task_end(first, SUMMED, s->count);
    (void)thread;
    for (size_t i = first; i < end; i++) s->sum[i] += s->share * s->z[i];
}

enum { CLEARED = 1 << 16 };

typedef struct clearing {
    float *z;
    size_t count;
} clearing;

static void clear_task(void *arg, uint32_t task, uint32_t thread)
{
    const clearing *c = arg;
    size_t first = (size_t)task * CLEARED;
    (void)thread;
    memset(c->z + first, 0, ((size_t)ni_task_end(first, CLEARED, c->count) - first) * sizeof *c->z);
}

static void set_zero(const ni_walks *w, float *z, ni_threads *threads)
{
    size_t count = (size_t)w->globals->view->links.nodes * w->lanes;
    ni_threads_run(threads, ni_tasks(count, CLEARED), clear_task, &(clearing){ z, count });
}

/* ---- their first steps ---- */

typedef struct pushing {
    const ni_walks *w;
    uint32_t step;
    uint64_t links[NI_SPREAD_MOST]; /* of the nodes that each lane has reached */
} pushing;

static uint64_t *set_of(const ni_walks *w, uint32_t step, uint32_t lane)
{
    return w->set[step % 2] + lane * ni_set_words(w->globals->view->links.nodes);
}

/* The neighbours of the source are what the first step reaches. */
static void begin_task(void *arg, uint32_t q, uint32_t thread)
{
    pushing *p = arg;
    const ni_links *l = &p->w->globals->view->links;
    uint32_t s = p->w->source[q];
    uint64_t *set = set_of(p->w, 1, q);
    (void)thread;
    memset(set, 0, ni_set_words(l->nodes) * sizeof *set);
    p->links[q] = 0;
    for (uint64_t i = l->offset[s]; i < l->offset[s + 1]; i++) {
        set[l->node[i] / 64] |= (uint64_t)1 << l->node[i] % 64;
        p->links[q] += ni_degree(l, l->node[i]);
    }
}

static void push_task(void *arg, uint32_t q, uint32_t thread)
{
    pushing *p = arg;
    const ni_walks *w = p->w;
    uint64_t *to = set_of(w, p->step, q);
    (void)thread;
    memset(to, 0, ni_set_words(w->globals->view->links.nodes) * sizeof *to);
    p->links[q] = ni_push(w->globals->view, w->lanes, q, w->z[p->step - 1], set_of(w, p->step - 1, q),
                          w->z[p->step], to);
}

/* A link that is pushed along takes as long as so many that are summed in one lane; and a line of lanes no
 * longer than a few. Measured with both forced, on 1,000,000 nodes and on the bundled graph. */
static bool pushing_pays(const pushing *p)
{
    uint64_t links = 0, arcs = ni_view_arcs(p->w->globals->view);
    for (uint32_t q = 0; q < p->w->count; q++) links += p->links[q];
    return links * 6 <= arcs * (2 + p->w->lanes / 8);
}

/* ---- walks ---- */

static void walk(ni_walks *w, ni_threads *threads)
{
    pushing p = { .w = w };
    set_zero(w, w->z[1], threads);
    first_step(w, w->globals->view, w->z[1]);
    ni_threads_run(threads, w->count, begin_task, &p);
    for (p.step = 2; p.step <= NI_WALK_STEPS && pushing_pays(&p); p.step++) {
        set_zero(w, w->z[p.step], threads);
        ni_threads_run(threads, w->count, push_task, &p);
    }
    for (uint32_t j = p.step; j <= NI_WALK_STEPS; j++)
        ni_spread(w->globals->view, w->lanes, 1, w->z[j - 1], 0, w->z[j], threads);
}

/* ---- without a few links ----
 *
 * Only the rows of their ends are others: a step is made with all links, and these rows are made again. */

static float strength_without(const ni_view *v, uint32_t u, const ni_gone *gone)
{
    double sum = 0;
    for (uint64_t i = v->links.offset[u]; i < v->links.offset[u + 1]; i++)
        if (!ni_is_gone(gone, u, v->links.node[i])) sum += (double)ni_view_weight(v, i);
    return (float)sum;
}

/* z_1 of lane q: the ends of links that are gone have another strength. */
static void begin_without(const ni_walks *w, uint32_t q, const ni_gone *gone)
{
    const ni_view *v = w->globals->view;
    const ni_links *l = &v->links;
    uint32_t s = w->source[q];
    float ks = strength_without(v, s, gone);
    for (uint64_t i = l->offset[s]; i < l->offset[s + 1]; i++) {
        uint32_t t = l->node[i];
        bool other = false;
        for (uint32_t k = 0; k < gone->count; k++)
            other |= gone->link[k].source == t || gone->link[k].target == t;
        float kt = other ? strength_without(v, t, gone) : v->strength[t];
        w->z[1][(size_t)t * w->lanes + q] = ni_is_gone(gone, s, t) ? 0 : ni_view_weight(v, i) / (ks * kt);
    }
}

/* Row u of lane q, from what the step before has. */
static void correct_row(const ni_walks *w, uint32_t q, const ni_gone *gone, uint32_t u, uint32_t step)
{
    const ni_view *v = w->globals->view;
    const ni_links *l = &v->links;
    const float *y = w->z[step - 1] + q;
    float sum = 0, strength = strength_without(v, u, gone);
    for (uint64_t i = l->offset[u]; i < l->offset[u + 1]; i++) {
        float x = y[(size_t)l->node[i] * w->lanes];
        if (ni_is_gone(gone, u, l->node[i])) continue;
        sum = l->weight ? fmaf(l->weight[i], x, sum) : sum + x;
    }
    w->z[step][(size_t)u * w->lanes + q] = strength > 0 ? 1 / strength * sum : 0;
}

static void walk_without(ni_walks *w, const ni_gone *gone, ni_threads *threads)
{
    set_zero(w, w->z[1], threads);
    for (uint32_t q = 0; q < w->count; q++) begin_without(w, q, &gone[q]);
    for (uint32_t j = 2; j <= NI_WALK_STEPS; j++) {
        ni_spread(w->globals->view, w->lanes, 1, w->z[j - 1], 0, w->z[j], threads);
        for (uint32_t q = 0; q < w->count; q++)
            for (uint32_t k = 0; k < gone[q].count; k++) {
                correct_row(w, q, &gone[q], gone[q].link[k].source, j);
                correct_row(w, q, &gone[q], gone[q].link[k].target, j);
            }
    }
}

/* ---- text links ---- */

/* Of walks over text links the sum is enough. */
static void reach(ni_walks *w, ni_threads *threads)
{
    const ni_view *v = &w->globals->united;
    summing s = { .share = RESTART, .sum = w->reached, .count = (size_t)v->links.nodes * w->lanes };
    set_zero(w, w->reached, threads);
    set_zero(w, w->united[0], threads);
    first_step(w, v, w->united[0]);
    for (uint32_t j = 1;; j++) {
        s.share *= 1 - RESTART;
        s.z = w->united[0];
        ni_threads_run(threads, ni_tasks(s.count, SUMMED), sum_task, &s);
        if (j == NI_WALK_STEPS) return;
        ni_spread(v, w->lanes, 1, w->united[0], 0, w->united[1], threads);
        float *swap = w->united[0];
        w->united[0] = w->united[1];
        w->united[1] = swap;
    }
}

void ni_walks_from(ni_walks *w, const uint32_t *source, uint32_t count, ni_threads *threads)
{
    w->count = count;
    memcpy(w->source, source, count * sizeof *source);
    walk(w, threads);
    if (w->reached) reach(w, threads);
}

void ni_walks_without(ni_walks *w, const uint32_t *source, const ni_gone *gone, uint32_t count,
                      ni_threads *threads)
{
    w->count = count;
    memcpy(w->source, source, count * sizeof *source);
    walk_without(w, gone, threads);
    if (w->reached) reach(w, threads);
}

void ni_walks_ppr_row(const ni_walks *w, uint32_t target, float *ppr)
{
    for (uint32_t first = 0; first < w->lanes; first += NI_SPREAD_LANES) {
        size_t at = (size_t)target * w->lanes + first;
        float sum[NI_SPREAD_LANES] = { 0 };
        for (uint32_t j = NI_WALK_STEPS; j; j--)
            for (uint32_t q = 0; q < NI_SPREAD_LANES; q++)
                sum[q] = (1 - RESTART) * (sum[q] + w->z[j][at + q]);
        for (uint32_t q = 0; q < NI_SPREAD_LANES; q++) ppr[first + q] = RESTART * sum[q];
    }
}

float ni_walks_ppr(const ni_walks *w, uint32_t lane, uint32_t target)
{
    size_t at = (size_t)target * w->lanes + lane;
    float sum = 0;
    for (uint32_t j = NI_WALK_STEPS; j; j--) sum = (1 - RESTART) * (sum + w->z[j][at]);
    return RESTART * sum;
}
