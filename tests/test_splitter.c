/* splitter: it learns circles that overlap, repeats itself to the bit, goes on after an interruption in
 * either of its parts, and refuses files that are not its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "scratch.h"
#include "settings.h"
#include "tamper.h"

#include "base/rng.h"
#include "methods/persona_scores.h"

/* ---- a small world ---- */

enum { GROUPS = 12, NODES = 120 };

/* Everybody is in two of twelve groups; pairs with a common group are linked four times in ten. */
static neap_graph *clubs(uint64_t seed, int weighted, int undirected)
{
    neap_edge edge[NODES * NODES];
    uint64_t count = 0;
    neap_graph *g;
    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t v = 0; v < NODES; v++) {
            uint32_t a = u % GROUPS, b = (u / GROUPS + u + 1) % GROUPS, c = v % GROUPS,
                     d = (v / GROUPS + v + 1) % GROUPS;
            bool common = a == c || a == d || b == c || b == d;
            ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, u, v);
            if (u < v && ni_uniform(&rng) < (common ? 0.4 : 0.005))
                edge[count++] = (neap_edge){ u, v, (float)(1 + u % 3) };
        }
    assert_int_equal(neap_graph_create(NODES, NULL, edge, count, weighted, undirected, &g, NULL), NEAP_OK);
    return g;
}

static neap_options *small(const char *more, const char *value)
{
    return options_of("neap", "method", "splitter", "personas", "labels", "dim", "16", "epochs", "2",
                      "walks", "4", "walk-length", "12", "threads", "2", more, value, NULL);
}

static neap_model *train_small(const neap_graph *g, const char *more, const char *value)
{
    return trained(g, small(more, value));
}

static const ni_splitter *personas_of(const neap_model *m)
{
    return m->own;
}

/* How a pair is scored, which training does not depend on. */
static void score_by(const neap_model *m, uint32_t persona_score)
{
    ((ni_splitter_options *)m->settings->own)->persona_score = persona_score;
}

static void assert_same_bytes(const neap_model *a, const neap_model *b)
{
    size_t n;
    assert_int_equal(neap_model_save(a, "a", NULL), NEAP_OK);
    assert_int_equal(neap_model_save(b, "b", NULL), NEAP_OK);
    char *bytes = scratch_bytes("a", &n);
    scratch_expect("b", bytes, n);
    free(bytes);
}

/* ---- learning ---- */

