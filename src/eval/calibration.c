/* Bins of equal count, Brier score and ECE; see calibration.h. */
#include "eval/calibration.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "base/sys.h"
#include "support/status.h"

/* A pair: its score, its place among equal ones, and which it is: links are even. */
typedef struct judged {
    float score;
    uint32_t place;
    uint64_t item;
} judged;

static int by_score(const void *a, const void *b)
{
    const judged *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static judged *sort_pairs(const float *links, const float *others, size_t count, uint64_t seed)
{
    judged *pair = ni_array(2 * count, sizeof *pair);
    for (size_t i = 0; pair && i < 2 * count; i++) {
        ni_rng rng = ni_rng_at(seed, NI_STREAM_CALIBRATION, 0, i);
        pair[i] = (judged){ i % 2 ? others[i / 2] : links[i / 2], (uint32_t)ni_next(&rng), i };
    }
    if (pair) qsort(pair, 2 * count, sizeof *pair, by_score);
    return pair;
}

static double probability_of(const judged *pair)
{
    return 1 / (1 + exp(-(double)pair->score));
}

/* Where bin b of n pairs begins. */
static size_t start_of(size_t n, uint32_t b)
{
    return (size_t)((uint64_t)n * b / NEAP_BINS);
}

/* Mean probability and share of links of each bin, and the Brier score. */
static void fill_bins(const judged *pair, size_t n, neap_link_result *r)
{
    r->brier = 0;
    for (uint32_t b = 0; b < NEAP_BINS; b++) {
        size_t first = start_of(n, b), end = start_of(n, b + 1);
        double sum = 0, links = 0;
        for (size_t i = first; i < end; i++) {
            double p = probability_of(&pair[i]), link = pair[i].item % 2 == 0;
            sum += p, links += link;
            r->brier += (p - link) * (p - link);
        }
        r->bin_count[b] = end - first;
        r->bin_predicted[b] = sum / (double)(end - first);
        r->bin_observed[b] = links / (double)(end - first);
    }
    r->brier /= (double)n;
}

static double ece_of(const neap_link_result *r, const double *observed, size_t n)
{
    double sum = 0;
    for (uint32_t b = 0; b < NEAP_BINS; b++)
        if (r->bin_count[b]) sum += (double)r->bin_count[b] * fabs(r->bin_predicted[b] - observed[b]);
    return sum / (double)n;
}

/* The ECE of labels that are drawn from the probabilities. */
static double own_ece(const judged *pair, size_t n, uint64_t seed, uint32_t draw, const neap_link_result *r)
{
    double observed[NEAP_BINS];
    for (uint32_t b = 0; b < NEAP_BINS; b++) {
        double links = 0;
        for (size_t i = start_of(n, b); i < start_of(n, b + 1); i++) {
            ni_rng rng = ni_rng_at(seed, NI_STREAM_CALIBRATION, 1 + draw, pair[i].item);
            links += ni_uniform(&rng) < probability_of(&pair[i]);
        }
        observed[b] = links / (double)r->bin_count[b];
    }
    return ece_of(r, observed, n);
}

neap_status ni_calibration(const float *links, const float *others, size_t count, uint64_t seed,
                           neap_link_result *r, neap_error *err)
{
    judged *pair = sort_pairs(links, others, count, seed);
    if (!pair) return ni_fail_memory(err, "the scores");
    fill_bins(pair, 2 * count, r);
    r->bins = NEAP_BINS;
    r->ece = ece_of(r, r->bin_observed, 2 * count);
    r->ece_own = 0;
    for (uint32_t draw = 0; draw < NI_OWN_LABELS; draw++)
        r->ece_own += own_ece(pair, 2 * count, seed, draw, r) / NI_OWN_LABELS;
    ni_free(pair);
    return NEAP_OK;
}
