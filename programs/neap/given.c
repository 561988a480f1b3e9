#include "given.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/path.h"

/* ---- folders ---- */

enum { TRAIN, POSITIVE, NEGATIVE, FILES };
static const char *const stems[FILES] = { "train", "test_pos", "test_neg" };

/* "train" of "train.tsv.gz"; names of nodes beside a graph do not count. */
static int stem_of(const char *name)
{
    size_t length = strcspn(name, ".");
    const char *beside = strstr(name, ".names.txt");
    for (int k = 0; k < FILES; k++)
        if (strlen(stems[k]) == length && !memcmp(stems[k], name, length) && !beside) return k;
    return -1;
}

/* The files of a folder by their stems, "" for those that it has not. */
typedef char file_names[FILES][NAME_MAX + 1];
static neap_status look(const char *folder, file_names file, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (int k = 0; k < FILES; k++) *file[k] = 0;
    DIR *dir = opendir(folder);
    if (!dir) return ni_fail_sys(err, NEAP_E_READ, errno, "the folder %s cannot be read", folder);
    for (struct dirent *e; rc == NEAP_OK && (e = readdir(dir));) {
        int k = stem_of(e->d_name);
        if (k < 0) continue;
        if (*file[k])
            rc = ni_fail(err, NEAP_E_FORMAT, "%s has %s and %s: leave one of them", folder, file[k],
                         e->d_name);
        else snprintf(file[k], sizeof file[k], "%s", e->d_name);
    }
    closedir(dir);
    return rc;
}

static int by_folder(const void *a, const void *b)
{
    return strcmp(((const split_item *)a)->folder, ((const split_item *)b)->folder);
}

/* What cannot be looked into is no split. */
static neap_status take_split(splits *s, const char *path, neap_error *err)
{
    file_names file;
    if (look(path, file, NULL) || !*file[TRAIN]) return NEAP_OK;
    return splits_add(s, (split_item){ .folder = NULL }, path, err);
}

neap_status given_find(splits *s, const char *folder, neap_error *err)
{
    file_names file;
    s->protocol = s->negatives = "given";
    s->target_kind = "all";
    s->ratios = 1;
    neap_status rc = look(folder, file, err);
    if (rc == NEAP_OK)
        rc = *file[TRAIN] ? take_split(s, folder, err) : splits_each_inside(s, folder, take_split, err);
    if (rc != NEAP_OK) return rc;
    if (!s->count)
        return ni_fail(err, NEAP_E_FORMAT, "there is no train.txt in %s, nor in a folder in it", folder);
    qsort(s->item, s->count, sizeof *s->item, by_folder);
    return NEAP_OK;
}

/* ---- one of them ---- */

/* The three files as graphs of their own, whose nodes get the numbers of one. */
typedef struct files {
    neap_graph *graph[FILES];
    const char **name; /* of all nodes */
    uint32_t nodes, *number[FILES];
} files;

static void files_free(files *f)
{
    for (int k = 0; k < FILES; k++) {
        neap_graph_free(f->graph[k]);
        free(f->number[k]);
    }
    free(f->name);
}

static neap_status no_memory(neap_error *err)
{
    return ni_fail(err, NEAP_E_MEM, "out of memory for the pairs");
}

/* A test pair keeps its direction, which does no harm in an undirected graph. */
static neap_status load_pairs(const args *a, const char *path, neap_graph **out, neap_error *err)
{
    neap_options *options = NULL;
    neap_status rc = neap_options_copy(a->options, &options, err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "undirected", "no", err);
    if (rc == NEAP_OK) rc = neap_graph_load(path, options, NULL, out, err);
    neap_options_free(options);
    return rc;
}

static neap_status load(const args *a, const char *folder, files *f, neap_error *err)
{
    file_names file;
    char path[PATH_MAX];
    neap_status rc = look(folder, file, err);
    for (int k = 0; k < FILES && rc == NEAP_OK; k++) {
        if (!*file[k]) return ni_fail(err, NEAP_E_FORMAT, "there is no %s.txt in %s", stems[k], folder);
        rc = ni_path_join(folder, file[k], path, err);
        if (rc != NEAP_OK) return rc;
        rc = k == TRAIN ? read_graph(a, path, &f->graph[k], err) : load_pairs(a, path, &f->graph[k], err);
    }
    return rc;
}

