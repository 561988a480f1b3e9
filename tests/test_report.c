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
#include <jansson.h>

#include "faults.h"
#include "page.h"
#include "paper/report.h"
#include "scratch.h"

/* ---- a study: four methods, three shares, one number each ---- */

enum { GAP, UNTRAINED, PPR, DEEPWALK, ROWS, COLUMNS = 3 };

static const ni_paper_graph toy = { .name = "toy", .title = "Toy", .neighbors = 100, .dropout = 0.5 };
static ni_table table = { .name = "link-toy",
                          .title = "Link prediction on Toy",
                          .about = "A toy.",
                          .across = "training edges",
                          .down = "method",
                          .aim = NI_AIM_LINK,
                          .column = { { .label = "15 %", .graph = &toy, .ratio = 0.15 },
                                      { .label = "55 %", .graph = &toy, .ratio = 0.55 },
                                      { .label = "95 %", .graph = &toy, .ratio = 0.95 } },
                          .columns = COLUMNS };

typedef struct world {
    ni_table table;
    ni_condition row[ROWS];
    ni_entry entry[ROWS * NI_COLUMNS];
    ni_sheet sheet;
    ni_study study;
    neap_options *settings[2];
    uint64_t seed[3];
    char *folder; /* of the files, for scratch_leave */
} world;

static void set(world *w, size_t row, size_t column, double value, uint32_t seeds)
{
    ni_entry *e = &w->entry[row * w->table.columns + column];
    e->seeds = seeds;
    e->seconds = 2.5;
    for (int v = 0; v < NI_LINK_MRR_ALL; v++) e->mean[v] = value, e->std[v] = seeds > 1 ? 0.0123 : NAN;
}

static void set_paper(world *w, size_t row, size_t column, double percent)
{
    w->entry[row * w->table.columns + column].paper[0] = percent;
}

static void clear(world *w)
{
    for (size_t i = 0; i < ROWS * NI_COLUMNS; i++) {
        ni_entry *e = &w->entry[i];
        *e = (ni_entry){ .seconds = NAN, .paper = { NAN, NAN } };
        for (int v = 0; v < NI_VALUES; v++) e->mean[v] = e->std[v] = NAN;
    }
}

/* GAP is run but for one cell, PPR ties with it in the second column, DeepWalk is known from the paper and
 * not in this version. */
