/* What method evidence promises of its scores and reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "node_features.h"
#include "scratch.h"
#include "settings.h"
#include "tamper.h"

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
                                 "8", "threads", "1", NULL));
}

/* A graph with directions and one without, and their models, which most tests look at. */
static struct made {
    neap_graph *g;
    neap_model *m;
} made[2];

static int make_both(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        made[undirected].g = blocks(undirected);
        made[undirected].m = model_of(made[undirected].g);
    }
    return 0;
}

static int free_both(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_model_free(made[undirected].m);
        neap_graph_free(made[undirected].g);
    }
    return 0;
}

static neap_explanation *explained(neap_query *q, uint32_t s, uint32_t t)
{
    neap_explanation *e;
    neap_error err = { 0 };
    if (neap_query_explain(q, s, t, &e, &err)) fail_msg("%s", err.text);
    return e;
}

static void check_sums(const neap_explanation *e, float score)
{
    const neap_evidence *v = e->evidence;
    double sum = v->start, all = 0;
    for (uint32_t i = 0; i < v->count; i++) sum += v->contribution[i];
    assert_true(fabs(sum - v->score) < 1e-6);
    assert_true((float)v->score == score && e->score == score);
    for (int side = 0; side < 2; side++) {
        const neap_reasons *r = side ? e->by_target : e->by_source;
        double parts = (double)r->rest_contribution;
        for (uint32_t i = 0; i < r->count; i++) parts += (double)r->contribution[i];
        assert_true(fabs(parts - v->score) < 1e-4 * (1 + fabs(v->score)));
        all += parts - (double)r->rest_contribution;
    }
    for (uint32_t i = 0; i < v->neighbour_count; i++) all -= 2 * v->through[i];
    assert_true(fabs(all) < 1e-4 * (1 + fabs(v->score)));
}

static void contributions_add_up_to_the_score(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_model *m = made[undirected].m;
        neap_query *q = query_of(m, 1);
        for (uint32_t t = 1; t < 12; t++) {
            neap_pair pair = { 0, t };
            neap_explanation *e = explained(q, 0, t);
            float score;
            assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
            check_sums(e, score);
            neap_explanation_free(e);
        }
        neap_query_free(q);
    }
}

/* The largest change first; neighbours by the size of what goes through them, and all of them. */
static void reasons_are_in_the_order_of_their_size(void **state)
{
    neap_model *m = made[0].m;
    neap_query *q = query_of(m, 1);
    (void)state;
    for (uint32_t t = 1; t < 12; t++) {
        neap_explanation *e = explained(q, 0, t);
        const neap_evidence *v = e->evidence;
        uint32_t both = 0;
        for (uint32_t i = 0; i < v->neighbour_count; i++) {
            bool one = ni_linked(&m->links, 0, v->neighbour[i]),
                 two = ni_linked(&m->links, t, v->neighbour[i]);
            assert_true(one || two);
            assert_true(v->neighbour[i] != 0 && v->neighbour[i] != t);
            assert_true(!i || fabs(v->through[i]) <= fabs(v->through[i - 1]));
            both += one && two;
        }
        assert_int_equal(both, e->shared);
        assert_int_equal(v->neighbour_count + both,
                         e->source_links + e->target_links - (e->linked ? 2 : 0));
        for (uint32_t i = 1; i < v->change_count; i++)
            assert_true(fabs((double)v->score_without[i] - v->score) <=
                        fabs((double)v->score_without[i - 1] - v->score) + 1e-6);
        neap_explanation_free(e);
    }
    neap_query_free(q);
}

/* The picture of a curve goes through the pair: points ascend, and where its value lies between two of them
 * of one line, its contribution does, too. */
static void curves_go_through_the_pair(void **state)
{
    neap_model *m = made[0].m;
    neap_query *q = query_of(m, 1);
    neap_explanation *e = explained(q, 3, 17);
    const neap_evidence *v = e->evidence;
    uint32_t between = 0;
    (void)state;
    for (uint32_t k = 0; k < v->count; k++)
        for (uint32_t i = v->curve[k]; i + 1 < v->curve[k + 1]; i++) {
            const float *x = v->curve_value + i, *y = v->curve_contribution + i;
            assert_true(x[0] < x[1]);
            bool line = (i - v->curve[k]) % 2 == 1; /* not the jump at an edge */
            if (!line || v->value[k] < x[0] || v->value[k] > x[1]) continue;
            double low = (double)fminf(y[0], y[1]), high = (double)fmaxf(y[0], y[1]);
            assert_true(v->contribution[k] > low - 1e-5 && v->contribution[k] < high + 1e-5);
            between++;
        }
    assert_true(between > 5);
    neap_explanation_free(e);
    neap_query_free(q);
}

