/* Scores by products of two rows: O(d) per pair, O(n d) per ranked source. */
#include "methods/dot.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "support/status.h"

static float *vectors_of(const neap_model *m)
{
    return ((const ni_dot *)m->own)->E;
}

void ni_dot_declare(neap_model *m, ni_declaration *d)
{
    ni_dot *own = m->own;
    ni_declare_matrix(d, "E", NI_LEARNED, m->rows, m->dim, &own->E);
}

void ni_dot_mean(const neap_model *m, uint32_t u, float *mean)
{
    const float *E = vectors_of(m);
    float share = 1 / (float)ni_model_known_links(m, u);
    memset(mean, 0, m->dim * sizeof *mean);
    for (uint64_t i = m->links.offset[u]; i < m->links.offset[u + 1]; i++) {
        uint32_t v = m->links.node[i];
        if (v < m->rows) ni_kernels_get()->axpy(share, E + (uint64_t)v * m->dim, mean, m->dim);
    }
}

const float *ni_dot_vector(const neap_model *m, uint32_t u, float *scratch)
{
    const ni_dot *own = m->own;
    if (u < m->rows) return own->E + (uint64_t)u * m->dim;
    const float *more = own->more;
    if (more) return more + (uint64_t)(u - m->rows) * m->dim;
    ni_dot_mean(m, u, scratch);
    return scratch;
}

static float product(const neap_model *m, const float *x, const float *y)
{
    return ni_kernels_get()->dot(x, y, m->dim);
}

static neap_status make_scratch(const neap_model *m, float **scratch, neap_error *err)
{
    *scratch = ni_array(2 * (size_t)m->dim, sizeof **scratch);
    return *scratch ? NEAP_OK : ni_fail_memory(err, "scores");
}

neap_status ni_dot_score_by(const neap_model *m, ni_dot_rule rule, const neap_pair *pairs, size_t count,
                            float *scores, neap_error *err)
{
    float *scratch;
    neap_status rc = make_scratch(m, &scratch, err);
    if (!rule) rule = product;
    for (size_t i = 0; i < count && rc == NEAP_OK; i++)
        scores[i] = rule(m, ni_dot_vector(m, pairs[i].source, scratch),
                         ni_dot_vector(m, pairs[i].target, scratch + m->dim));
    ni_free(scratch);
    return rc;
}

neap_status ni_dot_score_all_by(const neap_model *m, ni_dot_rule rule, uint32_t source, float *scores,
                                neap_error *err)
{
    float *scratch;
    neap_status rc = make_scratch(m, &scratch, err);
    if (rc != NEAP_OK) return rc;
    if (!rule) rule = product;
    const float *x = ni_dot_vector(m, source, scratch);
    for (uint32_t t = 0; t < m->graph->nodes; t++)
        scores[t] = rule(m, x, ni_dot_vector(m, t, scratch + m->dim));
    ni_free(scratch);
    return NEAP_OK;
}

neap_status ni_dot_score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    return ni_dot_score_by(q->model, NULL, pairs, count, scores, err);
}

neap_status ni_dot_score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return ni_dot_score_all_by(q->model, NULL, source, scores, err);
}

neap_status ni_dot_judge(ni_run *run, ni_dot_rule rule, neap_error *err)
{
    const neap_split *split = run->split;
    neap_status rc = ni_dot_score_by(run->model, rule, split->positive, split->count, run->positive, err);
    if (rc == NEAP_OK)
        rc = ni_dot_score_by(run->model, rule, split->negative, split->count, run->negative, err);
    return ni_run_judge(run, rc, err);
}

neap_status ni_dot_vectors(neap_query *q, float *vectors, neap_error *err)
{
    const neap_model *m = q->model;
    (void)err;
    memcpy(vectors, vectors_of(m), (uint64_t)m->rows * m->dim * sizeof *vectors);
    for (uint32_t u = m->rows; u < m->graph->nodes; u++) {
        float *to = vectors + (uint64_t)u * m->dim;
        const float *x = ni_dot_vector(m, u, to);
        if (x != to) memcpy(to, x, m->dim * sizeof *to);
    }
    return NEAP_OK;
}

neap_status ni_dot_some_vectors(neap_query *q, const uint32_t *nodes, size_t count, float *vectors,
                                neap_error *err)
{
    const neap_model *m = q->model;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        float *to = vectors + i * m->dim;
        const float *x = ni_dot_vector(m, nodes[i], to);
        if (x != to) memcpy(to, x, m->dim * sizeof *to);
    }
    return NEAP_OK;
}

/* ---- new nodes with a text ---- */

static neap_status check_finite(const float *x, uint64_t count, neap_error *err)
{
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return ni_fail(err, NEAP_E_NUMERIC, "the vector of a new node is not finite");
    return NEAP_OK;
}

void ni_dot_fill_textless(const neap_model *m, uint32_t first, uint32_t end, float *rows)
{
    for (uint32_t u = first; u < end; u++)
        if (!ni_text_size(&m->texts, u)) ni_dot_mean(m, u, rows + (uint64_t)(u - first) * m->dim);
}

/* Queries of one model may be opened at once: the first rows to be finished stay. */
neap_status ni_dot_open(neap_query *q, ni_dot_reader read, neap_error *err)
{
    const neap_model *m = q->model;
    ni_dot *own = m->own;
    uint32_t fresh = m->graph->nodes - m->rows;
    float *none = NULL;
    if (!fresh || own->more) return NEAP_OK;
    float *rows = ni_zeros(fresh, m->dim * sizeof *rows);
    neap_status rc = rows ? read(m, m->rows, m->graph->nodes, q->threads, rows, err)
                          : ni_fail_memory(err, "the vectors of new nodes");
    if (rc == NEAP_OK) rc = ni_threads_check(q->threads, err);
    if (rc == NEAP_OK) rc = check_finite(rows, (uint64_t)fresh * m->dim, err);
    if (rc != NEAP_OK || !atomic_compare_exchange_strong(&own->more, &none, rows)) ni_free(rows);
    return rc;
}

void ni_dot_release(neap_model *m)
{
    ni_free(((const ni_dot *)m->own)->more);
}