static void fill(world *w)
{
    const double ours[ROWS][COLUMNS] = { { 0.9786, 0.9111, 0 },
                                         { 0.85, 0.86, 0.87 },
                                         { 0.7, 0.9109, 0.869 } };
    for (size_t i = 0; i < DEEPWALK; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            if (ours[i][j] > 0) set(w, i, j, ours[i][j], 3);
    for (size_t j = 0; j < COLUMNS; j++) set_paper(w, GAP, j, 95.8), set_paper(w, DEEPWALK, j, 56.3);
}

static int enter(void **state)
{
    static world w;
    neap_error err = { 0 };
    w = (world){ .table = table,
                 .row = { { .label = "gap", .method = "gap" },
                          { .label = "gap", .method = "gap", .untrained = true },
                          { .label = "ppr", .method = "ppr" },
                          { .label = "deepwalk", .method = "not in this version" } },
                 .seed = { 7, 8, 9 } };
    w.sheet =
        (ni_sheet){ .table = &w.table, .protocol = "paper", .row = w.row, .rows = ROWS, .entry = w.entry };
    if (neap_options_create("paper", &w.settings[0], &err) ||
        neap_options_create("neap", &w.settings[1], &err) ||
        neap_options_set(w.settings[1], "method", "gap", &err))
        return -1;
    w.study = (ni_study){ .sheet = &w.sheet,
                          .sheets = 1,
                          .seeds = 3,
                          .seed = w.seed,
                          .settings = { w.settings[0], w.settings[1] },
                          .asked = 27,
                          .missing = 3,
                          .shown = 640 };
    clear(&w);
    fill(&w);
    void *folder;
    int rc = scratch_enter(&folder);
    w.folder = folder;
    *state = &w;
    return rc;
}

static int leave(void **state)
{
    world *w = *state;
    void *folder = w->folder;
    neap_options_free(w->settings[0]);
    neap_options_free(w->settings[1]);
    return scratch_leave(&folder);
}

typedef void (*writer)(ni_page *, const ni_study *);

static char *written(const world *w, writer write)
{
    ni_page page = { 0 };
    write(&page, &w->study);
    assert_false(page.failed);
    assert_int_equal(strlen(page.bytes), page.length);
    return page.bytes;
}

static char *html_of(const world *w)
{
    char *page = written(w, ni_report_html);
    assert_well_formed(page);
    return page;
}

static json_t *json_of(const world *w)
{
    json_error_t err;
    char *text = written(w, ni_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &err);
    if (!root) fail_msg("line %d: %s", err.line, err.text);
    free(text);
    return root;
}

static json_t *result(json_t *root, size_t row, size_t column)
{
    json_t *sheet = json_array_get(json_object_get(root, "tables"), 0);
    json_t *list = json_object_get(sheet, "results");
    assert_int_equal(json_array_size(list), ROWS * COLUMNS);
    return json_array_get(list, row * COLUMNS + column);
}

static double number(const json_t *object, const char *key, const char *part)
{
    json_t *value = json_object_get(object, key);
    return json_number_value(part ? json_object_get(value, part) : value);
}

/* ---- what is best ---- */

static void the_best_of_a_column_is_bold_and_equals_are_both(void **state)
{
    world *w = *state;
    w->sheet.protocol = "clean";
    assert_int_equal(ni_standing_of(&w->sheet, GAP, 0, 0), NI_AHEAD);
    assert_false(ni_is_best(&w->sheet, PPR, 0, 0));
    assert_int_equal(ni_standing_of(&w->sheet, GAP, 1, 0), NI_TIED); /* 91.1 and 91.1 */
    assert_true(ni_is_best(&w->sheet, PPR, 1, 0));
    assert_true(ni_is_best(&w->sheet, UNTRAINED, 2, 0)); /* GAP was not run there */
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<td><strong>97.9</strong><small");
    assert_int_equal(count_of(page, "<strong>91.1</strong>"), 2);
    assert_int_equal(count_of(page, "<strong>"), 4 + 1); /* and the word itself among the marks */
    assert_has(text, "| gap | **97.9** \u00b11.2 | **91.1** \u00b11.2 | not run |");
    assert_has(text, "| ppr | 70.0 \u00b11.2 | **91.1** \u00b11.2 | 86.9 \u00b11.2 |");
    free(page);
    free(text);
}

static void clean_links_have_a_table_of_ranks_among_all_nodes(void **state)
{
    world *w = *state;
    w->entry[0].mean[NI_LINK_MRR_ALL] = 0.1234;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_lacks(page, "all nodes)");
    assert_lacks(text, "all nodes)");
    free(page);
    free(text);
    w->sheet.protocol = "clean";
    page = html_of(w), text = written(w, ni_report_markdown);
    json_t *root = json_of(w), *sheet = json_array_get(json_object_get(root, "tables"), 0);
    json_t *first = json_array_get(json_object_get(sheet, "results"), 0);
    assert_has(page, "<caption>MRR (all nodes) in per cent, protocol clean</caption>");
    assert_has(page, ">12.3</span>");
    assert_has(text, "**MRR (all nodes) in per cent**, columns: training edges");
    assert_true(number(first, "mrr_all", NULL) == 0.1234);
    assert_true(json_is_null(json_object_get(json_object_get(first, "hits_all"), "10")));
    assert_true(number(first, "hits", "10") == 0.9786);
    json_decref(root);
    free(page);
    free(text);
}

static void a_cell_that_was_cut_short_is_marked(void **state)
{
    world *w = *state;
    w->study.cell_time = 600;
    w->entry[0].cut = 1;
    w->entry[2].late = 3;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w), *sheet = json_array_get(json_object_get(root, "tables"), 0);
    json_t *results = json_object_get(sheet, "results");
    assert_has(page, "97.9</strong>\u2020<small");
    assert_has(page, "<span class=\"none\">took too long</span>");
    assert_has(page, "\u2020 cut short after at most 10 minutes: what was learned until then.");
    assert_has(text, "| **97.9**\u2020 \u00b11.2 |");
    assert_has(text, "| took too long |");
    assert_has(text, "no result after 10 minutes.");
    assert_true(number(json_array_get(results, 0), "cut", NULL) == 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(results, 2), "state")),
                        "took too long");
    json_decref(root);
    free(page);
    free(text);
}

static void the_limit_that_cut_a_cell_is_the_cells_own(void **state)
{
    world *w = *state;
    w->study.cell_time = 600;
    w->entry[0].cut = 1, w->entry[0].limit = 120;
    w->entry[COLUMNS].cut = 1, w->entry[COLUMNS].limit = 30;
    char *page = html_of(w);
    assert_has(page, "\u2020 cut short after at most 2 minutes: ");
    free(page);
    w->entry[0].limit = 5;
    page = html_of(w);
    assert_has(page, "\u2020 cut short after at most 30 seconds: ");
    free(page);
}

static void a_row_that_took_too_long_everywhere_is_not_called_not_run(void **state)
{
    world *w = *state;
    w->row[DEEPWALK].method = "deepwalk";
    for (size_t j = 0; j < COLUMNS; j++) w->entry[DEEPWALK * COLUMNS + j].late = 1;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<span class=\"none\">took too long</span><span class=\"theirs\">[56.3]");
    assert_lacks(page, "Not run, only");
    assert_has(text, "| deepwalk | took too long | took too long | took too long |\n");
    assert_lacks(text, "deepwalk, published; not run");
    free(page);
    free(text);
}

static void ranks_for_which_there_was_no_time_are_told_from_undefined_ones(void **state)
{
    world *w = *state;
    w->sheet.protocol = "clean";
    w->entry[0].unranked = 1, w->entry[0].limit = 600;
    w->entry[1].mean[NI_LINK_MRR_ALL] = 0.1234;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    static const char said[] = "\u201cn/a\u201d: no time was left for these ranks within 10 minutes.";
    assert_int_equal(count_of(page, said), 1); /* below the ranks, and not below the AUC */
    assert_int_equal(count_of(text, said), 1);
    json_t *root = json_of(w);
    assert_true(number(result(root, 0, 0), "unranked", NULL) == 1);
    json_decref(root);
    free(page);
    free(text);
}

