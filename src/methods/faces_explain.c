/* Why two nodes with personas are similar: through which of their circles. An alignment is the cosine of
 * the two personas whose circles the neighbours are in. With persona-score max the members of the two
 * circles that decide share the attention of a side evenly, since the model does not tell them apart; with
 * average every circle has the same attention. So the contributions of a side sum to the score. */
#include <math.h>

#include "base/status.h"
#include "base/sys.h"
#include "graph/circles.h"
#include "kernels/kernels.h"
#include "methods/faces.h"
#include "model/queries.h"

/* A node: its personas, and which of them each of its neighbours belongs to. */
typedef struct face_side {
    ni_faces faces;
    const uint32_t *neighbour;
    uint32_t size;
    uint32_t *circle;  /* size                                     */
    uint32_t *members; /* faces.count: neighbours in each circle   */
    float *room;       /* dim                                      */
} face_side;

static void side_free(face_side *s)
{
    ni_free(s->circle);
    ni_free(s->members);
    ni_free(s->room);
}

/* The circles are found again, as they were in training. */
static neap_status find_circles(const neap_model *m, uint32_t u, face_side *s, neap_error *err)
{
    ni_circles desk = { .links = &m->links, .way = m->options.personas, .seed = m->options.seed };
    bool other = m->options.valid > 0 || m->rows < m->graph->nodes;
    uint32_t found = other ? 0 : ni_circles_find(&desk, u, s->circle);
    ni_circles_free(&desk);
    if (found == NEAP_NONE) return ni_fail_memory(err, "an explanation");
    if (other || (s->size && found != s->faces.count))
        return ni_fail(
            err, NEAP_E_MISMATCH,
            "splitter explains by the circles of its training, which must have seen all of these "
            "edges: train without --valid, ask without --new-edges");
    for (uint32_t i = 0; i < s->size; i++) s->members[s->circle[i]]++;
    return NEAP_OK;
}

static neap_status look_at(const neap_model *m, uint32_t u, face_side *s, neap_error *err)
{
    s->neighbour = m->links.node + m->links.offset[u];
    s->size = (uint32_t)ni_degree(&m->links, u);
    s->room = ni_array(m->dim, sizeof *s->room);
    s->circle = ni_array(s->size, sizeof *s->circle);
    if (!s->room || !s->circle) return ni_fail_memory(err, "an explanation");
    ni_faces_of(m, u, s->room, &s->faces);
    s->members = ni_zeros(s->faces.count, sizeof *s->members);
    if (!s->members) return ni_fail_memory(err, "an explanation");
    return find_circles(m, u, s, err);
}

/* ---- which circles decide ---- */

static float cosine(const face_side *s, uint32_t i, const face_side *t, uint32_t j, size_t dim)
{
    return ni_kernels_get()->dot(s->faces.vector + i * dim, t->faces.vector + j * dim, dim) *
           s->faces.scale[i] * t->faces.scale[j];
}

/* The most similar personas, of equals the first, as in faces.c. */
static float find_nearest(const face_side *s, const face_side *t, size_t dim, uint32_t *best_s,
                          uint32_t *best_t)
{
    float best = -INFINITY;
    for (uint32_t i = 0; i < s->faces.count; i++)
        for (uint32_t j = 0; j < t->faces.count; j++) {
            float here = cosine(s, i, t, j, dim);
            if (here > best) best = here, *best_s = i, *best_t = j;
        }
    return best;
}

static float mean_cosine(const face_side *s, uint32_t i, const face_side *t, size_t dim)
{
    double sum = 0;
    for (uint32_t j = 0; j < t->faces.count; j++) sum += (double)cosine(s, i, t, j, dim);
    return (float)(sum / t->faces.count);
}

/* ---- one side ---- */

/* chosen: the persona that decides, or NEAP_NONE: all of them do. */
static void weigh(const face_side *own, const face_side *other, uint32_t chosen, float score, size_t dim,
                  neap_attention *out)
{
    uint32_t deciding = 0;
    for (uint32_t c = 0; c < own->faces.count; c++) deciding += own->members[c] > 0;
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t circle = own->circle[i];
        float share = 1 / (float)own->members[circle];
        out[i].node = own->neighbour[i];
        out[i].partner = NEAP_NONE;
        out[i].weight = chosen == NEAP_NONE ? share / (float)deciding : circle == chosen ? share : 0;
        out[i].contribution =
            out[i].weight * (chosen == NEAP_NONE ? mean_cosine(own, circle, other, dim) : score);
    }
}

/* Whom each aligns with best; of equals the first. */
static void align(const face_side *s, const face_side *t, size_t dim, neap_explanation *x)
{
    for (uint64_t i = 0; i < s->size; i++)
        for (uint64_t j = 0; j < t->size; j++) {
            float here = cosine(s, s->circle[i], t, t->circle[j], dim);
            neap_attention *a = &x->by_source[i], *b = &x->by_target[j];
            x->alignment[i * t->size + j] = here;
            if (isnan(a->alignment) || here > a->alignment)
                a->alignment = here, a->partner = t->neighbour[j];
            if (isnan(b->alignment) || here > b->alignment)
                b->alignment = here, b->partner = s->neighbour[i];
        }
}

static neap_status explain(const neap_model *m, const face_side *s, const face_side *t, neap_explanation *x,
                           neap_error *err)
{
    uint32_t best_s = NEAP_NONE, best_t = NEAP_NONE;
    bool max = m->options.persona_score == NI_PERSONAS_MAX;
    if (max) x->score = find_nearest(s, t, m->dim, &best_s, &best_t);
    for (uint32_t i = 0; !max && i < s->faces.count; i++)
        x->score += mean_cosine(s, i, t, m->dim) / (float)s->faces.count;
    if (!isfinite(x->score)) return ni_fail(err, NEAP_E_NUMERIC, "the score is not finite");
    x->selects = max;
    weigh(s, t, best_s, x->score, m->dim, x->by_source);
    weigh(t, s, best_t, x->score, m->dim, x->by_target);
    align(s, t, m->dim, x);
    return ni_explanation_sort(x, s->neighbour, t->neighbour) ? NEAP_OK
                                                              : ni_fail_memory(err, "an explanation");
}

neap_status ni_faces_explain(const neap_model *m, uint32_t source, uint32_t target, neap_explanation **out,
                             neap_error *err)
{
    face_side s = { 0 }, t = { 0 };
    neap_explanation *x = NULL;
    neap_status rc = look_at(m, source, &s, err);
    if (rc == NEAP_OK) rc = look_at(m, target, &t, err);
    if (rc == NEAP_OK) {
        x = ni_explanation_create(m, source, target, s.size, t.size);
        rc = x ? explain(m, &s, &t, x, err) : ni_fail_memory(err, "an explanation");
    }
    side_free(&s);
    side_free(&t);
    if (rc == NEAP_OK) *out = x;
    else neap_explanation_free(x);
    return rc;
}
