/* Splits under a protocol, and what is measured on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "settings.h"

#include "eval/link.h"
#include "eval/trial.h"
#include "trials.h"

/* ---- every protocol ---- */

static void expect_in_order(const neap_pair *pairs, size_t count)
{
    for (size_t i = 1; i < count; i++)
        assert_true(pairs[i - 1].source < pairs[i].source ||
                    (pairs[i - 1].source == pairs[i].source && pairs[i - 1].target < pairs[i].target));
}

/* Each edge is trained on or held out; in clean a pair is so in both directions, and loops are neither. */
static void expect_parted(const ni_trial *t)
{
    const neap_graph *g = t->whole;
    size_t held_out = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            bool trained = ni_graph_has(t->train, u, v), twin = ni_graph_has(g, v, u) && u > v;
            if (t->protocol == NI_CLEAN && u == v) assert_false(trained);
            else if (t->protocol == NI_CLEAN) {
                held_out += !trained && !twin;
                if (ni_graph_has(g, v, u)) assert_int_equal(ni_graph_has(t->train, v, u), trained);
            } else held_out += !trained;
        }
    assert_int_equal(held_out, t->held_out);
    for (uint32_t u = 0; u < g->nodes; u++)
        for (uint64_t e = t->train->offset[u]; e < t->train->offset[u + 1]; e++)
            assert_true(ni_graph_has(g, u, t->train->target[e]));
}

static void expect_valid(const ni_trial *t)
{
    assert_true(t->valids > 0);
    expect_in_order(t->valid, t->valids);
    for (size_t i = 0; i < t->valids; i++) {
        neap_pair p = t->valid[i], n = t->valid_negative[i];
        assert_true(ni_graph_has(t->train, p.source, p.target));
        assert_true(n.source == p.source && n.target != n.source &&
                    !ni_linked(&t->seen, n.source, n.target));
    }
}

static void expect_same(const ni_trial *a, const ni_trial *b)
{
    assert_int_equal(neap_graph_hash(a->train), neap_graph_hash(b->train));
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->valids, b->valids);
    assert_memory_equal(a->positive, b->positive, a->count * sizeof *a->positive);
    if (a->negative) assert_memory_equal(a->negative, b->negative, a->count * sizeof *a->negative);
    assert_memory_equal(a->valid, b->valid, a->valids * sizeof *a->valid);
    assert_memory_equal(a->valid_negative, b->valid_negative, a->valids * sizeof *a->valid);
    for (size_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < ni_trial_candidates(a); k += 3)
            assert_int_equal(ni_trial_draw_candidate(a, i, k), ni_trial_draw_candidate(b, i, k));
}

static void a_split_parts_the_edges_and_its_seed_says_how(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
            neap_graph *g = messy_graph_of(seed, seed % 3 == 0, seed % 2);
            double ratio = 0.3 + 0.07 * (double)seed;
            ni_trial *t = trial_of(g, protocol, NI_UNIFORM, ratio, seed),
                     *same = trial_of(g, protocol, NI_UNIFORM, ratio, seed),
                     *other = trial_of(g, protocol, NI_UNIFORM, ratio, seed + 100);
            expect_in_order(t->positive, t->count);
            for (size_t i = 0; i < t->count; i++)
                assert_true(ni_graph_has(t->whole, t->positive[i].source, t->positive[i].target) &&
                            !ni_graph_has(t->train, t->positive[i].source, t->positive[i].target));
            expect_parted(t);
            expect_valid(t);
            expect_same(t, same);
            assert_true(neap_graph_hash(t->train) != neap_graph_hash(other->train));
            neap_trial_facts f = NEAP_SIZED(neap_trial_facts);
            assert_int_equal(neap_trial_facts_of(t, &f, NULL), NEAP_OK);
            assert_int_equal(f.test + f.skipped, t->held_out);
            assert_true(f.train == t->train->edges && f.valid == t->valids && f.loops == t->loops &&
                        f.self_loops == g->report.self_loops && f.repeats == g->report.repeats);
            neap_trial_free(t);
            neap_trial_free(same);
            neap_trial_free(other);
            neap_graph_free(g);
        }
}

