/* Files that are no text, by their magic numbers: what they are, and how to read them. */
#include "io/stream.h"

#include <string.h>

#include "support/status.h"

#define PICKLE                                                                                             \
    {                                                                                                      \
        "a Python pickle", NI_EXPORT_EDGES                                                                 \
    }

static const struct kind {
    size_t at, length; /* where the mark stands in the file */
    const char *mark;
    ni_foreign found;
} kinds[] = {
    { 0, 6, "\xfd\x37zXZ\0", { "xz data", "unpack it on the way: `xzcat FILE | neap train -`" } },
    /* A dot is any byte, here the size of a block; behind it the digits of pi. */
    { 0, 10, "BZh.1AY&SY", { "bzip2 data", "unpack it on the way: `bzcat FILE | neap train -`" } },
    { 0, 4, "\x04\x22M\x18", { "lz4 data", "unpack it on the way: `lz4 -dc FILE | neap train -`" } },
    { 0,
      4,
      "PK\x03\x04",
      { "a zip archive (.zip, .xlsx, .npz)",
        "if it holds one text file: `unzip -p FILE | neap train -`" } },
    { 0,
      6,
      "7z\xbc\xaf\x27\x1c",
      { "a 7z archive", "if it holds one text file: `7z x -so FILE | neap train -`" } },
    { 0, 5, "%PDF-", { "a PDF document", NI_EXPORT_EDGES } },
    { 0, 5, "<?xml", { "XML (GraphML, GEXF)", NI_EXPORT_EDGES } },
    { 0, 6, "\x93NUMPY", { "a NumPy array", NI_EXPORT_EDGES } },
    { 0, 4, "\x89HDF", { "HDF5 data", NI_EXPORT_EDGES } },
    { 0, 5, "PAR1\x15", { "a Parquet table", NI_EXPORT_EDGES } },
    { 0, 16, "SQLite format 3", { "an SQLite database", NI_EXPORT_EDGES } },
    { 0, 2, "\x80\x02", PICKLE },
    { 0, 2, "\x80\x03", PICKLE },
    { 0, 2, "\x80\x04", PICKLE },
    { 0, 2, "\x80\x05", PICKLE },
};

static const ni_foreign tensors = { "a safetensors file, as neap's models and graphs are",
                                    "`neap info FILE` says what it holds; a graph is read with "
                                    "--format auto and by its name, not from a pipe" };

static const ni_foreign tar = { "a tar archive",
                                "if it holds one text file: `tar -xOf FILE | neap train -`" };

/* The first header of a tar archive: 512 bytes, among them their sum in octal digits, in which its own
 * place counts as blanks. The word alone may well be a name in a text. */
static bool is_tar(const unsigned char *b, size_t count)
{
    enum { HEADER = 512, SUM = 148, SUM_BYTES = 8, MARK = 257 };
    if (count < HEADER || memcmp(b + MARK, "ustar", 5)) return false;
    unsigned sum = 0, said = 0;
    for (unsigned i = 0; i < HEADER; i++) sum += i - SUM < SUM_BYTES ? ' ' : b[i];
    for (unsigned i = SUM; i < SUM + SUM_BYTES; i++)
        if (b[i] >= '0' && b[i] <= '7') said = said * 8 + (b[i] - '0');
    return sum == said;
}

bool ni_foreign_is_tensors(const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    return count > 8 && !memcmp(b + 4, "\0\0\0", 4) && b[8] == '{';
}

static bool has_mark(const char *bytes, const struct kind *k)
{
    for (size_t i = 0; i < k->length; i++)
        if (k->mark[i] != '.' && bytes[k->at + i] != k->mark[i]) return false;
    return true;
}

const ni_foreign *ni_foreign_find(const void *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = &kinds[i];
        if (count >= k->at + k->length && has_mark(bytes, k)) return &k->found;
    }
    if (is_tar(bytes, count)) return &tar;
    return ni_foreign_is_tensors(bytes, count) ? &tensors : NULL;
}

neap_status ni_foreign_refuse(const ni_stream_in *in, const char *wanted, neap_error *err)
{
    size_t count;
    const void *start = ni_stream_peek(in, &count);
    const ni_foreign *found = ni_foreign_find(start, count);
    if (!found) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT, "%.200s: this is %s; %s", ni_stream_label(in),
                   found == &tensors ? "a safetensors file" : found->what, wanted);
}
