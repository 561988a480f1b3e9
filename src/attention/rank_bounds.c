/* Bounds of the score of each target, from quantised rows: a quarter of the bytes.
 *
 * Most of the time of rank.c is that of reading its rows, which lie anywhere, once per link. Here row j is
 *     [127 tanh(A_j) | B_j / q_j | v_j, v_j q_j],    q_j = max_i |B_ij| / 127,
 * the first two parts to the nearest whole number, in bytes: with up to 28 neighbours of the source, one
 * cache line. A, B and v are those of rank.c, to the bit. For a target with b neighbours N, let
 *     V = sum_N v_j,   Q = sum_N v_j q_j,   m_i = sum_N v_j B_ij / V,   s = sum_i w_i m_i / sum_i w_i,
 * and let ' mark what is made from bytes. Then
 *     |m_i' - m_i| <= Q / 2V, and a mean of them is no farther off;
 *     |tanh' - tanh| <= 1/254, so that w_i = w_i' (1 + x_i), |x_i| <= 0.00395 with what the kernels round,
 *     and by other weights the mean of the m_i' moves by
 *         |sum_i w_i' x_i (m_i' - s')| / sum_i w_i  <=  0.00397 sum_i w_i' |m_i' - s'| / sum_i w_i'.
 * No m_i is beyond 127 Q/V. Exact or quantised, m_i and V are sums of b numbers and s has two sums of a;
 * so both together are rounded by less than 4 (a + b + 4) 2^-24 127 Q/V < 4e-5 (a + b + 4) Q/V, and what
 * becomes bytes by less than 1e-4 Q/V. Hence
 *     |s' - s| <= Q/V (0.5001 + 5e-5 (a + b + 4)) + 0.004 sum_i w_i' |m_i' - s'| / sum_i w_i'.
 * Where a number is so large that a sum might not be finite, there are no bounds, nor without a tanh, with
 * two tables or with degrees. O(a (n d + links)), as rank.c; rows and scratch belong to the call, tasks are
 * rows and then targets. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "attention/rank.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { TARGETS_PER_TASK = 256, AHEAD = 3, STEPS = 127 };

static const float SMALL = 1e-30F, LARGE = 1e20F;

typedef struct bounding {
    const ni_attention *attention;
    const ni_kernels *k;
    uint32_t a;             /* neighbours of the source                           */
    size_t half, stride;    /* bytes of a row's first two parts, each; of a row   */
    float *right;           /* d x 2a, see ni_rank_right                          */
    int8_t *rows;           /* ids x stride, from a cache line on                 */
    float *scratch;         /* threads x scratch_room                             */
    float w[2 * STEPS + 1]; /* exp(i / 127) at STEPS + i                          */
    float *least, *most;    /* nodes, added to                                    */
    float share;            /* 1, or 1/2 where both orders are averaged           */
    atomic_bool too_large;  /* some number                                        */
} bounding;

static size_t whole_bytes(size_t half)
{
    return (half + NI_BYTES - 1) / NI_BYTES * NI_BYTES;
}

/* A tile of products and its v; or the reduced rows of a target. */
static size_t scratch_room(const bounding *k)
{
    return NI_RANK_ROWS * (2 * (size_t)k->a + 1) + 2 * whole_bytes(k->half);
}

/* AB: [A_j | B_j], the first of which becomes tanh. */
static void keep_row(bounding *k, float *AB, float v, int8_t *row)
{
    size_t a = k->a;
    k->k->tanh(AB, a, AB);
    float one = k->k->quantise(AB, a, 1, row), r = k->k->quantise(AB + a, a, SMALL, row + k->half);
    ni_int8_scale tail = { v, v * (r / STEPS) };
    memcpy(row + 2 * k->half, &tail, sizeof tail);
    if (!(one <= 1 && r <= LARGE && v > 0))
        atomic_store_explicit(&k->too_large, true, memory_order_relaxed);
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    bounding *k = arg;
    const ni_attention *at = k->attention;
    uint64_t d = at->dim, width = 2 * (uint64_t)k->a, first = (uint64_t)task * NI_RANK_ROWS;
    uint64_t count = ni_task_end(first, NI_RANK_ROWS, at->all_rows) - first;
    float *AB = k->scratch + thread * scratch_room(k), *v = AB + NI_RANK_ROWS * width;
    ni_gemm(0, 0, count, width, d, at->all[1] + first * d, d, k->right, width, 0, AB, width);
    for (uint64_t j = 0; j < count; j++) v[j] = ni_largest(AB + j * width, k->a, -INFINITY);
    ni_rank_attention(at, k->a, v, count);
    for (uint64_t j = 0; j < count; j++)
        keep_row(k, AB + j * width, v[j], k->rows + (first + j) * k->stride);
}

static void prefetch_target(const bounding *k, uint64_t t)
{
    const ni_hood *hood = k->attention->ranked;
    for (uint64_t j = hood->offset[t]; j < hood->offset[t + 1]; j++)
        ni_prefetch((const void *)(k->rows + hood->node[j] * k->stride), k->stride / sizeof(float));
}

