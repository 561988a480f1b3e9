/* A trial as a folder of files that people and other tools read without neap (docs/split.md). Texts are
 * written as graphs are: they read back the same, names with tabs or quotes included. */
#include <errno.h>
#include <string.h>

#include "base/sys.h"
#include "eval/manifest.h"
#include "eval/trial.h"
#include "graph/lines.h"
#include "io/npy.h"
#include "io/output.h"
#include "support/path.h"
#include "support/status.h"

typedef struct saving {
    const ni_trial *trial;
    const char *folder;
    ni_manifest manifest;
} saving;

/* ---- texts ---- */

/* Names of all nodes, or of some. A line ends a name, and the reader takes a byte order mark at the start
 * of a file for one. */
static neap_status save_names(const saving *s, const uint32_t *node, uint32_t count, const char *path,
                              neap_error *err)
{
    const neap_graph *g = s->trial->whole;
    ni_output *out;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = ni_name(&g->names, node ? node[i] : i);
        if (strpbrk(name, "\r\n") || strlen(name) > NI_NAME_MOST ||
            (!i && !strncmp(name, "\xef\xbb\xbf", 3)))
            return ni_fail(err, NEAP_E_ARG,
                           "the name '%.100s' cannot be written as a line of text, so this split cannot be "
                           "saved",
                           name);
    }
    neap_status rc = ni_output_open(path, &out, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t i = 0; i < count; i++) {
        ni_output_text(out, ni_name(&g->names, node ? node[i] : i));
        ni_output_text(out, "\n");
    }
    return ni_output_commit(out, err);
}

static neap_status save_nodes(const saving *s, const char *path, neap_error *err)
{
    return save_names(s, NULL, s->trial->whole->nodes, path, err);
}

static neap_status save_target_names(const saving *s, const char *path, neap_error *err)
{
    const ni_targets *t = &s->trial->targets;
    return save_names(s, ni_side_nodes(t, 1), ni_side_count(t, 1), path, err);
}

static neap_status save_train(const saving *s, const char *path, neap_error *err)
{
    return neap_graph_save(s->trial->train, path, "edges", err);
}

static bool not_in_training(void *user, uint32_t u, uint32_t v)
{
    return !ni_graph_has(((const ni_trial *)user)->train, u, v);
}

static neap_status save_held_out(const saving *s, const char *path, neap_error *err)
{
    neap_graph *rest;
    neap_status rc = ni_graph_filter(s->trial->whole, not_in_training, (void *)s->trial, &rest, err);
    if (rc == NEAP_OK) rc = neap_graph_save(rest, path, "edges", err);
    neap_graph_free(rest);
    return rc;
}

/* Pairs as the edges of a directed graph, which keeps them in their order, by source and target. */
static neap_status save_pairs(const saving *s, const neap_pair *pairs, size_t count, const char *path,
                              neap_error *err)
{
    neap_graph *graph = NULL;
    ni_builder b;
    ni_builder_init(&b);
    bool ok = ni_names_copy(&b.names, &s->trial->whole->names);
    for (size_t i = 0; i < count && ok; i++) ok = ni_builder_add(&b, pairs[i].source, pairs[i].target, 1);
    neap_status rc = ok ? ni_builder_finish(&b, &graph, err) : ni_fail_memory(err, "the pairs of a split");
    if (rc == NEAP_OK) rc = neap_graph_save(graph, path, "edges", err);
    neap_graph_free(graph);
    ni_builder_free(&b);
    return rc;
}

static neap_status save_test(const saving *s, const char *path, neap_error *err)
{
    return save_pairs(s, s->trial->positive, s->trial->count, path, err);
}

static neap_status save_valid(const saving *s, const char *path, neap_error *err)
{
    return save_pairs(s, s->trial->valid, s->trial->valids, path, err);
}

/* ---- node numbers ---- */

static neap_status open_numbers(const char *path, size_t rows, uint32_t columns, ni_output **out,
                                neap_error *err)
{
    char header[NI_NPY_HEADER];
    neap_status rc = ni_output_open(path, out, err);
    if (rc != NEAP_OK) return rc;
    ni_npy_header("<u4", rows, columns, header);
    ni_output_write(*out, header, sizeof header);
    return NEAP_OK;
}

static neap_status save_targets(const neap_pair *pairs, size_t count, const char *path, neap_error *err)
{
    ni_output *out;
    neap_status rc = open_numbers(path, count, 0, &out, err);
    if (rc != NEAP_OK) return rc;
    for (size_t i = 0; i < count; i++) ni_output_write(out, &pairs[i].target, sizeof pairs[i].target);
    return ni_output_commit(out, err);
}

static neap_status save_test_negatives(const saving *s, const char *path, neap_error *err)
{
    return save_targets(s->trial->negative, s->trial->count, path, err);
}

static neap_status save_valid_negatives(const saving *s, const char *path, neap_error *err)
{
    return save_targets(s->trial->valid_negative, s->trial->valids, path, err);
}

static neap_status save_candidates(const saving *s, const char *path, neap_error *err)
{
    uint32_t each = ni_trial_candidates(s->trial), node[NI_RANK_NEGATIVES];
    ni_output *out;
    ni_candidates r;
    neap_status rc = ni_candidates_open(s->trial, &r, err);
    if (rc != NEAP_OK) return rc;
    rc = open_numbers(path, s->trial->count, each, &out, err);
    for (size_t i = 0; i < s->trial->count && rc == NEAP_OK; i++) {
        rc = ni_candidates_next(&r, 1, node, err);
        if (rc == NEAP_OK) ni_output_write(out, node, each * sizeof *node);
    }
    ni_candidates_close(&r);
    if (rc == NEAP_OK) return ni_output_commit(out, err);
    ni_output_abandon(out);
    return rc;
}

