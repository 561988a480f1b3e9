/* train_speed.c - edges a second of training in the paper's protocol: on a share of the edges, with the
 * neighbourhoods of the whole graph. Through the public header; run by against_torch.py.
 *
 *     train_speed GRAPH RATIO SECONDS [OPTION VALUE]...                                              */
#include <stdio.h>
#include <stdlib.h>

#include "neap.h"

typedef struct watch {
    double limit;
    neap_progress last;
} watch;

static int look(const neap_progress *now, void *user)
{
    watch *w = user;
    w->last = *now;
    return now->seconds >= w->limit;
}

static neap_status measure(const char *path, double ratio, const neap_options *options, watch *w,
                           uint64_t *edges, neap_error *err)
{
    neap_graph *graph = NULL;
    neap_trial *trial = NULL;
    neap_model *model = NULL;
    neap_link_spec spec = {
        .size = sizeof spec, .protocol = "paper", .negatives = "uniform", .ratio = ratio, .seed = 1
    };
    neap_trial_facts facts = NEAP_SIZED(neap_trial_facts);
    neap_hooks hooks = { .size = sizeof hooks, .progress = look, .user = w };
    neap_status rc = neap_graph_load(path, options, NULL, &graph, err);
    if (rc == NEAP_OK)
        rc = neap_trial_create(&(neap_data){ .size = sizeof(neap_data), .graph = graph }, &spec, &trial,
                               err);
    if (rc == NEAP_OK) rc = neap_trial_facts_of(trial, &facts, err);
    *edges = facts.train;
    if (rc == NEAP_OK) rc = neap_trial_train(trial, options, &hooks, &model, err);
    neap_model_free(model);
    neap_trial_free(trial);
    neap_graph_free(graph);
    return rc == NEAP_E_STOPPED ? NEAP_OK : rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    watch w = { 0 };
    uint64_t edges = 0;
    if (argc < 4 || argc % 2) return 2;
    w.limit = strtod(argv[3], NULL);
    neap_status rc = neap_options_create("paper", &options, &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "method", "gap", &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "epochs", "1000000", &err);
    for (int i = 4; i < argc && rc == NEAP_OK; i += 2)
        rc = neap_options_set(options, argv[i], argv[i + 1], &err);
    if (rc == NEAP_OK) rc = measure(argv[1], strtod(argv[2], NULL), options, &w, &edges, &err);
    neap_options_free(options);
    if (rc != NEAP_OK) return fprintf(stderr, "train_speed: %s\n", err.text), 3;
    printf("{\"train_edges\": %llu, \"seconds\": %.6f, \"edges_per_second\": %.3f}\n",
           (unsigned long long)edges, w.last.seconds, w.last.rate);
    return 0;
}