/* w' of a maximum, which zero padding raises to 0. */
static float weight_of(const bounding *k, int8_t A, bool padded)
{
    return k->w[STEPS + (padded && A < 0 ? 0 : A)];
}

/* reduced.A becomes w', reduced.qB is V m'. */
static void bound_target(const bounding *k, uint32_t t, float *scratch)
{
    const ni_hood *hood = k->attention->ranked;
    uint32_t a = k->a, b = ni_hood_size(hood, t);
    ni_int8_sums reduced = { .A = (int8_t *)(scratch + whole_bytes(k->half)), .qB = scratch };
    k->k->gather_max_int8(k->rows, k->stride, hood->node + hood->offset[t], b, k->half, &reduced);
    bool padded = ni_zero_padded(k->attention, b);
    float sum = 0, w_sum = 0, away = 0;
    for (uint32_t i = 0; i < a; i++) {
        float w = weight_of(k, reduced.A[i], padded);
        w_sum += w;
        sum += w * reduced.qB[i];
    }
    float mean = sum / w_sum;
    for (uint32_t i = 0; i < a; i++)
        away += weight_of(k, reduced.A[i], padded) * fabsf(reduced.qB[i] - mean);
    float error = reduced.sum.q * (0.5001F + 5e-5F * (float)(a + b + 4)) + 0.004F * away / w_sum;
    k->least[t] += k->share * (mean - error) / reduced.sum.v;
    k->most[t] += k->share * (mean + error) / reduced.sum.v;
}

static void targets_task(void *arg, uint32_t task, uint32_t thread)
{
    const bounding *k = arg;
    const ni_hood *hood = k->attention->ranked;
    uint64_t first = (uint64_t)task * TARGETS_PER_TASK;
    uint64_t end = ni_task_end(first, TARGETS_PER_TASK, hood->nodes);
    for (uint64_t t = first; t < end; t++) {
        if (t + AHEAD < end) prefetch_target(k, t + AHEAD);
        if (ni_hood_size(hood, (uint32_t)t))
            bound_target(k, (uint32_t)t, k->scratch + thread * scratch_room(k));
    }
}

static void bound_one_order(bounding *k, uint32_t source, bool reversed)
{
    const ni_attention *at = k->attention;
    ni_rank_right(at, ni_hood_side(at->ranked, source).ids, k->a, reversed, k->right);
    ni_threads_run(at->threads, ni_tasks(at->all_rows, NI_RANK_ROWS), rows_task, k);
    if (k->too_large) return;
    ni_threads_run(at->threads, ni_tasks(at->hood->nodes, TARGETS_PER_TASK), targets_task, k);
}

static void lay_out(bounding *k, uint32_t a)
{
    k->a = a;
    k->half = (a + 3) / 4 * 4;
    k->stride = (2 * k->half + sizeof(ni_int8_scale) + NI_CACHE_LINE - 1) / NI_CACHE_LINE * NI_CACHE_LINE;
    for (int i = -STEPS; i <= STEPS; i++) k->w[STEPS + i] = expf((float)i / STEPS);
}

/* A byte holds a tanh; and sums of products are all that is bounded, over one table. */
static bool may_bound(const ni_attention *at)
{
    return at->options->alignment == NI_ALIGN_TANH && !at->opposite && !at->degrees;
}

neap_status ni_attention_score_bounds(ni_attention *at, uint32_t source, float *least, float *most,
                                      bool *bounded, neap_error *err)
{
    uint32_t a = ni_hood_size(at->hood, source), n = at->hood->nodes;
    *bounded = a > 0 && a <= at->dim && at->score == NI_SCORE_DOT && may_bound(at);
    if (!*bounded) return NEAP_OK;
    neap_status rc = ni_rank_lend(at, bounded, err);
    if (rc != NEAP_OK || !*bounded) return rc;
    bounding k = { .attention = at,
                   .k = ni_kernels_get(),
                   .least = least,
                   .most = most,
                   .share = at->both_orders ? 0.5F : 1 };
    lay_out(&k, a);
    memset(least, 0, n * sizeof *least);
    memset(most, 0, n * sizeof *most);
    void *block = ni_array(k.stride * at->all_rows + NI_CACHE_LINE + NI_BYTES, 1);
    k.right = ni_array(2 * (size_t)a * at->dim, sizeof(float));
    k.scratch = ni_array(scratch_room(&k) * ni_threads_count(at->threads), sizeof(float));
    bool ok = block && k.right && k.scratch;
    if (block) k.rows = ni_first_line(block);
    ni_gemm_begin();
    for (int order = 0; order < 1 + at->both_orders && ok && !k.too_large; order++)
        bound_one_order(&k, source, order == 1);
    ni_gemm_end();
    *bounded = !k.too_large;
    ni_free(block);
    ni_free(k.right);
    ni_free(k.scratch);
    return ok ? NEAP_OK : ni_fail_memory(err, "ranking all nodes");
}
