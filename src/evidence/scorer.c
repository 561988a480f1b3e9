/* See scorer.h. */
#include "evidence/scorer.h"

#include <stdlib.h>

#include "base/sys.h"
#include "support/status.h"

enum { PAIRS_PER_TASK = 16, TARGETS_PER_TASK = 512 };

neap_status ni_scorer_create(ni_scorer *s, const ni_globals *globals, const ni_additive *curves,
                             const uint32_t *kind, ni_threads *threads, neap_error *err)
{
    *s = (ni_scorer){ .globals = globals, .curves = curves, .kind = kind, .threads = threads };
    s->near = ni_zeros(ni_threads_count(threads), sizeof *s->near);
    neap_status rc = s->near ? NEAP_OK : ni_fail_memory(err, "a query");
    for (uint32_t i = 0; rc == NEAP_OK && i < ni_threads_count(threads); i++)
        rc = ni_near_create(globals, &s->near[i], err);
    if (rc != NEAP_OK) ni_scorer_free(s);
    return rc;
}

void ni_scorer_free(ni_scorer *s)
{
    for (uint32_t i = 0; s->near && i < ni_threads_count(s->threads); i++) ni_near_free(&s->near[i]);
    ni_free(s->near);
    ni_walks_free(&s->panel);
    ni_walks_free(&s->alone);
    ni_masked_free(&s->masked);
    *s = (ni_scorer){ 0 };
}

/* Walks that were not needed before. */
static neap_status make_walks(const ni_scorer *s, uint32_t lanes, ni_walks *w, neap_error *err)
{
    return w->globals ? NEAP_OK : ni_walks_create(s->globals, lanes, w, err);
}

static double weigh(const ni_scorer *s, const float *value)
{
    double sum = s->curves->start;
    for (uint32_t j = 0; j < s->curves->curves; j++)
        sum += (double)ni_curve_at(s->curves, j, value[s->kind[j]]);
    return sum;
}

static float score_one(const ni_scorer *s, const ni_walks *w, uint32_t lane, const ni_near *near,
                       uint32_t t)
{
    float value[NI_KINDS] = { 0 };
    ni_measure(w, lane, near, t, value);
    return (float)weigh(s, value);
}

/* The order of a pair's ends in which it is scored. Without directions (s, t) and (t, s) have the same
 * evidence, but sums in another order differ in their last bits: the end with more links comes first, which
 * more pairs have in common. */
static neap_pair in_order(const ni_scorer *s, neap_pair pair)
{
    const ni_view *v = s->globals->view;
    uint64_t a = ni_degree(&v->links, pair.source), b = ni_degree(&v->links, pair.target);
    bool stays = v->way || (a == b ? pair.source < pair.target : a > b);
    return stays ? pair : (neap_pair){ pair.target, pair.source };
}

/* ---- without links ---- */

/* The evidence about a pair in the whole graph, and then without its own link and these. */
static neap_status measure(ni_scorer *s, neap_pair asked, const neap_pair *links, uint32_t count,
                           float *value, neap_error *err)
{
    neap_pair pair = in_order(s, asked), gone[1 + NI_WITHOUT_MOST] = { pair };
    bool linked = ni_linked(&s->globals->view->links, pair.source, pair.target);
    for (uint32_t i = 0; i < count; i++) gone[1 + i] = links[i];
    neap_status rc = make_walks(s, 1, &s->alone, err);
    if (rc == NEAP_OK && !s->masked.globals) rc = ni_masked_create(&s->masked, s->globals, s->threads, err);
    if (rc != NEAP_OK) return rc;
    ni_walks_from(&s->alone, &pair.source, 1, s->threads);
    if (s->near->source != pair.source) ni_near_to(s->near, pair.source);
    ni_measure(&s->alone, 0, s->near, pair.target, value);
    if (!linked && !count) return ni_threads_check(s->threads, err);
    return ni_masked_measure(&s->masked, pair.source, pair.target, gone, 1 + count, value, err);
}

neap_status ni_scorer_measure(ni_scorer *s, neap_pair pair, float *value, double *score, neap_error *err)
{
    neap_status rc = measure(s, pair, NULL, 0, value, err);
    if (rc == NEAP_OK) *score = weigh(s, value);
    return rc;
}

neap_status ni_scorer_without(ni_scorer *s, neap_pair pair, const neap_pair *links, uint32_t count,
                              double *score, neap_error *err)
{
    float value[NI_KINDS] = { 0 };
    neap_status rc = measure(s, pair, links, count, value, err);
    if (rc == NEAP_OK) *score = weigh(s, value);
    return rc;
}

