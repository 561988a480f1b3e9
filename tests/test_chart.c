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

#include "page.h"
#include "pages/pages.h"

/* ---- axes ---- */

static ni_axis axis_of(double low, double high, bool log, double most)
{
    ni_axis a = ni_axis_create(log);
    ni_axis_cover(&a, low);
    ni_axis_cover(&a, high);
    ni_axis_round(&a, 5, most);
    return a;
}

static void a_scale_ends_at_round_numbers(void **state)
{
    (void)state;
    ni_axis a = axis_of(56.4, 97.9, false, 100);
    assert_true(a.low == 50 && a.high == 100);
    assert_int_equal(a.ticks, 6);
    for (size_t i = 0; i < a.ticks; i++) assert_true(a.tick[i] == 50 + 10.0 * (double)i);
}

static void a_scale_does_not_go_beyond_what_there_is(void **state)
{
    (void)state;
    ni_axis a = axis_of(93, 99.9, false, 100);
    assert_true(a.high == 100);
    assert_true(a.tick[a.ticks - 1] <= 100);
}

static void a_single_value_has_a_scale(void **state)
{
    (void)state;
    const double values[] = { 0, 50, 100, -3, 1e-9, 1e15 };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ni_axis a = axis_of(values[i], values[i], false, INFINITY);
        assert_true(a.low < a.high && a.ticks >= 2);
        assert_true(ni_axis_holds(&a, values[i]));
    }
}

static void a_logarithmic_scale_has_powers_of_ten(void **state)
{
    (void)state;
    ni_axis a = axis_of(5214, 1.5e6, true, INFINITY);
    a.from = 0, a.to = 100;
    assert_int_equal(a.ticks, 3);
    assert_true(a.tick[0] == 1e4 && a.tick[2] == 1e6);
    assert_float_equal(ni_axis_at(&a, 1e5) - ni_axis_at(&a, 1e4), ni_axis_at(&a, 1e6) - ni_axis_at(&a, 1e5),
                       1e-9);
    a = axis_of(1e-14, 1e14, true, INFINITY);
    assert_true(a.ticks >= 2 && a.ticks <= NI_TICKS);
}

static void what_no_axis_can_hold_is_ignored(void **state)
{
    (void)state;
    ni_axis a = ni_axis_create(true);
    const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY, 0, -1, 1e300 };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) ni_axis_cover(&a, bad[i]);
    assert_true(a.low > a.high);
    ni_axis_round(&a, 5, INFINITY);
    assert_int_equal(a.ticks, 0);
    assert_false(ni_axis_holds(&a, 1));
}

static void ticks_are_short_in_any_locale(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } ticks[] = { { 70, "70" },   { 97.5, "97.5" },  { 0.001, "0.001" }, { 0, "0" },     { 1e4, "10k" },
                  { 250, "250" }, { 1.5e6, "1.5M" }, { -20, "-20" },     { 2e5, "200k" } };
    const char *locales[] = { "de_DE.UTF-8", "C" };
    for (int k = 0; k < 2; k++) {
        setlocale(LC_ALL, locales[k]);
        for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
            char text[NI_TICK_BYTES];
            ni_tick_format(ticks[i].value, text);
            assert_string_equal(text, ticks[i].text);
        }
    }
}

/* ---- names that do not touch ---- */

static void names_move_apart_as_little_as_possible(void **state)
{
    (void)state;
    double far[] = { 10, 40, 90 }, close[] = { 50, 50, 52, 90 };
    ni_positions_spread(far, 3, 15, 0, 100);
    assert_true(far[0] == 10 && far[1] == 40 && far[2] == 90);
    ni_positions_spread(close, 4, 10, 0, 100);
    assert_float_equal(close[0], 50.667 - 10, 0.01); /* the mean of the three stays where it was */
    assert_float_equal(close[2], 50.667 + 10, 0.01);
    assert_float_equal(close[3], 90, 1e-9);
}

static void names_stay_inside_and_in_order(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) {
        double place[NI_CHART_LINES] = { 0 };
        size_t count = 1 + (size_t)round % NI_CHART_LINES;
        for (size_t i = 0; i < count; i++) {
            seed = seed * 1664525u + 1013904223u;
            place[i] = (i ? place[i - 1] : 0) + (double)(seed >> 28);
            if (place[i] > 100) place[i] = 100;
        }
        ni_positions_spread(place, count, 12, 0, 100);
        double gap = count > 1 ? fmin(12, 100.0 / (double)(count - 1)) : 0;
        for (size_t i = 0; i < count; i++) {
            assert_true(place[i] >= -1e-9 && place[i] <= 100 + 1e-9);
            if (i) assert_true(place[i] - place[i - 1] >= gap - 1e-9);
        }
    }
}

/* ---- drawings ---- */

static char *draw(const ni_chart *chart, bool small)
{
    ni_page page = { 0 };
    ni_html_begin(&page, "chart", NULL);
    ni_chart_write(&page, chart, small);
    ni_html_end(&page);
    assert_false(page.failed);
    assert_int_equal(strlen(page.bytes), page.length);
    assert_well_formed(page.bytes);
    return page.bytes;
}

static ni_chart_point points[] = { { 15, 60, 1, "15 %" },
                                   { 25, 70, 1, "25 %" },
                                   { 35, (double)NAN, 0, "35 %" },
                                   { 45, 80, 0, "45 %" },
                                   { 55, 90, 2, "55 %" } };
