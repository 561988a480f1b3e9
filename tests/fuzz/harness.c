/* The entry points of libFuzzer, files in memory behind ni_system, and the verdicts. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"

/* Without the address sanitizer these do nothing. */
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

/* ---- verdicts ---- */

_Noreturn void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, what);
    abort();
}

/* The program ends with 3, or 5 for a leak: its input is at fault, not the system and not the caller. */
static bool is_about_input(neap_status rc, const neap_error *err)
{
    return rc == NEAP_E_FORMAT || rc == NEAP_E_LIMIT || rc == NEAP_E_MISMATCH || rc == NEAP_E_UNKNOWN ||
           rc == NEAP_E_LEAK || (rc == NEAP_E_READ && err->sys == ENOENT);
}

bool fuzz_took(neap_status rc, const neap_error *err, const void *object)
{
    assert_true((rc == NEAP_OK) == (object != NULL));
    if (rc == NEAP_OK) return true;
    if (!is_about_input(rc, err)) fprintf(stderr, "%s: %s\n", neap_status_name(rc), err->text);
    assert_true(is_about_input(rc, err));
    assert_true(err->code == rc && err->text[0] && memchr(err->text, 0, sizeof err->text));
    return false;
}

/* ---- memory ---- */

static size_t most = SIZE_MAX; /* live bytes */

static void *bounded_resize(void *old, size_t bytes)
{
    size_t before = old ? ((faults_block *)old - 1)->bytes : 0, others = faults.bytes - before;
    if (most != SIZE_MAX && (bytes > most || others > most - bytes)) {
        fprintf(stderr, "%zu bytes are alive, %zu more are asked for, the bound is %zu\n", others, bytes,
                most);
        fuzz_fail(__FILE__, __LINE__, "memory stays below its bound");
    }
    return faults_resize(old, bytes);
}

/* The buffers of readers have megabytes, and to fetch them from the system and give them back takes longer
 * than to parse an input. The last ones are kept for the next request of the same size; until then they are
 * poisoned. */
enum { LARGE = 1 << 17, KEPT = 4 };
static faults_block *kept[KEPT];

static void *bounded_allocate(size_t bytes)
{
    for (int i = 0; i < KEPT && bytes >= LARGE; i++) {
        faults_block *block = kept[i];
        if (!block) continue;
        ASAN_UNPOISON_MEMORY_REGION(block, sizeof *block);
        if (block->bytes == bytes && bytes + faults.bytes <= most) {
            ASAN_UNPOISON_MEMORY_REGION(block + 1, bytes);
            atomic_fetch_add(&faults.blocks, 1);
            faults_count_bytes(bytes, 0);
            kept[i] = NULL;
            return block + 1;
        }
        ASAN_POISON_MEMORY_REGION(block, sizeof *block);
    }
    return bounded_resize(NULL, bytes);
}

static void keeping_release(void *old)
{
    faults_block *block = (faults_block *)old - 1;
    int i = 0;
    while (i < KEPT && kept[i]) i++;
    if (block->bytes < LARGE || i == KEPT) {
        faults_release(old);
        return;
    }
    atomic_fetch_sub(&faults.blocks, 1);
    faults_count_bytes(0, block->bytes);
    ASAN_POISON_MEMORY_REGION(block, sizeof *block + block->bytes);
    kept[i] = block;
}

void fuzz_bound(size_t fixed, size_t times, size_t size)
{
    most = faults.bytes + fixed + times * size;
}

void fuzz_unbound(void)
{
    most = SIZE_MAX;
}

/* ---- files in memory ---- */

enum { FILES = 32, HANDLES = 32, FIRST = 1 << 24, FOLDER = -1 };

static struct memory_file {
    char path[128]; /* empty: there is none */
    uint8_t *bytes;
    size_t size, room;
} files[FILES];

static struct handle {
    bool open;
    int file; /* or FOLDER */
    size_t at;
} handles[HANDLES];

static int find_file(const char *path)
{
    for (int i = 0; i < FILES; i++)
        if (*path && !strcmp(files[i].path, path)) return i;
    return -1;
}

static void drop_file(int i)
{
    free(files[i].bytes);
    files[i] = (struct memory_file){ 0 };
}

static int new_file(const char *path)
{
    int i = 0;
    while (i < FILES && files[i].path[0]) i++;
    assert_true(i < FILES && strlen(path) < sizeof files[i].path);
    memcpy(files[i].path, path, strlen(path) + 1);
    return i;
}

static void append(struct memory_file *f, const void *bytes, size_t count)
{
    if (count > f->room - f->size) {
        f->room = (f->size + count) * 2;
        f->bytes = realloc(f->bytes, f->room);
        assert_non_null(f->bytes);
    }
    if (count) memcpy(f->bytes + f->size, bytes, count);
    f->size += count;
}

void fuzz_file(const char *path, const void *bytes, size_t size)
{
    int i = find_file(path);
    if (i < 0) i = new_file(path);
    files[i].size = 0;
    append(&files[i], bytes, size);
}

