/* Features of nodes from files of every kind: what is read, added, skipped and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "data/features.h"
#include "faults.h"
#include "scratch.h"

static neap_graph *graph; /* a, b, c d, 7 */

static int enter(void **state)
{
    static const neap_edge edges[3] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 } };
    static const char *const names[4] = { "a", "b", "c d", "7" };
    if (neap_graph_create(4, names, edges, 3, 0, 0, &graph, NULL) != NEAP_OK) return -1;
    return scratch_enter(state);
}

static int leave(void **state)
{
    neap_graph_free(graph);
    return scratch_leave(state);
}

static void put(const char *path, const char *text)
{
    scratch_put(path, text, strlen(text));
}

static neap_features *load(const char *path)
{
    neap_features *f;
    neap_error err = { 0 };
    if (neap_features_load(path, graph, NULL, &f, &err)) fail_msg("%s", err.text);
    return f;
}

/* "u name=value ..." of every node that has a feature, in order. */
static void expect(const char *path, const char *words)
{
    char text[512] = "";
    neap_features *f = load(path);
    for (uint32_t u = 0; u < f->nodes; u++) {
        if (f->offset[u] == f->offset[u + 1]) continue;
        sprintf(text + strlen(text), "%u:", u);
        for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++)
            sprintf(text + strlen(text), " %s=%g", ni_name(&f->names, f->feature[i]), (double)f->value[i]);
        strcat(text, "; ");
    }
    assert_string_equal(text, words);
    neap_features_free(f);
}

static void refuse(const char *path, neap_status code, uint64_t where, const char *words)
{
    neap_features *f = (void *)1;
    neap_error err = { 0 };
    assert_int_equal(neap_features_load(path, graph, NULL, &f, &err), code);
    assert_null(f);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
    assert_int_equal(err.where, where);
}

static void lines_have_features_with_and_without_values(void **state)
{
    (void)state;
    put("f.txt", "# a comment\nb red:2 http://x:0.5 green\nc d\tred:-1 re:d\n7\n b \tred:0.25 blue:0\n");
    expect("f.txt", "1: red=2.25 http://x=0.5 green=1; 2: red=-1 re:d=1; ");
}

static void a_name_ends_at_the_tab_or_else_at_the_first_blank(void **state)
{
    (void)state;
    put("f.txt", "a z\tred\n  a red blue\n 7\tgreen\n");
    expect("f.txt", "0: red=1 blue=1; 3: green=1; ");
    put("f.txt", "a red\n\tred\n");
    refuse("f.txt", NEAP_E_FORMAT, 2, "f.txt:2:1: the name of the node is empty");
}

/* What word2vec writes would else be features with strange names. */
static void a_table_of_numbers_is_no_list_of_names(void **state)
{
    (void)state;
    put("f.txt", "4 2\na 0.5 -1\n");
    refuse("f.txt", NEAP_E_FORMAT, 2, "f.txt:2:3: the number 0.5 where the name of a feature is expected");
    put("f.txt", "a v1.5 2.0.1 17 1:0.5\n");
    expect("f.txt", "0: v1.5=1 2.0.1=1 17=1 1=0.5; ");
    put("f.vec", "4 2\na 0.5 -1\nb 0 2\nx 1 1\ny 1 1\n");
    expect("f.vec", "0: 0=0.5 1=-1; 1: 1=2; ");
}

static int stop_now(const neap_progress *now, void *user)
{
    (void)now;
    ++*(unsigned *)user;
    return 1;
}

static void reading_can_be_stopped(void **state)
{
    enum { SIZE = 1 << 20 };
    unsigned calls = 0;
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_now, .user = &calls };
    neap_features *f;
    char *text = malloc(SIZE);
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i += 8) memcpy(text + i, "a red:1\n", 8);
    scratch_put("f.txt", text, SIZE);
    free(text);
    faults.slow_reads = 3;
    neap_status rc = neap_features_load("f.txt", graph, &hooks, &f, NULL);
    assert_int_equal(rc, NEAP_E_STOPPED);
    assert_null(f);
    assert_int_equal(calls, 1);
    hooks.size = 3;
    assert_int_equal(neap_features_load("f.txt", graph, &hooks, &f, NULL), NEAP_E_ARG);
}

static void strangers_are_counted_and_facts_told(void **state)
{
    (void)state;
    put("f.txt", "zoe red\na red blue\n7 red\n");
    neap_features *f = load("f.txt");
    neap_features_facts facts = NEAP_SIZED(neap_features_facts);
    assert_int_equal(neap_features_facts_of(f, &facts, NULL), NEAP_OK);
    assert_true(facts.nodes == 4 && facts.with_features == 2 && facts.features == 2 && facts.values == 3 &&
                facts.strangers == 1 && !facts.by_order);
    neap_features_free(f);
}

