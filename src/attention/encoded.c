/* An encoder over a table as a provider of rows. Reading, encoding and summing are rounds of tasks, which
 * write rows of their own; numbering the distinct ids of a batch is sequential, O(rows). */
#include "attention/encoded.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

enum { SEQUENCES_PER_TASK = 16, ROWS_PER_TASK = 128 };

neap_status ni_encoded_create(ni_encoded *e, neap_error *err)
{
    if (e->by_id) return NEAP_OK;
    e->row_of = ni_array(e->ids, sizeof *e->row_of);
    if (!e->row_of) return ni_fail_memory(err, "an encoder");
    memset(e->row_of, 0xff, e->ids * sizeof *e->row_of); /* NEAP_NONE */
    return NEAP_OK;
}

void ni_encoded_free(ni_encoded *e)
{
    ni_free(e->block.memory);
    ni_free(e->row_of);
    ni_free(e->all);
    *e = (ni_encoded){ 0 };
}

uint64_t ni_encoded_bytes(const ni_encoded *e)
{
    return e->by_id ? 0 : e->ids * sizeof *e->row_of;
}

/* ---- arrays ---- */

/* By id all rows of the batch are one sequence. */
static uint32_t sequences_of(const ni_encoded *e, const ni_batch *b)
{
    return e->by_id ? 1 : b->sequences;
}

static uint32_t length_of(const ni_encoded *e, const ni_batch *b, uint32_t s)
{
    return e->by_id ? b->rows : b->sequence[s].size;
}

static uint64_t count_rows(const ni_encoded *e, const ni_batch *b)
{
    uint64_t length = 0;
    uint32_t count = sequences_of(e, b);
    for (uint32_t s = 0; s < count; s++) length += length_of(e, b, s);
    return ni_encoder_rows(&e->encoder, count, length);
}

/* The number of an id in the batch, from 0. */
static uint32_t number_of(const ni_encoded *e, uint32_t id, uint32_t *count)
{
    if (e->row_of[id] == NEAP_NONE) e->row_of[id] = (*count)++;
    return e->row_of[id];
}

static void forget_numbers(const ni_encoded *e, const ni_batch *b)
{
    for (uint32_t row = 0; row < b->rows; row++)
        if (b->id[row] != NEAP_NONE) e->row_of[b->id[row]] = NEAP_NONE;
}

/* Whether each distinct row is multiplied once. */
static void choose_way(ni_encoded *e, const ni_batch *b)
{
    e->distinct = 0;
    e->shared = false;
    if (e->by_id) return;
    for (uint32_t row = 0; row < b->rows; row++)
        if (b->id[row] != NEAP_NONE) number_of(e, b->id[row], &e->distinct);
    forget_numbers(e, b);
    e->shared = 2 * (uint64_t)e->distinct <= b->rows;
}

static void carve_backward(ni_encoded *e, const ni_batch *b, uint64_t rows, ni_carver *c)
{
    uint64_t d = ni_encoder_d(&e->encoder), ids = e->by_id ? 0 : b->rows < e->ids ? b->rows : e->ids;
    e->dX = ni_carve(c, rows * d, sizeof *e->dX);
    e->dH = ni_carve(c, rows * ni_encoder_c(&e->encoder), sizeof *e->dH);
    e->live = ni_carve(c, b->sequences, sizeof *e->live);
    e->owner = ni_carve(c, ids ? rows : 0, sizeof *e->owner);
    e->owner_id = ni_carve(c, ids, sizeof *e->owner_id);
    e->sums = ni_carve(c, ids * d, sizeof *e->sums);
    e->by_owner = ni_sparse_carve(c, ids, ids ? rows : 0);
}

