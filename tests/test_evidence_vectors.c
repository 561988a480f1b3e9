/* Vectors of evidence against the definition on dense matrices; new nodes; what classes they tell apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asking.h"
#include "evidence/vectors.h"

enum { NODES = 40, D = 64 };

typedef struct world {
    neap_graph *graph;
    ni_links links;
    ni_view view;
    ni_threads *threads;
    double walk[NODES][NODES]; /* weight of a link, and then of one step of a walk */
    double strength[NODES], total;
} world;

/* Weighted and directed; the last node has no link. */
static world *make(uint32_t threads)
{
    world *w = calloc(1, sizeof *w);
    neap_edge edge[NODES * NODES];
    uint64_t count = 0;
    for (uint32_t s = 0; s + 1 < NODES; s++)
        for (uint32_t t = 0; t + 1 < NODES; t++) {
            if (s == t || (s * 7 + t * 13 + s * t) % 11) continue;
            edge[count++] = (neap_edge){ s, t, (float)(1 + (s + t) % 3) };
            w->walk[s][t] += (double)edge[count - 1].weight;
            w->walk[t][s] += (double)edge[count - 1].weight;
        }
    assert_int_equal(neap_graph_create(NODES, NULL, edge, count, 1, 0, &w->graph, NULL), NEAP_OK);
    assert_int_equal(ni_links_create(w->graph, &w->links, NULL), NEAP_OK);
    assert_int_equal(ni_view_create(w->graph, &w->links, &w->view, NULL), NEAP_OK);
    assert_int_equal(ni_threads_create(threads, &w->threads, NULL), NEAP_OK);
    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t v = 0; v < NODES; v++) w->strength[u] += w->walk[u][v];
    for (uint32_t u = 0; u < NODES; u++) {
        w->total += w->strength[u];
        for (uint32_t v = 0; v < NODES; v++) w->walk[u][v] /= w->strength[u] > 0 ? w->strength[u] : 1;
    }
    return w;
}

static void end(world *w)
{
    ni_view_free(&w->view);
    ni_links_free(&w->links);
    neap_graph_free(w->graph);
    ni_threads_free(w->threads);
    free(w);
}

/* F[u][l] from the chance to be at u after each of eight steps from l. */
static void define(const world *w, double F[NODES][NODES])
{
    for (uint32_t l = 0; l < NODES; l++) {
        double at[NODES] = { 0 }, sum[NODES] = { 0 }, weight = 0.15;
        at[l] = w->strength[l] > 0;
        for (int step = 0; step <= 8; step++, weight *= 0.85) {
            double next[NODES] = { 0 };
            for (uint32_t u = 0; u < NODES; u++) {
                sum[u] += weight * at[u];
                for (uint32_t v = 0; v < NODES; v++) next[v] += at[u] * w->walk[u][v];
            }
            memcpy(at, next, sizeof at);
        }
        for (uint32_t u = 0; u < NODES; u++) {
            double ratio = w->strength[u] > 0 ? sum[u] * w->total / w->strength[u] : 0;
            F[u][l] = ratio > 1 ? log(ratio) : 0;
        }
    }
}

static double product(const double *x, const double *y)
{
    double sum = 0;
    for (uint32_t i = 0; i < NODES; i++) sum += x[i] * y[i];
    return sum;
}

/* With as many columns as directions, angles between rows of U S are those between rows of F. */
static void vectors_have_the_angles_of_walks_that_go_beyond_chance(void **state)
{
    world *w = make(2);
    double F[NODES][NODES];
    float vector[NODES * D];
    (void)state;
    define(w, F);
    assert_int_equal(ni_evidence_vectors(&w->view, D, 5, w->threads, vector, NULL), NEAP_OK);
    for (uint32_t u = 0; u + 1 < NODES; u++)
        for (uint32_t v = 0; v + 1 < NODES; v++) {
            double dot = 0;
            for (uint32_t i = 0; i < D; i++) dot += (double)vector[u * D + i] * (double)vector[v * D + i];
            double cosine = product(F[u], F[v]) / sqrt(product(F[u], F[u]) * product(F[v], F[v]));
            assert_float_equal(dot, NI_VECTOR_LENGTH * NI_VECTOR_LENGTH * cosine, 1e-4);
        }
    for (uint32_t i = 0; i < D; i++) assert_true(vector[(NODES - 1) * D + i] == 0);
    for (uint32_t u = 0; u < NODES; u++)
        for (uint32_t i = NODES; i < D; i++) assert_true(vector[u * D + i] == 0);
    end(w);
}

static void vectors_are_the_same_for_any_number_of_threads(void **state)
{
    float vector[2][NODES * 8];
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        world *w = make(threads);
        assert_int_equal(ni_evidence_vectors(&w->view, 8, 5, w->threads, vector[threads > 1], NULL),
                         NEAP_OK);
        assert_memory_equal(vector[0], vector[threads > 1], sizeof vector[0]);
        end(w);
    }
}

/* A newcomer stands among its neighbours. */
static void a_new_node_has_the_mean_of_its_neighbours(void **state)
{
    neap_graph *g = blocks(40, 0), *links;
    neap_options *o = options_of("neap", "method", "evidence", "dim", "8", "curve-steps", "10", NULL);
    neap_model *m, *wide;
    neap_error err;
    static const char *const names[] = { "newcomer", "1", "2" };
    static const neap_edge edges[] = { { 0, 1, 1 }, { 0, 2, 1 } };
    float vector[41 * 8];
    (void)state;
    must(neap_graph_create(3, names, edges, 2, 0, 0, &links, &err), &err);
    must(neap_train(&(neap_data){ .size = sizeof(neap_data), .graph = g }, o, NULL, &m, &err), &err);
    must(neap_model_extend(m, &(neap_data){ .size = sizeof(neap_data), .graph = links }, &wide, NULL, &err),
         &err);
    must(neap_model_vectors(wide, vector, &err), &err);
    double length = 0, sum[8], all = 0;
    for (uint32_t i = 0; i < 8; i++) {
        sum[i] = (double)vector[1 * 8 + i] + (double)vector[2 * 8 + i];
        all += sum[i] * sum[i];
    }
    for (uint32_t i = 0; i < 8; i++) {
        assert_float_equal(vector[40 * 8 + i], sum[i] / sqrt(all) * NI_VECTOR_LENGTH, 1e-5);
        length += (double)vector[40 * 8 + i] * (double)vector[40 * 8 + i];
    }
    assert_float_equal(sqrt(length), NI_VECTOR_LENGTH, 1e-5);
    neap_model_free(m);
    neap_model_free(wide);
    neap_options_free(o);
    neap_graph_free(links);
    neap_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_have_the_angles_of_walks_that_go_beyond_chance),
        cmocka_unit_test(vectors_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_new_node_has_the_mean_of_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
