#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

static neap_graph *some_graph(uint32_t links)
{
    neap_graph *graph;
    neap_generator what = { .size = sizeof what, .kind = "ba", .nodes = 300, .links = links, .seed = 1 };
    assert_int_equal(neap_graph_generate(&what, &graph, NULL), NEAP_OK);
    return graph;
}

/* Half of the options must not count: the run would end at once, or validate. */
static neap_bench_result bench(const neap_graph *graph, const neap_graph *around)
{
    neap_options *o = options_of("paper", "dim", "8", "threads", "2", "epochs", "0", "valid", "0.5", NULL);
    neap_data data = { .size = sizeof data, .graph = graph, .around = around };
    neap_bench_result r = NEAP_SIZED(neap_bench_result);
    assert_int_equal(neap_bench(&data, o, NULL, 0.05, &r, NULL), NEAP_OK);
    neap_options_free(o);
    return r;
}

static void check_sums(const neap_bench_result *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->stage_count; i++) sum += r->stages[i].seconds;
    assert_true(r->seconds >= 0.05 && sum <= r->seconds && sum > r->seconds / 2);
    assert_true(r->edges > 0 && r->batches > 0 && r->table_batches <= r->batches);
    assert_true(fabs(r->edges_per_second * r->seconds - (double)r->edges) < 1e-6 * (double)r->edges);
    assert_true(fabs(r->share_of_peak * r->seconds * r->peak - r->flops) < 1e-6 * r->flops);
    assert_int_equal(r->threads, 2);
}

/* The work is that of the neighbourhoods which are read, not of the edges which are trained on. */
static void stages_add_up_and_neighbourhoods_around_count(void **state)
{
    neap_graph *thin = some_graph(2), *thick = some_graph(8);
    (void)state;
    neap_bench_result without = bench(thin, NULL), with = bench(thin, thick);
    check_sums(&without);
    check_sums(&with);
    assert_true(with.entries / (double)with.edges > 2 * without.entries / (double)without.edges);
    neap_graph_free(thin);
    neap_graph_free(thick);
}

static int stop_at_once(const neap_progress *now, void *user)
{
    (void)now;
    (*(int *)user)++;
    return 1;
}

static void progress_can_stop_it(void **state)
{
    neap_graph *graph = some_graph(3);
    neap_options *o = options_of("neap", "dim", "8", "threads", "1", NULL);
    neap_bench_result r = { .size = sizeof r, .edges = 7 };
    neap_data data = { .size = sizeof data, .graph = graph };
    int calls = 0;
    neap_hooks hooks = { .size = sizeof hooks, .progress = stop_at_once, .user = &calls };
    (void)state;
    assert_int_equal(neap_bench(&data, o, &hooks, 60, &r, NULL), NEAP_E_STOPPED);
    assert_int_equal(calls, 1);
    assert_int_equal(r.edges, 7);
    neap_options_free(o);
    neap_graph_free(graph);
}

/* What is measured is gap, or goat by its name; what has no stages is refused. */
static void only_what_has_stages_is_measured(void **state)
{
    neap_graph *graph = some_graph(3);
    neap_data data = { .size = sizeof data, .graph = graph };
    static const char *const named[] = { "goat", "evidence", "ppr" };
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        neap_options *o = options_of("neap", "method", named[i], "dim", "8", NULL);
        neap_bench_result r = NEAP_SIZED(neap_bench_result);
        neap_error err = { 0 };
        neap_status rc = neap_bench(&data, o, NULL, 0.01, &r, &err);
        assert_int_equal(rc, i == 0 ? NEAP_OK : NEAP_E_ARG);
        if (rc != NEAP_OK) assert_non_null(strstr(err.text, "only gap and goat have stages"));
        neap_options_free(o);
    }
    neap_graph_free(graph);
}

static void a_time_must_be_one(void **state)
{
    neap_graph *graph = some_graph(3);
    neap_options *o = options_of("neap", "dim", "8", NULL);
    neap_bench_result r = NEAP_SIZED(neap_bench_result);
    neap_data data = { .size = sizeof data, .graph = graph };
    const double wrong[] = { 0, -1, NAN, INFINITY, 1e7 };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        neap_error err = { 0 };
        assert_int_equal(neap_bench(&data, o, NULL, wrong[i], &r, &err), NEAP_E_ARG);
        assert_non_null(strstr(err.text, "seconds"));
    }
    neap_options_free(o);
    neap_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_add_up_and_neighbourhoods_around_count),
        cmocka_unit_test(progress_can_stop_it),
        cmocka_unit_test(only_what_has_stages_is_measured),
        cmocka_unit_test(a_time_must_be_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
