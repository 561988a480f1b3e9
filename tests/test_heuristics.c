/* The heuristics, held to their formulas in dense matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "faults.h"
#include "model/model.h"
#include "settings.h"

/* The first has a direction, the second knows no distance. */
static const char *const methods[] = { "popularity", "pa", "cn", "aa", "ra", "katz", "l3", "walk3", "ppr" };
enum { METHODS = sizeof methods / sizeof *methods, MOST = 48, EDGES_MOST = 512 };
enum { FIRST_SYMMETRIC = 1, FIRST_NEAR = 2 };

/* ---- graphs ---- */

typedef struct sketch {
    const char *name;
    uint32_t nodes;
    int weighted, undirected;
    neap_edge edge[EDGES_MOST];
    uint64_t edges;
} sketch;

static void link_nodes(sketch *s, uint32_t u, uint32_t v)
{
    assert_true(s->edges < EDGES_MOST);
    s->edge[s->edges] = (neap_edge){ u, v, 1 + (float)(s->edges % 5) };
    s->edges++;
}

/* Edges among the nodes from .. to-1; loops and both directions happen, and every seventh node has none. */
static void link_at_random(sketch *s, uint32_t from, uint32_t to, unsigned count, uint64_t seed)
{
    ni_rng rng = ni_rng_at(seed, NI_STREAM_GRAPH, 0, 0);
    while (count > 0) {
        uint32_t u = from + (uint32_t)ni_below(&rng, to - from);
        uint32_t v = from + (uint32_t)ni_below(&rng, ni_below(&rng, 2) ? to - from : 5);
        if (u % 7 == 0 || v % 7 == 0) continue;
        link_nodes(s, u, v);
        if (ni_below(&rng, 4) == 0) link_nodes(s, v, u);
        count--;
    }
}

enum { MIXED, TWO, STAR, PATH, COMPLETE, EMPTY, KINDS };

static sketch sketch_of(int kind)
{
    sketch s = { .nodes = 40 };
    if (kind == MIXED) {
        s.name = "directed, weighted, with loops and isolated nodes", s.weighted = 1;
        link_at_random(&s, 0, s.nodes, 110, 3);
    } else if (kind == TWO) {
        s.name = "undirected, two components", s.undirected = 1;
        link_at_random(&s, 0, 18, 40, 4);
        link_at_random(&s, 18, 40, 30, 5);
    } else if (kind == STAR) {
        s.name = "a star";
        for (uint32_t u = 0; u < s.nodes; u++)
            if (u != 9) link_nodes(&s, u, 9);
    } else if (kind == PATH) {
        s.name = "a path";
        for (uint32_t u = 0; u + 1 < s.nodes; u++) link_nodes(&s, u + 1, u);
    } else if (kind == COMPLETE) {
        s.name = "a complete graph", s.nodes = 12;
        for (uint32_t u = 0; u < 12; u++)
            for (uint32_t v = 0; v < u; v++) link_nodes(&s, u, v);
    } else {
        s.name = "one loop and no links", s.nodes = 5;
        link_nodes(&s, 2, 2);
    }
    return s;
}

/* A context for questions to a model of the sketch. */
static neap_query *asked(const sketch *s, const char *method, uint32_t threads)
{
    neap_graph *g;
    assert_int_equal(
        neap_graph_create(s->nodes, NULL, s->edge, s->edges, s->weighted, s->undirected, &g, NULL),
        NEAP_OK);
    neap_model *m = trained(g, options_of("neap", "method", method, NULL));
    neap_query *q = query_of(m, threads);
    neap_model_free(m);
    neap_graph_free(g);
    return q;
}

/* All n x n pairs, in an order that mixes the sources. */
static size_t all_pairs(uint32_t n, neap_pair *pairs)
{
    for (uint32_t i = 0; i < n * n; i++) pairs[i] = (neap_pair){ (i + i / n) % n, i / n };
    return (size_t)n * n;
}

