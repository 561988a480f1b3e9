/* Pairs from windows of walks, from edges, from ends of walks, from texts. Every draw is a function of
 * (seed, epoch, position), so any thread may make any position; memory is the scratch of a thread. */
#include "walks/sources.h"

#include <math.h>
#include <stdatomic.h>

#include "base/sys.h"
#include "support/status.h"

/* ---- windows: walks ---- */

/* Work space of a task: its walks, one after the other in positions of `length`. */
typedef struct desk {
    uint32_t *lengths, *walk;
    ni_rng *rng;
} desk;

enum { WALKS_PER_TASK = NI_ABREAST };

static desk desk_in(void *scratch)
{
    desk d = { .rng = scratch };
    d.lengths = (uint32_t *)(void *)(d.rng + WALKS_PER_TASK);
    d.walk = d.lengths + WALKS_PER_TASK;
    return d;
}

static size_t desk_bytes(const ni_windows *w)
{
    return WALKS_PER_TASK * (sizeof(ni_rng) + (1 + (size_t)w->length) * sizeof(uint32_t));
}

/* Every node once a round, in an order of its own. */
void ni_windows_walks(const ni_windows *w, uint64_t epoch, uint64_t first, uint32_t count, ni_rng *rng,
                      uint32_t *walk, uint32_t *lengths)
{
    uint32_t n = w->walker->nodes, start[NI_ABREAST];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = first + i, round = epoch * w->rounds + at / n;
        start[i] = (uint32_t)ni_permute(w->seed, NI_STREAM_START, round, n, at % n);
        rng[i] = ni_rng_at(w->seed, NI_STREAM_WALK, epoch, at);
    }
    ni_walk_many(w->walker, start, count, w->length, rng, walk, lengths);
}

/* Leaves out visits of frequent nodes; returns what is left of the walk. Scales count steps, so that
 * there a visit left out stays as NEAP_NONE. */
static uint32_t thin_out(const ni_windows *w, uint32_t *walk, uint32_t length, ni_rng *rng)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < length; i++) {
        bool stays = ni_uniform(rng) < (double)w->kept[walk[i]];
        if (stays || w->scales) walk[left++] = stays ? walk[i] : NEAP_NONE;
    }
    return left;
}

/* ---- windows: pairs ---- */

static ni_couple *look_around(const ni_windows *w, const uint32_t *walk, uint32_t length, ni_rng *rng,
                              ni_couple *out)
{
    for (uint32_t i = 0; i < length; i++) {
        uint32_t reach = 1 + (uint32_t)((ni_next(rng) >> 32) * w->window >> 32);
        uint32_t from = i > reach ? i - reach : 0, to = i + reach < length ? i + reach + 1 : length;
        for (uint32_t j = from; j < to; j++)
            if (j != i) *out++ = (ni_couple){ walk[j], walk[i] };
    }
    return out;
}

static ni_couple *look_ahead(const ni_windows *w, const uint32_t *walk, uint32_t length, ni_couple *out)
{
    for (uint32_t i = 0; i < length; i++)
        for (uint32_t k = 0; k < w->window && i + k + 1 < length; k++) {
            if (walk[i] == NEAP_NONE || walk[i + k + 1] == NEAP_NONE) continue;
            uint32_t here = walk[i] * w->window + k, there = walk[i + k + 1] * w->window + k;
            *out++ = (ni_couple){ here, there };
            *out++ = (ni_couple){ there, here };
        }
    return out;
}

static uint64_t make_windows(const ni_windows *w, uint64_t epoch, uint64_t first, uint32_t count,
                             void *scratch, ni_couple *out)
{
    desk d = desk_in(scratch);
    uint32_t walks = count / w->length;
    ni_couple *end = out;
    ni_windows_walks(w, epoch, first / w->length, walks, d.rng, d.walk, d.lengths);
    for (uint32_t i = 0; i < walks; i++) {
        uint32_t *walk = d.walk + i * w->length, length = d.lengths[i];
        if (w->kept) length = thin_out(w, walk, length, &d.rng[i]);
        end = w->scales ? look_ahead(w, walk, length, end) : look_around(w, walk, length, &d.rng[i], end);
    }
    return (uint64_t)(end - out);
}

ni_source ni_windows_source(const ni_windows *w)
{
    return (ni_source){ .kind = NI_FROM_WINDOWS,
                        .from.windows = w,
                        .positions = (uint64_t)w->walker->nodes * w->rounds * w->length,
                        .per_task = WALKS_PER_TASK * w->length,
                        .couples = 2 * w->window,
                        .scratch = desk_bytes(w) };
}

/* ---- windows: visits ---- */

typedef struct census {
    const ni_windows *windows;
    char *scratch; /* threads x desk_bytes */
    _Atomic uint64_t *visits;
} census;

