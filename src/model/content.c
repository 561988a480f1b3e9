/* Rows of TF-IDF and of features side by side. O(words of texts + features). */
#include "model/content.h"

#include <string.h>

#include "base/sys.h"
#include "support/status.h"

enum { ROWS_PER_TASK = 64 };

typedef struct joiner {
    const ni_sparse *words;
    const neap_features *features;
    uint32_t first; /* column of the first feature */
    const ni_tfidf_options *rule;
    ni_sparse *out;
} joiner;

static uint32_t size_of(const ni_sparse *a, uint64_t row)
{
    return a->end[row] - a->start[row];
}

/* One row. */
static void join(const joiner *j, uint64_t row)
{
    const neap_features *f = j->features;
    uint32_t words = size_of(j->words, row), more = (uint32_t)(f->offset[row + 1] - f->offset[row]);
    ni_term *to = j->out->term + j->out->start[row];
    double square = 0, share = ni_content_share(j->rule, words && more);
    if (words) memcpy(to, j->words->term + j->words->start[row], words * sizeof *to);
    for (uint32_t i = 0; i < words; i++) to[i].weight = (float)(share * (double)to[i].weight);
    const float *value = f->value + f->offset[row];
    for (uint32_t i = 0; i < more; i++) square += (double)value[i] * (double)value[i];
    if (j->rule->norm == NI_NORM_UNIT && square > 0) share /= sqrt(square);
    for (uint32_t i = 0; i < more; i++)
        to[words + i] =
            (ni_term){ j->first + f->feature[f->offset[row] + i], (float)(share * (double)value[i]) };
}

static void join_task(void *arg, uint32_t task, uint32_t thread)
{
    const joiner *j = arg;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, end = ni_task_end(first, ROWS_PER_TASK, j->out->rows);
    (void)thread;
    for (uint64_t row = first; row < end; row++) join(j, row);
}

static neap_status join_all(const ni_sparse *words, const neap_features *f, uint32_t first,
                            const ni_tfidf_options *rule, ni_threads *threads, ni_sparse *out,
                            neap_error *err)
{
    joiner j = { words, f, first, rule, out };
    uint64_t count = f->offset[f->nodes];
    for (uint64_t row = 0; row < words->rows; row++) count += size_of(words, row);
    *out = (ni_sparse){ .rows = words->rows, .nonzeros = count };
    if (count > UINT32_MAX)
        return ni_fail(err, NEAP_E_LIMIT, "%llu words and features; at most %u are possible",
                       (unsigned long long)count, UINT32_MAX);
    out->start = ni_array(out->rows, sizeof *out->start);
    out->end = ni_array(out->rows, sizeof *out->end);
    out->term = ni_array(count, sizeof *out->term);
    if (!out->start || !out->end || !out->term) {
        ni_tfidf_free(out);
        return ni_fail_memory(err, "the features of nodes");
    }
    uint32_t at = 0;
    for (uint64_t row = 0; row < out->rows; row++) {
        out->start[row] = at;
        out->end[row] = at += size_of(words, row) + (uint32_t)(f->offset[row + 1] - f->offset[row]);
    }
    ni_threads_run(threads, ni_tasks(out->rows, ROWS_PER_TASK), join_task, &j);
    neap_status rc = ni_threads_check(threads, err);
    if (rc != NEAP_OK) ni_tfidf_free(out);
    return rc;
}

neap_status ni_content_create(const ni_texts *t, const neap_features *f, const ni_tfidf_options *rule,
                              ni_threads *threads, ni_sparse *out, neap_error *err)
{
    ni_sparse words;
    neap_status rc = ni_tfidf_create(t, 0, t->nodes, t->nodes, rule, threads, &words, err);
    if (rc != NEAP_OK) return rc;
    if (!f) {
        *out = words;
        return NEAP_OK;
    }
    rc = join_all(&words, f, t->words.count, rule, threads, out, err);
    ni_tfidf_free(&words);
    return rc;
}

uint32_t ni_content_columns(const ni_texts *t, const neap_features *f)
{
    return t->words.count + (f ? f->names.count : 0);
}

uint64_t ni_content_bytes(const ni_texts *t, const neap_features *f, uint32_t d)
{
    uint64_t terms = t->offset[t->nodes] + (f ? f->offset[f->nodes] : 0);
    return 2 * (t->nodes * 2 * sizeof(uint32_t) + terms * sizeof(ni_term)) +
           ni_svd_bytes(t->nodes, ni_content_columns(t, f), terms, d);
}
