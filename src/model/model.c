/* Models: made from a job, shared by count, freed with the last holder. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/sized.h"
#include "base/sys.h"
#include "data/features.h"
#include "model/method.h"
#include "support/status.h"

/* ---- the graph of a model ---- */

static bool no_loop(void *user, uint32_t s, uint32_t t)
{
    (void)user;
    return s != t;
}

static bool has_loop(const neap_graph *g)
{
    for (uint32_t u = 0; u < g->nodes; u++)
        if (ni_graph_has(g, u, u)) return true;
    return false;
}

/* The graph itself, or one without its loops where they are not wanted. */
static neap_status take_graph(const neap_graph *graph, bool self_loops, neap_graph **out, neap_error *err)
{
    if (!self_loops && has_loop(graph)) return ni_graph_filter(graph, no_loop, NULL, out, err);
    *out = ni_graph_share(graph);
    return NEAP_OK;
}

/* Neighbourhoods of another graph of the same nodes: how published evaluations leak. */
static neap_status read_around(const neap_model *m, const neap_graph *around, const ni_hood_rule *rule,
                               ni_hood *hood, neap_error *err)
{
    ni_links links;
    if (around->nodes != m->graph->nodes)
        return ni_fail(err, NEAP_E_MISMATCH, "the graph of the neighbourhoods has other nodes");
    neap_status rc = ni_links_create(around, &links, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_hood_create(around, &links, rule, hood, err);
    ni_links_free(&links);
    hood->capped = true; /* it cannot be made again from the model's own graph */
    return rc;
}

static neap_status make_hood(neap_model *m, const neap_graph *around, neap_error *err)
{
    if (!m->method->hood) return NEAP_OK;
    ni_hood_rule rule = m->method->hood(m->settings);
    return around ? read_around(m, around, &rule, &m->hood, err)
                  : ni_hood_create(m->graph, &m->links, &rule, &m->hood, err);
}

static neap_status make_texts(neap_model *m, const neap_data *data, neap_error *err)
{
    const neap_text *text = data->text;
    if (!m->method->text) return NEAP_OK;
    bool features = m->method->info.features && data->features;
    if (!text && !features && m->method->info.text == 1)
        return ni_fail(
            err, NEAP_E_ARG,
            "%s reads the text of nodes, and there is none; give it with --text FILE%s (lines of "
            "a node, a tab and its text)",
            m->method->info.name, m->method->info.features ? ", or features with --features FILE" : "");
    if ((text && text->nodes != m->graph->nodes) || (features && data->features->nodes != m->graph->nodes))
        return ni_fail(err, NEAP_E_MISMATCH, "the %s are of another graph", text ? "texts" : "features");
    if (!text) return ni_texts_none(m->graph->nodes, &m->texts, err);
    return ni_texts_create(text, m->method->text(m->settings), &m->texts, err);
}

/* ---- making and freeing ---- */

uint32_t ni_model_dim(const ni_method *method, const ni_settings *settings)
{
    if (method->dim) return method->dim(settings);
    const uint32_t *dim = ni_settings_find(settings, "dim");
    return dim ? *dim : 0;
}

neap_status ni_model_create(const ni_job *job, neap_model **out, neap_error *err)
{
    const neap_graph *graph = job->data->graph;
    *out = NULL;
    neap_model *m = ni_zeros(1, sizeof *m);
    if (!m) return ni_fail_memory(err, "a model");
    m->method = job->method;
    m->settings = ni_settings_share(job->settings);
    m->loss = m->valid_auc = NAN;
    m->rows = graph->nodes;
    m->dim = ni_model_dim(m->method, m->settings);
    m->own = ni_zeros(1, m->method->own);
    m->tensors = ni_zeros(1, sizeof *m->tensors);
    neap_status rc = m->own && m->tensors ? NEAP_OK : ni_fail_memory(err, "a model");
    if (rc == NEAP_OK) rc = take_graph(graph, m->settings->common.self_loops, &m->graph, err);
    if (rc == NEAP_OK) rc = ni_links_create(m->graph, &m->links, err);
    if (rc == NEAP_OK) rc = ni_targets_read(job->data->targets, m->graph, &m->targets, err);
    if (rc == NEAP_OK) rc = make_hood(m, job->data->around, err);
    if (rc == NEAP_OK) rc = make_texts(m, job->data, err);
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

neap_model *ni_model_share(const neap_model *model)
{
    neap_model *shared = (neap_model *)model; /* only the count of its holders changes */
    atomic_fetch_add(&shared->sharers, 1);
    return shared;
}

static void store_free(ni_store *store)
{
    if (!store || atomic_fetch_sub(&store->sharers, 1) != 0) return;
    ni_declaration_free(&store->list);
    ni_free(store);
}

void neap_model_free(neap_model *m)
{
    if (!m || atomic_fetch_sub(&m->sharers, 1) != 0) return;
    if (m->own && m->method->release) m->method->release(m);
    ni_free(m->own);
    store_free(m->tensors);
    neap_graph_free(m->graph);
    ni_links_free(&m->links);
    ni_targets_free(&m->targets);
    ni_hood_free(&m->hood);
    ni_texts_free(&m->texts);
    ni_settings_free(m->settings);
    ni_free(m);
}

neap_status ni_model_allocate(neap_model *m, neap_error *err)
{
    ni_declaration fresh = { 0 };
    if (m->method->declare) m->method->declare(m, &fresh);
    for (size_t i = 0; i < fresh.count && !fresh.failed; i++) {
        ni_declared *t = &fresh.item[i];
        ni_declared *old = ni_declared_find(&m->tensors->list, t->name);
        if (t->role == NI_STATE) t->slot = NULL; /* the run points it to its own array */
        if (old) ni_declared_set(t, old->data), old->data = NULL;
    }
    neap_status rc = ni_declaration_allocate(&fresh, err);
    ni_declaration_free(&m->tensors->list);
    m->tensors->list = fresh;
    return rc;
}

/* ---- start values ---- */

void ni_model_draw(const neap_model *m, uint64_t item, uint64_t n, double bound, float *row)
{
    ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_TABLE, 0, item);
    for (uint64_t k = 0; k < n; k++) row[k] = (float)((2 * ni_uniform(&rng) - 1) * bound);
}

void ni_model_draw_row(const neap_model *m, uint64_t item, double bound, float *row)
{
    ni_model_draw(m, item, m->dim, bound, row);
}

void ni_model_draw_rows(const neap_model *m, double bound, float *rows)
{
    for (uint32_t u = 0; u < m->rows; u++) ni_model_draw_row(m, u, bound, rows + (uint64_t)u * m->dim);
}

/* ---- facts ---- */

uint32_t ni_model_known_links(const neap_model *m, uint32_t u)
{
    uint32_t known = 0;
    for (uint64_t i = m->links.offset[u]; i < m->links.offset[u + 1]; i++)
        known += m->links.node[i] < m->rows;
    return known;
}

uint64_t ni_model_graph_bytes(const neap_model *m, const neap_graph *given)
{
    return ni_graph_bytes(given) + (m->graph == given ? 0 : ni_graph_bytes(m->graph)) +
           ni_links_bytes(&m->links) + ni_targets_bytes(&m->targets) +
           (m->hood.offset ? ni_hood_bytes(&m->hood) : 0) + ni_texts_bytes(&m->texts);
}

const neap_graph *neap_model_graph(const neap_model *m)
{
    return m->graph;
}

const neap_options *neap_model_options(const neap_model *m)
{
    return m->settings->options;
}

neap_status neap_model_facts_of(const neap_model *m, neap_model_facts *facts, neap_error *err)
{
    neap_model_facts mine = { .method = m->method->info.name,
                              .nodes = m->graph->nodes,
                              .rows = m->rows,
                              .dim = m->dim,
                              .epochs = m->epochs,
                              .loss = m->loss,
                              .valid_auc = m->valid_auc,
                              .targets = ni_targets_word(&m->targets) };
    if (ni_targets_limit(&m->targets) && !m->targets.opposite)
        mine.target_count = ni_side_count(&m->targets, 1);
    return ni_sized_out(&mine, sizeof mine, facts, "neap_model_facts", err);
}
