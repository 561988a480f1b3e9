/* Output that replaces a file whole or not at all: temporary file, fsync, rename, fsync of the folder.
 * The first failure is kept and returned by commit. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "support/path.h"

enum { BUFFER = 65536, LINKS_MOST = 40, NAMES_TRIED = 1000 };

struct ni_output {
    int fd;
    int folder;    /* open before anything is renamed, so that only its fsync can fail later */
    bool renames;  /* there is a temporary file; otherwise the path is written in place      */
    bool durable;  /* all of the temporary file is on the disk                               */
    bool borrowed; /* standard output, which is not closed                                   */
    mode_t mode;
    neap_status failed; /* the first failure, NEAP_OK if there is none */
    int sys;
    size_t used;
    char label[256]; /* the path as the caller wrote it, for messages */
    char target[PATH_MAX], temporary[PATH_MAX];
    char buffer[BUFFER];
};

static void fail(ni_output *out, neap_status code, int sys)
{
    if (out->failed != NEAP_OK) return;
    out->failed = code;
    out->sys = sys;
}

/* Follows symbolic links from `path` to the name that is to be replaced. Returns 0 or an errno. */
static int follow_links(const char *path, char target[PATH_MAX])
{
    char link[PATH_MAX];
    if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
    memcpy(target, path, strlen(path) + 1);
    for (int i = 0; i < LINKS_MOST; i++) {
        ssize_t n = readlink(target, link, sizeof link);
        if (n < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;
        size_t folder = link[0] == '/' ? 0 : ni_path_folder(target);
        if (folder + (size_t)n >= PATH_MAX) return ENAMETOOLONG;
        memcpy(target + folder, link, (size_t)n);
        target[folder + (size_t)n] = 0;
    }
    return ELOOP;
}

/* An unused name in the folder of the target; O_EXCL decides every race. The file is created with the
 * rights the umask leaves, which are its final ones unless it replaces an old file, and is closed to others
 * while it is still empty. A file system without rights may refuse that, which is ignored. */
static int open_temporary(ni_output *out, const struct stat *old)
{
    size_t folder = ni_path_folder(out->target);
    struct stat st;
    for (int i = 0; i < NAMES_TRIED; i++) {
        int n = snprintf(out->temporary, PATH_MAX, "%.*s.neap-%ld-%d.tmp", (int)folder, out->target,
                         (long)getpid(), i);
        if (n < 0 || n >= PATH_MAX) return ENAMETOOLONG;
        out->fd = ni_system.open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, old ? 0600 : 0666);
        if (out->fd >= 0) break;
        if (errno != EEXIST) return errno;
    }
    if (out->fd < 0) return EEXIST;
    out->renames = true;
    if (ni_system.fstat(out->fd, &st)) return errno;
    out->mode = (old ? old->st_mode : st.st_mode) & 0777;
    (void)!fchmod(out->fd, 0600);
    return 0;
}

static int open_folder(ni_output *out)
{
    char folder[PATH_MAX];
    size_t n = ni_path_folder(out->target);
    memcpy(folder, n ? out->target : ".", n ? n : 1);
    folder[n ? n : 1] = 0;
    out->folder = ni_system.open(folder, O_RDONLY | O_DIRECTORY, 0);
    return out->folder < 0 ? errno : 0;
}

/* Opens what has to be opened; 0 or an errno. stat and readlink change nothing, so they are not in the
 * seam. */
static int open_path(ni_output *out, const char *path)
{
    struct stat st;
    if (!strcmp(path, "-")) return out->borrowed = true, out->fd = STDOUT_FILENO, 0;
    bool exists = stat(path, &st) == 0;
    if (!exists && errno != ENOENT) return errno;
    if (exists && S_ISDIR(st.st_mode)) return EISDIR;
    if (exists && !S_ISREG(st.st_mode)) {
        out->fd = ni_system.open(path, O_WRONLY | O_NOCTTY, 0);
        return out->fd < 0 ? errno : 0;
    }
    int sys = follow_links(path, out->target);
    if (!sys) sys = open_folder(out);
    if (!sys) sys = open_temporary(out, exists ? &st : NULL);
    return sys;
}

