/* The leak checker: a leak of each kind is planted and found, and an honest model passes. */
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
#include "world.h"

#include "eval/trial.h"
#include "model/model.h"
#include "trials.h"

typedef struct world {
    neap_graph *graph;
    neap_trial *trial;
    neap_model *model; /* trained on the trial */
} world;

static neap_model *model_of(const neap_graph *g, const neap_graph *around, const char *preset)
{
    neap_options *o =
        options_of(preset, "method", "gap", "dim", "4", "epochs", "1", "neighbors", "100", NULL);
    neap_model *m;
    neap_error err = { 0 };
    neap_data data = { .size = sizeof data, .graph = g, .around = around };
    if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    return m;
}

static world world_of(ni_protocol protocol)
{
    world w = { .graph = messy_graph(3) };
    w.trial = trial_of(w.graph, protocol, NI_UNIFORM, 0.6, 1);
    w.model = model_of(w.trial->train, NULL, "neap");
    return w;
}

static void end(world *w)
{
    neap_model_free(w->model);
    neap_trial_free(w->trial);
    neap_graph_free(w->graph);
}

static void expect_leak(const neap_trial *t, const neap_model *m, const char *says)
{
    neap_error err = { 0 };
    neap_status rc = neap_trial_check(t, m, NULL, &err);
    if (rc != NEAP_E_LEAK || !strstr(err.text, says)) fail_msg("%d: %s", rc, err.text);
}

/* A test pair without an edge in training in either direction. */
static neap_pair secret(const neap_trial *t)
{
    for (size_t i = 0; i < t->count; i++) {
        neap_pair p = t->positive[i];
        if (p.source != p.target && !ni_linked(&t->seen, p.source, p.target)) return p;
    }
    fail_msg("no test pair is a secret");
    return (neap_pair){ 0, 0 };
}

/* The training graph and one edge more. */
static neap_graph *train_and(const neap_trial *t, uint32_t source, uint32_t target)
{
    neap_graph *g;
    ni_builder b;
    ni_builder_init(&b);
    assert_true(ni_names_copy(&b.names, &t->whole->names));
    for (uint32_t u = 0; u < t->train->nodes; u++)
        for (uint64_t e = t->train->offset[u]; e < t->train->offset[u + 1]; e++)
            assert_true(ni_builder_add(&b, u, t->train->target[e], 1));
    assert_true(ni_builder_add(&b, source, target, 1));
    assert_int_equal(ni_builder_finish(&b, &g, NULL), NEAP_OK);
    return g;
}

static void an_honest_model_passes_and_the_report_says_what_was_seen(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        neap_leak_report r = NEAP_SIZED(neap_leak_report);
        neap_error err = { 0 };
        if (neap_trial_check(w.trial, w.model, &r, &err)) fail_msg("%s", err.text);
        assert_int_equal(r.test_pairs, w.trial->held_out);
        assert_int_equal(r.train_edges, w.model->graph->edges);
        assert_int_equal(r.neighbours, w.model->hood.offset[MESSY_NODES]);
        assert_int_equal(r.rejected, w.model->links.offset[MESSY_NODES]);
        assert_int_equal(r.degrees, MESSY_NODES);
        assert_int_equal(r.negatives, w.trial->count * (protocol == NI_CLEAN ? 101 : 10));
        assert_int_equal(r.reverse, w.trial->facts.reverse);
        if (protocol == NI_CLEAN) assert_int_equal(r.reverse, 0);
        else assert_true(r.reverse > 0); /* by the paper's own split, so it is told, not refused */
        end(&w);
    }
}

static void a_model_of_the_whole_graph_is_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        neap_model *m = model_of(w.graph, NULL, "neap");
        neap_link_result r = NEAP_SIZED(neap_link_result);
        neap_error err = { 0 };
        expect_leak(w.trial, m, "is a training edge of the model");
        assert_int_equal(neap_trial_measure(w.trial, m, NULL, &r, &err),
                         protocol == NI_PAPER ? NEAP_OK : NEAP_E_LEAK);
        if (protocol == NI_PAPER) assert_int_equal(r.sees_test, 1);
        neap_model_free(m);
        end(&w);
    }
}

