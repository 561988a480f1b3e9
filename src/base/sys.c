/* Memory and file calls through one table, so that tests can let the k-th call fail. Set before threads
 * start. */
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sized.h"
#include "support/status.h"

/* Large tables begin on a cache line, so that a row of whole lines touches none but its own: rows are read
 * in random order, and each line costs. */
static void *sys_allocate(size_t bytes)
{
    enum { LARGE = 1 << 16 };
    void *block;
    if (bytes < LARGE) return malloc(bytes);
    return posix_memalign(&block, NI_CACHE_LINE, bytes) ? NULL : block;
}

static int sys_open(const char *path, int flags, mode_t mode)
{
    return open(path, flags | O_CLOEXEC, mode);
}

static int sys_fstat(int fd, struct stat *st)
{
    return fstat(fd, st);
}

static int sys_thread(pthread_t *thread, void *(*body)(void *), void *arg)
{
    return pthread_create(thread, NULL, body, arg);
}

ni_sys ni_system = {
    .allocate = sys_allocate,
    .resize = realloc,
    .release = free,
    .open = sys_open,
    .fstat = sys_fstat,
    .read = read,
    .write = write,
    .fsync = fsync,
    .close = close,
    .rename = rename,
    .unlink = unlink,
    .mkdir = mkdir,
    .thread = sys_thread,
};

neap_status neap_allocator_use(const neap_allocator *allocator, neap_error *err)
{
    neap_allocator given;
    neap_status rc = allocator ? ni_sized_in(&given, sizeof given, allocator, "neap_allocator", err)
                               : ni_fail(err, NEAP_E_ARG, "no allocator was given");
    if (rc != NEAP_OK) return rc;
    if (!given.allocate || !given.resize || !given.release)
        return ni_fail(err, NEAP_E_ARG, "an allocator needs allocate, resize and release");
    ni_system.allocate = given.allocate;
    ni_system.resize = given.resize;
    ni_system.release = given.release;
    return NEAP_OK;
}

static bool byte_count(size_t count, size_t width, size_t *bytes)
{
    if (__builtin_mul_overflow(count, width, bytes) || *bytes > PTRDIFF_MAX) return false;
    if (*bytes == 0) *bytes = 1;
    return true;
}

/* Advises the kernel to use large pages for a large block (madvise): rows are read in random order, and
 * a TLB miss costs as much as reading the row. A kernel without them ignores it. */
static void prefer_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    uintptr_t first = ((uintptr_t)block + page - 1) / page * page,
              end = ((uintptr_t)block + bytes) / page * page;
    int before = errno;
    if (block && end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
    errno = before;
#else
    (void)block, (void)bytes;
#endif
}

void *ni_array(size_t count, size_t width)
{
    size_t bytes;
    if (!byte_count(count, width, &bytes)) return NULL;
    void *block = ni_system.allocate(bytes);
    if (ni_system.allocate == sys_allocate) prefer_large_pages(block, bytes); /* not in a user's arena */
    return block;
}

void *ni_zeros(size_t count, size_t width)
{
    void *block = ni_array(count, width);
    if (block) memset(block, 0, count * width);
    return block;
}

void *ni_copy(const void *block, size_t count, size_t width)
{
    void *copy = ni_array(count, width);
    if (copy && count) memcpy(copy, block, count * width);
    return copy;
}

void *ni_resize(void *block, size_t count, size_t width)
{
    size_t bytes;
    return byte_count(count, width, &bytes) ? ni_system.resize(block, bytes) : NULL;
}

void ni_free(void *block)
{
    if (block) ni_system.release(block);
}

bool ni_grow(void *block, size_t *room, size_t need, size_t width)
{
    if (need <= *room) return true;
    size_t want = *room > SIZE_MAX / 2 ? need : *room * 2;
    if (want < need) want = need;
    void *old;
    memcpy(&old, block, sizeof old);
    void *grown = ni_resize(old, want, width);
    if (!grown) return false;
    memcpy(block, &grown, sizeof grown);
    *room = want;
    return true;
}

bool ni_write_all(int fd, const void *bytes, size_t count)
{
    for (const char *at = bytes; count;) {
        ssize_t n = ni_system.write(fd, at, count);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = EIO;
        if (n <= 0) return false;
        at += n;
        count -= (size_t)n;
    }
    return true;
}
