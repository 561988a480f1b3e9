/* What every method that learns vectors promises, one after the other, from the list of methods: a new one
 * is tested here as soon as it is registered, and so are forms of methods that compute by other code. (gap
 * has test_train.c and test_faults.c.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/text.h"
#include "faults.h"
#include "node_features.h"
#include "scratch.h"
#include "settings.h"
#include "tamper.h"

/* ---- methods and graphs ---- */

/* A method, or one with another value of one of its options, or one that reads features beside texts. */
typedef struct form {
    const char *method, *option, *value;
    bool features;
} form;

static const form other_forms[] = {
    { "apn", "encoder", "lstm", false },      { "cene", "content", "gru", false },
    { "cane", "score-by", "mean", false },    { "cane", "attend-padding", "yes", false },
    { "gapmlp", "form", "mean", false },      { "dmte", "diffusion", "batch", false },
    { "text", "tf", "count", true },          { "tadw", "text-dim", "8", true },
    { "gap", "mask", "yes", false },          { "gap", "sides", "2", false },
    { "gap", "degrees", "yes", false },       { "gap", "alignment", "scaled", false },
    { "gap", "attention", "uniform", false },
};

static bool next_form(size_t *i, form *f)
{
    size_t methods = neap_method_count(), forms = sizeof other_forms / sizeof *other_forms;
    for (; *i < methods; ++*i) {
        const neap_method_info *m = neap_method_at(*i);
        if (!m->vectors || !strcmp(m->name, "gap")) continue;
        *f = (form){ neap_method_at((*i)++)->name, "seed", "1", false };
        return true;
    }
    if (*i == methods + forms) return false;
    *f = other_forms[(*i)++ - methods];
    return true;
}

static bool has_epochs(const char *method)
{
    return neap_method_has_option(method, "epochs");
}

/* A run of a moment, whatever the method: what it does not have does not matter to it. */
static neap_options *brief(const form *f, const char *more, const char *value)
{
    return options_of("neap", "method", f->method, f->option, f->value, "dim", "8", "epochs", "2", "walks",
                      "2", "walk-length", "10", "window", "4", "examples", "30", "curve-steps", "4",
                      "text-dim", "8", "threads", "2", more, value, NULL);
}

