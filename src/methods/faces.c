#include "methods/faces.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "linalg/kernels.h"

/* ---- the personas of a node ---- */

/* Adds `share` of the mean of a node's vectors. */
static void add_mean(const neap_model *m, uint32_t u, float share, float *out)
{
    const ni_personas *p = &m->personas;
    for (uint32_t i = p->offset[u]; i < p->offset[u + 1]; i++)
        ni_kernels_get()->axpy(share / (float)ni_personas_of(p, u), m->persona + (uint64_t)i * m->dim, out,
                               m->dim);
}

static void mean_of(const neap_model *m, uint32_t u, float *out)
{
    uint32_t size = ni_hood_size(&m->hood, u);
    memset(out, 0, m->dim * sizeof *out);
    if (u < m->rows) add_mean(m, u, 1, out);
    else
        for (uint32_t i = 0; i < size; i++)
            add_mean(m, m->hood.node[m->hood.offset[u] + i], 1 / (float)size, out);
}

void ni_faces_of(const neap_model *m, uint32_t u, float *room, ni_faces *f)
{
    if (u < m->rows) {
        uint32_t first = m->personas.offset[u];
        f->vector = m->persona + (uint64_t)first * m->dim;
        f->scale = m->persona_scale + first;
        f->count = ni_personas_of(&m->personas, u);
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

float ni_faces_cosine(const ni_faces *a, uint32_t i, const ni_faces *b, uint32_t j, size_t dim)
{
    return ni_kernels_get()->dot(a->vector + i * dim, b->vector + j * dim, dim) * a->scale[i] * b->scale[j];
}

float ni_faces_nearest(const ni_faces *a, const ni_faces *b, size_t dim, uint32_t *of_a, uint32_t *of_b)
{
    float best = -INFINITY;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            float cosine = ni_faces_cosine(a, i, b, j, dim);
            if (cosine > best) best = cosine, *of_a = i, *of_b = j;
        }
    return best;
}

/* The mean of vectors of length 1: the product of two such means is the mean of all cosines. */
static void mean_direction(const ni_faces *f, size_t dim, float *out)
{
    memset(out, 0, dim * sizeof *out);
    for (uint32_t i = 0; i < f->count; i++)
        ni_kernels_get()->axpy(f->scale[i] / (float)f->count, f->vector + i * dim, out, dim);
}

/* room: 4 x dim */
static float score_pair(const neap_model *m, neap_pair pair, float *room)
{
    ni_faces source, target;
    uint32_t one, other;
    size_t dim = m->dim;
    ni_faces_of(m, pair.source, room, &source);
    ni_faces_of(m, pair.target, room + dim, &target);
    if (m->options.persona_score == NI_PERSONAS_MAX)
        return ni_faces_nearest(&source, &target, dim, &one, &other);
    mean_direction(&source, dim, room + 2 * dim);
    mean_direction(&target, dim, room + 3 * dim);
    return ni_kernels_get()->dot(room + 2 * dim, room + 3 * dim, dim);
}

/* ---- questions, shared among threads ---- */

typedef struct question {
    const neap_model *model;
    float *room; /* threads x 4 x dim */
    const neap_pair *pairs;
    float *scores;
    uint32_t context;
    float *vectors;
    uint64_t count; /* pairs, or nodes */
} question;

enum { A_TASK = 32 };

static neap_status answer(question *q, ni_task task, neap_error *err)
{
    const neap_model *m = q->model;
    q->room = ni_array((uint64_t)ni_threads_count(m->threads) * 4 * m->dim, sizeof *q->room);
    if (!q->room) return ni_fail_memory(err, "the answer");
    ni_threads_run(m->threads, ni_tasks(q->count, A_TASK), task, q);
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

neap_status ni_faces_score(const neap_model *m, const neap_pair *pairs, size_t count, float *scores,
                           neap_error *err)
{
    question q = { .model = m, .pairs = pairs, .scores = scores, .count = count };
    return answer(&q, score_task, err);
}

static void context_task(void *arg, uint32_t task, uint32_t thread)
{
    const question *q = arg;
    const neap_model *m = q->model;
    uint64_t first = (uint64_t)task * A_TASK, end = ni_task_end(first, A_TASK, q->count);
    float *room = q->room + (uint64_t)thread * 4 * m->dim;
    ni_faces context, here;
    ni_faces_of(m, q->context, room, &context);
    for (uint64_t u = first; u < end; u++) {
        uint32_t which = 0, other;
        ni_faces_of(m, (uint32_t)u, room + m->dim, &here);
        ni_faces_nearest(&here, &context, m->dim, &which, &other);
        memcpy(q->vectors + u * m->dim, here.vector + (uint64_t)which * m->dim, m->dim * sizeof(float));
    }
}

neap_status ni_faces_context_vectors(const neap_model *m, uint32_t context, float *vectors, neap_error *err)
{
    question q = { .model = m, .context = context, .vectors = vectors, .count = m->graph->nodes };
    return answer(&q, context_task, err);
}

neap_status ni_faces_vectors(const neap_model *m, float *vectors, neap_error *err)
{
    (void)err;
    for (uint32_t u = 0; u < m->graph->nodes; u++) mean_of(m, u, vectors + (uint64_t)u * m->dim);
    return NEAP_OK;
}
