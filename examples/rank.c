/* rank.c - suggests links for one node, and says which of its neighbours speaks for each.
 *
 *     cc rank.c $(pkg-config --cflags --libs neap) -o rank
 *     ./rank friends.txt alice
 *
 * Everything it needs is in neap.h. A function says 0 if all is well; if not, the error has the words. */
#include <neap.h>
#include <stdio.h>

enum { BEST = 5 };

/* The neighbour of the source with the largest share in the score of a pair; NEAP_NONE: it has none. */
static neap_status find_reason(const neap_model *model, uint32_t source, uint32_t target, uint32_t *reason,
                               neap_error *err)
{
    neap_explanation *why;
    neap_status rc = neap_explain(model, source, target, &why, err);
    const neap_attention *best = NULL;
    for (uint32_t i = 0; rc == NEAP_OK && i < why->source_count; i++)
        if (!best || why->by_source[i].contribution > best->contribution) best = &why->by_source[i];
    *reason = best ? best->node : NEAP_NONE;
    neap_explanation_free(why);
    return rc;
}

static neap_status suggest(const neap_model *model, uint32_t source, neap_error *err)
{
    const neap_graph *graph = neap_model_graph(model);
    neap_ranked best[BEST];
    size_t count;
    neap_status rc = neap_model_rank(model, source, BEST, 0, best, &count, err);
    for (size_t i = 0; rc == NEAP_OK && i < count; i++) {
        uint32_t reason;
        rc = find_reason(model, source, best[i].node, &reason, err);
        if (rc != NEAP_OK) break;
        printf("%s\t%.3f\t%s\n", neap_graph_name(graph, best[i].node), best[i].score,
               reason == NEAP_NONE ? "-" : neap_graph_name(graph, reason));
    }
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    neap_graph *graph = NULL;
    neap_model *model = NULL;
    uint32_t source;
    if (argc != 3) {
        fprintf(stderr, "usage: rank GRAPH NODE\n");
        return 2;
    }
    /* Friendship has no direction. So few pairs leave none over for validation: train all epochs on all. */
    neap_status rc = neap_options_create("neap", &options, &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "undirected", "yes", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "valid", "0", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "epochs", "50", &err);
    if (rc == NEAP_OK) rc = neap_graph_load(argv[1], options, &graph, &err);
    if (rc == NEAP_OK) rc = neap_graph_find(graph, argv[2], &source, &err);
    if (rc == NEAP_OK) rc = neap_train(graph, options, NULL, &model, &err);
    if (rc == NEAP_OK) rc = suggest(model, source, &err);
    if (rc != NEAP_OK) fprintf(stderr, "rank: %s\n", err.text);
    neap_model_free(model);
    neap_graph_free(graph);
    neap_options_free(options);
    return rc == NEAP_OK ? 0 : 1;
}