/* Large enough for several ranges of the grid. */
static neap_graph *blocks(void)
{
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = 140, .blocks = 4, .p_in = 0.2, .p_out = 0.01, .seed = 1
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

/* On all of a graph; the caller expects what it expects. */
static neap_status try_training(const neap_graph *g, const form *f, const neap_options *o,
                                const neap_hooks *hooks, neap_model **m, neap_error *err)
{
    neap_text *text = NULL;
    neap_features *features = NULL;
    *m = NULL;
    neap_status rc = try_texts_of(g, &text, err);
    if (rc == NEAP_OK && f->features) rc = try_features_of(g, &features, err);
    neap_data data = { .size = sizeof data, .graph = g, .text = text, .features = features };
    if (rc == NEAP_OK) rc = neap_train(&data, o, hooks, m, err);
    neap_features_free(features);
    neap_text_free(text);
    return rc;
}

static neap_model *train(const neap_graph *g, const form *f, const neap_options *o)
{
    neap_model *m;
    neap_error err = { 0 };
    if (try_training(g, f, o, NULL, &m, &err)) fail_msg("%s: %s", f->method, err.text);
    return m;
}

static void expect_same_files(const char *a, const char *b)
{
    size_t n;
    char *bytes = scratch_bytes(a, &n);
    scratch_expect(b, bytes, n);
    free(bytes);
}

/* ---- from training to queries ---- */

/* The scores of node 0 with everybody, and finite vectors of everybody. */
static float *ask(const neap_model *m)
{
    uint32_t n = neap_graph_nodes(neap_model_graph(m)), dim = m->dim;
    neap_pair *pairs = malloc(n * sizeof *pairs);
    float *scores = malloc(n * sizeof *scores), *vectors = malloc((size_t)n * dim * sizeof *vectors);
    neap_error err = { 0 };
    for (uint32_t u = 0; u < n; u++) pairs[u] = (neap_pair){ 0, u };
    if (neap_model_score(m, pairs, n, scores, &err)) fail_msg("%s", err.text);
    assert_int_equal(neap_model_vectors(m, vectors, NULL), NEAP_OK);
    for (size_t i = 0; i < (size_t)n * dim; i++) assert_true(isfinite(vectors[i]));
    free(pairs);
    free(vectors);
    return scores;
}

static void a_method_that_reads_text_says_so(void **state)
{
    (void)state;
    for (size_t i = 0; ni_method_at(i); i++)
        if ((ni_method_at(i)->text != NULL) != (ni_method_at(i)->info.text != 0))
            fail_msg("%s", ni_method_at(i)->info.name);
}

static void a_saved_model_gives_the_same_answers(void **state)
{
    neap_graph *g = blocks();
    size_t i = 0;
    (void)state;
    for (form f; next_form(&i, &f);) {
        neap_options *o = brief(&f, "seed", "3");
        neap_model *m = train(g, &f, o), *loaded;
        neap_ranking *best;
        assert_int_equal(neap_model_save(m, "model", NULL), NEAP_OK);
        assert_int_equal(neap_file_check("model", NULL, NULL, NULL), NEAP_OK);
        assert_int_equal(neap_model_load("model", NULL, &loaded, NULL), NEAP_OK);
        float *before = ask(m), *after = ask(loaded);
        assert_memory_equal(before, after, neap_graph_nodes(g) * sizeof *before);
        assert_int_equal(neap_model_rank(loaded, 0, 5, 1, &best, NULL), NEAP_OK);
        assert_int_equal(best->count, 5);
        assert_true(fabsf(best->score[0] - after[best->node[0]]) <= 1e-5F); /* by other products */
        neap_ranking_free(best);
        free(before);
        free(after);
        neap_model_free(loaded);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_graph_free(g);
}

/* ---- the same bytes ---- */

static void threads_do_not_change_a_byte(void **state)
{
    static const char *const threads[] = { "1", "2", "4" };
    neap_graph *g = blocks();
    size_t i = 0;
    (void)state;
    for (form f; next_form(&i, &f);)
        for (int k = 0; k < 3; k++) {
            neap_options *o = brief(&f, "threads", threads[k]);
            neap_model *m = train(g, &f, o);
            assert_int_equal(neap_model_save(m, k ? "other" : "first", NULL), NEAP_OK);
            if (k) expect_same_files("first", "other");
            neap_model_free(m);
            neap_options_free(o);
        }
    neap_graph_free(g);
}

typedef struct stopper {
    unsigned calls, stop_at;
} stopper;

static int stop_at(const neap_progress *now, void *user)
{
    stopper *s = user;
    return !strcmp(now->stage, "train") && ++s->calls == s->stop_at; /* preparing may take long, or not */
}

/* Stopped after one step, after four more, and so on, with another number of threads each time; returns how
 * often. */
static unsigned train_in_pieces(const neap_graph *g, const form *f, const char *valid)
{
    static const char *const threads[] = { "1", "2", "3" };
    neap_model *m = NULL;
    neap_status rc;
    neap_error err = { 0 };
    unsigned stops = 0;
    do {
        stopper s = { 0, 1 + stops * 3 % 7 };
        neap_hooks hooks = {
            .size = sizeof hooks, .progress = stop_at, .user = &s, .checkpoint = "run", .resume = 1
        };
        neap_options *o = brief(f, "valid", valid);
        assert_int_equal(neap_options_set(o, "threads", threads[stops % 3], NULL), NEAP_OK);
        rc = try_training(g, f, o, &hooks, &m, &err);
        if (rc != NEAP_OK && rc != NEAP_E_STOPPED) fail_msg("%s: %s", f->method, err.text);
        stops += rc == NEAP_E_STOPPED;
        neap_options_free(o);
    } while (rc != NEAP_OK);
    assert_int_equal(neap_model_save(m, "pieces", NULL), NEAP_OK);
    neap_model_free(m);
    remove("run");
    return stops;
}

static void a_run_stopped_again_and_again_ends_in_the_same_bytes(void **state)
{
    static const char *const valid[] = { "0", "0.1" };
    neap_graph *g = blocks();
    size_t i = 0;
    (void)state;
    for (form f; next_form(&i, &f);)
        for (int k = 0; k < 2; k++) {
            neap_options *o = brief(&f, "valid", valid[k]);
            neap_model *m = train(g, &f, o);
            assert_int_equal(neap_model_save(m, "whole", NULL), NEAP_OK);
            unsigned stops = train_in_pieces(g, &f, valid[k]);
            if (has_epochs(f.method) && stops == 0) fail_msg("%s was never stopped", f.method);
            expect_same_files("whole", "pieces");
            neap_model_free(m);
            neap_options_free(o);
        }
    neap_graph_free(g);
}

/* A place after the last step, though it is one that the places of an epoch would allow. */
static void a_checkpoint_beyond_the_steps_of_an_epoch_is_refused(void **state)
{
    neap_graph *g = blocks();
    size_t i = 0;
    (void)state;
    for (form f; next_form(&i, &f);) {
        neap_options *o = brief(&f, "valid", "0");
        stopper s = { 0, 1 };
        neap_hooks hooks = {
            .size = sizeof hooks, .progress = stop_at, .user = &s, .checkpoint = "run", .resume = 1
        };
        neap_model *m;
        neap_error err = { 0 };
        if (has_epochs(f.method)) {
            assert_int_equal(try_training(g, &f, o, &hooks, &m, NULL), NEAP_E_STOPPED);
            tamper_header("run", "\"batch\":\"", "\"batch\":\"10"); /* 100, or a little more */
            neap_status rc = try_training(g, &f, o, &hooks, &m, &err);
            if (rc != NEAP_E_FORMAT) fail_msg("%s: status %d", f.method, (int)rc);
            assert_non_null(strstr(err.text, "stands at an impossible position"));
            remove("run");
        }
        neap_options_free(o);
    }
    neap_graph_free(g);
}

/* Goes on from a checkpoint that was made with other texts or features, which leave no trace in options.
 */
static void expect_mismatch(const neap_data *data, const neap_options *o, const char *words)
{
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .resume = 1 };
    neap_model *m;
    neap_error err = { 0 };
    neap_status rc = neap_train(data, o, &hooks, &m, &err);
    if (rc != NEAP_E_MISMATCH || !strstr(err.text, words)) fail_msg("%d: %s", (int)rc, err.text);
    assert_null(m);
}

static void make_checkpoint(const neap_data *data, const neap_options *o)
{
    stopper s = { 0, 1 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_at, .user = &s, .checkpoint = "run" };
    neap_model *m;
    assert_int_equal(neap_train(data, o, &hooks, &m, NULL), NEAP_E_STOPPED);
    assert_int_equal(neap_file_check("run", NULL, NULL, NULL), NEAP_OK);
}

static void a_checkpoint_of_other_texts_is_refused(void **state)
{
    neap_graph *g = blocks();
    neap_text *text = texts_of(g), *other = texts_of(g);
    size_t i = 0;
    (void)state;
    other->word[other->offset[2] - 1] = other->word[0]; /* the last word of node 1 is one that all have */
    for (form f; next_form(&i, &f);) {
        neap_options *o = brief(&f, "valid", "0");
        neap_data data = { .size = sizeof data, .graph = g, .text = text };
        if (neap_method_find(f.method)->text && has_epochs(f.method)) {
            make_checkpoint(&data, o);
            data.text = other;
            expect_mismatch(&data, o, "other texts");
            remove("run");
        }
        neap_options_free(o);
    }
    neap_text_free(text);
    neap_text_free(other);
    neap_graph_free(g);
}

/* As a file that is older than this fact. */
static void drop_hash_of_features(const char *path)
{
    ni_tensors t;
    size_t i = 0;
    assert_int_equal(ni_tensors_read(path, NULL, &t, NULL), NEAP_OK);
    while (i < t.facts && strcmp(t.fact[i].key, "features.hash")) i++;
    assert_true(i < t.facts);
    ni_fact dropped = t.fact[i];
    t.fact[i] = t.fact[--t.facts];
    assert_int_equal(ni_tensors_write(&t, path, NULL), NEAP_OK);
    ni_tensors_release(&t);
    ni_free(dropped.key);
    ni_free(dropped.value);
}

static void a_checkpoint_of_other_features_is_refused(void **state)
{
    neap_graph *g = blocks();
    neap_text *text = texts_of(g);
    neap_features *features = features_of(g), *other = features_of(g);
    neap_options *o = brief(&(form){ "tadw", "text-dim", "8", true }, "valid", "0");
    neap_data data = { .size = sizeof data, .graph = g, .text = text, .features = features };
    neap_model *m;
    (void)state;
    other->value[7] *= 2;
    make_checkpoint(&data, o);
    data.features = other;
    expect_mismatch(&data, o, "other features");
    data.features = NULL;
    expect_mismatch(&data, o, "other features");
    make_checkpoint(&data, o);
    data.features = features;
    expect_mismatch(&data, o, "other features");
    data.text = NULL;
    expect_mismatch(&data, o, "other texts");
    make_checkpoint(&data, o);
    expect_mismatch(&(neap_data){ .size = sizeof data, .graph = g, .text = text }, o, "other texts");
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .resume = 1 };
    drop_hash_of_features("run");
    assert_int_equal(neap_file_check("run", NULL, NULL, NULL), NEAP_OK);
    assert_int_equal(neap_train(&data, o, &hooks, &m, NULL), NEAP_OK);
    neap_model_free(m);
    neap_options_free(o);
    neap_features_free(features);
    neap_features_free(other);
    neap_text_free(text);
    neap_graph_free(g);
}

