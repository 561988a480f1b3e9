/* The memory of a call: whether it aligns by a table, the sizes of its arrays, and their offsets in one
 * block. O(1) besides the block; the engine owns block and scratch, which only grow. */
#include "attention/engine_parts.h"
#include "base/carve.h"
#include "base/sys.h"
#include "support/status.h"

/* ---- arrays ---- */

static void carve_backward(ni_engine *e, const ni_shape *s, ni_carver *c)
{
    uint64_t d = e->in.dim, G_most = s->source_rows * s->rows;
    e->g = ni_carve(c, s->sides * d, sizeof(float));
    e->score = ni_carve(c, s->sides, sizeof(float));
    e->dscore = ni_carve(c, s->sides, sizeof(float));
    e->live = ni_carve(c, s->sides, 1);
    e->loss = ni_carve(c, s->items, sizeof(double));
    e->db = ni_carve(c, (s->items + 1) * e->in.terms, sizeof(float));
    e->G_row = ni_carve(c, s->nonzeros, sizeof(uint32_t));
    e->G_col = ni_carve(c, s->nonzeros, sizeof(uint32_t));
    e->G_value = ni_carve(c, s->nonzeros, sizeof(float));
    e->G_first = ni_carve(c, s->sides, sizeof(uint64_t));
    uint64_t W_count = s->grouped ? 0 : s->positions;
    e->W_row = ni_carve(c, W_count, sizeof(uint32_t));
    e->W_col = ni_carve(c, W_count, sizeof(uint32_t));
    e->W = ni_sparse_carve(c, s->grouped ? 0 : s->rows, W_count);
    e->G = ni_sparse_carve(c, s->source_rows, s->nonzeros);
    e->G_transposed = ni_sparse_carve(c, s->rows, s->nonzeros < G_most ? s->nonzeros : G_most);
    e->known = ni_carve(c, e->threads * s->rows, sizeof(uint32_t));
    e->H = ni_carve(c, s->source_rows * d, sizeof(float));
    e->Wg = ni_carve(c, s->rows * d, sizeof(float));
    e->dX = ni_carve(c, s->rows * d, sizeof(float));
    e->dP = ni_carve(c, d * d, sizeof(float));
    e->owner = ni_carve(c, s->ids ? s->rows : 0, sizeof(uint32_t));
    e->owner_id = ni_carve(c, s->ids, sizeof(uint32_t));
    e->dE = ni_carve(c, s->ids * d, sizeof(float));
    e->by_owner = ni_sparse_carve(c, s->ids, s->ids ? s->rows : 0);
}

/* Sets the arrays (or, with block NULL, only counts); returns the bytes. */
static size_t lay_out(ni_engine *e, const ni_shape *s, void *block)
{
    uint64_t d = e->in.dim;
    ni_carver c = { block, 0 };
    e->mask = ni_carve(&c, s->rows * ni_mask_words(e->in.dim), sizeof(uint64_t));
    e->X = ni_carve(&c, s->rows * d, sizeof(float));
    e->Q = ni_carve(&c, s->source_rows * d, sizeof(float));
    e->M = ni_carve(&c, s->table ? s->source_rows * s->rows : 0, sizeof(float));
    e->r = ni_carve(&c, s->sides * d, sizeof(float));
    e->z = ni_carve(&c, s->positions, sizeof(float));
    e->w = ni_carve(&c, s->positions, sizeof(float));
    e->pick = ni_carve(&c, s->positions, sizeof(uint32_t));
    if (s->backward) carve_backward(e, s, &c);
    return c.used;
}

/* rows: of the longest sequence. */
static size_t lay_out_scratch(uint32_t rows, ni_scratch *s, void *block)
{
    uint64_t n = ni_whole_lanes(rows);
    ni_carver c = { block, 0 };
    s->strip = ni_carve(&c, NI_STRIP_ROWS * n, sizeof(float));
    s->row = (ni_maxima){ ni_carve(&c, n, sizeof(float)), ni_carve(&c, n, sizeof(uint32_t)) };
    for (int k = 0; k < NI_STRIP_ROWS; k++)
        s->col[k] = (ni_maxima){ ni_carve(&c, n, sizeof(float)), ni_carve(&c, n, sizeof(uint32_t)) };
    return c.used;
}