static void a_wrong_spec_is_refused_with_words(void **state)
{
    neap_graph *g = messy_graph(1);
    const size_t size = sizeof(neap_link_spec);
    const neap_link_spec wrong[] = {
        { size, "dirty", "uniform", 0.5, 1, 0 },  { size, NULL, "uniform", 0.5, 1, 0 },
        { size, "clean", "hard", 0.5, 1, 0 },     { size, "clean", "uniform", 0, 1, 0 },
        { size, "paper", "uniform", 1, 1, 0 },    { size, "clean", "uniform", NAN, 1, 0 },
        { size, "clean", "uniform", 0.5, 1, -1 }, { size, "clean", "uniform", 0.5, 1, 1 },
        { 0, "clean", "uniform", 0.5, 1, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        neap_error err = { 0 };
        neap_trial *t;
        assert_int_equal(
            neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = g }, &wrong[i], &t, &err),
            NEAP_E_ARG);
        assert_true(!t && err.text[0]);
    }
    neap_graph_free(g);
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
                    uint32_t w = ni_trial_draw_candidate(t, i, k);
                    assert_true(w != p.source && !ni_linked(&t->known, p.source, w));
                }
            }
            for (uint32_t u = 0; u < MESSY_NODES; u++) assert_false(ni_graph_has(t->train, u, u));
            neap_trial_free(t);
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
                uint32_t u = t->positive[i].source, w = ni_trial_draw_candidate(t, i, k), shared = 0;
                for (uint64_t e = t->seen.offset[u]; e < t->seen.offset[u + 1]; e++)
                    shared += ni_linked(&t->seen, t->seen.node[e], w);
                degree[kind] += (double)ni_degree(&t->seen, w);
                near[kind] += shared > 0;
            }
        neap_trial_free(t);
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
                uint32_t w = ni_trial_draw_candidate(t, i, pass);
                assert_true(w != p.source && w != p.target);
                assert_true(ni_degree(&t->seen, w) > 0 || ni_graph_has(t->train, w, w));
            }
        }
        neap_trial_free(t);
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
    neap_link_result r = NEAP_SIZED(neap_link_result);
    struct {
        const ni_trial *trial;
        float sign;
    } knows = { t, 1 };
    ni_scorer s = { .score = oracle, .self = &knows };
    (void)state;
    assert_int_equal(ni_link_measure(t, &s, NULL, &r, NULL), NEAP_OK);
    assert_true(r.pairs == t->count && r.skipped == t->held_out - t->count);
    assert_true(r.auc == 1 && r.ap == 1 && r.mrr == 1 && r.hits[0] == 1 && r.pool_hits[0] == 1 &&
                r.ties == 0);
    knows.sign = -1;
    assert_int_equal(ni_link_measure(t, &s, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0 && r.hits[2] == 0 && fabs(r.mrr - 1.0 / 101) < 1e-12);
    knows.sign = 0;
    assert_int_equal(ni_link_measure(t, &s, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0.5 && fabs(r.mrr - 1.0 / 51) < 1e-12 && r.ties == t->count &&
                r.pool_hits[0] == 0);
    neap_trial_free(t);
    t = trial_of(g, NI_PAPER_CLEAN, NI_UNIFORM, 0.7, 1);
    knows.trial = t;
    assert_int_equal(ni_link_measure(t, &s, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0.5 && r.auc_std < 1e-9 && isnan(r.ap));
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- by hand ---- */

/* Scores from a list; the test fails for a pair that is not in it. */
typedef struct scored {
    uint32_t source, target;
    float score;
} scored;

static neap_status look_up(void *self, const neap_pair *pairs, size_t count, float *scores, neap_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++) {
        const scored *s = self;
        while (s->source != pairs[i].source || s->target != pairs[i].target) assert_true((s++)->score >= 0);
        scores[i] = s->score;
    }
    return NEAP_OK;
}

/* All pairs of six nodes but 0-1, 2-3, 4-5: every node has one stranger, so all negatives are known. */
static neap_graph *cocktail_party(void)
{
    neap_edge edge[12];
    neap_graph *g;
    size_t count = 0;
    for (uint32_t u = 0; u < 6; u++)
        for (uint32_t v = u + 1; v < 6; v++)
            if (u / 2 != v / 2) edge[count++] = (neap_edge){ u, v, 1 };
    assert_int_equal(neap_graph_create(6, NULL, edge, count, 0, 0, &g, NULL), NEAP_OK);
    return g;
}

/*  pair  score   its negative   among 100 copies of it
 *  0 2   0.9     0 1   0.1      rank 1
 *  1 4   0.5     1 0   0.5      rank 51: behind half of its equals
 *  3 5   0.5     3 2   0.7      rank 101
 *  AUC: 0.9 beats three, each 0.5 beats one and ties with one: (3 + 1.5 + 1.5) / 9
 *  AP:  the first third at precision 1, the others at 3 of 5                           */
static void clean_metrics_are_those_computed_by_hand(void **state)
{
    neap_graph *g = cocktail_party();
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.7, 1);
    const neap_pair positive[] = { { 0, 2 }, { 1, 4 }, { 3, 5 } },
                    negative[] = { { 0, 1 }, { 1, 0 }, { 3, 2 } };
    scored list[] = { { 0, 2, 0.9f }, { 1, 4, 0.5f }, { 3, 5, 0.5f }, { 0, 1, 0.1f },
                      { 1, 0, 0.5f }, { 3, 2, 0.7f }, { 0, 0, -1 } };
    neap_link_result r = NEAP_SIZED(neap_link_result);
    (void)state;
    assert_true(t->count >= 3);
    memcpy(t->positive, positive, sizeof positive);
    memcpy(t->negative, negative, sizeof negative);
    t->count = t->negatives = 3;
    assert_int_equal(ni_link_measure(t, &(ni_scorer){ .score = look_up, .self = list }, NULL, &r, NULL),
                     NEAP_OK);
    assert_true(fabs(r.auc - 6.0 / 9) < 1e-12 && fabs(r.ap - (1.0 / 3 + 2.0 / 3 * 0.6)) < 1e-12);
    assert_true(fabs(r.mrr - (1 + 1.0 / 51 + 1.0 / 101) / 3) < 1e-12);
    for (int h = 0; h < 3; h++) assert_true(fabs(r.hits[h] - 1.0 / 3) < 1e-12);
    assert_true(fabs(r.pool_hits[0] - 1.0 / 3) < 1e-12 && r.pool_hits[1] == 1 && r.pool_hits[2] == 1);
    assert_true(r.ties == 1 && r.pairs == 3 && isnan(r.auc_std) && isnan(r.auc_no_loops));
    neap_trial_free(t);
    neap_graph_free(g);
}

/* Candidates 0, 2 and 5: 0-2 meets 0-5 and wins, 0-5 meets 0-2 and loses, 5-2 meets 5-0 and ties; the loop
 * 2-2 meets 2-0 or 2-5 and wins. (1 + 0 + 0.5 + 1) / 4, and (1 + 0 + 0.5) / 3 without it. */
static void the_papers_metric_is_that_computed_by_hand(void **state)
{
    neap_graph *g = cocktail_party();
    ni_trial *t = trial_of(g, NI_PAPER_CLEAN, NI_UNIFORM, 0.6, 1);
    const neap_pair positive[] = { { 0, 2 }, { 0, 5 }, { 2, 2 }, { 5, 2 } };
    const uint32_t eligible[] = { 0, 2, 5 };
    scored list[] = { { 0, 2, 1 }, { 0, 5, 0.5f }, { 2, 2, 9 }, { 5, 2, 0 },
                      { 5, 0, 0 }, { 2, 0, 0 },    { 2, 5, 0 }, { 0, 0, -1 } };
    neap_link_result r = NEAP_SIZED(neap_link_result);
    (void)state;
    assert_true(t->count >= 4 && t->eligible_count >= 3);
    memcpy(t->positive, positive, sizeof positive);
    memcpy(t->eligible, eligible, sizeof eligible);
    t->count = 4;
    t->eligible_count = 3;
    t->loops = 1;
    assert_int_equal(ni_link_measure(t, &(ni_scorer){ .score = look_up, .self = list }, NULL, &r, NULL),
                     NEAP_OK);
    assert_true(fabs(r.auc - 2.5 / 4) < 1e-12 && fabs(r.auc_no_loops - 1.5 / 3) < 1e-12);
    assert_true(r.auc_std < 1e-7 && r.ties == 1 && r.loops == 1 && isnan(r.ap) && isnan(r.mrr));
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- vectors ---- */

static void vectors_score_by_product_or_cosine(void **state)
{
    neap_graph *g = cocktail_party();
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.7, 1);
    neap_link_result r = NEAP_SIZED(neap_link_result);
    /* 0 and 2 point the same way; 1, the stranger of 0, is longer but off the way. */
    float x[6][2] = { { 1, 0 }, { 3, 4 }, { 2, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } };
    (void)state;
    t->count = t->negatives = 1;
    t->positive[0] = (neap_pair){ 0, 2 };
    t->negative[0] = (neap_pair){ 0, 1 };
    assert_int_equal(neap_trial_measure_vectors(t, x[0], 2, 0, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0 && fabs(r.mrr - 1.0 / 101) < 1e-12); /* 2 against 3 */
    assert_int_equal(neap_trial_measure_vectors(t, x[0], 2, 1, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc == 1 && r.mrr == 1); /* 1 against 0.6 */
    x[2][0] = x[1][0] = x[1][1] = 0;
    assert_int_equal(neap_trial_measure_vectors(t, x[0], 2, 1, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc == 0.5); /* zero vectors score 0 */
    x[5][1] = NAN;
    assert_int_equal(neap_trial_measure_vectors(t, x[0], 2, 0, NULL, &r, NULL), NEAP_E_ARG);
    neap_trial_free(t);
    neap_graph_free(g);
}

static void the_length_of_vectors_means_nothing_to_the_cosine(void **state)
{
    (void)state;
    neap_graph *g = messy_graph(4);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.7, 1);
    static const float lengths[] = { 1, 0x1p-130f, 0x1p-70f, 0x1p100f };
    neap_link_result r[4] = { NEAP_SIZED(neap_link_result), NEAP_SIZED(neap_link_result),
                              NEAP_SIZED(neap_link_result), NEAP_SIZED(neap_link_result) };
    for (int i = 0; i < 4; i++) {
        float x[MESSY_NODES * 2];
        for (uint32_t k = 0; k < MESSY_NODES * 2; k++) x[k] = lengths[i] * (float)((int)(k * k % 17) - 8);
        assert_int_equal(neap_trial_measure_vectors(t, x, 2, 1, NULL, &r[i], NULL), NEAP_OK);
        assert_true(fabs(r[i].auc - r[0].auc) < 1e-2);
    }
    assert_true(fabs(r[0].auc - 0.5) > 1e-3);
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- blocks ---- */

typedef struct counting {
    size_t calls, pairs, largest, sources;
    uint32_t nodes;
} counting;

static float formula(uint32_t source, uint32_t target)
{
    return (float)((source * 7 + target * 13) % 11);
}

static neap_status formula_all(void *self, uint32_t source, float *scores, neap_error *err)
{
    const counting *c = self;
    (void)err;
    for (uint32_t t = 0; t < c->nodes; t++) scores[t] = formula(source, t);
    return NEAP_OK;
}

static neap_status count_calls(void *self, const neap_pair *pairs, size_t count, float *scores,
                               neap_error *err)
{
    counting *c = self;
    (void)err;
    c->calls++;
    c->pairs += count;
    if (count > c->largest) c->largest = count;
    for (size_t i = 0; i < count; i++) {
        c->sources += i == 0 || pairs[i].source != pairs[i - 1].source;
        scores[i] = formula(pairs[i].source, pairs[i].target);
    }
    return NEAP_OK;
}

/* A thousand test pairs with 101 negatives each: few calls, none large, and each source in one of them. */
static void negatives_are_scored_in_blocks_that_keep_sources_together(void **state)
{
    neap_graph *g;
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 200, .edges = 3000, .seed = 1 };
    counting c = { .nodes = 200 };
    (void)state;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    assert_true(t->count > 1000);
    assert_int_equal(
        ni_link_measure(t, &(ni_scorer){ count_calls, &c, true, formula_all, false }, NULL, &r, NULL),
        NEAP_OK);
    assert_int_equal(r.ranked, 1000);
    assert_int_equal(c.pairs, t->count * 102);
    assert_true(c.calls < 4 + c.pairs / 12000 && c.largest <= 1 << 14);
    assert_true(c.sources <= 200);
    neap_trial_free(t);
    neap_graph_free(g);
}

/* A scorer that does not say that sources cost is asked for the test pairs first; the result is the same.
 */
static void the_order_of_scoring_does_not_change_the_result(void **state)
{
    neap_graph *g = messy_graph(2);
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        ni_trial *t = trial_of(g, protocol, NI_UNIFORM, 0.6, 1);
        counting c = { .nodes = neap_graph_nodes(g) };
        neap_link_result a, b;
        assert_int_equal(
            ni_link_measure(t, &(ni_scorer){ count_calls, &c, true, formula_all, false }, NULL, &a, NULL),
            NEAP_OK);
        assert_int_equal(
            ni_link_measure(t, &(ni_scorer){ .score = count_calls, .self = &c }, NULL, &b, NULL), NEAP_OK);
        a.seconds = b.seconds = 0;
        assert_memory_equal(&a, &b, sizeof a);
        neap_trial_free(t);
    }
    neap_graph_free(g);
}

/* ---- among all nodes ---- */

/* mrr_all, hits_all and auc_seen from their definitions: every test pair, every node, no order. */
static void recompute(const ni_trial *t, double *mrr, double hits[3], double *auc)
{
    double wins = 0, compared = 0;
    *mrr = hits[0] = hits[1] = hits[2] = 0;
    for (size_t i = 0; i < t->count; i++) {
        neap_pair p = t->positive[i];
        float own = formula(p.source, p.target);
        double rank = 1;
        for (uint32_t w = 0; w < t->whole->nodes; w++) {
            if (w == p.source || ni_graph_has(t->whole, p.source, w) ||
                ni_graph_has(t->whole, w, p.source) || !ni_is_target(&t->targets, p.source, w))
                continue;
            float score = formula(p.source, w);
            rank += score > own ? 1 : score == own ? 0.5 : 0;
        }
        *mrr += 1 / rank / (double)t->count;
        hits[0] += (rank <= 1) / (double)t->count;
        hits[1] += (rank <= 10) / (double)t->count;
        hits[2] += (rank <= 50) / (double)t->count;
        for (size_t j = 0; j < t->count; j++) {
            neap_pair n = t->negative[j];
            if (!ni_degree(&t->seen, p.source) || !ni_degree(&t->seen, p.target) ||
                !ni_degree(&t->seen, n.source) || !ni_degree(&t->seen, n.target))
                continue;
            float other = formula(n.source, n.target);
            wins += own > other ? 1 : own == other ? 0.5 : 0;
            compared++;
        }
    }
    *auc = compared > 0 ? wins / compared : NAN;
}

/* 60 nodes and so few links that some nodes have none in training; all pairs are ranked. */
static void ranks_among_all_nodes_are_those_of_the_definition(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        neap_graph *g;
        neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 60, .edges = 90, .seed = 3 };
        uint32_t some[30];
        for (uint32_t i = 0; i < 30; i++) some[i] = 2 * i;
        neap_targets targets = { .size = sizeof targets, .nodes = some, .count = 30 };
        assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
        ni_trial *t;
        assert_int_equal(
            ni_trial_create(g, NI_CLEAN, NI_UNIFORM, limited ? &targets : NULL, 0.5, 1, &t, NULL), NEAP_OK);
        counting c = { .nodes = 60 };
        neap_link_result r = NEAP_SIZED(neap_link_result);
        double mrr, hits[3], auc;
        recompute(t, &mrr, hits, &auc);
        assert_int_equal(
            ni_link_measure(t, &(ni_scorer){ .score = count_calls, .self = &c }, NULL, &r, NULL), NEAP_OK);
        assert_true(r.ranked == t->count && fabs(r.mrr_all - mrr) < 1e-12 && r.mrr_all != r.mrr);
        for (int h = 0; h < 3; h++) assert_true(fabs(r.hits_all[h] - hits[h]) < 1e-12);
        assert_true(fabs(r.auc_seen - auc) < 1e-12 && r.auc_seen != r.auc);
        neap_trial_free(t);
        neap_graph_free(g);
    }
}