static void it_learns_groups_that_overlap(void **state)
{
    static const char *const choices[][2] = { { "personas", "labels" },
                                              { "personas", "components" },
                                              { "persona-score", "average" },
                                              { "loss", "hs" } };
    neap_graph *g = clubs(1, 0, 1);
    neap_split *s;
    (void)state;
    assert_int_equal(neap_split_create(g, 0.2, 1, &s, NULL), NEAP_OK);
    for (int i = 0; i < 4; i++) {
        neap_options *o = options_of("neap", "method", "splitter", "dim", "16", choices[i][0],
                                     choices[i][1], "epochs", "2", "walks", "4", "walk-length", "16", NULL);
        neap_model *m = train_on(neap_split_train(s), o, NULL);
        double auc = test_auc(s, m);
        if (!(auc > 0.6)) fail_msg("%s %s reaches only %f", choices[i][0], choices[i][1], auc);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_split_free(s);
    neap_graph_free(g);
}

static void validation_keeps_the_best_epoch_of_the_personas(void **state)
{
    neap_graph *g = clubs(2, 0, 1);
    neap_model *m = train_small(g, "valid", "0.2");
    (void)state;
    assert_true(m->valid_auc > 0.5);
    assert_in_range(m->epochs, 1, 2);
    neap_model_free(m);
    neap_graph_free(g);
}

/* ---- the regulariser ---- */

static double likelihood(const double *x, const float *y, int n, double lambda)
{
    double z = 0;
    for (int i = 0; i < n; i++) z += x[i] * (double)y[i];
    return -lambda * log1p(exp(-z));
}

static ni_splitter three_personas(uint32_t *owner, float *before, float *vector)
{
    return (ni_splitter){ .E = before, .vectors = vector, .personas = { .count = 3, .owner = owner } };
}

static void a_pull_goes_along_the_gradient(void **state)
{
    enum { DIM = 5 };
    uint32_t owner[] = { 0, 0, 1 };
    float before[2 * DIM] = { 0.3f, -0.7f, 0.2f, 1.1f, -0.4f, -0.5f, 0.9f, 0.1f, -0.2f, 0.6f };
    const double rate = 1e-3, lambda = 0.7, h = 1e-5;
    float vector[3 * DIM], start[3 * DIM];
    ni_splitter own = three_personas(owner, before, vector);
    neap_model m = { .own = &own, .dim = DIM };
    ni_threads *threads;
    (void)state;
    assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
    for (int i = 0; i < 3 * DIM; i++) start[i] = vector[i] = (float)sin(i + 1);
    ni_personas_pull(&m, 0, 3, rate * lambda, threads);
    for (int i = 0; i < 3 * DIM; i++) {
        double x[DIM];
        const float *y = before + owner[i / DIM] * DIM;
        for (int k = 0; k < DIM; k++) x[k] = (double)start[i / DIM * DIM + k];
        x[i % DIM] += h;
        double slope = likelihood(x, y, DIM, lambda);
        x[i % DIM] -= 2 * h;
        slope = (slope - likelihood(x, y, DIM, lambda)) / (2 * h);
        assert_float_equal((double)(vector[i] - start[i]) / rate, slope, 2e-4);
    }
    ni_threads_free(threads);
}

/* Pulls 5 .. 11 of three personas: all twice, and number 2, at which they begin, once more. */
static void pulls_go_round(void **state)
{
    uint32_t owner[] = { 0, 0, 0 };
    float before[] = { 1 }, vector[3] = { 0 }, by_one[3] = { 0 };
    ni_splitter own[] = { three_personas(owner, before, vector), three_personas(owner, before, by_one) };
    neap_model m = { .own = &own[0], .dim = 1 }, one = { .own = &own[1], .dim = 1 };
    ni_threads *threads;
    (void)state;
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    ni_personas_pull(&m, 5, 12, 0.1, threads);
    for (uint64_t j = 5; j < 12; j++) ni_personas_pull(&one, j, j + 1, 0.1, threads);
    assert_memory_equal(vector, by_one, sizeof vector);
    assert_true(vector[0] == vector[1] && vector[2] > vector[0] && vector[0] > 0);
    ni_threads_free(threads);
}

static double cosine(const float *x, const float *y, uint32_t n)
{
    double xy = 0, xx = 0, yy = 0;
    for (uint32_t k = 0; k < n; k++) {
        xy += (double)x[k] * (double)y[k];
        xx += (double)x[k] * (double)x[k];
        yy += (double)y[k] * (double)y[k];
    }
    return xy / sqrt(xx * yy);
}

/* The mean cosine between personas and what their owners' vectors were. */
static double nearness(const neap_model *m)
{
    const ni_splitter *s = personas_of(m);
    double sum = 0;
    for (uint32_t p = 0; p < s->personas.count; p++)
        sum += cosine(s->vectors + p * m->dim, s->E + s->personas.owner[p] * m->dim, m->dim);
    return sum / s->personas.count;
}

static void a_larger_lambda_keeps_personas_nearer(void **state)
{
    neap_graph *g = clubs(3, 0, 1);
    neap_model *free_ones = train_small(g, "lambda", "0"), *bound = train_small(g, "lambda", "100");
    (void)state;
    assert_true(nearness(bound) > nearness(free_ones) + 0.05);
    neap_model_free(free_ones);
    neap_model_free(bound);
    neap_graph_free(g);
}

static void no_epochs_give_personas_like_their_owners(void **state)
{
    neap_graph *g = clubs(3, 0, 1);
    neap_model *m = train_small(g, "epochs", "0");
    const ni_splitter *s = personas_of(m);
    (void)state;
    for (uint32_t p = 0; p < s->personas.count; p++)
        assert_memory_equal(s->vectors + p * m->dim, s->E + s->personas.owner[p] * m->dim,
                            m->dim * sizeof(float));
    neap_model_free(m);
    neap_graph_free(g);
}

/* ---- the same bits ---- */

static void threads_do_not_change_a_byte(void **state)
{
    neap_graph *g = clubs(4, 1, 0);
    neap_model *one = train_small(g, "threads", "1"), *two = train_small(g, "threads", "2");
    neap_model *four = train_small(g, "threads", "4"), *other = train_small(g, "seed", "2");
    (void)state;
    assert_same_bytes(one, two);
    assert_same_bytes(one, four);
    assert_memory_not_equal(personas_of(one)->vectors, personas_of(other)->vectors, 64);
    neap_model_free(one);
    neap_model_free(two);
    neap_model_free(four);
    neap_model_free(other);
    neap_graph_free(g);
}

typedef struct stopper {
    unsigned calls, stop_at;
} stopper;

static int stop_at(const neap_progress *now, void *user)
{
    stopper *s = user;
    (void)now;
    return ++s->calls == s->stop_at;
}

static void look_for_personas(const char *key, const char *value, void *found)
{
    (void)value;
    if (!strcmp(key, "tensor.persona.vectors")) *(bool *)found = true;
}

typedef struct listener {
    uint32_t epoch, epochs, ends;
    double seconds;
    char note[100];
} listener;

static int listen(const neap_progress *now, void *user)
{
    listener *l = user;
    assert_int_equal(now->epochs, 4);
    assert_true(now->epoch >= l->epoch && now->seconds >= l->seconds && now->left >= 0);
    l->epoch = now->epoch;
    l->seconds = now->seconds;
    l->ends += (uint32_t)now->epoch_end;
    return 0;
}

static void read_note(const char *text, void *user)
{
    listener *l = user;
    snprintf(l->note, sizeof l->note, "%s", text);
}

static void both_parts_are_heard_of_as_one(void **state)
{
    neap_graph *g = clubs(5, 0, 1);
    neap_options *o = small("epochs", "2");
    listener l = { 0 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = listen, .note = read_note, .user = &l };
    char expected[100];
    (void)state;
    neap_model *m = train_on(g, o, &hooks);
    assert_int_equal(l.epoch, 4);
    assert_int_equal(l.ends, 4);
    snprintf(expected, sizeof expected, "%d nodes have %u personas", NODES, personas_of(m)->personas.count);
    assert_string_equal(l.note, expected);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

/* Stopped again and again, in both of its parts: each checkpoint is valid, and the end is the same. */
static void a_run_stopped_again_and_again_ends_in_the_same_model(void **state)
{
    static const char *const choices[][2] = { { "valid", "0.1" }, { "loss", "both" } };
    neap_graph *g = clubs(5, 0, 1);
    neap_data data = { .size = sizeof data, .graph = g };
    (void)state;
    for (int i = 0; i < 2; i++) {
        neap_options *o = small(choices[i][0], choices[i][1]);
        neap_model *whole = train_on(g, o, NULL), *pieces = NULL;
        unsigned stops = 0, second = 0;
        for (neap_status rc = NEAP_E_STOPPED; rc != NEAP_OK;) {
            stopper s = { 0, 11 };
            neap_hooks hooks = {
                .size = sizeof hooks, .progress = stop_at, .user = &s, .checkpoint = "run", .resume = 1
            };
            neap_error err = { 0 };
            rc = neap_train(&data, o, &hooks, &pieces, &err);
            if (rc != NEAP_OK && rc != NEAP_E_STOPPED) fail_msg("%s", err.text);
            bool personas = false;
            if (neap_file_check("run", look_for_personas, &personas, &err)) fail_msg("%s", err.text);
            stops += rc == NEAP_E_STOPPED;
            second += rc == NEAP_E_STOPPED && personas;
        }
        assert_true(second >= 2 && stops >= second + 2);
        assert_same_bytes(whole, pieces);
        neap_model_free(whole);
        neap_model_free(pieces);
        neap_options_free(o);
        remove("run");
    }
    neap_graph_free(g);
}

/* A model with other personas than those it was trained with could not be read again. */
static void a_checkpoint_with_other_personas_is_refused(void **state)
{
    neap_graph *g = clubs(5, 0, 1);
    neap_options *o = small("valid", "0");
    stopper s = { 0, 11 };
    neap_hooks hooks = {
        .size = sizeof hooks, .progress = stop_at, .user = &s, .checkpoint = "run", .resume = 1
    };
    neap_error err = { 0 };
    uint32_t owner = 1;
    (void)state;
    for (bool personas = false; !personas; s.calls = 0) {
        assert_int_equal(train_status(g, o, &hooks, &err), NEAP_E_STOPPED);
        if (neap_file_check("run", look_for_personas, &personas, &err)) fail_msg("%s", err.text);
    }
    tamper_data("run", "persona.owners", 0, &owner, sizeof owner);
    assert_int_equal(train_status(g, o, &hooks, &err), NEAP_E_MISMATCH);
    remove("run");
    neap_options_free(o);
    neap_graph_free(g);
}

/* ---- answers ---- */

/* The largest cosine between personas of u and v, and their mean. */
static void cosines_of(const neap_model *m, uint32_t u, uint32_t v, double *most, double *mean)
{
    const ni_personas *p = &personas_of(m)->personas;
    const float *vectors = personas_of(m)->vectors;
    *most = -2, *mean = 0;
    for (uint32_t i = p->offset[u]; i < p->offset[u + 1]; i++)
        for (uint32_t j = p->offset[v]; j < p->offset[v + 1]; j++) {
            double one = cosine(vectors + i * m->dim, vectors + j * m->dim, m->dim);
            *most = fmax(*most, one);
            *mean += one / ni_personas_of(p, u) / ni_personas_of(p, v);
        }
}

static void a_score_is_the_largest_cosine_or_their_mean(void **state)
{
    neap_graph *g = clubs(6, 0, 1);
    neap_model *m = train_small(g, "seed", "1");
    neap_pair pairs[NODES];
    float by_max[NODES], by_mean[NODES];
    (void)state;
    for (uint32_t t = 0; t < NODES; t++) pairs[t] = (neap_pair){ t * 7 % NODES, t };
    assert_int_equal(neap_model_score(m, pairs, NODES, by_max, NULL), NEAP_OK);
    score_by(m, NI_PERSONAS_AVERAGE);
    assert_int_equal(neap_model_score(m, pairs, NODES, by_mean, NULL), NEAP_OK);
    for (uint32_t t = 0; t < NODES; t++) {
        double most, mean;
        cosines_of(m, pairs[t].source, pairs[t].target, &most, &mean);
        assert_float_equal((double)by_max[t], most, 1e-5);
        assert_float_equal((double)by_mean[t], mean, 1e-5);
        assert_true((double)by_max[t] >= (double)by_mean[t] - 1e-6);
    }
    neap_model_free(m);
    neap_graph_free(g);
}

/* Every leaf is a circle of its own. */
static neap_graph *two_stars(uint32_t leaves)
{
    neap_edge *edge = calloc(2 * (size_t)leaves, sizeof *edge);
    neap_graph *g;
    for (uint32_t i = 0; i < 2 * leaves; i++) edge[i] = (neap_edge){ i % 2, 2 + i, 1 };
    assert_int_equal(neap_graph_create(2 + 2 * leaves, NULL, edge, 2 * leaves, 0, 1, &g, NULL), NEAP_OK);
    free(edge);
    return g;
}

static int stop_now(const neap_progress *now, void *user)
{
    (void)user;
    return !strcmp(now->stage, "score");
}

/* Hubs take another way, all threads together: the same answers, for any number of them. */
static void hubs_with_many_personas_are_compared_by_products(void **state)
{
    enum { LEAVES = 300, DIM = 16 };
    neap_graph *g = two_stars(LEAVES);
    neap_model *m = train_small(g, "personas", "components");
    neap_pair pairs[] = { { 0, 1 }, { 1, 0 }, { 2, 3 }, { 0, 5 }, { 0, 0 } };
    enum { COUNT = sizeof pairs / sizeof *pairs };
    float first[COUNT], sources[2][COUNT][DIM], targets[COUNT][DIM], suited[2 + 2 * LEAVES][DIM];
    (void)state;
    assert_int_equal(ni_personas_of(&personas_of(m)->personas, 0), LEAVES);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        neap_query *q = query_of(m, threads);
        neap_scores *scores;
        assert_int_equal(neap_query_score(q, pairs, COUNT, &scores, NULL), NEAP_OK);
        assert_int_equal(
            neap_query_pair_vectors(q, pairs, COUNT, sources[threads > 1][0], targets[0], NULL), NEAP_OK);
        assert_int_equal(neap_query_vectors(q, NULL, 0, 1, suited[0], NULL), NEAP_OK);
        assert_memory_equal(suited[0], sources[threads > 1][0], sizeof suited[0]); /* the pair (0, 1) */
        for (int i = 0; i < COUNT; i++) {
            double most, mean;
            cosines_of(m, pairs[i].source, pairs[i].target, &most, &mean);
            assert_float_equal((double)scores->score[i], most, 1e-5);
            assert_float_equal(cosine(sources[threads > 1][i], targets[i], DIM), most, 1e-5);
        }
        if (threads == 1) memcpy(first, scores->score, sizeof first);
        assert_memory_equal(scores->score, first, sizeof first);
        neap_scores_free(scores);
        neap_query_free(q);
    }
    assert_memory_equal(sources[0], sources[1], sizeof sources[0]);
    neap_model_free(m);
    neap_graph_free(g);
}

/* Of many pairs of hubs, and between the blocks of one. */
static void a_question_about_hubs_can_be_stopped(void **state)
{
    enum { LEAVES = 300, PAIRS = 20000 };
    neap_graph *g = two_stars(LEAVES);
    neap_model *m = train_small(g, "personas", "components");
    neap_pair *pairs = calloc(PAIRS, sizeof *pairs);
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_now };
    neap_query_spec spec = { .size = sizeof spec, .threads = 2, .hooks = &hooks };
    neap_query *q;
    neap_scores *scores;
    (void)state;
    for (int i = 0; i < PAIRS; i++) pairs[i].target = 1;
    assert_int_equal(neap_query_create(m, &spec, &q, NULL), NEAP_OK);
    assert_int_equal(neap_query_score(q, pairs, PAIRS, &scores, NULL), NEAP_E_STOPPED);
    assert_null(scores);
    neap_query_free(q);
    free(pairs);
    neap_model_free(m);
    neap_graph_free(g);
}

