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
#include <unistd.h>

#include <cmocka.h>

#include "faults.h"
#include "page.h"
#include "pages/pages.h"
#include "scratch.h"

/* 4 is a neighbour of both 0 and 1, which are the ends of every pair here; so is 3, against the arrow. */
static neap_graph *graph_of(const char *const *names, uint32_t count)
{
    neap_graph *graph = NULL;
    neap_edge edges[] = { { 0, 4, 1 }, { 1, 4, 1 }, { 0, 3, 1 }, { 3, 1, 1 }, { 0, 2, 1 } };
    neap_error err = { 0 };
    assert_int_equal(neap_graph_create(count, names, edges, 5, 0, 0, &graph, &err), NEAP_OK);
    return graph;
}

static char *page_of(const neap_explanation *e, const char *const *names, uint32_t count)
{
    neap_graph *graph = graph_of(names, count);
    neap_error err = { 0 };
    ni_page page = { 0 };
    assert_int_equal(ni_explanation_write(&page, e, graph, &err), NEAP_OK);
    assert_false(page.failed);
    neap_graph_free(graph);
    return page.bytes;
}

/* gimp: a, b, both. inkscape: both, c, and b, which the model has not read. Weights and contributions are
 * easy to recognise; no selection stands on the diagonal of the picture, nor where its mirror image would.
 */
static const char *const few_names[] = { "gimp", "inkscape", "pkg-a", "pkg-b", "pkg-both", "pkg-c" };
static const neap_reasons few_source = { .size = sizeof few_source,
                                         .count = 3,
                                         .node = (const uint32_t[]){ 2, 3, 4 },
                                         .partner = (const uint32_t[]){ 5, NEAP_NONE, 4 },
                                         .weight = (const float[]){ 0.5f, 0.3f, 0.2f },
                                         .contribution = (const float[]){ 0.75f, -0.125f, 0.375f },
                                         .alignment = (const float[]){ 1.0f, 0.0f, 0.5f } };
static const neap_reasons few_target = { .size = sizeof few_target,
                                         .count = 2,
                                         .node = (const uint32_t[]){ 4, 5 },
                                         .partner = (const uint32_t[]){ 4, 2 },
                                         .weight = (const float[]){ 0.6f, 0.4f },
                                         .contribution = (const float[]){ 0.125f, 0.875f },
                                         .alignment = (const float[]){ 0.5f, 1.0f } };
static const neap_reasons no_reasons = NEAP_SIZED(neap_reasons);
static const float few_alignment[] = { 0.25f, 1.0f, 0.0f, -0.5f, 0.5f, -1.0f };
static const neap_explanation few = { .size = sizeof few,
                                      .source = 0,
                                      .target = 1,
                                      .score = 1.0f,
                                      .source_links = 3,
                                      .target_links = 3,
                                      .shared = 2,
                                      .selects = 1,
                                      .by_source = &few_source,
                                      .by_target = &few_target,
                                      .alignment = few_alignment };

static void the_page_names_everybody_with_weight_and_contribution(void **state)
{
    (void)state;
    char *page = page_of(&few, few_names, 6);
    assert_well_formed(page);
    assert_has(page, "<title>Why gimp and inkscape?</title>");
    for (int i = 0; i < 6; i++) assert_has(page, few_names[i]);
    const char *numbers[] = { "50.00 %", "30.00 %",       "20.00 %", "60.00 %", "40.00 %", ">0.750<",
                              ">0.375<", ">\u22120.125<", ">0.875<", ">0.125<", "100.0 %", ">1.000<" };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) assert_has(page, numbers[i]);
    assert_int_equal(count_of(page, "<span class=\"tag\">shared</span>"), 3);
    assert_has(page, "<span class=\"muted\">none</span>");
    free(page);
}

static void the_answer_names_the_largest_contributions_first(void **state)
{
    (void)state;
    char *page = page_of(&few, few_names, 6);
    assert_has(page, "a score of 1.000, which is positive");
    assert_has(
        page,
        "<strong><bdi class=\"name\">pkg-a</bdi></strong> and <strong><bdi class=\"name\">pkg-both</bdi>"
        "</strong> (together 1.125); seen from ");
    assert_has(
        page,
        "<strong><bdi class=\"name\">pkg-c</bdi></strong> and <strong><bdi class=\"name\">pkg-both</bdi>"
        "</strong> (together 1.000).");
    free(page);
}

