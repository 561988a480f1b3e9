/* CENE: the loss of a batch is the formula and its gradient are slopes of it, with and without a GRU; text
 * predicts links, and the order of words does where a GRU reads it; a new node is its text. (test_methods.c
 * has what every method promises, in both forms.) */
#define NI_REFERENCE_DOUBLE
#include "encoders/gru_reference.c"

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
#include "texts.h"

#include "base/rng.h"
#include "linalg/kernels.h"
#include "methods/cene_arcs.h"
#include "model/model.h"
#include "slopes.h"

enum { N = 40, D = 6, WORDS = 30, K = 2, TEXT_K = 3, ARCS = 50, READERS = 35, LONGEST = 8 };
#define WEIGHT 0.7

/* ---- a batch ---- */

/* Where the parameters lie in one array: E (N x D), words (WORDS x D), W and U (D x 3D) and b (3D) of a
 * GRU. */
enum {
    AT_E = 0,
    AT_WORDS = AT_E + N * D,
    AT_W = AT_WORDS + WORDS * D,
    AT_U = AT_W + D * 3 * D,
    AT_B = AT_U + D * 3 * D,
    NUMBERS = AT_B + 3 * D
};

typedef struct world {
    neap_graph *graph;
    ni_links links;
    ni_texts texts;
    uint64_t offset[N + 1];
    uint32_t word[N * (LONGEST + 1)];
    bool gru;
    float x[NUMBERS];
    double y[NUMBERS]; /* the same */
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
        w->offset[u + 1] = w->offset[u] + u % (LONGEST + 1);
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
static world *world_create(bool gru)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(2, NI_STREAM_GRAPH, 0, 0);
    assert_non_null(w);
    make_data(w);
    w->gru = gru;
    for (uint32_t i = 0; i < NUMBERS; i++) w->y[i] = (double)(w->x[i] = (float)ni_normal(&rng) * 0.5F);
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

/* The mean of the words' rows, or of the states of the GRU over them. */
static void encode(const world *w, uint32_t u, double c[D])
{
    const double *y = w->y;
    double X[LONGEST * D], H[LONGEST * D], Z[LONGEST * 3 * D], Q[LONGEST * D];
    ni_ref_gru gru = { D, D, y + AT_W, y + AT_U, y + AT_B };
    uint32_t size = (uint32_t)(w->offset[u + 1] - w->offset[u]);
    for (uint32_t i = 0; i < size; i++)
        memcpy(X + i * D, y + AT_WORDS + w->word[w->offset[u] + i] * D, D * sizeof *X);
    if (w->gru) ni_ref_gru_forward(&gru, X, size, H, Z, Q);
    for (uint32_t k = 0; k < D; k++) {
        c[k] = 0;
        for (uint32_t i = 0; i < size; i++) c[k] += (w->gru ? H : X)[i * D + k] / size;
    }
}

static double formula(void *of)
{
    const world *w = of;
    const double *E = w->y + AT_E;
    double c[N][D], loss = 0;
    for (uint32_t u = 0; u < N; u++) encode(w, u, c[u]);
    for (uint32_t i = 0; i < ARCS; i++) {
        const uint32_t *n = w->nodes + i * (2 + K);
        for (uint32_t k = 0; k <= K; k++) {
            double z = product(E + n[0] * D, E + n[1 + k] * D + D / 2, D / 2);
            loss += minus_log_s(k ? -z : z);
        }
    }
    for (uint32_t i = 0; i < READERS; i++) {
        uint32_t u = w->readers[i];
        loss += WEIGHT * minus_log_s(product(E + u * D, c[u], D));
        for (uint32_t k = 0; k < TEXT_K; k++) {
            uint32_t v = w->others[i / NI_CENE_GROUP * TEXT_K + k];
            if (v == u || ni_linked(&w->links, u, v)) continue;
            loss += WEIGHT * minus_log_s(-product(E + u * D, c[v], D));
        }
    }
    return loss / (ARCS + READERS);
}

static double slope(world *w, uint32_t at)
{
    return slope_of(formula, w, &w->y[at]);
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
                            .text_weight = WEIGHT,
                            .gru = w->gru };
    assert_int_equal(ni_cene_arcs_create(&w->texts, &w->links, N, D, &most, threads, &a, NULL), NEAP_OK);
    return a;
}

