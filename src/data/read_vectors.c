/* Vectors of a graph's nodes from word2vec text or NumPy files.
 *
 * Rows are taken as they come, so memory grows with the file; at the end they are put into the order of the
 * nodes where they stand.                                                                              */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "graph/graph.h"
#include "graph/lines.h"
#include "io/npy.h"
#include "io/stream.h"
#include "support/path.h"
#include "support/status.h"
#include "support/text.h"

#define FORMATS "vectors are read from word2vec text (.txt, .vec) and NumPy arrays (.npy)"

enum { DIM_MOST = 65536, LINE_MOST = 1 << 22, ESCAPED_MOST = 3 * NI_NAME_MOST };

typedef struct reader {
    const char *path;
    const neap_graph *graph;
    ni_stream_in *in;
    neap_vectors *v;
    uint32_t *node; /* of each row so far; in the end of all, the missing ones behind */
    bool *has;      /* of each node                                                   */
    uint32_t rows;
} reader;

/* ---- names ---- */

/* The node of a name as it stands in the file, or NEAP_NONE. A tool without escapes may have written a
 * percent sign as it is. */
static uint32_t find_node(const neap_graph *g, const char *name, size_t length)
{
    char plain[ESCAPED_MOST];
    uint32_t u;
    if (length > sizeof plain) return NEAP_NONE;
    size_t n = ni_unescape(name, length, plain);
    if (ni_names_find(&g->names, plain, n, &u) || ni_names_find(&g->names, name, length, &u)) return u;
    return NEAP_NONE;
}

/* The next row belongs to this name: *node is its node, or NEAP_NONE for a stranger. */
static neap_status take_name(reader *r, const ni_lines *lines, const char *name, size_t length,
                             uint32_t *node, neap_error *err)
{
    uint32_t u = *node = find_node(r->graph, name, length);
    if (u == NEAP_NONE) return r->v->strangers++, NEAP_OK;
    if (r->has[u])
        return ni_lines_fail(lines, NEAP_E_FORMAT, name, err, "a second vector for node '%.60s'",
                             ni_name(&r->graph->names, u));
    r->has[u] = true;
    r->node[r->rows] = u;
    return NEAP_OK;
}

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

static neap_status read_number(const text *t, const ni_field *field, float *value, neap_error *err)
{
    double x;
    bool ok = ni_parse_double(field->at, field->length, &x);
    *value = ok ? (float)x : 0;
    if (ok && isfinite(*value)) return NEAP_OK;
    return ni_lines_fail(&t->lines, NEAP_E_FORMAT, field->at, err, "'%.*s' is no finite number",
                         field->length < 40 ? (int)field->length : 40, field->at);
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
        rc = read_number(t, &field, r->v->values + start + k, err);
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
    neap_status rc = take_name(r, &t->lines, name.at, name.length, &u, err);
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

/* The length of a path without .gz or .zst, and without the ending .npy if there is one. */
static size_t stem(const char *path, bool *npy)
{
    size_t length = ni_path_unpacked(path);
    *npy = ni_path_ends(path, length, ".npy");
    return *npy ? length - 4 : length;
}

/* Opens X.names.txt; *names stays NULL if there is no such file. */
static neap_status open_names(const reader *r, ni_stream_in **names, neap_error *err)
{
    char path[PATH_MAX];
    bool npy;
    neap_error why = { 0 };
    *names = NULL;
    int n = snprintf(path, sizeof path, "%.*s.names.txt", (int)stem(r->path, &npy), r->path);
    if (n < 0 || (size_t)n >= sizeof path) return ni_fail(err, NEAP_E_ARG, "the path is too long");
    neap_status rc = ni_stream_open(path, names, &why);
    if (rc == NEAP_E_READ && why.sys == ENOENT) return NEAP_OK;
    if (rc != NEAP_OK && err) *err = why;
    return rc;
}

/* Row i of the file moves up over those of strangers. */
static void keep_row(reader *r, uint64_t i)
{
    size_t dim = r->v->dim;
    memmove(r->v->values + r->rows * dim, r->v->values + i * dim, dim * sizeof *r->v->values);
    r->rows++;
}

static neap_status read_names(reader *r, ni_stream_in *names, uint64_t rows, neap_error *err)
{
    ni_lines lines;
    char *line;
    size_t length;
    uint64_t i = 0;
    uint32_t u;
    neap_status rc = ni_lines_init(&lines, names, LINE_MOST, err);
    while (rc == NEAP_OK && (rc = ni_lines_next(&lines, &line, &length, err)) == NEAP_OK && line) {
        if (i < rows) rc = take_name(r, &lines, line, length, &u, err);
        if (i < rows && rc == NEAP_OK && u != NEAP_NONE) keep_row(r, i);
        i++;
    }
    if (rc == NEAP_OK && i != rows)
        rc = ni_fail_at(err, NEAP_E_FORMAT, lines.number, "%.200s: %llu names for %llu vectors",
                        ni_stream_label(names), (unsigned long long)i, (unsigned long long)rows);
    ni_lines_free(&lines);
    return rc;
}

static neap_status take_in_order(reader *r, uint64_t rows, neap_error *err)
{
    if (rows != r->graph->nodes)
        return ni_fail(
            err, NEAP_E_MISMATCH,
            "%.200s: %llu vectors for a graph of %u nodes, and no file of names beside it: write "
            "the names, one per line, into a file that ends in .names.txt instead of .npy",
            ni_stream_label(r->in), (unsigned long long)rows, r->graph->nodes);
    for (uint32_t u = 0; u < r->graph->nodes; u++) {
        r->node[u] = u;
        r->has[u] = true;
    }
    r->rows = r->graph->nodes;
    r->v->by_order = 1;
    return NEAP_OK;
}

static neap_status read_numpy(reader *r, neap_error *err)
{
    ni_npy npy;
    ni_stream_in *names = NULL;
    neap_status rc = ni_npy_read(r->in, &npy, err);
    if (rc != NEAP_OK) return rc;
    r->v->values = npy.values;
    if (npy.columns > DIM_MOST)
        return ni_fail(err, NEAP_E_LIMIT, "%.200s: vectors of length %llu; at most %d are allowed",
                       ni_stream_label(r->in), (unsigned long long)npy.columns, DIM_MOST);
    r->v->dim = (uint32_t)npy.columns;
    rc = open_names(r, &names, err);
    if (rc == NEAP_OK) rc = names ? read_names(r, names, npy.rows, err) : take_in_order(r, npy.rows, err);
    ni_stream_close(names);
    return rc;
}

/* ---- both ---- */

/* A file without any vector of the graph's nodes may be in one of the other formats that `neap embed`
 * writes. */
static neap_status nothing_read(const reader *r, neap_status rc, neap_error *err)
{
    static const char *const endings[] = { ".bin", ".tsv", ".jsonl" };
    bool npy;
    size_t length = stem(r->path, &npy);
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
        ni_stream_label(r->in), (unsigned long long)r->v->strangers);
}

