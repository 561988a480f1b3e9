#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "faults.h"
#include "paper/plan.h"
#include "paper/runner.h"
#include "paper/study.h"
#include "paper/words.h"
#include "scratch.h"
#include "world.h"

static ni_reproduction request(neap_options *paper, neap_options *clean)
{
    return (ni_reproduction){
        .data = "data", .folder = "out", .first_seed = 1, .seeds = 2, .paper = paper, .clean = clean
    };
}

static const ni_sheet *sheet_of(const ni_study *study, const char *table, const char *protocol)
{
    for (size_t i = 0; i < study->sheets; i++)
        if (!strcmp(study->sheet[i].table->name, table) && !strcmp(study->sheet[i].protocol, protocol))
            return &study->sheet[i];
    fail_msg("no sheet %s %s", table, protocol);
    return NULL;
}

/* An option of a cell. */
static double value_of(const ni_reproduction *r, const ni_cell *cell, const char *name)
{
    neap_options *o;
    assert_int_equal(ni_study_options(r, cell, &o, NULL), NEAP_OK);
    double value = ni_option_number(o, name);
    neap_options_free(o);
    return value;
}

static bool value_is(const ni_reproduction *r, const ni_cell *cell, const char *name, const char *value)
{
    char text[64];
    neap_options *o;
    assert_int_equal(ni_study_options(r, cell, &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_get(o, name, text, sizeof text, NULL), NEAP_OK);
    neap_options_free(o);
    return !strcmp(text, value);
}

static size_t row_of(const ni_sheet *s, const char *method, bool untrained)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!strcmp(s->row[i].method, method) && s->row[i].untrained == untrained) return i;
    return SIZE_MAX;
}

/* ---- sheets ---- */

