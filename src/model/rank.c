/* One source against all nodes, exactly.
 *
 * The source has a neighbours, X (a x d). For every node j that can be somebody's neighbour, two rows of a
 * numbers are made by matrix products over all of E:
 *     A_j = X P e_j   (a)   how j aligns with each neighbour of the source
 *     B_j = X e_j     (a)   how j's vector meets theirs
 * The attention of j among the neighbours of any target depends on c_j = max_i A_ij alone. So for a target
 * t with neighbours N: v_j = softmax over N of tanh(c_j),     w = softmax over i of tanh(max_{j in N} A_ij)
 *     score = sum_i w_i sum_{j in N} v_j B_ij
 * which is one pass over t's links: 2 a (n d + m) in all. The order (t, s) is the same with P turned.
 *
 * A and B take 8 a n bytes. So that this stays below twice the table E, a source with more than d
 * neighbours is done in parts: one round over the parts for c_j, a second one for the scores. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "model/blas.h"
#include "model/engine.h"
#include "model/queries.h"
#include "model/score.h"

typedef struct ranking {
    const neap_model *model;
    const uint32_t *hood; /* neighbours of the source                                       */
    uint32_t a;           /* how many                                                       */
    uint32_t part;        /* how many are done at a time                                    */
    uint32_t first, now;  /* the part under way: hood[first] .. hood[first + now - 1]       */
    bool turned;          /* the source is the target of each pair                          */
    float *right;         /* d x 2 now: [P' X' | X'], or [P X' | X']                        */
    float *AB;            /* rows x 2 now: [A_j | B_j]                                      */
    float *best;          /* rows: c_j                                                      */
    float *v;             /* rows: exp(tanh(c_j)), attention before it is normalised        */
    float *scratch;       /* threads x 2 part                                               */
    float *w_sum, *sum;   /* nodes: sum_i w_i before it is normalised; sum_i w_i sum_j v_j B_ij */
    float *scores;        /* nodes, added to                                                */
    float share;          /* 1, or 1/2 where both orders are averaged                       */
} ranking;

enum { ROWS_PER_TASK = 256, TARGETS_PER_TASK = 256 };

static bool zero_padded(const neap_model *m, uint32_t size)
{
    return m->options.padding == NI_PAD_ZERO && size < m->options.neighbors;
}

/* right = [P' X' | X']: column i of the left half is P' x_i, so that E times it gives x_i P e_j. */
static void make_right(const ranking *k)
{
    const neap_model *m = k->model;
    uint64_t d = m->dim, a = k->now, width = 2 * a;
    for (uint64_t i = 0; i < a; i++)
        for (uint64_t q = 0; q < d; q++) k->right[q * width + a + i] = m->E[k->hood[k->first + i] * d + q];
    ni_gemm(!k->turned, 0, d, a, d, m->P, d, k->right + a, width, 0, k->right, width);
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    const neap_model *m = k->model;
    (void)thread;
    uint64_t d = m->dim, width = 2 * (uint64_t)k->now, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t count = m->rows - first < ROWS_PER_TASK ? m->rows - first : ROWS_PER_TASK;
    ni_gemm(0, 0, count, width, d, m->E + first * d, d, k->right, width, 0, k->AB + first * width, width);
    for (uint64_t j = first; j < first + count; j++)
        for (uint32_t i = 0; i < k->now; i++) {
            float x = k->AB[j * width + i];
            k->best[j] = x > k->best[j] ? x : k->best[j];
        }
}

/* A and B of a part of the source's neighbours; c_j rises where they align better. */
static void align_part(ranking *k, uint32_t first)
{
    k->first = first;
    k->now = k->a - first < k->part ? k->a - first : k->part;
    make_right(k);
    ni_pool_run(k->model->pool, ni_tasks(k->model->rows, ROWS_PER_TASK), rows_task, k);
}

/* What the attention of j is proportional to, in any target's neighbourhood. */
static void settle_best(ranking *k)
{
    bool padded = zero_padded(k->model, k->a);
    for (uint64_t j = 0; j < k->model->rows; j++)
        k->v[j] = expf(tanhf(padded && k->best[j] < 0 ? 0 : k->best[j]));
}

