/* Why a pair scores as it does: reference.c runs on its rows, and every attention, contribution and
 * alignment is kept. The contribution of neighbour i is w_i (x_i . r_t), over |r_s| |r_t| where the score
 * is a cosine; those of a side sum to the score, together with what degrees add. Where sides are texts,
 * "neighbours" are words. With both orders all numbers are means. O(a d^2 + a b d), the rows of M on all
 * threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention.h"
#include "attention/reference.h"
#include "attention/squash.h"
#include "base/sys.h"
#include "linalg/kernels.h"
#include "model/explanation.h"
#include "support/status.h"

/* One side of the pair as the reference takes it. */
typedef struct neighbourhood {
    ni_side side;            /* as nodes, or words                                       */
    bool words;              /* its ids are words, and reasons are named by position     */
    float *X[2];             /* its rows as a source and as a target                     */
    ni_ref_sequence rows[2]; /* of these                                                 */
} neighbourhood;

static neap_status read_rows(ni_attention *a, uint32_t u, bool target, neighbourhood *h, neap_error *err)
{
    ni_side side = ni_attention_side(a, u, target);
    h->X[target] = ni_array(((uint64_t)side.count + 1) * a->dim, sizeof *h->X[target]);
    h->rows[target] = (ni_ref_sequence){ h->X[target], side.count, NULL };
    return h->X[target] ? ni_engine_read(a->engine, &side, h->X[target], err)
                        : ni_fail_memory(err, "an explanation");
}

static neap_status read_side(ni_attention *a, uint32_t u, neighbourhood *h, neap_error *err)
{
    h->side = ni_hood_side(a->hood, u);
    h->words = a->words;
    neap_status rc = read_rows(a, u, false, h, err);
    return rc == NEAP_OK ? read_rows(a, u, true, h, err) : rc;
}

static void neighbourhood_free(neighbourhood *h)
{
    ni_free(h->X[0]);
    ni_free(h->X[1]);
}

/* One order of the pair: the alignment M = X P Y', and what attention makes of it. */
typedef struct attempt {
    const ni_ref_model *m;
    const ni_ref_sequence *rows_s, *rows_t;
    float *M;
    float *xP; /* threads x d */
    ni_ref_side s, t;
    float score;
} attempt;

