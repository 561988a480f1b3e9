/* The page that explains a score that is a sum of evidence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "page.h"
#include "pages/pages.h"
#include "scratch.h"

/* gimp and inkscape, libpng of both, libgtk of gimp, libxml of inkscape. */
enum { GIMP, INKSCAPE, LIBPNG, LIBGTK, LIBXML, NAMES };
static const char *const names[] = { "gimp", "inkscape", "libpng", "libgtk", "libxml" };

static const char *const kind_names[] = { "degree-s", "degree-t", "s>x<t", "a3", "words" };
static const char *const kind_groups[] = { "degrees", "degrees", "shared", "paths", "text" };
static const char *const kind_words[] = { "links of %s", "links of %t", "nodes that both lead to",
                                          "paths of three links", "words that both texts share" };
static const float kind_values[] = { 2, 2, 1, 0, NAN };
static const double contributions[] = { -0.25, 0.0001, 2.5, -1.125, 0.375 };
static const uint32_t curve[] = { 0, 2, 2, 6, 6, 6 };
static const float curve_values[] = { 1.5f, 1.6f, 0.5f, 0.6f, 1.5f, 1.6f };
static const float curve_contributions[] = { -0.5f, -0.25f, -1, 2.5f, 2.5f, 3 };
static const char *const behind[] = { "shared", "paths", "text", "text" };
static const uint32_t behind_node[] = { LIBPNG, LIBGTK, NEAP_NONE, NEAP_NONE };
static const uint32_t behind_second[] = { NEAP_NONE, LIBXML, NEAP_NONE, NEAP_NONE };
static const char *const behind_word[] = { NULL, NULL, "draw & paint", NULL };
static const float behind_share[] = { 1, 0.75f, 0.625f, 0.375f };
static const uint32_t changed_end[] = { GIMP, INKSCAPE }, changed_node[] = { LIBPNG, LIBXML };
static const float score_without[] = { 0.5f, 4.25f }, probability_without[] = { 0.62246f, 0.98592f };
static const uint32_t neighbours[] = { LIBPNG, LIBXML, LIBGTK };
static const double through[] = { 2, -0.5, 0.125 };

/* start 1, sum 2.5001. */
static const neap_evidence sum = { .size = sizeof sum,
                                   .start = 1,
                                   .score = 2.5001,
                                   .prior = 0.5,
                                   .probability = 0.924149,
                                   .count = 5,
                                   .name = kind_names,
                                   .group = kind_groups,
                                   .words = kind_words,
                                   .value = kind_values,
                                   .contribution = contributions,
                                   .behind_count = 4,
                                   .behind = behind,
                                   .node = behind_node,
                                   .second = behind_second,
                                   .word = behind_word,
                                   .share = behind_share,
                                   .change_count = 2,
                                   .end = changed_end,
                                   .without = changed_node,
                                   .score_without = score_without,
                                   .probability_without = probability_without,
                                   .negatives = "uniform",
                                   .neighbour_count = 3,
                                   .neighbour = neighbours,
                                   .through = through,
                                   .curve = curve,
                                   .curve_value = curve_values,
                                   .curve_contribution = curve_contributions };
static const neap_reasons none = NEAP_SIZED(neap_reasons);

static neap_explanation why(const neap_evidence *v)
{
    return (neap_explanation){ .size = sizeof(neap_explanation),
                               .source = GIMP,
                               .target = INKSCAPE,
                               .score = (float)v->score,
                               .source_links = 2,
                               .target_links = 2,
                               .shared = 1,
                               .by_source = &none,
                               .by_target = &none,
                               .evidence = v };
}

static neap_graph *graph_of(const char *const *called, uint32_t count)
{
    neap_edge edges[] = {
        { GIMP, LIBPNG, 1 }, { INKSCAPE, LIBPNG, 1 }, { GIMP, LIBGTK, 1 }, { LIBXML, INKSCAPE, 1 }
    };
    neap_graph *graph = NULL;
    assert_int_equal(neap_graph_create(count, called, edges, count < NAMES ? 3 : 4, 0, 0, &graph, NULL),
                     NEAP_OK);
    return graph;
}

