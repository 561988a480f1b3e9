/* texts.h - what a model reads of the nodes' texts: a vocabulary, and the words of each node.
 *
 * Of all words that occur, those are kept that are neither too rare nor in too many texts; a text is cut
 * behind its first `text_length` kept words. Words are numbered by how often they occur, the most frequent
 * first, and then by their bytes, so that their numbers do not depend on the order of nodes or lines. The
 * model keeps the words, so that the text of a new node can be read later. */
#ifndef NI_TEXTS_H
#define NI_TEXTS_H

#include "base/options.h"
#include "data/text.h"
#include "io/tensors.h"

/* A set of options that methods include. */
typedef struct ni_text_options {
    uint32_t min_count;
    double max_share;
    uint32_t stop_words; /* NI_STOP_... */
    uint32_t text_length;
} ni_text_options;

enum { NI_STOP_NONE, NI_STOP_ENGLISH };

extern const ni_option_set ni_text_set;

typedef struct ni_texts {
    uint32_t nodes;
    ni_names words;      /* the vocabulary                                                             */
    uint64_t *offset;    /* nodes + 1: the words of node u are word[offset[u]] .. word[offset[u+1]-1]  */
    uint32_t *word;      /* their numbers, below words.count                                           */
    uint32_t *documents; /* words.count: nodes in training whose text has the word                     */
} ni_texts;

/* NEAP_E_FORMAT if no word is left. */
neap_status ni_texts_create(const neap_text *text, const ni_text_options *rule, ni_texts *out,
                            neap_error *err);
/* No node has a word. */
neap_status ni_texts_none(uint32_t nodes, ni_texts *out, neap_error *err);
void ni_texts_free(ni_texts *texts);
uint64_t ni_texts_bytes(const ni_texts *texts);

/* kept[i], of each distinct word of the text: its number in the vocabulary, or NEAP_NONE. */
void ni_texts_find(const ni_texts *texts, const neap_text *text, uint32_t *kept);

/* The same with more nodes: of those from `from->nodes` on, node u has the kept words of node number[u -
 * from->nodes] of `text`, which may be NULL: none. */
neap_status ni_texts_extend(const ni_texts *from, const ni_text_options *rule, const neap_text *text,
                            const uint32_t *kept, const uint32_t *number, uint32_t nodes, ni_texts *out,
                            neap_error *err);

/* As tensors "text.offsets", "text.words", "vocabulary.offsets", "vocabulary.bytes"; none of them where
 * there is no word; and back, of a file that is not trusted. `rows` of the nodes were in training. */
void ni_texts_to_tensors(const ni_texts *texts, ni_tensors *t);
neap_status ni_texts_from_tensors(const ni_tensors *t, uint32_t nodes, uint32_t rows, ni_texts *out,
                                  neap_error *err);

static inline uint32_t ni_text_size(const ni_texts *texts, uint32_t node)
{
    return (uint32_t)(texts->offset[node + 1] - texts->offset[node]);
}

#endif
