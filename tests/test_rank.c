/* The best targets of a source are found from bounds of the scores, and are those that all scores give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/trainer.h"
#include "settings.h"

enum { N = 3000, K_MOST = 300 }; /* the last tile of rows is not a whole one */

static neap_graph *generated(const char *name, double mean, int undirected)
{
    neap_generator what = {
        .size = sizeof what, .kind = name, .nodes = N, .links = (uint32_t)mean, .seed = 5
    };
    neap_graph *g, *out;
    neap_error err;
    what.edges = (uint64_t)(mean * N);
    if (neap_graph_generate(&what, &g, &err)) fail_msg("%s", err.text);
    uint64_t count = 0;
    neap_edge *edges = malloc(g->offset[N] * sizeof *edges);
    for (uint32_t u = 0; u < N; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            edges[count++] = (neap_edge){ u, g->target[e], 1 };
    assert_int_equal(neap_graph_create(N, NULL, edges, count, 0, undirected, &out, NULL), NEAP_OK);
    free(edges);
    neap_graph_free(g);
    return out;
}

/* What a model has beside the paper: options sides, degrees, alignment, attention. */
enum { PLAIN, RECIPE, TABLES, UNIFORM, SCALED };
static const char *const forms[][4] = {
    [PLAIN] = { "1", "no", "tanh", "aligned" },    [RECIPE] = { "2", "yes", "scaled", "aligned" },
    [TABLES] = { "2", "no", "tanh", "aligned" },   [UNIFORM] = { "1", "yes", "tanh", "uniform" },
    [SCALED] = { "1", "no", "scaled", "aligned" },
};

static const struct kind {
    const char *preset, *graph, *dim, *neighbors, *epochs;
    double mean; /* edges a node */
    int undirected, form;
} kinds[] = {
    { "neap", "er", "16", "100", "0", 4, 0, PLAIN },
    { "neap", "er", "16", "100", "1", 4, 0, PLAIN },
    { "neap", "ba", "32", "12", "1", 4, 1, PLAIN },
    { "neap", "ba", "8", "200", "0", 3, 0, PLAIN }, /* hubs: a > d */
    { "paper", "er", "12", "40", "0", 2, 0, PLAIN },
    { "paper", "ba", "40", "10", "0", 6, 1, PLAIN },
    { "neap", "er", "16", "100", "0", 0.6, 1, PLAIN }, /* isolated nodes, many ties */
    { "authors", "er", "8", "5", "0", 2, 0, PLAIN },   /* no products: padding vectors */
    { "neap", "ba", "16", "12", "1", 3, 1, RECIPE },
    { "neap", "er", "8", "100", "1", 4, 0, TABLES },
    { "neap", "er", "8", "40", "1", 4, 0, UNIFORM },
    { "paper", "er", "8", "40", "1", 3, 1, SCALED },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static neap_model *of_kind(const struct kind *kind)
{
    neap_graph *g = generated(kind->graph, kind->mean, kind->undirected);
    const char *const *form = forms[kind->form];
    neap_model *m =
        trained(g, options_of(kind->preset, "method", "gap", "dim", kind->dim, "neighbors", kind->neighbors,
                              "epochs", kind->epochs, "valid", "0", "threads", "2", "undirected",
                              kind->undirected ? "yes" : "no", "sides", form[0], "degrees", form[1],
                              "alignment", form[2], "attention", form[3], NULL));
    neap_graph_free(g);
    return m;
}

static neap_model *models[KINDS];

static int make_models(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) models[i] = of_kind(&kinds[i]);
    return 0;
}

static int free_models(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) neap_model_free(models[i]);
    return 0;
}

static int best_first(const void *a, const void *b)
{
    const ni_ranked *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

/* What neap_query_rank promises, by sorting all scores. */
static size_t sorted(const neap_model *m, uint32_t source, const float *scores, int with_known,
                     ni_ranked *all)
{
    size_t count = 0;
    for (uint32_t t = 0; t < N; t++)
        if (with_known || (t != source && !ni_linked(&m->links, source, t)))
            all[count++] = (ni_ranked){ t, scores[t] };
    qsort(all, count, sizeof *all, best_first);
    return count;
}

static neap_status rank(neap_query *q, uint32_t source, size_t k, int with_known, neap_ranking **out)
{
    neap_rank_spec spec = {
        .size = sizeof spec, .sources = &source, .source_count = 1, .k = k, .with_known = with_known
    };
    return neap_query_rank(q, &spec, out, NULL);
}

static void check_source(const neap_model *m, uint32_t source)
{
    static const size_t lists[] = { 1, 10, 60, K_MOST };
    float *scores = malloc(N * sizeof *scores);
    ni_ranked *all = malloc(N * sizeof *all);
    neap_query *q = query_of(m, 2);
    assert_int_equal(m->method->score_all(q, source, scores, NULL), NEAP_OK);
    for (int with_known = 0; with_known < 2; with_known++) {
        size_t there = sorted(m, source, scores, with_known, all);
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
            neap_ranking *best;
            assert_int_equal(rank(q, source, lists[i], with_known, &best), NEAP_OK);
            assert_int_equal(best->count, lists[i] < there ? lists[i] : there);
            for (size_t k = 0; k < best->count; k++) {
                assert_int_equal(best->node[k], all[k].node);
                assert_memory_equal(&best->score[k], &all[k].score, sizeof *scores);
            }
            neap_ranking_free(best);
        }
    }
    neap_query_free(q);
    free(scores);
    free(all);
}

static uint32_t largest_hub(const neap_model *m)
{
    uint32_t hub = 0;
    for (uint32_t t = 1; t < N; t++)
        if (ni_hood_size(&m->hood, t) > ni_hood_size(&m->hood, hub)) hub = t;
    return hub;
}

