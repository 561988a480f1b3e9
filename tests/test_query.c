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

#include "model/model.h"

enum { N = 50 };

static neap_graph *blocks(int undirected)
{
    neap_generator what = {
        .kind = "sbm", .nodes = N, .blocks = 2, .p_in = 0.25, .p_out = 0.03, .seed = 4
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

static neap_model *trained(const char *preset, int undirected, const char *neighbors)
{
    neap_graph *g = blocks(undirected);
    neap_options *o;
    neap_model *m;
    assert_int_equal(neap_options_create(preset, &o, NULL), NEAP_OK);
    const char *const set[][2] = {
        { "dim", "7" },     { "epochs", "3" },          { "lr", "0.02" },
        { "threads", "2" }, { "neighbors", neighbors }, { "undirected", undirected ? "yes" : "no" }
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_int_equal(neap_options_set(o, set[i][0], set[i][1], NULL), NEAP_OK);
    neap_error err;
    if (neap_train(g, o, NULL, &m, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
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
    return trained(kinds[i].preset, kinds[i].undirected, kinds[i].neighbors);
}

/* ---- ranks ---- */

static void ranking_all_agrees_with_scoring_each(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        neap_model *m = of_kind(i);
        for (uint32_t s = 0; s < N; s += 7) {
            neap_ranked best[N];
            size_t count;
            float largest = 0;
            assert_int_equal(neap_model_rank(m, s, N, 1, best, &count, NULL), NEAP_OK);
            assert_int_equal(count, N);
            for (size_t k = 0; k < count; k++) largest = fmaxf(largest, fabsf(best[k].score));
            for (size_t k = 0; k < count; k++) {
                assert_true(fabsf(best[k].score - score(m, s, best[k].node)) <= 1e-5F * largest + 1e-12F);
                assert_true(k == 0 || best[k - 1].score >= best[k].score);
            }
        }
        neap_model_free(m);
    }
}

static void known_links_and_the_source_are_left_out_unless_asked_for(void **state)
{
    neap_model *m = of_kind(0);
    neap_ranked best[N], three[3];
    size_t count, few;
    (void)state;
    assert_int_equal(neap_model_rank(m, 5, N, 0, best, &count, NULL), NEAP_OK);
    assert_int_equal(count, N - 1 - ni_degree(&m->links, 5));
    for (size_t k = 0; k < count; k++)
        assert_true(best[k].node != 5 && !ni_linked(&m->links, 5, best[k].node));
    assert_int_equal(neap_model_rank(m, 5, 3, 0, three, &few, NULL), NEAP_OK);
    assert_int_equal(few, 3);
    assert_memory_equal(best, three, sizeof three);
    assert_int_equal(neap_model_rank(m, N, 3, 0, three, &few, NULL), NEAP_E_UNKNOWN);
    neap_model_free(m);
}

/* ---- many readers ---- */

typedef struct reader {
    const neap_model *model;
    float scores[N];
    neap_status rc;
} reader;

static void *score_all_of(void *arg)
{
    reader *r = arg;
    neap_pair pairs[N];
    for (uint32_t t = 0; t < N; t++) pairs[t] = (neap_pair){ 1, t };
    r->rc = NEAP_OK;
    for (int i = 0; i < 40 && r->rc == NEAP_OK; i++)
        r->rc = neap_model_score(r->model, pairs, N, r->scores, NULL);
    return NULL;
}

static void one_model_may_be_asked_by_many_threads_at_once(void **state)
{
    neap_model *m = of_kind(0);
    enum { READERS = 4 };
    pthread_t thread[READERS];
    reader readers[READERS];
    (void)state;
    assert_int_equal(neap_model_set_threads(m, 3, NULL), NEAP_OK);
    for (int i = 0; i < READERS; i++) {
        readers[i].model = m;
        assert_int_equal(pthread_create(&thread[i], NULL, score_all_of, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(readers[i].rc, NEAP_OK);
        assert_memory_equal(readers[i].scores, readers[0].scores, sizeof readers[0].scores);
    }
    neap_model_free(m);
}

/* Each table is finite, their products are not. */
static void scores_beyond_the_range_of_numbers_are_refused(void **state)
{
    neap_model *m = of_kind(0);
    neap_pair pair = { 1, 2 };
    neap_ranked best[3];
    size_t count;
    float x;
    neap_explanation *why;
    (void)state;
    for (uint32_t i = 0; i < m->rows * m->dim; i++) m->E[i] *= 1e30F;
    assert_int_equal(neap_model_score(m, &pair, 1, &x, NULL), NEAP_E_NUMERIC);
    assert_int_equal(neap_model_rank(m, 1, 3, 0, best, &count, NULL), NEAP_E_NUMERIC);
    assert_int_equal(neap_explain(m, 1, 2, &why, NULL), NEAP_E_NUMERIC);
    assert_null(why);
    neap_model_free(m);
}

/* ---- reasons ---- */

static void check_side(const neap_attention *side, uint32_t count, float score_of_pair)
{
    double weights = 0, contributions = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i == 0 || side[i - 1].weight >= side[i].weight);
        weights += (double)side[i].weight;
        contributions += (double)side[i].contribution;
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
            assert_int_equal(neap_explain(m, s, s + 20, &x, NULL), NEAP_OK);
            assert_true(fabsf(x->score - score(m, s, s + 20)) < 1e-5F * (1 + fabsf(x->score)));
            assert_int_equal(x->source_count, ni_hood_size(&m->hood, s));
            check_side(x->by_source, x->source_count, x->score);
            check_side(x->by_target, x->target_count, x->score);
            neap_explanation_free(x);
        }
        neap_model_free(m);
    }
}

static void a_partner_is_the_best_of_its_row_or_column(void **state)
{
    neap_model *m = of_kind(0);
    neap_explanation *x;
    (void)state;
    assert_int_equal(neap_explain(m, 3, 30, &x, NULL), NEAP_OK);
    assert_true(x->source_count > 1 && x->target_count > 1);
    for (uint32_t i = 0; i < x->source_count; i++)
        for (uint32_t j = 0; j < x->target_count; j++) {
            float a = x->alignment[i * x->target_count + j];
            assert_true(a <= x->by_source[i].alignment && a <= x->by_target[j].alignment);
            if (x->by_source[i].partner == x->by_target[j].node)
                assert_true(a == x->by_source[i].alignment);
            if (x->by_target[j].partner == x->by_source[i].node)
                assert_true(a == x->by_target[j].alignment);
        }
    neap_explanation_free(x);
    neap_model_free(m);
}

/* ---- vectors ---- */

static void the_averaged_vector_is_the_mean_over_training_contexts(void **state)
{
    neap_edge edge[] = { { 0, 1, 1 }, { 2, 0, 1 }, { 3, 4, 1 }, { 4, 2, 1 }, { 1, 3, 1 } };
    neap_graph *g;
    neap_options *o;
    neap_model *m;
    float vectors[6 * 8], context[6 * 8];
    (void)state;
    assert_int_equal(neap_graph_create(6, NULL, edge, 5, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_options_create("neap", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "dim", "8", NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "epochs", "0", NULL), NEAP_OK);
    assert_int_equal(neap_train(g, o, NULL, &m, NULL), NEAP_OK);
    assert_int_equal(neap_model_vectors(m, vectors, NULL), NEAP_OK);
    /* Node 1: target of (0, 1), source of (1, 3); node 5 has no context. */
    assert_int_equal(neap_model_context_vectors(m, 3, context, NULL), NEAP_OK);
    neap_explanation *x;
    assert_int_equal(neap_explain(m, 0, 1, &x, NULL), NEAP_OK);
    for (int k = 0; k < 8; k++) {
        float as_target = 0;
        for (uint32_t j = 0; j < x->target_count; j++)
            as_target += x->by_target[j].weight * m->E[x->by_target[j].node * 8 + (uint32_t)k];
        assert_true(fabsf(vectors[8 + k] - (as_target + context[8 + k]) / 2) < 1e-6F);
        assert_true(vectors[5 * 8 + k] == 0);
    }
    neap_explanation_free(x);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

/* ---- new nodes ---- */

static void a_new_node_with_known_neighbours_is_scored_without_training(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        neap_model *m = of_kind(i);
        const char *names[] = { "newcomer", "3", "4", "stranger", "lost", "5" };
        neap_edge edge[] = { { 0, 1, 1 }, { 2, 0, 1 }, { 3, 4, 1 }, { 1, 2, 1 }, { 5, 0, 1 } };
        neap_graph *links;
        neap_extension report;
        uint32_t node;
        float before = score(m, 7, 20);
        assert_int_equal(neap_graph_create(6, names, edge, 5, 0, 0, &links, NULL), NEAP_OK);
        assert_int_equal(neap_model_extend(m, links, &report, NULL), NEAP_OK);
        assert_int_equal(report.added, 1);
        assert_int_equal(report.unreachable, 2); /* stranger and lost */
        assert_int_equal(report.ignored, 2);     /* stranger - lost, 3 - 4 */
        assert_int_equal(neap_graph_find(m->graph, "newcomer", &node, NULL), NEAP_OK);
        assert_int_equal(node, N);
        assert_true(score(m, 7, 20) == before);
        assert_true(score(m, node, 6) != 0 && score(m, 6, node) != 0);
        neap_ranked best[N + 1];
        size_t count;
        assert_int_equal(neap_model_rank(m, node, N + 1, 0, best, &count, NULL), NEAP_OK);
        assert_int_equal(count, N - 3); /* neither itself nor 3, 4, 5 */
        neap_explanation *x;
        assert_int_equal(neap_explain(m, node, 6, &x, NULL), NEAP_OK);
        assert_int_equal(x->source_count, 3);
        neap_explanation_free(x);
        neap_graph_free(links);
        neap_model_free(m);
    }
}

/* ---- what a method does not have ---- */

static void the_degree_product_scores_but_has_no_vectors_and_no_reasons(void **state)
{
    neap_graph *g = blocks(0);
    neap_options *o;
    neap_model *m;
    neap_error err;
    float x;
    neap_explanation *why;
    (void)state;
    assert_int_equal(neap_options_create("neap", &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "method", "pa", NULL), NEAP_OK);
    assert_int_equal(neap_train(g, o, NULL, &m, NULL), NEAP_OK);
    assert_true(score(m, 1, 2) == (float)(ni_degree(&m->links, 1) * ni_degree(&m->links, 2)));
    assert_int_equal(neap_model_vectors(m, &x, &err), NEAP_E_ARG);
    assert_int_equal(neap_explain(m, 1, 2, &why, &err), NEAP_E_ARG);
    neap_ranked best[3];
    size_t count;
    assert_int_equal(neap_model_rank(m, 0, 3, 0, best, &count, NULL), NEAP_OK);
    assert_int_equal(count, 3);
    neap_model_free(m);
    assert_int_equal(neap_options_set(o, "method", "gape", NULL), NEAP_OK);
    assert_int_equal(neap_train(g, o, NULL, &m, &err), NEAP_E_ARG);
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
        cmocka_unit_test(known_links_and_the_source_are_left_out_unless_asked_for),
        cmocka_unit_test(attention_sums_to_one_and_contributions_to_the_score),
        cmocka_unit_test(a_partner_is_the_best_of_its_row_or_column),
        cmocka_unit_test(the_averaged_vector_is_the_mean_over_training_contexts),
        cmocka_unit_test(a_new_node_with_known_neighbours_is_scored_without_training),
        cmocka_unit_test(the_degree_product_scores_but_has_no_vectors_and_no_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
