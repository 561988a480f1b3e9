/* The ground everything stands on: errors, numbers as text, options, random draws, threads. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/options.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/sys.h"
#include "base/threads.h"
#include "support/text.h"

static void an_error_carries_the_systems_words(void **state)
{
    neap_error err;
    (void)state;
    assert_int_equal(ni_fail_sys(&err, NEAP_E_IO, ENOSPC, "model.st"), NEAP_E_IO);
    assert_string_equal(err.text, "model.st: No space left on device");
    assert_int_equal(err.sys, ENOSPC);
    assert_int_equal(ni_fail(NULL, NEAP_E_ARG, "nobody listens"), NEAP_E_ARG);
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    ni_fail_sys(&err, NEAP_E_IO, EIO, "%s", long_text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

/* ---- numbers ---- */

static void numbers_read_exactly_and_refuse_the_rest(void **state)
{
    static const char *const good[] = { "0",
                                        "1",
                                        "-1",
                                        "1e-4",
                                        "1E+2",
                                        ".5",
                                        "5.",
                                        "0.1",
                                        "123456789012345678",
                                        "1.7976931348623157e308",
                                        "4.9e-324",
                                        "00012",
                                        "1e0000005",
                                        "3.14159265358979323846",
                                        "0.000000000000000000000000000001" };
    static const char *const bad[] = { "",    "-",   "+",     ".",  "e5", "1e",  "1e+",   "0x10",
                                       "nan", "inf", "1e999", "1 ", " 1", "1,5", "1.2.3", "--1" };
    double value;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(ni_parse_double(good[i], strlen(good[i]), &value));
        assert_true(value == strtod(good[i], NULL));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ni_parse_double(bad[i], strlen(bad[i]), &value));
}

static void random_numbers_survive_their_text(void **state)
{
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 0);
    char text[32];
    double back;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double x = ldexp(ni_uniform(&rng) - 0.5, (int)ni_below(&rng, 200) - 100);
        ni_format_double(x, text);
        assert_true(ni_parse_double(text, strlen(text), &back) && back == x);
        float f = (float)x;
        assert_true(ni_parse_double(text, ni_format_float(f, text), &back) && (float)back == f);
    }
}

static void whole_numbers_are_digits_only(void **state)
{
    uint64_t value;
    (void)state;
    assert_true(ni_parse_u64("18446744073709551615", 20, &value) && value == UINT64_MAX);
    assert_false(ni_parse_u64("18446744073709551616", 20, &value));
    assert_false(ni_parse_u64("-1", 2, &value));
    assert_false(ni_parse_u64("+1", 2, &value));
    assert_false(ni_parse_u64("", 0, &value));
}

static void distance_counts_single_letters(void **state)
{
    (void)state;
    assert_int_equal(ni_distance("epochs", "epochs", 9), 0);
    assert_int_equal(ni_distance("epohcs", "epochs", 9), 2);
    assert_int_equal(ni_distance("Dim", "dim", 9), 0);
    assert_int_equal(ni_distance("kitten", "sitting", 9), 3);
    assert_int_equal(ni_distance("a", "completely different", 4), 4);
}

/* ---- options ---- */

static void presets_are_those_of_the_paper(void **state)
{
    neap_options *o;
    (void)state;
    assert_int_equal(neap_options_create("paper", &o, NULL), NEAP_OK);
    assert_int_equal(o->dim, 200);
    assert_int_equal(o->neighbors, 100);
    assert_true(o->margin == 1 && o->lr == 1e-4 && o->dropout == 0.5 && o->valid == 0);
    assert_true(o->pooling == NI_POOL_MAX && o->padding == NI_PAD_ZERO && !o->self &&
                o->optimizer == NI_ADAM);
    neap_options_free(o);
    assert_int_equal(neap_options_create("authors", &o, NULL), NEAP_OK);
    assert_true(o->margin == 0.5 && o->pooling == NI_POOL_MEAN && o->self && !o->fresh_negatives &&
                !o->reject_links);
    neap_options_free(o);
    assert_int_equal(neap_options_create("nosuch", &o, NULL), NEAP_E_ARG);
    assert_null(o);
}

