/* Scores, ranks, clusterings and classes against numbers worked out by hand, and what must not change them.
 * tests/metrics_oracle.py compares the same functions with scikit-learn. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "eval/gaps.c" /* white box: nobody counts 10^12 negatives one by one in a test */
#include "faults.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void near(double found, double expected, double within)
{
    if (fabs(found - expected) <= within) return;
    fail_msg("%.17g instead of %.17g", found, expected);
}

static ni_gaps *gaps_of(const float *positives, size_t n, const float *negatives, size_t m)
{
    ni_gaps *gaps;
    assert_int_equal(ni_gaps_create(positives, n, &gaps, NULL), NEAP_OK);
    assert_int_equal(ni_gaps_add(gaps, negatives, m, NULL), NEAP_OK);
    return gaps;
}

/* Few distinct numbers, so most of them tie. */
static void draw_scores(float *scores, size_t n, uint64_t distinct, uint64_t item)
{
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, item);
    for (size_t i = 0; i < n; i++) scores[i] = (float)ni_below(&rng, distinct) - 3;
}

static void draw_labels(uint32_t *labels, size_t n, uint64_t distinct, uint64_t item)
{
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 1, item);
    for (size_t i = 0; i < n; i++) labels[i] = (uint32_t)ni_below(&rng, distinct);
}

/* ---- positives against a pool ---- */

static void a_tie_counts_half_in_the_auc_and_against_in_the_rest(void **state)
{
    const float p[] = { 3, 1, 2, 2 }, m[] = { 2, 0, 5 };
    ni_gaps *gaps = gaps_of(p, 4, m, 3);
    (void)state;
    /* against 2: one win, two ties; against 0: four wins; against 5: none */
    near(ni_gaps_auc(gaps), (1 + 2 * 0.5 + 4) / 12, 1e-15);
    /* at 3: 1 of 2 found is right; at 2: 3 of 5, the tie included; at 1: 4 of 6 */
    near(ni_gaps_ap(gaps), (1 * 1. / 2 + 2 * 3. / 5 + 1 * 4. / 6) / 4, 1e-15);
    /* negatives from the top: 5, 2, 0 */
    near(ni_gaps_hits(gaps, 1), 0, 0);
    near(ni_gaps_hits(gaps, 2), 0.25, 0);
    near(ni_gaps_hits(gaps, 3), 1, 0);
    ni_gaps_free(gaps);
}

static void a_constant_score_is_worth_nothing(void **state)
{
    const float same[] = { 7, 7, 7, 7, 7, 7 };
    ni_gaps *gaps = gaps_of(same, 2, same, 6);
    (void)state;
    near(ni_gaps_auc(gaps), 0.5, 0);
    near(ni_gaps_ap(gaps), 0.25, 0);
    near(ni_gaps_hits(gaps, 1), 0, 0);
    near(ni_gaps_hits(gaps, 6), 0, 0);
    ni_gaps_free(gaps);
}

static void fewer_negatives_than_K_are_a_hit(void **state)
{
    const float p[] = { 1, 2 }, m[] = { 9, 9 };
    ni_gaps *gaps = gaps_of(p, 2, m, 2);
    (void)state;
    near(ni_gaps_hits(gaps, 2), 0, 0);
    near(ni_gaps_hits(gaps, 3), 1, 0);
    assert_true(isnan(ni_gaps_hits(gaps, 0)));
    assert_true(isnan(ni_gaps_hits(gaps, NI_HITS_MOST + 1)));
    ni_gaps_free(gaps);
}

static void without_negatives_there_is_no_auc(void **state)
{
    const float p[] = { 1, 2 };
    ni_gaps *gaps = gaps_of(p, 2, p, 0);
    (void)state;
    assert_true(isnan(ni_gaps_auc(gaps)));
    near(ni_gaps_ap(gaps), 1, 0);
    near(ni_gaps_hits(gaps, 1), 1, 0);
    ni_gaps_free(gaps);
}

