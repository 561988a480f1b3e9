/* A long output in parts, each of them safe once it is written.
 *
 * PATH.part is a head, "neap parts 1 LENGTH CRC" and a line that tells what is made, and then the parts: a
 * line "part NUMBER LENGTH CRC" and the bytes of each, all checksums CRC-32C in eight hexadecimal digits. A
 * part is appended and fsynced; a torn one at the end is found by its checksum and cut off. In the end the
 * bytes of all parts are copied to PATH, which is replaced whole (output.h), and PATH.part goes. With PATH
 * ending in .gz each part is a member of its own, so that the bytes do not depend on interruptions. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/sys.h"
#include "io/crc32c.h"
#include "io/gzip.h"
#include "io/output.h"
#include "support/path.h"
#include "support/status.h"

enum { LINE_ROOM = 80, ABOUT_MOST = 4096, BUFFER = 65536, HEX = 8 };
static const char magic[] = "neap parts 1 ";

struct neap_parts {
    int fd;
    bool packed; /* gzip */
    uint64_t count;
    char *path;
    char file[PATH_MAX]; /* path.part */
    unsigned char buffer[BUFFER];
};

/* ---- the file of parts ---- */

static neap_status fail_file(const neap_parts *p, neap_error *err)
{
    return ni_fail_sys(err, NEAP_E_IO, errno, "cannot write %.200s", p->file);
}

static neap_status not_ours(const neap_parts *p, neap_error *err)
{
    return ni_fail(err, NEAP_E_FORMAT,
                   "%.200s exists and holds no parts of an unfinished output; remove it, or name another "
                   "output",
                   p->file);
}

/* As many bytes as there are, up to count; *sys is an errno, or 0. */
static size_t read_some(int fd, void *bytes, size_t count, int *sys)
{
    size_t got = 0;
    while (got < count && !*sys) {
        ssize_t n = ni_system.read(fd, (char *)bytes + got, count - got);
        if (n == 0) break;
        if (n > 0) got += (size_t)n;
        else if (errno != EINTR) *sys = errno;
    }
    return got;
}

/* A line byte by byte, without its end; false if there is none of less than `room` bytes. */
static bool read_line(int fd, char *line, size_t room, int *sys)
{
    for (size_t used = 0; used < room; used++) {
        if (read_some(fd, line + used, 1, sys) != 1) return false;
        if (line[used] == '\n') return line[used] = 0, true;
    }
    return false;
}

/* Takes a number and the blank or the end behind it off a line. */
static bool take_number(const char **at, uint64_t *value)
{
    size_t length = strcspn(*at, " ");
    if (!ni_parse_u64(*at, length, value)) return false;
    *at += length + ((*at)[length] == ' ');
    return true;
}

static bool take_crc(const char *at, uint32_t *crc)
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(at) != HEX || strspn(at, digits) != HEX) return false;
    for (*crc = 0; *at; at++) *crc = *crc << 4 | (uint32_t)(strchr(digits, *at) - digits);
    return true;
}

/* ---- parts that are there ---- */

typedef struct part {
    uint64_t bytes;
    uint32_t crc;
} part;

/* The line before part `number`; false: there is no such part, or not all of its line. */
static bool read_head(const neap_parts *p, uint64_t number, part *found, int *sys)
{
    char line[LINE_ROOM];
    uint64_t said;
    const char *at = line + 5;
    if (!read_line(p->fd, line, sizeof line, sys) || strncmp(line, "part ", 5)) return false;
    return take_number(&at, &said) && said == number && take_number(&at, &found->bytes) &&
           take_crc(at, &found->crc);
}

/* Its bytes, to `out` if that is not NULL; false: they are not all there, or others. */
static bool read_bytes(neap_parts *p, const part *found, ni_output *out, int *sys)
{
    uint32_t crc = 0;
    for (uint64_t left = found->bytes; left;) {
        size_t want = left < BUFFER ? (size_t)left : BUFFER, got = read_some(p->fd, p->buffer, want, sys);
        crc = ni_crc32c(crc, p->buffer, got);
        if (out) ni_output_write(out, p->buffer, got);
        if (got < want) return false;
        left -= got;
    }
    return crc == found->crc;
}

/* ---- the head ---- */

