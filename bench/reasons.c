/* reasons.c - trains evidence on a share of a graph's links and measures on the others whether its reasons
 * are faithful (faithful.h); run by accuracy.py.
 *
 *     reasons SHARE SEED PAIRS GRAPH [TEXT]      TEXT: line i is the text of node i */
#include <stdio.h>

#include "eval/trial.h"
#include "faithful.h"

typedef struct run {
    neap_options *options;
    neap_graph *graph;
    neap_text *text;
    neap_trial *trial;
    neap_model *model;
    neap_query *query;
    faithful found;
} run;

static neap_status read_all(run *r, const char *graph, const char *text, neap_error *err)
{
    neap_status rc = neap_options_create("neap", &r->options, err);
    if (rc == NEAP_OK) rc = neap_graph_load(graph, r->options, NULL, &r->graph, err);
    if (rc == NEAP_OK && text) rc = neap_text_load(text, r->graph, 1, NULL, &r->text, err);
    return rc;
}

static neap_status measure(run *r, double share, uint64_t seed, size_t pairs, neap_error *err)
{
    neap_data data = { .size = sizeof data, .graph = r->graph, .text = r->text };
    neap_link_spec spec = {
        .size = sizeof spec, .protocol = "clean", .negatives = "uniform", .seed = seed
    };
    spec.ratio = share / 100;
    neap_status rc = neap_trial_create(&data, &spec, &r->trial, err);
    if (rc == NEAP_OK) rc = neap_trial_train(r->trial, r->options, NULL, &r->model, err);
    if (rc == NEAP_OK) rc = neap_query_create(r->model, NULL, &r->query, err);
    return rc == NEAP_OK ? faithful_measure(r->query, r->trial->positive, r->trial->count, pairs, seed,
                                            &r->found, err)
                         : rc;
}

int main(int argc, char **argv)
{
    run r = { 0 };
    neap_error err = { 0 };
    if (argc < 5 || argc > 6) return 2;
    neap_status rc = read_all(&r, argv[4], argc == 6 ? argv[5] : NULL, &err);
    if (rc == NEAP_OK) rc = neap_options_set(r.options, "seed", argv[2], &err);
    if (rc == NEAP_OK)
        rc = measure(&r, strtod(argv[1], NULL), strtoull(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                     &err);
    neap_query_free(r.query);
    neap_model_free(r.model);
    neap_trial_free(r.trial);
    neap_text_free(r.text);
    neap_graph_free(r.graph);
    neap_options_free(r.options);
    if (rc != NEAP_OK) return fprintf(stderr, "reasons: %s\n", err.text), 3;
    printf("{\"pairs\": %zu, \"named\": %.6f, \"others\": %.6f}\n", r.found.pairs, r.found.named,
           r.found.others);
    return 0;
}
