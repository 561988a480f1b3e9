/* One source against all nodes, exactly.
 *
 * The source has a neighbours, X (a x d). For every node j that can be somebody's neighbour, two rows of a
 * numbers are made by matrix products over all of E:
 *     A_j = X P e_j   (a)   how j aligns with each neighbour of the source
 *     B_j = X e_j     (a)   how j's vector meets theirs
 * The attention of j among the neighbours of any target is proportional to v_j = exp(tanh(max_i A_ij)). So
 * for a target t with neighbours N, and w_i = exp(tanh(max_{j in N} A_ij)),
 *     score = sum_i w_i sum_{j in N} v_j B_ij / (sum_i w_i  sum_{j in N} v_j)
 * which is one pass over t's links: 2 a (n d + m) in all. The order (t, s) is the same with P turned. A row
 * is kept as [A_j | v_j B_j, v_j], each half up to whole lanes.
 *
 * That is about 8 a n bytes. So that it stays near twice the table E (of vectors that are not very short),
 * a source with more than d neighbours is done in parts: one round over the parts for max_i A_ij, a second
 * one for the scores. */
#include <math.h>
#include <string.h>

#include "attention/engine.h"
#include "attention/queries.h"
#include "attention/rank.h"
#include "attention/score.h"
#include "base/status.h"
#include "base/sys.h"
#include "linalg/blas.h"

enum { TARGETS_PER_TASK = 256, AHEAD = 2 };

typedef struct ranking {
    const neap_model *model;
    const ni_kernels *k;
    const float *E;         /* rows x d                                                       */
    const ni_hood *targets; /* their neighbours, rows of E                                    */
    uint32_t rows;
    const uint32_t *hood;   /* neighbours of the source                                       */
    uint32_t a;             /* how many                                                       */
    uint32_t part;          /* how many are done at a time                                    */
    uint32_t first, now;    /* the part under way: hood[first] .. hood[first + now - 1]       */
    bool turned;            /* the source is the target of each pair                          */
    bool settled;           /* best has been made from all parts                              */
    uint64_t A_lanes, line; /* numbers in the first half of a row, and in all of it           */
    float *right;           /* d x 2 now: [P' X' | X'], or [P X' | X']                        */
    float *AB;              /* rows x line, from a cache line on                              */
    float *best;            /* rows: max_i A_ij so far                                        */
    float *scratch;         /* threads x scratch_room                                         */
    float *w_sum, *sum;     /* targets: sum_i w_i;  sum_i w_i sum_j v_j B_ij                  */
    float *scores;          /* targets, added to                                              */
    float share;            /* 1, or 1/2 where both orders are averaged                       */
} ranking;

static uint64_t scratch_room(uint64_t part)
{
    return NI_RANK_ROWS * (2 * part + 1) + 2 * ni_whole_lanes(part + 1);
}

static float *scratch_of(const ranking *k, uint32_t thread)
{
    return k->scratch + thread * scratch_room(k->part);
}

bool ni_zero_padded(const neap_model *m, uint32_t size)
{
    return m->options.padding == NI_PAD_ZERO && size < m->options.neighbors;
}

/* ---- rows: A and B of every node ---- */

/* Column i of the left half is P' x_i, so that E times it gives x_i P e_j. */
void ni_rank_right(const neap_model *m, const uint32_t *X, uint64_t a, bool turned, float *right)
{
    uint64_t d = m->dim, width = 2 * a;
    for (uint64_t i = 0; i < a; i++)
        for (uint64_t q = 0; q < d; q++) right[q * width + a + i] = m->E[X[i] * d + q];
    if (m->P) ni_gemm(!turned, 0, d, a, d, m->P, d, right + a, width, 0, right, width);
    for (uint64_t q = 0; !m->P && q < d; q++)
        memcpy(right + q * width, right + q * width + a, a * sizeof *right);
}

