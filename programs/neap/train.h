/* train.h - parts of `neap train`: --metrics and --test. */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "args.h"
#include "attributes.h"
#include "support/json.h"

/* ---- --metrics (metrics.c) ----
 *
 * One line of JSON per epoch. A resumed run keeps the lines of the epochs before the one it continues with,
 * so that the file is that of an uninterrupted run. */

typedef struct metrics {
    const char *path; /* NULL: none */
    FILE *file;
} metrics;

/* Opens the file; keeps its lines of epochs before `epoch` (1: none). */
neap_status metrics_open(metrics *m, uint32_t epoch, neap_error *err);
neap_status metrics_write(metrics *m, const neap_progress *now, neap_error *err);
neap_status metrics_close(metrics *m, neap_error *err);

/* ---- --test (verdict.c) ----
 *
 * The AUC on held-out links and non-links, beside the two numbers that a model has to beat. */

typedef struct verdict {
    size_t pairs;
    double trained, untrained, degrees; /* AUC of the model, of one with 0 epochs, of the degree product */
} verdict;

size_t count_pairs(const neap_split *split);

/* Trains the two comparisons on the same training graph with the same options. */
neap_status verdict_of(const args *a, const neap_model *model, const neap_split *split,
                       const attributes *known, verdict *v, neap_error *err);
void verdict_print(const args *a, const verdict *v);
void verdict_json(ni_json *j, const verdict *v);

#endif
