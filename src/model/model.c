#include "model/model.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "base/sys.h"
#include "linalg/kernels.h"

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
static neap_status take_graph(const neap_graph *graph, const neap_options *options, neap_graph **out,
                              neap_error *err)
{
    if (!options->self_loops && has_loop(graph)) return ni_graph_filter(graph, no_loop, NULL, out, err);
    *out = ni_graph_share(graph);
    return NEAP_OK;
}

neap_status ni_model_create(const neap_graph *graph, const neap_options *options, neap_model **out,
                            neap_error *err)
{
    *out = NULL;
    if (options->undirected && !graph->undirected)
        return ni_fail(err, NEAP_E_MISMATCH,
                       "the options say undirected, but the graph was made with directed edges");
    neap_model *m = ni_zeros(1, sizeof *m);
    if (!m) return ni_fail_memory(err, "a model");
    m->options = *options;
    m->options.undirected = graph->undirected; /* what counts is the graph */
    m->loss = m->valid_auc = NAN;
    m->rows = graph->nodes;
    neap_status rc = take_graph(graph, options, &m->graph, err);
    if (rc == NEAP_OK) rc = ni_links_create(m->graph, &m->links, err);
    if (rc == NEAP_OK) rc = ni_hood_create(m->graph, &m->links, options, &m->hood, err);
    if (rc == NEAP_OK) rc = ni_threads_create(options->threads, &m->threads, err);
    if (rc == NEAP_OK) *out = m;
    else neap_model_free(m);
    return rc;
}

neap_status ni_model_read_around(neap_model *m, const neap_graph *around, neap_error *err)
{
    ni_links links;
    ni_hood hood;
    if (around->nodes != m->graph->nodes)
        return ni_fail(err, NEAP_E_MISMATCH, "the graph of the neighbourhoods has other nodes");
    neap_status rc = ni_links_create(around, &links, err);
    if (rc != NEAP_OK) return rc;
    rc = ni_hood_create(around, &links, &m->options, &hood, err);
    ni_links_free(&links);
    if (rc != NEAP_OK) return rc;
    ni_hood_free(&m->hood);
    m->hood = hood;
    m->hood.capped = true; /* it cannot be made again from the model's own graph */
    return NEAP_OK;
}

void neap_model_free(neap_model *m)
{
    if (!m) return;
    neap_graph_free(m->graph);
    ni_links_free(&m->links);
    ni_hood_free(&m->hood);
    ni_threads_free(m->threads);
    ni_free(m->E);
    ni_free(m->P);
    ni_free(m->pad);
    ni_free(m->attention);
    ni_personas_free(&m->personas);
    ni_free(m->persona);
    ni_free(m->persona_scale);
    ni_free(m);
}

/* A row of E or the padding vector, uniform within +-bound. */
static void draw_row(const neap_model *m, uint64_t item, double bound, float *row)
{
    ni_rng rng = ni_rng_at(m->options.seed, NI_STREAM_TABLE, 0, item);
    for (uint32_t k = 0; k < m->dim; k++) row[k] = (float)((2 * ni_uniform(&rng) - 1) * bound);
}

neap_status ni_model_draw_vectors(neap_model *m, double bound, neap_error *err)
{
    uint64_t d = m->dim = m->options.dim;
    m->E = ni_array(m->rows * d, sizeof *m->E);
    if (!m->E) return ni_fail_memory(err, "the vectors; a smaller --dim needs less");
    for (uint32_t u = 0; u < m->rows; u++) draw_row(m, u, bound, m->E + u * d);
    return NEAP_OK;
}

/* E and the padding vector: +-sqrt(6 / (n + 1 + d)), n nodes and the padding (Glorot and Bengio 2010). */
neap_status ni_model_init_tables(neap_model *m, neap_error *err)
{
    uint64_t d = m->options.dim;
    double bound = sqrt(6.0 / ((double)m->rows + 1 + (double)d));
    neap_status rc = ni_model_draw_vectors(m, bound, err);
    if (rc != NEAP_OK) return rc;
    if (m->options.matrix) m->P = ni_array(d * d, sizeof *m->P);
    if (m->options.padding == NI_PAD_VECTOR) m->pad = ni_array(d, sizeof *m->pad);
    if ((m->options.matrix && !m->P) || (m->options.padding == NI_PAD_VECTOR && !m->pad))
        return ni_fail_memory(err, "the vectors; a smaller --dim needs less");
    if (m->pad) draw_row(m, NEAP_NONE, bound, m->pad);
    for (uint64_t i = 0; m->P && i < d; i++) {
        ni_rng rng = ni_rng_at(m->options.seed, NI_STREAM_MATRIX, 0, i);
        for (uint64_t k = 0; k < d; k++) m->P[i * d + k] = (float)(ni_normal(&rng) * sqrt(1.0 / (double)d));
    }
    return NEAP_OK;
}

void ni_model_measure_personas(neap_model *m)
{
    for (uint32_t p = 0; p < m->personas.count; p++) {
        const float *x = m->persona + (uint64_t)p * m->dim;
        float squares = ni_kernels_get()->dot(x, x, m->dim);
        m->persona_scale[p] = squares > 0 ? 1 / sqrtf(squares) : 0;
    }
}

uint64_t ni_model_graph_bytes(const neap_model *m, const neap_graph *given)
{
    return ni_graph_bytes(given) + (m->graph == given ? 0 : ni_graph_bytes(m->graph)) +
           ni_links_bytes(&m->links) + ni_hood_bytes(&m->hood);
}

const neap_graph *neap_model_graph(const neap_model *m)
{
    return m->graph;
}

const neap_options *neap_model_options(const neap_model *m)
{
    return &m->options;
}

uint32_t neap_model_dim(const neap_model *m)
{
    return m->dim;
}

neap_training neap_model_training(const neap_model *m)
{
    return (neap_training){ m->epochs, m->loss, m->valid_auc };
}

neap_status neap_model_set_threads(neap_model *m, uint32_t count, neap_error *err)
{
    ni_threads *threads;
    neap_status rc = ni_threads_create(count, &threads, err);
    if (rc != NEAP_OK) return rc;
    ni_threads_free(m->threads);
    m->threads = threads;
    return NEAP_OK;
}
