/* What a trained model answers: scores, ranks, vectors, reasons, and new nodes. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/trainer.h"
#include "settings.h"

enum { N = 50 };

static neap_graph *blocks(int undirected)
{
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = N, .blocks = 2, .p_in = 0.25, .p_out = 0.03, .seed = 4
    };
    neap_graph *g, *turned;
    neap_edge edges[N * N];
    uint64_t count = 0;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    for (uint32_t u = 0; u < N; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            edges[count++] = (neap_edge){ u, g->target[e], 1 };
    assert_int_equal(neap_graph_create(N, NULL, edges, count, 0, undirected, &turned, NULL), NEAP_OK);
    neap_graph_free(g);
    return turned;
}

static neap_model *of_preset(const char *preset, int undirected, const char *neighbors)
{
    neap_graph *g = blocks(undirected);
    neap_model *m =
        trained(g, options_of(preset, "method", "gap", "dim", "7", "epochs", "3", "lr", "0.02", "threads",
                              "2", "neighbors", neighbors, "undirected", undirected ? "yes" : "no", NULL));
    neap_graph_free(g);
    return m;
}

static float score(const neap_model *m, uint32_t s, uint32_t t)
{
    neap_pair pair = { s, t };
    float x;
    assert_int_equal(neap_model_score(m, &pair, 1, &x, NULL), NEAP_OK);
    return x;
}

static const struct kind {
    const char *preset, *neighbors;
    int undirected;
} kinds[] = { { "neap", "100", 0 },
              { "neap", "6", 1 },
              { "paper", "10", 0 },
              { "paper", "5", 1 },
              { "authors", "9", 0 } };

enum { KINDS = sizeof kinds / sizeof *kinds };

static neap_model *of_kind(int i)
{
    return of_preset(kinds[i].preset, kinds[i].undirected, kinds[i].neighbors);
}

/* ---- ranks ---- */

static void ranking_all_agrees_with_scoring_each(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        neap_model *m = of_kind(i);
        for (uint32_t s = 0; s < N; s += 7) {
            neap_ranking *best;
            float largest = 0;
            assert_int_equal(neap_model_rank(m, s, N, 1, &best, NULL), NEAP_OK);
            assert_int_equal(best->count, N);
            for (size_t k = 0; k < N; k++) largest = fmaxf(largest, fabsf(best->score[k]));
            for (size_t k = 0; k < N; k++) {
                float alone = score(m, s, best->node[k]);
                assert_true(fabsf(best->score[k] - alone) <= 1e-5F * largest + 1e-12F);
                assert_true(k == 0 || best->score[k - 1] >= best->score[k]);
            }
            neap_ranking_free(best);
        }
        neap_model_free(m);
    }
}

static void vectors_beyond_the_range_of_numbers_are_refused(void **state)
{
    neap_model *m = of_kind(0);
    neap_query *q = query_of(m, 2);
    neap_pair pair = { 1, 2 };
    uint32_t node = 3;
    neap_error err;
    static float vectors[N * 7], others[7];
    float *E = ((ni_gap *)m->own)->E;
    neap_rank_spec by_cosine = {
        .size = sizeof by_cosine, .sources = &node, .source_count = 1, .k = 2, .by = NEAP_BY_COSINE
    };
    neap_ranking *best;
    (void)state;
    for (uint32_t i = 0; i < m->rows * m->dim; i++) E[i] *= 1e30F;
    assert_int_equal(neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, &err), NEAP_E_NUMERIC);
    assert_non_null(strstr(err.text, "not finite"));
    assert_int_equal(neap_query_vectors(q, &node, 1, NEAP_NONE, vectors, &err), NEAP_E_NUMERIC);
    assert_int_equal(neap_query_vectors(q, NULL, 0, 4, vectors, &err), NEAP_E_NUMERIC);
    assert_int_equal(neap_query_pair_vectors(q, &pair, 1, vectors, others, &err), NEAP_E_NUMERIC);
    assert_int_equal(neap_query_rank(q, &by_cosine, &best, &err), NEAP_E_NUMERIC);
    neap_query_free(q);
    neap_model_free(m);
}