static void one_training_edge_too_many_is_found_in_either_direction(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++)
        for (int reversed = 0; reversed < 2; reversed++) {
            world w = world_of(protocol);
            neap_pair p = secret(w.trial);
            neap_graph *g =
                reversed ? train_and(w.trial, p.target, p.source) : train_and(w.trial, p.source, p.target);
            neap_model *m = model_of(g, NULL, "neap");
            expect_leak(w.trial, m, "is a training edge of the model");
            neap_model_free(m);
            neap_graph_free(g);
            end(&w);
        }
}

/* Its reverse is a training edge, so that links and neighbourhoods are as they should be. */
static void a_test_edge_whose_reverse_is_trained_on_is_found_among_training_edges(void **state)
{
    world w = world_of(NI_PAPER_CLEAN);
    size_t i = 0;
    (void)state;
    while (!ni_graph_has(w.trial->train, w.trial->positive[i].target, w.trial->positive[i].source) ||
           w.trial->positive[i].source == w.trial->positive[i].target)
        assert_true(++i < w.trial->count);
    neap_graph *g = train_and(w.trial, w.trial->positive[i].source, w.trial->positive[i].target);
    neap_model *m = model_of(g, NULL, "neap");
    expect_leak(w.trial, m, "is a training edge of the model");
    neap_model_free(m);
    neap_graph_free(g);
    end(&w);
}

/* A loop is a test edge like others in the paper's split; in clean it is none. */
static void a_loop_that_is_a_test_edge_is_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol += 2) {
        world w = world_of(protocol);
        uint32_t u = 0;
        while (!ni_graph_has(w.graph, u, u) || ni_graph_has(w.trial->train, u, u))
            assert_true(++u < MESSY_NODES);
        neap_graph *g = train_and(w.trial, u, u);
        neap_model *m = model_of(g, NULL, "paper"); /* which keeps loops */
        if (protocol == NI_CLEAN) assert_int_equal(neap_trial_check(w.trial, m, NULL, NULL), NEAP_OK);
        else expect_leak(w.trial, m, "is a training edge of the model");
        neap_model_free(m);
        neap_graph_free(g);
        end(&w);
    }
}

static void neighbourhoods_of_the_whole_graph_are_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        neap_model *m = model_of(w.trial->train, w.graph, "neap");
        expect_leak(w.trial, m, "in a neighbourhood of the model");
        neap_model_free(m);
        end(&w);
    }
}

/* What is no test pair can give one away: two strangers of one node are near each other. */
static void an_edge_that_is_none_of_training_is_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        neap_pair p = secret(w.trial);
        uint32_t stranger = 0;
        while (stranger == p.source || ni_linked(&w.trial->known, p.source, stranger)) stranger++;
        neap_graph *g = train_and(w.trial, p.source, stranger);
        neap_model *m = model_of(g, NULL, "neap");
        expect_leak(w.trial, m, "is an edge of the model, which the split does not train on");
        neap_model_free(m);
        neap_graph_free(g);
        end(&w);
    }
}

static void a_neighbour_that_is_no_link_is_found(void **state)
{
    (void)state;
    world w = world_of(NI_CLEAN);
    ni_hood *h = &w.model->hood;
    uint32_t u = 0, stranger = 0;
    while (h->offset[u + 1] == h->offset[u]) u++;
    while (stranger == u || ni_linked(&w.trial->known, u, stranger)) stranger++;
    h->node[h->offset[u]] = stranger;
    expect_leak(w.trial, w.model, "is in a neighbourhood of the model, which the split does not train on");
    end(&w);
}

