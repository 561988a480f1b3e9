/* The answering context: it reads rows only through its provider, and a question costs what it asks for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/attention.h"
#include "base/rng.h"
#include "base/sys.h"
#include "settings.h"

enum { N = 300, D = 16, PAIRS = 40 };

/* A table that is lent by copy, and counts how often it was asked for. */
typedef struct copier {
    float *copy;
    int lent, all;
    bool fails;
} copier;

typedef struct world {
    const ni_settings *settings;
    neap_graph *graph;
    ni_links links;
    ni_hood hood;
    ni_threads *threads;
    float E[N * D], P[D * D];
    ni_row_table table;
    copier copier;
    ni_rows rows;
    ni_attention attention;
} world;

static neap_status lend_copy(void *self, const ni_batch *b, ni_rows_view *view, neap_error *err)
{
    world *w = self;
    (void)err;
    w->copier.lent++;
    if (w->copier.fails) return NEAP_E_IO;
    free(w->copier.copy);
    w->copier.copy = malloc(((size_t)b->rows + 1) * D * sizeof(float));
    for (uint32_t r = 0; r < b->rows; r++)
        memcpy(w->copier.copy + (size_t)r * D, w->E + (size_t)b->id[r] * D, D * sizeof(float));
    *view = (ni_rows_view){ w->copier.copy, NULL };
    return NEAP_OK;
}

static neap_status lend_all(void *self, const float **rows, neap_error *err)
{
    world *w = self;
    (void)err;
    w->copier.all++;
    *rows = w->E;
    return w->copier.fails ? NEAP_E_IO : NEAP_OK;
}

static void make_graph(world *w)
{
    neap_edge edges[4 * N];
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, 0);
    for (int i = 0; i < 4 * N; i++)
        edges[i] =
            (neap_edge){ (uint32_t)(ni_below(&rng, N) * ni_uniform(&rng)), (uint32_t)ni_below(&rng, N), 1 };
    assert_int_equal(neap_graph_create(N, NULL, edges, 4 * N, 0, 1, &w->graph, NULL), NEAP_OK);
}

/* lender 0: a table; 1: copies, and all rows; 2: copies alone. */
static world *world_of(int lender, uint32_t score)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(6, NI_STREAM_GRAPH, 0, 0);
    w->settings = settings_of(
        options_of("neap", "method", "gap", "dim", "16", "neighbors", "12", "alignment", "tanh", NULL));
    const ni_attention_options *own = w->settings->own;
    ni_hood_rule rule = { .neighbors = own->neighbors, .self = own->self, .seed = 1 };
    make_graph(w);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
    assert_int_equal(ni_hood_create(w->graph, &w->links, &rule, &w->hood, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(2, &w->threads, NULL), NEAP_OK);
    for (int i = 0; i < N * D; i++) w->E[i] = (float)ni_normal(&rng) * 0.4F;
    for (int i = 0; i < D * D; i++) w->P[i] = (float)ni_normal(&rng) * 0.3F;
    w->table.E = w->E;
    w->rows = lender == 0 ? ni_rows_of_table(&w->table, N)
                          : (ni_rows){ .self = w,
                                       .identity = NI_ROW_BY_ID,
                                       .ids = N,
                                       .lend = lend_copy,
                                       .all = lender == 1 ? lend_all : NULL };
    w->attention = (ni_attention){ .options = own,
                                   .seed = 1,
                                   .hood = &w->hood,
                                   .rows = &w->rows,
                                   .P = w->P,
                                   .dim = D,
                                   .threads = w->threads,
                                   .score = score,
                                   .both_orders = true };
    assert_int_equal(ni_attention_create(&w->attention, NULL), NEAP_OK);
    return w;
}

static void world_free(world *w)
{
    ni_attention_free(&w->attention);
    ni_threads_free(w->threads);
    ni_hood_free(&w->hood);
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    ni_settings_free(w->settings);
    free(w->copier.copy);
    free(w);
}

/* Everything that can be asked, as numbers. */
enum { ANSWERS = 3 * N + 2 * N * D };

static void ask(world *w, float *answers)
{
    ni_attention *a = &w->attention;
    neap_pair pairs[N];
    uint32_t some[PAIRS];
    neap_explanation *x;
    memset(answers, 0, ANSWERS * sizeof *answers);
    for (uint32_t i = 0; i < N; i++) pairs[i] = (neap_pair){ 7, i };
    for (uint32_t i = 0; i < PAIRS; i++) some[i] = 3 * i + 1;
    assert_int_equal(ni_attention_score(a, pairs, N, answers, NULL), NEAP_OK);
    assert_int_equal(ni_attention_score_all(a, 7, answers + N, NULL), NEAP_OK);
    assert_int_equal(ni_attention_score_some(a, 7, some, PAIRS, answers + 2 * N, NULL), NEAP_OK);
    for (uint32_t i = 0; i < PAIRS; i++)
        assert_memory_equal(&answers[2 * N + i], &answers[N + some[i]], sizeof *answers);
    assert_int_equal(ni_attention_explain(a, &w->links, 7, 20, &x, NULL), NEAP_OK);
    answers[2 * N + PAIRS] = x->score;
    neap_explanation_free(x);
    assert_int_equal(ni_attention_vectors(a, w->graph, answers + 3 * N, NULL), NEAP_OK);
    assert_int_equal(ni_attention_context_vectors(a, 7, answers + 3 * N + N * D, NULL), NEAP_OK);
}