static void score(neap_query *q, const neap_pair *pairs, size_t count, float *scores)
{
    neap_error err;
    neap_scores *found;
    if (neap_query_score(q, pairs, count, &found, &err)) fail_msg("%s", err.text);
    assert_int_equal(found->count, count);
    if (count) memcpy(scores, found->score, count * sizeof *scores);
    neap_scores_free(found);
}

/* The k best of a source, known links included or not. */
static neap_status rank(neap_query *q, uint32_t source, size_t k, int with_known, neap_ranking **out,
                        neap_error *err)
{
    neap_rank_spec spec = {
        .size = sizeof spec, .sources = &source, .source_count = 1, .k = k, .with_known = with_known
    };
    return neap_query_rank(q, &spec, out, err);
}

/* ---- the formulas ---- */

typedef struct matrix {
    uint32_t n;
    double at[MOST][MOST];
} matrix;

static matrix adjacency(const sketch *s)
{
    matrix a = { .n = s->nodes };
    for (uint64_t e = 0; e < s->edges; e++) {
        uint32_t u = s->edge[e].source, v = s->edge[e].target;
        if (u != v) a.at[u][v] = a.at[v][u] = 1;
    }
    return a;
}

static double degree(const matrix *a, uint32_t u)
{
    double k = 0;
    for (uint32_t v = 0; v < a->n; v++) k += a->at[u][v];
    return k;
}

static matrix product(const matrix *a, const matrix *b)
{
    matrix c = { .n = a->n };
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < a->n; k++)
            for (uint32_t j = 0; j < a->n; j++) c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

static double no_weight(double k)
{
    (void)k;
    return 1;
}

static double inverse_log(double k)
{
    return k > 1 ? 1 / log(k) : 0;
}

static double inverse(double k)
{
    return k > 0 ? 1 / k : 0;
}

static double inverse_root(double k)
{
    return k > 0 ? 1 / sqrt(k) : 0;
}

/* b F, where F is diagonal and holds f(k) of the graph a. */
static matrix weighted(const matrix *b, const matrix *a, double (*f)(double))
{
    matrix c = *b;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < a->n; j++) c.at[i][j] *= f(degree(a, j));
    return c;
}

/* (1 - a)^-1 by Gauss and Jordan; 1 - a is diagonally dominant or positive definite here. */
static matrix resolvent(const matrix *a)
{
    matrix left = { .n = a->n }, right = { .n = a->n };
    uint32_t n = a->n;
    for (uint32_t i = 0; i < n; i++) {
        right.at[i][i] = 1;
        for (uint32_t j = 0; j < n; j++) left.at[i][j] = (i == j) - a->at[i][j];
    }
    for (uint32_t p = 0; p < n; p++) {
        double pivot = left.at[p][p];
        for (uint32_t j = 0; j < n; j++) left.at[p][j] /= pivot, right.at[p][j] /= pivot;
        for (uint32_t i = 0; i < n; i++) {
            double f = i == p ? 0 : left.at[i][p];
            for (uint32_t j = 0; j < n; j++)
                left.at[i][j] -= f * left.at[p][j], right.at[i][j] -= f * right.at[p][j];
        }
    }
    return right;
}

/* lambda^p is about the trace of a^p; p = 2, 4, 8, ... 2^40. */
static double largest_eigenvalue(const matrix *a)
{
    matrix power = product(a, a);
    double log_scale = 0, p = 2;
    for (int i = 0; i < 40; i++) {
        double trace = 0;
        for (uint32_t u = 0; u < a->n; u++) trace += power.at[u][u];
        if (trace == 0) return 0;
        for (uint32_t u = 0; u < a->n; u++)
            for (uint32_t v = 0; v < a->n; v++) power.at[u][v] /= trace;
        log_scale = 2 * (log_scale + log(trace));
        power = product(&power, &power);
        p *= 2;
    }
    return exp(log_scale / p);
}

