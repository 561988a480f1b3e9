/* New nodes that have texts: read with the words of the model, and without links where that is enough. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "faults.h"
#include "graph/graph.h"
#include "model/method.h"
#include "scratch.h"
#include "settings.h"

/* A method that learns nothing, and reads up to three words of each text. */
static const ni_text_options rule = { .min_count = 1, .max_share = 1, .text_length = 3 };

static const ni_text_options *read_all(const ni_settings *settings)
{
    (void)settings;
    return &rule;
}

static ni_method reader_of_texts(int new_text)
{
    ni_method method = *ni_method_find("cn", NULL);
    method.text = read_all;
    method.info.text = 1;
    method.info.new_text = new_text;
    return method;
}

/* ann - bob - cid - dee, and their texts. */
static neap_model *model_of(const ni_method *method, const neap_targets *targets)
{
    static const char *const names[] = { "ann", "bob", "cid", "dee" };
    static const char *const texts[] = { "red fox", "red hen", "old fox", NULL };
    static const neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 } };
    neap_graph *g;
    neap_data data = NEAP_SIZED(neap_data);
    neap_text *text;
    neap_options *o;
    neap_model *m;
    ni_job job;
    ni_job_room room;
    assert_int_equal(neap_graph_create(4, names, edges, 3, 0, 1, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, texts, &text, NULL), NEAP_OK);
    assert_int_equal(neap_options_create(NULL, &o, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "method", "cn", NULL), NEAP_OK);
    data.graph = g;
    data.text = text;
    data.targets = targets;
    assert_int_equal(ni_job_read(&data, o, NULL, &room, &job, NULL), NEAP_OK);
    job.method = method;
    assert_int_equal(ni_train_nothing(&job, &m, NULL), NEAP_OK);
    ni_job_free(&job);
    neap_options_free(o);
    neap_text_free(text);
    neap_graph_free(g);
    return m;
}

/* eve knows ann, fay and gil nobody; gil's only word is not of the model, and ann is no new node. */
static neap_status add_new(const neap_model *m, bool linked, neap_model **out, neap_extension *report,
                           neap_error *err)
{
    static const char *const names[] = { "eve", "ann" };
    static const neap_edge edge = { 0, 1, 1 };
    static const char texts[] = "eve\tblue fox\nfay\tred red wine hen fox\ngil\twine\nann\told\n";
    neap_graph *links = NULL, *graph = NULL;
    neap_text *text = NULL;
    neap_data data = NEAP_SIZED(neap_data);
    scratch_put("texts", texts, sizeof texts - 1);
    *out = NULL;
    neap_status rc = linked ? neap_graph_create(2, names, &edge, 1, 0, 1, &links, err) : NEAP_OK;
    if (rc == NEAP_OK) rc = neap_text_load_new("texts", links, NULL, &graph, &text, err);
    data.graph = graph;
    data.text = text;
    if (rc == NEAP_OK) rc = neap_model_extend(m, &data, out, report, err);
    neap_text_free(text);
    neap_graph_free(graph);
    neap_graph_free(links);
    return rc;
}

static void expect_text(const neap_model *m, const char *name, const char *expected)
{
    char got[100] = "";
    uint32_t u;
    assert_int_equal(neap_graph_find(m->graph, name, &u, NULL), NEAP_OK);
    for (uint64_t i = m->texts.offset[u]; i < m->texts.offset[u + 1]; i++) {
        strcat(got, ni_name(&m->texts.words, m->texts.word[i]));
        strcat(got, " ");
    }
    assert_string_equal(got, expected);
}

static void new_texts_are_read_with_the_words_of_the_model(void **state)
{
    ni_method method = reader_of_texts(1);
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_model *m = model_of(&method, NULL), *more;
    (void)state;
    assert_int_equal(add_new(m, true, &more, &report, NULL), NEAP_OK);
    assert_int_equal(more->graph->nodes, 6);
    assert_int_equal(report.added, 2);
    assert_int_equal(report.by_text, 1);
    assert_int_equal(report.unreachable, 1);
    assert_int_equal(report.known_texts, 1);
    expect_text(more, "eve", "fox ");
    expect_text(more, "fay", "red red hen ");
    expect_text(more, "ann", "red fox ");
    assert_int_equal(more->texts.words.count, m->texts.words.count);
    neap_model_free(m);
    expect_text(more, "fay", "red red hen ");
    neap_model_free(more);
}

static void a_method_may_need_links(void **state)
{
    ni_method method = reader_of_texts(0);
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_model *m = model_of(&method, NULL), *more;
    (void)state;
    assert_int_equal(add_new(m, true, &more, &report, NULL), NEAP_OK);
    assert_int_equal(report.added, 1);
    assert_int_equal(report.by_text, 0);
    assert_int_equal(report.unreachable, 2);
    expect_text(more, "eve", "fox ");
    neap_model_free(more);
    neap_model_free(m);
}

