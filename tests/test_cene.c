/* CENE: the loss of a batch is the formula and its gradient are slopes of it; text predicts links; a new
 * node is its text. (test_methods.c has what every method promises.) */
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
#include "texts.h"

#include "base/rng.h"
#include "methods/cene_arcs.h"
#include "model/model.h"

enum { N = 40, D = 6, WORDS = 30, K = 2, TEXT_K = 3, ARCS = 50, READERS = 35 };
#define WEIGHT 0.7

/* ---- a batch ---- */

typedef struct world {
    neap_graph *graph;
    ni_links links;
    ni_texts texts;
    uint64_t offset[N + 1];
    uint32_t word[N * 9];
    float E[N * D], W[WORDS * D];
    uint32_t nodes[ARCS * (2 + K)], readers[READERS], others[READERS * TEXT_K];
    ni_cene_batch batch;
} world;

/* A ring with chords; texts of 0 to 8 words, with repetitions. */
static void make_data(world *w)
{
    neap_edge edge[2 * N];
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 0);
    for (uint32_t u = 0; u < N; u++) {
        edge[2 * u] = (neap_edge){ u, (u + 1) % N, 1 };
        edge[2 * u + 1] = (neap_edge){ u, (u + 7) % N, 1 };
        w->offset[u + 1] = w->offset[u] + u % 9;
    }
    for (uint64_t i = 0; i < w->offset[N]; i++) w->word[i] = (uint32_t)ni_below(&rng, WORDS);
    assert_int_equal(neap_graph_create(N, NULL, edge, (size_t)2 * N, 0, 0, &w->graph, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
    w->texts = (ni_texts){ .nodes = N, .offset = w->offset, .word = w->word };
    w->texts.words.count = WORDS;
}

static uint32_t with_text(ni_rng *rng)
{
    uint32_t u = (uint32_t)ni_below(rng, N);
    return u % 9 ? u : u + 1;
}

/* Some of the others are a reader's own text or a neighbour's, which do not count. */
static world *world_create(void)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, 0, 0);
    assert_non_null(w);
    make_data(w);
    for (uint32_t i = 0; i < N * D; i++) w->E[i] = (float)ni_normal(&rng) * 0.5F;
    for (uint32_t i = 0; i < WORDS * D; i++) w->W[i] = (float)ni_normal(&rng) * 0.5F;
    for (uint32_t i = 0; i < ARCS * (2 + K); i++) w->nodes[i] = (uint32_t)ni_below(&rng, N);
    for (uint32_t i = 0; i < READERS; i++) w->readers[i] = with_text(&rng);
    for (uint32_t i = 0; i < READERS * TEXT_K; i++) w->others[i] = with_text(&rng);
    w->others[0] = w->readers[0];
    w->others[1] = (w->readers[1] + 1) % N % 9 ? (w->readers[1] + 1) % N : w->others[1];
    w->batch = (ni_cene_batch){ w->nodes, ARCS, w->readers, READERS, w->others };
    return w;
}

static void world_free(world *w)
{
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    free(w);
}

/* ---- the formula, in doubles ---- */

static double minus_log_s(double z)
{
    return log1p(exp(-z));
}

