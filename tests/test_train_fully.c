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

#include "settings.h"

static neap_graph *blocks(void)
{
    neap_generator what = {
        .size = sizeof what, .kind = "sbm", .nodes = 60, .blocks = 3, .p_in = 0.3, .p_out = 0.02, .seed = 1
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

static neap_status train_fully(const neap_graph *g, const neap_options *o, const neap_hooks *hooks,
                               neap_model **m)
{
    neap_data data = { .size = sizeof data, .graph = g };
    return neap_train_fully(&data, o, hooks, m, NULL);
}

static neap_model_facts facts_of(const neap_model *m)
{
    neap_model_facts facts = NEAP_SIZED(neap_model_facts);
    assert_int_equal(neap_model_facts_of(m, &facts, NULL), NEAP_OK);
    return facts;
}

static void expect_equal(const neap_model *a, const neap_model *b)
{
    size_t n = (size_t)facts_of(a).nodes * facts_of(a).dim;
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
    neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "6", "valid", "0.2",
                                 "threads", "1", NULL);
    neap_model *found = train_on(g, o, NULL), *fully, *plain;
    (void)state;
    assert_int_equal(train_fully(g, o, NULL, &fully), NEAP_OK);
    snprintf(epochs, sizeof epochs, "%u", facts_of(found).epochs);
    assert_int_equal(neap_options_set(o, "epochs", epochs, NULL), NEAP_OK);
    assert_int_equal(neap_options_set(o, "valid", "0", NULL), NEAP_OK);
    plain = train_on(g, o, NULL);
    expect_equal(fully, plain);
    assert_true(isnan(facts_of(fully).valid_auc));
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
    neap_options *o =
        options_of("neap", "method", "gap", "dim", "8", "epochs", "3", "valid", "0", "threads", "1", NULL);
    neap_hooks hooks = { .size = sizeof hooks, .progress = count, .user = &epochs };
    neap_model *m;
    (void)state;
    assert_int_equal(train_fully(g, o, &hooks, &m), NEAP_OK);
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
    neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "6", "valid", "0.2",
                                 "threads", "1", NULL);
    neap_hooks hooks = { .size = sizeof hooks, .progress = count_stages, .user = epochs };
    neap_model *m;
    (void)state;
    assert_int_equal(train_fully(g, o, &hooks, &m), NEAP_OK);
    assert_true(epochs[0] >= epochs[1] && epochs[1] == (int)facts_of(m).epochs);
    neap_model_free(m);
    epochs[0] = epochs[1] = 0, epochs[2] = 1;
    assert_int_equal(train_fully(g, o, &hooks, &m), NEAP_E_STOPPED);
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
