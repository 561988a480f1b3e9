/* Logistic regression on vectors: the optimum, the split, the score. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "eval/classify.h"
#include "faults.h"

enum { N = 120, D = 5, CLASSES = 3 };

typedef struct data {
    float x[N * D];
    uint32_t label[N];
    ni_threads *threads;
} data;

/* Node i is of class i % 3; its vector is noise around a corner at distance `apart`; every tenth node has
 * no class. */
static data make(double apart, uint32_t threads)
{
    data a;
    for (uint32_t i = 0; i < N; i++) {
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, i);
        a.label[i] = i % 10 ? i % CLASSES : NEAP_NONE;
        for (uint32_t j = 0; j < D; j++)
            a.x[i * D + j] = (float)(ni_normal(&rng) + (j == i % CLASSES ? apart : 0));
    }
    assert_int_equal(ni_threads_create(threads, &a.threads, NULL), NEAP_OK);
    return a;
}

static ni_sample sample_of(const data *a)
{
    return (ni_sample){ a->x, N, D, a->label, CLASSES };
}

static neap_status classify(const data *a, double share, double *micro, double *macro, neap_error *err)
{
    ni_sample s = sample_of(a);
    neap_classify_spec spec = { .share = share, .seed = 7 };
    neap_classify_result r;
    neap_status rc = ni_classify(&s, &spec, a->threads, NULL, &r, err);
    *micro = r.micro;
    *macro = r.macro;
    return rc;
}

static void separate_classes_are_told_apart(void **state)
{
    data a = make(20, 2);
    double micro, macro;
    (void)state;
    assert_int_equal(classify(&a, 0.3, &micro, &macro, NULL), NEAP_OK);
    assert_true(micro == 1 && macro == 1);
    ni_threads_free(a.threads);
}

static void overlapping_classes_are_guessed_better_than_by_chance_but_not_always(void **state)
{
    data a = make(1, 2);
    double micro, macro;
    (void)state;
    assert_int_equal(classify(&a, 0.5, &micro, &macro, NULL), NEAP_OK);
    assert_true(micro > 0.4 && micro < 0.95);
    assert_true(macro > 0.4 && macro < 0.95);
    ni_threads_free(a.threads);
}

/* The derivative of |w|^2 / 2 + sum log(1 + exp(-y (w x + b))), written down once more. */
static void the_weights_are_at_the_optimum(void **state)
{
    data a = make(1, 1);
    ni_sample s = sample_of(&a);
    ni_class_split split;
    double weight[CLASSES * (D + 1)];
    (void)state;
    assert_int_equal(ni_class_split_create(&s, 0.8, 3, &split, NULL), NEAP_OK);
    assert_int_equal(
        ni_logistic_fit(a.x, D, split.train, split.trains, a.label, CLASSES, a.threads, weight, NULL),
        NEAP_OK);
    for (uint32_t c = 0; c < CLASSES; c++) {
        const double *w = weight + c * (D + 1);
        for (uint32_t j = 0; j <= D; j++) {
            double slope = j < D ? w[j] : 0;
            for (uint32_t i = 0; i < split.trains; i++) {
                const float *x = a.x + split.train[i] * D;
                double y = a.label[split.train[i]] == c ? 1 : -1, z = w[D];
                for (uint32_t k = 0; k < D; k++) z += w[k] * x[k];
                slope -= y / (1 + exp(y * z)) * (j < D ? x[j] : 1);
            }
            assert_true(fabs(slope) < 1e-5);
        }
    }
    ni_class_split_free(&split);
    ni_threads_free(a.threads);
}

/* Two points, -1 and 1: w^2 / 2 + 2 log(1 + exp(-w)) has its minimum where w = 2 / (1 + exp(w)), and b = 0.
 */
