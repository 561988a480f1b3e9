/* An encoder in front of the attention: gradients of the table, the encoder and P against finite
 * differences in double, and those of the engine against them; the order of neighbours. */
#define NI_REFERENCE_DOUBLE
#include "attention/loss.c"
#include "attention/reference.c"
#include "encoders/cnn_reference.c"
#include "encoders/lstm_reference.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "attention/encoded.h"
#include "attention/engine.h"
#include "base/rng.h"
#include "settings.h"

enum { IDS = 9, D = 4, C = 4, ITEMS = 3, K = 6, SIDES = 2 + K, LONGEST = 6, WIDEST = 4 };
enum { MOST = WIDEST * D * C }; /* of the encoder's weights, each; an LSTM's W is D x 4C, its U C x 2C */

/* Parameters in double, a batch, and what of it is learned from. */
typedef struct world {
    ni_encoding encoding;
    ni_encoder_shape shape;
    ni_ref_model model;
    double E[IDS * D], W[MOST], U[MOST], b[4 * C], P[C * C];
    double dE[IDS * D], dW[MOST], dU[MOST], db[4 * C], dP[C * C];
    uint32_t ids[ITEMS * SIDES][LONGEST], count[ITEMS * SIDES], key[ITEMS * SIDES];
} world;

static void draw(double *x, int count, double scale, ni_rng *rng)
{
    for (int i = 0; i < count; i++) x[i] = (double)(float)(ni_normal(rng) * scale);
}

/* Sides of even number have a key, and two of them the same; one side is empty. */
static world *world_create(ni_encoding encoding, uint32_t score, uint32_t objective, uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, encoding.kernel, 0);
    assert_non_null(w);
    w->encoding = encoding;
    w->shape = ni_encoder_shape_of(&encoding, D, C);
    w->model = (ni_ref_model){
        .dim = C, .neighbors = LONGEST, .P = w->P, .score = score, .objective = objective, .margin = 30
    };
    draw(w->E, IDS * D, 0.7, &rng);
    draw(w->W, MOST, 0.5, &rng);
    draw(w->U, MOST, 0.5, &rng);
    draw(w->b, 4 * C, 0.3, &rng);
    draw(w->P, C * C, 0.6, &rng);
    for (uint32_t s = 0; s < ITEMS * SIDES; s++) {
        w->key[s] = s % 2 ? NI_OWN_KEY : s;
        w->count[s] = s == 7 ? 0 : 1 + (uint32_t)ni_below(&rng, LONGEST);
        for (uint32_t i = 0; i < w->count[s]; i++) w->ids[s][i] = (uint32_t)ni_below(&rng, IDS);
    }
    w->key[8] = w->key[2], w->count[8] = w->count[2];
    memcpy(w->ids[8], w->ids[2], sizeof w->ids[2]);
    return w;
}

/* What one side reads and what it becomes; Z and c are an LSTM's. */
typedef struct side {
    double X[LONGEST * D], H[LONGEST * C], dH[LONGEST * C], dX[LONGEST * D];
    double Z[LONGEST * 4 * C], c[LONGEST * C];
} side;

static ni_ref_cnn cnn_of(const world *w)
{
    bool activated = w->encoding.activation == NI_ACTIVATION_TANH;
    return (ni_ref_cnn){ w->encoding.kernel, D, C, true, activated, w->W, w->b };
}

static ni_ref_lstm lstm_of(const world *w)
{
    return (ni_ref_lstm){ D, C / 2, w->W, w->U, w->b };
}

static void encode(const world *w, side *s, uint32_t length)
{
    ni_ref_cnn cnn = cnn_of(w);
    ni_ref_lstm lstm = lstm_of(w);
    if (w->shape.U_rows) ni_ref_lstm_forward(&lstm, s->X, length, s->H, s->Z, s->c);
    else ni_ref_cnn_forward(&cnn, s->X, length, s->H);
}

static void encode_back(world *w, side *s, uint32_t length)
{
    ni_ref_cnn cnn = cnn_of(w);
    ni_ref_lstm lstm = lstm_of(w);
    if (w->shape.U_rows)
        ni_ref_lstm_backward(&lstm, s->X, length, s->H, s->Z, s->c, s->dH, s->dX, w->dW, w->dU, w->db);
    else ni_ref_cnn_backward(&cnn, s->X, length, s->H, s->dH, s->dX, w->dW, w->db);
}

