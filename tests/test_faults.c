/* The whole way - load, train two batches, checkpoint, save, ask - with every call failing once, and with
 * the process dying before every file call. */
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
static const char old_model[] = "what was there before";

static neap_status set_options(neap_options *o, neap_error *err)
{
    static const char *const values[][2] = {
        { "dim", "4" }, { "batch", "4" }, { "epochs", "1" }, { "valid", "0" }, { "threads", "2" }
    };
    neap_status rc = NEAP_OK;
    for (size_t i = 0; i < sizeof values / sizeof *values && rc == NEAP_OK; i++)
        rc = neap_options_set(o, values[i][0], values[i][1], err);
    return rc;
}

/* Eight edges in batches of four, a checkpoint after each. */
static neap_status train_and_save(void *user, neap_error *err)
{
    neap_options *o = NULL;
    neap_graph *g = NULL;
    neap_model *m = NULL;
    neap_hooks hooks = { .size = sizeof hooks,
                         .checkpoint = "model.checkpoint",
                         .checkpoint_seconds = 1e-9 };
    neap_data data = NEAP_SIZED(neap_data);
    (void)user;
    neap_status rc = neap_options_create("neap", &o, err);
    if (rc == NEAP_OK) rc = set_options(o, err);
    if (rc == NEAP_OK) rc = neap_graph_load("ring.txt", o, NULL, &g, err);
    data.graph = g;
    if (rc == NEAP_OK) rc = neap_train(&data, o, &hooks, &m, err);
    if (rc == NEAP_OK) rc = neap_model_save(m, "model", err);
    neap_model_free(m);
    neap_graph_free(g);
    neap_options_free(o);
    return rc;
}

/* Everything that can be asked of a saved model. */
static neap_status load_and_ask(void *user, neap_error *err)
{
    neap_model *m = NULL, *bigger = NULL;
    neap_options *o = NULL;
    neap_graph *links = NULL;
    neap_query *q = NULL;
    neap_query_spec spec = { .size = sizeof spec, .threads = 2 };
    neap_data data = NEAP_SIZED(neap_data);
    neap_scores *scores = NULL;
    neap_ranking *best = NULL, *again = NULL;
    neap_explanation *why = NULL;
    neap_pair pair = { 0, 2 };
    uint32_t source = 0;
    neap_rank_spec rank = {
        .size = sizeof rank, .sources = &source, .source_count = 1, .k = 3, .by = NEAP_BY_COSINE
    };
    float score, vectors[7 * 4], partner[4];
    (void)user;
    neap_status rc = neap_model_load("trained", NULL, &m, err);
    if (rc == NEAP_OK) rc = neap_options_create(NULL, &o, err);
    if (rc == NEAP_OK) rc = neap_graph_load("more.txt", o, NULL, &links, err);
    data.graph = links;
    if (rc == NEAP_OK) rc = neap_model_extend(m, &data, &bigger, NULL, err);
    if (rc == NEAP_OK) rc = neap_query_create(bigger, &spec, &q, err);
    if (rc == NEAP_OK) rc = neap_query_score(q, &pair, 1, &scores, err);
    if (rc == NEAP_OK) rc = neap_query_rank(q, &rank, &best, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, NULL, 0, NEAP_NONE, vectors, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, NULL, 0, 1, vectors, err);
    if (rc == NEAP_OK) rc = neap_query_vectors(q, &source, 1, NEAP_NONE, vectors, err);
    if (rc == NEAP_OK) rc = neap_query_pair_vectors(q, &pair, 1, vectors, partner, err);
    if (rc == NEAP_OK) rc = neap_query_explain(q, 0, 2, &why, err);
    if (rc == NEAP_OK) rc = neap_model_score(m, &pair, 1, &score, err);
    if (rc == NEAP_OK) rc = neap_model_rank(m, 0, 3, 0, &again, err);
    neap_explanation_free(why);
    neap_ranking_free(again);
    neap_ranking_free(best);
    neap_scores_free(scores);
    neap_query_free(q);
    neap_graph_free(links);
    neap_options_free(o);
    neap_model_free(bigger);
    neap_model_free(m);
    return rc;
}

static int enter(void **state)
{
    if (scratch_enter(state)) return -1;
    scratch_put("ring.txt", ring, sizeof ring - 1);
    scratch_put("more.txt", "g a\nc g\n", 8);
    scratch_put("model", old_model, sizeof old_model);
    neap_error err;
    if (train_and_save(NULL, &err) || rename("model", "trained")) return -1;
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
    int sys = *(int *)user;
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
    for (int forever = 0; forever < 2; forever++) {
        unsigned hit = faults_each(FAULTS_MEMORY, ENOMEM, forever, train_and_save, judge_memory, NULL);
        assert_true(hit > 50);
        remove("model.checkpoint");
        scratch_put("model", old_model, sizeof old_model);
    }
}

static void every_failing_allocation_of_a_query_is_an_ordinary_error(void **state)
{
    (void)state;
    for (int forever = 0; forever < 2; forever++)
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, forever, load_and_ask, faults_expect_memory, NULL) >
                    80);
}

static void every_failing_write_fsync_rename_is_reported_and_loses_nothing(void **state)
{
    static const faults_call calls[] = { FAULTS_WRITE, FAULTS_FSYNC, FAULTS_RENAME };
    int errors[] = { ENOSPC, EIO };
    (void)state;
    for (int e = 0; e < 2; e++)
        for (int forever = 0; forever < 2; forever++)
            for (int i = 0; i < 3; i++) {
                assert_true(faults_each(calls[i], errors[e], forever, train_and_save, judge_writing,
                                        &errors[e]) >= 3);
                remove("model.checkpoint");
                scratch_put("model", old_model, sizeof old_model);
            }
}

static void a_thread_that_cannot_start_is_an_ordinary_error(void **state)
{
    (void)state;
    assert_int_equal(faults_each(FAULTS_THREAD, EAGAIN, false, train_and_save, judge_memory, NULL), 1);
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
    (void)state;
    assert_true(faults_crash_each(train_and_save, look_after_death, NULL) > 15);
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