static void answers_do_not_depend_on_how_rows_are_lent(void **state)
{
    float *one = malloc(ANSWERS * sizeof *one), *other = malloc(ANSWERS * sizeof *other);
    (void)state;
    world *w = world_of(0, NI_SCORE_DOT);
    ask(w, one);
    for (int i = 0; i < N; i++) assert_true(fabsf(one[N + i] - one[i]) < 1e-5F);
    world_free(w);
    w = world_of(1, NI_SCORE_DOT);
    ask(w, other);
    assert_memory_equal(one, other, ANSWERS * sizeof *one);
    assert_int_equal(w->copier.all, 1); /* once per context */
    ask(w, other);
    assert_int_equal(w->copier.all, 1);
    world_free(w);
    free(one);
    free(other);
}

/* Without a table of all rows pairs are scored one by one; cosines are ranked by products, without bounds.
 */
static void what_cannot_be_ranked_by_products_is_scored_pair_by_pair(void **state)
{
    float *answers = malloc(ANSWERS * sizeof *answers), least[N], most[N];
    (void)state;
    for (int cosine = 0; cosine < 2; cosine++) {
        world *w = world_of(cosine ? 1 : 2, cosine ? NI_SCORE_COSINE : NI_SCORE_DOT);
        bool bounded = true;
        ask(w, answers);
        for (int i = 0; i < N; i++) assert_true(fabsf(answers[N + i] - answers[i]) <= (cosine ? 1e-5F : 0));
        assert_int_equal(ni_attention_score_bounds(&w->attention, 7, least, most, &bounded, NULL), NEAP_OK);
        assert_false(bounded);
        assert_int_equal(w->copier.all, cosine);
        float largest = 0;
        for (int i = 0; i < N; i++) largest = fmaxf(largest, fabsf(answers[i]));
        if (cosine) assert_true(largest > 0.5F && largest <= 1.000001F);
        assert_true(fabsf(answers[2 * N + PAIRS] - answers[20]) < 1e-5F); /* explained as it is scored */
        world_free(w);
    }
    free(answers);
}

static void a_provider_that_fails_is_heard(void **state)
{
    float *out = malloc(ANSWERS * sizeof *out);
    (void)state;
    for (int lender = 1; lender <= 2; lender++) {
        world *w = world_of(lender, NI_SCORE_DOT);
        ni_attention *a = &w->attention;
        neap_pair pair = { 1, 2 };
        neap_explanation *x = (neap_explanation *)out;
        bool bounded;
        w->copier.fails = true;
        assert_int_equal(ni_attention_score(a, &pair, 1, out, NULL), NEAP_E_IO);
        assert_int_equal(ni_attention_score_all(a, 1, out, NULL), NEAP_E_IO);
        assert_int_equal(ni_attention_score_some(a, 1, &pair.target, 1, out, NULL), NEAP_E_IO);
        assert_int_equal(ni_attention_score_bounds(a, 1, out, out, &bounded, NULL),
                         lender == 1 ? NEAP_E_IO : NEAP_OK);
        assert_int_equal(ni_attention_vectors(a, w->graph, out, NULL), NEAP_E_IO);
        assert_int_equal(ni_attention_context_vectors(a, 1, out, NULL), NEAP_E_IO);
        assert_int_equal(ni_attention_explain(a, &w->links, 1, 2, &x, NULL), NEAP_E_IO);
        assert_null(x);
        world_free(w);
    }
    free(out);
}

static ni_sys real;
static int allocations;

static void *counted_allocate(size_t bytes)
{
    allocations++;
    return real.allocate(bytes);
}

static void *counted_resize(void *block, size_t bytes)
{
    allocations++;
    return real.resize(block, bytes);
}

/* What a pair needs has been made by the pair before. */
static void the_next_pair_costs_no_memory(void **state)
{
    world *w = world_of(0, NI_SCORE_DOT);
    neap_pair large = { 0, 1 }, small = { 200, 201 };
    float score;
    (void)state;
    assert_int_equal(ni_attention_score(&w->attention, &large, 1, &score, NULL), NEAP_OK);
    real = ni_system;
    ni_system.allocate = counted_allocate;
    ni_system.resize = counted_resize;
    neap_status rc = ni_attention_score(&w->attention, &small, 1, &score, NULL);
    ni_system = real;
    assert_int_equal(rc, NEAP_OK);
    assert_int_equal(allocations, 0);
    world_free(w);
}

/* Scratch memory grows with the longest sequence so far. */
static void a_wide_pair_after_a_narrow_one_scores_as_if_alone(void **state)
{
    world *w = world_of(0, NI_SCORE_DOT), *fresh = world_of(0, NI_SCORE_DOT);
    uint32_t narrow = 0, wide = 0;
    float score, alone;
    (void)state;
    for (uint32_t u = 1; u < N; u++) {
        uint32_t size = ni_hood_size(&w->hood, u);
        if (size && size < ni_hood_size(&w->hood, narrow)) narrow = u;
        if (size > ni_hood_size(&w->hood, wide)) wide = u;
    }
    assert_true(ni_hood_size(&w->hood, narrow) < 4 && ni_hood_size(&w->hood, wide) > 8);
    assert_int_equal(ni_attention_score(&w->attention, &(neap_pair){ narrow, narrow }, 1, &score, NULL),
                     NEAP_OK);
    assert_int_equal(ni_attention_score(&w->attention, &(neap_pair){ wide, wide }, 1, &score, NULL),
                     NEAP_OK);
    assert_int_equal(ni_attention_score(&fresh->attention, &(neap_pair){ wide, wide }, 1, &alone, NULL),
                     NEAP_OK);
    assert_true(score == alone && score != 0);
    world_free(w);
    world_free(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_do_not_depend_on_how_rows_are_lent),
        cmocka_unit_test(what_cannot_be_ranked_by_products_is_scored_pair_by_pair),
        cmocka_unit_test(a_provider_that_fails_is_heard),
        cmocka_unit_test(the_next_pair_costs_no_memory),
        cmocka_unit_test(a_wide_pair_after_a_narrow_one_scores_as_if_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