/* AUC over pairs and negatives with a shared neighbour in training, pair by pair. */
static double auc_of_near_pairs(const ni_trial *t)
{
    double wins = 0, compared = 0;
    for (size_t i = 0; i < t->count; i++)
        for (size_t j = 0; j < t->count; j++) {
            neap_pair p[2] = { t->positive[i], t->negative[j] };
            uint32_t shared[2] = { 0, 0 };
            for (uint32_t w = 0; w < t->whole->nodes; w++)
                for (int k = 0; k < 2; k++)
                    shared[k] += ni_linked(&t->seen, p[k].source, w) && ni_linked(&t->seen, p[k].target, w);
            if (!shared[0] || !shared[1]) continue;
            float own = formula(p[0].source, p[0].target), other = formula(p[1].source, p[1].target);
            wins += own > other ? 1 : own == other ? 0.5 : 0;
            compared++;
        }
    return wins / compared;
}

static void near_pairs_are_told_apart_from_near_negatives(void **state)
{
    neap_graph *g = messy_graph(3);
    (void)state;
    for (int kind = NI_UNIFORM; kind <= NI_TWO_HOP; kind++) {
        ni_trial *t = trial_of(g, NI_CLEAN, (ni_negatives)kind, 0.5, 1);
        counting c = { .nodes = MESSY_NODES };
        neap_link_result r = NEAP_SIZED(neap_link_result);
        assert_int_equal(
            ni_link_measure(t, &(ni_scorer){ .score = count_calls, .self = &c }, NULL, &r, NULL), NEAP_OK);
        if (kind == NI_TWO_HOP)
            assert_true(fabs(r.auc_shared - auc_of_near_pairs(t)) < 1e-12 && r.auc_shared != r.auc);
        else assert_true(isnan(r.auc_shared));
        assert_true(r.bins == 0 && isnan(r.brier) && isnan(r.ece) && isnan(r.bin_observed[0]));
        neap_trial_free(t);
    }
    neap_graph_free(g);
}

