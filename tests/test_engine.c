/* The batch engine against reference.c: losses, gradients and scores, for every kind of model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/engine_parts.h"
#include "attention/reference.h"
#include "attention/trainer.h"
#include "base/rng.h"
#include "settings.h"

/* More nodes in a batch than a task has rows. */
enum {
    N = 700,
    EDGES = 3000,
    D = 37,
    S = 8,
    ITEMS = 120,
    K = 2,
    WIDTH = 2 + K,
    STEP = 7,
    TERMS = 3,
    SEED = 1
};

/* What is different from the plain: max pooling, no padding, no dropout, a matrix, margins, dot products.
 */
typedef struct kind {
    const char *pooling, *padding, *dropout, *per, *matrix, *objective, *alignment, *attention;
    uint32_t score, terms;
    bool masked; /* sources and targets are left out of each other's neighbourhoods, which are reversed */
    bool by_position; /* a row depends on its position in its sequence: see scaled_rows */
} kind;

typedef struct world {
    kind kind;
    neap_options *options;
    const ni_attention_options *own; /* their values */
    neap_graph *graph;
    neap_model *model;
    ni_gap *gap; /* its tensors */
    ni_threads *threads;
    ni_row_table table;
    ni_gradient taken; /* by the table */
    float *scaled;     /* rows x d: what scaled_rows lends */
    float *scaled_dE;  /* N x d: what it takes */
    ni_rows rows;
    ni_engine *engine;
    uint32_t items, ids[ITEMS * WIDTH * S];
    ni_side sides[ITEMS * WIDTH];
    float b[TERMS], features[ITEMS * (1 + K) * TERMS];
    float *dE, *dP, db[TERMS]; /* by the reference */
    double loss;
} world;

/* ---- rows that depend on their position: an encoder in small ---- */

static float factor(const world *w, uint32_t position)
{
    return w->kind.by_position ? 1 - 0.0625F * (float)position : 1;
}

static neap_status lend_scaled(void *self, const ni_batch *b, ni_rows_view *view, neap_error *err)
{
    world *w = self;
    (void)err;
    free(w->scaled);
    w->scaled = calloc((size_t)b->rows * D, sizeof *w->scaled);
    for (const ni_sequence *s = b->sequence; s < b->sequence + b->sequences; s++)
        for (uint32_t i = 0; i < s->size * D; i++) {
            uint32_t row = b->row[s->first + i / D];
            w->scaled[row * D + i % D] = w->gap->E[b->id[row] * D + i % D] * factor(w, i / D);
        }
    *view = (ni_rows_view){ w->scaled, NULL };
    return NEAP_OK;
}

static neap_status take_scaled(void *self, const ni_batch *b, const ni_gradient *g, neap_error *err)
{
    world *w = self;
    (void)err;
    assert_int_equal(g->rows, b->rows);
    memset(w->scaled_dE, 0, (size_t)N * D * sizeof *w->scaled_dE);
    for (const ni_sequence *s = b->sequence; s < b->sequence + b->sequences; s++)
        for (uint32_t i = 0; i < s->size * D; i++) {
            uint32_t row = b->row[s->first + i / D];
            w->scaled_dE[b->id[row] * D + i % D] += g->values[row * D + i % D] * factor(w, i / D);
        }
    return NEAP_OK;
}

/* ---- making one ---- */

static void set(neap_options *o, const char *name, const char *value)
{
    assert_int_equal(neap_options_set(o, name, value, NULL), NEAP_OK);
}

static void make_graph(world *w)
{
    neap_edge edges[EDGES];
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, 0);
    for (int i = 0; i < EDGES; i++) /* the last nodes stay isolated, the first become hubs beyond S */
        edges[i] = (neap_edge){ (uint32_t)(ni_below(&rng, N - 3) * ni_uniform(&rng)),
                                (uint32_t)ni_below(&rng, N - 3), 1 };
    assert_int_equal(neap_graph_create(N, NULL, edges, EDGES, 0, 0, &w->graph, NULL), NEAP_OK);
}

