/* verdict.h - `train --test`: how well held-out links are told from non-links, beside the two numbers
 * that a model has to beat.                                                                          */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "args.h"
#include "support/json.h"

typedef struct verdict {
    size_t pairs;
    double trained, untrained, degrees; /* AUC of the model, of one with 0 epochs, of the degree product */
} verdict;

size_t count_pairs(const neap_split *split);

/* Trains the two comparisons on the same training graph with the same options. */
neap_status verdict_of(const args *a, const neap_model *model, const neap_split *split, verdict *v,
                       neap_error *err);
void verdict_print(const args *a, const verdict *v);
void verdict_json(ni_json *j, const verdict *v);

#endif
