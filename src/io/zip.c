/* Stored zip archives by PKWARE's APPNOTE 6.3.9, sections 4.3 and 4.5.3: local headers before the data, the
 * central directory behind them. A number that 32 bits cannot hold is all ones in its place and stands in a
 * zip64 field. All numbers are little-endian. */
#include "io/zip.h"

#include <string.h>
#include <zlib.h>

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END_64 = 0x06064b50,
    END_64_AT = 0x07064b50,
    VERSION = 20,
    VERSION_64 = 45,
    DATE = 1 << 5 | 1, /* 1980-01-01 */
    ROOM = 256
};

uint32_t ni_zip_crc(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}

/* ---- a record, before it is written ---- */

typedef struct record {
    unsigned char bytes[ROOM];
    size_t used;
} record;

static void put(record *r, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) r->bytes[r->used++] = (unsigned char)(value >> 8 * i);
}

static void put_name(record *r, const char *name)
{
    memcpy(r->bytes + r->used, name, strlen(name));
    r->used += strlen(name);
}

static bool is_large(uint64_t value)
{
    return value >= UINT32_MAX;
}

static uint32_t short_of(uint64_t value)
{
    return is_large(value) ? UINT32_MAX : (uint32_t)value;
}

static void write_record(ni_zip *z, const record *r)
{
    ni_zip_write(z, r->bytes, r->used);
}

/* What local and central headers have in common: from the version to the length of the name. */
static void put_file(record *r, const ni_zip_file *f, bool large)
{
    put(r, large ? VERSION_64 : VERSION, 2);
    put(r, 0, 2); /* flags            */
    put(r, 0, 2); /* method: stored   */
    put(r, 0, 2); /* time             */
    put(r, DATE, 2);
    put(r, f->crc, 4);
    put(r, short_of(f->bytes), 4); /* as it is stored */
    put(r, short_of(f->bytes), 4); /* as it was       */
    put(r, strlen(f->name), 2);
}

/* ---- files ---- */

void ni_zip_write(ni_zip *z, const void *bytes, size_t count)
{
    z->out.write(z->out.to, bytes, count);
    z->at += count;
}

void ni_zip_add(ni_zip *z, const char *name, uint64_t bytes, uint32_t crc)
{
    record r = { .used = 0 };
    ni_zip_file *f = &z->file[z->files++];
    *f = (ni_zip_file){ name, bytes, z->at, crc };
    bool large = is_large(bytes);
    put(&r, LOCAL, 4);
    put_file(&r, f, large);
    put(&r, large ? 20 : 0, 2); /* length of the extra field */
    put_name(&r, name);
    if (large) {
        put(&r, 1, 2); /* zip64 */
        put(&r, 16, 2);
        put(&r, bytes, 8);
        put(&r, bytes, 8);
    }
    write_record(z, &r);
}

/* ---- the list ---- */

static void list_file(ni_zip *z, const ni_zip_file *f)
{
    record r = { .used = 0 };
    unsigned extra = (is_large(f->bytes) ? 16 : 0) + (is_large(f->at) ? 8 : 0);
    put(&r, CENTRAL, 4);
    put(&r, extra ? VERSION_64 : VERSION, 2);
    put_file(&r, f, extra > 0);
    put(&r, extra ? extra + 4 : 0, 2);
    put(&r, 0, 2); /* length of the comment */
    put(&r, 0, 2); /* disk                  */
    put(&r, 0, 2); /* internal attributes   */
    put(&r, 0, 4); /* external attributes   */
    put(&r, short_of(f->at), 4);
    put_name(&r, f->name);
    if (extra) put(&r, 1, 2), put(&r, extra, 2);
    if (is_large(f->bytes)) put(&r, f->bytes, 8), put(&r, f->bytes, 8);
    if (is_large(f->at)) put(&r, f->at, 8);
    write_record(z, &r);
}

static void put_end_64(record *r, uint64_t files, uint64_t length, uint64_t at)
{
    put(r, END_64, 4);
    put(r, 44, 8); /* what follows of this record */
    put(r, VERSION_64, 2);
    put(r, VERSION_64, 2);
    put(r, 0, 4);
    put(r, 0, 4);
    put(r, files, 8);
    put(r, files, 8);
    put(r, length, 8);
    put(r, at, 8);
    put(r, END_64_AT, 4);
    put(r, 0, 4);
    put(r, at + length, 8);
    put(r, 1, 4); /* disks */
}

void ni_zip_end(ni_zip *z)
{
    record r = { .used = 0 };
    uint64_t at = z->at;
    for (uint32_t i = 0; i < z->files; i++) list_file(z, &z->file[i]);
    uint64_t length = z->at - at;
    if (is_large(at)) put_end_64(&r, z->files, length, at);
    put(&r, END, 4);
    put(&r, 0, 2);
    put(&r, 0, 2);
    put(&r, z->files, 2);
    put(&r, z->files, 2);
    put(&r, length, 4);
    put(&r, short_of(at), 4);
    put(&r, 0, 2);
    write_record(z, &r);
}
