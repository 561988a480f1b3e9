/* Checks a file of any kind, and reports its facts and tensors: what loading does, without keeping the
 * result. */
#include <stdio.h>
#include <string.h>

#include "io/tensors.h"
#include "model/method.h"
#include "support/status.h"

typedef struct listener {
    void (*fact)(const char *key, const char *value, void *user);
    void *user;
} listener;

static void tell_count(const listener *to, const char *key, uint64_t value)
{
    char words[24];
    snprintf(words, sizeof words, "%llu", (unsigned long long)value);
    to->fact(key, words, to->user);
}

static void tell_graph(const listener *to, const neap_graph *graph)
{
    tell_count(to, "nodes", graph->nodes);
    tell_count(to, "edges", graph->edges);
    to->fact("weighted", graph->weight ? "yes" : "no", to->user);
}

static void tell_tensor(const listener *to, const ni_tensor *tensor)
{
    char key[128], value[112];
    snprintf(key, sizeof key, "tensor.%s", tensor->name);
    ni_tensor_describe(tensor->type, tensor->rank, tensor->shape, value);
    to->fact(key, value, to->user);
}

/* "no", or how many nodes are on each side. */
static neap_status tell_sides(const listener *to, const neap_graph *graph, neap_error *err)
{
    char words[64] = "no";
    neap_graph_facts facts = NEAP_SIZED(neap_graph_facts);
    neap_status rc = neap_graph_facts_of(graph, &facts, err);
    if (rc != NEAP_OK) return rc;
    if (facts.sides[0]) snprintf(words, sizeof words, "%u and %u nodes", facts.sides[0], facts.sides[1]);
    to->fact("bipartite", words, to->user);
    return NEAP_OK;
}

/* The metadata (neap.kind as kind), options in today's words, counts that follow from tensors, then the
 * tensors. */
static neap_status tell(const listener *to, const ni_tensors *t, const neap_graph *graph, neap_error *err)
{
    for (size_t i = 0; i < t->facts; i++) {
        const ni_fact *f = &t->fact[i];
        to->fact(strcmp(f->key, "neap.kind") ? f->key : "kind", ni_option_said(t, f->key, f->value),
                 to->user);
    }
    if (graph) tell_graph(to, graph);
    neap_status rc = graph && ni_tensors_are(t, "graph") ? tell_sides(to, graph, err) : NEAP_OK;
    for (size_t i = 0; i < t->count && rc == NEAP_OK; i++) tell_tensor(to, &t->tensor[i]);
    return rc;
}

/* Each name ends with the only NUL in it. */
static neap_status check_names(const uint64_t *offset, uint64_t n, const char *bytes, uint64_t length,
                               neap_error *err)
{
    if (offset[0] != 0 || offset[n] != length)
        return ni_fail(err, NEAP_E_FORMAT, "names.offsets do not fit names.bytes");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t from = offset[i], to = offset[i + 1];
        if (to <= from || to > length || memchr(bytes + from, 0, (size_t)(to - from)) != bytes + to - 1)
            return ni_fail(err, NEAP_E_FORMAT, "name %llu is not a text", (unsigned long long)i);
    }
    return NEAP_OK;
}

static neap_status check_vectors(const ni_tensors *t, neap_error *err)
{
    static const char *const tensors[] = { "vectors", "names.offsets", "names.bytes", NULL };
    static const char *const facts[] = { "neap.kind", NULL };
    const ni_tensor *vectors = ni_tensors_find(t, "vectors"), *names = ni_tensors_find(t, "names.bytes");
    const void *offset = NULL, *bytes = NULL, *x;
    neap_status rc = ni_tensors_only(t, tensors, facts, err);
    if (rc != NEAP_OK) return rc;
    if (!vectors || !names) return ni_fail(err, NEAP_E_FORMAT, "vectors or names are missing");
    uint64_t n = vectors->shape[0], offsets = n + 1;
    rc = ni_tensors_need(t, "vectors", NI_F32, 2, vectors->shape, &x, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "names.offsets", NI_U64, 1, &offsets, &offset, err);
    if (rc == NEAP_OK) rc = ni_tensors_need(t, "names.bytes", NI_U8, 1, names->shape, &bytes, err);
    return rc == NEAP_OK ? check_names(offset, n, bytes, names->shape[0], err) : rc;
}

static neap_status check_contents(const ni_tensors *t, const listener *to, neap_error *err)
{
    neap_model *model = NULL;
    neap_graph *graph = NULL;
    neap_status rc;
    if (ni_tensors_are(t, "graph")) rc = ni_graph_from_file(t, &graph, err);
    else if (ni_tensors_are(t, "vectors")) rc = check_vectors(t, err);
    else rc = ni_model_from_tensors(t, &model, err);
    if (rc == NEAP_OK && to->fact) rc = tell(to, t, model ? model->graph : graph, err);
    neap_model_free(model);
    neap_graph_free(graph);
    return rc;
}

neap_status neap_file_check(const char *path, void (*fact)(const char *key, const char *value, void *user),
                            void *user, neap_error *err)
{
    ni_tensors t;
    if (!path) return ni_fail(err, NEAP_E_ARG, "neap_file_check needs a path");
    neap_status rc = ni_tensors_read(path, NULL, &t, err);
    if (rc != NEAP_OK) return rc;
    rc = check_contents(&t, &(listener){ fact, user }, err);
    ni_tensors_release(&t);
    return ni_name_file(path, rc, err);
}

int neap_file_is_ours(const char *path)
{
    return path && ni_tensors_look(path);
}
