/* What the header promises of queries, and of models, which never change. It sees neap.h alone. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cblas.h>
#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

static neap_model *the_model; /* gap, directed */
static neap_query *the_query;

static int world_enter(void **state)
{
    if (scratch_enter(state)) return -1;
    the_model = trained("gap", 0);
    the_query = query_of(the_model, 1);
    return 0;
}

static int world_leave(void **state)
{
    neap_query_free(the_query);
    neap_model_free(the_model);
    return scratch_leave(state);
}

/* ---- queries: scores ---- */

static const char *const methods[] = { "gap", "goat",       "deepwalk", "splitter",
                                       "pa",  "popularity", "katz",     "line" };

static void a_query_scores_as_the_simple_call_does(void **state)
{
    neap_pair pairs[PAIRS];
    float simple[PAIRS];
    neap_error err;
    (void)state;
    list_pairs(pairs);
    for (size_t i = 0; i < 2 * COUNT(methods); i++) {
        neap_model *m = trained(methods[i / 2], i % 2);
        neap_query *q = query_of(m, 2);
        neap_scores *scores, *none;
        must(neap_model_score(m, pairs, PAIRS, simple, &err), &err);
        for (int again = 0; again < 2; again++) {
            must(neap_query_score(q, pairs, PAIRS, &scores, &err), &err);
            assert_int_equal(scores->count, PAIRS);
            assert_memory_equal(scores->score, simple, sizeof simple);
            neap_scores_free(scores);
        }
        for (int k = 0; k < PAIRS;
             k += 13) { /* one at a time: other tiles, so the last bits may be others */
            must(neap_query_score(q, pairs + k, 1, &scores, &err), &err);
            close_to((double)scores->score[0], (double)simple[k]);
            neap_scores_free(scores);
        }
        must(neap_query_score(q, NULL, 0, &none, &err), &err);
        assert_int_equal(none->count, 0);
        neap_scores_free(none);
        neap_query_free(q);
        neap_model_free(m);
    }
}

/* ---- queries: rankings ---- */

static neap_ranking *ranked(neap_query *q, neap_rank_spec spec)
{
    neap_ranking *r;
    neap_error err;
    spec.size = sizeof spec;
    must(neap_query_rank(q, &spec, &r, &err), &err);
    assert_int_equal(r->sources, spec.source_count);
    assert_int_equal(r->start[0], 0);
    assert_int_equal(r->start[r->sources], r->count);
    for (size_t i = 0; i < r->sources; i++)
        for (size_t k = r->start[i] + 1; k < r->start[i + 1]; k++)
            assert_true(r->score[k - 1] > r->score[k] ||
                        (r->score[k - 1] == r->score[k] && r->node[k - 1] < r->node[k]));
    return r;
}

static const uint32_t some_sources[] = { 7, 0, N - 1, 7, 20 };

/* Part i of a ranking is the same as another ranking of one source. */
static void same_part(const neap_ranking *all, size_t i, const neap_ranking *one)
{
    size_t count = all->start[i + 1] - all->start[i];
    assert_int_equal(count, one->count);
    assert_memory_equal(all->node + all->start[i], one->node, count * sizeof *one->node);
    assert_memory_equal(all->score + all->start[i], one->score, count * sizeof *one->score);
}

static void check_sources(const neap_model *m, neap_query *q, int by)
{
    neap_rank_spec spec = { .sources = some_sources, .source_count = 5, .k = 2, .by = by };
    neap_ranking *all = ranked(q, spec), *one, *simple;
    for (size_t s = 0; s < 5; s++) {
        spec.sources = some_sources + s;
        spec.source_count = 1;
        one = ranked(q, spec);
        same_part(all, s, one);
        neap_ranking_free(one);
        if (by == NEAP_BY_COSINE) continue;
        assert_int_equal(neap_model_rank(m, some_sources[s], 2, 0, &simple, NULL), NEAP_OK);
        same_part(all, s, simple);
        neap_ranking_free(simple);
    }
    neap_ranking_free(all);
}

static void many_sources_are_ranked_as_one_by_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(methods); i++) {
        neap_model *m = trained(methods[i / 2], i % 2);
        neap_query *q = query_of(m, 2);
        check_sources(m, q, NEAP_BY_SCORE);
        if (neap_method_find(methods[i / 2])->vectors) check_sources(m, q, NEAP_BY_COSINE);
        neap_query_free(q);
        neap_model_free(m);
    }
}

static bool is_candidate(const neap_rank_spec *spec, uint32_t node)
{
    for (size_t i = 0; i < spec->candidate_count; i++)
        if (spec->candidates[i] == node) return true;
    return false;
}

/* Of each source those of all that are candidates, in their order and with the same bits. */
static void check_candidates(neap_query *q, const neap_ranking *all, neap_rank_spec spec)
{
    neap_ranking *r = ranked(q, spec);
    for (size_t s = 0; s < spec.source_count; s++) {
        size_t at = r->start[s];
        for (size_t k = all->start[s]; k < all->start[s + 1]; k++) {
            if (!is_candidate(&spec, all->node[k])) continue;
            assert_true(at < r->start[s + 1]);
            assert_int_equal(r->node[at], all->node[k]);
            assert_true(r->score[at] == all->score[k]);
            at++;
        }
        assert_int_equal(at, r->start[s + 1]);
    }
    neap_ranking_free(r);
}