static void infinities_are_scores_like_others(void **state)
{
    const float p[] = { INFINITY, -INFINITY, 0.f }, m[] = { INFINITY, -INFINITY, -0.f };
    ni_gaps *gaps = gaps_of(p, 3, m, 3);
    (void)state;
    near(ni_gaps_auc(gaps), 0.5, 0); /* three wins, three ties (-0 is 0), three losses */
    near(ni_gaps_ap(gaps), 0.5, 1e-15);
    near(ni_gaps_hits(gaps, 1), 0, 0);
    near(ni_gaps_hits(gaps, 3), 2. / 3, 0);
    ni_gaps_free(gaps);
}

/* The K-th best negative by sorting all of them. */
static double hits_by_sorting(const float *p, size_t n, const float *negatives, size_t m, size_t K)
{
    float sorted[1000];
    size_t above = 0;
    memcpy(sorted, negatives, m * sizeof *sorted);
    qsort(sorted, m, sizeof *sorted, ascending);
    for (size_t i = 0; i < n; i++) above += p[i] > sorted[m - K];
    return (double)above / (double)n;
}

static void hits_follow_the_best_negatives_in_whatever_order_they_come(void **state)
{
    float p[200], m[1000], turned[1000];
    (void)state;
    draw_scores(p, 200, 5000, 0);
    draw_scores(m, 1000, 5000, 1);
    for (int order = 0; order < 3; order++) { /* as drawn, ascending, descending */
        if (order) qsort(m, 1000, sizeof *m, ascending);
        for (size_t i = 0; i < 1000; i++) turned[i] = m[order == 2 ? 999 - i : i];
        ni_gaps *gaps = gaps_of(p, 200, turned, 1000);
        for (uint32_t K = 1; K <= NI_HITS_MOST; K++)
            near(ni_gaps_hits(gaps, K), hits_by_sorting(p, 200, m, 1000, K), 0);
        ni_gaps_free(gaps);
    }
}

static void chunks_do_not_change_a_bit(void **state)
{
    float p[150], m[900];
    (void)state;
    draw_scores(p, 150, 40, 2);
    draw_scores(m, 900, 45, 3);
    ni_gaps *whole = gaps_of(p, 150, m, 900), *parts;
    assert_int_equal(ni_gaps_create(p, 150, &parts, NULL), NEAP_OK);
    for (size_t at = 0, chunk = 0; at < 900; at += chunk, chunk = (chunk * 2 + 1) % 97) {
        if (chunk > 900 - at) chunk = 900 - at;
        assert_int_equal(ni_gaps_add(parts, m + at, chunk, NULL), NEAP_OK);
    }
    assert_true(ni_gaps_auc(parts) == ni_gaps_auc(whole));
    assert_true(ni_gaps_ap(parts) == ni_gaps_ap(whole));
    for (uint32_t K = 1; K <= NI_HITS_MOST; K++)
        assert_true(ni_gaps_hits(parts, K) == ni_gaps_hits(whole, K));
    ni_gaps_free(whole);
    ni_gaps_free(parts);
}

static void only_the_order_of_scores_matters(void **state)
{
    float p[150], m[400], p2[150], m2[400];
    (void)state;
    draw_scores(p, 150, 30, 4);
    draw_scores(m, 400, 30, 5);
    for (int i = 0; i < 150; i++) p2[149 - i] = expf(p[i] / 4) - 100; /* increasing, and turned round */
    for (int i = 0; i < 400; i++) m2[399 - i] = expf(m[i] / 4) - 100;
    ni_gaps *plain = gaps_of(p, 150, m, 400), *bent = gaps_of(p2, 150, m2, 400);
    assert_true(ni_gaps_auc(plain) == ni_gaps_auc(bent));
    assert_true(ni_gaps_ap(plain) == ni_gaps_ap(bent));
    assert_true(ni_gaps_hits(plain, 50) == ni_gaps_hits(bent, 50));
    ni_gaps_free(plain);
    ni_gaps_free(bent);
}

static void turning_the_scores_round_turns_the_auc_round(void **state)
{
    float p[60], m[80];
    (void)state;
    draw_scores(p, 60, 9, 6);
    draw_scores(m, 80, 12, 7);
    ni_gaps *gaps = gaps_of(p, 60, m, 80), *swapped = gaps_of(m, 80, p, 60);
    near(ni_gaps_auc(gaps) + ni_gaps_auc(swapped), 1, 1e-15);
    ni_gaps_free(gaps);
    ni_gaps_free(swapped);
}