static void every_protocol_has_its_own_sheet(void **state)
{
    (void)state;
    ni_study study;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    assert_int_equal(study.sheets, 3 * (ni_table_count() - 1) + 1);
    for (size_t i = 0; i < ni_table_count(); i++)
        if (ni_table_at(i)->aim != NI_AIM_TIME) {
            sheet_of(&study, ni_table_at(i)->name, "paper");
            sheet_of(&study, ni_table_at(i)->name, "paper-clean");
            sheet_of(&study, ni_table_at(i)->name, "clean");
        }
    sheet_of(&study, "time", "");
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

static void a_published_number_stands_only_beside_its_own_protocol_and_method(void **state)
{
    (void)state;
    ni_study study;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    const ni_sheet *leaky = sheet_of(&study, "link-cora", "paper");
    const ni_sheet *honest = sheet_of(&study, "link-cora", "clean");
    size_t gap = row_of(leaky, "gap", false), untrained = row_of(leaky, "gap", true);
    size_t walk = row_of(leaky, "walk3", false), dmte = row_of(leaky, "dmte", false);
    assert_true(leaky->entry[gap * 9 + 4].paper[0] == 97.6);
    assert_true(leaky->entry[dmte * 9 + 8].paper[0] == 98.8);
    assert_true(isnan(leaky->entry[untrained * 9 + 4].paper[0]));
    assert_true(isnan(leaky->entry[walk * 9 + 4].paper[0]));
    assert_true(isnan(honest->entry[row_of(honest, "gap", false) * 9 + 4].paper[0]));
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

static void the_tables_are_as_wide_as_the_papers(void **state)
{
    (void)state;
    const char *method;
    for (size_t i = 0; i < ni_table_count(); i++) {
        const ni_table *t = ni_table_at(i);
        for (size_t k = 0; (method = ni_published_method(t, k)); k++)
            for (size_t v = 0; v < ni_aim_info_of(t->aim)->shown; v++)
                for (size_t column = 0; column < NI_COLUMNS; column++) {
                    double x = ni_published(t, method, v, column);
                    assert_int_equal(!isnan(x), column < t->columns);
                    if (!isnan(x)) assert_true(x > 20 && x < 100);
                }
    }
}

/* Another file may have been given than the paper's: its counts of nodes and edges are not ours to tell. */
static void the_texts_count_nothing_in_a_graph(void **state)
{
    (void)state;
    static const char *const counted[] = { " papers with", " people,", " citations", "(42)", " loops" };
    for (size_t i = 0; i < ni_table_count(); i++)
        for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
            assert_null(strstr(ni_table_at(i)->about, counted[k]));
}

static void only_what_was_asked_for_is_asked_for(void **state)
{
    (void)state;
    ni_study study;
    ni_cell cell;
    const char *tables[] = { "link-email", NULL }, *methods[] = { "gap", "pa", NULL };
    const char *protocols[] = { "clean", NULL };
    const double ratios[] = { 0.55 };
    size_t asked = 0, others = 0;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    r.tables = tables, r.methods = methods, r.protocols = protocols, r.ratios = ratios, r.ratio_count = 1;
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    for (size_t i = 0; i < study.sheets; i++)
        for (size_t row = 0; row < study.sheet[i].rows; row++)
            for (size_t column = 0; column < study.sheet[i].table->columns; column++)
                for (uint64_t seed = 0; seed < 4; seed++) {
                    if (!ni_sheet_cell(&study.sheet[i], row, column, seed, &cell)) continue;
                    bool is = ni_study_part_of(&r, &study.sheet[i], &cell) >= 0;
                    asked += is, others += !is;
                }
    assert_int_equal(asked, 3 * 2); /* gap, its untrained twin and pa; seeds 1 and 2 */
    assert_true(others > 1000);
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

static void a_request_for_nothing_is_refused_with_the_choices(void **state)
{
    (void)state;
    ni_study study;
    neap_error err = { 0 };
    const char *cora[] = { "link-cora", NULL }, *email[] = { "cluster-email", NULL };
    const char *clock[] = { "time", NULL }, *pa[] = { "pa", NULL };
    const double ratios[] = { 0.2 };
    neap_options *o = options_of("neap", NULL);
    ni_reproduction r = request(o, o);
    r.tables = cora, r.ratios = ratios, r.ratio_count = 1;
    assert_int_equal(ni_study_create(&r, &study, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "the ratios of link-cora are 15, 25, 35, 45, 55, 65, 75, 85, 95"));
    r.tables = email, r.ratio_count = 0, r.methods = pa;
    assert_int_equal(ni_study_create(&r, &study, &err), NEAP_E_ARG);
    assert_non_null(
        strstr(err.text, "the ratios of cluster-email are 25, 55, 75, 95, its methods are gap"));
    r.tables = clock;
    assert_int_equal(ni_study_create(&r, &study, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "the methods of time are gap"));
    neap_options_free(o);
}

static void seeds_are_ascending_and_each_is_there_once(void **state)
{
    (void)state;
    ni_study study;
    static const uint64_t more[] = { 7, 2, 5, 7, 0 }, all[] = { 0, 1, 2, 5, 7 };
    neap_options *o = options_of("neap", NULL);
    ni_reproduction r = request(o, o);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    for (size_t i = 0; i < 5; i++) assert_int_equal(ni_study_add_seed(&study, more[i], NULL), NEAP_OK);
    assert_int_equal(study.seeds, 5);
    assert_memory_equal(study.seed, all, sizeof all);
    ni_study_free(&study);
    neap_options_free(o);
}

static void the_papers_protocols_take_its_sizes_and_dropout_and_clean_takes_none(void **state)
{
    (void)state;
    ni_study study;
    ni_cell cell;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", "method", "gap", NULL);
    ni_reproduction r = request(paper, clean);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    const ni_sheet *leaky = sheet_of(&study, "link-zhihu", "paper");
    const ni_sheet *honest = sheet_of(&study, "link-zhihu", "clean");
    assert_true(ni_sheet_cell(leaky, row_of(leaky, "gap", false), 0, 2, &cell));
    assert_true(value_of(&r, &cell, "neighbors") == 250 && value_of(&r, &cell, "dropout") == 0.65);
    assert_true(cell.seed == 2 && value_of(&r, &cell, "seed") == 2);
    assert_true(ni_sheet_cell(honest, row_of(honest, "gap", false), 0, 1, &cell));
    assert_true(value_of(&r, &cell, "neighbors") == ni_option_number(clean, "neighbors"));
    assert_true(value_of(&r, &cell, "dropout") == ni_option_number(clean, "dropout"));
    assert_true(value_of(&r, &cell, "epochs") == ni_option_number(clean, "epochs"));
    assert_true(ni_sheet_cell(honest, row_of(honest, "gap", true), 0, 1, &cell));
    assert_true(value_of(&r, &cell, "epochs") == 0);
    const ni_sheet *sizes = sheet_of(&study, "sensitivity-link", "clean");
    assert_true(ni_sheet_cell(sizes, 0, 1, 1, &cell));
    assert_true(value_of(&r, &cell, "neighbors") == 10);
    const ni_sheet *clock = sheet_of(&study, "time", "");
    assert_true(ni_sheet_cell(clock, row_of(clock, "gap", false), 0, 1, &cell));
    assert_true(value_of(&r, &cell, "epochs") == 1 && value_of(&r, &cell, "valid") == 0);
    r.own_neighbors = r.own_dropout = true;
    assert_true(ni_sheet_cell(leaky, row_of(leaky, "gap", false), 0, 1, &cell));
    assert_true(value_of(&r, &cell, "neighbors") == ni_option_number(paper, "neighbors"));
    assert_true(value_of(&r, &cell, "dropout") == ni_option_number(paper, "dropout"));
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

static void settings_of_a_system_are_its_own_and_what_the_user_gives_goes_before_them(void **state)
{
    (void)state;
    ni_study study;
    ni_cell cell;
    static const char *const epochs[] = { "epochs", NULL };
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    const ni_sheet *s = sheet_of(&study, "link-cora", "paper-clean"), *clock = sheet_of(&study, "time", "");
    assert_true(ni_sheet_cell(s, row_of(s, "gap", false), 0, 1, &cell));
    double tuned = value_of(&r, &cell, "lr");
    assert_true(tuned != ni_option_number(paper, "lr"));
    r.plain = true;
    assert_true(value_of(&r, &cell, "lr") == ni_option_number(paper, "lr"));
    r.plain = false;
    assert_int_equal(neap_options_set(paper, "epochs", "3", NULL), NEAP_OK);
    r.given = epochs;
    assert_true(value_of(&r, &cell, "epochs") == 3 && value_of(&r, &cell, "lr") == tuned);
    assert_true(ni_sheet_cell(s, row_of(s, "deepwalk", false), 0, 1, &cell));
    assert_true(value_of(&r, &cell, "epochs") == 3 && value_of(&r, &cell, "lr") == 0.025);
    assert_true(ni_sheet_cell(clock, row_of(clock, "gap", false), 0, 1, &cell));
    assert_true(value_of(&r, &cell, "batch") == ni_option_number(paper, "batch"));
    neap_options *timed;
    char optimizer[32];
    assert_int_equal(ni_study_options(&r, &cell, &timed, NULL), NEAP_OK);
    assert_int_equal(neap_options_get(timed, "optimizer", optimizer, sizeof optimizer, NULL), NEAP_OK);
    assert_string_equal(optimizer, "lazy-adam");
    neap_options_free(timed);
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

/* Every line of settings.def gives its method options that it has, in their ranges. */
static void check_system(const ni_system_settings *system)
{
    const char *method = system->method, *protocols = system->protocols;
    assert_true(!*protocols || !strcmp(protocols, "paper") || !strcmp(protocols, "clean"));
    if (!neap_method_find(method)) return;
    for (const char *at = system->options; *at; at += strcspn(at, " "), at += *at == ' ') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
        if (!neap_method_has_option(method, name)) fail_msg("%s has no option %s", method, name);
    }
    neap_options *o = options_of("paper", "method", method, NULL);
    assert_int_equal(ni_tuned_apply(method, *protocols ? protocols : "clean", NULL, o, NULL), NEAP_OK);
    assert_int_equal(neap_options_check(o, NULL), NEAP_OK);
    neap_options_free(o);
}

static void the_settings_of_systems_are_options_that_they_have(void **state)
{
    (void)state;
    for (size_t i = 0; ni_tuned_at(i); i++) check_system(ni_tuned_at(i));
}

/* ---- the plan ---- */

typedef struct census {
    size_t part[32], all;
} census;

static census count_plan(const ni_reproduction *r, const ni_study *study)
{
    census n = { { 0 }, 0 };
    for (size_t i = 0; i < study->sheets; i++) {
        const ni_sheet *s = &study->sheet[i];
        for (size_t k = 0; k < s->rows * s->table->columns; k++)
            for (uint64_t seed = 0; seed < 20; seed++) {
                ni_cell c;
                if (!ni_sheet_cell(s, k / s->table->columns, k % s->table->columns, seed, &c)) continue;
                int part = ni_study_part_of(r, s, &c);
                if (part < 0) continue;
                n.part[part]++, n.all++;
                bool clean = !strcmp(c.protocol, "clean");
                assert_true(clean ? seed >= 11 && seed <= 13 : seed >= 1 && seed <= 3);
                assert_true(!clean || c.aim != NI_AIM_LINK || ni_is_variant(c.condition.method) ||
                            s->table->rows || lround(100 * c.condition.ratio) % 40 == 15);
                if (!strcmp(c.protocol, "paper")) assert_true(!strncmp(c.condition.method, "gap", 3));
            }
    }
    return n;
}

static void the_plan_has_the_cells_that_were_promised(void **state)
{
    (void)state;
    ni_study study;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    r.plan = true;
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    static const uint64_t seeds[] = { 1, 11, 12, 13 };
    assert_true(study.parts == ni_plan_parts() && study.parts <= 32 && study.seeds >= 4);
    for (size_t i = 0; i < 4; i++) {
        bool has = false;
        for (size_t k = 0; k < study.seeds; k++) has |= study.seed[k] == seeds[i];
        assert_true(has);
    }
    census n = count_plan(&r, &study);
    const ni_sheet *s = sheet_of(&study, "link-cora", "clean");
    size_t text = 0, others = 0;
    for (size_t i = 0; i < s->rows; i++) {
        const neap_method_info *m = neap_method_find(s->row[i].method);
        text += m && m->text, others += m && !m->text;
    }
    assert_int_equal(n.part[0], text * 3 * 3);
    assert_int_equal(n.part[1], (text + 3 * others) * 3);
    assert_int_equal(n.part[3], 2 * n.part[1]);
    assert_true(n.all > n.part[0] + n.part[1] + n.part[2] + n.part[3]);
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

static void the_ablation_has_two_kernels_and_the_papers_numbers_for_both(void **state)
{
    (void)state;
    ni_study study;
    ni_cell one, three, uniform;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    char a[NI_CELL_NAME], b[NI_CELL_NAME], c[NI_CELL_NAME];
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    const ni_sheet *s = sheet_of(&study, "ablation", "paper");
    assert_int_equal(s->rows, 7);
    assert_true(s->entry[0].paper[0] == 60 && s->entry[8].paper[0] == 54);
    assert_true(s->entry[4 * 8].paper[0] == 96 && isnan(s->entry[5 * 8].paper[0]));
    assert_true(ni_sheet_cell(s, 0, 0, 1, &one) && ni_sheet_cell(s, 1, 0, 1, &three));
    assert_true(value_of(&r, &one, "kernel") == 1 && value_of(&r, &three, "kernel") == 3);
    assert_true(value_of(&r, &one, "dropout") == 0.5 && value_of(&r, &three, "dropout") == 0.5);
    for (size_t row = 0; row < 5; row++) { /* as the table says: that of gap, on Email 0.8 */
        ni_cell email;
        assert_true(ni_sheet_cell(s, row, 4, 1, &email) && value_of(&r, &email, "dropout") == 0.8);
    }
    ni_cell_name(&one, a);
    ni_cell_name(&three, b);
    assert_true(ni_sheet_cell(s, 5, 0, 1, &uniform) && value_is(&r, &uniform, "attention", "uniform"));
    ni_cell_name(&uniform, c);
    assert_string_equal(c, "link-cora-paper-gap-uniform-25-1.json");
    assert_string_equal(a, "link-cora-paper-gapcn-k1-25-1.json");
    assert_string_equal(b, "link-cora-paper-gapcn-k3-25-1.json");
    const ni_sheet *link = sheet_of(&study, "link-cora", "paper");
    assert_int_equal(row_of(link, "gapcn", false), SIZE_MAX);
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

static void only_gap_is_shown_untrained(void **state)
{
    (void)state;
    ni_study study;
    neap_options *o = options_of("neap", NULL);
    ni_reproduction r = request(o, o);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    for (size_t k = 0; k < study.sheets; k++)
        for (size_t i = 0; i < study.sheet[k].rows; i++)
            assert_true(!study.sheet[k].row[i].untrained || !strcmp(study.sheet[k].row[i].method, "gap"));
    ni_study_free(&study);
    neap_options_free(o);
}

/* ---- texts ---- */

static void a_method_that_reads_text_has_cells_where_there_are_texts(void **state)
{
    (void)state;
    ni_study study;
    ni_cell cell;
    neap_options *o = options_of("neap", NULL);
    ni_reproduction r = request(o, o);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    const ni_sheet *cora = sheet_of(&study, "link-cora", "clean");
    assert_true(ni_sheet_cell(cora, row_of(cora, "text", false), 0, 1, &cell) && cell.reads_text);
    assert_true(ni_sheet_cell(cora, row_of(cora, "pa", false), 0, 1, &cell) && !cell.reads_text);
    static const char *const without[] = { "link-zhihu", "link-email", "cluster-email" };
    for (size_t i = 0; i < 3; i++)
        for (size_t row = 0; row < sheet_of(&study, without[i], "clean")->rows; row++) {
            const ni_sheet *s = sheet_of(&study, without[i], "clean");
            assert_true(!ni_sheet_cell(s, row, 0, 1, &cell) || !cell.reads_text);
            assert_true(strcmp(s->row[row].method, "text") != 0);
        }
    ni_study_free(&study);
    neap_options_free(o);
}

static void generated_texts_are_as_long_as_coras_and_repeat_themselves(void **state)
{
    (void)state;
    neap_graph *g;
    neap_text *text, *again;
    neap_text_facts facts = NEAP_SIZED(neap_text_facts), twice = NEAP_SIZED(neap_text_facts);
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 2000, .edges = 4000, .seed = 1 };
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    assert_int_equal(ni_words_make(g, &text, NULL), NEAP_OK);
    assert_int_equal(ni_words_make(g, &again, NULL), NEAP_OK);
    assert_int_equal(neap_text_facts_of(text, &facts, NULL), NEAP_OK);
    assert_int_equal(neap_text_facts_of(again, &twice, NULL), NEAP_OK);
    double mean = (double)facts.words / facts.nodes;
    assert_true(facts.with_text == 2000 && mean > 85 && mean < 95 && facts.longest <= 410);
    assert_true(facts.distinct > 8000 && facts.distinct <= 16000);
    assert_true(facts.words == twice.words && facts.distinct == twice.distinct);
    neap_text_free(text);
    neap_text_free(again);
    neap_graph_free(g);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const uint32_t seeds[] = { 0, 1001, UINT32_MAX };
    const char *unknown[] = { "nothing", NULL };
    ni_study study;
    neap_options *o = options_of("neap", NULL);
    ni_reproduction r = request(o, o);
    for (size_t i = 0; i < 3; i++) {
        r.seeds = seeds[i];
        assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_E_ARG);
    }
    r.seeds = 1000, r.tables = unknown;
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_E_ARG);
    r.tables = NULL, r.methods = unknown;
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_E_ARG);
    r.methods = NULL, r.protocols = unknown;
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_E_ARG);
    neap_options_free(o);
}

static void means_and_deviations_are_those_of_the_seeds(void **state)
{
    (void)state;
    ni_study study;
    neap_options *paper = options_of("paper", NULL), *clean = options_of("neap", NULL);
    ni_reproduction r = request(paper, clean);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    ni_outcome o = { .value = { 0.5, NAN, NAN, NAN, NAN, NAN }, .seconds = 1 };
    ni_study_add(&study.sheet[0], 0, 0, &o);
    o.value[0] = 0.8, o.seconds = 3;
    ni_study_add(&study.sheet[0], 0, 0, &o);
    ni_study_finish(&study);
    const ni_entry *e = study.sheet[0].entry;
    assert_int_equal(e->seeds, 2);
    assert_true(fabs(e->mean[0] - 0.65) < 1e-15 && fabs(e->std[0] - 0.3 / sqrt(2)) < 1e-15);
    assert_true(isnan(e->mean[1]) && e->seconds == 2);
    ni_study_free(&study);
    assert_int_equal(ni_study_create(&r, &study, NULL), NEAP_OK);
    ni_study_add(&study.sheet[0], 0, 0, &o);
    ni_study_finish(&study);
    e = study.sheet[0].entry;
    assert_true(e->mean[0] == 0.8 && isnan(e->std[0])); /* one seed does not deviate */
    assert_true(e[1].seeds == 0 && isnan(e[1].mean[0]) && isnan(e[1].seconds));
    ni_study_free(&study);
    neap_options_free(paper);
    neap_options_free(clean);
}

/* ---- cells on disk ---- */

static ni_cell some_cell(void)
{
    static const ni_paper_graph graph = { .name = "cora" };
    ni_cell c = { .aim = NI_AIM_LINK, .protocol = "clean", .seed = 7, .limit = -1 };
    c.condition = (ni_condition){ .method = "gap", .graph = &graph, .ratio = 0.55 };
    return c;
}

static void a_cell_is_read_back_to_the_last_bit(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome in = { .value = { 1.0 / 3, 0.1, NAN, 0, 1, 2.0 / 7 }, .seconds = 1e-9, .epochs = 12 }, out;
    bool found;
    char name[NI_CELL_NAME];
    ni_cell_name(&c, name);
    assert_string_equal(name, "link-cora-clean-gap-55-7.json");
    assert_int_equal(ni_cell_load(".", &c, "lr=1", &out, &found, NULL), NEAP_OK);
    assert_false(found);
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &in, NULL), NEAP_OK);
    assert_int_equal(ni_cell_load(".", &c, "lr=1", &out, &found, NULL), NEAP_OK);
    assert_true(found && out.epochs == 12 && out.seconds == 1e-9 && isnan(out.value[2]));
    for (size_t v = 0; v < NI_VALUES; v++)
        if (v != 2) assert_true(in.value[v] == out.value[v]);
}

