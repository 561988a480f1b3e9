/* What only the variants of gap promise: in which order neighbours are read, and how often edges are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "asking.h"

typedef struct epochs {
    double loss[2];
    uint64_t steps; /* links of an epoch, each as often as it is passed over */
} epochs;

static int listen(const neap_progress *now, void *user)
{
    epochs *e = user;
    if (now->epoch_end && now->epoch >= 1 && now->epoch <= 2) e->loss[now->epoch - 1] = now->loss;
    if (now->epoch_end) e->steps = now->total;
    return 0;
}

/* Two epochs that change nothing: the same edges, non-links and weights, so that only orders may differ. */
static epochs train(const char *method, const char *kernel, const char *permutations)
{
    neap_graph *g = blocks(N, 0);
    neap_options *o = options_of("neap", "method", method, "kernel", kernel, "dim", "8", "epochs", "2",
                                 "lr", "1e-9", "dropout", "0", "valid", "0", "fresh-negatives", "no",
                                 "shuffle", "no", "batch", "16", "threads", "1", NULL);
    epochs e = { { NAN, NAN }, 0 };
    neap_hooks hooks = { .size = sizeof hooks, .progress = listen, .user = &e };
    neap_model *m;
    neap_error err;
    if (permutations) must(neap_options_set(o, "permutations", permutations, &err), &err);
    must(neap_train(&(neap_data){ .size = sizeof(neap_data), .graph = g }, o, &hooks, &m, &err), &err);
    assert_true(isfinite(e.loss[0]) && isfinite(e.loss[1]));
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
    return e;
}

static void gapapn_draws_another_order_in_each_epoch_and_gapcn_keeps_its_own(void **state)
{
    (void)state;
    epochs random = train("gapapn", "3", "1"), fixed = train("gapcn", "3", NULL);
    assert_true(fabs(random.loss[0] - random.loss[1]) > 1e-5);
    assert_true(fabs(fixed.loss[0] - fixed.loss[1]) < 1e-6);
}

static void with_a_window_of_one_no_order_matters(void **state)
{
    (void)state;
    epochs random = train("gapapn", "1", "1"), fixed = train("gapcn", "1", NULL);
    assert_true(fabs(random.loss[0] - random.loss[1]) < 1e-6);
    assert_true(fabs(random.loss[0] - fixed.loss[0]) < 1e-5);
}

static void an_epoch_of_gapapn_has_as_many_passes_as_permutations(void **state)
{
    (void)state;
    epochs one = train("gapapn", "3", "1"), five = train("gapapn", "3", "5");
    assert_true(five.steps >= 5 * one.steps && five.steps < 5 * (one.steps + 16)); /* whole batches each */
    assert_true(fabs(one.loss[0] - five.loss[0]) > 1e-6); /* a mean over five orders */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gapapn_draws_another_order_in_each_epoch_and_gapcn_keeps_its_own),
        cmocka_unit_test(with_a_window_of_one_no_order_matters),
        cmocka_unit_test(an_epoch_of_gapapn_has_as_many_passes_as_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
