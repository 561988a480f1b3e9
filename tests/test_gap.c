/* What gap has beside the paper: one step is that of the reference on sides without the link, and all
 * queries agree. (test_engine.c has its alignments and attention, test_methods.c what every method
 * promises.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attention/reference.h"
#include "attention/trainer.h"
#include "settings.h"
#include "trials.h"

enum { N = MESSY_NODES, D = 6, S = 100, K = 2, WIDTH = 2 + K, TERMS_MOST = 5 };

/* Everything that the paper lacks. One step is an epoch. */
static neap_options *all_of_it(const char *epochs)
{
    return options_of("neap", "method", "gap", "dim", "6", "neighbors", "100", "epochs", epochs, "lr",
                      "0.1", "batch", "4096", "valid", "0", "negatives", "2", "dropout", "0", "optimizer",
                      "adagrad", "objective", "logistic", "seed", "3", "threads", "2", "mask", "yes",
                      "sides", "2", "degrees", "yes", "alignment", "scaled", "self", "no", NULL);
}

static neap_model *model_of(int undirected, const char *epochs)
{
    neap_graph *g = messy_graph_of(4, 0, undirected);
    neap_model *m = trained(g, all_of_it(epochs));
    neap_graph_free(g);
    return m;
}

/* ---- one step, by definition ---- */

typedef struct sides {
    float X[WIDTH][S * D], dX[WIDTH][S * D];
    uint32_t row[WIDTH][S];
    ni_ref_sequence rows[WIDTH];
} sides;

/* The neighbours of node k of an item, but for the other end of its pair, as rows of one of the tables. */
static void make_side(const neap_model *m, const uint32_t *nodes, uint32_t k, sides *s)
{
    uint32_t u = nodes[k], without = nodes[k ? 0 : 1], count = 0;
    const float *E = tensor_of(m, "E");
    for (uint64_t i = m->links.offset[u]; i < m->links.offset[u + 1]; i++) {
        uint32_t row = m->links.node[i] + (k ? N : 0);
        if (m->links.node[i] == without) continue;
        memcpy(s->X[k] + count * D, E + (uint64_t)row * D, D * sizeof *E);
        s->row[k][count++] = row;
    }
    memset(s->dX[k], 0, sizeof s->dX[k]);
    s->rows[k] = (ni_ref_sequence){ s->X[k], count, s->dX[k] };
}

static bool is_arc(const neap_graph *g, uint32_t s, uint32_t t)
{
    bool arc = false;
    for (uint64_t e = g->offset[s]; e < g->offset[s + 1]; e++) arc |= g->target[e] == t;
    for (uint64_t e = g->offset[t]; g->undirected && e < g->offset[t + 1]; e++) arc |= g->target[e] == s;
    return arc;
}

/* Logarithms of the degrees of u, out and in, without one node; returns how many. */
static uint32_t degrees_of(const neap_graph *g, uint32_t u, uint32_t without, float *f)
{
    uint32_t out = 0, in = 0;
    for (uint32_t v = 0; v < N; v++) {
        out += v != u && v != without && is_arc(g, u, v);
        in += v != u && v != without && is_arc(g, v, u);
    }
    f[0] = logf(1 + (float)out);
    if (!g->undirected) f[1] = logf(1 + (float)in);
    return g->undirected ? 1 : 2;
}

static uint32_t terms_of(const neap_graph *g, const uint32_t *nodes, uint32_t k, float *f)
{
    uint32_t terms = 1;
    f[0] = 1;
    terms += degrees_of(g, nodes[0], nodes[1], f + terms);
    return terms + degrees_of(g, nodes[k], nodes[0], f + terms);
}

typedef struct gradient {
    float E[2 * N * D], P[D * D], b[TERMS_MOST];
} gradient;