/* The draw is the seed's, not the scorer's: a scorer that knows the truth ranks all drawn pairs first. */
static void at_most_a_thousand_pairs_are_ranked_among_all_nodes(void **state)
{
    neap_graph *g;
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 200, .edges = 3000, .seed = 1 };
    neap_link_result r = NEAP_SIZED(neap_link_result);
    (void)state;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    struct {
        const ni_trial *trial;
        float sign;
    } knows = { t, 1 };
    assert_int_equal(ni_link_measure(t, &(ni_scorer){ .score = oracle, .self = &knows }, NULL, &r, NULL),
                     NEAP_OK);
    assert_true(r.ranked == 1000 && r.mrr_all == 1 && r.hits_all[0] == 1);
    neap_trial_free(t);
    neap_graph_free(g);
}

static int enough_ranks(const neap_progress *now, void *user)
{
    return now->done > *(const uint64_t *)user ? NEAP_ENOUGH : 0;
}

/* What was ranked until then would be of some sources only. */
static void enough_ranks_leave_the_other_measures(void **state)
{
    neap_graph *g = messy_graph(2);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    uint64_t pairs = t->count + 1;
    counting c = { .nodes = neap_graph_nodes(g) };
    neap_hooks hooks = { .size = sizeof hooks, .progress = enough_ranks, .user = &pairs };
    neap_link_result all, r;
    ni_scorer s = { .score = count_calls, .self = &c };
    (void)state;
    assert_int_equal(ni_link_measure(t, &s, NULL, &all, NULL), NEAP_OK);
    assert_int_equal(ni_link_measure(t, &s, &hooks, &r, NULL), NEAP_OK);
    assert_true(r.auc == all.auc && r.mrr == all.mrr && r.auc_seen == all.auc_seen && all.ranked > 0);
    assert_true(r.ranked == 0 && isnan(r.mrr_all) && isnan(r.hits_all[1]));
    neap_trial_free(t);
    neap_graph_free(g);
}