static matrix katz(const matrix *a)
{
    double lambda = largest_eigenvalue(a);
    matrix x = { .n = a->n };
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < a->n; j++) x.at[i][j] = lambda > 0 ? 0.5 / lambda * a->at[i][j] : 0;
    x = resolvent(&x);
    for (uint32_t i = 0; i < a->n; i++) x.at[i][i] -= 1;
    return x;
}

/* Row u of 0.15 (1 - 0.85 P)^-1 is pi_u; a node without links steps to itself. */
static matrix pagerank_both_ways(const matrix *a)
{
    matrix x = { .n = a->n };
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < a->n; j++)
            x.at[i][j] = 0.85 * (degree(a, i) > 0 ? a->at[i][j] / degree(a, i) : i == j);
    x = resolvent(&x);
    matrix sum = x;
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < a->n; j++) sum.at[i][j] = 0.15 * (x.at[i][j] + x.at[j][i]);
    return sum;
}

/* A F A: two steps over a node of weight f. */
static matrix over_one(const matrix *a, double (*f)(double))
{
    matrix left = weighted(a, a, f);
    return product(&left, a);
}

static matrix over_two(const matrix *a, double (*f)(double))
{
    matrix left = over_one(a, f);
    left = weighted(&left, a, f);
    return product(&left, a);
}

/* Column t is how many different edges lead to t. */
static matrix edges_to(const sketch *s)
{
    matrix edge = { .n = s->nodes }, x = { .n = s->nodes };
    for (uint64_t e = 0; e < s->edges; e++) {
        uint32_t u = s->edge[e].source, v = s->edge[e].target;
        edge.at[u][v] = u != v;
        if (s->undirected) edge.at[v][u] = u != v;
    }
    for (uint32_t t = 0; t < s->nodes; t++)
        for (uint32_t i = 0; i < s->nodes; i++)
            for (uint32_t u = 0; u < s->nodes; u++) x.at[i][t] += edge.at[u][t];
    return x;
}

static matrix expected(const sketch *s, const matrix *a, const char *method)
{
    if (!strcmp(method, "popularity")) return edges_to(s);
    if (!strcmp(method, "cn")) return over_one(a, no_weight);
    if (!strcmp(method, "aa")) return over_one(a, inverse_log);
    if (!strcmp(method, "ra")) return over_one(a, inverse);
    if (!strcmp(method, "l3")) return over_two(a, inverse_root);
    if (!strcmp(method, "katz")) return katz(a);
    if (!strcmp(method, "ppr")) return pagerank_both_ways(a);
    matrix x = over_two(a, inverse); /* walk3 and pa differ from a formula above by the ends only */
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < a->n; j++)
            x.at[i][j] = strcmp(method, "pa") ? x.at[i][j] * inverse_root(degree(a, i) * degree(a, j))
                                              : degree(a, i) * degree(a, j);
    return x;
}

/* ---- tests ---- */

static neap_pair pairs[MOST * MOST];
static float scores[MOST * MOST], others[MOST * MOST];

/* A fixed number of terms leaves out a little of ppr, most of all on a long path; see series.c. */
static double left_out(const char *method)
{
    return strcmp(method, "ppr") ? 1e-12 : 1e-8;
}

static void each_heuristic_is_its_formula(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        sketch s = sketch_of(kind);
        matrix a = adjacency(&s);
        size_t count = all_pairs(s.nodes, pairs);
        for (int i = 0; i < METHODS; i++) {
            neap_query *q = asked(&s, methods[i], 2);
            matrix x = expected(&s, &a, methods[i]);
            score(q, pairs, count, scores);
            for (size_t p = 0; p < count; p++) {
                double wanted = x.at[pairs[p].source][pairs[p].target];
                if (!(fabs(scores[p] - wanted) <= 1e-5 * wanted + left_out(methods[i])))
                    fail_msg("%s of (%u, %u) in %s: %.9g instead of %.9g", methods[i], pairs[p].source,
                             pairs[p].target, s.name, scores[p], wanted);
            }
            neap_query_free(q);
        }
    }
}

