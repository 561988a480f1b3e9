/* AttentiveWalk: its pass over all pairs is the formula, and the method does what every method does. */
#include <math.h>
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
#include "settings.h"

#include "base/rng.h"
#include "methods/attentive.h"

/* ---- the formula, pair by pair, in doubles ---- */

typedef struct formula {
    uint32_t n, h, powers;
    double *T, *deg; /* n x n chances of a step; how much a source counts */
    uint32_t starts, walks;
} formula;

/* Along the edges of a directed graph, loops included; or, where `both`, over links, which loops are not.
 */
static formula formula_of(const neap_graph *g, bool both, uint32_t starts, uint32_t h, uint32_t powers)
{
    uint32_t n = g->nodes;
    formula f = { n, h, powers, calloc((size_t)n * n, sizeof *f.T), calloc(n, sizeof *f.deg), starts, 7 };
    double all = 0, ways = 0;
    for (uint32_t u = 0; u < n; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            double w = g->weight ? (double)g->weight[e] : 1;
            if (u != v || !both) f.T[(size_t)u * n + v] += w;
            if (u != v && both) f.T[(size_t)v * n + u] += w;
        }
    for (size_t i = 0; i < (size_t)n * n; i++) {
        if (!g->weight && f.T[i] > 1) f.T[i] = 1;
        f.deg[i / n] += f.T[i];
        all += f.T[i];
        ways += f.T[i] > 0;
    }
    for (size_t i = 0; i < (size_t)n * n; i++)
        if (f.T[i] > 0) f.T[i] /= f.deg[i / n];
    for (uint32_t u = 0; u < n; u++) f.deg[u] /= all / ways;
    return f;
}

static void formula_free(formula *f)
{
    free(f->T);
    free(f->deg);
}

/* y = x T */
static void advance(const formula *f, const double *x, double *y)
{
    memset(y, 0, f->n * sizeof *y);
    for (uint32_t i = 0; i < f->n; i++)
        for (uint32_t j = 0; j < f->n && x[i] > 0; j++) y[j] += x[i] * f->T[(size_t)i * f->n + j];
}

static double log_s(double x)
{
    return x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x));
}

/* One source: its part of the loss, and of the gradient if dE is not NULL. */
static double source_loss(const formula *f, const double *E, const double *Q, uint32_t i, double *dE)
{
    uint32_t n = f->n, h = f->h;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *M = calloc(n, sizeof *M);
    double loss = 0;
    x[i] = 1;
    for (uint32_t k = 0; k < f->powers; k++) {
        advance(f, x, y);
        memcpy(x, y, n * sizeof *x);
        for (uint32_t j = 0; j < n; j++) M[j] += Q[k] * x[j];
    }
    for (uint32_t j = 0; j < n; j++) {
        const double *L = E + (size_t)i * 2 * h, *R = E + (size_t)j * 2 * h + h;
        double g = 0, D = f->walks * M[j], other = f->T[(size_t)i * n + j] > 0 ? 0 : 1;
        for (uint32_t c = 0; c < h; c++) g += L[c] * R[c];
        if (f->starts == NI_STARTS_DEGREE) D *= f->deg[i], other /= n;
        loss -= (D * log_s(g) + other * log_s(-g)) / n;
        double slope = (other * exp(log_s(g)) - D * exp(log_s(-g))) / n;
        for (uint32_t c = 0; c < h && dE; c++) {
            dE[(size_t)i * 2 * h + c] += slope * R[c];
            dE[(size_t)j * 2 * h + h + c] += slope * L[c];
        }
    }
    free(x);
    free(y);
    free(M);
    return loss;
}

/* How much large parameters count. */
static double weight_of(const formula *f)
{
    return f->starts == NI_STARTS_DEGREE ? 1 : f->n;
}