static neap_status score_links(ni_scorer *s, const neap_pair *pairs, size_t count, float *score,
                               neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) {
        float value[NI_KINDS] = { 0 };
        double sum = 0;
        if (!ni_linked(&s->globals->view->links, pairs[i].source, pairs[i].target)) continue;
        rc = ni_scorer_measure(s, pairs[i], value, &sum, err);
        score[i] = (float)sum;
    }
    return rc;
}

/* ---- pairs ---- */

typedef struct asked {
    uint32_t source, target;
    size_t at; /* in the caller's order */
} asked;

typedef struct panel {
    ni_scorer *s;
    const asked *pair;
    size_t first, end; /* pairs of this panel   */
    float *score;
} panel;

static int by_source(const void *a, const void *b)
{
    const asked *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return x->at < y->at ? -1 : 1;
}

/* Which lane has the walks of a source; they ascend. */
static uint32_t lane_of(const ni_walks *w, uint32_t source)
{
    uint32_t q = 0;
    while (w->source[q] != source) q++;
    return q;
}

static void pairs_task(void *arg, uint32_t task, uint32_t thread)
{
    const panel *p = arg;
    const ni_scorer *s = p->s;
    ni_near *near = &s->near[thread];
    size_t first = p->first + (size_t)task * PAIRS_PER_TASK;
    size_t end = (size_t)ni_task_end(first, PAIRS_PER_TASK, p->end);
    for (size_t i = first; i < end && ni_threads_go_on(s->threads, thread); i++) {
        const asked *a = &p->pair[i];
        if (near->source != a->source) ni_near_to(near, a->source);
        p->score[a->at] = score_one(s, &s->panel, lane_of(&s->panel, a->source), near, a->target);
    }
}

/* The pairs of the next sixteen sources; first: where they begin. */
static void score_panel(panel *p, size_t count)
{
    uint32_t source[NI_SPREAD_LANES], sources = 0;
    for (p->end = p->first; p->end < count; p->end++) {
        uint32_t s = p->pair[p->end].source;
        if (sources && source[sources - 1] == s) continue;
        if (sources == NI_SPREAD_LANES) break;
        source[sources++] = s;
    }
    ni_walks_from(&p->s->panel, source, sources, p->s->threads);
    ni_threads_run(p->s->threads, ni_tasks(p->end - p->first, PAIRS_PER_TASK), pairs_task, p);
    p->first = p->end;
}

neap_status ni_scorer_pairs(ni_scorer *s, const neap_pair *pairs, size_t count, float *score,
                            neap_error *err)
{
    asked *a = ni_array(count, sizeof *a);
    neap_status rc = a ? make_walks(s, NI_SPREAD_LANES, &s->panel, err) : ni_fail_memory(err, "scores");
    for (size_t i = 0; rc == NEAP_OK && i < count; i++) {
        neap_pair pair = in_order(s, pairs[i]);
        a[i] = (asked){ pair.source, pair.target, i };
    }
    if (rc == NEAP_OK) qsort(a, count, sizeof *a, by_source);
    panel p = { .s = s, .pair = a, .score = score };
    while (rc == NEAP_OK && p.first < count) {
        score_panel(&p, count);
        rc = ni_threads_check(s->threads, err);
    }
    ni_free(a);
    return rc == NEAP_OK ? score_links(s, pairs, count, score, err) : rc;
}

/* ---- one source, all targets ---- */

typedef struct all_targets {
    ni_scorer *s;
    uint32_t source;
    float *score;
} all_targets;

static void targets_task(void *arg, uint32_t task, uint32_t thread)
{
    const all_targets *a = arg;
    const ni_scorer *s = a->s;
    ni_near *near = &s->near[thread];
    uint64_t first = (uint64_t)task * TARGETS_PER_TASK;
    uint64_t end = ni_task_end(first, TARGETS_PER_TASK, s->globals->view->links.nodes);
    if (near->source != a->source) ni_near_to(near, a->source);
    for (uint32_t t = (uint32_t)first; t < end; t++) a->score[t] = score_one(s, &s->alone, 0, near, t);
}

neap_status ni_scorer_all(ni_scorer *s, uint32_t source, float *score, neap_error *err)
{
    neap_status rc = make_walks(s, 1, &s->alone, err);
    if (rc != NEAP_OK) return rc;
    ni_walks_from(&s->alone, &source, 1, s->threads);
    ni_threads_run(s->threads, ni_tasks(s->globals->view->links.nodes, TARGETS_PER_TASK), targets_task,
                   &(all_targets){ s, source, score });
    return ni_threads_check(s->threads, err);
}
