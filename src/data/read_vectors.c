/* Vectors of a graph's nodes from word2vec text, NumPy or safetensors files.
 *
 * Rows are taken as they come, so memory grows with the file; at the end they are put into the order of the
 * nodes where they stand.                                                                              */
#include "data/read_vectors.h"

#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "data/row_names.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "io/npy.h"
#include "io/stream.h"
#include "io/tensors.h"
#include "support/path.h"
#include "support/status.h"
#include "support/text.h"

#define FORMATS                                                                                            \
    "vectors are read from word2vec text (.txt, .vec), NumPy arrays (.npy) and safetensors (.safetensors)"

enum { DIM_MOST = 65536, LINE_MOST = 1 << 22 };

typedef struct reader {
    const char *path;
    const neap_graph *graph;
    ni_stream_in *in;
    neap_vectors *v;
    ni_row_names names;
    uint32_t *node; /* of each row so far; in the end of all, the missing ones behind */
    uint32_t rows;
} reader;

/* ---- word2vec text ---- */

typedef struct text {
    ni_lines lines;
    ni_columns columns;
    uint64_t promised, found; /* rows; promised is 0 without a header */
    size_t room;              /* of the values */
} text;

static uint32_t count_fields(const text *t, char *line)
{
    ni_field field;
    uint32_t count = 0;
    while (ni_field_next(&t->columns, &line, &field)) count++;
    return count;
}

/* "n d" alone on the first line. A vector of length 1 behind the name 7 may look the same; it is then
 * taken for a header, and the rows do not fit it. */
static bool is_header(const text *t, char *line, uint64_t *n, uint64_t *d)
{
    ni_field field;
    if (count_fields(t, line) != 2) return false;
    ni_field_next(&t->columns, &line, &field);
    if (!ni_parse_u64(field.at, field.length, n)) return false;
    ni_field_next(&t->columns, &line, &field);
    return ni_parse_u64(field.at, field.length, d);
}

static neap_status start_text(reader *r, text *t, char *line, bool *header, neap_error *err)
{
    uint64_t d;
    *header = is_header(t, line, &t->promised, &d);
    if (*header && t->promised == 0)
        return ni_lines_fail(&t->lines, NEAP_E_FORMAT, line, err, "the header promises no vectors");
    if (!*header) d = count_fields(t, line) - 1;
    if (d < 1 || d > DIM_MOST)
        return ni_lines_fail(&t->lines, NEAP_E_FORMAT, line, err,
                             "vectors of length %llu; word2vec text is a line `n d`, then a name and d "
                             "numbers per line, with "
                             "d from 1 to %d",
                             (unsigned long long)d, DIM_MOST);
    r->v->dim = (uint32_t)d;
    return NEAP_OK;
}

static neap_status wrong_length(reader *r, const text *t, char *line, neap_error *err)
{
    return ni_lines_fail(&t->lines, NEAP_E_FORMAT, line, err,
                         "%u numbers behind the name instead of %u (a blank inside a name is written %%20)",
                         count_fields(t, line) - 1, r->v->dim);
}

static neap_status read_numbers(reader *r, text *t, char *line, char *rest, uint32_t u, neap_error *err)
{
    ni_field field;
    size_t start = (size_t)r->rows * r->v->dim;
    neap_status rc = NEAP_OK;
    if (!ni_grow(&r->v->values, &t->room, start + r->v->dim, sizeof *r->v->values))
        return ni_fail_memory(err, "vectors");
    for (uint32_t k = 0; k < r->v->dim && rc == NEAP_OK; k++) {
        if (!ni_field_next(&t->columns, &rest, &field)) return wrong_length(r, t, line, err);
        rc = ni_field_real(&t->lines, &field, r->v->values + start + k, err);
    }
    if (rc == NEAP_OK && ni_field_next(&t->columns, &rest, &field)) rc = wrong_length(r, t, line, err);
    r->rows += rc == NEAP_OK && u != NEAP_NONE;
    return rc;
}

