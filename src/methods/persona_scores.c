/* Scores of nodes with several vectors: the largest cosine of two personas, O(personas of both x d) per
 * pair, or the mean of all, which is the product of two mean directions. Pairs are spread over threads;
 * each writes its own. */
#include "methods/persona_scores.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/kernels.h"
#include "support/status.h"

static const ni_splitter *own_of(const neap_model *m)
{
    return m->own;
}

void ni_personas_measure(const neap_model *m)
{
    const ni_splitter *s = own_of(m);
    for (uint32_t p = 0; p < s->personas.count; p++) {
        const float *x = s->vectors + (uint64_t)p * m->dim;
        float squares = ni_kernels_get()->dot(x, x, m->dim);
        s->scale[p] = squares > 0 ? 1 / sqrtf(squares) : 0;
    }
}

/* ---- the personas of a node ---- */

/* Adds `share` of the mean of a node's vectors. */
static void add_mean(const neap_model *m, uint32_t u, float share, float *out)
{
    const ni_personas *p = &own_of(m)->personas;
    for (uint32_t i = p->offset[u]; i < p->offset[u + 1]; i++)
        ni_kernels_get()->axpy(share / (float)ni_personas_of(p, u),
                               own_of(m)->vectors + (uint64_t)i * m->dim, out, m->dim);
}

static void mean_of(const neap_model *m, uint32_t u, float *out)
{
    const ni_links *links = &m->links;
    memset(out, 0, m->dim * sizeof *out);
    if (u < m->rows) {
        add_mean(m, u, 1, out);
        return;
    }
    float share = 1 / (float)ni_model_known_links(m, u);
    for (uint64_t i = links->offset[u]; i < links->offset[u + 1]; i++)
        if (links->node[i] < m->rows) add_mean(m, links->node[i], share, out);
}

void ni_vectors_of_node(const neap_model *m, uint32_t u, float *room, ni_node_vectors *f)
{
    if (u < m->rows) {
        const ni_splitter *s = own_of(m);
        uint32_t first = s->personas.offset[u];
        f->vector = s->vectors + (uint64_t)first * m->dim;
        f->scale = s->scale + first;
        f->count = ni_personas_of(&s->personas, u);
        return;
    }
    mean_of(m, u, room);
    float squares = ni_kernels_get()->dot(room, room, m->dim);
    f->own = squares > 0 ? 1 / sqrtf(squares) : 0;
    f->vector = room;
    f->scale = &f->own;
    f->count = 1;
}

/* ---- similarity ---- */

float ni_node_cosine(const ni_node_vectors *a, uint32_t i, const ni_node_vectors *b, uint32_t j, size_t dim)
{
    return ni_kernels_get()->dot(a->vector + i * dim, b->vector + j * dim, dim) * a->scale[i] * b->scale[j];
}

float ni_nearest_personas(const ni_node_vectors *a, const ni_node_vectors *b, size_t dim, uint32_t *of_a,
                          uint32_t *of_b)
{
    float best = -INFINITY;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            float cosine = ni_node_cosine(a, i, b, j, dim);
            if (cosine > best) best = cosine, *of_a = i, *of_b = j;
        }
    return best;
}

/* The mean of vectors of length 1: the product of two such means is the mean of all cosines. */
static void mean_direction(const ni_node_vectors *f, size_t dim, float *out)
{
    memset(out, 0, dim * sizeof *out);
    for (uint32_t i = 0; i < f->count; i++)
        ni_kernels_get()->axpy(f->scale[i] / (float)f->count, f->vector + i * dim, out, dim);
}

/* room: 4 x dim */
static float score_pair(const neap_model *m, neap_pair pair, float *room)
{
    ni_node_vectors source, target;
    uint32_t one, other;
    size_t dim = m->dim;
    ni_vectors_of_node(m, pair.source, room, &source);
    ni_vectors_of_node(m, pair.target, room + dim, &target);
    const ni_splitter_options *o = m->settings->own;
    if (o->persona_score == NI_PERSONAS_MAX)
        return ni_nearest_personas(&source, &target, dim, &one, &other);
    mean_direction(&source, dim, room + 2 * dim);
    mean_direction(&target, dim, room + 3 * dim);
    return ni_kernels_get()->dot(room + 2 * dim, room + 3 * dim, dim);
}

