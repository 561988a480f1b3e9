/* link_calibration.h - how right the probabilities of a row are, over its splits. */
#ifndef CLI_LINK_CALIBRATION_H
#define CLI_LINK_CALIBRATION_H

#include "eval_common.h"

/* Sums of the bins of the same rank of all splits. */
typedef struct calibration {
    moments brier, error, own; /* own: the error of labels drawn from the probabilities */
    uint64_t count[NEAP_BINS];
    double predicted[NEAP_BINS], links[NEAP_BINS];
} calibration;

void calibration_add(calibration *c, const neap_link_result *x);

/* It was measured, on each split. */
bool is_calibrated(const calibration *c);

/* Mean probability and share of links of a bin; NaN: it is empty. */
double calibration_predicted(const calibration *c, size_t bin);
double calibration_observed(const calibration *c, size_t bin);

/* An object, or null if nothing was measured. */
void calibration_json(ni_json *j, const calibration *c);

#endif
