/* rank.c - suggests links for one node, and names the neighbour that contributes most to each.
 *
 *     cc rank.c $(pkg-config --cflags --libs neap) -o rank
 *     ./rank friends.txt alice
 *
 * Everything it needs is in neap.h. A function returns 0 on success; if not, the error has a message. */
#include <neap.h>
#include <stdio.h>

enum { BEST = 5 };

/* The neighbour of the source with the largest share in the score of a pair; NEAP_NONE: it has none. */
static neap_status find_reason(neap_query *query, uint32_t source, uint32_t target, uint32_t *reason,
                               neap_error *err)
{
    neap_explanation *why;
    float most = 0;
    *reason = NEAP_NONE;
    neap_status rc = neap_query_explain(query, source, target, &why, err);
    if (rc != NEAP_OK) return rc;
    for (uint32_t i = 0; i < why->by_source->count; i++)
        if (*reason == NEAP_NONE || why->by_source->contribution[i] > most) {
            *reason = why->by_source->node[i];
            most = why->by_source->contribution[i];
        }
    neap_explanation_free(why);
    return NEAP_OK;
}

static neap_status print_best(const neap_graph *graph, neap_query *query, uint32_t source,
                              const neap_ranking *best, neap_error *err)
{
    for (size_t i = 0; i < best->count; i++) {
        uint32_t reason;
        neap_status rc = find_reason(query, source, best->node[i], &reason, err);
        if (rc != NEAP_OK) return rc;
        printf("%s\t%.3f\t%s\n", neap_graph_name(graph, best->node[i]), best->score[i],
               reason == NEAP_NONE ? "-" : neap_graph_name(graph, reason));
    }
    return NEAP_OK;
}

static neap_status suggest(const neap_model *model, uint32_t source, neap_error *err)
{
    neap_query *query = NULL;
    neap_ranking *best = NULL;
    neap_rank_spec spec = { .size = sizeof spec, .sources = &source, .source_count = 1, .k = BEST };
    neap_status rc = neap_query_create(model, NULL, &query, err);
    if (rc == NEAP_OK) rc = neap_query_rank(query, &spec, &best, err);
    if (rc == NEAP_OK) rc = print_best(neap_model_graph(model), query, source, best, err);
    neap_ranking_free(best);
    neap_query_free(query);
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    neap_graph *graph = NULL;
    neap_model *model = NULL;
    neap_data data = NEAP_SIZED(neap_data);
    uint32_t source;
    if (argc != 3) {
        fprintf(stderr, "usage: rank GRAPH NODE\n");
        return 2;
    }
    /* Friendship has no direction. */
    neap_status rc = neap_options_create("neap", &options, &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "undirected", "yes", &err);
    if (rc == NEAP_OK) rc = neap_graph_load(argv[1], options, NULL, &graph, &err);
    if (rc == NEAP_OK) rc = neap_graph_find(graph, argv[2], &source, &err);
    data.graph = graph;
    if (rc == NEAP_OK) rc = neap_train(&data, options, NULL, &model, &err);
    if (rc == NEAP_OK) rc = suggest(model, source, &err);
    if (rc != NEAP_OK) fprintf(stderr, "rank: %s\n", err.text);
    neap_model_free(model);
    neap_graph_free(graph);
    neap_options_free(options);
    return rc == NEAP_OK ? 0 : 1;
}
