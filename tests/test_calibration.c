/* Whether probabilities are right: bins, errors, and what chance alone shows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/calibration.h"
#include "faults.h"
#include "settings.h"
#include "trials.h"

enum { COUNT = 3000 };

static float links[COUNT], others[COUNT];

/* Log-odds x of pairs whose labels are right for x * truth, until there are enough of both kinds. */
static void draw_scores(double truth)
{
    size_t found[2] = { 0, 0 };
    for (uint64_t i = 0; found[0] < COUNT || found[1] < COUNT; i++) {
        ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, i);
        double x = 3 * ni_normal(&rng);
        bool link = ni_uniform(&rng) < 1 / (1 + exp(-truth * x));
        if (found[!link] == COUNT) continue;
        (link ? links : others)[found[!link]++] = (float)x;
    }
}

static neap_link_result measured(size_t count, uint64_t seed)
{
    neap_link_result r = NEAP_SIZED(neap_link_result);
    assert_int_equal(ni_calibration(links, others, count, seed, &r, NULL), NEAP_OK);
    assert_int_equal(r.bins, NEAP_BINS);
    return r;
}

/* The pairs whose score has rank in [first, end), where no two are equal. */
static void mean_of_ranks(size_t first, size_t end, double *predicted, double *observed)
{
    *predicted = *observed = 0;
    for (size_t i = 0; i < 2 * COUNT; i++) {
        float x = i < COUNT ? links[i] : others[i - COUNT];
        size_t rank = 0;
        for (size_t k = 0; k < 2 * COUNT; k++) rank += (k < COUNT ? links[k] : others[k - COUNT]) < x;
        if (rank < first || rank >= end) continue;
        *predicted += 1 / (1 + exp(-(double)x)) / (double)(end - first);
        *observed += (i < COUNT) / (double)(end - first);
    }
}

static void bins_and_errors_are_those_of_the_definition(void **state)
{
    double error = 0, brier = 0;
    (void)state;
    draw_scores(0.5);
    neap_link_result r = measured(COUNT, 1);
    for (size_t b = 0; b < NEAP_BINS; b += 7) {
        double predicted, observed;
        mean_of_ranks(2 * COUNT * b / NEAP_BINS, 2 * COUNT * (b + 1) / NEAP_BINS, &predicted, &observed);
        assert_int_equal(r.bin_count[b], 2 * COUNT / NEAP_BINS);
        assert_true(fabs(r.bin_predicted[b] - predicted) < 1e-12);
        assert_true(fabs(r.bin_observed[b] - observed) < 1e-12);
    }
    for (size_t b = 0; b < NEAP_BINS; b++)
        error += fabs(r.bin_predicted[b] - r.bin_observed[b]) / NEAP_BINS;
    for (size_t i = 0; i < COUNT; i++) {
        double p = 1 / (1 + exp(-(double)links[i])), q = 1 / (1 + exp(-(double)others[i]));
        brier += ((1 - p) * (1 - p) + q * q) / (2 * COUNT);
    }
    assert_true(fabs(r.ece - error) < 1e-12 && fabs(r.brier - brier) < 1e-12);
}

/* Right probabilities err as much as chance does, overconfident ones more. */
static void what_chance_shows_is_what_right_probabilities_show(void **state)
{
    (void)state;
    draw_scores(1);
    neap_link_result right = measured(COUNT, 1);
    assert_true(right.ece < 2 * right.ece_own && right.ece_own < 2 * right.ece);
    draw_scores(0.5);
    neap_link_result bold = measured(COUNT, 1);
    assert_true(bold.ece > 0.1 && bold.ece_own < 0.02);
}

