/* The way back through a batch. docs/math.md has the equations; reference.c does the same for one item.
 *
 * Each neighbour of a live side leaves w_i g in its own row and one cell in the sparse matrix G. Nobody
 * adds to a row that is not its own: first all cells are written down, then sorted by row (sparse.h), then
 * each row pulls what belongs to it, in ascending order. So the sums have the same order for any number of
 * threads.                                                                                          */
#include <math.h>
#include <string.h>

#include "model/blas.h"
#include "model/engine_parts.h"

/* ---- loss and dL/dr ---- */

/* max(0, margin - r_s.r_t + r_s.r_n), averaged over items and negatives. */
static void item_loss(ni_engine *e, uint64_t item)
{
    uint64_t d = e->in.dim, source = item * e->batch.width, target = source + 1;
    const float *rs = e->r + source * d, *rt = e->r + target * d;
    float *gs = e->g + source * d, *gt = e->g + target * d;
    float share = 1 / ((float)e->shape.items * (float)e->negatives), margin = (float)e->in.options->margin;
    float positive = e->k->dot(rs, rt, d);
    double sum = 0;
    memset(gs, 0, e->batch.width * d * sizeof *gs);
    memset(e->live + source, 0, e->batch.width);
    for (uint64_t side = target + 1; side < source + e->batch.width; side++) {
        const float *rn = e->r + side * d;
        float hinge = margin - positive + e->k->dot(rs, rn, d);
        if (hinge <= 0) continue;
        sum += (double)hinge; /* also where it is not a number: the trainer looks at the sum */
        e->live[source] = e->live[target] = e->live[side] = 1;
        e->k->axpy(share, rn, gs, d);
        e->k->axpy(-share, rt, gs, d);
        e->k->axpy(-share, rs, gt, d);
        e->k->axpy(share, rs, e->g + side * d, d);
    }
    e->loss[item] = sum * (double)share;
}

/* ---- attention: dz of a side, and where its elements lie ---- */

/* dw_i = x_i . g,  dz_i = w_i (dw_i - sum_k w_k dw_k) */
static void back_attend(const ni_engine *e, uint64_t side, float *dz)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    const float *w = e->w + e->batch.element[side];
    uint64_t d = e->in.dim;
    float mean = 0;
    e->k->align(e->g + side * d, &(uint32_t){ 0 }, 1, e->X, row, own->size, d, dz);
    for (uint32_t i = 0; i < own->size; i++) mean += w[i] * dz[i];
    for (uint32_t i = 0; i < own->size; i++) dz[i] = w[i] * (dz[i] - mean);
}

/* The cells of W: each element of a live side leaves w g in its row. */
static void place_elements(ni_engine *e, uint64_t side)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t first = e->batch.element[side];
    for (uint32_t i = 0; i < own->size; i++) {
        e->cell_row[first + i] = e->live[side] ? row[i] : NEAP_NONE;
        e->cell_col[first + i] = (uint32_t)(e->shape.source_rows + side);
        e->cell_value[first + i] = e->w[first + i];
    }
}

/* ---- pooling: cells of G ---- */

static void place_cell(ni_engine *e, uint64_t entry, uint32_t row, uint32_t col, float value)
{
    uint64_t at = e->shape.elements + entry;
    e->cell_row[at] = col;
    e->cell_col[at] = row;
    e->cell_value[at] = value;
}

/* A maximum: each element has one cell, (own row, pick) for a source, (pick, own row) for the others. */
static void back_max(ni_engine *e, uint64_t side, bool is_source, const float *dz)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t first = e->batch.element[side];
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t pick = e->live[side] ? e->pick[first + i] : NEAP_NONE;
        float z = e->z[first + i];
        if (pick == NEAP_NONE) place_cell(e, first + i, NEAP_NONE, NEAP_NONE, 0);
        else if (is_source) place_cell(e, first + i, row[i], pick, dz[i] * (1 - z * z));
        else place_cell(e, first + i, pick, row[i], dz[i] * (1 - z * z));
    }
}

/* A mean: every cell of the pair gets its part from both sides (dz_s NULL: from the columns only). */
static void back_mean(ni_engine *e, uint64_t source, uint64_t side, const float *dz_s, const float *dz_t,
                      ni_scratch *scratch)
{
    const ni_local *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    const uint32_t *s_row = e->batch.row + s->first, *t_row = e->batch.row + t->first;
    uint64_t at = e->entry[side], cells = (uint64_t)s->rows * t->rows;
    for (uint64_t i = 0; !e->live[side] && i < cells; i++) place_cell(e, at + i, NEAP_NONE, NEAP_NONE, 0);
    for (uint32_t i = 0, strip_end = 0; e->live[side] && i < s->rows; i++) {
        float *y = scratch->strip + i % NI_STRIP_ROWS * ni_whole_lanes(t->rows);
        if (i == strip_end) strip_end += ni_engine_strip(e, s, t, i, scratch);
        e->k->tanh(y, t->rows, y);
        float own = dz_s && i < s->size ? dz_s[i] / ni_engine_divisor(e, t) : 0;
        float times = ni_engine_multiplicity(e, s, i) / ni_engine_divisor(e, s);
        for (uint32_t j = 0; j < t->rows; j++, at++) {
            float sum = own * ni_engine_multiplicity(e, t, j) + (j < t->size ? dz_t[j] * times : 0);
            place_cell(e, at, s_row[i], t_row[j], sum * (1 - y[j] * y[j]));
        }
    }
}