static void a_negative_score_rests_on_negative_contributions(void **state)
{
    (void)state;
    const float alignment[] = { -0.25f, -0.5f, -0.75f };
    neap_reasons source = { .size = sizeof source,
                            .count = 3,
                            .node = (const uint32_t[]){ 2, 5, 3 },
                            .partner = (const uint32_t[]){ 4, 4, 4 },
                            .weight = (const float[]){ 0.5f, 0.3f, 0.2f },
                            .contribution = (const float[]){ -0.25f, 0.5f, -0.75f },
                            .alignment = alignment };
    neap_reasons target = { .size = sizeof target,
                            .count = 1,
                            .node = (const uint32_t[]){ 4 },
                            .partner = (const uint32_t[]){ 2 },
                            .weight = (const float[]){ 1.0f },
                            .contribution = (const float[]){ -0.5f },
                            .alignment = alignment };
    neap_explanation e = few;
    e.score = -0.5f;
    e.by_source = &source, e.by_target = &target, e.alignment = alignment;
    char *page = page_of(&e, few_names, 6);
    assert_has(page, "a score of \u22120.500, which is negative");
    assert_has(
        page, "<strong><bdi class=\"name\">pkg-b</bdi></strong> and <strong><bdi class=\"name\">pkg-a</bdi>"
              "</strong> (together \u22121.000); seen from ");
    assert_has(page, "first of all on <strong><bdi class=\"name\">pkg-both</bdi></strong> (\u22120.500).");
    free(page);
}

static void read_place(const char *page, const char *before, const char *format, double *x, double *y)
{
    const char *at = strstr(page, before);
    assert_non_null(at);
    assert_int_equal(sscanf(at, format, x, y), 2);
}

static void a_selected_cell_is_marked_where_it_stands(void **state)
{
    (void)state;
    char *page = page_of(&few, few_names, 6);
    /* Row a chose c (mutual), row both chose both (mutual), row b chose nothing; one more in the legend. */
    assert_int_equal(count_of(page, "<circle class=\"ring"), 2 + 1);
    assert_int_equal(count_of(page, "<circle class=\"dot"), 2 + 1);
    const char *title = strstr(page, "<title>pkg-both \u00d7 pkg-both: 0.50</title>");
    assert_non_null(title);
    const char *cell = title;
    while (strncmp(cell, "<rect", 5)) cell--;
    double x, y, cx, cy;
    read_place(cell, "x=", "x=\"%lf\" y=\"%lf\"", &x, &y);
    read_place(page, "class=\"ring weak\"", "class=\"ring weak\" cx=\"%lf\" cy=\"%lf\"", &cx, &cy);
    assert_true(cx > x + 10 && cx < x + 25 && cy > y + 10 && cy < y + 25);
    free(page);
}

/* The style sheet fits the picture into narrow windows by its width. */
static void the_picture_tells_the_style_sheet_its_width(void **state)
{
    (void)state;
    char *page = page_of(&few, few_names, 6), style[64];
    double width, height;
    read_place(page, "<svg role=\"img\"",
               "<svg role=\"img\" aria-labelledby=\"picture-words\" "
               "width=\"%lf\" height=\"%lf\"",
               &width, &height);
    snprintf(style, sizeof style, " %.0f %.0f\" style=\"--w:%.0fpx\">", width, height, width);
    assert_has(page, style);
    assert_has(page, ".scroll svg{height:auto;max-width:100%;min-width:clamp(0px,(var(--w)");
    free(page);
}

static void a_cell_has_the_colour_of_its_alignment(void **state)
{
    (void)state;
    char *page = page_of(&few, few_names, 6);
    const char *cells[] = { "cell c25\"", "cell c40\"", "cell c20\"",
                            "cell c10\"", "cell c30\"", "cell c0\"" };
    const char *at = page;
    for (int i = 0; i < 6; i++) {
        at = strstr(at, "cell c");
        assert_non_null(at);
        assert_int_equal(strncmp(at, cells[i], strlen(cells[i])), 0);
        at++;
    }
    free(page);
}

