/* text.h - the texts of nodes, as words (tokens.h), from a file.
 *
 * A line is `node<TAB>text`; # and % start a comment. By line, line i (from 0) is the text of the node
 * *named* i, and every line counts. The texts of a node that has several lines are joined in their order.
 * Words are numbered in the order in which they first occur; what a model reads is chosen and numbered anew
 * (model/texts.h). */
#ifndef NI_DATA_TEXT_H
#define NI_DATA_TEXT_H

#include "graph/names.h"
#include "neap.h"

struct neap_text {
    uint32_t nodes;
    uint64_t *offset; /* nodes + 1: the words of node u are word[offset[u]] .. word[offset[u + 1] - 1] */
    uint32_t *word;   /* their numbers, in the order of the text                                      */
    ni_names words;   /* distinct words                                                               */
    neap_text_facts facts;
};

/* Memory of the texts. */
uint64_t ni_text_bytes(const neap_text *text);

/* How often a word occurs, and in how many texts. */
typedef struct ni_tally {
    uint64_t count;
    uint32_t documents, last; /* last: the node that was counted last, plus 1 */
} ni_tally;

/* Of each distinct word; `of` is all zeros before. */
void ni_text_count(const neap_text *text, ni_tally *of);

/* A word to be sorted: the most frequent first, then by bytes. */
typedef struct ni_frequent {
    uint64_t count;
    const char *word;
    uint32_t number; /* in the text */
} ni_frequent;

void ni_frequent_sort(ni_frequent *list, size_t count);

enum { NI_TEXT_WORDS_MOST = 1 << 24 }; /* distinct words of a file */

/* How a file is read. */
typedef struct ni_text_plan {
    const ni_names *names; /* of the nodes                                            */
    ni_names *more;        /* or these, to which the file adds; not by line           */
    bool by_line;
    uint32_t most; /* distinct words */
    const neap_hooks *hooks;
} ni_text_plan;

neap_status ni_text_read(const char *path, const ni_text_plan *plan, neap_text **out, neap_error *err);

#endif
