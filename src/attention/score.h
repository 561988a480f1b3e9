/* score.h - scores of many pairs, in chunks that bound the memory. */
#ifndef NI_SCORE_H
#define NI_SCORE_H

#include "attention/engine.h"

/* Scores of pairs without dropout; with both_orders the mean of (s, t) and (t, s). */
neap_status ni_score_pairs(ni_engine *e, const neap_pair *pairs, size_t count, bool both_orders,
                           float *scores, neap_error *err);

#endif
