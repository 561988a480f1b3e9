/* Features of nodes. Entries are collected as they come and sorted by node, then by feature; those of the
 * same two are added. O(bytes of the file + z log z for z entries); one thread. Memory: 12 bytes an entry,
 * twice while they are sorted, and the names of the features. */
#include "data/features.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "data/read_vectors.h"
#include "data/row_names.h"
#include "graph/mtx.h"
#include "io/npy.h"
#include "io/stream.h"
#include "support/path.h"
#include "support/status.h"
#include "support/text.h"

typedef struct entry {
    uint32_t node, feature;
    float value;
} entry;

typedef struct collector {
    neap_features *all;
    entry *entry; /* in the order of the file */
    size_t entries, room;
} collector;

/* ---- collecting ---- */

static neap_status add(collector *c, uint32_t node, uint32_t feature, float value, neap_error *err)
{
    if (!ni_grow(&c->entry, &c->room, c->entries + 1, sizeof *c->entry))
        return ni_fail_memory(err, "the features");
    c->entry[c->entries++] = (entry){ node, feature, value };
    return NEAP_OK;
}

/* By node, feature and value, so that the order of the file does not matter for sums. */
static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->feature != y->feature) return x->feature < y->feature ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Adds what belongs together and leaves out zeros; returns how many are left. */
static size_t merge(entry *e, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count;) {
        entry sum = e[i];
        double value = 0;
        for (; i < count && e[i].node == sum.node && e[i].feature == sum.feature; i++)
            value += (double)e[i].value;
        sum.value = (float)value;
        if (sum.value != 0) e[kept++] = sum;
    }
    return kept;
}

static neap_status to_rows(collector *c, const neap_graph *graph, const char *path, neap_error *err)
{
    neap_features *f = c->all;
    if (c->entries) qsort(c->entry, c->entries, sizeof *c->entry, compare);
    size_t count = merge(c->entry, c->entries);
    f->offset = ni_zeros((size_t)f->nodes + 1, sizeof *f->offset);
    f->feature = ni_array(count, sizeof *f->feature);
    f->value = ni_array(count, sizeof *f->value);
    if (!f->offset || !f->feature || !f->value) return ni_fail_memory(err, "the features");
    for (size_t i = 0; i < count; i++) {
        const entry *e = &c->entry[i];
        if (!isfinite(e->value))
            return ni_fail(
                err, NEAP_E_FORMAT,
                "%.200s: the values of feature '%.60s' of node '%.60s' add up to more than a number "
                "can be",
                path, ni_name(&f->names, e->feature), ni_name(&graph->names, e->node));
        f->feature[i] = e->feature, f->value[i] = e->value;
        f->offset[e->node + 1]++;
    }
    for (uint32_t u = 0; u < f->nodes; u++) {
        f->facts.with_features += f->offset[u + 1] > 0;
        f->offset[u + 1] += f->offset[u];
    }
    f->facts.nodes = f->nodes, f->facts.features = f->names.count, f->facts.values = count;
    return NEAP_OK;
}

/* ---- tables ---- */

static neap_status read_table(collector *c, ni_stream_in *in, const char *path, const neap_graph *graph,
                              neap_error *err)
{
    neap_vectors *v;
    neap_status rc = ni_vectors_read(in, path, graph, true, &v, err);
    if (rc != NEAP_OK) return rc;
    if (!ni_names_number(&c->all->names, 0, v->dim)) rc = ni_fail_memory(err, "the features");
    for (uint32_t u = 0; u < v->nodes && rc == NEAP_OK; u++)
        for (uint32_t k = 0; k < v->dim && rc == NEAP_OK; k++) {
            float x = v->values[(size_t)u * v->dim + k];
            if (x != 0) rc = add(c, u, k, x, err);
        }
    c->all->facts.strangers = v->strangers, c->all->facts.by_order = v->by_order;
    neap_vectors_free(v);
    return rc;
}

/* ---- Matrix Market: row i is a node, column j a feature ---- */

