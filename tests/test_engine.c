/* The batch engine against reference.c: losses, gradients and scores, for every kind of model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/dropout.h"
#include "attention/engine.h"
#include "attention/reference.h"
#include "base/rng.h"
#include "model/model.h"

/* More nodes in a batch than a task has rows. */
enum { N = 700, EDGES = 3000, D = 37, S = 8, ITEMS = 120, K = 2, WIDTH = 2 + K, STEP = 7 };

typedef struct world {
    neap_options *options;
    neap_graph *graph;
    neap_model *model;
    ni_engine *engine;
    uint32_t nodes[ITEMS * WIDTH], items;
    float *dE, *dP; /* by the reference */
    double loss;
} world;

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

static void make_model(world *w)
{
    ni_rng rng = ni_rng_at(6, NI_STREAM_GRAPH, 0, 0);
    assert_int_equal(ni_model_create(w->graph, w->options, &w->model, NULL), NEAP_OK);
    assert_int_equal(ni_model_init_tables(w->model, NULL), NEAP_OK);
    for (int i = 0; i < N * D; i++) w->model->E[i] = (float)ni_normal(&rng) * 0.4F; /* worth attending to */
    for (int i = 0; w->model->pad && i < D; i++) w->model->pad[i] = (float)ni_normal(&rng) * 0.4F;
    ni_engine_inputs in = { &w->model->options, &w->model->hood, w->model->E, w->model->P, w->model->pad, D,
                            w->model->threads };
    assert_int_equal(ni_engine_create(&in, &w->engine, NULL), NEAP_OK);
}

static world *world_of(const char *pooling, const char *padding, const char *dropout, const char *per,
                       const char *matrix, const char *objective)
{
    world *w = calloc(1, sizeof *w);
    assert_int_equal(neap_options_create("neap", &w->options, NULL), NEAP_OK);
    set(w->options, "dim", "37");
    set(w->options, "neighbors", "8");
    set(w->options, "margin", "4");
    set(w->options, "threads", "3");
    set(w->options, "pooling", pooling);
    set(w->options, "padding", padding);
    set(w->options, "dropout", dropout);
    set(w->options, "dropout-per", per);
    set(w->options, "matrix", matrix);
    set(w->options, "objective", objective);
    make_graph(w);
    make_model(w);
    w->dE = calloc(N * D, sizeof *w->dE);
    w->dP = calloc(D * D, sizeof *w->dP);
    return w;
}

static world *world_create(const char *pooling, const char *padding, const char *dropout, const char *per)
{
    return world_of(pooling, padding, dropout, per, "yes", "margin");
}

static void world_free(world *w)
{
    ni_engine_free(w->engine);
    neap_model_free(w->model);
    neap_graph_free(w->graph);
    neap_options_free(w->options);
    free(w->dE);
    free(w->dP);
    free(w);
}

static ni_ref_model reference_of(const world *w)
{
    const neap_options *o = w->options;
    return (ni_ref_model){ D,
                           S,
                           o->pooling,
                           o->padding,
                           (float)o->margin,
                           w->model->E,
                           w->model->P,
                           o->objective == NI_OBJECTIVE_LOGISTIC };
}

/* ---- the masks the engine draws, as multipliers for the reference ---- */

typedef struct side {
    ni_ref_hood hood;
    float mask[S * D], pad[D];
} side;

static void multipliers(const world *w, uint64_t item, const float *x, float *out)
{
    uint64_t bits[(D + 63) / 64];
    ni_dropout_mask(w->options, STEP, item, bits);
    for (int k = 0; k < D; k++)
        out[k] = (bits[k / 64] >> (k % 64) & 1 ? ni_dropout_scale(w->options) : 0) * (x ? x[k] : 1);
}

