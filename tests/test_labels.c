/* Files with the classes of nodes: what is read, what is counted, what is refused and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "data/labels.h"
#include "faults.h"
#include "scratch.h"

/* Five nodes whose numbers are not their names: 0 is "3", 1 is "1", 2 is "0", 3 is "ann", 4 is "2". */
static neap_graph *five(void)
{
    static const char *const names[] = { "3", "1", "0", "ann", "2" };
    neap_edge edge = { 0, 1, 1 };
    neap_graph *g;
    assert_int_equal(neap_graph_create(5, names, &edge, 1, 0, 0, &g, NULL), NEAP_OK);
    return g;
}

static neap_status read_text(const char *text, bool by_line, ni_labels *labels, neap_error *err)
{
    neap_graph *g = five();
    scratch_put("labels", text, strlen(text));
    neap_status rc = ni_labels_read("labels", g, by_line, labels, err);
    neap_graph_free(g);
    return rc;
}

/* Classes of the five nodes in order, blanks between, - for none. */
static void expect_classes(const ni_labels *labels, const char *expected)
{
    char text[400] = "";
    for (uint32_t u = 0; u < labels->nodes; u++) {
        if (u) strcat(text, " ");
        strcat(text, labels->of[u] == NEAP_NONE ? "-" : ni_name(&labels->classes, labels->of[u]));
    }
    assert_string_equal(text, expected);
}

static void expect(const char *text, bool by_line, const char *classes, unsigned strangers)
{
    ni_labels labels;
    neap_error err = { 0 };
    neap_status rc = read_text(text, by_line, &labels, &err);
    if (rc != NEAP_OK) fail_msg("%s", err.text);
    expect_classes(&labels, classes);
    assert_int_equal(labels.strangers, strangers);
    ni_labels_free(&labels);
}

static void refuse(const char *text, bool by_line, neap_status code, unsigned line, const char *words)
{
    ni_labels labels;
    neap_error err = { 0 };
    assert_int_equal(read_text(text, by_line, &labels, &err), code);
    assert_int_equal(err.where, line);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
    assert_null(labels.of);
}

static void a_line_is_a_node_and_its_class(void **state)
{
    (void)state;
    expect("0\tred\n1\tblue\nann\tred\n", false, "- blue red red -", 0);
    expect("0 red\n1   blue\r\nann red", false, "- blue red red -", 0);
    expect("0,\"deep red\"\n1, blue\nann,\"deep red\"\n", false, "- blue deep red deep red -", 0);
    expect("# who is what\n\n0\tred\n% aside\n2\tred, of sorts\nann\tred\n", false,
           "- - red red red, of sorts", 0);
}

static void a_class_may_have_blanks_behind_a_tab(void **state)
{
    (void)state;
    expect("0\tmachine learning\n3\tmachine learning\n1\tlogic\n", false,
           "machine learning logic machine learning - -", 0);
}

static void classes_are_numbered_as_they_come_and_counted(void **state)
{
    ni_labels labels;
    (void)state;
    assert_int_equal(read_text("2 7\n0 5\n1 7\nelsewhere 9\n3 7\n", false, &labels, NULL), NEAP_OK);
    assert_int_equal(labels.classes.count, 2); /* 9 has no node */
    assert_string_equal(ni_name(&labels.classes, 0), "7");
    assert_int_equal(labels.count[0], 3);
    assert_int_equal(labels.count[1], 1);
    assert_int_equal(labels.labelled, 4);
    assert_int_equal(labels.of[4], 0);
    assert_int_equal(labels.of[3], NEAP_NONE);
    ni_labels_free(&labels);
}

static void strangers_and_a_header_are_counted_and_passed_over(void **state)
{
    (void)state;
    expect("node,label\n0,a\nbob,b\n1,d\neve,c\nann,d\n", false, "- d a d -", 3);
}

static void by_line_counts_from_0_and_means_names(void **state)
{
    (void)state;
    expect("even\none\neven\nthree", true, "three one even - even", 0);
    expect("even\n\n even\t\nthree\n", true, "three - even - even", 0);
    expect("a\nb\na\nd\ne\nf", true, "d b a - a", 2);
}

static void by_line_every_line_counts_and_is_one_class(void **state)
{
    (void)state;
    expect("# a\n% b\n  c d,e\t\n# a\n", true, "# a % b # a - c d,e", 0);
}

static void compressed_files_are_read(void **state)
{
    static const char text[] = "0\ta\n1\tb\n2\tb\n";
    ni_labels labels;
    neap_graph *g = five();
    (void)state;
    gzFile file = gzopen("labels.gz", "wb");
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(ni_labels_read("labels.gz", g, false, &labels, NULL), NEAP_OK);
    expect_classes(&labels, "- b a - b");
    ni_labels_free(&labels);
    neap_graph_free(g);
}