typedef struct listener {
    uint64_t calls, stop_at, last;
} listener;

static int listen(const neap_progress *now, void *user)
{
    listener *l = user;
    assert_string_equal(now->stage, "score");
    assert_true(now->done >= l->last && now->done <= now->total && now->seconds >= 0);
    assert_true(now->epoch == 0 && isnan(now->loss) && isnan(now->valid_auc) && !now->epoch_end);
    l->last = now->done;
    return ++l->calls == l->stop_at;
}

static void scoring_tells_how_far_it_is_and_can_be_stopped(void **state)
{
    neap_graph *g;
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 200, .edges = 3000, .seed = 1 };
    (void)state;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.6, 1);
    for (int by_source = 0; by_source < 2; by_source++) {
        counting c = { 0 };
        listener l = { 0 };
        neap_hooks hooks = { .size = sizeof hooks, .progress = listen, .user = &l };
        neap_link_result r = { .auc = 7 };
        neap_error err = { 0 };
        ni_scorer s = { .score = count_calls, .self = &c, .by_source = by_source };
        assert_int_equal(ni_link_measure(t, &s, &hooks, &r, NULL), NEAP_OK);
        assert_true(l.calls == c.calls && l.calls > 5 && l.last > t->count / 2);
        l = (listener){ .stop_at = 3 };
        c.calls = 0, r.auc = 7;
        assert_int_equal(ni_link_measure(t, &s, &hooks, &r, &err), NEAP_E_STOPPED);
        assert_true(c.calls == 2 && r.auc == 7 && err.text[0]);
    }
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- training ---- */