static void names_of_cells_have_digits(void **state)
{
    (void)state;
    static const struct {
        double ratio;
        const char *name;
    } cases[] = { { 1, "link-cora-clean-gap-100-7.json" },
                  { 0.1, "link-cora-clean-gap-10-7.json" },
                  { 0.055, "link-cora-clean-gap-5.5-7.json" },
                  { 0.99999, "link-cora-clean-gap-99.999-7.json" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ni_cell c = some_cell();
        char name[NI_CELL_NAME];
        c.condition.ratio = cases[i].ratio;
        ni_cell_name(&c, name);
        assert_string_equal(name, cases[i].name);
    }
}

static void a_cell_of_other_settings_does_not_count(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome o = { .seconds = 1 };
    bool found;
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
    assert_int_equal(ni_cell_load(".", &c, "lr=2", &o, &found, NULL), NEAP_OK);
    assert_false(found);
    assert_int_equal(ni_cell_load(".", &c, "lr=1", &o, &found, NULL), NEAP_OK);
    assert_true(found);
    c.graph_hash = 1;
    assert_int_equal(ni_cell_load(".", &c, "lr=1", &o, &found, NULL), NEAP_OK);
    assert_false(found);
}

static void settings_are_all_that_a_method_reads(void **state)
{
    (void)state;
    char text[NI_CELL_SETTINGS], other[NI_CELL_SETTINGS];
    neap_options *o = options_of("neap", "method", "gap", NULL);
    neap_options *faster = options_of("neap", "method", "gap", "lr", "0.5", NULL);
    neap_options *threads = options_of("neap", "method", "gap", "threads", "7", NULL);
    neap_options *pa = options_of("neap", "method", "pa", NULL);
    neap_options *wider = options_of("neap", "method", "pa", "margin", "2", NULL);
    assert_int_equal(ni_cell_settings(o, text, NULL), NEAP_OK);
    assert_non_null(strstr(text, " lr=0.003 "));
    assert_int_equal(ni_cell_settings(faster, other, NULL), NEAP_OK);
    assert_non_null(strstr(other, " lr=0.5 "));
    assert_int_equal(ni_cell_settings(threads, other, NULL), NEAP_OK);
    assert_string_equal(text, other);
    assert_int_equal(ni_cell_settings(pa, text, NULL), NEAP_OK);
    assert_int_equal(ni_cell_settings(wider, other, NULL), NEAP_OK);
    assert_string_equal(text, other);
    neap_options_free(o);
    neap_options_free(faster);
    neap_options_free(threads);
    neap_options_free(pa);
    neap_options_free(wider);
}

static void an_option_that_came_later_keeps_a_cell_at_its_default_only(void **state)
{
    (void)state;
    assert_true(ni_cell_settings_agree("gap", "lr=1 dim=8", "dim=8 lr=1"));
    assert_true(ni_cell_settings_agree("gap", "lr=1e-3", "lr=0.001"));
    assert_true(ni_cell_settings_agree("gap", "dim=8", "dim=8 pooling=max"));
    assert_false(ni_cell_settings_agree("gap", "dim=8", "dim=8 pooling=mean"));
    assert_false(ni_cell_settings_agree("gap", "dim=8 gone=1", "dim=8"));
    assert_false(ni_cell_settings_agree("gap", "dim=8", "dim=16"));
    assert_false(ni_cell_settings_agree("gap", "dim=8", "dim=8 nosuch=1"));
    assert_false(ni_cell_settings_agree("gap", "", "dim"));
}

static void replace(const char *name, const char *from, const char *to)
{
    char bytes[4096], changed[4096];
    FILE *file = fopen(name, "r");
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size] = 0;
    char *at = strstr(bytes, from);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - bytes), bytes, to, at + strlen(from));
    scratch_put(name, changed, strlen(changed));
}

