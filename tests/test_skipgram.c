/* The parts of a skip-gram model: its tree, one update, the grid that keeps threads apart, and a step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/sys.h"
#include "walks/learner.h"
#include "walks/skipgram.h"

#include "model/method.h"

/* ---- the tree ---- */

enum { TURNS = 64 };

/* The turns from the root down to a leaf; returns how many. */
static uint32_t code_of(const ni_tree *t, uint32_t leaf, uint8_t *code)
{
    uint32_t inner[TURNS], n;
    uint8_t up[TURNS];
    n = ni_tree_path(t, leaf, inner, up);
    for (uint32_t i = 0; i < n; i++) code[i] = up[n - 1 - i];
    if (n) assert_int_equal(inner[n - 1], t->leaves - 2); /* the root is the last that was made */
    return n;
}

static void expect_prefix_free(const ni_tree *t)
{
    for (uint32_t a = 0; a < t->leaves; a++)
        for (uint32_t b = 0; b < t->leaves; b++) {
            uint8_t x[TURNS], y[TURNS];
            uint32_t m = code_of(t, a, x), n = code_of(t, b, y);
            if (a != b && m <= n) assert_memory_not_equal(x, y, m);
        }
}

/* What every code of these counts costs at least: the sums of all mergers of the two smallest. */
static uint64_t least_cost(const uint64_t *count, uint32_t n)
{
    uint64_t heap[64], cost = 0;
    memcpy(heap, count, n * sizeof *heap);
    for (; n > 1; n--) {
        for (uint32_t k = 1; k <= 2; k++) /* the two smallest to the end */
            for (uint32_t i = 0; i + k < n; i++)
                if (heap[i] < heap[n - k]) {
                    uint64_t other = heap[i];
                    heap[i] = heap[n - k];
                    heap[n - k] = other;
                }
        heap[n - 2] += heap[n - 1];
        cost += heap[n - 2];
    }
    return cost;
}

static void a_tree_of_known_counts_has_the_known_lengths(void **state)
{
    static const uint64_t count[] = { 5, 9, 45, 13, 12, 16 };
    static const uint32_t length[] = { 4, 4, 1, 3, 3, 3 };
    uint8_t code[TURNS];
    ni_tree t;
    (void)state;
    assert_int_equal(ni_tree_create(count, 6, TURNS, &t, NULL), NEAP_OK);
    for (uint32_t u = 0; u < 6; u++) assert_int_equal(code_of(&t, u, code), length[u]);
    assert_int_equal(t.depth, 4);
    expect_prefix_free(&t);
    ni_tree_free(&t);
}

static void trees_are_optimal_and_no_code_begins_another(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 50; n += 7) {
        uint64_t count[64], cost = 0;
        uint8_t code[TURNS];
        ni_tree t;
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, n);
        for (uint32_t u = 0; u < n; u++) count[u] = n == 22 ? 7 : ni_below(&rng, 1u << ni_below(&rng, 12));
        assert_int_equal(ni_tree_create(count, n, TURNS, &t, NULL), NEAP_OK);
        for (uint32_t u = 0; u < n; u++) cost += count[u] * code_of(&t, u, code);
        assert_int_equal(cost, least_cost(count, n));
        expect_prefix_free(&t);
        ni_tree_free(&t);
    }
}

static void a_tree_that_is_too_deep_is_refused(void **state)
{
    uint64_t fibonacci[40] = { 1, 1 };
    ni_tree t;
    neap_error err;
    (void)state;
    for (int i = 2; i < 40; i++) fibonacci[i] = fibonacci[i - 1] + fibonacci[i - 2];
    assert_int_equal(ni_tree_create(fibonacci, 40, 39, &t, &err), NEAP_OK);
    assert_int_equal(t.depth, 39);
    ni_tree_free(&t);
    assert_int_equal(ni_tree_create(fibonacci, 40, 38, &t, &err), NEAP_E_LIMIT);
    assert_non_null(strstr(err.text, "--loss ns"));
}

/* ---- one update ---- */

enum { ROWS = 90, WIDEST = 24 };

typedef struct bench {
    float table[2][ROWS * WIDEST]; /* inputs, outputs; with one table only the first */
    double exact[2][ROWS * WIDEST];
    float scratch[NI_GROUP_SCRATCH * WIDEST];
    bool one;
    ni_group g;
} bench;

