/* The network over neighbours as matrix products. Sorting nodes and numbering their distinct neighbours is
 * sequential, O(reads); the rest are rounds of tasks over ranges of rows. See mlp.h. */
#include "methods/mlp.h"

#include <stdlib.h>
#include <string.h>

#include "attention/engine_parts.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "support/order.h"
#include "support/status.h"

enum { NODES_PER_TASK = 48, ROWS_PER_TASK = 128, W_ROWS_PER_TASK = 54, COLUMNS_PER_TASK = 64 };

neap_status ni_mlp_create(ni_mlp *n, neap_error *err)
{
    n->row_of = ni_array(n->ids, sizeof *n->row_of);
    if (!n->row_of) return ni_fail_memory(err, "the network");
    memset(n->row_of, 0xff, n->ids * sizeof *n->row_of); /* NEAP_NONE */
    return NEAP_OK;
}

void ni_mlp_free(ni_mlp *n)
{
    ni_free(n->block.memory);
    ni_free(n->row_of);
    *n = (ni_mlp){ 0 };
}

uint64_t ni_mlp_fixed_bytes(const ni_mlp *n)
{
    return n->ids * sizeof *n->row_of;
}

/* ---- arrays ---- */

static uint64_t weight_rows(const ni_mlp *n)
{
    return n->form == NI_MLP_FLAT ? (uint64_t)n->deepest * n->d : n->d;
}

static void carve_backward(ni_mlp *n, uint64_t distinct, ni_carver *c)
{
    uint64_t flat = n->form == NI_MLP_FLAT, mean = !flat, h = n->hidden;
    n->dX = ni_carve(c, distinct * n->d, sizeof *n->dX);
    n->dG = ni_carve(c, flat * n->reads * n->d, sizeof *n->dG);
    n->dA = ni_carve(c, mean * distinct * h, sizeof *n->dA);
    n->dH = ni_carve(c, n->count * h, sizeof *n->dH);
    n->dW1_values = ni_carve(c, weight_rows(n) * h, sizeof *n->dW1_values);
    n->W1_row = ni_carve(c, weight_rows(n), sizeof *n->W1_row);
    n->db1 = ni_carve(c, h, sizeof *n->db1);
    n->dW2 = ni_carve(c, h * n->out, sizeof *n->dW2);
    n->db2 = ni_carve(c, n->out, sizeof *n->db2);
    n->by_owner = ni_sparse_carve(c, distinct, n->reads);
}

/* Sets the arrays, with block NULL only counts; returns the bytes. count, reads and deepest are known,
 * distinct neighbours are at most all. */
static size_t lay_out(ni_mlp *n, bool learns, void *block)
{
    ni_carver c = { block, 0 };
    uint64_t flat = n->form == NI_MLP_FLAT, mean = !flat, reads = n->reads, count = n->count;
    uint64_t distinct = reads < n->ids ? reads : n->ids;
    n->at = ni_carve(&c, count, sizeof *n->at);
    n->V = ni_carve(&c, count * n->out, sizeof *n->V);
    n->order = ni_carve(&c, count, sizeof *n->order);
    n->node = ni_carve(&c, count, sizeof *n->node);
    n->first = ni_carve(&c, flat * (n->deepest + 1ULL), sizeof *n->first);
    n->begin = ni_carve(&c, mean * (count + 1), sizeof *n->begin);
    n->owner = ni_carve(&c, reads, sizeof *n->owner);
    n->from = ni_carve(&c, mean * reads, sizeof *n->from);
    n->share = ni_carve(&c, mean * reads, sizeof *n->share);
    n->term = ni_carve(&c, mean * reads, sizeof *n->term);
    n->id = ni_carve(&c, distinct, sizeof *n->id);
    n->mask = ni_carve(&c, learns * distinct * ni_mask_words(n->d), sizeof *n->mask);
    n->X = ni_carve(&c, distinct * n->d, sizeof *n->X);
    n->G = ni_carve(&c, flat * reads * n->d, sizeof *n->G);
    n->A = ni_carve(&c, mean * distinct * n->hidden, sizeof *n->A);
    n->H = ni_carve(&c, count * n->hidden, sizeof *n->H);
    if (learns) carve_backward(n, distinct, &c);
    return c.used;
}

static void count_reads(ni_mlp *n, const uint32_t *nodes, uint32_t count)
{
    n->count = count;
    n->reads = n->deepest = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = ni_hood_size(n->hood, nodes[i]);
        n->reads += size;
        if (size > n->deepest) n->deepest = size;
    }
}

uint64_t ni_mlp_bytes(ni_mlp *n, const uint32_t *nodes, uint32_t count)
{
    ni_mlp copy = *n;
    count_reads(&copy, nodes, count);
    return lay_out(&copy, true, NULL);
}