static void known_links_and_the_source_are_left_out_unless_asked_for(void **state)
{
    neap_model *m = of_kind(0);
    neap_ranking *best, *three;
    (void)state;
    assert_int_equal(neap_model_rank(m, 5, N, 0, &best, NULL), NEAP_OK);
    assert_int_equal(best->count, N - 1 - ni_degree(&m->links, 5));
    for (size_t k = 0; k < best->count; k++)
        assert_true(best->node[k] != 5 && !ni_linked(&m->links, 5, best->node[k]));
    assert_int_equal(neap_model_rank(m, 5, 3, 0, &three, NULL), NEAP_OK);
    assert_int_equal(three->count, 3);
    assert_memory_equal(best->node, three->node, 3 * sizeof *best->node);
    assert_memory_equal(best->score, three->score, 3 * sizeof *best->score);
    neap_ranking_free(best);
    neap_ranking_free(three);
    assert_int_equal(neap_model_rank(m, N, 3, 0, &three, NULL), NEAP_E_UNKNOWN);
    assert_null(three);
    neap_model_free(m);
}

/* ---- many readers ---- */

typedef struct reader {
    const neap_model *model;
    neap_query *query;
    float scores[N];
    neap_status rc;
} reader;

static void *score_all_of(void *arg)
{
    reader *r = arg;
    neap_pair pairs[N];
    for (uint32_t t = 0; t < N; t++) pairs[t] = (neap_pair){ 1, t };
    r->rc = NEAP_OK;
    for (int i = 0; i < 40 && r->rc == NEAP_OK; i++) {
        neap_scores *by_query = NULL;
        r->rc = neap_model_score(r->model, pairs, N, r->scores, NULL);
        if (r->rc == NEAP_OK) r->rc = neap_query_score(r->query, pairs, N, &by_query, NULL);
        if (r->rc == NEAP_OK && memcmp(by_query->score, r->scores, sizeof r->scores))
            r->rc = NEAP_E_MISMATCH;
        neap_scores_free(by_query);
    }
    return NULL;
}

/* Each makes queries of its own: one for every call, and one that it keeps. */
static void one_model_may_be_asked_by_many_threads_at_once(void **state)
{
    neap_model *m = of_kind(0);
    enum { READERS = 4 };
    pthread_t thread[READERS];
    reader readers[READERS];
    (void)state;
    for (int i = 0; i < READERS; i++) {
        readers[i].model = m;
        readers[i].query = query_of(m, 3);
        assert_int_equal(pthread_create(&thread[i], NULL, score_all_of, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(readers[i].rc, NEAP_OK);
        assert_memory_equal(readers[i].scores, readers[0].scores, sizeof readers[0].scores);
        neap_query_free(readers[i].query);
    }
    neap_model_free(m);
}

/* Each table is finite, their products are not. */
static void scores_beyond_the_range_of_numbers_are_refused(void **state)
{
    neap_model *m = of_kind(0);
    neap_pair pair = { 1, 2 };
    neap_ranking *best;
    float x, *E = ((ni_gap *)m->own)->E;
    neap_explanation *why;
    (void)state;
    for (uint32_t i = 0; i < m->rows * m->dim; i++) E[i] *= 1e30F;
    assert_int_equal(neap_model_score(m, &pair, 1, &x, NULL), NEAP_E_NUMERIC);
    assert_int_equal(neap_model_rank(m, 1, 3, 0, &best, NULL), NEAP_E_NUMERIC);
    assert_null(best);
    assert_int_equal(neap_model_explain(m, 1, 2, &why, NULL), NEAP_E_NUMERIC);
    assert_null(why);
    neap_model_free(m);
}

/* ---- reasons ---- */

static void check_side(const neap_reasons *r, float score_of_pair)
{
    double weights = 0, contributions = (double)r->rest_contribution;
    assert_int_equal(r->size, sizeof *r);
    for (uint32_t i = 0; i < r->count; i++) {
        assert_true(i == 0 || r->weight[i - 1] >= r->weight[i]);
        weights += (double)r->weight[i];
        contributions += (double)r->contribution[i];
    }
    assert_true(fabs(weights - 1) < 1e-5);
    assert_true(fabs(contributions - (double)score_of_pair) < 1e-5 * (1 + fabs((double)score_of_pair)));
}

static void attention_sums_to_one_and_contributions_to_the_score(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        neap_model *m = of_kind(i);
        for (uint32_t s = 0; s < 10; s++) {
            neap_explanation *x;
            assert_int_equal(neap_model_explain(m, s, s + 20, &x, NULL), NEAP_OK);
            assert_true(fabsf(x->score - score(m, s, s + 20)) < 1e-5F * (1 + fabsf(x->score)));
            assert_int_equal(x->size, sizeof *x);
            assert_int_equal(x->by_source->count, ni_hood_size(&m->hood, s));
            check_side(x->by_source, x->score);
            check_side(x->by_target, x->score);
            neap_explanation_free(x);
        }
        neap_model_free(m);
    }
}

static void expect_partners(const neap_model *m)
{
    neap_explanation *x;
    assert_int_equal(neap_model_explain(m, 3, 30, &x, NULL), NEAP_OK);
    const neap_reasons *one = x->by_source, *two = x->by_target;
    assert_true(one->count > 1 && two->count > 1);
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t j = 0; j < two->count; j++) {
            float a = x->alignment[i * two->count + j];
            assert_true(a <= one->alignment[i] && a <= two->alignment[j]);
            if (one->partner[i] == two->node[j]) assert_true(a == one->alignment[i]);
            if (two->partner[j] == one->node[i]) assert_true(a == two->alignment[j]);
        }
    neap_explanation_free(x);
}

