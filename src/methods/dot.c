#include "methods/dot.h"

#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "linalg/kernels.h"

const float *ni_dot_vector(const neap_model *m, uint32_t u, float *scratch)
{
    const ni_kernels *k = ni_kernels_get();
    uint32_t size = ni_hood_size(&m->hood, u);
    if (u < m->rows) return m->E + (uint64_t)u * m->dim;
    memset(scratch, 0, m->dim * sizeof *scratch);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t v = m->hood.node[m->hood.offset[u] + i];
        k->axpy(1 / (float)size, m->E + (uint64_t)v * m->dim, scratch, m->dim);
    }
    return scratch;
}

static neap_status make_scratch(const neap_model *m, size_t vectors, float **scratch, neap_error *err)
{
    *scratch = ni_array(vectors * m->dim, sizeof **scratch);
    return *scratch ? NEAP_OK : ni_fail_memory(err, "scores");
}

neap_status ni_dot_score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    float *scratch;
    neap_status rc = make_scratch(m, 2, &scratch, err);
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) {
        const float *x = ni_dot_vector(m, pairs[i].source, scratch);
        const float *y = ni_dot_vector(m, pairs[i].target, scratch + m->dim);
        scores[i] = ni_kernels_get()->dot(x, y, m->dim);
    }
    ni_free(scratch);
    return rc;
}

neap_status ni_dot_score_all(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    float *scratch;
    neap_status rc = make_scratch(m, 2, &scratch, err);
    if (rc != NEAP_OK) return rc;
    const float *x = ni_dot_vector(m, source, scratch);
    for (uint32_t t = 0; t < m->graph->nodes; t++)
        scores[t] = ni_kernels_get()->dot(x, ni_dot_vector(m, t, scratch + m->dim), m->dim);
    ni_free(scratch);
    return NEAP_OK;
}

neap_status ni_dot_vectors(const neap_model *m, float *vectors, neap_error *err)
{
    (void)err;
    memcpy(vectors, m->E, (uint64_t)m->rows * m->dim * sizeof *vectors);
    for (uint32_t u = m->rows; u < m->graph->nodes; u++)
        ni_dot_vector(m, u, vectors + (uint64_t)u * m->dim);
    return NEAP_OK;
}
