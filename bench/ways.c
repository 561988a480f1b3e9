/* ways.c - table or tiles: what each way of aligning costs in batches of several sizes, which one the
 * engine chooses, and the two constants of its choice (table_wins in attention/engine_memory.c), fitted
 * anew. Batches of training with the preset paper, on one thread. Looks inside the library; run by
 * engine.py.
 *
 *     ways GRAPH DIM SECONDS BATCH...                    seconds: for each size, or at least one batch */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention/engine_parts.h"
#include "attention/trainer.h"
#include "support/status.h"

enum { BY_COST, TABLE, TILES, TIMES = 5 };

/* Seconds of aligning and pooling one batch, or the sums over the batches of one size. */
typedef struct cost {
    double product;         /* Q X', the table: stage TABLE                                  */
    double gathered, tiled; /* stage POOL, on cells of the table and on those of pairwise tiles */
    double shared;          /* in both of these: maxima and attention, without the cells     */
} cost;

typedef struct size_result {
    uint32_t batch, dim;            /* of the options                          */
    uint32_t batches, tables;       /* tables: how often the engine chose one */
    double table_cells, alignments; /* S R; a b, summed over the pairs         */
    double chosen;                  /* seconds of the ways that were chosen    */
    cost cost;
} size_result;

/* ---- what both ways share: pooling as engine.c does it, but for the cells ---- */

/* The maxima of a pair, over whatever the strip holds; with `both` also of the source's rows. */
static void pool_pair(const ni_engine *e, const ni_sequence *s, const ni_sequence *t, bool both)
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
    const ni_sequence *own = ni_batch_side(&e->batch, side);
    const uint32_t *row = e->batch.row + own->first;
    float *z = e->z + e->batch.position[side], *w = e->w + e->batch.position[side];
    e->k->tanh(z, own->size, z);
    float share = 1 / e->k->exp(z, own->size, w);
    for (uint32_t i = 0; i < own->size; i++) w[i] *= share;
    e->k->gather_sum(&(const float *){ w }, 1, row, own->size, e->X, e->in.dim,
                     &(float *){ e->r + side * e->in.dim });
}

/* Pools the batch of the last step once more, with cells that cost nothing. */
static double seconds_of_shared(const ni_engine *e)
{
    double start = ni_seconds();
    uint64_t width = e->batch.width;
    for (uint64_t source = 0; source < e->shape.sides; source += width) {
        const ni_sequence *s = ni_batch_side(&e->batch, source);
        for (uint64_t k = 1; k < width; k++) pool_pair(e, s, ni_batch_side(&e->batch, source + k), k == 1);
        for (uint64_t k = 0; k < width; k++) attend(e, source + k);
    }
    return ni_seconds() - start;
}

/* ---- measuring ---- */

/* What makes steps, with the tensors that training begins with. */
typedef struct trainer {
    neap_model *model;
    const ni_attention_options *o;
    ni_threads *threads;
    ni_sampler sampler;
    ni_side *sides;
    ni_row_table table;
    ni_rows rows;
    ni_attention attention;
} trainer;

static neap_status make_attention(trainer *t, neap_error *err)
{
    const neap_model *m = t->model;
    const ni_gap *own = m->own;
    t->table = (ni_row_table){ .E = own->E };
    t->rows = ni_rows_of_table(&t->table, m->rows);
    t->attention = (ni_attention){ .options = t->o,
                                   .seed = m->settings->common.seed,
                                   .hood = &m->hood,
                                   .rows = &t->rows,
                                   .P = own->P,
                                   .pad = own->pad,
                                   .dim = m->dim,
                                   .threads = t->threads };
    return ni_attention_create(&t->attention, err);
}

static neap_status make_trainer(const neap_graph *graph, const neap_options *options, trainer *t,
                                neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = graph };
    neap_status rc = neap_train(&data, options, NULL, &t->model, err);
    if (rc != NEAP_OK) return rc;
    const neap_model *m = t->model;
    t->o = m->settings->own;
    rc = ni_threads_create(1, &t->threads, err);
    if (rc == NEAP_OK)
        rc = ni_sampler_create(&t->o->sampling, t->o->learning.negatives, m->settings->common.seed,
                               m->graph, &m->links, NULL, t->threads, &t->sampler, err);
    t->sides = ni_array((size_t)t->o->sampling.batch * (2 + t->o->learning.negatives), sizeof *t->sides);
    if (rc == NEAP_OK && !t->sides) rc = ni_fail_memory(err, "a batch");
    return rc == NEAP_OK ? make_attention(t, err) : rc;
}

static void trainer_free(trainer *t)
{
    ni_attention_free(&t->attention);
    ni_sampler_free(&t->sampler);
    ni_free(t->sides);
    ni_threads_free(t->threads);
    neap_model_free(t->model);
}

/* Afterwards the stages have this step alone. */
static neap_status step(trainer *t, int way, const ni_items *items, neap_error *err)
{
    ni_engine_gradients gradients;
    double loss;
    *ni_engine_stages(t->attention.engine) = (ni_stages){ 0 };
    ni_engine_force(t->attention.engine, way);
    return ni_engine_step(t->attention.engine, items, 0, &gradients, &loss, err);
}

