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

static const struct format {
    const char *ending;
    void (*write)(ni_output *out, const table *t); /* NULL: safetensors                      */
    const char *side;                              /* ending of the file with names, or NULL */
} formats[] = {
    { ".txt", write_word2vec_text, NULL },   { ".vec", write_word2vec_text, NULL },
    { ".bin", write_word2vec_binary, NULL }, { ".npy", write_npy, ".names.txt" },
    { ".safetensors", NULL, NULL },          { ".tsv", write_tsv, ".meta.tsv" },
    { ".jsonl", write_jsonl, NULL },
};

static const struct format *find_format(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (ni_path_ends(path, strlen(path), formats[i].ending)) return &formats[i];
    return NULL;
}

/* The names first: if they cannot be written, no vectors without names stand there. */
static neap_status write_side(const table *t, const struct format *format, neap_error *err)
{
    char path[PATH_MAX];
    int stem = (int)(strlen(t->path) - strlen(format->ending));
    int n = snprintf(path, sizeof path, "%.*s%s", stem, t->path, format->side);
    if (n < 0 || (size_t)n >= sizeof path) return ni_fail(err, NEAP_E_ARG, "the path is too long");
    return write_file(path, t, write_names, err);
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
                       "%s: the ending decides the format of vectors: .txt or .vec, .bin, .npy, "
                       ".safetensors, .tsv or .jsonl",
                       path);
    neap_status rc = check_table(&t, err);
    if (rc == NEAP_OK && format->side) rc = write_side(&t, format, err);
    if (rc != NEAP_OK) return rc;
    return format->write ? write_file(path, &t, format->write, err) : write_safetensors(&t, err);
}