/* Sets the arrays (or, with block NULL, only counts); returns the bytes. */
static size_t lay_out(ni_encoded *e, const ni_batch *b, void *block)
{
    uint64_t rows = count_rows(e, b);
    uint32_t sequences = sequences_of(e, b);
    ni_carver c = { block, 0 };
    e->chosen = ni_carve(&c, sequences, sizeof *e->chosen);
    e->first = ni_carve(&c, sequences, sizeof *e->first);
    e->length = ni_carve(&c, sequences, sizeof *e->length);
    e->at = ni_carve(&c, b->rows, sizeof *e->at);
    e->X = ni_carve(&c, rows * ni_encoder_d(&e->encoder), sizeof *e->X);
    e->H = ni_carve(&c, rows * ni_encoder_c(&e->encoder), sizeof *e->H);
    uint64_t distinct = e->shared ? e->distinct : 0;
    e->slot = ni_carve(&c, e->shared ? rows : 0, sizeof *e->slot);
    e->D = ni_carve(&c, distinct * ni_encoder_d(&e->encoder), sizeof *e->D);
    e->T = ni_carve(&c, distinct * ni_encoder_shared(&e->encoder), sizeof *e->T);
    e->memory = ni_encoder_carve(&e->encoder, rows, sequences, ni_threads_count(e->threads), e->learns, &c);
    if (e->learns) carve_backward(e, b, rows, &c);
    return c.used;
}

static uint64_t bytes_of(const void *self, const ni_batch *b)
{
    ni_encoded copy = *(const ni_encoded *)self;
    choose_way(&copy, b);
    return lay_out(&copy, b, NULL);
}

/* ---- forth ---- */

typedef struct reading {
    ni_encoded *e;
    const ni_batch *b;
    const float *dH; /* batch rows x c, or NULL: rows are read, not returned */
} reading;

/* Copies a row of the table, or returns a row of the gradient. Padding, where it is a row here, has none.
 */
static void copy_row(const reading *r, uint32_t row, uint64_t to)
{
    const ni_encoded *e = r->e;
    uint64_t d = ni_encoder_d(&e->encoder), c = ni_encoder_c(&e->encoder);
    uint32_t id = r->b->id[row];
    if (r->dH && id == NEAP_NONE) memset(e->dH + to * c, 0, c * sizeof *e->dH);
    else if (r->dH) memcpy(e->dH + to * c, r->dH + row * c, c * sizeof *e->dH);
    else if (id == NEAP_NONE) memset(e->X + to * d, 0, d * sizeof *e->X);
    else memcpy(e->X + to * d, e->E + id * d, d * sizeof *e->X);
    e->at[row] = (uint32_t)to;
}

static void sequences_task(void *arg, uint32_t task, uint32_t thread)
{
    const reading *r = arg;
    uint64_t first = (uint64_t)task * SEQUENCES_PER_TASK;
    uint64_t end = ni_task_end(first, SEQUENCES_PER_TASK, r->e->packed.count);
    (void)thread;
    for (uint64_t s = first; s < end; s++) {
        const uint32_t *row = r->b->row + r->b->sequence[r->e->chosen[s]].first;
        for (uint32_t i = 0; i < r->e->length[s]; i++) copy_row(r, row[i], r->e->first[s] + i);
    }
}

static void ids_task(void *arg, uint32_t task, uint32_t thread)
{
    const reading *r = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, r->b->rows);
    (void)thread;
    for (uint64_t row = first; row < end; row++) copy_row(r, (uint32_t)row, row);
}

static void copy_rows(ni_encoded *e, const ni_batch *b, const float *dH)
{
    reading r = { e, b, dH };
    if (e->by_id) ni_threads_run(e->threads, ni_tasks(b->rows, ROWS_PER_TASK), ids_task, &r);
    else ni_threads_run(e->threads, ni_tasks(e->packed.count, SEQUENCES_PER_TASK), sequences_task, &r);
}