/* Both ways in turn: of each stage the best of a few times. */
static neap_status measure_ways(trainer *t, const ni_items *items, cost *best, neap_error *err)
{
    const ni_stages *stages = ni_engine_stages(t->attention.engine);
    neap_status rc = NEAP_OK;
    *best = (cost){ INFINITY, INFINITY, INFINITY, INFINITY };
    for (int time = 0; time < TIMES && rc == NEAP_OK; time++) {
        rc = step(t, TILES, items, err);
        best->tiled = fmin(best->tiled, stages->seconds[NI_STAGE_POOL]);
        if (rc == NEAP_OK) rc = step(t, TABLE, items, err);
        best->product = fmin(best->product, stages->seconds[NI_STAGE_TABLE]);
        best->gathered = fmin(best->gathered, stages->seconds[NI_STAGE_POOL]);
        if (rc == NEAP_OK) best->shared = fmin(best->shared, seconds_of_shared(t->attention.engine));
    }
    return rc;
}

static neap_status measure_batch(trainer *t, const ni_items *items, size_result *r, neap_error *err)
{
    cost one;
    neap_status rc = step(t, BY_COST, items, err);
    bool table = ni_engine_used_table(t->attention.engine);
    if (rc == NEAP_OK) rc = measure_ways(t, items, &one, err);
    if (rc != NEAP_OK) return rc;
    r->batches++;
    r->tables += table;
    r->table_cells +=
        (double)t->attention.engine->shape.source_rows * (double)t->attention.engine->shape.rows;
    r->alignments += (double)t->attention.engine->batch.alignments;
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
    trainer t = { 0 };
    neap_status rc = make_trainer(graph, options, &t, err);
    uint32_t size = rc == NEAP_OK ? t.o->sampling.batch : 1;
    double start = ni_seconds();
    *r = (size_result){ .batch = size, .dim = t.model ? t.model->dim : 0 };
    for (uint64_t at = 0; rc == NEAP_OK && at < t.sampler.positions; at += size) {
        ni_items items = { .sides = t.sides,
                           .count = ni_sampler_fill(&t.sampler, 0, at, size),
                           .negatives = t.o->learning.negatives };
        for (uint64_t i = 0; i < (uint64_t)items.count * (2 + items.negatives); i++)
            t.sides[i] = ni_hood_side(t.attention.hood, t.sampler.nodes[i]);
        if (items.count) rc = measure_batch(&t, &items, r, err);
        if (r->batches && ni_seconds() - start >= seconds) break;
    }
    trainer_free(&t);
    return rc;
}

/* ---- saying it ---- */

/* The fit. One multiplication of the large product takes  unit = product / (S R d)  seconds. What a way of
 * pooling takes beyond the shared part it takes for its cells, so for each cell, in these units,
 *
 *     gather = (gathered - shared) / (cells unit),      tile = (tiled - shared) / (cells d unit).
 *
 * Only d tile - gather matters to the choice, in which the shared part is gone. */
static void print_size(const size_result *r)
{
    const cost *c = &r->cost;
    double n = r->batches, d = r->dim, unit = c->product / (r->table_cells * d);
    double table = c->product + c->gathered, least = fmin(table, c->tiled);
    printf("{\"batch\": %u, \"batches\": %u, \"table_cells\": %.0f, \"pair_cells\": %.0f, ", r->batch,
           r->batches, r->table_cells / n, r->alignments / n);
    printf("\"table\": {\"table\": %.4g, \"pool\": %.4g}, \"tiles\": {\"table\": 0, \"pool\": %.4g}, ",
           c->product / n, c->gathered / n, c->tiled / n);
    printf("\"shared\": %.4g, \"chose_table\": %u, \"faster\": \"%s\", \"over_faster\": %.4f, ",
           c->shared / n, r->tables, table < c->tiled ? "table" : "tiles", r->chosen / least);
    printf("\"gather\": %.4g, \"tile\": %.4g}", (c->gathered - c->shared) / (r->alignments * unit),
           (c->tiled - c->shared) / (r->alignments * d * unit));
}

static neap_status measure(const neap_graph *graph, neap_options *options, double seconds, char **sizes,
                           neap_error *err)
{
    size_result r;
    char dim[16];
    neap_status rc = neap_options_get(options, "dim", dim, sizeof dim, err);
    if (rc != NEAP_OK) return rc;
    printf("{\"dim\": %s, \"sizes\": [", dim);
    for (char **size = sizes; *size && rc == NEAP_OK; size++) {
        rc = neap_options_set(options, "batch", *size, err);
        if (rc == NEAP_OK) rc = measure_size(graph, options, seconds, &r, err);
        if (rc == NEAP_OK && size > sizes) printf(", ");
        if (rc == NEAP_OK) print_size(&r);
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
    if (rc == NEAP_OK) rc = neap_options_set(options, "method", "gap", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "dim", argv[2], &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "valid", "0", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "epochs", "0", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "threads", "1", &err);
    if (rc == NEAP_OK) rc = neap_graph_load(argv[1], options, NULL, &graph, &err);
    if (rc == NEAP_OK) rc = measure(graph, options, strtod(argv[3], NULL), argv + 4, &err);
    neap_graph_free(graph);
    neap_options_free(options);
    if (rc != NEAP_OK) return fprintf(stderr, "ways: %s\n", err.text), 3;
    return 0;
}
