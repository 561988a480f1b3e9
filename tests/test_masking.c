/* Evidence about a link that curves are learned from does not know of the link: three controls, each of
 * which sees a leak that is planted.
 *
 * The graph is one in which nothing but popularity can be learned: a few hubs, ends drawn independently. An
 * honest model separates masked training links as well as held-out ones. One that knows of its links looks
 * better in training, and is worse on links that it has not seen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sys.h"
#include "evidence/draw.h"
#include "evidence/eigenpairs.h"
#include "evidence/fit.h"
#include "evidence/scorer.h"
#include "settings.h"

enum {
    NODES = 600,
    EDGES = 3000,
    HELD = 1000,
    ALL = EDGES + HELD,
    POSITIVES = 1500,
    DIM = 48,
    THREADS = 1
};

/* What is planted. */
typedef enum leak {
    HONEST,
    PAGERANK, /* of the graph with all links, beside degrees of the one without      */
    VECTORS,  /* eigenvectors that have seen the links                                */
    ONE_LINK  /* each link alone is taken out, for itself; its non-links see all links */
} leak;

typedef struct world {
    neap_graph *graph;
    ni_links links;
    ni_view view;
    ni_threads *threads;
    float node[NODES * NI_NODE_VALUES], value[DIM], *vector;
    ni_globals globals; /* of all training links */
    neap_pair held[HELD], other[HELD];
} world;

/* Nodes of low number are popular: one in eight ends is the first node. */
static uint32_t popular(ni_rng *rng)
{
    double x = ni_uniform(rng);
    return (uint32_t)(NODES * x * x * x);
}

static bool has(const neap_edge *edge, uint32_t count, uint32_t s, uint32_t t)
{
    for (uint32_t i = 0; i < count; i++)
        if ((edge[i].source == s && edge[i].target == t) || (edge[i].source == t && edge[i].target == s))
            return true;
    return false;
}

/* Links without a pattern. */
static void draw_links(neap_edge edge[ALL])
{
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 0);
    for (uint32_t count = 0; count < ALL;) {
        uint32_t s = (uint32_t)ni_below(&rng, NODES), t = popular(&rng);
        if (s != t && !has(edge, count, s, t)) edge[count++] = (neap_edge){ s, t, 1 };
    }
}

/* The first EDGES in another order are trained on; those behind them are held out, each with an even
 * non-link of its source. */
static void hold_out(world *w, neap_edge edge[ALL])
{
    ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, 1);
    for (uint32_t i = 0; i < ALL; i++) {
        uint32_t k = i + (uint32_t)ni_below(&rng, ALL - i);
        neap_edge swap = edge[i];
        edge[i] = edge[k], edge[k] = swap;
    }
    for (uint32_t i = 0; i < HELD; i++) {
        uint32_t s = edge[EDGES + i].source, t;
        do t = (uint32_t)ni_below(&rng, NODES);
        while (s == t || has(edge, ALL, s, t));
        w->held[i] = (neap_pair){ s, edge[EDGES + i].target };
        w->other[i] = (neap_pair){ s, t };
    }
}

