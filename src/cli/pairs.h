/* pairs.h - pairs of names from a file or standard input, a bounded number at a time. */
#ifndef CLI_PAIRS_H
#define CLI_PAIRS_H

#include <stdio.h>

#include "neap.h"

enum { PAIRS_AT_ONCE = 4096, LONGEST_LINE = 1 << 20 };

typedef struct pairs {
    const char *path; /* for messages       */
    FILE *file;
    char *line;      /* LONGEST_LINE bytes */
    uint64_t number; /* of the line        */
    neap_pair *pair; /* PAIRS_AT_ONCE      */
    size_t count;
} pairs;

/* "-" is standard input. pairs_close is due in any case. */
neap_status pairs_open(pairs *p, const char *path, neap_error *err);
void pairs_close(pairs *p);

/* Fills p->pair with up to PAIRS_AT_ONCE pairs; p->count is 0 at the end. On failure the pairs before
 * the bad line are there. A line holds two names, separated by a tab, or by blanks if it has no tab;
 * empty lines and lines that start with # are skipped. */
neap_status pairs_next(pairs *p, const neap_graph *graph, neap_error *err);

#endif