static ni_gru gru_of(const world *w)
{
    return (ni_gru){ D, D, w->x + AT_W, w->x + AT_U, w->x + AT_B };
}

/* The slopes by all numbers of a table at `at` with rows of D; rows that the batch does not have are flat.
 */
static void expect_row_slopes(world *w, uint32_t at, uint32_t rows, const uint32_t *row, uint32_t count,
                              const float *gradient)
{
    bool seen[N + WORDS] = { false };
    for (uint32_t i = 0; i < count; i++) {
        seen[row[i]] = true;
        for (uint32_t k = 0; k < D; k++)
            assert_true(fabs(slope(w, at + row[i] * D + k) - (double)gradient[i * D + k]) < 1e-5);
    }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < D && !seen[r]; k++) assert_true(fabs(slope(w, at + r * D + k)) < 1e-9);
}

static void expect_dense_slopes(world *w, uint32_t at, uint32_t count, const float *gradient)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(fabs(slope(w, at + i) - (double)gradient[i]) < 1e-5);
        most = fmax(most, fabs((double)gradient[i]));
    }
    assert_true(most > 1e-3); /* or 1e-5 would say nothing */
}

static void a_batch_has_the_loss_and_the_slopes_of_the_formula(void **state)
{
    ni_threads *threads;
    (void)state;
    assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
    for (int form = 0; form < 2; form++) {
        world *w = world_create(form);
        ni_gru gru = gru_of(w);
        ni_cene_arcs a = arcs_of(w, threads);
        for (int again = 0; again < 2; again++) { /* a second pass begins clean */
            double loss = ni_cene_arcs_pass(&a, &w->batch, w->x, w->x + AT_WORDS, form ? &gru : NULL);
            assert_true(fabs(loss - formula(w)) < 1e-5);
            expect_row_slopes(w, AT_E, N, a.node, a.nodes, a.dX);
            expect_row_slopes(w, AT_WORDS, WORDS, a.word, a.words, a.dW);
            if (!form) continue;
            expect_dense_slopes(w, AT_W, D * 3 * D, a.gru_dW);
            expect_dense_slopes(w, AT_U, D * 3 * D, a.gru_dU);
            expect_dense_slopes(w, AT_B, 3 * D, a.gru_db);
        }
        ni_cene_arcs_free(&a);
        world_free(w);
    }
    ni_threads_free(threads);
}