/* What an older build called degree is called degree-0.75 now, and degree is something else. */
static void a_cell_of_an_older_build_keeps_its_negatives(void **state)
{
    (void)state;
    const char old[] = "lr=1 negative-sampling=degree fresh-negatives=yes",
               *end = "negative-sampling=degree";
    const char today[] = "lr=1 negative-sampling=degree-0.75 fresh-negatives=yes";
    ni_cell c = some_cell();
    ni_outcome o = { .seconds = 1 };
    char name[NI_CELL_NAME];
    bool found;
    ni_cell_name(&c, name);
    assert_int_equal(ni_cell_save(".", &c, old, &o, NULL), NEAP_OK);
    assert_int_equal(ni_cell_load(".", &c, old, &o, &found, NULL), NEAP_OK);
    assert_true(found);
    assert_int_equal(ni_cell_load(".", &c, today, &o, &found, NULL), NEAP_OK);
    assert_false(found);
    replace(name, "\"format\": 2,", "");
    assert_int_equal(ni_cell_load(".", &c, old, &o, &found, NULL), NEAP_OK);
    assert_false(found);
    assert_int_equal(ni_cell_load(".", &c, today, &o, &found, NULL), NEAP_OK);
    assert_true(found);
    assert_int_equal(ni_cell_save(".", &c, end, &o, NULL), NEAP_OK);
    replace(name, "\"format\": 2,", "");
    assert_int_equal(ni_cell_load(".", &c, "negative-sampling=degree-0.75", &o, &found, NULL), NEAP_OK);
    assert_true(found);
}