static void a_method_has_defaults_for_what_nobody_set(void **state)
{
    static const ni_default defaults[] = { { "dim", { "11", "22", "33" } },
                                           { "epochs", { "7", "7", "7" } },
                                           { 0 } };
    neap_options *o;
    (void)state;
    assert_int_equal(neap_options_create("paper", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "epochs", "3", NULL), NEAP_OK);
    assert_int_equal(neap_options_suggest(o, "epochs", "4", NULL), NEAP_OK);
    assert_int_equal(neap_options_suggest(o, "dim", "5", NULL), NEAP_OK);
    assert_int_equal(neap_options_suggest(o, "batch", "6", NULL), NEAP_OK);
    assert_int_equal(neap_options_suggest(o, "nosuch", "6", NULL), NEAP_E_ARG);
    ni_options_settle(o, defaults);
    assert_true(o->dim == 22 && o->epochs == 3 && o->batch == 6);
    o->dim = 5; /* once settled, a change stays */
    ni_options_settle(o, defaults);
    assert_int_equal(o->dim, 5);
    assert_int_equal(neap_options_set(o, "method", "gap", NULL), NEAP_OK);
    ni_options_settle(o, NULL);
    assert_true(o->dim == 200 && o->epochs == 3);
    neap_options_free(o);
}

static void every_option_reads_back_what_was_set(void **state)
{
    neap_options *o, *copy;
    char text[64];
    (void)state;
    assert_int_equal(neap_options_create("authors", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_create("neap", &copy, NULL), NEAP_OK);
    assert_memory_not_equal(o, copy, offsetof(neap_options, preset));
    for (size_t i = 0; i < neap_option_count(); i++) {
        const char *name = neap_option_at(i)->name;
        assert_int_equal(neap_options_get(o, name, text, sizeof text, NULL), NEAP_OK);
        assert_int_equal(neap_options_set(copy, name, text, NULL), NEAP_OK);
    }
    assert_memory_equal(o, copy, offsetof(neap_options, preset));
    neap_options_free(o);
    neap_options_free(copy);
}

static void names_have_aliases_and_a_nearest(void **state)
{
    neap_options *o;
    neap_error err;
    (void)state;
    assert_int_equal(neap_options_create(NULL, &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "dimensions", "64", NULL), NEAP_OK);
    assert_int_equal(o->dim, 64);
    assert_int_equal(neap_options_set(o, "nbr_size", "7", NULL), NEAP_OK);
    assert_int_equal(o->neighbors, 7);
    assert_int_equal(neap_options_set(o, "epohcs", "7", &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "did you mean 'epochs'?"));
    neap_options_free(o);
}

static void values_out_of_range_are_refused_and_change_nothing(void **state)
{
    static const char *const bad[][2] = { { "dim", "0" },
                                          { "dim", "-1" },
                                          { "dim", "1e3" },
                                          { "dropout", "1" },
                                          { "dropout", "nan" },
                                          { "pooling", "min" },
                                          { "self", "maybe" },
                                          { "memory", "4X" },
                                          { "dim", "99999999999999999999" },
                                          { "method", "a name that is far too long for it" } };
    neap_options *o, *before;
    neap_error err;
    (void)state;
    assert_int_equal(neap_options_create("neap", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_create("neap", &before, NULL), NEAP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(neap_options_set(o, bad[i][0], bad[i][1], &err), NEAP_E_ARG);
        assert_non_null(strstr(err.text, bad[i][0]));
    }
    assert_memory_equal(o, before, sizeof *o);
    assert_int_equal(neap_options_set(o, "memory", "1.5G", NULL), NEAP_OK);
    assert_true(o->memory == 3221225472u / 2);
    assert_int_equal(neap_options_set(o, "memory", "3GiB", NULL), NEAP_OK);
    assert_true(o->memory == 3221225472u);
    neap_options_free(o);
    neap_options_free(before);
}

/* ---- random draws ---- */

static void large_blocks_begin_on_a_cache_line(void **state)
{
    (void)state;
    for (size_t bytes = 1 << 16; bytes <= 1 << 22; bytes = 2 * bytes + 1) {
        char *block = ni_array(bytes, 1);
        assert_non_null(block);
        assert_ptr_equal(ni_first_line(block), block);
        ni_free(block);
    }
}

static void draws_depend_on_every_coordinate(void **state)
{
    (void)state;
    ni_rng a = ni_rng_at(1, NI_STREAM_TABLE, 2, 3);
    uint64_t x = ni_next(&a), y = ni_next(&a);
    ni_rng others[] = { ni_rng_at(2, NI_STREAM_TABLE, 2, 3), ni_rng_at(1, NI_STREAM_HOOD, 2, 3),
                        ni_rng_at(1, NI_STREAM_TABLE, 3, 3), ni_rng_at(1, NI_STREAM_TABLE, 2, 4),
                        ni_rng_at(1, NI_STREAM_TABLE, 3, 2) };
    assert_true(x != y);
    for (int i = 0; i < 5; i++) assert_true(ni_next(&others[i]) != x);
    ni_rng again = ni_rng_at(1, NI_STREAM_TABLE, 2, 3);
    assert_true(ni_next(&again) == x);
    /* These numbers are in every model ever made: they may not change. */
    assert_true(x == UINT64_C(0x531d90296e479a8));
    assert_true(ni_permute(9, NI_STREAM_ORDER, 3, 1000, 7) == 200);
}

static void below_is_even(void **state)
{
    uint32_t count[7] = { 0 };
    ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, 0);
    double chi2 = 0;
    (void)state;
    for (int i = 0; i < 70000; i++) count[ni_below(&rng, 7)]++;
    for (int i = 0; i < 7; i++) chi2 += (count[i] - 10000.0) * (count[i] - 10000.0) / 10000;
    assert_true(chi2 < 22.5); /* 6 degrees of freedom, p = 0.001 */
}

static void permute_is_a_permutation_that_looks_shuffled(void **state)
{
    static const uint64_t sizes[] = { 1, 2, 3, 4, 5, 16, 17, 1000, 4097 };
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint64_t n = sizes[k], fixed = 0;
        uint8_t *seen = calloc(n, 1);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at = ni_permute(9, NI_STREAM_ORDER, 3, n, i);
            assert_true(at < n && !seen[at]);
            seen[at] = 1;
            fixed += at == i;
        }
        assert_true(n < 100 || fixed < 10);
        free(seen);
    }
}

