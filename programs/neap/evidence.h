/* evidence.h - the explanation of a score that is a sum of evidence, as text and as JSON. */
#ifndef CLI_EVIDENCE_H
#define CLI_EVIDENCE_H

#include "args.h"
#include "support/json.h"

/* The groups and what each adds, who stands behind them (at most `rows` each), through whom, what if. */
void print_evidence(const neap_graph *graph, const neap_explanation *e, uint64_t rows);

/* Members of an object: "probability", "start", "evidence", "behind", "through", "what_if". */
void json_evidence(ni_json *j, const neap_graph *graph, const neap_explanation *e);

#endif
