/* calibration.h - whether probabilities are right: of pairs that get 0.8, are 80 % links?
 *
 * Test pairs and their negatives, one to one, in NEAP_BINS bins of equal count by their score. Pairs of
 * equal score stand in random order, or the first half of them, links, would fill one bin and the other
 * half the next. The expected calibration error (ECE) is the mean, over the pairs, of the distance between
 * a bin's mean probability and its share of links. Labels drawn from the probabilities themselves have one,
 * too: it is what a perfect model would show on so many pairs, the mean of NI_OWN_LABELS draws. O(n log n);
 * 16 bytes per pair; every draw is a function of (seed, item). */
#ifndef NI_CALIBRATION_H
#define NI_CALIBRATION_H

#include <stddef.h>
#include <stdint.h>

#include "neap.h"

enum { NI_OWN_LABELS = 20 };

/* The scores are log-odds of a link, one to one; count of links and of non-links each. Fills brier, ece,
 * ece_own, bins and what each bin has. */
neap_status ni_calibration(const float *links, const float *others, size_t count, uint64_t seed,
                           neap_link_result *result, neap_error *err);

#endif
