/* tfidf_speed.c - seconds from a file of texts, one per line, to their TF-IDF: reading, words, vocabulary,
 * weights. Run by texts.py against scikit-learn's vectorizer.
 *
 *     tfidf_speed TEXTS LINES                                                                         */
#include <stdio.h>
#include <stdlib.h>

#include "base/sys.h"
#include "model/tfidf.h"

static neap_status make(const char *path, const neap_graph *graph, ni_threads *threads, ni_sparse *a,
                        uint32_t *words, neap_error *err)
{
    static const ni_text_options all = { .min_count = 1, .max_share = 1, .text_length = 1 << 24 };
    static const ni_tfidf_options rule = { NI_TF_COUNT, NI_IDF_SMOOTH, NI_NORM_UNIT };
    uint32_t n = neap_graph_nodes(graph);
    neap_text *text = NULL;
    ni_texts texts = { 0 };
    neap_status rc = neap_text_load(path, graph, 1, NULL, &text, err);
    if (rc == NEAP_OK) rc = ni_texts_create(text, &all, &texts, err);
    if (rc == NEAP_OK) rc = ni_tfidf_create(&texts, 0, n, n, &rule, threads, a, err);
    *words = texts.words.count;
    ni_texts_free(&texts);
    neap_text_free(text);
    return rc;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_graph *graph = NULL;
    ni_threads *threads = NULL;
    ni_sparse a = { 0 };
    neap_edge one = { 0, 1, 1 };
    uint32_t words = 0;
    uint64_t nonzeros = 0;
    if (argc != 3) return 2;
    neap_status rc = neap_graph_create((uint32_t)atoi(argv[2]), NULL, &one, 1, 0, 0, &graph, &err);
    if (rc == NEAP_OK) rc = ni_threads_create(0, &threads, &err);
    double start = ni_seconds();
    if (rc == NEAP_OK) rc = make(argv[1], graph, threads, &a, &words, &err);
    double seconds = ni_seconds() - start;
    for (uint64_t r = 0; r < a.rows; r++) nonzeros += a.end[r] - a.start[r];
    ni_tfidf_free(&a);
    ni_threads_free(threads);
    neap_graph_free(graph);
    if (rc != NEAP_OK) return fprintf(stderr, "tfidf_speed: %s\n", err.text), 3;
    printf("{\"seconds\": %.6f, \"words\": %u, \"nonzeros\": %llu}\n", seconds, words,
           (unsigned long long)nonzeros);
    return 0;
}
