/* lists.h - options that take several values: --methods gap,ppr --ratios 15,55. */
#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include "args.h"

enum { LIST_MOST = 32, LIST_NAME = 24 };

typedef struct list {
    char item[LIST_MOST][LIST_NAME];
    size_t count;
} list;

/* Takes a text with commas apart, whose items must differ. Each fails with NEAP_E_ARG and words that name
 * the option. */
neap_status read_list(const char *option, const char *text, list *l, neap_error *err);

/* The items are methods. */
neap_status check_methods(const list *methods, neap_error *err);

/* The items are different percentages above 0 and at most `most`. */
neap_status read_shares(const char *option, const list *l, double most, double share[LIST_MOST],
                        neap_error *err);

/* Says of 0.8 that it is not 80 %. */
void warn_of_small_shares(const args *a, const char *option, const list *l, const double *share);

#endif