/* log s(z) */
static double log_s(double z)
{
    return z > 0 ? -log1p(exp(-z)) : z - log1p(exp(z));
}

static double product(const bench *b, uint32_t in, uint32_t out)
{
    const double *x = b->exact[0] + in * b->g.dim, *y = b->exact[b->one ? 0 : 1] + out * b->g.dim;
    double sum = 0;
    for (size_t i = 0; i < b->g.dim; i++) sum += x[i] * y[i];
    return sum;
}

/* The loss as ni_group has it; an output that is an input's own is no negative of it. */
static double loss_of(const bench *b)
{
    const ni_group *g = &b->g;
    double loss = 0;
    for (uint32_t p = 0; p < g->inputs; p++) {
        if (g->positives) loss -= log_s(product(b, g->input[p], g->positive[p]) - (double)g->bias);
        for (uint32_t q = 0; q < g->outputs; q++) {
            double z = product(b, g->input[p], g->output[q]) - (double)g->shared_bias;
            if (!g->positives || g->output[q] != g->positive[p]) loss -= log_s(g->label[q] ? z : -z);
        }
    }
    return loss;
}

static void set_up(bench *b, size_t dim, uint32_t inputs, uint32_t outputs, bool positives, bool one)
{
    ni_rng rng = ni_rng_at(inputs * 100 + outputs, NI_STREAM_GRAPH, dim, positives);
    *b = (bench){ .one = one };
    b->g = (ni_group){ .k = ni_kernels_get(),
                       .in = b->table[0],
                       .out = b->table[one ? 0 : 1],
                       .dim = dim,
                       .rate = 0.125f,
                       .bias = positives ? 0.5f : 0,
                       .shared_bias = positives ? -0.25f : 0,
                       .inputs = inputs,
                       .outputs = outputs,
                       .positives = positives,
                       .scratch = b->scratch };
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < ROWS * dim; i++) {
            b->table[t][i] = (float)(ni_uniform(&rng) - 0.5);
            b->exact[t][i] = (double)b->table[t][i];
        }
    /* An output may be somebody's positive; with one table outputs are others than inputs. */
    for (uint32_t p = 0; p < inputs; p++) {
        b->g.input[p] = (7 * p + 3) % NI_GROUP_INPUTS;
        b->g.positive[p] = NI_GROUP_INPUTS + (5 * p + 1) % NI_GROUP_INPUTS;
    }
    for (uint32_t q = 0; q < outputs; q++) {
        b->g.output[q] = NI_GROUP_INPUTS + q;
        b->g.label[q] = !positives && q % 3 == 1;
    }
}

static void expect_steps_down_the_gradient(bench *b)
{
    const double h = 1e-5;
    double before = loss_of(b);
    float old[2][ROWS * WIDEST];
    memcpy(old, b->table, sizeof old);
    double loss = ni_group_step(&b->g, true);
    assert_float_equal(loss, before, 1e-3 + 1e-5 * before);
    for (int t = 0; t < (b->one ? 1 : 2); t++)
        for (size_t i = 0; i < ROWS * b->g.dim; i++) {
            double x = b->exact[t][i], up, down;
            b->exact[t][i] = x + h, up = loss_of(b);
            b->exact[t][i] = x - h, down = loss_of(b);
            b->exact[t][i] = x;
            double due = -(double)b->g.rate * (up - down) / (2 * h);
            assert_float_equal((double)b->table[t][i] - (double)old[t][i], due, 2e-6);
        }
}

static void an_update_steps_down_the_gradient_of_its_loss(void **state)
{
    static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 7 }, { 2, 3 }, { 5, 2 }, { 9, 6 }, { 16, 5 } };
    static bench b;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 4; kind++) {
            set_up(&b, kind & 1 ? 8 : 5, sizes[i][0], sizes[i][1], true, kind & 2);
            expect_steps_down_the_gradient(&b);
        }
    set_up(&b, WIDEST, 16, 64, true, false);
    expect_steps_down_the_gradient(&b);
}

/* A quick look at rows takes them modulo 64. */
static void rows_that_look_alike_are_told_apart(void **state)
{
    static bench b;
    (void)state;
    set_up(&b, 8, 16, 5, true, false);
    for (uint32_t p = 1; p < 16; p += 2) b.g.input[p] = b.g.input[p - 1] + 64;
    b.g.output[0] = b.g.positive[0] + 64;
    expect_steps_down_the_gradient(&b);
}

