/* pair_time.c - microseconds that the score of one pair takes, asked for one at a time: of one query on one
 * thread, for pairs that it has not seen before and for the same pairs again, and of a query that is made
 * for each pair. Through the public header; run by ranking.py.
 *
 *     pair_time MODEL PAIRS                                                                              */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "neap.h"

enum { PAIRS_MOST = 100000, ROUNDS = 20, SINGLE = 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Spread over the nodes, another pair each time. */
static neap_pair pair_at(uint64_t i, uint64_t nodes)
{
    uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
    return (neap_pair){ (uint32_t)((x >> 32) % nodes),
                        (uint32_t)((x & 0xFFFFFFFFu) * 2654435761u % nodes) };
}

/* All pairs once. */
static neap_status ask(neap_query *query, uint64_t nodes, uint64_t pairs, double *seconds, neap_error *err)
{
    double start = now();
    for (uint64_t i = 0; i < pairs; i++) {
        neap_pair pair = pair_at(i, nodes);
        neap_scores *scores;
        neap_status rc = neap_query_score(query, &pair, 1, &scores, err);
        if (rc != NEAP_OK) return rc;
        neap_scores_free(scores);
    }
    *seconds = now() - start;
    return NEAP_OK;
}

static neap_status ask_again(neap_query *query, uint64_t nodes, uint64_t pairs, double *best,
                             neap_error *err)
{
    neap_status rc = NEAP_OK;
    for (int round = 0; round < ROUNDS && rc == NEAP_OK; round++) {
        double seconds = 0;
        rc = ask(query, nodes, pairs, &seconds, err);
        if (round == 0 || seconds < *best) *best = seconds;
    }
    return rc;
}

static neap_status ask_afresh(const neap_model *model, uint64_t nodes, double *seconds, neap_error *err)
{
    neap_status rc = NEAP_OK;
    double start = now();
    for (uint64_t i = 0; i < SINGLE && rc == NEAP_OK; i++) {
        neap_pair pair = pair_at(i, nodes);
        float score;
        rc = neap_model_score(model, &pair, 1, &score, err);
    }
    *seconds = now() - start;
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_model *model = NULL;
    neap_query *query = NULL;
    neap_query_spec spec = { .size = sizeof spec, .threads = 1 };
    double create = 0, first = 0, again = 0, single = 0, start = 0;
    unsigned long pairs = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (pairs < 1 || pairs > PAIRS_MOST) return 2;
    neap_status rc = neap_model_load(argv[1], NULL, &model, &err);
    uint64_t nodes = rc == NEAP_OK ? neap_graph_nodes(neap_model_graph(model)) : 0;
    start = now();
    if (rc == NEAP_OK) rc = neap_query_create(model, &spec, &query, &err);
    create = now() - start;
    if (rc == NEAP_OK) rc = ask(query, nodes, pairs, &first, &err);
    if (rc == NEAP_OK) rc = ask_again(query, nodes, pairs, &again, &err);
    if (rc == NEAP_OK) rc = ask_afresh(model, nodes, &single, &err);
    neap_query_free(query);
    neap_model_free(model);
    if (rc != NEAP_OK) return fprintf(stderr, "pair_time: %s\n", err.text), 3;
    printf("{\"nodes\": %llu, \"query\": %.3f, \"first\": %.3f, \"again\": %.3f, \"single\": %.3f}\n",
           (unsigned long long)nodes, 1e6 * create, 1e6 * first / (double)pairs,
           1e6 * again / (double)pairs, 1e6 * single / SINGLE);
    return 0;
}