/* Lays out `count` sequences of the batch, those that are chosen. */
static void pack(ni_encoded *e, const ni_batch *b, uint32_t count)
{
    for (uint32_t s = 0; s < count; s++) e->length[s] = length_of(e, b, e->chosen[s]);
    uint64_t rows = ni_encoder_lay_out(&e->encoder, e->length, count, e->first);
    e->packed = (ni_packed){ count, e->first, e->length, rows };
    memset(e->at, 0xff, b->rows * sizeof *e->at); /* NEAP_NONE */
}

static void fill_X(ni_encoded *e, const ni_batch *b)
{
    ni_packed_clear(&e->packed, ni_encoder_d(&e->encoder), e->X);
    copy_rows(e, b, NULL);
}

static void encode(ni_encoded *e, const ni_batch *b)
{
    fill_X(e, b);
    ni_encoder_forward(&e->encoder, &e->packed, e->X, e->H, &e->memory, e->threads);
}

/* Fills D and slot, then H; keep: a backward of all sequences may follow. */
static void encode_shared(ni_encoded *e, const ni_batch *b, bool keep)
{
    uint64_t d = ni_encoder_d(&e->encoder);
    uint32_t count = 0;
    for (uint32_t s = 0; s < e->packed.count; s++)
        for (uint32_t i = 0; i < e->length[s]; i++) {
            uint32_t row = b->row[b->sequence[e->chosen[s]].first + i], id = b->id[row], known = count;
            uint64_t at = e->first[s] + i;
            e->slot[at] = number_of(e, id, &count);
            e->at[row] = (uint32_t)at;
            if (known < count) memcpy(e->D + known * d, e->E + id * d, d * sizeof *e->D);
        }
    forget_numbers(e, b);
    ni_encoder_forward_shared(&e->encoder, &e->packed, e->slot, e->D, count, keep, e->T, e->H, &e->memory,
                              e->threads);
    e->kept = keep;
}

static neap_status lend(void *self, const ni_batch *b, ni_rows_view *view, neap_error *err)
{
    ni_encoded *e = self;
    if (count_rows(e, b) > INT32_MAX) /* the matrix library counts with int */
        return ni_fail(err, NEAP_E_LIMIT,
                       "a batch of %u edges is too large to encode; use a smaller --batch", b->items);
    choose_way(e, b);
    if (!ni_block_grow(&e->block, lay_out(e, b, NULL)))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(e, b, ni_first_line(e->block.memory));
    uint32_t count = sequences_of(e, b);
    for (uint32_t s = 0; s < count; s++) e->chosen[s] = s;
    pack(e, b, count);
    if (e->shared) encode_shared(e, b, e->learns && !e->few_live);
    else encode(e, b);
    *view = (ni_rows_view){ e->H, e->by_id ? NULL : e->at };
    return NEAP_OK;
}

/* ---- back ---- */

static void live_task(void *arg, uint32_t task, uint32_t thread)
{
    const reading *r = arg;
    uint64_t c = ni_encoder_c(&r->e->encoder), first = (uint64_t)task * SEQUENCES_PER_TASK;
    uint64_t end = ni_task_end(first, SEQUENCES_PER_TASK, r->b->sequences);
    (void)thread;
    for (uint64_t s = first; s < end; s++) {
        const uint32_t *row = r->b->row + r->b->sequence[s].first;
        uint8_t live = 0;
        for (uint32_t i = 0; i < r->b->sequence[s].size && !live; i++)
            for (uint64_t k = 0; k < c && !live; k++) live = r->dH[row[i] * c + k] != 0;
        r->e->live[s] = live;
    }
}

/* Chooses the sequences that have a gradient, if they are less than half of all; returns how many, or 0:
 * all stay. */
static uint32_t choose_live(ni_encoded *e, const ni_batch *b, const float *dH)
{
    reading r = { e, b, dH };
    uint64_t live = 0, all = 0;
    uint32_t count = 0;
    memset(e->live, 1, b->sequences * sizeof *e->live);
    ni_threads_run(e->threads, ni_tasks(b->sequences, SEQUENCES_PER_TASK), live_task, &r);
    for (uint32_t s = 0; s < b->sequences; s++) {
        all += b->sequence[s].size;
        live += e->live[s] ? b->sequence[s].size : 0;
    }
    if (!live || 2 * live >= all) return 0;
    for (uint32_t s = 0; s < b->sequences; s++)
        if (e->live[s]) e->chosen[count++] = s;
    return count;
}

