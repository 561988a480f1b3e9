/* Words by how often they occur. O(words of all texts + V log V). */
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "data/text.h"
#include "support/status.h"

void ni_text_count(const neap_text *text, ni_tally *of)
{
    for (uint32_t u = 0; u < text->nodes; u++)
        for (uint64_t i = text->offset[u]; i < text->offset[u + 1]; i++) {
            ni_tally *t = &of[text->word[i]];
            t->count++;
            t->documents += t->last != u + 1;
            t->last = u + 1;
        }
}

static int by_count(const void *a, const void *b)
{
    const ni_frequent *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->word, y->word);
}

void ni_frequent_sort(ni_frequent *list, size_t count)
{
    if (count) qsort(list, count, sizeof *list, by_count);
}

static neap_status make_counts(const ni_frequent *list, const ni_tally *of, size_t count, uint64_t once,
                               neap_word_counts **out, neap_error *err)
{
    neap_word_counts *made = ni_zeros(1, sizeof *made);
    const char **word = ni_array(count, sizeof *word);
    uint64_t *times = ni_array(count, sizeof *times);
    uint32_t *nodes = ni_array(count, sizeof *nodes);
    if (!made || !word || !times || !nodes) {
        ni_free(made);
        ni_free(word);
        ni_free(times);
        ni_free(nodes);
        return ni_fail_memory(err, "frequent words");
    }
    for (size_t i = 0; i < count; i++) {
        word[i] = list[i].word;
        times[i] = list[i].count;
        nodes[i] = of[list[i].number].documents;
    }
    *made = (neap_word_counts){ sizeof *made, count, word, times, nodes, once };
    *out = made;
    return NEAP_OK;
}

neap_status neap_text_frequent(const neap_text *text, size_t most, neap_word_counts **out, neap_error *err)
{
    uint32_t words = text->words.count;
    ni_tally *of = ni_zeros(words, sizeof *of);
    ni_frequent *list = ni_array(words, sizeof *list);
    neap_status rc = of && list ? NEAP_OK : ni_fail_memory(err, "frequent words");
    uint64_t once = 0;
    *out = NULL;
    if (rc == NEAP_OK) {
        ni_text_count(text, of);
        for (uint32_t i = 0; i < words; i++) {
            list[i] = (ni_frequent){ of[i].count, ni_name(&text->words, i), i };
            once += of[i].count == 1;
        }
        ni_frequent_sort(list, words);
        rc = make_counts(list, of, most < words ? most : words, once, out, err);
    }
    ni_free(of);
    ni_free(list);
    return rc;
}

void neap_word_counts_free(neap_word_counts *c)
{
    if (!c) return;
    ni_free((void *)c->word);
    ni_free((void *)c->times);
    ni_free((void *)c->nodes);
    ni_free(c);
}