static void a_name_is_text_and_never_markup(void **state)
{
    (void)state;
    const char *const names[] = { "<script>alert(1)</script>",
                                  "\"><img src=x onerror=alert(2)>",
                                  "' onmouseover='alert(3)",
                                  "</text></svg></title><b>",
                                  "&lt;b&gt;",
                                  "%s%n]]>-->" };
    char *page = page_of(&few, names, 6);
    assert_well_formed(page);
    assert_lacks(page, "<script");
    assert_lacks(page, "<img");
    assert_lacks(page, "onmouseover='");
    assert_has(page, "Why &lt;script&gt;alert(1)&lt;/script&gt; and &quot;&gt;&lt;img");
    assert_has(page, "&amp;lt;b&amp;gt;");
    assert_has(page, "%s%n]]&gt;--&gt;");
    free(page);
}

static void a_long_name_is_cut_and_kept_whole_in_its_title(void **state)
{
    (void)state;
    char name[4097];
    memset(name, '<', 4096);
    name[4096] = 0;
    const char *const names[] = { "gimp", "inkscape", name, "\xff\xfe", "\u05e9\u202exe", "\n\t" };
    char *page = page_of(&few, names, 6);
    assert_well_formed(page);
    const char *title = strstr(page, "title=\"&lt;&lt;");
    assert_non_null(title);
    assert_int_equal(strcspn(title + 7, "\""), 4096 * 4);
    assert_has(page, "&lt;&lt;&lt;\u2026</bdi>");
    assert_has(page, ">\ufffd\ufffd</bdi>");   /* neither UTF-8 nor control characters get through */
    assert_has(page, ">\u05e9\ufffdxe</bdi>"); /* nor does an override of the direction         */
    assert_lacks(page, "\u202exe</bdi>");
    free(page);
}

static void neighbours_are_counted_in_the_graph(void **state)
{
    (void)state;
    neap_explanation e = few;
    neap_reasons target = few_target;
    target.node = (const uint32_t[]){ 4, 1 }; /* itself */
    e.source_links = 3, e.target_links = 5346, e.shared = 377, e.by_target = &target;
    char *page = page_of(&e, few_names, 6);
    assert_well_formed(page);
    assert_has(page, "gimp</bdi></dt><dd>3</dd>");
    assert_has(page, "inkscape</bdi></dt><dd>5,346 <small>1 read</small></dd>");
    assert_has(page, "<dt>neighbours of both</dt><dd>377</dd>");
    assert_has(page,
               "The model read 1 of 5,346 neighbours of <bdi class=\"name\">inkscape</bdi>, a random");
    assert_has(page, ">1 of 5,346 neighbours read, and the node itself. The largest contribution first.<");
    assert_int_equal(count_of(page, " of 3 neighbours"), 0); /* all those of gimp were read */
    assert_has(page, "inkscape</bdi></strong> itself");
    free(page);
}

static void the_page_says_whether_the_pair_is_linked(void **state)
{
    (void)state;
    neap_explanation e = few;
    char *page = page_of(&e, few_names, 6);
    assert_has(page,
               "<p class=\"lede\">They are not linked in the graph the model was trained on. The model");
    free(page);
    e.linked = 1;
    page = page_of(&e, few_names, 6);
    assert_has(page, "<p class=\"lede\">They are linked in the graph. The model");
    free(page);
    e.target = e.source, e.linked = 0;
    page = page_of(&e, few_names, 6);
    assert_has(page, "<p class=\"lede\">This is a node and itself. The model");
    free(page);
}

/* Under mean pooling the alignment is that of a neighbour with the other side as a whole. */
static void where_nobody_is_selected_there_are_no_marks(void **state)
{
    (void)state;
    neap_explanation e = few;
    neap_reasons source = few_source, target = few_target;
    source.partner = target.partner = (const uint32_t[]){ NEAP_NONE, NEAP_NONE, NEAP_NONE };
    e.by_source = &source, e.by_target = &target, e.selects = 0;
    char *page = page_of(&e, few_names, 6);
    assert_well_formed(page);
    const char *never[] = { "<circle", "elect", "a ring", "none</span>" };
    for (int i = 0; i < 4; i++) assert_lacks(page, never[i]);
    assert_has(page, "class=\"last\">Alignment</th>");
    assert_int_equal(count_of(page, "class=\"text last\">1.00</td>"), 2);
    assert_has(page, "the mean of a neighbour's row or column");
    free(page);
}

