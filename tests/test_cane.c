/* CANE: its plain form against finite differences in double, batches with collapsed padding against the
 * plain form, the same bits for any number of threads, and the method from training to queries. */
#define NI_REFERENCE_DOUBLE
#include "encoders/cnn_reference.c"
#include "methods/cane_reference.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "settings.h"

#include "base/rng.h"
#include "methods/cane_pairs.h"
#include "slopes.h"

/* ---- a few nodes with texts, and the same numbers as floats and as doubles ---- */

enum { NODES = 7, WORDS = 9, H = 5, L = 8, ITEMS = 6 };

/* No word, one, all but one or two of L, L, and more than L. */
static const uint32_t sizes[NODES] = { 3, 0, 1, L, L - 1, L - 2, L + 4 };

/* Nodes come more than once, as sources, targets and negatives; one meets itself. */
static const uint32_t items[ITEMS * 3] = { 0, 1, 2, 0, 3, 1, 2, 0, 4, 3, 5, 6, 5, 6, 0, 6, 6, 3 };

typedef struct world {
    bool padded;
    ni_texts texts;
    uint64_t offset[NODES + 1];
    uint32_t word[NODES * (L + 4)];
    uint32_t padded_words[NODES][L];
    float E[NODES * H], words[(WORDS + 1) * H], C[2 * H * H], R[H * H];
    double dbl_E[NODES * H], dbl_words[(WORDS + 1) * H], dbl_C[2 * H * H], dbl_R[H * H];
    double dE[NODES * H], dwords[(WORDS + 1) * H], dC[2 * H * H], dR[H * H];
    ni_ref_cane reference;
    double *work;
} world;

static void draw(ni_rng *rng, double scale, uint64_t count, float *x, double *same)
{
    for (uint64_t i = 0; i < count; i++) same[i] = x[i] = (float)(scale * ni_normal(rng));
}

static world *world_create(bool padded)
{
    world *w = calloc(1, sizeof *w);
    ni_rng rng = ni_rng_at(5, NI_STREAM_GRAPH, 0, 0);
    assert_non_null(w);
    w->padded = padded;
    for (uint32_t u = 0; u < NODES; u++) {
        w->offset[u + 1] = w->offset[u] + sizes[u];
        for (uint64_t i = w->offset[u]; i < w->offset[u + 1]; i++)
            w->word[i] = (uint32_t)ni_below(&rng, WORDS);
        for (uint32_t i = 0; i < L; i++)
            w->padded_words[u][i] = i < sizes[u] ? w->word[w->offset[u] + i] : WORDS;
    }
    w->texts = (ni_texts){ .nodes = NODES, .words.count = WORDS, .offset = w->offset, .word = w->word };
    draw(&rng, 0.45, NODES * H, w->E, w->dbl_E); /* lengths on both sides of 1 */
    draw(&rng, 0.5, (WORDS + 1) * H, w->words, w->dbl_words);
    draw(&rng, 0.5, 2 * H * H, w->C, w->dbl_C);
    draw(&rng, 0.5, H * H, w->R, w->dbl_R);
    w->reference = (ni_ref_cane){ H, L, w->dbl_E, w->dbl_words, w->dbl_C, w->dbl_R, { 1, 0.3, 0.7 } };
    w->work = calloc(ni_ref_cane_room(&w->reference), sizeof *w->work);
    assert_non_null(w->work);
    return w;
}

static void world_free(world *w)
{
    free(w->work);
    free(w);
}

static ni_ref_cane_node node_of(const world *w, uint32_t u)
{
    uint32_t windows = sizes[u] < L - 1 ? sizes[u] : L - 1;
    return (ni_ref_cane_node){ u, w->padded_words[u], w->padded ? L - 1 : windows ? windows : 1 };
}

/* The loss of all items; the gradients are added. */
static double reference_loss(void *of)
{
    world *w = of;
    double sum = 0;
    ni_ref_cane_gradients g = { w->dE, w->dwords, w->dC, w->dR };
    for (const uint32_t *i = items; i < items + ITEMS * 3; i += 3) {
        ni_ref_cane_node item[3] = { node_of(w, i[0]), node_of(w, i[1]), node_of(w, i[2]) };
        sum += ni_ref_cane_loss(&w->reference, item, &g, w->work);
    }
    return sum;
}

/* ---- the reference ---- */

static void expect_reference(bool padded)
{
    world *w = world_create(padded), *kept = malloc(sizeof *kept);
    uint32_t longer = 0;
    assert_non_null(kept);
    reference_loss(w);
    memcpy(kept, w, sizeof *kept);
    for (uint32_t u = 0; u < NODES; u++) longer += ni_length(w->E + u * H, H) > 1;
    assert_in_range(longer, 1, NODES - 1); /* both sides of the clip */
    expect_slopes(reference_loss, w, w->dbl_E, NODES * H, kept->dE, 1e-7);
    expect_slopes(reference_loss, w, w->dbl_words, (WORDS + 1) * H, kept->dwords, 1e-7);
    expect_slopes(reference_loss, w, w->dbl_C, 2 * H * H, kept->dC, 1e-7);
    expect_slopes(reference_loss, w, w->dbl_R, H * H, kept->dR, 1e-7);
    free(kept);
    world_free(w);
}