static neap_status read_row(reader *r, text *t, char *line, neap_error *err)
{
    ni_field name;
    char *rest = line;
    uint32_t u;
    ni_field_next(&t->columns, &rest, &name);
    if (t->promised && t->found == t->promised)
        return ni_lines_fail(&t->lines, NEAP_E_FORMAT, line, err,
                             "a vector more than the %llu that the header promises",
                             (unsigned long long)t->promised);
    t->found++;
    neap_status rc = ni_row_take(&r->names, &t->lines, name.at, name.length, &u, err);
    if (rc == NEAP_OK && u != NEAP_NONE) r->node[r->rows] = u;
    return rc == NEAP_OK ? read_numbers(r, t, line, rest, u, err) : rc;
}

static neap_status next_row(text *t, char **line, neap_error *err)
{
    size_t length;
    neap_status rc;
    do rc = ni_lines_next(&t->lines, line, &length, err);
    while (rc == NEAP_OK && *line && strspn(*line, " \t") >= length);
    return rc;
}

static neap_status check_end(const text *t, neap_error *err)
{
    const char *label = ni_stream_label(t->lines.in);
    if (t->found == 0)
        return ni_fail_at(err, NEAP_E_FORMAT, t->lines.number, "%.200s: there is no vector in this file",
                          label);
    if (t->promised && t->found < t->promised)
        return ni_fail_at(err, NEAP_E_FORMAT, t->lines.number,
                          "%.200s:%llu: the file ends after %llu of the %llu vectors that its header "
                          "promises; is it whole?",
                          label, (unsigned long long)t->lines.number, (unsigned long long)t->found,
                          (unsigned long long)t->promised);
    return NEAP_OK;
}

static neap_status read_text(reader *r, neap_error *err)
{
    text t = { .columns = ni_columns_blanks() };
    char *line;
    bool header = false;
    neap_status rc = ni_lines_init(&t.lines, r->in, LINE_MOST, err);
    if (rc == NEAP_OK) rc = next_row(&t, &line, err);
    if (rc == NEAP_OK && line) rc = start_text(r, &t, line, &header, err);
    if (rc == NEAP_OK && header) rc = next_row(&t, &line, err);
    while (rc == NEAP_OK && line) {
        rc = read_row(r, &t, line, err);
        if (rc == NEAP_OK) rc = next_row(&t, &line, err);
    }
    if (rc == NEAP_OK) rc = check_end(&t, err);
    ni_lines_free(&t.lines);
    return rc;
}

/* ---- NumPy ---- */

/* Of a table whose values are the reader's already, rows of strangers go; the others move up over them. */
static neap_status keep_known(reader *r, const uint32_t *node, uint64_t rows, uint64_t columns,
                              neap_error *err)
{
    if (columns > DIM_MOST)
        return ni_fail(err, NEAP_E_LIMIT, "%.200s: vectors of length %llu; at most %d are allowed",
                       ni_stream_label(r->in), (unsigned long long)columns, DIM_MOST);
    size_t dim = r->v->dim = (uint32_t)columns;
    for (uint64_t i = 0; i < rows; i++) {
        if (node[i] == NEAP_NONE) continue;
        memmove(r->v->values + r->rows * dim, r->v->values + i * dim, dim * sizeof *r->v->values);
        r->node[r->rows++] = node[i];
    }
    return NEAP_OK;
}

/* A table whose names are beside it. */
static neap_status take_table(reader *r, uint64_t rows, uint64_t columns, neap_error *err)
{
    uint32_t *node;
    neap_status rc = ni_row_names_beside(&r->names, r->path, rows, &node, err);
    if (rc == NEAP_OK) rc = keep_known(r, node, rows, columns, err);
    ni_free(node);
    return rc;
}

static neap_status read_numpy(reader *r, neap_error *err)
{
    ni_npy npy;
    neap_status rc = ni_npy_read(r->in, &npy, err);
    if (rc != NEAP_OK) return rc;
    r->v->values = npy.values;
    return take_table(r, npy.rows, npy.columns, err);
}

/* ---- safetensors ---- */

