#include "attention/engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "attention/engine_parts.h"
#include "base/status.h"
#include "base/sys.h"
#include "linalg/blas.h"

/* ---- making one ---- */

neap_status ni_engine_create(const ni_engine_inputs *in, ni_engine **out, neap_error *err)
{
    *out = NULL;
    ni_engine *e = ni_zeros(1, sizeof *e);
    if (!e) return ni_fail_memory(err, "a batch");
    e->in = *in;
    e->k = ni_kernels_get();
    e->threads = ni_threads_count(in->threads);
    const neap_options *o = in->options;
    neap_status rc = ni_batch_init(&e->batch, in->hood, o->dropout_per == NI_DROP_OCCURRENCE,
                                   o->padding == NI_PAD_VECTOR ? o->neighbors : 0, err);
    if (rc == NEAP_OK) rc = ni_engine_make_scratch(e, err);
    if (rc == NEAP_OK) *out = e;
    else ni_engine_free(e);
    return rc;
}

void ni_engine_free(ni_engine *e)
{
    if (!e) return;
    ni_batch_free(&e->batch);
    ni_free(e->block);
    ni_free(e->scratch);
    ni_free(e->scratch_block);
    ni_free(e);
}

ni_stages *ni_engine_stages(ni_engine *e)
{
    return &e->stages;
}

bool ni_engine_used_table(const ni_engine *e)
{
    return e->shape.table;
}

void ni_engine_force(ni_engine *e, int way)
{
    e->way = way;
}

void ni_engine_force_order(ni_engine *e, int order)
{
    e->order = order;
}

/* ---- rows: X and Q ---- */

static const float *vector_of(const ni_engine *e, uint64_t row)
{
    uint32_t node = e->batch.node[row];
    return node == NEAP_NONE ? e->in.pad : e->in.E + (uint64_t)node * e->in.dim;
}

static void embed_row(ni_engine *e, uint64_t row)
{
    uint64_t d = e->in.dim, words = ni_mask_words(e->in.dim);
    uint32_t node = e->batch.node[row];
    const float *from = vector_of(e, row);
    if (!e->dropped) {
        memcpy(e->X + row * d, from, d * sizeof *from);
        return;
    }
    /* The padding vector draws as node NEAP_NONE; occurrences draw by their place. */
    ni_dropout_mask(e->in.options, e->step, e->batch.per_occurrence ? row : node, e->mask + row * words);
    e->k->masked(from, e->mask + row * words, ni_dropout_scale(e->in.options), e->X + row * d, d);
}

static void embed_task(void *arg, uint32_t task, uint32_t thread)
{
    enum { AHEAD = 2 };
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.rows);
    for (uint64_t row = first; row < end; row++) {
        if (row + AHEAD < end) ni_ask_for(vector_of(e, row + AHEAD), d);
        embed_row(e, row);
    }
    uint64_t last = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.source_rows);
    if (first < last && e->in.P)
        ni_gemm(0, 0, last - first, d, d, e->X + first * d, d, e->in.P, d, 0, e->Q + first * d, d);
    else if (first < last) memcpy(e->Q + first * d, e->X + first * d, (last - first) * d * sizeof *e->Q);
}

/* ---- alignments ---- */

static void table_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, R = e->shape.rows, first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.source_rows);
    ni_gemm(0, 1, end - first, R, d, e->Q + first * d, d, e->X, d, 0, e->M + first * R, R);
}

/* The columns of four lines of the table side by side; missing lines repeat the last. */
static void gather_strip(const ni_engine *e, const uint32_t *s_row, uint32_t a, const uint32_t *t_row,
                         uint32_t b, float *strip)
{
    size_t line = ni_whole_lanes(b), last = a - 1;
    const float *M = e->M;
    uint64_t R = e->shape.rows;
    const float *from0 = M + s_row[0] * R, *from1 = M + s_row[last < 1 ? last : 1] * R;
    const float *from2 = M + s_row[last < 2 ? last : 2] * R, *from3 = M + s_row[last] * R;
    for (uint32_t j = 0; j < b; j++) {
        uint64_t column = t_row[j];
        strip[j] = from0[column];
        strip[line + j] = from1[column];
        strip[2 * line + j] = from2[column];
        strip[3 * line + j] = from3[column];
    }
}

