#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/status.h"
#include "base/sys.h"

enum { MAX_THREADS = 1024 };

struct ni_pool {
    pthread_mutex_t turn; /* held by the caller whose round is under way */
    pthread_mutex_t lock;
    pthread_cond_t work, idle; /* there is a new round; all workers have left the last one */
    ni_task task;
    void *arg;
    uint32_t tasks;
    atomic_uint next; /* next task nobody has taken       */
    uint64_t round;   /* counts calls of ni_pool_run      */
    uint32_t busy;    /* workers still in this round      */
    uint32_t workers; /* threads besides the caller's     */
    bool quit;
    pthread_t *thread;
    struct seat {
        ni_pool *pool;
        uint32_t index;
    } * seat;
};

static void run_tasks(ni_pool *p, uint32_t thread)
{
    for (;;) {
        uint32_t task = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (task >= p->tasks) return;
        p->task(p->arg, task, thread);
    }
}

static void *worker(void *arg)
{
    struct seat *seat = arg;
    ni_pool *p = seat->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->quit) pthread_cond_wait(&p->work, &p->lock);
        if (p->quit) break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        run_tasks(p, seat->index);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0) pthread_cond_signal(&p->idle);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static uint32_t cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (uint32_t)n;
}

neap_status ni_pool_create(uint32_t threads, ni_pool **out, neap_error *err)
{
    *out = NULL;
    if (threads == 0) threads = cores();
    if (threads > MAX_THREADS) return ni_fail(err, NEAP_E_LIMIT, "at most %d threads", MAX_THREADS);
    ni_pool *p = ni_zeros(1, sizeof *p);
    if (!p) return ni_fail_memory(err, "threads");
    pthread_mutex_init(&p->turn, NULL);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->thread = ni_array(threads, sizeof *p->thread);
    p->seat = ni_array(threads, sizeof *p->seat);
    neap_status rc = p->thread && p->seat ? NEAP_OK : ni_fail_memory(err, "threads");
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
    else ni_pool_free(p);
    return rc;
}

void ni_pool_free(ni_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->workers; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->turn);
    ni_free(p->thread);
    ni_free(p->seat);
    ni_free(p);
}

uint32_t ni_pool_threads(const ni_pool *p)
{
    return p->workers + 1;
}

void ni_pool_run(ni_pool *p, uint32_t tasks, ni_task task, void *arg)
{
    bool alone = p->workers == 0 || tasks < 2 || pthread_mutex_trylock(&p->turn) != 0;
    if (alone) {
        for (uint32_t i = 0; i < tasks; i++) task(arg, i, 0);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->arg = arg;
    p->tasks = tasks;
    p->busy = p->workers;
    p->round++;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    run_tasks(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy) pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&p->turn);
}
