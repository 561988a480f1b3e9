/* Nodes are numbered as a file names them. Another order of its lines numbers them otherwise: what a model
 * says of nodes and pairs must stay, for weights that were numbered along with the nodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scratch.h"
#include "settings.h"

enum { NODES = 23, PAIRS = NODES * NODES, DIM = 8 };

/* A ring with chords; the words of a node are those of its circle, and one of its own. Backwards: the
 * same lines from the last to the first. */
typedef struct world {
    neap_graph *graph;
    neap_text *text;
} world;

static world world_of(bool backwards)
{
    char lines[3 * NODES * 16], words[NODES][64], name[8], *end = lines;
    const char *texts[NODES] = { 0 };
    world w;
    for (int i = 0; i < 3 * NODES; i++) {
        int k = backwards ? 3 * NODES - 1 - i : i, u = k / 3, v = u + 1 + k % 3 * (1 + u % 4);
        end += sprintf(end, "p%d p%d\n", u, v % NODES);
    }
    scratch_put("graph", lines, (size_t)(end - lines));
    neap_options *o = options_of("neap", "undirected", "yes", NULL);
    assert_int_equal(neap_graph_load("graph", o, NULL, &w.graph, NULL), NEAP_OK);
    neap_options_free(o);
    assert_int_equal(neap_graph_nodes(w.graph), NODES);
    for (int i = 0; i < NODES; i++) {
        uint32_t u;
        snprintf(name, sizeof name, "p%d", i);
        snprintf(words[i], sizeof words[i], "c%d all d%d c%d e%d", i % 5, i % 3, i % 5, i % 7);
        assert_int_equal(neap_graph_find(w.graph, name, &u, NULL), NEAP_OK);
        if (i != 4) texts[u] = words[i]; /* one has no text */
    }
    assert_int_equal(neap_text_create(w.graph, texts, &w.text, NULL), NEAP_OK);
    return w;
}

static void world_free(world *w)
{
    neap_text_free(w->text);
    neap_graph_free(w->graph);
}

static neap_model *model_of(const world *w, const char *method, const char *option, const char *value)
{
    neap_data data = { .size = sizeof data, .graph = w->graph, .text = w->text };
    neap_error err = { 0 };
    neap_model *m;
    neap_options *o = options_of("neap", "method", method, "threads", "1", "undirected", "yes", NULL);
    const char *const few[][2] = { { "dim", "8" },   { "epochs", "2" },   { "hidden", "12" },
                                   { "valid", "0" }, { "word-dim", "6" }, { "text-dim", "6" },
                                   { "lr", "0.05" }, { "walks", "2" },    { "min-count", "1" },
                                   { "kernel", "1" } };
    const ni_method *of = ni_method_find(method, NULL);
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        if (ni_method_has_option(of, few[i][0])) set_options(o, few[i][0], few[i][1], NULL);
    if (option) set_options(o, option, value, NULL);
    if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s: %s", method, err.text);
    neap_options_free(o);
    return m;
}

/* at[u]: the number in b of node u of a. */
static void match(const world *a, const world *b, uint32_t at[NODES])
{
    bool moved = false;
    for (uint32_t u = 0; u < NODES; u++) {
        assert_int_equal(neap_graph_find(b->graph, neap_graph_name(a->graph, u), &at[u], NULL), NEAP_OK);
        moved |= at[u] != u;
    }
    assert_true(moved);
}

/* b has the tensors of a: those with a row for each node row by row, all others as they are. */
static void copy_tensors(const neap_model *a, const neap_model *b, const uint32_t at[NODES])
{
    for (size_t i = 0; i < a->tensors->list.count; i++) {
        const ni_declared *from = &a->tensors->list.item[i], *to = &b->tensors->list.item[i];
        size_t bytes = (size_t)ni_declared_bytes(from), row = bytes / NODES;
        assert_string_equal(from->name, to->name);
        assert_int_equal(bytes, ni_declared_bytes(to));
        if (!from->data) continue;
        if (from->shape[0] != NODES) memcpy(to->data, from->data, bytes);
        for (size_t u = 0; from->shape[0] == NODES && u < NODES; u++)
            memcpy((char *)to->data + at[u] * row, (const char *)from->data + u * row, row);
    }
}