/* ---- graphs that are not like others ---- */

typedef struct oddity {
    const char *name;
    uint32_t nodes;
    neap_edge edge[12];
    int weighted, undirected;
    const char *along;
} oddity;

static const oddity oddities[] = {
    { "one edge", 2, { { 0, 1, 1 } }, 0, 0, "no" },
    { "a star",
      7,
      { { 0, 1, 1 }, { 0, 2, 1 }, { 0, 3, 1 }, { 0, 4, 1 }, { 0, 5, 1 }, { 0, 6, 1 } },
      0,
      1,
      "no" },
    { "two components", 6, { { 0, 1, 1 }, { 1, 2, 1 }, { 3, 4, 1 }, { 4, 5, 1 } }, 0, 1, "no" },
    { "loops", 4, { { 0, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 }, { 1, 2, 1 }, { 3, 3, 1 } }, 0, 0, "yes" },
    { "isolated nodes", 9, { { 4, 5, 1 }, { 5, 6, 1 }, { 6, 4, 1 } }, 0, 1, "no" },
    { "sinks", 5, { { 0, 1, 1 }, { 0, 2, 1 }, { 3, 4, 1 } }, 0, 0, "yes" },
    { "extreme weights",
      5,
      { { 0, 1, 1e-30f }, { 1, 2, 1e30f }, { 2, 3, 1 }, { 3, 4, 1e-3f } },
      1,
      1,
      "no" },
    { "weights and directions",
      4,
      { { 0, 1, 2 }, { 1, 0, 3 }, { 1, 2, 1 }, { 2, 3, 5 }, { 3, 0, 1 } },
      1,
      0,
      "yes" },
};