/* Rows that come more than once make their steps one after the other: to first order, the same. */
static void repeated_rows_make_all_their_steps(void **state)
{
    static bench b;
    float old[2][ROWS * WIDEST];
    (void)state;
    set_up(&b, 8, 16, 5, true, false);
    for (uint32_t p = 0; p < 16; p++) b.g.input[p] = p % 3, b.g.positive[p] = 16 + p % 2;
    b.g.rate = 1e-3F;
    memcpy(old, b.table, sizeof old);
    double before = loss_of(&b);
    ni_group_step(&b.g, false);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < ROWS * b.g.dim; i++) {
            double x = b.exact[t][i];
            b.exact[t][i] = x + 1e-5;
            double due = -1e-3 * (loss_of(&b) - before) / 1e-5;
            b.exact[t][i] = x;
            assert_float_equal((double)b.table[t][i] - (double)old[t][i], due, 1e-6 + 0.02 * fabs(due));
        }
}

static void an_update_by_a_tree_steps_down_the_gradient_of_its_loss(void **state)
{
    static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 5 }, { 3, 7 }, { 16, 4 }, { 16, 19 } };
    static bench b;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        set_up(&b, i % 2 ? 16 : 7, sizes[i][0], sizes[i][1], false, false);
        expect_steps_down_the_gradient(&b);
    }
}

/* Nothing is left of 1 - s in a float next to 1: the loss is made from z. */
static void a_sure_mistake_has_the_loss_of_its_size(void **state)
{
    static bench b;
    (void)state;
    set_up(&b, 8, 1, 1, true, false);
    b.g.input[0] = b.g.output[0] = 0;
    b.g.positive[0] = 1;
    for (uint32_t i = 0; i < 8; i++) b.table[0][i] = b.table[1][i] = 3, b.table[1][8 + i] = -3;
    double loss = ni_group_step(&b.g, true);
    assert_float_equal(loss, 72 + (double)b.g.bias + 72 - (double)b.g.shared_bias, 1e-3);
}

static void what_is_not_a_number_has_no_loss(void **state)
{
    static bench b;
    (void)state;
    set_up(&b, 8, 2, 2, true, false);
    b.table[0][b.g.input[0] * 8] = NAN;
    assert_true(isnan(ni_group_step(&b.g, true)));
}

/* ---- the grid ---- */

typedef struct watch {
    const ni_grid *grid;
    atomic_uint runs[3 * NI_RANGES_MOST * NI_RANGES_MOST];
    atomic_uint busy[3][NI_RANGES_MOST];
    atomic_uint meetings;
} watch;

static void watch_block(void *arg, uint32_t block, uint32_t thread)
{
    watch *w = arg;
    uint32_t n = w->grid->ranges, j = block % n, i = block / n % n, layer = block / n / n;
    (void)thread;
    atomic_fetch_add(&w->runs[block], 1);
    unsigned others = atomic_fetch_add(&w->busy[layer][i], 1);
    if (i != j) others += atomic_fetch_add(&w->busy[layer][j], 1);
    atomic_fetch_add(&w->meetings, others);
    for (volatile int wait = 0; wait < 2000; wait++) continue;
    atomic_fetch_sub(&w->busy[layer][i], 1);
    if (i != j) atomic_fetch_sub(&w->busy[layer][j], 1);
}

static void every_block_runs_once_and_none_beside_another_of_its_ranges(void **state)
{
    static const uint32_t ranges[] = { 1, 2, 4, 16 };
    uint64_t weight[100];
    ni_threads *pool;
    (void)state;
    for (int u = 0; u < 100; u++) weight[u] = 1;
    assert_int_equal(ni_threads_create(4, &pool, NULL), NEAP_OK);
    for (int i = 0; i < 4; i++)
        for (uint32_t layers = 1; layers <= 3; layers += 2) {
            ni_grid g;
            watch w = { .grid = &g };
            assert_int_equal(ni_grid_create(100, layers, ranges[i], weight, 1, 1, &g, NULL), NEAP_OK);
            ni_grid_run(&g, pool, watch_block, &w);
            for (uint32_t b = 0; b < ni_grid_blocks(&g); b++) assert_int_equal(w.runs[b], 1);
            assert_int_equal(w.meetings, 0);
            ni_grid_free(&g);
        }
    ni_threads_free(pool);
}

