/* The whole way - load, train two batches, checkpoint, save, ask - with every call failing once, and with
 * the process dying before every file call; for a method of neighbourhoods and one of texts. */
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

static const char ring[] = "a b\nb c\nc d\nd e\ne f\nf a\na d\nb e\n";
static const char texts[] = "a\tred fox\nb\tred hen\nc\tblue fox\nd\tblue hen\ne\tred sky\nf\tblue sky\n";
static const char old_model[] = "what was there before";

/* What runs, and the errno of what fails. */
typedef struct subject {
    const char *method, *trained; /* the file of its model */
    bool text;
    int sys;
} subject;

static const subject subjects[] = { { "gap", "trained", false, 0 }, { "cene", "trained-text", true, 0 } };
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static neap_status set_options(const subject *s, neap_options *o, neap_error *err)
{
    static const char *const values[][2] = { { "dim", "4" },   { "batch", "4" },   { "epochs", "1" },
                                             { "valid", "0" }, { "threads", "2" }, { "min-count", "1" } };
    neap_status rc = neap_options_set(o, "method", s->method, err);
    for (size_t i = 0; i < sizeof values / sizeof *values && rc == NEAP_OK; i++)
        rc = neap_options_set(o, values[i][0], values[i][1], err);
    return rc;
}

/* Eight edges in batches of four, a checkpoint after each. user: a subject. */
static neap_status train_and_save(void *user, neap_error *err)
{
    const subject *s = user;
    neap_options *o = NULL;
    neap_graph *g = NULL;
    neap_text *text = NULL;
    neap_model *m = NULL;
    neap_hooks hooks = { .size = sizeof hooks,
                         .checkpoint = "model.checkpoint",
                         .checkpoint_seconds = 1e-9 };
    neap_data data = NEAP_SIZED(neap_data);
    neap_status rc = neap_options_create("neap", &o, err);
    if (rc == NEAP_OK) rc = set_options(s, o, err);
    if (rc == NEAP_OK) rc = neap_graph_load("ring.txt", o, NULL, &g, err);
    if (rc == NEAP_OK && s->text) rc = neap_text_load("texts.txt", g, 0, NULL, &text, err);
    data.graph = g;
    data.text = text;
    if (rc == NEAP_OK) rc = neap_train(&data, o, &hooks, &m, err);
    if (rc == NEAP_OK) rc = neap_model_save(m, "model", err);
    neap_model_free(m);
    neap_text_free(text);
    neap_graph_free(g);
    neap_options_free(o);
    return rc;
}

/* A new node by its links, or by its links and its text. */
static neap_status extend(const subject *s, const neap_model *m, neap_model **bigger, neap_error *err)
{
    neap_options *o = NULL;
    neap_graph *links = NULL, *all = NULL;
    neap_text *text = NULL;
    neap_data data = NEAP_SIZED(neap_data);
    neap_status rc = neap_options_create(NULL, &o, err);
    if (rc == NEAP_OK) rc = neap_graph_load("more.txt", o, NULL, &links, err);
    if (rc == NEAP_OK && s->text) rc = neap_text_load_new("new.txt", links, NULL, &all, &text, err);
    data.graph = s->text ? all : links;
    data.text = text;
    if (rc == NEAP_OK) rc = neap_model_extend(m, &data, bigger, NULL, err);
    neap_text_free(text);
    neap_graph_free(all);
    neap_graph_free(links);
    neap_options_free(o);
    return rc;
}

/* Everything that can be asked of a saved model. */
static neap_status load_and_ask(void *user, neap_error *err)
{
    const subject *s = user;
    neap_model *m = NULL, *bigger = NULL;
    neap_query *q = NULL;
    neap_query_spec spec = { .size = sizeof spec, .threads = 2 };
    neap_scores *scores = NULL;
    neap_ranking *best = NULL, *again = NULL;
    neap_explanation *why = NULL;
    neap_pair pair = { 0, 2 };
    uint32_t source = 0;
    neap_rank_spec rank = {
        .size = sizeof rank, .sources = &source, .source_count = 1, .k = 3, .by = NEAP_BY_COSINE
    };
    float score, vectors[7 * 4], partner[4];
    neap_status rc = neap_model_load(s->trained, NULL, &m, err);
    if (rc == NEAP_OK) rc = extend(s, m, &bigger, err);
    if (rc == NEAP_OK) rc = neap_query_create(bigger, &spec, &q, err);
    if (rc == NEAP_OK) rc = neap_query_score(q, &pair, 1, &scores, err);
    if (rc == NEAP_OK) rc = neap_query_rank(q, &rank, &best, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, err);
    if (rc == NEAP_OK && !s->text) rc = neap_query_vectors(q, NULL, 0, 1, vectors, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, &source, 1, NEAP_NONE, vectors, err);
    if (rc == NEAP_OK) rc = neap_query_pair_vectors(q, &pair, 1, vectors, partner, err);
    if (rc == NEAP_OK && !s->text) rc = neap_query_explain(q, 0, 2, &why, err);
    if (rc == NEAP_OK) rc = neap_model_score(m, &pair, 1, &score, err);
    if (rc == NEAP_OK) rc = neap_model_rank(m, 0, 3, 0, &again, err);
    neap_explanation_free(why);
    neap_ranking_free(again);
    neap_ranking_free(best);
    neap_scores_free(scores);
    neap_query_free(q);
    neap_model_free(bigger);
    neap_model_free(m);
    return rc;
}