static void gradients_of_the_reference_are_slopes(void **state)
{
    (void)state;
    expect_reference(true);
    expect_reference(false);
}

/* ---- batches ---- */

static ni_cane_batch *batch_of(const world *w, uint32_t threads, ni_threads **pool)
{
    ni_cane_weights weights = { H, L, w->padded, NODES, &w->texts, w->E, w->words, w->C, w->R };
    ni_cane_batch *b;
    assert_int_equal(ni_threads_create(threads, pool, NULL), NEAP_OK);
    assert_int_equal(ni_cane_batch_create(&weights, *pool, &b, NULL), NEAP_OK);
    return b;
}

static void batch_free(ni_cane_batch *b, ni_threads *pool)
{
    ni_cane_batch_free(b);
    ni_threads_free(pool);
}

/* Windows that a batch has of a text: padding makes one, or none. */
static uint32_t windows_left(const world *w, uint32_t u)
{
    uint32_t windows = sizes[u] + (w->padded || !sizes[u]);
    return windows < L - 1 ? windows : L - 1;
}

static void expect_pair(world *w, const ni_cane_batch *b, size_t i, uint32_t source, uint32_t target)
{
    uint32_t node[2] = { source, target };
    ni_ref_cane_node pair[2] = { node_of(w, source), node_of(w, target) };
    double t[2 * H];
    ni_ref_cane_pair(&w->reference, pair, t, w->work);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t windows;
        double sum = 0;
        const float *weight = ni_cane_attention(b, i, k, &windows);
        assert_int_equal(windows, windows_left(w, node[k]));
        for (uint32_t j = 0; j < windows; j++) sum += (double)weight[j];
        assert_true(fabs(sum - 1) < 1e-6);
        for (uint32_t q = 0; q < H; q++)
            assert_true(fabs((double)ni_cane_text(b, i, k)[q] - t[k * H + q]) < 1e-6);
    }
}

static void collapsed_padding_changes_no_vector(void **state)
{
    neap_pair pairs[NODES * NODES];
    (void)state;
    for (uint32_t i = 0; i < NODES * NODES; i++) pairs[i] = (neap_pair){ i / NODES, i % NODES };
    for (int padded = 0; padded < 2; padded++) {
        world *w = world_create(padded);
        ni_threads *pool;
        ni_cane_batch *b = batch_of(w, 2, &pool);
        assert_int_equal(ni_cane_read(b, pairs, NODES * NODES, NULL), NEAP_OK);
        for (uint32_t i = 0; i < NODES * NODES; i++) expect_pair(w, b, i, pairs[i].source, pairs[i].target);
        assert_int_equal(ni_cane_read(b, pairs, 0, NULL), NEAP_OK);
        batch_free(b, pool);
        world_free(w);
    }
}

/* A gradient by rows, or of all rows, as a whole matrix. */
static void expect_gradient(const ni_gradient *g, uint64_t rows, const double *wanted)
{
    float *whole = calloc(rows * H, sizeof *whole);
    assert_non_null(whole);
    for (uint64_t i = 0; i < (g->row ? g->rows : rows); i++) {
        float *to = whole + (g->row ? g->row[i] : i) * H;
        for (uint32_t q = 0; q < H; q++) to[q] += g->values[i * H + q];
    }
    for (uint64_t i = 0; i < rows * H; i++) assert_true(fabs((double)whole[i] - wanted[i]) < 1e-5);
    free(whole);
}

static const ni_cane_rho rho = { 1, 0.3, 0.7 };

/* After another batch, whose numbers are still in memory. */
static void expect_step(bool padded, uint32_t threads)
{
    world *w = world_create(padded);
    ni_threads *pool;
    ni_cane_batch *b = batch_of(w, threads, &pool);
    ni_cane_gradients g;
    double loss = reference_loss(w);
    assert_int_equal(ni_cane_step(b, &rho, items + 3, ITEMS - 2, &g, NULL), NEAP_OK);
    assert_int_equal(ni_cane_step(b, &rho, items, ITEMS, &g, NULL), NEAP_OK);
    assert_true(fabs(g.loss - loss) < 1e-5);
    expect_gradient(&g.E, NODES, w->dE);
    expect_gradient(&g.words, WORDS + 1, w->dwords);
    expect_gradient(&g.C, 2 * (uint64_t)H, w->dC);
    expect_gradient(&g.R, H, w->dR);
    assert_int_equal(ni_cane_step(b, &rho, items, 0, &g, NULL), NEAP_OK);
    assert_true(g.loss == 0);
    batch_free(b, pool);
    world_free(w);
}

static void a_step_on_a_batch_is_the_sum_of_the_reference(void **state)
{
    (void)state;
    expect_step(true, 2);
    expect_step(false, 1);
}