static neap_status write_head(neap_parts *p, const char *about, neap_error *err)
{
    char line[LINE_ROOM];
    size_t length = strlen(about);
    int n =
        snprintf(line, sizeof line, "%s%zu %08x\n", magic, length, (unsigned)ni_crc32c(0, about, length));
    if (ftruncate(p->fd, 0) || lseek(p->fd, 0, SEEK_SET) || !ni_write_all(p->fd, line, (size_t)n) ||
        !ni_write_all(p->fd, about, length) || !ni_write_all(p->fd, "\n", 1) || ni_system.fsync(p->fd))
        return fail_file(p, err);
    return NEAP_OK;
}

/* What the file was made for; NULL in *about: the head is torn, so that nothing is lost. NEAP_E_FORMAT if
 * it is no file of parts. To be freed. */
static neap_status read_about(const neap_parts *p, char **about, neap_error *err)
{
    char line[LINE_ROOM] = "";
    uint64_t length = 0;
    uint32_t crc = 0;
    int sys = 0;
    *about = NULL;
    bool whole = read_line(p->fd, line, sizeof line, &sys);
    size_t known = strnlen(line, sizeof magic - 1);
    if (!sys && strncmp(line, magic, whole ? sizeof magic - 1 : known)) return not_ours(p, err);
    const char *at = line + sizeof magic - 1;
    whole = whole && take_number(&at, &length) && take_crc(at, &crc) && length <= ABOUT_MOST;
    if (whole && !(*about = ni_zeros((size_t)length + 2, 1)))
        return ni_fail_memory(err, "an output in parts");
    if (whole) {
        whole =
            read_some(p->fd, *about, (size_t)length + 1, &sys) == length + 1 && (*about)[length] == '\n';
        (*about)[length] = 0;
        whole = whole && ni_crc32c(0, *about, (size_t)length) == crc;
    }
    if (sys) ni_fail_sys(err, NEAP_E_READ, sys, "cannot read %.200s", p->file);
    if (!whole || sys) ni_free(*about), *about = NULL;
    return sys ? NEAP_E_READ : NEAP_OK;
}

/* Counts the parts that are whole and cuts off what stands behind them. */
static neap_status find_parts(neap_parts *p, neap_error *err)
{
    int sys = 0;
    part found;
    off_t end = lseek(p->fd, 0, SEEK_CUR);
    while (end >= 0 && read_head(p, p->count, &found, &sys) && read_bytes(p, &found, NULL, &sys)) {
        p->count++;
        end = lseek(p->fd, 0, SEEK_CUR);
    }
    if (sys) return ni_fail_sys(err, NEAP_E_READ, sys, "cannot read %.200s", p->file);
    if (end < 0 || ftruncate(p->fd, end) || lseek(p->fd, end, SEEK_SET) < 0) return fail_file(p, err);
    return NEAP_OK;
}

/* ---- opening ---- */

/* Two runs must not write the same file. Where there are no locks, so be it. */
static neap_status lock(const neap_parts *p, neap_error *err)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(p->fd, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN)) return NEAP_OK;
    return ni_fail_sys(err, NEAP_E_IO, errno, "another run is writing %.200s", p->file);
}

