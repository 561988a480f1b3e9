/* The backward pass of a batch. docs/math.md has the equations; reference.c does the same for one item.
 *
 * Each position i of a live side adds w_i g to its row, a nonzero of the sparse matrix W (R x sides), and
 * has one nonzero in the sparse matrix G. No two tasks add to one number: nonzeros are first written by
 * coordinates, then sorted by row (sparse.h), then every row is one sum over its nonzeros in a fixed
 * order (SpMM). Where many sides share a sequence, W is not stored: W g is accumulated sequence by
 * sequence, by column stripes, one task per stripe. So sums have the same order for any number of
 * threads. O(nonzeros d + S d^2); arrays and gradients are the engine's, lent until its next call. */
#include <string.h>

#include "attention/engine_parts.h"
#include "linalg/blas.h"

/* ---- loss and dL/dr ---- */

/* From a score's derivative g to the vectors of both sides, and to the weights of its linear terms. */
static void back_score(ni_engine *e, uint64_t source, uint64_t side, float g, float *db)
{
    uint64_t d = e->in.dim;
    const float *x = e->r + source * d, *y = e->r + side * d;
    float *dx = e->g + source * d, *dy = e->g + side * d;
    if (g == 0) return;
    ni_score s = e->in.score == NI_SCORE_DOT ? (ni_score){ .cross = 1 } : ni_engine_score(e, source, side);
    e->live[source] = e->live[side] = 1;
    e->k->axpy(g * s.cross, y, dx, d);
    e->k->axpy(g * s.cross, x, dy, d);
    if (s.own_x != 0) e->k->axpy(g * s.own_x, x, dx, d);
    if (s.own_y != 0) e->k->axpy(g * s.own_y, y, dy, d);
    if (e->in.terms) e->k->axpy(g, ni_engine_features(e, side), db, e->in.terms);
}

/* The scores of an item, their loss, dL/dr and dL/db. The loss of a step is the mean over its items. */
static void item_loss(ni_engine *e, uint64_t item)
{
    const ni_attention_options *o = e->in.options;
    uint64_t d = e->in.dim, width = e->batch.width, source = item * width;
    float *score = e->score + source, *dscore = e->dscore + source; /* of (source, side) at each side */
    float share = 1 / (float)e->shape.items, *db = e->db + item * e->in.terms;
    memset(e->g + source * d, 0, width * d * sizeof *e->g);
    memset(e->live + source, 0, width);
    memset(db, 0, e->in.terms * sizeof *db);
    for (uint64_t k = 1; k < width; k++) score[k] = ni_engine_score(e, source, source + k).value;
    float loss =
        ni_loss(o->objective, (float)o->margin, score[1], score + 2, e->negatives, dscore + 1, dscore + 2);
    for (uint64_t k = 2; k < width; k++) back_score(e, source, source + k, dscore[k] * share, db);
    back_score(e, source, source + 1, dscore[1] * share, db);
    e->loss[item] = (double)loss * (double)share; /* NaN, too: the trainer looks at the sum */
}

/* ---- pooling: nonzeros of G ---- */

static void set_G(ni_engine *e, uint64_t at, uint32_t row, uint32_t col, float value)
{
    e->G_row[at] = row;
    e->G_col[at] = col;
    e->G_value[at] = value;
}

/* A maximum: each position has one nonzero, (own row, pick) for a source, (pick, own row) for the others.
 */
static void back_max(ni_engine *e, uint64_t side)
{
    const ni_sequence *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t first = e->batch.position[side];
    bool is_source = side % e->batch.width == 0;
    for (uint32_t i = 0; i < own->size; i++) {
        uint32_t pick = e->live[side] ? e->pick[first + i] : NEAP_NONE;
        float dz = e->z[first + i];
        if (pick == NEAP_NONE) set_G(e, first + i, NEAP_NONE, NEAP_NONE, 0);
        else if (is_source) set_G(e, first + i, row[i], pick, dz);
        else set_G(e, first + i, pick, row[i], dz);
    }
}

/* A mean: every alignment of the pair has a nonzero, dz of both sides through the squashing; from the
 * columns only unless this is the pair (source, target) that r_s comes from. */
