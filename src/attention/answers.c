/* attention.h as answers of a method (model/method.h): each takes the context that the query keeps. */
#include "attention/attention.h"

static ni_attention *context_of(const neap_query *q)
{
    return q->own;
}

neap_status ni_answer_score(neap_query *q, const neap_pair *pairs, size_t count, float *scores,
                            neap_error *err)
{
    return ni_attention_score(context_of(q), pairs, count, scores, err);
}

neap_status ni_answer_score_all(neap_query *q, uint32_t source, float *scores, neap_error *err)
{
    return ni_attention_score_all(context_of(q), source, scores, err);
}

neap_status ni_answer_score_bounds(neap_query *q, uint32_t source, float *least, float *most, bool *bounded,
                                   neap_error *err)
{
    return ni_attention_score_bounds(context_of(q), source, least, most, bounded, err);
}

neap_status ni_answer_score_some(neap_query *q, uint32_t source, const uint32_t *targets, size_t count,
                                 float *scores, neap_error *err)
{
    return ni_attention_score_some(context_of(q), source, targets, count, scores, err);
}

neap_status ni_answer_vectors(neap_query *q, float *vectors, neap_error *err)
{
    return ni_attention_vectors(context_of(q), q->model->graph, vectors, err);
}

neap_status ni_answer_context_vectors(neap_query *q, uint32_t context, float *vectors, neap_error *err)
{
    return ni_attention_context_vectors(context_of(q), context, vectors, err);
}

neap_status ni_answer_pair_vectors(neap_query *q, const neap_pair *pairs, size_t count, float *sources,
                                   float *targets, neap_error *err)
{
    return ni_attention_pair_vectors(context_of(q), pairs, count, sources, targets, err);
}

neap_status ni_answer_explain(neap_query *q, uint32_t source, uint32_t target, neap_explanation **out,
                              neap_error *err)
{
    return ni_attention_explain(context_of(q), &q->model->links, source, target, out, err);
}