const uint8_t *fuzz_bytes(const char *path, size_t *size)
{
    static const uint8_t none;
    int i = find_file(path);
    *size = i < 0 ? 0 : files[i].size;
    return i < 0 ? NULL : *size ? files[i].bytes : &none;
}

/* Where the next line `@@ ` begins, or the end. */
static const char *next_mark(const char *at, const char *end)
{
    while (end - at >= 3 && memcmp(at, "@@ ", 3)) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return end - at >= 3 ? at : end;
}

void fuzz_files(const char *path, const void *bytes, size_t size)
{
    const char *at = bytes, *end = at + size, *mark = next_mark(at, end);
    fuzz_file(path, at, (size_t)(mark - at));
    for (int n = 0; mark < end && n < FILES / 2; n++) {
        char name[64] = FUZZ_FOLDER;
        const char *line = memchr(mark, '\n', (size_t)(end - mark));
        size_t used = strlen(name), length = line ? (size_t)(line - mark - 3) : sizeof name;
        if (length >= sizeof name - used) return;
        memcpy(name + used, mark + 3, length);
        name[used + length] = 0;
        mark = next_mark(line + 1, end);
        fuzz_file(name, line + 1, (size_t)(mark - line - 1));
    }
}

void fuzz_forget(void)
{
    for (int i = 0; i < HANDLES; i++) assert_true(!handles[i].open);
    for (int i = 0; i < FILES; i++) drop_file(i);
}

/* ---- ni_system ---- */

static struct handle *handle_of(int fd)
{
    assert_true(fd >= FIRST && fd < FIRST + HANDLES && handles[fd - FIRST].open);
    return &handles[fd - FIRST];
}

static int memory_open(const char *path, int flags, mode_t mode)
{
    (void)mode;
    int h = 0, i = find_file(path);
    assert_true(!strncmp(path, FUZZ_FOLDER, strlen(FUZZ_FOLDER))); /* nobody opens anything else */
    if (flags & O_DIRECTORY) i = FOLDER;
    else if ((flags & O_EXCL) && i >= 0) return errno = EEXIST, -1;
    else if (i < 0 && !(flags & O_CREAT)) return errno = ENOENT, -1;
    else if (i < 0) i = new_file(path);
    while (h < HANDLES && handles[h].open) h++;
    assert_true(h < HANDLES);
    handles[h] = (struct handle){ true, i, 0 };
    return FIRST + h;
}

static int memory_fstat(int fd, struct stat *st)
{
    struct handle *h = handle_of(fd);
    *st = (struct stat){ .st_mode = h->file == FOLDER ? S_IFDIR | 0700 : S_IFREG | 0600 };
    if (h->file != FOLDER) st->st_size = (off_t)files[h->file].size;
    return 0;
}

static ssize_t memory_read(int fd, void *bytes, size_t count)
{
    struct handle *h = handle_of(fd);
    if (h->file == FOLDER) return errno = EISDIR, -1;
    const struct memory_file *f = &files[h->file];
    if (count > f->size - h->at) count = f->size - h->at;
    if (count) memcpy(bytes, f->bytes + h->at, count);
    h->at += count;
    return (ssize_t)count;
}

static ssize_t memory_write(int fd, const void *bytes, size_t count)
{
    append(&files[handle_of(fd)->file], bytes, count);
    return (ssize_t)count;
}

static int memory_fsync(int fd)
{
    handle_of(fd);
    return 0;
}

static int memory_close(int fd)
{
    handle_of(fd)->open = false;
    return 0;
}

static int memory_rename(const char *from, const char *to)
{
    int i = find_file(from), old = find_file(to);
    if (i < 0) return errno = ENOENT, -1;
    if (old >= 0 && old != i) drop_file(old);
    assert_true(strlen(to) < sizeof files[i].path);
    memcpy(files[i].path, to, strlen(to) + 1);
    return 0;
}

static int memory_unlink(const char *path)
{
    int i = find_file(path);
    if (i < 0) return errno = ENOENT, -1;
    drop_file(i);
    return 0;
}

static int memory_mkdir(const char *path, mode_t mode)
{
    (void)path, (void)mode;
    return 0;
}

static void install(void)
{
    faults_install(); /* counts blocks and bytes */
    ni_system.allocate = bounded_allocate;
    ni_system.resize = bounded_resize;
    ni_system.release = keeping_release;
    ni_system.open = memory_open;
    ni_system.fstat = memory_fstat;
    ni_system.read = memory_read;
    ni_system.write = memory_write;
    ni_system.fsync = memory_fsync;
    ni_system.close = memory_close;
    ni_system.rename = memory_rename;
    ni_system.unlink = memory_unlink;
    ni_system.mkdir = memory_mkdir;
}

/* ---- libFuzzer ---- */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    install();
    if (fuzz.prepare) fuzz.prepare();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long blocks = faults.blocks;
    fuzz.one(data, size);
    assert_int_equal(faults.blocks, blocks);
    fuzz_forget();
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz.mutate ? fuzz.mutate(data, size, room, seed) : LLVMFuzzerMutate(data, size, room);
}