static void make_engine(world *w)
{
    w->table = (ni_row_table){ w->gap->E, &w->taken };
    w->rows = w->kind.by_position ? (ni_rows){ .self = w,
                                               .identity = NI_ROW_BY_POSITION,
                                               .ids = N,
                                               .lend = lend_scaled,
                                               .take = take_scaled }
                                  : ni_rows_of_table(&w->table, N);
    ni_engine_inputs in = { .options = w->own,
                            .seed = SEED,
                            .rows = &w->rows,
                            .keys = N,
                            .P = w->gap->P,
                            .pad = w->gap->pad,
                            .dim = D,
                            .threads = w->threads,
                            .score = w->kind.score,
                            .terms = w->kind.terms,
                            .b = w->b };
    assert_int_equal(ni_engine_create(&in, &w->engine, NULL), NEAP_OK);
}

static void fill(float *x, int count, float scale, ni_rng *rng)
{
    for (int i = 0; i < count; i++) x[i] = (float)ni_normal(rng) * scale;
}

static void make_model(world *w)
{
    ni_rng rng = ni_rng_at(6, NI_STREAM_GRAPH, 0, 0);
    w->model = empty_model(w->graph, w->options);
    w->gap = w->model->own;
    w->own = w->model->settings->own;
    fill(w->gap->E, N * D, 0.4F, &rng); /* worth attending to */
    if (w->gap->P) fill(w->gap->P, D * D, sqrtf(1.0F / D), &rng);
    if (w->gap->pad) fill(w->gap->pad, D, 0.4F, &rng);
    fill(w->b, TERMS, 1, &rng);
    fill(w->features, ITEMS * (1 + K) * TERMS, 1, &rng);
}

static world *world_of(kind k)
{
    world *w = calloc(1, sizeof *w);
    w->kind = k;
    assert_int_equal(neap_options_create("neap", &w->options, NULL), NEAP_OK);
    set(w->options, "method", "gap");
    set(w->options, "dim", "37");
    set(w->options, "neighbors", "8");
    set(w->options, "margin", "4");
    set(w->options, "dropout", k.dropout ? k.dropout : "0");
    if (k.pooling) set(w->options, "pooling", k.pooling);
    if (k.padding) set(w->options, "padding", k.padding);
    if (k.per) set(w->options, "dropout-per", k.per);
    if (k.matrix) set(w->options, "matrix", k.matrix);
    if (k.objective) set(w->options, "objective", k.objective);
    set(w->options, "alignment", k.alignment ? k.alignment : "tanh");
    set(w->options, "attention", k.attention ? k.attention : "aligned");
    make_graph(w);
    make_model(w);
    assert_int_equal(ni_threads_create(3, &w->threads, NULL), NEAP_OK);
    make_engine(w);
    w->dE = calloc(N * D, sizeof *w->dE);
    w->scaled_dE = calloc(N * D, sizeof *w->scaled_dE);
    w->dP = calloc(D * D, sizeof *w->dP);
    return w;
}

static void world_free(world *w)
{
    ni_engine_free(w->engine);
    ni_threads_free(w->threads);
    neap_model_free(w->model);
    neap_graph_free(w->graph);
    neap_options_free(w->options);
    free(w->scaled);
    free(w->scaled_dE);
    free(w->dE);
    free(w->dP);
    free(w);
}

static ni_items items_of(const world *w)
{
    return (ni_items){ w->sides, w->items, K, w->features };
}

static ni_ref_model reference_of(const world *w)
{
    const ni_attention_options *o = w->own;
    return (ni_ref_model){ .dim = D,
                           .neighbors = S,
                           .pooling = o->pooling,
                           .padding = o->padding,
                           .alignment = o->alignment,
                           .attention = o->attention,
                           .P = w->gap->P,
                           .score = w->kind.score,
                           .terms = w->kind.terms,
                           .b = w->b,
                           .objective = o->objective,
                           .margin = (float)o->margin };
}

/* ---- sides as the reference takes them, with the masks that the engine draws ---- */

typedef struct side {
    const uint32_t *ids;
    uint32_t size, rows;
    float X[(S + 1) * D], mask[(S + 1) * D], dX[(S + 1) * D];
} side;

static void draw_mask(const world *w, bool dropped, uint64_t item, float *out)
{
    uint64_t bits[(D + 63) / 64];
    if (dropped) ni_dropout_mask(w->own, w->own->learning.dim, SEED, STEP, item, bits);
    for (int k = 0; k < D; k++)
        out[k] = !dropped ? 1 : bits[k / 64] >> (k % 64) & 1 ? ni_dropout_scale(w->own) : 0;
}