static void normal_has_mean_0_and_deviation_1(void **state)
{
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, 0);
    double sum = 0, squares = 0;
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double x = ni_normal(&rng);
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / 1e5) < 0.015 && fabs(squares / 1e5 - 1) < 0.02);
}

/* ---- threads ---- */

typedef struct tally {
    atomic_uint runs[1000];
    uint32_t threads;
    atomic_bool bad;
} tally;

static void count_task(void *arg, uint32_t task, uint32_t thread)
{
    tally *t = arg;
    atomic_fetch_add(&t->runs[task], 1);
    if (thread >= t->threads) t->bad = true;
}

static void every_task_runs_once_and_is_over_when_run_returns(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ni_threads *pool;
        assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
        assert_int_equal(ni_threads_count(pool), threads);
        for (uint32_t tasks = 0; tasks < 1000; tasks += 37) {
            tally t = { .threads = threads };
            ni_threads_run(pool, tasks, count_task, &t);
            for (uint32_t i = 0; i < 1000; i++) assert_int_equal(t.runs[i], i < tasks);
            assert_false(t.bad);
        }
        ni_threads_free(pool);
    }
    neap_error err;
    ni_threads *pool;
    assert_int_equal(ni_threads_create(100000, &pool, &err), NEAP_E_LIMIT);
    assert_null(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_carries_the_systems_words),
        cmocka_unit_test(numbers_read_exactly_and_refuse_the_rest),
        cmocka_unit_test(random_numbers_survive_their_text),
        cmocka_unit_test(whole_numbers_are_digits_only),
        cmocka_unit_test(distance_counts_single_letters),
        cmocka_unit_test(presets_are_those_of_the_paper),
        cmocka_unit_test(a_method_has_defaults_for_what_nobody_set),
        cmocka_unit_test(every_option_reads_back_what_was_set),
        cmocka_unit_test(names_have_aliases_and_a_nearest),
        cmocka_unit_test(values_out_of_range_are_refused_and_change_nothing),
        cmocka_unit_test(large_blocks_begin_on_a_cache_line),
        cmocka_unit_test(draws_depend_on_every_coordinate),
        cmocka_unit_test(below_is_even),
        cmocka_unit_test(permute_is_a_permutation_that_looks_shuffled),
        cmocka_unit_test(normal_has_mean_0_and_deviation_1),
        cmocka_unit_test(every_task_runs_once_and_is_over_when_run_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
