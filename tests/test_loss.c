/* Losses and scores at points worked out by hand, at their limits, and where an input is not a number.
 * Their derivatives are checked by tests/test_reference.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attention/loss.h"
#include "attention/options.h"

enum { K = 3 };

static float loss_of(uint32_t objective, float p, const float *n, uint32_t k, float *dp, float *dn)
{
    return ni_loss(objective, 1, p, n, k, dp, dn);
}

static void assert_near(float x, double y)
{
    assert_true(fabs((double)x - y) <= 1e-6 * fmax(1, fabs(y)));
}

static void losses_have_the_values_of_their_formulas(void **state)
{
    const float n[K] = { 0.5F, 2, 0 };
    float dp, dn[K];
    (void)state;
    assert_near(loss_of(NI_OBJECTIVE_MARGIN, 1.5F, n, K, &dp, dn), 0.5); /* 0, 1.5 and 0 over 3 */
    assert_true(dn[0] == 0 && dn[2] == 0 && dn[1] == -dp);
    assert_near(loss_of(NI_OBJECTIVE_HARDEST, 1.5F, n, K, &dp, dn), 1.5);
    assert_true(dn[0] == 0 && dn[1] == 1 && dn[2] == 0 && dp == -1);
    assert_near(loss_of(NI_OBJECTIVE_LOGISTIC, 0, n, K, &dp, dn),
                log(2) + (log1p(exp(0.5)) + log1p(exp(2)) + log(2)) / 3);
    assert_near(dp, -0.5);
    assert_near(dn[2], 0.5 / 3);
    assert_near(loss_of(NI_OBJECTIVE_SOFTMAX, 2, n, K, &dp, dn), log(2 + exp(-1.5) + exp(-2)));
    assert_near(dp + dn[0] + dn[1] + dn[2], 0);
    assert_near(dn[1], 1 / (2 + exp(-1.5) + exp(-2)));
}

static void of_equally_hard_negatives_the_first_counts(void **state)
{
    const float n[K] = { 1, 2, 2 };
    float dp, dn[K];
    (void)state;
    loss_of(NI_OBJECTIVE_HARDEST, 0, n, K, &dp, dn);
    assert_true(dn[0] == 0 && dn[1] == 1 && dn[2] == 0);
}

static void large_scores_do_not_overflow(void **state)
{
    (void)state;
    for (uint32_t objective = NI_OBJECTIVE_MARGIN; objective <= NI_OBJECTIVE_SOFTMAX; objective++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const float n[K] = { (float)-sign * 1e4F, 0, (float)-sign * 1e4F };
            float dp, dn[K], loss = loss_of(objective, (float)sign * 1e4F, n, K, &dp, dn);
            assert_true(isfinite(loss) && loss >= 0 && isfinite(dp) && dp <= 0);
            assert_true(sign > 0 ? loss <= 1 : loss >= 1e4F);
            for (int i = 0; i < K; i++) assert_true(isfinite(dn[i]) && dn[i] >= 0);
        }
}

static void what_is_not_a_number_is_seen(void **state)
{
    (void)state;
    for (uint32_t objective = NI_OBJECTIVE_MARGIN; objective <= NI_OBJECTIVE_SOFTMAX; objective++)
        for (int where = -1; where < K; where++) {
            float dp, dn[K], n[K] = { -5, -6, -7 }, p = 3;
            *(where < 0 ? &p : &n[where]) = NAN;
            assert_true(isnan(loss_of(objective, p, n, K, &dp, dn)));
        }
}

static void scores_have_the_values_of_their_formulas(void **state)
{
    const float b[] = { 2, -1 }, f[] = { 0.5F, 3 };
    (void)state;
    assert_true(ni_score_of(NI_SCORE_DOT, 6, 1, 1).value == 6);
    assert_near(ni_score_of(NI_SCORE_COSINE, 6, 4, 16).value, 0.75);
    assert_true(ni_score_of(NI_SCORE_COSINE, 0, 0, 16).value == 0);
    assert_true(ni_score_of(NI_SCORE_COSINE, 0, 0, 16).cross == 0);
    assert_true(isnan(ni_score_of(NI_SCORE_COSINE, NAN, 4, 16).value));
    assert_true(ni_linear_terms(b, f, 2) == -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_have_the_values_of_their_formulas),
        cmocka_unit_test(of_equally_hard_negatives_the_first_counts),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(what_is_not_a_number_is_seen),
        cmocka_unit_test(scores_have_the_values_of_their_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
