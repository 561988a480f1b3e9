/* What no gradient check sees: that nothing leaks, that draws have the distribution they claim, that the
 * optimisers are those of their papers, that the best epoch is the best one. */
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

#include "attention/engine_parts.h"
#include "attention/trainer.h"
#include "base/rng.h"
#include "model/optimizer.h"

static neap_graph *random_graph(uint32_t nodes, uint64_t edges, uint64_t seed)
{
    neap_generator what = {
        .size = sizeof what, .kind = "er", .nodes = nodes, .edges = edges, .seed = seed
    };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

/* A number as the value of an option, until the next one. */
static const char *number(uint64_t n)
{
    static char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return text;
}

/* ---- leaks ---- */

/* Links drawn at random cannot be predicted. With 480 test pairs a seed, the mean of 6 has a deviation of
 * about 0.008; a leak of the test pairs shows as 0.6 and more. */
static void random_links_cannot_be_predicted(void **state)
{
    (void)state;
    static const char *const presets[] = { "neap", "paper", "authors" };
    for (int p = 0; p < 3; p++) {
        double sum = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            neap_graph *g = random_graph(300, 2400, seed);
            neap_split *s;
            assert_int_equal(neap_split_create(g, 0.2, seed, &s, NULL), NEAP_OK);
            neap_model *m = trained(neap_split_train(s),
                                    options_of(presets[p], "dim", "16", "neighbors", "12", "epochs", "4",
                                               "lr", "0.01", "seed", number(seed), NULL));
            sum += test_auc(s, m);
            neap_model_free(m);
            neap_split_free(s);
            neap_graph_free(g);
        }
        if (fabs(sum / 6 - 0.5) > 0.03) fail_msg("preset %s: mean AUC %f", presets[p], sum / 6);
    }
}

static bool reads(const ni_hood *hood, uint32_t u, uint32_t v)
{
    for (uint64_t i = hood->offset[u]; i < hood->offset[u + 1]; i++)
        if (hood->node[i] == v) return true;
    return false;
}

/* Early stopping is honest only if its pairs are as unknown to training as test pairs are: it trains on a
 * graph without them, and that graph alone gives the same model, to the bit. */
static void training_never_sees_the_validation_pairs(void **state)
{
    neap_graph *g = random_graph(100, 600, 3);
    neap_data data = { .size = sizeof data, .graph = g };
    neap_options *o = options_of("neap", "method", "gap", "dim", "16", "valid", "0.2", "epochs", "3", NULL);
    ni_job_room room;
    ni_job job;
    ni_run run;
    (void)state;
    assert_int_equal(ni_job_read(&data, o, NULL, &room, &job, NULL), NEAP_OK);
    const ni_attention_options *own = job.settings->own;
    assert_int_equal(ni_run_prepare(&run, &job, &own->learning, NULL), NEAP_OK);
    assert_int_equal(ni_run_hold_out(&run, job.data, NULL), NEAP_OK);
    assert_non_null(run.split);
    assert_true(run.graph == run.split->train && run.links == &run.split_links);
    for (size_t i = 0; i < run.split->count; i++) {
        neap_pair p = run.split->positive[i];
        assert_false(ni_linked(run.links, p.source, p.target));
        assert_false(ni_graph_has(run.graph, p.source, p.target) ||
                     ni_graph_has(run.graph, p.target, p.source));
        assert_true(reads(&run.model->hood, p.source, p.target)); /* queries may know them */
        assert_false(
            ni_linked(&run.model->links, run.split->negative[i].source, run.split->negative[i].target));
    }
    neap_model *m = train_on(g, o, NULL);
    neap_model *blind = trained(run.graph, options_of("neap", "method", "gap", "dim", "16", "valid", "0",
                                                      "epochs", number(m->epochs), NULL));
    assert_true(m->epochs > 0 && !isnan(m->valid_auc) && isnan(blind->valid_auc));
    assert_same_tensors(m, blind);
    for (size_t i = 0; i < run.split->count; i++) {
        neap_pair p = run.split->positive[i];
        assert_false(reads(&blind->hood, p.source, p.target) || reads(&blind->hood, p.target, p.source));
    }
    neap_model_free(m);
    neap_model_free(blind);
    ni_run_free(&run);
    ni_job_free(&job);
    neap_options_free(o);
    neap_graph_free(g);
}

