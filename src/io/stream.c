/* Input in one buffer, plain or unpacked by zlib or zstd, chosen by the first bytes. O(bytes), 256 KiB
 * and the state of the library; a stream belongs to one thread. */
#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/sized.h"
#include "base/sys.h"
#include "io/gzip.h"
#include "support/status.h"

enum { INPUT = 1 << 18, MAGIC = 4, PEEK = 16 };

typedef enum method { PLAIN, GZIP, ZSTD } method;

struct ni_stream_in {
    int fd;
    bool is_stdin, ended; /* ended: read has returned 0 */
    method method;
    unsigned char *input; /* bytes of the file not yet handed out or unpacked: from .. to */
    size_t from, to;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    bool inside; /* between the start and the end of a member or frame */
    char *label;
    ni_watch watch;
    uint64_t taken, size; /* bytes read from the file; of all of it, 0: not known */
};

neap_status ni_stream_look(ni_stream_in *in, neap_error *err)
{
    return ni_watch_look(&in->watch, in->taken, in->size) ? NEAP_OK : ni_watch_stopped(&in->watch, err);
}

/* One read, repeated if a signal cut it short; *got = 0 only at the end. */
static neap_status read_some(ni_stream_in *in, void *bytes, size_t room, size_t *got, neap_error *err)
{
    ssize_t n;
    *got = 0;
    neap_status rc = ni_stream_look(in, err);
    if (rc != NEAP_OK) return rc;
    do n = ni_system.read(in->fd, bytes, room);
    while (n < 0 && errno == EINTR);
    *got = n < 0 ? 0 : (size_t)n;
    if (n < 0) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot read %s", in->label);
    if (n == 0) in->ended = true;
    in->taken += *got;
    return NEAP_OK;
}

void ni_stream_watch(ni_stream_in *in, const neap_hooks *hooks)
{
    struct stat st;
    in->watch = ni_watch_begin(hooks, "load");
    if (!ni_system.fstat(in->fd, &st) && S_ISREG(st.st_mode)) in->size = (uint64_t)st.st_size;
}

/* Reads until at least `want` bytes of input are there or the file ends. */
static neap_status refill(ni_stream_in *in, size_t want, neap_error *err)
{
    if (in->from) memmove(in->input, in->input + in->from, in->to - in->from);
    in->to -= in->from;
    in->from = 0;
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && in->to < want && !in->ended) {
        size_t got;
        rc = read_some(in, in->input + in->to, INPUT - in->to, &got, err);
        in->to += got;
    }
    return rc;
}

static method recognise(const unsigned char *b, size_t n)
{
    if (n >= 2 && b[0] == 0x1f && b[1] == 0x8b) return GZIP;
    if (n >= 4 && b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd) return ZSTD;
    if (n >= 4 && (b[0] & 0xf0) == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18)
        return ZSTD; /* a frame to skip, as parallel compressors put first */
    return PLAIN;
}

static neap_status start_method(ni_stream_in *in, neap_error *err)
{
    in->method = recognise(in->input, in->to);
    if (in->method == GZIP) {
        in->gzip.zalloc = ni_zlib_allocate;
        in->gzip.zfree = ni_zlib_release;
        if (inflateInit2(&in->gzip, 15 + 16) != Z_OK) {
            in->method = PLAIN; /* nothing to end */
            return ni_fail_memory(err, "unpacking gzip");
        }
    }
    if (in->method == ZSTD && !(in->zstd = ZSTD_createDCtx())) return ni_fail_memory(err, "unpacking zstd");
    return NEAP_OK;
}

static neap_status open_file(ni_stream_in *in, const char *path, neap_error *err)
{
    in->is_stdin = !strcmp(path, "-");
    const char *label = in->is_stdin ? "standard input" : path;
    in->label = ni_array(strlen(label) + 1, 1);
    in->input = ni_array(INPUT, 1);
    if (!in->label || !in->input) return ni_fail_memory(err, "reading a file");
    memcpy(in->label, label, strlen(label) + 1);
    in->fd = in->is_stdin ? STDIN_FILENO : ni_system.open(path, O_RDONLY, 0);
    if (in->fd < 0) return ni_fail_sys(err, NEAP_E_READ, errno, "cannot open %s", path);
    return NEAP_OK;
}

neap_status ni_stream_open(const char *path, ni_stream_in **out, neap_error *err)
{
    *out = NULL;
    ni_stream_in *in = ni_zeros(1, sizeof *in);
    if (!in) return ni_fail_memory(err, "reading a file");
    in->fd = -1;
    neap_status rc = open_file(in, path, err);
    if (rc == NEAP_OK) rc = refill(in, PEEK, err);
    if (rc == NEAP_OK) rc = start_method(in, err);
    if (rc == NEAP_OK) *out = in;
    else ni_stream_close(in);
    return rc;
}