/* Neighbours in ascending order, and in another. */
static void a_partner_is_the_best_of_its_row_or_column(void **state)
{
    neap_graph *g = blocks(0);
    neap_model *ascending = of_kind(0),
               *ordered = trained(g, options_of("neap", "method", "gapcn", "dim", "8", NULL));
    (void)state;
    expect_partners(ascending);
    expect_partners(ordered);
    neap_model_free(ascending);
    neap_model_free(ordered);
    neap_graph_free(g);
}

/* ---- vectors ---- */

static void the_averaged_vector_is_the_mean_over_training_contexts(void **state)
{
    neap_edge edge[] = { { 0, 1, 1 }, { 2, 0, 1 }, { 3, 4, 1 }, { 4, 2, 1 }, { 1, 3, 1 } };
    neap_graph *g;
    float vectors[6 * 8], context[6 * 8];
    (void)state;
    assert_int_equal(neap_graph_create(6, NULL, edge, 5, 0, 0, &g, NULL), NEAP_OK);
    neap_model *m = trained(g, options_of("neap", "method", "gap", "dim", "8", "epochs", "0", NULL));
    neap_query *q = query_of(m, 1);
    const float *E = ((const ni_gap *)m->own)->E;
    assert_int_equal(neap_model_vectors(m, vectors, NULL), NEAP_OK);
    /* Node 1: target of (0, 1), source of (1, 3); node 5 has no context. */
    assert_int_equal(neap_query_vectors(q, NULL, 0, 3, context, NULL), NEAP_OK);
    neap_explanation *x;
    assert_int_equal(neap_model_explain(m, 0, 1, &x, NULL), NEAP_OK);
    for (int k = 0; k < 8; k++) {
        float as_target = 0;
        for (uint32_t j = 0; j < x->by_target->count; j++)
            as_target += x->by_target->weight[j] * E[x->by_target->node[j] * 8 + (uint32_t)k];
        assert_true(fabsf(vectors[8 + k] - (as_target + context[8 + k]) / 2) < 1e-6F);
        assert_true(vectors[5 * 8 + k] == 0);
    }
    neap_explanation_free(x);
    neap_query_free(q);
    neap_model_free(m);
    neap_graph_free(g);
}

/* ---- new nodes ---- */

