/* The method text: what a word weighs, what a pair scores, and new texts in the basis of a model.
 * (tests/text_oracle.py compares the weights with scikit-learn's.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "faults.h"
#include "settings.h"
#include "world.h"

#include "base/sys.h"
#include "data/features.h"
#include "model/tfidf.h"

enum { NODES = 5 };
static const neap_edge edges[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 } };
static const char *const texts[] = { "red red fox", "red hen", "blue whale", "blue blue sky", "" };

/* features: or NULL; freed. */
static neap_model *train_with(const char *const *text, neap_features *features, neap_options *o)
{
    neap_graph *g;
    neap_text *t;
    neap_model *m;
    neap_error err = { 0 };
    assert_int_equal(neap_graph_create(NODES, NULL, edges, 4, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, text, &t, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = t, .features = features };
    if (neap_train(&data, o, NULL, &m, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    neap_features_free(features);
    neap_text_free(t);
    neap_graph_free(g);
    return m;
}

static neap_model *train(const char *const *text, neap_options *o)
{
    return train_with(text, NULL, o);
}

static uint32_t word_of(const neap_model *m, const char *word)
{
    for (uint32_t i = 0; i < m->texts.words.count; i++)
        if (!strcmp(ni_name(&m->texts.words, i), word)) return i;
    fail_msg("no word %s", word);
    return 0;
}

/* The weight of a word in row u. */
static double weight(const neap_model *m, const ni_sparse *a, uint32_t u, const char *word)
{
    uint32_t number = word_of(m, word);
    for (uint32_t i = a->start[u]; i < a->end[u]; i++)
        if (a->term[i].row == number) return (double)a->term[i].weight;
    return 0;
}

static void close_to(double a, double b)
{
    if (!(fabs(a - b) < 1e-6)) fail_msg("%.9g is not %.9g", a, b);
}

static void a_word_weighs_what_its_definition_says(void **state)
{
    neap_model *m = train(texts, options_of("neap", "method", "text", "min-count", "1", NULL));
    double smooth = log(6.0 / 3) + 1, plain = log(5.0 / 2), alone = log(6.0 / 2) + 1;
    ni_tfidf_options none = { NI_TF_COUNT, NI_IDF_SMOOTH, NI_NORM_NONE };
    ni_sparse a;
    ni_threads *one;
    (void)state;
    assert_int_equal(ni_threads_create(1, &one, NULL), NEAP_OK);
    assert_int_equal(ni_tfidf_create(&m->texts, 0, NODES, NODES, &none, one, &a, NULL), NEAP_OK);
    close_to(weight(m, &a, 0, "red"), 2 * smooth);
    close_to(weight(m, &a, 0, "fox"), alone);
    close_to(weight(m, &a, 1, "fox"), 0);
    ni_tfidf_free(&a);
    ni_tfidf_options other = { NI_TF_LOG, NI_IDF_PLAIN, NI_NORM_NONE };
    assert_int_equal(ni_tfidf_create(&m->texts, 0, NODES, NODES, &other, one, &a, NULL), NEAP_OK);
    close_to(weight(m, &a, 0, "red"), (1 + log(2)) * plain);
    ni_tfidf_free(&a);
    ni_tfidf_options unit = { NI_TF_BINARY, NI_IDF_SMOOTH, NI_NORM_UNIT };
    assert_int_equal(ni_tfidf_create(&m->texts, 0, NODES, NODES, &unit, one, &a, NULL), NEAP_OK);
    close_to(weight(m, &a, 1, "red"), smooth / hypot(smooth, alone));
    ni_tfidf_free(&a);
    ni_threads_free(one);
    neap_model_free(m);
}

/* With as many vectors as words nothing is left out: the score is the cosine of the weights. */
static void a_pair_scores_the_cosine_of_its_texts(void **state)
{
    neap_model *m = train(texts, options_of("neap", "method", "text", "min-count", "1", NULL));
    const neap_pair pairs[] = { { 0, 1 }, { 0, 2 }, { 0, 0 }, { 0, 4 } };
    double red = log(6.0 / 3) + 1, fox = log(6.0 / 2) + 1, many = (1 + log(2)) * red;
    float score[4];
    (void)state;
    assert_int_equal(neap_model_score(m, pairs, 4, score, NULL), NEAP_OK);
    assert_true(fabs((double)score[0] - many * red / (hypot(many, fox) * hypot(red, fox))) < 1e-5);
    assert_true(fabsf(score[1]) < 1e-5F);
    assert_true(fabsf(score[2] - 1) < 1e-5F);
    assert_true(score[3] == 0); /* no text, no vector */
    neap_model_free(m);
}

/* A new node with the text of node 0 has its vector; one without text that of its only neighbour. */
static void a_new_text_is_read_in_the_basis_of_the_model(void **state)
{
    const char *const names[] = { "3", "new", "mute" };
    const char *const given[] = { "", "red fox red strange", "" };
    const neap_edge links[] = { { 1, 0, 1 }, { 2, 0, 1 } };
    neap_model *m = train(texts, options_of("neap", "method", "text", "min-count", "1", "dim", "4", NULL)),
               *more;
    neap_graph *g;
    neap_text *t;
    float vectors[(NODES + 2) * 4];
    (void)state;
    assert_int_equal(neap_graph_create(3, names, links, 2, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, given, &t, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = t };
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    assert_int_equal(neap_model_vectors(more, vectors, NULL), NEAP_OK);
    uint32_t fresh, mute;
    assert_int_equal(neap_graph_find(neap_model_graph(more), "new", &fresh, NULL), NEAP_OK);
    assert_int_equal(neap_graph_find(neap_model_graph(more), "mute", &mute, NULL), NEAP_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(fabsf(vectors[fresh * 4 + i] - vectors[i]) < 1e-6F);
        assert_true(fabsf(vectors[mute * 4 + i] - vectors[3 * 4 + i]) < 1e-6F);
    }
    neap_model_free(more);
    neap_text_free(t);
    neap_graph_free(g);
    neap_model_free(m);
}

/* Contributions of either side sum to the score; a shared word selects itself. */
static void words_explain_a_score(void **state)
{
    neap_model *m = train(texts, options_of("neap", "method", "text", "min-count", "1", "dim", "3", NULL));
    neap_explanation *why;
    (void)state;
    assert_int_equal(neap_model_explain(m, 0, 1, &why, NULL), NEAP_OK);
    assert_int_equal(why->words, 1);
    for (int k = 0; k < 2; k++) {
        const neap_reasons *r = k ? why->by_target : why->by_source;
        double weights = 0, score = 0;
        assert_int_equal(r->count, 2); /* red and fox, red and hen */
        for (uint32_t i = 0; i < r->count; i++) {
            weights += (double)r->weight[i];
            score += (double)r->contribution[i];
            if (strcmp(r->word[i], "red")) {
                assert_true(r->contribution[i] < why->score / 2); /* the shared word moves the score most */
                continue;
            }
            assert_int_equal(r->node[i], 0);
            assert_int_equal(r->partner[i], 0);
            assert_true(fabsf(r->alignment[i] - 1) < 1e-5F);
        }
        close_to(weights, 1);
        assert_true(fabs(score - (double)why->score) < 1e-5);
    }
    assert_true(why->score > 0.1F);
    neap_explanation_free(why);
    assert_int_equal(neap_model_explain(m, 0, 4, &why, NULL), NEAP_OK); /* a node without text */
    assert_true(why->score == 0 && why->by_target->count == 0);
    neap_explanation_free(why);
    neap_model_free(m);
}

/* Node 3 has no features, node 4 no text. */
static neap_features *some_features(void)
{
    static const uint64_t offset[NODES + 1] = { 0, 2, 3, 5, 5, 6 };
    static const uint32_t feature[] = { 0, 1, 0, 1, 2, 2 };
    static const float value[] = { 3, 1, 2, 1, 1, 4 };
    neap_features *f = ni_zeros(1, sizeof *f);
    f->nodes = NODES;
    ni_names_init(&f->names);
    assert_true(ni_names_number(&f->names, 0, 3));
    f->offset = ni_copy(offset, NODES + 1, sizeof *offset);
    f->feature = ni_copy(feature, 6, sizeof *feature);
    f->value = ni_copy(value, 6, sizeof *value);
    return f;
}

static double sum_of(const neap_reasons *r)
{
    double sum = (double)r->rest_contribution;
    for (uint32_t i = 0; i < r->count; i++) sum += (double)r->contribution[i];
    return sum;
}

/* What words of node u contribute to its square, as the definition says: with as many singular vectors as
 * words and features, E is C with rows of length 1. */
static double words_of_square(const neap_model *m, uint32_t u, const neap_features *f, const char *norm)
{
    ni_tfidf_options rule = { NI_TF_LOG, NI_IDF_SMOOTH,
                              strcmp(norm, "unit") ? NI_NORM_NONE : NI_NORM_UNIT };
    double words = 0, features = 0;
    ni_sparse a;
    ni_threads *one;
    assert_int_equal(ni_threads_create(1, &one, NULL), NEAP_OK);
    assert_int_equal(ni_tfidf_create(&m->texts, u, u + 1, NODES, &rule, one, &a, NULL), NEAP_OK);
    for (uint32_t i = a.start[0]; i < a.end[0]; i++)
        words += (double)a.term[i].weight * (double)a.term[i].weight;
    for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++)
        features += (double)f->value[i] * (double)f->value[i];
    if (rule.norm == NI_NORM_UNIT) words = words > 0, features = features > 0;
    ni_tfidf_free(&a);
    ni_threads_free(one);
    return words / (words + features);
}

/* What features contribute is what no word has, and either side sums to the score. */
static void features_are_the_rest_of_a_score(void **state)
{
    static const char *const norms[] = { "unit", "none" }, *const dims[] = { "20", "3" };
    neap_features *f = some_features();
    (void)state;
    for (int i = 0; i < 4; i++) {
        neap_model *m = train_with(texts, some_features(),
                                   options_of("neap", "method", "text", "min-count", "1", "text-norm",
                                              norms[i % 2], "dim", dims[i / 2], NULL));
        for (uint32_t u = 0; u < NODES; u++)
            for (uint32_t v = 0; v < NODES; v++) {
                neap_explanation *why;
                assert_int_equal(neap_model_explain(m, u, v, &why, NULL), NEAP_OK);
                const neap_reasons *r = why->by_source;
                assert_true(fabs(sum_of(r) - (double)why->score) < 1e-5);
                assert_true(fabs(sum_of(why->by_target) - (double)why->score) < 1e-5);
                assert_true(u != 3 || r->rest_contribution == 0);
                if (u == v && i < 2)
                    assert_true(fabs(1 - (double)r->rest_contribution -
                                     words_of_square(m, u, f, norms[i % 2])) < 1e-4);
                neap_explanation_free(why);
            }
        neap_model_free(m);
    }
    neap_features_free(f);
}

/* A file says what the words of a node count; a model of words alone has no need to. */
static void a_model_of_words_and_features_is_explained_from_its_file(void **state)
{
    neap_model *m = train_with(texts, some_features(),
                               options_of("neap", "method", "text", "min-count", "1", "dim", "3", NULL)),
               *again;
    neap_explanation *a, *b;
    size_t need, room;
    (void)state;
    assert_int_equal(neap_model_to_memory(m, NULL, 0, &room, NULL), NEAP_E_LIMIT);
    void *bytes = malloc(room);
    assert_int_equal(neap_model_to_memory(m, bytes, room, &need, NULL), NEAP_OK);
    assert_int_equal(neap_model_from_memory(bytes, need, &again, NULL), NEAP_OK);
    assert_int_equal(neap_model_explain(m, 0, 1, &a, NULL), NEAP_OK);
    assert_int_equal(neap_model_explain(again, 0, 1, &b, NULL), NEAP_OK);
    assert_true(a->by_source->rest_contribution > 0.1F);
    assert_true(a->by_source->rest_contribution == b->by_source->rest_contribution);
    assert_true(a->by_target->contribution[0] == b->by_target->contribution[0]);
    neap_explanation_free(a);
    neap_explanation_free(b);
    neap_model_free(again);
    neap_model_free(m);
    free(bytes);
    m = train(texts, options_of("neap", "method", "text", "min-count", "1", "dim", "3", NULL));
    assert_null(tensor_of(m, "scales"));
    neap_model_free(m);
}

static neap_status explain_one(void *user, neap_error *err)
{
    neap_explanation *why = NULL;
    neap_status rc = neap_model_explain(user, 0, 1, &why, err);
    neap_explanation_free(why);
    return rc;
}

static void no_memory_is_an_error_when_explaining(void **state)
{
    neap_model *m =
        train(texts, options_of("neap", "method", "text", "min-count", "1", "threads", "1", NULL));
    (void)state;
    assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, explain_one, faults_expect_memory, m) > 10);
    neap_model_free(m);
}

/* Every text has the one word: with the plain idf nothing is left. */
static void texts_that_are_all_alike_are_refused_with_words(void **state)
{
    const char *const same[] = { "a", "a", "a", "a", "a" };
    neap_options *o = options_of("neap", "method", "text", "min-count", "1", "idf", "plain", NULL);
    neap_error err = { 0 };
    neap_graph *g;
    neap_text *t;
    neap_model *m;
    (void)state;
    assert_int_equal(neap_graph_create(NODES, NULL, edges, 4, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, same, &t, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = t };
    assert_int_equal(neap_train(&data, o, NULL, &m, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "--idf"));
    neap_text_free(t);
    neap_graph_free(g);
    neap_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_weighs_what_its_definition_says),
        cmocka_unit_test(a_pair_scores_the_cosine_of_its_texts),
        cmocka_unit_test(a_new_text_is_read_in_the_basis_of_the_model),
        cmocka_unit_test(words_explain_a_score),
        cmocka_unit_test(features_are_the_rest_of_a_score),
        cmocka_unit_test(a_model_of_words_and_features_is_explained_from_its_file),
        cmocka_unit_test(no_memory_is_an_error_when_explaining),
        cmocka_unit_test(texts_that_are_all_alike_are_refused_with_words),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
