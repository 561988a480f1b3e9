#include "walks/owners.h"

#include <math.h>

#include "linalg/kernels.h"

typedef struct round {
    const ni_owners *owners;
    uint64_t from, pulls;
    double rate;
} round_state;

enum { PERSONAS_A_TASK = 256 };

static uint64_t personas_in(const round_state *r)
{
    return r->pulls < r->owners->personas ? r->pulls : r->owners->personas;
}

static void pull(const ni_owners *o, uint32_t persona, uint64_t times, double rate)
{
    const ni_kernels *k = ni_kernels_get();
    float *x = o->vector + (uint64_t)persona * o->dim;
    const float *y = o->before + (uint64_t)o->owner[persona] * o->dim;
    for (uint64_t i = 0; i < times; i++) {
        double z = (double)k->dot(x, y, o->dim);
        k->axpy((float)(rate * o->lambda / (1 + exp(z))), y, x, o->dim); /* 1 - s(z) = 1 / (1 + e^z) */
    }
}

/* The i-th persona of a round is pulled once more often than others if the rounds do not end with the last.
 */
static void pull_task(void *arg, uint32_t task, uint32_t thread)
{
    const round_state *r = arg;
    const ni_owners *o = r->owners;
    uint64_t first = (uint64_t)task * PERSONAS_A_TASK;
    uint64_t end = ni_task_end(first, PERSONAS_A_TASK, personas_in(r));
    (void)thread;
    for (uint64_t i = first; i < end; i++) {
        uint64_t times = r->pulls / o->personas + (i < r->pulls % o->personas);
        pull(o, (uint32_t)((r->from + i) % o->personas), times, r->rate);
    }
}

void ni_owners_pull(const ni_owners *o, uint64_t from, uint64_t to, double rate, ni_threads *threads)
{
    round_state r = { o, from, to - from, rate };
    ni_threads_run(threads, ni_tasks(personas_in(&r), PERSONAS_A_TASK), pull_task, &r);
}