static void what_is_not_a_number_is_refused_and_nothing_of_its_chunk_counts(void **state)
{
    const float p[] = { 1, 2 }, bad[] = { 0, 9, NAN };
    neap_error err = { 0 };
    ni_gaps *none = (ni_gaps *)&err, *gaps = gaps_of(p, 2, p, 2);
    double before = ni_gaps_auc(gaps), rank = -1;
    (void)state;
    assert_int_equal(ni_gaps_add(gaps, bad, 3, &err), NEAP_E_NUMERIC);
    assert_string_equal(err.text, "a score is not a number");
    assert_true(ni_gaps_auc(gaps) == before);
    near(ni_gaps_hits(gaps, 3), 1, 0);
    ni_gaps_free(gaps);
    assert_int_equal(ni_gaps_create(bad, 3, &none, &err), NEAP_E_NUMERIC);
    assert_null(none);
    assert_int_equal(ni_gaps_create(p, 0, &none, &err), NEAP_E_ARG);
    assert_int_equal(ni_own_rank(1, bad, 3, &rank, &err), NEAP_E_NUMERIC);
    assert_int_equal(ni_own_rank(NAN, p, 2, &rank, &err), NEAP_E_NUMERIC);
    assert_true(rank == -1);
}

/* Four positives and 16 x 10^18 negatives: more pairs than 64 bits can count. */
static void pairs_are_counted_beyond_64_bits(void **state)
{
    const float p[] = { 1, 2, 2, 3 };
    const uint64_t many = 4000000000000000000;
    ni_gaps *gaps = gaps_of(p, 4, p, 0);
    (void)state;
    gaps->m = 4 * many;
    gaps->counts[0] = many;     /* below 1                       */
    gaps->counts[3] = many;     /* at 2                          */
    gaps->counts[4] = 2 * many; /* half of them at 3, half above */
    gaps->ties = (u128)many * 3;
    near(ni_gaps_auc(gaps), (4 + (1 + 2 * 0.5) + 0.5) / 16, 1e-15);
    /* 1 of 2 many and 1; 3 of 3 many and 3, for two; 4 of 3 many and 4 */
    near(ni_gaps_ap(gaps) * (double)many, (1. / 2 + 2 * 1. + 4. / 3) / 4, 1e-15);
    ni_gaps_free(gaps);
}

static void memory_grows_with_the_positives_only(void **state)
{
    enum { N = 5000 };
    static float scores[N];
    (void)state;
    draw_scores(scores, N, N, 8);
    size_t before = faults.bytes;
    faults_peak();
    ni_gaps *gaps = gaps_of(scores, N, scores, N);
    for (int i = 0; i < 20; i++) assert_int_equal(ni_gaps_add(gaps, scores, N, NULL), NEAP_OK);
    assert_true(faults_peak() - before <= 16 * N + 1024);
    ni_gaps_free(gaps);
}

/* ---- a positive against its own negatives ---- */

static void an_own_rank_is_between_the_optimistic_and_the_pessimistic(void **state)
{
    const float m[] = { 5, 3, 3, 3, 1, INFINITY };
    const struct {
        float positive;
        double rank;
    } cases[] = {
        { INFINITY, 1.5 }, { 6, 2 }, { 5, 2.5 }, { 4, 3 }, { 3, 4.5 }, { 2, 6 }, { -INFINITY, 7 }
    };
    double rank;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(ni_own_rank(cases[i].positive, m, 6, &rank, NULL), NEAP_OK);
        near(rank, cases[i].rank, 0);
    }
    assert_int_equal(ni_own_rank(0, m, 0, &rank, NULL), NEAP_OK);
    near(rank, 1, 0);
}

/* ---- labelings ---- */

typedef neap_status (*labeling_metric)(const uint32_t *, const uint32_t *, size_t, double *, neap_error *);

static const labeling_metric labeling_metrics[] = { ni_nmi, ni_ami, ni_ari };

static double of(labeling_metric metric, const uint32_t *a, const uint32_t *b, size_t n)
{
    double value = NAN;
    assert_int_equal(metric(a, b, n, &value, NULL), NEAP_OK);
    return value;
}

