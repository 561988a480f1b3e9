/* scratch.h - a folder of its own for each test, and whole files as bytes (include after cmocka.h).
 *
 * With scratch_enter and scratch_leave as set-up and tear-down of a test, its current folder is a new
 * empty one below TMPDIR, which is gone afterwards: plain names such as "model" are safe.            */
#ifndef NEAP_TESTS_SCRATCH_H
#define NEAP_TESTS_SCRATCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int scratch_enter(void **state)
{
    const char *below = getenv("TMPDIR");
    char *path = malloc(4096);
    snprintf(path, 4096, "%s/neap-test-XXXXXX", below && *below ? below : "/tmp");
    *state = path;
    return mkdtemp(path) && !chdir(path) ? 0 : -1;
}

/* How many files there are whose name begins with `start`. */
static inline unsigned scratch_count(const char *start)
{
    unsigned n = 0;
    DIR *folder = opendir(".");
    for (struct dirent *e; (e = readdir(folder));)
        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !strncmp(e->d_name, start, strlen(start));
    closedir(folder);
    return n;
}

static inline int scratch_leave(void **state)
{
    DIR *folder = opendir(".");
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) remove(e->d_name);
    if (folder) closedir(folder);
    int rc = chdir("/") || rmdir(*state);
    free(*state);
    return rc;
}

/* A whole file in a new block; its length in *size. The test fails if there is no such file. */
static inline char *scratch_bytes(const char *path, size_t *size)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    *size = (size_t)st.st_size;
    char *bytes = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    bytes[*size] = 0;
    return bytes;
}

static inline void scratch_put(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void scratch_expect(const char *path, const void *bytes, size_t size)
{
    size_t found;
    char *content = scratch_bytes(path, &found);
    assert_int_equal(found, size);
    assert_memory_equal(content, bytes, size);
    free(content);
}

#endif
