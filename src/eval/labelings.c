/* NMI, AMI and ARI of two labelings a and b of the same n items (definitions in metrics.h), from their
 * contingency table: cell (i, j) counts the items with label i in a and j in b. The table is never stored:
 * items are grouped by their label in a (counting sort), and each group counts its labels in b. O(n) time,
 * 12 bytes per item; AMI adds the expected information of each pair of distinct cluster sizes, at most 2 n
 * of them. One thread; nothing outlives a call. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/sys.h"
#include "eval/metrics.h"
#include "support/status.h"

typedef struct clusters {
    uint32_t *sizes; /* (labels) items with each label; 0 for a label that does not occur */
    size_t labels;
} clusters;

typedef struct comparison {
    size_t n;
    clusters a, b;
    uint64_t pairs;     /* of items that are together in a and in b  */
    double information; /* mutual, in nats                           */
} comparison;

static neap_status labels_check(const uint32_t *labels, size_t n, size_t *count, neap_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (labels[i] >= n)
            return ni_fail(err, NEAP_E_ARG, "label %u of thing %zu is not below %zu, the number of things",
                           labels[i], i, n);
        if (labels[i] >= *count) *count = (size_t)labels[i] + 1;
    }
    return NEAP_OK;
}

/* grouped: (n) the labels b of the items of row 0, then of row 1, ...   next: (a.labels) scratch */
static void group_by_row(const comparison *c, const uint32_t *a, const uint32_t *b, uint32_t *grouped,
                         uint32_t *next)
{
    uint32_t start = 0;
    for (size_t i = 0; i < c->a.labels; i++) {
        next[i] = start;
        start += c->a.sizes[i];
    }
    for (size_t t = 0; t < c->n; t++) grouped[next[a[t]]++] = b[t];
}

static uint64_t pairs_of(uint64_t things)
{
    return things * (things - 1) / 2;
}

/* The term of a cell of k items, row sum a, column sum b, in the mutual information. */
static double cell_information(double n, double a, double b, double k)
{
    return k > 0 ? k / n * log(n * k / (a * b)) : 0;
}

/* Each cell is visited at its first item.   met: (b.labels) counts of the row at hand; zeros before and
 * after */
static void walk_cells(comparison *c, const uint32_t *grouped, uint32_t *met)
{
    for (size_t i = 0; i < c->a.labels; i++) {
        const uint32_t *end = grouped + c->a.sizes[i];
        for (const uint32_t *j = grouped; j < end; j++) met[*j]++;
        for (; grouped < end; grouped++) {
            uint32_t j = *grouped, k = met[j];
            c->pairs += pairs_of(k);
            c->information += cell_information((double)c->n, c->a.sizes[i], c->b.sizes[j], k);
            met[j] = 0;
        }
    }
}

static neap_status fill(comparison *c, const uint32_t *a, const uint32_t *b, neap_error *err)
{
    neap_status rc = NEAP_OK;
    uint32_t *grouped = ni_array(c->n, sizeof *grouped);
    uint32_t *next = ni_array(c->a.labels, sizeof *next);
    uint32_t *met = ni_zeros(c->b.labels, sizeof *met);
    c->a.sizes = ni_zeros(c->a.labels, sizeof *c->a.sizes);
    c->b.sizes = ni_zeros(c->b.labels, sizeof *c->b.sizes);
    if (grouped && next && met && c->a.sizes && c->b.sizes) {
        for (size_t t = 0; t < c->n; t++) c->a.sizes[a[t]]++, c->b.sizes[b[t]]++;
        group_by_row(c, a, b, grouped, next);
        walk_cells(c, grouped, met);
        c->information = fmax(c->information, 0);
    } else {
        rc = ni_fail_memory(err, "a contingency table");
    }
    ni_free(grouped);
    ni_free(next);
    ni_free(met);
    return rc;
}

static void comparison_free(comparison *c)
{
    ni_free(c->a.sizes);
    ni_free(c->b.sizes);
}

static neap_status compare(comparison *c, const uint32_t *a, const uint32_t *b, size_t n, neap_error *err)
{
    *c = (comparison){ .n = n };
    if (n > UINT32_MAX) return ni_fail(err, NEAP_E_LIMIT, "a labeling is of fewer than 2^32 things");
    neap_status rc = labels_check(a, n, &c->a.labels, err);
    if (rc == NEAP_OK) rc = labels_check(b, n, &c->b.labels, err);
    if (rc == NEAP_OK) rc = fill(c, a, b, err);
    if (rc != NEAP_OK) comparison_free(c);
    return rc;
}

static uint64_t pairs_within(const clusters *c)
{
    uint64_t pairs = 0;
    for (size_t i = 0; i < c->labels; i++) pairs += pairs_of(c->sizes[i]);
    return pairs;
}

/* The same partition: items together in one are together in the other. */
static bool agree(const comparison *c)
{
    return pairs_within(&c->a) == c->pairs && pairs_within(&c->b) == c->pairs;
}

static double entropy(const clusters *c, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < c->labels; i++) {
        double size = c->sizes[i];
        if (size > 0) sum += size / (double)n * log((double)n / size);
    }
    return sum;
}

