/* TriDNR: the pairs of texts, their gradient, a whole training against a plain twin in double, and what
 * texts say about nodes old and new. (That it trains, resumes and fails as it should is in
 * test_methods.c.) */
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

#include "methods/dot.h"
#include "walks/walking.h"

/* ---- texts as pairs ---- */

enum { TEXTS = 40, WORDS = 50, OCCURRENCES = 600 };

static uint32_t text_at[OCCURRENCES], word_at[OCCURRENCES];

/* Some texts are empty, and some words are never read. */
static ni_documents library(void)
{
    for (uint32_t i = 0; i < OCCURRENCES; i++) {
        ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, i);
        text_at[i] = i * (TEXTS - 3) / OCCURRENCES;
        word_at[i] = (uint32_t)ni_below(&rng, WORDS - 5);
    }
    return (ni_documents){ .count = OCCURRENCES, .text = text_at, .word = word_at, .seed = 9 };
}

/* Each epoch in an order of its own, in tasks that do not divide it. */
static void every_word_of_every_text_comes_once_in_an_epoch(void **state)
{
    ni_documents d = library();
    ni_source s = ni_documents_source(&d, 64);
    static ni_couple pair[2][OCCURRENCES];
    (void)state;
    assert_int_equal(s.positions, OCCURRENCES);
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        int left[TEXTS][WORDS] = { 0 };
        for (uint64_t first = 0; first < OCCURRENCES; first += 64) {
            uint32_t count = (uint32_t)(ni_task_end(first, 64, OCCURRENCES) - first);
            assert_int_equal(ni_source_make(&s, epoch, first, count, NULL, pair[epoch] + first), count);
        }
        for (int i = 0; i < OCCURRENCES; i++) {
            left[text_at[i]][word_at[i]]++;
            left[pair[epoch][i].in][pair[epoch][i].out]--;
        }
        for (int i = 0; i < TEXTS * WORDS; i++) assert_int_equal(left[i / WORDS][i % WORDS], 0);
    }
    assert_memory_not_equal(pair[0], pair[1], sizeof pair[0]);
}

static void texts_are_dealt_into_the_ranges_of_words(void **state)
{
    uint64_t weight[WORDS];
    ni_grid g;
    uint32_t members[4] = { 0 };
    (void)state;
    for (int x = 0; x < WORDS; x++) weight[x] = 1;
    assert_int_equal(ni_grid_create(WORDS, 1, 4, NULL, weight, 1, 1, &g, NULL), NEAP_OK);
    assert_int_equal(ni_grid_deal_inputs(&g, TEXTS, 1, NULL), NEAP_OK);
    for (uint32_t t = 0; t < TEXTS; t++)
        for (uint32_t x = 0; x < WORDS; x++)
            assert_int_equal(ni_grid_block(&g, t, x), g.input[t] * 4u + g.range[x]);
    for (uint32_t t = 0; t < TEXTS; t++) members[g.input[t]]++;
    for (int r = 0; r < 4; r++) assert_int_equal(members[r], TEXTS / 4);
    ni_grid_free(&g);
}

/* ---- a plain twin: one pair after the other, in double ---- */

enum { DIM = 8, NEGATIVES = 5, MOST = 64 };

typedef struct twin {
    double in[MOST][DIM], out[MOST][DIM];
} twin;

static double product(const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < DIM; k++) sum += x[k] * y[k];
    return sum;
}

static void add(double a, const double *x, double *y)
{
    for (int k = 0; k < DIM; k++) y[k] += a * x[k];
}

static double s(double z)
{
    return 1 / (1 + exp(-z));
}

/* Sixteen pairs with common negatives: products at the old values; then the steps of x and its own y, pair
 * by pair, and those of negatives. An output that is a pair's own is no negative of it. */
static void twin_group(twin *t, const ni_couple *pair, uint32_t pairs, const uint32_t *negative,
                       double rate)
{
    double own[16], other[16][NEGATIVES], old[NEGATIVES][DIM], change[NEGATIVES][DIM] = { 0 };
    for (uint32_t p = 0; p < pairs; p++) {
        own[p] = rate * (1 - s(product(t->in[pair[p].in], t->out[pair[p].out])));
        for (int q = 0; q < NEGATIVES; q++) {
            double z = product(t->in[pair[p].in], t->out[negative[q]]);
            other[p][q] = negative[q] == pair[p].out ? 0 : -rate * s(z);
            add(other[p][q], t->in[pair[p].in], change[q]);
        }
    }
    for (int q = 0; q < NEGATIVES; q++) memcpy(old[q], t->out[negative[q]], sizeof old[q]);
    for (uint32_t p = 0; p < pairs; p++) {
        double x[DIM];
        memcpy(x, t->in[pair[p].in], sizeof x);
        add(own[p], t->out[pair[p].out], t->in[pair[p].in]);
        add(own[p], x, t->out[pair[p].out]);
    }
    for (uint32_t p = 0; p < pairs; p++)
        for (int q = 0; q < NEGATIVES; q++) add(other[p][q], old[q], t->in[pair[p].in]);
    for (int q = 0; q < NEGATIVES; q++) add(1, change[q], t->out[negative[q]]);
}