/* *occurrences counts them: what the masks of dropout-per=occurrence depend on. */
static void make_side(const world *w, const ni_side *from, bool dropped, uint64_t *occurrences, side *s)
{
    bool each = w->own->dropout_per == NI_DROP_OCCURRENCE;
    ni_ref_model m = reference_of(w);
    *s = (side){ .ids = from->ids, .size = from->count };
    s->rows = ni_ref_rows(&m, s->size);
    for (uint32_t i = 0; i < s->rows; i++) {
        uint32_t id = i < s->size ? s->ids[i] : NEAP_NONE;
        const float *x = id == NEAP_NONE ? w->gap->pad : w->gap->E + id * D;
        draw_mask(w, dropped, each ? (*occurrences)++ : id, s->mask + i * D);
        for (int k = 0; k < D && id != NEAP_NONE; k++) s->mask[i * D + k] *= factor(w, i);
        for (int k = 0; k < D; k++) s->X[i * D + k] = x[k] * s->mask[i * D + k];
    }
}

static void make_sides(const world *w, const ni_side *from, uint64_t *occurrences, side *sides,
                       ni_ref_sequence *rows)
{
    for (int k = 0; k < WIDTH; k++) {
        make_side(w, &from[k], w->own->dropout > 0, occurrences, &sides[k]);
        rows[k] = (ni_ref_sequence){ sides[k].X, sides[k].size, sides[k].dX };
    }
}

/* dE of the neighbours; padding is fixed and takes none. */
static void add_rows(world *w, const side *s)
{
    for (uint32_t i = 0; i < s->size * D; i++) w->dE[s->ids[i / D] * D + i % D] += s->dX[i] * s->mask[i];
}

/* The neighbours of a node but one, in descending order: a sequence that no other side has. */
static ni_side masked_side(const world *w, uint32_t node, uint32_t without, uint32_t *ids)
{
    ni_side all = ni_hood_side(&w->model->hood, node), own = { ids, 0, NI_OWN_KEY };
    for (uint32_t i = all.count; i-- > 0;)
        if (all.ids[i] != without) ids[own.count++] = all.ids[i];
    return own;
}

static void draw_sides(world *w, ni_rng *rng)
{
    uint32_t node[WIDTH], *ids = w->ids + w->items * WIDTH * S;
    ni_side *sides = w->sides + w->items * WIDTH;
    for (int k = 0; k < WIDTH; k++) {
        node[k] = (uint32_t)ni_below(rng, N);
        sides[k] = ni_hood_side(&w->model->hood, node[k]);
    }
    if (!w->kind.masked) return;
    if (sides[0].count) node[1] = sides[0].ids[0]; /* linked, so that there is somebody to be left out */
    sides[0] = masked_side(w, node[0], node[1], ids);
    sides[1] = masked_side(w, node[1], node[0], ids + S);
}

/* ---- items away from ties and corners ---- */

/* The smallest gap between the best two numbers of each line of M, or infinity for short lines. */
static float smallest_gap(const float *M, uint32_t a, uint32_t b, bool padded_a, bool padded_b)
{
    float gap = INFINITY;
    for (int turned = 0; turned < 2; turned++)
        for (uint32_t i = 0; i < (turned ? b : a); i++) {
            float best = -INFINITY, second = -INFINITY;
            uint32_t n = turned ? a : b;
            for (uint32_t j = 0; j < n + (turned ? padded_a : padded_b); j++) {
                float x = j == n ? 0 : turned ? M[j * b + i] : M[i * b + j];
                if (x > best) second = best, best = x;
                else if (x > second) second = x;
            }
            gap = fminf(gap, best - second);
        }
    return gap;
}

static bool is_clear(const world *w, const ni_ref_sequence *s, const ni_ref_sequence *t)
{
    ni_ref_model m = reference_of(w);
    float M[(S + 1) * (S + 1)], z[2 * S], wt[2 * S], r[2 * D];
    uint32_t pick[2 * S];
    ni_ref_side a = { z, wt, pick, r }, b = { z + S, wt + S, pick + S, r + D };
    ni_ref_pair(&m, s, t, M, &a, &b);
    bool zero = m.padding == NI_PAD_ZERO;
    return smallest_gap(M, ni_ref_rows(&m, s->size), ni_ref_rows(&m, t->size), zero && s->size < S,
                        zero && t->size < S) > 1e-4F;
}

