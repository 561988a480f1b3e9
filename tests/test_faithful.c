/* Reasons of evidence are faithful: the score depends on the neighbours that are named first, and on others
 * much less (bench/faithful.h; bench/accuracy.py measures it on all graphs). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../bench/faithful.h"
#include "eval/trial.h"
#include "settings.h"

static neap_graph *bundled(void)
{
    neap_options *o = options_of("neap", NULL);
    neap_graph *g;
    neap_error err = { 0 };
    if (neap_graph_load(NEAP_SOURCE "/data/debian.tsv.gz", o, NULL, &g, &err)) fail_msg("%s", err.text);
    neap_options_free(o);
    return g;
}

static void neighbours_named_first_matter_twice_as_much_as_others(void **state)
{
    enum { PAIRS = 40 };
    neap_graph *g = bundled();
    neap_data data = { .size = sizeof data, .graph = g };
    neap_link_spec spec = {
        .size = sizeof spec, .protocol = "clean", .negatives = "uniform", .ratio = 0.55, .seed = 101
    };
    neap_options *o = options_of("neap", "examples", "600", "dim", "32", NULL);
    neap_trial *trial;
    neap_model *m;
    faithful f;
    (void)state;
    assert_int_equal(neap_trial_create(&data, &spec, &trial, NULL), NEAP_OK);
    assert_int_equal(neap_trial_train(trial, o, NULL, &m, NULL), NEAP_OK);
    neap_query *q = query_of(m, 2);
    assert_int_equal(faithful_measure(q, trial->positive, trial->count, PAIRS, 1, &f, NULL), NEAP_OK);
    assert_int_equal(f.pairs, PAIRS);
    if (f.named < 2 * f.others) fail_msg("%.4f against %.4f", f.named, f.others);
    neap_query_free(q);
    neap_model_free(m);
    neap_trial_free(trial);
    neap_options_free(o);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_named_first_matter_twice_as_much_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