/* Positions first .. first + count - 1 in a grid of one range. */
static void twin_step(twin *t, const ni_source *source, const ni_grid *grid, uint64_t seed, uint64_t epoch,
                      uint64_t first, uint64_t count, uint64_t step, double rate)
{
    ni_couple *pair = malloc((size_t)(count * source->couples + 1) * sizeof *pair);
    void *scratch = malloc(source->scratch + 1);
    ni_rng rng = ni_rng_at(seed, NI_STREAM_SKIPGRAM, step, 0);
    uint64_t pairs = 0;
    assert_int_equal(grid->ranges, 1);
    for (uint64_t at = first; at < first + count; at += source->per_task)
        pairs += ni_source_make(source, epoch, at,
                                (uint32_t)(ni_task_end(at, source->per_task, first + count) - at), scratch,
                                pair + pairs);
    for (uint64_t i = 0; i < pairs; i += 16) {
        uint32_t negative[NEGATIVES];
        for (int q = 0; q < NEGATIVES; q++) negative[q] = ni_grid_negative(grid, 0, &rng);
        twin_group(t, pair + i, (uint32_t)(pairs - i < 16 ? pairs - i : 16), negative, rate);
    }
    free(pair);
    free(scratch);
}

/* ---- the gradient of texts ---- */

/* The loss of all texts with the negatives that a step draws, as the head of tridnr.c has it. */
static double loss_of_texts(const twin *t, const ni_couple *pair, uint32_t (*negative)[NEGATIVES])
{
    double loss = 0;
    for (int i = 0; i < OCCURRENCES; i++) {
        loss -= log(s(product(t->in[pair[i].in], t->out[pair[i].out])));
        for (int q = 0; q < NEGATIVES; q++)
            if (negative[i / 16][q] != pair[i].out)
                loss -= log(s(-product(t->in[pair[i].in], t->out[negative[i / 16][q]])));
    }
    return loss;
}

static void fill_tables(float *in, float *out, twin *t)
{
    for (int i = 0; i < TEXTS * DIM; i++)
        t->in[i / DIM][i % DIM] = (double)(in[i] = (float)(0.3 * sin(i + 1)));
    for (int i = 0; i < WORDS * DIM; i++)
        t->out[i / DIM][i % DIM] = (double)(out[i] = (float)(0.3 * cos(2 * i)));
}