/* Random items; an item is kept only if all of its pairs are clear. With masks per occurrence the masks
 * depend on the items before, so the count moves on with the kept ones only. */
static void draw_items(world *w)
{
    ni_rng rng = ni_rng_at(8, NI_STREAM_GRAPH, 0, 0);
    uint64_t occurrences = 0;
    while (w->items < ITEMS) {
        uint64_t next = occurrences;
        side sides[WIDTH];
        ni_ref_sequence rows[WIDTH];
        bool clear = true;
        draw_sides(w, &rng);
        make_sides(w, w->sides + w->items * WIDTH, &next, sides, rows);
        for (int k = 1; k < WIDTH; k++) clear = clear && is_clear(w, &rows[0], &rows[k]);
        if (!clear) continue;
        w->items++;
        occurrences = next;
    }
}

static void run_reference(world *w)
{
    ni_ref_model m = reference_of(w);
    float *work = calloc(ni_ref_room(&m, K), sizeof *work);
    uint32_t picks[WIDTH * (S + 1)];
    uint64_t occurrences = 0;
    for (uint32_t i = 0; i < w->items; i++) {
        side sides[WIDTH];
        ni_ref_sequence rows[WIDTH];
        make_sides(w, w->sides + i * WIDTH, &occurrences, sides, rows);
        w->loss +=
            ni_ref_loss(&m, rows, K, w->features + i * (1 + K) * w->kind.terms, w->dP, w->db, work, picks);
        for (int k = 0; k < WIDTH; k++) add_rows(w, &sides[k]);
    }
    for (int i = 0; i < N * D; i++) w->dE[i] /= ITEMS;
    for (int i = 0; i < D * D; i++) w->dP[i] /= ITEMS;
    for (int i = 0; i < TERMS; i++) w->db[i] /= ITEMS;
    w->loss /= ITEMS;
    free(work);
}

/* ---- comparison ---- */

static void assert_close(const float *x, const float *y, size_t n)
{
    float largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmaxf(largest, fabsf(y[i]));
    assert_true(largest > 1e-4F);
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(x[i] - y[i]) <= 1e-5F * largest))
            fail_msg("entry %zu is %g, the reference says %g", i, (double)x[i], (double)y[i]);
}

/* What the rows took, as dE. */
static void spread(const world *w, float *dE)
{
    if (w->kind.by_position) memcpy(dE, w->scaled_dE, (size_t)N * D * sizeof *dE);
    for (uint32_t r = 0; r < w->taken.rows; r++) {
        if (w->taken.row[r] == NEAP_NONE) continue;
        for (int k = 0; k < D; k++) {
            assert_true(dE[w->taken.row[r] * D + k] == 0); /* each id once */
            dE[w->taken.row[r] * D + k] = w->taken.values[r * D + k];
        }
    }
}

static void check_step(world *w, int way, int order)
{
    ni_engine_gradients g;
    ni_items items = items_of(w);
    double loss;
    float dE[N * D] = { 0 };
    ni_engine_force(w->engine, way);
    ni_engine_force_order(w->engine, order);
    assert_int_equal(ni_engine_step(w->engine, &items, STEP, &g, &loss, NULL), NEAP_OK);
    assert_int_equal(ni_engine_used_table(w->engine), way == 1 && ni_aligns(w->own));
    assert_true(fabs(loss - w->loss) <= 1e-5 * w->loss);
    spread(w, dE);
    assert_close(dE, w->dE, N * D);
    if (w->gap->P) assert_close(g.P, w->dP, D * D);
    if (w->kind.terms) assert_close(g.b, w->db, w->kind.terms);
}

static void check_steps(world *w)
{
    draw_items(w);
    run_reference(w);
    for (int way = 1; way <= 2; way++)
        for (int order = 1; order <= 2; order++) check_step(w, way, order);
    world_free(w);
}

static void steps_agree_with_the_reference(void **state)
{
    static const char *const pooling[] = { "max", "mean" }, *const padding[] = { "none", "zero", "vector" };
    static const char *const dropout[] = { "0", "0.5", "0.3" }, *const per[] = { "node", "node",
                                                                                 "occurrence" };
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 3; q++)
            for (int d = 0; d < 3; d++)
                check_steps(world_of((kind){
                    .pooling = pooling[p], .padding = padding[q], .dropout = dropout[d], .per = per[d] }));
}

