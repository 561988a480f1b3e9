/* Positives against one pool of negatives (metrics.h): AUC, average precision and Hits@K are functions of
 * how many negatives fall between which positives. Sorting takes O(n log n), each negative O(log n) and no
 * memory: counts are kept, not scores, but for the NI_HITS_MOST best negatives. ni_gaps owns the sorted
 * positives and the counts, 12 bytes per positive; one thread at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys.h"
#include "eval/metrics.h"
#include "support/status.h"

__extension__ typedef unsigned __int128 u128; /* pairs of a positive and a negative */

struct ni_gaps {
    float *sorted;            /* (n) the positives, ascending                             */
    uint64_t *counts;         /* (n + 1) at i: negatives with i positives at or below them */
    size_t n;                 /* positives                                                */
    uint64_t m;               /* negatives so far                                         */
    u128 ties;                /* pairs of equal score                                     */
    float best[NI_HITS_MOST]; /* the highest negatives, best first                        */
};

neap_status ni_scores_check(const float *scores, size_t n, neap_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(scores[i])) return ni_fail(err, NEAP_E_NUMERIC, "a score is not a number");
    return NEAP_OK;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sorting may take memory of its own, so the counts come after it. */
neap_status ni_gaps_adopt(float *positives, size_t n, ni_gaps **out, neap_error *err)
{
    *out = NULL;
    neap_status rc = n ? ni_scores_check(positives, n, err)
                       : ni_fail(err, NEAP_E_ARG, "there are no positives to set against negatives");
    ni_gaps *gaps = rc == NEAP_OK ? ni_zeros(1, sizeof *gaps) : NULL;
    if (!gaps) {
        ni_free(positives);
        return rc == NEAP_OK ? ni_fail_memory(err, "the scores") : rc;
    }
    qsort(positives, n, sizeof *positives, ascending);
    *gaps = (ni_gaps){ .sorted = positives, .n = n, .counts = ni_zeros(n + 1, sizeof *gaps->counts) };
    if (!gaps->counts) {
        ni_gaps_free(gaps);
        return ni_fail_memory(err, "the scores");
    }
    *out = gaps;
    return NEAP_OK;
}

neap_status ni_gaps_create(const float *positives, size_t n, ni_gaps **out, neap_error *err)
{
    float *copy = ni_copy(positives, n, sizeof *copy);
    *out = NULL;
    return copy ? ni_gaps_adopt(copy, n, out, err) : ni_fail_memory(err, "the scores");
}

void ni_gaps_free(ni_gaps *gaps)
{
    if (!gaps) return;
    ni_free(gaps->sorted);
    ni_free(gaps->counts);
    ni_free(gaps);
}

static size_t positives_below(const ni_gaps *gaps, float x)
{
    size_t low = 0, high = gaps->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gaps->sorted[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

static size_t positives_not_above(const ni_gaps *gaps, float x)
{
    size_t low = 0, high = gaps->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (gaps->sorted[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Insertion into a short sorted list; in a long stream nearly every negative returns at once. */
static void keep_if_among_the_best(ni_gaps *gaps, float x)
{
    if (gaps->m >= NI_HITS_MOST && x <= gaps->best[NI_HITS_MOST - 1]) return;
    size_t i = gaps->m < NI_HITS_MOST ? (size_t)gaps->m : NI_HITS_MOST - 1;
    for (; i > 0 && gaps->best[i - 1] < x; i--) gaps->best[i] = gaps->best[i - 1];
    gaps->best[i] = x;
}

neap_status ni_gaps_add(ni_gaps *gaps, const float *negatives, size_t m, neap_error *err)
{
    neap_status rc = ni_scores_check(negatives, m, err);
    if (rc != NEAP_OK) return rc;
    for (size_t j = 0; j < m; j++) {
        float x = negatives[j];
        size_t i = positives_not_above(gaps, x);
        gaps->counts[i]++;
        if (i > 0 && gaps->sorted[i - 1] == x) gaps->ties += i - positives_below(gaps, x);
        keep_if_among_the_best(gaps, x);
        gaps->m++;
    }
    return NEAP_OK;
}

/* (wins + ties / 2) / (n m). Twice the numerator is a whole number, so only the division rounds. */
double ni_gaps_auc(const ni_gaps *gaps)
{
    if (gaps->m == 0) return NAN;
    u128 twice = gaps->ties;
    for (size_t i = 0; i < gaps->n; i++) twice += (u128)gaps->counts[i] * (gaps->n - i) * 2;
    return (double)twice / (double)((u128)gaps->n * gaps->m * 2);
}

/* From the best score down: positives [start, end) share one, and `found` positives and `wrong` negatives
 * are at or above it. A negative that ties them stands in counts[end], so it is counted with them. */
double ni_gaps_ap(const ni_gaps *gaps)
{
    double sum = 0;
    uint64_t wrong = 0;
    for (size_t end = gaps->n, start; end > 0; end = start) {
        start = end - 1;
        while (start > 0 && gaps->sorted[start - 1] == gaps->sorted[start]) start--;
        wrong += gaps->counts[end];
        double found = (double)(gaps->n - start);
        sum += (double)(end - start) * found / (found + (double)wrong);
    }
    return sum / (double)gaps->n;
}

double ni_gaps_hits(const ni_gaps *gaps, uint32_t K)
{
    if (K < 1 || K > NI_HITS_MOST) return NAN;
    if (gaps->m < K) return 1;
    return (double)(gaps->n - positives_not_above(gaps, gaps->best[K - 1])) / (double)gaps->n;
}