/* Neighbourhoods read around are the only way in for test links, and only where asked for. */
static void only_neighbourhoods_read_around_hold_test_links(void **state)
{
    neap_graph *g = random_graph(100, 600, 4);
    neap_options *o = options_of("paper", "epochs", "1", "dim", "16", "self", "yes", NULL);
    neap_split *s;
    neap_model *leaky;
    const neap_pair *p, *n;
    size_t seen = 0;
    (void)state;
    assert_int_equal(neap_split_create(g, 0.3, 1, &s, NULL), NEAP_OK);
    neap_data around = { .size = sizeof around, .graph = neap_split_train(s), .around = g };
    neap_model *clean = train_on(neap_split_train(s), o, NULL);
    assert_int_equal(neap_train(&around, o, NULL, &leaky, NULL), NEAP_OK);
    size_t count = neap_split_pairs(s, &p, &n);
    for (size_t i = 0; i < count; i++) {
        assert_false(reads(&clean->hood, p[i].source, p[i].target) ||
                     reads(&clean->hood, p[i].target, p[i].source));
        seen += reads(&leaky->hood, p[i].source, p[i].target);
    }
    assert_int_equal(seen, count);
    double leak = test_auc(s, leaky), honest = test_auc(s, clean);
    if (leak < honest + 0.05) fail_msg("the leak is worth only %f against %f", leak, honest);
    neap_model_free(clean);
    neap_model_free(leaky);
    neap_split_free(s);
    neap_options_free(o);
    neap_graph_free(g);
}

/* ---- the best epoch ---- */

typedef struct curve {
    double auc[64];
    uint32_t epochs;
} curve;

static int remember(const neap_progress *now, void *user)
{
    curve *c = user;
    if (now->epoch_end) c->auc[c->epochs++] = now->valid_auc;
    return 0;
}

static void the_kept_epoch_is_the_last_of_the_best(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        neap_graph *g = random_graph(80, 500, seed);
        neap_options *o = options_of("neap", "method", "gap", "dim", "8", "epochs", "15", "patience", "100",
                                     "lr", "0.02", NULL);
        curve c = { .epochs = 0 };
        neap_hooks hooks = { .size = sizeof hooks, .progress = remember, .user = &c };
        neap_model_facts facts = NEAP_SIZED(neap_model_facts);
        neap_model *m = train_on(g, o, &hooks);
        uint32_t best = 0;
        assert_int_equal(c.epochs, 15);
        for (uint32_t i = 1; i < c.epochs; i++)
            if (c.auc[i] >= c.auc[best]) best = i;
        assert_int_equal(neap_model_facts_of(m, &facts, NULL), NEAP_OK);
        assert_int_equal(facts.epochs, best + 1);
        assert_true(facts.valid_auc == c.auc[best]);
        /* The model is that epoch's: the same run with so many epochs ends in it. */
        assert_int_equal(neap_options_set(o, "epochs", number(best + 1), NULL), NEAP_OK);
        neap_model *again = train_on(g, o, NULL);
        assert_non_null(tensor_of(m, "E"));
        assert_same_tensors(m, again);
        neap_model_free(again);
        neap_model_free(m);
        neap_options_free(o);
        neap_graph_free(g);
    }
}

/* ---- draws ---- */

static void dropout_drops_its_share_and_keeps_the_mean(void **state)
{
    const ni_settings *o =
        settings_of(options_of("neap", "method", "gap", "dim", "200", "dropout", "0.3", NULL));
    double kept = 0, draws = 0, same = 0;
    (void)state;
    for (uint64_t step = 0; step < 50; step++)
        for (uint64_t node = 0; node < 20; node++) {
            uint64_t mask[4], next[4];
            ni_dropout_mask(o->own, ((const ni_attention_options *)o->own)->learning.dim, 1, step, node,
                            mask);
            ni_dropout_mask(o->own, ((const ni_attention_options *)o->own)->learning.dim, 1, step + 1, node,
                            next);
            for (int k = 0; k < 200; k++) {
                unsigned bit = mask[k / 64] >> (k % 64) & 1, later = next[k / 64] >> (k % 64) & 1;
                kept += bit;
                same += bit == later;
                draws++;
            }
        }
    assert_true(fabs(kept / draws - 0.7) < 0.004);
    assert_true(fabs(same / draws - 0.58) < 0.006); /* 0.7^2 + 0.3^2: the next step draws anew */
    assert_true(fabs((double)ni_dropout_scale(o->own) * kept / draws - 1) < 0.006);
    ni_settings_free(o);
}