uint32_t ni_engine_strip(const ni_engine *e, const ni_local *s, const ni_local *t, uint32_t first,
                         ni_scratch *scratch)
{
    const uint32_t *s_row = e->batch.row + s->first + first, *t_row = e->batch.row + t->first;
    uint32_t a = s->rows - first < NI_STRIP_ROWS ? s->rows - first : NI_STRIP_ROWS;
    if (e->shape.table) gather_strip(e, s_row, a, t_row, t->rows, scratch->strip);
    else e->k->align(e->Q, s_row, a, e->X, t_row, t->rows, e->in.dim, scratch->strip);
    return a;
}

/* ---- pooling ---- */

float ni_engine_divisor(const ni_engine *e, const ni_local *other)
{
    uint32_t n = e->in.options->padding == NI_PAD_NONE ? other->size : e->in.options->neighbors;
    return n ? (float)n : 1;
}

float ni_engine_multiplicity(const ni_engine *e, const ni_local *other, uint32_t j)
{
    return j < other->size ? 1 : (float)(e->in.options->neighbors - other->size);
}

/* The maxima of one side become its m and pick; a zero vector of padding may beat them. Numbers of which
 * none was larger than the least are none: the loss will say so. */
static void settle_max(ni_engine *e, const ni_local *own, const ni_local *other, const ni_maxima *best,
                       uint64_t element)
{
    bool padded = e->in.options->padding == NI_PAD_ZERO && other->size < e->in.options->neighbors;
    const uint32_t *other_row = e->batch.row + other->first;
    for (uint32_t i = 0; i < own->size; i++) {
        bool lost = best->max[i] == -INFINITY,
             none = other->rows == 0 || (padded && best->max[i] < 0 && !lost);
        e->z[element + i] = none ? 0 : lost ? NAN : best->max[i];
        e->pick[element + i] = none ? NEAP_NONE : other_row[best->arg[i]];
    }
}

/* z of the neighbours of some other sides, and with the target among them of the source's: tanh of the
 * maxima. A few rows of the source meet all of these sides while they are in the cache. */
static void pool_max(ni_engine *e, uint64_t source, uint64_t side, uint32_t sides, ni_scratch *scratch)
{
    const ni_local *s = ni_batch_side(&e->batch, source);
    bool both = side == source + 1;
    for (uint32_t k = 0; k < sides; k++)
        for (size_t j = 0; j < ni_whole_lanes(ni_batch_side(&e->batch, side + k)->rows); j++)
            scratch->col[k].max[j] = -INFINITY, scratch->col[k].arg[j] = 0;
    for (uint32_t first = 0, a = 0; first < s->rows; first += a)
        for (uint32_t k = 0; k < sides; k++) {
            const ni_local *t = ni_batch_side(&e->batch, side + k);
            ni_maxima row = { scratch->row.max + first, scratch->row.arg + first };
            a = ni_engine_strip(e, s, t, first, scratch);
            e->k->pool(scratch->strip, a, t->rows, first, both && k == 0 ? &row : NULL, &scratch->col[k]);
        }
    if (both) settle_max(e, s, ni_batch_side(&e->batch, side), &scratch->row, e->batch.element[source]);
    for (uint32_t k = 0; k < sides; k++)
        settle_max(e, ni_batch_side(&e->batch, side + k), s, &scratch->col[k], e->batch.element[side + k]);
}