static void texts_alone_are_enough(void **state)
{
    ni_method method = reader_of_texts(1);
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_model *m = model_of(&method, NULL), *more, *again;
    neap_pair pair = { 4, 0 };
    float score;
    (void)state;
    assert_int_equal(add_new(m, false, &more, &report, NULL), NEAP_OK);
    assert_int_equal(report.added, 2);
    assert_int_equal(report.by_text, 2);
    assert_int_equal(neap_model_score(more, &pair, 1, &score, NULL), NEAP_OK);
    assert_true(score == 0);
    assert_int_equal(add_new(more, true, &again, &report, NULL), NEAP_OK); /* a link for eve */
    assert_int_equal(report.added, 0);
    assert_int_equal(report.known_texts, 3);
    assert_int_equal(again->links.offset[5] - again->links.offset[4], 1);
    expect_text(again, "eve", "fox ");
    neap_model_free(again);
    neap_model_free(more);
    neap_model_free(m);
}

static void without_links_a_node_is_on_the_first_side(void **state)
{
    static const uint8_t side[] = { 1, 0, 1, 0 };
    ni_method method = reader_of_texts(1);
    neap_targets targets = { .size = sizeof targets, .side = side };
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_model *m = model_of(&method, &targets), *more;
    (void)state;
    assert_int_equal(add_new(m, true, &more, &report, NULL), NEAP_OK);
    assert_int_equal(more->targets.side[4], 0); /* eve, opposite to ann */
    assert_int_equal(more->targets.side[5], 1); /* fay */
    neap_model_free(more);
    neap_model_free(m);
}

static void a_file_without_words_adds_nothing(void **state)
{
    neap_graph *graph;
    neap_text *text;
    neap_error err = { 0 };
    (void)state;
    scratch_put("texts", "eve\t\nfay\t!\n", 11);
    assert_int_equal(neap_text_load_new("texts", NULL, NULL, &graph, &text, &err), NEAP_E_FORMAT);
    assert_true(!graph && !text && strstr(err.text, "there is no word in it"));
}

/* ---- all methods ---- */

static void a_method_says_whether_it_reads_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < neap_method_count(); i++) {
        const ni_method *method = ni_method_at(i);
        if ((method->info.text != 0) != (method->text != NULL) || method->info.new_text > method->info.text)
            fail_msg("%s", method->info.name);
    }
}

static neap_graph *small_graph(void)
{
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = 60, .blocks = 3, .p_in = 0.25, .p_out = 0.02, .seed = 1
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

static neap_model *train_briefly(const char *method, const char *dim)
{
    neap_graph *g = small_graph();
    neap_model *m =
        trained(g, options_of("neap", "method", method, "dim", dim, "epochs", "2", "threads", "1", NULL));
    neap_graph_free(g);
    return m;
}

/* The model with more nodes, without links, one for each line. */
static neap_model *with_new(const neap_model *m, const char *lines)
{
    neap_graph *graph;
    neap_text *texts;
    neap_model *more;
    neap_data data = NEAP_SIZED(neap_data);
    scratch_put("texts", lines, strlen(lines));
    assert_int_equal(neap_text_load_new("texts", NULL, NULL, &graph, &texts, NULL), NEAP_OK);
    data.graph = graph;
    data.text = texts;
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    neap_text_free(texts);
    neap_graph_free(graph);
    return more;
}

static void score_all(const neap_model *m, float scores[61])
{
    neap_pair pairs[61];
    for (uint32_t t = 0; t < 61; t++) pairs[t] = (neap_pair){ 60, t };
    assert_int_equal(neap_model_score(m, pairs, 61, scores, NULL), NEAP_OK);
}

/* The scores of a new node without links differ from each other, and a file keeps them. */
static void every_method_that_says_so_reads_texts_alone(void **state)
{
    unsigned methods = 0;
    (void)state;
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *info = neap_method_at(i);
        float scores[61], again[61], least = INFINITY, most = -INFINITY;
        if (!info->new_text) continue;
        neap_model *m = train_briefly(info->name, "8"), *more = with_new(m, "new\tall n0 n0 n1 n2 n3\n"),
                   *loaded;
        assert_int_equal(neap_graph_nodes(neap_model_graph(more)), 61);
        score_all(more, scores);
        for (int t = 0; t < 61; t++) {
            if (!isfinite(scores[t])) fail_msg("%s: score %d", info->name, t);
            least = fminf(least, scores[t]), most = fmaxf(most, scores[t]);
        }
        if (!(most > least)) fail_msg("%s: all scores of a new text are %g", info->name, (double)most);
        assert_int_equal(neap_model_save(more, "model", NULL), NEAP_OK);
        assert_int_equal(neap_model_load("model", NULL, &loaded, NULL), NEAP_OK);
        score_all(loaded, again);
        assert_memory_equal(scores, again, sizeof scores);
        neap_model_free(loaded);
        neap_model_free(more);
        neap_model_free(m);
        methods++;
    }
    assert_true(methods >= 3); /* text, apn, cene */
}