static void back_item(ni_engine *e, uint64_t item, ni_scratch *scratch)
{
    uint64_t source = item * e->batch.width, end = source + e->batch.width;
    bool mean = e->in.options->pooling == NI_POOL_MEAN;
    item_loss(e, item);
    for (uint64_t side = source; side < end; side++) place_elements(e, side);
    if (e->live[source]) back_attend(e, source, scratch->dz_source);
    if (!mean) back_max(e, source, true, scratch->dz_source);
    for (uint64_t side = source + 1; side < end; side++) {
        if (e->live[side]) back_attend(e, side, scratch->dz_other);
        if (mean)
            back_mean(e, source, side, side == source + 1 ? scratch->dz_source : NULL, scratch->dz_other,
                      scratch);
        else back_max(e, side, false, scratch->dz_other);
    }
}

static void back_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    for (uint64_t i = first; i < end; i++) back_item(e, i, &e->scratch[thread]);
}

/* Mean pooling: the cells of each pair begin where those of the pair before end. */
static void number_entries(ni_engine *e)
{
    uint64_t at = 0, width = e->batch.width;
    for (uint64_t side = 0; side < e->shape.sides; side++) {
        e->entry[side] = at;
        if (side % width == 0) continue;
        at += (uint64_t)ni_batch_side(&e->batch, side - side % width)->rows *
              ni_batch_side(&e->batch, side)->rows;
    }
}

/* ---- pulling: each row collects what is its own ---- */

static void sort_cells(ni_engine *e)
{
    ni_sparse *rows = &e->pull[NI_PULL_ROWS], *G = &e->pull[NI_PULL_G];
    uint64_t elements = e->shape.elements;
    rows->row = e->cell_row, rows->col = e->cell_col, rows->value = e->cell_value;
    G->row = e->cell_col + elements, G->col = e->cell_row + elements, G->value = e->cell_value + elements;
    ni_sparse_sort(e->pull, NI_PULLS, e->in.pool);
}

/* dX = [G' W] [Q; g],   H = G X;   dX += H P', then back through dropout. */
static void pull_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, words = ni_mask_words(e->in.dim), first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.rows);
    uint64_t last = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.source_rows);
    ni_sparse_times(&e->pull[NI_PULL_ROWS], first, end, e->Q, d, e->dX);
    if (first < last) {
        ni_sparse_times(&e->pull[NI_PULL_G], first, last, e->X, d, e->H);
        ni_gemm(0, 1, last - first, d, d, e->H + first * d, d, e->in.P, d, 1, e->dX + first * d, d);
    }
    for (uint64_t row = first; e->dropped && row < end; row++)
        e->k->masked(e->dX + row * d, e->mask + row * words, ni_dropout_scale(e->in.options),
                     e->dX + row * d, d);
}

enum { P_ROWS_PER_TASK = 32 };

/* dP = X' G X, some rows of it. */
static void matrix_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, first = (uint64_t)task * P_ROWS_PER_TASK;
    uint64_t count = d - first < P_ROWS_PER_TASK ? d - first : P_ROWS_PER_TASK;
    ni_gemm(1, 0, count, d, e->shape.source_rows, e->X + first, d, e->H, d, 0, e->dP + first * d, d);
}

/* ---- occurrences: rows of one node become one ---- */

static void find_owners(ni_engine *e)
{
    ni_batch *b = &e->batch;
    uint32_t nodes = 0;
    for (uint32_t row = 0; row < b->rows; row++) {
        uint32_t node = b->node[row];
        if (node == NEAP_NONE) {
            e->owner[row] = NEAP_NONE;
            continue;
        }
        if (b->row_of[node] == NEAP_NONE) {
            b->row_of[node] = nodes;
            e->grad_node[nodes++] = node;
        }
        e->owner[row] = b->row_of[node];
    }
    for (uint32_t i = 0; i < nodes; i++) b->row_of[e->grad_node[i]] = NEAP_NONE;
    e->shape.nodes = nodes;
}

static void owner_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.nodes);
    ni_sparse_times(&e->by_owner, first, end, e->dX, e->in.dim, e->dE);
}

static void merge_occurrences(ni_engine *e)
{
    find_owners(e);
    e->by_owner.rows = e->shape.nodes;
    e->by_owner.row = e->owner;
    ni_sparse_sort(&e->by_owner, 1, e->in.pool);
    ni_pool_run(e->in.pool, ni_tasks(e->shape.nodes, NI_ROWS_PER_TASK), owner_task, e);
}

/* ---- all of it ---- */

void ni_engine_backward(ni_engine *e, ni_gradient *gradient, double *loss)
{
    if (e->in.options->pooling == NI_POOL_MEAN) number_entries(e);
    ni_pool_run(e->in.pool, ni_tasks(e->shape.items, NI_ITEMS_PER_TASK), back_task, e);
    ni_stage_end(&e->stages, NI_STAGE_LOSS);
    sort_cells(e);
    ni_stage_end(&e->stages, NI_STAGE_INDEX);
    ni_pool_run(e->in.pool, ni_tasks(e->shape.rows, NI_ROWS_PER_TASK), pull_task, e);
    ni_stage_end(&e->stages, NI_STAGE_PULL);
    ni_pool_run(e->in.pool, ni_tasks(e->in.dim, P_ROWS_PER_TASK), matrix_task, e);
    *loss = 0;
    for (uint64_t i = 0; i < e->shape.items; i++) *loss += e->loss[i];
    *gradient = (ni_gradient){ e->batch.rows, e->batch.node, e->dX, e->dP };
    if (e->batch.per_occurrence) {
        merge_occurrences(e);
        *gradient = (ni_gradient){ (uint32_t)e->shape.nodes, e->grad_node, e->dE, e->dP };
    }
    ni_stage_end(&e->stages, NI_STAGE_MATRIX);
}
