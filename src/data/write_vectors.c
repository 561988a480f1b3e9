/* Vectors for other tools, by the ending of the path; one writer per format, all through whole-file
 * output. O(n d), streamed: no copy of the vectors. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/tensors.h"
#include "io/zip.h"
#include "neap.h"
#include "support/json.h"
#include "support/path.h"
#include "support/status.h"

typedef struct table {
    const char *path;
    const neap_graph *graph;
    const float *vectors; /* n x dim */
    uint32_t n, dim;
} table;

static void write_row(ni_output *out, const table *t, uint32_t i, char mark)
{
    char number[33];
    for (uint32_t k = 0; k < t->dim; k++) {
        size_t length = ni_format_float(t->vectors[(size_t)i * t->dim + k], number + 1);
        number[0] = mark;
        ni_output_write(out, k ? number : number + 1, k ? length + 1 : length);
    }
}

static void write_word2vec_text(ni_output *out, const table *t)
{
    ni_output_print(out, "%u %u\n", t->n, t->dim);
    for (uint32_t i = 0; i < t->n; i++) {
        ni_escape(ni_output_sink(out), neap_graph_name(t->graph, i), true);
        ni_output_write(out, " ", 1);
        write_row(out, t, i, ' ');
        ni_output_write(out, "\n", 1);
    }
}

static void write_word2vec_binary(ni_output *out, const table *t)
{
    ni_output_print(out, "%u %u\n", t->n, t->dim);
    for (uint32_t i = 0; i < t->n; i++) {
        ni_escape(ni_output_sink(out), neap_graph_name(t->graph, i), true);
        ni_output_write(out, " ", 1);
        ni_output_write(out, t->vectors + (size_t)i * t->dim, t->dim * sizeof *t->vectors);
        ni_output_write(out, "\n", 1);
    }
}

static void write_npy(ni_output *out, const table *t)
{
    char header[NI_NPY_HEADER];
    ni_npy_header("<f4", t->n, t->dim, header);
    ni_output_write(out, header, sizeof header);
    ni_output_write(out, t->vectors, (size_t)t->n * t->dim * sizeof *t->vectors);
}

static void write_tsv(ni_output *out, const table *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        write_row(out, t, i, '\t');
        ni_output_write(out, "\n", 1);
    }
}

/* node, x0, x1, ...: a quoted name may hold anything, line breaks included. */
static void write_csv(ni_output *out, const table *t)
{
    ni_output_text(out, "node");
    for (uint32_t k = 0; k < t->dim; k++) ni_output_print(out, ",x%u", k);
    ni_output_text(out, "\n");
    for (uint32_t i = 0; i < t->n; i++) {
        const char *name = neap_graph_name(t->graph, i);
        if (strpbrk(name, " ,\"\t\r\n")) ni_quote(ni_output_sink(out), name);
        else ni_output_text(out, name);
        ni_output_write(out, ",", 1);
        write_row(out, t, i, ',');
        ni_output_write(out, "\n", 1);
    }
}

static void write_jsonl(ni_output *out, const table *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        ni_output_text(out, "{\"node\":");
        ni_json_string(ni_output_sink(out), neap_graph_name(t->graph, i));
        ni_output_text(out, ",\"vector\":[");
        write_row(out, t, i, ',');
        ni_output_text(out, "]}\n");
    }
}

static void write_names(ni_output *out, const table *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        ni_escape(ni_output_sink(out), neap_graph_name(t->graph, i), false);
        ni_output_write(out, "\n", 1);
    }
}

static neap_status write_file(const char *path, const table *t, void (*write)(ni_output *, const table *),
                              neap_error *err)
{
    ni_output *out;
    neap_status rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    write(out, t);
    return ni_output_commit(out, err);
}

/* Names one behind the other, each ended by a NUL, as in a graph file. */
static void gather_names(const table *t, uint64_t *offset, char *bytes)
{
    offset[0] = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const char *name = neap_graph_name(t->graph, i);
        size_t length = strlen(name) + 1;
        if (bytes) memcpy(bytes + offset[i], name, length);
        offset[i + 1] = offset[i] + length;
    }
}

