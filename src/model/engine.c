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
    c->used += (count * width + NI_LINE - 1) / NI_LINE * NI_LINE;
    return here;
}

static ni_sparse carve_sparse(carver *c, uint64_t rows, uint64_t entries)
{
    ni_sparse m = { .rows = rows, .entries = entries };
    m.start = carve(c, rows + 1, sizeof *m.start);
    m.place = carve(c, NI_SPARSE_CHUNKS * rows, sizeof *m.place);
    m.term = carve(c, entries, sizeof *m.term);
    return m;
}

static void carve_backward(ni_engine *e, const ni_shape *s, carver *c)
{
    uint64_t d = e->in.dim;
    e->live = carve(c, s->sides, 1);
    e->loss = carve(c, s->items, sizeof(double));
    e->cell_row = carve(c, s->elements + s->entries, sizeof(uint32_t));
    e->cell_col = carve(c, s->elements + s->entries, sizeof(uint32_t));
    e->cell_value = carve(c, s->elements + s->entries, sizeof(float));
    e->entry = carve(c, s->sides + 1, sizeof(uint64_t));
    e->pull[NI_PULL_ROWS] = carve_sparse(c, s->rows, s->elements + s->entries);
    e->pull[NI_PULL_G] = carve_sparse(c, s->source_rows, s->entries);
    e->H = carve(c, s->source_rows * d, sizeof(float));
    e->dX = carve(c, s->rows * d, sizeof(float));
    e->dP = carve(c, d * d, sizeof(float));
    e->owner = carve(c, s->nodes ? s->rows : 0, sizeof(uint32_t));
    e->grad_node = carve(c, s->nodes, sizeof(uint32_t));
    e->dE = carve(c, s->nodes * d, sizeof(float));
    e->by_owner = carve_sparse(c, s->nodes, s->nodes ? s->rows : 0);
}

size_t ni_engine_lay_out(ni_engine *e, const ni_shape *s, void *block)
{
    uint64_t d = e->in.dim;
    carver c = { block, 0 };
    e->mask = carve(&c, s->rows * ni_mask_words(e->in.dim), sizeof(uint64_t));
    e->X = carve(&c, s->rows * d, sizeof(float));
    e->Q = carve(&c, (s->source_rows + (s->backward ? s->sides : 0)) * d, sizeof(float));
    e->g = block ? e->Q + s->source_rows * d : NULL;
    e->M = carve(&c, s->table ? s->source_rows * s->rows : 0, sizeof(float));
    e->r = carve(&c, s->sides * d, sizeof(float));
    e->z = carve(&c, s->elements, sizeof(float));
    e->w = carve(&c, s->elements, sizeof(float));
    e->pick = carve(&c, s->elements, sizeof(uint32_t));
    if (s->backward) carve_backward(e, s, &c);
    return c.used;
}

