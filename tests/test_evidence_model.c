/* What method evidence promises of its scores and reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "settings.h"

enum { NODES = 60 };

static neap_graph *blocks(bool undirected)
{
    neap_edge edge[NODES * NODES];
    uint64_t count = 0;
    neap_graph *g;
    for (uint32_t s = 0; s < NODES; s++)
        for (uint32_t t = undirected ? s + 1 : 0; t < NODES; t++) {
            ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, s, t);
            if (s != t && ni_uniform(&rng) < (s % 4 == t % 4 ? 0.25 : 0.03))
                edge[count++] = (neap_edge){ s, t, 1 };
        }
    assert_int_equal(neap_graph_create(NODES, NULL, edge, count, 0, undirected, &g, NULL), NEAP_OK);
    return g;
}

static neap_model *model_of(const neap_graph *g)
{
    return trained(g, options_of("neap", "method", "evidence", "dim", "8", "curve-steps", "20", "text-dim",
                                 "8", "threads", "2", NULL));
}

static void contributions_add_up_to_the_score(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_graph *g = blocks(undirected);
        neap_model *m = model_of(g);
        for (uint32_t t = 1; t < 12; t++) {
            neap_pair pair = { 0, t };
            neap_explanation *e;
            float score;
            assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
            assert_int_equal(neap_model_explain(m, 0, t, &e, NULL), NEAP_OK);
            const neap_evidence *v = e->evidence;
            double sum = v->start;
            for (uint32_t i = 0; i < v->count; i++) sum += (double)v->contribution[i];
            assert_true(fabs(sum - (double)score) < 1e-5 * (1 + fabs(sum)));
            assert_true(fabs(v->score - (double)score) < 1e-5 * (1 + fabs(sum)));
            for (int side = 0; side < 2; side++) {
                const neap_reasons *r = side ? e->by_target : e->by_source;
                double parts = (double)r->rest_contribution;
                for (uint32_t i = 0; i < r->count; i++) parts += (double)r->contribution[i];
                assert_true(fabs(parts - (double)score) < 1e-4 * (1 + fabs(sum)));
            }
            for (uint32_t i = 1; i < v->change_count; i++)
                assert_true(fabs((double)v->score_without[i] - v->score) <=
                            fabs((double)v->score_without[i - 1] - v->score));
            neap_explanation_free(e);
        }
        neap_model_free(m);
        neap_graph_free(g);
    }
}

static void without_directions_a_pair_scores_the_same_either_way(void **state)
{
    neap_graph *g = blocks(true);
    neap_model *m = model_of(g);
    (void)state;
    for (uint32_t s = 0; s < NODES; s++)
        for (uint32_t t = 0; t < s; t++) {
            neap_pair pair[2] = { { s, t }, { t, s } };
            float score[2];
            assert_int_equal(neap_model_score(m, pair, 2, score, NULL), NEAP_OK);
            if (fabsf(score[0] - score[1]) > 1e-4f * (1 + fabsf(score[0])))
                fail_msg("%u, %u: %g and %g", s, t, (double)score[0], (double)score[1]);
        }
    neap_model_free(m);
    neap_graph_free(g);
}

/* The prior shifts log-odds, so that no order changes. */
static void probabilities_follow_scores_and_the_prior(void **state)
{
    neap_graph *g = blocks(false);
    neap_model *m = model_of(g);
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t source = 5;
        neap_query_spec spec = { .size = sizeof spec, .threads = 1, .prior = i ? 0.001 : 0 };
        neap_rank_spec rank = { .size = sizeof rank, .sources = &source, .source_count = 1, .k = 20 };
        neap_query *q;
        neap_ranking *r;
        assert_int_equal(neap_query_create(m, &spec, &q, NULL), NEAP_OK);
        assert_int_equal(neap_query_rank(q, &rank, &r, NULL), NEAP_OK);
        for (size_t k = 0; k < r->count; k++) {
            neap_pair pair = { source, r->node[k] };
            neap_scores *s;
            double shift = i ? log(0.001 / 0.999) : 0, p = 1 / (1 + exp(-((double)r->score[k] + shift)));
            assert_int_equal(neap_query_score(q, &pair, 1, &s, NULL), NEAP_OK);
            assert_true(fabsf(s->score[0] - r->score[k]) < 1e-5f * (1 + fabsf(r->score[k])));
            assert_true(s->probability[0] == r->probability[k] ||
                        fabsf(s->probability[0] - r->probability[k]) < 1e-6f);
            assert_true(fabs(p - (double)r->probability[k]) < 1e-6);
            neap_scores_free(s);
        }
        neap_ranking_free(r);
        neap_query_free(q);
    }
    neap_query_spec wrong = { .size = sizeof wrong, .prior = 1 };
    neap_query *q;
    assert_int_equal(neap_query_create(m, &wrong, &q, NULL), NEAP_E_ARG);
    neap_model_free(m);
    neap_graph_free(g);
}

/* Known links included, which pairs take as if they were not there. */
static void a_rank_has_the_scores_of_its_pairs_in_their_order(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_graph *g = blocks(undirected);
        neap_model *m = model_of(g);
        for (uint32_t source = 0; source < NODES; source += 7) {
            neap_pair pair[NODES];
            float score[NODES];
            neap_ranking *r;
            uint32_t links = 0;
            assert_int_equal(neap_model_rank(m, source, NODES, 1, &r, NULL), NEAP_OK);
            assert_int_equal(r->count, NODES);
            for (size_t i = 0; i < NODES; i++) pair[i] = (neap_pair){ source, r->node[i] };
            assert_int_equal(neap_model_score(m, pair, NODES, score, NULL), NEAP_OK);
            for (size_t i = 0; i < NODES; i++) {
                assert_true(fabsf(score[i] - r->score[i]) < 1e-5f * (1 + fabsf(score[i])));
                assert_true(!i ||
                            (r->score[i] <= r->score[i - 1] && r->probability[i] <= r->probability[i - 1]));
                links += ni_linked(&m->links, source, r->node[i]);
            }
            assert_true(links > 0);
            neap_ranking_free(r);
        }
        neap_model_free(m);
        neap_graph_free(g);
    }
}

/* Each of them is what the option `evidence` takes; text is one where there are texts. */
static void groups_of_evidence_are_those_that_the_data_have(void **state)
{
    (void)state;
    neap_graph *g = blocks(1);
    neap_text *text = texts_of(g);
    neap_data data = { .size = sizeof data, .graph = g };
    size_t all = 0, without = 0, with = 0;
    for (const char *name; (name = neap_evidence_group(NULL, all)); all++) {
        neap_options *o = options_of("neap", "evidence", name, NULL);
        assert_int_equal(neap_options_check(o, NULL), NEAP_OK);
        neap_options_free(o);
    }
    for (const char *name; (name = neap_evidence_group(&data, without)); without++)
        assert_string_not_equal(name, "text");
    data.text = text;
    while (neap_evidence_group(&data, with)) with++;
    assert_true(without + 1 == all && with == all);
    assert_null(neap_evidence_group(NULL, all + 7));
    neap_text_free(text);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contributions_add_up_to_the_score),
        cmocka_unit_test(without_directions_a_pair_scores_the_same_either_way),
        cmocka_unit_test(probabilities_follow_scores_and_the_prior),
        cmocka_unit_test(a_rank_has_the_scores_of_its_pairs_in_their_order),
        cmocka_unit_test(groups_of_evidence_are_those_that_the_data_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
