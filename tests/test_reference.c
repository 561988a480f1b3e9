/* The gradients of reference.c against central finite differences, in double. */
#define NI_REFERENCE_DOUBLE
#include "attention/reference.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"

enum { N = 12, D = 5, S = 6 };

typedef struct world {
    ni_ref_model model;
    double E[N * D], P[D * D], pad[D], mask[3][S * D], dE[N * D], dP[D * D];
    uint32_t node[3][S];
    ni_ref_hood hood[3];
    double *work;
    uint32_t picks[3 * (S + 1)];
} world;

static world *world_create(uint32_t pooling, uint32_t padding, bool masked, uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    assert_non_null(w);
    for (int i = 0; i < N * D; i++) w->E[i] = ni_normal(&rng) * 0.5;
    for (int i = 0; i < D * D; i++) w->P[i] = ni_normal(&rng) * 0.5;
    for (int i = 0; i < D; i++) w->pad[i] = ni_normal(&rng);
    for (int h = 0; h < 3; h++) {
        uint32_t size = 2 + (uint32_t)ni_below(&rng, S - 1); /* sometimes full, mostly padded */
        for (uint32_t i = 0; i < size; i++) w->node[h][i] = (uint32_t)((h * 3 + i * 5) % N);
        for (int i = 0; i < S * D; i++) w->mask[h][i] = ni_below(&rng, 2) ? 2 : 0;
        w->hood[h] = (ni_ref_hood){ w->node[h], size, masked ? w->mask[h] : NULL, w->pad };
    }
    w->model =
        (ni_ref_model){ D, S, pooling, padding, 30, w->E, w->P, 0 }; /* far from the hinge's corner */
    w->work = calloc(ni_ref_room(&w->model), sizeof *w->work);
    assert_non_null(w->work);
    return w;
}

static void world_free(world *w)
{
    free(w->work);
    free(w);
}

static double loss_of(world *w)
{
    return ni_ref_loss(&w->model, &w->hood[0], &w->hood[1], &w->hood[2], w->dE, w->dP, w->work, w->picks);
}

/* Largest difference between gradient and finite difference, relative to the largest gradient. */
static double disagreement(world *w, double *x, int count, const double *gradient)
{
    double step = 1e-5, worst = 0, largest = 0;
    for (int i = 0; i < count; i++) {
        double old = x[i];
        x[i] = old + step;
        double up = loss_of(w);
        x[i] = old - step;
        double down = loss_of(w);
        x[i] = old;
        worst = fmax(worst, fabs((up - down) / (2 * step) - gradient[i]));
        largest = fmax(largest, fabs(gradient[i]));
    }
    assert_true(largest > 1e-3); /* otherwise nothing was tested */
    return worst / largest;
}

static void check_gradients(uint32_t pooling, uint32_t padding, bool masked)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        world *w = world_create(pooling, padding, masked, seed);
        double dE[N * D], dP[D * D];
        assert_true(loss_of(w) > 0);
        memcpy(dE, w->dE, sizeof dE);
        memcpy(dP, w->dP, sizeof dP);
        assert_true(disagreement(w, w->E, N * D, dE) < 1e-3);
        assert_true(disagreement(w, w->P, D * D, dP) < 1e-3);
        world_free(w);
    }
}

static void gradients_agree_with_finite_differences(void **state)
{
    (void)state;
    for (uint32_t pooling = NI_POOL_MAX; pooling <= NI_POOL_MEAN; pooling++)
        for (uint32_t padding = NI_PAD_NONE; padding <= NI_PAD_VECTOR; padding++)
            for (int masked = 0; masked < 2; masked++) check_gradients(pooling, padding, masked);
}

static void gradients_without_a_matrix_or_of_chances_agree_with_finite_differences(void **state)
{
    (void)state;
    for (int kind = 1; kind < 4; kind++)
        for (uint32_t pooling = NI_POOL_MAX; pooling <= NI_POOL_MEAN; pooling++) {
            world *w = world_create(pooling, NI_PAD_NONE, true, 5);
            double dE[N * D], dP[D * D];
            if (kind & 1) w->model.P = NULL;
            if (kind & 2) w->model.logistic = 1;
            assert_true(loss_of(w) > 0);
            memcpy(dE, w->dE, sizeof dE);
            memcpy(dP, w->dP, sizeof dP);
            assert_true(disagreement(w, w->E, N * D, dE) < 1e-3);
            if (w->model.P) assert_true(disagreement(w, w->P, D * D, dP) < 1e-3);
            world_free(w);
        }
}

static void a_satisfied_margin_has_no_loss_and_no_gradient(void **state)
{
    (void)state;
    world *w = world_create(NI_POOL_MAX, NI_PAD_NONE, false, 3);
    w->model.margin = -1000;
    assert_true(loss_of(w) == 0);
    for (int i = 0; i < N * D; i++) assert_true(w->dE[i] == 0);
    for (int i = 0; i < D * D; i++) assert_true(w->dP[i] == 0);
    world_free(w);
}

/* One neighbour each, d = 1, worked out by hand: attention is 1, the score is the product of the two. */
static void a_pair_of_single_neighbours_scores_their_product(void **state)
{
    (void)state;
    double E[] = { 2, 3 }, P[] = { 0.5 }, X[1], Y[1], M[1], z[2], w[2], r[2];
    uint32_t nodes[] = { 0, 1 }, pick[2];
    ni_ref_model model = { 1, 1, NI_POOL_MAX, NI_PAD_NONE, 1, E, P, 0 };
    ni_ref_hood s = { nodes, 1, NULL, NULL }, t = { nodes + 1, 1, NULL, NULL };
    ni_ref_side a = { z, w, pick, r }, b = { z + 1, w + 1, pick + 1, r + 1 };
    assert_true(ni_ref_pair(&model, &s, &t, X, Y, M, &a, &b) == 6);
    assert_true(M[0] == 3 && z[0] == tanh(3) && w[0] == 1 && w[1] == 1 && pick[0] == 0 && pick[1] == 0);
}

/* A negative best alignment loses against the zero vector of padding, which nobody is. */
static void zero_padding_wins_over_negative_alignments(void **state)
{
    (void)state;
    double E[] = { 1, -1 }, P[] = { 1 }, X[1], Y[1], M[1], z[2], w[2], r[2];
    uint32_t nodes[] = { 0, 1 }, pick[2];
    ni_ref_model model = { 1, 2, NI_POOL_MAX, NI_PAD_ZERO, 1, E, P, 0 };
    ni_ref_hood s = { nodes, 1, NULL, NULL }, t = { nodes + 1, 1, NULL, NULL };
    ni_ref_side a = { z, w, pick, r }, b = { z + 1, w + 1, pick + 1, r + 1 };
    ni_ref_pair(&model, &s, &t, X, Y, M, &a, &b);
    assert_true(M[0] == -1 && z[0] == 0 && pick[0] == NEAP_NONE && pick[1] == NEAP_NONE);
    model.neighbors = 1; /* full neighbourhoods have no padding */
    ni_ref_pair(&model, &s, &t, X, Y, M, &a, &b);
    assert_true(z[0] == tanh(-1) && pick[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_finite_differences),
        cmocka_unit_test(gradients_without_a_matrix_or_of_chances_agree_with_finite_differences),
        cmocka_unit_test(a_satisfied_margin_has_no_loss_and_no_gradient),
        cmocka_unit_test(a_pair_of_single_neighbours_scores_their_product),
        cmocka_unit_test(zero_padding_wins_over_negative_alignments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