static bool is_found(const ni_cell *c, ni_outcome *o)
{
    bool found;
    assert_int_equal(ni_cell_load(".", c, "lr=1", o, &found, NULL), NEAP_OK);
    return found;
}

static void a_cell_is_of_its_revision_not_of_a_version(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome o = { .value = { 0.5 }, .seconds = 1 };
    char name[NI_CELL_NAME];
    ni_cell_name(&c, name);
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
    replace(name, neap_version(), "0.0.1");
    assert_true(is_found(&c, &o));
    replace(name, "\"revision\": 1", "\"revision\": 2");
    assert_false(is_found(&c, &o));
}

static void a_value_that_is_measured_since_does_not_invalidate_a_cell(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome o = { .value = { 0.5, 0.25 }, .seconds = 1 };
    char name[NI_CELL_NAME];
    ni_cell_name(&c, name);
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
    replace(name, "\"mrr_all\"", "\"of_later\"");
    assert_true(is_found(&c, &o) && o.value[1] == 0.25 && isnan(o.value[NI_LINK_MRR_ALL]));
    replace(name, "\"auc\"", "\"of_later_too\"");
    assert_false(is_found(&c, &o));
}

static void texts_count_for_a_method_that_reads_them(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome o = { .value = { 0.5 }, .seconds = 1 };
    c.reads_text = true;
    c.text_hash = 7;
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
    assert_true(is_found(&c, &o));
    c.text_hash = 8;
    assert_false(is_found(&c, &o));
    c.text_hash = 0;
    assert_true(is_found(&c, &o));
}