static const double ticks[] = { 15, 25, 35, 45, 55 };
static ni_chart_line lines[] = {
    { .label = "mine", .kind = NI_LINE_STRONG, .point = points, .points = 5 },
};
static const ni_chart few = { .id = "few",
                              .title = "A few points",
                              .across = "share",
                              .up = "AUC (%)",
                              .unit = " %",
                              .decimals = 1,
                              .most = 100,
                              .tick = ticks,
                              .ticks = 5,
                              .line = lines,
                              .lines = 1 };

/* The commands of the path that follows `what`. */
static void path_of(const char *page, const char *what, char *commands, size_t room)
{
    const char *at = strstr(page, what);
    assert_non_null(at);
    at = strstr(at, " d=\"");
    assert_non_null(at);
    size_t n = 0;
    for (at += 4; *at != '"'; at++)
        if (strchr("MLZ", *at) && n + 1 < room) commands[n++] = *at;
    commands[n] = 0;
}

static void a_missing_value_breaks_the_line_and_its_band(void **state)
{
    (void)state;
    char *page = draw(&few, true), commands[32];
    path_of(page, "class=\"stroke\"", commands, sizeof commands);
    assert_string_equal(commands, "MLML");
    path_of(page, "class=\"band\"", commands, sizeof commands);
    assert_string_equal(commands, "MLLLZMLLLZ");
    assert_int_equal(count_of(page, "class=\"bridge\""), 1);
    assert_int_equal(count_of(page, "class=\"mark\""), 5); /* four points, and one before the name */
    assert_lacks(page, "35 %: ");
    free(page);
}

static void a_chart_is_drawn_for_wide_and_for_narrow_windows(void **state)
{
    (void)state;
    char *page = draw(&few, false);
    assert_int_equal(count_of(page, "<svg role=\"img\""), 2);
    assert_has(page, "<svg role=\"img\" class=\"wide\" aria-labelledby=\"few-wide-title few-wide-words\"");
    assert_has(page, "<title id=\"few-narrow-title\">A few points</title>");
    assert_has(page, "<title>mine, 15 %: 60.0 % \u00b1 1.0</title>");
    assert_has(
        page, ">AUC (%) against share. mine: 60.0 % \u00b1 1.0 at 15 %, 90.0 % \u00b1 2.0 at 55 %.</desc>");
    free(page);
}

static void names_of_lines_are_text_and_never_markup(void **state)
{
    (void)state;
    ni_chart_point point = { 1, 2, 0, "</title><script>" };
    ni_chart_line line = { .label = "<b>\"x\"&", .point = &point, .points = 1, .scattered = true };
    ni_chart chart = few;
    chart.line = &line, chart.id = "\"><i", chart.title = "</svg>", chart.up = "<u>", chart.across = "<a>";
    chart.unit = "<%", chart.ticks = 0;
    char *page = draw(&chart, false);
    assert_lacks(page, "<script");
    assert_has(page, "&lt;b&gt;&quot;x&quot;&amp;");
    free(page);
}

static void values_of_any_kind_are_drawn_or_left_out(void **state)
{
    (void)state;
    const double hostile[] = { (double)NAN, (double)INFINITY, -(double)INFINITY, 1e308, -1e308, 0, 1e-300,
                               130 };
    for (int log = 0; log < 2; log++)
        for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
            for (size_t k = 0; k < sizeof hostile / sizeof *hostile; k++) {
                ni_chart_point pair[] = { { hostile[i], hostile[k], hostile[i], "a" },
                                          { 1, 50, (double)NAN, "b" } };
                ni_chart_line line = { .label = "x", .point = pair, .points = 2 };
                ni_chart chart = few;
                chart.line = &line, chart.ticks = 0, chart.x_log = chart.y_log = log;
                char *page = draw(&chart, true);
                assert_lacks(page, "nan");
                assert_lacks(page, "inf");
                free(page);
            }
}

static void a_chart_without_lines_is_still_a_picture(void **state)
{
    (void)state;
    ni_chart chart = few;
    chart.lines = 0;
    free(draw(&chart, false));
    chart.ticks = 0;
    free(draw(&chart, false));
}

static void too_many_lines_are_cut(void **state)
{
    (void)state;
    ni_chart_line many[NI_CHART_LINES + 4];
    for (size_t i = 0; i < NI_CHART_LINES + 4; i++)
        many[i] = (ni_chart_line){ .label = "x", .style = (unsigned)i, .point = points, .points = 5 };
    ni_chart chart = few;
    chart.line = many, chart.lines = NI_CHART_LINES + 4;
    char *page = draw(&chart, true);
    assert_int_equal(count_of(page, "class=\"end-name\""), NI_CHART_LINES);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scale_ends_at_round_numbers),
        cmocka_unit_test(a_scale_does_not_go_beyond_what_there_is),
        cmocka_unit_test(a_single_value_has_a_scale),
        cmocka_unit_test(a_logarithmic_scale_has_powers_of_ten),
        cmocka_unit_test(what_no_axis_can_hold_is_ignored),
        cmocka_unit_test(ticks_are_short_in_any_locale),
        cmocka_unit_test(names_move_apart_as_little_as_possible),
        cmocka_unit_test(names_stay_inside_and_in_order),
        cmocka_unit_test(a_missing_value_breaks_the_line_and_its_band),
        cmocka_unit_test(a_chart_is_drawn_for_wide_and_for_narrow_windows),
        cmocka_unit_test(names_of_lines_are_text_and_never_markup),
        cmocka_unit_test(values_of_any_kind_are_drawn_or_left_out),
        cmocka_unit_test(a_chart_without_lines_is_still_a_picture),
        cmocka_unit_test(too_many_lines_are_cut),
    };
    return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
