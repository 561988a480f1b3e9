/* The way back through a batch. docs/math.md has the equations; reference.c does the same for one item.
 *
 * Each neighbour of a live side leaves w_i g in its own row, which is a cell of the sparse matrix W, and
 * one cell in the sparse matrix G. Nobody adds to numbers that are not its own: first all cells are written
 * down, then sorted by row (sparse.h), then each row pulls what belongs to it, in a fixed order. Where many
 * sides have a neighbourhood in common, W is not written down; W g is summed neighbourhood by
 * neighbourhood, in stripes of columns that each belong to one task. So the sums have the same order for
 * any number of threads.
 */
#include <math.h>
#include <string.h>

#include "attention/engine_parts.h"
#include "linalg/blas.h"

/* ---- loss and dL/dr ---- */

/* What one link and one non-link, with scores p and n, have to do with each other. */
typedef struct verdict {
    float loss, by_link, by_other; /* dL/dp, dL/dn */
} verdict;

/* max(0, margin - p + n) */
static verdict by_margin(float p, float n, float margin)
{
    float loss = margin - p + n;
    return loss <= 0 ? (verdict){ 0, 0, 0 } : (verdict){ loss, -1, 1 }; /* what is no number stays none */
}

/* -log s(p) - log s(-n),  s(x) = 1 / (1 + e^-x) */
static verdict by_chance(float p, float n)
{
    float e_p = expf(-fabsf(p)), e_n = expf(-fabsf(n));
    float s_minus_p = (p > 0 ? e_p : 1) / (1 + e_p), s_n = (n > 0 ? 1 : e_n) / (1 + e_n);
    float loss = fmaxf(-p, 0) + log1pf(e_p) + fmaxf(n, 0) + log1pf(e_n);
    return (verdict){ p + n == p + n ? loss : NAN, -s_minus_p, s_n };
}

/* The loss of an item: the mean over its negatives; over the items it is averaged, too. */
static void item_loss(ni_engine *e, uint64_t item)
{
    uint64_t d = e->in.dim, source = item * e->batch.width, target = source + 1;
    const neap_options *o = e->in.options;
    const float *rs = e->r + source * d, *rt = e->r + target * d;
    float *gs = e->g + source * d, *gt = e->g + target * d;
    float share = 1 / ((float)e->shape.items * (float)e->negatives);
    float positive = e->k->dot(rs, rt, d);
    double sum = 0;
    memset(gs, 0, e->batch.width * d * sizeof *gs);
    memset(e->live + source, 0, e->batch.width);
    for (uint64_t side = target + 1; side < source + e->batch.width; side++) {
        const float *rn = e->r + side * d;
        float negative = e->k->dot(rs, rn, d);
        verdict v = o->objective == NI_OBJECTIVE_LOGISTIC ? by_chance(positive, negative)
                                                          : by_margin(positive, negative, (float)o->margin);
        if (v.by_link == 0 && v.by_other == 0) continue;
        sum += (double)v.loss; /* also where it is not a number: the trainer looks at the sum */
        e->live[source] = e->live[target] = e->live[side] = 1;
        e->k->axpy(v.by_other * share, rn, gs, d);
        e->k->axpy(v.by_link * share, rt, gs, d);
        e->k->axpy(v.by_link * share, rs, gt, d);
        e->k->axpy(v.by_other * share, rs, e->g + side * d, d);
    }
    e->loss[item] = sum * (double)share;
}

/* ---- pooling: cells of G ---- */

static void place_cell(ni_engine *e, uint64_t entry, uint32_t row, uint32_t col, float value)
{
    e->cell_row[entry] = row;
    e->cell_col[entry] = col;
    e->cell_value[entry] = value;
}

/* A maximum: each element has one cell, (own row, pick) for a source, (pick, own row) for the others. */
static void back_max(ni_engine *e, uint64_t side)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t first = e->batch.element[side];
    bool is_source = side % e->batch.width == 0;
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t pick = e->live[side] ? e->pick[first + i] : NEAP_NONE;
        float dz = e->z[first + i];
        if (pick == NEAP_NONE) place_cell(e, first + i, NEAP_NONE, NEAP_NONE, 0);
        else if (is_source) place_cell(e, first + i, row[i], pick, dz);
        else place_cell(e, first + i, pick, row[i], dz);
    }
}

/* A mean: every cell of the pair gets its part from both sides, or from the columns only if this is not the
 * pair that the source was read by. */
