/* The forward pass of a batch, on all threads. Equations in docs/math.md; with R rows, S of them of
 * sources, and N the alignments of all pairs:
 *     embed   X = rows with dropout, Q = X P      O(S d^2)
 *     table   M = Q X', if cheaper than tiles     O(S R d), and then a gather of O(N); tiles: O(N d)
 *     pool    z = tanh(max or mean), w, r = X' w  O(N + positions d)
 * Tasks are rows, then items, then sides in the order of their sequences; each writes its own rows of X,
 * Q, M, z, w and r, so that the bits do not depend on the threads. The engine owns all arrays
 * (engine_memory.c), the caller what ni_engine_inputs points to. */
#include "attention/engine.h"

#include <math.h>
#include <string.h>

#include "attention/engine_parts.h"
#include "base/rng.h"
#include "base/sys.h"
#include "linalg/blas.h"
#include "support/status.h"

/* ---- making one ---- */

neap_status ni_engine_create(const ni_engine_inputs *in, ni_engine **out, neap_error *err)
{
    *out = NULL;
    ni_engine *e = ni_zeros(1, sizeof *e);
    if (!e) return ni_fail_memory(err, "a batch");
    e->in = *in;
    e->k = ni_kernels_get();
    e->threads = ni_threads_count(in->threads);
    e->scratch = ni_zeros(e->threads, sizeof *e->scratch);
    const ni_attention_options *o = in->options;
    bool each = o->dropout_per == NI_DROP_OCCURRENCE;
    neap_status rc =
        ni_batch_init(&e->batch, each ? NI_ROW_BY_OCCURRENCE : in->rows->identity, in->rows->ids, in->keys,
                      o->padding == NI_PAD_VECTOR ? o->neighbors : 0, err);
    if (rc == NEAP_OK && !e->scratch) rc = ni_fail_memory(err, "a batch");
    if (rc == NEAP_OK) *out = e;
    else ni_engine_free(e);
    return rc;
}