static double product(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Of a node and the text of v. */
static double text_score(const world *w, const double *E, const double *W, uint32_t u, uint32_t v)
{
    double c[D] = { 0 }, size = (double)(w->offset[v + 1] - w->offset[v]);
    for (uint64_t i = w->offset[v]; i < w->offset[v + 1]; i++)
        for (uint32_t k = 0; k < D; k++) c[k] += W[w->word[i] * D + k] / size;
    return product(E + u * D, c, D);
}

static double formula(const world *w, const double *E, const double *W)
{
    double loss = 0;
    for (uint32_t i = 0; i < ARCS; i++) {
        const uint32_t *n = w->nodes + i * (2 + K);
        for (uint32_t k = 0; k <= K; k++) {
            double z = product(E + n[0] * D, E + n[1 + k] * D + D / 2, D / 2);
            loss += minus_log_s(k ? -z : z);
        }
    }
    for (uint32_t i = 0; i < READERS; i++) {
        uint32_t u = w->readers[i];
        loss += WEIGHT * minus_log_s(text_score(w, E, W, u, u));
        for (uint32_t k = 0; k < TEXT_K; k++) {
            uint32_t v = w->others[i / NI_CENE_GROUP * TEXT_K + k];
            if (v == u || ni_linked(&w->links, u, v)) continue;
            loss += WEIGHT * minus_log_s(-text_score(w, E, W, u, v));
        }
    }
    return loss / (ARCS + READERS);
}

static double slope(const world *w, double *E, double *W, double *x)
{
    const double step = 1e-5;
    double old = *x;
    *x = old + step;
    double up = formula(w, E, W);
    *x = old - step;
    double down = formula(w, E, W);
    *x = old;
    return (up - down) / (2 * step);
}

/* ---- the pass ---- */

static ni_cene_arcs arcs_of(const world *w, ni_threads *threads)
{
    ni_cene_arcs a;
    ni_cene_limits most = { .arcs = ARCS,
                            .readers = READERS,
                            .groups = ni_tasks(READERS, NI_CENE_GROUP),
                            .negatives = K,
                            .text_negatives = TEXT_K,
                            .text_weight = WEIGHT };
    assert_int_equal(ni_cene_arcs_create(&w->texts, &w->links, N, D, &most, threads, &a, NULL), NEAP_OK);
    return a;
}

/* The slopes by all numbers of x, a table of E or W; rows that the batch does not have are flat. */
static void expect_slopes(const world *w, double *E, double *W, double *x, uint32_t rows,
                          const uint32_t *row, uint32_t count, const float *gradient)
{
    bool seen[N + WORDS] = { false };
    for (uint32_t i = 0; i < count; i++) {
        seen[row[i]] = true;
        for (uint32_t k = 0; k < D; k++)
            assert_true(fabs(slope(w, E, W, x + row[i] * D + k) - (double)gradient[i * D + k]) < 1e-5);
    }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < D && !seen[r]; k++)
            assert_true(fabs(slope(w, E, W, x + r * D + k)) < 1e-9);
}

static void a_batch_has_the_loss_and_the_slopes_of_the_formula(void **state)
{
    world *w = world_create();
    double E[N * D], W[WORDS * D];
    ni_threads *threads;
    (void)state;
    for (uint32_t i = 0; i < N * D; i++) E[i] = (double)w->E[i];
    for (uint32_t i = 0; i < WORDS * D; i++) W[i] = (double)w->W[i];
    assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
    ni_cene_arcs a = arcs_of(w, threads);
    for (int again = 0; again < 2; again++) { /* a second pass begins clean */
        assert_true(fabs(ni_cene_arcs_pass(&a, &w->batch, w->E, w->W) - formula(w, E, W)) < 1e-5);
        expect_slopes(w, E, W, E, N, a.node, a.nodes, a.dX);
        expect_slopes(w, E, W, W, WORDS, a.word, a.words, a.dW);
    }
    ni_cene_arcs_free(&a);
    ni_threads_free(threads);
    world_free(w);
}

/* ---- the method ---- */

/* Four groups of nodes. Links within a group are more likely, and words of a group's own tell it. */
enum { NODES = 160, GROUPS = 4 };

static neap_graph *grouped(void)
{
    static neap_edge edge[NODES * NODES];
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, 0);
    neap_graph *g;
    size_t edges = 0;
    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t v = u + 1; v < NODES; v++)
            if (ni_uniform(&rng) < (u % GROUPS == v % GROUPS ? 0.12 : 0.005))
                edge[edges++] = (neap_edge){ u, v, 1 };
    assert_int_equal(neap_graph_create(NODES, NULL, edge, edges, 0, 1, &g, NULL), NEAP_OK);
    return g;
}

/* Six words of twelve that the node's group has, and two that any has; told: else the group is anybody's.
 */
static neap_text *group_texts(const neap_graph *g, bool told)
{
    static char text[NODES][128];
    const char *list[NODES];
    ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, 0);
    neap_text *out;
    for (uint32_t u = 0; u < NODES; u++) {
        uint32_t group = told ? u % GROUPS : (uint32_t)ni_below(&rng, GROUPS);
        size_t at = 0;
        for (int i = 0; i < 8; i++)
            at += (size_t)sprintf(text[u] + at, "%c%u ", i < 6 ? (char)('a' + group) : 'x',
                                  (unsigned)ni_below(&rng, 12));
        list[u] = text[u];
    }
    assert_int_equal(neap_text_create(g, list, &out, NULL), NEAP_OK);
    return out;
}

static double auc_of(const neap_graph *g, bool told)
{
    neap_options *o = options_of("neap", "method", "cene", "dim", "32", "epochs", "60", "batch", "64",
                                 "valid", "0.5", "threads", "2", NULL);
    neap_text *text = group_texts(g, told);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    neap_model *m;
    assert_int_equal(neap_train(&data, o, NULL, &m, NULL), NEAP_OK);
    assert_int_equal(neap_model_facts_of(m, &facts, NULL), NEAP_OK);
    neap_model_free(m);
    neap_text_free(text);
    neap_options_free(o);
    return facts.valid_auc;
}