static void attempt_free(attempt *p)
{
    ni_free(p->M);
    ni_free(p->xP);
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

enum { ROWS_PER_TASK = 16 };

static void align_task(void *arg, uint32_t task, uint32_t thread)
{
    const attempt *p = arg;
    uint64_t rows = ni_ref_rows(p->m, p->rows_s->size), first = (uint64_t)task * ROWS_PER_TASK;
    ni_ref_align(p->m, p->rows_s, p->rows_t, first, ni_task_end(first, ROWS_PER_TASK, rows), p->M,
                 p->xP + (uint64_t)thread * p->m->dim);
}

static neap_status attempt_run(const ni_ref_model *m, const ni_ref_sequence *s, const ni_ref_sequence *t,
                               ni_threads *threads, attempt *p, neap_error *err)
{
    uint64_t a = ni_ref_rows(m, s->size), b = ni_ref_rows(m, t->size);
    *p = (attempt){ .m = m, .rows_s = s, .rows_t = t, .M = ni_array(a * b, sizeof(float)) };
    p->xP = ni_array((uint64_t)ni_threads_count(threads) * m->dim, sizeof(float));
    bool ok = side_create(&p->s, s->size, m->dim) && side_create(&p->t, t->size, m->dim);
    if (!ok || !p->M || !p->xP) return ni_fail_memory(err, "an explanation");
    ni_threads_run(threads, ni_tasks(a, ROWS_PER_TASK), align_task, p);
    neap_status rc = ni_threads_check(threads, err);
    if (rc != NEAP_OK) return rc;
    p->score = ni_ref_attend(m, s, t, p->M, &p->s, &p->t);
    return ni_check_scores(&p->score, 1, err);
}

/* What a product of the two representations is multiplied by in the score: 1, or that of a cosine. */
static float scale_of(const ni_ref_model *ref, const attempt *p)
{
    const float *s = p->s.r, *t = p->t.r;
    const ni_kernels *k = ni_kernels_get();
    return ni_score_of(ref->score, k->dot(s, t, ref->dim), k->dot(s, s, ref->dim), k->dot(t, t, ref->dim))
        .cross;
}

/* An alignment as it is shown, between -1 and 1: tanh(M), or of what is scaled tanh(M / sqrt(d)). */
static float shown(const ni_ref_model *m, float M)
{
    return tanhf(m->alignment == NI_ALIGN_TANH ? M : ni_squash_scaled(ni_align_scale(m->dim), M));
}

/* One order's view of one side: its rows X, what attention made of them, the representation opposite. */
typedef struct view {
    const neighbourhood *own, *other;
    const float *X;
    const ni_ref_side *side;
    const float *r_other;
} view;

/* Adds one at `share` of its weight and `scale` of its products. A pick outside the other neighbourhood is
 * padding. The partner shown is that of the order that aligned better. */
static void add_side(const ni_ref_model *m, view v, float share, float scale, ni_reason *out)
{
    const neighbourhood *own = v.own, *other = v.other;
    for (uint32_t i = 0; i < own->side.count; i++) {
        uint32_t pick = v.side->pick[i];
        float z = m->alignment == NI_ALIGN_TANH ? v.side->z[i] : tanhf(v.side->z[i]);
        float product = ni_kernels_get()->dot(v.X + (uint64_t)i * m->dim, v.r_other, m->dim);
        out[i].node = own->words ? i : own->side.ids[i];
        out[i].weight += share * v.side->w[i];
        out[i].contribution += share * v.side->w[i] * scale * product;
        if (m->attention == NI_ATTEND_UNIFORM) out[i].partner = NEAP_NONE;
        else if (isnan(out[i].alignment) || z > out[i].alignment) {
            out[i].alignment = z;
            out[i].partner = pick >= other->side.count ? NEAP_NONE
                             : own->words              ? pick
                                                       : other->side.ids[pick];
        }
    }
}

/* rows x columns of M (ld apart), or transposed, into the draft's a x b. */
static void add_alignment(const ni_ref_model *m, const float *M, uint64_t ld, bool transposed, float share,
                          ni_explanation_draft *d)
{
    for (uint64_t i = 0; i < d->a && !d->plain; i++)
        for (uint64_t j = 0; j < d->b; j++)
            d->alignment[i * d->b + j] += share * shown(m, transposed ? M[j * ld + i] : M[i * ld + j]);
}

/* Adds one order: (s, t), or (t, s) turned round. */
static void add_order(const ni_ref_model *m, const attempt *p, const neighbourhood *s,
                      const neighbourhood *t, bool turned, float share, ni_explanation_draft *d)
{
    float scale = scale_of(m, p);
    const neighbourhood *first = turned ? t : s, *second = turned ? s : t;
    view source = { first, second, p->rows_s->X, &p->s, p->t.r };
    view target = { second, first, p->rows_t->X, &p->t, p->s.r };
    d->facts.score += share * p->score;
    add_side(m, source, share, scale, turned ? d->by_target : d->by_source);
    add_side(m, target, share, scale, turned ? d->by_source : d->by_target);
    add_alignment(m, p->M, ni_ref_rows(m, second->side.count), turned, share, d);
}

/* What degrees add goes through no neighbour. */
static void add_linear(const ni_attention *a, ni_explanation_draft *d)
{
    float linear = ni_attention_linear(a, d->facts.source, d->facts.target);
    d->facts.score += linear;
    d->source_rest.contribution = d->target_rest.contribution = linear;
}

neap_status ni_attention_explain(ni_attention *a, const ni_links *links, uint32_t source, uint32_t target,
                                 neap_explanation **out, neap_error *err)
{
    const ni_attention_options *o = a->options;
    ni_ref_model ref = { .dim = a->dim,
                         .neighbors = o->neighbors,
                         .pooling = o->pooling,
                         .padding = o->padding,
                         .alignment = o->alignment,
                         .attention = o->attention,
                         .P = a->P,
                         .score = a->score };
    neighbourhood s = { 0 }, t = { 0 };
    attempt forth = { 0 }, back = { 0 };
    ni_explanation_draft draft = { .plain = !ni_aligns(o) };
    float share = a->both_orders ? 0.5F : 1;
    *out = NULL;
    neap_status rc = read_side(a, source, &s, err);
    if (rc == NEAP_OK) rc = read_side(a, target, &t, err);
    if (rc == NEAP_OK)
        rc = ni_explanation_begin(&draft, links, source, target, s.side.count, t.side.count, err);
    if (rc == NEAP_OK) rc = attempt_run(&ref, &s.rows[0], &t.rows[1], a->threads, &forth, err);
    if (rc == NEAP_OK && a->both_orders)
        rc = attempt_run(&ref, &t.rows[0], &s.rows[1], a->threads, &back, err);
    if (rc != NEAP_OK) goto done;
    draft.facts.selects = ref.pooling == NI_POOL_MAX && !draft.plain;
    add_order(&ref, &forth, &s, &t, false, share, &draft);
    if (a->both_orders) add_order(&ref, &back, &s, &t, true, share, &draft);
    add_linear(a, &draft);
    draft.words = a->words, draft.source_word = s.side.ids, draft.target_word = t.side.ids;
    *out = ni_explanation_finish(&draft);
    if (!*out) rc = ni_fail_memory(err, "an explanation");
done:
    ni_explanation_draft_free(&draft);
    attempt_free(&forth);
    attempt_free(&back);
    neighbourhood_free(&s);
    neighbourhood_free(&t);
    return rc;
}