static void texts_by_themselves_are_encoded_as_in_a_batch(void **state)
{
    ni_threads *threads;
    (void)state;
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    for (int form = 0; form < 2; form++) {
        world *w = world_create(form);
        ni_gru gru = gru_of(w);
        float out[(N - 3) * D];
        assert_int_equal(
            ni_cene_encode(&w->texts, w->x + AT_WORDS, form ? &gru : NULL, 3, N, D, threads, out, NULL),
            NEAP_OK);
        for (uint32_t u = 3; u < N; u++) {
            double c[D];
            encode(w, u, c);
            for (uint32_t k = 0; k < D; k++) assert_true(fabs(c[k] - (double)out[(u - 3) * D + k]) < 1e-6);
        }
        world_free(w);
    }
    ni_threads_free(threads);
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

/* Eight words that all have, each once: twice two of them stand in the order that tells the group. */
static neap_text *ordered_texts(const neap_graph *g)
{
    static const char *const order[GROUPS] = { "a b c d e f g h", "h g f e d c b a", "e f g h a b c d",
                                               "d c b a h g f e" };
    const char *list[NODES];
    neap_text *out;
    for (uint32_t u = 0; u < NODES; u++) list[u] = order[u % GROUPS];
    assert_int_equal(neap_text_create(g, list, &out, NULL), NEAP_OK);
    return out;
}

/* The text is freed. */
static double auc_of(const neap_graph *g, neap_text *text, const char *content)
{
    neap_options *o = options_of("neap", "method", "cene", "dim", "32", "epochs", "60", "batch", "64",
                                 "valid", "0.5", "threads", "2", "content", content, NULL);
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
    static const char *const content[] = { "average", "gru" };
    neap_graph *g = grouped();
    (void)state;
    for (int i = 0; i < 2; i++) {
        double with = auc_of(g, group_texts(g, true), content[i]);
        double without = auc_of(g, group_texts(g, false), content[i]);
        assert_true(with > 0.75);
        assert_true(with > without + 0.05);
    }
    neap_graph_free(g);
}

static void the_order_of_words_is_read_by_a_gru_alone(void **state)
{
    neap_graph *g = grouped();
    (void)state;
    double average = auc_of(g, ordered_texts(g), "average"), gru = auc_of(g, ordered_texts(g), "gru");
    assert_true(gru > average + 0.05);
    neap_graph_free(g);
}

static neap_model *model_of(const neap_graph *g, const neap_text *text, const char *name, const char *value)
{
    neap_options *o = options_of("neap", "method", "cene", "dim", "8", "epochs", "3", "valid", "0",
                                 "min-count", "1", name, value, NULL);
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
        neap_model *m = model_of(g, text, "pair-score", rule[i]);
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
static neap_status extend(const neap_model *m, neap_model **more, neap_error *err)
{
    static const char *const names[] = { "0", "1", "2", "new", "bare" };
    static const char *const list[] = { NULL, NULL, NULL, "a1 a1 b2 unheard", NULL };
    neap_edge edge[] = { { 3, 0, 1 }, { 4, 1, 1 }, { 4, 2, 1 } };
    neap_graph *g;
    neap_text *text = NULL;
    *more = NULL;
    neap_status rc = neap_graph_create(5, names, edge, 3, 0, 1, &g, err);
    if (rc == NEAP_OK) rc = neap_text_create(g, list, &text, err);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    if (rc == NEAP_OK) rc = neap_model_extend(m, &data, more, NULL, err);
    neap_text_free(text);
    neap_graph_free(g);
    return rc;
}

/* The tensor in doubles, for free. */
static double *doubles_of(const neap_model *m, const char *name)
{
    const ni_declared *t = ni_declared_find(&m->tensors->list, name);
    assert_non_null(t);
    size_t count = ni_declared_bytes(t) / sizeof(float);
    double *out = calloc(count, sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) out[i] = (double)((const float *)t->data)[i];
    return out;
}

/* What the text of "new" is to a model of 8 numbers. */
static void expected_text(const neap_model *m, bool gru, double c[8])
{
    double *words = doubles_of(m, "words"), X[3 * 8], H[3 * 8], Z[3 * 24], Q[3 * 8];
    uint32_t word[3];
    assert_true(ni_names_find(&m->texts.words, "a1", 2, &word[0]) &&
                ni_names_find(&m->texts.words, "b2", 2, &word[2]));
    word[1] = word[0];
    for (int i = 0; i < 3; i++) memcpy(X + i * 8, words + word[i] * 8, 8 * sizeof *X);
    if (gru) {
        double *W = doubles_of(m, "gru.W"), *U = doubles_of(m, "gru.U"), *b = doubles_of(m, "gru.b");
        ni_ref_gru_forward(&(ni_ref_gru){ 8, 8, W, U, b }, X, 3, H, Z, Q);
        free(W), free(U), free(b);
    }
    for (int k = 0; k < 8; k++) {
        const double *rows = gru ? H : X;
        c[k] = (rows[k] + rows[8 + k] + rows[16 + k]) / 3;
    }
    free(words);
}

static void a_new_node_is_its_text_or_else_its_neighbours(void **state)
{
    static const char *const content[] = { "average", "gru" };
    neap_graph *g = grouped();
    neap_text *text = group_texts(g, true);
    float *v = calloc((size_t)(NODES + 2) * 8, sizeof *v),
          *again = calloc((size_t)(NODES + 2) * 8, sizeof *v);
    (void)state;
    for (int form = 0; form < 2; form++) {
        neap_model *m = model_of(g, text, "content", content[form]), *more, *loaded;
        double c[8];
        assert_int_equal(extend(m, &more, NULL), NEAP_OK);
        assert_int_equal(neap_model_vectors(more, v, NULL), NEAP_OK);
        expected_text(m, form, c);
        for (int k = 0; k < 8; k++) {
            float near = (v[8 + k] + v[16 + k]) / 2;
            assert_true(fabs((double)v[NODES * 8 + k] - c[k]) < 1e-6);
            assert_true(fabsf(v[(NODES + 1) * 8 + k] - near) < 1e-6F);
        }
        assert_int_equal(neap_model_save(more, "more", NULL), NEAP_OK);
        assert_int_equal(neap_model_load("more", NULL, &loaded, NULL), NEAP_OK);
        assert_int_equal(neap_model_vectors(loaded, again, NULL), NEAP_OK);
        assert_memory_equal(v, again, (size_t)(NODES + 2) * 8 * sizeof *v);
        neap_model_free(loaded);
        neap_model_free(more);
        neap_model_free(m);
    }
    free(v);
    free(again);
    neap_text_free(text);
    neap_graph_free(g);
}

/* A file may have any finite numbers: inf - inf becomes a gate like others. Where the products are
 * OpenBLAS's it may become what is refused. */
static void weights_that_overflow_leave_a_new_node_finite(void **state)
{
    neap_graph *g = grouped();
    neap_text *text = group_texts(g, true);
    neap_model *m = model_of(g, text, "content", "gru"), *more;
    float *words = tensor_of(m, "words"), *W = tensor_of(m, "gru.W"), *U = tensor_of(m, "gru.U");
    float *v = calloc((size_t)(NODES + 2) * 8, sizeof *v);
    (void)state;
    for (uint32_t i = 0; i < m->texts.words.count * 8; i++) words[i] = 3e38F;
    for (int i = 0; i < 8 * 24; i++) W[i] = U[i] = i / 24 % 2 ? -3e38F : 3e38F;
    assert_int_equal(extend(m, &more, NULL), NEAP_OK);
    neap_status rc = neap_model_vectors(more, v, NULL);
    if (ni_kernels_get() != &ni_kernels_scalar || rc != NEAP_E_NUMERIC) assert_int_equal(rc, NEAP_OK);
    for (int k = 0; k < 8 && rc == NEAP_OK; k++) assert_true(isfinite(v[NODES * 8 + k]));
    free(v);
    neap_model_free(more);
    neap_model_free(m);
    neap_text_free(text);
    neap_graph_free(g);
}

static neap_status extend_once(void *user, neap_error *err)
{
    neap_model *more;
    neap_status rc = extend(user, &more, err);
    neap_model_free(more);
    return rc;
}

static void a_new_text_without_memory_is_an_ordinary_error(void **state)
{
    neap_graph *g = grouped();
    neap_text *text = group_texts(g, true);
    neap_model *m = model_of(g, text, "content", "gru");
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, extend_once, faults_expect_memory, m) > 20);
    neap_model_free(m);
    neap_text_free(text);
    neap_graph_free(g);
}

