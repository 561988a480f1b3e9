/* Why a pair scores as it does: reference.c run on it, with names to be put on what it found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/queries.h"
#include "attention/reference.h"
#include "base/status.h"
#include "base/sys.h"
#include "linalg/kernels.h"

/* Everything ni_ref_pair writes, for one order of the pair. */
typedef struct attempt {
    float *X, *Y, *M;
    ni_ref_side s, t;
    float score;
} attempt;

static void attempt_free(attempt *p)
{
    ni_free(p->X);
    ni_free(p->Y);
    ni_free(p->M);
    ni_ref_side *sides[] = { &p->s, &p->t };
    for (int i = 0; i < 2; i++) {
        ni_free(sides[i]->z);
        ni_free(sides[i]->w);
        ni_free(sides[i]->pick);
        ni_free(sides[i]->r);
    }
}

static bool side_create(ni_ref_side *side, uint32_t size, uint32_t dim)
{
    *side = (ni_ref_side){ ni_array(size, sizeof(float)), ni_array(size, sizeof(float)),
                           ni_array(size, sizeof(uint32_t)), ni_array(dim, sizeof(float)) };
    return side->z && side->w && side->pick && side->r;
}

static bool attempt_run(const ni_ref_model *m, const ni_ref_hood *s, const ni_ref_hood *t, attempt *p)
{
    uint64_t a = ni_ref_rows(m, s), b = ni_ref_rows(m, t);
    *p = (attempt){ .X = ni_array(a * m->dim, sizeof(float)),
                    .Y = ni_array(b * m->dim, sizeof(float)),
                    .M = ni_array(a * b, sizeof(float)) };
    bool ok = side_create(&p->s, s->size, m->dim) && side_create(&p->t, t->size, m->dim);
    if (ok && p->X && p->Y && p->M) {
        p->score = ni_ref_pair(m, s, t, p->X, p->Y, p->M, &p->s, &p->t);
        return true;
    }
    return false;
}

static ni_ref_hood hood_of(const neap_model *m, uint32_t u)
{
    return (ni_ref_hood){ .node = m->hood.node + m->hood.offset[u],
                          .size = ni_hood_size(&m->hood, u),
                          .pad = m->pad };
}

/* Adds one order's view of one side, at `share` of its weight. A pick outside the other neighbourhood is
 * padding. The partner shown is that of the order that aligned better. */
static void add_side(const ni_ref_hood *own, const ni_ref_hood *other, const float *X,
                     const ni_ref_side *side, const float *r_other, uint32_t dim, float share,
                     neap_attention *out)
{
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t pick = side->pick[i];
        out[i].node = own->node[i];
        out[i].weight += share * side->w[i];
        out[i].contribution +=
            share * side->w[i] * ni_kernels_get()->dot(X + (uint64_t)i * dim, r_other, dim);
        if (isnan(out[i].alignment) || side->z[i] > out[i].alignment) {
            out[i].alignment = side->z[i];
            out[i].partner = pick < other->size ? other->node[pick] : NEAP_NONE;
        }
    }
}

/* rows x columns of M (ld apart), or turned round, into the explanation's a x b. */
static void add_alignment(const float *M, uint64_t ld, bool turned, float share, neap_explanation *x)
{
    for (uint64_t i = 0; i < x->source_count; i++)
        for (uint64_t j = 0; j < x->target_count; j++)
            x->alignment[i * x->target_count + j] += share * tanhf(turned ? M[j * ld + i] : M[i * ld + j]);
}

/* ---- order: largest weight first, on both sides and in the matrix ---- */

static int by_weight(const void *a, const void *b)
{
    const neap_attention *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->contribution != y->contribution) return x->contribution > y->contribution ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Where each neighbour (ascending by node) went. */
static uint32_t place_of(const uint32_t *node_of, uint32_t size, uint32_t node)
{
    uint32_t low = 0, high = size;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (node_of[middle] < node) low = middle + 1;
        else high = middle;
    }
    return low;
}

bool ni_explanation_sort(neap_explanation *x, const uint32_t *s, const uint32_t *t)
{
    uint32_t a = x->source_count, b = x->target_count;
    float *sorted = ni_array((uint64_t)a * b, sizeof *sorted);
    if (!sorted) return false;
    qsort(x->by_source, a, sizeof *x->by_source, by_weight);
    qsort(x->by_target, b, sizeof *x->by_target, by_weight);
    for (uint64_t i = 0; i < a; i++)
        for (uint64_t j = 0; j < b; j++)
            sorted[i * b + j] = x->alignment[(uint64_t)place_of(s, a, x->by_source[i].node) * b +
                                             place_of(t, b, x->by_target[j].node)];
    ni_free(x->alignment);
    x->alignment = sorted;
    return true;
}

