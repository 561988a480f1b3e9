/* Evidence of texts and of eigenvectors against the slow, obvious definition; test_evidence.c has the rest.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/measure.h"
#include "trials.h"

enum { N = MESSY_NODES, WORDS = 14, TEXT_DIM = 5, DIM = 6 };

/* A graph with loops, a hub and a node without links; every seventh node has no text. */
typedef struct world {
    neap_graph *graph;
    ni_links links;
    ni_view view;
    ni_threads *threads;
    double word[N][WORDS]; /* rows of length 1 */
    uint32_t start[N], end[N], near[N * NI_NEAR_MOST];
    ni_term term[N * WORDS];
    float vector[N * TEXT_DIM], cosine[N * NI_NEAR_MOST];
    float node[N * NI_NODE_VALUES], value[DIM], eigen[N * DIM];
    ni_attributes attributes;
    ni_globals globals;
} world;

static void fill_texts(world *w)
{
    uint32_t at = 0;
    for (uint32_t u = 0; u < N; u++) {
        ni_rng rng = ni_rng_at(9, NI_STREAM_GRAPH, 1, u);
        double length = 0, long_vector = 0, vector[TEXT_DIM];
        for (uint32_t c = 0; c < WORDS && u % 7; c++)
            w->word[u][c] = ni_uniform(&rng) < 0.3 || c == u % WORDS ? 0.2 + ni_uniform(&rng) : 0;
        for (uint32_t c = 0; c < WORDS; c++) length += w->word[u][c] * w->word[u][c];
        w->start[u] = at;
        for (uint32_t c = 0; c < WORDS && length > 0; c++) {
            w->word[u][c] /= sqrt(length);
            if (w->word[u][c] > 0) w->term[at++] = (ni_term){ c, (float)w->word[u][c] };
        }
        w->end[u] = at;
        for (int k = 0; k < TEXT_DIM; k++) {
            vector[k] = u % 7 ? ni_normal(&rng) : 0;
            long_vector += vector[k] * vector[k];
        }
        for (int k = 0; k < TEXT_DIM && u % 7; k++)
            w->vector[u * TEXT_DIM + k] = (float)(vector[k] / sqrt(long_vector));
    }
    w->attributes = (ni_attributes){ .columns = WORDS, .dim = TEXT_DIM };
    w->attributes.terms =
        (ni_sparse){ .rows = N, .nonzeros = at, .start = w->start, .end = w->end, .term = w->term };
    w->attributes.vector = w->vector, w->attributes.near = w->near, w->attributes.cosine = w->cosine;
}

/* Any numbers will do: evidence is a formula of them. */
static void fill_eigenpairs(world *w)
{
    ni_rng rng = ni_rng_at(9, NI_STREAM_GRAPH, 2, 0);
    for (int i = 0; i < DIM; i++) w->value[i] = (float)((i % 3 == 2 ? -1 : 1) * (1 - 0.1 * i));
    for (int i = 0; i < N * DIM; i++) w->eigen[i] = (float)ni_normal(&rng) / 8;
    memset(w->eigen + (N - 1) * DIM, 0, DIM * sizeof *w->eigen);
}

static world *make(int undirected, int weighted)
{
    world *w = calloc(1, sizeof *w);
    bool bounded;
    w->graph = messy_graph_of(3, weighted, undirected);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
    assert_int_equal(ni_view_create(w->graph, &w->links, &w->view, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(2, &w->threads, NULL), NEAP_OK);
    assert_int_equal(ni_node_values(&w->view, w->threads, w->node, NULL), NEAP_OK);
    fill_texts(w);
    fill_eigenpairs(w);
    assert_int_equal(
        ni_attributes_near(&w->attributes.terms, WORDS, 0, w->threads, w->near, w->cosine, &bounded, NULL),
        NEAP_OK);
    assert_false(bounded);
    w->globals = (ni_globals){ .view = &w->view, .groups = ~0u, .dim = DIM, .attributes = &w->attributes };
    w->globals.node = w->node, w->globals.value = w->value, w->globals.vector = w->eigen;
    assert_int_equal(ni_globals_finish(&w->globals, w->threads, NULL), NEAP_OK);
    return w;
}

static void end(world *w)
{
    ni_globals_free(&w->globals);
    ni_view_free(&w->view);
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    ni_threads_free(w->threads);
    free(w);
}

static void close_to(double slow, float fast, const char *what, uint32_t s, uint32_t t)
{
    if (isnan(slow) != isnan(fast) || fabs(slow - (double)fast) > 2e-5 * (1 + fabs(slow)))
        fail_msg("%s of %u, %u: %.9g, not %.9g", what, s, t, (double)fast, slow);
}

/* ---- definitions ---- */

static bool has_text(uint32_t u)
{
    return u % 7 != 0;
}

static double cosine(const world *w, uint32_t s, uint32_t t)
{
    double sum = 0;
    for (int c = 0; c < WORDS; c++) sum += w->word[s][c] * w->word[t][c];
    return sum;
}

static double closeness(const world *w, uint32_t s, uint32_t t)
{
    double sum = 0;
    for (int k = 0; k < TEXT_DIM; k++)
        sum += (double)w->vector[s * TEXT_DIM + k] * (double)w->vector[t * TEXT_DIM + k];
    return sum;
}

static double weight(const world *w, uint32_t s, uint32_t t)
{
    uint64_t i = ni_view_find(&w->view, s, t);
    return i < w->links.offset[s + 1] ? (double)ni_view_weight(&w->view, i) : 0;
}

/* The text of t beside those of the neighbours of s; NaN: t has none. */
static double around(const world *w, uint32_t s, uint32_t t)
{
    double sum = 0, count = 0;
    for (uint32_t x = 0; x < N; x++)
        if (weight(w, s, x) > 0 && has_text(x)) sum += closeness(w, x, t), count++;
    if (!has_text(t)) return (double)NAN;
    return count > 0 ? sum / count : 0;
}

/* Links, and each node's ten nearest texts by their cosine, in both directions. */
static void unite(const world *w, double a[N][N])
{
    for (uint32_t s = 0; s < N; s++)
        for (uint32_t t = 0; t < N; t++) a[s][t] = weight(w, s, t);
    for (uint32_t s = 0; s < N; s++)
        for (int i = 0; i < NI_NEAR_MOST; i++) {
            uint32_t x = w->near[s * NI_NEAR_MOST + i];
            double c = (double)w->cosine[s * NI_NEAR_MOST + i];
            if (c > 0) a[s][x] += c, a[x][s] += c;
        }
}

static double sum_of(const double *row)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += row[i];
    return sum;
}