static void small_labelings_agree_as_worked_out_by_hand(void **state)
{
    const uint32_t a[] = { 0, 0, 1, 1 }, b[] = { 0, 0, 1, 2 }, cross[] = { 0, 1, 0, 1 };
    (void)state;
    /* I = H(a) = ln 2, H(b) = 1.5 ln 2 */
    near(of(ni_nmi, a, b, 4), 1 / 1.25, 1e-15);
    /* a table of 4 things with sums (2, 2) and (2, 1, 1): b's pair falls into one of a's with chance 1/3,
     * and then I = ln 2; else I = ln 2 / 2. So E = 2/3 ln 2 and AMI = (1 - 2/3) / (1.25 - 2/3). */
    near(of(ni_ami, a, b, 4), 4. / 7, 1e-14);
    /* T = 1, only in a: 1, only in b: 0, neither: 4.  2 (4 - 0) / (2 x 5 + 1 x 4) */
    near(of(ni_ari, a, b, 4), 8. / 14, 1e-15);
    near(of(ni_nmi, a, cross, 4), 0, 0);
    near(of(ni_ami, a, cross, 4), -0.5, 1e-14); /* E = ln 2 / 3 */
    near(of(ni_ari, a, cross, 4), -0.5, 1e-15);
}

static void the_same_partition_under_other_names_is_exactly_one(void **state)
{
    uint32_t one[20] = { 0 }, each[20], turned[20], some[20], renamed[20];
    (void)state;
    draw_labels(some, 20, 6, 0);
    for (uint32_t i = 0; i < 20; i++) {
        each[i] = i;
        turned[i] = (i * 7 + 3) % 20;
        renamed[i] = 19 - 2 * some[i];
    }
    for (size_t m = 0; m < COUNT(labeling_metrics); m++) {
        near(of(labeling_metrics[m], some, renamed, 20), 1, 0);
        for (size_t n = 0; n <= 20; n++) near(of(labeling_metrics[m], one, one, n), 1, 0);
        near(of(labeling_metrics[m], each, turned, 20), 1, 0);
    }
}

static void a_trivial_labeling_tells_nothing(void **state)
{
    uint32_t one[20] = { 0 }, each[20], some[20];
    (void)state;
    draw_labels(some, 20, 4, 1);
    for (uint32_t i = 0; i < 20; i++) each[i] = i;
    for (size_t m = 0; m < COUNT(labeling_metrics); m++) {
        near(of(labeling_metrics[m], one, some, 20), 0, 1e-15);
        near(of(labeling_metrics[m], each, one, 20), 0, 1e-15);
    }
    near(of(ni_ami, each, some, 20), 0, 1e-14); /* singletons share all of H(some), but so does chance */
    near(of(ni_ari, each, some, 20), 0, 1e-15);
}

static void neither_order_nor_names_nor_sides_matter(void **state)
{
    uint32_t a[300], b[300], a2[300], b2[300];
    (void)state;
    draw_labels(a, 300, 7, 2);
    draw_labels(b, 300, 11, 3);
    for (size_t i = 0; i < 300; i++) b[i] = i % 3 ? a[i] : b[i];
    for (size_t i = 0; i < 300; i++) {
        size_t to = (size_t)ni_permute(1, NI_STREAM_GRAPH, 0, 300, i);
        a2[to] = a[i] * 40 + 2;
        b2[to] = 299 - b[i];
    }
    for (size_t m = 0; m < COUNT(labeling_metrics); m++) {
        double value = of(labeling_metrics[m], a, b, 300);
        assert_true(value > 0.2 && value < 0.9);
        near(of(labeling_metrics[m], a2, b2, 300), value, 1e-13);
        near(of(labeling_metrics[m], b, a, 300), value, 1e-13);
    }
}

/* What chance gives a cell of row sum a and column sum b, term by term from factorials. */
static double expected_by_factorials(double n, double a, double b)
{
    double constant = lgamma(a + 1) + lgamma(b + 1) + lgamma(n - a + 1) + lgamma(n - b + 1) - lgamma(n + 1);
    double sum = 0;
    for (double k = fmax(1, a + b - n); k <= fmin(a, b); k++)
        sum += k / n * log(n * k / (a * b)) *
               exp(constant - lgamma(k + 1) - lgamma(a - k + 1) - lgamma(b - k + 1) -
                   lgamma(n - a - b + k + 1));
    return sum;
}

