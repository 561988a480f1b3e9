/* The gradients of reference.c and loss.c against central finite differences, in double. */
#define NI_REFERENCE_DOUBLE
#include "attention/loss.c"
#include "attention/reference.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "slopes.h"

enum { D = 5, S = 6, K_MOST = 3, SIDES = 2 + K_MOST, TERMS = 2, ROWS = S + 1 };

typedef struct world {
    ni_ref_model model;
    uint32_t negatives;
    double X[SIDES * ROWS * D], dX[SIDES * ROWS * D], P[D * D], dP[D * D], b[TERMS], db[TERMS];
    double features[(1 + K_MOST) * TERMS];
    ni_ref_sequence rows[SIDES];
    double *work;
    uint32_t picks[SIDES * ROWS];
} world;

static void draw(double *x, int count, double scale, ni_rng *rng)
{
    for (int i = 0; i < count; i++) x[i] = ni_normal(rng) * scale;
}

/* Far from the hinge's corner; neighbourhoods are sometimes full, mostly padded. */
static world *world_create(uint32_t pooling, uint32_t padding, uint32_t negatives, uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    assert_non_null(w);
    w->negatives = negatives;
    w->model = (ni_ref_model){
        .dim = D, .neighbors = S, .pooling = pooling, .padding = padding, .P = w->P, .margin = 30
    };
    draw(w->P, D * D, 0.5, &rng);
    draw(w->b, TERMS, 1, &rng);
    draw(w->features, (1 + K_MOST) * TERMS, 1, &rng);
    for (uint32_t i = 0; i < 2 + negatives; i++) {
        draw(w->X + i * ROWS * D, ROWS * D, 0.7, &rng);
        w->rows[i] = (ni_ref_sequence){ w->X + i * ROWS * D, 2 + (uint32_t)ni_below(&rng, S - 1),
                                        w->dX + i * ROWS * D };
    }
    w->work = calloc(ni_ref_room(&w->model, negatives), sizeof *w->work);
    assert_non_null(w->work);
    return w;
}

static void world_free(world *w)
{
    free(w->work);
    free(w);
}

static double loss_of(void *of)
{
    world *w = of;
    return ni_ref_loss(&w->model, w->rows, w->negatives, w->features, w->dP, w->db, w->work, w->picks);
}

/* Largest difference between gradient and finite difference, relative to the largest gradient. */
static double disagreement(world *w, double *x, int count, const double *gradient)
{
    double worst = 0, largest = 0;
    for (int i = 0; i < count; i++) {
        worst = fmax(worst, fabs(slope_of(loss_of, w, &x[i]) - gradient[i]));
        largest = fmax(largest, fabs(gradient[i]));
    }
    assert_true(largest > 1e-4); /* otherwise nothing was tested */
    return worst / largest;
}

/* Rows of all sides together, so that one without a gradient, an easy negative, may be among them. */
static void check_gradients(world *w)
{
    double dX[SIDES * ROWS * D], dP[D * D], db[TERMS];
    assert_true(loss_of(w) > 0);
    memcpy(dX, w->dX, sizeof dX);
    memcpy(dP, w->dP, sizeof dP);
    memcpy(db, w->db, sizeof db);
    assert_true(disagreement(w, w->X, (int)(2 + w->negatives) * ROWS * D, dX) < 1e-3);
    if (w->model.P) assert_true(disagreement(w, w->P, D * D, dP) < 1e-3);
    if (w->model.terms) assert_true(disagreement(w, w->b, TERMS, db) < 1e-3);
    world_free(w);
}

static void gradients_agree_with_finite_differences(void **state)
{
    (void)state;
    for (uint32_t pooling = NI_POOL_MAX; pooling <= NI_POOL_MEAN; pooling++)
        for (uint32_t padding = NI_PAD_NONE; padding <= NI_PAD_VECTOR; padding++)
            for (uint64_t seed = 1; seed <= 8; seed++) {
                check_gradients(world_create(pooling, padding, 1, seed));
                check_gradients(world_create(pooling, padding, 3, seed));
            }
}

static void gradients_of_every_score_and_loss_agree_with_finite_differences(void **state)
{
    (void)state;
    for (uint32_t objective = NI_OBJECTIVE_MARGIN; objective <= NI_OBJECTIVE_SOFTMAX; objective++)
        for (uint32_t score = NI_SCORE_DOT; score <= NI_SCORE_COSINE; score++)
            for (uint32_t terms = 0; terms <= TERMS; terms += TERMS)
                for (uint32_t negatives = 1; negatives <= 3; negatives += 2) {
                    world *w = world_create(terms ? NI_POOL_MEAN : NI_POOL_MAX, NI_PAD_NONE, negatives, 5);
                    w->model.objective = objective;
                    w->model.score = score;
                    w->model.terms = terms;
                    w->model.b = w->b;
                    if (negatives == 3) w->model.P = NULL;
                    check_gradients(w);
                }
}

static void gradients_of_every_attention_agree_with_finite_differences(void **state)
{
    (void)state;
    for (uint32_t pooling = NI_POOL_MAX; pooling <= NI_POOL_MEAN; pooling++)
        for (uint32_t padding = NI_PAD_NONE; padding <= NI_PAD_VECTOR; padding++)
            for (uint64_t seed = 1; seed <= 4; seed++)
                for (int uniform = 0; uniform < 2; uniform++) {
                    world *w = world_create(pooling, padding, 3, seed);
                    w->model.alignment = NI_ALIGN_SCALED;
                    w->model.objective = NI_OBJECTIVE_LOGISTIC;
                    w->model.terms = TERMS;
                    w->model.b = w->b;
                    w->model.attention = uniform ? NI_ATTEND_UNIFORM : NI_ATTEND_ALIGNED;
                    if (uniform) w->model.P = NULL; /* nothing is aligned */
                    check_gradients(w);
                }
}