/* ---- numbering ---- */

static void sort_nodes(ni_mlp *n, const uint32_t *nodes)
{
    for (uint32_t i = 0; i < n->count; i++)
        n->order[i] = (uint64_t)(UINT32_MAX - ni_hood_size(n->hood, nodes[i])) << 32 | i;
    if (n->count) qsort(n->order, n->count, sizeof *n->order, ni_ascending_u64);
    for (uint32_t r = 0; r < n->count; r++) {
        uint32_t i = (uint32_t)n->order[r];
        n->at[i] = r;
        n->node[r] = nodes[i];
    }
}

static uint32_t number(ni_mlp *n, uint32_t id)
{
    if (n->row_of[id] == NEAP_NONE) {
        n->row_of[id] = n->distinct;
        n->id[n->distinct++] = id;
    }
    return n->row_of[id];
}

/* How many nodes have more than i neighbours; `most` had as many before. */
static uint32_t active_at(const ni_mlp *n, uint32_t i, uint32_t most)
{
    while (most > 0 && ni_hood_size(n->hood, n->node[most - 1]) <= i) most--;
    return most;
}

static void number_by_position(ni_mlp *n)
{
    uint64_t at = 0;
    uint32_t active = n->count;
    for (uint32_t i = 0; i < n->deepest; i++) {
        active = active_at(n, i, active);
        n->first[i] = at;
        for (uint32_t r = 0; r < active; r++)
            n->owner[at++] = number(n, n->hood->node[n->hood->offset[n->node[r]] + i]);
    }
    n->first[n->deepest] = at;
}

static void number_by_node(ni_mlp *n)
{
    uint64_t at = 0;
    for (uint32_t r = 0; r < n->count; r++) {
        uint32_t u = n->node[r], size = ni_hood_size(n->hood, u);
        n->begin[r] = at;
        for (uint32_t i = 0; i < size; i++, at++) {
            n->owner[at] = number(n, n->hood->node[n->hood->offset[u] + i]);
            n->from[at] = r;
            n->share[at] = 1 / (float)size;
            n->term[at] = (ni_term){ n->owner[at], n->share[at] };
        }
    }
    n->begin[n->count] = at;
}

static void number_all(ni_mlp *n, const uint32_t *nodes)
{
    sort_nodes(n, nodes);
    n->distinct = 0;
    if (n->form == NI_MLP_FLAT) number_by_position(n);
    else number_by_node(n);
    for (uint32_t i = 0; i < n->distinct; i++) n->row_of[n->id[i]] = NEAP_NONE;
}

/* ---- forward ---- */

static void relu(float *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) x[i] = x[i] > 0 ? x[i] : 0;
}

static void rows_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, words = ni_mask_words(n->d), first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, n->distinct);
    (void)thread;
    for (uint64_t i = first; i < end; i++) {
        const float *x = n->E + n->id[i] * d;
        if (!n->dropped) {
            memcpy(n->X + i * d, x, d * sizeof *x);
            continue;
        }
        ni_dropout_mask(n->options, n->d, n->seed, n->step, n->id[i], n->mask + i * words);
        ni_kernels_get()->apply_mask(x, n->mask + i * words, ni_dropout_scale(n->options), n->X + i * d, d);
    }
}

/* The nodes first .. end-1 that have an i-th neighbour. */
static uint64_t rows_at(const ni_mlp *n, uint32_t i, uint64_t first, uint64_t end)
{
    uint64_t active = n->first[i + 1] - n->first[i];
    return active <= first ? 0 : (active < end ? active : end) - first;
}

static void flat_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, h = n->hidden, first = (uint64_t)task * NODES_PER_TASK, rows;
    uint64_t end = ni_task_end(first, NODES_PER_TASK, n->count);
    float *H = n->H + first * h;
    for (uint64_t r = first; r < end; r++) memcpy(n->H + r * h, n->b1, h * sizeof *H);
    for (uint32_t i = 0; i < n->deepest && (rows = rows_at(n, i, first, end)); i++) {
        uint64_t read = n->first[i] + first;
        for (uint64_t r = read; r < read + rows; r++)
            memcpy(n->G + r * d, n->X + n->owner[r] * d, d * sizeof *n->G);
        if (!ni_threads_go_on(n->threads, thread)) return;
        ni_gemm(0, 0, rows, h, d, n->G + read * d, d, n->W1 + i * d * h, h, 1, H, h);
    }
    relu(H, (end - first) * h);
}

static void each_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, h = n->hidden, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, ROWS_PER_TASK, n->distinct) - first;
    float *A = n->A + first * h;
    (void)thread;
    for (uint64_t i = 0; i < rows; i++) memcpy(A + i * h, n->b1, h * sizeof *A);
    ni_gemm(0, 0, rows, h, d, n->X + first * d, d, n->W1, h, 1, A, h);
    relu(A, rows * h);
}

