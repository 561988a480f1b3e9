/* Scores of nodes with several vectors: the largest cosine of two personas, O(personas of both x d) per
 * pair, or the mean of all, which is the product of two mean directions. Pairs are spread over threads;
 * each writes its own. A pair of hubs has so many pairs of personas that all threads share it, as a matrix
 * product in blocks. */
#include "methods/persona_scores.h"

#include <math.h>
#include <string.h>

#include "base/sys.h"
#include "linalg/blas.h"
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

/* ---- hubs ----
 *
 * C = A B' in blocks of ROWS x COLUMNS; of each the largest c_ij / (|a_i| |b_j|). A task has some rows of A
 * and all of B. */

enum { ROWS = 64, COLUMNS = 256, MANY = 1 << 16 };

typedef struct found {
    float cosine;
    uint32_t i, j;
} found;

typedef struct comparison {
    const ni_node_vectors *a, *b;
    size_t dim;
    ni_threads *threads;
    float *products; /* threads x ROWS x COLUMNS */
    found *best;     /* tasks                    */
} comparison;

static void take_best(const comparison *c, const float *products, uint32_t first, uint32_t rows,
                      uint32_t column, uint32_t columns, found *best)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            float cosine = products[i * COLUMNS + j] * c->a->scale[first + i] * c->b->scale[column + j];
            if (cosine > best->cosine || (cosine == best->cosine && first + i < best->i))
                *best = (found){ cosine, first + i, column + j };
        }
}

static void compare_task(void *arg, uint32_t task, uint32_t thread)
{
    const comparison *c = arg;
    float *products = c->products + (size_t)thread * ROWS * COLUMNS;
    uint32_t first = task * ROWS, rows = (uint32_t)ni_task_end(first, ROWS, c->a->count) - first;
    found best = { -INFINITY, first, 0 };
    for (uint32_t column = 0, columns; column < c->b->count; column += columns) {
        columns = (uint32_t)ni_task_end(column, COLUMNS, c->b->count) - column;
        if (!ni_threads_go_on(c->threads, thread)) break;
        ni_gemm(0, 1, rows, columns, c->dim, c->a->vector + first * c->dim, c->dim,
                c->b->vector + column * c->dim, c->dim, 0, products, COLUMNS);
        take_best(c, products, first, rows, column, columns, &best);
    }
    c->best[task] = best;
}

/* As ni_nearest_personas, but which of two that differ by a rounding is nearer may come out otherwise. */
static neap_status nearest_of_many(ni_threads *threads, const ni_node_vectors *a, const ni_node_vectors *b,
                                   size_t dim, found *best, neap_error *err)
{
    uint32_t tasks = ni_tasks(a->count, ROWS);
    comparison c = { .a = a, .b = b, .dim = dim, .threads = threads };
    c.products = ni_array((size_t)ni_threads_count(threads) * ROWS * COLUMNS, sizeof *c.products);
    c.best = ni_array(tasks, sizeof *c.best);
    bool ok = c.products && c.best;
    if (ok) ni_gemm_run(threads, tasks, compare_task, &c);
    *best = (found){ -INFINITY, 0, 0 };
    for (uint32_t t = 0; ok && !ni_threads_left_out(threads) && t < tasks; t++)
        if (c.best[t].cosine > best->cosine) *best = c.best[t];
    if (ok) best->cosine = ni_node_cosine(a, best->i, b, best->j, dim);
    ni_free(c.products);
    ni_free(c.best);
    return ok ? NEAP_OK : ni_fail_memory(err, "the answer");
}

/* ---- all of them on average ---- */

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

/* Scores of pairs, or the personas by which they are near. */
typedef struct question {
    const neap_model *model;
    float *room;            /* threads x 4 x dim                                       */
    const neap_pair *pairs; /* NULL: pair u is (u, context)                            */
    uint64_t count;
    uint32_t context;
    float *scores;          /* or NULL                                                 */
    float *vectors, *other; /* of the sources; of the targets, or NULL: not asked for  */
} question;

enum { A_TASK = 32 };

static neap_pair pair_at(const question *q, uint64_t i)
{
    return q->pairs ? q->pairs[i] : (neap_pair){ (uint32_t)i, q->context };
}

static uint64_t personas_at(const neap_model *m, uint32_t u)
{
    return u < m->rows ? ni_personas_of(&own_of(m)->personas, u) : 1;
}