static void every_node_is_in_one_range_and_ranges_are_alike(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 63, 127, 128, 1000, 5000 }, due[] = { 1, 1, 1, 1, 2, 8, 16 };
    uint64_t *weight = malloc(5000 * sizeof *weight);
    (void)state;
    for (int u = 0; u < 5000; u++) weight[u] = 1;
    for (int i = 0; i < 7; i++) {
        ni_grid g;
        uint8_t seen[5000] = { 0 };
        assert_int_equal(ni_grid_create(sizes[i], 1, 0, weight, 1, 1, &g, NULL), NEAP_OK);
        assert_int_equal(g.ranges, due[i]);
        assert_int_equal(g.start[g.ranges], sizes[i]);
        for (uint32_t r = 0; r < g.ranges; r++) {
            assert_in_range(g.start[r + 1] - g.start[r], sizes[i] / g.ranges, sizes[i] / g.ranges + 1);
            for (uint32_t k = g.start[r]; k < g.start[r + 1]; k++) {
                assert_int_equal(g.range[g.member[k]], r);
                assert_int_equal(seen[g.member[k]]++, 0);
            }
        }
        ni_grid_free(&g);
    }
    free(weight);
}

/* ---- a step ---- */

/* Pairs of short walks; neither tasks nor steps divide an epoch. */
enum { NODES = 150, LAYERS = 4, ROUNDS = 4, LENGTH = 5, PER_TASK = 9 * LENGTH, STEP = 5 * PER_TASK };

typedef struct town {
    neap_graph *graph;
    ni_links links;
    ni_walker walker;
    ni_windows windows;
    ni_source source;
} town;