/* Clusters so large that most terms are too small for a double, and the largest far from both ends. */
static void chance_is_what_factorials_say(void **state)
{
    enum { N = 6000 };
    static uint32_t a[N], b[N];
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        a[i] = i < 4000; /* 2000, 4000 */
        b[i] = i % 2;    /* 3000, 3000, and independent of a */
    }
    double chance = 2 * (expected_by_factorials(N, 2000, 3000) + expected_by_factorials(N, 4000, 3000));
    double entropies = (log(3) / 3 + 2 * log(1.5) / 3 + log(2)) / 2;
    near(of(ni_ami, a, b, N) * 1e4, -chance / (entropies - chance) * 1e4, 1e-8);
}

static void independent_labelings_have_nothing_beyond_chance(void **state)
{
    enum { N = 4000, TIMES = 20 };
    static uint32_t a[N], b[N];
    double nmi = 0, ami = 0, ari = 0;
    (void)state;
    for (uint64_t t = 0; t < TIMES; t++) {
        draw_labels(a, N, 60, 10 + t);
        draw_labels(b, N, 80, 100 + t);
        nmi += of(ni_nmi, a, b, N) / TIMES;
        ami += of(ni_ami, a, b, N) / TIMES;
        ari += of(ni_ari, a, b, N) / TIMES;
    }
    assert_true(nmi > 0.1); /* what the adjustment is for */
    near(ami, 0, 2e-3);
    near(ari, 0, 1e-3);
}

/* Many clusters and few, even and uneven, alike and not. */
static void labelings_stay_within_their_bounds(void **state)
{
    uint32_t a[60], b[60];
    (void)state;
    for (uint64_t t = 0; t < 300; t++) {
        size_t n = 2 + t % 59;
        draw_labels(a, n, 1 + t * 7 % n, 200 + t);
        draw_labels(b, n, 1 + t * 11 % n, 600 + t);
        for (size_t i = 0; i < n; i++)
            if (t % 3 && i % (t % 3 + 1)) b[i] = a[i] / (uint32_t)(1 + t % 2);
        double nmi = of(ni_nmi, a, b, n), ami = of(ni_ami, a, b, n), ari = of(ni_ari, a, b, n);
        assert_true(nmi >= 0 && nmi <= 1);
        assert_true(ami >= -1 && ami <= 1 && ami <= nmi + 1e-12);
        assert_true(ari >= -0.5 - 1e-12 && ari <= 1);
    }
}

static void a_label_must_be_a_number_below_n(void **state)
{
    const uint32_t good[] = { 0, 1, 2 }, bad[] = { 0, 3, 1 };
    double value = -7;
    neap_error err = { 0 };
    (void)state;
    for (size_t m = 0; m < COUNT(labeling_metrics); m++) {
        assert_int_equal(labeling_metrics[m](bad, good, 3, &value, &err), NEAP_E_ARG);
        assert_int_equal(labeling_metrics[m](good, bad, 3, &value, &err), NEAP_E_ARG);
        assert_string_equal(err.text, "label 3 of thing 1 is not below 3, the number of things");
        assert_int_equal(labeling_metrics[m](good, good, (size_t)1 << 32, &value, &err), NEAP_E_LIMIT);
    }
    assert_true(value == -7);
}

/* ---- classes ---- */

static void classes_that_nobody_names_are_left_out_of_the_macro_mean(void **state)
{
    const uint32_t truth[] = { 0, 0, 0, 1, 2, 2 }, predicted[] = { 0, 0, 1, 1, 5, 1 };
    double micro, macro;
    (void)state;
    assert_int_equal(ni_f1(truth, predicted, 6, 8, &micro, &macro, NULL), NEAP_OK);
    near(micro, 3. / 6, 0);
    /* 0: 2 of 3 and 2; 1: 1 of 1 and 3; 2: never found; 5: never true; 3, 4, 6, 7: never there */
    near(macro, (4. / 5 + 2. / 4 + 0 + 0) / 4, 1e-15);
    assert_int_equal(ni_f1(truth, truth, 6, 3, &micro, &macro, NULL), NEAP_OK);
    near(micro, 1, 0);
    near(macro, 1, 0);
}