/* Where walks of at most eight steps from s are that restart with probability 0.15. */
static void walk(double a[N][N], uint32_t s, double out[N])
{
    double here[N] = { 0 }, next[N], share = 0.15;
    here[s] = 1;
    memset(out, 0, N * sizeof *out);
    for (int step = 0; step < NI_WALK_STEPS; step++) {
        memset(next, 0, sizeof next);
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                if (a[u][v] > 0) next[v] += here[u] * a[u][v] / sum_of(a[u]);
        share *= 0.85;
        for (int v = 0; v < N; v++) out[v] += share * next[v];
        memcpy(here, next, sizeof here);
    }
}

static void check_texts(const world *w, const double *to, double back, uint32_t s, uint32_t t,
                        const float *value)
{
    bool both = has_text(s) && has_text(t);
    double one = around(w, s, t), two = around(w, t, s);
    bool swap = !w->view.way && (two < one || (isnan(two) && !isnan(one)));
    close_to(both ? closeness(w, s, t) : (double)NAN, value[NI_KIND_TEXT], "text", s, t);
    close_to(both ? cosine(w, s, t) : (double)NAN, value[NI_KIND_WORDS], "words", s, t);
    close_to(swap ? two : one, value[NI_KIND_TEXT_TO], "text around s", s, t);
    close_to(swap ? one : two, value[NI_KIND_TEXT_FROM], "text around t", s, t);
    close_to(w->view.way ? to[t] : to[t] + back, value[NI_KIND_TEXT_PPR], "text ppr", s, t);
}

static void check_spectral(const world *w, uint32_t s, uint32_t t, const float *value)
{
    double sum[2] = { 0 }, length[2] = { 0 };
    double both = sqrt(fmax(1, (double)w->view.strength[s]) * fmax(1, (double)w->view.strength[t]));
    for (int i = 0; i < DIM; i++) {
        double a = (double)w->value[i], x = (double)w->eigen[s * DIM + i],
               y = (double)w->eigen[t * DIM + i];
        sum[0] += a * x * y, sum[1] += a * a * a * x * y;
        length[0] += fabs(a) * x * x, length[1] += fabs(a) * y * y;
    }
    double lengths = sqrt(length[0] * length[1]);
    close_to(sum[0] * both, value[NI_KIND_SPECTRAL_1], "spectral 1", s, t);
    close_to(sum[1] * both, value[NI_KIND_SPECTRAL_3], "spectral 3", s, t);
    close_to(lengths > 0 ? sum[0] / lengths : 0, value[NI_KIND_SPECTRAL_COSINE], "spectral cosine", s, t);
}

static void check_all(world *w)
{
    static double a[N][N], reached[N][N];
    ni_walks walks;
    ni_near near;
    unite(w, a);
    for (uint32_t s = 0; s < N; s++) walk(a, s, reached[s]);
    assert_int_equal(ni_walks_create(&w->globals, 1, &walks, NULL), NEAP_OK);
    assert_int_equal(ni_near_create(&w->globals, &near, NULL), NEAP_OK);
    for (uint32_t s = 0; s < N; s++) {
        ni_walks_from(&walks, &s, 1, w->threads);
        ni_near_to(&near, s);
        for (uint32_t t = 0; t < N; t++) {
            float value[NI_KINDS] = { 0 };
            if (s == t) continue;
            ni_measure(&walks, 0, &near, t, value);
            check_texts(w, reached[s], reached[t][s], s, t, value);
            check_spectral(w, s, t, value);
        }
    }
    ni_near_free(&near);
    ni_walks_free(&walks);
}

static void texts_and_eigenvectors_are_what_they_say(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        world *w = make(kind & 1, kind & 2);
        check_all(w);
        end(w);
    }
}

/* ---- the nearest texts ---- */

static int largest_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void the_nearest_texts_have_the_largest_cosines(void **state)
{
    world *w = make(0, 0);
    (void)state;
    for (uint32_t s = 0; s < N; s++) {
        double all[N] = { 0 };
        for (uint32_t t = 0; t < N; t++) all[t] = t == s ? 0 : cosine(w, s, t);
        for (int i = 0; i < NI_NEAR_MOST; i++) {
            float c = w->cosine[s * NI_NEAR_MOST + i];
            if (c > 0)
                close_to(all[w->near[s * NI_NEAR_MOST + i]], c, "a cosine", s,
                         w->near[s * NI_NEAR_MOST + i]);
        }
        qsort(all, N, sizeof *all, largest_first);
        for (int i = 0; i < NI_NEAR_MOST; i++)
            close_to(all[i], w->cosine[s * NI_NEAR_MOST + i], "the nearest", s, (uint32_t)i);
    }
    end(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_eigenvectors_are_what_they_say),
        cmocka_unit_test(the_nearest_texts_have_the_largest_cosines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