static void a_sheet_names_its_own_seeds(void **state)
{
    world *w = *state;
    uint64_t of_sheet[] = { 11, 12, 13 };
    char *page = html_of(w);
    assert_lacks(page, "a number without");
    free(page);
    w->sheet.seed = of_sheet, w->sheet.seeds = 3;
    page = html_of(w);
    char *text = written(w, ni_report_markdown);
    assert_has(page, "<p class=\"note\">Seeds 11 to 13; a number without \u00b1 is of one of them.</p>");
    assert_has(text, "Seeds 11 to 13; a number without \u00b1 is of one of them.\n\n");
    json_t *root = json_of(w), *sheet = json_array_get(json_object_get(root, "tables"), 0);
    assert_int_equal(json_array_size(json_object_get(sheet, "seed_list")), 3);
    json_decref(root);
    free(page);
    free(text);
    w->sheet.seeds = 1;
    text = written(w, ni_report_markdown);
    assert_has(text, "Seed 11.\n\n");
    free(text);
}

static void a_column_with_nothing_to_show_is_left_out(void **state)
{
    world *w = *state;
    w->sheet.protocol = "clean";
    for (size_t i = 0; i < ROWS; i++) {
        ni_entry *e = &w->entry[i * COLUMNS + 1];
        e->seeds = 0;
        for (int v = 0; v < NI_VALUES; v++) e->mean[v] = NAN;
        for (size_t j = 0; j < COLUMNS; j++) w->entry[i * COLUMNS + j].paper[0] = NAN;
    }
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_lacks(page, "<th scope=\"col\">55 %</th>");
    assert_has(page, "colspan=\"2\"><span>training edges");
    assert_has(text, "| method | 15 % | 95 % |\n|:--|--:|--:|\n| gap | ");
    free(page);
    free(text);
}

static void a_text_system_without_texts_says_why_it_was_not_run(void **state)
{
    static const ni_paper_graph silent = { .name = "toy", .title = "Toy", .no_text = "nobody wrote" };
    world *w = *state;
    for (size_t j = 0; j < COLUMNS; j++) w->table.column[j].graph = &silent;
    w->row[DEEPWALK].method = "text";
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<span>Not run: nobody wrote, only [the paper\u2019s numbers]</span>");
    assert_has(text, "| *deepwalk, published; not run: nobody wrote* | [56.3] |");
    free(page);
    free(text);
}

static void a_text_system_below_the_cosine_of_texts_is_named(void **state)
{
    world *w = *state;
    w->row[PPR] = (ni_condition){ .label = "text", .method = "text" };
    w->row[DEEPWALK] = (ni_condition){ .label = "cene", .method = "cene" };
    set(w, DEEPWALK, 0, 0.69, 3), set(w, DEEPWALK, 1, 0.9109, 3), set(w, DEEPWALK, 2, 0.8, 3);
    static const char said[] =
        "Reads text and is below text, the plain cosine of TF-IDF vectors: cene (15 %, 95 %).";
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, said);
    assert_has(text, said);
    free(page);
    free(text);
    set(w, DEEPWALK, 0, 0.71, 3), set(w, DEEPWALK, 2, 0.9, 3);
    page = html_of(w);
    assert_lacks(page, "Reads text");
    free(page);
}

static void parts_of_a_plan_tell_what_was_not_reached(void **state)
{
    world *w = *state;
    ni_study_part part[] = { { "the first part", 20, 0 }, { "the second part", 7, 3 }, { "empty", 0, 0 } };
    w->study.part = part, w->study.parts = 3;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<th scope=\"row\">the second part</th><td>4 of 7</td>");
    assert_has(text, "| the first part | 20 | 20 |\n| the second part | 4 | 7 |\n\n");
    free(page);
    free(text);
}

static void settings_of_systems_are_told_where_something_was_run_with_them(void **state)
{
    world *w = *state;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "Systems with settings of their own");
    assert_has(text, "| gap | paper, paper-clean | `");
    assert_lacks(text, "| goat | paper");
    free(text);
    free(page);
    w->study.plain = true;
    page = html_of(w);
    assert_lacks(page, "Systems with settings of their own");
    free(page);
}

static void in_a_leaky_sheet_only_who_sees_the_same_is_compared(void **state)
{
    world *w = *state;
    set(w, PPR, 0, 0.99, 3); /* more than GAP, with less to go by */
    assert_true(ni_is_best(&w->sheet, GAP, 0, 0));
    assert_false(ni_is_best(&w->sheet, PPR, 0, 0)); /* alone among those that see no test link */
    w->row[DEEPWALK].method = "pa";
    set(w, DEEPWALK, 0, 0.6, 3);
    assert_true(ni_is_best(&w->sheet, PPR, 0, 0));
    assert_false(ni_is_best(&w->sheet, DEEPWALK, 0, 0));
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, ">gap<span class=\"sees\">sees test links</span></th>");
    assert_int_equal(count_of(page, "class=\"sees\""), 2 + 1); /* and among the marks */
    assert_has(text, "| gap, untrained (sees test links) |");
    assert_has(text, "| ppr | **99.0**");
    free(page);
    free(text);
    w->sheet.protocol = "paper-clean";
    assert_false(ni_is_best(&w->sheet, GAP, 0, 0));
    text = written(w, ni_report_markdown);
    assert_lacks(text, "sees test");
    free(text);
}