static char *page_of(const neap_evidence *v, const char *const *called)
{
    neap_graph *graph = graph_of(called, NAMES);
    neap_explanation e = why(v);
    ni_page page = { 0 };
    assert_int_equal(ni_explanation_write(&page, &e, graph, NULL), NEAP_OK);
    assert_false(page.failed);
    assert_well_formed(page.bytes);
    neap_graph_free(graph);
    return page.bytes;
}

static void the_page_gives_a_probability_with_its_base_rate(void **state)
{
    (void)state;
    char *page = page_of(&sum, names);
    assert_has(page, "<dt>probability of a link</dt><dd>0.9241</dd>");
    assert_has(page, "50\u00a0% of the pairs that you ask about are links and the others are non-links of "
                     "the same node, drawn evenly.");
    assert_has(page, "They are not linked in the graph the model was trained on.");
    assert_lacks(page, "base rate");
    free(page);
    neap_evidence rare = sum;
    rare.prior = 0.01, rare.probability = 0.10956, rare.negatives = "degree";
    page = page_of(&rare, names);
    assert_has(page, "if 1\u00a0% of the pairs that you ask about are links and the others are non-links "
                     "of the same node, drawn in proportion");
    assert_has(page, "base rate: how many of the pairs are links");
    assert_has(page, ">\u22124.595<");
    free(page);
}

/* The numbers of the rows between two places of a page. */
static double sum_between(const char *page, const char *from, const char *to)
{
    static const char before[] = "<div class=\"bar signed\"><span>", minus[] = "\u2212";
    const char *at = strstr(page, from);
    double all = 0;
    assert_non_null(at);
    const char *end = strstr(at, to);
    assert_non_null(end);
    while ((at = strstr(at, before)) && at < end) {
        at += strlen(before);
        bool negative = !strncmp(at, minus, strlen(minus));
        double x = strtod(at + (negative ? strlen(minus) : 0), NULL);
        all += negative ? -x : x;
    }
    return all;
}

static void what_is_shown_adds_up_to_the_last_digit(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        double added[5], score = 1.0 / 3 * i;
        neap_evidence v = sum;
        v.start = score;
        for (int k = 0; k < 5; k++) score += added[k] = contributions[k] * sin(i + k);
        v.contribution = added, v.score = score;
        char *page = page_of(&v, names);
        double rows = sum_between(page, "<h2 id=\"fall\">", " class=\"answer\">");
        double answer = sum_between(page, " class=\"answer\">", "</section>");
        assert_true(fabs(rows - answer) < 1e-9);
        assert_true(fabs(answer - score) < 0.00051);
        free(page);
    }
}

static void everybody_behind_evidence_is_named(void **state)
{
    (void)state;
    char *page = page_of(&sum, names);
    assert_has(page, "links of <bdi class=\"name\">gimp</bdi>");
    assert_has(page, "<h3 id=\"behind-shared\">Neighbours of both</h3>");
    assert_has(page, "<bdi class=\"name\">libgtk</bdi> \u2013 <bdi class=\"name\">libxml</bdi>");
    assert_has(page, "draw &amp; paint");
    assert_has(page, "a feature");
    assert_has(page, ">unknown<"); /* the value that is missing */
    assert_has(page, "libpng</bdi> <span class=\"tag\">of both</span>");
    assert_has(page, "libxml</bdi> <span class=\"tag\">of <bdi class=\"name\">inkscape</bdi></span>");
    assert_has(page, "nobody in particular");
    assert_has(page, "1 other, little each");
    free(page);
}

/* A curve with edges has a picture, with the pair's place on it where its value is known. */
static void a_curve_is_drawn_with_the_place_of_the_pair(void **state)
{
    (void)state;
    char *page = page_of(&sum, names);
    assert_int_equal(count_of(page, "<path class=\"shape\""), 2);
    assert_int_equal(count_of(page, "<circle class=\"here"), 2);
    assert_has(page, "aria-label=\"the curve of s&gt;x&lt;t: from \u22121.000 to +3.000\"");
    double cx = 0, cy = 0;
    const char *at = strstr(page, "here up\" r=\"4\" cx=");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "here up\" r=\"4\" cx=\"%lf\" cy=\"%lf\"", &cx, &cy), 2);
    assert_true(cx > 44 && cx < 88); /* the second of three bins */
    free(page);
}

