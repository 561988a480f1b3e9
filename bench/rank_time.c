/* rank_time.c - seconds that a ranking of all nodes takes, and how many neighbours the source has, for some
 * sources of a saved model. Through the public header; run by ranking.py.
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

static neap_status time_source(const neap_model *model, uint32_t source, double *seconds,
                               uint32_t *neighbours, neap_error *err)
{
    neap_ranked best[BEST];
    size_t count = 0;
    neap_explanation *why = NULL;
    double start = now();
    neap_status rc = neap_model_rank(model, source, BEST, 0, best, &count, err);
    *seconds = now() - start;
    if (rc == NEAP_OK) rc = neap_explain(model, source, count ? best[0].node : source, &why, err);
    if (rc == NEAP_OK) *neighbours = why->source_count;
    neap_explanation_free(why);
    return rc;
}

/* The sources lie evenly among the nodes; the first is done once before, so that threads are awake. */
static neap_status time_all(const neap_model *model, uint32_t sources, double *seconds,
                            uint32_t *neighbours, neap_error *err)
{
    uint64_t nodes = neap_graph_nodes(neap_model_graph(model));
    neap_status rc = NEAP_OK;
    for (uint32_t i = 0; i <= sources && rc == NEAP_OK; i++) {
        uint32_t k = i ? i - 1 : 0;
        rc = time_source(model, (uint32_t)((2 * k + 1) * nodes / (2 * sources)), &seconds[k],
                         &neighbours[k], err);
    }
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_model *model = NULL;
    double seconds[SOURCES_MOST];
    uint32_t neighbours[SOURCES_MOST];
    unsigned long sources = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (sources < 1 || sources > SOURCES_MOST) return 2;
    neap_status rc = neap_model_load(argv[1], &model, &err);
    if (rc == NEAP_OK) rc = time_all(model, (uint32_t)sources, seconds, neighbours, &err);
    neap_model_free(model);
    if (rc != NEAP_OK) return fprintf(stderr, "rank_time: %s\n", err.text), 3;
    printf("{\"seconds\": [");
    for (unsigned long i = 0; i < sources; i++) printf("%s%.6f", i ? ", " : "", seconds[i]);
    printf("], \"neighbours\": [");
    for (unsigned long i = 0; i < sources; i++) printf("%s%u", i ? ", " : "", neighbours[i]);
    printf("]}\n");
    return 0;
}
