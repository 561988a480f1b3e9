/* faults.h - tests in which the system says no (include after cmocka.h).
 *
 * faults_install puts counting wrappers into ni_system; do it before the first allocation of a test
 * program. Then
 *   faults_each        runs a scenario once for every k, with the k-th call of one kind failing, until a
 *                      run is no longer hit; each run must give back every block and every descriptor of
 *                      the library's (what programs leak, ASan finds)
 *   faults_crash_each  runs a scenario in a child that dies before its k-th file call, for every k
 *   faults_peak        says how much memory of ours was alive at most
 * A scenario must start from the same state each time it runs.                                       */
#ifndef NEAP_TESTS_FAULTS_H
#define NEAP_TESTS_FAULTS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"
#include "neap.h"

typedef enum faults_call {
    FAULTS_MEMORY, /* allocate and resize of the library                                  */
    FAULTS_HEAP,   /* malloc, calloc and realloc of programs, in tests that wrap them     */
    FAULTS_OPEN,
    FAULTS_FSTAT,
    FAULTS_READ,
    FAULTS_WRITE,
    FAULTS_FSYNC,
    FAULTS_CLOSE,
    FAULTS_RENAME,
    FAULTS_UNLINK,
    FAULTS_MKDIR,
    FAULTS_THREAD,
    FAULTS_CALLS
} faults_call;

static struct faults_state {
    ni_sys real;
    atomic_uint seen[FAULTS_CALLS]; /* calls since faults_arm                                   */
    faults_call call;               /* which kind fails                                         */
    unsigned at;                    /* the how-manieth of it; 0: none                           */
    bool forever;                   /* and all later ones                                       */
    int sys;                        /* with this errno                                          */
    unsigned die_at;                /* the process ends before its die_at-th file call; 0: never */
    atomic_uint file_calls, hits;
    size_t most_written; /* a write takes at most so many bytes; 0: all              */
    unsigned slow_reads; /* so many reads from now take longer than progress waits    */
    atomic_long blocks, files;
    atomic_size_t bytes, peak;
} faults;

enum { FAULTS_DEAD = 113 };

/* Counts a call; true if it must fail, and then errno is set. */
static inline bool faults_hit(faults_call call)
{
    unsigned n = atomic_fetch_add(&faults.seen[call], 1) + 1;
    bool hit = faults.at && call == faults.call && (n == faults.at || (faults.forever && n > faults.at));
    if (hit) atomic_fetch_add(&faults.hits, 1), errno = faults.sys;
    return hit;
}

/* Counts a call that the outside can see; true if the process is to die before it. */
static inline bool faults_last(void)
{
    return atomic_fetch_add(&faults.file_calls, 1) + 1 == faults.die_at;
}

/* ---- wrappers ---- */

/* The size stands before each block, for the peak. */
typedef union faults_block {
    size_t bytes;
    max_align_t align;
} faults_block;

static inline void faults_count_bytes(size_t more, size_t less)
{
    size_t now = atomic_fetch_add(&faults.bytes, more - less) + more - less,
           peak = atomic_load(&faults.peak);
    while (now > peak && !atomic_compare_exchange_weak(&faults.peak, &peak, now)) continue;
}

/* Tests of programs are linked with --wrap=malloc and so on (tests/CMakeLists.txt): the heap that programs
 * see comes through here, the library's does not, nor does that of shared libraries. */
#ifdef FAULTS_WRAP_HEAP
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t width);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t width);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return faults_hit(FAULTS_HEAP) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t width)
{
    return faults_hit(FAULTS_HEAP) ? NULL : __real_calloc(count, width);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return faults_hit(FAULTS_HEAP) ? NULL : __real_realloc(old, bytes);
}
#define faults_realloc __real_realloc
#else
#define faults_realloc realloc
#endif

static inline void *faults_resize(void *old, size_t bytes)
{
    if (faults_hit(FAULTS_MEMORY) || bytes > SIZE_MAX - sizeof(faults_block)) return NULL;
    faults_block *block = old ? (faults_block *)old - 1 : NULL;
    size_t before = block ? block->bytes : 0;
    block = faults_realloc(block, sizeof *block + bytes);
    if (!block) return NULL;
    if (!old) atomic_fetch_add(&faults.blocks, 1);
    block->bytes = bytes;
    faults_count_bytes(bytes, before);
    return block + 1;
}

static inline void *faults_allocate(size_t bytes)
{
    return faults_resize(NULL, bytes);
}

static inline void faults_release(void *old)
{
    faults_block *block = (faults_block *)old - 1;
    atomic_fetch_sub(&faults.blocks, 1);
    faults_count_bytes(0, block->bytes);
    free(block);
}

static inline int faults_open(const char *path, int flags, mode_t mode)
{
    if (faults_last()) _exit(FAULTS_DEAD);
    int fd = faults_hit(FAULTS_OPEN) ? -1 : faults.real.open(path, flags, mode);
    if (fd >= 0) atomic_fetch_add(&faults.files, 1);
    return fd;
}

static inline int faults_fstat(int fd, struct stat *st)
{
    return faults_hit(FAULTS_FSTAT) ? -1 : faults.real.fstat(fd, st);
}

static inline ssize_t faults_read(int fd, void *bytes, size_t count)
{
    if (faults.slow_reads) faults.slow_reads--, usleep(101000);
    return faults_hit(FAULTS_READ) ? -1 : faults.real.read(fd, bytes, count);
}