static void words_that_tell_groups_help_to_find_links(void **state)
{
    neap_graph *g = grouped();
    (void)state;
    double with = auc_of(g, true), without = auc_of(g, false);
    assert_true(with > 0.8);
    assert_true(with > without + 0.05);
    neap_graph_free(g);
}

static neap_model *model_of(const neap_graph *g, const neap_text *text, const char *score)
{
    neap_options *o = options_of("neap", "method", "cene", "dim", "8", "epochs", "3", "valid", "0",
                                 "min-count", "1", "pair-score", score, NULL);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    neap_model *m;
    assert_int_equal(neap_train(&data, o, NULL, &m, NULL), NEAP_OK);
    neap_options_free(o);
    return m;
}

static double dot(const float *x, const float *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

/* The graph is undirected: both orders have a part. */
static void a_pair_scores_halves_wholes_or_both(void **state)
{
    static const char *const rule[] = { "left-right", "concat", "both" };
    neap_graph *g = grouped();
    neap_text *text = group_texts(g, true);
    neap_pair pair = { 3, 8 };
    float *v = calloc((size_t)NODES * 8, sizeof *v), score;
    (void)state;
    for (int i = 0; i < 3; i++) {
        neap_model *m = model_of(g, text, rule[i]);
        assert_int_equal(neap_model_vectors(m, v, NULL), NEAP_OK);
        assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
        const float *x = v + 3 * 8, *y = v + 8 * 8;
        double halves = (dot(x, y + 4, 4) + dot(y, x + 4, 4)) / 2, whole = dot(x, y, 8);
        assert_true(fabs((double)score - (i != 1 ? halves : 0) - (i != 0 ? whole : 0)) < 1e-6);
        neap_model_free(m);
    }
    free(v);
    neap_text_free(text);
    neap_graph_free(g);
}

/* "new" links with node 0 and reads words; "bare" links with 1 and 2 and has no text. */
static neap_model *extended(const neap_model *m)
{
    static const char *const names[] = { "0", "1", "2", "new", "bare" };
    static const char *const list[] = { NULL, NULL, NULL, "a1 a1 b2 unheard", NULL };
    neap_edge edge[] = { { 3, 0, 1 }, { 4, 1, 1 }, { 4, 2, 1 } };
    neap_graph *g;
    neap_text *text;
    neap_model *more;
    assert_int_equal(neap_graph_create(5, names, edge, 3, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, list, &text, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    neap_text_free(text);
    neap_graph_free(g);
    return more;
}

static void a_new_node_is_its_text_or_else_its_neighbours(void **state)
{
    neap_graph *g = grouped();
    neap_text *text = group_texts(g, true);
    neap_model *m = model_of(g, text, "both"), *more = extended(m);
    const float *W = tensor_of(m, "words");
    float *v = calloc((size_t)(NODES + 2) * 8, sizeof *v);
    uint32_t a1, b2;
    (void)state;
    assert_true(ni_names_find(&m->texts.words, "a1", 2, &a1) &&
                ni_names_find(&m->texts.words, "b2", 2, &b2));
    assert_int_equal(neap_model_vectors(more, v, NULL), NEAP_OK);
    for (int k = 0; k < 8; k++) {
        float mean = (2 * W[a1 * 8 + k] + W[b2 * 8 + k]) / 3, near = (v[8 + k] + v[16 + k]) / 2;
        assert_true(fabsf(v[NODES * 8 + k] - mean) < 1e-6F);
        assert_true(fabsf(v[(NODES + 1) * 8 + k] - near) < 1e-6F);
    }
    free(v);
    neap_model_free(more);
    neap_model_free(m);
    neap_text_free(text);
    neap_graph_free(g);
}

static void an_odd_length_is_refused_with_words(void **state)
{
    neap_graph *g = grouped();
    neap_text *text = texts_of(g);
    neap_options *o = options_of("neap", "method", "cene", "dim", "7", NULL);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    neap_error err = { 0 };
    neap_model *m;
    (void)state;
    assert_int_equal(neap_train(&data, o, NULL, &m, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "odd"));
    neap_options_free(o);
    neap_text_free(text);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_has_the_loss_and_the_slopes_of_the_formula),
        cmocka_unit_test(words_that_tell_groups_help_to_find_links),
        cmocka_unit_test(a_pair_scores_halves_wholes_or_both),
        cmocka_unit_test(a_new_node_is_its_text_or_else_its_neighbours),
        cmocka_unit_test(an_odd_length_is_refused_with_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
