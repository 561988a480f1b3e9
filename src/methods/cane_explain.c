/* The score of a pair by words. A window belongs to the words that it reads, half to each; what is padding
 * of it belongs to the others. Of an undirected graph attention and alignments are the means of both
 * orders, as the vectors are. O(windows of one text x windows of the other). */
#include "methods/cane_explain.h"

#include "linalg/kernels.h"
#include "model/explanation.h"
#include "support/status.h"

typedef struct view {
    const neap_model *model;
    const ni_cane_batch *batch;
    uint32_t orders;
} view;

/* Words that are read of a text, padding left out. */
static uint32_t words_of(const view *v, uint32_t node)
{
    uint32_t most = ni_cane_weights_of(v->batch)->length, words = ni_text_size(&v->model->texts, node);
    return words < most ? words : most;
}

/* In the other order the sides change places. */
static float attention_at(const view *v, uint32_t side, uint32_t window)
{
    float sum = 0;
    uint32_t windows;
    for (uint32_t k = 0; k < v->orders; k++)
        sum += ni_cane_attention(v->batch, k, side ^ k, &windows)[window];
    return sum / (float)v->orders;
}

/* Of window i of the source and j of the target; a word without a window of its own is in the last. */
static float alignment_at(const view *v, uint32_t i, uint32_t j)
{
    float sum = 0;
    uint32_t p, q;
    ni_cane_attention(v->batch, 0, 0, &p);
    ni_cane_attention(v->batch, 0, 1, &q);
    i = i < p ? i : p - 1;
    j = j < q ? j : q - 1;
    for (uint32_t k = 0; k < v->orders; k++)
        sum += ni_cane_alignment(v->batch, k)[k ? (uint64_t)j * p + i : (uint64_t)i * q + j];
    return sum / (float)v->orders;
}

/* The rows of one side. theirs: t of the other. What remains of attention and score belongs to no word. */
static void fill_side(const view *v, uint32_t side, uint32_t words, const float *theirs, ni_reason *row,
                      ni_reason *rest)
{
    uint32_t windows, h = v->model->dim / 2;
    const float *H = ni_cane_windows(v->batch, 0, side, &windows);
    for (uint32_t i = 0; i < words; i++) row[i].node = i, row[i].partner = NEAP_NONE;
    for (uint32_t i = 0; i < windows && i < words; i++) {
        uint32_t readers = i + 1 < words ? 2 : 1; /* words of the window */
        float weight = attention_at(v, side, i) / (float)readers;
        float product = ni_kernels_get()->dot(H + (uint64_t)i * h, theirs, h);
        for (uint32_t j = i; j < i + readers; j++) {
            row[j].weight += weight;
            row[j].contribution += weight * product;
        }
    }
    for (uint32_t i = 0; i < words; i++) {
        rest->weight -= row[i].weight;
        rest->contribution -= row[i].contribution;
    }
    if (rest->weight < 1e-6F) rest->weight = 0; /* of rounding */
}

static void fill_alignment(const view *v, ni_explanation_draft *d)
{
    for (uint32_t i = 0; i < d->a; i++) d->by_source[i].alignment = 0;
    for (uint32_t j = 0; j < d->b; j++) d->by_target[j].alignment = 0;
    for (uint32_t i = 0; i < d->a; i++)
        for (uint32_t j = 0; j < d->b; j++) {
            float alignment = alignment_at(v, i, j);
            d->alignment[(uint64_t)i * d->b + j] = alignment;
            d->by_source[i].alignment += alignment / (float)d->b;
            d->by_target[j].alignment += alignment / (float)d->a;
        }
}

neap_status ni_cane_explain(const neap_model *m, const ni_cane_batch *batch, uint32_t orders,
                            const float *vectors, neap_pair pair, neap_explanation **out, neap_error *err)
{
    view v = { m, batch, orders };
    ni_explanation_draft d = { 0 };
    neap_status rc = ni_explanation_begin(&d, &m->links, pair.source, pair.target,
                                          words_of(&v, pair.source), words_of(&v, pair.target), err);
    if (rc == NEAP_OK) {
        d.facts.score = ni_kernels_get()->dot(vectors, vectors + m->dim, m->dim);
        d.words = &m->texts.words;
        d.source_word = m->texts.word + m->texts.offset[pair.source];
        d.target_word = m->texts.word + m->texts.offset[pair.target];
        d.source_rest = d.target_rest = (ni_reason){ .weight = 1, .contribution = d.facts.score };
        fill_side(&v, 0, d.a, vectors + m->dim, d.by_source, &d.source_rest);
        fill_side(&v, 1, d.b, vectors, d.by_target, &d.target_rest);
        fill_alignment(&v, &d);
        *out = ni_explanation_finish(&d);
        if (!*out) rc = ni_fail_memory(err, "an explanation");
    }
    ni_explanation_draft_free(&d);
    return rc;
}
