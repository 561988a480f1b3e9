#include "eval/metrics.h"
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
