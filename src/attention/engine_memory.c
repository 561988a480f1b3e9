/* What a call needs: which way it takes, how large its arrays are, and where they lie. */
#include "attention/engine_parts.h"
#include "base/status.h"
#include "base/sys.h"

/* ---- arrays ---- */

/* Cuts arrays from a block, each on its own cache line; without a block it only counts. */
typedef struct carver {
    char *block;
    size_t used;
} carver;

static void *carve(carver *c, uint64_t count, size_t width)
{
    void *here = c->block ? c->block + c->used : NULL;
    c->used += (count * width + NI_CACHE_LINE - 1) / NI_CACHE_LINE * NI_CACHE_LINE;
    return here;
}

static ni_sparse carve_sparse(carver *c, uint64_t rows, uint64_t entries)
{
    ni_sparse m = { .rows = rows, .entries = entries };
    m.start = carve(c, rows, sizeof *m.start);
    m.place = carve(c, NI_SPARSE_CHUNKS * rows, sizeof *m.place);
    m.term = carve(c, entries, sizeof *m.term);
    return m;
}

static void carve_backward(ni_engine *e, const ni_shape *s, carver *c)
{
    uint64_t d = e->in.dim, G_cells = s->source_rows * s->rows;
    e->g = carve(c, s->sides * d, sizeof(float));
    e->live = carve(c, s->sides, 1);
    e->loss = carve(c, s->items, sizeof(double));
    e->cell_row = carve(c, s->entries, sizeof(uint32_t));
    e->cell_col = carve(c, s->entries, sizeof(uint32_t));
    e->cell_value = carve(c, s->entries, sizeof(float));
    e->entry = carve(c, s->sides, sizeof(uint64_t));
    uint64_t W_cells = s->grouped ? 0 : s->elements;
    e->element_row = carve(c, W_cells, sizeof(uint32_t));
    e->element_side = carve(c, W_cells, sizeof(uint32_t));
    e->W = carve_sparse(c, s->grouped ? 0 : s->rows, W_cells);
    e->G = carve_sparse(c, s->source_rows, s->entries);
    e->turned = carve_sparse(c, s->rows, s->entries < G_cells ? s->entries : G_cells);
    e->known = carve(c, e->threads * s->rows, sizeof(uint32_t));
    e->H = carve(c, s->source_rows * d, sizeof(float));
    e->Wg = carve(c, s->rows * d, sizeof(float));
    e->dX = carve(c, s->rows * d, sizeof(float));
    e->dP = carve(c, d * d, sizeof(float));
    e->owner = carve(c, s->nodes ? s->rows : 0, sizeof(uint32_t));
    e->grad_node = carve(c, s->nodes, sizeof(uint32_t));
    e->dE = carve(c, s->nodes * d, sizeof(float));
    e->by_owner = carve_sparse(c, s->nodes, s->nodes ? s->rows : 0);
}