static void given_candidates_are_ranked_as_among_all(void **state)
{
    uint32_t few[] = { 30, 2, 11, 5 }, most[N - 3];
    (void)state;
    for (uint32_t t = 0; t < N - 3; t++) most[t] = N - 1 - t;
    for (size_t i = 0; i < 2 * COUNT(methods); i++) {
        neap_model *m = trained(methods[i / 2], i % 2);
        neap_query *q = query_of(m, 1);
        for (int way = 0; way < (neap_method_find(methods[i / 2])->vectors ? 4 : 2); way++) {
            neap_rank_spec spec = { .sources = some_sources,
                                    .source_count = 3,
                                    .k = N,
                                    .with_known = way % 2,
                                    .by = way / 2 ? NEAP_BY_COSINE : NEAP_BY_SCORE };
            neap_ranking *all = ranked(q, spec);
            spec.candidates = few;
            spec.candidate_count = COUNT(few);
            check_candidates(q, all, spec);
            spec.candidates = most;
            spec.candidate_count = COUNT(most);
            check_candidates(q, all, spec);
            neap_ranking_free(all);
        }
        neap_query_free(q);
        neap_model_free(m);
    }
}

static double cosine(const float *x, const float *y)
{
    double xy = 0, xx = 0, yy = 0;
    for (int k = 0; k < DIM; k++)
        xy += (double)x[k] * y[k], xx += (double)x[k] * x[k], yy += (double)y[k] * y[k];
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static void a_cosine_is_that_of_the_vectors(void **state)
{
    float vectors[N * DIM];
    neap_error err;
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (!neap_method_find(methods[i])->vectors) continue;
        neap_model *m = trained(methods[i], 0);
        neap_query *q = query_of(m, 1);
        neap_rank_spec spec = {
            .sources = some_sources, .source_count = 3, .k = N, .with_known = 1, .by = NEAP_BY_COSINE
        };
        must(neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, &err), &err);
        neap_ranking *r = ranked(q, spec);
        assert_int_equal(r->count, 3 * N);
        for (size_t s = 0; s < 3; s++)
            for (size_t k = r->start[s]; k < r->start[s + 1]; k++)
                close_to((double)r->score[k],
                         cosine(vectors + some_sources[s] * DIM, vectors + r->node[k] * DIM));
        neap_ranking_free(r);
        neap_query_free(q);
        neap_model_free(m);
    }
}

/* A node without links has the zero vector in gap: its cosine with everybody is 0. */
static void a_zero_vector_has_the_cosine_zero(void **state)
{
    neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 0, 1 }, { 0, 4, 1 } };
    neap_graph *g;
    neap_model *m;
    neap_error err;
    neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "1", "valid", "0", NULL);
    (void)state;
    must(neap_graph_create(6, NULL, edges, 5, 0, 0, &g, &err), &err);
    neap_data data = { .size = sizeof data, .graph = g };
    must(neap_train(&data, o, NULL, &m, &err), &err);
    neap_query *q = query_of(m, 1);
    neap_rank_spec spec = {
        .sources = &(uint32_t){ 5 }, .source_count = 1, .k = 6, .with_known = 1, .by = NEAP_BY_COSINE
    };
    neap_ranking *r = ranked(q, spec);
    assert_int_equal(r->count, 6);
    for (size_t k = 0; k < 6; k++) assert_true(r->score[k] == 0 && r->node[k] == k);
    neap_ranking_free(r);
    neap_query_free(q);
    neap_model_free(m);
    neap_graph_free(g);
    neap_options_free(o);
}

static void a_ranking_may_be_longer_than_the_graph_or_empty(void **state)
{
    const uint32_t five = 5, none = 0;
    (void)state;
    const size_t large[] = { N, N + 1, 100000, SIZE_MAX };
    for (size_t i = 0; i < COUNT(large); i++) {
        neap_rank_spec spec = { .sources = &five, .source_count = 1, .k = large[i], .with_known = 1 };
        neap_ranking *r = ranked(the_query, spec);
        assert_int_equal(r->count, N);
        neap_ranking_free(r);
        spec.by = NEAP_BY_COSINE;
        r = ranked(the_query, spec);
        assert_int_equal(r->count, N);
        neap_ranking_free(r);
    }
    neap_rank_spec nobody = { .k = 3 };
    neap_ranking *r = ranked(the_query, nobody);
    assert_int_equal(r->sources, 0);
    assert_int_equal(r->count, 0);
    neap_ranking_free(r);
    neap_rank_spec no_candidates = { .sources = &five, .source_count = 1, .candidates = &none, .k = 3 };
    r = ranked(the_query, no_candidates);
    assert_int_equal(r->count, 0);
    neap_ranking_free(r);
    neap_rank_spec itself = {
        .sources = &five, .source_count = 1, .candidates = &five, .candidate_count = 1, .k = 3
    };
    r = ranked(the_query, itself);
    assert_int_equal(r->count, 0);
    neap_ranking_free(r);
    neap_rank_spec all = {
        .sources = &five, .source_count = 1, .candidate_count = 7, .k = N, .with_known = 1
    };
    r = ranked(the_query, all); /* NULL: all nodes, whatever the number says */
    assert_int_equal(r->count, N);
    neap_ranking_free(r);
}

