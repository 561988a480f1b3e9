/* Splits under a protocol, and what is measured on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

#include "base/rng.h"
#include "eval/link.h"
#include "model/model.h"

enum { N = 60 };

/* Loops, reciprocal edges, a hub, an isolated node. */
static neap_graph *messy_graph(uint64_t seed)
{
    neap_edge edge[300];
    neap_graph *g;
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    for (uint32_t i = 0; i < 300; i++)
        edge[i] =
            (neap_edge){ i % 5 ? (uint32_t)ni_below(&rng, N - 1) : 0, (uint32_t)ni_below(&rng, N - 1), 1 };
    assert_int_equal(neap_graph_create(N, NULL, edge, 300, 0, 0, &g, NULL), NEAP_OK);
    return g;
}

static ni_trial *trial_of(const neap_graph *g, ni_protocol protocol, ni_negatives kind, double ratio,
                          uint64_t seed)
{
    ni_trial *t;
    neap_error err = { 0 };
    if (ni_trial_create(g, protocol, kind, ratio, seed, &t, &err)) fail_msg("%s", err.text);
    return t;
}

/* ---- clean ---- */

static void clean_negatives_are_no_links_of_the_whole_graph(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (ni_negatives kind = NI_UNIFORM; kind <= NI_TWO_HOP; kind++) {
            neap_graph *g = messy_graph(seed);
            ni_trial *t = trial_of(g, NI_CLEAN, kind, 0.7, seed);
            for (size_t i = 0; i < t->count; i++) {
                neap_pair p = t->positive[i], n = t->negative[i];
                assert_true(ni_linked(&t->known, p.source, p.target) &&
                            !ni_linked(&t->seen, p.source, p.target));
                assert_true(n.source == p.source && n.target != n.source);
                assert_false(ni_linked(&t->known, n.source, n.target));
                for (uint32_t k = 0; k < NI_RANK_NEGATIVES; k += 17) {
                    uint32_t w = ni_trial_rank_negative(t, i, k);
                    assert_true(w != p.source && !ni_linked(&t->known, p.source, w));
                }
            }
            for (uint32_t u = 0; u < N; u++) assert_false(ni_graph_has(t->train, u, u));
            ni_trial_free(t);
            neap_graph_free(g);
        }
}

/* The kinds differ as they say: by degree favours hubs, two-hop stays near. */
static void kinds_of_negatives_are_what_they_say(void **state)
{
    neap_graph *g = messy_graph(1);
    double degree[3] = { 0 }, near[3] = { 0 };
    (void)state;
    for (ni_negatives kind = NI_UNIFORM; kind <= NI_TWO_HOP; kind++) {
        ni_trial *t = trial_of(g, NI_CLEAN, kind, 0.7, 1);
        for (size_t i = 0; i < t->count; i++)
            for (uint32_t k = 0; k < NI_RANK_NEGATIVES; k++) {
                uint32_t u = t->positive[i].source, w = ni_trial_rank_negative(t, i, k), shared = 0;
                for (uint64_t e = t->seen.offset[u]; e < t->seen.offset[u + 1]; e++)
                    shared += ni_linked(&t->seen, t->seen.node[e], w);
                degree[kind] += (double)ni_degree(&t->seen, w);
                near[kind] += shared > 0;
            }
        ni_trial_free(t);
    }
    assert_true(degree[NI_BY_DEGREE] > 1.1 * degree[NI_UNIFORM]);
    assert_true(near[NI_TWO_HOP] > 1.1 * near[NI_UNIFORM]);
    neap_graph_free(g);
}

/* ---- paper ---- */

static void the_papers_split_keeps_what_it_keeps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        neap_graph *g = messy_graph(seed);
        ni_trial *t = trial_of(g, NI_PAPER, NI_UNIFORM, 0.55, seed);
        assert_int_equal(t->train->edges, (uint64_t)((double)g->edges * 0.55));
        assert_int_equal(t->held_out, g->edges - t->train->edges);
        for (size_t i = 0; i < t->count; i++) {
            neap_pair p = t->positive[i];
            assert_true(ni_graph_has(g, p.source, p.target) && !ni_graph_has(t->train, p.source, p.target));
            for (uint32_t pass = 0; pass < NI_PASSES; pass++) {
                uint32_t w = ni_trial_pass_negative(t, pass, i);
                assert_true(w != p.source && w != p.target);
                assert_true(ni_degree(&t->seen, w) > 0 || ni_graph_has(t->train, w, w));
            }
        }
        assert_true(ni_trial_around(t) == t->whole);
        ni_trial_free(t);
        t = trial_of(g, NI_PAPER_CLEAN, NI_UNIFORM, 0.55, seed);
        assert_true(ni_trial_around(t) == t->train);
        ni_trial_free(t);
        neap_graph_free(g);
    }
}