/* A triangle 0 1 2 with a tail 2-3, by hand; katz and ppr from NumPy. */
static void a_triangle_with_a_tail_has_the_scores_of_the_textbook(void **state)
{
    static const double wanted[METHODS] = { 1,          2,          1,          0.91023923, 0.33333333,
                                            0.08527087, 0.40824829, 0.11785113, 0.27690834 };
    sketch s = { .nodes = 4 };
    neap_pair pair = { 0, 3 };
    (void)state;
    link_nodes(&s, 0, 1);
    link_nodes(&s, 1, 2);
    link_nodes(&s, 2, 0);
    link_nodes(&s, 2, 3);
    for (int i = 0; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 1);
        float x;
        score(q, &pair, 1, &x);
        if (!(fabs(x - wanted[i]) < 1e-6)) fail_msg("%s: %.9g instead of %.9g", methods[i], x, wanted[i]);
        neap_query_free(q);
    }
}

static void a_pair_without_a_walk_between_scores_nothing(void **state)
{
    sketch s = sketch_of(TWO);
    neap_pair apart[] = { { 1, 20 }, { 20, 1 }, { 1, 0 }, { 0, 1 }, { 0, 7 }, { 0, 21 } };
    enum { APART = sizeof apart / sizeof *apart };
    (void)state;
    for (int i = FIRST_NEAR; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 1);
        score(q, apart, APART, scores);
        for (int p = 0; p < APART; p++) assert_true(scores[p] == 0);
        neap_query_free(q);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    sketch s = sketch_of(MIXED);
    size_t count = all_pairs(s.nodes, pairs);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 1);
        score(q, pairs, count, scores);
        for (uint32_t threads = 2; threads <= 4; threads++) {
            neap_query *many = asked(&s, methods[i], threads);
            memset(others, 0xff, sizeof others);
            score(many, pairs, count, others);
            neap_query_free(many);
            assert_memory_equal(scores, others, count * sizeof *scores);
        }
        neap_query_free(q);
    }
}

static void a_score_does_not_depend_on_the_pairs_asked_for_with_it(void **state)
{
    sketch s = sketch_of(MIXED);
    size_t count = all_pairs(s.nodes, pairs);
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 2);
        score(q, pairs, count, scores);
        for (size_t p = 0; p < count; p += 37) {
            neap_pair thrice[] = { pairs[p], { 1, 2 }, pairs[p] };
            float x[3];
            score(q, thrice, 3, x);
            assert_true(x[0] == scores[p] && x[2] == scores[p]);
        }
        score(q, pairs, 0, scores);
        neap_query_free(q);
    }
}

static void ranking_all_gives_the_scores_of_the_pairs(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < METHODS; i++) {
            sketch s = sketch_of(kind);
            neap_query *q = asked(&s, methods[i], 3);
            for (uint32_t u = 0; u < s.nodes; u += 4) {
                neap_ranking *best;
                assert_int_equal(rank(q, u, MOST, 1, &best, NULL), NEAP_OK);
                assert_int_equal(best->count, s.nodes);
                for (size_t k = 0; k < s.nodes; k++) pairs[k] = (neap_pair){ u, best->node[k] };
                score(q, pairs, s.nodes, scores);
                for (size_t k = 0; k < s.nodes; k++) assert_true(best->score[k] == scores[k]);
                neap_ranking_free(best);
            }
            neap_query_free(q);
        }
}

static void both_orders_of_a_pair_score_alike(void **state)
{
    sketch s = sketch_of(MIXED);
    size_t count = all_pairs(s.nodes, pairs);
    (void)state;
    for (int i = FIRST_SYMMETRIC; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 2);
        score(q, pairs, count, scores);
        for (size_t p = 0; p < count; p++) pairs[p] = (neap_pair){ pairs[p].target, pairs[p].source };
        score(q, pairs, count, others);
        for (size_t p = 0; p < count; p++)
            assert_true(fabsf(scores[p] - others[p]) <= 1e-5F * fabsf(scores[p]));
        neap_query_free(q);
    }
}