static void count_task(void *arg, uint32_t task, uint32_t thread)
{
    const census *c = arg;
    const ni_windows *w = c->windows;
    desk d = desk_in(c->scratch + thread * desk_bytes(w));
    uint64_t first = (uint64_t)task * WALKS_PER_TASK, n = w->walker->nodes;
    uint32_t walks = (uint32_t)(ni_task_end(first, WALKS_PER_TASK, n) - first);
    uint64_t never = UINT32_MAX; /* an epoch that training does not reach */
    ni_windows_walks(w, never, first, walks, d.rng, d.walk, d.lengths);
    for (uint32_t i = 0; i < walks; i++)
        for (uint32_t k = 0; k < d.lengths[i]; k++)
            atomic_fetch_add_explicit(&c->visits[d.walk[i * w->length + k]], 1, memory_order_relaxed);
}

neap_status ni_windows_visits(const ni_windows *w, ni_threads *threads, uint64_t **visits, neap_error *err)
{
    uint32_t n = w->walker->nodes;
    census c = { w, ni_array(ni_threads_count(threads), desk_bytes(w)), ni_zeros(n, sizeof *c.visits) };
    *visits = c.scratch && c.visits ? ni_array(n, sizeof **visits) : NULL;
    if (*visits) {
        ni_threads_run(threads, ni_tasks(n, WALKS_PER_TASK), count_task, &c);
        for (uint32_t u = 0; u < n; u++) (*visits)[u] = c.visits[u];
    }
    ni_free(c.scratch);
    ni_free((void *)c.visits);
    return *visits ? ni_threads_check(threads, err) : ni_fail_memory(err, "counting visits");
}

neap_status ni_windows_thin(const uint64_t *visits, uint32_t nodes, double t, float **kept, neap_error *err)
{
    double all = 0;
    *kept = NULL;
    if (t == 0) return NEAP_OK;
    *kept = ni_array(nodes, sizeof **kept);
    if (!*kept) return ni_fail_memory(err, "thinning walks");
    for (uint32_t u = 0; u < nodes; u++) all += (double)visits[u];
    for (uint32_t u = 0; u < nodes; u++) {
        double f = (double)visits[u] / all / t;
        (*kept)[u] = f > 1 ? (float)((sqrt(f) + 1) / f) : 1;
    }
    return NEAP_OK;
}

/* ---- edges: by weight ---- */

static bool weigh_edges(ni_edges *e)
{
    const neap_graph *g = e->graph;
    if (!g->weight) return true;
    double *weight = ni_array(g->edges, sizeof *weight);
    uint32_t *scratch = ni_array(g->edges, sizeof *scratch);
    e->alias = ni_array(g->edges, sizeof *e->alias);
    bool ok = weight && scratch && e->alias;
    for (uint64_t i = 0; i < g->edges && ok; i++) weight[i] = (double)g->weight[i];
    if (ok) ni_alias_fill(e->alias, weight, (uint32_t)g->edges, scratch);
    ni_free(weight);
    ni_free(scratch);
    return ok;
}

neap_status ni_edges_create(ni_edges *e, neap_error *err)
{
    const neap_graph *g = e->graph;
    if (g->weight && g->edges > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT, "more than %u edges cannot be drawn by weight; --weights ignore",
                       UINT32_MAX);
    e->source = ni_array(g->edges, sizeof *e->source);
    if (!e->source || !weigh_edges(e)) return ni_fail_memory(err, "the edges by weight");
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) e->source[i] = u;
    return NEAP_OK;
}

void ni_edges_free(ni_edges *e)
{
    ni_free(e->source);
    ni_free(e->alias);
    e->source = NULL;
    e->alias = NULL;
}

/* ---- edges: pairs ---- */

static uint64_t draw_edge(const ni_edges *e, ni_rng *rng)
{
    if (e->alias) return ni_alias_draw(e->alias, (uint32_t)e->graph->edges, rng);
    return ni_below(rng, e->graph->edges);
}

static ni_couple couple(uint32_t from, uint32_t to, bool turn, uint32_t layers, uint32_t layer)
{
    uint32_t in = turn ? to : from, out = turn ? from : to;
    return (ni_couple){ in * layers + layer, out * layers + layer };
}

/* A loop gives no pair. */
static uint64_t make_edges(const ni_edges *e, uint64_t epoch, uint64_t first, uint32_t count,
                           ni_couple *out)
{
    uint32_t layers = (uint32_t)e->first + e->second;
    ni_couple *end = out;
    ni_rng rng = ni_rng_at(e->seed, NI_STREAM_EDGE, epoch, first);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t edge = draw_edge(e, &rng);
        uint32_t from = e->source[edge], to = e->graph->target[edge];
        bool turn = ni_next(&rng) >> 63;
        if (from == to) continue;
        if (e->first) *end++ = couple(from, to, turn, layers, 0);
        if (e->second) *end++ = couple(from, to, turn && !e->along, layers, layers - 1);
    }
    return (uint64_t)(end - out);
}