static void mean_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t first = (uint64_t)task * NODES_PER_TASK, end = ni_task_end(first, NODES_PER_TASK, n->count);
    (void)thread;
    for (uint64_t r = first; r < end; r++)
        ni_kernels_get()->spmm_row(n->term + n->begin[r], n->begin[r + 1] - n->begin[r], n->A, n->hidden,
                                   n->H + r * n->hidden);
}

static void out_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t out = n->out, h = n->hidden, first = (uint64_t)task * NODES_PER_TASK;
    uint64_t rows = ni_task_end(first, NODES_PER_TASK, n->count) - first;
    float *V = n->V + first * out;
    (void)thread;
    for (uint64_t i = 0; i < rows; i++) memcpy(V + i * out, n->b2, out * sizeof *V);
    ni_gemm(0, 0, rows, out, h, n->H + first * h, h, n->W2, out, 1, V, out);
}

neap_status ni_mlp_forward(ni_mlp *n, const uint32_t *nodes, uint32_t count, uint64_t step, neap_error *err)
{
    bool learns = step != NI_MLP_WHOLE;
    count_reads(n, nodes, count);
    if (n->reads > INT32_MAX) /* the matrix library counts with int */
        return ni_fail(err, NEAP_E_LIMIT, "a batch has too many neighbours; use a smaller --batch");
    if (!ni_block_grow(&n->block, lay_out(n, learns, NULL)))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(n, learns, ni_first_line(n->block.memory));
    n->step = step;
    n->dropped = learns && ni_dropout_limit(n->options) > 0;
    number_all(n, nodes);
    uint32_t tasks = ni_tasks(count, NODES_PER_TASK), rows = ni_tasks(n->distinct, ROWS_PER_TASK);
    ni_threads_run(n->threads, rows, rows_task, n);
    if (n->form == NI_MLP_FLAT) ni_gemm_run(n->threads, tasks, flat_task, n);
    else {
        ni_gemm_run(n->threads, rows, each_task, n);
        ni_threads_run(n->threads, tasks, mean_task, n);
    }
    ni_gemm_run(n->threads, tasks, out_task, n);
    return NEAP_OK;
}

/* ---- backward ---- */

typedef struct sums {
    const float *M; /* rows x columns */
    uint64_t rows, columns;
    float *out; /* columns */
} sums;

static void columns_task(void *arg, uint32_t task, uint32_t thread)
{
    const sums *s = arg;
    uint64_t first = (uint64_t)task * COLUMNS_PER_TASK;
    uint64_t columns = ni_task_end(first, COLUMNS_PER_TASK, s->columns) - first;
    (void)thread;
    memset(s->out + first, 0, columns * sizeof *s->out);
    for (uint64_t i = 0; i < s->rows; i++)
        ni_kernels_get()->axpy(1, s->M + i * s->columns + first, s->out + first, columns);
}

/* out (columns) = the sum of the rows of M. */
static void sum_rows(const ni_mlp *n, const float *M, uint64_t rows, uint64_t columns, float *out)
{
    sums s = { M, rows, columns, out };
    ni_threads_run(n->threads, ni_tasks(columns, COLUMNS_PER_TASK), columns_task, &s);
}

typedef struct passing {
    ni_mlp *n;
    const float *dV;
} passing;

/* dH = dV W2' */
static void hidden_task(void *arg, uint32_t task, uint32_t thread)
{
    const passing *p = arg;
    const ni_mlp *n = p->n;
    uint64_t out = n->out, h = n->hidden, first = (uint64_t)task * NODES_PER_TASK;
    uint64_t rows = ni_task_end(first, NODES_PER_TASK, n->count) - first;
    (void)thread;
    ni_gemm(0, 1, rows, h, out, p->dV + first * out, out, n->W2, out, 0, n->dH + first * h, h);
}

/* dW2 = H' dV */
static void second_task(void *arg, uint32_t task, uint32_t thread)
{
    const passing *p = arg;
    const ni_mlp *n = p->n;
    uint64_t out = n->out, h = n->hidden, first = (uint64_t)task * W_ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, W_ROWS_PER_TASK, h) - first;
    (void)thread;
    ni_gemm(1, 0, rows, out, n->count, n->H + first, h, p->dV, out, 0, n->dW2 + first * out, out);
}

/* The derivative of relu: dx is zero where x is. */
static void through_relu(const float *x, float *dx, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) dx[i] = x[i] > 0 ? dx[i] : 0;
}