static void back_mean(ni_engine *e, uint64_t source, uint64_t side, uint32_t thread)
{
    ni_scratch *scratch = &e->scratch[thread];
    const float *dz_s = side == source + 1 ? e->z + e->batch.position[source] : NULL;
    const float *dz_t = e->z + e->batch.position[side];
    const ni_sequence *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    const uint32_t *s_row = e->batch.row + s->first, *t_row = e->batch.row + t->first;
    uint64_t at = e->G_first[side], count = (uint64_t)s->rows * t->rows;
    uint32_t kind = e->in.options->alignment;
    float scale = ni_align_scale(e->in.dim);
    for (uint64_t i = 0; !e->live[side] && i < count; i++) set_G(e, at + i, NEAP_NONE, NEAP_NONE, 0);
    for (uint32_t i = 0, strip_end = 0; e->live[side] && i < s->rows; i++) {
        float *y = scratch->strip + i % NI_STRIP_ROWS * ni_whole_lanes(t->rows);
        if (!ni_engine_goes_on(e, thread, (uint64_t)i * t->rows, t->rows)) return;
        if (i == strip_end) strip_end += ni_engine_strip(e, s, t, i, scratch);
        ni_squash(kind, e->in.dim, y, t->rows, y);
        float own = dz_s && i < s->size ? dz_s[i] / ni_engine_divisor(e, t) : 0;
        float times = ni_engine_multiplicity(e, s, i) / ni_engine_divisor(e, s);
        for (uint32_t j = 0; j < t->rows; j++, at++) {
            float sum = own * ni_engine_multiplicity(e, t, j) + (j < t->size ? dz_t[j] * times : 0);
            set_G(e, at, s_row[i], t_row[j], sum * ni_squash_slope(kind, scale, y[j]));
        }
    }
}

static void back_mean_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK, width = e->batch.width;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    for (uint64_t source = first * width; source < end * width; source += width)
        for (uint64_t k = 1; k < width; k++) back_mean(e, source, source + k, thread);
}

/* Mean pooling: the nonzeros of each pair begin where those of the pair before end. */
static void number_nonzeros(ni_engine *e)
{
    uint64_t at = 0, width = e->batch.width;
    for (uint64_t side = 0; side < e->shape.sides; side++) {
        e->G_first[side] = at;
        if (side % width == 0) continue;
        at += (uint64_t)ni_batch_side(&e->batch, side - side % width)->rows *
              ni_batch_side(&e->batch, side)->rows;
    }
}

/* ---- attention ---- */

/* The nonzeros of W: each position of a live side adds w g to its row. */
static void set_W(ni_engine *e, uint64_t side)
{
    const ni_sequence *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t first = e->batch.position[side];
    for (uint32_t i = 0; i < own->size; i++) {
        e->W_row[first + i] = e->live[side] ? row[i] : NEAP_NONE;
        e->W_col[first + i] = (uint32_t)side;
    }
}

/* Of the sides *at .. end - 1 in the order of neighbourhoods, the first live ones, up to `most`. */
static uint32_t take_live(const ni_engine *e, uint64_t *at, uint64_t end, uint32_t most, uint32_t *side)
{
    uint32_t count = 0;
    for (; count < most && *at < end; ++*at) {
        side[count] = e->batch.by_sequence[*at];
        count += e->live[side[count]];
    }
    return count;
}

/* dz_i = w_i (dw_i - sum_k w_k dw_k); a maximum goes on through its squashing. */
static void back_weigh(const ni_engine *e, uint64_t side, const float *dw)
{
    uint32_t size = ni_batch_side(&e->batch, side)->size;
    const float *w = e->w + e->batch.position[side];
    float *z = e->z + e->batch.position[side], mean = 0;
    bool max = !ni_engine_averages(e);
    uint32_t kind = e->in.options->alignment;
    float scale = ni_align_scale(e->in.dim);
    for (uint32_t i = 0; i < size; i++) mean += w[i] * dw[i];
    for (uint32_t i = 0; i < size; i++)
        z[i] = w[i] * (dw[i] - mean) * (max ? ni_squash_slope(kind, scale, z[i]) : 1);
}

