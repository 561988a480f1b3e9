/* rank_time.c - seconds that a ranking of all nodes takes, for a short list and for one so long that all
 * scores are made, and how many neighbours the source has, for some sources of a saved model. Through the
 * public header; run by ranking.py.
 *
 *     rank_time MODEL SOURCES                                                                        */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "neap.h"

enum { BEST = 10, SOURCES_MOST = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct times {
    double seconds[SOURCES_MOST], long_seconds[SOURCES_MOST];
    uint32_t neighbours[SOURCES_MOST];
} times;

static neap_status time_list(neap_query *query, uint32_t source, size_t length, double *seconds,
                             uint32_t *first, neap_error *err)
{
    neap_rank_spec spec = { .size = sizeof spec, .sources = &source, .source_count = 1, .k = length };
    neap_ranking *best = NULL;
    double start = now();
    neap_status rc = neap_query_rank(query, &spec, &best, err);
    *seconds = now() - start;
    *first = best && best->count ? best->node[0] : source;
    neap_ranking_free(best);
    return rc;
}

static neap_status time_source(neap_query *query, uint64_t nodes, uint32_t source, times *t, uint32_t i,
                               neap_error *err)
{
    uint32_t best;
    size_t many = nodes / 8;
    neap_explanation *why = NULL;
    neap_status rc = time_list(query, source, many, &t->long_seconds[i], &best, err);
    if (rc == NEAP_OK) rc = time_list(query, source, BEST, &t->seconds[i], &best, err);
    if (rc == NEAP_OK) rc = neap_query_explain(query, source, best, &why, err);
    if (rc == NEAP_OK) t->neighbours[i] = why->by_source->count;
    neap_explanation_free(why);
    return rc;
}

/* The sources lie evenly among the nodes; the first is done once before, so that threads are awake. */
static neap_status time_all(const neap_model *model, uint32_t sources, times *t, neap_error *err)
{
    uint64_t nodes = neap_graph_nodes(neap_model_graph(model));
    neap_query *query = NULL;
    neap_status rc = neap_query_create(model, NULL, &query, err);
    for (uint32_t i = 0; i <= sources && rc == NEAP_OK; i++) {
        uint32_t k = i ? i - 1 : 0;
        rc = time_source(query, nodes, (uint32_t)((2 * k + 1) * nodes / (2 * sources)), t, k, err);
    }
    neap_query_free(query);
    return rc;
}

static void print_seconds(const char *name, const double *seconds, unsigned long count)
{
    printf("\"%s\": [", name);
    for (unsigned long i = 0; i < count; i++) printf("%s%.6f", i ? ", " : "", seconds[i]);
    printf("], ");
}

int main(int argc, char **argv)
{
    static times t;
    neap_error err = { 0 };
    neap_model *model = NULL;
    unsigned long sources = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (sources < 1 || sources > SOURCES_MOST) return 2;
    neap_status rc = neap_model_load(argv[1], NULL, &model, &err);
    if (rc == NEAP_OK) rc = time_all(model, (uint32_t)sources, &t, &err);
    neap_model_free(model);
    if (rc != NEAP_OK) return fprintf(stderr, "rank_time: %s\n", err.text), 3;
    printf("{");
    print_seconds("seconds", t.seconds, sources);
    print_seconds("long_seconds", t.long_seconds, sources);
    printf("\"neighbours\": [");
    for (unsigned long i = 0; i < sources; i++) printf("%s%u", i ? ", " : "", t.neighbours[i]);
    printf("]}\n");
    return 0;
}
