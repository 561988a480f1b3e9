/* tfidf.c - reads texts, line i of which belongs to node i, and weighs their words; prints the seconds it
 * took, the number of weights and their sum. Run by tfidf.py.
 *
 * usage: tfidf TEXTS LINES THREADS */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/threads.h"
#include "model/tfidf.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print(const ni_sparse *a, double took)
{
    uint64_t count = 0;
    double sum = 0;
    for (uint64_t r = 0; r < a->rows; r++)
        for (uint32_t i = a->start[r]; i < a->end[r]; i++, count++) sum += (double)a->term[i].weight;
    printf("{\"seconds\": %.6f, \"weights\": %" PRIu64 ", \"sum\": %.9g}\n", took, count, sum);
}

int main(int argc, char **argv)
{
    static const ni_text_options words = { .min_count = 1, .max_share = 1, .text_length = 1 << 24 };
    static const ni_tfidf_options rule = { NI_TF_COUNT, NI_IDF_SMOOTH, NI_NORM_UNIT };
    neap_error err = { 0 };
    neap_graph *graph;
    neap_text *text;
    ni_texts texts;
    ni_threads *threads;
    ni_sparse a;
    if (argc != 4) return 2;
    uint32_t nodes = (uint32_t)strtoul(argv[2], NULL, 10);
    if (neap_graph_create(nodes, NULL, NULL, 0, 0, 0, &graph, &err) ||
        ni_threads_create((uint32_t)strtoul(argv[3], NULL, 10), &threads, &err))
        return fprintf(stderr, "tfidf: %s\n", err.text), 3;
    double start = seconds();
    if (neap_text_load(argv[1], graph, 1, NULL, &text, &err) ||
        ni_texts_create(text, &words, &texts, &err) ||
        ni_tfidf_create(&texts, 0, nodes, nodes, &rule, threads, &a, &err))
        return fprintf(stderr, "tfidf: %s\n", err.text), 3;
    print(&a, seconds() - start);
    ni_tfidf_free(&a);
    ni_texts_free(&texts);
    neap_text_free(text);
    ni_threads_free(threads);
    neap_graph_free(graph);
    return 0;
}
