#include "base/sys.h"
#include "eval/metrics.h"
#include "support/status.h"

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