static void the_best_are_those_of_all_scores(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        check_source(models[i], 3);
        check_source(models[i], largest_hub(models[i]));
    }
}

/* Bounds cannot tell equals apart: all nodes are scored then, and ties go by number. */
static void equal_nodes_are_ranked_by_number(void **state)
{
    neap_model *m = of_kind(&kinds[0]);
    (void)state;
    float *E = tensor_of(m, "E");
    for (uint64_t j = 1; j < m->rows; j++) memcpy(E + j * m->dim, E, m->dim * sizeof *E);
    check_source(m, 17);
    memset(E, 0, (uint64_t)m->rows * m->dim * sizeof *E);
    check_source(m, 17);
    neap_model_free(m);
}

static uint32_t candidates(const float *least, const float *most, size_t k)
{
    ni_ranked *lower = malloc(N * sizeof *lower);
    uint32_t count = 0;
    for (uint32_t t = 0; t < N; t++) lower[t] = (ni_ranked){ t, least[t] };
    qsort(lower, N, sizeof *lower, best_first);
    for (uint32_t t = 0; t < N; t++) count += most[t] >= lower[k - 1].score;
    free(lower);
    return count;
}

static void scale(neap_model *m, int power)
{
    float *E = tensor_of(m, "E");
    for (uint64_t j = 0; j < (uint64_t)m->rows * m->dim; j++) E[j] = ldexpf(E[j], power);
}

/* Scaled from 2^-60 to 2^20: from numbers that vanish to alignments that are all 1 or -1. */
static void bounds_hold_and_leave_few(void **state)
{
    float *scores = malloc(3 * N * sizeof *scores), *least = scores + N, *most = least + N;
    (void)state;
    for (int i = 0; i < KINDS; i++)
        for (int power = -60; power <= 20; power += 40) {
            neap_model *m = models[i];
            const ni_attention_options *own = m->settings->own;
            bool bounded;
            scale(m, power);
            neap_query *q = query_of(m, 2);
            assert_int_equal(m->method->score_bounds(q, 11, least, most, &bounded, NULL), NEAP_OK);
            uint32_t a = ni_hood_size(&m->hood, 11);
            bool like_paper =
                own->sides == NI_ONE_TABLE && !own->degrees && own->alignment == NI_ALIGN_TANH;
            assert_true(bounded == (a > 0 && a <= m->dim && own->padding != NI_PAD_VECTOR && like_paper));
            if (bounded) assert_int_equal(m->method->score_all(q, 11, scores, NULL), NEAP_OK);
            neap_query_free(q);
            scale(m, -power);
            for (uint32_t t = 0; t < N && bounded; t++)
                assert_true(least[t] <= scores[t] && scores[t] <= most[t]);
            if (i == 0 && power >= -20) assert_true(candidates(least, most, 10) < N / 50);
        }
    free(scores);
}

/* Targets with neighbours in the last tile of rows, targets without any, and none. */
static void some_scores_have_the_bits_of_all(void **state)
{
    enum { SOME = 40 };
    float *all = malloc(N * sizeof *all), some[SOME];
    uint32_t target[SOME];
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        const ni_method *method = models[i]->method;
        neap_query *q = query_of(models[i], 2);
        for (uint32_t j = 0; j < SOME; j++) target[j] = j % 2 ? N - 1 - j : j * 71;
        assert_int_equal(method->score_all(q, 8, all, NULL), NEAP_OK);
        for (uint32_t count = 0; count <= SOME; count += SOME / 4) {
            assert_int_equal(method->score_some(q, 8, target, count, some, NULL), NEAP_OK);
            for (uint32_t j = 0; j < count; j++)
                assert_memory_equal(&some[j], &all[target[j]], sizeof *some);
        }
        neap_query_free(q);
    }
    free(all);
}

static void assert_refused(const neap_model *m)
{
    neap_ranking *best = (neap_ranking *)&best;
    assert_int_equal(neap_model_rank(m, 17, 3, 0, &best, NULL), NEAP_E_NUMERIC);
    assert_null(best);
}

/* One overflowing score refuses the ranking, though it is nowhere near the best. */
static void a_score_that_is_not_finite_is_refused(void **state)
{
    neap_model *m = of_kind(&kinds[0]);
    float *E = tensor_of(m, "E");
    (void)state;
    uint32_t neighbour = m->hood.node[m->hood.offset[17]];
    E[(uint64_t)neighbour * m->dim] = 3e38F;
    E[(uint64_t)neighbour * m->dim + 1] = -3e38F;
    assert_refused(m);
    neap_model_free(m);
}

/* All alignments are minus infinity: their attention is no number, although every vector is finite. */
static void an_attention_that_is_no_number_is_refused(void **state)
{
    neap_model *m = of_kind(&kinds[0]);
    float *E = tensor_of(m, "E"), *P = tensor_of(m, "P");
    (void)state;
    for (uint64_t i = 0; i < (uint64_t)m->rows * m->dim; i++) E[i] = 1;
    for (uint64_t i = 0; i < (uint64_t)m->dim * m->dim; i++) P[i] = -3e38F;
    assert_refused(m);
    neap_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_are_those_of_all_scores),
        cmocka_unit_test(equal_nodes_are_ranked_by_number),
        cmocka_unit_test(bounds_hold_and_leave_few),
        cmocka_unit_test(some_scores_have_the_bits_of_all),
        cmocka_unit_test(a_score_that_is_not_finite_is_refused),
        cmocka_unit_test(an_attention_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, make_models, free_models);
}