static void an_empty_side_scores_nothing_and_says_so(void **state)
{
    (void)state;
    neap_reasons target = { .size = sizeof target,
                            .count = 1,
                            .node = (const uint32_t[]){ 2 },
                            .partner = (const uint32_t[]){ NEAP_NONE },
                            .weight = (const float[]){ 1.0f },
                            .contribution = (const float[]){ 0.0f },
                            .alignment = (const float[]){ 0.0f } };
    neap_explanation none = { .size = sizeof none,
                              .source = 0,
                              .target = 1,
                              .selects = 1,
                              .by_source = &no_reasons,
                              .by_target = &no_reasons };
    neap_explanation one = none;
    one.by_target = &target;
    char *page = page_of(&one, few_names, 6);
    assert_well_formed(page);
    assert_has(page, "No neighbours of <bdi class=\"name\">gimp</bdi> are known.");
    assert_has(page, "the score is 0.");
    assert_has(page, "pkg-a");
    assert_lacks(page, "<figure>");
    free(page);
    page = page_of(&none, few_names, 6);
    assert_well_formed(page);
    assert_has(page, "gimp</bdi> or <bdi class=\"name\">inkscape</bdi> are known.");
    assert_int_equal(count_of(page, "None are known."), 2);
    free(page);
}

/* What no word has stands in a row of its own, and in the sum. */
static void the_page_says_what_comes_from_elsewhere(void **state)
{
    neap_explanation e = few;
    neap_reasons source = few_source;
    (void)state;
    char *page = page_of(&e, few_names, 6);
    assert_lacks(page, "elsewhere");
    free(page);
    source.rest_weight = 0.25f, source.rest_contribution = -2;
    e.by_source = &source;
    page = page_of(&e, few_names, 6);
    assert_well_formed(page);
    assert_int_equal(count_of(page, "class=\"first\">elsewhere</th>"), 1);
    assert_has(page, "is listed as elsewhere");
    assert_has(page, "125.0"); /* the sum of all weights, in per cent */
    free(page);
}

/* One word stands twice in the source's text: two rows, and the ring is at the second place. Positions in a
 * text may be larger than any node. */
static void words_are_named_by_their_place_in_the_text(void **state)
{
    (void)state;
    neap_reasons source = few_source, target = few_target;
    source.node = (const uint32_t[]){ 90, 7, 0 }, source.partner = (const uint32_t[]){ 1, 1, 0 };
    source.word = (const char *const[]){ "tide", "tide", "<moon>" };
    target.node = (const uint32_t[]){ 0, 1 }, target.partner = (const uint32_t[]){ 7, 90 };
    target.word = (const char *const[]){ "sea", "ebb" };
    neap_explanation e = few;
    e.by_source = &source, e.by_target = &target, e.words = 1;
    char *page = page_of(&e, few_names, 6);
    assert_well_formed(page);
    assert_has(page, "Words of <bdi class=\"name\">gimp</bdi>");
    assert_has(page, ">Word</th>");
    assert_has(page, "the two texts point the same way");
    assert_has(page, "<dt>words of <bdi class=\"name\">gimp</bdi></dt><dd>3</dd>");
    assert_has(page, "more than about seven times");
    assert_has(page, "&lt;moon&gt;");
    assert_has(page, "<bdi class=\"name\">ebb</bdi> <small>1.00</small>");
    assert_int_equal(count_of(page, "scope=\"row\" class=\"first\"><bdi class=\"name\">tide</bdi></th>"),
                     2);
    assert_int_equal(count_of(page, "class=\"tag\""), 0);
    assert_null(strstr(page, "eighbours of <bdi class=\"name\">gimp</bdi></h2>"));
    assert_null(strstr(page, "pkg-a"));
    free(page);
}

/* Without attention the page does not claim what holds for attention. */
static void words_with_tfidf_have_weights(void **state)
{
    (void)state;
    neap_reasons source = few_source, target = few_target;
    source.word = (const char *const[]){ "tide", "sea", "moon" };
    target.word = (const char *const[]){ "sea", "ebb" };
    neap_explanation e = few;
    e.by_source = &source, e.by_target = &target, e.words = e.tfidf = 1;
    char *page = page_of(&e, few_names, 6);
    assert_well_formed(page);
    assert_has(page, ">Weight</th>");
    assert_has(page, "share of its text's TF-IDF");
    assert_has(page, "</svg> weight</span>");
    assert_null(strstr(page, "ttention"));
    assert_null(strstr(page, "seven times"));
    free(page);
}

/* The sentence at the top does not name who hardly contributes. */
static void a_tenth_of_the_largest_is_no_carrier(void **state)
{
    (void)state;
    neap_reasons source = few_source;
    source.contribution = (const float[]){ 0.9375f, 0.0f, 0.0625f };
    neap_explanation e = few;
    e.by_source = &source;
    char *page = page_of(&e, few_names, 6);
    assert_well_formed(page);
    assert_has(page, "</strong> (0.938); seen from ");
    free(page);
}