/* Names as neap_vectors_save keeps them: those of the rows, each ended by a NUL. */
static neap_status take_own_names(reader *r, const ni_tensors *t, uint64_t rows, uint32_t **node,
                                  neap_error *err)
{
    const void *offsets, *bytes;
    const ni_tensor *b = ni_tensors_find(t, "names.bytes");
    uint64_t shape = rows + 1, most = b ? b->shape[0] : 0;
    neap_status rc = ni_tensors_need(t, "names.offsets", NI_U64, 1, &shape, &offsets, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "names.bytes", NI_U8, 1, &most, &bytes, err);
    *node = rc == NEAP_OK ? ni_array((size_t)rows, sizeof **node) : NULL;
    if (rc == NEAP_OK && !*node) rc = ni_fail_memory(err, "vectors");
    for (uint64_t i = 0; i < rows && rc == NEAP_OK; i++) {
        const uint64_t *offset = offsets;
        if (offset[i] >= offset[i + 1] || offset[i + 1] > most || ((const char *)bytes)[offset[i + 1] - 1])
            return ni_fail(err, NEAP_E_FORMAT, "the names of its rows make no sense");
        rc = ni_row_name(&r->names, (const char *)bytes + offset[i],
                         (size_t)(offset[i + 1] - offset[i] - 1), *node + i, err);
    }
    return rc;
}

/* Of our vectors the table and its names; of another file the one table of floats that it has. */
static neap_status choose_table(const ni_tensors *t, const ni_tensor **table, neap_error *err)
{
    uint32_t tables = 0;
    *table = NULL;
    if (t->format && !ni_tensors_are(t, "vectors"))
        return ni_fail(err, NEAP_E_FORMAT, "a file of neap, but not of vectors; `neap embed` writes those");
    for (size_t i = 0; i < t->count; i++)
        if (t->tensor[i].type == NI_F32 && t->tensor[i].rank == 2) tables++, *table = &t->tensor[i];
    if (tables == 1) return NEAP_OK;
    return ni_fail(err, NEAP_E_FORMAT,
                   "%u tensors of two dimensions and type F32, where one is wanted: save the table of "
                   "vectors alone, as float32",
                   tables);
}

static neap_status take_tensor(reader *r, const ni_tensors *t, neap_error *err)
{
    const ni_tensor *table;
    neap_status rc = choose_table(t, &table, err);
    const void *values;
    if (rc == NEAP_OK) rc = ni_tensors_need(t, table->name, NI_F32, 2, table->shape, &values, err);
    if (rc != NEAP_OK) return rc;
    r->v->values =
        ni_tensors_take(t, values, (size_t)table->shape[0], (size_t)table->shape[1] * sizeof(float));
    if (!r->v->values) return ni_fail_memory(err, "vectors");
    if (!t->format) return take_table(r, table->shape[0], table->shape[1], err);
    uint32_t *node;
    rc = take_own_names(r, t, table->shape[0], &node, err);
    if (rc == NEAP_OK) rc = keep_known(r, node, table->shape[0], table->shape[1], err);
    ni_free(node);
    return rc;
}