/* Nobody else's file behind a symbolic link, and nothing that is read for ever, as a pipe is. */
static neap_status open_file(neap_parts *p, neap_error *err)
{
    struct stat st;
    p->fd = ni_system.open(p->file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (p->fd < 0 && errno == ELOOP) return not_ours(p, err);
    if (p->fd < 0 || ni_system.fstat(p->fd, &st)) return fail_file(p, err);
    return S_ISREG(st.st_mode) ? lock(p, err) : not_ours(p, err);
}

static neap_status begin(neap_parts *p, const neap_parts_spec *spec, neap_error *err)
{
    char *about = NULL;
    neap_status rc = open_file(p, err);
    if (rc == NEAP_OK) rc = read_about(p, &about, err);
    if (rc == NEAP_OK && spec->resume && about && strcmp(about, spec->about))
        rc = ni_fail(
            err, NEAP_E_MISMATCH,
            "%.200s is of another model or of other options; use the same, or start without --resume",
            p->file);
    if (rc == NEAP_OK) rc = spec->resume && about ? find_parts(p, err) : write_head(p, spec->about, err);
    ni_free(about);
    return rc;
}

neap_status neap_parts_open(const neap_parts_spec *given, neap_parts **out, neap_error *err)
{
    neap_parts_spec spec;
    *out = NULL;
    neap_status rc = ni_sized_in(&spec, sizeof spec, given, "neap_parts_spec", err);
    if (rc != NEAP_OK) return rc;
    if (!spec.path || !spec.about || strlen(spec.about) > ABOUT_MOST || strchr(spec.about, '\n'))
        return ni_fail(err, NEAP_E_ARG, "an output in parts needs a path and a line about it");
    size_t length = strlen(spec.path);
    neap_parts *p = ni_array(1, sizeof *p);
    if (!p) return ni_fail_memory(err, "an output in parts");
    p->fd = -1;
    p->count = 0;
    p->packed = ni_path_ends(spec.path, length, ".gz");
    p->path = ni_copy(spec.path, length + 1, 1);
    int n = snprintf(p->file, sizeof p->file, "%s.part", spec.path);
    if (!p->path) rc = ni_fail_memory(err, "an output in parts");
    else if (n < 0 || (size_t)n >= sizeof p->file) rc = ni_fail(err, NEAP_E_ARG, "the path is too long");
    else rc = begin(p, &spec, err);
    if (rc == NEAP_OK) *out = p;
    else neap_parts_close(p);
    return rc;
}

uint64_t neap_parts_count(const neap_parts *p)
{
    return p->count;
}

void neap_parts_close(neap_parts *p)
{
    if (!p) return;
    if (p->fd >= 0) ni_system.close(p->fd);
    ni_free(p->path);
    ni_free(p);
}

/* ---- adding ---- */

static neap_status append(neap_parts *p, const void *bytes, size_t count, neap_error *err)
{
    char line[LINE_ROOM];
    int n = snprintf(line, sizeof line, "part %llu %zu %08x\n", (unsigned long long)p->count, count,
                     (unsigned)ni_crc32c(0, bytes, count));
    if (!ni_write_all(p->fd, line, (size_t)n) || !ni_write_all(p->fd, bytes, count) ||
        ni_system.fsync(p->fd))
        return fail_file(p, err);
    p->count++;
    return NEAP_OK;
}

neap_status neap_parts_add(neap_parts *p, const void *bytes, size_t count, neap_error *err)
{
    if (!p->packed) return append(p, bytes, count, err);
    size_t packed;
    unsigned char *member = ni_gzip_pack(bytes, count, &packed);
    if (!member) return ni_fail_memory(err, "packing a part");
    neap_status rc = append(p, member, packed, err);
    ni_free(member);
    return rc;
}

/* ---- the end ---- */

static neap_status copy_parts(neap_parts *p, ni_output *out, neap_error *err)
{
    int sys = 0;
    part found = { 0 };
    char *about;
    if (lseek(p->fd, 0, SEEK_SET)) return fail_file(p, err);
    neap_status rc = read_about(p, &about, err);
    bool whole = rc == NEAP_OK && about;
    ni_free(about);
    for (uint64_t i = 0; i < p->count && whole; i++)
        whole = read_head(p, i, &found, &sys) && read_bytes(p, &found, out, &sys);
    if (rc != NEAP_OK || whole) return rc;
    if (sys) return ni_fail_sys(err, NEAP_E_READ, sys, "cannot read %.200s", p->file);
    return ni_fail(err, NEAP_E_FORMAT, "%.200s was changed by somebody else; start again without --resume",
                   p->file);
}

neap_status neap_parts_finish(neap_parts *p, neap_error *err)
{
    ni_output *out;
    neap_status rc = ni_output_open(p->path, &out, err);
    if (rc == NEAP_OK) {
        rc = copy_parts(p, out, err);
        if (rc == NEAP_OK) rc = ni_output_commit(out, err);
        else ni_output_abandon(out);
    }
    if (rc == NEAP_OK && ni_system.unlink(p->file) && errno != ENOENT)
        rc = ni_fail_sys(err, NEAP_E_IO, errno, "%.200s is complete, but %.100s cannot be removed", p->path,
                         p->file);
    neap_parts_close(p);
    return rc;
}