static void a_training_part_that_is_too_small_names_the_ratio(void **state)
{
    const neap_edge edge[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 1 } };
    neap_graph *g;
    neap_model *m;
    neap_error err = { 0 };
    neap_options *o = options_of("neap", "method", "gap", "dim", "4", "epochs", "1", NULL);
    (void)state;
    assert_int_equal(neap_graph_create(6, NULL, edge, 5, 0, 0, &g, NULL), NEAP_OK);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.2, 1);
    assert_int_equal(neap_trial_train(t, o, NULL, &m, &err), NEAP_E_FORMAT);
    assert_true(!m && strstr(err.text, "20 %") && strstr(err.text, "1 edge ") &&
                strstr(err.text, "larger ratio"));
    neap_options_free(o);
    neap_trial_free(t);
    neap_graph_free(g);
}

/* The pairs that a trial keeps back are those that training would keep back by itself. */
static void validation_pairs_of_a_trial_are_those_of_training(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        neap_graph *g = messy_graph(4);
        ni_trial *t = trial_of(g, protocol, NI_UNIFORM, 0.8, 1), *bare;
        neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "6", "seed", "1", NULL);
        neap_model *m, *same;
        assert_int_equal(ni_trial_create(g, protocol, NI_UNIFORM, NULL, 0.8, 1, &bare, NULL), NEAP_OK);
        assert_int_equal(neap_trial_train(t, o, NULL, &m, NULL), NEAP_OK);
        assert_int_equal(neap_trial_train(bare, o, NULL, &same, NULL), NEAP_OK);
        assert_int_equal(m->epochs, same->epochs);
        assert_same_tensors(m, same);
        neap_model_free(m);
        neap_model_free(same);
        neap_options_free(o);
        neap_trial_free(t);
        neap_trial_free(bare);
        neap_graph_free(g);
    }
}

static void pairs_to_hold_back_must_be_pairs_of_nodes(void **state)
{
    neap_graph *g = messy_graph(1);
    neap_options *o = options_of("neap", "method", "gap", "dim", "4", "epochs", "1", NULL);
    const neap_pair good[] = { { 0, 1 } }, bad[] = { { 0, MESSY_NODES } };
    const struct {
        const neap_pair *positives, *negatives;
        size_t count;
    } wrong[] = { { good, good, 0 }, { bad, good, 1 }, { good, bad, 1 } };
    neap_model *m;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        neap_error err = { 0 };
        neap_data data = { .size = sizeof data,
                           .graph = g,
                           .valid_positives = wrong[i].positives,
                           .valid_negatives = wrong[i].negatives,
                           .valid_count = wrong[i].count };
        assert_int_equal(neap_train(&data, o, NULL, &m, &err), NEAP_E_ARG);
        assert_true(!m && err.text[0]);
    }
    neap_options_free(o);
    neap_graph_free(g);
}

static void training_once_more_uses_all_pairs_for_the_epochs_found(void **state)
{
    neap_graph *g = messy_graph(3);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.8, 1);
    neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "6", NULL);
    neap_model *first = train_on(t->train, o, NULL), *m, *same;
    neap_link_result r = NEAP_SIZED(neap_link_result);
    char epochs[16];
    (void)state;
    assert_int_equal(neap_trial_train(t, o, NULL, &m, NULL), NEAP_OK);
    snprintf(epochs, sizeof epochs, "%u", first->epochs);
    set_options(o, "valid", "0", "epochs", epochs, NULL);
    same = train_on(t->train, o, NULL);
    assert_same_tensors(m, same);
    assert_int_equal(neap_trial_measure(t, m, NULL, &r, NULL), NEAP_OK);
    assert_true(r.auc > 0 && r.auc < 1 && r.mrr > 0 && r.hits[0] <= r.hits[1] && r.hits[1] <= r.hits[2]);
    neap_model_free(first);
    neap_model_free(m);
    neap_model_free(same);
    neap_options_free(o);
    neap_trial_free(t);
    neap_graph_free(g);
}

