/* walks.c - the walks that training makes, epoch by epoch, and how long they take; with a file, also the
 * walks themselves. Looks inside the library; run by skipgram.py and by tests/gensim_oracle.py.
 *
 *     walks GRAPH FILE|- [OPTION VALUE]...
 *
 * The file holds uint32 in the machine's order: epochs x walks x nodes walks of walk-length nodes, those
 * that end early filled with the largest number. */
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "model/method.h"
#include "support/status.h"
#include "walks/sources.h"

typedef struct tour {
    const ni_windows *windows;
    uint64_t epoch, walks;
    uint32_t *node; /* walks x length */
} tour;

static void walk_task(void *arg, uint32_t task, uint32_t thread)
{
    const tour *t = arg;
    uint32_t length = t->windows->length, lengths[NI_ABREAST];
    ni_rng rng[NI_ABREAST];
    uint64_t first = (uint64_t)task * NI_ABREAST, end = ni_task_end(first, NI_ABREAST, t->walks);
    uint32_t *node = t->node + first * length;
    (void)thread;
    ni_windows_walks(t->windows, t->epoch, first, (uint32_t)(end - first), rng, node, lengths);
    for (uint32_t i = 0; i < end - first; i++)
        for (uint32_t k = lengths[i]; k < length; k++) node[i * length + k] = UINT32_MAX;
}

static neap_status walk_epochs(const ni_windows *w, uint32_t epochs, ni_threads *threads, FILE *out,
                               neap_error *err)
{
    tour t = { .windows = w, .walks = (uint64_t)w->walker->nodes * w->rounds };
    uint64_t tokens = t.walks * w->length;
    t.node = ni_array(tokens, sizeof *t.node);
    if (!t.node) return ni_fail_memory(err, "the walks of an epoch");
    printf("{\"nodes\": %u, \"walks\": %llu, \"length\": %u, \"seconds\": [", w->walker->nodes,
           (unsigned long long)t.walks, w->length);
    for (; t.epoch < epochs; t.epoch++) {
        double start = ni_seconds();
        ni_threads_run(threads, ni_tasks(t.walks, NI_ABREAST), walk_task, &t);
        printf("%s%.6f", t.epoch ? ", " : "", ni_seconds() - start);
        if (out) fwrite(t.node, sizeof *t.node, tokens, out);
    }
    printf("]}\n");
    ni_free(t.node);
    return NEAP_OK;
}

/* What a walk depends on; every method that walks has these among its options. */
typedef struct walk_values {
    const uint32_t *epochs, *walks, *length;
    const bool *along;
    const double *p, *q;
} walk_values;

static neap_status read_values(const ni_settings *s, walk_values *v, neap_error *err)
{
    *v = (walk_values){ .epochs = ni_settings_find(s, "epochs"),
                        .walks = ni_settings_find(s, "walks"),
                        .length = ni_settings_find(s, "walk-length"),
                        .along = ni_settings_find(s, "along"),
                        .p = ni_settings_find(s, "p"),
                        .q = ni_settings_find(s, "q") };
    if (v->epochs && v->walks && v->length && v->along && v->p && v->q) return NEAP_OK;
    return ni_fail(err, NEAP_E_ARG, "method %s makes no walks; try method deepwalk", s->common.method);
}

static neap_status walk_graph(const char *path, const neap_options *options, const ni_settings *s,
                              FILE *out, neap_error *err)
{
    walk_values v;
    neap_graph *graph = NULL;
    ni_links links = { 0 };
    ni_walker walker = { 0 };
    ni_threads *threads = NULL;
    neap_status rc = read_values(s, &v, err);
    if (rc != NEAP_OK) return rc;
    rc = neap_graph_load(path, options, NULL, &graph, err);
    if (rc == NEAP_OK) rc = ni_links_create(graph, &links, err);
    if (rc == NEAP_OK) rc = ni_walker_create(graph, &links, *v.along, *v.p, *v.q, &walker, err);
    if (rc == NEAP_OK) rc = ni_threads_create(s->common.threads, &threads, err);
    ni_windows windows = {
        .walker = &walker, .rounds = *v.walks, .length = *v.length, .seed = s->common.seed
    };
    if (rc == NEAP_OK) rc = walk_epochs(&windows, *v.epochs, threads, out, err);
    ni_threads_free(threads);
    ni_walker_free(&walker);
    ni_links_free(&links);
    neap_graph_free(graph);
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    const ni_method *method;
    ni_settings *settings = NULL;
    if (argc < 3 || argc % 2 == 0) return 2;
    FILE *out = strcmp(argv[2], "-") ? fopen(argv[2], "wb") : NULL;
    if (!out && strcmp(argv[2], "-")) return perror(argv[2]), 3;
    neap_status rc = neap_options_create("neap", &options, &err);
    for (int i = 3; i < argc && rc == NEAP_OK; i += 2)
        rc = neap_options_set(options, argv[i], argv[i + 1], &err);
    if (rc == NEAP_OK) rc = ni_settings_read(options, &method, &settings, &err);
    if (rc == NEAP_OK) rc = walk_graph(argv[1], options, settings, out, &err);
    ni_settings_free(settings);
    neap_options_free(options);
    if (rc != NEAP_OK) return fprintf(stderr, "walks: %s\n", err.text), 3;
    if (out && (ferror(out) || fclose(out))) return perror(argv[2]), 3;
    return 0;
}
