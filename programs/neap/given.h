/* given.h - splits of others (--pairs): a folder with train.txt, test_pos.txt and test_neg.txt, or folders
 * with these in it. Any ending that a graph file may have will do. */
#ifndef CLI_GIVEN_H
#define CLI_GIVEN_H

#include "eval_common.h"

typedef struct given {
    neap_graph *train; /* its links are those of train.txt, its nodes are the names in all three files */
    neap_pair *positives, *negatives;
    size_t positive_count, negative_count;
} given;

/* The folders, in the order of their names. */
neap_status given_find(splits *s, const char *folder, neap_error *err);

/* Reads one of them and says what was found. */
neap_status given_read(const args *a, const char *folder, given *out, neap_error *err);
void given_free(given *g);

#endif
