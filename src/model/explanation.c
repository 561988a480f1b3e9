/* From a draft, whose rows are in the order in which its method reads them, to an explanation sorted by
 * weight: O(a log a
 * + b log b + a b). The explanation is one object with its columns, freed by the caller. */
#include "model/explanation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "support/status.h"

/* Pairs of neighbours in an explanation: 64 MB of alignments. */
enum { CELLS_MOST = 1 << 24 };

/* ---- order: largest weight first, on both sides and in the matrix ---- */

static int by_weight(const void *a, const void *b)
{
    const ni_reason *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->contribution != y->contribution) return x->contribution > y->contribution ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* The alignment in the order of the sorted rows; NULL: no memory. */
static float *sort_alignment(const ni_explanation_draft *d)
{
    float *sorted = ni_array((uint64_t)d->a * d->b, sizeof *sorted);
    for (uint64_t i = 0; sorted && i < d->a; i++)
        for (uint64_t j = 0; j < d->b; j++)
            sorted[i * d->b + j] =
                d->alignment[(uint64_t)d->by_source[i].position * d->b + d->by_target[j].position];
    return sorted;
}

/* ---- the pair in the graph ---- */

static void describe(const ni_links *links, neap_explanation *x)
{
    x->linked = ni_linked(links, x->source, x->target);
    x->source_links = (uint32_t)ni_degree(links, x->source);
    x->target_links = (uint32_t)ni_degree(links, x->target);
    x->shared = ni_count_shared(links, x->source, x->target);
}

/* ---- the object ---- */

static ni_reason unseen(uint32_t position)
{
    return (ni_reason){ .position = position, .alignment = NAN };
}

neap_status ni_explanation_begin(ni_explanation_draft *d, const ni_links *links, uint32_t source,
                                 uint32_t target, uint32_t a, uint32_t b, neap_error *err)
{
    *d = (ni_explanation_draft){ .facts = { .size = sizeof d->facts, .source = source, .target = target },
                                 .a = a,
                                 .b = b,
                                 .plain = d->plain };
    if (!d->plain && (uint64_t)a * b > CELLS_MOST)
        return ni_fail(
            err, NEAP_E_LIMIT,
            "the two have %u and %u neighbours or words: more than %d pairs of them are not explained", a,
            b, CELLS_MOST);
    d->by_source = ni_zeros(a, sizeof *d->by_source);
    d->by_target = ni_zeros(b, sizeof *d->by_target);
    if (!d->plain) d->alignment = ni_zeros((uint64_t)a * b, sizeof *d->alignment);
    if (!d->by_source || !d->by_target || (!d->alignment && !d->plain))
        return ni_fail_memory(err, "an explanation");
    for (uint32_t i = 0; i < a; i++) d->by_source[i] = unseen(i);
    for (uint32_t j = 0; j < b; j++) d->by_target[j] = unseen(j);
    describe(links, &d->facts);
    return NEAP_OK;
}

void ni_explanation_draft_free(ni_explanation_draft *d)
{
    ni_free(d->by_source);
    ni_free(d->by_target);
    ni_free(d->alignment);
}

static size_t bytes_of_words(const ni_names *words, const uint32_t *word, uint32_t count)
{
    size_t bytes = (size_t)count * sizeof(char *);
    for (uint32_t i = 0; i < count; i++) bytes += ni_name_length(words, word[i]) + 1;
    return bytes;
}

/* The words of sorted rows: pointers, and their bytes behind them. */
static const char *const *copy_words(const ni_names *words, const uint32_t *word, const ni_reason *row,
                                     uint32_t count, void *room)
{
    const char **list = room;
    char *bytes = (char *)(list + count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = word[row[i].position];
        size_t size = (size_t)ni_name_length(words, number) + 1;
        list[i] = memcpy(bytes, ni_name(words, number), size);
        bytes += size;
    }
    return list;
}

/* Rows as columns, which lie in one block behind their object; NULL: no memory. word: of the text, or NULL.
 */
static neap_reasons *make_columns(const ni_names *words, const uint32_t *word, const ni_reason *row,
                                  uint32_t count, const ni_reason *rest)
{
    enum { COLUMNS = 5, WIDTH = 4 };
    size_t text = words ? bytes_of_words(words, word, count) : 0;
    size_t columns = ((size_t)count * COLUMNS * WIDTH + sizeof(char *) - 1) / sizeof(char *);
    neap_reasons *r = ni_array(1, sizeof *r + columns * sizeof(char *) + text);
    if (!r) return NULL;
    uint32_t *node = (uint32_t *)(r + 1), *partner = node + count;
    float *weight = (float *)(partner + count), *contribution = weight + count,
          *alignment = contribution + count;
    for (uint32_t i = 0; i < count; i++) {
        node[i] = row[i].node, partner[i] = row[i].partner;
        weight[i] = row[i].weight, contribution[i] = row[i].contribution, alignment[i] = row[i].alignment;
    }
    *r = (neap_reasons){ sizeof *r,    count,     node, partner,      weight,
                         contribution, alignment, NULL, rest->weight, rest->contribution };
    if (words) r->word = copy_words(words, word, row, count, (char **)(r + 1) + columns);
    return r;
}

/* What no row has is a difference of sums: of their rounding nothing is to remain. */
static void drop_rounding(ni_reason *rest, float score)
{
    if (fabsf(rest->weight) < 1e-6F) rest->weight = 0;
    if (fabsf(rest->contribution) < 1e-6F * (1 + fabsf(score))) rest->contribution = 0;
}

neap_explanation *ni_explanation_finish(ni_explanation_draft *d)
{
    neap_explanation *x = ni_copy(&d->facts, 1, sizeof *x);
    if (!x) return NULL;
    qsort(d->by_source, d->a, sizeof *d->by_source, by_weight);
    qsort(d->by_target, d->b, sizeof *d->by_target, by_weight);
    x->words = d->words != NULL;
    drop_rounding(&d->source_rest, x->score);
    drop_rounding(&d->target_rest, x->score);
    x->by_source = make_columns(d->words, d->source_word, d->by_source, d->a, &d->source_rest);
    x->by_target = make_columns(d->words, d->target_word, d->by_target, d->b, &d->target_rest);
    x->alignment = d->plain ? NULL : sort_alignment(d);
    if (x->by_source && x->by_target && (x->alignment || d->plain)) return x;
    neap_explanation_free(x);
    return NULL;
}

void neap_explanation_free(neap_explanation *x)
{
    if (!x) return;
    ni_free((void *)x->by_source);
    ni_free((void *)x->by_target);
    ni_free((void *)x->alignment);
    ni_free((void *)x->evidence);
    ni_free(x);
}