static void alone_nobody_is_best(void **state)
{
    world *w = *state;
    w->sheet.rows = 1;
    assert_false(ni_is_best(&w->sheet, GAP, 0, 0));
}

static void of_times_the_shortest_is_best(void **state)
{
    world *w = *state;
    w->table.aim = NI_AIM_TIME, w->sheet.protocol = "";
    assert_false(ni_is_best(&w->sheet, GAP, 0, 0));
    assert_true(ni_is_best(&w->sheet, PPR, 0, 0));
}

static void settings_of_one_method_compete_along_their_row(void **state)
{
    world *w = *state;
    w->table.rows = ROWS;
    for (size_t j = 0; j < COLUMNS; j++) w->table.column[j].neighbors = 5 + 5 * (uint32_t)j;
    assert_true(ni_is_best(&w->sheet, GAP, 0, 0));
    assert_false(ni_is_best(&w->sheet, GAP, 1, 0));
    assert_true(ni_is_best(&w->sheet, PPR, 1, 0));
}

/* ---- the paper's numbers ---- */

static void the_papers_number_is_never_ours_and_never_bold(void **state)
{
    world *w = *state;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w);
    assert_has(page, "<span class=\"theirs\">[95.8] <span class=\"more\">+2.1</span></span>");
    assert_has(page, "<span class=\"theirs\">[95.8] <span class=\"less\">\u22124.7</span></span>");
    assert_lacks(page, "<strong>95.8");
    assert_lacks(page, ">56.3<"); /* only ever in brackets */
    assert_int_equal(count_of(page, "56.3"), count_of(page, "[56.3]"));
    assert_has(text, "| *gap, published* | [95.8] +2.1 | [95.8] \u22124.7 | [95.8] |");
    assert_has(text, "| *deepwalk, published; not in this version* | [56.3] | [56.3] | [56.3] |");
    assert_lacks(text, "**95.8");
    assert_lacks(text, "**[95.8");
    assert_has(page, "<span class=\"theirs\">[56.3]</span></td>"); /* no room for a difference */
    assert_true(number(result(root, GAP, 0), "paper", "auc") == 0.958);
    assert_true(json_is_null(json_object_get(result(root, PPR, 0), "paper")));
    json_decref(root);
    free(page);
    free(text);
}

static void whole_numbers_of_the_paper_stay_whole(void **state)
{
    world *w = *state;
    for (size_t j = 0; j < COLUMNS; j++) set_paper(w, GAP, j, 96), set_paper(w, DEEPWALK, j, 60);
    char *page = html_of(w);
    assert_has(page, "[96] <span class=\"more\">+1.9</span>");
    free(page);
}

static void published_gap_is_drawn_in_its_own_protocol_only(void **state)
{
    world *w = *state;
    char *page = html_of(w);
    assert_has(page, "GAP, published");
    free(page);
    w->sheet.protocol = "paper-clean";
    page = html_of(w);
    assert_lacks(page, "GAP, published");
    assert_has(page, "[95.8]");
    free(page);
}

/* ---- what was not run ---- */

static void a_cell_not_run_says_so(void **state)
{
    world *w = *state;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w), *cell = result(root, GAP, 2);
    assert_int_equal(count_of(page, "<span class=\"none\">not run</span>"), 1);
    assert_has(page, "Not in this version, only [the paper\u2019s numbers]");
    assert_lacks(page, "Not run, only");
    assert_has(text, " | not run |\n");
    assert_string_equal(json_string_value(json_object_get(cell, "state")), "not run");
    assert_true(json_is_null(json_object_get(json_object_get(cell, "auc"), "mean")));
    assert_true(json_is_null(json_object_get(cell, "seconds")));
    assert_string_equal(json_string_value(json_object_get(result(root, DEEPWALK, 0), "state")), "not run");
    json_decref(root);
    free(page);
    free(text);
}

static void rows_with_nothing_to_show_are_named(void **state)
{
    world *w = *state;
    w->sheet.protocol = "clean";
    for (size_t j = 0; j < COLUMNS; j++) set_paper(w, DEEPWALK, j, NAN), set_paper(w, GAP, j, NAN);
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<p class=\"note\">Not in this version: deepwalk.</p>");
    assert_has(text, "Not in this version: deepwalk.\n");
    assert_lacks(page, "class=\"theirs\">[9");
    free(page);
    free(text);
    w->row[DEEPWALK].method = "pa";
    page = html_of(w), text = written(w, ni_report_markdown);
    assert_has(page, "<p class=\"note\">Not run: deepwalk.</p>");
    assert_has(text, "Not run: deepwalk.\n");
    free(page);
    free(text);
}

static void a_method_that_was_not_run_is_told_from_one_that_is_not_there(void **state)
{
    world *w = *state;
    for (size_t j = 0; j < COLUMNS; j++) set(w, GAP, j, (double)NAN, 0);
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "Not run, only [the paper\u2019s numbers]");
    assert_has(page, "Not in this version, only [the paper\u2019s numbers]");
    assert_has(text, "| *gap, published; not run* | [95.8]");
    free(page);
    free(text);
}

