/* The non-links that curves are learned from. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evidence/draw.h"
#include "settings.h"

static double sum_of(const float *x, uint32_t from, uint32_t to)
{
    double sum = 0;
    for (uint32_t i = from; i < to; i++) sum += (double)x[i];
    return sum;
}

/* A non-link two steps from s in the graph of the fold; there may be none. */
static bool is_near(const ni_links *l, uint32_t s, uint32_t w)
{
    return ni_count_shared(l, s, w) > 0;
}

/* Both losses set the link against ten negatives of the rule; if that is the even one, the second is about
 * all nodes instead. */
static void check_group(const ni_draw *d, uint32_t g, const ni_links *fold)
{
    const uint32_t *node = d->target + (size_t)g * d->size;
    const float *weight = d->weight + (size_t)g * d->size, *stands = d->stands + (size_t)g * d->size;
    uint32_t n = d->view->links.nodes;
    bool even = d->rule->negatives == NI_UNIFORM, near = false;
    assert_int_equal(d->size, even ? 31 : 11);
    assert_true(weight[0] == 5 && fabs(sum_of(weight, 1, 11) - 5) < 1e-5);
    assert_true(fabs(sum_of(weight, 0, d->size) - 10) < 1e-5);
    double strangers = n - 1 - (double)ni_degree(&d->view->links, d->source[g]);
    assert_true(stands[0] == 1 && fabs(sum_of(stands, 1, d->size) - (even ? strangers : 10)) < 1e-3);
    for (uint32_t i = 1; i <= 10 && even;
         i++) /* an even one that is likely or popular, too, is not counted twice */
        for (uint32_t k = 11; k < d->size; k++) assert_true(stands[i] == 0 || node[i] != node[k]);
    for (uint32_t i = 1; i < d->size; i++)
        assert_true(node[i] != d->source[g] && !ni_linked(&d->view->links, d->source[g], node[i]));
    for (uint32_t w = 0; w < n; w++)
        near |= w != d->source[g] && !ni_linked(&d->view->links, d->source[g], w) &&
                is_near(fold, d->source[g], w);
    for (uint32_t i = 1; i < 11; i++) {
        if (d->rule->negatives == NI_TWO_HOP && near) assert_true(is_near(fold, d->source[g], node[i]));
        if (d->rule->negatives == NI_BY_DEGREE) assert_true(ni_degree(fold, node[i]) > 0);
    }
}

/* The links without the positives of the fold. */
static void links_of_fold(const ni_draw *d, uint32_t number, ni_view *out)
{
    bool *held = calloc(ni_view_arcs(d->view), sizeof *held);
    for (uint32_t g = d->start[number]; g < d->start[number + 1]; g++) {
        uint32_t s = d->source[g], t = d->target[(size_t)g * d->size];
        held[ni_view_find(d->view, s, t)] = held[ni_view_find(d->view, t, s)] = true;
    }
    assert_int_equal(ni_view_without(d->view, held, out, NULL), NEAP_OK);
    free(held);
}

static void each_loss_has_the_non_links_that_it_is_about(void **state)
{
    (void)state;
    for (int kind = NI_UNIFORM; kind <= NI_TWO_HOP; kind++) {
        neap_generator what = { .size = sizeof what, .kind = "er", .nodes = 400, .edges = 700, .seed = 4 };
        neap_graph *g;
        ni_links links;
        ni_view view, without;
        ni_threads *threads;
        ni_draw d;
        ni_draw_rule rule = { .positives = 60,
                              .fold = 0.05,
                              .negatives = (ni_negatives)kind,
                              .groups = 1u << NI_GROUP_DEGREES,
                              .dim = 2,
                              .seed = 1 };
        assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
        assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
        assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
        assert_int_equal(ni_view_create(g, &links, &view, NULL), NEAP_OK);
        assert_int_equal(ni_draw_create(&d, &view, NULL, &rule, threads, NULL), NEAP_OK);
        for (uint32_t f = 0; f < d.folds; f++) {
            assert_int_equal(ni_draw_fold(&d, f, NULL), NEAP_OK);
            links_of_fold(&d, f, &without);
            for (uint32_t i = d.start[f]; i < d.start[f + 1]; i++) check_group(&d, i, &without.links);
            ni_view_free(&without);
        }
        ni_draw_free(&d);
        ni_view_free(&view);
        ni_links_free(&links);
        ni_threads_free(threads);
        neap_graph_free(g);
    }
}

/* As many as are asked for and there are, but walks of a large graph have a bound. */
static void positives_are_bounded_by_the_arcs_that_walks_take(void **state)
{
    ni_draw_rule rule = { .positives = 6000 };
    (void)state;
    assert_int_equal(ni_draw_positives(&rule, 0), 0);
    assert_int_equal(ni_draw_positives(&rule, 400), 200);
    assert_int_equal(ni_draw_positives(&rule, 20000000), 6000);
    assert_int_equal(ni_draw_positives(&rule, 40000000), 3000);
    assert_int_equal(ni_draw_positives(&rule, 4000000000), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_loss_has_the_non_links_that_it_is_about),
        cmocka_unit_test(positives_are_bounded_by_the_arcs_that_walks_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
