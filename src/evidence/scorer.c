/* See scorer.h. */
#include "evidence/scorer.h"

#include <stdlib.h>

#include "base/sys.h"
#include "support/status.h"

enum { PAIRS_PER_TASK = 64, TARGETS_PER_TASK = 512 };

neap_status ni_scorer_create(ni_scorer *s, const ni_globals *globals, const ni_additive *curves,
                             const uint32_t *kind, ni_threads *threads, neap_error *err)
{
    *s = (ni_scorer){ .globals = globals, .curves = curves, .kind = kind, .threads = threads };
    s->near = ni_zeros(ni_threads_count(threads), sizeof *s->near);
    neap_status rc = s->near ? NEAP_OK : ni_fail_memory(err, "a query");
    for (uint32_t i = 0; rc == NEAP_OK && i < ni_threads_count(threads); i++)
        rc = ni_near_create(globals, &s->near[i], err);
    if (rc == NEAP_OK) rc = ni_weigher_create(&s->weigher, globals, curves, kind, threads, err);
    if (rc != NEAP_OK) ni_scorer_free(s);
    return rc;
}

void ni_scorer_free(ni_scorer *s)
{
    for (uint32_t i = 0; s->near && i < ni_threads_count(s->threads); i++) ni_near_free(&s->near[i]);
    ni_free(s->near);
    ni_weigher_free(&s->weigher);
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

/* The sum of the curves at any evidence. */
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
    ni_measure_pair(w, lane, near, t, value);
    return (float)ni_weigh(&s->weigher, near->source, t, value);
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

static neap_status make_masked(ni_scorer *s, neap_error *err)
{
    return s->masked.globals ? NEAP_OK : ni_masked_create(&s->masked, s->globals, err);
}

/* The evidence about a pair whose walks are in a lane of w. */
static void measure_lane(ni_scorer *s, const ni_walks *w, uint32_t lane, uint32_t target, float *value)
{
    if (s->near->source != w->source[lane]) ni_near_to(s->near, w->source[lane]);
    ni_measure(w, lane, s->near, target, value);
}

/* The same without the links that are gone. */
static neap_status measure_without(ni_scorer *s, const ni_walks *w, uint32_t lane, uint32_t target,
                                   const ni_gone *gone, float *value, neap_error *err)
{
    measure_lane(s, w, lane, target, value);
    return ni_masked_measure(&s->masked, w, lane, target, gone, value, err);
}

/* The evidence about a pair without its own link and these. */
static neap_status measure(ni_scorer *s, neap_pair asked, const neap_pair *links, uint32_t count,
                           float *value, neap_error *err)
{
    neap_pair pair = in_order(s, asked);
    ni_gone gone = { .count = 1 + count, .link = { pair } };
    bool linked = ni_linked(&s->globals->view->links, pair.source, pair.target);
    for (uint32_t i = 0; i < count; i++) gone.link[1 + i] = links[i];
    neap_status rc = make_walks(s, 1, &s->alone, err);
    if (rc == NEAP_OK) rc = make_masked(s, err);
    if (rc != NEAP_OK) return rc;
    if (linked || count) {
        ni_walks_without(&s->alone, &pair.source, &gone, 1, s->threads);
        rc = measure_without(s, &s->alone, 0, pair.target, &gone, value, err);
    } else {
        ni_walks_from(&s->alone, &pair.source, 1, s->threads);
        measure_lane(s, &s->alone, 0, pair.target, value);
    }
    return rc == NEAP_OK ? ni_threads_check(s->threads, err) : rc;
}

/* The same score that pairs have: by the curves' parts of both nodes, unless these are measured anew. */
neap_status ni_scorer_measure(ni_scorer *s, neap_pair asked, float *value, double *score, neap_error *err)
{
    neap_pair pair = in_order(s, asked);
    bool linked = ni_linked(&s->globals->view->links, pair.source, pair.target);
    neap_status rc = measure(s, asked, NULL, 0, value, err);
    if (rc == NEAP_OK)
        *score = linked ? weigh(s, value) : ni_weigh(&s->weigher, pair.source, pair.target, value);
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

/* Links, as many as there are lanes, each without itself. at: where they are among the pairs. */
static neap_status score_panel_of_links(ni_scorer *s, const neap_pair *pairs, const size_t *at,
                                        uint32_t count, float *score, neap_error *err)
{
    uint32_t source[NI_SPREAD_MOST];
    ni_gone gone[NI_SPREAD_MOST];
    for (uint32_t q = 0; q < count; q++) {
        gone[q] = (ni_gone){ .count = 1, .link = { in_order(s, pairs[at[q]]) } };
        source[q] = gone[q].link[0].source;
    }
    ni_walks_without(&s->panel, source, gone, count, s->threads);
    neap_status rc = make_masked(s, err);
    if (rc == NEAP_OK) rc = ni_threads_check(s->threads, err);
    for (uint32_t q = 0; q < count && rc == NEAP_OK; q++) {
        float value[NI_KINDS] = { 0 };
        rc = measure_without(s, &s->panel, q, gone[q].link[0].target, &gone[q], value, err);
        score[at[q]] = (float)weigh(s, value);
    }
    return rc;
}

static neap_status score_links(ni_scorer *s, const neap_pair *pairs, size_t count, float *score,
                               neap_error *err)
{
    size_t at[NI_SPREAD_MOST];
    uint32_t links = 0;
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) {
        if (ni_linked(&s->globals->view->links, pairs[i].source, pairs[i].target)) at[links++] = i;
        if (links < s->panel.lanes && i + 1 < count) continue;
        if (links) rc = score_panel_of_links(s, pairs, at, links, score, err);
        links = 0;
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

static bool is_sorted(const asked *pair, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (pair[i].source < pair[i - 1].source) return false;
    return true;
}

static void pairs_task(void *arg, uint32_t task, uint32_t thread)
{
    const panel *p = arg;
    const ni_scorer *s = p->s;
    ni_near *near = &s->near[thread];
    size_t first = p->first + (size_t)task * PAIRS_PER_TASK;
    size_t end = (size_t)ni_task_end(first, PAIRS_PER_TASK, p->end);
    uint32_t lane = 0;
    for (size_t i = first; i < end && ni_threads_go_on(s->threads, thread); i++) {
        const asked *a = &p->pair[i];
        if (near->source != a->source) ni_near_to(near, a->source);
        while (s->panel.source[lane] != a->source) lane++;
        p->score[a->at] = score_one(s, &s->panel, lane, near, a->target);
    }
}

/* The pairs of the next sources, as many as there are lanes; first: where they begin. */
static void score_panel(panel *p, size_t count)
{
    uint32_t source[NI_SPREAD_MOST], sources = 0;
    for (p->end = p->first; p->end < count; p->end++) {
        uint32_t s = p->pair[p->end].source;
        if (sources && source[sources - 1] == s) continue;
        if (sources == p->s->panel.lanes) break;
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
    uint32_t lanes = ni_walks_lanes(s->globals->view->links.nodes);
    neap_status rc = a ? make_walks(s, lanes, &s->panel, err) : ni_fail_memory(err, "scores");
    for (size_t i = 0; rc == NEAP_OK && i < count; i++) {
        neap_pair pair = in_order(s, pairs[i]);
        a[i] = (asked){ pair.source, pair.target, i };
    }
    if (rc == NEAP_OK && !is_sorted(a, count)) qsort(a, count, sizeof *a, by_source);
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