static void a_table_with_nothing_run_is_one_line(void **state)
{
    world *w = *state;
    clear(w);
    set_paper(w, GAP, 0, 95.8);
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<li>Link prediction on Toy <small>not run</small></li>");
    assert_lacks(page, "link-toy-table");
    assert_lacks(page, "<svg");
    assert_lacks(page, "class=\"sheet");
    assert_has(text, "## Link prediction on Toy: not run\n");
    assert_lacks(text, "Protocol");
    json_t *root = json_of(w), *sheet = json_array_get(json_object_get(root, "tables"), 0);
    assert_string_equal(json_string_value(json_object_get(sheet, "state")), "not run");
    assert_int_equal(json_array_size(json_object_get(sheet, "results")), 0);
    json_decref(root);
    free(page);
    free(text);
}

static void a_protocol_with_nothing_run_is_one_line(void **state)
{
    world *w = *state;
    static ni_entry none[ROWS * COLUMNS];
    ni_sheet two[] = { w->sheet, w->sheet };
    two[1].protocol = "clean", two[1].entry = none;
    w->study.sheet = two, w->study.sheets = 2;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<p class=\"muted\">Protocol clean: not run.</p>");
    assert_int_equal(count_of(page, "<h2>Link prediction on Toy</h2>"), 1);
    assert_has(text, "Protocol clean: not run.\n");
    free(page);
    free(text);
}

static void fewer_seeds_than_asked_for_are_counted(void **state)
{
    world *w = *state;
    set(w, GAP, 0, 0.9786, 1);
    set(w, GAP, 1, 0.9111, 2);
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "97.9</strong><small class=\"dev\" title=\"1 of 3 seeds\">n=1</small>");
    assert_has(page, "title=\"2 of 3 seeds\">\u00b11.2 n=2</small>");
    assert_has(page, "Mean of up to 3 seeds.");
    assert_has(text, "97.9** (1 of 3 seeds)");
    free(page);
    free(text);
}

static void with_one_seed_there_is_no_deviation(void **state)
{
    world *w = *state;
    w->study.seeds = 1;
    for (size_t i = 0; i < DEEPWALK; i++)
        for (size_t j = 0; j < COLUMNS; j++) set(w, i, j, 0.5 + 0.01 * (double)(i + j), 1);
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_lacks(page, "class=\"dev\"");
    assert_lacks(page, "class=\"band\"");
    assert_lacks(page, "class=\"spread\"");
    assert_lacks(page, "\u00b1");
    assert_lacks(text, "\u00b1");
    assert_has(text, "| gap (sees test links) | 50.0 | 51.0 | 52.0 |");
    assert_has(page, "<dt>seeds</dt><dd>7</dd>");
    json_t *root = json_of(w), *auc = json_object_get(result(root, GAP, 0), "auc");
    assert_true(json_is_null(json_object_get(auc, "std")) && number(auc, "mean", NULL) == 0.5);
    json_decref(root);
    free(page);
    free(text);
}

static void a_value_that_the_protocol_has_not_is_no_number(void **state)
{
    world *w = *state;
    for (size_t j = 0; j < COLUMNS; j++)
        set(w, GAP, j, (double)NAN, 3), set(w, UNTRAINED, j, (double)NAN, 3);
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w);
    assert_int_equal(count_of(page, "<span class=\"none\">n/a</span>"), 6);
    assert_has(text, "| gap (sees test links) | n/a | n/a | n/a |");
    assert_lacks(page, "nan");
    assert_lacks(page, "not a number");
    assert_true(json_is_null(json_object_get(json_object_get(result(root, GAP, 0), "auc"), "mean")));
    json_decref(root);
    free(page);
    free(text);
}

/* ---- the leak ---- */

static void the_paper_protocol_is_called_leaky_and_says_why(void **state)
{
    world *w = *state;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w), *sheet = json_array_get(json_object_get(root, "tables"), 0);
    assert_has(page, "<h3>Protocol paper <span class=\"leaky\">leaky</span></h3>");
    assert_has(page, "neighbourhoods of the whole graph, test links included; methods that have no");
    assert_has(page, "<caption>AUC in per cent, protocol paper (leaky)</caption>");
    assert_has(page, "protocol paper (leaky)</title>"); /* of the chart */
    assert_has(text, "### Protocol paper (leaky)\n\nLeaky: ");
    assert_true(json_is_true(json_object_get(sheet, "leaky")));
    json_decref(root);
    free(page);
    free(text);
    w->sheet.protocol = "clean";
    page = html_of(w), text = written(w, ni_report_markdown);
    assert_lacks(text, "eaky");
    assert_int_equal(count_of(page, "class=\"leaky\""), 1); /* where the protocols are told */
    free(page);
    free(text);
}

static void the_summary_counts_what_the_tables_show(void **state)
{
    world *w = *state;
    w->row[UNTRAINED].self = true;
    char *page = html_of(w);
    assert_has(page, "24 of 27 asked for were run; the report has 640 measurements");
    assert_has(page,
               "GAP reaches the published number in 1 of 2 cells; a model without any training, "
               "which reads neighbourhoods as the authors\u2019 program does, already does so in 0 of 3.");
    assert_has(page, "<dt>seeds</dt><dd>7 to 9</dd>");
    free(page);
    w->sheet.protocol = "clean";
    page = html_of(w);
    assert_has(page, "In the clean protocol GAP is the best of the methods run in 2 of 2 cells of link "
                     "prediction, 1 of them tied, by the printed mean of 3 seeds.");
    assert_lacks(page, "reaches the published");
    free(page);
    uint64_t six[] = { 1, 2, 3, 11, 12, 13 }; /* of all protocols together */
    w->study.seed = six, w->study.seeds = 6;
    page = html_of(w);
    assert_has(page, "by the printed mean of 3 seeds.");
    free(page);
    w->entry[0].seeds = 1;
    page = html_of(w);
    assert_has(page, "by the printed mean of 1 to 3 seeds.");
    free(page);
    w->study.seed = w->seed, w->study.seeds = 3;
}