/* ---- queries, divided among threads ---- */

typedef struct question {
    const neap_model *model;
    float *room; /* threads x 4 x dim */
    const neap_pair *pairs;
    float *scores;
    uint32_t context;
    float *vectors, *other; /* of the sources, or of all nodes; of the targets */
    uint64_t count;         /* pairs, or nodes                                 */
} question;

enum { A_TASK = 32 };

static neap_status answer(neap_query *query, question *q, ni_task task, neap_error *err)
{
    q->model = query->model;
    q->room = ni_array((uint64_t)ni_threads_count(query->threads) * 4 * q->model->dim, sizeof *q->room);
    if (!q->room) return ni_fail_memory(err, "the answer");
    ni_threads_run(query->threads, ni_tasks(q->count, A_TASK), task, q);
    ni_free(q->room);
    return NEAP_OK;
}

static void score_task(void *arg, uint32_t task, uint32_t thread)
{
    const question *q = arg;
    uint64_t first = (uint64_t)task * A_TASK, end = ni_task_end(first, A_TASK, q->count);
    float *room = q->room + (uint64_t)thread * 4 * q->model->dim;
    for (uint64_t i = first; i < end; i++) q->scores[i] = score_pair(q->model, q->pairs[i], room);
}

neap_status ni_personas_score(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                              neap_error *err)
{
    question q = { .pairs = pairs, .scores = scores, .count = count };
    return answer(query, &q, score_task, err);
}

/* The persona of u that is nearest to one of v, and v's of u. room: 2 x dim. out_v may be NULL. */
static void choose_personas(const neap_model *m, uint32_t u, uint32_t v, float *room, float *out_u,
                            float *out_v)
{
    ni_node_vectors of_u, of_v;
    uint32_t i = 0, j = 0;
    ni_vectors_of_node(m, v, room, &of_v);
    ni_vectors_of_node(m, u, room + m->dim, &of_u);
    ni_nearest_personas(&of_u, &of_v, m->dim, &i, &j);
    memcpy(out_u, of_u.vector + (uint64_t)i * m->dim, m->dim * sizeof *out_u);
    if (out_v) memcpy(out_v, of_v.vector + (uint64_t)j * m->dim, m->dim * sizeof *out_v);
}

static void context_task(void *arg, uint32_t task, uint32_t thread)
{
    const question *q = arg;
    const neap_model *m = q->model;
    uint64_t first = (uint64_t)task * A_TASK, end = ni_task_end(first, A_TASK, q->count);
    float *room = q->room + (uint64_t)thread * 4 * m->dim;
    for (uint64_t u = first; u < end; u++)
        choose_personas(m, (uint32_t)u, q->context, room, q->vectors + u * m->dim, NULL);
}

neap_status ni_personas_context_vectors(neap_query *query, uint32_t context, float *vectors,
                                        neap_error *err)
{
    question q = { .context = context, .vectors = vectors, .count = query->model->graph->nodes };
    return answer(query, &q, context_task, err);
}

static void pair_task(void *arg, uint32_t task, uint32_t thread)
{
    const question *q = arg;
    const neap_model *m = q->model;
    uint64_t first = (uint64_t)task * A_TASK, end = ni_task_end(first, A_TASK, q->count);
    float *room = q->room + (uint64_t)thread * 4 * m->dim;
    for (uint64_t i = first; i < end; i++)
        choose_personas(m, q->pairs[i].source, q->pairs[i].target, room, q->vectors + i * m->dim,
                        q->other + i * m->dim);
}

neap_status ni_personas_pair_vectors(neap_query *query, const neap_pair *pairs, size_t count,
                                     float *sources, float *targets, neap_error *err)
{
    question q = { .pairs = pairs, .vectors = sources, .other = targets, .count = count };
    return answer(query, &q, pair_task, err);
}

neap_status ni_personas_vectors(neap_query *query, float *vectors, neap_error *err)
{
    const neap_model *m = query->model;
    (void)err;
    for (uint32_t u = 0; u < m->graph->nodes; u++) mean_of(m, u, vectors + (uint64_t)u * m->dim);
    return NEAP_OK;
}
