/* faithful.h - whether reasons are faithful: does the score of a pair depend on the neighbours that an
 * explanation names first more than on others?
 *
 * Of a pair whose ends have at least six neighbours together, the three that are named first
 * (neap_evidence.neighbour) are taken away, all links that they have with either end, and the score is that
 * of what if (evidence/masked.h). The same with three of the other neighbours, drawn at random. Faithful
 * reasons change the score more, by a mean absolute amount that is a multiple of the other. */
#ifndef BENCH_FAITHFUL_H
#define BENCH_FAITHFUL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "methods/evidence.h"

enum { FAITHFUL_TAKEN = 3, FAITHFUL_LEAST = 2 * FAITHFUL_TAKEN };

typedef struct faithful {
    size_t pairs;         /* that were looked at          */
    double named, others; /* mean of |change of log-odds| */
} faithful;

/* |score - the score without these neighbours of either end|. */
static neap_status faithful_change(neap_query *q, const neap_explanation *e, const uint32_t *node,
                                   double *change, neap_error *err)
{
    const ni_links *known = &q->model->links;
    neap_pair gone[2 * FAITHFUL_TAKEN];
    uint32_t ends[2] = { e->source, e->target }, count = 0;
    double score;
    for (int i = 0; i < FAITHFUL_TAKEN; i++)
        for (int side = 0; side < 2; side++)
            if (ni_linked(known, ends[side], node[i])) gone[count++] = (neap_pair){ ends[side], node[i] };
    neap_status rc = ni_evidence_without(q, (neap_pair){ e->source, e->target }, gone, count, &score, err);
    if (rc == NEAP_OK) *change = fabs(score - e->evidence->score);
    return rc;
}

/* Three of the neighbours that are not named first; item: of the draw. */
static void faithful_draw(const neap_evidence *v, uint64_t seed, size_t item, uint32_t node[FAITHFUL_TAKEN])
{
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, item);
    uint32_t others = v->neighbour_count - FAITHFUL_TAKEN, at[FAITHFUL_TAKEN];
    for (int i = 0; i < FAITHFUL_TAKEN; i++) {
        bool again;
        do {
            at[i] = (uint32_t)ni_below(&rng, others);
            again = false;
            for (int k = 0; k < i; k++) again |= at[k] == at[i];
        } while (again);
        node[i] = v->neighbour[FAITHFUL_TAKEN + at[i]];
    }
}

static neap_status faithful_pair(neap_query *q, neap_pair pair, uint64_t seed, size_t item, faithful *f,
                                 neap_error *err)
{
    neap_explanation *e;
    uint32_t node[FAITHFUL_TAKEN];
    double named, others;
    neap_status rc = neap_query_explain(q, pair.source, pair.target, &e, err);
    if (rc != NEAP_OK) return rc;
    if (e->evidence->neighbour_count >= FAITHFUL_LEAST) {
        faithful_draw(e->evidence, seed, item, node);
        rc = faithful_change(q, e, e->evidence->neighbour, &named, err);
        if (rc == NEAP_OK) rc = faithful_change(q, e, node, &others, err);
        if (rc == NEAP_OK) f->pairs++, f->named += named, f->others += others;
    }
    neap_explanation_free(e);
    return rc;
}

/* At most `most` of the pairs, drawn at random; of them those whose ends have enough neighbours. */
static inline neap_status faithful_measure(neap_query *q, const neap_pair *pairs, size_t count, size_t most,
                                           uint64_t seed, faithful *f, neap_error *err)
{
    neap_status rc = NEAP_OK;
    neap_pair *left = malloc((count + 1) * sizeof *left);
    *f = (faithful){ 0 };
    if (!left) return NEAP_E_MEM;
    memcpy(left, pairs, count * sizeof *left);
    for (size_t i = 0; i < count && f->pairs < most && rc == NEAP_OK; i++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 1, i);
        size_t k = i + (size_t)ni_below(&rng, count - i);
        rc = faithful_pair(q, left[k], seed, i, f, err);
        left[k] = left[i];
    }
    free(left);
    if (f->pairs) f->named /= (double)f->pairs, f->others /= (double)f->pairs;
    return rc;
}

#endif
