/* ways.c - table or tiles: what each way of aligning costs in batches of several sizes, which one the
 * engine chooses, and the two constants of its choice (table_wins in model/engine_memory.c), fitted anew.
 * Batches of training with the preset paper, on one thread. Looks inside the library; run by engine.py.
 *
 *     ways GRAPH DIM SECONDS BATCH...                    seconds: for each size, or at least one batch */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention/engine_parts.h"
#include "attention/trainer.h"

enum { BY_COST, TABLE, TILES, TIMES = 5 };

/* Seconds of aligning and pooling one batch, or the sums over the batches of one size. */
typedef struct cost {
    double product;         /* Q X', the table: stage TABLE                                  */
    double gathered, tiled; /* stage POOL, on cells of the table and on those of pairwise tiles */
    double shared;          /* in both of these: maxima and attention, without the cells     */
} cost;

typedef struct size_result {
    uint32_t batches, tables;       /* tables: how often the engine chose one */
    double table_cells, pair_cells; /* S R; a b, summed over the pairs         */
    double chosen;                  /* seconds of the ways that were chosen    */
    cost cost;
} size_result;

/* ---- what both ways share: pooling as engine.c does it, but for the cells ---- */

/* The maxima of a pair, over whatever the strip holds; with `both` also of the source's rows. */
static void pool_pair(const ni_engine *e, const ni_local *s, const ni_local *t, bool both)
{
    const ni_scratch *scratch = &e->scratch[0];
    for (size_t j = 0; j < ni_whole_lanes(t->rows); j++)
        scratch->col[0].max[j] = -INFINITY, scratch->col[0].arg[j] = 0;
    for (uint32_t first = 0; first < s->rows; first += NI_STRIP_ROWS) {
        uint32_t a = s->rows - first < NI_STRIP_ROWS ? s->rows - first : NI_STRIP_ROWS;
        ni_maxima row = { scratch->row.max + first, scratch->row.arg + first };
        e->k->pool(scratch->strip, a, t->rows, first, both ? &row : NULL, &scratch->col[0]);
    }
}

static void attend(const ni_engine *e, uint64_t side)
{
    const ni_local *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    float *z = e->z + e->batch.element[side], *w = e->w + e->batch.element[side];
    e->k->tanh(z, own->size, z);
    float share = 1 / e->k->exp(z, own->size, w);
    for (uint32_t i = 0; i < own->size; i++) w[i] *= share;
    e->k->mix(&(const float *){ w }, 1, row, own->size, e->X, e->in.dim,
              &(float *){ e->r + side * e->in.dim });
}

/* Pools the batch of the last step once more, with cells that cost nothing. */
static double seconds_of_shared(const ni_engine *e)
{
    double start = ni_seconds();
    uint64_t width = e->batch.width;
    for (uint64_t source = 0; source < e->shape.sides; source += width) {
        const ni_local *s = ni_batch_side(&e->batch, source);
        for (uint64_t k = 1; k < width; k++) pool_pair(e, s, ni_batch_side(&e->batch, source + k), k == 1);
        for (uint64_t k = 0; k < width; k++) attend(e, source + k);
    }
    return ni_seconds() - start;
}

/* ---- measuring ---- */

static neap_status make_trainer(const neap_graph *graph, const neap_options *options, ni_trainer *t,
                                neap_error *err)
{
    neap_status rc = ni_trainer_prepare(graph, options, NULL, t, err);
    if (rc == NEAP_OK) rc = ni_model_init_tables(t->model, err);
    if (rc != NEAP_OK) return rc;
    const neap_model *m = t->model;
    ni_engine_inputs in = { t->options, &m->hood, m->E, m->P, m->pad, m->dim, m->threads };
    return ni_engine_create(&in, &t->engine, err);
}

/* Afterwards the stages have this step alone. */
static neap_status step(ni_trainer *t, int way, uint32_t items, neap_error *err)
{
    ni_gradient gradient;
    double loss;
    *ni_engine_stages(t->engine) = (ni_stages){ 0 };
    ni_engine_force(t->engine, way);
    return ni_engine_step(t->engine, t->feed.nodes, items, t->options->negatives, 0, &gradient, &loss, err);
}

/* Both ways in turn: of each stage the best of a few times. */
static neap_status measure_ways(ni_trainer *t, uint32_t items, cost *best, neap_error *err)
{
    const ni_stages *stages = ni_engine_stages(t->engine);
    neap_status rc = NEAP_OK;
    *best = (cost){ INFINITY, INFINITY, INFINITY, INFINITY };
    for (int time = 0; time < TIMES && rc == NEAP_OK; time++) {
        rc = step(t, TILES, items, err);
        best->tiled = fmin(best->tiled, stages->seconds[NI_STAGE_POOL]);
        if (rc == NEAP_OK) rc = step(t, TABLE, items, err);
        best->product = fmin(best->product, stages->seconds[NI_STAGE_TABLE]);
        best->gathered = fmin(best->gathered, stages->seconds[NI_STAGE_POOL]);
        if (rc == NEAP_OK) best->shared = fmin(best->shared, seconds_of_shared(t->engine));
    }
    return rc;
}