static void a_class_must_be_a_number_below_classes(void **state)
{
    const uint32_t a[] = { 0, 2 }, b[] = { 1, 0 };
    double micro = -7, macro = -7;
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(ni_f1(a, b, 2, 2, &micro, &macro, &err), NEAP_E_ARG);
    assert_string_equal(err.text, "class 2 of thing 1 is not below 2");
    assert_int_equal(ni_f1(b, a, 2, 2, &micro, &macro, &err), NEAP_E_ARG);
    assert_int_equal(ni_f1(a, b, 0, 3, &micro, &macro, &err), NEAP_E_ARG);
    assert_true(micro == -7 && macro == -7);
}

/* ---- without memory ---- */

static neap_status use_gaps(void *user, neap_error *err)
{
    const float scores[] = { 1, 2, 3 };
    ni_gaps *gaps = (ni_gaps *)&scores;
    neap_status rc = ni_gaps_create(scores, 3, &gaps, err);
    (void)user;
    assert_true((rc == NEAP_OK) == (gaps != NULL));
    ni_gaps_free(gaps);
    return rc;
}

static neap_status use_auc(void *user, neap_error *err)
{
    const float scores[] = { 1, 2, 3 };
    double auc;
    (void)user;
    return neap_auc(scores, 3, scores, 2, &auc, err);
}

static neap_status use_labelings(void *user, neap_error *err)
{
    const uint32_t a[] = { 0, 0, 1, 1 }, b[] = { 0, 1, 2, 2 };
    double value;
    return (*(labeling_metric *)user)(a, b, 4, &value, err);
}

static neap_status use_f1(void *user, neap_error *err)
{
    const uint32_t a[] = { 0, 0, 1, 1 }, b[] = { 0, 1, 2, 2 };
    double micro, macro;
    (void)user;
    return ni_f1(a, b, 4, 3, &micro, &macro, err);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(faults_each(FAULTS_MEMORY, ENOMEM, false, use_gaps, faults_expect_memory, NULL), 3);
    assert_int_equal(faults_each(FAULTS_MEMORY, ENOMEM, false, use_auc, faults_expect_memory, NULL), 3);
    assert_int_equal(faults_each(FAULTS_MEMORY, ENOMEM, false, use_f1, faults_expect_memory, NULL), 1);
    for (size_t m = 0; m < COUNT(labeling_metrics); m++) {
        labeling_metric metric = labeling_metrics[m];
        unsigned hit =
            faults_each(FAULTS_MEMORY, ENOMEM, false, use_labelings, faults_expect_memory, &metric);
        assert_true(hit >= 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tie_counts_half_in_the_auc_and_against_in_the_rest),
        cmocka_unit_test(a_constant_score_is_worth_nothing),
        cmocka_unit_test(fewer_negatives_than_K_are_a_hit),
        cmocka_unit_test(without_negatives_there_is_no_auc),
        cmocka_unit_test(infinities_are_scores_like_others),
        cmocka_unit_test(hits_follow_the_best_negatives_in_whatever_order_they_come),
        cmocka_unit_test(chunks_do_not_change_a_bit),
        cmocka_unit_test(only_the_order_of_scores_matters),
        cmocka_unit_test(turning_the_scores_round_turns_the_auc_round),
        cmocka_unit_test(what_is_not_a_number_is_refused_and_nothing_of_its_chunk_counts),
        cmocka_unit_test(pairs_are_counted_beyond_64_bits),
        cmocka_unit_test(memory_grows_with_the_positives_only),
        cmocka_unit_test(an_own_rank_is_between_the_optimistic_and_the_pessimistic),
        cmocka_unit_test(small_labelings_agree_as_worked_out_by_hand),
        cmocka_unit_test(the_same_partition_under_other_names_is_exactly_one),
        cmocka_unit_test(a_trivial_labeling_tells_nothing),
        cmocka_unit_test(neither_order_nor_names_nor_sides_matter),
        cmocka_unit_test(chance_is_what_factorials_say),
        cmocka_unit_test(independent_labelings_have_nothing_beyond_chance),
        cmocka_unit_test(labelings_stay_within_their_bounds),
        cmocka_unit_test(a_label_must_be_a_number_below_n),
        cmocka_unit_test(classes_that_nobody_names_are_left_out_of_the_macro_mean),
        cmocka_unit_test(a_class_must_be_a_number_below_classes),
        cmocka_unit_test(every_allocation_may_fail),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