static void start_values_have_the_variance_of_the_paper(void **state)
{
    neap_graph *g = random_graph(400, 1600, 1);
    neap_model *m = trained(g, options_of("paper", "epochs", "0", "dim", "100", NULL));
    const float *E = tensor_of(m, "E"), *P = tensor_of(m, "P");
    double E2 = 0, P2 = 0, largest = 0;
    (void)state;
    for (int i = 0; i < 400 * 100; i++) {
        E2 += (double)E[i] * (double)E[i];
        largest = fmax(largest, fabs((double)E[i]));
    }
    for (int i = 0; i < 100 * 100; i++) P2 += (double)P[i] * (double)P[i];
    double bound = sqrt(6.0 / 501);
    assert_true(largest <= bound && largest > 0.99 * bound);
    assert_true(fabs(E2 / 40000 - bound * bound / 3) < 0.02 * bound * bound);
    assert_true(fabs(P2 / 10000 - 0.01) < 0.0006); /* variance 1 / d */
    neap_model_free(m);
    neap_graph_free(g);
}

/* A star and a path, and of `rule` how often a node should be a negative of node 11: of nodes 0 .. 16. */
static double weight_of(const char *rule, const ni_links *links, uint32_t u)
{
    if (u == 11 || u == 12) return 0;
    if (!strcmp(rule, "degree")) return (double)ni_degree(links, u);
    if (!strcmp(rule, "two-hop")) return u == 13;
    return !strcmp(rule, "uniform") ? 1 : floor(1 + pow((double)ni_degree(links, u), 0.75));
}

static void count_negatives(const char *rule, const neap_graph *g, const ni_links *links, double drawn[17])
{
    const ni_settings *o = settings_of(options_of("neap", "method", "gap", "negatives", "1",
                                                  "negative-sampling", rule, "reject-links", "no", NULL));
    const ni_attention_options *own = o->own;
    ni_sampler s;
    assert_int_equal(ni_sampler_create(&own->sampling, 1, 1, g, links, NULL, NULL, &s, NULL), NEAP_OK);
    uint64_t epochs = strcmp(rule, "two-hop") ? 6000 : 100; /* in vain where a star has no second hop */
    for (uint64_t epoch = 0; epoch < epochs; epoch++)
        for (uint64_t at = 0; at < s.positions; at++) {
            uint32_t nodes[3];
            assert_int_equal(ni_sampler_draw(&s, epoch, at, 1, nodes), 1);
            assert_true(nodes[2] != nodes[0] && nodes[2] != nodes[1]);
            drawn[nodes[2]] += nodes[0] == 11; /* one source, so that the rest is the same */
        }
    ni_sampler_free(&s);
    ni_settings_free(o);
}