neap_status ni_output_open(const char *path, ni_output **out, neap_error *err)
{
    *out = NULL;
    ni_output *o = ni_array(1, sizeof *o);
    if (!o) return ni_fail_memory(err, "writing a file");
    memset(o, 0, offsetof(ni_output, label));
    o->fd = o->folder = -1;
    snprintf(o->label, sizeof o->label, "%s", strcmp(path, "-") ? path : "standard output");
    int sys = open_path(o, path);
    if (!sys) return *out = o, NEAP_OK;
    ni_fail_sys(err, NEAP_E_IO, sys, "cannot write %s", o->label);
    ni_output_abandon(o);
    return NEAP_E_IO;
}

static void write_through(ni_output *out, const char *bytes, size_t count)
{
    if (out->failed == NEAP_OK && !ni_write_all(out->fd, bytes, count)) fail(out, NEAP_E_IO, errno);
}

static void flush(ni_output *out)
{
    write_through(out, out->buffer, out->used);
    out->used = 0;
}

void ni_output_write(ni_output *out, const void *bytes, size_t count)
{
    if (count > BUFFER - out->used) flush(out);
    if (count > BUFFER) {
        write_through(out, bytes, count);
        return;
    }
    if (count) memcpy(out->buffer + out->used, bytes, count);
    out->used += count;
}

static void write_to_output(void *to, const void *bytes, size_t count)
{
    ni_output_write(to, bytes, count);
}

ni_sink ni_output_sink(ni_output *out)
{
    return (ni_sink){ write_to_output, out };
}

void ni_output_text(ni_output *out, const char *text)
{
    ni_output_write(out, text, strlen(text));
}

void ni_output_print(ni_output *out, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char small[256], *text = small;
    int n = vsnprintf(small, sizeof small, format, args);
    if (n >= (int)sizeof small && (text = ni_array((size_t)n + 1, 1)))
        vsnprintf(text, (size_t)n + 1, format, again);
    if (n < 0 || !text) fail(out, NEAP_E_MEM, 0);
    else ni_output_write(out, text, (size_t)n);
    if (text != small) ni_free(text);
    va_end(again);
    va_end(args);
}

/* Closes once, whatever happens; an interrupted close has closed. */
static void close_file(ni_output *out)
{
    if (out->fd >= 0 && !out->borrowed && ni_system.close(out->fd) && errno != EINTR)
        fail(out, NEAP_E_IO, errno);
    out->fd = -1;
}

/* Makes the temporary file durable. A failed fsync is final: the kernel may have thrown the pages away, so
 * a second try would report a success that never was (the "fsyncgate" of 2018). */
static void make_durable(ni_output *out)
{
    (void)!fchmod(out->fd, out->mode);
    if (out->failed == NEAP_OK && ni_system.fsync(out->fd)) fail(out, NEAP_E_IO, errno);
    out->durable = true;
}

/* The temporary file, then the target. */
static void put_in_place(ni_output *out)
{
    if (!out->durable) make_durable(out);
    close_file(out);
    if (out->failed != NEAP_OK) return;
    if (ni_system.rename(out->temporary, out->target)) {
        fail(out, NEAP_E_IO, errno);
        return;
    }
    out->renames = false;
    if (ni_system.fsync(out->folder) && errno != EINVAL) /* EINVAL: a file system without it */
        fail(out, NEAP_E_IO, errno);
}

static neap_status result_of(const ni_output *out, neap_error *err)
{
    neap_status rc = out->failed;
    if (rc == NEAP_E_MEM) ni_fail_memory(err, "writing a file");
    else if (rc != NEAP_OK) ni_fail_sys(err, rc, out->sys, "cannot write %s", out->label);
    return rc;
}

neap_status ni_output_settle(ni_output *out, neap_error *err)
{
    flush(out);
    if (out->renames) make_durable(out);
    return result_of(out, err);
}

neap_status ni_output_commit(ni_output *out, neap_error *err)
{
    flush(out);
    if (out->renames) put_in_place(out);
    else close_file(out);
    neap_status rc = result_of(out, err);
    ni_output_abandon(out);
    return rc;
}

void ni_output_abandon(ni_output *out)
{
    if (!out) return;
    close_file(out);
    if (out->folder >= 0) ni_system.close(out->folder);
    if (out->renames) ni_system.unlink(out->temporary);
    ni_free(out);
}

neap_status neap_file_replace(const char *path, const void *bytes, size_t count, neap_error *err)
{
    if (!path || (!bytes && count))
        return ni_fail(err, NEAP_E_ARG, "neap_file_replace needs a path and bytes");
    ni_output *out;
    neap_status rc = ni_output_open(path, &out, err);
    if (!out) return rc;
    ni_output_write(out, bytes, count);
    return ni_output_commit(out, err);
}