static void weight_direction_and_loops_of_the_edges_do_not_count(void **state)
{
    sketch s = sketch_of(MIXED), bare = { .nodes = s.nodes };
    size_t count = all_pairs(s.nodes, pairs);
    (void)state;
    for (uint64_t e = 0; e < s.edges; e++)
        if (s.edge[e].source != s.edge[e].target) link_nodes(&bare, s.edge[e].target, s.edge[e].source);
    for (int i = FIRST_SYMMETRIC; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 1), *of_bare = asked(&bare, methods[i], 1);
        score(q, pairs, count, scores);
        score(of_bare, pairs, count, others);
        assert_memory_equal(scores, others, count * sizeof *scores);
        neap_query_free(q);
        neap_query_free(of_bare);
    }
}

/* Weights and loops do not count for popularity either, the direction does. */
static void popularity_is_of_the_target_alone(void **state)
{
    sketch s = { .nodes = 4, .weighted = 1 };
    neap_pair asked_for[] = { { 0, 1 }, { 1, 0 }, { 3, 1 }, { 1, 3 }, { 0, 2 }, { 2, 2 } };
    static const float directed[] = { 3, 0, 3, 0, 1, 1 }, undirected[] = { 3, 2, 3, 1, 2, 2 };
    (void)state;
    link_nodes(&s, 0, 1);
    link_nodes(&s, 2, 1);
    link_nodes(&s, 3, 1);
    link_nodes(&s, 0, 2);
    link_nodes(&s, 1, 1);
    for (s.undirected = 0; s.undirected < 2; s.undirected++) {
        neap_query *q = asked(&s, "popularity", 1);
        score(q, asked_for, 6, scores);
        assert_memory_equal(scores, s.undirected ? undirected : directed, sizeof directed);
        neap_query_free(q);
    }
}

/* ---- katz ---- */

static size_t block_looked_for;
static unsigned blocks_found;
static void *(*plain_alloc)(size_t bytes);

static void *count_blocks(size_t bytes)
{
    blocks_found += bytes == block_looked_for;
    return plain_alloc(bytes);
}

/* The power iteration needs two vectors of doubles: a question that makes none repeats no iteration. */
static void the_eigenvalue_of_katz_is_worked_out_once_for_a_query(void **state)
{
    sketch s = sketch_of(MIXED);
    size_t count = all_pairs(s.nodes, pairs);
    (void)state;
    block_looked_for = s.nodes * sizeof(double);
    plain_alloc = ni_system.allocate;
    ni_system.allocate = count_blocks;
    blocks_found = 0;
    neap_query *q = asked(&s, "katz", 1);
    assert_true(blocks_found >= 2);
    blocks_found = 0;
    score(q, pairs, count, scores);
    score(q, pairs, 3, scores);
    assert_int_equal(blocks_found, 0);
    neap_query_free(q);
    ni_system.allocate = plain_alloc;
}

/* The row of the hub is long enough for floats to lose digits if they were added one by one, and long
 * enough for two threads to share the rows. By symmetry every leaf has the same score with every other:
 * pi_leaf(leaf') = 0.15 * 0.85^2 / (1 - 0.85^2) / leaves, and k is 1 at both ends. */
