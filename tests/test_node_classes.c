/* Clusters and predictions against the classes of nodes, as the public calls do it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "faults.h"
#include "scratch.h"

enum { N = 60, D = 3, CLASSES = 3 };

/* Node i is of class i % 3 and lies near a corner of its own; every fifth node has no class, and the vector
 * of such a node says nothing. */
static neap_graph *graph;
static neap_labels *labels;
static float vectors[N * D];

static void put_labels(void)
{
    FILE *file = fopen("labels", "w");
    for (int i = 0; i < N; i++)
        if (i % 5) fprintf(file, "%d\tclass %c\n", i, 'A' + i % CLASSES);
    fprintf(file, "stranger\tclass D\n");
    fclose(file);
}

static int enter(void **state)
{
    neap_edge edges[N];
    if (scratch_enter(state)) return -1;
    for (uint32_t i = 0; i < N; i++) edges[i] = (neap_edge){ i, (i + 1) % N, 1 };
    put_labels();
    for (uint32_t i = 0; i < N; i++) {
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, i);
        for (uint32_t j = 0; j < D; j++)
            vectors[i * D + j] = (float)(0.1 * ni_normal(&rng) + (j == i % CLASSES && i % 5 ? 4 : 0));
    }
    if (neap_graph_create(N, NULL, edges, N, 0, 0, &graph, NULL) != NEAP_OK) return -1;
    return neap_labels_load("labels", graph, 0, &labels, NULL) == NEAP_OK ? 0 : -1;
}

static int leave(void **state)
{
    neap_labels_free(labels);
    neap_graph_free(graph);
    return scratch_leave(state);
}

static neap_labels_facts facts_of_labels(void)
{
    neap_labels_facts f = NEAP_SIZED(neap_labels_facts);
    assert_int_equal(neap_labels_facts_of(labels, &f, NULL), NEAP_OK);
    return f;
}

static void labels_can_be_looked_at(void **state)
{
    neap_labels_facts f = facts_of_labels();
    (void)state;
    assert_int_equal(f.nodes, N);
    assert_int_equal(f.labelled, 48);
    assert_int_equal(f.classes, CLASSES);
    assert_int_equal(f.strangers, 1);
    assert_int_equal(f.of[0], NEAP_NONE);
    assert_string_equal(neap_labels_class(labels, f.of[1]), "class B");
    assert_int_equal(f.count[f.of[1]], 16);
    assert_null(neap_labels_class(labels, CLASSES));
    neap_labels_free(NULL);
}

static void the_labelled_nodes_are_clustered_and_no_others(void **state)
{
    (void)state;
    const char *const algorithms[] = { NULL, "auto", "spectral", "kmeans" };
    for (size_t k = 0; k < 4; k++) {
        neap_cluster_spec spec = { .size = sizeof spec, .algorithm = algorithms[k], .threads = 1 };
        neap_cluster_result r = NEAP_SIZED(neap_cluster_result);
        uint32_t cluster[N];
        assert_int_equal(neap_cluster(vectors, D, labels, &spec, cluster, &r, NULL), NEAP_OK);
        assert_true(r.nmi == 1 && r.ami == 1 && r.ari == 1);
        assert_int_equal(r.nodes, 48);
        assert_int_equal(r.clusters, CLASSES);
        assert_string_equal(r.algorithm, k == 3 ? "kmeans" : "spectral");
        assert_true(k == 3 ? isnan(r.gamma) : r.gamma > 0);
        for (uint32_t i = 0; i < N; i++) assert_int_equal(cluster[i] == NEAP_NONE, i % 5 == 0);
    }
}

static void the_wishes_of_a_specification_are_granted(void **state)
{
    neap_cluster_spec spec = {
        .size = sizeof spec, .algorithm = "spectral", .assign = "kmeans", .gamma = 0.25, .clusters = 5
    };
    neap_cluster_result r = NEAP_SIZED(neap_cluster_result);
    (void)state;
    assert_int_equal(neap_cluster(vectors, D, labels, &spec, NULL, &r, NULL), NEAP_OK);
    assert_int_equal(r.clusters, 5);
    assert_true(fabs(r.gamma - 0.25) < 1e-12);
    assert_true(r.nmi < 1 && r.nmi > 0.5);
}

static void what_cannot_be_clustered_is_said(void **state)
{
    neap_cluster_result r = NEAP_SIZED(neap_cluster_result);
    neap_error err = { 0 };
    const size_t size = sizeof(neap_cluster_spec);
    const neap_cluster_spec bad[] = { { size, .algorithm = "magic" },
                                      { size, .assign = "magic" },
                                      { size, .gamma = -1 },
                                      { size, .clusters = 49 },
                                      { 0 } };
    const char *const words[] = { "algorithm is spectral or kmeans", "assign is discretise or kmeans",
                                  "gamma", "49", "neap_cluster_spec must begin with its size" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(neap_cluster(vectors, D, labels, &bad[i], NULL, &r, &err), NEAP_E_ARG);
        if (!strstr(err.text, words[i])) fail_msg("'%s' is not in: %s", words[i], err.text);
    }
    vectors[3 * D] = NAN;
    neap_cluster_spec plain = NEAP_SIZED(neap_cluster_spec);
    assert_int_equal(neap_cluster(vectors, D, labels, &plain, NULL, &r, &err), NEAP_E_NUMERIC);
}

static void classes_are_predicted(void **state)
{
    neap_classify_spec spec = { .size = sizeof spec, .share = 0.5, .seed = 3, .threads = 1 };
    neap_classify_result r = NEAP_SIZED(neap_classify_result);
    uint32_t predicted[N], tests = 0;
    neap_labels_facts f = facts_of_labels();
    (void)state;
    assert_int_equal(neap_classify(vectors, D, labels, &spec, predicted, &r, NULL), NEAP_OK);
    assert_true(r.micro == 1 && r.macro == 1);
    assert_true(r.frequent_micro < 0.6 && r.frequent_macro < 0.3 && r.frequent_macro > 0);
    for (uint32_t i = 0; i < N; i++) {
        tests += predicted[i] != NEAP_NONE;
        assert_true(predicted[i] == NEAP_NONE || predicted[i] == f.of[i]);
    }
    assert_int_equal(tests, r.test);
    assert_int_equal(r.train + r.test, 48);
}

static neap_status scenario(void *user, neap_error *err)
{
    neap_labels *again;
    neap_cluster_result c = NEAP_SIZED(neap_cluster_result);
    neap_classify_result r = NEAP_SIZED(neap_classify_result);
    neap_cluster_spec clusters = { .size = sizeof clusters, .threads = 1 };
    neap_classify_spec classes = { .size = sizeof classes, .share = 0.5, .seed = 1, .threads = 1 };
    neap_status rc = neap_labels_load("labels", graph, 0, &again, err);
    if (rc != NEAP_OK) return rc;
    (void)user;
    rc = neap_cluster(vectors, D, again, &clusters, NULL, &c, err);
    if (rc == NEAP_OK) rc = neap_classify(vectors, D, again, &classes, NULL, &r, err);
    neap_labels_free(again);
    return rc;
}

static void no_failure_leaks(void **state)
{
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, NULL) >= 20);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(labels_can_be_looked_at),
        HERE(the_labelled_nodes_are_clustered_and_no_others),
        HERE(the_wishes_of_a_specification_are_granted),
        HERE(what_cannot_be_clustered_is_said),
        HERE(classes_are_predicted),
        HERE(no_failure_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
