/* DMTE: a step is the formula, its gradient the slope of the formula in double, and vectors do not depend
 * on threads or on which nodes a step reaches. (test_methods.c has what every method promises.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/sys.h"
#include "methods/diffusion.h"
#include "model/method.h"
#include "settings.h"
#include "slopes.h"
#include "world.h"

/* ---- a small world ---- */

enum { NODES = 40, WORDS = 23, WIDTH = 5, HALF = 3, ITEMS = 7, LONGEST = 9, PADDED = 12 };
enum { M_AT = 0, W_AT = WORDS * WIDTH, N_AT = W_AT + 3 * WIDTH * HALF, NUMBERS = N_AT + NODES * HALF };

typedef struct world {
    neap_graph *graph;
    ni_links links;
    ni_texts texts;
    uint64_t offset[NODES + 1];
    uint32_t word[NODES * LONGEST], items[ITEMS * 3];
    float x[NUMBERS]; /* M, W, N                        */
    double exact[NUMBERS];
    double P[NODES][NODES];
    uint32_t padded;
    bool batch;
    int from, to; /* the items of the step */
} world;

/* A path with some chords, so that a step does not reach everything; nodes 8, 18, ... have no text. */
static void make_graph(world *w, int weighted)
{
    neap_edge edge[NODES + 6];
    uint32_t n = 0;
    for (uint32_t u = 0; u + 2 < NODES; u++) edge[n++] = (neap_edge){ u, u + 1, (float)(1 + u % 3) };
    edge[n++] = (neap_edge){ 5, 2, 2 };
    edge[n++] = (neap_edge){ 2, 5, 1 };
    edge[n++] = (neap_edge){ 3, 30, 4 };
    edge[n++] = (neap_edge){ 7, 7, 1 }; /* a loop is no link */
    assert_int_equal(neap_graph_create(NODES, NULL, edge, n, weighted, 0, &w->graph, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
}

static void make_texts(world *w)
{
    ni_rng rng = ni_rng_at(3, NI_STREAM_GRAPH, 0, 0);
    uint64_t end = 0;
    for (uint32_t u = 0; u < NODES; u++) {
        uint32_t length = u % 10 == 8 ? 0 : 1 + (uint32_t)ni_below(&rng, LONGEST);
        w->offset[u] = end;
        for (uint32_t i = 0; i < length; i++) w->word[end++] = (uint32_t)ni_below(&rng, WORDS);
    }
    w->offset[NODES] = end;
    w->texts = (ni_texts){ .nodes = NODES, .offset = w->offset, .word = w->word };
    w->texts.words.count = WORDS;
}

static world *world_create(int weighted, uint32_t padded, bool batch)
{
    static const uint32_t items[ITEMS * 3] = { 2,  5, 20, 5,  2, 3, 3, 30, 5, 12, 11,
                                               39, 2, 3,  20, 0, 1, 8, 8,  7, 9 };
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(4, NI_STREAM_GRAPH, 0, 0);
    make_graph(w, weighted);
    make_texts(w);
    memcpy(w->items, items, sizeof items);
    w->padded = padded;
    w->batch = batch;
    w->to = ITEMS;
    for (int i = 0; i < NUMBERS; i++) w->exact[i] = w->x[i] = (float)(0.7 * ni_normal(&rng));
    for (uint32_t u = 0; u < NODES; u++) {
        double sum = 0;
        for (uint64_t i = w->links.offset[u]; i < w->links.offset[u + 1]; i++)
            sum += w->links.weight ? (double)w->links.weight[i] : 1;
        for (uint64_t i = w->links.offset[u]; i < w->links.offset[u + 1]; i++)
            w->P[u][w->links.node[i]] = (w->links.weight ? (double)w->links.weight[i] : 1) / sum;
    }
    return w;
}

static void world_free(world *w)
{
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    free(w);
}

static void diffusion_of(const world *w, ni_threads *threads, ni_diffusion *d)
{
    ni_diffusion_shape shape = { NODES, WORDS, WIDTH, HALF, ITEMS * 3, w->padded, w->batch };
    ni_diffusion_parameters p = { w->x + M_AT, w->x + W_AT, w->x + N_AT };
    assert_int_equal(ni_diffusion_create(&shape, &w->links, &w->texts, &p, threads, d, NULL), NEAP_OK);
}

static ni_threads *threads_of(uint32_t count)
{
    ni_threads *t;
    assert_int_equal(ni_threads_create(count, &t, NULL), NEAP_OK);
    return t;
}

/* ---- the formula, over all nodes, in double ---- */

typedef struct formula {
    double t[3][NODES][HALF], s[3][NODES][HALF]; /* by place in items: these differ within a batch */
} formula;

static void means(const world *w, double c[NODES][WIDTH])
{
    for (uint32_t u = 0; u < NODES; u++)
        for (int j = 0; j < WIDTH; j++) {
            double sum = 0, length = w->padded ? w->padded : (double)(w->offset[u + 1] - w->offset[u]);
            for (uint64_t i = w->offset[u]; i < w->offset[u + 1]; i++)
                sum += w->exact[M_AT + w->word[i] * WIDTH + (uint32_t)j];
            c[u][j] = length > 0 ? tanh(sum / length) : 0;
        }
}

/* Whether text spreads from v to a node at that place. */
static bool is_read(const world *w, int place, uint32_t v)
{
    for (int i = w->from; i < w->to && w->batch; i++)
        if (w->items[3 * i + place] == v) return true;
    return !w->batch;
}

/* to[k] = the k-th hop of `from`: P^k, or within a batch P to the k, number by number. */
static void hop(const world *w, int place, const double *from, int width, double *to[3])
{
    memcpy(to[0], from, NODES * (size_t)width * sizeof *from);
    for (int k = 1; k < 3; k++)
        for (int u = 0; u < NODES; u++)
            for (int j = 0; j < width; j++) {
                double sum = 0;
                for (int v = 0; v < NODES; v++) {
                    double p = is_read(w, place, (uint32_t)v) ? w->P[u][v] : 0;
                    sum += (w->batch && k == 2 ? p * p : p) * to[w->batch ? 0 : k - 1][v * width + j];
                }
                to[k][u * width + j] = sum;
            }
}

static void fill_place(const world *w, int place, double t[NODES][HALF], double s[NODES][HALF])
{
    static const double share[] = { 1, 0.3, 0.1 };
    static double c[4][NODES][WIDTH], n[3][NODES][HALF];
    means(w, c[3]);
    hop(w, place, &c[3][0][0], WIDTH, (double *[]){ &c[0][0][0], &c[1][0][0], &c[2][0][0] });
    hop(w, place, w->exact + N_AT, HALF, (double *[]){ &n[0][0][0], &n[1][0][0], &n[2][0][0] });
    for (int u = 0; u < NODES; u++)
        for (int j = 0; j < HALF; j++) {
            t[u][j] = s[u][j] = 0;
            for (int k = 0; k < 3; k++) {
                s[u][j] += share[k] * n[k][u][j];
                for (int i = 0; i < WIDTH; i++)
                    t[u][j] += share[k] * c[k][u][i] * w->exact[W_AT + (k * WIDTH + i) * HALF + j];
            }
        }
}

static void fill(const world *w, formula *f)
{
    for (int place = 0; place < 3; place++)
        if (place == 0 || w->batch) fill_place(w, place, f->t[place], f->s[place]);
        else memcpy(f->t[place], f->t[0], sizeof f->t[0]);
}

static double l(const double *x, const double *y, double sign)
{
    double z = 0;
    for (int j = 0; j < HALF; j++) z += x[j] * y[j];
    return log(1 / (1 + exp(-sign * z)) + 0.001);
}

static double formula_loss(void *of)
{
    const world *w = of;
    formula f;
    double loss = 0;
    const double *N = w->exact + N_AT;
    fill(w, &f);
    for (int i = w->from; i < w->to; i++) {
        const uint32_t *item = w->items + 3 * i;
        const double *t = f.t[0][item[0]], *s = f.s[0][item[0]];
        for (int k = 1; k < 3; k++) {
            uint32_t y = item[k];
            double sign = k == 1 ? 1 : -1;
            loss -= 0.7 * l(t, f.t[k][y], sign) + l(s, N + y * HALF, sign) + 0.1 * l(s, f.t[k][y], sign) +
                    0.1 * l(t, N + y * HALF, sign);
        }
    }
    return loss;
}

/* ---- what is promised ---- */

/* The slopes of the formula; number i of M, W, N has its gradient at the same place of `of`. */
static void expect_gradient(world *w, const ni_diffusion *d)
{
    for (int i = 0; i < NUMBERS; i++) {
        double got = (double)(i < W_AT ? d->dM[i] : i < N_AT ? d->dW[i - W_AT] : d->dN[i - N_AT]);
        double slope = slope_of(formula_loss, w, &w->exact[i]);
        if (fabs(slope - got) > 1e-4 * (1 + fabs(slope))) fail_msg("number %d: %g, not %g", i, got, slope);
    }
}

static void a_step_is_the_formula_and_its_gradient_the_slope(void **state)
{
    ni_threads *threads = threads_of(2);
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        world *w = world_create(kind & 1, kind & 2 ? PADDED : 0, kind >= 4);
        ni_diffusion d;
        diffusion_of(w, threads, &d);
        for (int twice = 0; twice < 2; twice++) { /* nothing is left of the step before */
            double loss = ni_diffusion_pass(&d, w->items, ITEMS);
            assert_true(fabs(loss - formula_loss(w)) < 1e-4);
            assert_true(d.count[2] < NODES);
            assert_true(w->batch || (d.count[1] < d.count[2] && d.count[0] < d.count[1]));
            expect_gradient(w, &d);
            ni_diffusion_pass(&d, w->items + 3, 2);
        }
        ni_diffusion_free(&d);
        world_free(w);
    }
    ni_threads_free(threads);
}

static void vectors_are_those_of_the_formula(void **state)
{
    ni_threads *threads = threads_of(1);
    (void)state;
    for (uint32_t padded = 0; padded <= PADDED; padded += PADDED) {
        world *w = world_create(1, padded, false);
        ni_diffusion d;
        formula f;
        float E[NODES][2 * HALF];
        diffusion_of(w, threads, &d); /* in blocks of 21 nodes */
        ni_diffusion_vectors(&d, &E[0][0]);
        fill(w, &f);
        for (int u = 0; u < NODES; u++)
            for (int j = 0; j < HALF; j++) {
                assert_true(fabs((double)E[u][j] - f.t[0][u][j]) < 1e-5);
                assert_true(E[u][HALF + j] == w->x[N_AT + u * HALF + j]);
            }
        ni_diffusion_free(&d);
        world_free(w);
    }
    ni_threads_free(threads);
}

/* Adds t of the sources and targets of a step to those of the steps before. */
static void add_step(world *w, int from, int to, double sum[NODES][HALF], double times[NODES])
{
    formula f;
    w->from = from;
    w->to = to;
    fill(w, &f);
    for (int i = from; i < to; i++)
        for (int place = 0; place < 2; place++) {
            uint32_t u = w->items[3 * i + place];
            times[u]++;
            for (int j = 0; j < HALF; j++) sum[u][j] += f.t[place][u][j];
        }
}

static void in_batches_a_vector_is_the_mean_over_steps(void **state)
{
    enum { CUT = 3 };
    ni_threads *threads = threads_of(2);
    world *w = world_create(1, 0, true);
    double sum[NODES][HALF] = { 0 }, times[NODES] = { 0 };
    float E[NODES][2 * HALF];
    ni_diffusion d;
    formula alone;
    (void)state;
    w->to = 0; /* a step without items: nobody is read */
    fill(w, &alone);
    add_step(w, 0, CUT, sum, times);
    add_step(w, CUT, ITEMS, sum, times);
    diffusion_of(w, threads, &d);
    ni_diffusion_pass(&d, w->items, ITEMS);
    ni_diffusion_vectors(&d, &E[0][0]);
    ni_diffusion_average_begin(&d);
    ni_diffusion_average_add(&d, w->items, CUT);
    ni_diffusion_average_add(&d, w->items + 3 * CUT, ITEMS - CUT);
    ni_diffusion_average_end(&d, &E[0][0]);
    for (int u = 0; u < NODES; u++)
        for (int j = 0; j < HALF; j++) {
            double t = times[u] > 0 ? sum[u][j] / times[u] : alone.t[0][u][j];
            assert_true(fabs((double)E[u][j] - t) < 1e-5);
        }
    ni_diffusion_free(&d);
    world_free(w);
    ni_threads_free(threads);
}

static void expect_no_change(bool batch)
{
    world *w = world_create(1, 0, batch);
    ni_diffusion one;
    ni_threads *alone = threads_of(1);
    diffusion_of(w, alone, &one);
    double loss = ni_diffusion_pass(&one, w->items, ITEMS);
    for (uint32_t count = 2; count <= 4; count++) {
        ni_threads *threads = threads_of(count);
        ni_diffusion d;
        diffusion_of(w, threads, &d);
        assert_true(ni_diffusion_pass(&d, w->items, ITEMS) == loss);
        assert_memory_equal(d.dM, one.dM, WORDS * WIDTH * sizeof *d.dM);
        assert_memory_equal(d.dW, one.dW, 3 * WIDTH * HALF * sizeof *d.dW);
        assert_memory_equal(d.dN, one.dN, NODES * HALF * sizeof *d.dN);
        ni_diffusion_free(&d);
        ni_threads_free(threads);
    }
    ni_diffusion_free(&one);
    ni_threads_free(alone);
    world_free(w);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    expect_no_change(false);
    expect_no_change(true);
}

/* ---- new nodes ---- */

enum { OLD = 12, NEW = 2, TEXT_DIM = 18, DIM = 6 }; /* 18: two stripes of columns */

static neap_model *old_model(void)
{
    neap_graph *g;
    neap_edge edge[OLD + 2];
    for (uint32_t u = 0; u < OLD; u++) edge[u] = (neap_edge){ u, (u + 1) % OLD, 1 + (float)(u % 3) };
    edge[OLD] = (neap_edge){ 0, 5, 2 };
    edge[OLD + 1] = (neap_edge){ 7, 3, 1 };
    assert_int_equal(neap_graph_create(OLD, NULL, edge, OLD + 2, 1, 0, &g, NULL), NEAP_OK);
    neap_model *m = trained(g, options_of("neap", "method", "dmte", "dim", "6", "word-dim", "18", "epochs",
                                          "2", "min-count", "1", "valid", "0", NULL));
    neap_graph_free(g);
    return m;
}

/* Node 12 with three links and a text, of which one word is unknown; node 13 with one link and no text. */
static neap_model *extended(const neap_model *m)
{
    static const neap_edge edge[] = { { 12, 0, 1 }, { 4, 12, 3 }, { 12, 7, 1 }, { 13, 5, 1 } };
    static const char *const text[OLD + NEW] = { [OLD] = "n4 unheard n2 all n4" };
    neap_graph *g;
    neap_model *more;
    neap_text *t;
    assert_int_equal(neap_graph_create(OLD + NEW, NULL, edge, 4, 1, 0, &g, NULL), NEAP_OK);
    assert_int_equal(neap_text_create(g, text, &t, NULL), NEAP_OK);
    neap_data data = { .size = sizeof data, .graph = g, .text = t };
    assert_int_equal(neap_model_extend(m, &data, &more, NULL, NULL), NEAP_OK);
    neap_text_free(t);
    neap_graph_free(g);
    return more;
}

/* Row u of P B, over nodes that were in training; B has `width` columns. */
static void known_hop(const neap_model *m, uint32_t u, const double *B, int width, double *to)
{
    double sum = 0;
    for (int j = 0; j < width; j++) to[j] = 0;
    for (uint64_t i = m->links.offset[u]; i < m->links.offset[u + 1]; i++) {
        double weight = m->links.node[i] < OLD ? (double)m->links.weight[i] : 0;
        sum += weight;
        for (int j = 0; j < width; j++)
            to[j] += weight * B[m->links.node[i] * (uint32_t)width + (uint32_t)j];
    }
    for (int j = 0; j < width; j++) to[j] /= sum;
}

static void expect_vector(const neap_model *m, uint32_t u, const float *got)
{
    static double c[OLD + NEW][TEXT_DIM], x[OLD + NEW][TEXT_DIM], y[TEXT_DIM];
    static const double share[] = { 1, 0.3, 0.1 };
    const float *M = tensor_of(m, "words"), *W = tensor_of(m, "W"), *N = tensor_of(m, "nodes");
    for (uint32_t v = 0; v < OLD + NEW; v++)
        for (uint32_t j = 0; j < TEXT_DIM; j++) {
            double sum = 0, length = ni_text_size(&m->texts, v);
            for (uint64_t i = m->texts.offset[v]; i < m->texts.offset[v + 1]; i++)
                sum += (double)M[m->texts.word[i] * TEXT_DIM + j];
            c[v][j] = length > 0 ? tanh(sum / length) : 0;
        }
    for (uint32_t v = 0; v < OLD + NEW; v++) known_hop(m, v, &c[0][0], TEXT_DIM, x[v]);
    known_hop(m, u, &x[0][0], TEXT_DIM, y);
    const double *hops[] = { c[u], x[u], y };
    for (uint32_t j = 0; j < DIM / 2; j++) {
        double t = 0, n = 0, count = 0;
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t i = 0; i < TEXT_DIM; i++)
                t += share[k] * hops[k][i] * (double)W[(k * TEXT_DIM + i) * (DIM / 2) + j];
        for (uint64_t i = m->links.offset[u]; i < m->links.offset[u + 1]; i++, count++)
            n += (double)N[m->links.node[i] * (DIM / 2) + j];
        assert_true(fabs(t - (double)got[j]) < 1e-5);
        assert_true(fabs(n / count - (double)got[DIM / 2 + j]) < 1e-5);
    }
}

static void a_new_node_reads_its_own_text_and_that_of_its_neighbours(void **state)
{
    neap_model *m = old_model(), *more = extended(m);
    neap_query *q = query_of(more, 1);
    float vectors[OLD + NEW][DIM];
    (void)state;
    assert_int_equal(more->method->vectors(q, &vectors[0][0], NULL), NEAP_OK);
    assert_int_equal(ni_text_size(&more->texts, OLD), 4);
    assert_memory_equal(vectors, tensor_of(m, "E"), OLD * DIM * sizeof(float)); /* the old ones stay */
    for (uint32_t u = OLD; u < OLD + NEW; u++) expect_vector(more, u, vectors[u]);
    neap_query_free(q);
    neap_model_free(more);
    neap_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_the_formula_and_its_gradient_the_slope),
        cmocka_unit_test(vectors_are_those_of_the_formula),
        cmocka_unit_test(in_batches_a_vector_is_the_mean_over_steps),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_new_node_reads_its_own_text_and_that_of_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
