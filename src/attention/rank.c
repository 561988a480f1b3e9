/* One source against all nodes, or against some with the same bits.
 *
 * The source has a neighbours with rows X (a x d). For every row e_j of the table two lists of a numbers
 * come from matrix products over all of it: A_j = X P e_j   (a)   how j aligns with each neighbour of the
 * source B_j = X e_j     (a)   the products of j's row with theirs The attention of j among the neighbours
 * of any target is proportional to v_j = exp(tanh(max_i A_ij)). So for a target t with neighbours N, and
 * w_i = exp(tanh(max_{j in N} A_ij)), score = sum_i w_i sum_{j in N} v_j B_ij / (sum_i w_i  sum_{j in N}
 * v_j) which is one pass over t's links: 2 a (n d + m) in all. The order (t, s) is the same with P
 * transposed. A row is kept as [A_j | v_j B_j, v_j], each half up to whole lanes.
 *
 * That is about 8 a n bytes. So that it stays near twice the table (of vectors that are not very short), a
 * source with more than d neighbours is done in parts: one round over the parts for max_i A_ij, a second
 * one for the scores. A cosine also needs the lengths of sum_i w_i x_i and sum_j v_j e_j, d more numbers
 * for each neighbour of either side; then the sums of weights cancel out.
 *
 * For some targets a small table is made of the rows that they need, and ranked like the whole. Each row is
 * multiplied in a tile of the same height and at the same position of it; the last tile, which may be less
 * tall, is taken over as it is. */
#include "attention/rank.h"

#include <math.h>
#include <string.h>

#include "attention/squash.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

enum { TARGETS_PER_TASK = 256, AHEAD = 2 };

typedef struct ranking {
    const ni_attention *a;
    const ni_kernels *k;
    const float *table[2];  /* rows x d: what targets read, and what they read as sources     */
    const ni_hood *targets; /* their neighbours, rows of the table                            */
    uint32_t rows;
    ni_side source;
    uint32_t part;          /* how many of its neighbours are done at a time                  */
    uint32_t first, now;    /* the current part: ids[first] .. ids[first + now - 1]           */
    bool reversed;          /* the source is the target of each pair                          */
    bool have_best;         /* best has been made from all parts                              */
    uint64_t A_lanes, line; /* numbers in the first half of a row, and in all of it           */
    float *right;           /* d x 2 now: [P' X' | X'], or [P X' | X']                        */
    float *AB;              /* rows x line, from a cache line on                              */
    float *best;            /* rows: max_i A_ij so far                                        */
    float *scratch;         /* threads x scratch_room                                         */
    float *w_sum, *sum;     /* targets: sum_i w_i;  sum_i w_i sum_j v_j B_ij                  */
    float *wX;              /* targets x d: sum_i w_i x_i, for cosines; or NULL               */
    float *scores;          /* targets, added to                                              */
    float share;            /* 1, or 1/2 where both orders are averaged                       */
} ranking;

/* A tile of products and its v; or the reduced row of a target, its w, and d numbers. */
static uint64_t scratch_room(uint64_t part, uint64_t d)
{
    return NI_RANK_ROWS * (2 * part + 1) + 3 * ni_whole_lanes(part + 1) + d;
}

static float *scratch_of(const ranking *k, uint32_t thread)
{
    return k->scratch + thread * scratch_room(k->part, k->a->dim);
}

/* The rows of all positions and twice as much, which products with a source take, fit. */
static bool positions_fit(const ni_attention *a)
{
    const uint64_t most = (uint64_t)1 << 31; /* bytes */
    uint64_t positions = a->hood->offset[a->hood->nodes];
    return a->rows->all_positions && positions <= most / (3 * sizeof(float) * a->dim);
}

static neap_status lend_positions(ni_attention *a, neap_error *err)
{
    uint32_t count = (uint32_t)a->hood->offset[a->hood->nodes];
    uint32_t *node = a->positions.node ? a->positions.node : ni_array(count, sizeof *node);
    if (!node) return ni_fail_memory(err, "ranking all nodes");
    for (uint32_t i = 0; i < count; i++) node[i] = i;
    a->positions = (ni_hood){ a->hood->nodes, a->hood->offset, node, false };
    a->ranked = &a->positions;
    a->all_rows = count;
    return a->rows->all_positions(a->rows->self, a->hood, &a->all[0], err);
}

