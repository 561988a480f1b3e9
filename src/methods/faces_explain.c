/* Why two nodes with personas are similar: through which of their circles. The alignment of two neighbours
 * is the cosine of the personas whose circles they are in. With persona-score max the members of the two
 * circles that decide share the attention of a side evenly, since the model does not tell them apart; with
 * average every circle has the same attention. So the contributions of a side sum to the score. */
#include <math.h>

#include "attention/queries.h"
#include "base/status.h"
#include "base/sys.h"
#include "graph/circles.h"
#include "methods/faces.h"

/* Pairs of neighbours in an explanation: 64 MB of alignments. */
enum { MOST_CELLS = 1 << 24 };

/* A node: its personas, and which of them each of its neighbours belongs to. */
typedef struct face_side {
    ni_faces faces;
    const uint32_t *neighbour;
    uint32_t size;
    uint32_t *circle;  /* size                                   */
    uint32_t *members; /* faces.count: neighbours in each circle */
} face_side;

static void side_free(face_side *s)
{
    ni_free(s->circle);
    ni_free(s->members);
}

/* The circles are found again, as they were in training. */
static neap_status look_at(const neap_model *m, uint32_t u, face_side *s, neap_error *err)
{
    ni_circles desk = { .links = &m->links, .way = m->options.personas, .seed = m->options.seed };
    ni_faces_of(m, u, NULL, &s->faces);
    s->neighbour = m->links.node + m->links.offset[u];
    s->size = (uint32_t)ni_degree(&m->links, u);
    s->circle = ni_array(s->size, sizeof *s->circle);
    s->members = ni_zeros(s->faces.count, sizeof *s->members);
    uint32_t found = s->circle && s->members ? ni_circles_find(&desk, u, s->circle) : NEAP_NONE;
    ni_circles_free(&desk);
    if (found == NEAP_NONE) return ni_fail_memory(err, "an explanation");
    if ((s->size ? found : 1) != s->faces.count)
        return ni_fail(err, NEAP_E_MISMATCH, "the personas of the model are not those of its graph");
    for (uint32_t i = 0; i < s->size; i++) s->members[s->circle[i]]++;
    return NEAP_OK;
}

static float mean_cosine(const face_side *s, uint32_t i, const face_side *t, size_t dim)
{
    double sum = 0;
    for (uint32_t j = 0; j < t->faces.count; j++)
        sum += (double)ni_faces_cosine(&s->faces, i, &t->faces, j, dim);
    return (float)(sum / t->faces.count);
}

/* chosen: the persona that decides, or NEAP_NONE: all of them do. Where one does, a neighbour's alignment
 * is the best of its circle; otherwise the mean. */
static void weigh(const face_side *own, const face_side *other, uint32_t chosen, float score, size_t dim,
                  neap_attention *out)
{
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t circle = own->circle[i];
        float share = 1 / (float)own->members[circle];
        out[i].node = own->neighbour[i];
        out[i].partner = NEAP_NONE;
        if (chosen == NEAP_NONE) {
            out[i].alignment = mean_cosine(own, circle, other, dim);
            out[i].weight = share / (float)own->faces.count;
            out[i].contribution = out[i].weight * out[i].alignment;
        } else {
            out[i].weight = circle == chosen ? share : 0;
            out[i].contribution = out[i].weight * score;
        }
    }
}

/* Every pair of neighbours; with `best` the alignment of each is the largest of its own. */
static void align(const face_side *s, const face_side *t, bool best, size_t dim, neap_explanation *x)
{
    for (uint64_t i = 0; i < s->size; i++)
        for (uint64_t j = 0; j < t->size; j++) {
            float here = ni_faces_cosine(&s->faces, s->circle[i], &t->faces, t->circle[j], dim);
            x->alignment[i * t->size + j] = here;
            if (best) x->by_source[i].alignment = fmaxf(x->by_source[i].alignment, here);
            if (best) x->by_target[j].alignment = fmaxf(x->by_target[j].alignment, here);
        }
}

static neap_status explain(const neap_model *m, const face_side *s, const face_side *t, neap_explanation *x,
                           neap_error *err)
{
    uint32_t best_s = NEAP_NONE, best_t = NEAP_NONE;
    bool max = m->options.persona_score == NI_PERSONAS_MAX;
    if (max) x->score = ni_faces_nearest(&s->faces, &t->faces, m->dim, &best_s, &best_t);
    for (uint32_t i = 0; !max && i < s->faces.count; i++)
        x->score += mean_cosine(s, i, t, m->dim) / (float)s->faces.count;
    if (!isfinite(x->score)) return ni_fail(err, NEAP_E_NUMERIC, "the score is not finite");
    x->circles = 1;
    weigh(s, t, best_s, x->score, m->dim, x->by_source);
    weigh(t, s, best_t, x->score, m->dim, x->by_target);
    align(s, t, max, m->dim, x);
    if (ni_explanation_sort(x, s->neighbour, t->neighbour)) return NEAP_OK;
    return ni_fail_memory(err, "an explanation");
}

/* Circles of other edges than those of the training would be others. */
static neap_status check(const neap_model *m, uint32_t source, uint32_t target, neap_error *err)
{
    bool held_out = m->options.valid > 0 && m->options.epochs > 0;
    if (held_out || m->rows < m->graph->nodes)
        return ni_fail(err, NEAP_E_MISMATCH,
                       "splitter explains by the circles of its training, which must have seen all edges: "
                       "train without --valid, ask without --new-edges");
    if (ni_degree(&m->links, source) * ni_degree(&m->links, target) > MOST_CELLS)
        return ni_fail(err, NEAP_E_LIMIT, "the two have too many pairs of neighbours to be explained");
    return NEAP_OK;
}

neap_status ni_faces_explain(const neap_model *m, uint32_t source, uint32_t target, neap_explanation **out,
                             neap_error *err)
{
    face_side s = { 0 }, t = { 0 };
    neap_explanation *x = NULL;
    neap_status rc = check(m, source, target, err);
    if (rc == NEAP_OK) rc = look_at(m, source, &s, err);
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