/* A stable sort would fill half of the bins with links, and half with non-links. */
static void pairs_of_equal_score_share_the_bins(void **state)
{
    (void)state;
    memset(links, 0, sizeof links);
    memset(others, 0, sizeof others);
    neap_link_result r = measured(COUNT, 1), again = measured(COUNT, 1), other = measured(COUNT, 2);
    for (size_t b = 0; b < NEAP_BINS; b++)
        assert_true(r.bin_predicted[b] == 0.5 && fabs(r.bin_observed[b] - 0.5) < 0.1);
    assert_true(r.ece > 0 && r.ece < 0.05 && r.brier == 0.25);
    assert_memory_equal(r.bin_observed, again.bin_observed, sizeof r.bin_observed);
    assert_true(r.ece == again.ece && r.ece_own == again.ece_own);
    assert_true(r.ece != other.ece && r.ece_own != other.ece_own);
}

static void fewer_pairs_than_bins_leave_bins_empty(void **state)
{
    (void)state;
    draw_scores(1);
    neap_link_result r = measured(2, 1);
    uint64_t count = 0;
    for (size_t b = 0; b < NEAP_BINS; b++) {
        count += r.bin_count[b];
        assert_int_equal(isnan(r.bin_observed[b]), r.bin_count[b] == 0);
    }
    assert_true(count == 4 && isfinite(r.ece) && isfinite(r.ece_own) && isfinite(r.brier));
}

static void infinite_scores_are_certain(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) links[i] = INFINITY, others[i] = -INFINITY;
    neap_link_result r = measured(COUNT, 1);
    assert_true(r.brier == 0 && r.ece < 1e-12 && r.ece_own < 1e-12);
}

static neap_status judge(void *user, neap_error *err)
{
    neap_link_result r = NEAP_SIZED(neap_link_result);
    (void)user;
    return ni_calibration(links, others, COUNT, 1, &r, err);
}

static void a_lack_of_memory_is_reported(void **state)
{
    (void)state;
    draw_scores(1);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, judge, faults_expect_memory, NULL) >= 1);
}

/* ---- which models are judged, against which negatives ---- */

static uint32_t bins_of(const ni_trial *t, const char *method, const char *negatives)
{
    neap_options *o = options_of("neap", "method", method, NULL);
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_model *m;
    if (!strcmp(method, "evidence")) {
        assert_int_equal(neap_options_set(o, "negative-sampling", negatives, NULL), NEAP_OK);
        assert_int_equal(neap_options_set(o, "curve-steps", "5", NULL), NEAP_OK);
        assert_int_equal(neap_options_set(o, "dim", "4", NULL), NEAP_OK);
    }
    assert_int_equal(neap_trial_train(t, o, NULL, &m, NULL), NEAP_OK);
    assert_int_equal(neap_trial_measure(t, m, NULL, &r, NULL), NEAP_OK);
    assert_int_equal(isnan(r.ece), r.bins == 0);
    neap_model_free(m);
    neap_options_free(o);
    return r.bins;
}

static void probabilities_are_judged_by_the_negatives_that_they_concern(void **state)
{
    neap_graph *g = messy_graph(1);
    (void)state;
    for (int test = NI_UNIFORM; test <= NI_TWO_HOP; test++) {
        ni_trial *t = trial_of(g, NI_CLEAN, (ni_negatives)test, 0.7, 1);
        for (int kind = NI_UNIFORM; kind <= NI_TWO_HOP; kind++)
            assert_int_equal(bins_of(t, "evidence", ni_negative_words[kind]), kind == test ? NEAP_BINS : 0);
        assert_int_equal(bins_of(t, "pa", NULL), 0);
        neap_trial_free(t);
    }
    ni_trial *t = trial_of(g, NI_PAPER_CLEAN, NI_UNIFORM, 0.7, 1);
    assert_int_equal(bins_of(t, "evidence", "uniform"), 0);
    neap_trial_free(t);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_and_errors_are_those_of_the_definition),
        cmocka_unit_test(what_chance_shows_is_what_right_probabilities_show),
        cmocka_unit_test(pairs_of_equal_score_share_the_bins),
        cmocka_unit_test(fewer_pairs_than_bins_leave_bins_empty),
        cmocka_unit_test(infinite_scores_are_certain),
        cmocka_unit_test(a_lack_of_memory_is_reported),
        cmocka_unit_test(probabilities_are_judged_by_the_negatives_that_they_concern),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