static neap_status own_score(void *self, const neap_pair *pairs, size_t count, float *scores,
                             neap_error *err)
{
    return neap_model_score(self, pairs, count, scores, err);
}

/* Vectors are compared where they are averages over contexts; others may score a pair in their own way. */
static void the_papers_protocols_compare_averages_where_there_are_any(void **state)
{
    static const char *const methods[] = { "gap", "goat", "attentivewalk", "splitter" };
    neap_graph *g = messy_graph(3);
    ni_trial *t = trial_of(g, NI_PAPER_CLEAN, NI_UNIFORM, 0.8, 1);
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        neap_options *o = options_of("neap", "method", methods[i], "dim", "8", "epochs", "2", NULL);
        float vectors[MESSY_NODES * 8];
        neap_link_result r = NEAP_SIZED(neap_link_result), by_vectors = r, own = r;
        neap_model *m;
        assert_int_equal(neap_trial_train(t, o, NULL, &m, NULL), NEAP_OK);
        assert_int_equal(neap_model_vectors(m, vectors, NULL), NEAP_OK);
        assert_int_equal(neap_trial_measure(t, m, NULL, &r, NULL), NEAP_OK);
        assert_int_equal(neap_trial_measure_vectors(t, vectors, 8, 0, NULL, &by_vectors, NULL), NEAP_OK);
        assert_int_equal(
            ni_link_measure(t, &(ni_scorer){ .score = own_score, .self = m }, NULL, &own, NULL), NEAP_OK);
        assert_true(own.auc != by_vectors.auc);
        assert_true(r.auc == (i < 2 ? by_vectors.auc : own.auc));
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_trial_free(t);
    neap_graph_free(g);
}

/* ---- given ---- */

static neap_status give(const neap_graph *train, const neap_pair *positive, size_t positives,
                        const neap_pair *negative, size_t negatives, ni_trial **out, neap_error *err)
{
    neap_given_pairs pairs = { sizeof pairs, positive, negative, positives, negatives, 0, 1 };
    return neap_trial_from_pairs(&(neap_data){ .size = sizeof(neap_data), .graph = train }, &pairs, out,
                                 err);
}

static neap_link_result result_of(const ni_trial *t, const char *method)
{
    neap_options *o = options_of("neap", "method", method, NULL);
    neap_link_result r = NEAP_SIZED(neap_link_result);
    neap_model *m;
    assert_int_equal(neap_trial_train(t, o, NULL, &m, NULL), NEAP_OK);
    assert_int_equal(neap_trial_measure(t, m, NULL, &r, NULL), NEAP_OK);
    neap_model_free(m);
    neap_options_free(o);
    return r;
}

/* What the clean protocol drew, given in any order, measures the same; popularity scores by source. */
static void pairs_of_a_clean_split_that_are_given_measure_the_same(void **state)
{
    static const char *const methods[] = { "popularity", "ppr", "fastrp" };
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        neap_graph *g = messy_graph_of(seed, seed == 3, seed % 2);
        ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.8, 1), *same;
        for (size_t i = 0, j = t->count - 1; i < j; i++, j--) {
            neap_pair swap = t->negative[i];
            t->negative[i] = t->negative[j], t->negative[j] = swap;
        }
        assert_int_equal(give(t->train, t->positive, t->count, t->negative, t->count, &same, NULL),
                         NEAP_OK);
        ni_trial *clean = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.8, 1);
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            neap_link_result a = result_of(clean, methods[k]), b = result_of(same, methods[k]);
            assert_true(a.auc == b.auc && a.ap == b.ap && a.mrr == b.mrr && a.mrr_all == b.mrr_all);
            assert_true(a.auc_seen == b.auc_seen || (isnan(a.auc_seen) && isnan(b.auc_seen)));
        }
        neap_trial_free(clean);
        neap_trial_free(same);
        neap_trial_free(t);
        neap_graph_free(g);
    }
}

static void given_negatives_need_not_be_as_many_as_test_pairs(void **state)
{
    neap_graph *g = messy_graph(2);
    ni_trial *t = trial_of(g, NI_CLEAN, NI_UNIFORM, 0.8, 1), *few;
    (void)state;
    assert_int_equal(give(t->train, t->positive, t->count, t->negative, 3, &few, NULL), NEAP_OK);
    neap_link_result r = result_of(few, "pa");
    double wins = 0;
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < 3; k++) {
            neap_pair p = t->positive[i], n = t->negative[k];
            uint64_t a = ni_degree(&t->seen, p.source) * ni_degree(&t->seen, p.target),
                     b = ni_degree(&t->seen, n.source) * ni_degree(&t->seen, n.target);
            wins += a > b ? 1 : a == b ? 0.5 : 0;
        }
    assert_float_equal(r.auc, wins / (3 * (double)t->count), 1e-12);
    neap_trial_free(few);
    neap_trial_free(t);
    neap_graph_free(g);
}

