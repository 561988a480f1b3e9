/* leak.h - proofs that a test pair could not be known before the test.
 *
 * Everything is compared with the two graphs of a trial, edge by edge, and not with what was derived from
 * them. What must not be known, in whatever order its two nodes stand:
 *
 *   clean                   a pair with an edge of the whole graph, in either direction, and none of
 * training paper, paper-clean      the same; and an edge of the whole graph that is none of training. If
 * the reverse of a test edge is a training edge, the split itself says so (reciprocal edges are split one
 * by one): the two are neighbours then, and it is counted, no leak. */
#ifndef NI_LEAK_H
#define NI_LEAK_H

#include "eval/trial.h"
#include "model/model.h"

/* The trial alone: test pairs, validation pairs, negatives. NEAP_E_LEAK names the first pair that should
 * not be where it is. Fills its part of the report, which may be NULL. */
neap_status ni_leak_in_trial(const ni_trial *trial, neap_leak_report *report, neap_error *err);

/* A model: its training edges, neighbourhoods, the links that training negatives avoid, its degrees. Nodes
 * are matched by name; NEAP_E_MISMATCH if it has one that the trial does not know. */
neap_status ni_leak_in_model(const ni_trial *trial, const neap_model *model, neap_leak_report *report,
                             neap_error *err);

#endif