enum { MANY = 250 };

typedef struct many_reasons {
    neap_reasons reasons;
    uint32_t node[MANY], partner[MANY];
    float weight[MANY], contribution[MANY], alignment[MANY];
} many_reasons;

/* Neighbours first .. first + 249, each of which selected its counterpart among those from `others` on. */
static void fill_many(many_reasons *m, uint32_t first, uint32_t others, float contribution)
{
    m->reasons = (neap_reasons){ .size = sizeof m->reasons,
                                 .count = MANY,
                                 .node = m->node,
                                 .partner = m->partner,
                                 .weight = m->weight,
                                 .contribution = m->contribution,
                                 .alignment = m->alignment };
    for (uint32_t i = 0; i < MANY; i++) {
        m->node[i] = first + i, m->partner[i] = others + i;
        m->weight[i] = (float)(MANY - i) / (MANY * (MANY + 1) / 2);
        m->contribution[i] = contribution, m->alignment[i] = 0.5f;
    }
}

/* The last of the source, with the least weight, contributes most. */
static void large_neighbourhoods_are_cut_and_the_rest_is_summed(void **state)
{
    (void)state;
    static many_reasons source, target;
    static float alignment[MANY * MANY];
    static char text[2 + 2 * MANY][32];
    const char *names[2 + 2 * MANY];
    for (int i = 0; i < 2 + 2 * MANY; i++) {
        snprintf(text[i], sizeof text[i], "a-package-of-usual-length-%d", i);
        names[i] = text[i];
    }
    fill_many(&source, 2, 2 + MANY, 0.01f);
    fill_many(&target, 2 + MANY, 2, 0.02f);
    source.contribution[MANY - 1] = 0.5f;
    source.contribution[MANY - 2] = -0.25f;
    for (uint32_t i = 0; i < MANY; i++)
        for (uint32_t j = 0; j < MANY; j++) alignment[i * MANY + j] = (float)sin(i + 2.0 * j);
    neap_explanation e = { .size = sizeof e,
                           .source = 0,
                           .target = 1,
                           .score = 2.73f,
                           .source_links = MANY,
                           .target_links = MANY,
                           .selects = 1,
                           .by_source = &source.reasons,
                           .by_target = &target.reasons,
                           .alignment = alignment };
    char *page = page_of(&e, names, 2 + 2 * MANY);
    assert_well_formed(page);
    assert_true(strlen(page) < 500000);
    assert_int_equal(count_of(page, "30 of 250 shown"), 4); /* both axes, both lists */
    assert_int_equal(count_of(page, "class=\"cell "), 30 * 30);
    assert_int_equal(count_of(page, "220 others"), 2);
    assert_has(page, ">2.200<"); /* 220 times 0.01            */
    assert_has(page,
               "<strong><bdi class=\"name\">a-package-of-usual-length-251<"); /* largest, though last */
    assert_has(page, ">\u22120.250<"); /* large and negative: shown */
    free(page);
}

static void the_page_asks_nothing_of_anybody(void **state)
{
    (void)state;
    char *page = page_of(&few, few_names, 6);
    const char *never[] = {
        "<script", "<link", "http:", "https:", "url(", "@import", "src=", "javascript"
    };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) assert_lacks(page, never[i]);
    assert_has(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\"");
    assert_has(page, "prefers-color-scheme:dark");
    free(page);
}

static void an_explanation_of_another_graph_is_refused(void **state)
{
    (void)state;
    neap_graph *graph = graph_of(few_names, 5); /* pkg-c is missing */
    neap_error err = { 0 };
    ni_page page = { 0 };
    assert_int_equal(ni_explanation_write(&page, &few, graph, &err), NEAP_E_MISMATCH);
    assert_int_equal(err.code, NEAP_E_MISMATCH);
    assert_int_equal(page.length, 0);
    neap_graph_free(graph);
}

static neap_status save(const char *path, const neap_graph *graph, neap_error *err)
{
    ni_page page = { 0 };
    neap_status rc = ni_explanation_write(&page, &few, graph, err);
    return rc == NEAP_OK ? ni_page_save(&page, path, err) : rc;
}

