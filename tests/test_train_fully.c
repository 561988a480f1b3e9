/* Training for a measurement: early stopping finds the number of epochs, then all pairs are trained on. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

static neap_graph *blocks(void)
{
    neap_generator what = {
        .kind = "sbm", .nodes = 60, .blocks = 3, .p_in = 0.3, .p_out = 0.02, .seed = 1
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

static void expect_equal(const neap_model *a, const neap_model *b)
{
    size_t n = (size_t)neap_graph_nodes(neap_model_graph(a)) * neap_model_dim(a);
    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    assert_int_equal(neap_model_vectors(a, x, NULL), NEAP_OK);
    assert_int_equal(neap_model_vectors(b, y, NULL), NEAP_OK);
    assert_memory_equal(x, y, n * sizeof *x);
    free(x);
    free(y);
}

static void all_pairs_are_trained_on_for_the_epochs_found(void **state)
{
    char epochs[16];
    neap_graph *g = blocks();
    neap_options *o = options_of("neap", "dim", "8", "epochs", "6", "valid", "0.2", "threads", "1", NULL);
    neap_model *found, *fully, *plain;
    (void)state;
    assert_int_equal(neap_train(g, o, NULL, &found, NULL), NEAP_OK);
    assert_int_equal(neap_train_fully(g, o, NULL, &fully, NULL), NEAP_OK);
    snprintf(epochs, sizeof epochs, "%u", neap_model_training(found).epochs);
    assert_int_equal(neap_options_set(o, "epochs", epochs, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "valid", "0", NULL), NEAP_OK);
    assert_int_equal(neap_train(g, o, NULL, &plain, NULL), NEAP_OK);
    expect_equal(fully, plain);
    assert_true(isnan(neap_model_training(fully).valid_auc));
    neap_model_free(found);
    neap_model_free(fully);
    neap_model_free(plain);
    neap_options_free(o);
    neap_graph_free(g);
}

static int count(const neap_progress *now, void *user)
{
    *(int *)user += now->epoch_end;
    return 0;
}

static void without_early_stopping_once_is_enough(void **state)
{
    int epochs = 0;
    neap_graph *g = blocks();
    neap_options *o = options_of("neap", "dim", "8", "epochs", "3", "valid", "0", "threads", "1", NULL);
    neap_hooks hooks = { .progress = count, .user = &epochs };
    neap_model *m;
    (void)state;
    assert_int_equal(neap_train_fully(g, o, &hooks, &m, NULL), NEAP_OK);
    assert_int_equal(epochs, 3);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

static int count_stages(const neap_progress *now, void *user)
{
    int *epochs = user;
    epochs[!strcmp(now->stage, "train-all")] += now->epoch_end;
    return epochs[2] && epochs[1] == epochs[2];
}

/* The hooks of the caller are asked in both runs, and may stop either. */
static void the_second_run_is_named_and_can_be_stopped(void **state)
{
    int epochs[3] = { 0 };
    neap_graph *g = blocks();
    neap_options *o = options_of("neap", "dim", "8", "epochs", "6", "valid", "0.2", "threads", "1", NULL);
    neap_hooks hooks = { .progress = count_stages, .user = epochs };
    neap_model *m;
    (void)state;
    assert_int_equal(neap_train_fully(g, o, &hooks, &m, NULL), NEAP_OK);
    assert_true(epochs[0] >= epochs[1] && epochs[1] == (int)neap_model_training(m).epochs);
    neap_model_free(m);
    epochs[0] = epochs[1] = 0, epochs[2] = 1;
    assert_int_equal(neap_train_fully(g, o, &hooks, &m, NULL), NEAP_E_STOPPED);
    assert_true(!m && epochs[1] == 1);
    neap_options_free(o);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_trained_on_for_the_epochs_found),
        cmocka_unit_test(without_early_stopping_once_is_enough),
        cmocka_unit_test(the_second_run_is_named_and_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