/* The mean loss; with `back` the gradients are added. */
static double loss_of(world *w, bool back)
{
    double loss = 0;
    double *work = calloc(ni_ref_room(&w->model, K), sizeof *work);
    uint32_t picks[SIDES * (LONGEST + 1)];
    double *dP = calloc(C * C, sizeof *dP);
    for (uint32_t item = 0; item < ITEMS; item++) {
        static side at[SIDES];
        ni_ref_sequence rows[SIDES];
        memset(at, 0, sizeof at);
        for (uint32_t s = 0; s < SIDES; s++) {
            const uint32_t *ids = w->ids[item * SIDES + s], n = w->count[item * SIDES + s];
            for (uint32_t i = 0; i < n; i++) memcpy(at[s].X + i * D, w->E + ids[i] * D, D * sizeof(double));
            encode(w, &at[s], n);
            rows[s] = (ni_ref_sequence){ at[s].H, n, at[s].dH };
        }
        loss += ni_ref_loss(&w->model, rows, K, NULL, dP, NULL, work, picks) / ITEMS;
        for (uint32_t s = 0; back && s < SIDES; s++) {
            const uint32_t *ids = w->ids[item * SIDES + s], n = w->count[item * SIDES + s];
            for (uint32_t i = 0; i < n * C; i++) at[s].dH[i] /= ITEMS;
            encode_back(w, &at[s], n);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t k = 0; k < D; k++) w->dE[ids[i] * D + k] += at[s].dX[i * D + k];
        }
    }
    for (int i = 0; back && i < C * C; i++) w->dP[i] += dP[i] / ITEMS;
    free(work);
    free(dP);
    return loss;
}

static void expect_slope(world *w, double *x, int count, const double *gradient)
{
    const double step = 1e-6;
    for (int i = 0; i < count; i++) {
        double old = x[i];
        x[i] = old + step;
        double up = loss_of(w, false);
        x[i] = old - step;
        double down = loss_of(w, false);
        x[i] = old;
        assert_true(fabs((up - down) / (2 * step) - gradient[i]) < 1e-5);
    }
}

/* ---- the engine on the same numbers ---- */

static void floats(const double *x, int count, float *out)
{
    for (int i = 0; i < count; i++) out[i] = (float)x[i];
}

static void expect_close(const float *ours, const double *theirs, int count)
{
    for (int i = 0; i < count; i++) assert_true(fabs((double)ours[i] - theirs[i]) < 1e-4);
}

static void expect_engine(world *w, bool by_id, uint32_t threads, double loss)
{
    const ni_settings *settings = settings_of(options_of(
        "neap", "method", "gap", "dim", "4", "dropout", "0", "margin", "30", "neighbors", "6", "alignment",
        "tanh", "objective", w->model.objective == NI_OBJECTIVE_HARDEST ? "hardest" : "margin", NULL));
    float E[IDS * D], W[MOST], U[MOST], b[4 * C], P[C * C], dE[IDS * D] = { 0 };
    ni_threads *pool;
    ni_engine *engine;
    ni_engine_gradients taken;
    ni_side sides[ITEMS * SIDES];
    double ours;
    floats(w->E, IDS * D, E), floats(w->W, MOST, W), floats(w->U, MOST, U), floats(w->b, 4 * C, b);
    floats(w->P, C * C, P);
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    ni_encoded encoded = { .E = E,
                           .ids = IDS,
                           .encoder = ni_encoder_of(&w->encoding, D, C, W, w->shape.U_rows ? U : NULL, b),
                           .by_id = by_id,
                           .learns = true,
                           .threads = pool };
    assert_int_equal(ni_encoded_create(&encoded, NULL), NEAP_OK);
    ni_rows rows = ni_rows_of_encoder(&encoded);
    ni_engine_inputs in = { .options = settings->own,
                            .rows = &rows,
                            .keys = ITEMS * SIDES,
                            .P = P,
                            .dim = C,
                            .threads = pool,
                            .score = w->model.score };
    assert_int_equal(ni_engine_create(&in, &engine, NULL), NEAP_OK);
    for (uint32_t s = 0; s < ITEMS * SIDES; s++) sides[s] = (ni_side){ w->ids[s], w->count[s], w->key[s] };
    ni_items items = { .sides = sides, .count = ITEMS, .negatives = K };
    for (int twice = 0; twice < 2; twice++) { /* nothing of a step is left for the next */
        assert_int_equal(ni_engine_step(engine, &items, 0, &taken, &ours, NULL), NEAP_OK);
        assert_true(fabs(ours - loss) < 1e-4);
        expect_close(taken.P, w->dP, C * C);
        expect_close(encoded.dW, w->dW, (int)(w->shape.W_rows * w->shape.W_columns));
        if (w->shape.U_rows) expect_close(encoded.dU, w->dU, (int)(w->shape.U_rows * w->shape.U_columns));
        expect_close(encoded.db, w->db, (int)w->shape.W_columns);
        memset(dE, 0, sizeof dE);
        for (uint32_t i = 0; i < encoded.dE.rows; i++)
            for (int k = 0; k < D; k++)
                dE[encoded.dE.row[i] * D + (uint32_t)k] += encoded.dE.values[i * D + (uint32_t)k];
        expect_close(dE, w->dE, IDS * D);
    }
    ni_engine_free(engine);
    ni_encoded_free(&encoded);
    ni_threads_free(pool);
    ni_settings_free(settings);
}