static void a_node_has_the_mean_of_its_personas_or_the_one_that_suits_a_context(void **state)
{
    enum { DIM = 16, CONTEXT = 3 };
    neap_graph *g = clubs(6, 0, 1);
    neap_model *m = train_small(g, "seed", "1");
    float plain[NODES][DIM], suited[NODES][DIM];
    neap_query *q = query_of(m, 2);
    const ni_personas *p = &personas_of(m)->personas;
    const float *vectors = personas_of(m)->vectors;
    unsigned several = 0;
    (void)state;
    assert_int_equal(neap_model_vectors(m, plain[0], NULL), NEAP_OK);
    assert_int_equal(neap_query_vectors(q, NULL, 0, CONTEXT, suited[0], NULL), NEAP_OK);
    for (uint32_t u = 0; u < NODES; u++) {
        double sum = 0, most, mean, best = -2;
        bool own = false;
        for (uint32_t i = p->offset[u]; i < p->offset[u + 1]; i++) {
            sum += (double)vectors[i * DIM] / ni_personas_of(p, u);
            own |= !memcmp(suited[u], vectors + i * DIM, sizeof suited[u]);
        }
        for (uint32_t j = p->offset[CONTEXT]; j < p->offset[CONTEXT + 1]; j++)
            best = fmax(best, cosine(suited[u], vectors + j * DIM, DIM));
        cosines_of(m, u, CONTEXT, &most, &mean);
        assert_float_equal((double)plain[u][0], sum, 1e-5);
        assert_true(own);
        assert_float_equal(best, most, 1e-5);
        several += ni_personas_of(p, u) > 1;
    }
    assert_true(several > NODES / 2);
    neap_query_free(q);
    neap_model_free(m);
    neap_graph_free(g);
}