void ni_rank_attention(const neap_model *m, uint32_t a, float *v, uint64_t count)
{
    const ni_kernels *k = ni_kernels_get();
    bool padded = ni_zero_padded(m, a);
    for (uint64_t j = 0; j < count; j++) v[j] = v[j] == -INFINITY ? NAN : padded && v[j] < 0 ? 0 : v[j];
    k->tanh(v, count, v);
    k->exp(v, count, v);
}

/* Row j as the targets will read it. */
static void keep_row(const ranking *k, const float *AB, float v, float *row)
{
    uint64_t a = k->now;
    float *B = row + k->A_lanes;
    memset(row, 0, k->line * sizeof *row);
    memcpy(row, AB, a * sizeof *row);
    for (uint64_t i = 0; i < a; i++) B[i] = v * AB[a + i];
    B[a] = v;
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    uint64_t d = k->model->dim, width = 2 * (uint64_t)k->now, first = (uint64_t)task * NI_RANK_ROWS;
    uint64_t count = ni_task_end(first, NI_RANK_ROWS, k->rows) - first;
    float *AB = scratch_of(k, thread), *v = AB + NI_RANK_ROWS * width, *best = k->best + first;
    ni_gemm(0, 0, count, width, d, k->E + first * d, d, k->right, width, 0, AB, width);
    for (uint64_t j = 0; j < count && !k->settled; j++)
        best[j] = ni_largest(AB + j * width, k->now, best[j]);
    if (k->part < k->a && !k->settled) return;
    memcpy(v, best, count * sizeof *v);
    ni_rank_attention(k->model, k->a, v, count);
    for (uint64_t j = 0; j < count; j++) keep_row(k, AB + j * width, v[j], k->AB + (first + j) * k->line);
}

static void make_rows(ranking *k, uint32_t first)
{
    k->first = first;
    k->now = k->a - first < k->part ? k->a - first : k->part;
    k->A_lanes = ni_whole_lanes(k->now);
    k->line = k->A_lanes + ni_whole_lanes(k->now + 1);
    ni_rank_right(k->model, k->hood + first, k->now, k->turned, k->right);
    ni_threads_run(k->model->threads, ni_tasks(k->rows, NI_RANK_ROWS), rows_task, k);
}

/* ---- targets ---- */

/* The rows of a target's neighbours lie anywhere: they are asked for two targets early. */
static void ask_for_target(const ranking *k, uint32_t t)
{
    const ni_hood *hood = k->targets;
    for (uint64_t j = hood->offset[t]; j < hood->offset[t + 1]; j++)
        ni_ask_for(k->AB + hood->node[j] * k->line, k->line);
}

/* Adds this part's w_i and w_i sum_j v_j B_ij; after the last part, the score. */
static void add_target(const ranking *k, uint32_t t, float *met)
{
    const ni_hood *hood = k->targets;
    uint32_t b = ni_hood_size(hood, t), a = k->now;
    float *w = met + k->line, *B = met + k->A_lanes;
    bool padded = ni_zero_padded(k->model, b);
    k->k->meet(k->AB, k->line, hood->node + hood->offset[t], b, k->A_lanes, k->line, met);
    for (uint32_t i = 0; padded && i < a; i++) met[i] = met[i] < 0 ? 0 : met[i];
    k->k->tanh(met, a, w);
    k->w_sum[t] += k->k->exp(w, a, w);
    k->sum[t] += k->k->dot(w, B, a);
    if (k->first + a == k->a) k->scores[t] += k->share * k->sum[t] / (k->w_sum[t] * B[a]);
}

static void targets_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    uint64_t first = (uint64_t)task * TARGETS_PER_TASK;
    uint64_t end = ni_task_end(first, TARGETS_PER_TASK, k->targets->nodes);
    for (uint64_t t = first; t < end; t++) {
        if (t + AHEAD < end) ask_for_target(k, (uint32_t)(t + AHEAD));
        if (ni_hood_size(k->targets, (uint32_t)t)) add_target(k, (uint32_t)t, scratch_of(k, thread));
    }
}