/* By score, and in the reasons. */
static void without_directions_a_pair_has_one_score(void **state)
{
    neap_model *m = made[1].m;
    neap_query *q = query_of(m, 1);
    (void)state;
    for (uint32_t s = 0; s < NODES; s++)
        for (uint32_t t = 0; t < s; t++) {
            neap_pair pair[2] = { { s, t }, { t, s } };
            float score[2];
            assert_int_equal(neap_model_score(m, pair, 2, score, NULL), NEAP_OK);
            if (!(score[0] == score[1]))
                fail_msg("%u, %u: %.9g and %.9g", s, t, (double)score[0], (double)score[1]);
            if (t % 20) continue;
            neap_explanation *e = explained(q, s, t), *back = explained(q, t, s);
            assert_true(e->evidence->score == back->evidence->score && e->score == score[0]);
            neap_explanation_free(e);
            neap_explanation_free(back);
        }
    neap_query_free(q);
}

/* ---- threads ---- */

static void same_reasons(const neap_explanation *a, const neap_explanation *b)
{
    const neap_evidence *x = a->evidence, *y = b->evidence;
    assert_memory_equal(x->contribution, y->contribution, x->count * sizeof *x->contribution);
    assert_int_equal(x->behind_count, y->behind_count);
    assert_memory_equal(x->share, y->share, x->behind_count * sizeof *x->share);
    assert_int_equal(x->neighbour_count, y->neighbour_count);
    assert_memory_equal(x->neighbour, y->neighbour, x->neighbour_count * sizeof *x->neighbour);
    assert_memory_equal(x->through, y->through, x->neighbour_count * sizeof *x->through);
    assert_int_equal(x->change_count, y->change_count);
    assert_memory_equal(x->score_without, y->score_without, x->change_count * sizeof *x->score_without);
}

static void threads_do_not_change_a_reason(void **state)
{
    neap_model *m = made[0].m;
    neap_query *one = query_of(m, 1);
    (void)state;
    for (uint32_t threads = 2; threads <= 4; threads += 2) {
        neap_query *more = query_of(m, threads);
        for (uint32_t t = 1; t < 8; t++) {
            neap_explanation *a = explained(one, 0, t), *b = explained(more, 0, t);
            same_reasons(a, b);
            neap_explanation_free(a);
            neap_explanation_free(b);
        }
        neap_query_free(more);
    }
    neap_query_free(one);
}

/* The prior shifts log-odds, so that no order changes. */
static void probabilities_follow_scores_and_the_prior(void **state)
{
    neap_model *m = made[0].m;
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
}

/* Known links included, which pairs take as if they were not there. */
static void a_rank_has_the_scores_of_its_pairs_in_their_order(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_model *m = made[undirected].m;
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

/* ---- texts and features that are missing ---- */

static const char long_text[] = "all of them have these very words";

/* kind 0: one node has no text; 1: one node has one; 2: all have the same; 3: half have none, half the
 * same. */
static neap_text *odd_texts(const neap_graph *g, int kind)
{
    const char *text[NODES];
    neap_text *out;
    for (uint32_t u = 0; u < NODES; u++) {
        bool has = kind == 0 ? u != 1 : kind == 1 ? u == 1 : kind == 2 || u % 2;
        text[u] = !has ? NULL : kind == 0 && u % 4 ? "other words of most nodes" : long_text;
    }
    assert_int_equal(neap_text_create(g, (const char *const *)text, &out, NULL), NEAP_OK);
    return out;
}

/* Every score is finite, and its reasons add up. */
static void check_pairs(const neap_model *m)
{
    neap_query *q = query_of(m, 1);
    for (uint32_t t = 1; t < NODES; t += 5) {
        neap_pair pair = { 0, t };
        float score;
        assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
        assert_true(isfinite(score));
        neap_explanation *e = explained(q, 0, t);
        check_sums(e, score);
        neap_explanation_free(e);
    }
    neap_query_free(q);
}

static void texts_may_be_missing_or_all_alike(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        neap_graph *g = blocks(kind & 1);
        neap_text *text = odd_texts(g, kind / 2);
        neap_data data = { .size = sizeof data, .graph = g, .text = text };
        neap_options *o = options_of("neap", "method", "evidence", "dim", "8", "curve-steps", "20",
                                     "text-dim", "4", "threads", "1", "min-count", "1", NULL);
        neap_model *m;
        neap_error err = { 0 };
        if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%d: %s", kind, err.text);
        check_pairs(m);
        neap_model_free(m);
        neap_options_free(o);
        neap_text_free(text);
        neap_graph_free(g);
    }
}