static void assert_side(const neap_reasons *r, float score)
{
    double weight = 0, contribution = 0;
    for (uint32_t i = 0; i < r->count; i++)
        weight += (double)r->weight[i], contribution += (double)r->contribution[i];
    assert_float_equal(weight, 1, 1e-5);
    assert_float_equal(contribution, (double)score, 1e-5);
}

/* The two circles that decide have all attention, or all circles have the same; an alignment is a cosine.
 */
static void circles_explain_a_score(void **state)
{
    neap_graph *g = clubs(6, 0, 1);
    neap_model *m = train_small(g, "seed", "1");
    (void)state;
    for (uint32_t t = 1; t < 2 * NODES; t++) {
        neap_pair pair = { t * 7 % NODES, t % NODES };
        neap_explanation *why;
        float score;
        score_by(m, t < NODES ? NI_PERSONAS_MAX : NI_PERSONAS_AVERAGE);
        assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
        assert_int_equal(neap_model_explain(m, pair.source, pair.target, &why, NULL), NEAP_OK);
        assert_float_equal((double)why->score, (double)score, 1e-5);
        assert_int_equal(why->by_source->count, why->source_links);
        assert_true(why->circles && !why->selects && why->by_source->partner[0] == NEAP_NONE);
        assert_side(why->by_source, score);
        assert_side(why->by_target, score);
        if (t < NODES) assert_float_equal((double)why->alignment[0], (double)score, 1e-5);
        neap_explanation_free(why);
    }
    neap_model_free(m);
    neap_graph_free(g);
}