/* A cell says nothing of features that it was made without. */
static void features_count_for_a_method_that_reads_them(void **state)
{
    (void)state;
    static const uint64_t hash[] = { 0, 9 };
    ni_cell c = some_cell();
    ni_outcome o = { .value = { 0.5 }, .seconds = 1 };
    c.reads_text = true;
    for (int i = 0; i < 2; i++) {
        c.text_hash = 7, c.features_hash = hash[i];
        assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
        assert_true(is_found(&c, &o));
        assert_true(o.text_hash == 7 && o.features_hash == hash[i]);
        c.features_hash = hash[1 - i];
        assert_false(is_found(&c, &o));
        c.text_hash = c.features_hash = 0;
        assert_true(is_found(&c, &o));
    }
}

static void a_cell_that_was_cut_is_run_again_where_it_may_take_longer(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    for (int how = 0; how < 3; how++) {
        ni_outcome o = { .value = { 0.5 },
                         .seconds = 1,
                         .cut = how == 0,
                         .late = how == 1,
                         .unranked = how == 2,
                         .limit = 600,
                         .epochs = 3 };
        assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
        static const double limit[] = { -1, 60, 600, 601, INFINITY };
        for (int i = 0; i < 5; i++) {
            ni_outcome got = { 0 };
            c.limit = limit[i];
            assert_int_equal(is_found(&c, &got), i < 3);
            assert_true(got.cut == o.cut && got.late == o.late && got.unranked == o.unranked);
            assert_true(got.limit == 600);
        }
    }
}

static void a_damaged_cell_is_made_again(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome o = { .value = { 0.5 }, .seconds = 1 };
    char name[NI_CELL_NAME], bytes[4096];
    bool found;
    ni_cell_name(&c, name);
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
    FILE *file = fopen(name, "r");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 0; cut + 2 < size; cut++) {
        file = fopen(name, "w");
        fwrite(bytes, 1, cut, file);
        fclose(file);
        assert_int_equal(ni_cell_load(".", &c, "lr=1", &o, &found, NULL), NEAP_OK);
        assert_false(found);
    }
    scratch_put(name, "\x1f\x8b no gzip data", 15);
    assert_int_equal(ni_cell_load(".", &c, "lr=1", &o, &found, NULL), NEAP_OK);
    assert_false(found);
}

static void a_cell_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    ni_cell c = some_cell();
    ni_outcome o;
    char name[NI_CELL_NAME];
    bool found;
    neap_error err = { 0 };
    ni_cell_name(&c, name);
    assert_int_equal(mkdir(name, 0777), 0);
    assert_int_equal(ni_cell_load(".", &c, "lr=1", &o, &found, &err), NEAP_E_READ);
    assert_int_equal(err.sys, EISDIR);
    assert_non_null(strstr(err.text, name));
}

/* ---- the index ---- */

static void an_index_knows_its_cells_and_their_seeds(void **state)
{
    (void)state;
    ni_cell_index index;
    ni_cell c = some_cell();
    ni_outcome o = { .seconds = 1 };
    uint64_t seed;
    assert_int_equal(ni_cell_index_read("nowhere", &index, NULL), NEAP_OK);
    assert_false(ni_cell_index_has(&index, &c));
    assert_int_equal(ni_cell_save(".", &c, "lr=1", &o, NULL), NEAP_OK);
    scratch_put("a.json", "x", 1);
    scratch_put("b-1x.json", "x", 1);
    scratch_put("link-cora-clean-gap-55-8", "x", 1);
    assert_int_equal(ni_cell_index_read(".", &index, NULL), NEAP_OK);
    assert_int_equal(index.count, 3);
    assert_true(ni_cell_index_has(&index, &c));
    assert_false(ni_cell_index_seed(&index, 0, &seed) || ni_cell_index_seed(&index, 1, &seed));
    assert_true(ni_cell_index_seed(&index, 2, &seed) && seed == 7);
    c.seed = 8;
    assert_false(ni_cell_index_has(&index, &c));
    ni_cell_index_free(&index);
    assert_int_equal(ni_cell_index_read("a.json", &index, NULL), NEAP_E_READ);
}