static void a_satisfied_margin_has_no_loss_and_no_gradient(void **state)
{
    (void)state;
    for (uint32_t objective = NI_OBJECTIVE_MARGIN; objective <= NI_OBJECTIVE_HARDEST; objective += 2) {
        world *w = world_create(NI_POOL_MAX, NI_PAD_NONE, 3, 3);
        w->model.objective = objective;
        w->model.margin = -1000;
        assert_true(loss_of(w) == 0);
        for (int i = 0; i < SIDES * ROWS * D; i++) assert_true(w->dX[i] == 0);
        for (int i = 0; i < D * D; i++) assert_true(w->dP[i] == 0);
        world_free(w);
    }
}

/* One neighbour each, d = 1, worked out by hand: attention is 1, the score is the product of the two. */
static void a_pair_of_single_neighbours_scores_their_product(void **state)
{
    (void)state;
    double X[] = { 2 }, Y[] = { 3 }, P[] = { 0.5 }, M[1], z[2], w[2], r[2];
    uint32_t pick[2];
    ni_ref_model model = { .dim = 1, .neighbors = 1, .P = P };
    ni_ref_sequence s = { X, 1, NULL }, t = { Y, 1, NULL };
    ni_ref_side a = { z, w, pick, r }, b = { z + 1, w + 1, pick + 1, r + 1 };
    assert_true(ni_ref_pair(&model, &s, &t, M, &a, &b) == 6);
    assert_true(M[0] == 3 && z[0] == tanh(3) && w[0] == 1 && w[1] == 1 && pick[0] == 0 && pick[1] == 0);
}

/* A negative best alignment loses against the zero vector of padding, which nobody is. */
static void zero_padding_wins_over_negative_alignments(void **state)
{
    (void)state;
    double X[] = { 1 }, Y[] = { -1 }, P[] = { 1 }, M[1], z[2], w[2], r[2];
    uint32_t pick[2];
    ni_ref_model model = { .dim = 1, .neighbors = 2, .padding = NI_PAD_ZERO, .P = P };
    ni_ref_sequence s = { X, 1, NULL }, t = { Y, 1, NULL };
    ni_ref_side a = { z, w, pick, r }, b = { z + 1, w + 1, pick + 1, r + 1 };
    ni_ref_pair(&model, &s, &t, M, &a, &b);
    assert_true(M[0] == -1 && z[0] == 0 && pick[0] == NEAP_NONE && pick[1] == NEAP_NONE);
    model.neighbors = 1; /* full neighbourhoods have no padding */
    ni_ref_pair(&model, &s, &t, M, &a, &b);
    assert_true(z[0] == tanh(-1) && pick[0] == 0);
}

/* Beyond 30 a scaled alignment stays what it is, and nothing flows through it. */
static void scaled_alignments_end_at_thirty(void **state)
{
    world *w = world_create(NI_POOL_MAX, NI_PAD_NONE, 1, 2);
    double z[2 * ROWS], weight[2 * ROWS], r[2 * D], M[ROWS * ROWS];
    uint32_t pick[2 * ROWS];
    ni_ref_side a = { z, weight, pick, r }, b = { z + ROWS, weight + ROWS, pick + ROWS, r + D };
    (void)state;
    w->model.alignment = NI_ALIGN_SCALED;
    for (int i = 0; i < D * D; i++) w->P[i] *= 1e6;
    ni_ref_pair(&w->model, &w->rows[0], &w->rows[1], M, &a, &b);
    double most = 0, least = 0;
    for (uint32_t i = 0; i < w->rows[0].size; i++) most = fmax(most, z[i]), least = fmin(least, z[i]);
    assert_true(most == 30 && least >= -30);
    loss_of(w);
    for (int i = 0; i < D * D; i++) assert_true(w->dP[i] == 0);
    world_free(w);
}

/* The mean of the rows, whoever stands opposite. */
static void uniform_attention_is_the_mean(void **state)
{
    (void)state;
    double X[] = { 1, 3 }, Y[] = { 5 }, M[2], z[3], w[3], r[2];
    uint32_t pick[3];
    ni_ref_model model = { .dim = 1, .neighbors = 2, .attention = NI_ATTEND_UNIFORM };
    ni_ref_sequence s = { X, 2, NULL }, t = { Y, 1, NULL };
    ni_ref_side a = { z, w, pick, r }, b = { z + 2, w + 2, pick + 2, r + 1 };
    assert_true(ni_ref_pair(&model, &s, &t, M, &a, &b) == 10);
    assert_true(w[0] == 0.5 && w[1] == 0.5 && w[2] == 1 && z[0] == 0 && pick[0] == NEAP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_finite_differences),
        cmocka_unit_test(gradients_of_every_score_and_loss_agree_with_finite_differences),
        cmocka_unit_test(gradients_of_every_attention_agree_with_finite_differences),
        cmocka_unit_test(a_satisfied_margin_has_no_loss_and_no_gradient),
        cmocka_unit_test(a_pair_of_single_neighbours_scores_their_product),
        cmocka_unit_test(zero_padding_wins_over_negative_alignments),
        cmocka_unit_test(scaled_alignments_end_at_thirty),
        cmocka_unit_test(uniform_attention_is_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