static void circles_of_another_training_explain_nothing(void **state)
{
    neap_graph *g = clubs(6, 0, 1);
    neap_model *m = train_small(g, "valid", "0.2");
    neap_explanation *why;
    neap_error err;
    (void)state;
    assert_int_equal(neap_model_explain(m, 0, 1, &why, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "--valid"));
    assert_null(why);
    neap_model_free(m);
    neap_graph_free(g);
}

/* A node that an extension brought has one persona, the mean of its neighbours'. */
static void new_nodes_are_scored_like_their_neighbours(void **state)
{
    static const char *const names[] = { "newcomer", "5", "8" };
    const neap_edge edge[] = { { 0, 1, 1 } };
    neap_graph *g = clubs(6, 0, 1), *more;
    neap_model *old = train_small(g, "persona-score", "average"), *m;
    neap_pair pairs[] = { { NODES, 8 }, { NODES, 5 } };
    float scores[2], *vectors = malloc((NODES + 1) * 16 * sizeof *vectors);
    (void)state;
    assert_int_equal(neap_graph_create(2, names, edge, 1, 0, 1, &more, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = more };
    assert_int_equal(neap_model_extend(old, &data, &m, NULL, NULL), NEAP_OK);
    neap_query *q = query_of(m, 2);
    assert_int_equal(neap_model_vectors(m, vectors, NULL), NEAP_OK);
    for (uint32_t k = 0; k < 16; k++)
        assert_float_equal((double)vectors[NODES * 16 + k], (double)vectors[5 * 16 + k], 1e-6);
    assert_int_equal(neap_model_score(m, pairs, 2, scores, NULL), NEAP_OK);
    assert_true(scores[1] > scores[0]);
    assert_int_equal(neap_query_vectors(q, NULL, 0, NODES, vectors, NULL), NEAP_OK);
    free(vectors);
    neap_query_free(q);
    neap_model_free(old);
    neap_model_free(m);
    neap_graph_free(more);
    neap_graph_free(g);
}

/* ---- files ---- */

static void a_model_comes_back_the_same(void **state)
{
    neap_graph *g = clubs(7, 1, 0);
    neap_model *m = train_small(g, "seed", "1"), *back;
    neap_pair pairs[] = { { 0, 1 }, { 2, 50 }, { 89, 3 } };
    float before[3], after[3];
    (void)state;
    assert_int_equal(neap_model_save(m, "model", NULL), NEAP_OK);
    assert_int_equal(neap_file_check("model", NULL, NULL, NULL), NEAP_OK);
    assert_int_equal(neap_model_load("model", NULL, &back, NULL), NEAP_OK);
    assert_int_equal(neap_model_score(m, pairs, 3, before, NULL), NEAP_OK);
    assert_int_equal(neap_model_score(back, pairs, 3, after, NULL), NEAP_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_same_bytes(m, back);
    neap_model_free(m);
    neap_model_free(back);
    neap_graph_free(g);
}

static void assert_refused(const char *words)
{
    neap_model *m;
    neap_error err = { 0 };
    assert_int_equal(neap_model_load("model", NULL, &m, &err), NEAP_E_FORMAT);
    assert_null(m);
    if (!strstr(err.text, words)) fail_msg("'%s' does not speak of %s", err.text, words);
    assert_int_equal(neap_file_check("model", NULL, NULL, NULL), NEAP_E_FORMAT);
}

static void put(const neap_model *m)
{
    assert_int_equal(neap_model_save(m, "model", NULL), NEAP_OK);
}

static void owners_and_vectors_that_do_not_fit_are_refused(void **state)
{
    neap_graph *g = clubs(7, 0, 1);
    neap_model *m = train_small(g, "epochs", "0");
    uint32_t count = personas_of(m)->personas.count, beyond = NODES, one = 1, zero = 0;
    const float infinite = INFINITY;
    (void)state;
    put(m);
    tamper_data("model", "persona.owners", 4 * (size_t)(count - 1), &beyond, 4);
    assert_refused("personas");
    put(m);
    tamper_data("model", "persona.owners", 4 * (size_t)(count - 1), &zero, 4);
    assert_refused("personas");
    put(m);
    tamper_data("model", "persona.owners", 0, &one, 4);
    assert_refused("personas");
    put(m);
    tamper_data("model", "persona.vectors", 8, &infinite, 4);
    assert_refused("persona.vectors");
    put(m);
    tamper_header("model", "\"option.dim\":\"16\"",
                  "\"option.dim\":\"8\""); /* the tensors stay as they are */
    assert_refused("E");
    neap_model_free(m);
    neap_graph_free(g);
}

/* All personas but one for each node are given to the first, which has fewer links. */
static void more_personas_than_links_are_refused(void **state)
{
    neap_graph *g = clubs(7, 0, 1);
    neap_model *m = train_small(g, "epochs", "0");
    uint32_t count = personas_of(m)->personas.count, spare = count - NODES, owner;
    (void)state;
    assert_true(spare + 1 > ni_degree(&m->links, 0));
    put(m);
    for (uint32_t i = 0; i < count; i++) {
        owner = i <= spare ? 0 : i - spare;
        tamper_data("model", "persona.owners", 4 * (size_t)i, &owner, 4);
    }
    assert_refused("personas");
    neap_model_free(m);
    neap_graph_free(g);
}

static void a_model_without_personas_or_with_those_of_another_method_is_refused(void **state)
{
    neap_graph *g = clubs(7, 0, 1);
    neap_model *m = train_small(g, "epochs", "0");
    ni_declared *vectors = ni_declared_find(&m->tensors->list, "persona.vectors");
    float *data = vectors->data;
    (void)state;
    vectors->data = NULL;
    put(m);
    assert_refused("persona.vectors");
    vectors->data = data;
    put(m);
    tamper_header("model", "\"method\":\"splitter\"", "\"method\":\"deepwalk\"");
    assert_refused("has no option 'personas'");
    tamper_header("model", "\"option.personas\":\"labels\",", "");
    tamper_header("model", "\"option.lambda\":\"0.1\",", "");
    tamper_header("model", "\"option.persona-score\":\"max\",", "");
    assert_refused("persona.");
    neap_model_free(m);
    neap_graph_free(g);
}

/* ---- odd graphs ---- */

static void assert_trains(uint32_t nodes, const neap_edge *edges, uint64_t count, int weighted,
                          int undirected, uint32_t personas)
{
    neap_graph *g;
    assert_int_equal(neap_graph_create(nodes, NULL, edges, count, weighted, undirected, &g, NULL), NEAP_OK);
    for (int way = 0; way < 2; way++) {
        neap_model *m = train_small(g, "personas", way ? "components" : "labels");
        float *vectors = malloc(nodes * m->dim * sizeof *vectors), score;
        neap_pair ends = { 0, nodes - 1 };
        assert_int_equal(personas_of(m)->personas.count, personas);
        assert_int_equal(neap_model_vectors(m, vectors, NULL), NEAP_OK);
        for (uint32_t i = 0; i < nodes * m->dim; i++) assert_true(isfinite(vectors[i]));
        assert_int_equal(neap_model_score(m, &ends, 1, &score, NULL), NEAP_OK);
        assert_true(score >= -1.0001f && score <= 1.0001f);
        free(vectors);
        neap_model_free(m);
    }
    neap_graph_free(g);
}

static void stars_sinks_loops_components_and_lonely_nodes_are_no_trouble(void **state)
{
    const neap_edge star[] = { { 0, 1, 1 }, { 0, 2, 2 }, { 0, 3, 3 } };
    const neap_edge sinks[] = {
        { 0, 1, 1 }, { 1, 1, 5 }, { 0, 2, 1 }, { 2, 1, 1 }, { 4, 3, 1 }, { 4, 4, 1 }
    };
    const neap_edge loop[] = { { 0, 0, 1 } };
    neap_graph *g;
    neap_error err;
    neap_options *o = small("seed", "1");
    (void)state;
    assert_trains(4, star, 3, 1, 1, 6);
    assert_trains(6, star, 3, 0, 0, 8);
    assert_trains(6, sinks, 6, 1, 0, 6);
    assert_int_equal(neap_graph_create(2, NULL, loop, 1, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(train_status(g, o, NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "nothing to learn from"));
    neap_graph_free(g);
    neap_options_free(o);
}

/* ---- memory ---- */

typedef struct scene {
    const neap_graph *graph;
    const neap_options *options;
} scene;

static neap_status whole_way(void *user, neap_error *err)
{
    const scene *s = user;
    neap_model *m = NULL, *back = NULL;
    neap_pair pair = { 0, 1 };
    float score;
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .resume = 1 };
    neap_data data = { .size = sizeof data, .graph = s->graph };
    neap_status rc = neap_train(&data, s->options, &hooks, &m, err);
    if (rc == NEAP_OK) rc = neap_model_save(m, "model", err);
    if (rc == NEAP_OK) rc = neap_model_load("model", NULL, &back, err);
    if (rc == NEAP_OK) rc = neap_model_score(back, &pair, 1, &score, err);
    neap_model_free(m);
    neap_model_free(back);
    return rc;
}

/* From the start, where each run leaves its checkpoints to the next; then from a checkpoint of the end. */
static void no_memory_is_an_error_on_the_whole_way(void **state)
{
    const neap_edge edge[] = { { 0, 1, 1 }, { 1, 2, 2 }, { 0, 2, 3 }, { 2, 3, 1 }, { 3, 4, 1 } };
    neap_graph *g;
    neap_options *o = small("valid", "0.2");
    scene s = { .options = o };
    (void)state;
    assert_int_equal(neap_options_set(o, "threads", "1", NULL), NEAP_OK);
    faults_skip_fsync();
    assert_int_equal(neap_graph_create(5, NULL, edge, 5, 1, 1, &g, NULL), NEAP_OK);
    s.graph = g;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, whole_way, faults_expect_memory, &s) > 50);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, whole_way, faults_expect_memory, &s) > 50);
    neap_graph_free(g);
    neap_options_free(o);
}

