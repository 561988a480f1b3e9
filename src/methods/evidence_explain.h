/* evidence_explain.h - the reasons of evidence as an explanation of neap.h. */
#ifndef NI_EVIDENCE_EXPLAIN_H
#define NI_EVIDENCE_EXPLAIN_H

#include "evidence/reasons.h"
#include "model/method.h"

/* mean: of the curves of the scorer. words: those of the model's texts, which are the first columns of its
 * terms. */
neap_status ni_evidence_explain(neap_query *query, ni_scorer *scorer, const float *mean, uint32_t source,
                                uint32_t target, neap_explanation **out, neap_error *err);

#endif
