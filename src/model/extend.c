/* New nodes without training: a node's vector is made of its neighbours' vectors, or of its text, so a node
 * that has known neighbours or words needs none of its own. O(nodes + edges) of both graphs; the new model
 * shares the tensors of the old one. */
#include <string.h>

#include "base/sized.h"
#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"

typedef struct extension {
    const neap_model *model;
    const neap_graph *links;
    const neap_text *text; /* of the nodes of links, or NULL: the method reads none */
    uint32_t *kept;        /* of each word of text: its number in the model, or NEAP_NONE */
    uint32_t *number;      /* of each node of links: its number in the model, old or new, or NEAP_NONE */
    const char **name;     /* of all nodes */
    neap_edge *edge;
    uint64_t edges;
    neap_extension report;
} extension;

/* A known node has a vector; a node of an earlier extension has none. */
static bool is_known(const extension *x, uint32_t node)
{
    return x->number[node] < x->model->rows;
}

static void add_node(extension *x, uint32_t u)
{
    x->number[u] = x->model->graph->nodes + x->report.added;
    x->name[x->number[u]] = ni_name(&x->links->names, u);
    x->report.added++;
}

/* Nodes that have no edge with a known node, but a word that the model reads. */
static void number_texts(extension *x)
{
    const neap_text *t = x->text;
    for (uint32_t u = 0; u < x->links->nodes; u++) {
        bool reads = false;
        for (uint64_t i = t->offset[u]; i < t->offset[u + 1] && !reads; i++)
            reads = x->kept[t->word[i]] != NEAP_NONE;
        if (x->number[u] < x->model->graph->nodes) x->report.known_texts += t->offset[u] < t->offset[u + 1];
        if (!reads || x->number[u] != NEAP_NONE || !x->model->method->info.new_text) continue;
        add_node(x, u);
        x->report.by_text++;
    }
}

/* Numbers the known nodes first, then each unknown node that has an edge with a known one, then texts. */
static void number_nodes(extension *x)
{
    const neap_graph *g = x->links;
    for (uint32_t u = 0; u < g->nodes; u++)
        if (neap_graph_find(x->model->graph, ni_name(&g->names, u), &x->number[u], NULL) != NEAP_OK)
            x->number[u] = NEAP_NONE;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            bool one_is_known = is_known(x, u) != is_known(x, v);
            uint32_t newcomer = is_known(x, u) ? v : u;
            if (one_is_known && x->number[newcomer] == NEAP_NONE) add_node(x, newcomer);
        }
    if (x->text) number_texts(x);
    for (uint32_t u = 0; u < g->nodes; u++) x->report.unreachable += x->number[u] == NEAP_NONE;
}

static void add_edge(extension *x, uint32_t s, uint32_t t, const float *weight, uint64_t e)
{
    x->edge[x->edges++] = (neap_edge){ s, t, weight ? weight[e] : 1 };
}

static void collect_edges(extension *x)
{
    const neap_graph *old = x->model->graph, *g = x->links;
    for (uint32_t u = 0; u < old->nodes; u++)
        for (uint64_t e = old->offset[u]; e < old->offset[u + 1]; e++)
            add_edge(x, u, old->target[e], old->weight, e);
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            if (is_known(x, u) != is_known(x, v)) add_edge(x, x->number[u], x->number[v], g->weight, e);
            else x->report.ignored++;
        }
}

/* Nodes that were in training keep the neighbourhoods they were trained with; any other, also one of an
 * earlier extension, reads its neighbours that were in training, which leaves itself out. */
static neap_status extend_hood(const neap_model *m, neap_model *fresh, neap_error *err)
{
    ni_hood *hood = &fresh->hood;
    uint32_t old = m->rows, nodes = fresh->graph->nodes;
    if (!m->method->hood) return NEAP_OK;
    ni_hood_rule rule = m->method->hood(m->settings);
    neap_status rc = ni_hood_create(fresh->graph, &fresh->links, &rule, hood, err);
    if (rc != NEAP_OK) return rc;
    uint64_t kept = m->hood.offset[old], read = hood->offset[old];
    uint32_t *node = ni_array(kept + hood->offset[nodes] - read, sizeof *node);
    if (!node) return ni_fail_memory(err, "the new nodes");
    memcpy(node, m->hood.node, kept * sizeof *node);
    memcpy(hood->offset, m->hood.offset, (uint64_t)old * sizeof *hood->offset);
    for (uint32_t u = old; u < nodes; u++) {
        hood->offset[u] = kept;
        for (; read < hood->offset[u + 1]; read++)
            if (hood->node[read] < m->rows) node[kept++] = hood->node[read];
    }
    hood->offset[nodes] = kept;
    ni_free(hood->node);
    hood->node = node;
    hood->capped |= m->hood.capped;
    return NEAP_OK;
}

/* Of a list, new nodes are no targets; in a bipartite graph they are opposite to their first neighbour, or
 * on the side of node 0 if they have none. */
static neap_status extend_targets(const neap_model *m, neap_model *fresh, neap_error *err)
{
    uint32_t old = m->graph->nodes, nodes = fresh->graph->nodes;
    if (!ni_targets_limit(&m->targets)) return NEAP_OK;
    uint8_t *side = ni_zeros(nodes, 1);
    if (!side) return ni_fail_memory(err, "the new nodes");
    memcpy(side, m->targets.side, old);
    for (uint32_t u = old; u < nodes && m->targets.opposite; u++) {
        uint64_t first = fresh->links.offset[u];
        side[u] = first < fresh->links.offset[u + 1] ? !side[fresh->links.node[first]] : side[0];
    }
    neap_status rc = ni_targets_create(side, nodes, m->targets.opposite, &fresh->targets, err);
    ni_free(side);
    return rc;
}