static int set_up(void **state)
{
    world *w = *state = calloc(1, sizeof *w);
    neap_edge edge[ALL];
    draw_links(edge);
    hold_out(w, edge);
    assert_int_equal(neap_graph_create(NODES, NULL, edge, EDGES, 0, 0, &w->graph, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
    assert_int_equal(ni_view_create(w->graph, &w->links, &w->view, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(THREADS, &w->threads, NULL), NEAP_OK);
    assert_int_equal(ni_node_values(&w->view, w->threads, w->node, NULL), NEAP_OK);
    assert_int_equal(ni_eigenpairs(&w->view, DIM, 1, w->threads, w->value, &w->vector, NULL), NEAP_OK);
    w->globals = (ni_globals){ .view = &w->view, .groups = ~0u, .dim = DIM };
    w->globals.node = w->node, w->globals.value = w->value, w->globals.vector = w->vector;
    assert_int_equal(ni_globals_finish(&w->globals, w->threads, NULL), NEAP_OK);
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    ni_globals_free(&w->globals);
    ni_free(w->vector);
    ni_view_free(&w->view);
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    ni_threads_free(w->threads);
    free(w);
    return 0;
}

/* ---- examples, honest or not ---- */

/* Evidence in the graph with all links. */
typedef struct gauge {
    ni_walks walks, without; /* of a source; without a link of its */
    ni_near near;
    ni_masked masked;
} gauge;

static void gauge_open(world *w, gauge *g)
{
    assert_int_equal(ni_walks_create(&w->globals, 1, &g->walks, NULL), NEAP_OK);
    assert_int_equal(ni_walks_create(&w->globals, 1, &g->without, NULL), NEAP_OK);
    assert_int_equal(ni_near_create(&w->globals, &g->near, NULL), NEAP_OK);
    assert_int_equal(ni_masked_create(&g->masked, &w->globals, NULL), NEAP_OK);
}

static void gauge_close(gauge *g)
{
    ni_masked_free(&g->masked);
    ni_near_free(&g->near);
    ni_walks_free(&g->without);
    ni_walks_free(&g->walks);
}

static bool is_planted(leak kind, ni_kind k)
{
    if (kind == PAGERANK) return k == NI_KIND_PAGERANK_S || k == NI_KIND_PAGERANK_T;
    if (kind == VECTORS) return ni_kind_infos[k].group == NI_GROUP_SPECTRAL;
    return k != NI_KIND_PAGERANK_S && k != NI_KIND_PAGERANK_T; /* PageRank is not measured anew */
}

/* What is planted is measured with all links, but for ONE_LINK without the pair's own. */
static void plant(world *w, leak kind, ni_draw *d)
{
    size_t count = (size_t)d->groups * d->size;
    gauge g;
    gauge_open(w, &g);
    for (size_t i = 0; i < count && kind != HONEST; i++) {
        float value[NI_KINDS] = { 0 };
        neap_pair p = { d->source[i / d->size], d->target[i] };
        if (g.near.source != p.source) {
            ni_walks_from(&g.walks, &p.source, 1, w->threads);
            ni_near_to(&g.near, p.source);
        }
        ni_measure(&g.walks, 0, &g.near, p.target, value);
        if (kind == ONE_LINK && i % d->size == 0) {
            ni_gone own = { .count = 1, .link = { p } };
            ni_walks_without(&g.without, &p.source, &own, 1, w->threads);
            assert_int_equal(ni_masked_measure(&g.masked, &g.without, 0, p.target, &own, value, NULL),
                             NEAP_OK);
        }
        for (uint32_t j = 0; j < d->kinds; j++)
            if (is_planted(kind, (ni_kind)d->kind[j])) d->value[j * count + i] = value[d->kind[j]];
    }
    gauge_close(&g);
}

static void draw(world *w, leak kind, uint32_t groups, ni_draw_rule *rule, ni_draw *d)
{
    *rule = (ni_draw_rule){ .positives = POSITIVES, .fold = 0.1, .groups = groups, .dim = DIM, .seed = 3 };
    assert_int_equal(ni_draw_create(d, &w->view, NULL, rule, w->threads, NULL), NEAP_OK);
    for (uint32_t f = 0; f < d->folds; f++) assert_int_equal(ni_draw_fold(d, f, NULL), NEAP_OK);
    plant(w, kind, d);
}

/* ---- curves, and how well they separate ---- */

typedef struct curves {
    ni_additive a;
    float line[NI_KINDS * NI_LINE], edge[NI_KINDS * NI_CURVE_EDGES], step[NI_KINDS * NI_CURVE_STEPS],
        mean[NI_KINDS];
} curves;

/* rounds: of steps; 0: lines alone. */
static void fit(world *w, const ni_examples *e, uint32_t rounds, curves *c)
{
    ni_fit_rule rule = { .ridge = 60, .rate = 0.15, .lambda = 20, .patience = 20, .leaf = 20, .seed = 1 };
    ni_fit_report report;
    rule.rounds_least = rule.rounds_most = rounds;
    c->a = (ni_additive){ .curves = e->evidence, .line = c->line, .edge = c->edge, .step = c->step };
    assert_int_equal(ni_fit(e, &rule, w->threads, &c->a, c->mean, &report, NULL), NEAP_OK);
}

/* The groups from `first` to `end` as examples of their own. Values are copied, the rest is borrowed. */
static ni_examples part_of(const ni_examples *e, uint32_t first, uint32_t end, float *value)
{
    ni_examples part = *e;
    size_t count = ni_examples_count(e), some = (size_t)(end - first) * e->size,
           at = (size_t)first * e->size;
    for (uint32_t j = 0; j < e->evidence; j++)
        memcpy(value + j * some, e->value + j * count + at, some * sizeof *value);
    part.groups = end - first, part.value = value;
    part.weight += at, part.stands += at;
    return part;
}

static double score_of(const ni_additive *a, const ni_examples *e, size_t example)
{
    double sum = a->start;
    for (uint32_t j = 0; j < e->evidence; j++)
        sum += (double)ni_curve_at(a, j, e->value[j * ni_examples_count(e) + example]);
    return sum;
}

/* Half of the groups separate by curves fitted to the other half: the AUC of links over even non-links. */
static double masked_auc(world *w, const ni_examples *e)
{
    float *value = malloc(e->evidence * ni_examples_count(e) * sizeof *value);
    uint32_t half = e->groups / 2;
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        static curves c;
        ni_examples learned = part_of(e, k ? 0 : half, k ? half : e->groups, value);
        float links[POSITIVES], others[POSITIVES * NI_DRAW_EVEN];
        size_t n = 0, m = 0;
        double auc;
        fit(w, &learned, 100, &c);
        for (uint32_t g = k ? half : 0; g < (k ? e->groups : half); g++)
            for (uint32_t i = 0; i <= NI_DRAW_EVEN; i++) {
                float score = (float)score_of(&c.a, e, (size_t)g * e->size + i);
                if (i) others[m++] = score;
                else links[n++] = score;
            }
        assert_int_equal(neap_auc(links, n, others, m, &auc, NULL), NEAP_OK);
        sum += auc / 2;
    }
    free(value);
    return sum;
}

static void score_held(world *w, const ni_draw *d, const curves *c, const neap_pair *pair, float *score)
{
    ni_scorer s;
    assert_int_equal(ni_scorer_create(&s, &w->globals, &c->a, d->kind, w->threads, NULL), NEAP_OK);
    assert_int_equal(ni_scorer_pairs(&s, pair, HELD, score, NULL), NEAP_OK);
    ni_scorer_free(&s);
}

static double held_auc(world *w, const ni_draw *d, const ni_examples *e)
{
    static curves c;
    float links[HELD], others[HELD];
    double auc;
    fit(w, e, 100, &c);
    score_held(w, d, &c, w->held, links);
    score_held(w, d, &c, w->other, others);
    assert_int_equal(neap_auc(links, HELD, others, HELD, &auc, NULL), NEAP_OK);
    return auc;
}

/* How much better masked training links are separated than held-out ones. */
static double excess(world *w, leak kind, uint32_t groups)
{
    ni_draw_rule rule;
    ni_draw d;
    draw(w, kind, groups, &rule, &d);
    ni_examples e = ni_draw_examples(&d);
    double masked = masked_auc(w, &e), held = held_auc(w, &d, &e);
    ni_draw_free(&d);
    return masked - held;
}

enum { DEGREES = 1u << NI_GROUP_DEGREES, SPECTRAL = 1u << NI_GROUP_SPECTRAL };

/* ---- the controls ---- */

/* What is known of a node alone depends on the fold, and not on whether the node is the end of a link or of
 * a non-link. False: two examples of a fold disagree about their target. */
static bool labels_leave_no_trace(const ni_draw *d)
{
    static float seen[NODES][NI_KINDS];
    size_t count = (size_t)d->groups * d->size;
    for (uint32_t f = 0; f < d->folds; f++) {
        static bool known[NODES];
        memset(known, 0, sizeof known);
        for (size_t i = (size_t)d->start[f] * d->size; i < (size_t)d->start[f + 1] * d->size; i++)
            for (uint32_t j = 0; j < d->kinds; j++) {
                static const ni_kind of_target[] = { NI_KIND_DEGREE_T, NI_KIND_IN_T, NI_KIND_PAGERANK_T };
                uint32_t t = d->target[i];
                bool counts = false;
                for (int k = 0; k < 3; k++) counts |= d->kind[j] == of_target[k];
                if (!counts) continue;
                if (known[t] && d->value[j * count + i] != seen[t][j]) return false;
                seen[t][j] = d->value[j * count + i];
                if (d->kind[j] == NI_KIND_PAGERANK_T) known[t] = true; /* the last of them */
            }
    }
    return true;
}

static void in_a_fold_a_node_does_not_know_its_labels(void **state)
{
    world *w = *state;
    ni_draw_rule rule;
    ni_draw d;
    draw(w, HONEST, DEGREES, &rule, &d);
    assert_true(labels_leave_no_trace(&d));
    plant(w, ONE_LINK, &d);
    assert_false(labels_leave_no_trace(&d));
    ni_draw_free(&d);
}

static void masked_links_are_separated_as_well_as_held_out_ones(void **state)
{
    world *w = *state;
    double honest = excess(w, HONEST, DEGREES), vectors = excess(w, HONEST, SPECTRAL);
    if (fabs(honest) > 0.04 || fabs(vectors) > 0.04)
        fail_msg("degrees %+.3f, spectral %+.3f", honest, vectors);
}

static void pagerank_that_saw_the_links_is_noticed(void **state)
{
    double found = excess(*state, PAGERANK, DEGREES);
    if (found < 0.06) fail_msg("an excess of %+.3f", found);
}

static void vectors_that_saw_the_links_are_noticed(void **state)
{
    double found = excess(*state, VECTORS, SPECTRAL);
    if (found < 0.06) fail_msg("an excess of %+.3f", found);
}

static void one_link_removed_at_a_time_is_noticed(void **state)
{
    double found = excess(*state, ONE_LINK, DEGREES);
    if (found < 0.06) fail_msg("an excess of %+.3f", found);
}

/* ---- ranks on a graph with hubs ---- */

/* The mean reciprocal rank of held-out links among all nodes that their source has no link with. */
static double mrr(world *w, const ni_draw *d, const curves *c)
{
    ni_scorer s;
    float score[NODES];
    double sum = 0;
    assert_int_equal(ni_scorer_create(&s, &w->globals, &c->a, d->kind, w->threads, NULL), NEAP_OK);
    for (int i = 0; i < HELD; i++) {
        uint32_t source = w->held[i].source, above = 0, equal = 0;
        assert_int_equal(ni_scorer_all(&s, source, score, NULL), NEAP_OK);
        for (uint32_t t = 0; t < NODES; t++) {
            if (t == source || t == w->held[i].target || ni_linked(&w->links, source, t)) continue;
            above += score[t] > score[w->held[i].target];
            equal += score[t] == score[w->held[i].target];
        }
        sum += 1 / (1 + above + equal / 2.0);
    }
    ni_scorer_free(&s);
    return sum / HELD;
}

/* What steps gain over lines alone, in ranks. */
static double gain_of_steps(world *w, leak kind)
{
    static curves lines, all;
    ni_draw_rule rule;
    ni_draw d;
    draw(w, kind, DEGREES, &rule, &d);
    ni_examples e = ni_draw_examples(&d);
    fit(w, &e, 0, &lines);
    fit(w, &e, 200, &all);
    double gain = mrr(w, &d, &all) - mrr(w, &d, &lines);
    ni_draw_free(&d);
    return gain;
}

static void steps_between_hubs_do_not_spoil_ranks(void **state)
{
    double honest = gain_of_steps(*state, HONEST), leaking = gain_of_steps(*state, ONE_LINK);
    if (honest < -0.01 || leaking > -0.02) fail_msg("honest %+.3f, leaking %+.3f", honest, leaking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_fold_a_node_does_not_know_its_labels),
        cmocka_unit_test(masked_links_are_separated_as_well_as_held_out_ones),
        cmocka_unit_test(pagerank_that_saw_the_links_is_noticed),
        cmocka_unit_test(vectors_that_saw_the_links_are_noticed),
        cmocka_unit_test(one_link_removed_at_a_time_is_noticed),
        cmocka_unit_test(steps_between_hubs_do_not_spoil_ranks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
