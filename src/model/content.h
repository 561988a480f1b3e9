/* content.h - what is known of the nodes in training beside their links, as one sparse matrix:
 *
 *     C = [ A | F ],   nodes x (words + features)
 *
 * A: TF-IDF of the texts (tfidf.h); F: the features. Under --text-norm unit the rows of both have length 1,
 * and each counts half in a node that has both, so that rows of C have length 1. Its leading right singular
 * vectors are a basis; the rows of the words in it read a new node's text. */
#ifndef NI_CONTENT_H
#define NI_CONTENT_H

#include <math.h>

#include "data/features.h"
#include "model/tfidf.h"

/* features may be NULL, and texts may have no word. For ni_tfidf_free. */
neap_status ni_content_create(const ni_texts *texts, const neap_features *features,
                              const ni_tfidf_options *rule, ni_threads *threads, ni_sparse *out,
                              neap_error *err);

/* What a part of a row is multiplied by: `both` where the node has words and features. */
static inline double ni_content_share(const ni_tfidf_options *rule, bool both)
{
    return rule->norm == NI_NORM_UNIT && both ? sqrt(0.5) : 1;
}

/* The columns of such a matrix. */
uint32_t ni_content_columns(const ni_texts *texts, const neap_features *features);

/* Bytes of the matrix, and of what ni_tfidf_basis needs besides. */
uint64_t ni_content_bytes(const ni_texts *texts, const neap_features *features, uint32_t d);

#endif