/* A process that dies in a write leaves half of it behind. */
static inline ssize_t faults_write(int fd, const void *bytes, size_t count)
{
    if (faults_last()) {
        ssize_t half = faults.real.write(fd, bytes, count / 2);
        (void)half;
        _exit(FAULTS_DEAD);
    }
    if (faults_hit(FAULTS_WRITE)) return -1;
    if (faults.most_written && count > faults.most_written) count = faults.most_written;
    return faults.real.write(fd, bytes, count);
}

static inline int faults_fsync(int fd)
{
    if (faults_last()) _exit(FAULTS_DEAD);
    return faults_hit(FAULTS_FSYNC) ? -1 : faults.real.fsync(fd);
}

/* A close that fails has closed all the same, as on Linux. */
static inline int faults_close(int fd)
{
    if (faults_last()) _exit(FAULTS_DEAD);
    atomic_fetch_sub(&faults.files, 1);
    int rc = faults.real.close(fd);
    return faults_hit(FAULTS_CLOSE) ? -1 : rc;
}

static inline int faults_rename(const char *from, const char *to)
{
    if (faults_last()) _exit(FAULTS_DEAD);
    return faults_hit(FAULTS_RENAME) ? -1 : faults.real.rename(from, to);
}

static inline int faults_unlink(const char *path)
{
    if (faults_last()) _exit(FAULTS_DEAD);
    return faults_hit(FAULTS_UNLINK) ? -1 : faults.real.unlink(path);
}

static inline int faults_mkdir(const char *path, mode_t mode)
{
    if (faults_last()) _exit(FAULTS_DEAD);
    return faults_hit(FAULTS_MKDIR) ? -1 : faults.real.mkdir(path, mode);
}

static inline int faults_thread(pthread_t *thread, void *(*body)(void *), void *arg)
{
    return faults_hit(FAULTS_THREAD) ? faults.sys : faults.real.thread(thread, body, arg);
}

/* ---- what tests call ---- */

static inline void faults_install(void)
{
    faults.real = ni_system;
    ni_system = (ni_sys){ faults_allocate, faults_resize, faults_release, faults_open,  faults_fstat,
                          faults_read,     faults_write,  faults_fsync,   faults_close, faults_rename,
                          faults_unlink,   faults_mkdir,  faults_thread };
}

static inline int faults_no_wait(int fd)
{
    (void)fd;
    return 0;
}

/* Nobody cuts the power of a test, and waiting for the disk a thousand times takes long. */
static inline void faults_skip_fsync(void)
{
    faults.real.fsync = faults_no_wait;
}

/* From now on the k-th call of a kind fails with errno sys, alone or with all that follow. k = 0: none. */
static inline void faults_arm(faults_call call, unsigned k, int sys, bool forever)
{
    for (int i = 0; i < FAULTS_CALLS; i++) atomic_store(&faults.seen[i], 0);
    atomic_store(&faults.hits, 0);
    faults.call = call;
    faults.at = k;
    faults.sys = sys;
    faults.forever = forever;
}

static inline void faults_disarm(void)
{
    faults.at = 0;
}

/* Most bytes of ours alive at once since the last call of faults_peak. */
static inline size_t faults_peak(void)
{
    size_t peak = atomic_load(&faults.peak);
    atomic_store(&faults.peak, atomic_load(&faults.bytes));
    return peak;
}

typedef neap_status (*faults_scenario)(void *user, neap_error *err);

/* What a run that was hit must have done: called with its status. */
typedef void (*faults_judge)(void *user, neap_status rc, const neap_error *err);

/* Runs the scenario for k = 1, 2, ... until no call is hit any more; that last run must succeed. Returns
 * how many runs were hit. */
static inline unsigned faults_each(faults_call call, int sys, bool forever, faults_scenario run,
                                   faults_judge judge, void *user)
{
    for (unsigned k = 1;; k++) {
        long blocks = atomic_load(&faults.blocks), files = atomic_load(&faults.files);
        neap_error err = { 0 };
        faults_arm(call, k, sys, forever);
        neap_status rc = run(user, &err);
        bool hit = atomic_load(&faults.hits) > 0;
        faults_disarm();
        assert_int_equal(atomic_load(&faults.blocks), blocks);
        assert_int_equal(atomic_load(&faults.files), files);
        if (!hit) {
            assert_int_equal(rc, NEAP_OK);
            return k - 1;
        }
        judge(user, rc, &err);
    }
}

/* The judge of most memory scenarios. */
static inline void faults_expect_memory(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_int_equal(rc, NEAP_E_MEM);
    assert_int_equal(err->code, NEAP_E_MEM);
    assert_true(err->text[0] != 0);
}

/* Reading failed with EIO. */
static inline void faults_expect_read(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_int_equal(rc, NEAP_E_READ);
    assert_int_equal(err->sys, EIO);
}

/* Runs the scenario in a child that dies before its k-th call of open, write, fsync, close, rename,
 * unlink or mkdir, k = 1, 2, ... until it lives to the end; `look` sees what each child left behind.
 * Returns how many died. */
static inline unsigned faults_crash_each(faults_scenario run, void (*look)(void *user), void *user)
{
    for (unsigned k = 1;; k++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            atomic_store(&faults.file_calls, 0);
            faults.die_at = k;
            neap_error err = { 0 };
            _exit(run(user, &err) == NEAP_OK ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        look(user);
        if (WEXITSTATUS(status) != FAULTS_DEAD) {
            assert_int_equal(WEXITSTATUS(status), 0);
            return k - 1;
        }
    }
}

#endif
