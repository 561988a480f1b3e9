#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "support/json.h"
#include "support/path.h"

/* What was written, ended by a NUL. */
typedef struct buffer {
    char text[512];
    size_t used;
} buffer;

static void add(void *to, const void *bytes, size_t count)
{
    buffer *b = to;
    assert_true(count < sizeof b->text - b->used);
    memcpy(b->text + b->used, bytes, count);
    b->text[b->used += count] = 0;
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

static void numbers_for_people_are_rounded_and_set_apart(void **state)
{
    char text[NI_FIXED_BYTES];
    (void)state;
    assert_true(ni_format_fixed(-12.345, 2, text));
    assert_string_equal(text, "-12.35");
    assert_true(ni_format_fixed(-0.0004, 3, text));
    assert_string_equal(text, "0.000"); /* nothing is not negative */
    assert_false(ni_format_fixed(1e30, 0, text) || ni_format_fixed((double)NAN, 0, text) ||
                 ni_format_fixed((double)INFINITY, 1, text));
    assert_string_equal(ni_format_count(0, text), "0");
    assert_string_equal(ni_format_count(999, text), "999");
    assert_string_equal(ni_format_count(5346, text), "5,346");
    assert_string_equal(ni_format_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

static void no_locale_changes_a_number(void **state)
{
    char text[32];
    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is not installed, nothing is tested */
    ni_format_double(0.1, text);
    assert_string_equal(text, "0.1");
    assert_int_equal(ni_format_digits(1.0 / 3, 10, text), strlen("0.3333333333"));
    assert_string_equal(text, "0.3333333333");
    ni_format_float(0.1f, text);
    assert_string_equal(text, "0.1");
    setlocale(LC_ALL, "C");
}

static void the_first_number_that_is_not_finite_is_found(void **state)
{
    const float values[] = { 1, -2, INFINITY, NAN };
    (void)state;
    assert_int_equal(ni_finite_until(values, 4), 2);
    assert_int_equal(ni_finite_until(values, 2), 2);
    assert_int_equal(ni_finite_until(values + 3, 1), 0);
}

/* ---- words ---- */

static void words_are_found_in_their_list(void **state)
{
    static const char list[] = "max,left-right,min";
    (void)state;
    assert_int_equal(ni_word_in(list, ',', "max"), 0);
    assert_int_equal(ni_word_in(list, ',', "left_right"), 1);
    assert_int_equal(ni_word_in(list, ',', "mi"), -1);
    assert_int_equal(ni_word_in(list, ',', "minimum"), -1);
    assert_int_equal(ni_word_in("", ',', "max"), -1);
    assert_true(ni_list_has(list, ',', "left-right") && ni_list_has(list, ',', "min"));
    assert_false(ni_list_has(list, ',', "left_right") || ni_list_has(list, ',', "left"));
    assert_true(ni_same_name("dry-run", "dry_run=yes", 7));
    assert_false(ni_same_name("dry-run", "dry", 3) || ni_same_name("dry", "dry-run", 7));
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

static const char *some_name(const void *from, size_t i)
{
    const char *const *names = from;
    return names[i];
}

static void the_nearest_name_is_near(void **state)
{
    static const char *const names[] = { "dim", "epochs", "neighbors", "lr", NULL };
    (void)state;
    assert_string_equal(ni_nearest_name("epocs", some_name, names), "epochs");
    assert_string_equal(ni_nearest_name("Dim", some_name, names), "dim");
    assert_string_equal(ni_nearest_name("neigh", some_name, names), "neighbors"); /* its beginning */
    assert_null(ni_nearest_name("dmi", some_name, names)); /* two changes of three letters */
    assert_null(ni_nearest_name("completely", some_name, names));
}

/* ---- UTF-8 and escapes ---- */

static void utf8_is_recognised_strictly(void **state)
{
    (void)state;
    assert_int_equal(ni_utf8_length(""), 0);
    assert_int_equal(ni_utf8_length("a"), 1);
    assert_int_equal(ni_utf8_length("\xc2\x80"), 2);
    assert_int_equal(ni_utf8_length("\xe0\xa0\x80"), 3);
    assert_int_equal(ni_utf8_length("\xef\xbf\xbf"), 3);
    assert_int_equal(ni_utf8_length("\xf0\x90\x80\x80"), 4);
    assert_int_equal(ni_utf8_length("\xf4\x8f\xbf\xbf"), 4);
    const char *bad[] = { "\x80",
                          "\xc1\x81",
                          "\xc3",
                          "\xc3(",
                          "\xe0\x9f\x80",
                          "\xed\xa0\x80",
                          "\xe2\x82",
                          "\xf0\x8f\x80\x80",
                          "\xf4\x90\x80\x80",
                          "\xf5\x80\x80\x80",
                          "\xff" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(ni_utf8_length(bad[i]), 0);
}

static void an_escape_is_undone_and_nothing_else(void **state)
{
    (void)state;
    const char *const cases[][2] = { { "a%20b", "a b" }, { "50%25", "50%" },       { "%4", "%4" },
                                     { "%4x", "%4x" },   { "%e9%C3", "\xe9\xc3" }, { "%00", "%00" },
                                     { "%", "%" },       { "%2541", "%41" },       { "", "" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[16] = "";
        size_t n = ni_unescape(cases[i][0], strlen(cases[i][0]), out);
        assert_int_equal(n, strlen(cases[i][1]));
        assert_memory_equal(out, cases[i][1], n);
    }
}

static void an_escape_is_what_is_undone(void **state)
{
    static const char name[] = "a b%\x01\xff\xc3\xa9\x7f";
    (void)state;
    for (int blanks = 0; blanks < 2; blanks++) {
        buffer b = { .used = 0 };
        char back[64];
        ni_escape((ni_sink){ add, &b }, name, blanks);
        assert_string_equal(b.text, blanks ? "a%20b%25%01%FF\xc3\xa9%7F" : "a b%25%01%FF\xc3\xa9%7F");
        assert_int_equal(ni_unescape(b.text, b.used, back), strlen(name));
        assert_memory_equal(back, name, strlen(name));
    }
}

/* ---- paths ---- */

static void a_path_has_a_folder_a_name_and_an_ending(void **state)
{
    char path[PATH_MAX], large[PATH_MAX + 8];
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(ni_path_join("a/b", "c", path, NULL), NEAP_OK);
    assert_string_equal(path, "a/b/c");
    memset(large, 'x', sizeof large);
    large[PATH_MAX - 2] = 0;
    assert_int_equal(ni_path_join(large, "c", path, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "too long"));
    assert_int_equal(ni_path_folder("a/b/c"), 4);
    assert_int_equal(ni_path_folder("c"), 0);
    assert_string_equal(ni_path_name("/a/b.txt"), "b.txt");
    assert_string_equal(ni_path_name("b.txt"), "b.txt");
    assert_true(ni_path_ends("x.npy", 5, ".npy"));
    assert_false(ni_path_ends(".npy", 4, ".npy") || ni_path_ends("x.npy.gz", 8, ".npy"));
    assert_int_equal(ni_path_unpacked("x.npy.gz"), 5);
    assert_int_equal(ni_path_unpacked("x.zst"), 1);
    assert_int_equal(ni_path_unpacked("x.txt"), 5);
}

/* ---- JSON ---- */

static void a_text_is_harmless_in_json(void **state)
{
    buffer b = { .used = 0 };
    (void)state;
    ni_json_string((ni_sink){ add, &b }, "a\"b\\c\n</script>\x7f\xe2\x82\xac\xed\xa0\x80z\xc2\x9b\xc2\xa0");
    assert_string_equal(b.text, "\"a\\\"b\\\\c\\u000a\\u003c/script>\\u007f\xe2\x82\xac"
                                "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\\u009b\xc2\xa0\"");
}

static void put_some(ni_json *j)
{
    ni_json_open(j, NULL, '{');
    ni_json_text(j, "name", "x");
    ni_json_text(j, "none", NULL);
    ni_json_open(j, "rows", '[');
    ni_json_open(j, NULL, '{');
    ni_json_whole(j, "whole", UINT64_MAX);
    ni_json_real(j, "third", 1.0 / 3);
    ni_json_real(j, "fifty", 50);
    ni_json_float(j, "tenth", 0.1f);
    ni_json_close(j, '}');
    ni_json_close(j, ']');
    ni_json_open(j, "empty", '{');
    ni_json_close(j, '}');
    ni_json_switch(j, "on", true);
    ni_json_real(j, "nan", (double)NAN);
    ni_json_float(j, "inf", INFINITY);
    ni_json_close(j, '}');
}

static void json_has_as_many_lines_and_digits_as_asked_for(void **state)
{
    buffer b = { .used = 0 };
    (void)state;
    ni_json flat = { .out = { add, &b } };
    put_some(&flat);
    assert_string_equal(b.text,
                        "{\"name\": \"x\", \"none\": null, \"rows\": [{\"whole\": 18446744073709551615, "
                        "\"third\": 0.3333333333333333, \"fifty\": 50, \"tenth\": 0.1}], \"empty\": {}, "
                        "\"on\": true, \"nan\": null, \"inf\": null}\n");
    b.used = 0;
    ni_json lines = { .out = { add, &b }, .lines = 2, .digits = 3 };
    put_some(&lines);
    assert_string_equal(b.text, "{\n  \"name\": \"x\",\n  \"none\": null,\n  \"rows\": [\n"
                                "    {\"whole\": 18446744073709551615, \"third\": 0.333, \"fifty\": 50, "
                                "\"tenth\": 0.1}\n  ],\n  \"empty\": {},\n  \"on\": true,\n"
                                "  \"nan\": null,\n  \"inf\": null\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_exactly_and_refuse_the_rest),
        cmocka_unit_test(random_numbers_survive_their_text),
        cmocka_unit_test(whole_numbers_are_digits_only),
        cmocka_unit_test(numbers_for_people_are_rounded_and_set_apart),
        cmocka_unit_test(no_locale_changes_a_number),
        cmocka_unit_test(the_first_number_that_is_not_finite_is_found),
        cmocka_unit_test(words_are_found_in_their_list),
        cmocka_unit_test(distance_counts_single_letters),
        cmocka_unit_test(the_nearest_name_is_near),
        cmocka_unit_test(utf8_is_recognised_strictly),
        cmocka_unit_test(an_escape_is_undone_and_nothing_else),
        cmocka_unit_test(an_escape_is_what_is_undone),
        cmocka_unit_test(a_path_has_a_folder_a_name_and_an_ending),
        cmocka_unit_test(a_text_is_harmless_in_json),
        cmocka_unit_test(json_has_as_many_lines_and_digits_as_asked_for),
    };
    return cmocka_run_group_tests_name("support", tests, NULL, NULL);
}