static void back_mean(ni_engine *e, uint64_t source, uint64_t side, ni_scratch *scratch)
{
    const float *dz_s = side == source + 1 ? e->z + e->batch.element[source] : NULL;
    const float *dz_t = e->z + e->batch.element[side];
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

static void back_mean_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK, width = e->batch.width;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    for (uint64_t source = first * width; source < end * width; source += width)
        for (uint64_t k = 1; k < width; k++) back_mean(e, source, source + k, &e->scratch[thread]);
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

/* ---- attention ---- */

/* The cells of W: each element of a live side leaves w g in its row. */
static void place_elements(ni_engine *e, uint64_t side)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t first = e->batch.element[side];
    for (uint32_t i = 0; i < own->size; i++) {
        e->element_row[first + i] = e->live[side] ? row[i] : NEAP_NONE;
        e->element_side[first + i] = (uint32_t)side;
    }
}

/* Of the sides *at .. end - 1 in the order of neighbourhoods, the first live ones, up to `most`. */
static uint32_t take_live(const ni_engine *e, uint64_t *at, uint64_t end, uint32_t most, uint32_t *side)
{
    uint32_t count = 0;
    for (; count < most && *at < end; ++*at) {
        side[count] = e->batch.by_local[*at];
        count += e->live[side[count]];
    }
    return count;
}

/* dz_i = w_i (dw_i - sum_k w_k dw_k); a maximum goes on through its tanh. */
static void back_weigh(const ni_engine *e, uint64_t side, const float *dw)
{
    uint32_t size = ni_batch_side(&e->batch, side)->size;
    const float *w = e->w + e->batch.element[side];
    float *z = e->z + e->batch.element[side], mean = 0;
    bool max = e->in.options->pooling == NI_POOL_MAX;
    for (uint32_t i = 0; i < size; i++) mean += w[i] * dw[i];
    for (uint32_t i = 0; i < size; i++) z[i] = w[i] * (dw[i] - mean) * (max ? 1 - z[i] * z[i] : 1);
}

/* dw_i = x_i . g for some live sides of one neighbourhood. */
static void back_attend(ni_engine *e, const uint32_t *side, uint32_t count, float *strip)
{
    if (!count) return;
    const ni_local *own = ni_batch_side(&e->batch, *side);
    e->k->align(e->g, side, count, e->X, e->batch.row + own->first, own->size, e->in.dim, strip);
    for (uint32_t k = 0; k < count; k++) back_weigh(e, side[k], strip + k * ni_whole_lanes(own->size));
}

static void back_attend_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint32_t side[NI_STRIP_ROWS];
    uint64_t first = (uint64_t)task * NI_SIDES_PER_TASK;
    uint64_t end = ni_task_end(first, NI_SIDES_PER_TASK, e->shape.sides);
    for (uint64_t at = first; at < end;) {
        uint64_t next = at + ni_batch_alike(&e->batch, at, end, NI_STRIP_ROWS);
        uint32_t count = take_live(e, &at, next, NI_STRIP_ROWS, side);
        back_attend(e, side, count, e->scratch[thread].strip);
    }
    for (uint64_t at = first; e->in.options->pooling == NI_POOL_MAX && at < end; at++)
        back_max(e, e->batch.by_local[at]);
}

/* The sides of an item, one after the other, while they are in the cache. */
static void back_sides(ni_engine *e, uint64_t first, uint64_t end, float *strip)
{
    for (uint32_t side = (uint32_t)first; side < end; side++) {
        place_elements(e, side);
        back_attend(e, &side, e->live[side], strip);
        if (e->in.options->pooling == NI_POOL_MAX) back_max(e, side);
    }
}

static void loss_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    for (uint64_t i = first; i < end; i++) {
        item_loss(e, i);
        if (!e->shape.grouped)
            back_sides(e, i * e->batch.width, (i + 1) * e->batch.width, e->scratch[thread].strip);
    }
}

/* Columns of a stripe of W g. A number is the same in whatever stripe it lies; so there may be one for each
 * thread, which is the fastest, but none narrower than the kernel's registers. One that is not shared out
 * is a single stripe. */
static uint64_t stripe_width(const ni_engine *e)
{
    uint64_t least = 3 * NI_LANES, fair = ni_whole_lanes((e->in.dim + e->threads - 1) / e->threads);
    if (!e->shape.grouped) return e->in.dim;
    return fair > least ? fair : least;
}

/* A stripe of W g: all neighbours of all live sides give w_i g to their rows. */
static void share_task(void *arg, uint32_t task, uint32_t thread)
{
    enum { MOST = 32 };
    ni_engine *e = arg;
    const ni_batch *b = &e->batch;
    uint64_t d = e->in.dim, width = stripe_width(e), first = task * width;
    uint64_t n = ni_task_end(first, width, d) - first;
    float *stripe = e->Wg + first * e->shape.rows;
    uint32_t side[MOST], count;
    const float *w[MOST], *g[MOST];
    (void)thread;
    memset(stripe, 0, e->shape.rows * n * sizeof *stripe);
    for (uint32_t l = 0; l < b->locals; l++)
        for (uint64_t at = b->first_of[l]; (count = take_live(e, &at, b->first_of[l + 1], MOST, side));) {
            for (uint32_t k = 0; k < count; k++)
                w[k] = e->w + b->element[side[k]], g[k] = e->g + side[k] * d + first;
            e->k->share(w, g, count, b->row + b->local[l].first, b->local[l].size, n, stripe);
        }
}

