/* threads.h - a few threads that wait for work.
 *
 * Work is a number of tasks. Which thread runs which task is not defined, so a task writes only to what
 * belongs to it, and the result does not depend on the number of threads.                 */
#ifndef NI_THREADS_H
#define NI_THREADS_H

#include <stdint.h>

#include "neap.h"

typedef struct ni_threads ni_threads;

/* task: 0 .. tasks-1. thread: 0 .. threads-1, for scratch memory. */
typedef void (*ni_task)(void *arg, uint32_t task, uint32_t thread);

/* threads = 0: all cores. The calling thread is one of them. */
neap_status ni_threads_create(uint32_t threads, ni_threads **out, neap_error *err);
void ni_threads_free(ni_threads *threads);
uint32_t ni_threads_count(const ni_threads *threads);

/* Runs all tasks and returns when the last has ended. While another caller's round is running, the tasks
 * run on the calling thread, as thread 0; scratch memory must therefore be the caller's own. */
void ni_threads_run(ni_threads *threads, uint32_t tasks, ni_task task, void *arg);

/* Makes every round look for a stop: between its tasks the calling thread calls hooks->progress, at most
 * ten times per second, with the name of a stage. After a stop the remaining tasks, of this round and of
 * later ones, are not run, so that any computation ends soon, and ni_threads_check returns NEAP_E_STOPPED.
 * With hooks NULL, or without a progress, rounds do not look any more. */
void ni_threads_watch(ni_threads *threads, const neap_hooks *hooks, const char *stage);

/* How far the stage is, for the next look. */
void ni_threads_progress(ni_threads *threads, uint64_t done, uint64_t total);

/* Looks now, between rounds; NEAP_E_STOPPED if the callback requested a stop since ni_threads_watch. */
neap_status ni_threads_check(ni_threads *threads, neap_error *err);

/* How many tasks so many things make. */
static inline uint32_t ni_tasks(uint64_t things, uint32_t per_task)
{
    return (uint32_t)((things + per_task - 1) / per_task);
}

/* Where the things of a task end that begin with `first`. */
static inline uint64_t ni_task_end(uint64_t first, uint64_t per_task, uint64_t things)
{
    return first + per_task < things ? first + per_task : things;
}

#endif
