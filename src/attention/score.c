#include "attention/score.h"

#include "attention/queries.h"

static neap_status score_chunk(ni_engine *e, const neap_pair *pairs, uint32_t count, bool both_orders,
                               float *scores, neap_error *err)
{
    neap_pair turned[NI_FORWARD_MOST];
    float back[NI_FORWARD_MOST];
    neap_status rc = ni_engine_forward(e, pairs, count, false, 0, scores, NULL, err);
    if (rc != NEAP_OK || !both_orders) return rc;
    for (uint32_t i = 0; i < count; i++) turned[i] = (neap_pair){ pairs[i].target, pairs[i].source };
    rc = ni_engine_forward(e, turned, count, false, 0, back, NULL, err);
    for (uint32_t i = 0; i < count && rc == NEAP_OK; i++) scores[i] = (scores[i] + back[i]) / 2;
    return rc;
}

neap_status ni_score_pairs(ni_engine *e, const neap_pair *pairs, size_t count, bool both_orders,
                           float *scores, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < count && rc == NEAP_OK; i += NI_FORWARD_MOST) {
        uint32_t n = (uint32_t)(count - i < NI_FORWARD_MOST ? count - i : NI_FORWARD_MOST);
        rc = score_chunk(e, pairs + i, n, both_orders, scores + i, err);
    }
    return rc;
}

neap_status ni_gap_score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                         neap_error *err)
{
    ni_engine *e;
    neap_status rc = ni_model_engine(m, &e, err);
    if (rc == NEAP_OK) rc = ni_score_pairs(e, pairs, count, m->graph->undirected, scores, err);
    ni_engine_free(e);
    return rc;
}
