#include "eval/metrics.h"

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
