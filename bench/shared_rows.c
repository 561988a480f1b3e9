/* shared_rows.c - what a second thread gains where threads read what each other wrote: rows of a table are
 * written by whoever comes first, then sums of rows drawn from all of it are made, as training does in
 * every step. Run by engine.py.
 *
 *     shared_rows ROWS DIM SECONDS                                                                  */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sys.h"
#include "base/threads.h"
#include "linalg/kernels.h"

enum { TERMS = 50, SUMS = 2048, PER_TASK = 16 };

typedef struct work {
    uint32_t rows, dim;
    float *table, *sum; /* rows x dim, SUMS x dim */
} work;

static void write_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    uint64_t first = (uint64_t)task * PER_TASK, end = ni_task_end(first, PER_TASK, w->rows);
    (void)thread;
    for (uint64_t i = first * w->dim; i < end * w->dim; i++) w->table[i] = w->table[i] * 0.999F + 1e-3F;
}

static void sum_task(void *arg, uint32_t task, uint32_t thread)
{
    const work *w = arg;
    ni_term term[TERMS];
    (void)thread;
    for (uint64_t s = (uint64_t)task * PER_TASK; s < (uint64_t)(task + 1) * PER_TASK; s++) {
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, s);
        for (int i = 0; i < TERMS; i++) term[i] = (ni_term){ (uint32_t)ni_below(&rng, w->rows), 0.01F };
        ni_kernels_get()->spmm_row(term, TERMS, w->table, w->dim, w->sum + s * w->dim);
    }
}

/* Rounds a second. */
static double rate(work *w, uint32_t threads, double seconds)
{
    ni_threads *pool;
    uint64_t rounds = 0;
    if (ni_threads_create(threads, &pool, NULL) != NEAP_OK) exit(3);
    double start = ni_seconds(), now = start;
    for (; now < start + seconds; rounds++, now = ni_seconds()) {
        ni_threads_run(pool, ni_tasks(w->rows, PER_TASK), write_task, w);
        ni_threads_run(pool, SUMS / PER_TASK, sum_task, w);
    }
    ni_threads_free(pool);
    return (double)rounds / (now - start);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    work w = { .rows = (uint32_t)strtoul(argv[1], NULL, 10), .dim = (uint32_t)strtoul(argv[2], NULL, 10) };
    w.table = ni_zeros((size_t)w.rows * w.dim, sizeof *w.table);
    w.sum = ni_zeros((size_t)SUMS * w.dim, sizeof *w.sum);
    if (!w.rows || !w.dim || !w.table || !w.sum) return 3;
    double seconds = strtod(argv[3], NULL) / 6, gain[3];
    for (int i = 0; i < 3; i++) {
        double one = rate(&w, 1, seconds), two = rate(&w, 2, seconds);
        gain[i] = two / one;
    }
    printf("{\"gains\": [%.3f, %.3f, %.3f]}\n", gain[0], gain[1], gain[2]);
    return 0;
}