static neap_status explain_one(void *user, neap_error *err)
{
    neap_explanation *why;
    neap_status rc = neap_model_explain(user, 0, 1, &why, err);
    neap_explanation_free(why);
    return rc;
}

static void no_memory_is_an_error_when_explaining(void **state)
{
    neap_graph *g = clubs(6, 0, 1);
    neap_model *m = train_small(g, "personas", "labels");
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, explain_one, faults_expect_memory, m) > 10);
    neap_model_free(m);
    neap_graph_free(g);
}

/* What `neap estimate` says is no less than what is used. */
static void the_memory_of_a_run_is_foreseen(void **state)
{
    neap_graph *g = clubs(8, 1, 1);
    neap_options *o = small("valid", "0.2");
    neap_data data = { .size = sizeof data, .graph = g };
    neap_estimate_result r = NEAP_SIZED(neap_estimate_result);
    (void)state;
    assert_int_equal(neap_estimate(&data, o, &r, NULL), NEAP_OK);
    faults_peak();
    neap_model *m = train_on(g, o, NULL);
    assert_true(faults_peak() <= r.bytes);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_learns_groups_that_overlap),
        TEST(validation_keeps_the_best_epoch_of_the_personas),
        TEST(a_pull_goes_along_the_gradient),
        TEST(pulls_go_round),
        TEST(a_larger_lambda_keeps_personas_nearer),
        TEST(no_epochs_give_personas_like_their_owners),
        TEST(threads_do_not_change_a_byte),
        TEST(both_parts_are_heard_of_as_one),
        TEST(a_run_stopped_again_and_again_ends_in_the_same_model),
        TEST(a_checkpoint_with_other_personas_is_refused),
        TEST(a_score_is_the_largest_cosine_or_their_mean),
        TEST(hubs_with_many_personas_are_compared_by_products),
        TEST(a_question_about_hubs_can_be_stopped),
        TEST(a_node_has_the_mean_of_its_personas_or_the_one_that_suits_a_context),
        TEST(circles_explain_a_score),
        TEST(circles_of_another_training_explain_nothing),
        TEST(new_nodes_are_scored_like_their_neighbours),
        TEST(a_model_comes_back_the_same),
        TEST(owners_and_vectors_that_do_not_fit_are_refused),
        TEST(more_personas_than_links_are_refused),
        TEST(a_model_without_personas_or_with_those_of_another_method_is_refused),
        TEST(stars_sinks_loops_components_and_lonely_nodes_are_no_trouble),
        TEST(no_memory_is_an_error_on_the_whole_way),
        TEST(no_memory_is_an_error_when_explaining),
        TEST(the_memory_of_a_run_is_foreseen),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