/* Room for the longest sequence of the batch, in all threads. */
static bool grow_scratch(ni_engine *e)
{
    ni_scratch none;
    size_t bytes = lay_out_scratch(e->batch.widest, &none, NULL);
    if (e->batch.widest <= e->widest) return true;
    ni_free(e->scratch_block);
    e->widest = 0;
    e->scratch_block = ni_array(1, e->threads * bytes + NI_CACHE_LINE);
    if (!e->scratch_block) return false;
    for (uint32_t i = 0; i < e->threads; i++)
        lay_out_scratch(e->batch.widest, &e->scratch[i],
                        (char *)ni_first_line(e->scratch_block) + i * bytes);
    e->widest = e->batch.widest;
    return true;
}

/* ---- shape of a call ---- */

/* The table costs d multiplications per entry and then a gather per alignment of every pair; tiles cost
 * d multiplications per alignment. The constants are where the two are equal: `bench/run ways` forces both
 * on email at batches of 32 to 1024 (bench/ways.c), and they were with 191, 117 and 55 multiplications per
 * entry of the table for d = 200, 128 and 64. */
static bool table_wins(const ni_engine *e)
{
    const double gather = 9;    /* multiplications                                */
    const uint32_t most = 8192; /* rows: the table takes at most 4 R^2 bytes      */
    double d = e->in.dim, alignments = (double)e->batch.alignments;
    double table = (double)e->batch.source_rows * (double)e->batch.rows;
    if (!ni_aligns(e->in.options)) return false;
    if (e->alignment) return e->alignment == 1;
    return e->batch.rows <= most && table * d + alignments * gather < alignments * d;
}

/* Sides of one neighbourhood read its rows together, but then no longer while their pair is in the
 * cache, and each group adds to its rows anew. It pays where a neighbourhood serves several sides; two is
 * where trials on email, at batches of 256 and 512, showed no difference. */
static bool grouping_wins(const ni_engine *e)
{
    const ni_batch *b = &e->batch;
    if (e->order) return e->order == 1;
    return (uint64_t)b->items * b->width > 2 * (uint64_t)b->sequences;
}

static ni_shape shape_of(const ni_engine *e, bool backward)
{
    const ni_batch *b = &e->batch;
    uint64_t sides = (uint64_t)b->items * b->width, positions = b->position[sides];
    return (ni_shape){ .items = b->items,
                       .sides = sides,
                       .rows = b->rows,
                       .source_rows = b->source_rows,
                       .positions = positions,
                       .nonzeros = ni_engine_averages(e) ? b->alignments : positions,
                       .ids = ni_engine_merges(e) ? b->rows : 0,
                       .table = table_wins(e),
                       .backward = backward,
                       .grouped = grouping_wins(e) };
}

/* Positions and nonzeros are numbered by 32 bits. */
static neap_status check_nonzeros(const ni_shape *s, neap_error *err)
{
    if (!s->backward || s->positions + s->nonzeros <= UINT32_MAX) return NEAP_OK;
    return ni_fail(err, NEAP_E_LIMIT,
                   "a batch of %llu edges has too many neighbour pairs; use a smaller --batch",
                   (unsigned long long)s->items);
}

neap_status ni_engine_prepare(ni_engine *e, bool backward, neap_error *err)
{
    e->shape = shape_of(e, backward);
    neap_status rc = check_nonzeros(&e->shape, err);
    if (rc != NEAP_OK) return rc;
    if (!grow_scratch(e) || !ni_block_grow(&e->block, lay_out(e, &e->shape, NULL)))
        return ni_fail_memory(err, "a batch; a smaller --batch needs less");
    lay_out(e, &e->shape, ni_first_line(e->block.memory));
    return NEAP_OK;
}

neap_status ni_engine_measure(ni_engine *e, const ni_items *items, uint64_t *bytes, neap_error *err)
{
    ni_scratch scratch;
    neap_status rc = ni_batch_collect(&e->batch, items->sides, items->count, 2 + items->negatives, err);
    if (rc != NEAP_OK) return rc;
    ni_shape shape = shape_of(e, true);
    rc = check_nonzeros(&shape, err);
    if (rc != NEAP_OK) return rc;
    *bytes = lay_out(e, &shape, NULL) + e->threads * lay_out_scratch(e->batch.widest, &scratch, NULL) +
             ni_batch_bytes(&e->batch);
    if (e->in.rows->bytes) *bytes += e->in.rows->bytes(e->in.rows->self, &e->batch);
    return NEAP_OK;
}
