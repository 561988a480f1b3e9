#include "model/engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/status.h"
#include "base/sys.h"
#include "model/blas.h"
#include "model/engine_parts.h"

/* ---- memory ---- */

/* Cuts arrays from a block, each on its own cache line; without a block it only counts. */
typedef struct carver {
    char *block;
    size_t used;
} carver;

static void *carve(carver *c, uint64_t count, size_t width)
{
    void *here = c->block ? c->block + c->used : NULL;
    c->used += (count * width + 63) / 64 * 64;
    return here;
}

static ni_index carve_index(carver *c, uint64_t rows, uint64_t entries)
{
    uint32_t *start = carve(c, rows + 1, sizeof *start);
    return (ni_index){ start, carve(c, entries, sizeof(uint32_t)) };
}

static void carve_backward(ni_engine *e, const ni_shape *s, carver *c)
{
    uint64_t d = e->in.dim;
    e->g = carve(c, s->sides * d, sizeof(float));
    e->live = carve(c, s->sides, 1);
    e->loss = carve(c, s->items, sizeof(double));
    e->element_row = carve(c, s->elements, sizeof(uint32_t));
    e->element_side = carve(c, s->elements, sizeof(uint32_t));
    e->G_row = carve(c, s->entries, sizeof(uint32_t));
    e->G_col = carve(c, s->entries, sizeof(uint32_t));
    e->G_value = carve(c, s->entries, sizeof(float));
    e->entry = carve(c, s->sides + 1, sizeof(uint64_t));
    e->by_element = carve_index(c, s->rows, s->elements);
    e->by_row = carve_index(c, s->rows, s->entries);
    e->by_col = carve_index(c, s->rows, s->entries);
    e->H = carve(c, s->rows * d, sizeof(float));
    e->H_turned = carve(c, s->rows * d, sizeof(float));
    e->dX = carve(c, s->rows * d, sizeof(float));
    e->dP = carve(c, d * d, sizeof(float));
    e->owner = carve(c, s->nodes ? s->rows : 0, sizeof(uint32_t));
    e->grad_node = carve(c, s->nodes, sizeof(uint32_t));
    e->dE = carve(c, s->nodes * d, sizeof(float));
    e->by_owner = carve_index(c, s->nodes, s->nodes ? s->rows : 0);
}

size_t ni_engine_lay_out(ni_engine *e, const ni_shape *s, void *block)
{
    uint64_t d = e->in.dim;
    carver c = { block, 0 };
    e->mask = carve(&c, s->rows * ni_mask_words(e->in.dim), sizeof(uint64_t));
    e->X = carve(&c, s->rows * d, sizeof(float));
    e->Q = carve(&c, s->rows * d, sizeof(float));
    e->M = carve(&c, s->table ? s->rows * s->rows : 0, sizeof(float));
    e->r = carve(&c, s->sides * d, sizeof(float));
    e->z = carve(&c, s->elements, sizeof(float));
    e->w = carve(&c, s->elements, sizeof(float));
    e->pick = carve(&c, s->elements, sizeof(uint32_t));
    if (s->backward) carve_backward(e, s, &c);
    return c.used;
}

static size_t lay_out_scratch(const ni_engine *e, ni_scratch *s, void *block)
{
    uint64_t n = e->widest, d = e->in.dim;
    carver c = { block, 0 };
    s->tile = carve(&c, n * n, sizeof(float));
    s->left = carve(&c, n * d, sizeof(float));
    s->right = carve(&c, n * d, sizeof(float));
    s->row_max = carve(&c, n, sizeof(float));
    s->col_max = carve(&c, n, sizeof(float));
    s->dz_source = carve(&c, n, sizeof(float));
    s->dz_other = carve(&c, n, sizeof(float));
    s->row_arg = carve(&c, n, sizeof(uint32_t));
    s->col_arg = carve(&c, n, sizeof(uint32_t));
    return c.used;
}

/* With one more for padding. */
static uint32_t widest_rows(const ni_hood *hood)
{
    uint32_t most = 0;
    for (uint32_t u = 0; u < hood->nodes; u++)
        most = ni_hood_size(hood, u) > most ? ni_hood_size(hood, u) : most;
    return most + 1;
}