static neap_status measure_batch(ni_trainer *t, uint32_t items, size_result *r, neap_error *err)
{
    cost one;
    neap_status rc = step(t, BY_COST, items, err);
    bool table = ni_engine_used_table(t->engine);
    if (rc == NEAP_OK) rc = measure_ways(t, items, &one, err);
    if (rc != NEAP_OK) return rc;
    r->batches++;
    r->tables += table;
    r->table_cells += (double)t->engine->shape.source_rows * (double)t->engine->shape.rows;
    r->pair_cells += (double)t->engine->batch.pair_cells;
    r->chosen += table ? one.product + one.gathered : one.tiled;
    r->cost.product += one.product;
    r->cost.gathered += one.gathered;
    r->cost.tiled += one.tiled;
    r->cost.shared += one.shared;
    return NEAP_OK;
}

/* Batches of an epoch, one after the other. */
static neap_status measure_size(const neap_graph *graph, const neap_options *options, double seconds,
                                size_result *r, neap_error *err)
{
    ni_trainer t = { 0 };
    uint32_t size = options->batch;
    neap_status rc = make_trainer(graph, options, &t, err);
    double start = ni_seconds();
    *r = (size_result){ 0 };
    for (uint64_t place = 0; rc == NEAP_OK && place < t.sampler.places; place += size) {
        uint32_t items = ni_feed_fill(&t.feed, 0, place, size);
        if (items) rc = measure_batch(&t, items, r, err);
        if (r->batches && ni_seconds() - start >= seconds) break;
    }
    ni_trainer_free(&t);
    return rc;
}

/* ---- saying it ---- */

/* The fit. One multiplication of the large product takes  unit = product / (S R d)  seconds. What a way of
 * pooling takes beyond the shared part it takes for its cells, so for each cell, in these units,
 *
 *     gather = (gathered - shared) / (cells unit),      tile = (tiled - shared) / (cells d unit).
 *
 * Only d tile - gather matters to the choice, in which the shared part is gone. */
static void print_size(const neap_options *options, const size_result *r)
{
    const cost *c = &r->cost;
    double n = r->batches, d = options->dim, unit = c->product / (r->table_cells * d);
    double table = c->product + c->gathered, least = fmin(table, c->tiled);
    printf("{\"batch\": %u, \"batches\": %u, \"table_cells\": %.0f, \"pair_cells\": %.0f, ", options->batch,
           r->batches, r->table_cells / n, r->pair_cells / n);
    printf("\"table\": {\"table\": %.4g, \"pool\": %.4g}, \"tiles\": {\"table\": 0, \"pool\": %.4g}, ",
           c->product / n, c->gathered / n, c->tiled / n);
    printf("\"shared\": %.4g, \"chose_table\": %u, \"faster\": \"%s\", \"over_faster\": %.4f, ",
           c->shared / n, r->tables, table < c->tiled ? "table" : "tiles", r->chosen / least);
    printf("\"gather\": %.4g, \"tile\": %.4g}", (c->gathered - c->shared) / (r->pair_cells * unit),
           (c->tiled - c->shared) / (r->pair_cells * d * unit));
}

static neap_status measure(const neap_graph *graph, neap_options *options, double seconds, char **sizes,
                           neap_error *err)
{
    size_result r;
    neap_status rc = NEAP_OK;
    printf("{\"dim\": %u, \"sizes\": [", options->dim);
    for (char **size = sizes; *size && rc == NEAP_OK; size++) {
        rc = neap_options_set(options, "batch", *size, err);
        if (rc == NEAP_OK) rc = measure_size(graph, options, seconds, &r, err);
        if (rc == NEAP_OK && size > sizes) printf(", ");
        if (rc == NEAP_OK) print_size(options, &r);
    }
    printf("]}\n");
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    neap_graph *graph = NULL;
    if (argc < 5) return 2;
    neap_status rc = neap_options_create("paper", &options, &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "dim", argv[2], &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "valid", "0", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "threads", "1", &err);
    if (rc == NEAP_OK) rc = neap_graph_load(argv[1], options, &graph, &err);
    if (rc == NEAP_OK) rc = measure(graph, options, strtod(argv[3], NULL), argv + 4, &err);
    neap_graph_free(graph);
    neap_options_free(options);
    if (rc != NEAP_OK) return fprintf(stderr, "ways: %s\n", err.text), 3;
    return 0;
}