static void what_if_tells_what_was_measured_anew_and_what_was_held(void **state)
{
    (void)state;
    char *page = page_of(&sum, names);
    assert_has(page,
               "<strong><bdi class=\"name\">libpng</bdi></strong> the probability falls from 0.9241 to "
               "<strong>0.6225</strong>.");
    assert_has(page, "measured anew without it");
    assert_has(page, "are held at what they are");
    assert_has(page, ">\u22122.000<");
    assert_has(page, ">1.750<");
    free(page);
    neap_evidence v = sum;
    v.change_count = v.neighbour_count = v.behind_count = 0;
    page = page_of(&v, names);
    assert_lacks(page, "What if");
    assert_lacks(page, "Through whom");
    free(page);
}

static void probabilities_that_differ_little_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(ni_probability_decimals(0.5), 4);
    assert_int_equal(ni_probability_decimals(0.93), 4);
    assert_int_equal(ni_probability_decimals(0.9985), 5);
    assert_int_equal(ni_probability_decimals(0.00002), 7);
    assert_int_equal(ni_probability_decimals(1), 4);
    assert_int_equal(ni_probability_decimals((double)NAN), 4);
}

static void a_name_is_text_and_never_markup(void **state)
{
    static const char *const hostile[] = { "<script>alert(1)</script>", "\"><img src=x>", "' x='%s%n",
                                           "]]>-->", "</svg><b>" };
    (void)state;
    char *page = page_of(&sum, hostile);
    assert_lacks(page, "<script");
    assert_lacks(page, "<img");
    assert_has(page, "&#39; x=&#39;%s%n");
    free(page);
}

static void the_page_asks_nothing_of_anybody(void **state)
{
    static const char *const never[] = { "<script", "<link", "http:", "https:", "url(", "@import", "src=" };
    (void)state;
    char *page = page_of(&sum, names);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) assert_lacks(page, never[i]);
    free(page);
}

static void an_explanation_of_another_graph_is_refused(void **state)
{
    neap_graph *graph = graph_of(names, NAMES - 1);
    neap_explanation e = why(&sum);
    neap_error err = { 0 };
    ni_page page = { 0 };
    (void)state;
    assert_int_equal(ni_explanation_write(&page, &e, graph, &err), NEAP_E_MISMATCH);
    assert_int_equal(page.length, 0);
    neap_graph_free(graph);
}

static neap_status save(void *graph, neap_error *err)
{
    neap_explanation e = why(&sum);
    ni_page page = { 0 };
    neap_status rc = ni_explanation_write(&page, &e, graph, err);
    return rc == NEAP_OK ? ni_page_save(&page, "page.html", err) : rc;
}

static void expect_no_memory(void *user, neap_status rc, const neap_error *err)
{
    (void)user, (void)err;
    assert_int_equal(rc, NEAP_E_MEM);
    assert_int_equal(scratch_count("."), 0);
}

static void a_lack_of_memory_is_told(void **state)
{
    neap_graph *graph = graph_of(names, NAMES);
    (void)state;
    assert_true(faults_each(FAULTS_HEAP, ENOMEM, false, save, expect_no_memory, graph) > 0);
    neap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_gives_a_probability_with_its_base_rate),
        cmocka_unit_test(what_is_shown_adds_up_to_the_last_digit),
        cmocka_unit_test(everybody_behind_evidence_is_named),
        cmocka_unit_test(a_curve_is_drawn_with_the_place_of_the_pair),
        cmocka_unit_test(what_if_tells_what_was_measured_anew_and_what_was_held),
        cmocka_unit_test(probabilities_that_differ_little_are_told_apart),
        cmocka_unit_test(a_name_is_text_and_never_markup),
        cmocka_unit_test(the_page_asks_nothing_of_anybody),
        cmocka_unit_test(an_explanation_of_another_graph_is_refused),
        cmocka_unit_test_setup_teardown(a_lack_of_memory_is_told, scratch_enter, scratch_leave),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