static size_t lay_out_scratch(const ni_engine *e, ni_scratch *s, void *block)
{
    uint64_t n = ni_strip_line(e->widest);
    carver c = { block, 0 };
    s->strip = carve(&c, NI_STRIP_ROWS * n, sizeof(float));
    s->row = (ni_maxima){ carve(&c, n, sizeof(float)), carve(&c, n, sizeof(uint32_t)) };
    s->col = (ni_maxima){ carve(&c, n, sizeof(float)), carve(&c, n, sizeof(uint32_t)) };
    s->term = carve(&c, n, sizeof(ni_term));
    s->dz_source = carve(&c, n, sizeof(float));
    s->dz_other = carve(&c, n, sizeof(float));
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
    e->scratch_block = ni_array(1, e->threads * bytes + NI_LINE);
    if (!e->scratch || !e->scratch_block) return ni_fail_memory(err, "a batch");
    for (uint32_t i = 0; i < e->threads; i++)
        lay_out_scratch(e, &e->scratch[i], (char *)ni_first_line(e->scratch_block) + i * bytes);
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

/* A table costs a product of d multiplications a cell and then a gather for every cell of every pair; tiles
 * cost a product for every cell of every pair, a little slower than in one large product. The two numbers
 * were measured on email at batches of 32 to 512, both ways forced (`bench/align` measures them again). */
static bool table_wins(const ni_engine *e)
{
    const double gather = 40, tile = 1.1; /* in multiplications of the large product; relative to it */
    const uint32_t most = 8192;           /* rows: the table takes at most 4 R^2 bytes               */
    double d = e->in.dim, cells = (double)e->batch.pair_cells;
    double table = (double)e->batch.source_rows * (double)e->batch.rows;
    if (e->way) return e->way == 1;
    return e->batch.rows <= most && table * d + cells * gather < cells * d * tile;
}

static ni_shape shape_of(const ni_engine *e, bool backward)
{
    const ni_batch *b = &e->batch;
    uint64_t sides = (uint64_t)b->items * b->width, elements = b->element[sides];
    return (ni_shape){ .items = b->items,
                       .sides = sides,
                       .rows = b->rows,
                       .source_rows = b->source_rows,
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
        e->block = ni_array(bytes + NI_LINE, 1);
        if (!e->block) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
        e->block_bytes = bytes;
    }
    ni_engine_lay_out(e, &e->shape, ni_first_line(e->block));
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
    const ni_kernels *k = ni_kernels_get();
    ni_rng rng = ni_rng_at(o->seed, NI_STREAM_DROPOUT, step, item);
    for (uint64_t i = 0; i < ni_mask_words(o->dim); i++) {
        uint16_t draw[64];
        for (unsigned four = 0; four < 64; four += 4) {
            uint64_t bits = ni_next(&rng);
            for (unsigned n = 0; n < 4; n++) draw[four + n] = (uint16_t)(bits >> 16 * n);
        }
        k->decide(draw, (uint16_t)dropped_of_65536(o), mask + i, 1);
    }
}

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
    uint64_t last = end < e->shape.source_rows ? end : e->shape.source_rows;
    if (first < last)
        ni_gemm(0, 0, last - first, d, d, e->X + first * d, d, e->in.P, d, 0, e->Q + first * d, d);
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
    size_t line = ni_strip_line(b), last = a - 1;
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

/* The maxima of one side become its m and pick; a zero vector of padding may beat them. */
static void settle_max(ni_engine *e, const ni_local *own, const ni_local *other, const ni_maxima *best,
                       uint64_t element)
{
    bool padded = e->in.options->padding == NI_PAD_ZERO && other->size < e->in.options->neighbors;
    const uint32_t *other_row = e->batch.row + other->first;
    for (uint32_t i = 0; i < own->size; i++) {
        bool none = other->rows == 0 || (padded && best->max[i] < 0);
        e->z[element + i] = none ? 0 : best->max[i];
        e->pick[element + i] = none ? NEAP_NONE : other_row[best->arg[i]];
    }
}

/* z of the target's or negative's neighbours, and with `both` of the source's: tanh of the maxima. */
static void pool_max(ni_engine *e, uint64_t source, uint64_t side, bool both, ni_scratch *scratch)
{
    const ni_local *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    for (size_t j = 0; j < ni_strip_line(t->rows); j++)
        scratch->col.max[j] = -INFINITY, scratch->col.arg[j] = 0;
    for (uint32_t first = 0, a; first < s->rows; first += a) {
        ni_maxima row = { scratch->row.max + first, scratch->row.arg + first };
        a = ni_engine_strip(e, s, t, first, scratch);
        e->k->pool(scratch->strip, a, t->rows, first, both ? &row : NULL, &scratch->col);
    }
    if (both) settle_max(e, s, t, &scratch->row, e->batch.element[source]);
    settle_max(e, t, s, &scratch->col, e->batch.element[side]);
}

/* z: means of tanh. */
static void pool_mean(ni_engine *e, uint64_t source, uint64_t side, bool both, ni_scratch *scratch)
{
    const ni_local *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    float *z_s = e->z + e->batch.element[source], *z_t = e->z + e->batch.element[side];
    uint64_t line = ni_strip_line(t->rows);
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

/* w = softmax(z), r = X' w for one side; |z| <= 1, so that nothing overflows. */
static void attend(ni_engine *e, uint64_t side, ni_scratch *scratch)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    uint64_t d = e->in.dim, element = e->batch.element[side];
    float *z = e->z + element, *w = e->w + element;
    if (e->in.options->pooling == NI_POOL_MAX) e->k->tanh(z, own->size, z);
    float share = 1 / e->k->exp(z, own->size, w);
    for (uint32_t i = 0; i < own->size; i++) {
        w[i] *= share;
        scratch->term[i] = (ni_term){ row[i], w[i] };
    }
    e->k->combine(scratch->term, own->size, e->X, d, e->r + side * d);
}

static void pool_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK, width = e->batch.width;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    void (*pool)(ni_engine *, uint64_t, uint64_t, bool, ni_scratch *) =
        e->in.options->pooling == NI_POOL_MEAN ? pool_mean : pool_max;
    for (uint64_t item = first; item < end; item++) {
        uint64_t source = item * width;
        for (uint64_t k = 1; k < width; k++) pool(e, source, source + k, k == 1, &e->scratch[thread]);
        for (uint64_t k = 0; k < width; k++) attend(e, source + k, &e->scratch[thread]);
    }
}

/* ---- calls ---- */

static void forward(ni_engine *e)
{
    uint32_t row_tasks = ni_tasks(e->shape.rows, NI_ROWS_PER_TASK);
    ni_stages *stages = &e->stages;
    ni_pool_run(e->in.pool, row_tasks, embed_task, e);
    ni_stage_end(stages, NI_STAGE_EMBED);
    if (e->shape.table)
        ni_pool_run(e->in.pool, ni_tasks(e->shape.source_rows, NI_ROWS_PER_TASK), table_task, e);
    ni_stage_end(stages, NI_STAGE_TABLE);
    ni_pool_run(e->in.pool, ni_tasks(e->shape.items, NI_ITEMS_PER_TASK), pool_task, e);
    ni_stage_end(stages, NI_STAGE_POOL);
}

/* Adds the flops of a step to the stages; d^2 for a row times P, d for a row that is added or multiplied.
 */
static void count_work(ni_engine *e)
{
    ni_stages *stages = &e->stages;
    double d = e->in.dim, R = (double)e->shape.rows, S = (double)e->shape.source_rows;
    double cells = (double)e->batch.pair_cells, entries = e->pull[NI_PULL_G].start[e->shape.source_rows];
    double live = e->pull[NI_PULL_ROWS].start[e->shape.rows] - entries;
    double table = 2 * S * R * d, pairs = 2 * cells * d;
    double work[NI_STAGES] = { [NI_STAGE_EMBED] = 2 * S * d * d,
                               [NI_STAGE_TABLE] = e->shape.table ? table : 0,
                               [NI_STAGE_POOL] =
                                   2 * (double)e->shape.elements * d + (e->shape.table ? 0 : pairs),
                               [NI_STAGE_LOSS] = 2 * live * d,
                               [NI_STAGE_PULL] = 2 * (live + 2 * entries) * d + 2 * S * d * d,
                               [NI_STAGE_MATRIX] = 2 * S * d * d };
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
