/* X'X and X C' of tall matrices; see tall.h. */
#include "linalg/tall.h"

#include <string.h>

#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { RANGES_MOST = 8, RANGE_LEAST = 1024 }; /* rows are dealt out in ranges, whatever the threads */
enum { SLAB = 256 };                          /* rows whose product is summed in floats             */

typedef struct tall {
    const float *X, *Y, *C;
    uint64_t n, range;
    uint64_t first; /* row of a wave */
    uint32_t l, k;
    double *sum; /* ranges x l x k */
    float *part; /* ranges x l x k */
    float *slab; /* WAVE x SLAB x l   */
    float *out;
    size_t stride;
    ni_threads *threads;
} tall;

static uint64_t range_of(uint64_t n)
{
    uint64_t even = (n + RANGES_MOST - 1) / RANGES_MOST;
    return even < RANGE_LEAST ? RANGE_LEAST : even;
}

static void cross_task(void *arg, uint32_t task, uint32_t thread)
{
    const tall *t = arg;
    size_t l = t->l, k = t->k, cells = l * k;
    double *sum = t->sum + task * cells;
    float *part = t->part + task * cells;
    uint64_t end = ni_task_end(task * t->range, t->range, t->n);
    memset(sum, 0, cells * sizeof *sum);
    for (uint64_t first = task * t->range; first < end && ni_threads_go_on(t->threads, thread);
         first += SLAB) {
        size_t rows = (size_t)(ni_task_end(first, SLAB, end) - first);
        ni_gemm(true, false, l, k, rows, t->X + first * l, l, t->Y + first * k, k, false, part, k);
        for (size_t i = 0; i < cells; i++) sum[i] += (double)part[i];
    }
}

neap_status ni_tall_cross(const float *X, uint32_t l, const float *Y, uint32_t k, uint64_t n,
                          ni_threads *threads, double *out, neap_error *err)
{
    size_t cells = (size_t)l * k;
    tall t = { .X = X, .Y = Y, .n = n, .l = l, .k = k, .range = range_of(n), .threads = threads };
    uint32_t ranges = (uint32_t)((n + t.range - 1) / t.range);
    t.sum = ni_array(cells, ranges * sizeof *t.sum);
    t.part = ni_array(cells, ranges * sizeof *t.part);
    neap_status rc = t.sum && t.part ? NEAP_OK : ni_fail_memory(err, "products of vectors");
    if (rc == NEAP_OK) {
        ni_gemm_run(threads, ranges, cross_task, &t);
        rc = ni_threads_check(threads, err);
    }
    memset(out, 0, cells * sizeof *out);
    for (size_t i = 0; i < cells * ranges && rc == NEAP_OK; i++) out[i % cells] += t.sum[i];
    ni_free(t.sum);
    ni_free(t.part);
    return rc;
}

neap_status ni_tall_gram(const float *X, uint64_t n, uint32_t l, ni_threads *threads, double *out,
                         neap_error *err)
{
    return ni_tall_cross(X, l, X, l, n, threads, out, err);
}

static void transform_task(void *arg, uint32_t task, uint32_t thread)
{
    const tall *t = arg;
    uint64_t first = (uint64_t)task * SLAB;
    (void)thread;
    ni_gemm(false, true, (size_t)(ni_task_end(first, SLAB, t->n) - first), t->k, t->l, t->X + first * t->l,
            t->l, t->C, t->l, false, t->out + first * t->stride, t->stride);
}

void ni_tall_transform(const float *X, uint64_t n, uint32_t l, const float *C, uint32_t k, float *out,
                       size_t stride, ni_threads *threads)
{
    ni_gemm_run(threads, ni_tasks(n, SLAB), transform_task,
                &(tall){ .X = X, .C = C, .n = n, .l = l, .k = k, .out = out, .stride = stride });
}

/* In place: some slabs are copied, and then take their new places, which reach no further than where they
 * were. */
enum { WAVE = 32 };

static uint64_t slab_rows(const tall *t, uint32_t task)
{
    uint64_t first = t->first + (uint64_t)task * SLAB;
    return ni_task_end(first, SLAB, t->n) - first;
}

static void copy_task(void *arg, uint32_t task, uint32_t thread)
{
    const tall *t = arg;
    (void)thread;
    memcpy(t->slab + (size_t)task * SLAB * t->l, t->out + (t->first + (uint64_t)task * SLAB) * t->l,
           slab_rows(t, task) * t->l * sizeof *t->slab);
}

static void turn_task(void *arg, uint32_t task, uint32_t thread)
{
    const tall *t = arg;
    (void)thread;
    ni_gemm(false, true, slab_rows(t, task), t->k, t->l, t->slab + (size_t)task * SLAB * t->l, t->l, t->C,
            t->l, false, t->out + (t->first + (uint64_t)task * SLAB) * t->k, t->k);
}

neap_status ni_tall_turn(float *X, uint64_t n, uint32_t l, const float *C, uint32_t k, ni_threads *threads,
                         neap_error *err)
{
    tall t = { .C = C, .n = n, .l = l, .k = k, .out = X };
    t.slab = ni_array(WAVE * SLAB, l * sizeof *t.slab);
    if (!t.slab) return ni_fail_memory(err, "products of vectors");
    for (; t.first < n; t.first += WAVE * SLAB) {
        uint32_t tasks = ni_tasks(ni_task_end(t.first, WAVE * SLAB, n) - t.first, SLAB);
        ni_threads_run(threads, tasks, copy_task, &t);
        ni_gemm_run(threads, tasks, turn_task, &t);
    }
    ni_free(t.slab);
    return ni_threads_check(threads, err);
}

uint64_t ni_tall_bytes(uint64_t n, uint32_t l)
{
    uint64_t ranges = (n + range_of(n) - 1) / range_of(n);
    return ranges * l * l * (sizeof(double) + sizeof(float));
}