neap_status ni_rank_lend(ni_attention *a, bool *by_products, neap_error *err)
{
    const ni_attention_options *o = a->options;
    neap_status rc;
    *by_products =
        (a->rows->all || positions_fit(a)) && o->pooling == NI_POOL_MAX && o->padding != NI_PAD_VECTOR;
    if (!*by_products || a->all[0]) return NEAP_OK;
    if (a->rows->all) {
        a->ranked = a->hood;
        a->all_rows = a->opposite ? a->rows->ids / 2 : a->rows->ids;
        rc = a->rows->all(a->rows->self, &a->all[0], err);
    } else rc = lend_positions(a, err);
    if (rc != NEAP_OK) a->all[0] = NULL;
    else a->all[1] = a->all[0] + (a->opposite ? (uint64_t)a->all_rows * a->dim : 0);
    return rc;
}

bool ni_zero_padded(const ni_attention *a, uint32_t size)
{
    return a->options->padding == NI_PAD_ZERO && size < a->options->neighbors;
}

/* ---- rows: A and B of every node ---- */

/* Column i of the left half is P' x_i, so that the table times it gives x_i P e_j. */
void ni_rank_right(const ni_attention *a, const uint32_t *ids, uint64_t n, bool reversed, float *right)
{
    uint64_t d = a->dim, width = 2 * n;
    const float *all = a->all[reversed];
    bool aligns = ni_aligns(a->options);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t q = 0; q < d; q++) right[q * width + n + i] = all[ids[i] * d + q];
    if (aligns && a->P) ni_gemm(!reversed, 0, d, n, d, a->P, d, right + n, width, 0, right, width);
    for (uint64_t q = 0; !(aligns && a->P) && q < d; q++) {
        if (aligns) memcpy(right + q * width, right + q * width + n, n * sizeof *right);
        else memset(right + q * width, 0, n * sizeof *right);
    }
}

void ni_rank_attention(const ni_attention *a, uint32_t size, float *v, uint64_t count)
{
    const ni_kernels *k = ni_kernels_get();
    bool padded = ni_zero_padded(a, size);
    for (uint64_t j = 0; j < count; j++) v[j] = v[j] == -INFINITY ? NAN : padded && v[j] < 0 ? 0 : v[j];
    ni_squash(a->options->alignment, a->dim, v, count, v);
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
    uint64_t d = k->a->dim, width = 2 * (uint64_t)k->now, first = (uint64_t)task * NI_RANK_ROWS;
    uint64_t count = ni_task_end(first, NI_RANK_ROWS, k->rows) - first;
    float *AB = scratch_of(k, thread), *v = AB + NI_RANK_ROWS * width, *best = k->best + first;
    ni_gemm(0, 0, count, width, d, k->table[k->reversed] + first * d, d, k->right, width, 0, AB, width);
    for (uint64_t j = 0; j < count && !k->have_best; j++)
        best[j] = ni_largest(AB + j * width, k->now, best[j]);
    if (k->part < k->source.count && !k->have_best) return;
    memcpy(v, best, count * sizeof *v);
    ni_rank_attention(k->a, k->source.count, v, count);
    for (uint64_t j = 0; j < count; j++) keep_row(k, AB + j * width, v[j], k->AB + (first + j) * k->line);
}

static void make_rows(ranking *k, uint32_t first)
{
    k->first = first;
    k->now = k->source.count - first < k->part ? k->source.count - first : k->part;
    k->A_lanes = ni_whole_lanes(k->now);
    k->line = k->A_lanes + ni_whole_lanes(k->now + 1);
    ni_rank_right(k->a, k->source.ids + first, k->now, k->reversed, k->right);
    ni_threads_run(k->a->threads, ni_tasks(k->rows, NI_RANK_ROWS), rows_task, k);
}

/* ---- targets ---- */

static void prefetch_target(const ranking *k, uint32_t t)
{
    const ni_hood *hood = k->targets;
    for (uint64_t j = hood->offset[t]; j < hood->offset[t + 1]; j++)
        ni_prefetch(k->AB + hood->node[j] * k->line, k->line);
}