/* Sets the arrays (or, with block NULL, only counts); returns the bytes. */
static size_t lay_out(ni_engine *e, const ni_shape *s, void *block)
{
    uint64_t d = e->in.dim;
    carver c = { block, 0 };
    e->mask = carve(&c, s->rows * ni_mask_words(e->in.dim), sizeof(uint64_t));
    e->X = carve(&c, s->rows * d, sizeof(float));
    e->Q = carve(&c, s->source_rows * d, sizeof(float));
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
    uint64_t n = ni_whole_lanes(e->widest);
    carver c = { block, 0 };
    s->strip = carve(&c, NI_STRIP_ROWS * n, sizeof(float));
    s->row = (ni_maxima){ carve(&c, n, sizeof(float)), carve(&c, n, sizeof(uint32_t)) };
    for (int k = 0; k < NI_STRIP_ROWS; k++)
        s->col[k] = (ni_maxima){ carve(&c, n, sizeof(float)), carve(&c, n, sizeof(uint32_t)) };
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

neap_status ni_engine_make_scratch(ni_engine *e, neap_error *err)
{
    ni_scratch none;
    e->widest = widest_rows(e->in.hood);
    size_t bytes = lay_out_scratch(e, &none, NULL);
    e->scratch = ni_zeros(e->threads, sizeof *e->scratch);
    e->scratch_block = ni_array(1, e->threads * bytes + NI_CACHE_LINE);
    if (!e->scratch || !e->scratch_block) return ni_fail_memory(err, "a batch");
    for (uint32_t i = 0; i < e->threads; i++)
        lay_out_scratch(e, &e->scratch[i], (char *)ni_first_line(e->scratch_block) + i * bytes);
    return NEAP_OK;
}

/* ---- shape of a call ---- */

/* A table costs a product of d multiplications a cell and then a gather for every cell of every pair; tiles
 * cost a product for every cell of every pair. What counts is where the two are even: `bench/run ways`
 * forces both on email at batches of 32 to 1024 (bench/ways.c), and they were with 191, 117 and 55
 * multiplications a cell of the table for d = 200, 128 and 64. */
static bool table_wins(const ni_engine *e)
{
    const double gather = 9;    /* multiplications                                */
    const uint32_t most = 8192; /* rows: the table takes at most 4 R^2 bytes      */
    double d = e->in.dim, cells = (double)e->batch.pair_cells;
    double table = (double)e->batch.source_rows * (double)e->batch.rows;
    if (e->way) return e->way == 1;
    return e->batch.rows <= most && table * d + cells * gather < cells * d;
}

/* Sides of one neighbourhood read its rows together, but then no longer while their pair is in the cache,
 * and each group adds to its rows anew. It pays where a neighbourhood serves several sides; two is where
 * trials on email, at batches of 256 and 512, could not tell the ways apart. */
static bool grouping_wins(const ni_engine *e)
{
    const ni_batch *b = &e->batch;
    if (e->order) return e->order == 1;
    return (uint64_t)b->items * b->width > 2 * (uint64_t)b->locals;
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
                       .backward = backward,
                       .grouped = grouping_wins(e) };
}

/* The cells of the gradient are numbered by 32 bits. */
static neap_status check_cells(const ni_shape *s, neap_error *err)
{
    if (!s->backward || s->elements + s->entries <= UINT32_MAX) return NEAP_OK;
    return ni_fail(err, NEAP_E_LIMIT,
                   "a batch of %llu edges has too many neighbour pairs; use a smaller --batch",
                   (unsigned long long)s->items);
}

neap_status ni_engine_prepare(ni_engine *e, bool backward, neap_error *err)
{
    e->shape = shape_of(e, backward);
    neap_status rc = check_cells(&e->shape, err);
    if (rc != NEAP_OK) return rc;
    size_t bytes = lay_out(e, &e->shape, NULL);
    if (bytes > e->block_bytes) {
        ni_free(e->block);
        e->block_bytes = 0;
        e->block = ni_array(bytes + NI_CACHE_LINE, 1);
        if (!e->block) return ni_fail_memory(err, "a batch; a smaller --batch needs less");
        e->block_bytes = bytes;
    }
    lay_out(e, &e->shape, ni_first_line(e->block));
    return NEAP_OK;
}

neap_status ni_engine_measure(ni_engine *e, const uint32_t *nodes, uint32_t items, uint32_t negatives,
                              uint64_t *bytes, neap_error *err)
{
    ni_scratch scratch;
    neap_status rc = ni_batch_collect(&e->batch, nodes, items, 2 + negatives, err);
    if (rc != NEAP_OK) return rc;
    ni_shape shape = shape_of(e, true);
    rc = check_cells(&shape, err);
    if (rc != NEAP_OK) return rc;
    *bytes = lay_out(e, &shape, NULL) + e->threads * lay_out_scratch(e, &scratch, NULL) +
             ni_batch_bytes(&e->batch);
    return NEAP_OK;
}