/* What `neap estimate` says is no less than what is used, and no idle guess. */
static void the_memory_of_a_run_is_foreseen(void **state)
{
    neap_graph *g = grouped();
    neap_text *text = group_texts(g, true);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    (void)state;
    for (int threads = 1; threads < 4; threads += 2) {
        neap_options *o = options_of("neap", "method", "cene", "content", "gru", "epochs", "2", "threads",
                                     threads == 1 ? "1" : "3", NULL);
        neap_estimate_result r = NEAP_SIZED(neap_estimate_result);
        neap_model *m;
        assert_int_equal(neap_estimate(&data, o, &r, NULL), NEAP_OK);
        faults_peak();
        assert_int_equal(neap_train(&data, o, NULL, &m, NULL), NEAP_OK);
        size_t peak = faults_peak();
        uint64_t parts = r.bytes_graph + r.bytes_tables + r.bytes_optimizer + r.bytes_batch;
        assert_true(peak <= r.bytes);
        assert_in_range(parts, peak / 10 * 9, peak / 10 * 11);
        neap_model_free(m);
        neap_options_free(o);
    }
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

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_has_the_loss_and_the_slopes_of_the_formula),
        cmocka_unit_test(texts_by_themselves_are_encoded_as_in_a_batch),
        cmocka_unit_test(words_that_tell_groups_help_to_find_links),
        cmocka_unit_test(the_order_of_words_is_read_by_a_gru_alone),
        cmocka_unit_test(a_pair_scores_halves_wholes_or_both),
        IN_SCRATCH(a_new_node_is_its_text_or_else_its_neighbours),
        cmocka_unit_test(weights_that_overflow_leave_a_new_node_finite),
        cmocka_unit_test(a_new_text_without_memory_is_an_ordinary_error),
        cmocka_unit_test(the_memory_of_a_run_is_foreseen),
        cmocka_unit_test(an_odd_length_is_refused_with_words),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