/* The loss; adds its gradient by E, all but the weight of the vectors themselves, if dE is not NULL. */
static double formula_loss(const formula *f, const double *E, const double *q, double *dE)
{
    double Q[16], sum = 0, loss = 0;
    for (uint32_t k = 0; k < f->powers; k++) sum += exp(q[k]);
    for (uint32_t k = 0; k < f->powers; k++) Q[k] = exp(q[k]) / sum;
    for (uint32_t i = 0; i < f->n; i++) loss += source_loss(f, E, Q, i, dE);
    for (uint32_t k = 0; k < f->powers; k++) loss += weight_of(f) * 0.1 / f->powers * q[k] * q[k];
    for (size_t i = 0; i < (size_t)f->n * 2 * f->h; i++)
        loss += weight_of(f) * 1e-6 / (f->n * f->h) * E[i] * E[i];
    return loss;
}

/* ---- a pass and the formula side by side ---- */

typedef struct state {
    size_t cells;
    float *E, *dE, q[16], dq[16];
    double *E_exact, q_exact[16];
} state;

static state state_of(const formula *f)
{
    state s = { .cells = (size_t)f->n * 2 * f->h };
    ni_rng rng = ni_rng_at(7, NI_STREAM_GRAPH, 0, 0);
    s.E = calloc(s.cells, sizeof *s.E);
    s.dE = calloc(s.cells, sizeof *s.dE);
    s.E_exact = calloc(s.cells, sizeof *s.E_exact);
    for (size_t i = 0; i < s.cells; i++) s.E_exact[i] = s.E[i] = (float)ni_normal(&rng);
    for (uint32_t k = 0; k < f->powers; k++) s.q_exact[k] = s.q[k] = (float)ni_normal(&rng);
    return s;
}

static void state_free(state *s)
{
    free(s->E);
    free(s->dE);
    free(s->E_exact);
}