static neap_status read_tensors(reader *r, neap_error *err)
{
    ni_tensors t;
    neap_status rc = ni_tensors_read_any(r->path, &t, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_name_file(r->path, take_tensor(r, &t, err), err);
    ni_tensors_release(&t);
    return rc;
}

/* ---- all of them ---- */

/* A file without any vector of the graph's nodes may be in one of the other formats that `neap embed`
 * writes. */
static neap_status nothing_read(const reader *r, neap_status rc, neap_error *err)
{
    static const char *const endings[] = { ".bin", ".tsv", ".jsonl" };
    size_t length = ni_path_unpacked(r->path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ni_path_ends(r->path, length, endings[i]))
            return ni_fail(err, NEAP_E_FORMAT,
                           "%.200s: " FORMATS
                           ", not from this %s file; `neap embed MODEL -o X.txt` writes text",
                           r->path, endings[i]);
    if (rc != NEAP_OK) return rc;
    return ni_fail(
        err, NEAP_E_UNKNOWN,
        "%.200s: none of its %llu vectors is of a node of the graph; the names must be those of the "
        "graph, and " FORMATS,
        ni_stream_label(r->in), (unsigned long long)r->names.strangers);
}

/* The nodes without a vector follow the rows, all zero. */
static neap_status add_missing(reader *r, bool allowed, neap_error *err)
{
    neap_vectors *v = r->v;
    uint32_t first = NEAP_NONE, rows = r->rows;
    for (uint32_t u = 0; u < v->nodes; u++) {
        if (r->names.has[u]) continue;
        if (first == NEAP_NONE) first = u;
        r->node[r->rows++] = u;
    }
    v->missing = v->nodes - rows;
    if (v->missing && !allowed)
        return ni_fail(
            err, NEAP_E_UNKNOWN,
            "%.200s: no vector for node '%.60s'; %u of %u nodes have none (--allow-missing takes "
            "zero vectors for them)",
            ni_stream_label(r->in), ni_name(&r->graph->names, first), v->missing, v->nodes);
    float *fitted = ni_resize(v->values, v->nodes, v->dim * sizeof *fitted);
    if (!fitted) return ni_fail_memory(err, "vectors");
    memset(fitted + (size_t)rows * v->dim, 0, (size_t)v->missing * v->dim * sizeof *fitted);
    v->values = fitted;
    return NEAP_OK;
}

static void swap_rows(float *a, float *b, uint32_t dim)
{
    for (uint32_t k = 0; k < dim; k++) {
        float kept = a[k];
        a[k] = b[k];
        b[k] = kept;
    }
}

/* The row of node u becomes row u; each swap puts one where it belongs. */
static void sort_rows(reader *r)
{
    size_t dim = r->v->dim;
    for (uint32_t u = 0; u < r->v->nodes; u++)
        for (uint32_t t; (t = r->node[u]) != u;) {
            swap_rows(r->v->values + u * dim, r->v->values + t * dim, r->v->dim);
            r->node[u] = r->node[t];
            r->node[t] = t;
        }
}

static bool is_numpy(const reader *r)
{
    size_t count;
    const void *start = ni_stream_peek(r->in, &count);
    return ni_path_ends(r->path, ni_path_unpacked(r->path), ".npy") || ni_npy_is(start, count);
}

static bool is_tensors(const reader *r)
{
    size_t count;
    const void *start = ni_stream_peek(r->in, &count);
    return strcmp(r->path, "-") && ni_foreign_is_tensors(start, count);
}

static neap_status read_file(reader *r, neap_error *err)
{
    bool npy = is_numpy(r), tensors = is_tensors(r);
    neap_status rc = npy || tensors ? NEAP_OK : ni_foreign_refuse(r->in, FORMATS, err);
    if (rc != NEAP_OK) return rc;
    rc = npy ? read_numpy(r, err) : tensors ? read_tensors(r, err) : read_text(r, err);
    bool strange = !r->rows && (rc == NEAP_OK || rc == NEAP_E_FORMAT || rc == NEAP_E_LIMIT);
    return strange ? nothing_read(r, rc, err) : rc;
}

neap_status ni_vectors_read(ni_stream_in *in, const char *path, const neap_graph *graph, bool allow_missing,
                            neap_vectors **out, neap_error *err)
{
    *out = NULL;
    reader r = { .path = path, .graph = graph, .in = in };
    r.v = ni_zeros(1, sizeof *r.v);
    r.node = ni_array(graph->nodes, sizeof *r.node);
    neap_status rc = ni_row_names_init(&r.names, graph, err);
    if (rc == NEAP_OK && (!r.v || !r.node)) rc = ni_fail_memory(err, "vectors");
    if (rc == NEAP_OK) {
        r.v->size = sizeof *r.v;
        r.v->nodes = graph->nodes;
        rc = read_file(&r, err);
    }
    if (rc == NEAP_OK) rc = add_missing(&r, allow_missing, err);
    if (rc == NEAP_OK) {
        sort_rows(&r);
        r.v->strangers = r.names.strangers;
        r.v->by_order = r.names.by_order;
        *out = r.v;
    } else {
        neap_vectors_free(r.v);
    }
    ni_free(r.node);
    ni_row_names_free(&r.names);
    return rc;
}

neap_status neap_vectors_load(const char *path, const neap_graph *graph, int allow_missing,
                              neap_vectors **out, neap_error *err)
{
    ni_stream_in *in;
    *out = NULL;
    neap_status rc = ni_stream_open(path, &in, err);
    if (rc == NEAP_OK) rc = ni_vectors_read(in, path, graph, allow_missing, out, err);
    ni_stream_close(in);
    return rc;
}

void neap_vectors_free(neap_vectors *vectors)
{
    if (!vectors) return;
    ni_free(vectors->values);
    ni_free(vectors);
}
