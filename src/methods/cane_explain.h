/* cane_explain.h - the score of a pair by the words of both texts. */
#ifndef NI_CANE_EXPLAIN_H
#define NI_CANE_EXPLAIN_H

#include "methods/cane_pairs.h"
#include "model/model.h"

/* batch: has read the pair as its pair 0, and with two orders the same in the other order as pair 1.
 * vectors: [t ; n] of source and target in this pair, 2 x dim; their product is the score. */
neap_status ni_cane_explain(const neap_model *model, const ni_cane_batch *batch, uint32_t orders,
                            const float *vectors, neap_pair pair, neap_explanation **out, neap_error *err);

#endif