static int enter(void **state)
{
    if (scratch_enter(state)) return -1;
    scratch_put("ring.txt", ring, sizeof ring - 1);
    scratch_put("texts.txt", texts, sizeof texts - 1);
    scratch_put("more.txt", "g a\nc g\n", 8);
    scratch_put("new.txt", "g\tred hen\n", 10);
    for (int i = 0; i < SUBJECTS; i++) {
        subject s = subjects[i];
        neap_error err;
        scratch_put("model", old_model, sizeof old_model);
        if (train_and_save(&s, &err) || rename("model", s.trained)) return -1;
    }
    scratch_put("model", old_model, sizeof old_model);
    return 0;
}

/* The old file is intact, and nothing temporary is left beside it. */
static void expect_old_file(void)
{
    scratch_expect("model", old_model, sizeof old_model);
    remove("model.checkpoint");
    assert_int_equal(scratch_count("model"), 1);
}

static void judge_memory(void *user, neap_status rc, const neap_error *err)
{
    faults_expect_memory(user, rc, err);
    expect_old_file();
}

static void judge_writing(void *user, neap_status rc, const neap_error *err)
{
    int sys = ((const subject *)user)->sys;
    assert_int_equal(rc, NEAP_E_IO);
    assert_int_equal(err->sys, sys);
    remove("model.checkpoint");
    /* A folder that cannot be synced is reported although the new file is in place: then it is whole. */
    if (neap_file_check("model", NULL, NULL, NULL) != NEAP_OK) expect_old_file();
    assert_int_equal(scratch_count("model"), 1);
    scratch_put("model", old_model, sizeof old_model);
}

static void every_failing_allocation_of_a_run_is_an_ordinary_error(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SUBJECTS; i++) {
        subject s = subjects[i / 2];
        unsigned hit = faults_each(FAULTS_MEMORY, ENOMEM, i % 2, train_and_save, judge_memory, &s);
        assert_true(hit > 50);
        remove("model.checkpoint");
        scratch_put("model", old_model, sizeof old_model);
    }
}

static void every_failing_allocation_of_a_query_is_an_ordinary_error(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * SUBJECTS; i++) {
        subject s = subjects[i / 2];
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, i % 2, load_and_ask, faults_expect_memory, &s) > 80);
    }
}

static void every_failing_write_fsync_rename_is_reported_and_loses_nothing(void **state)
{
    static const faults_call calls[] = { FAULTS_WRITE, FAULTS_FSYNC, FAULTS_RENAME };
    static const int errors[] = { ENOSPC, EIO };
    (void)state;
    for (int i = 0; i < 4 * SUBJECTS; i++) {
        subject s = subjects[i / 4];
        s.sys = errors[i / 2 % 2];
        for (int k = 0; k < 3; k++) {
            assert_true(faults_each(calls[k], s.sys, i % 2, train_and_save, judge_writing, &s) >= 3);
            remove("model.checkpoint");
            scratch_put("model", old_model, sizeof old_model);
        }
    }
}

static void a_thread_that_cannot_start_is_an_ordinary_error(void **state)
{
    subject s = subjects[0];
    (void)state;
    assert_int_equal(faults_each(FAULTS_THREAD, EAGAIN, false, train_and_save, judge_memory, &s), 1);
}

static void look_after_death(void *user)
{
    size_t size;
    (void)user;
    char *bytes = scratch_bytes("model", &size);
    bool old = size == sizeof old_model && !memcmp(bytes, old_model, size);
    if (!old) assert_int_equal(neap_file_check("model", NULL, NULL, NULL), NEAP_OK);
    if (scratch_count("model.checkpoint"))
        assert_int_equal(neap_file_check("model.checkpoint", NULL, NULL, NULL), NEAP_OK);
    free(bytes);
}

static void a_process_may_die_before_any_file_call(void **state)
{
    subject s = subjects[0];
    (void)state;
    assert_true(faults_crash_each(train_and_save, look_after_death, &s) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_failing_allocation_of_a_run_is_an_ordinary_error, enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(every_failing_allocation_of_a_query_is_an_ordinary_error, enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(every_failing_write_fsync_rename_is_reported_and_loses_nothing,
                                        enter, scratch_leave),
        cmocka_unit_test_setup_teardown(a_thread_that_cannot_start_is_an_ordinary_error, enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_process_may_die_before_any_file_call, enter, scratch_leave),
    };
    faults_install();
    faults_skip_fsync();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
