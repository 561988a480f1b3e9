/* Metrics that are one number for one list: AUC, the rank of a positive, F1. Their definitions and rules
 * for ties are in metrics.h; what needs more than a page has a file of its own, gaps.c and labelings.c.
 * Each takes one pass over its input (the AUC sorts the positives first) and runs on the calling thread. */
#include "eval/metrics.h"

#include "base/sys.h"
#include "support/status.h"

neap_status neap_auc(const float *positives, size_t n, const float *negatives, size_t m, double *auc,
                     neap_error *err)
{
    if (n == 0 || m == 0) return ni_fail(err, NEAP_E_ARG, "an AUC needs positives and negatives");
    ni_gaps *gaps;
    neap_status rc = ni_gaps_create(positives, n, &gaps, err);
    if (rc == NEAP_OK) rc = ni_gaps_add(gaps, negatives, m, err);
    if (rc == NEAP_OK) *auc = ni_gaps_auc(gaps);
    ni_gaps_free(gaps);
    return rc;
}

neap_status ni_own_rank(float positive, const float *negatives, size_t m, double *rank, neap_error *err)
{
    neap_status rc = ni_scores_check(&positive, 1, err);
    if (rc == NEAP_OK) rc = ni_scores_check(negatives, m, err);
    if (rc != NEAP_OK) return rc;
    uint64_t above = 0, ties = 0;
    for (size_t j = 0; j < m; j++) {
        above += negatives[j] > positive;
        ties += negatives[j] == positive;
    }
    *rank = 1 + (double)above + (double)ties / 2;
    return NEAP_OK;
}

/* ---- F1 ---- */

typedef struct tally {
    uint64_t truth, predicted, both; /* TP + FN, TP + FP, TP */
} tally;

static neap_status count(tally *tallies, uint32_t classes, const uint32_t *truth, const uint32_t *predicted,
                         size_t n, neap_error *err)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t worst = truth[i] > predicted[i] ? truth[i] : predicted[i];
        if (worst >= classes)
            return ni_fail(err, NEAP_E_ARG, "class %u of thing %zu is not below %u", worst, i, classes);
        tallies[truth[i]].truth++;
        tallies[predicted[i]].predicted++;
        if (truth[i] == predicted[i]) tallies[truth[i]].both++;
    }
    return NEAP_OK;
}

neap_status ni_f1(const uint32_t *truth, const uint32_t *predicted, size_t n, uint32_t classes,
                  double *micro, double *macro, neap_error *err)
{
    if (n == 0) return ni_fail(err, NEAP_E_ARG, "an F1 needs predictions");
    tally *tallies = ni_zeros(classes, sizeof *tallies);
    if (!tallies) return ni_fail_memory(err, "the classes");
    neap_status rc = count(tallies, classes, truth, predicted, n, err);
    if (rc != NEAP_OK) goto done;
    uint64_t right = 0, alive = 0;
    double sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        uint64_t both = tallies[c].both, either = tallies[c].truth + tallies[c].predicted;
        if (either == 0) continue;
        alive++;
        right += both;
        sum += 2 * (double)both / (double)either;
    }
    *micro = (double)right / (double)n;
    *macro = sum / (double)alive;
done:
    ni_free(tallies);
    return rc;
}