static void a_new_node_with_known_neighbours_is_scored_without_training(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        neap_model *old = of_kind(i), *m;
        const char *names[] = { "newcomer", "3", "4", "stranger", "lost", "5" };
        neap_edge edge[] = { { 0, 1, 1 }, { 2, 0, 1 }, { 3, 4, 1 }, { 1, 2, 1 }, { 5, 0, 1 } };
        neap_graph *links;
        neap_extension report = NEAP_SIZED(neap_extension);
        uint32_t node;
        float before = score(old, 7, 20);
        assert_int_equal(neap_graph_create(6, names, edge, 5, 0, 0, &links, NULL), NEAP_OK);
        neap_data data = { .size = sizeof data, .graph = links };
        assert_int_equal(neap_model_extend(old, &data, &m, &report, NULL), NEAP_OK);
        assert_int_equal(report.added, 1);
        assert_int_equal(report.unreachable, 2); /* stranger and lost */
        assert_int_equal(report.ignored, 2);     /* stranger - lost, 3 - 4 */
        assert_int_equal(neap_graph_find(old->graph, "newcomer", &node, NULL), NEAP_E_UNKNOWN);
        assert_true(score(old, 7, 20) == before);
        neap_model_free(old); /* the new one shares its tensors */
        assert_int_equal(neap_graph_find(m->graph, "newcomer", &node, NULL), NEAP_OK);
        assert_int_equal(node, N);
        assert_true(score(m, 7, 20) == before);
        assert_true(score(m, node, 6) != 0 && score(m, 6, node) != 0);
        neap_ranking *best;
        assert_int_equal(neap_model_rank(m, node, N + 1, 0, &best, NULL), NEAP_OK);
        assert_int_equal(best->count, N - 3); /* neither itself nor 3, 4, 5 */
        neap_explanation *x;
        assert_int_equal(neap_model_explain(m, node, 6, &x, NULL), NEAP_OK);
        assert_int_equal(x->by_source->count, 3);
        neap_explanation_free(x);
        neap_ranking_free(best);
        neap_graph_free(links);
        neap_model_free(m);
    }
}

/* ---- what a method does not have ---- */

static void the_degree_product_scores_but_has_no_vectors_and_no_reasons(void **state)
{
    neap_graph *g = blocks(0);
    neap_model *m = trained(g, options_of("neap", "method", "pa", NULL));
    neap_error err;
    float x;
    neap_explanation *why;
    neap_ranking *best;
    (void)state;
    assert_true(score(m, 1, 2) == (float)(ni_degree(&m->links, 1) * ni_degree(&m->links, 2)));
    assert_int_equal(neap_model_vectors(m, &x, &err), NEAP_E_ARG);
    assert_int_equal(neap_model_explain(m, 1, 2, &why, &err), NEAP_E_ARG);
    assert_null(why);
    assert_int_equal(neap_model_rank(m, 0, 3, 0, &best, NULL), NEAP_OK);
    assert_int_equal(best->count, 3);
    neap_ranking_free(best);
    neap_model_free(m);
    neap_options *o = options_of("neap", "method", "gape", NULL);
    assert_int_equal(train_status(g, o, NULL, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "'gap'"));
    neap_options_free(o);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranking_all_agrees_with_scoring_each),
        cmocka_unit_test(one_model_may_be_asked_by_many_threads_at_once),
        cmocka_unit_test(scores_beyond_the_range_of_numbers_are_refused),
        cmocka_unit_test(vectors_beyond_the_range_of_numbers_are_refused),
        cmocka_unit_test(known_links_and_the_source_are_left_out_unless_asked_for),
        cmocka_unit_test(attention_sums_to_one_and_contributions_to_the_score),
        cmocka_unit_test(a_partner_is_the_best_of_its_row_or_column),
        cmocka_unit_test(the_averaged_vector_is_the_mean_over_training_contexts),
        cmocka_unit_test(a_new_node_with_known_neighbours_is_scored_without_training),
        cmocka_unit_test(the_degree_product_scores_but_has_no_vectors_and_no_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