static void expect_finite_scores(const oddity *odd, const neap_graph *g, const neap_options *o,
                                 const form *f)
{
    neap_model *m;
    neap_error err = { 0 };
    neap_status rc = try_training(g, f, o, NULL, &m, &err);
    if (rc == NEAP_E_FORMAT && strstr(err.text, "no non-link")) return; /* what learns by them says so */
    if (rc != NEAP_OK) fail_msg("%s of %s: %s", f->method, odd->name, err.text);
    float *scores = ask(m);
    for (uint32_t u = 0; u < odd->nodes; u++) assert_true(isfinite(scores[u]));
    free(scores);
    neap_model_free(m);
}

static void odd_graphs_are_trained_on_and_scored(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof oddities / sizeof *oddities; k++) {
        const oddity *odd = &oddities[k];
        uint64_t edges = 0;
        size_t i = 0;
        neap_graph *g;
        while (edges < 12 && odd->edge[edges].weight > 0) edges++;
        assert_int_equal(
            neap_graph_create(odd->nodes, NULL, odd->edge, edges, odd->weighted, odd->undirected, &g, NULL),
            NEAP_OK);
        for (form f; next_form(&i, &f);) {
            neap_options *o = brief(&f, "along", odd->along);
            assert_int_equal(neap_options_set(o, "self-loops", "yes", NULL), NEAP_OK);
            if (odd->undirected) assert_int_equal(neap_options_set(o, "undirected", "yes", NULL), NEAP_OK);
            expect_finite_scores(odd, g, o, &f);
            neap_options_free(o);
        }
        neap_graph_free(g);
    }
}

static void a_graph_without_an_edge_is_refused_with_words(void **state)
{
    neap_edge loops[] = { { 0, 0, 1 }, { 2, 2, 1 } };
    size_t i = 0;
    (void)state;
    for (form f; next_form(&i, &f);)
        for (uint64_t edges = 0; edges <= 2; edges += 2) {
            neap_options *o = brief(&f, "self-loops", "yes");
            neap_graph *g;
            neap_model *m;
            neap_error err = { 0 };
            assert_int_equal(neap_graph_create(3, NULL, loops, edges, 0, 0, &g, NULL), NEAP_OK);
            neap_status rc = try_training(g, &f, o, NULL, &m, &err);
            if (rc != NEAP_E_FORMAT) fail_msg("%s: status %d", f.method, (int)rc);
            assert_null(m);
            assert_non_null(strstr(err.text, "no edge"));
            neap_graph_free(g);
            neap_options_free(o);
        }
}