static void a_folder_that_is_not_there_is_a_failure_to_write(void **state)
{
    (void)state;
    neap_graph *graph = graph_of(few_names, 6);
    neap_error err = { 0 };
    assert_int_equal(save("none/page.html", graph, &err), NEAP_E_IO);
    assert_int_not_equal(err.sys, 0);
    neap_graph_free(graph);
}

static neap_status save_again(void *user, neap_error *err)
{
    remove("page.html");
    return save("page.html", user, err);
}

static void expect_nothing_written(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_true(rc == NEAP_E_MEM || (rc == NEAP_E_IO && err->sys == ENOSPC));
    assert_int_equal(err->code, rc);
    assert_true(err->text[0] != 0);
    assert_int_equal(scratch_count("."), 0); /* no temporary file */
}

static void a_failure_is_told_and_leaves_no_half_page(void **state)
{
    (void)state;
    static const faults_call calls[] = { FAULTS_MEMORY, FAULTS_HEAP,  FAULTS_OPEN,
                                         FAULTS_WRITE,  FAULTS_FSYNC, FAULTS_RENAME };
    neap_graph *graph = graph_of(few_names, 6);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_true(faults_each(calls[i], ENOSPC, false, save_again, expect_nothing_written, graph) > 0);
    size_t size;
    char *page = scratch_bytes("page.html", &size);
    assert_well_formed(page);
    free(page);
    neap_graph_free(graph);
}

static void text_is_harmless_in_html(void **state)
{
    (void)state;
    ni_page page = { 0 };
    ni_html_text(&page, "<b a='\"'>&\x01\xc3\xa9\xff");
    assert_string_equal(page.bytes, "&lt;b a=&#39;&quot;&#39;&gt;&amp;\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd");
    ni_page_free(&page);
}

/* Neither where a name is shown nor in its title, whole. */
static void no_control_character_gets_onto_a_page(void **state)
{
    (void)state;
    const char *const controls[] = {
        "\x1b", "\x7f", "\xc2\x80", "\xc2\x9b", "\xc2\x9f", "\u202e", "\u2066"
    };
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s0123456789012345678901234567890123456789%s[31m", controls[i],
                 controls[i]);
        const char *const names[] = { name, "inkscape", "a", "b", "both", "c" };
        char *page = page_of(&few, names, 6);
        assert_well_formed(page);
        assert_lacks(page, controls[i]);
        assert_has(page, "\ufffd[31m");
        free(page);
    }
}

/* What ni_html_number (or ni_html_fixed) writes. */
static void assert_number(void (*write)(ni_page *, double, int), double value, int decimals,
                          const char *want)
{
    ni_page page = { 0 };
    write(&page, value, decimals);
    assert_string_equal(page.bytes, want);
    ni_page_free(&page);
}

static void numbers_are_rounded_in_any_locale(void **state)
{
    (void)state;
    const char *locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C" }; /* the last one is always there */
    for (int i = 0; i < 3; i++) {
        setlocale(LC_ALL, locales[i]);
        assert_number(ni_html_number, 0.8765, 3, "0.877");
        assert_number(ni_html_number, -12.5, 2, "\u221212.50");
        assert_number(ni_html_fixed, -12.5, 1, "-12.5");
    }
    assert_number(ni_html_number, -0.0004, 3, "0.000"); /* nothing is not negative */
    assert_number(ni_html_number, 7, 0, "7");
    assert_number(ni_html_number, 1e30, 3, "1e+30");
    assert_number(ni_html_number, (double)NAN, 3, "not a number");
    assert_number(ni_html_number, (double)-INFINITY, 3, "\u2212\u221e");
    assert_number(ni_html_fixed, (double)INFINITY, 1, "0");
}

static void write_whole(ni_page *out, double value, int unused)
{
    (void)unused;
    ni_html_whole(out, (uint64_t)value);
}

static void thousands_are_set_apart(void **state)
{
    (void)state;
    assert_number(write_whole, 0, 0, "0");
    assert_number(write_whole, 999, 0, "999");
    assert_number(write_whole, 5346, 0, "5,346");
    assert_number(write_whole, 4294967295.0, 0, "4,294,967,295");
}

static void three_digits_of_the_largest_number_are_shown(void **state)
{
    (void)state;
    assert_int_equal(ni_html_decimals(0), 0);
    assert_int_equal(ni_html_decimals(25), 2);
    assert_int_equal(ni_html_decimals(0.5), 3);
    assert_int_equal(ni_html_decimals(0.05), 4);
    assert_int_equal(ni_html_decimals(1e-20), 9);
    assert_int_equal(ni_html_decimals((double)INFINITY), 2);
}

