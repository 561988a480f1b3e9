/* Training as a whole: it learns, it repeats itself to the bit, it survives, it refuses. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
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

#include "attention/trainer.h"
#include "base/rng.h"

/* ---- a small world ---- */

static neap_graph *blocks(uint64_t seed)
{
    neap_generator what = { .size = sizeof what,
                            .kind = "sbm",
                            .nodes = 60,
                            .blocks = 3,
                            .p_in = 0.35,
                            .p_out = 0.02,
                            .seed = seed };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

static neap_options *small(const char *more, const char *value)
{
    return options_of("neap", "method", "gap", "dim", "16", "neighbors", "8", "batch", "16", "epochs", "4",
                      "lr", "0.01", "threads", "2", more, value, NULL);
}

static void assert_same_model(const neap_model *a, const neap_model *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_non_null(tensor_of(a, "E"));
    assert_non_null(tensor_of(a, "P"));
    assert_same_tensors(a, b);
    assert_int_equal(a->epochs, b->epochs);
}

/* ---- learning ---- */

static void every_preset_learns_the_blocks_of_a_graph(void **state)
{
    static const char *const presets[] = { "neap", "paper", "authors" };
    neap_graph *g = blocks(1);
    neap_split *s;
    (void)state;
    assert_int_equal(neap_split_create(g, 0.2, 1, &s, NULL), NEAP_OK);
    for (int i = 0; i < 3; i++) {
        neap_options *o = options_of(presets[i], "method", "gap", "dim", "24", "epochs", "15", "lr", "0.01",
                                     "neighbors", "20", NULL);
        neap_model *m = train_on(neap_split_train(s), o, NULL);
        double auc = test_auc(s, m);
        if (!(auc > 0.7)) fail_msg("preset %s reaches only %f", presets[i], auc);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_split_free(s);
    neap_graph_free(g);
}

/* E is uniform within a bound that depends on its shape, P is normal. */
static void draw_start(neap_model *m)
{
    const ni_gap *own = m->own;
    uint64_t d = m->dim;
    ni_model_draw_rows(m, sqrt(6.0 / ((double)m->rows + 1 + (double)d)), own->E);
    for (uint64_t i = 0; i < d; i++) {
        ni_rng rng = ni_rng_at(m->settings->common.seed, NI_STREAM_MATRIX, 0, i);
        for (uint64_t k = 0; k < d; k++)
            own->P[i * d + k] = (float)(ni_normal(&rng) * sqrt(1.0 / (double)d));
    }
}

static void no_epochs_give_the_untrained_tables(void **state)
{
    neap_graph *g = blocks(1);
    neap_options *o = small("epochs", "0");
    set_options(o, "alignment", "tanh", NULL); /* whose matrix is drawn */
    neap_model *m = train_on(g, o, NULL), *fresh = empty_model(g, o);
    (void)state;
    draw_start(fresh);
    assert_same_model(m, fresh);
    neap_model_free(fresh);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

static int count_epochs(const neap_progress *now, void *user)
{
    *(uint32_t *)user += (uint32_t)now->epoch_end;
    return 0;
}

static void patience_ends_training_and_keeps_the_best_epoch(void **state)
{
    neap_graph *g = blocks(2);
    uint32_t epochs = 0;
    neap_hooks hooks = { .size = sizeof hooks, .progress = count_epochs, .user = &epochs };
    neap_options *o = options_of("neap", "method", "gap", "dim", "16", "epochs", "200", "lr", "0.05",
                                 "patience", "3", NULL);
    neap_model *m = train_on(g, o, &hooks);
    (void)state;
    assert_true(epochs < 200);
    assert_int_equal(epochs, m->epochs + 3);
    assert_true(m->valid_auc > 0.5);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

/* Says NEAP_ENOUGH at the end of an epoch, or within it. */
typedef struct content {
    uint32_t epoch;
    int within;
} content;

static int say_enough(const neap_progress *now, void *user)
{
    const content *c = user;
    bool there = now->epoch == c->epoch && (c->within ? now->done > 0 : now->epoch_end);
    return !strcmp(now->stage, "train") && (there || now->epoch > c->epoch) ? NEAP_ENOUGH : 0;
}

static void enough_is_a_model_of_the_steps_that_were_made(void **state)
{
    neap_graph *g = blocks(2);
    content c = { .epoch = 2 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = say_enough, .user = &c };
    (void)state;
    for (int valid = 0; valid < 2; valid++) {
        neap_options *o = small("valid", valid ? "0.2" : "0"), *two = small("valid", valid ? "0.2" : "0");
        set_options(two, "epochs", "2", NULL);
        c.within = 0;
        neap_model *cut = train_on(g, o, &hooks), *plain = train_on(g, two, NULL);
        assert_same_model(cut, plain);
        neap_model_free(cut);
        c.within = 1;
        cut = train_on(g, o, &hooks);
        assert_int_equal(cut->epochs, 1);
        neap_model_free(cut);
        neap_model_free(plain);
        neap_options_free(o);
        neap_options_free(two);
    }
    neap_graph_free(g);
}

/* With validation the copy of the best epoch is that of no epoch then, and must not be taken. */
static void enough_within_the_first_epoch_keeps_its_steps(void **state)
{
    neap_graph *g = blocks(2);
    content c = { .epoch = 1, .within = 1 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = say_enough, .user = &c };
    neap_options *o = small("valid", "0.2"), *none = small("epochs", "0");
    neap_model *cut = train_on(g, o, &hooks), *fresh = train_on(g, none, NULL);
    (void)state;
    assert_true(cut->epochs == 0 && isnan(cut->valid_auc));
    assert_memory_not_equal(tensor_of(cut, "E"), tensor_of(fresh, "E"), 16 * sizeof(float));
    neap_model_free(cut);
    neap_model_free(fresh);
    neap_options_free(o);
    neap_options_free(none);
    neap_graph_free(g);
}

/* ---- the same bits ---- */

static void threads_do_not_change_the_model(void **state)
{
    static const char *const presets[] = { "neap", "paper", "authors" };
    neap_graph *g = blocks(3);
    (void)state;
    for (int i = 0; i < 3; i++) {
        neap_model *first = NULL;
        for (uint32_t threads = 1; threads <= 4; threads++) {
            char number[16];
            snprintf(number, sizeof number, "%u", threads);
            neap_options *o = options_of(presets[i], "method", "gap", "dim", "16", "epochs", "2",
                                         "neighbors", "9", "threads", number, NULL);
            neap_model *m = train_on(g, o, NULL);
            if (first) assert_same_model(first, m);
            if (first) neap_model_free(m);
            else first = m;
            neap_options_free(o);
        }
        neap_model_free(first);
    }
    neap_graph_free(g);
}

static void another_seed_gives_another_model(void **state)
{
    neap_graph *g = blocks(3);
    neap_options *o = small("seed", "1"), *p = small("seed", "2");
    neap_model *a = train_on(g, o, NULL), *b = train_on(g, p, NULL);
    (void)state;
    assert_memory_not_equal(tensor_of(a, "E"), tensor_of(b, "E"), 64);
    neap_model_free(a);
    neap_model_free(b);
    neap_options_free(o);
    neap_options_free(p);
    neap_graph_free(g);
}

/* ---- stopping and going on ---- */

typedef struct stopper {
    unsigned calls, stop_at;
} stopper;

static int stop_at(const neap_progress *now, void *user)
{
    stopper *s = user;
    (void)now;
    return ++s->calls == s->stop_at;
}

/* Stopped after every third batch, again and again, until it is through. */
static void a_run_stopped_again_and_again_ends_in_the_same_model(void **state)
{
    static const char *const optimizers[] = { "adam", "lazy-adam", "adagrad" };
    neap_graph *g = blocks(4);
    (void)state;
    for (int i = 0; i < 3; i++) {
        neap_options *o = small("optimizer", optimizers[i]);
        neap_model *whole = train_on(g, o, NULL), *pieces = NULL;
        neap_status rc;
        neap_data data = { .size = sizeof data, .graph = g };
        unsigned stops = 0;
        do {
            stopper s = { 0, 3 };
            neap_hooks hooks = { .size = sizeof hooks,
                                 .progress = stop_at,
                                 .user = &s,
                                 .checkpoint = "run.checkpoint",
                                 .resume = 1 };
            rc = neap_train(&data, o, &hooks, &pieces, NULL);
            assert_true(rc == NEAP_OK || rc == NEAP_E_STOPPED);
            stops += rc == NEAP_E_STOPPED;
        } while (rc != NEAP_OK);
        assert_true(stops > 5);
        assert_same_model(whole, pieces);
        neap_model_free(whole);
        neap_model_free(pieces);
        neap_options_free(o);
        remove("run.checkpoint");
    }
    neap_graph_free(g);
}

static int die_at(const neap_progress *now, void *user)
{
    stopper *s = user;
    (void)now;
    if (++s->calls == s->stop_at) raise(SIGKILL);
    return 0;
}

/* Ten processes killed with SIGKILL at different places; what the eleventh ends in is the same to the byte.
 */
static void ten_kills_do_not_change_a_byte(void **state)
{
    neap_graph *g = blocks(5);
    neap_options *o = small("epochs", "6");
    (void)state;
    assert_int_equal(neap_options_set(o, "threads", "1", NULL), NEAP_OK); /* a child of fork has only one */
    neap_model *whole = train_on(g, o, NULL);
    assert_int_equal(neap_model_save(whole, "whole", NULL), NEAP_OK);
    for (unsigned kill = 0; kill < 10; kill++) {
        pid_t child = fork();
        if (child == 0) {
            stopper s = { 0, 2 + 3 * kill % 7 };
            neap_hooks hooks = { .size = sizeof hooks,
                                 .progress = die_at,
                                 .user = &s,
                                 .checkpoint = "run",
                                 .checkpoint_seconds = 1e-9,
                                 .resume = 1 };
            train_status(g, o, &hooks, NULL);
            _exit(1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .resume = 1 };
    neap_model *m = train_on(g, o, &hooks);
    assert_int_equal(neap_model_save(m, "pieces", NULL), NEAP_OK);
    size_t n;
    char *bytes = scratch_bytes("whole", &n);
    scratch_expect("pieces", bytes, n);
    free(bytes);
    neap_model_free(whole);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

static void another_graph_or_other_options_are_refused(void **state)
{
    neap_graph *g = blocks(6), *other = blocks(7);
    neap_options *o = small("seed", "1"), *p = small("dim", "17");
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .resume = 1 };
    neap_model *m = train_on(g, o, &hooks);
    neap_error err;
    (void)state;
    neap_model_free(m);
    assert_int_equal(train_status(other, o, &hooks, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "another graph"));
    assert_int_equal(train_status(g, p, &hooks, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "dim"));
    /* How many threads there are is nobody's business. */
    assert_int_equal(neap_options_set(o, "threads", "1", NULL), NEAP_OK);
    m = train_on(g, o, &hooks);
    neap_model_free(m);
    neap_options_free(o);
    neap_options_free(p);
    neap_graph_free(g);
    neap_graph_free(other);
}

static int stop_at_the_end_of_epoch_2(const neap_progress *now, void *user)
{
    (void)user;
    return now->epoch_end && now->epoch == 2;
}

static void a_stop_names_the_epoch_that_progress_named(void **state)
{
    neap_graph *g = blocks(6);
    neap_options *o = small("epochs", "2");
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_at_the_end_of_epoch_2 };
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(train_status(g, o, &hooks, &err), NEAP_E_STOPPED);
    assert_string_equal(err.text, "stopped in epoch 2");
    neap_options_free(o);
    neap_graph_free(g);
}

/* A place beyond the end would never be reached again, and the run would not end. */
static void a_checkpoint_at_an_impossible_place_is_refused(void **state)
{
    neap_graph *g = blocks(6);
    neap_options *o = small("seed", "1");
    stopper s = { 0, 3 };
    neap_hooks hooks = {
        .size = sizeof hooks, .progress = stop_at, .user = &s, .checkpoint = "run", .resume = 1
    };
    neap_error err;
    (void)state;
    assert_int_equal(train_status(g, o, &hooks, NULL), NEAP_E_STOPPED);
    assert_int_equal(neap_file_check("run", NULL, NULL, &err), NEAP_OK);
    tamper_header("run", "\"batch\":\"", "\"batch\":\"9999999"); /* 3, or less under load */
    assert_int_equal(neap_file_check("run", NULL, NULL, &err), NEAP_E_FORMAT);
    assert_int_equal(train_status(g, o, &hooks, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "impossible"));
    neap_options_free(o);
    neap_graph_free(g);
}

/* ---- what cannot be trained on ---- */

static void assert_refused(uint32_t nodes, const neap_edge *edges, uint64_t count, const char *words)
{
    neap_graph *g;
    neap_error err = { 0 };
    static const char *const presets[] = { "neap", "paper", "authors" };
    assert_int_equal(neap_graph_create(nodes, NULL, edges, count, 0, 0, &g, NULL), NEAP_OK);
    for (int i = 0; i < 3; i++) {
        neap_options *o = options_of(presets[i], "method", "gap", NULL);
        assert_int_equal(train_status(g, o, NULL, &err), NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, words));
        neap_options_free(o);
    }
    neap_graph_free(g);
}

static void graphs_without_anything_to_learn_are_refused_with_words(void **state)
{
    neap_edge one[] = { { 0, 1, 1 } }, loops[] = { { 0, 0, 1 }, { 1, 1, 1 } };
    neap_edge complete[12];
    uint64_t count = 0;
    (void)state;
    for (uint32_t u = 0; u < 4; u++)
        for (uint32_t v = 0; v < 4; v++)
            if (u != v) complete[count++] = (neap_edge){ u, v, 1 };
    assert_refused(2, one, 1, "no non-link");
    assert_refused(2, loops, 2, "no edge links two different nodes");
    assert_refused(4, complete, count, "no non-link");
}

static void remember(const char *text, void *user)
{
    snprintf(user, 200, "%s", text);
}

static void a_source_linked_with_all_is_left_out_and_counted(void **state)
{
    neap_edge edge[12] = { { 1, 2, 1 }, { 3, 4, 1 }, { 5, 6, 1 } };
    neap_graph *g;
    char text[200] = "";
    neap_hooks hooks = { .size = sizeof hooks, .note = remember, .user = text };
    (void)state;
    for (uint32_t v = 1; v <= 6; v++) edge[2 + v] = (neap_edge){ 0, v, 1 };
    assert_int_equal(neap_graph_create(7, NULL, edge, 9, 0, 0, &g, NULL), NEAP_OK);
    neap_options *o = small("valid", "0");
    neap_model *m = train_on(g, o, &hooks);
    assert_non_null(strstr(text, "1 source is linked with every other node"));
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

/* With a step size beyond the range of the option: what a bad optimiser would do. */
static neap_status train_wildly(const neap_graph *g, const neap_options *o, const neap_hooks *hooks,
                                neap_model **out, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = g };
    ni_job_room room;
    ni_job job;
    *out = NULL;
    assert_int_equal(ni_job_read(&data, o, hooks, &room, &job, NULL), NEAP_OK);
    ((ni_attention_options *)job.settings->own)->learning.lr = 1e18;
    neap_status rc = job.method->train(&job, out, err);
    ni_job_free(&job);
    return rc;
}

static void a_loss_that_is_not_finite_stops_and_keeps_the_good_checkpoint(void **state)
{
    neap_graph *g = blocks(8);
    neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "40", "lr", "5", "valid",
                                 "0", "dropout", "0", "margin", "1000", "patience", "1000", NULL);
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run", .checkpoint_seconds = 1e-9 };
    neap_model *m;
    neap_error err;
    (void)state;
    assert_int_equal(train_wildly(g, o, &hooks, &m, &err), NEAP_E_NUMERIC);
    assert_non_null(strstr(err.text, "--lr"));
    assert_null(m);
    assert_int_equal(scratch_count("run"), 1);
    /* What it goes on from is good, but for the step size, and of this run. */
    tamper_header("run", "\"option.lr\":\"1e+18\"", "\"option.lr\":\"5\"");
    assert_int_equal(neap_file_check("run", NULL, NULL, &err), NEAP_OK);
    assert_int_equal(neap_options_set(o, "epochs", "3", NULL), NEAP_OK);
    hooks.resume = 1;
    assert_int_equal(train_status(g, o, &hooks, &err), NEAP_E_MISMATCH);
    assert_non_null(strstr(err.text, "epochs"));
    neap_options_free(o);
    neap_graph_free(g);
}

static void a_run_beyond_its_memory_limit_is_refused_before_it_starts(void **state)
{
    neap_graph *g = blocks(9);
    neap_options *o = small("memory", "1M");
    neap_error err;
    (void)state;
    assert_int_equal(train_status(g, o, NULL, &err), NEAP_E_LIMIT);
    assert_non_null(strstr(err.text, "MiB"));
    neap_options_free(o);
    neap_graph_free(g);
}

/* ---- the sampler ---- */

static ni_sampler sampler_of(const ni_settings *settings, const neap_graph *g, const ni_links *links,
                             ni_threads *threads)
{
    const ni_attention_options *o = settings->own;
    ni_sampler s;
    assert_int_equal(ni_sampler_create(&o->sampling, o->learning.negatives, settings->common.seed, g, links,
                                       NULL, threads, &s, NULL),
                     NEAP_OK);
    return s;
}

static void an_epoch_has_every_edge_once_and_no_negative_is_a_link(void **state)
{
    neap_graph *g = blocks(10);
    ni_links links;
    (void)state;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    const ni_settings *o = settings_of(small("negatives", "3"));
    ni_sampler s = sampler_of(o, g, &links, NULL);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        uint32_t *nodes = malloc(s.positions * 5 * sizeof *nodes), items = 0;
        uint8_t *seen = calloc(g->nodes * (size_t)g->nodes, 1);
        for (uint64_t first = 0; first < s.positions; first += 7)
            items += ni_sampler_draw(&s, epoch, first, 7, nodes + items * 5);
        assert_true(items == s.positions && items == 2 * g->edges); /* undirected: both orders */
        for (uint32_t i = 0; i < items; i++) {
            const uint32_t *n = nodes + i * 5;
            assert_true(ni_graph_has(g, n[0], n[1]) && !seen[n[0] * g->nodes + n[1]]);
            seen[n[0] * g->nodes + n[1]] = 1;
            for (int k = 2; k < 5; k++) assert_true(n[k] != n[0] && !ni_linked(&links, n[0], n[k]));
        }
        free(nodes);
        free(seen);
    }
    ni_sampler_free(&s);
    ni_links_free(&links);
    ni_settings_free(o);
    neap_graph_free(g);
}

/* Ordered by source, of equals by position, for any number of threads. */
static void a_step_has_the_drawn_items_in_the_order_of_their_sources(void **state)
{
    neap_graph *g = blocks(30);
    ni_links links;
    uint32_t drawn[200 * 5];
    (void)state;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    const ni_settings *o = settings_of(
        options_of("neap", "method", "gap", "dim", "16", "negatives", "3", "batch", "200", NULL));
    for (uint32_t threads = 1; threads <= 3; threads++) {
        ni_threads *pool;
        uint32_t at = 0;
        assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
        ni_sampler s = sampler_of(o, g, &links, pool);
        uint32_t items = ni_sampler_draw(&s, 1, 0, 200, drawn);
        assert_int_equal(ni_sampler_fill(&s, 1, 0, 200), items);
        for (uint32_t u = 0; u < g->nodes; u++)
            for (uint32_t i = 0; i < items; i++)
                if (drawn[i * 5] == u)
                    assert_memory_equal(s.nodes + at++ * 5, drawn + i * 5, 5 * sizeof *drawn);
        assert_true(at == items && items > 100);
        ni_sampler_free(&s);
        ni_threads_free(pool);
    }
    ni_links_free(&links);
    ni_settings_free(o);
    neap_graph_free(g);
}

static void heavy_edges_are_drawn_more_often(void **state)
{
    neap_edge edge[] = { { 0, 1, 1 }, { 2, 3, 3 }, { 4, 5, 6 } };
    neap_graph *g;
    ni_links links;
    uint32_t nodes[3 * 3], drawn[6] = { 0 };
    (void)state;
    assert_int_equal(neap_graph_create(6, NULL, edge, 3, 1, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    const ni_settings *o = settings_of(small("seed", "1"));
    ni_sampler s = sampler_of(o, g, &links, NULL);
    for (uint64_t epoch = 0; epoch < 3000; epoch++) {
        assert_int_equal(ni_sampler_draw(&s, epoch, 0, 3, nodes), 3);
        for (int i = 0; i < 3; i++) drawn[nodes[3 * i]]++;
    }
    assert_in_range(drawn[0], 900 - 120, 900 + 120);
    assert_in_range(drawn[2], 2700 - 180, 2700 + 180);
    assert_in_range(drawn[4], 5400 - 200, 5400 + 200);
    ni_sampler_free(&s);
    ni_links_free(&links);
    ni_settings_free(o);
    neap_graph_free(g);
}

/* ---- diverging ---- */

/* A name for a checkpoint is no checkpoint: before the first was written there is none to go back to. */
static void a_checkpoint_is_told_of_only_where_there_is_one(void **state)
{
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "some.checkpoint" };
    neap_error err = { 0 };
    ni_threads *threads;
    (void)state;
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    for (int kept = 0; kept < 2; kept++) {
        ni_run run = { .hooks = &hooks, .err = &err, .threads = threads, .kept = kept };
        ni_run_took(&run, 1, NAN);
        assert_int_equal(run.failed, NEAP_E_NUMERIC);
        assert_int_equal(strstr(err.text, "checkpoint") != NULL, kept);
    }
    ni_threads_free(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_is_told_of_only_where_there_is_one),
        cmocka_unit_test(every_preset_learns_the_blocks_of_a_graph),
        cmocka_unit_test(no_epochs_give_the_untrained_tables),
        cmocka_unit_test(patience_ends_training_and_keeps_the_best_epoch),
        cmocka_unit_test(enough_is_a_model_of_the_steps_that_were_made),
        cmocka_unit_test(enough_within_the_first_epoch_keeps_its_steps),
        cmocka_unit_test(threads_do_not_change_the_model),
        cmocka_unit_test(another_seed_gives_another_model),
        cmocka_unit_test_setup_teardown(a_run_stopped_again_and_again_ends_in_the_same_model, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(ten_kills_do_not_change_a_byte, scratch_enter, scratch_leave),
        cmocka_unit_test_setup_teardown(another_graph_or_other_options_are_refused, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_stop_names_the_epoch_that_progress_named, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_checkpoint_at_an_impossible_place_is_refused, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test(graphs_without_anything_to_learn_are_refused_with_words),
        cmocka_unit_test(a_source_linked_with_all_is_left_out_and_counted),
        cmocka_unit_test_setup_teardown(a_loss_that_is_not_finite_stops_and_keeps_the_good_checkpoint,
                                        scratch_enter, scratch_leave),
        cmocka_unit_test(a_run_beyond_its_memory_limit_is_refused_before_it_starts),
        cmocka_unit_test(an_epoch_has_every_edge_once_and_no_negative_is_a_link),
        cmocka_unit_test(a_step_has_the_drawn_items_in_the_order_of_their_sources),
        cmocka_unit_test(heavy_edges_are_drawn_more_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