/* What is left when the only links are held back. */
static void loops_alone_are_nothing_to_learn_from(void **state)
{
    const neap_edge edge[] = { { 0, 0, 1 }, { 0, 1, 1 }, { 2, 2, 1 } };
    const neap_pair link = { 0, 1 }, other = { 0, 2 };
    size_t i = 0;
    neap_graph *g;
    (void)state;
    assert_int_equal(neap_graph_create(3, NULL, edge, 3, 0, 0, &g, NULL), NEAP_OK);
    neap_text *text = texts_of(g);
    neap_data data = { .size = sizeof data,
                       .graph = g,
                       .text = text,
                       .valid_positives = &link,
                       .valid_negatives = &other,
                       .valid_count = 1 };
    for (form f; next_form(&i, &f);) {
        neap_options *o = brief(&f, "self-loops", "yes");
        neap_model *m;
        neap_error err = { 0 };
        assert_int_equal(neap_options_set(o, "valid", "0.5", NULL), NEAP_OK);
        neap_status rc = neap_train(&data, o, NULL, &m, &err);
        if (has_epochs(f.method) && rc != NEAP_E_FORMAT) fail_msg("%s: status %d", f.method, (int)rc);
        if (rc == NEAP_OK) neap_model_free(m);
        else assert_non_null(strstr(err.text, "no edge"));
        neap_options_free(o);
    }
    neap_text_free(text);
    neap_graph_free(g);
}

/* ---- limits ---- */

static void steps_that_are_too_large_are_said_to_be(void **state)
{
    static const char *const methods[] = { "deepwalk", "node2vec", "walklets", "splitter",
                                           "line",     "verse",    "tridnr" };
    neap_graph *g = blocks();
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const form f = { methods[i], "seed", "1", false };
        neap_options *o = brief(&f, "decay", "none");
        neap_model *m;
        neap_error err = { 0 };
        assert_int_equal(neap_options_set(o, "lr", "10", NULL), NEAP_OK);
        neap_status rc = try_training(g, &f, o, NULL, &m, &err);
        if (rc != NEAP_E_NUMERIC) fail_msg("%s: status %d", methods[i], (int)rc);
        assert_non_null(strstr(err.text, "--lr"));
        neap_options_free(o);
    }
    neap_graph_free(g);
}

/* Of tasks with three million pairs each a step has one, not sixty-four. */
static void long_walks_make_short_steps(void **state)
{
    neap_graph *g = blocks();
    neap_options *o = options_of("neap", "method", "deepwalk", "dim", "8", "walks", "100", "walk-length",
                                 "1000", "window", "50", "epochs", "10", "memory", "1", NULL);
    neap_estimate_result r =
        NEAP_SIZED(neap_estimate_result); /* too large for the limit, so that no time is measured */
    (void)state;
    neap_data data = { .size = sizeof data, .graph = g };
    assert_int_equal(neap_estimate(&data, o, &r, NULL), NEAP_OK);
    assert_in_range(r.bytes_batch, 16 * 32 * 1000 * 100, 2 * 16 * 32 * 1000 * 100);
    neap_options_free(o);
    neap_graph_free(g);
}

static void negatives_are_limited_where_they_are_used(void **state)
{
    static const struct {
        const char *loss;
        neap_status rc;
    } cases[] = { { "hs", NEAP_OK }, { "ns", NEAP_E_ARG }, { "both", NEAP_E_ARG } };
    neap_graph *g = blocks();
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const form f = { "deepwalk", "seed", "1", false };
        neap_options *o = brief(&f, "negatives", "100");
        neap_model *m;
        assert_int_equal(neap_options_set(o, "loss", cases[i].loss, NULL), NEAP_OK);
        assert_int_equal(try_training(g, &f, o, NULL, &m, NULL), cases[i].rc);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_graph_free(g);
}

/* Whatever the stack holds: nothing has been made yet when these are refused. */
static void leave_rubbish(void)
{
    volatile char rubbish[1 << 14];
    for (size_t i = 0; i < sizeof rubbish; i++) rubbish[i] = (char)0xa5;
}