static void shades_rise_with_the_value(void **state)
{
    (void)state;
    assert_int_equal(ni_html_shade(-1), 0);
    assert_int_equal(ni_html_shade(-7), 0);
    assert_int_equal(ni_html_shade(0), NI_SHADES / 2);
    assert_int_equal(ni_html_shade((double)NAN), NI_SHADES / 2);
    assert_int_equal(ni_html_shade(1), NI_SHADES - 1);
    assert_int_equal(ni_html_shade((double)INFINITY), NI_SHADES - 1);
    for (double x = -1; x < 1; x += 0.01) assert_true(ni_html_shade(x) <= ni_html_shade(x + 0.01));
}

static void assert_label(const char *name, int cells, const char *want, int width, bool differs)
{
    char label[NI_LABEL_BYTES];
    bool changed;
    assert_int_equal(ni_html_label(name, cells, label, &changed), width);
    assert_string_equal(label, want);
    assert_int_equal(changed, differs);
}

static void a_label_fits_its_columns(void **state)
{
    (void)state;
    char wide[4 * NI_LABEL_MOST + 4] = "";
    assert_label("libc6", 5, "libc6", 5, false);
    assert_label("libc6", 4, "lib\u2026", 4, true);
    assert_label("", 4, "", 0, false);
    assert_label("\u6f22\u5b57\u6f22", 6, "\u6f22\u5b57\u6f22", 6, false);
    assert_label("\u6f22\u5b57\u6f22", 5, "\u6f22\u5b57\u2026", 5, true);
    assert_label("\u6f22\u5b57\u6f22", 4, "\u6f22\u2026", 3, true);
    assert_label("a\xc3", 9, "a\ufffd", 2, true); /* a character that the end cuts short */
    assert_label("\u202ea\x01", 9, "\ufffda\ufffd", 3, true);
    for (int i = 0; i < NI_LABEL_MOST; i++) memcpy(wide + 4 * i, "\U0001f600", 4);
    char label[NI_LABEL_BYTES];
    bool changed;
    assert_true(ni_html_label(wide, NI_LABEL_MOST, label, &changed) <= NI_LABEL_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_names_everybody_with_weight_and_contribution),
        cmocka_unit_test(the_answer_names_the_largest_contributions_first),
        cmocka_unit_test(a_negative_score_rests_on_negative_contributions),
        cmocka_unit_test(a_selected_cell_is_marked_where_it_stands),
        cmocka_unit_test(the_picture_tells_the_style_sheet_its_width),
        cmocka_unit_test(a_cell_has_the_colour_of_its_alignment),
        cmocka_unit_test(a_name_is_text_and_never_markup),
        cmocka_unit_test(a_long_name_is_cut_and_kept_whole_in_its_title),
        cmocka_unit_test(neighbours_are_counted_in_the_graph),
        cmocka_unit_test(the_page_says_whether_the_pair_is_linked),
        cmocka_unit_test(where_nobody_is_selected_there_are_no_marks),
        cmocka_unit_test(an_empty_side_scores_nothing_and_says_so),
        cmocka_unit_test(large_neighbourhoods_are_cut_and_the_rest_is_summed),
        cmocka_unit_test(the_page_asks_nothing_of_anybody),
        cmocka_unit_test(an_explanation_of_another_graph_is_refused),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_a_failure_to_write, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_failure_is_told_and_leaves_no_half_page, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test(text_is_harmless_in_html),
        cmocka_unit_test(no_control_character_gets_onto_a_page),
        cmocka_unit_test(numbers_are_rounded_in_any_locale),
        cmocka_unit_test(thousands_are_set_apart),
        cmocka_unit_test(the_page_says_what_comes_from_elsewhere),
        cmocka_unit_test(words_are_named_by_their_place_in_the_text),
        cmocka_unit_test(words_with_tfidf_have_weights),
        cmocka_unit_test(a_tenth_of_the_largest_is_no_carrier),
        cmocka_unit_test(three_digits_of_the_largest_number_are_shown),
        cmocka_unit_test(shades_rise_with_the_value),
        cmocka_unit_test(a_label_fits_its_columns),
    };
    faults_install();
    return cmocka_run_group_tests_name("explain_html", tests, NULL, NULL);
}