static void seeds_are_named_as_they_are(void **state)
{
    world *w = *state;
    w->seed[2] = 12;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w);
    assert_has(page, "<dt>seeds</dt><dd>7 to 8, 12</dd>");
    assert_has(text, "24 of 27 asked for were run; the report has 640 measurements. Seeds: 7 to 8, 12.");
    assert_true(json_integer_value(json_array_get(json_object_get(root, "seed_list"), 2)) == 12);
    assert_int_equal(number(root, "measurements", NULL), 640);
    json_decref(root);
    free(page);
    free(text);
}

static void what_the_numbers_are_not_is_said(void **state)
{
    char *page = html_of(*state), *text = written(*state, ni_report_markdown);
    static const char words[] =
        "Columns are not independent: a seed\u2019s splits are nested over the ratios, and test sets of "
        "different seeds overlap; \u00b1 is the deviation over seeds, not a confidence interval.";
    assert_has(page, words);
    assert_has(text, words);
    free(page);
    free(text);
}

/* ---- settings ---- */

static void set_option(const world *w, const char *name, const char *value)
{
    assert_int_equal(neap_options_set(w->settings[0], name, value, NULL), NEAP_OK);
}

static void settings_that_are_not_the_papers_are_told_in_its_protocols(void **state)
{
    world *w = *state;
    char words[NI_NOT_PAPERS];
    w->study.plain = true;
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_string_equal(words, "");
    set_option(w, "lr", "0.01");
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_string_equal(words, "Not the paper\u2019s settings of gap: lr 0.01 instead of 0.0001.");
    set_option(w, "lr", "3e-3"), set_option(w, "epochs", "30"), set_option(w, "batch", "512");
    w->study.plain = false;
    static const char all[] = "Not the paper\u2019s settings of gap: lr 0.003, 30 epochs and batch 512 "
                              "instead of 0.0001, 100 and 64. Settings were chosen on validation pairs of "
                              "another seed, by at most six tries a system, from presets that had been "
                              "shaped before (docs/evaluation.md, "
                              "\u201cSettings\u201d); the end of this report lists them.";
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, all);
    assert_has(text, all);
    free(page);
    free(text);
    w->sheet.protocol = "paper-clean";
    w->study.plain = true;
    w->row[DEEPWALK].method = "deepwalk";
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_lacks(words, "other systems");
    set(w, DEEPWALK, 0, 0.6, 3);
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_has(words, "and 64. The settings of the other systems");
    assert_has(words, "or with gap.");
    w->study.plain = false;
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_lacks(words, "other systems");
    w->sheet.protocol = "clean";
    w->study.plain = true;
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_string_equal(words, "");
    w->study.plain = false;
    w->row[DEEPWALK].method = "goat"; /* deepwalk, as gap, has a line in settings.def */
    ni_sheet_not_papers(&w->study, &w->sheet, words);
    assert_has(words, "On the preset neap, without settings of their own in this protocol: goat.");
}

/* ---- charts ---- */

static void a_chart_has_one_line_a_row_that_was_run(void **state)
{
    world *w = *state;
    char *page = html_of(w);
    assert_int_equal(count_of(page, "class=\"end-name\""),
                     2 * 4); /* three rows and the published one, twice */
    assert_has(page, ">gap, untrained</text>");
    assert_lacks(page, ">deepwalk</text>");
    assert_has(page, "A line is broken where a cell was not run;");
    free(page);
}

static void one_column_is_enough(void **state)
{
    world *w = *state;
    clear(w);
    w->table.columns = 1;
    set(w, GAP, 0, 0.9, 3);
    char *page = html_of(w);
    assert_has(page, "<title>gap, 15 %: 90.0 % \u00b1 1.2</title>");
    assert_has(page, "colspan=\"1\"");
    free(page);
    free(written(w, ni_report_markdown));
}

/* By chance AMI is around 0. */
static void a_row_below_zero_is_drawn_like_any_other(void **state)
{
    world *w = *state;
    w->table.aim = NI_AIM_CLUSTER;
    for (size_t j = 0; j < COLUMNS; j++) set(w, PPR, j, -0.01, 3);
    char *page = html_of(w);
    assert_int_equal(count_of(page, ">ppr</text>"), 2);
    free(page);
}

static void two_values_have_two_charts_and_two_tables(void **state)
{
    world *w = *state;
    w->table.aim = NI_AIM_CLUSTER;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_int_equal(count_of(page, "<svg role=\"img\" class=\"small\""), 2);
    assert_has(page, "<caption>NMI in per cent, ");
    assert_has(page, "<caption>AMI in per cent, ");
    assert_has(text, "**AMI in per cent**");
    free(page);
    free(text);
}