/* Such a model has no words at all; a new node has the mean of its neighbours. */
static void a_model_of_features_alone_takes_new_links(void **state)
{
    static const char *const methods[] = { "tadw", "text" }, *const names[] = { "7", "new" };
    static const neap_edge edge = { 1, 0, 1 };
    neap_graph *g = small_graph(), *links;
    neap_features *features;
    (void)state;
    scratch_put("features", "0 a b\n1 a c\n7 b\n9 c\n12 a\n", 25);
    assert_int_equal(neap_features_load("features", g, NULL, &features, NULL), NEAP_OK);
    assert_int_equal(neap_graph_create(2, names, &edge, 1, 0, 0, &links, NULL), NEAP_OK);
    for (int i = 0; i < 2; i++) {
        neap_data data = { .size = sizeof data, .graph = g, .features = features };
        neap_data more = { .size = sizeof more, .graph = links };
        neap_options *o = options_of("neap", "method", methods[i], "dim", "2", NULL);
        neap_model *m, *extended, *loaded;
        neap_pair pair = { 60, 7 };
        float score, again;
        neap_explanation *why;
        if (i == 0) set_options(o, "text-dim", "2", "epochs", "1", NULL);
        assert_int_equal(neap_train(&data, o, NULL, &m, NULL), NEAP_OK);
        assert_int_equal(neap_model_extend(m, &more, &extended, NULL, NULL), NEAP_OK);
        assert_int_equal(neap_model_score(extended, &pair, 1, &score, NULL), NEAP_OK);
        assert_true(score > 0); /* of a vector with itself, but for its length */
        assert_int_equal(neap_model_save(extended, "model", NULL), NEAP_OK);
        assert_int_equal(neap_model_load("model", NULL, &loaded, NULL), NEAP_OK);
        assert_int_equal(neap_model_score(loaded, &pair, 1, &again, NULL), NEAP_OK);
        assert_true(score == again);
        if (i == 1) assert_int_equal(neap_model_explain(loaded, 7, 9, &why, NULL), NEAP_E_MISMATCH);
        neap_model_free(loaded);
        neap_model_free(extended);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_graph_free(links);
    neap_features_free(features);
    neap_graph_free(g);
}

/* Of many new nodes the vectors are longer than all that the file says of them: SECURITY.md, loading takes
 * memory in proportion to the file. */
static void loading_makes_no_vectors_of_new_nodes(void **state)
{
    enum { NEW = 6000, LINE = 16 };
    char *lines = malloc(NEW * LINE), *end = lines;
    (void)state;
    for (int i = 0; i < NEW; i++) end += snprintf(end, LINE, "x%d\tn%d\n", i, i % 9);
    for (size_t i = 0; i < neap_method_count(); i++) {
        const neap_method_info *info = neap_method_at(i);
        neap_model *loaded;
        struct stat file;
        if (!info->new_text) continue;
        neap_model *m = train_briefly(info->name, "64"), *more = with_new(m, lines);
        assert_int_equal(neap_model_save(more, "model", NULL), NEAP_OK);
        assert_int_equal(stat("model", &file), 0);
        neap_model_free(more);
        size_t before = atomic_load(&faults.bytes);
        faults_peak();
        assert_int_equal(neap_model_load("model", NULL, &loaded, NULL), NEAP_OK);
        size_t took = faults_peak() - before;
        if (took > 8192 + 4 * (size_t)file.st_size)
            fail_msg("%s: %zu bytes for a file of %zu", info->name, took, (size_t)file.st_size);
        neap_model_free(loaded);
        neap_model_free(m);
    }
    free(lines);
}

static neap_status scenario(void *user, neap_error *err)
{
    neap_model *more;
    neap_extension report = NEAP_SIZED(neap_extension);
    neap_status rc = add_new(user, true, &more, &report, err);
    neap_model_free(more);
    return rc;
}

static void no_failure_leaks(void **state)
{
    ni_method method = reader_of_texts(1);
    neap_model *m = model_of(&method, NULL);
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, scenario, faults_expect_memory, m) > 30);
    neap_model_free(m);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, scratch_enter, scratch_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(new_texts_are_read_with_the_words_of_the_model),
        HERE(a_method_may_need_links),
        HERE(texts_alone_are_enough),
        HERE(without_links_a_node_is_on_the_first_side),
        HERE(a_file_without_words_adds_nothing),
        HERE(a_method_says_whether_it_reads_texts),
        HERE(every_method_that_says_so_reads_texts_alone),
        HERE(a_model_of_features_alone_takes_new_links),
        HERE(loading_makes_no_vectors_of_new_nodes),
        HERE(no_failure_leaks),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