static void two_points_give_the_weight_known_by_hand(void **state)
{
    float x[] = { -1, 1 };
    uint32_t row[] = { 0, 1 }, label[] = { 0, 1 };
    double weight[4];
    ni_threads *threads;
    (void)state;
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    assert_int_equal(ni_logistic_fit(x, 1, row, 2, label, 2, threads, weight, NULL), NEAP_OK);
    assert_true(fabs(weight[2] - 2 / (1 + exp(weight[2]))) < 1e-9);
    assert_true(weight[2] > 0 && fabs(weight[3]) < 1e-9);
    assert_true(weight[0] == -weight[2]);
    assert_int_equal(ni_logistic_predict(weight, 2, &x[0], 1), 0);
    assert_int_equal(ni_logistic_predict(weight, 2, &x[1], 1), 1);
    ni_threads_free(threads);
}

static void a_split_takes_each_labelled_node_once(void **state)
{
    data a = make(1, 1);
    ni_sample all = sample_of(&a);
    ni_class_split s, other;
    uint32_t seen[N] = { 0 };
    (void)state;
    assert_int_equal(ni_class_split_create(&all, 0.25, 5, &s, NULL), NEAP_OK);
    assert_int_equal(s.trains, 27); /* of 108 */
    assert_int_equal(s.tests, 81);
    for (uint32_t i = 0; i < s.trains; i++) seen[s.train[i]]++;
    for (uint32_t i = 0; i < s.tests; i++) seen[s.test[i]]++;
    for (uint32_t i = 0; i < N; i++) assert_int_equal(seen[i], a.label[i] != NEAP_NONE);
    for (uint32_t i = 1; i < s.tests; i++) assert_true(s.test[i - 1] < s.test[i]);
    assert_int_equal(ni_class_split_create(&all, 0.25, 6, &other, NULL), NEAP_OK);
    assert_memory_not_equal(s.train, other.train, 27 * sizeof *s.train);
    ni_class_split_free(&s);
    ni_class_split_free(&other);
    ni_threads_free(a.threads);
}

static void a_node_without_a_class_is_not_looked_at(void **state)
{
    data a = make(20, 2);
    double micro, macro;
    (void)state;
    for (uint32_t i = 0; i < N; i += 10) a.x[i * D] = NAN;
    assert_int_equal(classify(&a, 0.3, &micro, &macro, NULL), NEAP_OK);
    assert_true(micro == 1);
    ni_threads_free(a.threads);
}

static void a_class_unseen_in_training_is_never_guessed(void **state)
{
    data a = make(1, 1);
    uint32_t row[N], m = 0;
    double weight[(CLASSES + 1) * (D + 1)];
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        if (a.label[i] == 0 || a.label[i] == 2) row[m++] = i;
    assert_int_equal(ni_logistic_fit(a.x, D, row, m, a.label, CLASSES + 1, a.threads, weight, NULL),
                     NEAP_OK);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t guess = ni_logistic_predict(weight, CLASSES + 1, a.x + i * D, D);
        assert_true(guess == 0 || guess == 2);
    }
    ni_threads_free(a.threads);
}

static void one_class_alone_is_always_guessed(void **state)
{
    data a = make(1, 1);
    double micro, macro;
    (void)state;
    for (uint32_t i = 0; i < N; i++) a.label[i] = 1;
    assert_int_equal(classify(&a, 0.5, &micro, &macro, NULL), NEAP_OK);
    assert_true(micro == 1 && macro == 1);
    ni_threads_free(a.threads);
}

/* Without features only the intercepts speak: the most frequent class of the training nodes. */
static void zero_vectors_give_the_most_frequent_class(void **state)
{
    data a = make(1, 1);
    double micro, macro;
    (void)state;
    memset(a.x, 0, sizeof a.x);
    for (uint32_t i = 0; i < N; i++) a.label[i] = i % 6 == 0;
    assert_int_equal(classify(&a, 0.5, &micro, &macro, NULL), NEAP_OK);
    assert_true(micro > 0.7 && macro > 0.35 && macro < 0.5);
    ni_threads_free(a.threads);
}