static void a_matrix_has_a_row_for_each_node_or_names_beside_it(void **state)
{
    (void)state;
    put("f.mtx", "%%MatrixMarket matrix coordinate real general\n4 9 3\n1 9 2\n4 1 -0.5\n1 9 1\n");
    expect("f.mtx", "0: 9=3; 3: 1=-0.5; ");
    put("f.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 2 3\n1 1\n2 2\n3 1\n");
    refuse("f.mtx", NEAP_E_MISMATCH, 0, "f.mtx.names.txt");
    put("f.mtx.names.txt", "b\nzoe\nc%20d\n");
    expect("f.mtx", "1: 1=1; 2: 1=1; ");
}

static void a_table_may_lack_nodes(void **state)
{
    const float table[8] = { 1, 0, 0, 2.5F, 0, 0, 3, 4 };
    (void)state;
    assert_int_equal(neap_vectors_save("f.npy", graph, table, 4, 2, NULL), NEAP_OK);
    expect("f.npy", "0: 0=1; 1: 1=2.5; 3: 0=3 1=4; ");
    put("f.names.txt", "7\na\nx\ny\n");
    expect("f.npy", "0: 1=2.5; 3: 0=1; ");
    assert_int_equal(neap_vectors_save("f.safetensors", graph, table, 4, 2, NULL), NEAP_OK);
    expect("f.safetensors", "0: 0=1; 1: 1=2.5; 3: 0=3 1=4; ");
}

static void what_makes_no_sense_is_refused_with_its_line(void **state)
{
    (void)state;
    put("f.txt", "a red\nb red:1e39\n");
    refuse("f.txt", NEAP_E_FORMAT, 2, "'1e39' is no finite number");
    put("f.txt", "a red\nb red:nan\n");
    refuse("f.txt", NEAP_E_FORMAT, 2, "'nan'");
    put("f.txt", "a red:3e38 red:3e38\n");
    refuse("f.txt", NEAP_E_FORMAT, 0, "f.txt: the values of feature 'red' of node 'a' add up to more");
    put("f.txt", "zoe red\n");
    refuse("f.txt", NEAP_E_FORMAT, 0, "no feature of a node of the graph");
    put("f.txt", "");
    refuse("f.txt", NEAP_E_FORMAT, 0, "no feature of a node of the graph");
    put("f.mtx", "%%MatrixMarket matrix coordinate real symmetric\n4 4 1\n1 1 2\n");
    refuse("f.mtx", NEAP_E_FORMAT, 1, "f.mtx:1:1: a symmetric matrix");
    put("f.mtx", "%%MatrixMarket matrix coordinate real general\n4 2147483647 1\n1 2147483648 2\n");
    refuse("f.mtx", NEAP_E_FORMAT, 3, "whole number between 1 and 2147483647");
    put("f.mtx", "%%MatrixMarket matrix coordinate real general\n4 2 2\n1 1 2\n");
    refuse("f.mtx", NEAP_E_FORMAT, 3, "only 1 came");
}

/* ---- failures ---- */

static neap_status scenario(void *user, neap_error *err)
{
    neap_features *f;
    neap_status rc = neap_features_load(user, graph, NULL, &f, err);
    if (rc == NEAP_OK) neap_features_free(f);
    return rc;
}

static void no_failing_allocation_leaks(void **state)
{
    const float table[8] = { 1, 0, 0, 2.5F, 0, 0, 3, 4 };
    char lines[] = "f.txt", matrix[] = "f.mtx",
         numpy[] = "f.npy", *const paths[] = { lines, matrix, numpy };
    (void)state;
    put("f.txt", "a red:2 blue\nb red\n");
    put("f.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 2 3\n1 1\n2 2\n3 1\n");
    assert_int_equal(neap_vectors_save("f.npy", graph, table, 4, 2, NULL), NEAP_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, paths[i]) >=
                    5);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(lines_have_features_with_and_without_values),
        HERE(a_name_ends_at_the_tab_or_else_at_the_first_blank),
        HERE(a_table_of_numbers_is_no_list_of_names),
        HERE(reading_can_be_stopped),
        HERE(strangers_are_counted_and_facts_told),
        HERE(a_matrix_has_a_row_for_each_node_or_names_beside_it),
        HERE(a_table_may_lack_nodes),
        HERE(what_makes_no_sense_is_refused_with_its_line),
        HERE(no_failing_allocation_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