static void a_hub_with_many_links_loses_no_digits(void **state)
{
    enum { LEAVES = 20000 };
    neap_graph *g;
    neap_edge *edges = malloc(LEAVES * sizeof *edges);
    neap_ranking *best;
    (void)state;
    for (uint32_t i = 0; i < LEAVES; i++) edges[i] = (neap_edge){ i, LEAVES, 1 };
    assert_int_equal(neap_graph_create(LEAVES + 1, NULL, edges, LEAVES, 0, 0, &g, NULL), NEAP_OK);
    neap_model *m = trained(g, options_of("neap", "method", "ppr", NULL));
    neap_query *q = query_of(m, 2);
    assert_int_equal(rank(q, 5, 2, 0, &best, NULL), NEAP_OK);
    double wanted = 2 * 0.15 * (0.7225 / 0.2775) / LEAVES;
    assert_true(best->count == 2 && fabs(best->score[0] - wanted) < 1e-5 * wanted &&
                best->score[0] == best->score[1]);
    neap_ranking_free(best);
    neap_query_free(q);
    neap_model_free(m);
    neap_graph_free(g);
    free(edges);
}

/* ---- memory ---- */

/* Two threads, each with a few numbers a node; n x n bits would already be more. */
static void memory_grows_with_the_nodes_not_with_their_square(void **state)
{
    neap_generator what = { .size = sizeof what, .kind = "ba", .nodes = 4000, .links = 2, .seed = 1 };
    enum { ASKED = 24, BYTES_A_NODE = 200 };
    neap_graph *g;
    (void)state;
    assert_int_equal(neap_graph_generate(&what, &g, NULL), NEAP_OK);
    for (uint32_t i = 0; i < ASKED; i++) pairs[i] = (neap_pair){ i * 17, i * 101 };
    for (int i = 0; i < METHODS; i++) {
        neap_model *m = trained(g, options_of("neap", "method", methods[i], NULL));
        size_t before = atomic_load(&faults.bytes);
        faults_peak();
        neap_query *q = query_of(m, 2);
        score(q, pairs, ASKED, scores);
        assert_true(faults_peak() - before <= BYTES_A_NODE * (size_t)what.nodes);
        neap_query_free(q);
        neap_model_free(m);
    }
    neap_graph_free(g);
}

static neap_status ask(void *user, neap_error *err)
{
    neap_scores *found = NULL;
    neap_ranking *best = NULL;
    neap_query *q = NULL;
    neap_query_spec spec = { .size = sizeof spec, .threads = 2 };
    neap_status rc = neap_query_create(user, &spec, &q, err);
    if (rc == NEAP_OK) rc = neap_query_score(q, pairs, 200, &found, err);
    if (rc == NEAP_OK) rc = rank(q, 3, 3, 0, &best, err);
    neap_ranking_free(best);
    neap_scores_free(found);
    neap_query_free(q);
    return rc;
}

static void without_memory_a_question_fails_with_words_and_leaves_nothing_behind(void **state)
{
    sketch s = sketch_of(MIXED);
    (void)state;
    all_pairs(s.nodes, pairs);
    for (int i = 0; i < METHODS; i++) {
        neap_query *q = asked(&s, methods[i], 2);
        assert_true(faults_each(FAULTS_MEMORY, ENOMEM, false, ask, faults_expect_memory, q->model) >= 2);
        neap_query_free(q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_heuristic_is_its_formula),
        cmocka_unit_test(a_triangle_with_a_tail_has_the_scores_of_the_textbook),
        cmocka_unit_test(a_pair_without_a_walk_between_scores_nothing),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_score_does_not_depend_on_the_pairs_asked_for_with_it),
        cmocka_unit_test(ranking_all_gives_the_scores_of_the_pairs),
        cmocka_unit_test(both_orders_of_a_pair_score_alike),
        cmocka_unit_test(weight_direction_and_loops_of_the_edges_do_not_count),
        cmocka_unit_test(popularity_is_of_the_target_alone),
        cmocka_unit_test(the_eigenvalue_of_katz_is_worked_out_once_for_a_query),
        cmocka_unit_test(a_hub_with_many_links_loses_no_digits),
        cmocka_unit_test(memory_grows_with_the_nodes_not_with_their_square),
        cmocka_unit_test(without_memory_a_question_fails_with_words_and_leaves_nothing_behind),
    };
    faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
