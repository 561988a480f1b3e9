/* One source against all nodes, exactly.
 *
 * The source has a neighbours, X (a x d). For every node j that can be somebody's neighbour, two rows of a
 * numbers are made by matrix products over all of E:
 *     A_j = X P e_j   (a)   how j aligns with each neighbour of the source
 *     B_j = X e_j     (a)   how j's vector meets theirs
 * The attention of j among the neighbours of any target depends on c_j = max_i A_ij alone. So for a target t
 * with neighbours N:
 *     v_j = softmax over N of tanh(c_j),     w = softmax over i of tanh(max_{j in N} A_ij)
 *     score = sum_i w_i sum_{j in N} v_j B_ij
 * which is one pass over t's links: 2 a (n d + m) in all. The order (t, s) is the same with P turned.    */
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
    uint32_t a;        /* neighbours of the source                  */
    bool turned;       /* the source is the target of each pair     */
    float *right;      /* d x 2a: [P' X' | X'], or [P X' | X']       */
    float *AB;         /* rows x 2a: [A_j | B_j]                     */
    float *best;       /* rows: exp(tanh(c_j))                       */
    float *scratch;    /* threads x 2a                               */
    float *scores;     /* nodes, added to                            */
    float share;       /* 1, or 1/2 where both orders are averaged   */
} ranking;

enum { ROWS_PER_TASK = 256, TARGETS_PER_TASK = 256 };

static bool zero_padded(const neap_model *m, uint32_t size)
{
    return m->options.padding == NI_PAD_ZERO && size < m->options.neighbors;
}

/* right = [P' X' | X']: column i of the left half is P' x_i, so that E times it gives x_i P e_j. */
static void make_right(const ranking *k, uint32_t source)
{
    const neap_model *m = k->model;
    const uint32_t *node = m->hood.node + m->hood.offset[source];
    uint64_t d = m->dim, a = k->a, width = 2 * a;
    for (uint64_t i = 0; i < a; i++)
        for (uint64_t q = 0; q < d; q++) k->right[q * width + a + i] = m->E[node[i] * d + q];
    ni_gemm(!k->turned, 0, d, a, d, m->P, d, k->right + a, width, 0, k->right, width);
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    const neap_model *m = k->model;
    (void)thread;
    uint64_t d = m->dim, width = 2 * (uint64_t)k->a, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t count = m->rows - first < ROWS_PER_TASK ? m->rows - first : ROWS_PER_TASK;
    float *AB = k->AB + first * width;
    ni_gemm(0, 0, count, width, d, m->E + first * d, d, k->right, width, 0, AB, width);
    for (uint64_t j = 0; j < count; j++) {
        float best = AB[j * width];
        for (uint32_t i = 1; i < k->a; i++) best = AB[j * width + i] > best ? AB[j * width + i] : best;
        if (zero_padded(m, k->a) && best < 0) best = 0;
        k->best[first + j] = expf(tanhf(best));
    }
}

static float score_target(const ranking *k, uint32_t t, float *most, float *met)
{
    const neap_model *m = k->model;
    uint32_t b = ni_hood_size(&m->hood, t), a = k->a;
    const uint32_t *node = m->hood.node + m->hood.offset[t];
    float v_sum = 0, w_sum = 0, score = 0;
    if (b == 0) return 0;
    for (uint32_t i = 0; i < a; i++) most[i] = -INFINITY, met[i] = 0;
    for (uint32_t j = 0; j < b; j++) {
        const float *A = k->AB + (uint64_t)node[j] * 2 * a, *B = A + a;
        float v = k->best[node[j]];
        v_sum += v;
        for (uint32_t i = 0; i < a; i++) {
            most[i] = A[i] > most[i] ? A[i] : most[i];
            met[i] += v * B[i];
        }
    }
    for (uint32_t i = 0; i < a; i++) {
        float w = expf(tanhf(zero_padded(m, b) && most[i] < 0 ? 0 : most[i]));
        w_sum += w;
        score += w * met[i];
    }
    return score / (v_sum * w_sum);
}

static void targets_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    float *most = k->scratch + (uint64_t)thread * 2 * k->a, *met = most + k->a;
    uint32_t first = task * TARGETS_PER_TASK;
    for (uint32_t t = first; t < k->model->graph->nodes && t - first < TARGETS_PER_TASK; t++)
        k->scores[t] += k->share * score_target(k, t, most, met);
}

static uint32_t tasks(uint32_t things, uint32_t per_task)
{
    return things / per_task + (things % per_task != 0);
}

static neap_status rank_by_products(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    uint32_t a = ni_hood_size(&m->hood, source), n = m->graph->nodes;
    bool both = m->graph->undirected;
    memset(scores, 0, n * sizeof *scores);
    if (a == 0) return NEAP_OK;
    ranking k = { .model = m, .a = a, .scores = scores, .share = both ? 0.5F : 1,
                  .right = ni_array(2 * (uint64_t)m->dim * a, sizeof(float)),
                  .AB = ni_array(2 * (uint64_t)m->rows * a, sizeof(float)),
                  .best = ni_array(m->rows, sizeof(float)),
                  .scratch = ni_array(2 * (uint64_t)a * ni_pool_threads(m->pool), sizeof(float)) };
    neap_status rc = NEAP_OK;
    ni_blas_start();
    if (!k.right || !k.AB || !k.best || !k.scratch) rc = ni_fail_memory(err, "ranking all nodes");
    for (int order = 0; order < 1 + both && rc == NEAP_OK; order++) {
        k.turned = order == 1;
        make_right(&k, source);
        ni_pool_run(m->pool, tasks(m->rows, ROWS_PER_TASK), rows_task, &k);
        ni_pool_run(m->pool, tasks(n, TARGETS_PER_TASK), targets_task, &k);
    }
    ni_free(k.right);
    ni_free(k.AB);
    ni_free(k.best);
    ni_free(k.scratch);
    return rc;
}

/* For mean pooling and padding vectors: every pair by itself. */
static neap_status rank_by_pairs(const neap_model *m, uint32_t source, float *scores, neap_error *err)
{
    neap_pair pair[NI_SCORE_CHUNK];
    ni_engine *e;
    uint32_t n = m->graph->nodes;
    neap_status rc = ni_model_engine(m, &e, err);
    for (uint32_t first = 0; first < n && rc == NEAP_OK; first += NI_SCORE_CHUNK) {
        uint32_t count = n - first < NI_SCORE_CHUNK ? n - first : NI_SCORE_CHUNK;
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