/* Numbers the distinct ids of the encoded rows, in the order of their first rows. */
static uint32_t find_owners(ni_encoded *e, const ni_batch *b)
{
    uint32_t ids = 0;
    memset(e->owner, 0xff, e->packed.rows * sizeof *e->owner); /* NEAP_NONE */
    for (uint32_t row = 0; row < b->rows; row++) {
        uint32_t id = b->id[row];
        if (id == NEAP_NONE || e->at[row] == NEAP_NONE) continue;
        if (e->row_of[id] == NEAP_NONE) {
            e->row_of[id] = ids;
            e->owner_id[ids++] = id;
        }
        e->owner[e->at[row]] = e->row_of[id];
    }
    for (uint32_t i = 0; i < ids; i++) e->row_of[e->owner_id[i]] = NEAP_NONE;
    return ids;
}

static void sum_task(void *arg, uint32_t task, uint32_t thread)
{
    ni_encoded *e = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK;
    (void)thread;
    ni_sparse_spmm(&e->by_owner, first, ni_task_end(first, ROWS_PER_TASK, e->by_owner.rows), e->dX,
                   ni_encoder_d(&e->encoder), e->sums);
}

/* dE: the rows of dX, summed by id. */
static void sum_by_id(ni_encoded *e, const ni_batch *b)
{
    uint32_t ids = find_owners(e, b);
    e->by_owner.rows = ids;
    e->by_owner.nonzeros = e->packed.rows;
    e->by_owner.row = e->owner;
    ni_sparse_sort(&e->by_owner, e->threads);
    ni_threads_run(e->threads, ni_tasks(ids, ROWS_PER_TASK), sum_task, e);
    e->dE = (ni_gradient){ e->sums, e->owner_id, ids };
}

static neap_status take(void *self, const ni_batch *b, const ni_gradient *gradient, neap_error *err)
{
    ni_encoded *e = self;
    (void)err;
    uint32_t live = e->by_id ? 0 : choose_live(e, b, gradient->values);
    if (live) {
        pack(e, b, live);
        encode(e, b);
    } else if (e->shared) {
        if (!e->kept) encode_shared(e, b, true);
        fill_X(e, b);
    }
    e->few_live = live > 0;
    copy_rows(e, b, gradient->values);
    ni_encoder_backward(&e->encoder, &e->packed, e->X, e->H, e->dH, &e->memory, e->dX, e->threads);
    e->dW = e->memory.dW, e->dU = e->memory.dU, e->db = e->memory.db;
    e->dE = (ni_gradient){ e->dX, b->id, b->rows };
    if (!e->by_id) sum_by_id(e, b);
    return NEAP_OK;
}

/* ---- all rows ---- */

static neap_status lend_all(void *self, const float **rows, neap_error *err)
{
    ni_encoded *e = self;
    ni_packed table = { 1, &(uint64_t){ 0 }, &e->ids, e->ids };
    if (!e->all) e->all = ni_array((uint64_t)e->ids * ni_encoder_c(&e->encoder), sizeof *e->all);
    if (!e->all) return ni_fail_memory(err, "the encoded rows");
    ni_encoder_forward(&e->encoder, &table, e->E, e->all, &e->memory, e->threads);
    *rows = e->all;
    return ni_threads_check(e->threads, err);
}

/* A few sequences at a time, whose rows of X and H these are. */
typedef struct chunk {
    uint64_t *first;
    uint32_t *length, count, most; /* most: sequences */
    uint64_t rows;                 /* of the matrices, at most */
    float *X, *H;
    ni_encoder_memory memory;
} chunk;

