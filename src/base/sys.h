/* sys.h - the one seam between neap and the system.
 *
 * Every allocation and every file call of our own code goes through this table. Tests replace its
 * entries to make the k-th call fail (tests/faults.h); the shipped code is the tested code. One table
 * for the process, as in SQLite: what is replaceable in one place is testable everywhere.           */
#ifndef NI_SYS_H
#define NI_SYS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "support/clock.h"

typedef struct ni_sys {
    void *(*allocate)(size_t bytes);
    void *(*resize)(void *block, size_t bytes);
    void (*release)(void *block);
    int (*open)(const char *path, int flags, mode_t mode);
    int (*fstat)(int fd, struct stat *st);
    ssize_t (*read)(int fd, void *bytes, size_t count);
    ssize_t (*write)(int fd, const void *bytes, size_t count);
    int (*fsync)(int fd);
    int (*close)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path, mode_t mode);
    int (*thread)(pthread_t *thread, void *(*body)(void *), void *arg);
} ni_sys;

extern ni_sys ni_system;

/* Releases; accepts NULL. */
void ni_free(void *block);

/* For compilers that look for pointers which are used after they were released (tests/cli/after_free.sh).
 */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define NI_UNTIL_FREE __attribute__((__malloc__(ni_free, 1)))
#else
#define NI_UNTIL_FREE
#endif

/* Memory for count items of width bytes; NULL if there is none or the product overflows. A request for
 * nothing gives a valid block, so NULL always means failure. A large block begins on a cache line, unless
 * it was resized or the allocator is a user's: that is for speed, and nothing may rely on it. */
void *ni_array(size_t count, size_t width) NI_UNTIL_FREE;

/* The same, zeroed. */
void *ni_zeros(size_t count, size_t width) NI_UNTIL_FREE;

/* Where the first cache line of a block begins; a block that is used from there on must be NI_CACHE_LINE
 * bytes longer. */
enum { NI_CACHE_LINE = 64 };
static inline void *ni_first_line(void *block)
{
    return (char *)block + (NI_CACHE_LINE - (uintptr_t)block % NI_CACHE_LINE) % NI_CACHE_LINE;
}

/* A copy of count items; `block` may be NULL if there are none. */
void *ni_copy(const void *block, size_t count, size_t width) NI_UNTIL_FREE;

/* Resizes; on failure the old block stays valid. */
void *ni_resize(void *block, size_t count, size_t width);

/* Grows *block (of *room items) to at least `need` items, by doubling; false if there is no memory, and
 * then nothing has changed. block is the address of a typed pointer. */
bool ni_grow(void *block, size_t *room, size_t need, size_t width);

/* Writes all bytes, however often the system takes fewer or is interrupted; false with errno. */
bool ni_write_all(int fd, const void *bytes, size_t count);

/* Checked arithmetic for numbers that come from input: false on overflow. */
static inline bool ni_mul(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool ni_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

#endif