/* ---- the system says no ---- */

static const char *const kept[] = { "out/cells/link-cora-clean-pa-55-1.json",
                                    "out/cells/link-cora-clean-pa-55-2.json",
                                    "out/results.json",
                                    "out/results.md",
                                    "out/report.html",
                                    "out/cells",
                                    "out",
                                    "data/cora/graph.txt",
                                    "data/cora",
                                    "data" };

static int enter(void **state)
{
    int rc = scratch_enter(state);
    if (rc || mkdir("data", 0777) || mkdir("data/cora", 0777)) return -1;
    char text[1024] = "";
    for (int i = 0; i < 40; i++) sprintf(text + strlen(text), "n%d n%d\n", i % 11, (3 * i + 1) % 13);
    scratch_put("data/cora/graph.txt", text, strlen(text));
    return 0;
}

static int leave(void **state)
{
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) remove(kept[i]);
    return scratch_leave(state);
}

/* One cell from nothing. */
static neap_status run_cell(void *user, neap_error *err)
{
    static const char *const tables[] = { "link-cora", NULL }, *const methods[] = { "pa", NULL },
                             *const protocols[] = { "clean", NULL };
    static const double ratios[] = { 0.55 };
    ni_reproduction r = *(const ni_reproduction *)user;
    r.tables = tables, r.methods = methods, r.protocols = protocols, r.ratios = ratios, r.ratio_count = 1;
    for (size_t i = 0; strcmp(kept[i], "data/cora/graph.txt"); i++) remove(kept[i]);
    return ni_reproduce(&r, NULL, err);
}

static void expect_told(void *user, neap_status rc, const neap_error *err)
{
    (void)user;
    assert_true((rc == NEAP_E_IO || rc == NEAP_E_READ) && err->code == rc && err->sys == EIO &&
                err->text[0]);
}

static void every_failure_is_told_and_gives_everything_back(void **state)
{
    (void)state;
    neap_options *o = options_of("neap", "threads", "1", NULL);
    ni_reproduction r = request(o, o);
    r.seeds = 1;
    static const faults_call calls[] = { FAULTS_OPEN,  FAULTS_READ,   FAULTS_WRITE,
                                         FAULTS_FSYNC, FAULTS_RENAME, FAULTS_MKDIR };
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, run_cell, faults_expect_memory, &r) > 50);
    assert_true(faults_each(FAULTS_HEAP, ENOMEM, false, run_cell, faults_expect_memory, &r) > 50);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_true(faults_each(calls[i], EIO, false, run_cell, expect_told, &r) > 1);
    neap_options_free(o);
}

/* ---- reports ---- */

static void cells_of_two_graphs_are_never_one_row(void **state)
{
    (void)state;
    neap_options *o = options_of("neap", "threads", "1", NULL);
    ni_reproduction r = request(o, o);
    ni_reproduced got;
    neap_error err = { 0 };
    char hash[64];
    assert_int_equal(run_cell(&r, NULL), NEAP_OK);
    r.result = &got, r.report_only = true, r.data = NULL;
    assert_int_equal(ni_reproduce(&r, NULL, NULL), NEAP_OK);
    assert_int_equal(got.shown, 2);
    FILE *file = fopen(kept[1], "r");
    while (fgets(hash, sizeof hash, file) && !strstr(hash, "\"graph\"")) continue;
    fclose(file);
    replace(kept[1], hash, "\"graph\": \"0123456789abcdef\",\n");
    assert_int_equal(ni_reproduce(&r, NULL, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "cells of cora in out were made from two different graphs"));
    r.data = "data"; /* decides, though nothing is run */
    assert_int_equal(ni_reproduce(&r, NULL, NULL), NEAP_OK);
    assert_int_equal(got.shown, 1);
    neap_options_free(o);
}

/* ---- splits ---- */

/* What a cell of this method and share of validation pairs was measured on. */
static neap_trial_facts split_of(ni_runner *runner, const char *method, const char *valid)
{
    static const ni_paper_graph graph = { .name = "cora" };
    ni_cell c = { .aim = NI_AIM_LINK, .protocol = "clean", .seed = 1, .limit = -1 };
    c.condition = (ni_condition){ .method = method, .graph = &graph, .ratio = 0.85 };
    neap_options *o = options_of("neap", "method", method, "threads", "1", "epochs", "2", "seed", "1",
                                 "valid", valid, NULL);
    ni_outcome outcome;
    neap_trial_facts facts = NEAP_SIZED(neap_trial_facts);
    assert_int_equal(ni_runner_measure(runner, &c, o, NULL, &outcome, NULL), NEAP_OK);
    assert_int_equal(neap_trial_facts_of(runner->trial, &facts, NULL), NEAP_OK);
    neap_options_free(o);
    return facts;
}

static void a_cell_validates_on_its_own_share_whatever_was_run_before(void **state)
{
    (void)state;
    neap_options *reading = options_of("neap", NULL);
    ni_runner runner = { .data = "data", .reading = reading }, other = runner;
    neap_trial_facts alone = split_of(&other, "gap", "0.4");
    split_of(&runner, "pa", "0");
    assert_int_equal(split_of(&runner, "gap", "0.4").valid, alone.valid);
    const neap_trial *split = runner.trial;
    split_of(&runner, "pa", "0");
    assert_ptr_equal(runner.trial, split); /* who validates on nothing has any */
    assert_true(split_of(&runner, "gap", "0.1").valid < alone.valid);
    ni_runner_free(&runner);
    ni_runner_free(&other);
    neap_options_free(reading);
}

