#include "link_calibration.h"

#include <math.h>

void calibration_add(calibration *c, const neap_link_result *x)
{
    moments_add(&c->brier, x->brier);
    moments_add(&c->error, x->ece);
    moments_add(&c->own, x->ece_own);
    for (size_t b = 0; b < x->bins && b < NEAP_BINS; b++) {
        double n = (double)x->bin_count[b];
        if (!x->bin_count[b]) continue;
        c->count[b] += x->bin_count[b];
        c->predicted[b] += n * x->bin_predicted[b];
        c->links[b] += n * x->bin_observed[b];
    }
}

bool is_calibrated(const calibration *c)
{
    return c->error.count && !isnan(c->error.mean);
}

double calibration_predicted(const calibration *c, size_t bin)
{
    return c->count[bin] ? c->predicted[bin] / (double)c->count[bin] : NAN;
}

double calibration_observed(const calibration *c, size_t bin)
{
    return c->count[bin] ? c->links[bin] / (double)c->count[bin] : NAN;
}

void calibration_json(ni_json *j, const calibration *c)
{
    if (!is_calibrated(c)) {
        ni_json_text(j, "calibration", NULL);
        return;
    }
    ni_json_open(j, "calibration", '{');
    json_moments(j, "brier", &c->brier);
    json_moments(j, "ece", &c->error);
    json_moments(j, "ece_own_labels", &c->own);
    ni_json_open(j, "bins", '[');
    for (size_t b = 0; b < NEAP_BINS; b++) {
        ni_json_open(j, NULL, '{');
        ni_json_real(j, "predicted", calibration_predicted(c, b));
        ni_json_real(j, "observed", calibration_observed(c, b));
        ni_json_whole(j, "count", c->count[b]);
        ni_json_close(j, '}');
    }
    ni_json_close(j, ']');
    ni_json_close(j, '}');
}