static neap_status write_safetensors(const table *t, neap_error *err)
{
    ni_tensors all = { .count = 0 };
    neap_status rc = NEAP_E_MEM;
    char *bytes = NULL;
    uint64_t *offset = ni_array((size_t)t->n + 1, sizeof *offset);
    if (!offset) goto done;
    gather_names(t, offset, NULL);
    bytes = ni_array((size_t)offset[t->n], 1);
    if (!bytes) goto done;
    gather_names(t, offset, bytes);
    ni_tensors_put(&all, "neap.kind", "vectors");
    ni_tensors_add(&all, "vectors", NI_F32, 2, (uint64_t[]){ t->n, t->dim }, t->vectors);
    ni_tensors_add(&all, "names.offsets", NI_U64, 1, (uint64_t[]){ (uint64_t)t->n + 1 }, offset);
    ni_tensors_add(&all, "names.bytes", NI_U8, 1, &offset[t->n], bytes);
    rc = ni_tensors_write(&all, t->path, err);
    ni_tensors_release(&all);
done:
    if (!bytes) ni_fail_memory(err, "names");
    ni_free(bytes);
    ni_free(offset);
    return rc;
}

/* ---- npz: vectors.npy and names.npy in one archive ---- */

/* NumPy keeps texts of one length, 4 bytes a character: as wide as the longest name. */
typedef struct name_array {
    const table *table;
    uint32_t width;  /* characters                  */
    uint32_t *point; /* width: one name, then zeros */
} name_array;

/* The bytes of all names, one after the other. */
static void each_name(const name_array *a, void (*take)(void *to, const void *bytes, size_t count),
                      void *to)
{
    for (uint32_t i = 0; i < a->table->n; i++) {
        uint32_t used = 0;
        for (const char *at = neap_graph_name(a->table->graph, i); *at;)
            a->point[used++] = ni_utf8_next(&at);
        memset(a->point + used, 0, (a->width - used) * sizeof *a->point);
        take(to, a->point, a->width * sizeof *a->point);
    }
}

static void add_to_crc(void *to, const void *bytes, size_t count)
{
    uint32_t *crc = to;
    *crc = ni_zip_crc(*crc, bytes, count);
}

static void add_to_zip(void *to, const void *bytes, size_t count)
{
    ni_zip_write(to, bytes, count);
}

static void zip_vectors(ni_zip *zip, const table *t)
{
    char header[NI_NPY_HEADER];
    size_t bytes = (size_t)t->n * t->dim * sizeof *t->vectors;
    ni_npy_header("<f4", t->n, t->dim, header);
    uint32_t crc = ni_zip_crc(ni_zip_crc(0, header, sizeof header), t->vectors, bytes);
    ni_zip_add(zip, "vectors.npy", sizeof header + bytes, crc);
    ni_zip_write(zip, header, sizeof header);
    ni_zip_write(zip, t->vectors, bytes);
}

static void zip_names(ni_zip *zip, const name_array *a)
{
    char header[NI_NPY_HEADER], type[16];
    snprintf(type, sizeof type, "<U%u", a->width);
    ni_npy_header(type, a->table->n, 0, header);
    uint32_t crc = ni_zip_crc(0, header, sizeof header);
    each_name(a, add_to_crc, &crc);
    ni_zip_add(zip, "names.npy", sizeof header + (uint64_t)a->table->n * a->width * sizeof *a->point, crc);
    ni_zip_write(zip, header, sizeof header);
    each_name(a, add_to_zip, zip);
}

static uint32_t longest_name(const table *t)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t length = 0;
        for (const char *at = neap_graph_name(t->graph, i); *at; length++) ni_utf8_next(&at);
        if (length > most) most = length;
    }
    return most;
}

static neap_status write_npz(const table *t, neap_error *err)
{
    name_array a = { .table = t, .width = longest_name(t) };
    ni_output *out;
    if ((uint64_t)t->n * a.width > UINT32_MAX / sizeof *a.point)
        return ni_fail(
            err, NEAP_E_LIMIT,
            "NumPy makes all names as long as the longest, which has %u characters: that is more "
            "than 4 GiB; .npy keeps names in a file beside it",
            a.width);
    a.point = ni_array(a.width, sizeof *a.point);
    if (!a.point) return ni_fail_memory(err, "names");
    neap_status rc = ni_output_open(t->path, &out, err);
    if (rc == NEAP_OK) {
        ni_zip zip = { .out = ni_output_sink(out) };
        zip_vectors(&zip, t);
        zip_names(&zip, &a);
        ni_zip_end(&zip);
        rc = ni_output_commit(out, err);
    }
    ni_free(a.point);
    return rc;
}

