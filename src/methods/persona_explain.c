/* Why two nodes with personas are similar: which of their circles decide. The alignment of two neighbours
 * is the cosine of the personas whose circles they are in. With persona-score max the members of the two
 * circles that decide share the attention of a side evenly, since the model has one vector for all of
 * them; with average every circle has the same attention. So the contributions of a side sum to the
 * score. */
#include <math.h>

#include "base/sys.h"
#include "graph/persona.h"
#include "methods/persona_scores.h"
#include "model/explanation.h"
#include "support/status.h"

/* A node: its personas, and which of them each of its neighbours belongs to. */
typedef struct persona_side {
    ni_node_vectors personas;
    const uint32_t *neighbour;
    uint32_t size;
    uint32_t *circle;  /* size                                   */
    uint32_t *members; /* personas.count: neighbours in each circle */
} persona_side;

static void side_free(persona_side *s)
{
    ni_free(s->circle);
    ni_free(s->members);
}

/* The circles are found again, as they were in training. */
static neap_status look_at(const neap_model *m, uint32_t u, persona_side *s, neap_error *err)
{
    const ni_splitter_options *o = m->settings->own;
    ni_circles desk = { .links = &m->links, .rule = o->personas, .seed = m->settings->common.seed };
    ni_vectors_of_node(m, u, NULL, &s->personas);
    s->neighbour = m->links.node + m->links.offset[u];
    s->size = (uint32_t)ni_degree(&m->links, u);
    s->circle = ni_array(s->size, sizeof *s->circle);
    s->members = ni_zeros(s->personas.count, sizeof *s->members);
    uint32_t found = s->circle && s->members ? ni_circles_find(&desk, u, s->circle) : NEAP_NONE;
    ni_circles_free(&desk);
    if (found == NEAP_NONE) return ni_fail_memory(err, "an explanation");
    if ((s->size ? found : 1) != s->personas.count)
        return ni_fail(err, NEAP_E_MISMATCH, "the personas of the model are not those of its graph");
    for (uint32_t i = 0; i < s->size; i++) s->members[s->circle[i]]++;
    return NEAP_OK;
}

static float mean_cosine(const persona_side *s, uint32_t i, const persona_side *t, size_t dim)
{
    double sum = 0;
    for (uint32_t j = 0; j < t->personas.count; j++)
        sum += (double)ni_node_cosine(&s->personas, i, &t->personas, j, dim);
    return (float)(sum / t->personas.count);
}

/* chosen: the persona that decides, or NEAP_NONE: all of them do. Where one does, a neighbour's alignment
 * is the best of its circle; otherwise the mean. */
static void weigh(const persona_side *own, const persona_side *other, uint32_t chosen, float score,
                  size_t dim, ni_reason *out)
{
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t circle = own->circle[i];
        float share = 1 / (float)own->members[circle];
        out[i].node = own->neighbour[i];
        out[i].partner = NEAP_NONE;
        if (chosen == NEAP_NONE) {
            out[i].alignment = mean_cosine(own, circle, other, dim);
            out[i].weight = share / (float)own->personas.count;
            out[i].contribution = out[i].weight * out[i].alignment;
        } else {
            out[i].weight = circle == chosen ? share : 0;
            out[i].contribution = out[i].weight * score;
        }
    }
}

/* Every pair of neighbours; with `best` the alignment of each is the largest of its own. */
static neap_status align(const persona_side *s, const persona_side *t, bool best, size_t dim,
                         ni_threads *threads, ni_explanation_draft *d, neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (uint64_t i = 0; i < s->size && rc == NEAP_OK; i++, rc = ni_threads_check(threads, err))
        for (uint64_t j = 0; j < t->size; j++) {
            float here = ni_node_cosine(&s->personas, s->circle[i], &t->personas, t->circle[j], dim);
            d->alignment[i * t->size + j] = here;
            if (best) d->by_source[i].alignment = fmaxf(d->by_source[i].alignment, here);
            if (best) d->by_target[j].alignment = fmaxf(d->by_target[j].alignment, here);
        }
    return rc;
}

static neap_status explain(const neap_model *m, const persona_side *s, const persona_side *t,
                           ni_threads *threads, ni_explanation_draft *d, neap_error *err)
{
    uint32_t best_s = NEAP_NONE, best_t = NEAP_NONE;
    const ni_splitter_options *o = m->settings->own;
    bool max = o->persona_score == NI_PERSONAS_MAX;
    if (max) d->facts.score = ni_nearest_personas(&s->personas, &t->personas, m->dim, &best_s, &best_t);
    for (uint32_t i = 0; !max && i < s->personas.count; i++)
        d->facts.score += mean_cosine(s, i, t, m->dim) / (float)s->personas.count;
    neap_status rc = ni_check_scores(&d->facts.score, 1, err);
    if (rc != NEAP_OK) return rc;
    d->facts.circles = 1;
    weigh(s, t, best_s, d->facts.score, m->dim, d->by_source);
    weigh(t, s, best_t, d->facts.score, m->dim, d->by_target);
    return align(s, t, max, m->dim, threads, d, err);
}

/* Circles of other edges than those of the training would be others. */
static neap_status check(const neap_model *m, neap_error *err)
{
    const ni_splitter_options *o = m->settings->own;
    if (ni_learning_validates(&o->walk.learning) || m->rows < m->graph->nodes)
        return ni_fail(err, NEAP_E_MISMATCH,
                       "splitter explains by the circles of its training, which must have seen all edges: "
                       "train without --valid, explain without --new-edges");
    return NEAP_OK;
}

neap_status ni_personas_explain(neap_query *query, uint32_t source, uint32_t target, neap_explanation **out,
                                neap_error *err)
{
    const neap_model *m = query->model;
    persona_side s = { 0 }, t = { 0 };
    ni_explanation_draft draft = { 0 };
    neap_status rc = check(m, err);
    if (rc == NEAP_OK) rc = look_at(m, source, &s, err);
    if (rc == NEAP_OK) rc = look_at(m, target, &t, err);
    if (rc == NEAP_OK) rc = ni_explanation_begin(&draft, &m->links, source, target, s.size, t.size, err);
    if (rc == NEAP_OK) rc = explain(m, &s, &t, query->threads, &draft, err);
    *out = rc == NEAP_OK ? ni_explanation_finish(&draft) : NULL;
    if (rc == NEAP_OK && !*out) rc = ni_fail_memory(err, "an explanation");
    ni_explanation_draft_free(&draft);
    side_free(&s);
    side_free(&t);
    return rc;
}