/* ---- the folder ---- */

static neap_status (*const save_part[NI_PARTS])(const saving *s, const char *path, neap_error *err) = {
    [NI_PART_NODES] = save_nodes,
    [NI_PART_TRAIN] = save_train,
    [NI_PART_HELD_OUT] = save_held_out,
    [NI_PART_TEST] = save_test,
    [NI_PART_TEST_NEGATIVES] = save_test_negatives,
    [NI_PART_CANDIDATES] = save_candidates,
    [NI_PART_VALID] = save_valid,
    [NI_PART_VALID_NEGATIVES] = save_valid_negatives,
    [NI_PART_TARGETS] = save_target_names,
};

/* A split of another graph is not replaced: it may be the only copy; nor is one of a newer version. Another
 * folder whose manifest cannot be read may be replaced. */
static neap_status spare_others(const saving *s, neap_error *err)
{
    ni_manifest there;
    neap_error why = { 0 };
    neap_status rc = ni_manifest_read(s->folder, &there, &why);
    if (rc == NEAP_OK && there.hash != s->manifest.hash)
        return ni_fail(
            err, NEAP_E_MISMATCH,
            "%.200s holds a split of another graph, which is not replaced; name another folder, or "
            "remove this one",
            s->folder);
    bool mute = rc == NEAP_E_FORMAT || rc == NEAP_E_LIMIT || why.sys == ENOENT;
    if (rc == NEAP_OK || (mute && !there.newer)) return NEAP_OK;
    if (err) *err = why;
    return rc;
}

static neap_status remove_part(const saving *s, const char *name, neap_error *err)
{
    char path[PATH_MAX];
    neap_status rc = ni_path_join(s->folder, name, path, err);
    if (rc == NEAP_OK && ni_system.unlink(path) && errno != ENOENT)
        rc = ni_fail_sys(err, NEAP_E_IO, errno, "cannot replace %.200s", path);
    return rc;
}

/* Files that a split of another protocol has and this one has not. */
static neap_status remove_strays(const saving *s, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER; protocol++) {
        const ni_manifest other = { .protocol = protocol, .facts.valid = 1, .facts.targets = "list" };
        for (ni_part p = 0; p < NI_PARTS && rc == NEAP_OK; p++) {
            const char *name = ni_part_name(&other, p), *ours = ni_part_name(&s->manifest, p);
            if (name && (!ours || strcmp(name, ours))) rc = remove_part(s, name, err);
        }
    }
    return rc;
}

/* While files are replaced there is no manifest: a run that dies here leaves no split that looks whole. */
static neap_status prepare(const saving *s, neap_error *err)
{
    neap_status rc = neap_folder_create(s->folder, err);
    if (rc == NEAP_OK) rc = spare_others(s, err);
    if (rc == NEAP_OK) rc = remove_part(s, "manifest.json", err);
    return rc == NEAP_OK ? remove_strays(s, err) : rc;
}

/* The first names may make a file look like another format: gzip, XML, UTF-16, ... */
static neap_status check_start(const char *path, neap_error *err)
{
    ni_stream_in *in = NULL;
    ni_lines lines = { 0 };
    char *line = NULL;
    size_t length;
    neap_status rc = ni_stream_open(path, &in, err);
    if (rc == NEAP_OK) rc = ni_lines_init(&lines, in, NI_LINE_SHORT, err);
    if (rc == NEAP_OK) rc = ni_lines_next(&lines, &line, &length, err);
    bool misread = rc == NEAP_E_FORMAT || (rc == NEAP_OK && !line);
    ni_lines_free(&lines);
    ni_stream_close(in);
    if (!misread) return rc;
    return ni_fail(err, NEAP_E_ARG,
                   "the names of this graph make %.200s look like something else than text, so this split "
                   "cannot be saved",
                   path);
}

/* What is read back is what the disk has. */
static neap_status save_parts(saving *s, neap_error *err)
{
    char path[PATH_MAX];
    neap_status rc = NEAP_OK;
    for (ni_part p = 0; p < NI_PARTS && rc == NEAP_OK; p++) {
        const char *name = ni_part_name(&s->manifest, p);
        if (!name) continue;
        rc = ni_path_join(s->folder, name, path, err);
        if (rc == NEAP_OK) rc = save_part[p](s, path, err);
        if (rc == NEAP_OK && ni_part_is_text(name)) rc = check_start(path, err);
        if (rc == NEAP_OK) rc = ni_digest_of(path, &s->manifest.part[p], err);
    }
    return rc;
}

neap_status neap_trial_save(const neap_trial *t, const char *folder, neap_error *err)
{
    if (t->protocol == NI_GIVEN)
        return ni_fail(err, NEAP_E_ARG, "given pairs are not saved: whoever gave them has them");
    saving s = { .trial = t,
                 .folder = folder,
                 .manifest = { .facts = t->facts,
                               .protocol = t->protocol,
                               .kind = t->kind,
                               .undirected = t->whole->undirected,
                               .weighted = t->whole->weight != NULL,
                               .hash = neap_graph_hash(t->whole) } };
    neap_status rc = prepare(&s, err);
    if (rc == NEAP_OK) rc = save_parts(&s, err);
    return rc == NEAP_OK ? ni_manifest_write(&s.manifest, folder, err) : rc;
}