/* z: means of tanh. */
static void pool_mean(ni_engine *e, uint64_t source, uint64_t side, ni_scratch *scratch)
{
    bool both = side == source + 1;
    const ni_local *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    float *z_s = e->z + e->batch.element[source], *z_t = e->z + e->batch.element[side];
    uint64_t line = ni_whole_lanes(t->rows);
    memset(z_t, 0, t->size * sizeof *z_t);
    for (uint32_t first = 0, a; first < s->rows; first += a) {
        a = ni_engine_strip(e, s, t, first, scratch);
        for (uint32_t i = 0; i < a; i++) {
            float *row = scratch->strip + i * line, sum = 0;
            float times = ni_engine_multiplicity(e, s, first + i) / ni_engine_divisor(e, s);
            e->k->tanh(row, t->rows, row);
            for (uint32_t j = 0; j < t->rows; j++) sum += ni_engine_multiplicity(e, t, j) * row[j];
            for (uint32_t j = 0; j < t->size; j++) z_t[j] += times * row[j];
            if (both && first + i < s->size) z_s[first + i] = sum / ni_engine_divisor(e, t);
        }
    }
}

/* ---- attention ---- */

/* w = softmax(z) for one side; |z| <= 1, so that nothing overflows. */
static const float *weigh(ni_engine *e, uint64_t side)
{
    uint32_t size = ni_batch_side(&e->batch, side)->size;
    float *z = e->z + e->batch.element[side], *w = e->w + e->batch.element[side];
    if (e->in.options->pooling == NI_POOL_MAX) e->k->tanh(z, size, z);
    float share = 1 / e->k->exp(z, size, w);
    for (uint32_t i = 0; i < size; i++) w[i] *= share;
    return w;
}

/* r = X' w for some sides of one neighbourhood, whose rows are read once for all of them. */
static void attend(ni_engine *e, const uint32_t *side, uint32_t count)
{
    const ni_local *own = ni_batch_side(&e->batch, *side);
    const float *w[NI_STRIP_ROWS];
    float *r[NI_STRIP_ROWS];
    for (uint32_t k = 0; k < count; k++) {
        w[k] = weigh(e, side[k]);
        r[k] = e->r + (uint64_t)side[k] * e->in.dim;
    }
    e->k->mix(w, count, e->batch.row + own->first, own->size, e->X, e->in.dim, r);
}

static void pool_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK, width = e->batch.width;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    bool mean = e->in.options->pooling == NI_POOL_MEAN;
    for (uint64_t item = first; item < end; item++) {
        uint64_t source = item * width;
        for (uint64_t k = 1; k < width && mean; k++) pool_mean(e, source, source + k, &e->scratch[thread]);
        for (uint64_t k = 1; k < width && !mean; k += NI_STRIP_ROWS)
            pool_max(e, source, source + k, (uint32_t)(ni_task_end(k, NI_STRIP_ROWS, width) - k),
                     &e->scratch[thread]);
        for (uint32_t k = 0; !e->shape.grouped && k < width; k++)
            attend(e, &(uint32_t){ (uint32_t)source + k }, 1);
    }
}

static void attend_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_SIDES_PER_TASK;
    uint64_t end = ni_task_end(first, NI_SIDES_PER_TASK, e->shape.sides);
    (void)thread;
    for (uint32_t count; first < end; first += count) {
        count = ni_batch_alike(&e->batch, first, end, NI_STRIP_ROWS);
        attend(e, e->batch.by_local + first, count);
    }
}

/* ---- calls ---- */

static void forward(ni_engine *e)
{
    uint32_t row_tasks = ni_tasks(e->shape.rows, NI_ROWS_PER_TASK);
    ni_stages *stages = &e->stages;
    ni_gemm_run(e->in.threads, row_tasks, embed_task, e);
    ni_stage_end(stages, NI_STAGE_EMBED);
    if (e->shape.table)
        ni_gemm_run(e->in.threads, ni_tasks(e->shape.source_rows, NI_ROWS_PER_TASK), table_task, e);
    ni_stage_end(stages, NI_STAGE_TABLE);
    ni_threads_run(e->in.threads, ni_tasks(e->shape.items, NI_ITEMS_PER_TASK), pool_task, e);
    if (e->shape.grouped)
        ni_threads_run(e->in.threads, ni_tasks(e->shape.sides, NI_SIDES_PER_TASK), attend_task, e);
    ni_stage_end(stages, NI_STAGE_POOL);
}

