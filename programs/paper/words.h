/* words.h - texts for graphs that have none, to measure how long text systems take: nothing can be learned
 * from them. */
#ifndef NI_WORDS_H
#define NI_WORDS_H

#include "neap.h"

/* A text for every node: words of Zipf's law among as many as Cora has, as long as Cora's texts. The same
 * graph gives the same texts. The caller frees them. */
neap_status ni_words_make(const neap_graph *graph, neap_text **out, neap_error *err);

#endif