static double pass(const neap_graph *g, bool along, const formula *f, state *s)
{
    ni_attentive_options o = {
        .walk = { .learning = { .dim = 2 * f->h }, .window = f->powers, .along = along, .walks = f->walks },
        .starts = f->starts
    };
    ni_attentive a;
    ni_links links;
    ni_threads *threads;
    assert_int_equal(ni_links_create(g, &links, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(2, &threads, NULL), NEAP_OK);
    assert_int_equal(ni_attentive_create(g, &links, &o, threads, &a, NULL), NEAP_OK);
    double loss = ni_attentive_pass(&a, s->E, s->q, s->dE, s->dq);
    ni_attentive_free(&a);
    ni_threads_free(threads);
    ni_links_free(&links);
    return loss;
}

/* (loss(x + step) - loss(x - step)) / 2 step */
static double difference(const formula *f, state *s, double *x)
{
    const double step = 1e-5, before = *x;
    *x = before + step;
    double above = formula_loss(f, s->E_exact, s->q_exact, NULL);
    *x = before - step;
    double below = formula_loss(f, s->E_exact, s->q_exact, NULL);
    *x = before;
    return (above - below) / (2 * step);
}

static void assert_near(double a, double b, double size)
{
    if (!(fabs(a - b) <= 2e-5 * size)) fail_msg("%.9g is not %.9g, to a part of %g", a, b, size);
}

static void check_gradient(const neap_graph *g, bool along, uint32_t starts, uint32_t powers)
{
    formula f = formula_of(g, !along, starts, 3, powers);
    state s = state_of(&f);
    double loss = pass(g, along, &f, &s), most = 0;
    assert_near(loss, formula_loss(&f, s.E_exact, s.q_exact, NULL), fabs(loss));
    for (size_t i = 0; i < s.cells; i++) most = fmax(most, fabs((double)s.dE[i]));
    for (size_t i = 0; i < s.cells; i++)
        assert_near((double)s.dE[i], difference(&f, &s, &s.E_exact[i]), most);
    for (uint32_t k = 0; k < powers; k++)
        assert_near((double)s.dq[k], difference(&f, &s, &s.q_exact[k]), fabs(loss));
    state_free(&s);
    formula_free(&f);
}

/* Two components, a sink, an isolated node, a self-loop, an edge in both directions. */
static neap_graph *tiny(bool weighted, int undirected)
{
    static const neap_edge edges[] = { { 0, 1, 2 }, { 1, 2, 0.5F }, { 2, 0, 1 }, { 1, 0, 3 },
                                       { 3, 3, 9 }, { 2, 3, 4 },    { 5, 6, 1 } };
    neap_edge own[sizeof edges / sizeof *edges];
    neap_graph *g;
    memcpy(own, edges, sizeof own);
    for (size_t i = 0; i < sizeof own / sizeof *own && !weighted; i++) own[i].weight = 1;
    assert_int_equal(
        neap_graph_create(8, NULL, own, sizeof own / sizeof *own, weighted, undirected, &g, NULL), NEAP_OK);
    return g;
}

static void gradients_are_those_of_finite_differences(void **unused)
{
    (void)unused;
    for (int weighted = 0; weighted < 2; weighted++)
        for (int undirected = 0; undirected < 2; undirected++)
            for (int along = 0; along < 2 - undirected; along++)
                for (uint32_t starts = NI_STARTS_EVEN; starts <= NI_STARTS_DEGREE; starts++) {
                    neap_graph *g = tiny(weighted, undirected);
                    check_gradient(g, along, starts, 1);
                    check_gradient(g, along, starts, 4);
                    neap_graph_free(g);
                }
}

static neap_graph *planted(uint32_t nodes, uint32_t blocks, double p_in, double p_out)
{
    neap_generator what = { .size = sizeof what,
                            .kind = "sbm",
                            .nodes = nodes,
                            .blocks = blocks,
                            .p_in = p_in,
                            .p_out = p_out,
                            .seed = 3 };
    neap_graph *g;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    return g;
}

/* More nodes than a wave has, and neither a multiple of its blocks nor of its ranges of nodes. */
static void a_pass_in_blocks_is_a_pass_over_all_pairs(void **unused)
{
    uint32_t nodes = NI_ATTENTIVE_WAVE * NI_ATTENTIVE_LANES + 33;
    neap_graph *g = planted(nodes, 100, 0.2, 0.0003);
    formula f = formula_of(g, true, NI_STARTS_EVEN, 4, 3);
    state s = state_of(&f);
    double *exact = calloc(s.cells, sizeof *exact), most = 0;
    (void)unused;
    double loss = pass(g, false, &f, &s);
    assert_near(loss, formula_loss(&f, s.E_exact, s.q_exact, exact), loss);
    for (size_t i = 0; i < s.cells; i++) {
        exact[i] += weight_of(&f) * 2e-6 / (f.n * f.h) * s.E_exact[i];
        most = fmax(most, fabs(exact[i]));
    }
    for (size_t i = 0; i < s.cells; i++) assert_near((double)s.dE[i], exact[i], most);
    free(exact);
    state_free(&s);
    formula_free(&f);
    neap_graph_free(g);
}

/* Products far beyond what an exponential can hold. */
static void extreme_products_stay_finite(void **unused)
{
    neap_graph *g = tiny(false, 1);
    formula f = formula_of(g, true, NI_STARTS_DEGREE, 3, 2);
    state s = state_of(&f);
    (void)unused;
    for (size_t i = 0; i < s.cells; i++) s.E_exact[i] = s.E[i] *= 30;
    double loss = pass(g, false, &f, &s);
    assert_near(loss, formula_loss(&f, s.E_exact, s.q_exact, NULL), loss);
    for (size_t i = 0; i < s.cells; i++) assert_true(isfinite(s.dE[i]));
    state_free(&s);
    formula_free(&f);
    neap_graph_free(g);
}

/* ---- the method ---- */

static neap_options *with(const char *more, const char *value)
{
    return options_of("neap", "method", "attentivewalk", "dim", "16", "epochs", "8", "lr", "0.05",
                      "undirected", "yes", more, value, NULL);
}

static void save(const neap_model *m, const char *path)
{
    assert_int_equal(neap_model_save(m, path, NULL), NEAP_OK);
}

static void assert_same_file(const char *a, const char *b)
{
    size_t n;
    char *bytes = scratch_bytes(a, &n);
    scratch_expect(b, bytes, n);
    free(bytes);
}

static void both_scores_find_held_out_links(void **unused)
{
    static const char *const scores[] = { "left-right", "concat" };
    neap_graph *g = planted(120, 4, 0.4, 0.02);
    neap_split *s;
    (void)unused;
    assert_int_equal(neap_split_create(g, 0.2, 1, &s, NULL), NEAP_OK);
    for (int i = 0; i < 2; i++) {
        neap_options *o = with("pair-score", scores[i]);
        assert_int_equal(neap_options_set(o, "epochs", "40", NULL), NEAP_OK);
        neap_model *m = train_on(neap_split_train(s), o, NULL);
        double auc = test_auc(s, m);
        if (!(auc > 0.75)) fail_msg("%s reaches only %f", scores[i], auc);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_split_free(s);
    neap_graph_free(g);
}

static void scores_are_what_their_names_say(void **unused)
{
    neap_graph *g = tiny(false, 0);
    neap_options *o = with("pair-score", "left-right");
    neap_pair pair = { 1, 2 };
    float score, all[8];
    (void)unused;
    assert_int_equal(neap_options_set(o, "undirected", "no", NULL), NEAP_OK);
    neap_model *m = train_on(g, o, NULL);
    const float *E = tensor_of(m, "E"), *x = E + 16, *y = E + 32;
    double there = 0, back = 0, whole = 0;
    for (int c = 0; c < 8; c++)
        there += (double)x[c] * (double)y[8 + c], back += (double)y[c] * (double)x[8 + c];
    for (int c = 0; c < 16; c++) whole += (double)x[c] * (double)y[c];
    assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
    assert_near((double)score, there, 1);
    m->graph->undirected = true;
    assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
    assert_near((double)score, (there + back) / 2, 1);
    m->graph->undirected = false;
    ((ni_attentive_options *)m->settings->own)->pair_score = NI_CONCAT;
    assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
    assert_near((double)score, whole, 1);
    neap_ranking *best;
    assert_int_equal(neap_model_rank(m, 1, 8, 1, &best, NULL), NEAP_OK);
    for (size_t i = 0; i < best->count; i++) all[best->node[i]] = best->score[i];
    assert_true(best->count == 8 && all[2] == score);
    neap_ranking_free(best);
    neap_model_free(m);
    neap_options_free(o);
    neap_graph_free(g);
}

static void the_number_of_threads_changes_no_byte(void **unused)
{
    static const char *const threads[] = { "1", "2", "4" };
    neap_graph *g = planted(1100, 50, 0.2, 0.001);
    (void)unused;
    for (int i = 0; i < 3; i++) {
        neap_options *o = with("threads", threads[i]);
        assert_int_equal(neap_options_set(o, "epochs", "3", NULL), NEAP_OK);
        neap_model *m = train_on(g, o, NULL);
        save(m, threads[i]);
        neap_model_free(m);
        neap_options_free(o);
    }
    assert_same_file("1", "2");
    assert_same_file("1", "4");
    neap_graph_free(g);
}

static int stop_at_second(const neap_progress *now, void *user)
{
    (void)now;
    return ++*(int *)user == 2;
}

static void an_interrupted_run_ends_in_the_same_bytes(void **unused)
{
    static const char *const shares[] = { "0", "0.2" };
    neap_graph *g = planted(90, 3, 0.3, 0.02);
    (void)unused;
    for (int i = 0; i < 2; i++) {
        neap_options *o = with("valid", shares[i]);
        neap_model *m = train_on(g, o, NULL);
        neap_status rc;
        int stops = 0;
        save(m, "whole");
        neap_model_free(m);
        do {
            int calls = 0;
            neap_hooks hooks = { .size = sizeof hooks,
                                 .progress = stop_at_second,
                                 .user = &calls,
                                 .checkpoint = "run",
                                 .resume = 1 };
            neap_data data = { .size = sizeof data, .graph = g };
            rc = neap_train(&data, o, &hooks, &m, NULL);
            assert_true(rc == NEAP_OK || rc == NEAP_E_STOPPED);
            stops += rc == NEAP_E_STOPPED;
            assert_int_equal(neap_file_check("run", NULL, NULL, NULL), NEAP_OK);
        } while (rc != NEAP_OK);
        assert_true(stops >= 3);
        save(m, "pieces");
        assert_same_file("whole", "pieces");
        neap_model_free(m);
        neap_options_free(o);
        remove("run");
    }
    neap_graph_free(g);
}

static void a_saved_model_answers_as_before(void **unused)
{
    neap_graph *g = tiny(true, 1);
    neap_options *o = with("window", "3");
    neap_model *m = train_on(g, o, NULL), *back;
    neap_pair pair = { 0, 7 };
    float before, after;
    (void)unused;
    save(m, "model");
    assert_int_equal(neap_file_check("model", NULL, NULL, NULL), NEAP_OK);
    assert_int_equal(neap_model_load("model", NULL, &back, NULL), NEAP_OK);
    assert_memory_equal(tensor_of(m, "attention"), tensor_of(back, "attention"), 3 * sizeof(float));
    assert_int_equal(neap_model_score(m, &pair, 1, &before, NULL), NEAP_OK);
    assert_int_equal(neap_model_score(back, &pair, 1, &after, NULL), NEAP_OK);
    assert_true(before == after);
    neap_model_free(m);
    neap_model_free(back);
    neap_options_free(o);
    neap_graph_free(g);
}

static void what_has_no_meaning_is_refused_with_words(void **unused)
{
    neap_edge loops[] = { { 0, 0, 1 }, { 1, 1, 1 } };
    neap_graph *g = tiny(false, 1), *lonely;
    neap_options *odd = with("dim", "15"), *o = with("dim", "4");
    neap_error err;
    (void)unused;
    assert_int_equal(train_status(g, odd, NULL, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "odd"));
    assert_int_equal(neap_graph_create(2, NULL, loops, 2, 0, 1, &lonely, NULL), NEAP_OK);
    assert_int_equal(train_status(lonely, o, NULL, &err), NEAP_E_FORMAT);
    assert_non_null(strstr(err.text, "nothing to learn"));
    neap_options_free(odd);
    neap_options_free(o);
    neap_graph_free(g);
    neap_graph_free(lonely);
}

/* ---- memory ---- */

static neap_status train_and_save(void *graph, neap_error *err)
{
    neap_options *o = NULL;
    neap_model *m = NULL;
    neap_hooks hooks = { .size = sizeof hooks, .checkpoint = "run" };
    neap_data data = { .size = sizeof data, .graph = graph };
    neap_status rc = neap_options_create("neap", &o, err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "method", "attentivewalk", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "dim", "4", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "epochs", "1", err);
    if (rc == NEAP_OK) rc = neap_options_set(o, "threads", "2", err);
    if (rc == NEAP_OK) rc = neap_train(&data, o, &hooks, &m, err);
    if (rc == NEAP_OK) rc = neap_model_save(m, "model", err);
    neap_model_free(m);
    neap_options_free(o);
    return rc;
}

static void every_failing_allocation_is_an_ordinary_error(void **unused)
{
    neap_graph *g = tiny(true, 0);
    (void)unused;
    faults_each(FAULTS_MEMORY, ENOMEM, false, train_and_save, faults_expect_memory, g);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_finite_differences),
        cmocka_unit_test(a_pass_in_blocks_is_a_pass_over_all_pairs),
        cmocka_unit_test(extreme_products_stay_finite),
        cmocka_unit_test(both_scores_find_held_out_links),
        cmocka_unit_test(scores_are_what_their_names_say),
        cmocka_unit_test_setup_teardown(the_number_of_threads_changes_no_byte, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(an_interrupted_run_ends_in_the_same_bytes, scratch_enter,
                                        scratch_leave),
        cmocka_unit_test_setup_teardown(a_saved_model_answers_as_before, scratch_enter, scratch_leave),
        cmocka_unit_test(what_has_no_meaning_is_refused_with_words),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_an_ordinary_error, scratch_enter,
                                        scratch_leave),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
