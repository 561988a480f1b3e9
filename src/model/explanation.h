/* explanation.h - the explanation of a score. A method fills a draft, one row per neighbour, or
 * per word, in the order in which it reads them; at its end the rows are sorted and become the columns of a
 * neap_explanation. */
#ifndef NI_EXPLANATION_H
#define NI_EXPLANATION_H

#include "graph/links.h"

/* A row of neap_reasons. */
typedef struct ni_reason {
    uint32_t position, node, partner; /* position: the row of the draft that it was */
    float weight, contribution, alignment;
} ni_reason;

typedef struct ni_explanation_draft {
    neap_explanation facts; /* of the pair in the graph; the method adds score, selects, circles, tfidf */
    uint32_t a, b;          /* neighbours of the source and of the target                           */
    ni_reason *by_source;   /* a                                                                    */
    ni_reason *by_target;   /* b                                                                    */
    float *alignment;       /* a x b; NULL: nothing is aligned                                      */
    bool plain;             /* nothing is aligned                                                   */

    /* By words, not by neighbours: the vocabulary, and the words of the two texts, a and b, as numbers in
     * it; `node` and `partner` of a row are positions in the texts. words NULL: by neighbours. */
    const ni_names *words;
    const uint32_t *source_word, *target_word;

    /* Attention and contribution that no row has. */
    ni_reason source_rest, target_rest;
} ni_explanation_draft;

/* The draft is zeros before, but for `plain`. Rows and alignment are zeros, but for the positions of the
 * rows and their alignments, which are NaN. NEAP_E_LIMIT if a x b is beyond what anybody could look at. To
 * be freed in any case. */
neap_status ni_explanation_begin(ni_explanation_draft *draft, const ni_links *links, uint32_t source,
                                 uint32_t target, uint32_t a, uint32_t b, neap_error *err);

/* Sorts by weight, largest first, the alignment with its rows and columns. NULL: no memory. */
neap_explanation *ni_explanation_finish(ni_explanation_draft *draft);
void ni_explanation_draft_free(ni_explanation_draft *draft);

#endif