/* Of 108 labelled nodes 81 are predicted; the row to beat says the same class of all of them. */
static void the_test_nodes_are_predicted_and_the_most_frequent_class_stands_beside(void **state)
{
    data a = make(20, 1);
    uint32_t predicted[N], tests = 0, most[CLASSES] = { 0 };
    neap_classify_spec spec = { .share = 0.25, .seed = 5 };
    neap_classify_result r;
    ni_sample s = sample_of(&a);
    (void)state;
    for (uint32_t i = 0; i < N / 2; i++) a.label[i] = a.label[i] == NEAP_NONE ? NEAP_NONE : 2;
    assert_int_equal(ni_classify(&s, &spec, a.threads, predicted, &r, NULL), NEAP_OK);
    assert_int_equal(r.train, 27);
    assert_int_equal(r.test, 81);
    for (uint32_t i = 0; i < N; i++) {
        if (predicted[i] == NEAP_NONE) continue;
        assert_true(a.label[i] != NEAP_NONE && predicted[i] < CLASSES);
        most[a.label[i]]++;
        tests++;
    }
    assert_int_equal(tests, 81);
    double share = most[2] / 81.0; /* precision of class 2, whose recall is 1; the others have F1 = 0 */
    assert_true(fabs(r.frequent_micro - share) < 1e-12);
    assert_true(fabs(r.frequent_macro - 2 * share / (share + 1) / CLASSES) < 1e-12);
    ni_threads_free(a.threads);
}

static void vectors_of_any_size_are_fine(void **state)
{
    double micro, macro;
    (void)state;
    for (int power = -120; power <= 120; power += 60) {
        data a = make(20, 1);
        for (uint32_t i = 0; i < N * D; i++) a.x[i] = ldexpf(a.x[i], power);
        assert_int_equal(classify(&a, 0.5, &micro, &macro, NULL), NEAP_OK);
        assert_true(micro >= (power < 0 ? 0.2 : 1) && micro <= 1 && macro >= 0 && macro <= 1);
        ni_threads_free(a.threads);
    }
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    double first[2], micro, macro;
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        data a = make(0.7, threads);
        assert_int_equal(classify(&a, 0.4, &micro, &macro, NULL), NEAP_OK);
        if (threads == 1) first[0] = micro, first[1] = macro;
        assert_true(micro == first[0] && macro == first[1]);
        ni_threads_free(a.threads);
    }
}

static void what_cannot_be_done_is_said(void **state)
{
    data a = make(1, 1);
    double micro, macro, bad[] = { 0, 1, -1, 2, 0.001, 0.999, NAN };
    neap_error err = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(classify(&a, bad[i], &micro, &macro, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "108 labelled"));
    a.x[11 * D + 2] = INFINITY;
    assert_int_equal(classify(&a, 0.5, &micro, &macro, &err), NEAP_E_NUMERIC);
    assert_non_null(strstr(err.text, "vector 11 "));
    a.x[11 * D + 2] = 0;
    a.label[3] = CLASSES;
    assert_int_equal(classify(&a, 0.5, &micro, &macro, &err), NEAP_E_ARG);
    for (uint32_t i = 0; i < N; i++) a.label[i] = NEAP_NONE;
    assert_int_equal(classify(&a, 0.5, &micro, &macro, &err), NEAP_E_ARG);
    ni_threads_free(a.threads);
}

static neap_status scenario(void *user, neap_error *err)
{
    double micro, macro;
    return classify(user, 0.5, &micro, &macro, err);
}

static void no_failure_leaks(void **state)
{
    data a = make(1, 2);
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, &a) >= 6);
    ni_threads_free(a.threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separate_classes_are_told_apart),
        cmocka_unit_test(overlapping_classes_are_guessed_better_than_by_chance_but_not_always),
        cmocka_unit_test(the_weights_are_at_the_optimum),
        cmocka_unit_test(two_points_give_the_weight_known_by_hand),
        cmocka_unit_test(a_split_takes_each_labelled_node_once),
        cmocka_unit_test(a_node_without_a_class_is_not_looked_at),
        cmocka_unit_test(a_class_unseen_in_training_is_never_guessed),
        cmocka_unit_test(one_class_alone_is_always_guessed),
        cmocka_unit_test(zero_vectors_give_the_most_frequent_class),
        cmocka_unit_test(the_test_nodes_are_predicted_and_the_most_frequent_class_stands_beside),
        cmocka_unit_test(vectors_of_any_size_are_fine),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(what_cannot_be_done_is_said),
        cmocka_unit_test(no_failure_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
