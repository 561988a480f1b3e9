/* gapmlp: the network over neighbours is the formula and its gradients are slopes of it; its mean form
 * knows no order. (test_methods.c has what every method promises.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/engine_parts.h"
#include "base/rng.h"
#include "methods/mlp.h"

enum { IDS = 30, D = 5, HIDDEN = 7, OUT = 4, MOST = 6, NODES = 130, COUNT = 110 };

/* ---- a network ---- */

typedef struct world {
    uint64_t offset[NODES + 1];
    uint32_t near[NODES * MOST];
    ni_hood hood;
    ni_attention_options options;
    float E[IDS * D], W1[MOST * D * HIDDEN], b1[HIDDEN], W2[HIDDEN * OUT], b2[OUT], dV[COUNT * OUT];
    uint32_t nodes[COUNT];
    ni_threads *threads;
    ni_mlp net;
} world;

static void fill(float *x, uint32_t count, ni_rng *rng)
{
    for (uint32_t i = 0; i < count; i++) x[i] = (float)ni_normal(rng) * 0.6F;
}

/* Neighbourhoods of 0 to MOST ids, ascending and distinct. */
static world *world_create(uint32_t form, double dropout, uint32_t threads)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 0);
    assert_non_null(w);
    for (uint32_t u = 0; u < NODES; u++) {
        uint32_t size = (uint32_t)ni_below(&rng, MOST + 1);
        w->offset[u + 1] = w->offset[u] + size;
        for (uint32_t i = 0; i < size; i++)
            w->near[w->offset[u] + i] = i * (IDS / MOST) + (uint32_t)ni_below(&rng, IDS / MOST);
    }
    w->hood = (ni_hood){ .nodes = NODES, .offset = w->offset, .node = w->near };
    w->options.dropout = dropout;
    fill(w->E, IDS * D, &rng), fill(w->W1, MOST * D * HIDDEN, &rng), fill(w->b1, HIDDEN, &rng);
    fill(w->W2, HIDDEN * OUT, &rng), fill(w->b2, OUT, &rng), fill(w->dV, COUNT * OUT, &rng);
    for (uint32_t i = 0; i < COUNT; i++) w->nodes[i] = (i * 7 + 3) % NODES;
    assert_int_equal(ni_threads_create(threads, &w->threads, NULL), NEAP_OK);
    w->net = (ni_mlp){ .E = w->E,
                       .W1 = w->W1,
                       .b1 = w->b1,
                       .W2 = w->W2,
                       .b2 = w->b2,
                       .hood = &w->hood,
                       .ids = IDS,
                       .d = D,
                       .hidden = HIDDEN,
                       .out = OUT,
                       .form = form,
                       .options = &w->options,
                       .seed = 5,
                       .threads = w->threads };
    assert_int_equal(ni_mlp_create(&w->net, NULL), NEAP_OK);
    return w;
}

static void world_free(world *w)
{
    ni_mlp_free(&w->net);
    ni_threads_free(w->threads);
    free(w);
}

/* ---- the formula, in doubles ---- */

typedef struct weights {
    double E[IDS * D], W1[MOST * D * HIDDEN], b1[HIDDEN], W2[HIDDEN * OUT], b2[OUT];
} weights;

enum { STEP = 17 };

static void copy(const float *from, double *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) to[i] = (double)from[i];
}

static void dropped_row(const world *w, const weights *x, uint32_t id, double *row)
{
    uint64_t mask = UINT64_MAX;
    double scale = 1;
    if (w->options.dropout > 0) {
        ni_dropout_mask(&w->options, D, 5, STEP, id, &mask);
        scale = (double)ni_dropout_scale(&w->options);
    }
    for (uint32_t k = 0; k < D; k++) row[k] = mask >> k & 1 ? x->E[id * D + k] * scale : 0;
}