/* Too much for one thread, and for a task. */
static bool is_of_hubs(const question *q, neap_pair pair)
{
    const ni_splitter_options *o = q->model->settings->own;
    if (q->scores && o->persona_score != NI_PERSONAS_MAX) return false;
    return personas_at(q->model, pair.source) * personas_at(q->model, pair.target) > MANY;
}

/* Pair i, whose personas i and j are the nearest. */
static void take_answer(const question *q, uint64_t pair, const ni_node_vectors *source,
                        const ni_node_vectors *target, const found *best)
{
    uint64_t d = q->model->dim;
    if (q->scores) q->scores[pair] = best->cosine;
    if (q->vectors) memcpy(q->vectors + pair * d, source->vector + best->i * d, d * sizeof *q->vectors);
    if (q->other) memcpy(q->other + pair * d, target->vector + best->j * d, d * sizeof *q->other);
}

static void answer_task(void *arg, uint32_t task, uint32_t thread)
{
    const question *q = arg;
    const neap_model *m = q->model;
    uint64_t first = (uint64_t)task * A_TASK, end = ni_task_end(first, A_TASK, q->count);
    float *room = q->room + (uint64_t)thread * 4 * m->dim;
    for (uint64_t i = first; i < end; i++) {
        neap_pair pair = pair_at(q, i);
        ni_node_vectors source, target;
        found best = { 0 };
        if (is_of_hubs(q, pair)) continue;
        if (q->scores) {
            q->scores[i] = score_pair(m, pair, room);
            continue;
        }
        ni_vectors_of_node(m, pair.source, room, &source);
        ni_vectors_of_node(m, pair.target, room + m->dim, &target);
        best.cosine = ni_nearest_personas(&source, &target, m->dim, &best.i, &best.j);
        take_answer(q, i, &source, &target, &best);
    }
}

/* One pair after the other; all threads work on each. */
static neap_status answer_hubs(neap_query *query, const question *q, neap_error *err)
{
    const neap_model *m = q->model;
    neap_status rc = NEAP_OK;
    for (uint64_t i = 0; i < q->count && rc == NEAP_OK; i++) {
        neap_pair pair = pair_at(q, i);
        ni_node_vectors source, target;
        found best;
        if (!is_of_hubs(q, pair)) continue;
        ni_threads_progress(query->threads, i, q->count);
        ni_vectors_of_node(m, pair.source, q->room, &source);
        ni_vectors_of_node(m, pair.target, q->room + m->dim, &target);
        rc = nearest_of_many(query->threads, &source, &target, m->dim, &best, err);
        if (rc == NEAP_OK) rc = ni_threads_check(query->threads, err);
        if (rc == NEAP_OK) take_answer(q, i, &source, &target, &best);
    }
    return rc;
}

static neap_status answer(neap_query *query, question *q, neap_error *err)
{
    q->model = query->model;
    q->room = ni_array((uint64_t)ni_threads_count(query->threads) * 4 * q->model->dim, sizeof *q->room);
    if (!q->room) return ni_fail_memory(err, "the answer");
    ni_threads_run(query->threads, ni_tasks(q->count, A_TASK), answer_task, q);
    neap_status rc = answer_hubs(query, q, err);
    ni_free(q->room);
    return rc;
}

neap_status ni_personas_score(neap_query *query, const neap_pair *pairs, size_t count, float *scores,
                              neap_error *err)
{
    question q = { .pairs = pairs, .scores = scores, .count = count };
    return answer(query, &q, err);
}

neap_status ni_personas_context_vectors(neap_query *query, uint32_t context, float *vectors,
                                        neap_error *err)
{
    question q = { .context = context, .vectors = vectors, .count = query->model->graph->nodes };
    return answer(query, &q, err);
}

neap_status ni_personas_pair_vectors(neap_query *query, const neap_pair *pairs, size_t count,
                                     float *sources, float *targets, neap_error *err)
{
    question q = { .pairs = pairs, .vectors = sources, .other = targets, .count = count };
    return answer(query, &q, err);
}

neap_status ni_personas_vectors(neap_query *query, float *vectors, neap_error *err)
{
    const neap_model *m = query->model;
    (void)err;
    for (uint32_t u = 0; u < m->graph->nodes; u++) mean_of(m, u, vectors + (uint64_t)u * m->dim);
    return NEAP_OK;
}