/* From sum_i w_i x_i and sum_j v_j e_j, the latter into vE. */
static float cosine_of(const ranking *k, uint32_t t, float *vE)
{
    const ni_hood *hood = k->targets;
    uint64_t d = k->a->dim;
    const float *wX = k->wX + t * d;
    memset(vE, 0, d * sizeof *vE);
    for (uint64_t j = hood->offset[t]; j < hood->offset[t + 1]; j++) {
        float v = k->AB[hood->node[j] * k->line + k->A_lanes + k->now];
        k->k->axpy(v, k->table[k->reversed] + hood->node[j] * d, vE, d);
    }
    return ni_score_of(NI_SCORE_COSINE, k->sum[t], k->k->dot(wX, wX, d), k->k->dot(vE, vE, d)).value;
}

/* Adds this part's w_i and w_i sum_j v_j B_ij; after the last part, the score. */
static void add_target(const ranking *k, uint32_t t, float *reduced)
{
    uint64_t d = k->a->dim;
    const ni_hood *hood = k->targets;
    uint32_t b = ni_hood_size(hood, t), a = k->now;
    float *w = reduced + k->line, *B = reduced + k->A_lanes;
    bool padded = ni_zero_padded(k->a, b);
    k->k->gather_max(k->AB, k->line, hood->node + hood->offset[t], b, k->A_lanes, k->line, reduced);
    for (uint32_t i = 0; padded && i < a; i++) reduced[i] = reduced[i] < 0 ? 0 : reduced[i];
    ni_squash(k->a->options->alignment, k->a->dim, reduced, a, w);
    k->w_sum[t] += k->k->exp(w, a, w);
    k->sum[t] += k->k->dot(w, B, a);
    for (uint32_t i = 0; k->wX && i < a; i++)
        k->k->axpy(w[i], k->a->all[k->reversed] + k->source.ids[k->first + i] * d, k->wX + t * d, d);
    if (k->first + a < k->source.count) return;
    float score = k->wX ? cosine_of(k, t, w + ni_whole_lanes(a)) : k->sum[t] / (k->w_sum[t] * B[a]);
    k->scores[t] += k->share * score;
}

static void targets_task(void *arg, uint32_t task, uint32_t thread)
{
    ranking *k = arg;
    uint64_t first = (uint64_t)task * TARGETS_PER_TASK;
    uint64_t end = ni_task_end(first, TARGETS_PER_TASK, k->targets->nodes);
    for (uint64_t t = first; t < end; t++) {
        if (t + AHEAD < end) prefetch_target(k, (uint32_t)(t + AHEAD));
        if (ni_hood_size(k->targets, (uint32_t)t)) add_target(k, (uint32_t)t, scratch_of(k, thread));
    }
}

/* ---- all of it ---- */

static void rank_one_order(ranking *k)
{
    uint32_t n = k->targets->nodes, a = k->source.count;
    for (uint32_t j = 0; j < k->rows; j++) k->best[j] = -INFINITY;
    memset(k->w_sum, 0, n * sizeof *k->w_sum);
    memset(k->sum, 0, n * sizeof *k->sum);
    if (k->wX) memset(k->wX, 0, (uint64_t)n * k->a->dim * sizeof *k->wX);
    k->have_best = false;
    for (uint32_t first = 0; first < a && k->part < a; first += k->part) make_rows(k, first);
    k->have_best = k->part < a;
    for (uint32_t first = 0; first < a; first += k->part) {
        make_rows(k, first);
        ni_threads_run(k->a->threads, ni_tasks(n, TARGETS_PER_TASK), targets_task, k);
    }
}

