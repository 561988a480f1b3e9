#include "attention/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/status.h"
#include "base/sys.h"

enum { PLACES_PER_TASK = 64 };

static uint64_t width_of(const ni_feed *f)
{
    return 2 + (uint64_t)f->sampler->options->negatives;
}

neap_status ni_feed_create(const ni_sampler *sampler, ni_threads *threads, ni_feed *f, neap_error *err)
{
    *f = (ni_feed){ .sampler = sampler, .threads = threads };
    uint64_t batch = sampler->options->batch < sampler->places ? sampler->options->batch : sampler->places;
    uint64_t nodes = batch * width_of(f);
    f->bytes = 2 * nodes * sizeof *f->nodes + batch * sizeof *f->key;
    f->drawn = ni_array(nodes, sizeof *f->drawn);
    f->items = ni_array(ni_tasks(batch, PLACES_PER_TASK), sizeof *f->items);
    f->key = ni_array(batch, sizeof *f->key);
    f->nodes = ni_array(nodes, sizeof *f->nodes);
    return f->drawn && f->items && f->key && f->nodes ? NEAP_OK : ni_fail_memory(err, "a batch");
}

void ni_feed_free(ni_feed *f)
{
    ni_free(f->drawn);
    ni_free(f->items);
    ni_free(f->key);
    ni_free(f->nodes);
    *f = (ni_feed){ 0 };
}

static void draw_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_feed *f = arg;
    (void)thread;
    uint64_t first = (uint64_t)task * PLACES_PER_TASK;
    uint64_t end = ni_task_end(first, PLACES_PER_TASK, f->count);
    f->items[task] = ni_sampler_draw(f->sampler, f->epoch, f->first + first, (uint32_t)(end - first),
                                     f->drawn + first * width_of(f));
}

uint32_t ni_feed_fill(ni_feed *f, uint64_t epoch, uint64_t first, uint32_t count)
{
    uint64_t width = width_of(f), left = f->sampler->places - first;
    f->epoch = epoch, f->first = first, f->count = left < count ? (uint32_t)left : count;
    uint32_t tasks = ni_tasks(f->count, PLACES_PER_TASK), items = 0;
    ni_threads_run(f->threads, tasks, draw_task, f);
    for (uint32_t task = 0; task < tasks; task++)
        for (uint64_t i = 0; i < f->items[task]; i++) {
            uint64_t at = (uint64_t)task * PLACES_PER_TASK + i;
            f->key[items++] = (uint64_t)f->drawn[at * width] << 32 | at;
        }
    if (items) qsort(f->key, items, sizeof *f->key, ni_ascending_u64);
    for (uint64_t i = 0; i < items; i++)
        memcpy(f->nodes + i * width, f->drawn + (f->key[i] & UINT32_MAX) * width, width * sizeof *f->nodes);
    return items;
}