/* *place counts the occurrences so far: what the masks of dropout-per=occurrence depend on. */
static void make_side(const world *w, uint32_t node, uint64_t *place, side *s)
{
    const ni_hood *hood = &w->model->hood;
    bool dropped = w->options->dropout > 0, each = w->options->dropout_per == NI_DROP_OCCURRENCE;
    s->hood = (ni_ref_hood){ hood->node + hood->offset[node], ni_hood_size(hood, node),
                             dropped ? s->mask : NULL, dropped ? s->pad : w->model->pad };
    for (uint32_t i = 0; i < s->hood.size; i++)
        multipliers(w, each ? (*place)++ : s->hood.node[i], NULL, s->mask + i * D);
    if (w->options->padding == NI_PAD_VECTOR && s->hood.size < S)
        multipliers(w, each ? (*place)++ : NEAP_NONE, w->model->pad, s->pad);
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

static bool is_clear(const world *w, const side *s, const side *t)
{
    ni_ref_model m = reference_of(w);
    float X[(S + 1) * D], Y[(S + 1) * D], M[(S + 1) * (S + 1)], z[2 * S], wt[2 * S], r[2 * D];
    uint32_t pick[2 * S];
    ni_ref_side a = { z, wt, pick, r }, b = { z + S, wt + S, pick + S, r + D };
    ni_ref_pair(&m, &s->hood, &t->hood, X, Y, M, &a, &b);
    bool zero = m.padding == NI_PAD_ZERO;
    return smallest_gap(M, ni_ref_rows(&m, &s->hood), ni_ref_rows(&m, &t->hood), zero && s->hood.size < S,
                        zero && t->hood.size < S) > 1e-4F;
}

/* Random items; an item is kept only if all of its pairs are clear. With masks per occurrence the masks
 * depend on the items before, so the place moves on with the kept ones only. */
static void draw_items(world *w)
{
    ni_rng rng = ni_rng_at(8, NI_STREAM_GRAPH, 0, 0);
    uint64_t place = 0;
    while (w->items < ITEMS) {
        uint32_t *node = w->nodes + w->items * WIDTH;
        uint64_t next = place;
        side sides[WIDTH];
        bool clear = true;
        for (int k = 0; k < WIDTH; k++) {
            node[k] = (uint32_t)ni_below(&rng, N);
            make_side(w, node[k], &next, &sides[k]);
        }
        for (int k = 1; k < WIDTH; k++) clear = clear && is_clear(w, &sides[0], &sides[k]);
        if (!clear) continue;
        w->items++;
        place = next;
    }
}

static void run_reference(world *w)
{
    ni_ref_model m = reference_of(w);
    float *work = calloc(ni_ref_room(&m), sizeof *work), *dE = w->dE, *dP = w->dP;
    uint32_t picks[3 * (S + 1)];
    uint64_t place = 0;
    for (uint32_t i = 0; i < w->items; i++) {
        side sides[WIDTH];
        for (int k = 0; k < WIDTH; k++) make_side(w, w->nodes[i * WIDTH + k], &place, &sides[k]);
        for (int k = 2; k < WIDTH; k++)
            w->loss += ni_ref_loss(&m, &sides[0].hood, &sides[1].hood, &sides[k].hood, dE, dP, work, picks);
    }
    for (int i = 0; i < N * D; i++) dE[i] /= ITEMS * K;
    for (int i = 0; i < D * D; i++) dP[i] /= ITEMS * K;
    w->loss /= ITEMS * K;
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

static void check_step(world *w, int way, int order)
{
    ni_gradient g;
    double loss;
    float dE[N * D] = { 0 };
    ni_engine_force(w->engine, way);
    ni_engine_force_order(w->engine, order);
    assert_int_equal(ni_engine_step(w->engine, w->nodes, w->items, K, STEP, &g, &loss, NULL), NEAP_OK);
    assert_int_equal(ni_engine_used_table(w->engine), way == 1);
    assert_true(fabs(loss - w->loss) <= 1e-5 * w->loss);
    for (uint32_t r = 0; r < g.rows; r++) {
        if (g.node[r] == NEAP_NONE) continue;
        for (int k = 0; k < D; k++) {
            assert_true(dE[g.node[r] * D + k] == 0); /* each node once */
            dE[g.node[r] * D + k] = g.dE[r * D + k];
        }
    }
    assert_close(dE, w->dE, N * D);
    if (w->model->P) assert_close(g.dP, w->dP, D * D);
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
                check_steps(world_create(pooling[p], padding[q], dropout[d], per[d]));
}

static void steps_without_a_matrix_or_with_chances_agree_with_the_reference(void **state)
{
    (void)state;
    check_steps(world_of("mean", "none", "0.5", "node", "no", "logistic"));
    check_steps(world_of("max", "zero", "0.3", "occurrence", "no", "margin"));
    check_steps(world_of("max", "none", "0", "node", "yes", "logistic"));
    check_steps(world_of("mean", "vector", "0.5", "node", "no", "logistic"));
}

static void scores_agree_with_the_reference(void **state)
{
    (void)state;
    world *w = world_create("max", "none", "0.5", "node");
    ni_ref_model m = reference_of(w);
    neap_pair pairs[100];
    float scores[100], expected[100];
    ni_rng rng = ni_rng_at(9, NI_STREAM_GRAPH, 0, 0);
    for (int i = 0; i < 100; i++) {
        float X[S * D], Y[S * D], M[S * S], z[2 * S], wt[2 * S], r[2 * D];
        uint32_t pick[2 * S];
        ni_ref_side a = { z, wt, pick, r }, b = { z + S, wt + S, pick + S, r + D };
        const ni_hood *h = &w->model->hood;
        pairs[i] = (neap_pair){ (uint32_t)ni_below(&rng, N), (uint32_t)ni_below(&rng, N) };
        ni_ref_hood s = { h->node + h->offset[pairs[i].source], ni_hood_size(h, pairs[i].source), NULL,
                          NULL };
        ni_ref_hood t = { h->node + h->offset[pairs[i].target], ni_hood_size(h, pairs[i].target), NULL,
                          NULL };
        expected[i] = ni_ref_pair(&m, &s, &t, X, Y, M, &a, &b);
    }
    for (int way = 1; way <= 2; way++) {
        ni_engine_force(w->engine, way);
        ni_engine_force_order(w->engine, way);
        assert_int_equal(ni_engine_forward(w->engine, pairs, 100, false, 0, scores, NULL, NULL), NEAP_OK);
        assert_close(scores, expected, 100);
    }
    world_free(w);
}

/* A diverged table must be seen: in the loss of the next step, and in scores. */
static void what_is_not_a_number_is_seen(void **state)
{
    (void)state;
    for (int way = 1; way <= 2; way++) {
        world *w = world_create("max", "none", "0", "node");
        ni_gradient g;
        double loss;
        float score[ITEMS];
        neap_pair pairs[ITEMS];
        draw_items(w);
        for (int i = 0; i < ITEMS; i++)
            pairs[i] = (neap_pair){ w->nodes[i * WIDTH], w->nodes[i * WIDTH + 1] };
        for (int i = 0; i < D * D; i++) w->model->P[i] = NAN;
        ni_engine_force(w->engine, way);
        ni_engine_force_order(w->engine, way);
        assert_int_equal(ni_engine_step(w->engine, w->nodes, w->items, K, STEP, &g, &loss, NULL), NEAP_OK);
        assert_true(isnan(loss));
        assert_int_equal(ni_engine_forward(w->engine, pairs, ITEMS, false, 0, score, NULL, NULL), NEAP_OK);
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
        world *w = world_create("max", "none", "0.5", "node");
        ni_gradient g;
        double loss;
        draw_items(w);
        assert_int_equal(neap_model_set_threads(w->model, threads, NULL), NEAP_OK);
        ni_engine_free(w->engine);
        ni_engine_inputs in = { &w->model->options, &w->model->hood, w->model->E, w->model->P, NULL, D,
                                w->model->threads };
        assert_int_equal(ni_engine_create(&in, &w->engine, NULL), NEAP_OK);
        ni_engine_force_order(w->engine, order);
        assert_int_equal(ni_engine_step(w->engine, w->nodes, w->items, K, STEP, &g, &loss, NULL), NEAP_OK);
        size_t bytes = (size_t)g.rows * D * sizeof(float);
        if (!first_dE) {
            first_dE = malloc(bytes);
            memcpy(first_dE, g.dE, bytes);
            memcpy(first_dP, g.dP, sizeof first_dP);
        }
        assert_memory_equal(g.dE, first_dE, bytes);
        assert_memory_equal(g.dP, first_dP, sizeof first_dP);
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
        cmocka_unit_test(steps_without_a_matrix_or_with_chances_agree_with_the_reference),
        cmocka_unit_test(scores_agree_with_the_reference),
        cmocka_unit_test(what_is_not_a_number_is_seen),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
