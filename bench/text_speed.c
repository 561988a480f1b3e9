/* text_speed.c - edges a second of training a method that reads text, on all edges of a graph; line i of
 * the texts belongs to the node named i. By the clock, and by the time that all threads were busy; the
 * first step, which allocates, is not counted. Through the public header; run by texts.py.
 *
 *     text_speed GRAPH TEXT SECONDS PRESET [OPTION VALUE]...                                         */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "neap.h"

/* How far training is. */
typedef struct point {
    double edges, seconds, busy;
} point;

typedef struct watch {
    double limit;
    point first, last;
    double loss;
} watch;

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* It is called in the middle of steps, too. */
static int look(const neap_progress *now, void *user)
{
    watch *w = user;
    double edges = (double)(now->epoch - 1) * (double)now->total + (double)now->done;
    if (strcmp(now->stage, "train") != 0 || edges <= w->last.edges) return 0;
    w->last = (point){ edges, seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID) };
    w->loss = now->loss;
    if (w->first.edges == 0) w->first = w->last;
    return w->last.seconds - w->first.seconds >= w->limit;
}

static neap_status measure(const char *path, const char *texts, const neap_options *options, watch *w,
                           neap_error *err)
{
    neap_graph *graph = NULL;
    neap_text *text = NULL;
    neap_model *model = NULL;
    neap_hooks hooks = { .size = sizeof hooks, .progress = look, .user = w };
    neap_status rc = neap_graph_load(path, options, NULL, &graph, err);
    if (rc == NEAP_OK) rc = neap_text_load(texts, graph, 1, NULL, &text, err);
    neap_data data = { .size = sizeof data, .graph = graph, .text = text };
    if (rc == NEAP_OK) rc = neap_train(&data, options, &hooks, &model, err);
    neap_model_free(model);
    neap_text_free(text);
    neap_graph_free(graph);
    return rc == NEAP_E_STOPPED ? NEAP_OK : rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_options *options = NULL;
    watch w = { 0 };
    if (argc < 5 || argc % 2 == 0) return 2;
    w.limit = strtod(argv[3], NULL);
    neap_status rc = neap_options_create(argv[4], &options, &err);
    if (rc == NEAP_OK) rc = neap_options_set(options, "epochs", "1000000", &err);
    for (int i = 5; i < argc && rc == NEAP_OK; i += 2)
        rc = neap_options_set(options, argv[i], argv[i + 1], &err);
    if (rc == NEAP_OK) rc = measure(argv[1], argv[2], options, &w, &err);
    neap_options_free(options);
    if (rc != NEAP_OK) return fprintf(stderr, "text_speed: %s\n", err.text), 3;
    double edges = w.last.edges - w.first.edges, seconds = w.last.seconds - w.first.seconds;
    printf("{\"seconds\": %.6f, \"edges_per_second\": %.3f, \"edges_per_busy_second\": %.3f, \"loss\": "
           "%.4f}\n",
           seconds, edges / seconds, edges / (w.last.busy - w.first.busy), w.loss);
    return 0;
}