/* ---- by the ending ---- */

static const struct format {
    const char *ending;
    void (*write)(ni_output *out, const table *t);         /* what goes into one file                */
    neap_status (*whole)(const table *t, neap_error *err); /* or, where that is NULL, all of it      */
    const char *side;                                      /* ending of the file with names, or NULL */
} formats[] = {
    { ".txt", write_word2vec_text, NULL, NULL },
    { ".vec", write_word2vec_text, NULL, NULL },
    { ".bin", write_word2vec_binary, NULL, NULL },
    { ".npy", write_npy, NULL, ".names.txt" },
    { ".npz", NULL, write_npz, NULL },
    { ".safetensors", NULL, write_safetensors, NULL },
    { ".csv", write_csv, NULL, NULL },
    { ".tsv", write_tsv, NULL, ".meta.tsv" },
    { ".jsonl", write_jsonl, NULL, NULL },
};

static const struct format *find_format(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ni_path_ends(path, strlen(path), formats[i].ending)) return &formats[i];
    return NULL;
}

neap_status neap_vectors_names_path(const char *path, char *names, size_t room, neap_error *err)
{
    if (!path || !names || !room)
        return ni_fail(err, NEAP_E_ARG, "neap_vectors_names_path needs a path and room");
    const struct format *format = find_format(path);
    *names = 0;
    if (!format || !format->side) return NEAP_OK;
    int stem = (int)(strlen(path) - strlen(format->ending));
    int n = snprintf(names, room, "%.*s%s", stem, path, format->side);
    return n < 0 || (size_t)n >= room ? ni_fail(err, NEAP_E_ARG, "the path is too long") : NEAP_OK;
}

/* The names are put in their place first, so that there are no vectors without names, but after all of the
 * vectors is on the disk: a full one leaves both files as they were. */
static neap_status write_with_names(const table *t, const char *names,
                                    void (*write)(ni_output *, const table *), neap_error *err)
{
    ni_output *out;
    neap_status rc = ni_output_open(t->path, &out, err);
    if (rc != NEAP_OK) return rc;
    write(out, t);
    rc = ni_output_settle(out, err);
    if (rc == NEAP_OK) rc = write_file(names, t, write_names, err);
    if (rc == NEAP_OK) return ni_output_commit(out, err);
    ni_output_abandon(out);
    return rc;
}

static neap_status check_table(const table *t, neap_error *err)
{
    if (t->n > neap_graph_nodes(t->graph))
        return ni_fail(err, NEAP_E_ARG, "%u vectors for a graph of %u nodes", t->n,
                       neap_graph_nodes(t->graph));
    if (t->dim == 0) return ni_fail(err, NEAP_E_ARG, "there are no vectors: this method makes none");
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->dim; k++)
            if (!isfinite(t->vectors[(size_t)i * t->dim + k]))
                return ni_fail(err, NEAP_E_NUMERIC, "the vector of '%.60s' is not finite",
                               neap_graph_name(t->graph, i));
    return NEAP_OK;
}

neap_status neap_vectors_save(const char *path, const neap_graph *graph, const float *vectors, uint32_t n,
                              uint32_t dim, neap_error *err)
{
    if (!path || !graph || !vectors)
        return ni_fail(err, NEAP_E_ARG, "neap_vectors_save needs a path, a graph and vectors");
    const table t = { path, graph, vectors, n, dim };
    const struct format *format = find_format(path);
    if (!format)
        return ni_fail(err, NEAP_E_ARG,
                       "%s: the ending decides the format of vectors: .txt or .vec, .bin, .npy, .npz, "
                       ".safetensors, .csv, .tsv or .jsonl",
                       path);
    char names[PATH_MAX];
    neap_status rc = check_table(&t, err);
    if (rc == NEAP_OK) rc = neap_vectors_names_path(path, names, sizeof names, err);
    if (rc != NEAP_OK) return rc;
    if (*names) return write_with_names(&t, names, format->write, err);
    return format->write ? write_file(path, &t, format->write, err) : format->whole(&t, err);
}