/* The number of a name that an earlier file has. */
static bool known(const files *f, int k, const char *name, uint32_t *number)
{
    uint32_t at;
    for (int j = 0; j < k; j++)
        if (!neap_graph_find(f->graph[j], name, &at, NULL)) return *number = f->number[j][at], true;
    return false;
}

static neap_status number_nodes(files *f, neap_error *err)
{
    size_t most = 0;
    for (int k = 0; k < FILES; k++) most += neap_graph_nodes(f->graph[k]);
    f->name = calloc(most, sizeof *f->name);
    for (int k = 0; k < FILES; k++) {
        uint32_t n = neap_graph_nodes(f->graph[k]);
        f->number[k] = calloc(n + (size_t)1, sizeof *f->number[k]);
        if (!f->name || !f->number[k]) return no_memory(err);
        for (uint32_t i = 0; i < n; i++) {
            const char *name = neap_graph_name(f->graph[k], i);
            if (known(f, k, name, &f->number[k][i])) continue;
            if (f->nodes == NEAP_NONE) return ni_fail(err, NEAP_E_LIMIT, "there are too many nodes");
            f->name[f->nodes] = name;
            f->number[k][i] = f->nodes++;
        }
    }
    return NEAP_OK;
}

static neap_status make_train(const files *f, neap_graph **out, neap_error *err)
{
    const neap_graph *g = f->graph[TRAIN];
    const uint64_t *offset;
    const uint32_t *target;
    const float *weight;
    uint64_t edges = neap_graph_csr(g, &offset, &target, &weight);
    neap_edge *edge = calloc(edges + 1, sizeof *edge);
    if (!edge) return no_memory(err);
    for (uint32_t u = 0; u < neap_graph_nodes(g); u++)
        for (uint64_t e = offset[u]; e < offset[u + 1]; e++)
            edge[e] =
                (neap_edge){ f->number[TRAIN][u], f->number[TRAIN][target[e]], weight ? weight[e] : 1 };
    neap_status rc = neap_graph_create(f->nodes, f->name, edge, edges, weight != NULL,
                                       neap_graph_is_undirected(g), out, err);
    free(edge);
    return rc;
}

static neap_status take_pairs(const files *f, int k, neap_pair **pairs, size_t *count, neap_error *err)
{
    const neap_graph *g = f->graph[k];
    const uint64_t *offset;
    const uint32_t *target;
    *count = (size_t)neap_graph_csr(g, &offset, &target, NULL);
    *pairs = calloc(*count + 1, sizeof **pairs);
    if (!*pairs) return no_memory(err);
    for (uint32_t u = 0; u < neap_graph_nodes(g); u++)
        for (uint64_t e = offset[u]; e < offset[u + 1]; e++)
            (*pairs)[e] = (neap_pair){ f->number[k][u], f->number[k][target[e]] };
    return NEAP_OK;
}

static void tell(const args *a, const given *g, const files *f)
{
    char links[SHORT], others[SHORT], more[SHORT];
    uint32_t unseen = f->nodes - neap_graph_nodes(f->graph[TRAIN]);
    say(a, "  test: %s links, %s non-links, %s node%s that training lacks",
        ni_format_count(g->positive_count, links), ni_format_count(g->negative_count, others),
        ni_format_count(unseen, more), plural(unseen));
}

neap_status given_read(const args *a, const char *folder, given *out, neap_error *err)
{
    files f = { .nodes = 0 };
    *out = (given){ .train = NULL };
    neap_status rc = load(a, folder, &f, err);
    if (rc == NEAP_OK) rc = number_nodes(&f, err);
    if (rc == NEAP_OK) rc = make_train(&f, &out->train, err);
    if (rc == NEAP_OK) rc = take_pairs(&f, POSITIVE, &out->positives, &out->positive_count, err);
    if (rc == NEAP_OK) rc = take_pairs(&f, NEGATIVE, &out->negatives, &out->negative_count, err);
    if (rc == NEAP_OK) tell(a, out, &f);
    files_free(&f);
    return rc;
}

void given_free(given *g)
{
    neap_graph_free(g->train);
    free(g->positives);
    free(g->negatives);
    *g = (given){ .train = NULL };
}