static void a_node_has_one_class(void **state)
{
    (void)state;
    expect("0 a\n1 b\n0 a\n2 a\n", false, "- b a - a", 0);
    refuse("0 a\n1 b\n0 b\n", false, NEAP_E_FORMAT, 3, "one class");
}

static void a_bad_line_is_named(void **state)
{
    (void)state;
    refuse("0\ta\n1\n", false, NEAP_E_FORMAT, 2, "labels:2:1: no class");
    refuse("0\ta\n1\t\n", false, NEAP_E_FORMAT, 2, "no class");
    refuse("0\ta\n\tb\n", false, NEAP_E_FORMAT, 2, "empty");
    refuse("0 a b\n", false, NEAP_E_FORMAT, 1, "more than two columns");
    refuse("0,a\n1,\"b\n", false, NEAP_E_FORMAT, 2, "quote");
}

static void a_file_without_a_label_of_the_graph_is_refused(void **state)
{
    (void)state;
    refuse("", false, NEAP_E_FORMAT, 0, "no label");
    refuse("\n\n", true, NEAP_E_FORMAT, 2, "no label");
    refuse("x a\ny b\n", false, NEAP_E_FORMAT, 2, "none of its 2 labels");
    refuse("red\nblue\nred\n", false, NEAP_E_FORMAT, 1, "--by-line");
}

static void two_classes_are_needed(void **state)
{
    (void)state;
    refuse("0 a\n1 a\nelsewhere b\n", false, NEAP_E_FORMAT, 3, "all 2 labelled nodes are of class 'a'");
}

/* Any clusters, one a node, would agree with them perfectly. */
static void a_class_for_each_node_is_refused(void **state)
{
    (void)state;
    refuse("0 a\n1 b\n2 a\n3 b", true, NEAP_E_FORMAT, 4, "leave out --by-line");
    refuse("0\tx\n1\ty\n2\tz\nelsewhere\tz\n", false, NEAP_E_FORMAT, 4, "each of the 3 labelled nodes");
}

static void odd_bytes_and_endless_names_are_refused(void **state)
{
    char text[6000];
    ni_labels labels;
    neap_error err = { 0 };
    neap_graph *g = five();
    (void)state;
    scratch_put("labels", "0\ta\n1\tb\0c\n", 10);
    assert_int_equal(ni_labels_read("labels", g, false, &labels, &err), NEAP_E_FORMAT);
    assert_int_equal(err.where, 2);
    memset(text, 'x', sizeof text);
    memcpy(text, "0\t", 2);
    text[sizeof text - 1] = 0;
    refuse(text, false, NEAP_E_LIMIT, 1, "bytes");
    refuse(text + 2, true, NEAP_E_LIMIT, 1, "bytes");
    assert_int_equal(ni_labels_read("nowhere", g, false, &labels, &err), NEAP_E_READ);
    neap_graph_free(g);
}

static void other_files_are_called_by_their_name(void **state)
{
    ni_labels labels;
    neap_error err = { 0 };
    neap_graph *g = five();
    (void)state;
    assert_int_equal(neap_graph_save(g, "g.safetensors", NULL, NULL), NEAP_OK);
    assert_int_equal(ni_labels_read("g.safetensors", g, false, &labels, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "this is a safetensors file; classes are read from text"));
    refuse("<?xml version=\"1.0\"?>\n", true, NEAP_E_FORMAT, 0, "this is XML (GraphML, GEXF); classes");
    neap_graph_free(g);
}

static neap_status scenario(void *user, neap_error *err)
{
    ni_labels labels;
    neap_status rc = ni_labels_read("labels", user, false, &labels, err);
    if (rc == NEAP_OK) ni_labels_free(&labels);
    return rc;
}

static void no_failure_leaks(void **state)
{
    neap_graph *g = five();
    (void)state;
    scratch_put("labels", "0 a\n1 b\n2 b\n", 12);
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, g) >= 4);
    assert_true(faults_each(FAULTS_READ, EIO, true, scenario, faults_expect_read, g) >= 1);
    neap_graph_free(g);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(a_line_is_a_node_and_its_class),
        HERE(a_class_may_have_blanks_behind_a_tab),
        HERE(classes_are_numbered_as_they_come_and_counted),
        HERE(strangers_and_a_header_are_counted_and_passed_over),
        HERE(by_line_counts_from_0_and_means_names),
        HERE(by_line_every_line_counts_and_is_one_class),
        HERE(compressed_files_are_read),
        HERE(a_node_has_one_class),
        HERE(a_bad_line_is_named),
        HERE(a_file_without_a_label_of_the_graph_is_refused),
        HERE(two_classes_are_needed),
        HERE(a_class_for_each_node_is_refused),
        HERE(odd_bytes_and_endless_names_are_refused),
        HERE(other_files_are_called_by_their_name),
        HERE(no_failure_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