static void vectors_that_cannot_be_divided_are_refused(void **state)
{
    static const char *const cases[][3] = { { "walklets", "window", "3" },
                                            { "line", "order", "both" },
                                            { "attentivewalk", "window", "3" } };
    neap_graph *g = blocks();
    neap_data data = { .size = sizeof data, .graph = g };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const form f = { cases[i][0], cases[i][1], cases[i][2], false };
        neap_options *o = options_of("neap", "method", f.method, "dim", "7", f.option, f.value, NULL);
        neap_estimate_result r = NEAP_SIZED(neap_estimate_result);
        neap_model *m;
        leave_rubbish();
        assert_int_equal(try_training(g, &f, o, NULL, &m, NULL), NEAP_E_ARG);
        leave_rubbish();
        assert_int_equal(neap_estimate(&data, o, &r, NULL), NEAP_E_ARG);
        neap_options_free(o);
    }
    neap_graph_free(g);
}

/* ---- no memory ---- */

static neap_status set_all(neap_options *o, const form *f, neap_error *err)
{
    static const char *const values[][2] = { { "dim", "4" },         { "epochs", "1" },
                                             { "walks", "1" },       { "window", "2" },
                                             { "valid", "0.2" },     { "threads", "2" },
                                             { "walk-length", "5" }, { "permutations", "1" },
                                             { "curve-steps", "1" }, { "examples", "4" } };
    neap_status rc = neap_options_set(o, "method", f->method, err);
    if (rc == NEAP_OK) rc = neap_options_set(o, f->option, f->value, err);
    for (size_t i = 0; i < sizeof values / sizeof *values && rc == NEAP_OK; i++)
        rc = neap_options_set(o, values[i][0], values[i][1], err);
    return rc;
}

/* A weighted ring with chords, trained on, kept, and asked. */
static neap_status whole_way(void *user, neap_error *err)
{
    static const neap_edge ring[] = { { 0, 1, 1 }, { 1, 2, 2 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 3 },
                                      { 5, 6, 1 }, { 6, 7, 1 }, { 7, 0, 2 }, { 0, 4, 1 }, { 2, 6, 1 } };
    neap_options *o = NULL;
    neap_graph *g = NULL;
    neap_model *m = NULL;
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .checkpoint_seconds = 1e-9 };
    neap_pair pair = { 0, 2 };
    float score, vectors[8 * 4];
    neap_status rc = neap_options_create("neap", &o, err);
    if (rc == NEAP_OK) rc = set_all(o, user, err);
    if (rc == NEAP_OK) rc = neap_graph_create(8, NULL, ring, 10, 1, 0, &g, err);
    if (rc == NEAP_OK) rc = try_training(g, user, o, &hooks, &m, err);
    if (rc == NEAP_OK) rc = neap_model_score(m, &pair, 1, &score, err);
    if (rc == NEAP_OK) rc = neap_model_vectors(m, vectors, err);
    neap_model_free(m);
    neap_graph_free(g);
    neap_options_free(o);
    return rc;
}

static void every_failing_allocation_is_an_ordinary_error(void **state)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it is not about threads, and would take minutes */
#endif
    size_t i = 0;
    (void)state;
    for (form f; next_form(&i, &f);)
        for (int forever = 0; forever < 2; forever++)
            assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, whole_way, faults_expect_memory, &f) >
                        15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_method_that_reads_text_says_so),
        cmocka_unit_test_setup_teardown(a_saved_model_gives_the_same_answers, scratch_enter, scratch_leave),
        cmocka_unit_test_setup_teardown(threads_do_not_change_a_byte, scratch_enter, scratch_leave),
        cmocka_unit_test_setup_teardown(a_run_stopped_again_and_again_ends_in_the_same_bytes, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_checkpoint_beyond_the_steps_of_an_epoch_is_refused, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_checkpoint_of_other_texts_is_refused, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_checkpoint_of_other_features_is_refused, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test(odd_graphs_are_trained_on_and_scored),
        cmocka_unit_test(a_graph_without_an_edge_is_refused_with_words),
        cmocka_unit_test(loops_alone_are_nothing_to_learn_from),
        cmocka_unit_test(steps_that_are_too_large_are_said_to_be),
        cmocka_unit_test(long_walks_make_short_steps),
        cmocka_unit_test(negatives_are_limited_where_they_are_used),
        cmocka_unit_test(vectors_that_cannot_be_divided_are_refused),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_an_ordinary_error, scratch_enter,
                                        scratch_leave),
    };
    faults_install();
    faults_skip_fsync();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