static neap_status add_cell(collector *c, ni_mtx *m, const uint32_t *node, neap_error *err, bool *more)
{
    uint32_t row, column, feature;
    ni_field field;
    float value = 1;
    char number[16];
    neap_status rc = ni_mtx_next(m, &row, &column, &field, more, err);
    if (rc != NEAP_OK || !*more) return rc;
    if (m->values) rc = ni_field_real(&m->lines, &field, &value, err);
    if (rc != NEAP_OK || node[row] == NEAP_NONE) return rc;
    int length = snprintf(number, sizeof number, "%" PRIu32, column + 1);
    if (!ni_names_intern(&c->all->names, number, (size_t)length, &feature))
        return ni_fail_memory(err, "the features");
    return add(c, node[row], feature, value, err);
}

static neap_status read_matrix(collector *c, ni_stream_in *in, const char *path, const neap_graph *graph,
                               neap_error *err)
{
    ni_mtx m;
    ni_row_names names = { 0 };
    uint32_t *node = NULL;
    neap_status rc = ni_mtx_begin(&m, in, err);
    if (rc == NEAP_OK && m.symmetric)
        rc =
            ni_fail_at(err, NEAP_E_FORMAT, 1,
                       "%.200s:1:1: a symmetric matrix; rows are nodes and columns features, so it must be "
                       "general",
                       ni_stream_label(in));
    if (rc == NEAP_OK) rc = ni_row_names_init(&names, graph, err);
    if (rc == NEAP_OK) rc = ni_row_names_beside(&names, path, m.rows, &node, err);
    for (bool more = true; rc == NEAP_OK && more;) rc = add_cell(c, &m, node, err, &more);
    c->all->facts.strangers = names.strangers, c->all->facts.by_order = names.by_order;
    ni_free(node);
    ni_row_names_free(&names);
    ni_mtx_end(&m);
    return rc;
}

/* ---- lines `node feature[:value] ...` ---- */

/* A number with a point where a name is expected: a table of numbers, as other tools write vectors. */
static neap_status refuse_number(const ni_lines *lines, const ni_field *field, neap_error *err)
{
    double value;
    if (!memchr(field->at, '.', field->length) || !ni_parse_double(field->at, field->length, &value))
        return NEAP_OK;
    return ni_lines_fail(lines, NEAP_E_FORMAT, field->at, err,
                         "the number %.*s where the name of a feature is expected; a line is a node and "
                         "feature[:value] ..., a table of numbers is read from .npy, .safetensors or .vec",
                         field->length < 40 ? (int)field->length : 40, field->at);
}

/* The part behind the last colon, if it is a number; else the whole field is a name. */
static neap_status add_field(collector *c, const ni_lines *lines, uint32_t node, const ni_field *field,
                             neap_error *err)
{
    uint32_t feature;
    float value = 1;
    size_t length = field->length, colon = length;
    neap_status rc = NEAP_OK;
    while (colon > 0 && field->at[colon - 1] != ':') colon--;
    ni_field number = { field->at + colon, length - colon, false };
    if (colon > 1 && ni_field_is_number(&number)) {
        rc = ni_field_real(lines, &number, &value, err);
        length = colon - 1;
    } else rc = refuse_number(lines, field, err);
    if (rc != NEAP_OK) return rc;
    if (length > NI_NAME_MOST)
        return ni_lines_fail(lines, NEAP_E_LIMIT, field->at, err,
                             "the name of a feature has %zu bytes; at most %d are allowed", length,
                             NI_NAME_MOST);
    if (!ni_names_intern(&c->all->names, field->at, length, &feature))
        return ni_fail_memory(err, "the features");
    return add(c, node, feature, value, err);
}

/* The name ends at the first tab, so that it may have blanks, or without a tab at the first blank. */
static neap_status read_line(collector *c, const ni_lines *lines, char *line, size_t length,
                             const neap_graph *graph, neap_error *err)
{
    ni_columns blanks = ni_columns_blanks();
    uint32_t node;
    neap_status rc = NEAP_OK;
    char *start = line + strspn(line, " "), *end = line + length, *tab = memchr(line, '\t', length),
         *blank = memchr(start, ' ', (size_t)(end - start)),
         *rest = tab     ? tab
                 : blank ? blank
                         : end;
    ni_field field = ni_field_between(line, rest);
    if (!field.length)
        return ni_lines_fail(lines, NEAP_E_FORMAT, line, err,
                             "the name of the node is empty; a line is a node and its features");
    if (!ni_names_find(&graph->names, field.at, field.length, &node)) {
        c->all->facts.strangers++;
        return NEAP_OK;
    }
    while (rc == NEAP_OK && ni_field_next(&blanks, &rest, &field))
        if (field.length) rc = add_field(c, lines, node, &field, err);
    return rc;
}

