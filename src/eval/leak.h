/* leak.h - the leak check: no test pair is in the training data, and none in a model.
 *
 * Everything is compared with the two graphs of a trial, edge by edge, and not with what was derived from
 * them. A pair is held out, in whatever order its two nodes are given, if
 *
 * - clean: the whole graph has an edge between them, in either direction, and training has none;
 * - paper, paper-clean: the same; a single edge is held out if the whole graph has it and training has not.
 *   If the reverse of a test edge is a training edge, that is by construction (reciprocal edges are split
 * one by one): the two are neighbours then, which is counted, and is no leak.
 *
 * O(edges log degree) for a trial and for a model, one thread; the caller owns the report. */
#ifndef NI_LEAK_H
#define NI_LEAK_H

#include "eval/trial.h"
#include "model/model.h"

/* The trial alone: test pairs, validation pairs, negatives. NEAP_E_LEAK names the first pair that should
 * not be where it is. Fills its part of the report, which may be NULL. */
neap_status ni_leak_in_trial(const ni_trial *trial, neap_leak_report *report, neap_error *err);

/* A model: its training edges, neighbourhoods, the links that training negatives avoid, its degrees. Nodes
 * are matched by name; NEAP_E_MISMATCH if it has one that the trial has not. */
neap_status ni_leak_in_model(const ni_trial *trial, const neap_model *model, neap_leak_report *report,
                             neap_error *err);

#endif