static neap_status make_scratch(ni_engine *e, neap_error *err)
{
    ni_scratch none;
    size_t bytes = lay_out_scratch(e, &none, NULL);
    e->scratch = ni_zeros(e->threads, sizeof *e->scratch);
    e->scratch_block = ni_array(e->threads, bytes);
    if (!e->scratch || !e->scratch_block) return ni_fail_memory(err, "a batch");
    for (uint32_t i = 0; i < e->threads; i++)
        lay_out_scratch(e, &e->scratch[i], (char *)e->scratch_block + i * bytes);
    return NEAP_OK;
}

neap_status ni_engine_create(const ni_engine_inputs *in, ni_engine **out, neap_error *err)
{
    *out = NULL;
    ni_engine *e = ni_zeros(1, sizeof *e);
    if (!e) return ni_fail_memory(err, "a batch");
    ni_blas_start();
    e->in = *in;
    e->k = ni_kernels_get();
    e->threads = ni_pool_threads(in->pool);
    e->widest = widest_rows(in->hood);
    const neap_options *o = in->options;
    neap_status rc = ni_batch_init(&e->batch, in->hood, o->dropout_per == NI_DROP_OCCURRENCE,
                                   o->padding == NI_PAD_VECTOR ? o->neighbors : 0, err);
    if (rc == NEAP_OK) rc = make_scratch(e, err);
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

/* ---- shape of a call ---- */

/* One large product runs near the machine's peak, small tiles at a fraction of it; a gather costs about
 * as much as a dozen multiplications. Hence the table may have a few times more cells and still win. */
static bool table_wins(const ni_engine *e)
{
    enum { TABLE_ROWS_MOST = 8192, TILE_COST = 3 };
    const ni_batch *b = &e->batch;
    uint64_t cells = (uint64_t)b->rows * b->rows;
    if (e->way) return e->way == 1;
    return b->rows <= TABLE_ROWS_MOST && cells < TILE_COST * b->pair_cells;
}

static ni_shape shape_of(const ni_engine *e, bool backward)
{
    const ni_batch *b = &e->batch;
    uint64_t sides = (uint64_t)b->items * b->width, elements = b->element[sides];
    return (ni_shape){ .items = b->items,
                       .sides = sides,
                       .rows = b->rows,
                       .elements = elements,
                       .entries = e->in.options->pooling == NI_POOL_MEAN ? b->pair_cells : elements,
                       .nodes = b->per_occurrence ? b->rows : 0,
                       .table = table_wins(e),
                       .backward = backward };
}

static neap_status prepare(ni_engine *e, bool backward, neap_error *err)
{
    e->shape = shape_of(e, backward);
    if (e->shape.entries > UINT32_MAX || e->shape.elements > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT,
                       "a batch of %u edges has too many neighbour pairs; use a smaller --batch",
                       e->batch.items);
    size_t bytes = ni_engine_lay_out(e, &e->shape, NULL);
    if (bytes > e->block_bytes) {
        ni_free(e->block);
        e->block_bytes = 0;
        e->block = ni_array(bytes, 1);
        if (!e->block) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
        e->block_bytes = bytes;
    }
    ni_engine_lay_out(e, &e->shape, e->block);
    return NEAP_OK;
}

/* ---- rows: X and Q ---- */

/* The share that is dropped in 65536ths: four decisions a draw. */
static uint64_t dropped_of_65536(const neap_options *o)
{
    return (uint64_t)(o->dropout * 65536 + 0.5);
}

float ni_dropout_scale(const neap_options *o)
{
    return (float)(65536.0 / (double)(65536 - dropped_of_65536(o)));
}

void ni_dropout_mask(const neap_options *o, uint64_t step, uint64_t item, uint64_t *mask)
{
    uint64_t limit = dropped_of_65536(o);
    ni_rng rng = ni_rng_at(o->seed, NI_STREAM_DROPOUT, step, item);
    for (uint64_t i = 0; i < ni_mask_words(o->dim); i++) {
        uint64_t bits = 0;
        for (unsigned four = 0; four < 64; four += 4) {
            uint64_t draw = ni_next(&rng);
            for (unsigned k = 0; k < 4; k++, draw >>= 16)
                bits |= (uint64_t)((draw & 65535) >= limit) << (four + k);
        }
        mask[i] = bits;
    }
}

static void embed_row(ni_engine *e, uint64_t row)
{
    uint64_t d = e->in.dim, words = ni_mask_words(e->in.dim);
    uint32_t node = e->batch.node[row];
    const float *from = node == NEAP_NONE ? e->in.pad : e->in.E + node * d;
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
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.rows);
    for (uint64_t row = first; row < end; row++) embed_row(e, row);
    ni_gemm(0, 0, end - first, d, d, e->X + first * d, d, e->in.P, d, 0, e->Q + first * d, d);
}