static neap_status read_lines(collector *c, ni_stream_in *in, const neap_graph *graph, neap_error *err)
{
    ni_lines lines;
    char *line;
    size_t length;
    neap_status rc =
        ni_foreign_refuse(in,
                          "features are read from lines of a node and its features, .mtx, .npy "
                          "and .safetensors",
                          err);
    if (rc != NEAP_OK) return rc;
    rc = ni_lines_init(&lines, in, NI_LINE_LONG, err);
    while (rc == NEAP_OK && (rc = ni_lines_next_data(&lines, &line, &length, err)) == NEAP_OK && line)
        rc = read_line(c, &lines, line, length, graph, err);
    ni_lines_free(&lines);
    return rc;
}

/* ---- all of them ---- */

static bool ends(const char *path, const char *ending)
{
    return ni_path_ends(path, ni_path_unpacked(path), ending);
}

/* What the file is: by its ending or its first bytes. */
static neap_status read_file(collector *c, const char *path, const neap_graph *graph,
                             const neap_hooks *hooks, neap_error *err)
{
    ni_stream_in *in;
    neap_status rc = ni_stream_open(path, &in, err);
    if (rc != NEAP_OK) return rc;
    ni_stream_watch(in, hooks);
    size_t count;
    const char *start = ni_stream_peek(in, &count);
    bool table =
        ends(path, ".npy") || ends(path, ".vec") || ends(path, ".safetensors") || ni_npy_is(start, count);
    bool matrix = ends(path, ".mtx") || (count >= 14 && !memcmp(start, "%%MatrixMarket", 14));
    rc = table    ? read_table(c, in, path, graph, err)
         : matrix ? read_matrix(c, in, path, graph, err)
                  : read_lines(c, in, graph, err);
    ni_stream_close(in);
    return rc;
}

neap_status neap_features_load(const char *path, const neap_graph *graph, const neap_hooks *hooks,
                               neap_features **out, neap_error *err)
{
    neap_hooks mine;
    *out = NULL;
    neap_status rc = ni_hooks_in(&mine, &hooks, err);
    if (rc != NEAP_OK) return rc;
    collector c = { .all = ni_zeros(1, sizeof *c.all) };
    if (!c.all) return ni_fail_memory(err, "the features");
    c.all->nodes = graph->nodes;
    ni_names_init(&c.all->names);
    rc = read_file(&c, path, graph, hooks, err);
    if (rc == NEAP_OK) rc = to_rows(&c, graph, path, err);
    if (rc == NEAP_OK && !c.all->facts.values)
        rc = ni_fail(err, NEAP_E_FORMAT,
                     "%.200s: no feature of a node of the graph; are the names the same? (rows of other "
                     "nodes: %" PRIu64 ")",
                     path, c.all->facts.strangers);
    ni_free(c.entry);
    if (rc == NEAP_OK) *out = c.all;
    else neap_features_free(c.all);
    return rc;
}

void neap_features_free(neap_features *f)
{
    if (!f) return;
    ni_names_free(&f->names);
    ni_free(f->offset);
    ni_free(f->feature);
    ni_free(f->value);
    ni_free(f);
}

uint64_t ni_features_bytes(const neap_features *f)
{
    return ((uint64_t)f->nodes + 1) * sizeof *f->offset +
           f->offset[f->nodes] * (sizeof *f->feature + sizeof *f->value) + ni_names_bytes(&f->names);
}

/* Like the hash of a graph (docs/format.md, section 4). */
uint64_t ni_features_hash(const neap_features *f)
{
    uint64_t h = ni_mix(2 * (uint64_t)f->names.count + 1);
    for (uint32_t u = 0; u < f->nodes; u++) h = ni_mix(h ^ f->offset[u + 1]);
    for (uint64_t i = 0; i < f->offset[f->nodes]; i++) {
        uint32_t bits;
        memcpy(&bits, &f->value[i], sizeof bits);
        h = ni_mix(h ^ (uint64_t)bits << 32 ^ f->feature[i]);
    }
    return h ? h : 1;
}

neap_status neap_features_facts_of(const neap_features *f, neap_features_facts *facts, neap_error *err)
{
    return ni_sized_out(&f->facts, sizeof f->facts, facts, "neap_features_facts", err);
}
