/* tfidf.h - texts as a sparse matrix, nodes x words: tf x idf, and its leading right singular vectors.
 *
 *     tf   count: how often the text has the word; binary: 1; log: 1 + ln(count)
 *     idf  smooth: ln((1 + n) / (1 + documents)) + 1; plain: ln(n / documents)
 *     norm unit: rows have length 1; none: as they are
 * n: nodes in training, with or without text; documents: those whose text has the word. With smooth and
 * unit these are the numbers of scikit-learn's TfidfVectorizer. Words ascend in a row; with the plain idf a
 * word that all texts have is a stored 0.
 *
 * Latent semantic analysis (Deerwester, Dumais, Furnas, Landauer and Harshman 1990): the first d right
 * singular vectors V (words x d) of the matrix A are a basis; A V = U S are the features of nodes, x V
 * those of a new text x. O(words of texts) for the matrix; svd.h has the rest. */
#ifndef NI_TFIDF_H
#define NI_TFIDF_H

#include "base/options.h"
#include "linalg/svd.h"
#include "model/texts.h"

/* A set of options that methods include. */
typedef struct ni_tfidf_options {
    uint32_t tf, idf, norm; /* NI_TF_..., NI_IDF_..., NI_NORM_... */
} ni_tfidf_options;

enum { NI_TF_COUNT, NI_TF_BINARY, NI_TF_LOG };
enum { NI_IDF_SMOOTH, NI_IDF_PLAIN };
enum { NI_NORM_UNIT, NI_NORM_NONE };

extern const ni_option_set ni_tfidf_set;

/* The rows of nodes first .. end-1: start, end and term of a matrix that ni_tfidf_free frees; `trained`
 * nodes were in training. NEAP_E_LIMIT with more than 2^32 - 1 words. */
neap_status ni_tfidf_create(const ni_texts *texts, uint32_t first, uint32_t end, uint32_t trained,
                            const ni_tfidf_options *rule, ni_threads *threads, ni_sparse *out,
                            neap_error *err);
void ni_tfidf_free(ni_sparse *matrix);

/* V, words x d, and the d singular values of a matrix of training nodes. NEAP_E_NUMERIC if it is all 0. */
neap_status ni_tfidf_basis(const ni_sparse *matrix, uint32_t words, uint32_t d, uint64_t seed,
                           ni_threads *threads, double *value, float *V, neap_error *err);

/* Bytes of the matrix, and of what ni_tfidf_basis needs besides. */
uint64_t ni_tfidf_bytes(const ni_texts *texts, uint32_t d);

#endif