/* ---- alignments ---- */

static void table_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, R = e->shape.rows, first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, R);
    ni_gemm(0, 1, end - first, R, d, e->Q + first * d, d, e->X, d, 0, e->M + first * R, R);
}

static void gather_rows(const float *from, const uint32_t *row, uint32_t n, uint64_t d, float *to)
{
    for (uint32_t i = 0; i < n; i++) memcpy(to + i * d, from + row[i] * d, d * sizeof *to);
}

void ni_engine_tile(const ni_engine *e, const ni_local *s, const ni_local *t, ni_scratch *scratch)
{
    const uint32_t *s_row = e->batch.row + s->first, *t_row = e->batch.row + t->first;
    uint64_t d = e->in.dim;
    if (e->shape.table) {
        float *cell = scratch->tile;
        for (uint32_t i = 0; i < s->rows; i++) {
            const float *line = e->M + (uint64_t)s_row[i] * e->shape.rows;
            for (uint32_t j = 0; j < t->rows; j++) *cell++ = line[t_row[j]];
        }
    } else if (s->rows && t->rows) {
        gather_rows(e->Q, s_row, s->rows, d, scratch->left);
        gather_rows(e->X, t_row, t->rows, d, scratch->right);
        ni_gemm(0, 1, s->rows, t->rows, d, scratch->left, d, scratch->right, d, 0, scratch->tile, t->rows);
    }
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

/* Turns the maxima of one side into z and pick; a zero vector of padding may beat them. */
static void settle_max(ni_engine *e, const ni_local *own, const ni_local *other, const float *max,
                       const uint32_t *arg, uint64_t element)
{
    bool padded = e->in.options->padding == NI_PAD_ZERO && other->size < e->in.options->neighbors;
    const uint32_t *other_row = e->batch.row + other->first;
    for (uint32_t i = 0; i < own->size; i++) {
        bool none = other->rows == 0 || (padded && max[i] < 0);
        e->z[element + i] = none ? 0 : tanhf(max[i]);
        e->pick[element + i] = none ? NEAP_NONE : other_row[arg[i]];
    }
}

/* z of one side from a tile of tanh values; step: 1 along a row, `lines` apart along a column. */
static void settle_mean(ni_engine *e, const ni_local *own, const ni_local *other, const float *tanhs,
                        uint64_t own_step, uint64_t other_step, uint64_t element)
{
    for (uint32_t i = 0; i < own->size; i++) {
        float sum = 0;
        for (uint32_t j = 0; j < other->rows; j++)
            sum += ni_engine_multiplicity(e, other, j) * tanhs[i * own_step + j * other_step];
        e->z[element + i] = sum / ni_engine_divisor(e, other);
    }
}

/* w = softmax(z), r = X' w for one side; |z| < 1, so that nothing overflows. */
static void attend(ni_engine *e, uint64_t side)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t d = e->in.dim, element = e->batch.element[side];
    float sum = 0, *w = e->w + element, *r = e->r + side * d;
    memset(r, 0, d * sizeof *r);
    for (uint32_t i = 0; i < own->size; i++) sum += w[i] = expf(e->z[element + i]);
    for (uint32_t i = 0; i < own->size; i++) {
        w[i] /= sum;
        e->k->axpy(w[i], e->X + row[i] * d, r, d);
    }
}

/* The pair (source of the item, side): z of the side's neighbours, and for the target also the source's. */
static void pool_pair(ni_engine *e, uint64_t source, uint64_t side, ni_scratch *scratch)
{
    const ni_local *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    uint64_t s_element = e->batch.element[source], t_element = e->batch.element[side];
    bool is_target = side == source + 1;
    ni_engine_tile(e, s, t, scratch);
    if (e->in.options->pooling == NI_POOL_MEAN) {
        uint64_t cells = (uint64_t)s->rows * t->rows;
        for (uint64_t i = 0; i < cells; i++) scratch->tile[i] = tanhf(scratch->tile[i]);
        if (is_target) settle_mean(e, s, t, scratch->tile, t->rows, 1, s_element);
        settle_mean(e, t, s, scratch->tile, 1, t->rows, t_element);
        return;
    }
    if (s->rows && t->rows)
        e->k->pool_max(scratch->tile, s->rows, t->rows, scratch->row_max, scratch->row_arg,
                       scratch->col_max, scratch->col_arg);
    if (is_target) settle_max(e, s, t, scratch->row_max, scratch->row_arg, s_element);
    settle_max(e, t, s, scratch->col_max, scratch->col_arg, t_element);
}