/* dw_i = x_i . g for some live sides of one neighbourhood. */
static void back_attend(ni_engine *e, const uint32_t *side, uint32_t count, float *strip)
{
    if (!count || !ni_aligns(e->in.options)) return;
    const ni_sequence *own = ni_batch_side(&e->batch, *side);
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
    for (uint64_t at = first; !ni_engine_averages(e) && at < end; at++)
        back_max(e, e->batch.by_sequence[at]);
}

/* The sides of an item, one after the other, while they are in the cache. */
static void back_sides(ni_engine *e, uint64_t first, uint64_t end, float *strip)
{
    for (uint32_t side = (uint32_t)first; side < end; side++) {
        set_W(e, side);
        back_attend(e, &side, e->live[side], strip);
        if (!ni_engine_averages(e)) back_max(e, side);
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

/* Columns of a stripe of W g. A number is the same in whatever stripe it lies; so there may be one for
 * each thread, which is the fastest, but none narrower than the kernel's registers. With one thread it is a
 * single stripe. */
static uint64_t stripe_width(const ni_engine *e)
{
    uint64_t least = 3 * NI_LANES, fair = ni_whole_lanes((e->in.dim + e->threads - 1) / e->threads);
    if (!e->shape.grouped) return e->in.dim;
    return fair > least ? fair : least;
}

/* A column stripe of W g: all positions of all live sides add w_i g to their rows. */
static void scatter_task(void *arg, uint32_t task, uint32_t thread)
{
    enum { MOST = 32 };
    ni_engine *e = arg;
    const ni_batch *b = &e->batch;
    uint64_t d = e->in.dim, width = stripe_width(e), first = task * width;
    uint64_t n = ni_task_end(first, width, d) - first;
    float *stripe = e->Wg + first * e->shape.rows;
    uint32_t side[MOST], count;
    const float *w[MOST], *g[MOST];
    uint64_t done = 0;
    memset(stripe, 0, e->shape.rows * n * sizeof *stripe);
    for (uint32_t l = 0; l < b->sequences; l++)
        for (uint64_t at = b->first_of[l]; (count = take_live(e, &at, b->first_of[l + 1], MOST, side));) {
            for (uint32_t k = 0; k < count; k++)
                w[k] = e->w + b->position[side[k]], g[k] = e->g + side[k] * d + first;
            uint64_t products = (uint64_t)count * b->sequence[l].size;
            if (!ni_engine_goes_on(e, thread, done, products)) return;
            done += products;
            e->k->scatter_sum(w, g, count, b->row + b->sequence[l].first, b->sequence[l].size, n, stripe);
        }
}

/* dX += W g */
static void add_Wg(ni_engine *e, uint64_t first, uint64_t end)
{
    uint64_t d = e->in.dim, width = stripe_width(e);
    for (uint64_t column = 0; column < d; column += width) {
        uint64_t n = ni_task_end(column, width, d) - column;
        const float *stripe = e->Wg + column * e->shape.rows;
        for (uint64_t row = first; row < end; row++)
            e->k->axpy(1, stripe + row * n, e->dX + row * d + column, n);
    }
}

/* ---- sums by rows ---- */

/* Pairs with one node in common often pick the same two rows: many nonzeros of G have one coordinate. */
static void sort_nonzeros(ni_engine *e)
{
    e->G.row = e->G_row, e->G.col = e->G_col, e->G.value = e->G_value;
    ni_sparse_sort(&e->G, e->in.threads);
    ni_sparse_merge(&e->G, e->shape.rows, e->known, e->in.threads);
    ni_sparse_transpose(&e->G, &e->G_transposed, e->in.threads);
    if (e->shape.grouped) return;
    e->W.row = e->W_row, e->W.col = e->W_col, e->W.value = e->w;
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
    ni_sparse_spmm(&e->G_transposed, first, end, e->Q, d, e->dX);
    if (!e->shape.grouped) ni_sparse_spmm(&e->W, first, end, e->g, d, e->Wg);
    add_Wg(e, first, end);
    if (first < last) {
        ni_sparse_spmm(&e->G, first, last, e->X, d, e->H);
        if (e->in.P)
            ni_gemm(0, 1, last - first, d, d, e->H + first * d, d, e->in.P, d, 1, e->dX + first * d, d);
        else e->k->axpy(1, e->H + first * d, e->dX + first * d, (last - first) * d);
    }
    for (uint64_t row = first; e->dropped && row < end; row++)
        e->k->apply_mask(e->dX + row * d, e->mask + row * words, ni_dropout_scale(e->in.options),
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

/* ---- occurrences: rows of one id become one ---- */

static void find_owners(ni_engine *e)
{
    ni_batch *b = &e->batch;
    uint32_t ids = 0;
    for (uint32_t row = 0; row < b->rows; row++) {
        uint32_t id = b->id[row];
        if (id == NEAP_NONE) {
            e->owner[row] = NEAP_NONE;
            continue;
        }
        if (b->row_of[id] == NEAP_NONE) {
            b->row_of[id] = ids;
            e->owner_id[ids++] = id;
        }
        e->owner[row] = b->row_of[id];
    }
    for (uint32_t i = 0; i < ids; i++) b->row_of[e->owner_id[i]] = NEAP_NONE;
    e->shape.ids = ids;
}

static void owner_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.ids);
    ni_sparse_spmm(&e->by_owner, first, end, e->dX, e->in.dim, e->dE);
}

static void merge_occurrences(ni_engine *e)
{
    find_owners(e);
    e->by_owner.rows = e->shape.ids;
    e->by_owner.row = e->owner;
    ni_sparse_sort(&e->by_owner, e->in.threads);
    ni_threads_run(e->in.threads, ni_tasks(e->shape.ids, NI_ROWS_PER_TASK), owner_task, e);
}

/* ---- all of it ---- */

static void sum_items(ni_engine *e, ni_engine_gradients *gradients, double *loss)
{
    uint64_t terms = e->in.terms;
    float *db = e->db + e->shape.items * terms;
    *loss = 0;
    memset(db, 0, terms * sizeof *db);
    for (uint64_t i = 0; i < e->shape.items; i++) {
        *loss += e->loss[i];
        e->k->axpy(1, e->db + i * terms, db, terms);
    }
    *gradients = (ni_engine_gradients){ e->dP, db };
}

static neap_status return_rows(ni_engine *e, neap_error *err)
{
    const ni_rows *rows = e->in.rows;
    ni_gradient gradient = { e->dX, e->batch.id, e->batch.rows };
    if (!rows->take) return NEAP_OK;
    if (ni_engine_merges(e)) {
        merge_occurrences(e);
        gradient = (ni_gradient){ e->dE, e->owner_id, (uint32_t)e->shape.ids };
    }
    return rows->take(rows->self, &e->batch, &gradient, err);
}

neap_status ni_engine_backward(ni_engine *e, ni_engine_gradients *gradients, double *loss, neap_error *err)
{
    uint32_t item_tasks = ni_tasks(e->shape.items, NI_ITEMS_PER_TASK);
    ni_threads_run(e->in.threads, item_tasks, loss_task, e);
    if (e->shape.grouped)
        ni_threads_run(e->in.threads, ni_tasks(e->shape.sides, NI_SIDES_PER_TASK), back_attend_task, e);
    if (ni_engine_averages(e)) {
        number_nonzeros(e);
        ni_threads_run(e->in.threads, item_tasks, back_mean_task, e);
    }
    ni_stage_end(&e->stages, NI_STAGE_LOSS);
    sort_nonzeros(e);
    ni_stage_end(&e->stages, NI_STAGE_INDEX);
    if (e->shape.grouped)
        ni_threads_run(e->in.threads, ni_tasks(e->in.dim, (uint32_t)stripe_width(e)), scatter_task, e);
    ni_gemm_run(e->in.threads, ni_tasks(e->shape.rows, NI_ROWS_PER_TASK), pull_task, e);
    ni_stage_end(&e->stages, NI_STAGE_PULL);
    if (e->in.P) ni_gemm_run(e->in.threads, ni_tasks(e->in.dim, P_ROWS_PER_TASK), matrix_task, e);
    sum_items(e, gradients, loss);
    neap_status rc = return_rows(e, err);
    ni_stage_end(&e->stages, NI_STAGE_MATRIX);
    return rc;
}
