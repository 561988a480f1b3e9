#include "walks/ends.h"

#include <math.h>

enum { STEPS_MOST = 4096 }; /* with the least `restart`, more have a chance of 1e-18 */

/* How often a coin says "go on" before it says "stop". */
static uint32_t draw_steps(double restart, ni_rng *rng)
{
    double steps = floor(log1p(-ni_uniform(rng)) / log1p(-restart));
    return steps < STEPS_MOST ? (uint32_t)steps : STEPS_MOST;
}

/* Every node once a round, in an order of its own. */
static uint64_t make(const void *self, uint64_t epoch, uint64_t first, uint32_t count, void *scratch,
                     ni_couple *out)
{
    const ni_ends *e = self;
    uint32_t n = e->walker->nodes, *walk = scratch;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t place = first + i, round = epoch * NI_END_SAMPLES + place / n;
        uint32_t start = (uint32_t)ni_permute(e->seed, NI_STREAM_START, round, n, place % n);
        ni_rng rng = ni_rng_at(e->seed, NI_STREAM_WALK, epoch, place);
        uint32_t length = ni_walk(e->walker, start, 1 + draw_steps(e->restart, &rng), &rng, walk);
        out[i] = (ni_couple){ start, walk[length - 1] };
    }
    return count;
}

ni_source ni_ends_source(const ni_ends *e)
{
    return (ni_source){ .self = e,
                        .places = (uint64_t)e->walker->nodes * NI_END_SAMPLES,
                        .per_task = 256,
                        .couples = 1,
                        .make = make,
                        .scratch = (1 + (size_t)STEPS_MOST) * sizeof(uint32_t) };
}