ni_source ni_edges_source(const ni_edges *e)
{
    return (ni_source){ .kind = NI_FROM_EDGES,
                        .from.edges = e,
                        .positions = e->graph->edges * NI_EDGE_SAMPLES,
                        .per_task = 512,
                        .couples = (uint32_t)e->first + e->second };
}

/* ---- edges: degrees ---- */

neap_status ni_edges_degrees(const ni_edges *e, uint64_t **degrees, neap_error *err)
{
    const neap_graph *g = e->graph;
    double *sum = ni_zeros(g->nodes, sizeof *sum), most = 0;
    *degrees = sum ? ni_array(g->nodes, sizeof **degrees) : NULL;
    for (uint64_t i = 0; i < g->edges && *degrees; i++) {
        double w = e->source[i] == g->target[i] ? 0 : g->weight ? (double)g->weight[i] : 1;
        sum[e->source[i]] += w;
        sum[g->target[i]] += w;
    }
    for (uint32_t u = 0; u < g->nodes && *degrees; u++) most = sum[u] > most ? sum[u] : most;
    for (uint32_t u = 0; u < g->nodes && *degrees; u++)
        (*degrees)[u] = (uint64_t)ceil(sum[u] / most * 0x1p40);
    ni_free(sum);
    return *degrees ? NEAP_OK : ni_fail_memory(err, "the degrees");
}

/* ---- ends of walks ---- */

enum { STEPS_MOST = 4096 }; /* with the least `restart`, more have a chance of 1e-18 */

/* Geometric: the number of steps before a stop, P(k) = (1 - restart)^k restart, by inversion. */
static uint32_t draw_steps(double restart, ni_rng *rng)
{
    double steps = floor(log1p(-ni_uniform(rng)) / log1p(-restart));
    return steps < STEPS_MOST ? (uint32_t)steps : STEPS_MOST;
}

/* Every node once a round, in an order of its own. */
static uint64_t make_ends(const ni_walk_ends *e, uint64_t epoch, uint64_t first, uint32_t count,
                          void *scratch, ni_couple *out)
{
    uint32_t n = e->walker->nodes, *walk = scratch;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t position = first + i, round = epoch * NI_END_SAMPLES + position / n;
        uint32_t start = (uint32_t)ni_permute(e->seed, NI_STREAM_START, round, n, position % n);
        ni_rng rng = ni_rng_at(e->seed, NI_STREAM_WALK, epoch, position);
        uint32_t length = ni_walk(e->walker, start, 1 + draw_steps(e->restart, &rng), &rng, walk);
        out[i] = (ni_couple){ start, walk[length - 1] };
    }
    return count;
}

ni_source ni_ends_source(const ni_walk_ends *e)
{
    return (ni_source){ .kind = NI_FROM_ENDS,
                        .from.ends = e,
                        .positions = (uint64_t)e->walker->nodes * NI_END_SAMPLES,
                        .per_task = 256,
                        .couples = 1,
                        .scratch = (1 + (size_t)STEPS_MOST) * sizeof(uint32_t) };
}

/* ---- words of texts ---- */

static uint64_t make_documents(const ni_documents *d, uint64_t epoch, uint64_t first, uint32_t count,
                               ni_couple *out)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = ni_permute(d->seed, NI_STREAM_WORD, epoch, d->count, first + i);
        out[i] = (ni_couple){ d->text[at], d->word[at] };
    }
    return count;
}

ni_source ni_documents_source(const ni_documents *d, uint32_t per_task)
{
    return (ni_source){ .kind = NI_FROM_DOCUMENTS,
                        .from.documents = d,
                        .positions = d->count,
                        .per_task = per_task,
                        .couples = 1 };
}

/* ---- any of them ---- */

uint64_t ni_source_make(const ni_source *s, uint64_t epoch, uint64_t first, uint32_t count, void *scratch,
                        ni_couple *out)
{
    switch (s->kind) {
    case NI_FROM_WINDOWS: return make_windows(s->from.windows, epoch, first, count, scratch, out);
    case NI_FROM_EDGES: return make_edges(s->from.edges, epoch, first, count, out);
    case NI_FROM_ENDS: return make_ends(s->from.ends, epoch, first, count, scratch, out);
    case NI_FROM_DOCUMENTS: return make_documents(s->from.documents, epoch, first, count, out);
    }
    return 0;
}
