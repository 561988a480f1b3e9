/* asking.h - small models of any method, and questions to them, through neap.h alone (include after
 * cmocka.h). */
#ifndef NEAP_TESTS_ASKING_H
#define NEAP_TESTS_ASKING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "neap.h"
#include "texts.h"
#include "world.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { N = 40, DIM = 8 };

static inline void must(neap_status rc, const neap_error *err)
{
    if (rc != NEAP_OK) fail_msg("%s: %s", neap_status_name(rc), err->text);
}

/* ---- a world ---- */

static inline neap_graph *blocks(uint32_t nodes, int undirected)
{
    neap_generator what = { .size = sizeof what,
                            .kind = "sbm",
                            .nodes = nodes,
                            .blocks = 2,
                            .p_in = 0.25,
                            .p_out = 0.03,
                            .seed = 4 };
    neap_graph *g, *turned;
    neap_error err;
    const uint64_t *offset;
    const uint32_t *target;
    must(neap_graph_generate(&what, &g, &err), &err);
    uint64_t edges = neap_graph_csr(g, &offset, &target, NULL);
    neap_graph_arrays arrays = { .size = sizeof arrays,
                                 .nodes = nodes,
                                 .edges = edges,
                                 .offset = offset,
                                 .target = target,
                                 .undirected = undirected };
    must(neap_graph_from_arrays(&arrays, &turned, &err), &err);
    neap_graph_free(g);
    return turned;
}

static inline neap_model *trained(const char *method, int undirected)
{
    neap_error err;
    neap_model *m;
    neap_graph *g = blocks(N, undirected);
    neap_options *o = options_of("neap", "method", method, "threads", "1", NULL);
    if (neap_method_has_option(method, "dim")) neap_options_set(o, "dim", "8", NULL);
    if (neap_method_has_option(method, "epochs")) neap_options_set(o, "epochs", "3", NULL);
    if (neap_method_has_option(method, "lr")) neap_options_set(o, "lr", "0.02", NULL);
    if (neap_method_has_option(method, "degrees")) neap_options_set(o, "degrees", "no", NULL);
    if (neap_method_has_option(method, "walk-length")) neap_options_set(o, "walk-length", "10", NULL);
    neap_text *text = texts_of(g);
    neap_data data = { .size = sizeof data, .graph = g, .text = text };
    must(neap_train(&data, o, NULL, &m, &err), &err);
    neap_options_free(o);
    neap_text_free(text);
    neap_graph_free(g);
    return m;
}

static inline neap_query *query_of(const neap_model *m, uint32_t threads)
{
    neap_query_spec spec = { .size = sizeof spec, .threads = threads };
    neap_query *q;
    neap_error err;
    must(neap_query_create(m, &spec, &q, &err), &err);
    return q;
}

/* Every pair that node 1 and node N - 1 are in. */
enum { PAIRS = 4 * N };

static inline void list_pairs(neap_pair pairs[PAIRS])
{
    for (uint32_t i = 0; i < N; i++) {
        pairs[4 * i] = (neap_pair){ 1, i }, pairs[4 * i + 1] = (neap_pair){ i, 1 };
        pairs[4 * i + 2] = (neap_pair){ N - 1, i }, pairs[4 * i + 3] = (neap_pair){ i, N - 1 };
    }
}

static inline void close_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-5 * (1 + fabs(b)))) fail_msg("%.9g is not %.9g", a, b);
}

static inline double score_of(const neap_model *m, uint32_t s, uint32_t t)
{
    neap_pair pair = { s, t };
    neap_error err;
    float score;
    must(neap_model_score(m, &pair, 1, &score, &err), &err);
    return (double)score;
}

#endif
