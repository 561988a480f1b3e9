/* walks.c - the walks that training makes, epoch by epoch, and how long they take; with a file, also the
 * walks themselves. Looks inside the library; run by skipgram.py and by tests/gensim_oracle.py.
 *
 *     walks GRAPH FILE|- [OPTION VALUE]...
 *
 * The file holds uint32 in the machine's order: epochs x walks x nodes walks of walk-length nodes, those
 * that end early filled with the largest number. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/status.h"
#include "base/sys.h"
#include "graph/graph.h"
#include "walks/windows.h"

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

static neap_status walk_graph(const char *path, const neap_options *o, FILE *out, neap_error *err)
{
    neap_graph *graph = NULL;
    ni_links links = { 0 };
    ni_walker walker = { 0 };
    ni_threads *threads = NULL;
    neap_status rc = neap_graph_load(path, o, &graph, err);
    if (rc == NEAP_OK) rc = ni_links_create(graph, &links, err);
    if (rc == NEAP_OK) rc = ni_walker_create(graph, &links, o->along, o->p, o->q, &walker, err);
    if (rc == NEAP_OK) rc = ni_threads_create(o->threads, &threads, err);
    ni_windows windows = {
        .walker = &walker, .rounds = o->walks, .length = o->walk_length, .seed = o->seed
    };
    if (rc == NEAP_OK) rc = walk_epochs(&windows, o->epochs, threads, out, err);
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
    if (argc < 3 || argc % 2 == 0) return 2;
    FILE *out = strcmp(argv[2], "-") ? fopen(argv[2], "wb") : NULL;
    if (!out && strcmp(argv[2], "-")) return perror(argv[2]), 3;
    neap_status rc = neap_options_create("neap", &options, &err);
    for (int i = 3; i < argc && rc == NEAP_OK; i += 2)
        rc = neap_options_set(options, argv[i], argv[i + 1], &err);
    if (rc == NEAP_OK) rc = neap_options_settle(options, &err);
    if (rc == NEAP_OK) rc = walk_graph(argv[1], options, out, &err);
    neap_options_free(options);
    if (rc != NEAP_OK) return fprintf(stderr, "walks: %s\n", err.text), 3;
    if (out && (ferror(out) || fclose(out))) return perror(argv[2]), 3;
    return 0;
}