/* dG_i = dH W1_i', after dH went through relu. */
static void flat_back_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, h = n->hidden, first = (uint64_t)task * NODES_PER_TASK, rows;
    uint64_t end = ni_task_end(first, NODES_PER_TASK, n->count);
    float *dH = n->dH + first * h;
    through_relu(n->H + first * h, dH, (end - first) * h);
    for (uint32_t i = 0; i < n->deepest && (rows = rows_at(n, i, first, end)); i++) {
        if (!ni_threads_go_on(n->threads, thread)) return;
        ni_gemm(0, 1, rows, d, h, dH, h, n->W1 + i * d * h, h, 0, n->dG + (n->first[i] + first) * d, d);
    }
}

/* dW1_i = G_i' dH, of one position. */
static void flat_weights_task(void *arg, uint32_t i, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, h = n->hidden, active = n->first[i + 1] - n->first[i];
    (void)thread;
    ni_gemm(1, 0, d, h, active, n->G + n->first[i] * d, d, n->dH, h, 0, n->dW1_values + i * d * h, h);
}

/* dA = sum over the nodes that read it of dH / n, through relu; dX = dA W1'. */
static void each_back_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, h = n->hidden, first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, n->distinct);
    float *dA = n->dA + first * h;
    (void)thread;
    ni_sparse_spmm(&n->by_owner, first, end, n->dH, h, n->dA);
    through_relu(n->A + first * h, dA, (end - first) * h);
    ni_gemm(0, 1, end - first, d, h, dA, h, n->W1, h, 0, n->dX + first * d, d);
}

static void mean_weights_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, h = n->hidden, first = (uint64_t)task * W_ROWS_PER_TASK;
    uint64_t rows = ni_task_end(first, W_ROWS_PER_TASK, d) - first;
    (void)thread;
    ni_gemm(1, 0, rows, h, n->distinct, n->X + first, d, n->dA, h, 0, n->dW1_values + first * h, h);
}

/* dE: dX of flat is the sum of dG over where a row was read; then back through dropout. */
static void gather_task(void *arg, uint32_t task, uint32_t thread)
{
    const ni_mlp *n = arg;
    uint64_t d = n->d, words = ni_mask_words(n->d), first = (uint64_t)task * ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, ROWS_PER_TASK, n->distinct);
    (void)thread;
    if (n->form == NI_MLP_FLAT) ni_sparse_spmm(&n->by_owner, first, end, n->dG, d, n->dX);
    for (uint64_t i = first; i < end && n->dropped; i++)
        ni_kernels_get()->apply_mask(n->dX + i * d, n->mask + i * words, ni_dropout_scale(n->options),
                                     n->dX + i * d, d);
}

static void sort_owners(ni_mlp *n)
{
    bool mean = n->form == NI_MLP_MEAN;
    n->by_owner.rows = n->distinct;
    n->by_owner.nonzeros = n->reads;
    n->by_owner.row = n->owner;
    n->by_owner.col = mean ? n->from : NULL;
    n->by_owner.value = mean ? n->share : NULL;
    ni_sparse_sort(&n->by_owner, n->threads);
}

static void back_flat(ni_mlp *n)
{
    ni_gemm_run(n->threads, ni_tasks(n->count, NODES_PER_TASK), flat_back_task, n);
    ni_gemm_run(n->threads, n->deepest, flat_weights_task, n);
    sum_rows(n, n->dH, n->count, n->hidden, n->db1);
}

static void back_mean(ni_mlp *n)
{
    ni_gemm_run(n->threads, ni_tasks(n->distinct, ROWS_PER_TASK), each_back_task, n);
    if (!n->distinct) memset(n->dW1_values, 0, (uint64_t)n->d * n->hidden * sizeof *n->dW1_values);
    else ni_gemm_run(n->threads, ni_tasks(n->d, W_ROWS_PER_TASK), mean_weights_task, n);
    sum_rows(n, n->dA, n->distinct, n->hidden, n->db1);
}

void ni_mlp_backward(ni_mlp *n, const float *dV)
{
    passing p = { n, dV };
    uint64_t rows = weight_rows(n);
    ni_gemm_run(n->threads, ni_tasks(n->count, NODES_PER_TASK), hidden_task, &p);
    ni_gemm_run(n->threads, ni_tasks(n->hidden, W_ROWS_PER_TASK), second_task, &p);
    sum_rows(n, dV, n->count, n->out, n->db2);
    sort_owners(n);
    if (ni_threads_left_out(n->threads)) return; /* stopped: they are not sorted */
    if (n->form == NI_MLP_FLAT) back_flat(n);
    else back_mean(n);
    ni_threads_run(n->threads, ni_tasks(n->distinct, ROWS_PER_TASK), gather_task, n);
    for (uint64_t i = 0; i < rows; i++) n->W1_row[i] = (uint32_t)i;
    n->dE = (ni_gradient){ n->dX, n->id, n->distinct };
    n->dW1 = (ni_gradient){ n->dW1_values, n->W1_row, (uint32_t)rows };
}