/* The nodes without a vector follow the rows, all zero. */
static neap_status add_missing(reader *r, bool allowed, neap_error *err)
{
    neap_vectors *v = r->v;
    uint32_t first = NEAP_NONE, rows = r->rows;
    for (uint32_t u = 0; u < v->nodes; u++) {
        if (r->has[u]) continue;
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
    bool npy;
    size_t count;
    const void *start = ni_stream_peek(r->in, &count);
    stem(r->path, &npy);
    return npy || ni_npy_is(start, count);
}

static neap_status read_file(reader *r, neap_error *err)
{
    bool npy = is_numpy(r);
    neap_status rc = npy ? NEAP_OK : ni_foreign_refuse(r->in, FORMATS, err);
    if (rc != NEAP_OK) return rc;
    rc = npy ? read_numpy(r, err) : read_text(r, err);
    bool strange = !r->rows && (rc == NEAP_OK || rc == NEAP_E_FORMAT || rc == NEAP_E_LIMIT);
    return strange ? nothing_read(r, rc, err) : rc;
}

neap_status neap_vectors_load(const char *path, const neap_graph *graph, int allow_missing,
                              neap_vectors **out, neap_error *err)
{
    *out = NULL;
    reader r = { .path = path, .graph = graph };
    r.v = ni_zeros(1, sizeof *r.v);
    r.node = ni_array(graph->nodes, sizeof *r.node);
    r.has = ni_zeros(graph->nodes, sizeof *r.has);
    neap_status rc =
        r.v && r.node && r.has ? ni_stream_open(path, &r.in, err) : ni_fail_memory(err, "vectors");
    if (rc == NEAP_OK) {
        r.v->size = sizeof *r.v;
        r.v->nodes = graph->nodes;
        rc = read_file(&r, err);
    }
    if (rc == NEAP_OK) rc = add_missing(&r, allow_missing, err);
    if (rc == NEAP_OK) {
        sort_rows(&r);
        *out = r.v;
    } else {
        neap_vectors_free(r.v);
    }
    ni_stream_close(r.in);
    ni_free(r.node);
    ni_free(r.has);
    return rc;
}

void neap_vectors_free(neap_vectors *vectors)
{
    if (!vectors) return;
    ni_free(vectors->values);
    ni_free(vectors);
}