static void features_may_be_missing_or_all_alike(void **state)
{
    (void)state;
    for (int alike = 0; alike < 2; alike++) {
        neap_graph *g = blocks(1);
        neap_features *f = features_of(g);
        for (uint64_t i = 0; alike && i < f->offset[NODES]; i++)
            f->feature[i] = (uint32_t)(i % 2), f->value[i] = 1;
        if (!alike)
            for (uint32_t u = 0; u <= NODES; u++)
                f->offset[u] = u > NODES / 2 ? f->offset[NODES / 2] : f->offset[u];
        neap_data data = { .size = sizeof data, .graph = g, .features = f };
        neap_options *o = options_of("neap", "method", "evidence", "dim", "8", "curve-steps", "20",
                                     "text-dim", "4", "threads", "1", NULL);
        neap_model *m;
        neap_error err = { 0 };
        if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s", err.text);
        check_pairs(m);
        neap_model_free(m);
        neap_options_free(o);
        neap_features_free(f);
        neap_graph_free(g);
    }
}

/* ---- hostile files ---- */

static void curves_of_strangers_are_checked(void **state)
{
    static const float no_number = NAN, infinite = INFINITY, zero = 0, minus = -1, low[2] = { 2, 1 };
    static const uint32_t other = 5, high = 1u << 30, past = 1000;
    static const struct {
        const char *tensor;
        size_t at; /* byte */
        const void *bytes;
        size_t count;
    } breaks[] = {
        { "curve.lines", 8, &zero, 4 },
        { "curve.lines", 8, &minus, 4 },
        { "curve.lines", 12, &no_number, 4 },
        { "curve.lines", 0, &infinite, 4 },
        { "curve.edges", 0, low, 8 },
        { "curve.edges", 0, &no_number, 4 },
        { "curve.steps", 4, &no_number, 4 },
        { "curve.steps", 4, &infinite, 4 },
        { "curve.means", 0, &no_number, 4 },
        { "curve.kinds", 0, &other, 4 },
        { "start", 0, &no_number, 4 },
        { "node", 0, &infinite, 4 },
        { "eigen.values", 0, &no_number, 4 },
        { "eigen.vectors", 0, &no_number, 4 },
        { "terms.offsets", 4, &high, 4 },
        { "terms.offsets", 0, &other, 4 },
        { "terms.columns", 0, &high, 4 },
        { "terms.weights", 0, &no_number, 4 },
        { "near", 0, &past, 4 },
        { "near.cosines", 0, &no_number, 4 },
        { "text.vectors", 0, &no_number, 4 },
    };
    neap_model *m = made[0].m;
    size_t size;
    (void)state;
    assert_int_equal(neap_model_save(m, "good", NULL), NEAP_OK);
    char *good = scratch_bytes("good", &size);
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        neap_model *read = NULL;
        neap_error err = { 0 };
        scratch_put("bad", good, size);
        tamper_data("bad", breaks[i].tensor, breaks[i].at, breaks[i].bytes, breaks[i].count);
        if (neap_model_load("bad", NULL, &read, &err) != NEAP_E_FORMAT)
            fail_msg("%s: %s", breaks[i].tensor, err.text);
        assert_true(err.text[0] != 0);
    }
    scratch_put("bad", good, size);
    tamper_header("bad", "\"option.evidence\":\"all\"", "\"option.evidence\":\"walks\"");
    neap_model *read = NULL;
    assert_int_equal(neap_model_load("bad", NULL, &read, NULL), NEAP_E_FORMAT);
    free(good);
}

/* ---- no memory ---- */

static neap_status explain_once(void *model, neap_error *err)
{
    neap_explanation *e = NULL;
    neap_status rc = neap_model_explain(model, 3, 17, &e, err);
    neap_explanation_free(e);
    return rc;
}

static void every_failing_allocation_of_an_explanation_is_an_ordinary_error(void **state)
{
    neap_model *m = made[0].m;
    (void)state;
    for (int forever = 0; forever < 2; forever++)
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, explain_once, faults_expect_memory, m) >
                    40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contributions_add_up_to_the_score),
        cmocka_unit_test(reasons_are_in_the_order_of_their_size),
        cmocka_unit_test(curves_go_through_the_pair),
        cmocka_unit_test(without_directions_a_pair_has_one_score),
        cmocka_unit_test(threads_do_not_change_a_reason),
        cmocka_unit_test(probabilities_follow_scores_and_the_prior),
        cmocka_unit_test(a_rank_has_the_scores_of_its_pairs_in_their_order),
        cmocka_unit_test(groups_of_evidence_are_those_that_the_data_have),
        cmocka_unit_test(texts_may_be_missing_or_all_alike),
        cmocka_unit_test(features_may_be_missing_or_all_alike),
        cmocka_unit_test_setup_teardown(curves_of_strangers_are_checked, scratch_enter, scratch_leave),
        cmocka_unit_test(every_failing_allocation_of_an_explanation_is_an_ordinary_error),
    };
    faults_install();
    return cmocka_run_group_tests(tests, make_both, free_both);
}