/* dX += W g */
static void add_shares(ni_engine *e, uint64_t first, uint64_t end)
{
    uint64_t d = e->in.dim, width = stripe_width(e);
    for (uint64_t column = 0; column < d; column += width) {
        uint64_t n = ni_task_end(column, width, d) - column;
        const float *stripe = e->Wg + column * e->shape.rows;
        for (uint64_t row = first; row < end; row++)
            e->k->axpy(1, stripe + row * n, e->dX + row * d + column, n);
    }
}

/* ---- pulling: each row collects what is its own ---- */

/* Pairs with one node in common often pick the same two rows: many cells lie in one place. */
static void sort_cells(ni_engine *e)
{
    e->G.row = e->cell_row, e->G.col = e->cell_col, e->G.value = e->cell_value;
    ni_sparse_sort(&e->G, e->in.threads);
    ni_sparse_merge(&e->G, e->shape.rows, e->known, e->in.threads);
    ni_sparse_turn(&e->G, &e->turned, e->in.threads);
    if (e->shape.grouped) return;
    e->W.row = e->element_row, e->W.col = e->element_side, e->W.value = e->w;
    ni_sparse_sort(&e->W, e->in.threads);
}

/* dX = G' Q + W g,   H = G X;   dX += H P', then back through dropout. */
static void pull_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, words = ni_mask_words(e->in.dim), first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.rows);
    uint64_t last = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.source_rows);
    ni_sparse_times(&e->turned, first, end, e->Q, d, e->dX);
    if (!e->shape.grouped) ni_sparse_times(&e->W, first, end, e->g, d, e->Wg);
    add_shares(e, first, end);
    if (first < last) {
        ni_sparse_times(&e->G, first, last, e->X, d, e->H);
        if (e->in.P)
            ni_gemm(0, 1, last - first, d, d, e->H + first * d, d, e->in.P, d, 1, e->dX + first * d, d);
        else e->k->axpy(1, e->H + first * d, e->dX + first * d, (last - first) * d);
    }
    for (uint64_t row = first; e->dropped && row < end; row++)
        e->k->masked(e->dX + row * d, e->mask + row * words, ni_dropout_scale(e->in.options),
                     e->dX + row * d, d);
}

enum { P_ROWS_PER_TASK = 54 }; /* nine tiles of avx2_gemm.c */

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
    ni_sparse_sort(&e->by_owner, e->in.threads);
    ni_threads_run(e->in.threads, ni_tasks(e->shape.nodes, NI_ROWS_PER_TASK), owner_task, e);
}

/* ---- all of it ---- */

void ni_engine_backward(ni_engine *e, ni_gradient *gradient, double *loss)
{
    uint32_t item_tasks = ni_tasks(e->shape.items, NI_ITEMS_PER_TASK);
    ni_threads_run(e->in.threads, item_tasks, loss_task, e);
    if (e->shape.grouped)
        ni_threads_run(e->in.threads, ni_tasks(e->shape.sides, NI_SIDES_PER_TASK), back_attend_task, e);
    if (e->in.options->pooling == NI_POOL_MEAN) {
        number_entries(e);
        ni_threads_run(e->in.threads, item_tasks, back_mean_task, e);
    }
    ni_stage_end(&e->stages, NI_STAGE_LOSS);
    sort_cells(e);
    ni_stage_end(&e->stages, NI_STAGE_INDEX);
    if (e->shape.grouped)
        ni_threads_run(e->in.threads, ni_tasks(e->in.dim, (uint32_t)stripe_width(e)), share_task, e);
    ni_gemm_run(e->in.threads, ni_tasks(e->shape.rows, NI_ROWS_PER_TASK), pull_task, e);
    ni_stage_end(&e->stages, NI_STAGE_PULL);
    if (e->in.P) ni_gemm_run(e->in.threads, ni_tasks(e->in.dim, P_ROWS_PER_TASK), matrix_task, e);
    *loss = 0;
    for (uint64_t i = 0; i < e->shape.items; i++) *loss += e->loss[i];
    *gradient = (ni_gradient){ e->batch.rows, e->batch.node, e->dX, e->dP };
    if (e->batch.per_occurrence) {
        merge_occurrences(e);
        *gradient = (ni_gradient){ (uint32_t)e->shape.nodes, e->grad_node, e->dE, e->dP };
    }
    ni_stage_end(&e->stages, NI_STAGE_MATRIX);
}