static void a_given_test_pair_counts_once_in_whatever_order(void **state)
{
    static const neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 1 } };
    static const neap_pair links[] = { { 2, 0 }, { 1, 3 }, { 0, 2 }, { 1, 3 } },
                           others[] = { { 0, 3 }, { 3, 0 } };
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_graph *g;
        ni_trial *t;
        assert_int_equal(neap_graph_create(6, NULL, edges, 5, 0, undirected, &g, NULL), NEAP_OK);
        assert_int_equal(give(g, links, 4, others, 2, &t, NULL), NEAP_OK);
        assert_int_equal(t->count, undirected ? 2 : 3);
        assert_int_equal(t->negatives, 2); /* as they were drawn */
        neap_trial_free(t);
        neap_graph_free(g);
    }
}

static void given_pairs_that_are_no_test_are_refused(void **state)
{
    static const neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 1 } };
    static const neap_pair link = { 0, 2 }, other = { 0, 3 }, trained = { 1, 2 }, loop = { 2, 2 },
                           stranger = { 0, 9 };
    const struct {
        neap_pair positive, negative;
        size_t positives, negatives;
        neap_status rc;
    } wrong[] = {
        { trained, other, 1, 1, NEAP_E_LEAK }, { link, trained, 1, 1, NEAP_E_FORMAT },
        { link, link, 1, 1, NEAP_E_FORMAT },   { loop, other, 1, 1, NEAP_E_FORMAT },
        { link, loop, 1, 1, NEAP_E_FORMAT },   { stranger, other, 1, 1, NEAP_E_ARG },
        { link, stranger, 1, 1, NEAP_E_ARG },  { link, other, 0, 1, NEAP_E_FORMAT },
        { link, other, 1, 0, NEAP_E_FORMAT },  { link, other, 1, 1, NEAP_OK },
    };
    neap_graph *g;
    (void)state;
    assert_int_equal(neap_graph_create(6, NULL, edges, 5, 0, 0, &g, NULL), NEAP_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        neap_error err = { 0 };
        ni_trial *t;
        assert_int_equal(give(g, &wrong[i].positive, wrong[i].positives, &wrong[i].negative,
                              wrong[i].negatives, &t, &err),
                         wrong[i].rc);
        assert_true(wrong[i].rc ? !t && err.text[0] : t != NULL);
        if (t) assert_int_equal(neap_trial_save(t, "given", &err), NEAP_E_ARG);
        neap_trial_free(t);
    }
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_split_parts_the_edges_and_its_seed_says_how),
        cmocka_unit_test(a_wrong_spec_is_refused_with_words),
        cmocka_unit_test(clean_negatives_are_no_links_of_the_whole_graph),
        cmocka_unit_test(kinds_of_negatives_are_what_they_say),
        cmocka_unit_test(the_papers_split_keeps_what_it_keeps),
        cmocka_unit_test(who_knows_the_truth_is_perfect_and_who_knows_nothing_ties),
        cmocka_unit_test(clean_metrics_are_those_computed_by_hand),
        cmocka_unit_test(the_papers_metric_is_that_computed_by_hand),
        cmocka_unit_test(vectors_score_by_product_or_cosine),
        cmocka_unit_test(the_length_of_vectors_means_nothing_to_the_cosine),
        cmocka_unit_test(negatives_are_scored_in_blocks_that_keep_sources_together),
        cmocka_unit_test(the_order_of_scoring_does_not_change_the_result),
        cmocka_unit_test(ranks_among_all_nodes_are_those_of_the_definition),
        cmocka_unit_test(near_pairs_are_told_apart_from_near_negatives),
        cmocka_unit_test(at_most_a_thousand_pairs_are_ranked_among_all_nodes),
        cmocka_unit_test(enough_ranks_leave_the_other_measures),
        cmocka_unit_test(scoring_tells_how_far_it_is_and_can_be_stopped),
        cmocka_unit_test(a_training_part_that_is_too_small_names_the_ratio),
        cmocka_unit_test(validation_pairs_of_a_trial_are_those_of_training),
        cmocka_unit_test(pairs_to_hold_back_must_be_pairs_of_nodes),
        cmocka_unit_test(training_once_more_uses_all_pairs_for_the_epochs_found),
        cmocka_unit_test(the_papers_protocols_compare_averages_where_there_are_any),
        cmocka_unit_test(pairs_of_a_clean_split_that_are_given_measure_the_same),
        cmocka_unit_test(given_negatives_need_not_be_as_many_as_test_pairs),
        cmocka_unit_test(a_given_test_pair_counts_once_in_whatever_order),
        cmocka_unit_test(given_pairs_that_are_no_test_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