static void add_item(const neap_model *m, const uint32_t *nodes, float *work, gradient *g)
{
    static sides s;
    const ni_attention_options *o = m->settings->own;
    float features[(1 + K) * TERMS_MOST];
    uint32_t picks[WIDTH * (S + 1)], terms = 0;
    for (uint32_t k = 0; k < WIDTH; k++) make_side(m, nodes, k, &s);
    for (uint32_t k = 1; k < WIDTH; k++) terms = terms_of(m->graph, nodes, k, features + (k - 1) * terms);
    ni_ref_model ref = { .dim = D,
                         .neighbors = S,
                         .alignment = NI_ALIGN_SCALED,
                         .P = tensor_of(m, "P"),
                         .terms = terms,
                         .b = tensor_of(m, "degrees"),
                         .objective = o->objective };
    ni_ref_loss(&ref, s.rows, K, features, g->P, g->b, work, picks);
    for (uint32_t k = 0; k < WIDTH; k++)
        for (uint32_t i = 0; i < s.rows[k].size * D; i++) g->E[s.row[k][i / D] * D + i % D] += s.dX[k][i];
}

static void add_items(const neap_model *m, gradient *g)
{
    const ni_attention_options *o = m->settings->own;
    const ni_ref_model room = { .dim = D, .neighbors = S };
    float *work = malloc(ni_ref_room(&room, K) * sizeof *work);
    ni_threads *threads;
    ni_sampler s;
    assert_int_equal(ni_threads_create(1, &threads, NULL), NEAP_OK);
    assert_int_equal(
        ni_sampler_create(&o->sampling, K, 3, m->graph, &m->links, &m->targets, threads, &s, NULL),
        NEAP_OK);
    uint32_t items = ni_sampler_fill(&s, 0, 0, (uint32_t)s.positions);
    for (uint32_t i = 0; i < items; i++) add_item(m, s.nodes + i * WIDTH, work, g);
    for (int i = 0; i < 2 * N * D; i++) g->E[i] /= (float)items;
    for (int i = 0; i < D * D; i++) g->P[i] /= (float)items;
    for (int i = 0; i < TERMS_MOST; i++) g->b[i] /= (float)items;
    ni_sampler_free(&s);
    ni_threads_free(threads);
    free(work);
}

/* The first step of row-wise Adagrad: as long as the rate, along the gradient. */
static void expect_step(const float *before, const float *after, const float *g, uint32_t rows, uint32_t d,
                        float rate)
{
    for (uint32_t r = 0; r < rows; r++) {
        float square = 0;
        for (uint32_t k = 0; k < d; k++) square += g[r * d + k] * g[r * d + k] / (float)d;
        for (uint32_t k = 0; k < d; k++) {
            uint32_t i = r * d + k;
            float step = square > 0 ? rate * g[i] / sqrtf(square) : 0;
            if (fabsf(before[i] - step - after[i]) > 2e-3F * rate)
                fail_msg("number %u went from %g to %g, not by %g", i, (double)before[i], (double)after[i],
                         (double)-step);
        }
    }
}

static void a_step_is_that_of_the_reference_without_the_link(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        gradient g = { 0 };
        neap_model *before = model_of(undirected, "0"), *after = model_of(undirected, "1");
        add_items(before, &g);
        expect_step(tensor_of(before, "E"), tensor_of(after, "E"), g.E, 2 * N, D, 0.1F);
        expect_step(tensor_of(before, "P"), tensor_of(after, "P"), g.P, D, D, 0.01F);
        expect_step(tensor_of(before, "degrees"), tensor_of(after, "degrees"), g.b, 1, undirected ? 3 : 5,
                    0.1F);
        neap_model_free(before);
        neap_model_free(after);
    }
}

/* ---- queries ---- */

static double sum_of(const neap_reasons *r)
{
    double sum = (double)r->rest_contribution;
    for (uint32_t i = 0; i < r->count; i++) sum += (double)r->contribution[i];
    return sum;
}

static void expect_explained(const neap_model *m, uint32_t source, uint32_t target, float score)
{
    neap_explanation *x;
    assert_int_equal(neap_model_explain(m, source, target, &x, NULL), NEAP_OK);
    assert_true(fabsf(x->score - score) < 1e-5F);
    assert_true(fabs(sum_of(x->by_source) - (double)score) < 1e-4 || x->by_source->count == 0);
    assert_true(fabs(sum_of(x->by_target) - (double)score) < 1e-4 || x->by_target->count == 0);
    for (uint64_t i = 0; i < (uint64_t)x->by_source->count * x->by_target->count; i++)
        assert_true(fabsf(x->alignment[i]) <= 1);
    neap_explanation_free(x);
}

