#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "reading.h"

const char *targets_path(const char *word)
{
    return word && strcmp(word, "auto") && strcmp(word, "all") ? word : NULL;
}

static neap_status find_sides(const args *a, const neap_graph *graph, target_set *t, neap_error *err)
{
    uint32_t nodes = neap_graph_nodes(graph), others = 0;
    t->side = calloc((size_t)nodes + 1, 1);
    if (!t->side) return ni_fail(err, NEAP_E_MEM, "out of memory for the sides of the graph");
    neap_status rc = neap_graph_sides(graph, t->side, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t u = 0; u < nodes; u++) others += t->side[u];
    say(a, "  bipartite: the targets of a node are those of the other side (%u and %u nodes)",
        nodes - others, others);
    t->targets.side = t->side;
    return NEAP_OK;
}

static neap_status read_list_of(const args *a, const char *path, const neap_graph *graph, target_set *t,
                                neap_error *err)
{
    char count[SHORT];
    neap_status rc = neap_nodes_load(path, graph, &t->nodes, err);
    if (rc != NEAP_OK) return rc;
    t->targets.nodes = t->nodes->node;
    t->targets.count = t->nodes->count;
    say(a, "%s: %s target%s", input_label(path), ni_format_count(t->nodes->count, count),
        plural(t->nodes->count));
    return NEAP_OK;
}

neap_status targets_read(const args *a, const char *word, const neap_graph *graph, target_set *t,
                         neap_error *err)
{
    *t = (target_set){ .given = word != NULL, .targets = NEAP_SIZED(neap_targets) };
    if (!word || !strcmp(word, "all")) return NEAP_OK;
    return strcmp(word, "auto") ? read_list_of(a, word, graph, t, err) : find_sides(a, graph, t, err);
}

void targets_free(target_set *t)
{
    neap_nodes_free(t->nodes);
    free(t->side);
    *t = (target_set){ 0 };
}

const neap_targets *targets_of(const target_set *t)
{
    return t->given ? &t->targets : NULL;
}