static void pool_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK, width = e->batch.width;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    for (uint64_t item = first; item < end; item++) {
        for (uint64_t k = 1; k < width; k++)
            pool_pair(e, item * width, item * width + k, &e->scratch[thread]);
        for (uint64_t k = 0; k < width; k++) attend(e, item * width + k);
    }
}

/* ---- calls ---- */

static void forward(ni_engine *e)
{
    uint32_t row_tasks = ni_tasks(e->shape.rows, NI_ROWS_PER_TASK);
    ni_stages *stages = &e->stages;
    ni_pool_run(e->in.pool, row_tasks, embed_task, e);
    ni_stage_end(stages, NI_STAGE_EMBED);
    if (e->shape.table) ni_pool_run(e->in.pool, row_tasks, table_task, e);
    ni_stage_end(stages, NI_STAGE_TABLE);
    ni_pool_run(e->in.pool, ni_tasks(e->shape.items, NI_ITEMS_PER_TASK), pool_task, e);
    ni_stage_end(stages, NI_STAGE_POOL);
}

/* Adds the flops of a step to the stages; d^2 for a row times P, d for a row that is added or multiplied.
 */
static void count_work(ni_engine *e)
{
    ni_stages *stages = &e->stages;
    double d = e->in.dim, R = (double)e->shape.rows, cells = (double)e->batch.pair_cells;
    double live = e->by_element.start[e->shape.rows], entries = e->by_row.start[e->shape.rows];
    double table = 2 * R * R * d, pairs = 2 * cells * d;
    double work[NI_STAGES] = { [NI_STAGE_EMBED] = 2 * R * d * d,
                               [NI_STAGE_TABLE] = e->shape.table ? table : 0,
                               [NI_STAGE_POOL] =
                                   2 * (double)e->shape.elements * d + (e->shape.table ? 0 : pairs),
                               [NI_STAGE_LOSS] = 2 * live * d,
                               [NI_STAGE_PULL] = 2 * (live + 2 * entries) * d + 4 * R * d * d,
                               [NI_STAGE_MATRIX] = 2 * R * d * d };
    for (int i = 0; i < NI_STAGES; i++) {
        stages->flops[i] += work[i];
        stages->cheapest += work[i];
    }
    double spent = e->shape.table ? table : pairs, least = table < pairs ? table : pairs;
    stages->cheapest += least - spent;
    stages->entries += cells;
    stages->batches++;
    stages->table_batches += e->shape.table;
}

neap_status ni_engine_step(ni_engine *e, const uint32_t *nodes, uint32_t items, uint32_t negatives,
                           uint64_t step, ni_gradient *gradient, double *loss, neap_error *err)
{
    e->step = step;
    e->negatives = negatives;
    e->dropped = dropped_of_65536(e->in.options) > 0;
    ni_stage_begin(&e->stages);
    neap_status rc = ni_batch_collect(&e->batch, nodes, items, 2 + negatives, err);
    if (rc == NEAP_OK) rc = prepare(e, true, err);
    if (rc != NEAP_OK) return rc;
    ni_stage_end(&e->stages, NI_STAGE_COLLECT);
    forward(e);
    ni_engine_backward(e, gradient, loss);
    count_work(e);
    return NEAP_OK;
}

neap_status ni_engine_measure(ni_engine *e, const uint32_t *nodes, uint32_t items, uint32_t negatives,
                              uint64_t *bytes, neap_error *err)
{
    ni_scratch scratch;
    neap_status rc = ni_batch_collect(&e->batch, nodes, items, 2 + negatives, err);
    if (rc != NEAP_OK) return rc;
    ni_shape shape = shape_of(e, true);
    *bytes = ni_engine_lay_out(e, &shape, NULL) + e->threads * lay_out_scratch(e, &scratch, NULL) +
             ni_batch_bytes(&e->batch);
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
    e->dropped = dropped && dropped_of_65536(e->in.options) > 0;
    neap_status rc = ni_batch_collect(&e->batch, nodes, count, 2, err);
    if (rc == NEAP_OK) rc = prepare(e, false, err);
    if (rc != NEAP_OK) return rc;
    forward(e);
    uint64_t d = e->in.dim;
    for (uint64_t i = 0; scores && i < count; i++)
        scores[i] = e->k->dot(e->r + 2 * i * d, e->r + (2 * i + 1) * d, d);
    if (vectors) *vectors = e->r;
    return NEAP_OK;
}