static void a_weight_that_is_none_of_training_is_found(void **state)
{
    (void)state;
    world w = world_of(NI_CLEAN);
    const neap_graph *t = w.trial->train;
    neap_edge edge[MESSY_EDGES];
    neap_graph *weighted;
    size_t count = 0;
    const char *names[MESSY_NODES];
    for (uint32_t u = 0; u < MESSY_NODES; u++) {
        names[u] = ni_name(&t->names, u);
        for (uint64_t e = t->offset[u]; e < t->offset[u + 1]; e++, count++)
            edge[count] = (neap_edge){ u, t->target[e], 1 + (float)(count % 3) };
    }
    assert_int_equal(neap_graph_create(MESSY_NODES, names, edge, count, 1, 0, &weighted, NULL), NEAP_OK);
    neap_model *m = model_of(weighted, NULL, "neap");
    expect_leak(w.trial, m, "is an edge of the model with a weight, which the split does not train on");
    neap_model_free(m);
    neap_graph_free(weighted);
    end(&w);
}

/* Puts v in the place of the first link of u. */
static void plant_link(ni_links *l, uint32_t u, uint32_t v)
{
    assert_true(ni_degree(l, u) > 0);
    l->node[l->offset[u]] = v;
}

static void a_reject_list_that_knows_a_test_pair_is_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        neap_pair p = secret(w.trial);
        uint32_t u = ni_degree(&w.model->links, p.source) ? p.source : p.target;
        plant_link(&w.model->links, u, u == p.source ? p.target : p.source);
        expect_leak(w.trial, w.model, "among the links that training negatives avoid");
        end(&w);
    }
}

static void a_degree_that_counts_more_than_training_is_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        ni_links *l = &w.model->links;
        uint32_t u = 0; /* u takes the first link of u + 1, which is an honest one for both */
        while (!ni_degree(l, u + 1) || ni_linked(&w.trial->known, u, l->node[l->offset[u + 1]])) u++;
        l->offset[u + 1]++;
        expect_leak(w.trial, w.model, "the degree of");
        end(&w);
    }
}

static void a_test_negative_that_is_an_edge_is_found(void **state)
{
    world w = world_of(NI_CLEAN);
    uint32_t known = w.trial->positive[4].target, was = w.trial->negative[4].target;
    (void)state;
    w.trial->negative[4].target = known;
    expect_leak(w.trial, w.model, "the test negative");
    w.trial->negative[4].target = w.trial->positive[4].source;
    expect_leak(w.trial, w.model, "the test negative");
    w.trial->negative[4].target = was;
    assert_int_equal(neap_trial_check(w.trial, w.model, NULL, NULL), NEAP_OK);
    end(&w);
}

static void a_split_that_trains_on_its_test_is_found(void **state)
{
    world w = world_of(NI_CLEAN);
    neap_graph *honest = w.trial->train;
    size_t i = 0; /* a test pair that has no reverse in the graph */
    while (ni_graph_has(w.graph, w.trial->positive[i].target, w.trial->positive[i].source)) i++;
    neap_pair p = w.trial->positive[i];
    (void)state;
    w.trial->train = train_and(w.trial, p.source, p.target);
    expect_leak(w.trial, NULL, "a training edge of the split");
    neap_graph_free(w.trial->train);
    w.trial->train = honest;
    w.trial->train = train_and(w.trial, p.target, p.source);
    expect_leak(w.trial, NULL, "a training edge of the split, reversed");
    neap_graph_free(w.trial->train);
    w.trial->train = honest;
    w.trial->valid[0] = secret(w.trial);
    expect_leak(w.trial, NULL, "among the validation pairs");
    end(&w);
}

/* Nodes are matched by name: the order of another reader's numbers does not matter. */
static void test_pairs_that_somebody_picked_are_found(void **state)
{
    (void)state;
    for (ni_protocol protocol = NI_CLEAN; protocol <= NI_PAPER_CLEAN; protocol++) {
        world w = world_of(protocol);
        neap_error err = { 0 };
        w.trial->count--;
        assert_int_equal(neap_trial_check(w.trial, NULL, NULL, &err), NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, "picked by hand"));
        w.trial->count++;
        w.trial->ratio += 0.2;
        assert_int_equal(neap_trial_check(w.trial, NULL, NULL, &err), NEAP_E_FORMAT);
        assert_non_null(strstr(err.text, "ratio"));
        end(&w);
    }
}