static void bad_questions_are_refused_with_words(void **state)
{
    const uint32_t one = 1, unknown[] = { 1, N };
    const neap_rank_spec bad[] = {
        { .sources = &one, .source_count = 1, .k = 0 },
        { .sources = &one, .source_count = 1, .k = 1, .by = 2 },
        { .sources = &one, .source_count = 1, .k = 1, .by = -1 },
        { .sources = NULL, .source_count = 1, .k = 1 },
    };
    const neap_rank_spec stranger[] = {
        { .sources = unknown, .source_count = 2, .k = 1 },
        { .sources = &one, .source_count = 1, .candidates = unknown, .candidate_count = 2, .k = 1 },
    };
    const neap_pair pairs[] = { { 1, 2 }, { 1, N } }, turned[] = { { NEAP_NONE, 1 } };
    neap_ranking *r = (neap_ranking *)&one;
    neap_scores *scores = (neap_scores *)&one;
    neap_explanation *why = (neap_explanation *)&one;
    float room[2 * DIM], other[2 * DIM];
    (void)state;
#define REFUSED(call, expected)                                                                            \
    do {                                                                                                   \
        neap_error err = { 0 };                                                                            \
        assert_int_equal(call, expected);                                                                  \
        assert_int_equal(err.code, expected);                                                              \
        assert_true(strlen(err.text) > 10);                                                                \
    } while (0)
    for (size_t i = 0; i < COUNT(bad); i++) {
        neap_rank_spec spec = bad[i];
        spec.size = sizeof spec;
        REFUSED(neap_query_rank(the_query, &spec, &r, &err), NEAP_E_ARG);
        assert_null(r);
    }
    for (size_t i = 0; i < COUNT(stranger); i++) {
        neap_rank_spec spec = stranger[i];
        spec.size = sizeof spec;
        REFUSED(neap_query_rank(the_query, &spec, &r, &err), NEAP_E_UNKNOWN);
        assert_null(r);
    }
    REFUSED(neap_query_score(the_query, pairs, 2, &scores, &err), NEAP_E_UNKNOWN);
    assert_null(scores);
    REFUSED(neap_query_score(the_query, turned, 1, &scores, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_model_score(the_model, pairs, 2, room, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_model_rank(the_model, N, 1, 0, &r, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_query_vectors(the_query, unknown, 2, NEAP_NONE, room, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_query_vectors(the_query, unknown, 1, N, room, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_query_vectors(the_query, NULL, 0, N, room, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_query_pair_vectors(the_query, pairs, 2, room, other, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_query_explain(the_query, 1, N, &why, &err), NEAP_E_UNKNOWN);
    assert_null(why);
    REFUSED(neap_model_explain(the_model, N, 1, &why, &err), NEAP_E_UNKNOWN);
    REFUSED(neap_query_create(NULL, NULL, &(neap_query *){ NULL }, &err), NEAP_E_ARG);
    neap_query_free(NULL);
    neap_scores_free(NULL);
    neap_ranking_free(NULL);

    /* Without err, too. */
    assert_int_equal(neap_query_score(the_query, pairs, 2, &scores, NULL), NEAP_E_UNKNOWN);
}

static void a_method_without_vectors_says_so(void **state)
{
    const uint32_t one = 1;
    neap_pair pair = { 1, 2 };
    float room[DIM], other[DIM];
    neap_ranking *r;
    neap_explanation *why;
    (void)state;
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *info = neap_method_at(i);
        if (info->vectors) continue;
        neap_model *m = trained(info->name, 0);
        neap_query *q = query_of(m, 1);
        neap_model_facts facts = NEAP_SIZED(neap_model_facts);
        neap_rank_spec spec = {
            .size = sizeof spec, .sources = &one, .source_count = 1, .k = 2, .by = NEAP_BY_COSINE
        };
        REFUSED(neap_query_vectors(q, NULL, 0, NEAP_NONE, room, &err), NEAP_E_ARG);
        REFUSED(neap_query_vectors(q, &one, 1, NEAP_NONE, room, &err), NEAP_E_ARG);
        REFUSED(neap_query_vectors(q, &one, 1, 2, room, &err), NEAP_E_ARG);
        REFUSED(neap_query_pair_vectors(q, &pair, 1, room, other, &err), NEAP_E_ARG);
        REFUSED(neap_query_rank(q, &spec, &r, &err), NEAP_E_ARG);
        REFUSED(neap_query_explain(q, 1, 2, &why, &err), NEAP_E_ARG);
        assert_int_equal(neap_model_facts_of(m, &facts, NULL), NEAP_OK);
        assert_int_equal(facts.dim, 0);
        neap_query_free(q);
        neap_model_free(m);
    }
    neap_model *m = trained("deepwalk", 0); /* has vectors, but no contexts */
    neap_query *q = query_of(m, 1);
    REFUSED(neap_query_vectors(q, NULL, 0, 3, room, &err), NEAP_E_ARG);
    REFUSED(neap_query_explain(q, 1, 2, &why, &err), NEAP_E_ARG);
    neap_query_free(q);
    neap_model_free(m);
}

/* ---- queries: vectors ---- */

static void vectors_of_some_nodes_are_rows_of_all(void **state)
{
    const uint32_t nodes[] = { 9, 3, 9, 0, N - 1 };
    float all[N * DIM], some[5 * DIM];
    neap_error err;
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(methods); i++) {
        const neap_method_info *info = neap_method_find(methods[i / 2]);
        if (!info->vectors) continue;
        neap_model *m = trained(info->name, i % 2);
        neap_query *q = query_of(m, 2);
        const uint32_t contexts[] = { NEAP_NONE, 4 };
        for (int c = 0; c < (info->context ? 2 : 1); c++) {
            must(neap_query_vectors(q, NULL, 77, contexts[c], all, &err), &err);
            must(neap_query_vectors(q, nodes, 5, contexts[c], some, &err), &err);
            for (int k = 0; k < 5; k++)
                assert_memory_equal(some + k * DIM, all + nodes[k] * DIM, DIM * sizeof *all);
            must(neap_query_vectors(q, nodes, 0, contexts[c], some, &err), &err); /* of none */
        }
        must(neap_query_vectors(q, NULL, 0, NEAP_NONE, all, &err), &err);
        float simple[N * DIM];
        must(neap_model_vectors(m, simple, &err), &err);
        assert_memory_equal(all, simple, sizeof all);
        neap_query_free(q);
        neap_model_free(m);
    }
}

static double product(const float *x, const float *y)
{
    double sum = 0;
    for (int k = 0; k < DIM; k++) sum += (double)x[k] * (double)y[k];
    return sum;
}

/* In gap and goat a score is the product of the two vectors. In an undirected model the score is the mean
 * of the products of both orders, while the vectors are means themselves: their product is another number,
 * but the vectors do not depend on the order, and neither does the score. The vector of a source is that in
 * the context of the target. */
static void the_vectors_of_a_pair_make_its_score(void **state)
{
    neap_pair pairs[PAIRS], turned[PAIRS];
    float scores[PAIRS], s[PAIRS * DIM], t[PAIRS * DIM], s2[PAIRS * DIM], t2[PAIRS * DIM],
        in_context[N * DIM];
    neap_error err;
    (void)state;
    list_pairs(pairs);
    for (int i = 0; i < PAIRS; i++) turned[i] = (neap_pair){ pairs[i].target, pairs[i].source };
    for (int i = 0; i < 4; i++) {
        int undirected = i % 2;
        bool differ = false;
        neap_model *m = trained(i / 2 ? "goat" : "gap", undirected);
        neap_query *q = query_of(m, 1);
        must(neap_query_pair_vectors(q, pairs, PAIRS, s, t, &err), &err);
        must(neap_query_pair_vectors(q, turned, PAIRS, s2, t2, &err), &err);
        must(neap_model_score(m, pairs, PAIRS, scores, &err), &err);
        must(neap_query_vectors(q, NULL, 0, 1, in_context, &err), &err);
        for (int k = 0; k < PAIRS; k++) {
            if (!undirected) close_to(product(s + k * DIM, t + k * DIM), (double)scores[k]);
            for (int j = 0; undirected && j < DIM; j++) {
                close_to((double)s[k * DIM + j], (double)t2[k * DIM + j]);
                close_to((double)t[k * DIM + j], (double)s2[k * DIM + j]);
            }
            for (int j = 0; pairs[k].target == 1 && j < DIM; j++)
                close_to((double)s[k * DIM + j], (double)in_context[pairs[k].source * DIM + (uint32_t)j]);
            differ |= memcmp(s + k * DIM, s, DIM * sizeof *s) != 0 && pairs[k].source == pairs[0].source;
        }
        assert_true(differ); /* a node has another vector with each partner */
        neap_query_free(q);
        neap_model_free(m);
    }
}

static void without_contexts_the_vectors_of_a_pair_are_those_of_its_nodes(void **state)
{
    static const char *const plain[] = { "deepwalk", "line", "fastrp" };
    neap_pair pairs[PAIRS];
    float scores[PAIRS], s[PAIRS * DIM], t[PAIRS * DIM], vectors[N * DIM];
    neap_error err;
    (void)state;
    list_pairs(pairs);
    for (size_t i = 0; i < 2 * COUNT(plain); i++) {
        neap_model *m = trained(plain[i / 2], i % 2);
        neap_query *q = query_of(m, 1);
        must(neap_query_pair_vectors(q, pairs, PAIRS, s, t, &err), &err);
        must(neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, &err), &err);
        must(neap_model_score(m, pairs, PAIRS, scores, &err), &err);
        for (int k = 0; k < PAIRS; k++) {
            assert_memory_equal(s + k * DIM, vectors + pairs[k].source * DIM, DIM * sizeof *s);
            assert_memory_equal(t + k * DIM, vectors + pairs[k].target * DIM, DIM * sizeof *t);
            close_to(product(s + k * DIM, t + k * DIM), (double)scores[k]);
        }
        must(neap_query_pair_vectors(q, NULL, 0, NULL, NULL, &err), &err);
        neap_query_free(q);
        neap_model_free(m);
    }
}

/* ---- queries: stops, threads, processes ---- */

typedef struct watcher {
    const char *stage;
    int calls, stop; /* which call asks to stop; 0: none */
} watcher;

static int watch(const neap_progress *now, void *user)
{
    watcher *w = user;
    w->calls++;
    w->stage = now->stage;
    return w->calls == w->stop;
}

/* Nobody looks before a tenth of a second has passed, so what is asked for takes a good deal longer. */
static void a_question_can_be_stopped(void **state)
{
    enum { NODES = 1500 };
    static uint32_t sources[NODES];
    static neap_pair pairs[100000];
    static float vectors[NODES * 64];
    neap_generator what = { .size = sizeof what, .kind = "ba", .nodes = NODES, .links = 20, .seed = 1 };
    neap_options *o = options_of("neap", "method", "gap", "dim", "64", "epochs", "0", NULL);
    neap_graph *g;
    neap_model *m;
    neap_query *q;
    neap_scores *scores;
    neap_ranking *r;
    neap_error err = { 0 };
    watcher w = { .stop = 1 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = watch, .user = &w };
    neap_query_spec spec = { .size = sizeof spec, .threads = 1, .hooks = &hooks };
    (void)state;
    must(neap_graph_generate(&what, &g, &err), &err);
    neap_data data = { .size = sizeof data, .graph = g };
    must(neap_train(&data, o, NULL, &m, &err), &err);
    must(neap_query_create(m, &spec, &q, &err), &err);
    for (uint32_t i = 0; i < NODES; i++) sources[i] = i;
    for (uint32_t i = 0; i < COUNT(pairs); i++) pairs[i] = (neap_pair){ i % 500, i % NODES };
#define STOPPED(call, words, at)                                                                           \
    do {                                                                                                   \
        w = (watcher){ .stop = at };                                                                       \
        assert_int_equal(call, NEAP_E_STOPPED);                                                            \
        assert_int_equal(err.code, NEAP_E_STOPPED);                                                        \
        assert_int_equal(w.calls, at); /* who has said stop is not asked again */                          \
        assert_string_equal(w.stage, words);                                                               \
        assert_non_null(strstr(err.text, words));                                                          \
    } while (0)
    neap_rank_spec best = { .size = sizeof best, .sources = sources, .source_count = NODES, .k = 10 };
    STOPPED(neap_query_rank(q, &best, &r, &err), "rank", 2); /* the first look changes nothing */
    assert_null(r);
    best.k = NODES; /* all scores, not only those that may be among the best */
    STOPPED(neap_query_rank(q, &best, &r, &err), "rank", 1);
    STOPPED(neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, &err), "vectors", 1);
    best.by = NEAP_BY_COSINE;
    STOPPED(neap_query_rank(q, &best, &r, &err), "rank", 1);
    STOPPED(neap_query_score(q, pairs, COUNT(pairs), &scores, &err), "score", 1);
    assert_null(scores);

    /* The query is as good as new. */
    static float again[1000];
    must(neap_query_score(q, pairs, COUNT(again), &scores, &err), &err);
    must(neap_model_score(m, pairs, COUNT(again), again, &err), &err);
    assert_memory_equal(scores->score, again, sizeof again);
    neap_scores_free(scores);
    neap_query_free(q);
    neap_model_free(m);
    neap_graph_free(g);
    neap_options_free(o);
}

/* Hubs 0, 1 and 2 with leaves of their own. */
static neap_graph *three_hubs(void)
{
    enum { SMALL = 2500, LARGE = 8000, LEAVES = 2 * SMALL + LARGE };
    static neap_edge edge[LEAVES];
    neap_graph *g;
    neap_error err = { 0 };
    for (uint32_t i = 0; i < LEAVES; i++)
        edge[i] = (neap_edge){ i < SMALL ? 0 : i < 2 * SMALL ? 1 : 2, 3 + i, 1 };
    must(neap_graph_create(3 + LEAVES, NULL, edge, LEAVES, 0, 1, &g, &err), &err);
    return g;
}

static void an_explanation_of_hubs_can_be_stopped_and_has_a_limit(void **state)
{
    neap_options *o = options_of("neap", "method", "gap", "dim", "64", "epochs", "0", "neighbors", "8192",
                                 "self", "no", NULL);
    neap_graph *g = three_hubs();
    neap_model *m;
    neap_query *q;
    neap_explanation *x;
    neap_error err = { 0 };
    watcher w = { .stop = 1 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = watch, .user = &w };
    neap_query_spec spec = { .size = sizeof spec, .threads = 1, .hooks = &hooks };
    neap_data data = { .size = sizeof data, .graph = g };
    (void)state;
    must(neap_train(&data, o, NULL, &m, &err), &err);
    must(neap_query_create(m, &spec, &q, &err), &err);
    STOPPED(neap_query_explain(q, 0, 1, &x, &err), "explain", 1);
    assert_null(x);
    assert_int_equal(neap_query_explain(q, 0, 2, &x, &err), NEAP_E_LIMIT);
    assert_non_null(strstr(err.text, "2500 and 8000 neighbours"));
    must(neap_query_explain(q, 3, 0, &x, &err), &err);
    neap_explanation_free(x);
    neap_query_free(q);
    neap_model_free(m);
    neap_graph_free(g);
    neap_options_free(o);
}

typedef struct asker {
    neap_query *query;
    neap_pair *pairs;
    float scores[PAIRS], vectors[N * DIM];
    uint32_t best[3 * 5];
    neap_status rc;
} asker;

static void *ask(void *arg)
{
    asker *a = arg;
    for (int i = 0; i < 20 && a->rc == NEAP_OK; i++) {
        neap_scores *scores = NULL;
        neap_ranking *r = NULL;
        neap_rank_spec spec = {
            .size = sizeof spec, .sources = some_sources, .source_count = 3, .k = 5, .with_known = 1
        };
        a->rc = neap_query_score(a->query, a->pairs, PAIRS, &scores, NULL);
        if (a->rc == NEAP_OK) memcpy(a->scores, scores->score, sizeof a->scores);
        if (a->rc == NEAP_OK) a->rc = neap_query_rank(a->query, &spec, &r, NULL);
        if (a->rc == NEAP_OK) memcpy(a->best, r->node, sizeof a->best);
        if (a->rc == NEAP_OK) a->rc = neap_query_vectors(a->query, NULL, 0, NEAP_NONE, a->vectors, NULL);
        neap_scores_free(scores);
        neap_ranking_free(r);
    }
    return NULL;
}

/* And the model is freed by its owner before the first question. */
static void queries_of_one_model_are_asked_at_once(void **state)
{
    static const char *const asked[] = { "gap", "deepwalk", "splitter", "katz" };
    enum { ASKERS = 3 };
    neap_pair pairs[PAIRS];
    (void)state;
    list_pairs(pairs);
    for (size_t i = 0; i < COUNT(asked); i++) {
        bool vectors = neap_method_find(asked[i])->vectors;
        neap_model *m = trained(asked[i], 0);
        asker *a = calloc(ASKERS + 1, sizeof *a);
        pthread_t thread[ASKERS];
        for (int k = 0; k <= ASKERS; k++) a[k].query = query_of(m, (uint32_t)k % 2 + 1), a[k].pairs = pairs;
        neap_model_free(m);
        for (int k = 0; k < ASKERS; k++) assert_int_equal(pthread_create(&thread[k], NULL, ask, &a[k]), 0);
        for (int k = 0; k < ASKERS; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
        ask(&a[ASKERS]); /* alone */
        for (int k = 0; k <= ASKERS; k++) {
            assert_int_equal(a[k].rc, vectors ? NEAP_OK : NEAP_E_ARG);
            assert_memory_equal(a[k].scores, a[ASKERS].scores, sizeof a->scores);
            assert_memory_equal(a[k].best, a[ASKERS].best, sizeof a->best);
            assert_memory_equal(a[k].vectors, a[ASKERS].vectors, sizeof a->vectors);
            neap_query_free(a[k].query);
        }
        free(a);
    }
}

/* A product by OpenBLAS, large enough for its own threads. */
static float multiply_large(void)
{
    enum { SIDE = 160 };
    static float A[SIDE * SIDE], C[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) A[i] = (float)(i % 7);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, A, SIDE, A, SIDE, 0, C,
                SIDE);
    return C[SIDE + 1];
}

/* A child has what it makes itself: threads, OpenBLAS, a training. (The thread sanitizer allows a child no
 * threads of its own.) */
static int work_anew(const neap_model *m, const neap_pair *pairs, const float *expected)
{
#ifdef __SANITIZE_THREAD__
    const uint32_t threads = 1;
    const char *count = "1";
#else
    const uint32_t threads = 3;
    const char *count = "3";
#endif
    neap_error err = { 0 };
    neap_scores *scores;
    neap_query *own;
    neap_model *fresh;
    neap_options *o;
    neap_query_spec spec = { .size = sizeof spec, .threads = threads };
    neap_data data = { .size = sizeof data, .graph = neap_model_graph(m) };
    if (neap_query_create(m, &spec, &own, &err) != NEAP_OK) return 10;
    if (neap_query_score(own, pairs, PAIRS, &scores, &err) != NEAP_OK) return 11;
    if (memcmp(scores->score, expected, PAIRS * sizeof *expected)) return 12;
    neap_scores_free(scores);
    neap_query_free(own);
    if (threads > 1 && !(multiply_large() > 0)) return 13;
    if (neap_options_create("neap", &o, &err) || neap_options_set(o, "method", "gap", &err)) return 14;
    if (neap_options_set(o, "epochs", "1", &err) || neap_options_set(o, "threads", count, &err)) return 15;
    if (neap_train(&data, o, NULL, &fresh, &err) != NEAP_OK) return 16;
    neap_model_free(fresh);
    neap_options_free(o);
    return 0;
}

/* What the child of fork() does with its parent's query; the number of the first thing that is wrong, or 0.
 */
static int child(neap_query *q, const neap_model *m, const neap_pair *pairs, const float *expected)
{
    neap_error err = { 0 };
    neap_scores *scores;
    neap_ranking *r;
    neap_explanation *why;
    neap_query *own;
    float room[N * DIM], other[N * DIM];
    neap_query_spec spec = { .size = sizeof spec, .threads = 1 };
    neap_rank_spec best = { .size = sizeof best, .sources = some_sources, .source_count = 1, .k = 1 };
    if (neap_query_score(q, pairs, PAIRS, &scores, &err) != NEAP_E_ARG || scores) return 1;
    if (!strstr(err.text, "fork")) return 2;
    if (neap_query_rank(q, &best, &r, &err) != NEAP_E_ARG || r) return 3;
    if (neap_query_vectors(q, NULL, 0, NEAP_NONE, room, &err) != NEAP_E_ARG) return 4;
    if (neap_query_pair_vectors(q, pairs, 1, room, other, &err) != NEAP_E_ARG) return 5;
    if (neap_query_explain(q, 1, 2, &why, &err) != NEAP_E_ARG || why) return 6;
    neap_query_free(q); /* ends, although its threads are not here */
    if (neap_query_create(m, &spec, &own, &err) != NEAP_OK) return 7;
    if (neap_query_score(own, pairs, PAIRS, &scores, &err) != NEAP_OK) return 8;
    if (memcmp(scores->score, expected, PAIRS * sizeof *expected)) return 9;
    neap_scores_free(scores);
    neap_query_free(own);
    return work_anew(m, pairs, expected);
}

static void a_query_is_refused_behind_fork(void **state)
{
    static const char *const asked[] = { "gap", "deepwalk", "splitter", "katz" };
    neap_pair pairs[PAIRS];
    float expected[PAIRS];
    neap_error err;
    (void)state;
    list_pairs(pairs);
    for (size_t i = 0; i < COUNT(asked); i++) {
        int status;
        neap_model *m = trained(asked[i], 0);
        neap_query *q = query_of(m, 3);
        neap_scores *scores;
        must(neap_query_score(q, pairs, PAIRS, &scores, &err), &err); /* its threads are under way, */
        assert_true(multiply_large() > 0);                            /* and so are OpenBLAS's      */
        memcpy(expected, scores->score, sizeof expected);
        neap_scores_free(scores);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            _exit(child(q, m, pairs, expected));
        }
        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            fail_msg("%s: the child ended with %d", asked[i], WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        must(neap_query_score(q, pairs, PAIRS, &scores, &err), &err); /* the parent goes on */
        assert_memory_equal(scores->score, expected, sizeof expected);
        neap_scores_free(scores);
        neap_query_free(q);
        neap_model_free(m);
    }
}

/* ---- extensions ---- */

static neap_model *extended(const neap_model *m, neap_extension *report)
{
    const char *names[] = { "newcomer", "3", "4", "lost", "5" };
    neap_edge edges[] = { { 0, 1, 1 }, { 2, 0, 1 }, { 1, 2, 1 }, { 4, 0, 1 } };
    neap_graph *links;
    neap_model *fresh;
    neap_error err;
    must(neap_graph_create(5, names, edges, 4, 0, 0, &links, &err), &err);
    neap_data data = { .size = sizeof data, .graph = links };
    must(neap_model_extend(m, &data, &fresh, report, &err), &err);
    neap_graph_free(links);
    return fresh;
}

/* Everything that is asked of the old nodes. */
typedef struct answers {
    float scores[PAIRS];
    size_t best;
    uint32_t node[N];
    float score[N];
} answers;

static void take_answers(const neap_model *m, answers *a)
{
    neap_pair pairs[PAIRS];
    neap_ranking *r;
    neap_error err;
    list_pairs(pairs);
    memset(a, 0, sizeof *a);
    must(neap_model_score(m, pairs, PAIRS, a->scores, &err), &err);
    must(neap_model_rank(m, 2, N, 0, &r, &err), &err);
    a->best = r->count;
    memcpy(a->node, r->node, r->count * sizeof *r->node);
    memcpy(a->score, r->score, r->count * sizeof *r->score);
    neap_ranking_free(r);
}

/* Vectors of some nodes are rows of all, also where a node came by an extension. */
static void check_rows(const neap_model *m)
{
    const uint32_t nodes[] = { N, 3 };
    float all[(N + 1) * DIM], some[2 * DIM];
    neap_query *q = query_of(m, 1);
    neap_error err;
    must(neap_query_vectors(q, NULL, 0, NEAP_NONE, all, &err), &err);
    must(neap_query_vectors(q, nodes, 2, NEAP_NONE, some, &err), &err);
    for (int i = 0; i < 2; i++)
        assert_memory_equal(some + i * DIM, all + nodes[i] * DIM, DIM * sizeof *all);
    neap_query_free(q);
}

static void an_extension_is_another_model(void **state)
{
    neap_error err;
    (void)state;
    for (size_t i = 0; i < 4 * COUNT(methods); i++) {
        int old_first = i % 2, undirected = i % 4 / 2;
        bool counts_links = !neap_method_find(methods[i / 4])->vectors; /* its scores are of the graph */
        answers before, after;
        neap_extension report = NEAP_SIZED(neap_extension);
        neap_model_facts facts = NEAP_SIZED(neap_model_facts);
        neap_model *m = trained(methods[i / 4], undirected);
        const neap_graph *g = neap_model_graph(m);
        const char *name = neap_graph_name(g, 7), *bytes;
        const uint64_t *offset;
        uint64_t hash = neap_graph_hash(g);
        uint32_t node;
        neap_graph_names(g, &bytes, &offset);
        neap_query *q = query_of(m, 1);
        take_answers(m, &before);
        neap_model *fresh = extended(m, &report);
        assert_int_equal(report.added, 1);
        assert_int_equal(report.unreachable, 1);
        assert_int_equal(report.ignored, 1);

        /* The old model is what it was, and so is what it has lent. */
        take_answers(m, &after);
        assert_memory_equal(&before, &after, sizeof before);
        assert_ptr_equal(neap_model_graph(m), g);
        assert_int_equal(neap_graph_nodes(g), N);
        assert_int_equal(neap_graph_hash(g), hash);
        assert_ptr_equal(neap_graph_name(g, 7), name);
        assert_string_equal(name, "7");
        assert_string_equal(bytes + offset[N - 1], "39");
        assert_int_equal(neap_graph_find(g, "newcomer", &node, NULL), NEAP_E_UNKNOWN);

        /* The new one has one node more, and the same answers for the others. */
        must(neap_model_facts_of(fresh, &facts, &err), &err);
        assert_int_equal(facts.nodes, N + 1);
        assert_int_equal(facts.rows, N);
        must(neap_graph_find(neap_model_graph(fresh), "newcomer", &node, &err), &err);
        assert_int_equal(node, N);
        float again[PAIRS];
        neap_pair pairs[PAIRS];
        list_pairs(pairs);
        must(neap_model_score(fresh, pairs, PAIRS, again, &err), &err);
        if (!counts_links) assert_memory_equal(again, before.scores, sizeof again);
        double newcomer = score_of(fresh, N, 3);
        if (neap_method_find(methods[i / 4])->vectors) check_rows(fresh);
        neap_model *second = extended(fresh, &report); /* who is known by now is not added again */
        assert_int_equal(report.added, 0);

        /* Either may be freed first; a query holds what it needs. */
        const char *late = neap_graph_name(neap_model_graph(fresh), N);
        if (old_first) {
            neap_model_free(m);
            neap_model_free(second);
            assert_true(score_of(fresh, N, 3) == newcomer);
            assert_string_equal(late, "newcomer");
            must(neap_model_save(fresh, "extended", &err), &err); /* and it can be kept */
            neap_model_free(fresh);
            must(neap_model_load("extended", NULL, &fresh, &err), &err);
            assert_true(score_of(fresh, N, 3) == newcomer);
            neap_model_free(fresh);
        } else {
            neap_model_free(fresh);
            take_answers(m, &after);
            assert_memory_equal(&before, &after, sizeof before);
            assert_string_equal(name, "7");
            assert_int_equal(neap_graph_nodes(neap_model_graph(second)), N + 1);
            neap_model_free(m);
            assert_true(score_of(second, N, 3) == newcomer);
            neap_model_free(second);
        }
        neap_scores *scores;
        must(neap_query_score(q, pairs, PAIRS, &scores, &err), &err);
        assert_memory_equal(scores->score, before.scores, sizeof before.scores);
        neap_scores_free(scores);
        neap_query_free(q);
    }
}

/* A newcomer's links, all at once or one after the other. */
static neap_model *with_links(const neap_model *m, const char *const *friends, uint32_t count)
{
    const char *names[4] = { "newcomer" };
    neap_edge edges[3];
    neap_graph *links;
    neap_model *fresh;
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_error err;
    for (uint32_t i = 0; i < count; i++) {
        names[i + 1] = friends[i];
        edges[i] = (neap_edge){ 0, i + 1, 1 };
    }
    must(neap_graph_create(count + 1, names, edges, count, 0, 0, &links, &err), &err);
    neap_data data = { .size = sizeof data, .graph = links };
    must(neap_model_extend(m, &data, &fresh, &report, &err), &err);
    assert_int_equal(report.ignored, 0);
    neap_graph_free(links);
    return fresh;
}

static void a_second_extension_adds_to_the_first(void **state)
{
    static const char *const friends[] = { "3", "11", "20" };
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        neap_model *m = trained(methods[i], 0), *once = with_links(m, friends, 3);
        neap_model *first = with_links(m, friends, 2), *second = with_links(first, friends + 2, 1);
        int differs = 0;
        for (uint32_t t = 0; t < N; t++) {
            if (score_of(second, N, t) != score_of(once, N, t))
                fail_msg("%s: the new link is lost", methods[i]);
            differs += score_of(second, N, t) != score_of(first, N, t);
        }
        assert_true(differs);
        neap_model_free(m);
        neap_model_free(first);
        neap_model_free(second);
        neap_model_free(once);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_scores_as_the_simple_call_does),
        cmocka_unit_test(many_sources_are_ranked_as_one_by_one),
        cmocka_unit_test(given_candidates_are_ranked_as_among_all),
        cmocka_unit_test(a_cosine_is_that_of_the_vectors),
        cmocka_unit_test(a_zero_vector_has_the_cosine_zero),
        cmocka_unit_test(a_ranking_may_be_longer_than_the_graph_or_empty),
        cmocka_unit_test(bad_questions_are_refused_with_words),
        cmocka_unit_test(a_method_without_vectors_says_so),
        cmocka_unit_test(vectors_of_some_nodes_are_rows_of_all),
        cmocka_unit_test(the_vectors_of_a_pair_make_its_score),
        cmocka_unit_test(without_contexts_the_vectors_of_a_pair_are_those_of_its_nodes),
        cmocka_unit_test(a_question_can_be_stopped),
        cmocka_unit_test(an_explanation_of_hubs_can_be_stopped_and_has_a_limit),
        cmocka_unit_test(queries_of_one_model_are_asked_at_once),
        cmocka_unit_test(a_query_is_refused_behind_fork),
        cmocka_unit_test(an_extension_is_another_model),
        cmocka_unit_test(a_second_extension_adds_to_the_first),
    };
    return cmocka_run_group_tests(tests, world_enter, world_leave);
}