static void expect_slopes(ni_encoding encoding, uint32_t score, uint32_t objective)
{
    world *w = world_create(encoding, score, objective, 5);
    const ni_encoder_shape *s = &w->shape;
    double loss = loss_of(w, true);
    expect_slope(w, w->E, IDS * D, w->dE);
    expect_slope(w, w->W, (int)(s->W_rows * s->W_columns), w->dW);
    expect_slope(w, w->U, (int)(s->U_rows * s->U_columns), w->dU);
    expect_slope(w, w->b, (int)s->W_columns, w->db);
    expect_slope(w, w->P, C * C, w->dP);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        expect_engine(w, false, threads, loss);
        if (encoding.kernel == 1) expect_engine(w, true, threads, loss);
    }
    free(w);
}

/* With the hardest of K non-links only three sides of an item have a gradient, and only they go back. */
static void gradients_through_the_encoder_are_slopes_and_the_engine_has_them(void **state)
{
    (void)state;
    for (uint32_t width = 0; width <= WIDEST; width++)
        for (uint32_t kind = 0; kind < 8; kind++) {
            ni_encoding encoding = { .encoder = width ? NI_ENCODER_CNN : NI_ENCODER_LSTM,
                                     .kernel = width,
                                     .activation = kind & 1 ? NI_ACTIVATION_TANH : NI_ACTIVATION_LINEAR };
            if (width || !(kind & 1))
                expect_slopes(encoding, kind & 2 ? NI_SCORE_COSINE : NI_SCORE_DOT,
                              kind & 4 ? NI_OBJECTIVE_HARDEST : NI_OBJECTIVE_MARGIN);
        }
}

/* ---- the order of neighbours ---- */

/* A triangle 0 1 2, a square 0 3 4 5 and a tail 6: with 0, its neighbours 1 and 2 have each other in
 * common, 3 and 5 nothing, 6 nothing. */
static void neighbours_are_ordered_by_common_neighbours_then_by_number(void **state)
{
    const neap_edge edges[] = { { 0, 3, 1 }, { 0, 1, 1 }, { 1, 2, 1 }, { 0, 2, 1 },
                                { 3, 4, 1 }, { 4, 5, 1 }, { 5, 0, 1 }, { 0, 6, 1 } };
    ni_hood_rule rule = { .neighbors = 100 };
    neap_graph *g;
    ni_links links;
    ni_hood hood, ordered;
    ni_threads *pool;
    (void)state;
    assert_int_equal(neap_graph_create(7, NULL, edges, 8, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(2, &pool, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    assert_int_equal(ni_hood_create(g, &links, &rule, &hood, NULL), NEAP_OK);
    assert_int_equal(ni_hood_order(&hood, &links, 7, pool, &ordered, NULL), NEAP_OK);
    const uint32_t of_0[] = { 1, 2, 3, 5, 6 }, of_1[] = { 0, 2 };
    assert_memory_equal(ordered.node + ordered.offset[0], of_0, sizeof of_0);
    assert_memory_equal(ordered.node + ordered.offset[1], of_1, sizeof of_1);
    ni_hood_free(&ordered);
    /* 2 is no common neighbour of 0 and 1 if it was not in training */
    assert_int_equal(ni_hood_order(&hood, &links, 2, pool, &ordered, NULL), NEAP_OK);
    const uint32_t then[] = { 2, 1, 3, 5, 6 };
    assert_memory_equal(ordered.node + ordered.offset[0], then, sizeof then);
    ni_hood_free(&ordered);
    ni_hood_free(&hood);
    ni_links_free(&links);
    ni_threads_free(pool);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_through_the_encoder_are_slopes_and_the_engine_has_them),
        cmocka_unit_test(neighbours_are_ordered_by_common_neighbours_then_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