static void a_clustering_tells_its_nodes_and_width(void **state)
{
    world *w = *state;
    w->table.aim = NI_AIM_CLUSTER;
    w->entry[GAP].mean[NI_CLUSTER_NODES] = 885.3, w->entry[GAP].mean[NI_CLUSTER_GAMMA] = 0.02872;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    json_t *root = json_of(w), *cell = result(root, GAP, 0);
    assert_int_equal(count_of(page, "<span class=\"detail\">885 nodes, \u03b3 0.0287</span>"), 1);
    assert_has(text, "| *gap, clustered* | 885 nodes, \u03b3 0.0287 |");
    assert_true(number(cell, "nodes", NULL) == 885.3 && number(cell, "gamma", NULL) == 0.02872);
    assert_true(number(cell, "ari", "std") == 0.0123 && number(cell, "nmi", "mean") == 0.9786);
    json_decref(root);
    free(page);
    free(text);
}

static void times_are_drawn_against_edges(void **state)
{
    static const ni_paper_graph er = { .name = "er", .title = "ER", .generator = { .kind = "er" } };
    world *w = *state;
    clear(w);
    w->table.aim = NI_AIM_TIME, w->sheet.protocol = "";
    w->table.column[1].graph = w->table.column[2].graph = &er;
    for (size_t j = 0; j < COLUMNS; j++) {
        set(w, GAP, j, 0.25 * (double)(j + 1), 1);
        w->entry[j].mean[1] = 5000 * (double)(j + 1);
    }
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_has(page, "<title>real graphs, 15 %: 0.250 s</title>");
    assert_has(page, "<title>Erd\u0151s\u2013R\u00e9nyi, 55 %: 0.500 s</title>");
    assert_has(page, "<small>15,000 edges</small>");
    assert_lacks(page, "class=\"dev\"");
    assert_has(text, "| gap | 0.25 | 0.50 | 0.75 |");
    free(page);
    free(text);
}

static void more_lines_than_can_be_told_apart_are_left_to_the_table(void **state)
{
    enum { MANY = 20 };
    world *w = *state;
    static ni_condition row[MANY];
    static ni_entry entry[MANY * COLUMNS];
    for (size_t i = 0; i < MANY; i++) {
        row[i] = (ni_condition){ .label = "m", .method = i == 3 ? "gap" : "m" };
        for (size_t j = 0; j < COLUMNS; j++) {
            entry[i * COLUMNS + j] = w->entry[0];
            entry[i * COLUMNS + j].mean[0] = 0.9 - 0.01 * (double)i - (i == 3 ? 0.5 : 0);
        }
    }
    w->sheet.row = row, w->sheet.entry = entry, w->sheet.rows = MANY;
    char *page = html_of(w);
    assert_has(page, "8 more methods are in the table.");
    assert_int_equal(count_of(page, "class=\"line strong\""),
                     4); /* the worst of all, and drawn: line and name */
    free(page);
}

/* ---- for programs ---- */

static void json_has_every_value_of_every_cell(void **state)
{
    world *w = *state;
    set(w, GAP, 0, 1.0 / 3, 3);
    json_t *root = json_of(w), *cell = result(root, GAP, 0);
    assert_string_equal(json_string_value(json_object_get(root, "neap")), neap_version());
    assert_int_equal(number(root, "seeds", NULL), 3);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(root, "seed_list"), 0)), 7);
    assert_string_equal(json_string_value(json_object_get(cell, "method")), "gap");
    assert_string_equal(json_string_value(json_object_get(cell, "graph")), "toy");
    assert_true(number(cell, "ratio", NULL) == 15);
    assert_true(number(cell, "auc", "mean") == 1.0 / 3);
    assert_true(number(cell, "auc", "std") == 0.0123);
    assert_true(number(cell, "ap", NULL) == 1.0 / 3 && number(cell, "mrr", NULL) == 1.0 / 3);
    assert_true(number(cell, "hits", "50") == 1.0 / 3);
    assert_true(number(cell, "seconds", NULL) == 2.5);
    assert_true(json_is_true(json_object_get(result(root, UNTRAINED, 0), "untrained")));
    json_t *settings = json_object_get(root, "settings");
    assert_non_null(json_object_get(json_object_get(settings, "clean"), "dim"));
    json_decref(root);
}

static void reports_are_the_same_in_every_locale(void **state)
{
    world *w = *state;
    writer writers[] = { ni_report_json, ni_report_markdown, ni_report_html };
    for (int i = 0; i < 3; i++) {
        char *plain = written(w, writers[i]);
        setlocale(LC_ALL, "de_DE.UTF-8");
        char *german = written(w, writers[i]);
        setlocale(LC_ALL, "C");
        assert_string_equal(plain, german);
        free(plain);
        free(german);
    }
}

/* ---- the outside ---- */

static void names_are_text_and_never_markup(void **state)
{
    world *w = *state;
    const char *evil = "<script>alert('1')</script>|*x*\n\"&\xff";
    w->row[GAP].label = w->table.title = w->table.about = w->table.across = w->table.down = evil;
    w->table.name = w->table.column[0].label = evil;
    w->row[PPR].method = w->sheet.protocol = evil;
    char *page = html_of(w), *text = written(w, ni_report_markdown);
    assert_lacks(page, "<script");
    assert_lacks(text, "<script");
    assert_has(text, "&lt;script&gt;alert('1')&lt;/script&gt;\\|\\*x\\*\ufffd\"&amp;\ufffd");
    json_decref(json_of(w));
    free(page);
    free(text);
}