/* With several layers each has the pairs of one distance. */
static void build(town *t, uint32_t layers)
{
    neap_generator what = { .size = sizeof what, .kind = "er", .nodes = NODES, .edges = 300, .seed = 3 };
    assert_int_equal(neap_graph_generate(&what, &t->graph, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(t->graph, &t->links, NULL), NEAP_OK);
    assert_int_equal(ni_walker_create(t->graph, &t->links, false, 1, 1, &t->walker, NULL), NEAP_OK);
    t->windows = (ni_windows){ .walker = &t->walker,
                               .rounds = ROUNDS,
                               .length = LENGTH,
                               .window = layers > 1 ? layers : 2,
                               .scales = layers > 1,
                               .seed = 3 };
    t->source = ni_windows_source(&t->windows);
    t->source.per_task = PER_TASK;
}

static void tear_down(town *t)
{
    ni_walker_free(&t->walker);
    ni_links_free(&t->links);
    neap_graph_free(t->graph);
}

/* All pairs of an epoch, in a new block. */
static ni_couple *all_pairs(const ni_source *s, uint64_t *pairs)
{
    ni_couple *pair = malloc(s->positions * s->couples * sizeof *pair);
    void *scratch = malloc(s->scratch);
    *pairs = 0;
    for (uint64_t first = 0; first < s->positions; first += s->per_task)
        *pairs +=
            ni_source_make(s, 0, first, (uint32_t)(ni_task_end(first, s->per_task, s->positions) - first),
                           scratch, pair + *pairs);
    free(scratch);
    return pair;
}

/* One epoch on tables as they are; without `out` inputs and outputs are the same. */
static void run_epoch(const ni_source *source, uint32_t layers, uint32_t threads, uint32_t negatives,
                      float bias, double rate, uint32_t dim, float *in, float *out)
{
    uint64_t weight[NODES], step = 0;
    double loss;
    ni_grid grid;
    ni_threads *pool;
    for (uint32_t u = 0; u < NODES; u++) weight[u] = 1 + u % 7;
    assert_int_equal(ni_grid_create(NODES, layers, 8, weight, 0.75, 1, &grid, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(threads, &pool, NULL), NEAP_OK);
    ni_skipgram s = { .source = *source,
                      .grid = &grid,
                      .threads = pool,
                      .in = in,
                      .out = out,
                      .tied = out ? 0 : layers,
                      .dim = dim,
                      .negatives = negatives,
                      .bias = bias,
                      .seed = 1 };
    assert_int_equal(ni_skipgram_create(&s, STEP, NULL), NEAP_OK);
    for (uint64_t first = 0; first < source->positions; first += STEP)
        ni_skipgram_step(&s, 0, first, step++, rate, &loss);
    assert_true(isfinite(loss));
    ni_skipgram_free(&s);
    ni_threads_free(pool);
    ni_grid_free(&grid);
}

/* With a huge bias every pair adds rate x its output to its input; with unit vectors as outputs, inputs
 * count pairs. (What outputs gain from inputs is of the order of rate^2.) */
static void every_pair_is_trained_once(void **state)
{
    const double rate = 1e-5;
    (void)state;
    for (uint32_t layers = 1; layers <= LAYERS; layers += LAYERS - 1) {
        uint32_t rows = NODES * layers;
        float *in = calloc(rows * NODES, sizeof *in), *out = calloc(rows * NODES, sizeof *out);
        town t;
        uint64_t pairs;
        build(&t, layers);
        ni_couple *pair = all_pairs(&t.source, &pairs);
        for (uint32_t r = 0; r < rows; r++) out[r * NODES + r / layers] = 1;
        run_epoch(&t.source, layers, 2, 0, 1000, rate, NODES, in, out);
        assert_true(pairs > t.source.positions && t.source.positions % STEP &&
                    STEP % t.source.per_task == 0);
        for (uint64_t i = 0; i < pairs; i++) in[pair[i].in * NODES + pair[i].out / layers] -= (float)rate;
        for (uint32_t i = 0; i < rows * NODES; i++) assert_float_equal(in[i], 0, rate / 100);
        tear_down(&t);
        free(pair);
        free(in);
        free(out);
    }
}

static void threads_do_not_change_a_step(void **state)
{
    enum { DIM = 12, CELLS = NODES * LAYERS * DIM };
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        uint32_t layers = kind & 1 ? LAYERS : 1;
        town t;
        build(&t, layers);
        static float start[2][CELLS], table[2][CELLS], first[2][CELLS];
        for (uint32_t i = 0; i < 2 * CELLS; i++) start[i / CELLS][i % CELLS] = (float)(i % 97) / 97 - 0.5f;
        for (uint32_t threads = 1; threads <= 4; threads *= 2) {
            memcpy(table, start, sizeof table);
            run_epoch(&t.source, layers, threads, 5, 0, 0.05, DIM, table[0], kind & 2 ? NULL : table[1]);
            if (threads == 1) memcpy(first, table, sizeof first);
            assert_memory_equal(table, first, sizeof first);
        }
        assert_memory_not_equal(table[0], start[0], sizeof start[0]);
        tear_down(&t);
    }
}

static void more_rows_than_can_be_numbered_are_refused(void **state)
{
    neap_model m = { .method = ni_method_find("walklets", NULL) };
    ni_learner l = { .run = { .model = &m }, .rows = 1u << 31, .layers = 2 };
    ni_source none = { 0 };
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(ni_learner_begin(&l, &none, NULL, 0, &err), NEAP_E_LIMIT);
    assert_non_null(strstr(err.text, "2147483648 vectors of 2 parts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_known_counts_has_the_known_lengths),
        cmocka_unit_test(trees_are_optimal_and_no_code_begins_another),
        cmocka_unit_test(a_tree_that_is_too_deep_is_refused),
        cmocka_unit_test(an_update_steps_down_the_gradient_of_its_loss),
        cmocka_unit_test(rows_that_look_alike_are_told_apart),
        cmocka_unit_test(repeated_rows_make_all_their_steps),
        cmocka_unit_test(an_update_by_a_tree_steps_down_the_gradient_of_its_loss),
        cmocka_unit_test(a_sure_mistake_has_the_loss_of_its_size),
        cmocka_unit_test(what_is_not_a_number_has_no_loss),
        cmocka_unit_test(every_block_runs_once_and_none_beside_another_of_its_ranges),
        cmocka_unit_test(every_node_is_in_one_range_and_ranges_are_alike),
        cmocka_unit_test(every_pair_is_trained_once),
        cmocka_unit_test(threads_do_not_change_a_step),
        cmocka_unit_test(more_rows_than_can_be_numbered_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