/* The hidden layer of node u. */
static void hidden_of(const world *w, const weights *x, uint32_t u, double *h)
{
    bool flat = w->net.form == NI_MLP_FLAT;
    uint32_t size = (uint32_t)(w->offset[u + 1] - w->offset[u]);
    for (uint32_t j = 0; j < HIDDEN; j++) h[j] = flat ? x->b1[j] : 0;
    for (uint32_t i = 0; i < size; i++) {
        double row[D];
        dropped_row(w, x, w->near[w->offset[u] + i], row);
        for (uint32_t j = 0; j < HIDDEN; j++) {
            double sum = flat ? 0 : x->b1[j];
            for (uint32_t k = 0; k < D; k++) sum += row[k] * x->W1[((flat ? i : 0) * D + k) * HIDDEN + j];
            h[j] += flat ? sum : (sum > 0 ? sum : 0) / size;
        }
    }
    for (uint32_t j = 0; j < HIDDEN && flat; j++) h[j] = h[j] > 0 ? h[j] : 0;
}

static void vector_of(const world *w, const weights *x, uint32_t u, double *r)
{
    double h[HIDDEN];
    hidden_of(w, x, u, h);
    for (uint32_t c = 0; c < OUT; c++) {
        r[c] = x->b2[c];
        for (uint32_t j = 0; j < HIDDEN; j++) r[c] += h[j] * x->W2[j * OUT + c];
    }
}

/* L = sum of dV x V, so that dL/dV is dV; rows of dV belong to rows of V. */
static double loss_of(const world *w, const weights *x)
{
    double loss = 0, r[OUT];
    for (uint32_t i = 0; i < COUNT; i++) {
        vector_of(w, x, w->nodes[i], r);
        for (uint32_t c = 0; c < OUT; c++) loss += (double)w->dV[w->net.at[i] * OUT + c] * r[c];
    }
    return loss;
}

static void expect_slopes(const world *w, weights *x, double *at, uint32_t count, const float *gradient)
{
    const double step = 1e-6;
    for (uint32_t i = 0; i < count; i++) {
        double old = at[i];
        at[i] = old + step;
        double up = loss_of(w, x);
        at[i] = old - step;
        double down = loss_of(w, x);
        at[i] = old;
        double slope = (up - down) / (2 * step);
        assert_true(fabs(slope - (double)gradient[i]) < 1e-3 * (1 + fabs(slope)));
    }
}

static weights *doubles_of(const world *w)
{
    weights *x = calloc(1, sizeof *x);
    assert_non_null(x);
    copy(w->E, x->E, IDS * D), copy(w->W1, x->W1, MOST * D * HIDDEN), copy(w->b1, x->b1, HIDDEN);
    copy(w->W2, x->W2, HIDDEN * OUT), copy(w->b2, x->b2, OUT);
    return x;
}

/* Rows of a table that took part, and no others, have a gradient. */
static void expect_row_slopes(const world *w, weights *x, double *at, uint32_t columns,
                              const ni_gradient *g)
{
    for (uint32_t i = 0; i < g->rows; i++)
        expect_slopes(w, x, at + (uint64_t)g->row[i] * columns, columns, g->values + (uint64_t)i * columns);
}

static void vectors_and_slopes_are_those_of_the_formula(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        world *w = world_create(kind & 1 ? NI_MLP_MEAN : NI_MLP_FLAT, kind & 2 ? 0.4 : 0, 2);
        weights *x = doubles_of(w);
        ni_mlp *n = &w->net;
        double r[OUT];
        assert_int_equal(ni_mlp_forward(n, w->nodes, COUNT, STEP, NULL), NEAP_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            vector_of(w, x, w->nodes[i], r);
            for (uint32_t c = 0; c < OUT; c++)
                assert_true(fabs((double)n->V[n->at[i] * OUT + c] - r[c]) < 1e-5);
        }
        ni_mlp_backward(n, w->dV);
        assert_int_equal(n->dE.rows, IDS);
        assert_int_equal(n->dW1.rows, kind & 1 ? D : MOST * D);
        expect_row_slopes(w, x, x->E, D, &n->dE);
        expect_row_slopes(w, x, x->W1, HIDDEN, &n->dW1);
        expect_slopes(w, x, x->b1, HIDDEN, n->db1);
        expect_slopes(w, x, x->W2, HIDDEN * OUT, n->dW2);
        expect_slopes(w, x, x->b2, OUT, n->db2);
        free(x);
        world_free(w);
    }
}