static double mean_entropy(const comparison *c)
{
    return (entropy(&c->a, c->n) + entropy(&c->b, c->n)) / 2;
}

neap_status ni_nmi(const uint32_t *a, const uint32_t *b, size_t n, double *nmi, neap_error *err)
{
    comparison c;
    neap_status rc = compare(&c, a, b, n, err);
    if (rc != NEAP_OK) return rc;
    *nmi = agree(&c) ? 1 : c.information / mean_entropy(&c);
    comparison_free(&c);
    return NEAP_OK;
}

/* Over the pairs of items: T together in both, F only in a, G only in b, N in neither.
 *     ARI = 2 (T N - F G) / ((T + F)(F + N) + (T + G)(G + N))
 * The denominator is at least 2 T N and at least F^2 + G^2, so rounding stays below a few ulp of 1.  */
neap_status ni_ari(const uint32_t *a, const uint32_t *b, size_t n, double *ari, neap_error *err)
{
    comparison c;
    neap_status rc = compare(&c, a, b, n, err);
    if (rc != NEAP_OK) return rc;
    uint64_t in_a = pairs_within(&c.a), in_b = pairs_within(&c.b), all = pairs_of(n);
    double T = (double)c.pairs, F = (double)(in_a - c.pairs), G = (double)(in_b - c.pairs);
    double N = (double)(all - in_a - (in_b - c.pairs));
    *ari = agree(&c) ? 1 : 2 * (T * N - F * G) / ((T + F) * (F + N) + (T + G) * (G + N));
    comparison_free(&c);
    return NEAP_OK;
}

/* ---- expectation under random labelings ---- */

/* A cell of row sum a and column sum b in a random table with these sums holds k items with hypergeometric
 * probability (Vinh, Epps and Bailey 2010); the expectation of its information. Probabilities are taken
 * relative to the most likely k and walked outwards by their ratios, p(k + 1) / p(k) = (a - k) (b - k) /
 * ((k + 1) (n - a - b + k + 1)), until they no longer matter: no factorials, hence no cancellation of large
 * logarithms, and about sqrt(ab / n) steps. All numbers are whole, below 2^32, and exact in a double. */
static double expected_information(double n, double a, double b)
{
    const double negligible = 1e-30;
    double least = fmax(0, a + b - n), most = fmin(a, b);
    double mode = fmax(least, fmin(most, floor((a + 1) * (b + 1) / (n + 2))));
    double total = 1, sum = cell_information(n, a, b, mode), p = 1;
    for (double k = mode; k < most && p > negligible; k++) {
        p *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1));
        total += p;
        sum += p * cell_information(n, a, b, k + 1);
    }
    p = 1;
    for (double k = mode; k > least && p > negligible; k--) {
        p *= k * (n - a - b + k) / ((a - k + 1) * (b - k + 1));
        total += p;
        sum += p * cell_information(n, a, b, k - 1);
    }
    return sum / total;
}

typedef struct size_class {
    uint32_t size, clusters;
} size_class;

static int by_size(const void *a, const void *b)
{
    uint32_t x = ((const size_class *)a)->size, y = ((const size_class *)b)->size;
    return (x > y) - (x < y);
}

/* The distinct sizes, at most sqrt(2n), with the number of clusters of each; NULL without memory. */
static size_class *distinct_sizes(const clusters *c, size_t *count)
{
    size_class *classes = ni_array(c->labels, sizeof *classes);
    if (!classes) return NULL;
    size_t used = 0;
    for (size_t i = 0; i < c->labels; i++)
        if (c->sizes[i] > 0) classes[used++] = (size_class){ c->sizes[i], 1 };
    qsort(classes, used, sizeof *classes, by_size);
    *count = 0;
    for (size_t i = 0; i < used; i++) {
        if (*count > 0 && classes[*count - 1].size == classes[i].size) classes[*count - 1].clusters++;
        else classes[(*count)++] = classes[i];
    }
    return classes;
}

/* The mean mutual information over all tables with the same row and column sums. */
static neap_status expect_information(const comparison *c, double *expected, neap_error *err)
{
    size_t rows = 0, columns = 0;
    size_class *row = distinct_sizes(&c->a, &rows), *column = distinct_sizes(&c->b, &columns);
    double sum = 0;
    for (size_t i = 0; row && column && i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            sum += (double)row[i].clusters * column[j].clusters *
                   expected_information((double)c->n, row[i].size, column[j].size);
    *expected = sum;
    neap_status rc = row && column ? NEAP_OK : ni_fail_memory(err, "the cluster sizes");
    ni_free(row);
    ni_free(column);
    return rc;
}

neap_status ni_ami(const uint32_t *a, const uint32_t *b, size_t n, double *ami, neap_error *err)
{
    comparison c;
    double expected;
    neap_status rc = compare(&c, a, b, n, err);
    if (rc != NEAP_OK) return rc;
    if (agree(&c)) *ami = 1;
    else if ((rc = expect_information(&c, &expected, err)) == NEAP_OK)
        *ami = (c.information - expected) / fmax(mean_entropy(&c) - expected, DBL_EPSILON);
    comparison_free(&c);
    return rc;
}