static size_t lay_out_chunk(const ni_encoded *e, chunk *k, void *block)
{
    ni_carver c = { block, 0 };
    k->first = ni_carve(&c, k->most, sizeof *k->first);
    k->length = ni_carve(&c, k->most, sizeof *k->length);
    k->X = ni_carve(&c, k->rows * ni_encoder_d(&e->encoder), sizeof *k->X);
    k->H = ni_carve(&c, k->rows * ni_encoder_c(&e->encoder), sizeof *k->H);
    k->memory = ni_encoder_carve(&e->encoder, k->rows, k->most, ni_threads_count(e->threads), false, &c);
    return c.used;
}

/* As many sides from u on as fit into the chunk, into the rows of all positions; returns the next. */
static uint32_t encode_chunk(const ni_encoded *e, const ni_hood *sides, uint32_t u, chunk *k)
{
    uint64_t d = ni_encoder_d(&e->encoder), c = ni_encoder_c(&e->encoder), begin = sides->offset[u];
    for (k->count = 0; u < sides->nodes && k->count < k->most; u++) {
        uint64_t length = sides->offset[u + 1] - begin;
        if (ni_encoder_rows(&e->encoder, k->count + 1, length) > k->rows) break;
        k->length[k->count++] = ni_hood_size(sides, u);
    }
    ni_packed packed = { k->count, k->first, k->length, 0 };
    packed.rows = ni_encoder_lay_out(&e->encoder, k->length, k->count, k->first);
    ni_packed_clear(&packed, d, k->X);
    const uint32_t *id = sides->node + begin;
    for (uint32_t s = 0; s < k->count; s++)
        for (uint32_t i = 0; i < k->length[s]; i++, id++)
            memcpy(k->X + (k->first[s] + i) * d, e->E + *id * d, d * sizeof *k->X);
    ni_encoder_forward(&e->encoder, &packed, k->X, k->H, &k->memory, e->threads);
    float *to = e->all + begin * c;
    for (uint32_t s = 0; s < k->count; to += k->length[s++] * c)
        memcpy(to, k->H + k->first[s] * c, k->length[s] * c * sizeof *to);
    return u;
}

static neap_status lend_all_positions(void *self, const ni_hood *sides, const float **rows, neap_error *err)
{
    enum { ROWS = 1 << 14, SEQUENCES = 1 << 10 };
    ni_encoded *e = self;
    uint32_t longest = 0;
    for (uint32_t u = 0; u < sides->nodes; u++)
        if (ni_hood_size(sides, u) > longest) longest = ni_hood_size(sides, u);
    chunk k = { .most = SEQUENCES, .rows = ni_encoder_rows(&e->encoder, 1, longest) };
    if (k.rows < ROWS) k.rows = ROWS;
    ni_block block = { 0 };
    if (!e->all) e->all = ni_array(sides->offset[sides->nodes] * ni_encoder_c(&e->encoder), sizeof *e->all);
    neap_status rc = e->all && ni_block_grow(&block, lay_out_chunk(e, &k, NULL))
                         ? NEAP_OK
                         : ni_fail_memory(err, "the encoded rows");
    if (rc == NEAP_OK) lay_out_chunk(e, &k, ni_first_line(block.memory));
    for (uint32_t u = 0; u < sides->nodes && rc == NEAP_OK; rc = ni_threads_check(e->threads, err))
        u = encode_chunk(e, sides, u, &k);
    ni_free(block.memory);
    *rows = e->all;
    return rc;
}

ni_rows ni_rows_of_encoder(ni_encoded *e)
{
    return (ni_rows){ .self = e,
                      .identity = e->by_id ? NI_ROW_BY_ID : NI_ROW_BY_POSITION,
                      .ids = e->ids,
                      .lend = lend,
                      .take = e->learns ? take : NULL,
                      .all = e->by_id ? lend_all : NULL,
                      .all_positions = e->by_id ? NULL : lend_all_positions,
                      .bytes = bytes_of };
}