/* Spends the time of a cell before its ranks among all nodes, which come last. */
static int dawdle(const neap_progress *now, void *user)
{
    bool *done = user;
    if (strcmp(now->stage, "score") || 2 * now->done < now->total || *done) return 0;
    *done = true;
    nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
    return 0;
}

static void a_cell_without_time_for_ranks_among_all_nodes_says_so(void **state)
{
    (void)state;
    static const ni_paper_graph graph = { .name = "cora" };
    neap_options *o = options_of("neap", "method", "pa", "threads", "1", NULL);
    ni_runner runner = { .data = "data", .reading = o };
    ni_cell c = { .aim = NI_AIM_LINK, .protocol = "clean", .seed = 1, .limit = 1 };
    c.condition = (ni_condition){ .method = "pa", .graph = &graph, .ratio = 0.85 };
    bool done = true;
    neap_hooks hooks = { .size = sizeof hooks, .progress = dawdle, .user = &done };
    ni_outcome in_time, late;
    assert_int_equal(ni_runner_measure(&runner, &c, o, &hooks, &in_time, NULL), NEAP_OK);
    assert_true(!in_time.unranked && isfinite(in_time.value[NI_LINK_MRR_ALL]) && isnan(in_time.limit));
    done = false;
    assert_int_equal(ni_runner_measure(&runner, &c, o, &hooks, &late, NULL), NEAP_OK);
    assert_true(late.unranked && !late.cut && !late.late && late.limit == 1);
    assert_true(isnan(late.value[NI_LINK_MRR_ALL]) && late.value[0] == in_time.value[0]);
    ni_runner_free(&runner);
    neap_options_free(o);
}

static void a_folder_of_results_that_is_a_file_is_refused(void **state)
{
    (void)state;
    neap_options *o = options_of("neap", NULL);
    ni_reproduction r = request(o, o);
    neap_error err = { 0 };
    scratch_put("out", "x", 1);
    assert_int_equal(ni_reproduce(&r, NULL, &err), NEAP_E_IO);
    assert_non_null(strstr(err.text, "out is a file"));
    neap_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_protocol_has_its_own_sheet),
        cmocka_unit_test(a_published_number_stands_only_beside_its_own_protocol_and_method),
        cmocka_unit_test(the_tables_are_as_wide_as_the_papers),
        cmocka_unit_test(the_texts_count_nothing_in_a_graph),
        cmocka_unit_test(only_what_was_asked_for_is_asked_for),
        cmocka_unit_test(a_request_for_nothing_is_refused_with_the_choices),
        cmocka_unit_test(seeds_are_ascending_and_each_is_there_once),
        cmocka_unit_test(the_papers_protocols_take_its_sizes_and_dropout_and_clean_takes_none),
        cmocka_unit_test(settings_of_a_system_are_its_own_and_what_the_user_gives_goes_before_them),
        cmocka_unit_test(the_settings_of_systems_are_options_that_they_have),
        cmocka_unit_test(the_plan_has_the_cells_that_were_promised),
        cmocka_unit_test(the_ablation_has_two_kernels_and_the_papers_numbers_for_both),
        cmocka_unit_test(only_gap_is_shown_untrained),
        cmocka_unit_test(a_method_that_reads_text_has_cells_where_there_are_texts),
        cmocka_unit_test(generated_texts_are_as_long_as_coras_and_repeat_themselves),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(means_and_deviations_are_those_of_the_seeds),
        cmocka_unit_test_setup_teardown(a_cell_is_read_back_to_the_last_bit, scratch_enter, scratch_leave),
        cmocka_unit_test(names_of_cells_have_digits),
        cmocka_unit_test_setup_teardown(a_cell_of_other_settings_does_not_count, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_damaged_cell_is_made_again, scratch_enter, scratch_leave),
        cmocka_unit_test(a_cell_of_an_older_build_keeps_its_negatives),
        cmocka_unit_test(settings_are_all_that_a_method_reads),
        cmocka_unit_test(an_option_that_came_later_keeps_a_cell_at_its_default_only),
        cmocka_unit_test_setup_teardown(a_cell_is_of_its_revision_not_of_a_version, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_value_that_is_measured_since_does_not_invalidate_a_cell,
                                        scratch_enter, scratch_leave),
        cmocka_unit_test_setup_teardown(texts_count_for_a_method_that_reads_them, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(features_count_for_a_method_that_reads_them, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_cell_that_was_cut_is_run_again_where_it_may_take_longer,
                                        scratch_enter, scratch_leave),
        cmocka_unit_test_setup_teardown(a_cell_that_cannot_be_read_is_told, scratch_enter, scratch_leave),
        cmocka_unit_test_setup_teardown(an_index_knows_its_cells_and_their_seeds, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(every_failure_is_told_and_gives_everything_back, enter, leave),
        cmocka_unit_test_setup_teardown(cells_of_two_graphs_are_never_one_row, enter, leave),
        cmocka_unit_test_setup_teardown(a_cell_without_time_for_ranks_among_all_nodes_says_so, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(a_cell_validates_on_its_own_share_whatever_was_run_before, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(a_folder_of_results_that_is_a_file_is_refused, scratch_enter,
                                        scratch_leave),
    };
    faults_install();
    faults_skip_fsync();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