static void every_query_gives_the_same_score(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_model *m = model_of(undirected, "5");
        neap_query *q = query_of(m, 2);
        neap_pair pairs[N];
        float one[N], all[N], some[2];
        const uint32_t of[] = { 7, 31 };
        for (uint32_t t = 0; t < N; t++) pairs[t] = (neap_pair){ 0, t };
        assert_int_equal(m->method->score(q, pairs, N, one, NULL), NEAP_OK);
        assert_int_equal(m->method->score_all(q, 0, all, NULL), NEAP_OK);
        assert_int_equal(m->method->score_some(q, 0, of, 2, some, NULL), NEAP_OK);
        for (uint32_t t = 0; t < N; t++) {
            assert_true(fabsf(one[t] - all[t]) < 1e-5F);
            expect_explained(m, 0, t, one[t]);
        }
        assert_true(some[0] == all[7] && some[1] == all[31]);
        neap_query_free(q);
        neap_model_free(m);
    }
}

/* Both directions are one link in an undirected graph; in a directed one they are two questions. */
static void the_order_of_a_pair_matters_where_edges_have_a_direction(void **state)
{
    (void)state;
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_model *m = model_of(undirected, "5");
        const neap_pair pairs[] = { { 0, 9 }, { 9, 0 } };
        float score[2];
        assert_int_equal(neap_model_score(m, pairs, 2, score, NULL), NEAP_OK);
        assert_int_equal(fabsf(score[0] - score[1]) < 1e-6F, undirected);
        neap_model_free(m);
    }
}

static void a_new_node_does_not_change_what_was_learned(void **state)
{
    const char *const names[] = { "0", "3", "somebody new" };
    const neap_edge edge[] = { { 0, 2, 1 }, { 2, 1, 1 } };
    const neap_pair pairs[] = { { 0, 3 }, { 3, 12 }, { 0, N } };
    neap_graph *links;
    (void)state;
    assert_int_equal(neap_graph_create(3, names, edge, 2, 0, 0, &links, NULL), NEAP_OK);
    for (int undirected = 0; undirected < 2; undirected++) {
        neap_model *m = model_of(undirected, "5"), *more;
        neap_data data = { .size = sizeof data, .graph = links };
        float before[2], after[3];
        assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
        assert_int_equal(neap_model_score(m, pairs, 2, before, NULL), NEAP_OK);
        assert_int_equal(neap_model_score(more, pairs, 3, after, NULL), NEAP_OK);
        assert_memory_equal(before, after, sizeof before);
        assert_true(isfinite(after[2]) && after[2] != 0);
        expect_explained(more, 0, N, after[2]);
        neap_model_free(more);
        neap_model_free(m);
    }
    neap_graph_free(links);
}

static void uniform_attention_has_no_partners(void **state)
{
    neap_graph *g = messy_graph(4);
    neap_options *o = all_of_it("2");
    neap_explanation *x;
    (void)state;
    set_options(o, "attention", "uniform", NULL);
    neap_model *m = trained(g, o);
    assert_null(tensor_of(m, "P"));
    assert_int_equal(neap_model_explain(m, 0, 9, &x, NULL), NEAP_OK);
    assert_null(x->alignment);
    assert_false(x->selects);
    for (uint32_t i = 0; i < x->by_source->count; i++) {
        assert_true(fabsf(x->by_source->weight[i] * (float)x->by_source->count - 1) < 1e-5F);
        assert_int_equal(x->by_source->partner[i], NEAP_NONE);
        assert_true(isnan(x->by_source->alignment[i]));
    }
    neap_explanation_free(x);
    neap_model_free(m);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_that_of_the_reference_without_the_link),
        cmocka_unit_test(every_query_gives_the_same_score),
        cmocka_unit_test(the_order_of_a_pair_matters_where_edges_have_a_direction),
        cmocka_unit_test(a_new_node_does_not_change_what_was_learned),
        cmocka_unit_test(uniform_attention_has_no_partners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