/* A step of all texts at once, and the negatives that it draws. */
static void step_texts(double rate, float *in, float *out, ni_couple *pair, uint32_t (*negative)[NEGATIVES])
{
    uint64_t weight[WORDS];
    ni_documents d = library();
    ni_grid grid;
    ni_threads *threads;
    for (int x = 0; x < WORDS; x++) weight[x] = 1 + (uint64_t)x % 3;
    assert_int_equal(ni_grid_create(WORDS, 1, 0, NULL, weight, 0.75, 1, &grid, NULL), NEAP_OK);
    assert_int_equal(ni_grid_deal_inputs(&grid, TEXTS, 1, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    ni_skipgram step = { .source = ni_documents_source(&d, 64),
                         .grid = &grid,
                         .threads = threads,
                         .in = in,
                         .out = out,
                         .dim = DIM,
                         .negatives = NEGATIVES,
                         .seed = 1 };
    assert_int_equal(ni_skipgram_create(&step, OCCURRENCES, NULL), NEAP_OK);
    ni_skipgram_make(&step, 0, 0);
    ni_skipgram_train(&step, 7, rate);
    ni_source_make(&step.source, 0, 0, OCCURRENCES, NULL, pair);
    ni_rng rng = ni_rng_at(1, NI_STREAM_SKIPGRAM, 7, 0);
    for (int i = 0; i < OCCURRENCES; i += 16)
        for (int q = 0; q < NEGATIVES; q++) negative[i / 16][q] = ni_grid_negative(&grid, 0, &rng);
    ni_skipgram_free(&step);
    ni_threads_free(threads);
    ni_grid_free(&grid);
}

/* To first order in the step size, which two sizes show: (4 change(r/2) - change(r)) / r. */
static void a_step_of_texts_goes_down_the_gradient(void **state)
{
    const double rate = 1e-3, h = 1e-5;
    static ni_couple pair[OCCURRENCES];
    static uint32_t negative[OCCURRENCES / 16 + 1][NEGATIVES];
    static float in[2][TEXTS * DIM], out[2][WORDS * DIM];
    static twin t;
    (void)state;
    for (int k = 0; k < 2; k++) {
        fill_tables(in[k], out[k], &t);
        step_texts(k ? rate / 2 : rate, in[k], out[k], pair, negative);
    }
    for (int i = 0; i < (TEXTS + WORDS) * DIM; i++) {
        bool text = i < TEXTS * DIM;
        int at = text ? i : i - TEXTS * DIM;
        double *x = text ? &t.in[at / DIM][at % DIM] : &t.out[at / DIM][at % DIM], was = *x;
        double whole = (double)(text ? in[0] : out[0])[at] - was;
        double half = (double)(text ? in[1] : out[1])[at] - was;
        *x = was + h;
        double up = loss_of_texts(&t, pair, negative);
        *x = was - h;
        double down = loss_of_texts(&t, pair, negative);
        *x = was;
        double slope = (up - down) / (2 * h);
        assert_float_equal(-(4 * half - whole) / rate, slope, 1e-3 * (1 + fabs(slope)));
    }
}

/* ---- a whole training ---- */

enum { NODES = 60, EPOCHS = 4 };

/* A ring with chords; every fifth node says nothing. */
static neap_graph *ring(void)
{
    neap_edge edge[2 * NODES];
    neap_graph *g;
    for (uint32_t u = 0; u < NODES; u++) {
        edge[2 * u] = (neap_edge){ u, (u + 1) % NODES, 1 };
        edge[2 * u + 1] = (neap_edge){ u, (u * 7 + 3) % NODES == u ? 0 : (u * 7 + 3) % NODES, 1 };
    }
    assert_int_equal(neap_graph_create(NODES, NULL, edge, 2 * NODES, 0, 1, &g, NULL), NEAP_OK);
    return g;
}

static neap_text *texts_of_ring(const neap_graph *g)
{
    char line[NODES][128];
    const char *text[NODES];
    neap_text *out;
    for (uint32_t u = 0; u < NODES; u++) {
        snprintf(line[u], sizeof line[u], "w%u w%u w%u of all w%u", u / 4, u / 7, u % 3, u / 4);
        text[u] = u % 5 ? line[u] : NULL;
    }
    assert_int_equal(neap_text_create(g, text, &out, NULL), NEAP_OK);
    return out;
}

typedef struct scene {
    neap_graph *graph;
    neap_text *text;
    neap_model *model;  /* trained                          */
    neap_model *before; /* the same after 0 epochs          */
    ni_walker walker;
    ni_windows windows;
    ni_source walks, texts;
    ni_documents documents;
    uint32_t owner[NODES * 8];
    ni_grid nodes, words;
    twin by_walks, by_text;
    double a, alone, lr;
} scene;

static neap_model *trained_with(const neap_graph *g, const neap_text *text, neap_options *o)
{
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    neap_model *m;
    neap_error err = { 0 };
    if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    return m;
}

static neap_options *options_for(const char *a, const char *alone, const char *epochs)
{
    return options_of("neap", "method", "tridnr", "dim", "8", "epochs", epochs, "walks", "3", "walk-length",
                      "6", "window", "2", "lr", "0.2", "min-count", "2", "text-weight", a, "alone", alone,
                      "threads", "2", "seed", "5", NULL);
}

static void make_scene(scene *c, const char *a, const char *alone)
{
    char epochs[8];
    uint64_t *visits, count[MOST] = { 0 };
    snprintf(epochs, sizeof epochs, "%d", EPOCHS);
    *c = (scene){ .graph = ring(), .a = atof(a), .alone = atof(alone), .lr = 0.2 };
    c->text = texts_of_ring(c->graph);
    c->model = trained_with(c->graph, c->text, options_for(a, alone, epochs));
    c->before = trained_with(c->graph, c->text, options_for(a, alone, "0"));
    const neap_model *m = c->before;
    const ni_texts *t = &m->texts;
    ni_threads *threads;
    assert_true(t->words.count <= MOST && t->offset[NODES] <= NODES * 8);
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    assert_int_equal(ni_walker_create(m->graph, &m->links, false, 1, 1, &c->walker, NULL), NEAP_OK);
    c->windows = (ni_windows){ .walker = &c->walker, .rounds = 3, .length = 6, .window = 2, .seed = 5 };
    c->walks = ni_windows_source(&c->windows);
    assert_int_equal(ni_windows_visits(&c->windows, threads, &visits, NULL), NEAP_OK);
    assert_int_equal(ni_grid_create(NODES, 1, 0, NULL, visits, 0.75, 5, &c->nodes, NULL), NEAP_OK);
    for (uint32_t u = 0; u < NODES; u++)
        for (uint64_t i = t->offset[u]; i < t->offset[u + 1]; i++) c->owner[i] = u, count[t->word[i]]++;
    assert_int_equal(ni_grid_create(t->words.count, 1, 0, NULL, count, 0.75, 5, &c->words, NULL), NEAP_OK);
    c->documents =
        (ni_documents){ .count = t->offset[NODES], .text = c->owner, .word = t->word, .seed = 5 };
    c->texts = ni_documents_source(&c->documents, c->walks.per_task);
    ni_free(visits);
    ni_threads_free(threads);
}

static void free_scene(scene *c)
{
    ni_grid_free(&c->nodes);
    ni_grid_free(&c->words);
    ni_walker_free(&c->walker);
    neap_model_free(c->model);
    neap_model_free(c->before);
    neap_text_free(c->text);
    neap_graph_free(c->graph);
}

/* The model's vectors begin with its own draws, the others with those behind them. */
static void twin_begin(scene *c)
{
    const float *E = tensor_of(c->before, "E");
    for (uint32_t u = 0; u < NODES; u++) {
        float other[DIM];
        ni_model_draw_row(c->before, NODES + u, 0.5 / DIM, other);
        for (int k = 0; k < DIM; k++) {
            double x = (double)E[u * DIM + k], y = (double)other[k];
            c->by_text.in[u][k] = c->a > 0.5 ? x : y;
            c->by_walks.in[u][k] = c->a > 0.5 ? y : x;
        }
    }
}

static void twin_mix(scene *c, bool texts)
{
    for (uint32_t u = 0; u < NODES; u++) {
        bool silent = !ni_text_size(&c->before->texts, u);
        double kept = texts ? (silent ? 0 : c->a) : silent ? 1 : 1 - c->a;
        double *to = texts ? c->by_text.in[u] : c->by_walks.in[u];
        const double *from = texts ? c->by_walks.in[u] : c->by_text.in[u];
        for (int k = 0; k < DIM; k++) to[k] = kept * to[k] + (1 - kept) * from[k];
    }
}

static void twin_train(scene *c)
{
    uint64_t per_step = ni_learner_per_step(&c->walks, EPOCHS), updates = 0;
    uint64_t walk_steps = (c->walks.positions + per_step - 1) / per_step;
    uint64_t all = walk_steps * per_step + c->documents.count, steps = (all + per_step - 1) / per_step;
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
        for (uint64_t batch = 0; batch < steps; batch++) {
            bool texts = batch >= walk_steps;
            const ni_source *source = texts ? &c->texts : &c->walks;
            uint64_t first = (batch - (texts ? walk_steps : 0)) * per_step,
                     left = source->positions - first;
            double done = (double)(epoch * all + batch * per_step) / (double)(EPOCHS * all);
            if (first == 0 && epoch >= (uint64_t)(c->alone * EPOCHS)) twin_mix(c, texts);
            twin_step(texts ? &c->by_text : &c->by_walks, source, texts ? &c->words : &c->nodes, 5, epoch,
                      first, left < per_step ? left : per_step, updates++, c->lr * (1 - done));
        }
}

static void expect_same(const neap_model *m, const char *tensor, double (*x)[DIM], uint32_t rows)
{
    const float *found = tensor_of(m, tensor);
    double most = 0, square = 0;
    for (uint32_t i = 0; i < rows * DIM; i++) {
        double off = fabs((double)found[i] - x[i / DIM][i % DIM]);
        most = off > most ? off : most;
        square += x[i / DIM][i % DIM] * x[i / DIM][i % DIM];
    }
    if (!(most < 1e-4)) fail_msg("%s differs by %g", tensor, most);
    assert_true(square / rows > 0.1); /* far from where it began */
}

static void a_training_is_that_of_its_plain_twin(void **state)
{
    static const char *const kinds[][2] = {
        { "0.8", "0" }, { "0.8", "0.5" }, { "0.3", "0" }, { "0.6", "1" }
    };
    static scene c;
    (void)state;
    for (int i = 0; i < 4; i++) {
        make_scene(&c, kinds[i][0], kinds[i][1]);
        twin_begin(&c);
        twin_train(&c);
        expect_same(c.model, "E", c.a > 0.5 ? c.by_text.in : c.by_walks.in, NODES);
        expect_same(c.model, "words", c.by_text.out, c.model->texts.words.count);
        free_scene(&c);
    }
}

/* ---- what texts say ---- */

enum { TOPICS = 4, PEOPLE = 160 };

/* Links are drawn without regard to topics, texts have words of a topic. */
static neap_graph *crowd(void)
{
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = PEOPLE, .edges = 400, .seed = 3 };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

static void write_topic(char *line, size_t room, uint32_t topic, uint32_t who)
{
    snprintf(line, room, "t%ua t%ub t%uc t%ud t%ua t%ub", topic, topic, topic, topic, topic, topic);
    if (who % 3 == 0) strncat(line, " x y", room - strlen(line) - 1);
}

static neap_text *topics_of(const neap_graph *g)
{
    char line[PEOPLE][64];
    const char *text[PEOPLE];
    neap_text *out;
    for (uint32_t u = 0; u < PEOPLE; u++)
        write_topic(line[u], sizeof line[u], u % TOPICS, u), text[u] = line[u];
    assert_int_equal(neap_text_create(g, text, &out, NULL), NEAP_OK);
    return out;
}

static neap_model *train_crowd(const neap_graph *g, const char *a)
{
    neap_text *text = topics_of(g);
    neap_model *m = trained_with(g, text,
                                 options_of("neap", "method", "tridnr", "dim", "16", "epochs", "40",
                                            "walks", "2", "lr", "0.05", "text-weight", a, NULL));
    neap_text_free(text);
    return m;
}

/* How much more a node's scores are with nodes of a topic than with the others, on average. */
static double leaning(const neap_query *q, uint32_t node, uint32_t topic)
{
    double sum[2] = { 0 }, count[2] = { 0 };
    for (uint32_t u = 0; u < PEOPLE; u++) {
        neap_pair pair = { node, u };
        float score;
        if (u == node) continue;
        assert_int_equal(ni_query_score((neap_query *)q, &pair, 1, &score, NULL), NEAP_OK);
        sum[u % TOPICS == topic] += (double)score;
        count[u % TOPICS == topic]++;
    }
    return sum[1] / count[1] - sum[0] / count[0];
}

static void nodes_with_similar_texts_are_near(void **state)
{
    static const char *const weights[] = { "0.8", "0.4" };
    neap_graph *g = crowd();
    (void)state;
    for (int i = 0; i < 2; i++) {
        neap_model *m = train_crowd(g, weights[i]);
        neap_query *q = query_of(m, 1);
        double sum = 0;
        for (uint32_t u = 0; u < PEOPLE; u++) sum += leaning(q, u, u % TOPICS) > 0;
        assert_true(sum > 0.9 * PEOPLE);
        neap_query_free(q);
        neap_model_free(m);
    }
    neap_graph_free(g);
}

/* Three newcomers linked with the same two nodes, which have different topics: the first has the text of
 * one topic, the second that of another, the third none. The fourth has the text of the first and no link.
 */
enum { NEWCOMERS = 4 };

static neap_status extend_crowd(const neap_model *m, neap_model **out, neap_error *err)
{
    static const char *const names[] = { "8", "13", "one", "two", "three", "four" };
    static const neap_edge edge[] = { { 0, 2, 1 }, { 1, 2, 1 }, { 0, 3, 1 },
                                      { 1, 3, 1 }, { 0, 4, 1 }, { 1, 4, 1 } };
    char line[2][64];
    neap_graph *links = NULL;
    neap_text *text = NULL;
    write_topic(line[0], sizeof line[0], 2, 1);
    write_topic(line[1], sizeof line[1], 3, 1);
    const char *lines[] = { NULL, NULL, line[0], line[1], NULL, line[0] };
    *out = NULL;
    neap_status rc = neap_graph_create(6, names, edge, 6, 0, 0, &links, err);
    if (rc == NEAP_OK) rc = neap_text_create(links, lines, &text, err);
    neap_data data = { .size = sizeof data, .graph = links, .text = text };
    if (rc == NEAP_OK) rc = neap_model_extend(m, &data, out, NULL, err);
    neap_text_free(text);
    neap_graph_free(links);
    return rc;
}

static void expect_mean(const neap_model *m, const float *vector)
{
    const float *E = tensor_of(m, "E");
    uint32_t a, b;
    assert_int_equal(neap_graph_find(m->graph, "8", &a, NULL), NEAP_OK);
    assert_int_equal(neap_graph_find(m->graph, "13", &b, NULL), NEAP_OK);
    for (uint32_t k = 0; k < m->dim; k++)
        assert_float_equal(vector[k], (E[a * m->dim + k] + E[b * m->dim + k]) / 2, 1e-6);
}

static void expect_order(double most, double less, double least)
{
    assert_true(most > less && less > least);
}

static void a_new_node_is_near_nodes_with_its_words(void **state)
{
    static const char *const weights[] = { "0.8", "0.4" };
    neap_graph *g = crowd();
    (void)state;
    for (int i = 0; i < 2; i++) {
        neap_model *m = train_crowd(g, weights[i]), *more, *loaded;
        assert_int_equal(extend_crowd(m, &more, NULL), NEAP_OK);
        assert_int_equal(more->graph->nodes, PEOPLE + NEWCOMERS);
        neap_query *q = query_of(more, 1), *again;
        const float *x = ((const ni_dot *)more->own)->more;
        expect_order(leaning(q, PEOPLE, 2), leaning(q, PEOPLE + 2, 2), leaning(q, PEOPLE + 1, 2));
        expect_order(leaning(q, PEOPLE + 1, 3), leaning(q, PEOPLE + 2, 3), leaning(q, PEOPLE, 3));
        assert_true(i > 0 || (leaning(q, PEOPLE, 2) > 0 && leaning(q, PEOPLE + 1, 3) > 0));
        assert_true(leaning(q, PEOPLE + 3, 2) > 0);
        expect_mean(more, x + 2 * more->dim);
        assert_int_equal(neap_model_save(more, "model", NULL), NEAP_OK);
        assert_int_equal(neap_model_load("model", NULL, &loaded, NULL), NEAP_OK);
        again = query_of(loaded, 2);
        assert_memory_equal(((const ni_dot *)loaded->own)->more, x, NEWCOMERS * more->dim * sizeof *x);
        neap_query_free(again);
        neap_query_free(q);
        neap_model_free(loaded);
        neap_model_free(more);
        neap_model_free(m);
    }
    neap_graph_free(g);
}

static neap_status extend_once(void *user, neap_error *err)
{
    neap_model *more;
    neap_query *q = NULL;
    neap_query_spec spec = { .size = sizeof spec, .threads = 1 };
    neap_status rc = extend_crowd(user, &more, err);
    if (rc == NEAP_OK) rc = neap_query_create(more, &spec, &q, err);
    neap_query_free(q);
    neap_model_free(more);
    return rc;
}

static void a_new_node_without_memory_is_an_ordinary_error(void **state)
{
    neap_graph *g = crowd();
    neap_model *m = train_crowd(g, "0.8");
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, extend_once, faults_expect_memory, m) > 10);
    neap_model_free(m);
    neap_graph_free(g);
}

/* A text that is cut leaves words of the vocabulary out, which are negatives all the same. */
static void texts_may_be_cut(void **state)
{
    neap_graph *g = crowd();
    neap_text *text = topics_of(g);
    neap_model *m = trained_with(g, text,
                                 options_of("neap", "method", "tridnr", "dim", "8", "epochs", "1", "walks",
                                            "1", "text-length", "1", NULL));
    (void)state;
    assert_int_equal(m->texts.offset[PEOPLE], PEOPLE);
    assert_true(m->texts.words.count > TOPICS);
    neap_model_free(m);
    neap_text_free(text);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_every_text_comes_once_in_an_epoch),
        cmocka_unit_test(texts_are_dealt_into_the_ranges_of_words),
        cmocka_unit_test(a_step_of_texts_goes_down_the_gradient),
        cmocka_unit_test(a_training_is_that_of_its_plain_twin),
        cmocka_unit_test(nodes_with_similar_texts_are_near),
        cmocka_unit_test_setup_teardown(a_new_node_is_near_nodes_with_its_words, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test(a_new_node_without_memory_is_an_ordinary_error),
        cmocka_unit_test(texts_may_be_cut),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