static void negatives_follow_the_rule_they_name(void **state)
{
    static const char *const rules[] = { "uniform", "degree", "two-hop", "degree-0.75" };
    neap_edge edge[14];
    neap_graph *g;
    ni_links links;
    (void)state;
    for (uint32_t i = 0; i < 10; i++) edge[i] = (neap_edge){ 0, i + 1, 1 };
    for (uint32_t i = 0; i < 4; i++) edge[10 + i] = (neap_edge){ 11 + i, 12 + i, 1 };
    assert_int_equal(neap_graph_create(17, NULL, edge, 14, 0, 0, &g, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    for (int rule = 0; rule < 4; rule++) {
        double drawn[17] = { 0 }, sum = 0, total = 0, chi2 = 0;
        count_negatives(rules[rule], g, &links, drawn);
        for (uint32_t u = 0; u < 17; u++) sum += weight_of(rules[rule], &links, u), total += drawn[u];
        for (uint32_t u = 0; u < 17; u++) {
            double expected = total * weight_of(rules[rule], &links, u) / sum;
            if (expected > 0) chi2 += (drawn[u] - expected) * (drawn[u] - expected) / expected;
            else assert_true(drawn[u] == 0);
        }
        assert_true(total > 0 && chi2 < 40); /* at most 14 degrees of freedom, p = 0.0003 */
    }
    ni_links_free(&links);
    neap_graph_free(g);
}

/* Which edges a batch has, and which negatives an edge has, in two epochs. */
static void orders_and_negatives_are_fresh_or_fixed_as_asked(void **state)
{
    neap_graph *g = random_graph(60, 200, 2);
    ni_links links;
    (void)state;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    for (int shuffled = 0; shuffled < 2; shuffled++)
        for (int fresh = 0; fresh < 2; fresh++) {
            const ni_settings *o =
                settings_of(options_of("neap", "method", "gap", "shuffle", shuffled ? "yes" : "no",
                                       "fresh-negatives", fresh ? "yes" : "no", NULL));
            const ni_attention_options *own = o->own;
            ni_sampler s;
            uint32_t first[3 * 200], second[3 * 200], moved = 0, redrawn = 0;
            assert_int_equal(ni_sampler_create(&own->sampling, 1, 1, g, &links, NULL, NULL, &s, NULL),
                             NEAP_OK);
            assert_int_equal(ni_sampler_draw(&s, 0, 0, 200, first), 200);
            assert_int_equal(ni_sampler_draw(&s, 1, 0, 200, second), 200);
            for (int i = 0; i < 200; i++) {
                const uint32_t *a = first + 3 * i;
                moved += memcmp(a, second + 3 * i, 8) != 0;
                for (int j = 0; j < 200; j++)
                    if (!memcmp(a, second + 3 * j, 8)) redrawn += a[2] != second[3 * j + 2];
            }
            assert_true(shuffled ? moved > 180 : moved == 0);
            assert_true(fresh ? redrawn > 180 : redrawn == 0);
            ni_sampler_free(&s);
            ni_settings_free(o);
        }
    ni_links_free(&links);
    neap_graph_free(g);
}

/* ---- optimisers, by hand ---- */

enum { ROWS = 3, D = 4, STEPS = 3 };

/* Row 0 has a gradient in every step, row 1 in the first only, row 2 never. */
static void run_optimizer(uint32_t kind, double rate, double decay, float E[ROWS * D], float P[D * D])
{
    const ni_parameter list[] = { { "E", E, ROWS, D, .by_rows = true, .rate = rate, .decay = decay },
                                  { "P", P, D, D, .rate = 1 } };
    ni_optimizer opt;
    ni_threads *threads;
    assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
    assert_true(ni_optimizer_create(kind, list, 2, &opt));
    for (int i = 0; i < ROWS * D; i++) E[i] = 1;
    for (int i = 0; i < D * D; i++) P[i] = 1;
    for (int t = 1; t <= STEPS; t++) {
        float dE[2 * D], dP[D * D];
        uint32_t nodes[2] = { 0, 1 };
        for (int k = 0; k < D; k++) dE[k] = 0.1F * (float)(t * (k + 1)), dE[D + k] = -0.2F;
        for (int k = 0; k < D * D; k++) dP[k] = 0.01F * (float)(k + t);
        ni_optimizer_find(&opt, "E")->gradient = (ni_gradient){ dE, nodes, t == 1 ? 2 : 1 };
        ni_optimizer_find(&opt, "P")->gradient = (ni_gradient){ .values = dP };
        ni_optimizer_step(&opt, 0.1, threads);
    }
    assert_null(ni_optimizer_find(&opt, "Q"));
    ni_optimizer_free(&opt);
    ni_threads_free(threads);
}

/* Adam of Kingma and Ba for one number, with gradients g[0 .. STEPS-1]; lazy: nothing moves without one. */
static double adam_by_hand(const double *g, bool lazy)
{
    double x = 1, m = 0, v = 0;
    for (int t = 1; t <= STEPS; t++) {
        if (lazy && g[t - 1] == 0) continue;
        m = 0.9 * m + 0.1 * g[t - 1];
        v = 0.999 * v + 0.001 * g[t - 1] * g[t - 1];
        x -= 0.1 * (m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8);
    }
    return x;
}

static void optimisers_are_those_of_their_papers(void **state)
{
    float E[ROWS * D], P[D * D];
    (void)state;
    for (int lazy = 0; lazy < 2; lazy++) {
        run_optimizer(lazy ? NI_LAZY_ADAM : NI_ADAM, 1, 0, E, P);
        for (int k = 0; k < D; k++) {
            double g0[STEPS], g1[STEPS] = { -0.2F, 0, 0 };
            for (int t = 1; t <= STEPS; t++) g0[t - 1] = 0.1F * (float)(t * (k + 1));
            assert_true(fabs((double)E[k] - adam_by_hand(g0, lazy)) < 1e-5);
            assert_true(fabs((double)E[D + k] - adam_by_hand(g1, lazy)) < 1e-5);
            assert_true(E[2 * D + k] == 1);
        }
        double gP[STEPS] = { 0.06, 0.07, 0.08 };
        assert_true(fabs((double)P[5] - adam_by_hand(gP, lazy)) < 1e-5);
    }
    run_optimizer(NI_ADAGRAD, 1, 0, E, P);
    double sum = 0, x = 1;
    for (int t = 1; t <= STEPS; t++) { /* row 0: mean square of its gradient, one sum for the row */
        double squares = 0;
        for (int k = 0; k < D; k++) squares += pow(0.1 * t * (k + 1), 2);
        sum += squares / D;
        x -= 0.1 * (0.1 * t * 3) / (sqrt(sum) + 1e-10);
    }
    assert_true(fabs((double)E[2] - x) < 1e-5);
}

/* Steps are in proportion to the rate, whatever the optimiser; decay is apart from the gradient. */
static void a_parameter_has_its_own_rate_and_decay(void **state)
{
    float plain[ROWS * D], slow[ROWS * D], small[ROWS * D], P[D * D];
    (void)state;
    for (uint32_t kind = NI_ADAM; kind <= NI_ADAGRAD; kind++) {
        run_optimizer(kind, 1, 0, plain, P);
        run_optimizer(kind, 0.25, 0, slow, P);
        for (int i = 0; i < 2 * D; i++) assert_true(fabsf((1 - slow[i]) - (1 - plain[i]) / 4) < 1e-6F);
        run_optimizer(kind, 0, 0, slow, P);
        for (int i = 0; i < ROWS * D; i++) assert_true(slow[i] == 1);
        run_optimizer(kind, 1, 0.5, small, P); /* 0.95 x before each step of a row that moves */
        assert_true(fabs((double)small[2 * D] - (kind == NI_ADAM ? pow(0.95, STEPS) : 1)) < 1e-6);
        assert_true(small[0] < plain[0] - 0.05F && small[D] < plain[D] - 0.03F);
    }
}

static void the_rate_falls_to_zero_where_it_should(void **state)
{
    neap_graph *g = random_graph(60, 300, 5);
    float moved[2];
    (void)state;
    /* The last epoch of many moves little with linear decay and as ever without. */
    for (int linear = 0; linear < 2; linear++) {
        neap_model *all = trained(g, options_of("neap", "method", "gap", "dim", "8", "valid", "0", "lr",
                                                "0.01", "epochs", "40", "batch", "300", "margin", "100",
                                                "decay", linear ? "linear" : "none", NULL));
        neap_model *start =
            trained(g, options_of("neap", "method", "gap", "dim", "8", "epochs", "0", NULL));
        const float *E = tensor_of(all, "E"), *E0 = tensor_of(start, "E");
        float largest = 0;
        for (uint32_t i = 0; i < 60 * 8; i++) largest = fmaxf(largest, fabsf(E[i] - E0[i]));
        moved[linear] = largest;
        neap_model_free(all);
        neap_model_free(start);
    }
    /* 40 steps of 0.01 each, or of 0.01 falling to 0: half as far, give or take. */
    assert_true(moved[0] > 0.25F && moved[0] < 0.5F);
    assert_true(moved[1] / moved[0] > 0.35F && moved[1] / moved[0] < 0.65F);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_links_cannot_be_predicted),
        cmocka_unit_test(training_never_sees_the_validation_pairs),
        cmocka_unit_test(only_neighbourhoods_read_around_hold_test_links),
        cmocka_unit_test(the_kept_epoch_is_the_last_of_the_best),
        cmocka_unit_test(dropout_drops_its_share_and_keeps_the_mean),
        cmocka_unit_test(start_values_have_the_variance_of_the_paper),
        cmocka_unit_test(negatives_follow_the_rule_they_name),
        cmocka_unit_test(orders_and_negatives_are_fresh_or_fixed_as_asked),
        cmocka_unit_test(optimisers_are_those_of_their_papers),
        cmocka_unit_test(a_parameter_has_its_own_rate_and_decay),
        cmocka_unit_test(the_rate_falls_to_zero_where_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