/* The scores of the source against targets whose neighbours are rows of a table. */
static neap_status rank_targets(const ni_attention *a, uint32_t source, const float *const table[2],
                                uint32_t rows, const ni_hood *targets, float *scores, neap_error *err)
{
    ni_side side = ni_hood_side(a->ranked, source);
    uint64_t n = targets->nodes, part = side.count < a->dim ? side.count : a->dim;
    bool cosine = a->score == NI_SCORE_COSINE;
    memset(scores, 0, n * sizeof *scores);
    if (side.count == 0) return NEAP_OK;
    uint64_t line = ni_whole_lanes(part) + ni_whole_lanes(part + 1);
    void *block = ni_array(line * rows * sizeof(float) + NI_CACHE_LINE, 1);
    ranking k = { .a = a,
                  .k = ni_kernels_get(),
                  .table = { table[0], table[1] },
                  .targets = targets,
                  .rows = rows,
                  .source = side,
                  .part = (uint32_t)part,
                  .scores = scores,
                  .share = a->both_orders ? 0.5F : 1,
                  .right = ni_array(2 * part * a->dim, sizeof(float)),
                  .best = ni_array(rows, sizeof(float)),
                  .scratch =
                      ni_array(scratch_room(part, a->dim) * ni_threads_count(a->threads), sizeof(float)),
                  .wX = cosine ? ni_array(n * a->dim, sizeof(float)) : NULL,
                  .w_sum = ni_array(n, sizeof(float)),
                  .sum = ni_array(n, sizeof(float)) };
    bool ok = block && k.right && k.best && k.scratch && k.w_sum && k.sum && (k.wX || !cosine);
    if (block) k.AB = ni_first_line(block);
    ni_gemm_begin();
    for (int order = 0; order < 1 + a->both_orders && ok; order++) {
        k.reversed = order == 1;
        rank_one_order(&k);
    }
    ni_gemm_end();
    void *arrays[] = { block, k.right, k.best, k.scratch, k.w_sum, k.sum, k.wX };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) ni_free(arrays[i]);
    return ok ? NEAP_OK : ni_fail_memory(err, "ranking all nodes");
}

/* Every pair by itself. */
static neap_status rank_by_pairs(ni_attention *a, uint32_t source, float *scores, neap_error *err)
{
    neap_pair pair[NI_FORWARD_MOST];
    uint32_t n = a->hood->nodes;
    neap_status rc = NEAP_OK;
    for (uint32_t first = 0; first < n && rc == NEAP_OK; first += NI_FORWARD_MOST) {
        uint32_t count = n - first < NI_FORWARD_MOST ? n - first : NI_FORWARD_MOST;
        for (uint32_t i = 0; i < count; i++) pair[i] = (neap_pair){ source, first + i };
        rc = ni_attention_score(a, pair, count, scores + first, err);
    }
    return rc;
}

neap_status ni_attention_score_all(ni_attention *a, uint32_t source, float *scores, neap_error *err)
{
    bool by_products;
    neap_status rc = ni_rank_lend(a, &by_products, err);
    if (rc != NEAP_OK) return rc;
    if (!by_products) return rank_by_pairs(a, source, scores, err);
    rc = rank_targets(a, source, (const float *[]){ a->all[1], a->all[0] }, a->all_rows, a->ranked, scores,
                      err);
    for (uint32_t t = 0; t < a->hood->nodes && rc == NEAP_OK; t++)
        scores[t] += ni_attention_linear(a, source, t);
    return rc;
}

/* ---- some targets ---- */

typedef struct part {
    const ni_attention *a;
    ni_hood hood;    /* of the targets, in rows of the small table             */
    uint32_t *row;   /* ids: their row in the small table, or NEAP_NONE        */
    uint32_t rows;   /* of the small table, which is zero where nothing stands */
    float *table[2]; /* as in a ranking; the second is NULL where there is one table */
} part;

/* Every neighbour of the targets gets the first tile that is free at its position. */
static void assign_rows(part *p, const uint32_t *targets, size_t count)
{
    const ni_hood *all = p->a->ranked;
    uint32_t taken[NI_RANK_ROWS] = { 0 }, tiles = 0, last = p->a->all_rows % NI_RANK_ROWS;
    uint32_t whole = p->a->all_rows - last;
    memset(p->row, 0xff, p->a->all_rows * sizeof *p->row);
    for (size_t i = 0; i < count; i++)
        for (uint64_t j = all->offset[targets[i]]; j < all->offset[targets[i] + 1]; j++) {
            uint32_t id = all->node[j], position = id % NI_RANK_ROWS;
            if (id >= whole || p->row[id] != NEAP_NONE) continue;
            p->row[id] = taken[position]++ * NI_RANK_ROWS + position;
            if (taken[position] > tiles) tiles = taken[position];
        }
    for (uint32_t i = 0; i < last; i++) p->row[whole + i] = tiles * NI_RANK_ROWS + i;
    p->rows = tiles * NI_RANK_ROWS + last;
}

