/* TF-IDF of the texts of a model. A task sorts the words of its texts where their weights will stand: a row
 * has as much room as its text has words. O(words of the texts). */
#include "model/tfidf.h"

#include <math.h>
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
    double *idf; /* words */
    ni_sparse *out;
} builder;

enum { BUCKETS = 256, FEW = 24 };

/* Ascending, by a radix sort of eight bits at a time: most texts have some hundred words, for which it
 * takes a fifth of qsort's time, and no comparison is mispredicted. most: no word is larger. other: work
 * space. */
static void sort_words(uint32_t *word, uint32_t size, uint32_t most, uint32_t *other)
{
    uint32_t *from = word, *to = other;
    for (uint32_t i = 1, k; size <= FEW && i < size; i++) {
        uint32_t x = word[i];
        for (k = i; k && word[k - 1] > x; k--) word[k] = word[k - 1];
        word[k] = x;
    }
    for (int shift = 0; size > FEW && shift < 32 && most >> shift; shift += 8) {
        uint32_t start[BUCKETS + 1] = { 0 };
        for (uint32_t i = 0; i < size; i++) start[(from[i] >> shift) % BUCKETS + 1]++;
        for (uint32_t i = 1; i < BUCKETS; i++) start[i] += start[i - 1];
        for (uint32_t i = 0; i < size; i++) to[start[(from[i] >> shift) % BUCKETS]++] = from[i];
        uint32_t *swap = from;
        from = to, to = swap;
    }
    if (from != word) memcpy(word, from, size * sizeof *word);
}

static double idf_of(const builder *b, uint32_t word)
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

/* Sorted words of one text become its distinct words and their weights; returns how many. The words stand
 * in the second half of the terms' room, which the terms reach only behind the words that they are made of.
 */
static uint32_t weigh(const builder *b, const uint32_t *word, uint32_t size, ni_term *term)
{
    uint32_t n = 0;
    double square = 0;
    for (uint32_t i = 0, end; i < size; i = end, n++) {
        uint32_t w = word[i];
        for (end = i + 1; end < size && word[end] == w;) end++;
        double x = tf(b, end - i) * b->idf[w];
        square += x * x;
        term[n] = (ni_term){ w, (float)x };
    }
    if (b->rule->norm == NI_NORM_UNIT && square > 0) {
        double length = sqrt(square);
        for (uint32_t i = 0; i < n; i++) term[i].weight = (float)((double)term[i].weight / length);
    }
    return n;
}

static void row_task(void *arg, uint32_t task, uint32_t thread)
{
    const builder *b = arg;
    const ni_texts *t = b->texts;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, b->out->rows);
    (void)thread;
    for (uint64_t r = first; r < end; r++) {
        uint32_t size = ni_text_size(t, b->first + (uint32_t)r);
        uint32_t start = (uint32_t)(t->offset[b->first + r] - t->offset[b->first]);
        uint32_t *room = (uint32_t *)(b->out->term + start), *word = room + size;
        memcpy(word, t->word + t->offset[b->first + r], size * sizeof *word);
        sort_words(word, size, t->words.count - 1, room);
        b->out->start[r] = start;
        b->out->end[r] = start + weigh(b, word, size, b->out->term + start);
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
    b.idf = ni_array(t->words.count, sizeof *b.idf);
    neap_status rc = out->start && out->end && out->term && b.idf
                         ? NEAP_OK
                         : ni_fail_memory(err, "the weights of words; a larger --min-count needs less");
    if (rc == NEAP_OK) {
        for (uint32_t i = 0; i < t->words.count; i++) b.idf[i] = idf_of(&b, i);
        ni_threads_run(threads, ni_tasks(out->rows, ROWS_PER_TASK), row_task, &b);
        rc = ni_threads_check(threads, err);
    }
    ni_free(b.idf);
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
    return ni_fail(err, NEAP_E_FORMAT,
                   "the texts tell nothing apart: every word has weight 0; --idf smooth or a smaller "
                   "--min-count may help");
}

uint64_t ni_tfidf_bytes(const ni_texts *t, uint32_t d)
{
    uint64_t words = t->offset[t->nodes];
    return t->nodes * 2 * sizeof(uint32_t) + words * sizeof(ni_term) + t->words.count * sizeof(double) +
           ni_svd_bytes(t->nodes, t->words.count, words, d);
}