/* ---- the pair in the graph ---- */

static uint32_t count_shared(const ni_links *links, uint32_t u, uint32_t v)
{
    uint32_t shared = 0;
    for (uint64_t i = links->offset[u]; i < links->offset[u + 1]; i++)
        shared += ni_linked(links, v, links->node[i]);
    return shared;
}

/* The pair in the graph. */
static void describe(const neap_model *m, neap_explanation *x)
{
    x->linked = ni_linked(&m->links, x->source, x->target);
    x->source_links = (uint32_t)ni_degree(&m->links, x->source);
    x->target_links = (uint32_t)ni_degree(&m->links, x->target);
    x->shared = count_shared(&m->links, x->source, x->target);
}

/* ---- all of it ---- */

neap_explanation *ni_explanation_create(const neap_model *m, uint32_t source, uint32_t target, uint32_t a,
                                        uint32_t b)
{
    neap_explanation *x = ni_zeros(1, sizeof *x);
    if (!x) return NULL;
    *x = (neap_explanation){ .source = source,
                             .target = target,
                             .source_count = a,
                             .target_count = b,
                             .by_source = ni_zeros(a, sizeof *x->by_source),
                             .by_target = ni_zeros(b, sizeof *x->by_target),
                             .alignment = ni_zeros((uint64_t)a * b, sizeof *x->alignment) };
    if (x->by_source && x->by_target && x->alignment) {
        for (uint32_t i = 0; i < a; i++) x->by_source[i].alignment = NAN;
        for (uint32_t j = 0; j < b; j++) x->by_target[j].alignment = NAN;
        describe(m, x);
        return x;
    }
    neap_explanation_free(x);
    return NULL;
}

void neap_explanation_free(neap_explanation *x)
{
    if (!x) return;
    ni_free(x->by_source);
    ni_free(x->by_target);
    ni_free(x->alignment);
    ni_free(x);
}

neap_status ni_gap_explain(const neap_model *m, uint32_t source, uint32_t target, neap_explanation **out,
                           neap_error *err)
{
    ni_ref_model ref = { .dim = m->dim,
                         .neighbors = m->options.neighbors,
                         .pooling = m->options.pooling,
                         .padding = m->options.padding,
                         .E = m->E,
                         .P = m->P };
    ni_ref_hood s = hood_of(m, source), t = hood_of(m, target);
    attempt forth = { 0 }, back = { 0 };
    bool both = m->graph->undirected;
    float share = both ? 0.5F : 1;
    neap_explanation *x = ni_explanation_create(m, source, target, s.size, t.size);
    bool ok = x && attempt_run(&ref, &s, &t, &forth) && (!both || attempt_run(&ref, &t, &s, &back));
    bool finite = !ok || (isfinite(forth.score) && isfinite(back.score));
    if (ok && finite) {
        x->selects = m->options.pooling == NI_POOL_MAX;
        x->score = share * (forth.score + back.score);
        add_side(&s, &t, forth.X, &forth.s, forth.t.r, m->dim, share, x->by_source);
        add_side(&t, &s, forth.Y, &forth.t, forth.s.r, m->dim, share, x->by_target);
        add_alignment(forth.M, ni_ref_rows(&ref, &t), false, share, x);
        if (both) {
            add_side(&s, &t, back.Y, &back.t, back.s.r, m->dim, share, x->by_source);
            add_side(&t, &s, back.X, &back.s, back.t.r, m->dim, share, x->by_target);
            add_alignment(back.M, ni_ref_rows(&ref, &s), true, share, x);
        }
        ok = ni_explanation_sort(x, s.node, t.node);
    }
    attempt_free(&forth);
    attempt_free(&back);
    *out = ok && finite ? x : NULL;
    if (*out) return NEAP_OK;
    neap_explanation_free(x);
    if (!finite)
        return ni_fail(err, NEAP_E_NUMERIC,
                       "the score is not finite: the vectors of this model are too large");
    return ni_fail_memory(err, "an explanation");
}