static void steps_without_a_matrix_or_with_other_losses_agree_with_the_reference(void **state)
{
    (void)state;
    check_steps(
        world_of((kind){ .pooling = "mean", .dropout = "0.5", .matrix = "no", .objective = "logistic" }));
    check_steps(world_of((kind){
        .padding = "zero", .dropout = "0.3", .per = "occurrence", .matrix = "no", .objective = "margin" }));
    check_steps(world_of((kind){ .objective = "logistic" }));
    check_steps(world_of((kind){ .pooling = "mean",
                                 .padding = "vector",
                                 .dropout = "0.5",
                                 .matrix = "no",
                                 .objective = "logistic" }));
    check_steps(world_of((kind){ .dropout = "0.5", .objective = "hardest" }));
    check_steps(
        world_of((kind){ .pooling = "mean", .padding = "zero", .matrix = "no", .objective = "hardest" }));
    check_steps(world_of(
        (kind){ .padding = "zero", .dropout = "0.3", .per = "occurrence", .objective = "softmax" }));
    check_steps(
        world_of((kind){ .pooling = "mean", .padding = "vector", .matrix = "no", .objective = "softmax" }));
}

static void steps_with_other_scores_agree_with_the_reference(void **state)
{
    static const char *const objective[] = { "margin", "logistic", "hardest", "softmax" };
    (void)state;
    for (int i = 0; i < 4; i++) {
        check_steps(world_of((kind){ .objective = objective[i], .score = NI_SCORE_COSINE }));
        check_steps(world_of((kind){ .objective = objective[i], .terms = TERMS, .pooling = "mean" }));
    }
    check_steps(world_of((kind){ .score = NI_SCORE_COSINE, .terms = TERMS, .dropout = "0.5" }));
}

static void steps_with_scaled_alignments_or_uniform_attention_agree_with_the_reference(void **state)
{
    static const char *const pooling[] = { "max", "mean" }, *const padding[] = { "none", "zero", "vector" };
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 3; q++) {
            kind scaled = { .pooling = pooling[p], .padding = padding[q], .alignment = "scaled" };
            kind uniform = { .pooling = pooling[p], .padding = padding[q], .attention = "uniform" };
            check_steps(world_of(scaled));
            check_steps(world_of(uniform));
            scaled.dropout = uniform.dropout = "0.5", scaled.masked = uniform.masked = true;
            scaled.terms = uniform.terms = TERMS, scaled.objective = uniform.objective = "logistic";
            check_steps(world_of(scaled));
            check_steps(world_of(uniform));
        }
}

/* A neighbourhood without the partner, in another order, is an input like any other. */
static void steps_on_sides_of_their_own_agree_with_the_reference(void **state)
{
    (void)state;
    check_steps(world_of((kind){ .masked = true }));
    check_steps(world_of((kind){ .masked = true, .padding = "vector", .dropout = "0.5" }));
    check_steps(world_of((kind){
        .masked = true, .pooling = "mean", .padding = "zero", .dropout = "0.3", .per = "occurrence" }));
}

static void steps_on_rows_by_position_agree_with_the_reference(void **state)
{
    (void)state;
    check_steps(world_of((kind){ .by_position = true }));
    check_steps(world_of((kind){ .by_position = true, .masked = true, .pooling = "mean" }));
    check_steps(world_of((kind){ .by_position = true, .padding = "vector", .matrix = "no" }));
    check_steps(world_of((kind){ .by_position = true, .dropout = "0.3", .per = "occurrence" }));
}

/* By another score, of rows by position as of a table; without dropout, whatever the option says. */
static void check_scores(kind what)
{
    world *w = world_of(what);
    ni_ref_model m = reference_of(w);
    ni_side sides[200];
    float scores[100], expected[100];
    ni_rng rng = ni_rng_at(9, NI_STREAM_GRAPH, 0, 0);
    for (int i = 0; i < 100; i++) {
        float M[S * S], z[2 * S], wt[2 * S], r[2 * D];
        uint32_t pick[2 * S];
        uint64_t none = 0;
        ni_ref_side a = { z, wt, pick, r }, b = { z + S, wt + S, pick + S, r + D };
        side s, t;
        for (int k = 0; k < 2; k++)
            sides[2 * i + k] = ni_hood_side(&w->model->hood, (uint32_t)ni_below(&rng, N));
        make_side(w, &sides[2 * i], false, &none, &s);
        make_side(w, &sides[2 * i + 1], false, &none, &t);
        expected[i] = ni_ref_pair(&m, &(ni_ref_sequence){ s.X, s.size, NULL },
                                  &(ni_ref_sequence){ t.X, t.size, NULL }, M, &a, &b);
        if (what.terms) expected[i] += ni_linear_terms(w->b, w->features + i * TERMS, TERMS);
    }
    ni_items items = { sides, 100, 0, w->features };
    for (int way = 1; way <= 2; way++) {
        ni_engine_force(w->engine, way);
        ni_engine_force_order(w->engine, way);
        assert_int_equal(ni_engine_forward(w->engine, &items, false, 0, scores, NULL, NULL), NEAP_OK);
        assert_close(scores, expected, 100);
    }
    world_free(w);
}