/* ---- all of it ---- */

static void rank_one_order(ranking *k)
{
    uint32_t n = k->targets->nodes;
    for (uint32_t j = 0; j < k->rows; j++) k->best[j] = -INFINITY;
    memset(k->w_sum, 0, n * sizeof *k->w_sum);
    memset(k->sum, 0, n * sizeof *k->sum);
    k->settled = false;
    for (uint32_t first = 0; first < k->a && k->part < k->a; first += k->part) make_rows(k, first);
    k->settled = k->part < k->a;
    for (uint32_t first = 0; first < k->a; first += k->part) {
        make_rows(k, first);
        ni_threads_run(k->model->threads, ni_tasks(n, TARGETS_PER_TASK), targets_task, k);
    }
}

neap_status ni_rank_targets(const neap_model *m, uint32_t source, const float *E, uint32_t rows,
                            const ni_hood *targets, float *scores, neap_error *err)
{
    uint64_t a = ni_hood_size(&m->hood, source), n = targets->nodes, part = a < m->dim ? a : m->dim;
    bool both = m->graph->undirected;
    memset(scores, 0, n * sizeof *scores);
    if (a == 0) return NEAP_OK;
    uint64_t line = ni_whole_lanes(part) + ni_whole_lanes(part + 1);
    void *block = ni_array(line * rows * sizeof(float) + NI_CACHE_LINE, 1);
    ranking k = { .model = m,
                  .k = ni_kernels_get(),
                  .E = E,
                  .targets = targets,
                  .rows = rows,
                  .hood = m->hood.node + m->hood.offset[source],
                  .a = (uint32_t)a,
                  .part = (uint32_t)part,
                  .scores = scores,
                  .share = both ? 0.5F : 1,
                  .right = ni_array(2 * part * m->dim, sizeof(float)),
                  .best = ni_array(rows, sizeof(float)),
                  .scratch = ni_array(scratch_room(part) * ni_threads_count(m->threads), sizeof(float)),
                  .w_sum = ni_array(n, sizeof(float)),
                  .sum = ni_array(n, sizeof(float)) };
    bool ok = block && k.right && k.best && k.scratch && k.w_sum && k.sum;
    if (block) k.AB = ni_first_line(block);
    ni_gemm_begin();
    for (int order = 0; order < 1 + both && ok; order++) {
        k.turned = order == 1;
        rank_one_order(&k);
    }
    ni_gemm_end();
    void *arrays[] = { block, k.right, k.best, k.scratch, k.w_sum, k.sum };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
    return ok ? NEAP_OK : ni_fail_memory(err, "ranking all nodes");
}

/* For mean pooling and padding vectors: every pair by itself. */
static neap_status rank_by_pairs(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    neap_pair pair[NI_FORWARD_MOST];
    ni_engine *e;
    uint32_t n = m->graph->nodes;
    neap_status rc = ni_model_engine(m, &e, err);
    for (uint32_t first = 0; first < n && rc == NEAP_OK; first += NI_FORWARD_MOST) {
        uint32_t count = n - first < NI_FORWARD_MOST ? n - first : NI_FORWARD_MOST;
        for (uint32_t i = 0; i < count; i++) pair[i] = (neap_pair){ source, first + i };
        rc = ni_score_pairs(e, pair, count, m->graph->undirected, scores + first, err);
    }
    ni_engine_free(e);
    return rc;
}

bool ni_rank_by_products(const neap_model *m)
{
    return m->options.pooling == NI_POOL_MAX && m->options.padding != NI_PAD_VECTOR;
}

neap_status ni_gap_score_all(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    return ni_rank_by_products(m) ? ni_rank_targets(m, source, m->E, m->rows, &m->hood, scores, err)
                                  : rank_by_pairs(m, source, scores, err);
}