static void a_query_drops_nothing(void **state)
{
    (void)state;
    world *with = world_create(NI_MLP_FLAT, 0.9, 1), *without = world_create(NI_MLP_FLAT, 0, 1);
    assert_int_equal(ni_mlp_forward(&with->net, with->nodes, COUNT, NI_MLP_WHOLE, NULL), NEAP_OK);
    assert_int_equal(ni_mlp_forward(&without->net, with->nodes, COUNT, STEP, NULL), NEAP_OK);
    assert_memory_equal(with->net.V, without->net.V, sizeof(float) * COUNT * OUT);
    world_free(with);
    world_free(without);
}

/* The largest change of a vector when every neighbourhood is read backwards. */
static float change_backwards(uint32_t form)
{
    world *w = world_create(form, 0, 1);
    float *V = calloc(COUNT * OUT, sizeof *V), most = 0;
    assert_int_equal(ni_mlp_forward(&w->net, w->nodes, COUNT, NI_MLP_WHOLE, NULL), NEAP_OK);
    memcpy(V, w->net.V, COUNT * OUT * sizeof *V);
    for (uint32_t u = 0; u < NODES; u++)
        for (uint64_t i = w->offset[u], j = w->offset[u + 1]; i + 1 < j; i++) {
            uint32_t kept = w->near[i];
            w->near[i] = w->near[--j];
            w->near[j] = kept;
        }
    assert_int_equal(ni_mlp_forward(&w->net, w->nodes, COUNT, NI_MLP_WHOLE, NULL), NEAP_OK);
    for (uint32_t i = 0; i < COUNT * OUT; i++) most = fmaxf(most, fabsf(V[i] - w->net.V[i]));
    free(V);
    world_free(w);
    return most;
}

static void the_mean_knows_no_order(void **state)
{
    (void)state;
    assert_true(change_backwards(NI_MLP_MEAN) < 1e-6F);
    assert_true(change_backwards(NI_MLP_FLAT) > 1e-2F);
}

static void bits_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    for (uint32_t form = NI_MLP_FLAT; form <= NI_MLP_MEAN; form++) {
        world *one = world_create(form, 0.3, 1), *many = world_create(form, 0.3, 4);
        world *both[] = { one, many };
        for (int i = 0; i < 2; i++) {
            assert_int_equal(ni_mlp_forward(&both[i]->net, one->nodes, COUNT, STEP, NULL), NEAP_OK);
            ni_mlp_backward(&both[i]->net, one->dV);
        }
        const ni_mlp *a = &one->net, *b = &many->net;
        assert_memory_equal(a->V, b->V, sizeof(float) * COUNT * OUT);
        assert_memory_equal(a->dE.values, b->dE.values, sizeof(float) * IDS * D);
        assert_memory_equal(a->dW1.values, b->dW1.values, sizeof(float) * a->dW1.rows * HIDDEN);
        assert_memory_equal(a->db1, b->db1, sizeof(float) * HIDDEN);
        assert_memory_equal(a->dW2, b->dW2, sizeof(float) * HIDDEN * OUT);
        assert_memory_equal(a->db2, b->db2, sizeof(float) * OUT);
        world_free(one);
        world_free(many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_and_slopes_are_those_of_the_formula),
        cmocka_unit_test(a_query_drops_nothing),
        cmocka_unit_test(the_mean_knows_no_order),
        cmocka_unit_test(bits_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