/* ---- measuring ---- */

/* Knows the truth, or its opposite, or nothing. */
static neap_status oracle(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err)
{
    const struct {
        const ni_trial *trial;
        float sign;
    } *o = self;
    (void)err;
    for (size_t i = 0; i < count; i++)
        scores[i] = o->sign * (float)ni_linked(&o->trial->known, pairs[i].source, pairs[i].target);
    return NEAP_OK;
}

static void who_knows_the_truth_is_perfect_and_who_knows_nothing_ties(void **state)
{
    neap_graph *g = messy_graph(2);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.7, 1);
    neap_link_result r;
    struct {
        const ni_trial *trial;
        float sign;
    } knows = { t, 1 };
    ni_scorer s = { oracle, &knows };
    (void)state;
    assert_int_equal(ni_link_measure(t, &s, &r, NULL), NEAP_OK);
    assert_true(r.pairs == t->count && r.skipped == t->held_out - t->count);
    assert_true(r.auc == 1 && r.ap == 1 && r.mrr == 1 && r.hits[0] == 1 && r.pool_hits[0] == 1 &&
                r.ties == 0);
    knows.sign = -1;
    assert_int_equal(ni_link_measure(t, &s, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0 && r.hits[2] == 0 && fabs(r.mrr - 1.0 / 101) < 1e-12);
    knows.sign = 0;
    assert_int_equal(ni_link_measure(t, &s, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0.5 && fabs(r.mrr - 1.0 / 51) < 1e-12 && r.ties == t->count &&
                r.pool_hits[0] == 0);
    ni_trial_free(t);
    t = trial_of(g, NI_PAPER_CLEAN, NI_UNIFORM, 0.7, 1);
    knows.trial = t;
    assert_int_equal(ni_link_measure(t, &s, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0.5 && r.auc_std < 1e-9 && isnan(r.ap));
    ni_trial_free(t);
    neap_graph_free(g);
}

static void training_once_more_uses_all_pairs_for_the_epochs_found(void **state)
{
    neap_graph *g = messy_graph(3);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.8, 1);
    neap_options *o = options_of("neap", "dim", "8", "epochs", "6", NULL);
    neap_model *first, *m, *same;
    ni_scorer s;
    neap_link_result r;
    (void)state;
    assert_int_equal(neap_train(t->train, o, NULL, &first, NULL), NEAP_OK);
    assert_int_equal(ni_link_train(t, o, NULL, &m, NULL), NEAP_OK);
    o->valid = 0;
    o->epochs = neap_model_training(first).epochs;
    assert_int_equal(neap_train(t->train, o, NULL, &same, NULL), NEAP_OK);
    assert_memory_equal(m->E, same->E, (size_t)m->rows * m->dim * sizeof(float));
    assert_int_equal(ni_model_scorer(m, NI_CLEAN, &s, NULL), NEAP_OK);
    assert_int_equal(ni_link_measure(t, &s, &r, NULL), NEAP_OK);
    assert_true(r.auc > 0 && r.auc < 1 && r.mrr > 0 && r.hits[0] <= r.hits[1] && r.hits[1] <= r.hits[2]);
    ni_model_scorer_free(&s);
    neap_model_free(first);
    neap_model_free(m);
    neap_model_free(same);
    neap_options_free(o);
    ni_trial_free(t);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_negatives_are_no_links_of_the_whole_graph),
        cmocka_unit_test(kinds_of_negatives_are_what_they_say),
        cmocka_unit_test(the_papers_split_keeps_what_it_keeps),
        cmocka_unit_test(who_knows_the_truth_is_perfect_and_who_knows_nothing_ties),
        cmocka_unit_test(training_once_more_uses_all_pairs_for_the_epochs_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
