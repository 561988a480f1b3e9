/* metrics.h - `train --metrics`: one line of JSON per epoch. A resumed run keeps the lines of the epochs
 * before the one it goes on with, so that the file is that of an uninterrupted run. */
#ifndef CLI_METRICS_H
#define CLI_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "neap.h"

typedef struct metrics {
    const char *path; /* NULL: none */
    FILE *file;
} metrics;

/* Opens the file; keeps its lines of epochs before `epoch` (1: none). */
neap_status metrics_open(metrics *m, uint32_t epoch, neap_error *err);
neap_status metrics_write(metrics *m, const neap_progress *now, neap_error *err);
neap_status metrics_close(metrics *m, neap_error *err);

#endif