static void a_model_with_other_numbers_is_matched_by_name(void **state)
{
    world w = world_of(NI_CLEAN);
    const neap_graph *t = w.trial->train;
    const char *names[MESSY_NODES];
    neap_edge edge[MESSY_EDGES];
    neap_graph *turned, *whole;
    size_t count = 0;
    (void)state;
    for (uint32_t u = 0; u < MESSY_NODES; u++) names[u] = ni_name(&t->names, MESSY_NODES - 1 - u);
    for (uint32_t u = 0; u < MESSY_NODES; u++)
        for (uint64_t e = t->offset[u]; e < t->offset[u + 1]; e++)
            edge[count++] = (neap_edge){ MESSY_NODES - 1 - u, MESSY_NODES - 1 - t->target[e], 1 };
    assert_int_equal(neap_graph_create(MESSY_NODES, names, edge, count, 0, 0, &turned, NULL), NEAP_OK);
    neap_model *m = model_of(turned, NULL, "neap");
    neap_link_result r = NEAP_SIZED(neap_link_result);
    assert_int_equal(neap_trial_check(w.trial, m, NULL, NULL), NEAP_OK);
    assert_int_equal(neap_trial_measure(w.trial, m, NULL, &r, NULL), NEAP_E_MISMATCH);
    neap_model_free(m);
    neap_pair p = secret(w.trial);
    edge[count++] = (neap_edge){ MESSY_NODES - 1 - p.target, MESSY_NODES - 1 - p.source, 1 };
    assert_int_equal(neap_graph_create(MESSY_NODES, names, edge, count, 0, 0, &whole, NULL), NEAP_OK);
    m = model_of(whole, NULL, "neap");
    expect_leak(w.trial, m, "is a training edge of the model");
    neap_model_free(m);
    names[5] = "stranger";
    neap_graph_free(whole);
    assert_int_equal(neap_graph_create(MESSY_NODES, names, edge, count, 0, 0, &whole, NULL), NEAP_OK);
    m = model_of(whole, NULL, "neap");
    assert_int_equal(neap_trial_check(w.trial, m, NULL, NULL), NEAP_E_MISMATCH);
    neap_model_free(m);
    neap_graph_free(whole);
    neap_graph_free(turned);
    end(&w);
}

static neap_status check(void *user, neap_error *err)
{
    const world *w = user;
    return neap_trial_check(w->trial, w->model, NULL, err);
}

static void memory_may_run_out_at_any_time(void **state)
{
    world w = world_of(NI_CLEAN);
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, check, faults_expect_memory, &w) >= 3);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_model_passes_and_the_report_says_what_was_seen),
        cmocka_unit_test(a_model_of_the_whole_graph_is_found),
        cmocka_unit_test(one_training_edge_too_many_is_found_in_either_direction),
        cmocka_unit_test(a_test_edge_whose_reverse_is_trained_on_is_found_among_training_edges),
        cmocka_unit_test(a_loop_that_is_a_test_edge_is_found),
        cmocka_unit_test(neighbourhoods_of_the_whole_graph_are_found),
        cmocka_unit_test(an_edge_that_is_none_of_training_is_found),
        cmocka_unit_test(a_neighbour_that_is_no_link_is_found),
        cmocka_unit_test(a_weight_that_is_none_of_training_is_found),
        cmocka_unit_test(a_reject_list_that_knows_a_test_pair_is_found),
        cmocka_unit_test(a_degree_that_counts_more_than_training_is_found),
        cmocka_unit_test(a_test_negative_that_is_an_edge_is_found),
        cmocka_unit_test(a_split_that_trains_on_its_test_is_found),
        cmocka_unit_test(test_pairs_that_somebody_picked_are_found),
        cmocka_unit_test(a_model_with_other_numbers_is_matched_by_name),
        cmocka_unit_test(memory_may_run_out_at_any_time),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