static void score_all(const neap_model *m, const uint32_t at[NODES], float scores[PAIRS])
{
    neap_pair pairs[PAIRS];
    for (uint32_t i = 0; i < PAIRS; i++)
        pairs[i] = (neap_pair){ at ? at[i / NODES] : i / NODES, at ? at[i % NODES] : i % NODES };
    assert_int_equal(neap_model_score(m, pairs, PAIRS, scores, NULL), NEAP_OK);
}

static double difference(const float *x, const float *y, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs((double)x[i] - (double)y[i]) / (1 + fabs((double)x[i])));
    return most;
}

/* How far scores, and vectors where there are some, of one order are from those of the other. */
static double spread(const char *method, const char *option, const char *value, bool copies)
{
    world a = world_of(false), b = world_of(true);
    uint32_t at[NODES];
    float x[PAIRS], y[PAIRS];
    match(&a, &b, at);
    neap_model *ma = model_of(&a, method, option, value), *mb = model_of(&b, method, option, value);
    if (copies) copy_tensors(ma, mb, at);
    score_all(ma, NULL, x);
    score_all(mb, at, y);
    double most = difference(x, y, PAIRS);
    if (neap_method_find(method)->vectors) {
        size_t d = ma->dim;
        float *u = calloc(NODES * d, sizeof *u), *v = calloc(NODES * d, sizeof *v);
        assert_int_equal(neap_model_vectors(ma, u, NULL), NEAP_OK);
        assert_int_equal(neap_model_vectors(mb, v, NULL), NEAP_OK);
        for (uint32_t k = 0; k < NODES && copies; k++)
            most = fmax(most, difference(u + k * d, v + at[k] * d, d));
        free(u);
        free(v);
    }
    neap_model_free(ma);
    neap_model_free(mb);
    world_free(&a);
    world_free(&b);
    return most;
}

static void expect_same(const char *method, const char *option, const char *value, bool copies)
{
    double most = spread(method, option, value, copies);
    if (!(most < 1e-4)) fail_msg("%s %s %s: %g", method, option ? option : "", value ? value : "", most);
}

/* Personas of splitter are numbered by node, and evidence keeps the numbers of the nearest texts: rows of
 * their tensors are not enough to make the other model. */
static void no_answer_depends_on_the_numbers_of_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < neap_method_count(); i++) {
        const char *name = neap_method_at(i)->name;
        if (strcmp(name, "splitter") == 0 || strcmp(name, "evidence") == 0) continue;
        bool form = strcmp(name, "gapmlp") == 0;
        expect_same(name, form ? "form" : NULL, "mean", true);
    }
    expect_same("evidence", "evidence", "degrees,shared,paths,walks,spectral", true);
    expect_same("apn", "encoder", "lstm", true);
    expect_same("apn", "kernel", "3", true);
    expect_same("cane", "score-by", "mean", true);
    expect_same("cane", "attend-padding", "yes", true);
    expect_same("dmte", "text-mean", "padded", true);
}

/* What is computed and not drawn needs no weights of the other. */
static void without_draws_training_does_not_depend_on_them_either(void **state)
{
    const char *const methods[] = { "text", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr", "pa" };
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        expect_same(methods[i], NULL, NULL, false);
}

/* docs/methods.md: these read neighbours in the order of their numbers. */
static void these_read_neighbours_by_number(void **state)
{
    (void)state;
    assert_true(spread("gapmlp", "form", "flat", true) > 1e-3);
    assert_true(spread("gapapn", "kernel", "3", true) > 1e-3);
    assert_true(spread("gapcn", "kernel", "3", true) > 1e-3); /* equal ones */
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(no_answer_depends_on_the_numbers_of_nodes),
        HERE(without_draws_training_does_not_depend_on_them_either),
        HERE(these_read_neighbours_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