static void the_page_asks_nothing_of_anybody(void **state)
{
    char *page = html_of(*state);
    const char *never[] = {
        "<script", "<link", "http:", "https:", "url(", "@import", "src=", "javascript"
    };
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) assert_lacks(page, never[i]);
    assert_has(page, "content=\"default-src 'none'; style-src 'unsafe-inline'\"");
    free(page);
}

static void a_study_of_nothing_is_written(void **state)
{
    world *w = *state;
    w->study.sheets = 0, w->study.asked = w->study.missing = 0;
    free(html_of(w));
    free(written(w, ni_report_markdown));
    json_decref(json_of(w));
    w->study.sheets = 1, w->sheet.rows = 0, w->study.settings[0] = w->study.settings[1] = NULL;
    char *page = html_of(w);
    assert_has(page, "not run");
    free(page);
    json_decref(json_of(w));
}

static neap_status write_all(void *user, neap_error *err)
{
    static const writer writers[] = { ni_report_json, ni_report_markdown, ni_report_html };
    const world *w = user;
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < 3 && rc == NEAP_OK; i++) {
        ni_page page = { 0 };
        writers[i](&page, &w->study);
        rc = ni_page_save(&page, "report", err);
    }
    return rc;
}

static void expect_failure(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_true(rc == NEAP_E_IO || rc == NEAP_E_MEM);
    assert_true(err->text[0] != 0);
    assert_int_equal(scratch_count("."), 0); /* no temporary file */
}

static void a_failure_leaves_no_half_report(void **state)
{
    const faults_call calls[] = { FAULTS_MEMORY, FAULTS_HEAP,  FAULTS_OPEN,
                                  FAULTS_WRITE,  FAULTS_FSYNC, FAULTS_RENAME };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_true(faults_each(calls[i], ENOSPC, false, write_all, expect_failure, *state) > 0);
}

#define ON_WORLD(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_WORLD(the_best_of_a_column_is_bold_and_equals_are_both),
        ON_WORLD(in_a_leaky_sheet_only_who_sees_the_same_is_compared),
        ON_WORLD(alone_nobody_is_best),
        ON_WORLD(of_times_the_shortest_is_best),
        ON_WORLD(settings_of_one_method_compete_along_their_row),
        ON_WORLD(the_papers_number_is_never_ours_and_never_bold),
        ON_WORLD(whole_numbers_of_the_paper_stay_whole),
        ON_WORLD(published_gap_is_drawn_in_its_own_protocol_only),
        ON_WORLD(a_cell_not_run_says_so),
        ON_WORLD(rows_with_nothing_to_show_are_named),
        ON_WORLD(a_method_that_was_not_run_is_told_from_one_that_is_not_there),
        ON_WORLD(a_table_with_nothing_run_is_one_line),
        ON_WORLD(a_protocol_with_nothing_run_is_one_line),
        ON_WORLD(clean_links_have_a_table_of_ranks_among_all_nodes),
        ON_WORLD(a_cell_that_was_cut_short_is_marked),
        ON_WORLD(the_limit_that_cut_a_cell_is_the_cells_own),
        ON_WORLD(a_row_that_took_too_long_everywhere_is_not_called_not_run),
        ON_WORLD(ranks_for_which_there_was_no_time_are_told_from_undefined_ones),
        ON_WORLD(a_sheet_names_its_own_seeds),
        ON_WORLD(a_column_with_nothing_to_show_is_left_out),
        ON_WORLD(a_text_system_without_texts_says_why_it_was_not_run),
        ON_WORLD(a_text_system_below_the_cosine_of_texts_is_named),
        ON_WORLD(parts_of_a_plan_tell_what_was_not_reached),
        ON_WORLD(settings_of_systems_are_told_where_something_was_run_with_them),
        ON_WORLD(fewer_seeds_than_asked_for_are_counted),
        ON_WORLD(with_one_seed_there_is_no_deviation),
        ON_WORLD(a_value_that_the_protocol_has_not_is_no_number),
        ON_WORLD(the_paper_protocol_is_called_leaky_and_says_why),
        ON_WORLD(the_summary_counts_what_the_tables_show),
        ON_WORLD(seeds_are_named_as_they_are),
        ON_WORLD(what_the_numbers_are_not_is_said),
        ON_WORLD(settings_that_are_not_the_papers_are_told_in_its_protocols),
        ON_WORLD(a_chart_has_one_line_a_row_that_was_run),
        ON_WORLD(one_column_is_enough),
        ON_WORLD(a_row_below_zero_is_drawn_like_any_other),
        ON_WORLD(two_values_have_two_charts_and_two_tables),
        ON_WORLD(a_clustering_tells_its_nodes_and_width),
        ON_WORLD(times_are_drawn_against_edges),
        ON_WORLD(more_lines_than_can_be_told_apart_are_left_to_the_table),
        ON_WORLD(json_has_every_value_of_every_cell),
        ON_WORLD(reports_are_the_same_in_every_locale),
        ON_WORLD(names_are_text_and_never_markup),
        ON_WORLD(the_page_asks_nothing_of_anybody),
        ON_WORLD(a_study_of_nothing_is_written),
        ON_WORLD(a_failure_leaves_no_half_report),
    };
    faults_install();
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
