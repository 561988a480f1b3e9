/* TF-IDF of the texts of a model. A task sorts the words of its texts where they stay: a row has as much
 * room as its text has words. */
#include "model/tfidf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 64 };

static const ni_option tfidf_options[] = {
    NI_OPTION(ni_tfidf_options, CHOICE, tf, "tf", "", 0, "text", "count|binary|log", "count", "count",
              "count", 0, 0, 1, "what a word of a text counts: its number, 1, or 1 + ln of its number"),
    NI_OPTION(ni_tfidf_options, CHOICE, idf, "idf", "", 0, "text", "smooth|plain", "smooth", "smooth",
              "smooth", 0, 0, 1,
              "weight of a word in df of n texts: ln((1 + n) / (1 + df)) + 1, or ln(n / df)"),
    NI_OPTION(ni_tfidf_options, CHOICE, norm, "text-norm", "", 0, "text", "unit|none", "unit", "unit",
              "unit", 0, 0, 1, "scale the word weights of a text to length 1, or not"),
};
const ni_option_set ni_tfidf_set = NI_OPTION_SET(tfidf_options);

typedef struct builder {
    const ni_texts *texts;
    const ni_tfidf_options *rule;
    uint32_t first, trained;
    ni_sparse *out;
} builder;

static int by_word(const void *a, const void *b)
{
    uint32_t x = ((const ni_term *)a)->row, y = ((const ni_term *)b)->row;
    return x < y ? -1 : x > y;
}

/* A Shell sort: most texts have some hundred words, for which it takes a third of qsort's time. */
static void sort_words(ni_term *term, uint32_t size)
{
    static const uint32_t gaps[] = { 701, 301, 132, 57, 23, 10, 4, 1 };
    if (size > 10 * gaps[0]) {
        qsort(term, size, sizeof *term, by_word);
        return;
    }
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (uint32_t i = gaps[g], k; i < size; i++) {
            uint32_t word = term[i].row;
            for (k = i; k >= gaps[g] && term[k - gaps[g]].row > word; k -= gaps[g])
                term[k].row = term[k - gaps[g]].row;
            term[k].row = word;
        }
}

static double idf(const builder *b, uint32_t word)
{
    double n = b->trained, documents = b->texts->documents[word];
    if (b->rule->idf == NI_IDF_SMOOTH) return log((1 + n) / (1 + documents)) + 1;
    return documents > 0 ? log(n / documents) : 0;
}

static double tf(const builder *b, uint32_t count)
{
    if (b->rule->tf == NI_TF_BINARY) return 1;
    return b->rule->tf == NI_TF_LOG ? 1 + log(count) : count;
}

/* Sorted words of one text become its distinct words and their weights; returns how many. */
static uint32_t weigh(const builder *b, ni_term *term, uint32_t size)
{
    uint32_t n = 0;
    double square = 0;
    for (uint32_t i = 0, end; i < size; i = end, n++) {
        for (end = i + 1; end < size && term[end].row == term[i].row;) end++;
        double x = tf(b, end - i) * idf(b, term[i].row);
        square += x * x;
        term[n] = (ni_term){ term[i].row, (float)x };
    }
    if (b->rule->norm == NI_NORM_UNIT && square > 0)
        for (uint32_t i = 0; i < n; i++) term[i].weight = (float)((double)term[i].weight / sqrt(square));
    return n;
}

static void row_task(void *arg, uint32_t task, uint32_t thread)
{
    const builder *b = arg;
    const ni_texts *t = b->texts;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, b->out->rows);
    (void)thread;
    for (uint64_t r = first; r < end; r++) {
        const uint32_t *word = t->word + t->offset[b->first + r];
        uint32_t size = ni_text_size(t, b->first + (uint32_t)r);
        uint32_t start = (uint32_t)(t->offset[b->first + r] - t->offset[b->first]);
        ni_term *term = b->out->term + start;
        for (uint32_t i = 0; i < size; i++) term[i].row = word[i];
        sort_words(term, size);
        b->out->start[r] = start;
        b->out->end[r] = start + weigh(b, term, size);
    }
}

neap_status ni_tfidf_create(const ni_texts *t, uint32_t first, uint32_t end, uint32_t trained,
                            const ni_tfidf_options *rule, ni_threads *threads, ni_sparse *out,
                            neap_error *err)
{
    builder b = { .texts = t, .rule = rule, .first = first, .trained = trained, .out = out };
    *out = (ni_sparse){ .rows = end - first, .nonzeros = t->offset[end] - t->offset[first] };
    if (out->nonzeros > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT, "the texts have %llu words; at most %u can be weighed",
                       (unsigned long long)out->nonzeros, UINT32_MAX);
    out->start = ni_array(out->rows, sizeof *out->start);
    out->end = ni_array(out->rows, sizeof *out->end);
    out->term = ni_array(out->nonzeros, sizeof *out->term);
    neap_status rc = out->start && out->end && out->term
                         ? NEAP_OK
                         : ni_fail_memory(err, "the weights of words; a larger --min-count needs less");
    if (rc == NEAP_OK) {
        ni_threads_run(threads, ni_tasks(out->rows, ROWS_PER_TASK), row_task, &b);
        rc = ni_threads_check(threads, err);
    }
    if (rc != NEAP_OK) ni_tfidf_free(out);
    return rc;
}

void ni_tfidf_free(ni_sparse *m)
{
    ni_free(m->start);
    ni_free(m->end);
    ni_free(m->term);
    *m = (ni_sparse){ 0 };
}

neap_status ni_tfidf_basis(const ni_sparse *a, uint32_t words, uint32_t d, uint64_t seed,
                           ni_threads *threads, double *value, float *V, neap_error *err)
{
    neap_status rc = ni_svd(a, words, d, seed, threads, value, V, err);
    if (rc != NEAP_OK || value[0] > 0) return rc;
    return ni_fail(err, NEAP_E_NUMERIC,
                   "the texts tell nothing apart: every word has weight 0; --idf smooth or a smaller "
                   "--min-count may help");
}

uint64_t ni_tfidf_bytes(const ni_texts *t, uint32_t d)
{
    uint64_t words = t->offset[t->nodes];
    return t->nodes * 2 * sizeof(uint32_t) + words * sizeof(ni_term) +
           ni_svd_bytes(t->nodes, t->words.count, words, d);
}
