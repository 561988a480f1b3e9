/* text_matrix.c - prints the TF-IDF of a file of texts, one per line, and its leading singular values and
 * vectors as JSON: what tests/text_oracle.py compares with scikit-learn and SciPy.
 *
 * usage: text_matrix TEXTS LINES TF IDF NORM K     TF, IDF, NORM: numbers of tfidf.h's choices */
#include <stdio.h>
#include <stdlib.h>

#include "base/sys.h"
#include "model/tfidf.h"

static void print_row(const ni_texts *t, const ni_sparse *a, uint64_t row)
{
    printf("{");
    for (uint32_t i = a->start[row]; i < a->end[row]; i++)
        printf("%s\"%s\": %.9g", i > a->start[row] ? ", " : "", ni_name(&t->words, a->term[i].row),
               (double)a->term[i].weight);
    printf("}");
}

static int print_svd(const ni_texts *t, const ni_sparse *a, uint32_t k, ni_threads *threads,
                     neap_error *err)
{
    uint32_t words = t->words.count;
    double *value = malloc(k * sizeof *value);
    float *V = malloc((size_t)words * k * sizeof *V);
    if (!value || !V || ni_svd(a, words, k, 1, threads, value, V, err)) return 1;
    printf(", \"values\": [");
    for (uint32_t i = 0; i < k; i++) printf("%s%.9g", i ? ", " : "", value[i]);
    printf("], \"vectors\": {");
    for (uint32_t w = 0; w < words; w++) {
        printf("%s\"%s\": [", w ? ", " : "", ni_name(&t->words, w));
        for (uint32_t i = 0; i < k; i++) printf("%s%.9g", i ? ", " : "", (double)V[(size_t)w * k + i]);
        printf("]");
    }
    printf("}");
    free(value);
    free(V);
    return 0;
}

int main(int argc, char **argv)
{
    neap_error err = { 0 };
    neap_graph *graph = NULL;
    neap_text *text = NULL;
    ni_texts texts = { 0 };
    ni_threads *threads = NULL;
    ni_sparse a = { 0 };
    if (argc != 7) return 2;
    uint32_t lines = (uint32_t)atoi(argv[2]), k = (uint32_t)atoi(argv[6]);
    ni_tfidf_options rule = { (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]) };
    ni_text_options all = { .min_count = 1, .max_share = 1, .text_length = 1 << 20 };
    neap_edge one = { 0, 1, 1 };
    int bad = neap_graph_create(lines, NULL, &one, 1, 0, 0, &graph, &err) ||
              neap_text_load(argv[1], graph, 1, NULL, &text, &err) ||
              ni_texts_create(text, &all, &texts, &err) || ni_threads_create(2, &threads, &err) ||
              ni_tfidf_create(&texts, 0, lines, lines, &rule, threads, &a, &err);
    if (!bad) {
        printf("{\"rows\": [");
        for (uint32_t r = 0; r < lines; r++) {
            printf("%s", r ? ", " : "");
            print_row(&texts, &a, r);
        }
        printf("]");
        bad = k && print_svd(&texts, &a, k, threads, &err);
        printf("}\n");
    }
    if (bad) fprintf(stderr, "%s\n", err.text);
    ni_tfidf_free(&a);
    ni_threads_free(threads);
    ni_texts_free(&texts);
    neap_text_free(text);
    neap_graph_free(graph);
    return bad;
}
