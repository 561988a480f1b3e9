#include "walks/windows.h"

#include <math.h>
#include <stdatomic.h>

#include "base/status.h"
#include "base/sys.h"

/* ---- walks ---- */

/* Work space of a task: its walks, one after the other in places of `length`. */
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

/* Leaves out visits of frequent nodes; returns what is left of the walk. Scales count steps, so that there
 * a visit left out keeps its place, as NEAP_NONE. */
static uint32_t thin_out(const ni_windows *w, uint32_t *walk, uint32_t length, ni_rng *rng)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < length; i++) {
        bool stays = ni_uniform(rng) < (double)w->kept[walk[i]];
        if (stays || w->scales) walk[left++] = stays ? walk[i] : NEAP_NONE;
    }
    return left;
}

/* ---- pairs ---- */

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

static uint64_t make(const void *self, uint64_t epoch, uint64_t first, uint32_t count, void *scratch,
                     ni_couple *out)
{
    const ni_windows *w = self;
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
    return (ni_source){ .self = w,
                        .places = (uint64_t)w->walker->nodes * w->rounds * w->length,
                        .per_task = WALKS_PER_TASK * w->length,
                        .couples = 2 * w->window,
                        .make = make,
                        .scratch = desk_bytes(w) };
}

/* ---- visits ---- */

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
    return *visits ? NEAP_OK : ni_fail_memory(err, "counting visits");
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
