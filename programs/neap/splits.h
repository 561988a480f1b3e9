/* splits.h - the splits that `neap eval link` goes through: drawn for each ratio and seed, or found in
 * folders (--split). */
#ifndef CLI_SPLITS_H
#define CLI_SPLITS_H

#include "common.h"
#include "lists.h"

typedef struct split_item {
    char *folder; /* where it is, or is to be kept; NULL: nowhere */
    double ratio; /* in (0, 1)                                    */
    uint64_t seed;
    size_t column; /* of the table: which of the ratios */
} split_item;

typedef struct splits {
    const char *protocol, *negatives; /* of all of them */
    double valid;                     /* of drawn ones  */
    bool found;                       /* in folders     */
    size_t kept;                      /* written so far */
    split_item *item;
    size_t count;
    double ratio[LIST_MOST]; /* in per cent, ascending if found */
    size_t ratios;
} splits;

/* ratios x seeds, from seed `first` on; kept in folders below `folder` if it is not NULL. */
neap_status splits_draw(splits *s, const double *percent, size_t ratios, uint64_t first, uint64_t seeds,
                        const char *folder, neap_error *err);

/* The split in a folder, or all of those in folders inside it, which must be of one protocol. */
neap_status splits_find(splits *s, const char *folder, neap_error *err);
void splits_free(splits *s);

/* Loads a split, or draws it and writes it to its folder; writing is not interrupted, nor is anything
 * behind it until the caller allows that. */
neap_status splits_make(splits *s, size_t i, const neap_graph *graph, neap_trial **out, neap_error *err);

#endif