void ni_stream_close(ni_stream_in *in)
{
    if (!in) return;
    if (in->method == GZIP) inflateEnd(&in->gzip);
    ZSTD_freeDCtx(in->zstd);
    if (in->fd >= 0 && !in->is_stdin) ni_system.close(in->fd);
    ni_free(in->input);
    ni_free(in->label);
    ni_free(in);
}

static neap_status damaged(const ni_stream_in *in, const char *why, neap_error *err)
{
    return ni_fail(err, NEAP_E_FORMAT, "%s: the %s data is damaged (%s); fetch or make the file again",
                   in->label, ni_stream_compression(in), why);
}

/* One step of unpacking: takes what it can of the input, gives what it can into bytes .. bytes + room. */
static neap_status step_gzip(ni_stream_in *in, unsigned char *bytes, size_t room, size_t *got,
                             neap_error *err)
{
    if (!in->inside && recognise(in->input + in->from, in->to - in->from) != GZIP)
        return damaged(in, "something else follows its end", err);
    if (!in->inside) inflateReset(&in->gzip);
    in->inside = true;
    in->gzip.next_in = in->input + in->from;
    in->gzip.avail_in = (uInt)(in->to - in->from);
    in->gzip.next_out = bytes;
    in->gzip.avail_out = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    uInt before = in->gzip.avail_out;
    int rc = inflate(&in->gzip, Z_NO_FLUSH);
    in->from = in->to - in->gzip.avail_in;
    *got = before - in->gzip.avail_out;
    if (rc == Z_MEM_ERROR) return ni_fail_memory(err, "unpacking gzip");
    if (rc == Z_STREAM_END) in->inside = false;
    else if (rc != Z_OK && rc != Z_BUF_ERROR)
        return damaged(in, in->gzip.msg ? in->gzip.msg : "inflate", err);
    return NEAP_OK;
}

static neap_status step_zstd(ni_stream_in *in, unsigned char *bytes, size_t room, size_t *got,
                             neap_error *err)
{
    ZSTD_inBuffer from = { in->input + in->from, in->to - in->from, 0 };
    ZSTD_outBuffer to = { bytes, room, 0 };
    size_t rc = ZSTD_decompressStream(in->zstd, &to, &from);
    in->from += from.pos;
    *got = to.pos;
    if (ZSTD_isError(rc)) return damaged(in, ZSTD_getErrorName(rc), err);
    in->inside = rc != 0;
    return NEAP_OK;
}

static neap_status unpack(ni_stream_in *in, unsigned char *bytes, size_t room, size_t *got, neap_error *err)
{
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && *got < room) {
        size_t gave = 0, before = in->from;
        if (in->to - in->from < MAGIC) rc = refill(in, MAGIC, err), before = 0;
        if (rc != NEAP_OK) break;
        if (in->from == in->to && !in->inside) break;
        rc = in->method == GZIP ? step_gzip(in, bytes + *got, room - *got, &gave, err)
                                : step_zstd(in, bytes + *got, room - *got, &gave, err);
        *got += gave;
        if (rc == NEAP_OK && gave == 0 && in->from == before && in->inside)
            rc = damaged(in, "it ends too early", err);
    }
    return rc;
}

static neap_status copy(ni_stream_in *in, unsigned char *bytes, size_t room, size_t *got, neap_error *err)
{
    size_t kept = in->to - in->from < room ? in->to - in->from : room;
    memcpy(bytes, in->input + in->from, kept);
    in->from += kept;
    *got = kept;
    neap_status rc = NEAP_OK;
    while (rc == NEAP_OK && *got < room && !in->ended) {
        size_t n;
        rc = read_some(in, bytes + *got, room - *got, &n, err);
        *got += n;
    }
    return rc;
}

neap_status ni_stream_read(ni_stream_in *in, void *bytes, size_t room, size_t *got, neap_error *err)
{
    *got = 0;
    return in->method == PLAIN ? copy(in, bytes, room, got, err) : unpack(in, bytes, room, got, err);
}

const void *ni_stream_peek(const ni_stream_in *in, size_t *count)
{
    *count = in->to < PEEK ? in->to : PEEK;
    return in->input;
}

const char *ni_stream_compression(const ni_stream_in *in)
{
    static const char *const names[] = { "none", "gzip", "zstd" };
    return names[in->method];
}

const char *ni_stream_label(const ni_stream_in *in)
{
    return in->label;
}