/* What is left of a batch on its way back: the neighbours of live sides, and the cells of live pairs. */
static void count_live(const ni_engine *e, double *elements, double *cells)
{
    uint64_t width = e->batch.width;
    for (uint64_t side = 0; side < e->shape.sides; side++) {
        const ni_local *own = ni_batch_side(&e->batch, side);
        if (!e->live[side]) continue;
        *elements += own->size;
        if (side % width) *cells += (double)own->rows * ni_batch_side(&e->batch, side - side % width)->rows;
    }
}

/* Adds the flops of a step: d^2 for a row times P, d for a row that is added or multiplied. The way back of
 * a mean makes the tiles of its pairs once more. */
static void count_work(ni_engine *e)
{
    ni_stages *stages = &e->stages;
    double d = e->in.dim, R = (double)e->shape.rows, S = (double)e->shape.source_rows;
    double cells = (double)e->batch.pair_cells, live = 0, live_cells = 0;
    double entries = e->shape.rows ? e->turned.end[e->shape.rows - 1] : 0;
    double table = 2 * S * R * d, pairs = 2 * cells * d, matrix = e->in.P ? 2 * S * d * d : 0;
    bool mean = e->in.options->pooling == NI_POOL_MEAN;
    count_live(e, &live, &live_cells);
    double work[NI_STAGES] = { [NI_STAGE_EMBED] = matrix,
                               [NI_STAGE_TABLE] = e->shape.table ? table : 0,
                               [NI_STAGE_POOL] =
                                   2 * (double)e->shape.elements * d + (e->shape.table ? 0 : pairs),
                               [NI_STAGE_LOSS] =
                                   2 * (live + (mean && !e->shape.table ? live_cells : 0)) * d,
                               [NI_STAGE_PULL] = 2 * (live + 2 * entries) * d + matrix,
                               [NI_STAGE_MATRIX] = matrix };
    for (int i = 0; i < NI_STAGES; i++) {
        stages->flops[i] += work[i];
        stages->cheapest += work[i];
    }
    double spent = e->shape.table ? table : pairs, least = table < pairs ? table : pairs;
    double merged = (mean ? live_cells : live) - entries;
    stages->cheapest += least - spent + 4 * merged * d;
    stages->entries += cells;
    stages->batches++;
    stages->table_batches += e->shape.table;
}

neap_status ni_engine_step(ni_engine *e, const uint32_t *nodes, uint32_t items, uint32_t negatives,
                           uint64_t step, ni_gradient *gradient, double *loss, neap_error *err)
{
    e->step = step;
    e->negatives = negatives;
    e->dropped = ni_dropout_limit(e->in.options) > 0;
    ni_stage_begin(&e->stages);
    neap_status rc = ni_batch_collect(&e->batch, nodes, items, 2 + negatives, err);
    if (rc == NEAP_OK) rc = ni_engine_prepare(e, true, err);
    if (rc != NEAP_OK) return rc;
    ni_stage_end(&e->stages, NI_STAGE_COLLECT);
    forward(e);
    ni_engine_backward(e, gradient, loss);
    count_work(e);
    return NEAP_OK;
}

neap_status ni_engine_forward(ni_engine *e, const neap_pair *pairs, uint32_t count, bool dropped,
                              uint64_t step, float *scores, const float **vectors, neap_error *err)
{
    uint32_t nodes[2 * NI_FORWARD_MOST];
    assert(count <= NI_FORWARD_MOST);
    for (uint32_t i = 0; i < count; i++) nodes[2 * i] = pairs[i].source, nodes[2 * i + 1] = pairs[i].target;
    e->step = step;
    e->negatives = 0;
    e->dropped = dropped && ni_dropout_limit(e->in.options) > 0;
    neap_status rc = ni_batch_collect(&e->batch, nodes, count, 2, err);
    if (rc == NEAP_OK) rc = ni_engine_prepare(e, false, err);
    if (rc != NEAP_OK) return rc;
    ni_stages of_steps = e->stages;
    forward(e);
    e->stages = of_steps;
    uint64_t d = e->in.dim;
    for (uint64_t i = 0; scores && i < count; i++)
        scores[i] = e->k->dot(e->r + 2 * i * d, e->r + (2 * i + 1) * d, d);
    if (vectors) *vectors = e->r;
    return NEAP_OK;
}
