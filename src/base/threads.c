/* A fixed set of threads and rounds of tasks. A round deals the tasks in equal ranges, one per thread; a
 * thread takes tasks of its own range first, then of the others' (work stealing by an atomic counter per
 * range). Between rounds threads spin for some microseconds, then sleep on a condition. Starting and
 * ending a round costs a few atomic operations per thread. The calling thread is thread 0 and is the only
 * one that calls the progress of a host. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/sys.h"
#include "support/status.h"

enum { MAX_THREADS = 1024 };

/* The tasks that a thread does first; each on a cache line of its own. */
typedef struct share {
    atomic_uint next; /* first task not taken yet */
    uint32_t end;
    char apart[NI_CACHE_LINE - sizeof(atomic_uint) - sizeof(uint32_t)];
} share;

struct ni_threads {
    pthread_mutex_t turn; /* held by the caller whose round is running */
    pthread_mutex_t lock;
    pthread_cond_t work, idle; /* there is a new round; all workers have left the last one */
    ni_task task;
    void *arg;
    share *share;      /* of each thread                              */
    atomic_uint round; /* counts calls of ni_threads_run                 */
    atomic_uint busy;  /* workers still in this round                 */
    uint32_t workers;  /* threads besides the caller's                */
    uint32_t patience; /* looks at a number before a thread goes to sleep over it */
    bool quit;

    ni_watch watch; /* looked at between tasks */
    uint64_t done, total;
    atomic_bool stopped;

    pthread_t *thread;
    struct seat {
        ni_threads *threads;
        uint32_t index;
    } * seat;
};

/* ---- stopping ---- */

/* Whether the next task may be run. After a stop the callback is not called again. */
static bool may_go_on(ni_threads *p, uint32_t thread)
{
    if (!p->watch.hooks) return true;
    if (atomic_load_explicit(&p->stopped, memory_order_relaxed)) return false;
    if (thread != 0 || ni_watch_look(&p->watch, p->done, p->total)) return true;
    atomic_store(&p->stopped, true);
    return false;
}

void ni_threads_watch(ni_threads *p, const neap_hooks *hooks, const char *stage)
{
    p->watch = ni_watch_begin(hooks, stage);
    p->done = p->total = 0;
    atomic_store(&p->stopped, false);
}

void ni_threads_progress(ni_threads *p, uint64_t done, uint64_t total)
{
    p->done = done;
    p->total = total;
}

neap_status ni_threads_check(ni_threads *p, neap_error *err)
{
    return may_go_on(p, 0) ? NEAP_OK : ni_watch_stopped(&p->watch, err);
}

/* ---- rounds ---- */

/* A thread begins with its own share: consecutive rounds split the rows alike, so that a core finds in
 * its cache what it wrote. Then it takes tasks of the others' shares (work stealing). */
static void run_tasks(ni_threads *p, uint32_t thread)
{
    uint32_t threads = p->workers + 1;
    for (uint32_t k = 0; k < threads; k++) {
        share *s = &p->share[(thread + k) % threads];
        for (uint32_t task; (task = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->end;)
            if (may_go_on(p, thread)) p->task(p->arg, task, thread);
    }
}

static void deal_tasks(ni_threads *p, uint64_t tasks)
{
    uint64_t threads = (uint64_t)p->workers + 1;
    for (uint64_t t = 0; t < threads; t++) {
        p->share[t].end = (uint32_t)((t + 1) * tasks / threads);
        atomic_store_explicit(&p->share[t].next, (uint32_t)(t * tasks / threads), memory_order_relaxed);
    }
}

static void breathe(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Spins before sleeping: the rounds of a training step follow each other within microseconds, and waking
 * a thread takes tens of them. True if the number is `value` now. */
static bool becomes_soon(const ni_threads *p, atomic_uint *number, uint32_t value)
{
    for (uint32_t i = 1; i <= p->patience; i++) {
        if (atomic_load_explicit(number, memory_order_acquire) == value) return true;
        if (i % 64) breathe();
        else sched_yield(); /* the thread that is waited for may need this core */
    }
    return false;
}

static void wait_for_round(ni_threads *p, uint32_t round)
{
    if (becomes_soon(p, &p->round, round)) return;
    pthread_mutex_lock(&p->lock);
    while (p->round != round) pthread_cond_wait(&p->work, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void leave_round(ni_threads *p)
{
    if (atomic_fetch_sub_explicit(&p->busy, 1, memory_order_acq_rel) != 1) return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_signal(&p->idle);
    pthread_mutex_unlock(&p->lock);
}

static void *worker(void *arg)
{
    struct seat *seat = arg;
    ni_threads *p = seat->threads;
    for (uint32_t round = 1;; round++) {
        wait_for_round(p, round);
        if (p->quit) return NULL;
        run_tasks(p, seat->index);
        leave_round(p);
    }
}

/* Task, argument and shares of the round are set. */
static void begin_round(ni_threads *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_store_explicit(&p->busy, p->workers, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
}

/* Cores that this process may use. */
static uint32_t cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (uint32_t)n;
}

neap_status ni_threads_create(uint32_t threads, ni_threads **out, neap_error *err)
{
    *out = NULL;
    if (threads == 0) threads = cores();
    if (threads > MAX_THREADS) return ni_fail(err, NEAP_E_LIMIT, "at most %d threads", MAX_THREADS);
    ni_threads *p = ni_zeros(1, sizeof *p);
    if (!p) return ni_fail_memory(err, "threads");
    pthread_mutex_init(&p->turn, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->patience =
        threads <= cores() ? 4096 : 0; /* with fewer cores than threads spinning delays the others */
    p->thread = ni_array(threads, sizeof *p->thread);
    p->seat = ni_array(threads, sizeof *p->seat);
    p->share = ni_zeros(threads, sizeof *p->share);
    neap_status rc = p->thread && p->seat && p->share ? NEAP_OK : ni_fail_memory(err, "threads");
    while (rc == NEAP_OK && p->workers + 1 < threads) {
        struct seat *seat = &p->seat[p->workers];
        *seat = (struct seat){ p, p->workers + 1 };
        int failed = ni_system.thread(&p->thread[p->workers], worker, seat);
        if (failed)
            rc = ni_fail_sys(err, NEAP_E_MEM, failed, "cannot start thread %u of %u; try --threads 1",
                             p->workers + 2, threads);
        else p->workers++;
    }
    if (rc == NEAP_OK) *out = p;
    else ni_threads_free(p);
    return rc;
}

void ni_threads_free(ni_threads *p)
{
    if (!p) return;
    p->quit = true;
    begin_round(p);
    for (uint32_t i = 0; i < p->workers; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->turn);
    ni_free(p->thread);
    ni_free(p->seat);
    ni_free(p->share);
    ni_free(p);
}

uint32_t ni_threads_count(const ni_threads *p)
{
    return p->workers + 1;
}

static void wait_until_idle(ni_threads *p)
{
    if (becomes_soon(p, &p->busy, 0)) return;
    pthread_mutex_lock(&p->lock);
    while (p->busy) pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void ni_threads_run(ni_threads *p, uint32_t tasks, ni_task task, void *arg)
{
    bool alone = p->workers == 0 || tasks < 2 || pthread_mutex_trylock(&p->turn) != 0;
    if (alone) {
        for (uint32_t i = 0; i < tasks; i++)
            if (may_go_on(p, 0)) task(arg, i, 0);
        return;
    }
    p->task = task;
    p->arg = arg;
    deal_tasks(p, tasks);
    begin_round(p);
    run_tasks(p, 0);
    wait_until_idle(p);
    pthread_mutex_unlock(&p->turn);
}