static void scores_agree_with_the_reference(void **state)
{
    (void)state;
    check_scores((kind){ .dropout = "0.5" });
    check_scores((kind){ .by_position = true });
    check_scores((kind){ .score = NI_SCORE_COSINE, .terms = TERMS });
    check_scores((kind){ .alignment = "scaled", .terms = TERMS });
    check_scores((kind){ .attention = "uniform" });
}

/* A diverged table must be seen: in the loss of the next step, and in scores. */
static void what_is_not_a_number_is_seen(void **state)
{
    (void)state;
    for (int way = 1; way <= 2; way++) {
        world *w = world_of((kind){ 0 });
        ni_engine_gradients g;
        double loss;
        float score[ITEMS];
        ni_side sides[2 * ITEMS];
        draw_items(w);
        for (int i = 0; i < ITEMS; i++) memcpy(&sides[2 * i], &w->sides[i * WIDTH], 2 * sizeof *sides);
        ni_items step = items_of(w), pairs = { sides, ITEMS, 0, NULL };
        for (int i = 0; i < D * D; i++) w->gap->P[i] = NAN;
        ni_engine_force(w->engine, way);
        ni_engine_force_order(w->engine, way);
        assert_int_equal(ni_engine_step(w->engine, &step, STEP, &g, &loss, NULL), NEAP_OK);
        assert_true(isnan(loss));
        assert_int_equal(ni_engine_forward(w->engine, &pairs, false, 0, score, NULL, NULL), NEAP_OK);
        int seen = 0;
        for (int i = 0; i < ITEMS; i++) seen += isnan(score[i]);
        assert_true(seen > ITEMS / 2); /* but for nodes without neighbours */
        world_free(w);
    }
}

/* The same bits from 1 to 4 threads. */
static void check_threads(int order)
{
    float *first_dE = NULL, first_dP[D * D];
    for (uint32_t threads = 1; threads <= 4; threads++) {
        world *w = world_of((kind){ .dropout = "0.5" });
        ni_engine_gradients g;
        double loss;
        draw_items(w);
        ni_items items = items_of(w);
        ni_engine_free(w->engine);
        ni_threads_free(w->threads);
        assert_int_equal(ni_threads_create(threads, &w->threads, NULL), NEAP_OK);
        make_engine(w);
        ni_engine_force_order(w->engine, order);
        assert_int_equal(ni_engine_step(w->engine, &items, STEP, &g, &loss, NULL), NEAP_OK);
        size_t bytes = (size_t)w->taken.rows * D * sizeof(float);
        if (!first_dE) {
            first_dE = malloc(bytes);
            memcpy(first_dE, w->taken.values, bytes);
            memcpy(first_dP, g.P, sizeof first_dP);
        }
        assert_memory_equal(w->taken.values, first_dE, bytes);
        assert_memory_equal(g.P, first_dP, sizeof first_dP);
        world_free(w);
    }
    free(first_dE);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    check_threads(1);
    check_threads(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_reference),
        cmocka_unit_test(steps_without_a_matrix_or_with_other_losses_agree_with_the_reference),
        cmocka_unit_test(steps_with_other_scores_agree_with_the_reference),
        cmocka_unit_test(steps_with_scaled_alignments_or_uniform_attention_agree_with_the_reference),
        cmocka_unit_test(steps_on_sides_of_their_own_agree_with_the_reference),
        cmocka_unit_test(steps_on_rows_by_position_agree_with_the_reference),
        cmocka_unit_test(scores_agree_with_the_reference),
        cmocka_unit_test(what_is_not_a_number_is_seen),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