void ni_engine_free(ni_engine *e)
{
    if (!e) return;
    ni_batch_free(&e->batch);
    ni_free(e->block.memory);
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

void ni_engine_force(ni_engine *e, int alignment)
{
    e->alignment = alignment;
}

void ni_engine_force_order(ni_engine *e, int order)
{
    e->order = order;
}

/* ---- dropout ---- */

uint16_t ni_dropout_limit(const ni_attention_options *o)
{
    return (uint16_t)(o->dropout * 65536 + 0.5);
}

float ni_dropout_scale(const ni_attention_options *o)
{
    return (float)(65536.0 / (65536.0 - ni_dropout_limit(o)));
}

void ni_dropout_mask(const ni_attention_options *o, uint32_t dim, uint64_t seed, uint64_t step,
                     uint64_t item, uint64_t *mask)
{
    const ni_kernels *k = ni_kernels_get();
    ni_rng rng = ni_rng_at(seed, NI_STREAM_DROPOUT, step, item);
    for (uint64_t i = 0; i < ni_mask_words(dim); i++) {
        uint16_t draw[64];
        for (unsigned four = 0; four < 64; four += 4) {
            uint64_t bits = ni_next(&rng);
            for (unsigned n = 0; n < 4; n++) draw[four + n] = (uint16_t)(bits >> 16 * n);
        }
        mask[i] = k->keep_bits(draw, ni_dropout_limit(o));
    }
}

/* ---- rows: X and Q ---- */

static const float *row_at(const ni_engine *e, uint64_t row)
{
    if (e->batch.id[row] == NEAP_NONE) return e->in.pad;
    return e->view.base + (e->view.at ? e->view.at[row] : row) * e->in.dim;
}

/* Masks of rows by id are drawn by the id, which is NEAP_NONE for padding; others by their number. */
static void embed_row(ni_engine *e, uint64_t row)
{
    uint64_t d = e->in.dim, words = ni_mask_words(e->in.dim);
    const float *from = row_at(e, row);
    if (!e->dropped) {
        memcpy(e->X + row * d, from, d * sizeof *from);
        return;
    }
    ni_dropout_mask(e->in.options, e->in.dim, e->in.seed, e->step,
                    e->batch.identity == NI_ROW_BY_ID ? e->batch.id[row] : row, e->mask + row * words);
    e->k->apply_mask(from, e->mask + row * words, ni_dropout_scale(e->in.options), e->X + row * d, d);
}

static void embed_task(void *arg, uint32_t task, uint32_t thread)
{
    enum { AHEAD = 2 };
    ni_engine *e = arg;
    (void)thread;
    uint64_t d = e->in.dim, first = (uint64_t)task * NI_ROWS_PER_TASK;
    uint64_t end = ni_task_end(first, NI_ROWS_PER_TASK, e->shape.rows);
    for (uint64_t row = first; row < end; row++) {
        if (row + AHEAD < end) ni_prefetch(row_at(e, row + AHEAD), d);
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

/* Gathers a strip from the table: columns t_row of four of its rows; missing rows repeat the last. */
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

uint32_t ni_engine_strip(const ni_engine *e, const ni_sequence *s, const ni_sequence *t, uint32_t first,
                         ni_scratch *scratch)
{
    const uint32_t *s_row = e->batch.row + s->first + first, *t_row = e->batch.row + t->first;
    uint32_t a = s->rows - first < NI_STRIP_ROWS ? s->rows - first : NI_STRIP_ROWS;
    if (e->shape.table) gather_strip(e, s_row, a, t_row, t->rows, scratch->strip);
    else e->k->align(e->Q, s_row, a, e->X, t_row, t->rows, e->in.dim, scratch->strip);
    return a;
}

/* ---- pooling ---- */

float ni_engine_divisor(const ni_engine *e, const ni_sequence *other)
{
    uint32_t n = e->in.options->padding == NI_PAD_NONE ? other->size : e->in.options->neighbors;
    return n ? (float)n : 1;
}

float ni_engine_multiplicity(const ni_engine *e, const ni_sequence *other, uint32_t j)
{
    return j < other->size ? 1 : (float)(e->in.options->neighbors - other->size);
}

/* The maxima of one side become its z and pick; a zero vector of padding may beat them. A maximum that
 * is still minus infinity was over NaN, which becomes z = NaN and so the loss. */
static void finish_max(ni_engine *e, const ni_sequence *own, const ni_sequence *other,
                       const ni_maxima *best, uint64_t position)
{
    bool padded = e->in.options->padding == NI_PAD_ZERO && other->size < e->in.options->neighbors;
    const uint32_t *other_row = e->batch.row + other->first;
    for (uint32_t i = 0; i < own->size; i++) {
        bool lost = best->max[i] == -INFINITY,
             none = other->rows == 0 || (padded && best->max[i] < 0 && !lost);
        e->z[position + i] = none ? 0 : lost ? NAN : best->max[i];
        e->pick[position + i] = none ? NEAP_NONE : other_row[best->arg[i]];
    }
}

/* z of the neighbours of some other sides, and with the target among them of the source's: tanh of the
 * maxima. A strip of the source's rows is aligned with all of these sides while it is in the cache. */
static void pool_max(ni_engine *e, uint64_t source, uint64_t side, uint32_t sides, uint32_t thread)
{
    const ni_sequence *s = ni_batch_side(&e->batch, source);
    ni_scratch *scratch = &e->scratch[thread];
    bool both = side == source + 1;
    uint64_t columns = 0;
    for (uint32_t k = 0; k < sides; k++) {
        uint32_t rows = ni_batch_side(&e->batch, side + k)->rows;
        for (size_t j = 0; j < ni_whole_lanes(rows); j++)
            scratch->col[k].max[j] = -INFINITY, scratch->col[k].arg[j] = 0;
        columns += rows;
    }
    for (uint32_t first = 0, a = 0; first < s->rows; first += a) {
        if (!ni_engine_goes_on(e, thread, first * columns, NI_STRIP_ROWS * columns)) return;
        for (uint32_t k = 0; k < sides; k++) {
            const ni_sequence *t = ni_batch_side(&e->batch, side + k);
            ni_maxima row = { scratch->row.max + first, scratch->row.arg + first };
            a = ni_engine_strip(e, s, t, first, scratch);
            e->k->pool(scratch->strip, a, t->rows, first, both && k == 0 ? &row : NULL, &scratch->col[k]);
        }
    }
    if (both) finish_max(e, s, ni_batch_side(&e->batch, side), &scratch->row, e->batch.position[source]);
    for (uint32_t k = 0; k < sides; k++)
        finish_max(e, ni_batch_side(&e->batch, side + k), s, &scratch->col[k], e->batch.position[side + k]);
}

/* z: means of squashed alignments. */
static void pool_mean(ni_engine *e, uint64_t source, uint64_t side, uint32_t thread)
{
    ni_scratch *scratch = &e->scratch[thread];
    bool both = side == source + 1;
    const ni_sequence *s = ni_batch_side(&e->batch, source), *t = ni_batch_side(&e->batch, side);
    float *z_s = e->z + e->batch.position[source], *z_t = e->z + e->batch.position[side];
    uint64_t line = ni_whole_lanes(t->rows);
    memset(z_t, 0, t->size * sizeof *z_t);
    for (uint32_t first = 0, a; first < s->rows; first += a) {
        if (!ni_engine_goes_on(e, thread, (uint64_t)first * t->rows, NI_STRIP_ROWS * (uint64_t)t->rows))
            return;
        a = ni_engine_strip(e, s, t, first, scratch);
        for (uint32_t i = 0; i < a; i++) {
            float *row = scratch->strip + i * line, sum = 0;
            float times = ni_engine_multiplicity(e, s, first + i) / ni_engine_divisor(e, s);
            ni_squash(e->in.options->alignment, e->in.dim, row, t->rows, row);
            for (uint32_t j = 0; j < t->rows; j++) sum += ni_engine_multiplicity(e, t, j) * row[j];
            for (uint32_t j = 0; j < t->size; j++) z_t[j] += times * row[j];
            if (both && first + i < s->size) z_s[first + i] = sum / ni_engine_divisor(e, t);
        }
    }
}

/* Uniform attention: all of a side alike, whoever stands opposite. */
static void pool_nothing(ni_engine *e, uint64_t side)
{
    uint64_t first = e->batch.position[side], count = e->batch.position[side + 1] - first;
    memset(e->z + first, 0, count * sizeof *e->z);
    memset(e->pick + first, 0xff, count * sizeof *e->pick); /* NEAP_NONE */
}

/* ---- attention ---- */

/* w = softmax(z) for one side; |z| <= 30, so that nothing overflows. */
static const float *weigh(ni_engine *e, uint64_t side)
{
    uint32_t size = ni_batch_side(&e->batch, side)->size;
    float *z = e->z + e->batch.position[side], *w = e->w + e->batch.position[side];
    if (!ni_engine_averages(e)) ni_squash(e->in.options->alignment, e->in.dim, z, size, z);
    float share = 1 / e->k->exp(z, size, w);
    for (uint32_t i = 0; i < size; i++) w[i] *= share;
    return w;
}

/* r = X' w for some sides of one neighbourhood, whose rows are read once for all of them. */
static void attend(ni_engine *e, const uint32_t *side, uint32_t count)
{
    const ni_sequence *own = ni_batch_side(&e->batch, *side);
    const float *w[NI_STRIP_ROWS];
    float *r[NI_STRIP_ROWS];
    for (uint32_t k = 0; k < count; k++) {
        w[k] = weigh(e, side[k]);
        r[k] = e->r + (uint64_t)side[k] * e->in.dim;
    }
    e->k->gather_sum(w, count, e->batch.row + own->first, own->size, e->X, e->in.dim, r);
}

static void pool_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_engine *e = arg;
    uint64_t first = (uint64_t)task * NI_ITEMS_PER_TASK, width = e->batch.width;
    uint64_t end = ni_task_end(first, NI_ITEMS_PER_TASK, e->shape.items);
    bool mean = ni_engine_averages(e), max = ni_aligns(e->in.options) && !mean;
    for (uint64_t item = first; item < end; item++) {
        uint64_t source = item * width;
        for (uint64_t k = 0; k < width && !mean && !max; k++) pool_nothing(e, source + k);
        for (uint64_t k = 1; k < width && mean; k++) pool_mean(e, source, source + k, thread);
        for (uint64_t k = 1; k < width && max; k += NI_STRIP_ROWS)
            pool_max(e, source, source + k, (uint32_t)(ni_task_end(k, NI_STRIP_ROWS, width) - k), thread);
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
        attend(e, e->batch.by_sequence + first, count);
    }
}

/* ---- scores ---- */

ni_score ni_engine_score(const ni_engine *e, uint64_t source, uint64_t side)
{
    uint64_t d = e->in.dim;
    const float *x = e->r + source * d, *y = e->r + side * d;
    float xy = e->k->dot(x, y, d);
    ni_score s = e->in.score == NI_SCORE_DOT
                     ? ni_score_of(NI_SCORE_DOT, xy, 0, 0)
                     : ni_score_of(e->in.score, xy, e->k->dot(x, x, d), e->k->dot(y, y, d));
    if (e->in.terms) s.value += ni_linear_terms(e->in.b, ni_engine_features(e, side), e->in.terms);
    return s;
}

/* ---- calls ---- */

static neap_status forward(ni_engine *e, neap_error *err)
{
    uint32_t row_tasks = ni_tasks(e->shape.rows, NI_ROWS_PER_TASK);
    ni_stages *stages = &e->stages;
    neap_status rc = e->in.rows->lend(e->in.rows->self, &e->batch, &e->view, err);
    if (rc != NEAP_OK) return rc;
    ni_gemm_run(e->in.threads, row_tasks, embed_task, e);
    ni_stage_end(stages, NI_STAGE_EMBED);
    if (e->shape.table)
        ni_gemm_run(e->in.threads, ni_tasks(e->shape.source_rows, NI_ROWS_PER_TASK), table_task, e);
    ni_stage_end(stages, NI_STAGE_TABLE);
    ni_threads_run(e->in.threads, ni_tasks(e->shape.items, NI_ITEMS_PER_TASK), pool_task, e);
    if (e->shape.grouped)
        ni_threads_run(e->in.threads, ni_tasks(e->shape.sides, NI_SIDES_PER_TASK), attend_task, e);
    ni_stage_end(stages, NI_STAGE_POOL);
    return NEAP_OK;
}

static neap_status prepare(ni_engine *e, const ni_items *items, bool backward, bool dropped, uint64_t step,
                           neap_error *err)
{
    e->step = step;
    e->negatives = items->negatives;
    e->features = items->features;
    e->dropped = dropped && ni_dropout_limit(e->in.options) > 0;
    neap_status rc = ni_batch_collect(&e->batch, items->sides, items->count, 2 + items->negatives, err);
    return rc == NEAP_OK ? ni_engine_prepare(e, backward, err) : rc;
}

neap_status ni_engine_step(ni_engine *e, const ni_items *items, uint64_t step,
                           ni_engine_gradients *gradients, double *loss, neap_error *err)
{
    ni_stage_begin(&e->stages);
    neap_status rc = prepare(e, items, true, true, step, err);
    if (rc != NEAP_OK) return rc;
    ni_stage_end(&e->stages, NI_STAGE_COLLECT);
    rc = forward(e, err);
    return rc == NEAP_OK ? ni_engine_backward(e, gradients, loss, err) : rc;
}

neap_status ni_engine_forward(ni_engine *e, const ni_items *items, bool dropped, uint64_t step,
                              float *scores, const float **vectors, neap_error *err)
{
    ni_stages of_steps = e->stages;
    neap_status rc = prepare(e, items, false, dropped, step, err);
    if (rc == NEAP_OK) rc = forward(e, err);
    e->stages = of_steps;
    if (rc != NEAP_OK) return rc;
    for (uint64_t i = 0; scores && i < items->count; i++)
        scores[i] = ni_engine_score(e, 2 * i, 2 * i + 1).value;
    if (vectors) *vectors = e->r;
    return NEAP_OK;
}

neap_status ni_engine_read(ni_engine *e, const ni_side *side, float *X, neap_error *err)
{
    uint64_t d = e->in.dim;
    neap_status rc = ni_batch_collect(&e->batch, side, 1, 1, err);
    if (rc == NEAP_OK) rc = e->in.rows->lend(e->in.rows->self, &e->batch, &e->view, err);
    if (rc != NEAP_OK) return rc;
    const ni_sequence *own = ni_batch_side(&e->batch, 0);
    for (uint32_t i = 0; i < own->rows; i++)
        memcpy(X + i * d, row_at(e, e->batch.row[own->first + i]), d * sizeof *X);
    return NEAP_OK;
}
