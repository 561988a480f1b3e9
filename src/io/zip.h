/* zip.h - a zip archive of stored files (no compression), as NumPy's .npz wants it: every size is known
 * before the bytes, so that it can be written to a pipe; zip64 where a size or a position needs it. The
 * time of each file is the first that the format has, so that the same contents are the same bytes. */
#ifndef NI_ZIP_H
#define NI_ZIP_H

#include <stdint.h>

#include "support/text.h"

enum { NI_ZIP_FILES = 4 };

typedef struct ni_zip_file {
    const char *name; /* of at most 64 bytes; must outlive the archive */
    uint64_t bytes, at;
    uint32_t crc;
} ni_zip_file;

typedef struct ni_zip {
    ni_sink out;
    uint64_t at; /* bytes written */
    ni_zip_file file[NI_ZIP_FILES];
    uint32_t files;
} ni_zip;

/* The checksum that zip has (CRC-32 of ISO-HDLC), from 0 on. */
uint32_t ni_zip_crc(uint32_t crc, const void *bytes, size_t count);

/* The next file; its bytes follow by ni_zip_write, exactly so many. At most NI_ZIP_FILES of them. */
void ni_zip_add(ni_zip *zip, const char *name, uint64_t bytes, uint32_t crc);
void ni_zip_write(ni_zip *zip, const void *bytes, size_t count);

/* The list of files, which ends an archive. */
void ni_zip_end(ni_zip *zip);

#endif