/* Adds this part's w_i and w_i sum_j v_j B_ij; v_j is not normalised yet. */
static void add_target(const ranking *k, uint32_t t, float *most, float *met)
{
    const neap_model *m = k->model;
    uint32_t b = ni_hood_size(&m->hood, t), a = k->now;
    const uint32_t *node = m->hood.node + m->hood.offset[t];
    bool padded = zero_padded(m, b);
    for (uint32_t i = 0; i < a; i++) most[i] = -INFINITY, met[i] = 0;
    for (uint32_t j = 0; j < b; j++) {
        const float *A = k->AB + (uint64_t)node[j] * 2 * a, *B = A + a;
        float v = k->v[node[j]];
        for (uint32_t i = 0; i < a; i++) {
            most[i] = A[i] > most[i] ? A[i] : most[i];
            met[i] += v * B[i];
        }
    }
    for (uint32_t i = 0; i < a; i++) {
        float w = expf(tanhf(padded && most[i] < 0 ? 0 : most[i]));
        k->w_sum[t] += w;
        k->sum[t] += w * met[i];
    }
}

static void targets_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    float *most = k->scratch + (uint64_t)thread * 2 * k->part, *met = most + k->part;
    uint32_t first = task * TARGETS_PER_TASK;
    for (uint32_t t = first; t < k->model->graph->nodes && t - first < TARGETS_PER_TASK; t++)
        if (ni_hood_size(&k->model->hood, t)) add_target(k, t, most, met);
}

static void add_scores(ranking *k)
{
    const ni_hood *hood = &k->model->hood;
    for (uint32_t t = 0; t < k->model->graph->nodes; t++) {
        float v_sum = 0;
        for (uint64_t j = hood->offset[t]; j < hood->offset[t + 1]; j++) v_sum += k->v[hood->node[j]];
        if (v_sum > 0) k->scores[t] += k->share * k->sum[t] / (k->w_sum[t] * v_sum);
    }
}

static void rank_one_order(ranking *k)
{
    const neap_model *m = k->model;
    uint32_t n = m->graph->nodes;
    for (uint32_t j = 0; j < m->rows; j++) k->best[j] = -INFINITY;
    memset(k->w_sum, 0, n * sizeof *k->w_sum);
    memset(k->sum, 0, n * sizeof *k->sum);
    for (uint32_t first = 0; first < k->a; first += k->part) align_part(k, first);
    settle_best(k);
    for (uint32_t first = 0; first < k->a; first += k->part) {
        if (k->part < k->a) align_part(k, first); /* else it is still there */
        ni_pool_run(m->pool, ni_tasks(n, TARGETS_PER_TASK), targets_task, k);
    }
    add_scores(k);
}

static neap_status rank_by_products(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    uint64_t a = ni_hood_size(&m->hood, source), n = m->graph->nodes, part = a < m->dim ? a : m->dim;
    bool both = m->graph->undirected;
    memset(scores, 0, n * sizeof *scores);
    if (a == 0) return NEAP_OK;
    ranking k = { .model = m,
                  .hood = m->hood.node + m->hood.offset[source],
                  .a = (uint32_t)a,
                  .part = (uint32_t)part,
                  .scores = scores,
                  .share = both ? 0.5F : 1,
                  .right = ni_array(2 * part * m->dim, sizeof(float)),
                  .AB = ni_array(2 * part * m->rows, sizeof(float)),
                  .best = ni_array(m->rows, sizeof(float)),
                  .v = ni_array(m->rows, sizeof(float)),
                  .scratch = ni_array(2 * part * ni_pool_threads(m->pool), sizeof(float)),
                  .w_sum = ni_array(n, sizeof(float)),
                  .sum = ni_array(n, sizeof(float)) };
    bool ok = k.right && k.AB && k.best && k.v && k.scratch && k.w_sum && k.sum;
    ni_blas_start();
    for (int order = 0; order < 1 + both && ok; order++) {
        k.turned = order == 1;
        rank_one_order(&k);
    }
    float *arrays[] = { k.right, k.AB, k.best, k.v, k.scratch, k.w_sum, k.sum };
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

neap_status ni_gap_score_all(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    bool simple = m->options.pooling == NI_POOL_MAX && m->options.padding != NI_PAD_VECTOR;
    return simple ? rank_by_products(m, source, scores, err) : rank_by_pairs(m, source, scores, err);
}