/* ---- explanations ---- */

enum { PEOPLE = 60, CIRCLES = 10, NOISE = 30, TALK = 7 };

/* Circles in which everybody is linked with everybody. */
static neap_graph *circles(void)
{
    neap_edge edge[PEOPLE * PEOPLE / CIRCLES];
    neap_graph *g;
    size_t edges = 0;
    for (uint32_t u = 0; u < PEOPLE; u++)
        for (uint32_t v = u + CIRCLES; v < PEOPLE; v += CIRCLES) edge[edges++] = (neap_edge){ u, v, 1 };
    assert_int_equal(neap_graph_create(PEOPLE, NULL, edge, edges, 0, 1, &g, NULL), NEAP_OK);
    return g;
}

/* Words that everybody may use, and among them one that only the circle has. */
static neap_text *talk_of(const neap_graph *g)
{
    static char text[PEOPLE][16 * TALK + 16];
    const char *all[PEOPLE];
    neap_text *out;
    for (uint32_t u = 0; u < PEOPLE; u++) {
        ni_rng rng = ni_rng_at(1, NI_STREAM_GRAPH, 0, u);
        uint32_t place = (uint32_t)ni_below(&rng, TALK);
        char *at = text[u];
        for (uint32_t i = 0; i < TALK; i++) {
            if (i == place) at += sprintf(at, "key%u ", u % CIRCLES);
            at += sprintf(at, "noise%u ", (unsigned)ni_below(&rng, NOISE));
        }
        all[u] = text[u];
    }
    assert_int_equal(neap_text_create(g, all, &out, NULL), NEAP_OK);
    return out;
}

/* Whether the word of the circle moves the score most. */
static bool expect_reasons(const neap_explanation *x, const neap_reasons *r, uint32_t node)
{
    double weight = (double)r->rest_weight, contribution = (double)r->rest_contribution;
    uint32_t best = 0;
    char word[16];
    assert_int_equal(r->count, TALK + 1);
    for (uint32_t i = 0; i < r->count; i++) {
        weight += (double)r->weight[i], contribution += (double)r->contribution[i];
        if (r->contribution[i] > r->contribution[best]) best = i;
    }
    assert_true(fabs(weight - 1) < 1e-5);
    assert_true(fabs(contribution - (double)x->score) < 1e-4 * (1 + fabs((double)x->score)));
    snprintf(word, sizeof word, "key%u", node % CIRCLES);
    return !strcmp(r->word[best], word);
}

static void count_found(const neap_model *m, uint32_t *found, uint32_t *sides)
{
    for (uint32_t u = 0; u + CIRCLES < PEOPLE; u++) {
        neap_explanation *x;
        float score;
        neap_pair pair = { u, u + CIRCLES };
        assert_int_equal(neap_model_explain(m, pair.source, pair.target, &x, NULL), NEAP_OK);
        assert_int_equal(neap_model_score(m, &pair, 1, &score, NULL), NEAP_OK);
        assert_true(x->words && !x->selects && x->score == score);
        *found += expect_reasons(x, x->by_source, pair.source);
        *found += expect_reasons(x, x->by_target, pair.target);
        *sides += 2;
        neap_explanation_free(x);
    }
}

/* With padding, too, which takes attention. */
static void a_word_that_only_linked_nodes_share_is_found(void **state)
{
    static const char *const padding[] = { "no", "yes" };
    neap_graph *g = circles();
    neap_text *text = talk_of(g);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    (void)state;
    for (int i = 0; i < 2; i++) {
        neap_options *o =
            options_of("neap", "method", "cane", "dim", "32", "epochs", "60", "lr", "0.01", "valid", "0",
                       "text-length", "12", "attend-padding", padding[i], "threads", "1", NULL);
        neap_model *m;
        uint32_t found = 0, sides = 0;
        assert_int_equal(neap_train(&data, o, NULL, &m, NULL), NEAP_OK);
        count_found(m, &found, &sides);
        assert_true(sides == 2 * (PEOPLE - CIRCLES) && found > sides * 6 / 10);
        neap_model_free(m);
        neap_options_free(o);
    }
    neap_text_free(text);
    neap_graph_free(g);
}

static void means_have_no_explanation(void **state)
{
    neap_graph *g = circles();
    neap_model *m = trained(g, options_of("authors", "method", "cane", "dim", "8", "epochs", "1", NULL));
    neap_explanation *x;
    neap_error err = { 0 };
    (void)state;
    assert_int_equal(neap_model_explain(m, 0, 1, &x, &err), NEAP_E_ARG);
    assert_non_null(strstr(err.text, "--score-by context"));
    neap_model_free(m);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_the_reference_are_slopes),
        cmocka_unit_test(collapsed_padding_changes_no_vector),
        cmocka_unit_test(a_step_on_a_batch_is_the_sum_of_the_reference),
        cmocka_unit_test(a_word_that_only_linked_nodes_share_is_found),
        cmocka_unit_test(means_have_no_explanation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
