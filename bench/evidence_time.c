/* evidence_time.c - how fast a saved model scores pairs and ranks nodes, and how long opening it takes.
 * Through the public header; run by evidence.py.
 *
 *     evidence_time MODEL SOURCES TARGETS PAIRS RANKS
 *
 * Seconds of: opening the model and a query; SOURCES x TARGETS pairs in one call; PAIRS random pairs; a
 * ranking of all nodes, for RANKS sources one by one. A count of 0 leaves its part out. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "neap.h"

enum { BEST = 10, RANKS_MOST = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers that look random and are the same in each run. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % below);
}

static neap_status time_scores(neap_query *query, const neap_pair *pair, size_t count, double *seconds,
                               neap_error *err)
{
    neap_scores *scores = NULL;
    double start = now();
    neap_status rc = count ? neap_query_score(query, pair, count, &scores, err) : NEAP_OK;
    *seconds = now() - start;
    neap_scores_free(scores);
    return rc;
}

static neap_status time_rank(neap_query *query, uint32_t source, double *seconds, neap_error *err)
{
    neap_rank_spec spec = { .size = sizeof spec, .sources = &source, .source_count = 1, .k = BEST };
    neap_ranking *best = NULL;
    double start = now();
    neap_status rc = neap_query_rank(query, &spec, &best, err);
    *seconds = now() - start;
    neap_ranking_free(best);
    return rc;
}

/* The same targets for all sources; few pairs of the two are links. */
static void draw_pairs(uint32_t nodes, size_t sources, size_t targets, neap_pair *pair)
{
    uint64_t of_targets = 7, of_sources = 11;
    for (size_t t = 0; t < targets; t++) pair[t].target = draw(&of_targets, nodes);
    for (size_t s = 0; s < sources; s++) {
        uint32_t source = draw(&of_sources, nodes);
        for (size_t t = 0; t < targets; t++) pair[s * targets + t] = (neap_pair){ source, pair[t].target };
    }
}

static void draw_random(uint32_t nodes, size_t count, neap_pair *pair)
{
    uint64_t state = 13;
    for (size_t i = 0; i < count; i++) pair[i] = (neap_pair){ draw(&state, nodes), draw(&state, nodes) };
}

/* count: sources, targets, random pairs, ranks. A few pairs and a rank come before, so that threads are
 * awake and memory is there. */
static neap_status measure(neap_query *query, uint32_t nodes, const size_t *count, double *seconds,
                           neap_error *err)
{
    size_t all = count[0] * count[1], most = all > count[2] ? all : count[2];
    neap_pair *pair = calloc(most + 1, sizeof *pair);
    uint64_t state = 17;
    double first = 0;
    if (!pair) return NEAP_E_MEM;
    draw_random(nodes, count[2], pair);
    neap_status rc = time_scores(query, pair, count[2] < 100 ? count[2] : 100, &first, err);
    if (rc == NEAP_OK) rc = time_scores(query, pair, count[2], &seconds[1], err);
    draw_pairs(nodes, count[0], count[1], pair);
    if (rc == NEAP_OK) rc = time_scores(query, pair, all, &seconds[0], err);
    if (rc == NEAP_OK && count[3]) rc = time_rank(query, 0, &first, err);
    for (size_t i = 0; i < count[3] && rc == NEAP_OK; i++)
        rc = time_rank(query, draw(&state, nodes), &seconds[2 + i], err);
    free(pair);
    return rc;
}

int main(int argc, char **argv)
{
    static double seconds[2 + RANKS_MOST];
    neap_error err = { 0 };
    neap_model *model = NULL;
    neap_query *query = NULL;
    size_t count[4];
    if (argc != 6) return 2;
    for (int i = 0; i < 4; i++) count[i] = strtoul(argv[i + 2], NULL, 10);
    if (count[3] > RANKS_MOST) return 2;
    double start = now();
    neap_status rc = neap_model_load(argv[1], NULL, &model, &err);
    double loaded = now();
    if (rc == NEAP_OK) rc = neap_query_create(model, NULL, &query, &err);
    double opened = now();
    if (rc == NEAP_OK)
        rc = measure(query, (uint32_t)neap_graph_nodes(neap_model_graph(model)), count, seconds, &err);
    neap_query_free(query);
    neap_model_free(model);
    if (rc != NEAP_OK) return fprintf(stderr, "evidence_time: %s\n", err.text), 3;
    printf("{\"load\": %.6f, \"query\": %.6f, \"block\": %.6f, \"random\": %.6f, \"ranks\": [",
           loaded - start, opened - loaded, seconds[0], seconds[1]);
    for (size_t i = 0; i < count[3]; i++) printf("%s%.6f", i ? ", " : "", seconds[2 + i]);
    printf("]}\n");
    return 0;
}
