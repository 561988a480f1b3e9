#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/sys.h"
#include "neap.h"

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* How many of the n sorted numbers are below x (or, with `equal`, not above it). */
static size_t count_below(const float *sorted, size_t n, float x, int equal)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < x || (equal && sorted[middle] == x)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int has_nan(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i])) return 1;
    return 0;
}

/* The positives are sorted and each negative is counted into the gap it falls in:
 *     AUC = (pairs with positive > negative + half the ties) / (n m).                              */
neap_status neap_auc(const float *positives, size_t n, const float *negatives, size_t m, double *auc,
                     neap_error *err)
{
    if (n == 0 || m == 0) return ni_fail(err, NEAP_E_ARG, "an AUC needs positives and negatives");
    if (has_nan(positives, n) || has_nan(negatives, m))
        return ni_fail(err, NEAP_E_NUMERIC, "a score is not a number");
    float *sorted = ni_array(n, sizeof *sorted);
    if (!sorted) return ni_fail_memory(err, "the scores");
    memcpy(sorted, positives, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    double twice = 0; /* 2 x wins + ties: whole numbers, exact up to 2^53 */
    for (size_t i = 0; i < m; i++) {
        size_t below = count_below(sorted, n, negatives[i], 0);
        size_t upto = count_below(sorted, n, negatives[i], 1);
        twice += (double)(2 * (n - upto) + (upto - below));
    }
    *auc = twice / 2 / ((double)n * (double)m);
    ni_free(sorted);
    return NEAP_OK;
}