static void link_targets(part *p, const uint32_t *targets, size_t count)
{
    const ni_hood *all = p->a->ranked;
    uint64_t links = 0;
    for (size_t i = 0; i < count; i++) {
        p->hood.offset[i] = links;
        for (uint64_t j = all->offset[targets[i]]; j < all->offset[targets[i] + 1]; j++)
            p->hood.node[links++] = p->row[all->node[j]];
    }
    p->hood.offset[count] = links;
}

static void copy_rows(const part *p, const float *all, float *table)
{
    uint64_t d = p->a->dim;
    for (uint64_t j = 0; j < p->a->all_rows; j++)
        if (p->row[j] != NEAP_NONE) memcpy(table + p->row[j] * d, all + j * d, d * sizeof *table);
}

/* The rows of targets, and those that they read as sources if these are others. */
static bool make_tables(part *p)
{
    uint64_t numbers = (uint64_t)p->rows * p->a->dim;
    for (int order = 0; order < (p->a->opposite ? 2 : 1); order++) {
        p->table[order] = ni_zeros(numbers, sizeof *p->table[order]);
        if (!p->table[order]) return false;
        copy_rows(p, p->a->all[!order], p->table[order]);
    }
    return true;
}

static neap_status among_all(ni_attention *a, uint32_t source, const uint32_t *targets, size_t count,
                             float *scores, neap_error *err)
{
    float *all = ni_array(a->hood->nodes, sizeof *all);
    neap_status rc =
        all ? ni_attention_score_all(a, source, all, err) : ni_fail_memory(err, "ranking all nodes");
    for (size_t i = 0; i < count && rc == NEAP_OK; i++) scores[i] = all[targets[i]];
    ni_free(all);
    return rc;
}

/* The small table, unless it is not small: *small. */
static neap_status make_part(part *p, const uint32_t *targets, size_t count, bool *small, neap_error *err)
{
    const ni_hood *all = p->a->ranked;
    uint32_t ids = p->a->all_rows;
    uint64_t links = 0;
    for (size_t i = 0; i < count; i++) links += ni_hood_size(all, targets[i]);
    p->hood.nodes = (uint32_t)count;
    *small = links <= all->offset[all->nodes] / 4;
    if (!*small) return NEAP_OK;
    p->hood.offset = ni_array(count + 1, sizeof *p->hood.offset);
    p->hood.node = ni_array(links, sizeof *p->hood.node);
    p->row = ni_array(ids, sizeof *p->row);
    if (!p->hood.offset || !p->hood.node || !p->row) return ni_fail_memory(err, "ranking some nodes");
    assign_rows(p, targets, count);
    *small = p->rows <= ids / 2;
    if (!*small) return NEAP_OK;
    link_targets(p, targets, count);
    return make_tables(p) ? NEAP_OK : ni_fail_memory(err, "ranking some nodes");
}

neap_status ni_attention_score_some(ni_attention *a, uint32_t source, const uint32_t *targets, size_t count,
                                    float *scores, neap_error *err)
{
    part p = { .a = a };
    bool by_products, small = false;
    neap_status rc = ni_rank_lend(a, &by_products, err);
    if (rc == NEAP_OK && by_products) rc = make_part(&p, targets, count, &small, err);
    if (rc == NEAP_OK && small) {
        const float *const table[] = { p.table[0], p.table[a->opposite != NULL] };
        rc = rank_targets(a, source, table, p.rows, &p.hood, scores, err);
        for (size_t i = 0; i < count && rc == NEAP_OK; i++)
            scores[i] += ni_attention_linear(a, source, targets[i]);
    }
    ni_hood_free(&p.hood);
    ni_free(p.row);
    ni_free(p.table[0]);
    ni_free(p.table[1]);
    return rc == NEAP_OK && !small ? among_all(a, source, targets, count, scores, err) : rc;
}