/* A new node has the text that the data give it, or none. */
static neap_status extend_texts(const neap_model *m, const extension *x, neap_model *fresh, neap_error *err)
{
    uint32_t old = m->graph->nodes, nodes = fresh->graph->nodes;
    if (!m->method->text) return NEAP_OK;
    uint32_t *number = ni_array(nodes - old, sizeof *number); /* of new nodes in the data */
    if (!number) return ni_fail_memory(err, "the new nodes");
    memset(number, 0xff, (nodes - old) * sizeof *number); /* NEAP_NONE */
    for (uint32_t u = 0; u < x->links->nodes; u++)
        if (x->number[u] != NEAP_NONE && x->number[u] >= old) number[x->number[u] - old] = u;
    neap_status rc = ni_texts_extend(&m->texts, m->method->text(m->settings), x->text, x->kept, number,
                                     nodes, &fresh->texts, err);
    ni_free(number);
    return rc;
}

/* The same tensors under the new model's pointers. */
static neap_status share_tensors(const neap_model *m, neap_model *fresh, neap_error *err)
{
    ni_declaration d = { .known = &m->tensors->list };
    atomic_fetch_add(&m->tensors->sharers, 1);
    fresh->tensors = m->tensors;
    if (m->method->declare) m->method->declare(fresh, &d);
    for (size_t i = 0; i < d.count; i++) {
        const ni_declared *own = ni_declared_find(&m->tensors->list, d.item[i].name);
        if (own && own->data) ni_declared_set(&d.item[i], own->data);
        d.item[i].data = NULL; /* not the list's */
    }
    neap_status rc = d.failed ? ni_fail_memory(err, "the new nodes") : NEAP_OK;
    ni_declaration_free(&d);
    return rc;
}

static neap_status make_model(const neap_model *m, const extension *x, neap_model *fresh, neap_error *err)
{
    neap_status rc = neap_graph_create(m->graph->nodes + x->report.added, x->name, x->edge, x->edges,
                                       m->graph->weight != NULL, m->graph->undirected, &fresh->graph, err);
    if (rc == NEAP_OK) rc = ni_links_create(fresh->graph, &fresh->links, err);
    if (rc == NEAP_OK) rc = extend_targets(m, fresh, err);
    if (rc == NEAP_OK) rc = extend_hood(m, fresh, err);
    if (rc == NEAP_OK) rc = extend_texts(m, x, fresh, err);
    if (rc == NEAP_OK) rc = share_tensors(m, fresh, err);
    if (rc == NEAP_OK && m->method->derive) rc = m->method->derive(fresh, err);
    return rc;
}

static neap_status extend(const neap_model *m, extension *x, neap_model **out, neap_error *err)
{
    neap_model *fresh = ni_zeros(1, sizeof *fresh);
    if (!fresh) return ni_fail_memory(err, "the new nodes");
    fresh->method = m->method;
    fresh->settings = ni_settings_share(m->settings);
    fresh->rows = m->rows;
    fresh->dim = m->dim;
    fresh->epochs = m->epochs;
    fresh->loss = m->loss;
    fresh->valid_auc = m->valid_auc;
    fresh->own = ni_zeros(1, m->method->own);
    number_nodes(x);
    collect_edges(x);
    neap_status rc = fresh->own ? make_model(m, x, fresh, err) : ni_fail_memory(err, "the new nodes");
    if (rc == NEAP_OK) *out = fresh;
    else neap_model_free(fresh);
    return rc;
}

neap_status neap_model_extend(const neap_model *m, const neap_data *data, neap_model **out,
                              neap_extension *report, neap_error *err)
{
    neap_data given;
    *out = NULL;
    neap_status rc = ni_sized_in(&given, sizeof given, data, "neap_data", err);
    if (rc != NEAP_OK) return rc;
    const neap_graph *links = given.graph;
    if (!links) return ni_fail(err, NEAP_E_ARG, "neap_data has no graph");
    if (given.text && given.text->nodes != links->nodes)
        return ni_fail(err, NEAP_E_MISMATCH, "the texts are of another graph than that of the new links");
    if (!m->method->text) given.text = NULL;
    uint64_t nodes = (uint64_t)m->graph->nodes + links->nodes, edges = m->graph->edges + links->edges;
    if (nodes > NI_NAMES_MOST) return ni_fail(err, NEAP_E_LIMIT, "more nodes than a graph may have");
    extension x = { .model = m,
                    .links = links,
                    .text = given.text,
                    .kept = ni_array(given.text ? given.text->words.count : 0, sizeof *x.kept),
                    .number = ni_array(links->nodes, sizeof *x.number),
                    .name = ni_array(nodes, sizeof *x.name),
                    .edge = ni_array(edges, sizeof *x.edge) };
    rc = x.number && x.name && x.edge && x.kept ? NEAP_OK : ni_fail_memory(err, "the new nodes");
    for (uint32_t u = 0; u < m->graph->nodes && rc == NEAP_OK; u++)
        x.name[u] = ni_name(&m->graph->names, u);
    if (rc == NEAP_OK && x.text) ni_texts_find(&m->texts, x.text, x.kept);
    if (rc == NEAP_OK) rc = extend(m, &x, out, err);
    if (rc == NEAP_OK && report)
        rc = ni_sized_out(&x.report, sizeof x.report, report, "neap_extension", err);
    if (rc != NEAP_OK) {
        neap_model_free(*out);
        *out = NULL;
    }
    ni_free(x.number);
    ni_free(x.kept);
    ni_free(x.name);
    ni_free(x.edge);
    return rc;
}
